"""Rotations in float64, independent of any engine. Quaternions are (x, y, z, w)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


def quaternion(axis: npt.ArrayLike, degrees: float) -> Array:
    """Return the quaternion of a turn about an axis."""
    direction = np.asarray(axis, dtype=float)
    half = np.radians(degrees) / 2
    return np.append(direction / np.linalg.norm(direction) * np.sin(half), np.cos(half))


def matrix(q: npt.ArrayLike) -> Array:
    """Return the 3x3 rotation matrix of a unit quaternion."""
    x, y, z, w = (float(part) for part in np.asarray(q, dtype=float))
    cross: Array = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]], dtype=float)
    turned: Array = np.eye(3) + 2 * w * cross + 2 * (cross @ cross)
    return turned


def vector(q: npt.ArrayLike) -> Array:
    """Return the rotation vector of a unit quaternion, in radians, of at most half a turn."""
    turn = np.asarray(q, dtype=float)
    turn = -turn if turn[3] < 0 else turn
    sine = float(np.linalg.norm(turn[:3]))
    return turn[:3] * (2 * np.arctan2(sine, turn[3]) / sine if sine > 0 else 2.0)


def conjugate(q: npt.ArrayLike) -> Array:
    """Return the inverse rotation."""
    x, y, z, w = np.asarray(q, dtype=float)
    return np.array([-x, -y, -z, w])


def product(left: npt.ArrayLike, right: npt.ArrayLike) -> Array:
    """Return the rotation ``right``, then ``left``."""
    a, b = np.asarray(left, dtype=float), np.asarray(right, dtype=float)
    vector = a[3] * b[:3] + b[3] * a[:3] + np.cross(a[:3], b[:3])
    return np.append(vector, a[3] * b[3] - a[:3] @ b[:3])
