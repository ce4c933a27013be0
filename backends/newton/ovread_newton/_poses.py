"""Poses of bodies and of what hangs on them: ``(n, 7)``, a position, then a quaternion (x, y, z, w)."""

from __future__ import annotations

import numpy as np

from ovread_newton._rotations import Doubles, conjugate, multiply, rotate


def composed(outer: Doubles, inner: Doubles) -> Doubles:
    """Return poses that are given in the frames of other poses."""
    position = outer[..., :3] + rotate(outer[..., 3:], inner[..., :3])
    return np.concatenate([position, multiply(outer[..., 3:], inner[..., 3:])], axis=-1)


def inverse(poses: Doubles) -> Doubles:
    """Return the poses that take these back."""
    turns = conjugate(poses[..., 3:])
    return np.concatenate([-rotate(turns, poses[..., :3]), turns], axis=-1)
