"""Which objects moved in the last step."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ovread.catalogue import ObjectType
from ovread_physx._inspection import Inspected, count, inspect
from ovread_physx._table import Table

if TYPE_CHECKING:
    from ovread_physx._engine import PhysxEngine

_NAMED_BY = {
    ObjectType.RIGID_BODY: "position",
    ObjectType.ARTICULATION_LINK: "position",
    ObjectType.ARTICULATION: "rootPosition",
    ObjectType.VEHICLE_WHEEL: "position",
    ObjectType.DEFORMABLE_VOLUME: "points",
    ObjectType.DEFORMABLE_SURFACE: "points",
}
"""Types that the engine tells active objects of, with the attribute that names them."""

Rows = npt.NDArray[np.intp]


def active_rows(engine: PhysxEngine, object_type: ObjectType) -> Rows | None:
    """Return the rows of the active objects of a type; of all its objects where it has no such notion.

    None where it is not known which they are.
    """
    table = engine.table(object_type)
    if object_type not in (*_NAMED_BY, ObjectType.VEHICLE, ObjectType.CHARACTER_CONTROLLER):
        return np.arange(len(table.paths))
    total = count(engine, object_type, active=True)
    if not total or not len(table.paths):
        return np.empty(0, dtype=np.intp)
    if object_type is ObjectType.VEHICLE:
        chassis = active_rows(engine, ObjectType.RIGID_BODY)
        moving = engine.table(ObjectType.RIGID_BODY).prims
        return None if chassis is None else _rows_of(table, {moving[row] for row in chassis})
    if object_type is ObjectType.CHARACTER_CONTROLLER:
        # Active ones are counted, but neither they nor their actors, which are kinematic, are named.
        return np.arange(len(table.paths)) if total == len(table.paths) else None
    if table.fault:
        return None
    return _matched(table, inspect(engine, object_type, [_NAMED_BY[object_type]], active=True))


def _rows_of(table: Table, prims: set[int]) -> Rows:
    return np.array([row for row, prim in enumerate(table.prims) if prim in prims], dtype=np.intp)


def _matched(table: Table, groups: list[Inspected]) -> Rows | None:
    """Return the rows that groups name; a path of several rows is theirs where one physics scene fits alone."""
    given = Counter(prim for group in groups for prim in group.prims)
    rows: set[int] = set()
    for group in groups:
        in_group = Counter(group.prims)
        if all(given[prim] == len(table.rows_of.get(prim, ())) for prim in in_group):
            rows.update(row for prim in in_group for row in table.rows_of[prim])
            continue
        scenes = [scene for scene in range(len(table.scenes)) if _holds(table, scene, in_group)]
        if len(scenes) != 1:
            return None
        rows.update(row for prim in in_group for row in table.rows_of[prim] if table.group_of[row] == scenes[0])
    return np.array(sorted(rows), dtype=np.intp)


def _holds(table: Table, scene: int, prims: Counter[int]) -> bool:
    """Whether a physics scene has as many rows of each path as a group: then the group can be of it, and complete."""
    return all(
        sum(table.group_of[row] == scene for row in table.rows_of.get(prim, ())) == number
        for prim, number in prims.items()
    )
