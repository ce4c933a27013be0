"""Which elements of a column fill which of the groups that the engine offers for a write.

The groups are those of a read, without what cannot be written, and so is the plan (:mod:`ovread_physx._layout`), turned
round: a group is published as a whole, so all of it must be filled, or the query must select less.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
import numpy.typing as npt

from ovread.backend import Column
from ovread.catalogue import Layout, ObjectType, attribute
from ovread_physx._layout import SHAPE_COUNT, GroupPlan, ReadPlan, elements_of, plan_read
from ovread_physx._reasons import native_name
from ovread_physx._sources import open_source
from ovread_physx._write_sources import Filling, WriteSource, WriteTarget

if TYPE_CHECKING:
    from ovread_physx._engine import PhysxEngine

Indices = npt.NDArray[np.intp]

_ARRAYS = (Layout.PER_DOF, Layout.ARRAY)


class PartlyFilledError(Exception):
    """A group has objects beside those that are to be written."""


@attrs.frozen(eq=False)
class Publication:
    """How some rows of a column are published.

    Args:
        source: The native query of these rows.
        name: Name by which the engine is asked.
        targets: What fills each group that it offers; empty where there is nothing to fill.
    """

    source: WriteSource
    name: str
    targets: Sequence[WriteTarget]

    def publish(self, values: npt.NDArray[Any]) -> None:
        """Publish these rows of the values of the whole column."""
        if self.targets:
            self.source.publish(self.name, self.targets, np.ascontiguousarray(values))


def plan_write(engine: PhysxEngine, object_type: ObjectType, source: WriteSource, name: str, rows: Indices) -> ReadPlan:
    """Plan the write of one attribute to the objects ``rows``, which are those that the source selects."""
    layout = attribute(object_type, name).layout
    native = native_name(object_type, name)
    groups = [attrs.evolve(group, attribute=name, is_array=layout in _ARRAYS) for group in source.survey([native])]
    table = engine.table(object_type)
    if layout is Layout.PER_SHAPE:
        counts = open_source(engine, object_type, list(dict.fromkeys(table.prims[row] for row in rows)))
        try:
            groups += counts.survey([SHAPE_COUNT])[0]
        finally:
            counts.close()
    return plan_read(object_type, table, rows, [name], groups, {})


def publish_from(
    plan: ReadPlan, source: WriteSource, object_type: ObjectType, column: Column, row_of: Indices
) -> Publication:
    """Say how the values of a column are published to the objects of a plan.

    Args:
        plan: A plan of one attribute.
        source: The query that it is a plan of.
        object_type: Type of the objects.
        column: The column that holds the values.
        row_of: Row of that column for each position of the plan; -1 for positions that are left as they are.

    Raises:
        PartlyFilledError: A group of the engine has other objects too.
    """
    targets = [WriteTarget(group, _filling(plan, group, column, row_of)) for group in plan.groups]
    name = native_name(object_type, column.attribute)
    return Publication(source, name, targets if any(target.filling for target in targets) else ())


def _filling(plan: ReadPlan, group: GroupPlan, column: Column, row_of: Indices) -> Filling | None:
    copies = [copy for copy in group.copies if row_of[plan.columns[copy.column].rows[0]] >= 0]
    if not copies:
        return None
    rows = row_of[plan.columns[copies[0].column].rows]
    if len(copies) > 1 or len(rows) != len(group.prims):
        raise PartlyFilledError
    index, elements = copies[0].index, elements_of(rows, column.counts)
    if index is not None and not group.is_padded:
        gathered = np.empty_like(elements)
        gathered[index] = elements
        elements, index = gathered, None
    size = len(column.rows) if column.counts is None else int(column.counts.sum())
    same = index is None and len(elements) == size and bool((elements == np.arange(size)).all())
    return Filling(None if same else elements, index)
