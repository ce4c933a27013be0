"""Reads of which each finds other numbers of elements: contacts, and what the engine draws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import attrs
import numpy as np
import numpy.typing as npt

from ovread.backend import Buffer, Column, FilledColumns, Omission, OmissionReason, ReadBinding
from ovread.catalogue import Attribute, ObjectType, attribute, filter_lanes
from ovread.errors import LayoutChangedError
from ovread_physx import _contacts
from ovread_physx._elements import Elements, Format, Selected, open_elements
from ovread_physx._layout import runs
from ovread_physx._table import Table

if TYPE_CHECKING:
    from ovread_physx._engine import PhysxEngine

TYPES = (ObjectType.CONTACT_SENSOR, ObjectType.DEBUG_RENDER)
"""Types whose reads are prepared here."""

_SHARED = "Several sensors have this path, and PhysX does not say which of them a value belongs to."


@attrs.frozen(eq=False)
class _Place:
    """A row of a column: which physics scene, and where among the rows of that scene."""

    scene: int
    position: int


@attrs.frozen(eq=False)
class _Arrangement:
    """How the elements of a group become those of a column.

    Args:
        prims: The objects that the group has elements of.
        counts: Elements of each.
        offsets: Where the elements of each row of the column start.
        index: Element of the group for each element of the column; None where they are the same.
    """

    prims: Sequence[int]
    counts: npt.NDArray[np.intp]
    offsets: npt.NDArray[np.intp]
    index: npt.NDArray[np.intp] | None

    def fits(self, elements: Elements) -> bool:
        """Whether it is that of another group too."""
        same = self.prims is elements.prims or self.prims == elements.prims
        return same and bool(np.array_equal(self.counts, elements.counts))


def bind_dynamic(
    engine: PhysxEngine,
    object_type: ObjectType,
    rows: npt.NDArray[np.intp],
    names: Sequence[str],
    filters: Sequence[Sequence[str]],
) -> ReadBinding:
    """Prepare a read of ``names`` for the objects ``rows``, told apart by ``filters``."""
    table = engine.table(object_type)
    width = len(filters[0]) if len(filters) else 0
    omissions = [Omission(name, *reason) for name in names if (reason := _contacts.why_not(engine, name, width))]
    omitted = {omission.attribute for omission in omissions}
    served = [name for name in names if name not in omitted]
    is_shared = np.array([len(table.rows_of[table.prims[row]]) > 1 for row in rows], dtype=bool)
    if is_shared.any():
        shared = tuple(table.paths[row] for row in rows[is_shared])
        omissions += [
            Omission(name, OmissionReason.UNSUPPORTED_CONFIGURATION, _SHARED, () if is_shared.all() else shared)
            for name in served
        ]
    positions = np.flatnonzero(~is_shared)
    if not served or not len(positions):
        return FilledColumns([], [], omissions)
    told_apart = [filters[int(position)] for position in positions] if width else ()
    selected = _selected(engine, object_type, table, rows[positions], told_apart)
    return DynamicBinding(
        engine,
        selected,
        _rows_by_scene(table, rows, positions),
        [attribute(object_type, name) for name in served],
        width,
        omissions,
    )


def _selected(
    engine: PhysxEngine,
    object_type: ObjectType,
    table: Table,
    rows: npt.NDArray[np.intp],
    filters: Sequence[Sequence[str]],
) -> Selected:
    """Return what to select natively: each prim once, and everything by its type alone, which is cheaper to read."""
    whole = len(rows) if len(np.unique(table.group_of[rows])) == 1 else 0
    if filters:
        by_prim = {table.prims[row]: paths for row, paths in zip(rows, filters, strict=True)}
        handles = [[engine.dictionary.intern_path(path) for path in paths] for paths in by_prim.values()]
        return Selected(object_type, list(by_prim), whole, handles)
    if len(rows) == len(table.paths):
        return Selected(object_type, None, whole)
    return Selected(object_type, list(dict.fromkeys(table.prims[row] for row in rows)), whole)


@attrs.frozen(eq=False)
class _SceneRows:
    """The rows of a read that are in one physics scene: where in the request, and which prims."""

    path: str | None
    positions: npt.NDArray[np.intp]
    prims: Sequence[int]


def _rows_by_scene(table: Table, rows: npt.NDArray[np.intp], positions: npt.NDArray[np.intp]) -> list[_SceneRows]:
    scene_of = table.group_of[rows[positions]]
    inside = {int(scene): positions[scene_of == scene] for scene in np.unique(scene_of)}
    return [
        _SceneRows(table.scene_of(scene), found, [table.prims[row] for row in rows[found]])
        for scene, found in inside.items()
    ]


class DynamicBinding:
    """A prepared read; see :class:`ovread.backend.ReadBinding`."""

    def __init__(
        self,
        engine: PhysxEngine,
        selected: Selected,
        scenes: Sequence[_SceneRows],
        rows: Sequence[Attribute],
        width: int,
        omissions: Sequence[Omission],
    ) -> None:
        lanes = [filter_lanes(row, width) for row in rows]
        self._engine = engine
        self._scenes = len(scenes)
        self._sizes = [len(scene.prims) for scene in scenes]
        self._places = {
            prim: _Place(number, position)
            for number, scene in enumerate(scenes)
            for position, prim in enumerate(scene.prims)
        }
        self.omissions = omissions
        self.columns = [
            Column(row.name, scene.positions, scene=scene.path, lanes=names, is_dynamic=row.layout.is_ragged)
            for row, names in zip(rows, lanes, strict=True)
            for scene in scenes
        ]
        tokens = [engine.dictionary.intern_token(row.name) for row in rows]
        self._first_column = {token: number * self._scenes for number, token in enumerate(tokens)}
        self._not_ready = [_contacts.not_ready(row) for row in rows for _ in scenes]
        self._arrangements: list[_Arrangement | None] = [None] * len(self.columns)
        self._latest: list[_Arrangement | None] = []
        self._buffers: Sequence[Buffer] = ()
        self._left: set[int] = set()
        formats = [
            Format(token, row.dtype, len(names or row.lanes))
            for token, row, names in zip(tokens, rows, lanes, strict=True)
        ]
        self._source = open_elements(engine, selected, formats)

    def fetch(self, buffers: Sequence[Buffer]) -> None:
        """Fill the buffers with the current values."""
        if not self._engine.has_stepped:
            for buffer, omission in zip(buffers, self._not_ready, strict=True):
                buffer.omission = omission
            if all(self._not_ready):
                return
        self._buffers, self._left = buffers, set(range(len(buffers)))
        self._latest = [None] * self._scenes
        self._source.each(self._take)
        for position in self._left:
            self._empty(position)

    def _take(self, elements: Elements) -> None:
        """Fill the column of a group."""
        place = self._places.get(elements.prims[0])
        if place is None:
            raise _changed("objects")
        position = self._first_column[elements.token] + place.scene
        arrangement = self._arrangements[position]
        if arrangement is None or not arrangement.fits(elements):
            # Attributes of one kind are about the same elements.
            arrangement = self._latest[place.scene]
            if arrangement is None or not arrangement.fits(elements):
                arrangement = self._arrange(elements, place.scene)
            self._arrangements[position] = arrangement
        self._latest[place.scene] = arrangement
        self._left.discard(position)
        self._fill(self._buffers[position], elements, arrangement)

    def _arrange(self, elements: Elements, scene: int) -> _Arrangement:
        places = [self._places.get(prim) for prim in elements.prims]
        positions = np.array([-1 if place is None or place.scene != scene else place.position for place in places])
        if positions.min() < 0:
            raise _changed("objects")
        counts = elements.counts
        in_order = np.argsort(positions, kind="stable")
        index: npt.NDArray[np.intp] | None = runs((np.cumsum(counts) - counts)[in_order], counts[in_order])
        offsets = np.zeros(self._sizes[scene] + 1, dtype=np.intp)
        offsets[positions + 1] = counts
        np.cumsum(offsets, out=offsets)
        if index is not None and (index == np.arange(len(index))).all():
            index = None
        return _Arrangement(elements.prims, counts, offsets, index)

    def _fill(self, buffer: Buffer, elements: Elements, arrangement: _Arrangement) -> None:
        total = int(arrangement.offsets[-1])
        if buffer.offsets is not None:
            buffer.offsets[:] = arrangement.offsets
            buffer.resize(total)
        elif total != buffer.array.shape[0] or len(elements.prims) != total:
            raise _changed("rows")
        values, index = elements.values, arrangement.index
        if not total:
            return
        if buffer.host is None:
            buffer.array.assign(values if index is None else values[index])
        elif index is None:
            np.copyto(buffer.host, values)
        else:
            np.take(values, index, axis=0, out=buffer.host, mode="clip")

    def _empty(self, position: int) -> None:
        """Fill a column that no group came for: no object has an element."""
        buffer = self._buffers[position]
        if buffer.offsets is None:
            raise _changed("groups")
        buffer.offsets[:] = 0
        buffer.resize(0)

    def close(self) -> None:
        """Give the native query back."""
        self._engine.retire(self._source)


def _changed(what: str) -> LayoutChangedError:
    return LayoutChangedError(
        f"PhysX answered with other {what} than when this read was prepared: objects were added or removed. Make a "
        "new query and read with it."
    )
