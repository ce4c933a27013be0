"""Principal axes of inertia, which Newton does not keep: it has the full tensor in body axes.

Any body has several: axes may change places and signs, and equal moments leave them free. Taken are the authored ones
where they are principal axes of the tensor; else those that Jacobi rotations from the body's axes end at.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ovread_newton._binding import Source, Values, Write
from ovread_newton._rotations import Doubles, composed, matrices, multiply

if TYPE_CHECKING:
    from ovread_newton._engine import NewtonEngine

Indices = npt.NDArray[np.intp]

_SWEEPS = 24
_AS_GOOD_AS_ZERO = 1e-5
"""Relative to the largest moment: single precision, after a few sums."""


def principal_axes(tensors: Doubles, authored: Doubles) -> Doubles:
    """Return the rotation from principal axes to body axes, ``(n, 4)``.

    Args:
        tensors: ``(n, 3, 3)``: inertia in body axes.
        authored: ``(n, 4)``: what the stage says; zeros where it says nothing.
    """
    norms = np.linalg.norm(authored, axis=1, keepdims=True)
    turns = np.where(norms > 0, authored / np.where(norms > 0, norms, 1.0), (0.0, 0.0, 0.0, 1.0))
    is_wrong = _off_diagonal(tensors, turns).max(axis=1) > _AS_GOOD_AS_ZERO * _scale(tensors)
    turns[is_wrong] = (0.0, 0.0, 0.0, 1.0)
    for _ in range(_SWEEPS):
        off = _off_diagonal(tensors, turns)
        largest = 2 - off[:, ::-1].argmax(axis=1)
        if not np.any(off.max(axis=1) > _AS_GOOD_AS_ZERO * _scale(tensors)):
            break
        turns = multiply(turns, _jacobi(_seen_from(tensors, turns), largest))
    return turns


def principal_moments(tensors: Doubles, turns: Doubles) -> Doubles:
    """Return the moments about the axes that rotations ``turns`` lead to, ``(n, 3)``."""
    return np.asarray(np.einsum("nii->ni", _seen_from(tensors, turns)))


def are_principal(tensors: Doubles, turns: Doubles) -> npt.NDArray[np.bool_]:
    """Return where rotations lead to principal axes, ``(n,)``."""
    return np.asarray(_off_diagonal(tensors, turns).max(axis=1) <= _AS_GOOD_AS_ZERO * _scale(tensors))


def _scale(tensors: Doubles) -> Doubles:
    return np.asarray(np.abs(tensors).max(axis=(1, 2)))


def _seen_from(tensors: Doubles, turns: Doubles) -> Doubles:
    axes = matrices(turns)
    return np.asarray(np.einsum("nki,nkl,nlj->nij", axes, tensors, axes))


def _off_diagonal(tensors: Doubles, turns: Doubles) -> Doubles:
    """Return the products of inertia about each axis: element a is about the axis a."""
    seen = _seen_from(tensors, turns)
    return np.abs(np.stack([seen[:, 1, 2], seen[:, 2, 0], seen[:, 0, 1]], axis=1))


def _jacobi(seen: Doubles, axis: Indices) -> Doubles:
    """Return the smallest turns about one axis each that take the product of inertia about it to zero."""
    rows = np.arange(len(seen))
    i, j = (axis + 1) % 3, (axis + 2) % 3
    off, difference = seen[rows, i, j], seen[rows, i, i] - seen[rows, j, j]
    angle = np.arctan2(2 * off, np.abs(difference)) / 2 * np.where(difference < 0, -1.0, 1.0)
    return composed(angle[:, None], np.eye(3)[axis][:, None])


class NamedAxes:
    """The principal axes that bodies are given: authored, then written.

    Args:
        authored: Rotation from principal axes to body axes, of the bodies that have one.
    """

    def __init__(self, authored: Mapping[int, tuple[float, ...]]) -> None:
        self._authored = authored
        self.restore()

    version = 0
    """Counts the changes."""

    def restore(self) -> None:
        """Take the authored axes again."""
        self._named: dict[int, tuple[float, ...]] = dict(self._authored)
        self._unnamed: set[int] = set()
        self.version += 1

    def of(self, bodies: Indices) -> Doubles:
        """Return the rotations of some bodies, ``(n, 4)``; zeros for those without."""
        return np.array([self._named.get(body, (0.0, 0.0, 0.0, 0.0)) for body in bodies.tolist()]).reshape(-1, 4)

    def name(self, bodies: Indices, turns: Doubles) -> None:
        """Name the axes of some bodies; zeros take the name away."""
        for body, turn in zip(bodies.tolist(), turns.tolist(), strict=True):
            self._named[body] = tuple(turn)
        self._unnamed.difference_update(bodies.tolist())
        self.version += 1

    def lose(self, bodies: Iterable[int]) -> None:
        """Take note that the inertia of some bodies was written, so that nobody has said which axis is which."""
        self._unnamed.update(bodies)

    def are_lost(self, bodies: Indices) -> npt.NDArray[np.bool_]:
        """Return which bodies had their inertia written after their axes were named, ``(n,)``."""
        return np.array([body in self._unnamed for body in bodies.tolist()], bool)


class PrincipalAxes:
    """The principal axes of some bodies, found again when their inertia changes.

    Args:
        engine: The engine.
        bodies: The bodies.
    """

    def __init__(self, engine: NewtonEngine, bodies: Indices) -> None:
        self._inertia = Source(engine, "model", "body_inertia")
        self._bodies = bodies
        self._names = engine.named_axes
        self._version = -1
        self._known = np.full((len(bodies), 3, 3), np.nan, np.float32)
        self._turns: Doubles = np.zeros((len(bodies), 4))

    def __call__(self) -> Doubles:
        """Return the rotations to body axes, ``(bodies, 4)``."""
        tensors = self._inertia().reshape(-1, 3, 3)[self._bodies]
        if self._version != self._names.version or not np.array_equal(tensors, self._known):
            self._known, self._version = tensors, self._names.version
            self._turns = principal_axes(tensors.astype(float), self._names.of(self._bodies))
        return self._turns


def bind_principal_axes(engine: NewtonEngine, bodies: Indices) -> Write:
    """Prepare reading ``(bodies, 4)``."""
    axes = PrincipalAxes(engine, bodies)

    def write(out: Values) -> None:
        out[...] = axes()

    return write
