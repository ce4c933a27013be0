"""What a value is held to be: expected, got, and how far apart."""

from __future__ import annotations

import attrs
import numpy as np
import numpy.typing as npt

from ovread import UNLIMITED, ObjectType
from ovread.catalogue import Attribute, Frame, Role
from ovread.units import LENGTH, TORQUE
from ovread_conformance.systems import System

Array = npt.NDArray[np.float64]


@attrs.frozen
class Words:
    """What is said of values, spelt out when it is asked for: most verdicts are never read.

    Args:
        text: The sentence, with a pair of braces for each value.
        values: The values.
    """

    text: str
    values: tuple[npt.ArrayLike, ...]

    def __str__(self) -> str:
        return self.text.format(*(_spelt(np.asarray(value)) for value in self.values))


@attrs.frozen
class Verdict:
    """One value of one prim, held against what it should be.

    Args:
        object_type: Type of the object.
        attribute: Name of the attribute; empty where it is about the objects themselves.
        path: Path of the prim.
        words: What was expected and what was got.
        where: Which check, way of writing and tick.
        error: Difference, relative to the size of what was expected.
        tolerance: How large it may be.
    """

    object_type: ObjectType
    attribute: str
    path: str
    _words: str | Words = attrs.field(eq=False)
    where: str
    error: float
    tolerance: float

    @property
    def words(self) -> str:
        """What was expected and what was got."""
        return str(self._words)

    @property
    def holds(self) -> bool:
        """Whether the value is as expected."""
        return self.error <= self.tolerance

    @property
    def subject(self) -> tuple[str, str, str]:
        """What it is about: attribute, path and where."""
        return f"{self.object_type.name}.{self.attribute}", self.path, self.where

    @classmethod
    def of(
        cls, row: Attribute, path: str, expected: npt.ArrayLike, got: npt.ArrayLike, where: str, tolerance: float,
        small: Small,
    ) -> Verdict:  # fmt: skip
        """Compare values of a row; sizes below what is small count as that."""
        wanted, found = np.asarray(expected, dtype=float), np.asarray(got, dtype=float)
        error = error_of(row, wanted, found, small)
        words = Words("expected {}, got {}", (wanted, found))
        return cls(row.object_type, row.name, path, words, where, error, tolerance)

    def __str__(self) -> str:
        return (
            f"{self.object_type.name}.{self.attribute} of {self.path} ({self.where}): {self.words} "
            f"(relative error {self.error:.2g} > {self.tolerance:g})"
        )


def convention_of(row: Attribute) -> str:
    """Return what an attribute means, with its lanes, axes and units, as the catalogue has them."""
    lanes = f" ({', '.join(row.lanes)})," if len(row.lanes) > 1 else ""
    axes = f" {row.frame.value} axes," if row.frame is not Frame.NONE else ""
    units = row.units()
    in_units = "" if units == "1" else f" in {units}"
    return f"{row.object_type.name}.{row.name}: {row.meaning}{lanes}{axes}{in_units}".rstrip(",") + "."


@attrs.frozen
class Small:
    """What counts as small, in the units of the stage.

    Args:
        size: Of the values, or of the linear half of twists.
        angular: Of the angular half of twists.
        lever: Of what turns, the arm at which a force counts as a torque.
    """

    size: float
    angular: float = 0.0
    lever: float = 0.0

    @classmethod
    def at(cls, row: Attribute, system: System, path: str) -> Small:
        """Say so for one attribute of one prim.

        A hundredth of a metre, a kilogram, a second and what they make up; of coordinates, of which angles are in
        degrees, one; of accelerations one metre per second squared, as single precision and steps leave of gravity.
        """
        joint = system.joint_at(path)
        turns = joint is not None and not joint.is_linear and row.angular is not None
        dimension = row.angular if turns and row.angular is not None else row.dimension
        part = 1.0 if row.role is Role.COORDINATE or row.name.endswith("Acceleration") else 0.01
        size = part * system.stage.units_in(dimension)
        if row.role is not Role.TWIST or row.angular is None:
            return cls(size)
        lever = 0.1 * system.stage.units_in(LENGTH) if row.angular == TORQUE else 0.0
        return cls(size, part * system.stage.units_in(row.angular), lever)


def error_of(row: Attribute, expected: Array, got: Array, small: Small) -> float:
    """Return the largest difference, relative to the size of what is compared."""
    if expected.shape != got.shape:
        return np.inf
    if row.role is Role.QUATERNION:
        return _turn_error(expected, got)
    if row.role is Role.POSE:
        place = attrs.evolve(row, role=Role.POINT)
        return max(_turn_error(expected[:, 3:], got[:, 3:]), error_of(place, expected[:, :3], got[:, :3], small))
    if row.role is Role.TWIST:
        as_vector = attrs.evolve(row, role=Role.VECTOR)
        linear = error_of(as_vector, expected[:, :3], got[:, :3], small)
        # A torque counts beside that of the force at an arm.
        at_arm = small.lever * float(np.abs(expected[:, :3]).max(initial=0))
        return max(linear, error_of(as_vector, expected[:, 3:], got[:, 3:], Small(max(small.angular, at_arm))))
    if not (np.isfinite(got).all() and np.isfinite(expected).all()):
        return np.inf
    is_bound = np.abs(expected) >= UNLIMITED
    if (is_bound != (np.abs(got) >= UNLIMITED)).any() or (expected[is_bound] != got[is_bound]).any():
        return np.inf
    differences = np.abs(expected - got)[~is_bound]
    size = float(np.abs(expected)[~is_bound].max(initial=0))
    return float(differences.max(initial=0)) / max(size, small.size, 1e-30)


def _turn_error(expected: Array, got: Array) -> float:
    """Return how far quaternions are apart, q and -q being the same."""
    apart = np.minimum(np.linalg.norm(expected - got, axis=-1), np.linalg.norm(expected + got, axis=-1))
    return float(np.nan_to_num(apart, nan=np.inf).max(initial=0))


def _spelt(values: Array) -> str:
    text = " ".join(np.array2string(values.squeeze(), precision=6, threshold=20).split())
    return text.replace("[ ", "[").replace(" ]", "]")
