"""Where the frames of a joint are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ovread.lint._asset import HINGE, SLIDE, Doubles, value

if TYPE_CHECKING:
    from ovread.lint._asset import Asset, Joint

_NEAR = 1e-4
"""Relative to the unit of length, or in radians."""


def frames_apart(asset: Asset, joint: Joint) -> str:
    """Say how far the frames of a joint are apart along what it holds; empty where they are not.

    A hinge may turn about its axis, and a slider move along it.
    """
    (first, first_axes), (second, second_axes) = (_frame(asset, joint, side) for side in (0, 1))
    gap = second - first
    turned = second_axes @ first_axes.T  # rows are axes, in world coordinates
    axis = "XYZ".index(str(value(joint.prim, "physics:axis", "X"))) if joint.kind in (HINGE, SLIDE) else 0
    if joint.kind == SLIDE:
        gap = gap - (gap @ first_axes[axis]) * first_axes[axis]
    cosine = turned[axis, axis] if joint.kind == HINGE else (np.trace(turned) - 1) / 2
    distance, angle = float(np.linalg.norm(gap)), float(np.arccos(np.clip(cosine, -1, 1)))
    # The arc cosine of numbers near 1 loses half of the digits.
    if distance <= _NEAR and angle <= 30 * _NEAR:
        return ""
    return f"the frames are {distance:.3g} stage lengths and {np.degrees(angle):.3g} degrees apart"


def _frame(asset: Asset, joint: Joint, side: int) -> tuple[Doubles, Doubles]:
    """Return origin and axes, the rows of a matrix, of one side of a joint in the world."""
    position = np.array(value(joint.prim, f"physics:localPos{side}", (0, 0, 0)), dtype=float)
    quaternion = value(joint.prim, f"physics:localRot{side}", None)
    axes = np.eye(3) if quaternion is None else axes_of(quaternion)
    target = joint.targets[side]
    if target is None or not asset.stage.GetPrimAtPath(target):
        return position, axes
    matrix = asset.matrix(target)
    scales = np.linalg.norm(matrix[:3, :3], axis=1)
    rotation = matrix[:3, :3] / np.where(scales > 0, scales, 1)[:, None]
    return position * scales @ rotation + matrix[3, :3], axes @ rotation


def axes_of(quaternion: Any) -> Doubles:
    """Return the axes that a quaternion turns the axes of space into, as rows of shape (3, 3)."""
    w, (x, y, z) = quaternion.GetReal(), quaternion.GetImaginary()
    size = w * w + x * x + y * y + z * z
    if size == 0:
        return np.eye(3)
    twice = 2 / size
    return np.array(
        [
            [1 - twice * (y * y + z * z), twice * (x * y + w * z), twice * (x * z - w * y)],
            [twice * (x * y - w * z), 1 - twice * (x * x + z * z), twice * (y * z + w * x)],
            [twice * (x * z + w * y), twice * (y * z - w * x), 1 - twice * (x * x + y * y)],
        ]
    )
