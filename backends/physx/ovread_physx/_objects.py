"""Which objects a scene has: paths, physics scenes, and what belongs to an articulation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import attrs
import numpy as np
import numpy.typing as npt

from ovread.backend import Objects
from ovread.catalogue import ObjectType

if TYPE_CHECKING:
    from ovread_physx._engine import PhysxEngine

_NAMING_ATTRIBUTE = {
    # Fixed groups of `position` leave out the instances of point instancers, which are not prims.
    ObjectType.RIGID_BODY: "position",
    # Joints without degrees of freedom have no joint state; only their `physxPointer` would list them. They are left
    # out, as other engines do not list them either.
    ObjectType.ARTICULATION_JOINT: "jointPosition",
    ObjectType.ARTICULATION_LINK: "position",
    ObjectType.ARTICULATION: "rootPosition",
    ObjectType.VEHICLE_WHEEL: "position",
    ObjectType.VEHICLE: "accelerator",
    ObjectType.FIXED_TENDON: "tendonStiffness",
    ObjectType.SPATIAL_TENDON: "tendonStiffness",
    ObjectType.DEFORMABLE_VOLUME: "points",
    ObjectType.DEFORMABLE_SURFACE: "points",
    ObjectType.DEFORMABLE_MATERIAL: "deformableDynamicFriction",
    ObjectType.PARTICLE_SET: "points",
    ObjectType.CONTACT_SENSOR: "netNormalContactForce",
    ObjectType.SCENE: "physxPointer",
    ObjectType.PHYSX_MATERIAL: "physxPointer",
    ObjectType.SHAPE: "physxPointer",
    ObjectType.COMPOUND_SHAPE: "physxPointer",
    ObjectType.RIGID_ACTOR: "physxPointer",
    ObjectType.JOINT: "physxPointer",
    ObjectType.CUSTOM_JOINT: "physxPointer",
    ObjectType.PARTICLE_SYSTEM: "physxPointer",
    ObjectType.PHYSICS: "physxPointer",
}
"""The attribute whose groups name the objects of a type. Character controllers and SDF shapes have none."""


@attrs.frozen(eq=False)
class Table:
    """All objects of a type, in native order.

    Args:
        paths: Prim path of each row.
        prims: Interned path of each row.
        group_of: Number of the native group of each row: one per physics scene.
        scenes: Path of the physics scene of each group; None where there is one scene, or it is not known.
    """

    paths: Sequence[str] = ()
    prims: Sequence[int] = ()
    group_of: npt.NDArray[np.intp] = attrs.field(factory=lambda: np.empty(0, dtype=np.intp))
    scenes: Sequence[str | None] = ()
    rows_of: dict[int, list[int]] = attrs.field(init=False, factory=dict)

    def __attrs_post_init__(self) -> None:
        for row, prim in enumerate(self.prims):
            self.rows_of.setdefault(prim, []).append(row)

    def scene_of(self, group: int) -> str | None:
        """Return the path of the physics scene of a group."""
        return self.scenes[group]


def make_table(engine: PhysxEngine, object_type: ObjectType) -> Table:
    """Ask the engine for all objects of a type."""
    name = _NAMING_ATTRIBUTE.get(object_type)
    if name is None:
        return Table()
    groups = [group for group in engine.survey(object_type, [name]) if group.attribute == name]
    prims = [prim for group in groups for prim in group.prims]
    sizes = [len(group.prims) for group in groups]
    if object_type is ObjectType.SCENE and not engine.is_authored(prims):
        return Table()  # The engine made a scene of its own, at a path that is on no stage.
    paths = engine.path_strings(prims)
    table = Table(paths, prims, np.repeat(np.arange(len(groups)), sizes), [None] * len(groups))
    if object_type is ObjectType.SCENE or len(engine.scene_paths) <= 1:
        return table
    return attrs.evolve(table, scenes=_scenes_of(engine, object_type, table))


def list_objects(engine: PhysxEngine, object_type: ObjectType) -> Objects:
    """List the objects of a type for the core."""
    table = engine.refreshed_table(object_type)
    scenes = [table.scenes[group] for group in table.group_of] if any(table.scenes) else None
    members = (lambda: articulation_members(engine)) if object_type is ObjectType.ARTICULATION else None
    return Objects(table.paths, scenes, members)


def articulation_members(engine: PhysxEngine) -> list[list[str]]:
    """Return the paths of the links and joints of each articulation.

    Links and joints are listed articulation by articulation, so counts tell where one ends. A native query by the path
    of a member answers the same for one member at a time, at 0.1 ms each.
    """
    table = engine.table(ObjectType.ARTICULATION)
    links = engine.table(ObjectType.ARTICULATION_LINK).paths
    members = [list(run) for run in _runs(links, _counts(engine, "linkCount"), "links")]
    order = _creation_order(engine, table)
    if order is not None:
        groups = engine.survey(ObjectType.ARTICULATION_JOINT, ["physxPointer"])
        joints = engine.path_strings([prim for group in groups for prim in group.prims])
        counts = _counts(engine, "jointCount")[order]
        for row, run in zip(order, _runs(joints, counts, "joints"), strict=True):
            members[row].extend(run)
    return members


def _counts(engine: PhysxEngine, name: str) -> npt.NDArray[np.intp]:
    """Return a count of each articulation."""
    groups = engine.survey(ObjectType.ARTICULATION, [name])
    values = [group.values.reshape(-1) for group in groups if group.values is not None]
    return np.concatenate([np.empty(0, dtype=np.intp), *values]).astype(np.intp)


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


def _scenes_of(engine: PhysxEngine, object_type: ObjectType, table: Table) -> list[str | None]:
    """Return the path of the physics scene of each group of a stage with several scenes.

    The engine keeps scenes apart but does not name them. Bodies say whose they are; articulations and joints come in
    the same order of scenes as the links.
    """
    unknown: list[str | None] = [None] * len(table.scenes)
    if object_type in (ObjectType.RIGID_BODY, ObjectType.ARTICULATION_LINK):
        owners = [engine.scene_owner(prims) for prims in _by_group(table)]
        unclaimed = [path for path in engine.scene_paths if path not in owners]
        if owners.count(None) == 1 and len(unclaimed) == 1:
            owners[owners.index(None)] = unclaimed[0]
        return owners
    if object_type is ObjectType.ARTICULATION:
        links = engine.table(ObjectType.ARTICULATION_LINK)
        return _matched(links.scenes, _sizes(links), _sums(_counts(engine, "linkCount"), table)) or unknown
    if object_type is ObjectType.ARTICULATION_JOINT:
        articulations = engine.table(ObjectType.ARTICULATION)
        joints = engine.survey(object_type, ["jointPosition"])
        axes = np.array([sum(group.counts) for group in joints], dtype=np.intp)
        return _matched(articulations.scenes, _sums(_counts(engine, "dofCount"), articulations), axes) or unknown
    return unknown


def _matched(
    scenes: Sequence[str | None], known: npt.NDArray[np.intp], sizes: npt.NDArray[np.intp]
) -> list[str | None] | None:
    """Return the scenes of groups of these sizes, if they are those of the known groups that are not empty."""
    occupied = np.flatnonzero(known)
    if not np.array_equal(known[occupied], sizes):
        return None
    return [scenes[int(group)] for group in occupied]


def _by_group(table: Table) -> list[list[int]]:
    prims = np.asarray(table.prims, dtype=np.uint64)
    return [prims[table.group_of == group].tolist() for group in range(len(table.scenes))]


def _sizes(table: Table) -> npt.NDArray[np.intp]:
    return np.bincount(table.group_of, minlength=len(table.scenes)).astype(np.intp)


def _sums(counts: npt.NDArray[np.intp], table: Table) -> npt.NDArray[np.intp]:
    return np.bincount(table.group_of, weights=counts, minlength=len(table.scenes)).astype(np.intp)
