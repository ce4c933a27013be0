"""Which objects a scene has: paths, physics scenes, and what belongs to an articulation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import attrs
import numpy as np
import numpy.typing as npt

from ovread.backend import Objects
from ovread.catalogue import ObjectType
from ovread_physx import _authored, _inspection
from ovread_physx._instancers import body_table
from ovread_physx._logging import log
from ovread_physx._pending import connected_members
from ovread_physx._scenes import articulation_counts, scenes_of
from ovread_physx._support import ON_CUDA_ONLY, POINTERS_ONLY
from ovread_physx._table import Table, table_of

if TYPE_CHECKING:
    from ovread_physx._engine import PhysxEngine

_NAMING_ATTRIBUTE = {
    # Joints without degrees of freedom have no joint state; only their `physxPointer` would list them. They are left
    # out, as other engines do not list them either.
    ObjectType.ARTICULATION_JOINT: "jointPosition",
    ObjectType.ARTICULATION_LINK: "position",
    ObjectType.ARTICULATION: "rootPosition",
    ObjectType.VEHICLE_WHEEL: "position",
    ObjectType.FIXED_TENDON: "tendonStiffness",
    ObjectType.SPATIAL_TENDON: "tendonStiffness",
    ObjectType.DEFORMABLE_VOLUME: "points",
    ObjectType.DEFORMABLE_SURFACE: "points",
    ObjectType.DEFORMABLE_MATERIAL: "deformableDynamicFriction",
    ObjectType.PARTICLE_SET: "points",
    ObjectType.CONTACT_SENSOR: "netNormalContactForce",
    **dict.fromkeys(POINTERS_ONLY, "physxPointer"),
}
"""The attribute whose groups name the objects of a type."""


_NAMED_BY = {
    # A raw vehicle has no controls, and other attributes are those of some vehicles only; a vehicle is a body too.
    ObjectType.VEHICLE: ObjectType.RIGID_BODY,
    # Its actor is a kinematic body.
    ObjectType.CHARACTER_CONTROLLER: ObjectType.RIGID_BODY,
    ObjectType.SDF_SHAPE: ObjectType.SHAPE,
}
"""Types that no attribute names completely; their objects are objects of another type."""


def make_table(engine: PhysxEngine, object_type: ObjectType) -> Table:
    """Ask the engine for all objects of a type."""
    if engine.device == "cpu" and object_type in ON_CUDA_ONLY:
        return Table()
    if object_type is ObjectType.DEBUG_RENDER:
        return table_of(["/"], [0], [1])  # It is the instance's, so the engine names no prim.
    if object_type is ObjectType.RIGID_BODY:
        return body_table(engine)
    if object_type in _NAMED_BY:
        return _subset(engine, object_type, engine.refreshed_table(_NAMED_BY[object_type]))
    name = _NAMING_ATTRIBUTE.get(object_type)
    if name is None:
        return Table()
    groups = [group for group in engine.survey(object_type, [name]) if group.attribute == name]
    prims = [prim for group in groups for prim in group.prims]
    if object_type is ObjectType.SCENE and not _authored.is_authored(engine, prims):
        return Table()  # The engine made a scene of its own, at a path that is on no stage.
    table = table_of(engine.path_strings(prims), prims, [len(group.prims) for group in groups])
    if object_type is ObjectType.SCENE or len(engine.scene_paths) <= 1 or not prims:
        return table
    return attrs.evolve(table, scenes=scenes_of(engine, object_type, table))


def _subset(engine: PhysxEngine, object_type: ObjectType, others: Table) -> Table:
    """Return the objects of a type, which are some of another type."""
    total = _inspection.count(engine, object_type)
    if not total:
        return Table()
    found = _inspection.members(engine, object_type, list(others.rows_of))
    if len(found) < total:
        log.warning("PhysX has %d objects of type %s, but names only %d", total, object_type.name, len(found))
    return others.only(found)


def list_objects(engine: PhysxEngine, object_type: ObjectType) -> Objects:
    """List the objects of a type for the core, in the order that its numbers of rows stand for."""
    table = engine.refreshed_table(object_type)
    rows = engine.listed_rows(object_type)
    scenes = [table.scenes[table.group_of[row]] for row in rows] if any(table.scenes) else None
    members = (lambda: _listed_members(engine)) if object_type is ObjectType.ARTICULATION else None
    return Objects([table.paths[row] for row in rows], scenes, members)


def _listed_members(engine: PhysxEngine) -> list[list[str]]:
    members = articulation_members(engine)
    rows = engine.listed_rows(ObjectType.ARTICULATION)
    return [members[row] if row < len(members) else [] for row in rows]


def articulation_members(engine: PhysxEngine) -> list[list[str]]:
    """Return the paths of the links and joints of each articulation.

    Links and joints are listed articulation by articulation, so counts tell where one ends. A native query by the path
    of a member answers the same for one member at a time, at 0.1 ms each.
    """
    table = engine.table(ObjectType.ARTICULATION)
    links = engine.table(ObjectType.ARTICULATION_LINK).paths
    if engine.awaits_step(ObjectType.ARTICULATION):
        return connected_members(engine, table.paths)
    counts = articulation_counts(engine, "linkCount")
    if engine.device != "cpu":
        links = links[: counts.sum()]  # What was listed before the first step and is no longer named comes last.
    members = [list(run) for run in _runs(links, counts, "links")]
    order = _creation_order(engine, table)
    if order is not None:
        groups = engine.survey(ObjectType.ARTICULATION_JOINT, ["physxPointer"])
        joints = engine.path_strings([prim for group in groups for prim in group.prims])
        counts = articulation_counts(engine, "jointCount")[order]
        for row, run in zip(order, _runs(joints, counts, "joints"), strict=True):
            members[row].extend(run)
    return members


def _creation_order(engine: PhysxEngine, table: Table) -> list[int] | None:
    """Return the articulations in the order in which their joints are listed, where scenes are not kept apart.

    None where that is not known: several scenes, and articulations that share a path.
    """
    if len(table.scenes) <= 1:
        return list(range(len(table.paths)))
    if len(table.rows_of) < len(table.paths):
        return None
    groups = engine.survey(ObjectType.ARTICULATION, ["physxPointer"])
    return [table.rows_of[prim][0] for group in groups for prim in group.prims]


def _runs(paths: Sequence[str], counts: npt.NDArray[np.intp], what: str) -> Iterator[Sequence[str]]:
    if counts.sum() != len(paths):
        raise RuntimeError(f"PhysX lists {len(paths)} {what}, but its articulations have {counts.sum()} together")
    ends = np.cumsum(counts)
    for start, end in zip(ends - counts, ends, strict=True):
        yield paths[start:end]
