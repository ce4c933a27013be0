"""How joints lie in the two bodies that they connect, as the stage says: the engine does not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import attrs
import numpy as np
import numpy.typing as npt

from ovread_physx._authored_joints import read_column

if TYPE_CHECKING:
    from ovread_physx._engine import PhysxEngine

Quaternions = npt.NDArray[np.float64]
"""``(rows, 4)``: x, y, z, w."""

_MIRRORED = (
    "The joint that leads to this link is authored with the link as body0, and one of its bodies has a mirrored "
    "transform: PhysX then gives the force on the other body, in axes that the stage does not tell. Author the link "
    "as body1, or without a negative scale."
)
_BELOW = (
    "The joint that leads to this link is authored with the link as body0, and with a prim below a link as one of its "
    "bodies: PhysX then gives the force on the other body, in axes that the stage does not tell. Name the links "
    "themselves, or author the link as body1."
)
_NO_ROTATION = (
    "The joint that leads to this link is authored with the link as body0 and with a physics:localRot that is no "
    "rotation: PhysX then gives the force on the other body, in axes that are not known."
)


@attrs.frozen
class ReversedJoint:
    """A joint whose body0 is the link that it leads to.

    Args:
        joint: Its path.
        child: Path of that link.
        parent: Path of the link that it comes from.
    """

    joint: str
    child: str
    parent: str


@attrs.frozen(eq=False)
class Frames:
    """The axes of some joints.

    Args:
        in_child: In the axes of the link that each leads to.
        in_parent: In those of the other link.
        problems: Why these are not known, by position.
    """

    in_child: Quaternions
    in_parent: Quaternions
    problems: dict[int, str]


def read_frames(engine: PhysxEngine, joints: Sequence[ReversedJoint]) -> Frames:
    """Read the axes of joints from the stage."""
    paths = [joint.joint for joint in joints]
    sides: list[Quaternions] = []
    problems: dict[int, str] = {}
    mirrored = _mirrored(engine, [body for joint in joints for body in (joint.child, joint.parent)])
    for side in (0, 1):
        axes = np.tile([0.0, 0.0, 0.0, 1.0], (len(joints), 1))
        for position, authored in read_column(engine, paths, f"physics:localRot{side}").items():
            axes[position] = authored
        lengths = np.linalg.norm(axes, axis=1, keepdims=True)
        problems |= dict.fromkeys(np.flatnonzero(~(lengths > 0)).tolist(), _NO_ROTATION)
        sides.append(np.divide(axes, lengths, out=axes, where=lengths > 0))
        targets = read_column(engine, paths, f"physics:body{side}")
        bodies = engine.paths_of([int(targets[position][0]) for position in range(len(joints))])
        for position, (joint, body) in enumerate(zip(joints, bodies, strict=True)):
            if body != (joint.parent if side else joint.child):
                problems[position] = _BELOW
    problems |= {
        position: _MIRRORED
        for position, joint in enumerate(joints)
        if joint.child in mirrored or joint.parent in mirrored
    }
    return Frames(sides[0], sides[1], problems)


def _mirrored(engine: PhysxEngine, paths: Sequence[str]) -> set[str]:
    """Return which prims have a world transform that turns left hands into right ones."""
    prims = list(dict.fromkeys(prim for path in paths for prim in _upwards(path)))
    flips = {
        prims[position]
        for position, matrix in read_column(engine, prims, "omni:xform").items()
        if np.linalg.det(matrix.reshape(4, 4)[:3, :3]) < 0
    }
    if not flips:
        return set()
    resets = {
        prims[position] for position, value in read_column(engine, prims, "omni:resetXformStack").items() if value[0]
    }
    return {path for path in paths if _is_odd(path, flips, resets)}


def _is_odd(path: str, flips: set[str], resets: set[str]) -> bool:
    odd = False
    for prim in _upwards(path):
        odd ^= prim in flips
        if prim in resets:
            break
    return odd


def _upwards(path: str) -> Iterator[str]:
    """Yield a path, and those of the prims above it."""
    while path:
        yield path
        path = path.rpartition("/")[0]
