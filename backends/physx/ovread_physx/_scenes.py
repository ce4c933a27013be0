"""Whose objects are whose: the physics scene of each native group, on a stage with several.

The engine keeps scenes apart but does not name them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ovread.catalogue import ObjectType
from ovread_physx._authored import scene_owner
from ovread_physx._table import Table

if TYPE_CHECKING:
    from ovread_physx._engine import PhysxEngine

_KEYED_BY = {
    ObjectType.FIXED_TENDON: ObjectType.ARTICULATION_JOINT,
    ObjectType.SPATIAL_TENDON: ObjectType.ARTICULATION_LINK,
    ObjectType.VEHICLE_WHEEL: ObjectType.VEHICLE,
}
"""Types whose rows are prims, or descendants of prims, that another type lists scene by scene."""


def scenes_of(engine: PhysxEngine, object_type: ObjectType, table: Table) -> list[str | None]:
    """Return the path of the physics scene of each group.

    Bodies say whose they are; articulations and joints come in the same order of scenes as the links.
    """
    unknown: list[str | None] = [None] * len(table.scenes)
    if object_type in (ObjectType.RIGID_BODY, ObjectType.ARTICULATION_LINK, ObjectType.CONTACT_SENSOR):
        return _unclaimed([scene_owner(engine, prims) for prims in table.prims_by_group()], engine.scene_paths)
    if object_type is ObjectType.ARTICULATION:
        links = engine.table(ObjectType.ARTICULATION_LINK)
        return _matched(links.scenes, _sizes(links), _sums(articulation_counts(engine, "linkCount"), table)) or unknown
    if object_type is ObjectType.ARTICULATION_JOINT:
        articulations = engine.table(ObjectType.ARTICULATION)
        joints = engine.survey(object_type, ["jointPosition"])
        axes = np.array([sum(group.counts) for group in joints], dtype=np.intp)
        known = _sums(articulation_counts(engine, "dofCount"), articulations)
        return _matched(articulations.scenes, known, axes) or unknown
    if object_type in _KEYED_BY:
        other = engine.table(_KEYED_BY[object_type])
        return [_shared_scene(paths, other) for paths in _paths_by_group(table)]
    return unknown


def articulation_counts(engine: PhysxEngine, name: str) -> npt.NDArray[np.intp]:
    """Return a count of each articulation."""
    groups = engine.survey(ObjectType.ARTICULATION, [name])
    values = [group.values.reshape(-1) for group in groups if group.values is not None]
    return np.concatenate([np.empty(0, dtype=np.intp), *values]).astype(np.intp)


def _unclaimed(owners: list[str | None], scenes: Sequence[str]) -> list[str | None]:
    """Fill in the one scene that nothing names, for the one group that names no scene."""
    left = [path for path in scenes if path not in owners]
    if owners.count(None) == 1 and len(left) == 1:
        owners[owners.index(None)] = left[0]
    return owners


def _matched(
    scenes: Sequence[str | None], known: npt.NDArray[np.intp], sizes: npt.NDArray[np.intp]
) -> list[str | None] | None:
    """Return the scenes of groups of these sizes, if they are those of the known groups that are not empty."""
    occupied = np.flatnonzero(known)
    if not np.array_equal(known[occupied], sizes):
        return None
    return [scenes[int(group)] for group in occupied]


def _shared_scene(paths: Sequence[str], other: Table) -> str | None:
    """Return the scene of the rows of another type that these paths are, or are below of."""
    scene_of_path: dict[str, set[str | None]] = {}
    for path, group in zip(other.paths, other.group_of, strict=True):
        scene_of_path.setdefault(path, set()).add(other.scene_of(int(group)))
    found: set[str | None] = set()
    for path in paths:
        while path and path not in scene_of_path:
            path = path.rpartition("/")[0]
        found |= scene_of_path.get(path, {None})
    return found.pop() if len(found) == 1 else None


def _paths_by_group(table: Table) -> list[list[str]]:
    return [
        [path for path, of in zip(table.paths, table.group_of, strict=True) if of == group]
        for group in range(len(table.scenes))
    ]


def _sizes(table: Table) -> npt.NDArray[np.intp]:
    return np.bincount(table.group_of, minlength=len(table.scenes)).astype(np.intp)


def _sums(counts: npt.NDArray[np.intp], table: Table) -> npt.NDArray[np.intp]:
    return np.bincount(table.group_of, weights=counts, minlength=len(table.scenes)).astype(np.intp)
