"""Point instancers among rigid bodies: one row for all instances, with state but no properties.

The engine gives each instancer a group of its own, and refuses properties as soon as an instancer is selected with
bodies. So bodies and instancers are read apart, and the groups of instancers are put together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import attrs
import numpy as np
import numpy.typing as npt

from ovread.backend import Buffer, Column, Diagnostic, Omission, OmissionReason, ReadBinding
from ovread.catalogue import ObjectType
from ovread_physx import _authored, _inspection, _reasons
from ovread_physx._parts import Joined, Part
from ovread_physx._scenes import scenes_of
from ovread_physx._table import Table, table_of

if TYPE_CHECKING:
    from ovread_physx._engine import PhysxEngine

_BODY = ObjectType.RIGID_BODY
_SPLIT = (
    "A point instancer has instances in several physics scenes: PhysX then refuses to read any rigid body of the "
    "stage. Give each scene an instancer of its own."
)

Bind = Callable[[npt.NDArray[np.intp], Sequence[str]], ReadBinding]
"""Prepare a read of some rows and attributes."""


def body_table(engine: PhysxEngine) -> Table:
    """List bodies, then point instancers."""
    try:
        groups = engine.survey(_BODY, ["position"])
    except RuntimeError:
        if not _authored.prims_of_type(engine, "PointInstancer") or len(engine.scene_paths) <= 1:
            raise
        return _unreadable(engine)
    bodies = [group for group in groups if group.attribute == "position"]
    prims = [prim for group in bodies for prim in group.prims]
    table = table_of(engine.path_strings(prims), prims, [len(group.prims) for group in bodies])
    if len(engine.scene_paths) > 1:
        table = attrs.evolve(table, scenes=scenes_of(engine, _BODY, table))
    return _with_instancers(engine, table, [prim for group in groups if group not in bodies for prim in group.prims])


def _unreadable(engine: PhysxEngine) -> Table:
    """List the authored bodies and instancers that the engine counts, but does not read."""
    bodies = _authored.prims_with_schema(engine, "PhysicsRigidBodyAPI")
    prims = _inspection.members(engine, _BODY, [*bodies, *_authored.prims_of_type(engine, "PointInstancer")])
    return attrs.evolve(table_of(engine.path_strings(prims), prims, [len(prims)]), fault=_SPLIT)


def _with_instancers(engine: PhysxEngine, bodies: Table, prims: Sequence[int]) -> Table:
    if not prims:
        return bodies
    scenes = list(bodies.scenes)
    groups = list(bodies.group_of)
    paths = engine.path_strings(prims)
    for scene in _owners(engine, paths):
        if scene not in scenes:
            scenes.append(scene)
        groups.append(scenes.index(scene))
    first = len(bodies.paths)
    return Table(
        [*bodies.paths, *paths],
        [*bodies.prims, *prims],
        np.array(groups, dtype=np.intp),
        scenes,
        frozenset(range(first, first + len(prims))),
    )


def _owners(engine: PhysxEngine, paths: Sequence[str]) -> list[str | None]:
    """Return the physics scene of each point instancer, from the prototypes below it; None where there is one scene.

    The stage names other prims as its prototypes, copies that say nothing of physics.
    """
    if len(engine.scene_paths) <= 1:
        return [None] * len(paths)
    prims = _authored.prims_with_schema(engine, "PhysicsRigidBodyAPI")
    bodies = dict(zip(engine.path_strings(prims), prims, strict=True))
    below = [[prim for body, prim in bodies.items() if body.startswith(f"{path}/")] for path in paths]
    return [_authored.scene_owner(engine, found) for found in below]


def find_holes(engine: PhysxEngine) -> list[Diagnostic]:
    """Say which slots of point instancers are no rigid bodies: they read zeros, or are not there at the end."""
    table = engine.table(_BODY)
    prims = [table.prims[row] for row in sorted(table.instancers)]
    if table.fault:
        return [Diagnostic("", "instancer-in-several-scenes", table.fault)]
    found = []
    for group in _inspection.inspect(engine, _BODY, ["orientation"], prims) if prims else ():
        for prim, values in zip(group.prims, group.values, strict=True):
            slots = max(len(values), len(_authored.values(engine, [prim], "protoIndices")))
            holes = [*np.flatnonzero(~values.any(axis=1)).tolist(), *range(len(values), slots)]
            if holes:
                path = engine.path_strings([prim])[0]
                found.append(Diagnostic(path, "instancer-holes", _holes(holes, slots, len(values))))
    return found


def _holes(holes: Sequence[int], slots: int, given: int) -> str:
    some = ", ".join(map(str, holes[:8])) + (", ..." if len(holes) > 8 else "")
    missing = f"; slots from {given} on are left out" if given < slots else ""
    return (
        f"{len(holes)} of {slots} instances are no rigid bodies (slots {some}): they read zeros, a quaternion of zeros "
        f"included, which no body has{missing}."
    )


def bind_bodies(table: Table, rows: npt.NDArray[np.intp], names: Sequence[str], bind: Bind) -> ReadBinding:
    """Prepare a read of bodies and point instancers, each of what it has."""
    if table.fault:
        return Joined([], [Omission(name, OmissionReason.UNSUPPORTED_CONFIGURATION, table.fault) for name in names])
    if not table.instancers and not any(map(_reasons.is_of_instances, names)):
        return bind(rows, names)
    omissions: list[Omission] = []
    is_instancer = np.array([int(row) in table.instancers for row in rows], dtype=bool)
    parts = []
    for chosen, of_instances, why in (
        (~is_instancer, False, _reasons.why_not_a_body),
        (is_instancer, True, _reasons.why_no_instancer),
    ):
        wanted = [name for name in names if _reasons.is_of_instances(name) is of_instances]
        if chosen.any() and wanted:
            binding = bind(rows[chosen], wanted)
            parts.append(Part(_Merged(binding) if of_instances else binding, np.flatnonzero(chosen)))
        if not chosen.all():
            others = () if not chosen.any() else tuple(table.paths[row] for row in rows[~chosen])
            omissions += [
                Omission(name, OmissionReason.UNSUPPORTED_CONFIGURATION, why(name), others) for name in wanted
            ]
    return Joined(parts, omissions)


class _Merged:
    """A binding whose columns of one attribute and scene are put together: one instancer after the other."""

    def __init__(self, binding: ReadBinding) -> None:
        self._binding = binding
        self.omissions = binding.omissions
        places: dict[tuple[str, str | None], list[int]] = {}
        for index, column in enumerate(binding.columns):
            places.setdefault((column.attribute, column.scene), []).append(index)
        self._places = [
            sorted(found, key=lambda index: int(binding.columns[index].rows[0])) for found in places.values()
        ]
        self.columns: Sequence[Column] = [self._merge([binding.columns[index] for index in p]) for p in self._places]
        self._buffers: Sequence[Buffer] = ()
        self._pieces: list[Buffer] = []

    @staticmethod
    def _merge(columns: Sequence[Column]) -> Column:
        counts = [column.counts for column in columns if column.counts is not None]
        rows = np.concatenate([column.rows for column in columns])
        return attrs.evolve(columns[0], rows=rows, counts=np.concatenate(counts))

    def fetch(self, buffers: Sequence[Buffer]) -> None:
        """Let the binding fill its pieces of the buffers."""
        if len(buffers) != len(self._buffers) or any(a is not b for a, b in zip(buffers, self._buffers, strict=True)):
            self._cut(buffers)
        for piece in self._pieces:
            piece.omission = None
        self._binding.fetch(self._pieces)
        for buffer, places in zip(buffers, self._places, strict=True):
            buffer.omission = self._pieces[places[0]].omission

    def _cut(self, buffers: Sequence[Buffer]) -> None:
        pieces: dict[int, Buffer] = {}
        for buffer, places in zip(buffers, self._places, strict=True):
            start = 0
            for index in places:
                counts = self._binding.columns[index].counts
                end = start + int(counts.sum() if counts is not None else 0)
                host = None if buffer.host is None else buffer.host[start:end]
                pieces[index] = Buffer(buffer.row, buffer.array[start:end], host)
                start = end
        self._buffers = tuple(buffers)
        self._pieces = [pieces[index] for index in range(len(pieces))]

    def close(self) -> None:
        """Close the binding."""
        self._binding.close()
