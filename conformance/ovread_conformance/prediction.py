"""How a value reads when its system is written down in another way: computed from the catalogue alone.

Dimension says how a row scales with the stage's units, role and frame how it turns with the world or with the body.
A row that the catalogue gains is predicted without a word here.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

import attrs
import numpy as np
import numpy.typing as npt
import pinocchio as pin

from ovread import UNLIMITED
from ovread.backend import MatrixLabels
from ovread.catalogue import Attribute, Frame, Layout, Role
from ovread.units import Dimension
from ovread_conformance.systems import Joint, System, Variant, names_of

Array = npt.NDArray[np.float64]

_TURNED_FRAMES = (Frame.WORLD,)
"""Frames whose axes turn with the world; all others turn with their body, which only mirroring changes."""


@attrs.frozen(eq=False, slots=False)
class Setting:
    """What a prediction needs beside the values.

    Args:
        system: The system as it is.
        variant: The way to write it down.
    """

    system: System
    variant: Variant

    def path(self, path: str) -> str:
        """Return what a path is called."""
        head, *names = path.strip("/").split("/")
        return "/".join(["", head, *map(self._name, names)])

    def _name(self, name: str) -> str:
        """Return what a name becomes: those that the system chooses, and joints, which are called by their links."""
        if name.startswith("to_") and name[3:] in self._chosen:
            return f"to_{self.variant.name_of(name[3:])}"
        return self.variant.name_of(name) if name in self._chosen else name

    @functools.cached_property
    def _chosen(self) -> frozenset[str]:
        return frozenset(names_of(self.system))

    def joint(self, path: str) -> Joint | None:
        """Return the joint that a path names; None where it is none."""
        return self.system.joint_at(path)

    def scale(self, dimension: Dimension) -> float:
        """Return the stage units in one unit as it is."""
        return float(self.variant.length**dimension.length * self.variant.mass**dimension.mass)


def predict(row: Attribute, values: npt.ArrayLike, path: str, setting: Setting) -> Array:
    """Return what an attribute of one prim reads in the variant.

    Args:
        row: The catalogue row.
        values: ``(elements, lanes)`` as it is.
        path: Path of the prim, as it is.
        setting: System and variant.
    """
    given = np.asarray(values, dtype=float)
    if row.role is Role.COORDINATE and row.frame is Frame.JOINT:
        return _coordinates(row, given, path, setting)
    return _RULES[row.role](row, given, setting)


def _axes(row: Attribute, setting: Setting) -> Array:
    return setting.variant.rotation if row.frame in _TURNED_FRAMES else setting.variant.local


def _scalar(row: Attribute, values: Array, setting: Setting) -> Array:
    factor = np.full(values.shape, setting.scale(row.dimension))
    return np.where(np.abs(values) < UNLIMITED, values * factor, values)


def _same(row: Attribute, values: Array, setting: Setting) -> Array:
    return values


def _point(row: Attribute, values: Array, setting: Setting) -> Array:
    moved = setting.scale(row.dimension) * values[:, :3] @ _axes(row, setting).T
    shift = setting.variant.translation if row.frame in _TURNED_FRAMES else 0
    return np.asarray(moved + shift)


def _vector(row: Attribute, values: Array, setting: Setting) -> Array:
    return np.asarray(setting.scale(row.dimension) * values @ _axes(row, setting).T)


def _axial(row: Attribute, values: Array, setting: Setting) -> Array:
    axes = _axes(row, setting)
    return np.asarray(np.linalg.det(axes) * setting.scale(row.dimension) * values @ axes.T)


def _quaternion(row: Attribute, values: Array, setting: Setting) -> Array:
    axes, local = _axes(row, setting), setting.variant.local
    turned = [axes @ pin.Quaternion(value).toRotationMatrix() @ local.T for value in values]
    return np.array([pin.Quaternion(turn).coeffs() for turn in turned]).reshape(-1, 4)


def _tensor(row: Attribute, values: Array, setting: Setting) -> Array:
    axes = _axes(row, setting)
    turned = axes @ values.reshape(-1, 3, 3) @ axes.T
    return np.asarray(setting.scale(row.dimension) * turned.reshape(-1, 9))


def _pose(row: Attribute, values: Array, setting: Setting) -> Array:
    return np.hstack([_point(row, values[:, :3], setting), _quaternion(row, values[:, 3:], setting)])


def _twist(row: Attribute, values: Array, setting: Setting) -> Array:
    second = attrs.evolve(row, dimension=row.angular or row.dimension)
    return np.hstack([_vector(row, values[:, :3], setting), _axial(second, values[:, 3:6], setting)])


def _coordinates(row: Attribute, values: Array, path: str, setting: Setting) -> Array:
    """Scale each axis by its own dimension; of signed quantities, mirroring and swapping change the sign.

    What cannot be negative (gains, bounds, friction) has no sign.
    """
    joint = setting.joint(path)
    if joint is None:
        return values
    is_signed = row.accepts.minimum is None
    predicted = values.copy()
    dimension = row.dimension if joint.is_linear or row.angular is None else row.angular
    for element, letter in enumerate(joint.letters):
        sign = 1.0
        if is_signed:
            sign = setting.variant.coordinate_sign(letter, is_linear=joint.is_linear)
            sign *= -1.0 if setting.variant.swaps and len(joint.axes) == 1 else 1.0
        bounded = np.abs(values[element]) < UNLIMITED
        factor = np.where(bounded, sign * setting.scale(dimension), sign)
        predicted[element] = factor * values[element]
        if row.accepts.is_ordered and sign < 0:
            predicted[element] = predicted[element][::-1]
    return predicted


_RULES: dict[Role, Callable[[Attribute, Array, Setting], Array]] = {
    Role.SCALAR: _scalar,
    Role.POINT: _point,
    Role.VECTOR: _vector,
    Role.AXIAL_VECTOR: _axial,
    Role.QUATERNION: _quaternion,
    Role.TENSOR: _tensor,
    Role.POSE: _pose,
    Role.TWIST: _twist,
    Role.COORDINATE: _scalar,
    Role.FLAG: _same,
    Role.ENUM: _same,
    Role.COUNT: _same,
}

COMPARABLE = (*_RULES, Role.GENERALIZED)
"""Roles whose values mean something beyond one process."""


def predict_labels(labels: Sequence[str], setting: Setting) -> tuple[str, ...]:
    """Return what labels of generalized velocities, links' velocities or momenta are called."""
    named = []
    for label in labels:
        path, separator, axis = label.rpartition(":")
        named.append(f"{setting.path(path)}{separator}{axis}" if separator else label)
    return tuple(named)


def predict_generalized(row: Attribute, matrix: Array, labels: MatrixLabels, setting: Setting) -> Array:
    """Return what a matrix or vector over degrees of freedom reads, its rows and columns in the same order.

    Generalized velocities change by a matrix T; forces change by its inverse transpose, and so on. The power of a
    force fixes the scale.
    """
    power = setting.variant.mass * setting.variant.length**2
    if row.name == "jacobian":
        return np.asarray(_velocities(labels.rows, setting) @ matrix @ _inverse(labels.columns, setting))
    if row.name == "centroidalMomentum":
        turned = _momenta(setting) @ matrix
        columns = [label for label in labels.columns if ":" in label]
        turned[:, : len(columns)] = turned[:, : len(columns)] @ _inverse(columns, setting)
        return np.asarray(turned)
    inverse = _inverse(labels.columns, setting)
    if labels.rows:
        return np.asarray(power * inverse.T @ matrix @ inverse)
    return np.asarray(power * matrix @ inverse)


def _inverse(labels: Sequence[str], setting: Setting) -> Array:
    return np.asarray(np.linalg.inv(_velocities(labels, setting)))


def _velocities(labels: Sequence[str], setting: Setting) -> Array:
    """Return the matrix by which velocities with these labels change; those of one link stand together."""
    changed = np.zeros((len(labels), len(labels)))
    variant = setting.variant
    rotation = variant.rotation
    for at, label in enumerate(labels):
        path, _, axis = label.rpartition(":")
        kind, _, letter = axis.partition(".")
        if kind in ("linear", "angular") and letter:
            turn = variant.length * rotation if kind == "linear" else np.linalg.det(rotation) * rotation
            for other, component in zip("xyz", turn["xyz".index(letter)], strict=True):
                changed[at, labels.index(f"{path}:{kind}.{other}")] = component
            continue
        joint = setting.joint(path)
        assert joint is not None, label
        number = joint.axes.index(axis)
        sign = variant.coordinate_sign(joint.letters[number], is_linear=joint.is_linear)
        sign *= -1.0 if variant.swaps and len(joint.axes) == 1 else 1.0
        changed[at, at] = sign * (variant.length if joint.is_linear else 1.0)
    return changed


def _momenta(setting: Setting) -> Array:
    """Return the matrix by which linear, then angular momentum and their rates change."""
    variant = setting.variant
    rotation = variant.rotation
    changed = np.zeros((6, 6))
    changed[:3, :3] = variant.mass * variant.length * rotation
    changed[3:, 3:] = variant.mass * variant.length**2 * np.linalg.det(rotation) * rotation
    return changed


def is_predicted(row: Attribute) -> bool:
    """Whether values of a row are predicted: all but handles, and what has a size of its own each time."""
    return row.role in COMPARABLE and not (row.layout is Layout.ARRAY and row.frame is Frame.PARENT_ANCHOR)
