"""What the stage says of joints and the engine does not: the bodies that they connect, and the axes they leave free."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
import numpy.typing as npt

from ovread.stage import sealed_ordinal

if TYPE_CHECKING:
    from ovread_physx._engine import PhysxEngine

_AXES_OF = {
    "PhysicsRevoluteJoint": ("twist",),
    "PhysicsPrismaticJoint": ("x",),
    "PhysicsSphericalJoint": ("twist", "swing1", "swing2"),
}
_ROTATIONS = {"rotX": "twist", "rotY": "swing1", "rotZ": "swing2"}
"""Axes of a ``PhysicsJoint``. Within an articulation PhysX locks its translations, authored so or not."""


@attrs.frozen
class AuthoredJoint:
    """A joint prim.

    Args:
        bodies: Paths that ``physics:body0`` and ``physics:body1`` name, empty where there is none.
        axes: Names of the axes that it leaves free, in PxArticulationAxis order; empty where they are not known.
    """

    bodies: tuple[str, str] = ("", "")
    axes: tuple[str, ...] = ()

    def axis(self, ordinal: int, count: int) -> str:
        """Return the name of one of the ``count`` degrees of freedom that the engine gives the joint.

        A joint that is authored with another number of free axes has its axes named by their number alone.
        """
        return self.axes[ordinal] if len(self.axes) == count else f"axis{ordinal}"


def read_joints(engine: PhysxEngine, paths: Sequence[str], known: Mapping[int, str]) -> list[AuthoredJoint]:
    """Read joint prims from the stage; one that is not there has no bodies and no axes.

    Args:
        engine: The engine.
        paths: The joints.
        known: Paths of bodies by their handles, those that are likely named; others are looked up.
    """
    sides = [read_column(engine, paths, f"physics:body{side}") for side in (0, 1)]
    named = {int(targets[0]) for side in sides for targets in side.values() if len(targets)}
    unknown = list(named - known.keys())
    path_of = {0: "", **known, **dict(zip(unknown, engine.path_strings(unknown), strict=True))}

    def body(side: int, position: int) -> str:
        targets = sides[side].get(position)
        return path_of[int(targets[0])] if targets is not None and len(targets) else ""

    kind_of = {position: str(kind[0]) for position, kind in read_tokens(engine, paths, "usd-prim-type").items()}
    free = [position for position, kind in kind_of.items() if kind == "PhysicsJoint"]
    axes = dict(zip(free, _unlocked(engine, [paths[position] for position in free]), strict=True))
    return [
        AuthoredJoint(
            (body(0, position), body(1, position)), axes.get(position, _AXES_OF.get(kind_of.get(position, ""), ()))
        )
        for position in range(len(paths))
    ]


def read_axes(engine: PhysxEngine, kind: str, paths: Sequence[str]) -> dict[int, str]:
    """Return the authored axis, ``X``, ``Y`` or ``Z``, of joints of one prim type by their position."""
    kinds = read_tokens(engine, paths, "usd-prim-type")
    found = [position for position, known in kinds.items() if known[0] == kind]
    axes = read_tokens(engine, [paths[position] for position in found], "physics:axis")
    return {found[position]: axis[0] for position, axis in axes.items()}


def _unlocked(engine: PhysxEngine, paths: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the rotations that each ``PhysicsJoint`` leaves free: a lower limit above the upper one locks an axis."""
    schemas = read_tokens(engine, paths, "usd-schemas")
    locked: list[set[str]] = [set() for _ in paths]
    for rotation in _ROTATIONS:
        low, high = (read_column(engine, paths, f"limit:{rotation}:physics:{end}") for end in ("low", "high"))
        for position in low.keys() & high.keys():
            if f"PhysicsLimitAPI:{rotation}" in schemas.get(position, ()) and low[position][0] > high[position][0]:
                locked[position].add(rotation)
    return [tuple(name for rotation, name in _ROTATIONS.items() if rotation not in each) for each in locked]


def read_tokens(engine: PhysxEngine, paths: Sequence[str], name: str) -> dict[int, list[str]]:
    """Return the tokens of an attribute by the position of the prim, of those prims that have any."""
    columns = read_column(engine, paths, name)
    handles = {int(handle) for column in columns.values() for handle in column}
    token_of = {handle: engine.dictionary.token_to_string(handle) for handle in handles}
    return {
        position: [token_of[int(handle)] for handle in column] for position, column in columns.items() if len(column)
    }


def read_column(engine: PhysxEngine, paths: Sequence[str], name: str) -> dict[int, npt.NDArray[Any]]:
    """Return the values of an attribute by the position of the prim, of those prims that have it."""
    import ovstage

    values: dict[int, npt.NDArray[Any]] = {}
    if not paths:
        return values
    with (
        engine.dictionary.create_path_list_from_strings(list(paths)) as prims,
        engine.stage.query_from_path_list(prims) as query,
        engine.stage.read_attributes(
            query, [engine.dictionary.intern_token(name)], ovstage.OrdinalRange.latest(sealed_ordinal(engine.stage))
        ) as read,
    ):
        read.wait()
        for group in read.groups():
            with group:
                for row in range(group.prim_count if group.tensor_count else 0):
                    data = group.data_row_index(row)
                    found = group.array(data) if group.is_array else group.array(0)[data]
                    values[group.prim_index(row)] = np.array(found).reshape(-1)
    return values
