"""Which of the engine's groups fill which columns, worked out once when a read is prepared.

The engine answers a read with groups: one attribute, the prims of one physics scene (or, for some attributes, of all),
in its own order. A column wants the rows of the request, in the order of the request, without padding. The plan of a
group says how its elements become those of its columns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import attrs
import numpy as np
import numpy.typing as npt

from ovread.backend import Column, Omission, OmissionReason
from ovread.catalogue import Attribute, Layout, ObjectType, attribute
from ovread_physx._reasons import native_name, why_missing
from ovread_physx._table import Table

SHAPE_COUNT = "shapeCount"
DOF_COUNT = "dofCount"
PER_ARTICULATION_DOF = ("dofJointPath", "dofAxisIndex")
"""Attributes of an articulation that the engine gives as rows, padded to the longest, and not as arrays."""

_REASONS = (
    (4, OmissionReason.NOT_READY, "PhysX has no value yet: step, then make a new query."),
    (1, OmissionReason.UNSUPPORTED_ATTRIBUTE, "PhysX does not have this attribute."),
)


@attrs.frozen(eq=False)
class RawGroup:
    """One group of a read, as the engine gave it.

    Args:
        attribute: Name of the attribute.
        prims: Interned path of each row.
        counts: Elements of each tensor: one tensor of all rows, or for array attributes one per prim.
        lanes: Components of an element.
        is_array: Whether it is an array attribute.
        values: The elements, for attributes that planning needs the values of.
        orders: For padded rows, the elements of each in canonical order.
    """

    attribute: str
    prims: Sequence[int]
    counts: Sequence[int]
    lanes: int
    is_array: bool
    values: npt.NDArray[np.int32] | None = None
    orders: Sequence[npt.NDArray[np.intp]] | None = None


@attrs.frozen(eq=False)
class Copy:
    """Fill one column from a group.

    Args:
        column: Position of the column.
        index: Element of the group for each element of the column; None where they are the same.
    """

    column: int
    index: npt.NDArray[np.intp] | None


@attrs.frozen(eq=False)
class GroupPlan:
    """What a group must look like at each read, and what to fill from it.

    Args:
        attribute: Name of the attribute.
        row: Its catalogue row; None for a group that no column wants.
        prims: Interned path of each row.
        counts: Elements of each tensor.
        lanes: Components of an element, as the engine stores them.
        copies: What to fill.
        is_padded: Whether its rows are elements side by side, filled up to the longest row.
    """

    attribute: str
    row: Attribute | None
    prims: Sequence[int]
    counts: Sequence[int]
    lanes: int
    copies: Sequence[Copy]
    is_padded: bool = False


@attrs.define(eq=False)
class ReadPlan:
    """What a prepared read delivers, and how."""

    columns: list[Column] = attrs.field(factory=list)
    omissions: list[Omission] = attrs.field(factory=list)
    groups: list[GroupPlan] = attrs.field(factory=list)
    served: list[str] = attrs.field(factory=list)
    """Names by which the engine is asked, each once."""


def plan_read(
    object_type: ObjectType,
    table: Table,
    rows: npt.NDArray[np.intp],
    names: Sequence[str],
    groups: Sequence[RawGroup],
    reasons: dict[str, int],
) -> ReadPlan:
    """Work out the columns of a read.

    Args:
        object_type: Type of the objects.
        table: All objects of the type.
        rows: The requested rows, as indices into ``table``.
        names: The requested attributes.
        groups: What the engine answered; with :data:`SHAPE_COUNT` where a per-shape attribute is requested, and
            :data:`DOF_COUNT` where one of :data:`PER_ARTICULATION_DOF` is.
        reasons: The engine's bits for what it left out, by the name that it was asked for.
    """
    planner = _Planner(object_type, table, rows, groups)
    for name in names:
        planner.add(name, reasons.get(native_name(object_type, name), 0))
    planner.add_groups(groups)
    return planner.plan


class _Planner:
    def __init__(
        self, object_type: ObjectType, table: Table, rows: npt.NDArray[np.intp], groups: Sequence[RawGroup]
    ) -> None:
        self.plan = ReadPlan()
        self._object_type = object_type
        self._table = table
        self._rows = rows
        self._positions = np.full(len(table.paths), -1, dtype=np.intp)
        self._positions[rows] = np.arange(len(rows))
        self._by_attribute: dict[str, list[RawGroup]] = {}
        for group in groups:
            self._by_attribute.setdefault(group.attribute, []).append(group)
        self._copies: dict[int, list[Copy]] = {}
        self._shape_counts = self._read_counts(SHAPE_COUNT)
        self._dof_counts = self._read_counts(DOF_COUNT)

    def add(self, name: str, reason: int) -> None:
        """Plan one attribute."""
        row = attribute(self._object_type, name)
        covered = np.zeros(len(self._rows), dtype=bool)
        for group, found in self._located(name):
            positions = np.where(found >= 0, self._positions[found], -1)
            for scene in np.unique(self._table.group_of[found[positions >= 0]]):
                inside = (positions >= 0) & (self._table.group_of[found] == scene)
                elements = np.flatnonzero(inside)
                elements = elements[np.argsort(positions[elements], kind="stable")]
                covered[positions[elements]] = True
                self._add_column(row, group, elements, positions[elements], int(scene))
        if row.layout is Layout.PER_SHAPE:
            self._add_empty(row, covered, self._shape_counts)
        elif name in PER_ARTICULATION_DOF:
            self._add_empty(row, covered, self._dof_counts)
        if not covered.all():
            self.plan.omissions.append(self._omission(name, reason, covered))

    def add_groups(self, groups: Iterable[RawGroup]) -> None:
        """List the groups that the final read will answer with, in its order."""
        asked = {group.attribute: native_name(self._object_type, group.attribute) for group in groups}
        served = [asked[group.attribute] for group in groups if id(group) in self._copies]
        self.plan.served = list(dict.fromkeys(served))
        for group in groups:
            if asked[group.attribute] not in served:
                continue
            copies = self._copies.get(id(group), [])
            row = attribute(self._object_type, group.attribute) if copies else None
            is_padded = group.orders is not None or (row is not None and row.layout is Layout.PER_SHAPE)
            plan = GroupPlan(group.attribute, row, group.prims, group.counts, group.lanes, copies, is_padded)
            self.plan.groups.append(plan)

    def _located(self, name: str) -> Iterable[tuple[RawGroup, npt.NDArray[np.intp]]]:
        """Yield each group of an attribute with the object of each of its rows, -1 where that is none or not known.

        Objects that share a path are told apart by their order, unless the engine gives fewer of them here, or mixes
        scenes in one group.
        """
        groups = self._by_attribute.get(name, [])
        given = Counter(prim for group in groups for prim in group.prims)
        seen: Counter[int] = Counter()
        for group in groups:
            found = np.full(len(group.prims), -1, dtype=np.intp)
            for index, prim in enumerate(group.prims):
                rows = self._table.rows_of.get(prim, ())
                if len(rows) == given[prim]:
                    found[index] = rows[seen[prim]]
                    seen[prim] += 1
            scenes = self._table.group_of[found]
            if len(np.unique(scenes[found >= 0])) > 1:
                shared = [given[prim] > 1 for prim in group.prims]
                found[shared] = -1
            yield group, found

    def _add_column(
        self,
        row: Attribute,
        group: RawGroup,
        elements: npt.NDArray[np.intp],
        positions: npt.NDArray[np.intp],
        scene: int,
    ) -> None:
        counts: npt.NDArray[np.intp] | None = None
        index = elements
        total = sum(group.counts)
        if group.is_array:
            lengths = np.asarray(group.counts, dtype=np.intp)
            counts = lengths[elements]
            starts = np.cumsum(lengths) - lengths
            index = runs(starts[elements], counts)
        elif row.layout is Layout.PER_SHAPE:
            counts = self._shape_counts[self._rows[positions]]
            if counts.min(initial=0) < 0 or counts.max(initial=0) > group.lanes:
                raise RuntimeError(f"PhysX gave {row.name} {group.lanes} shapes wide, but a body has {counts.max()}.")
            index = runs(elements * group.lanes, counts)
            total *= group.lanes
        elif group.orders is not None:
            counts = np.array([len(group.orders[element]) for element in elements], dtype=np.intp)
            index = np.concatenate([element * group.lanes + group.orders[element] for element in elements])
            total *= group.lanes
        elif group.lanes != len(row.lanes) and row.layout is not Layout.MATRIX:
            raise RuntimeError(f"PhysX gave {row.name} {group.lanes} components wide, not {len(row.lanes)}.")
        same = len(index) == total and bool((index == np.arange(total)).all())
        copy = Copy(len(self.plan.columns), None if same else index)
        self._copies.setdefault(id(group), []).append(copy)
        self.plan.columns.append(Column(row.name, positions, counts, self._table.scene_of(scene)))

    def _add_empty(self, row: Attribute, covered: npt.NDArray[np.bool_], numbers: npt.NDArray[np.intp]) -> None:
        """Give objects without any element a column of none: the engine has no group for them."""
        empty = ~covered & (numbers[self._rows] == 0)
        scenes = self._table.group_of[self._rows]
        for scene in np.unique(scenes[empty]):
            positions = np.flatnonzero(empty & (scenes == scene))
            counts = np.zeros(len(positions), dtype=np.intp)
            self.plan.columns.append(Column(row.name, positions, counts, self._table.scene_of(int(scene))))
        covered |= empty

    def _read_counts(self, name: str) -> npt.NDArray[np.intp]:
        counts = np.full(len(self._table.paths), -1, dtype=np.intp)
        for group, found in self._located(name):
            if group.values is not None:
                known = found >= 0
                counts[found[known]] = group.values.reshape(-1)[known]
        return counts

    def _omission(self, name: str, bits: int, covered: npt.NDArray[np.bool_]) -> Omission:
        reason, detail = OmissionReason.UNSUPPORTED_CONFIGURATION, why_missing(self._object_type, name)
        for bit, kind, sentence in _REASONS:
            if bits & bit:
                reason, detail = kind, sentence
                break
        if any(len(self._table.rows_of[self._table.prims[row]]) > 1 for row in self._rows[~covered]):
            detail = "Several objects share this path, and PhysX does not say which of them the value belongs to."
        paths = () if not covered.any() else tuple(self._table.paths[row] for row in self._rows[~covered])
        return Omission(name, reason, detail, paths)


def runs(starts: npt.NDArray[np.intp], counts: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    """Return ``starts[i], starts[i] + 1, ...``, ``counts[i]`` of them, for each i in turn.

    >>> runs(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    before = np.cumsum(counts) - counts
    offsets: npt.NDArray[np.intp] = np.repeat(starts - before, counts)
    return offsets + np.arange(len(offsets))


def elements_of(rows: npt.NDArray[np.intp], counts: npt.NDArray[np.intp] | None) -> npt.NDArray[np.intp]:
    """Return the elements of some rows, where each row of all has so many, or one where there are no counts.

    >>> elements_of(np.array([2, 0]), np.array([2, 4, 3])).tolist()
    [6, 7, 8, 0, 1]
    """
    return rows if counts is None else runs((np.cumsum(counts) - counts)[rows], counts[rows])
