"""What is asked of a backend when something is prepared: lists of objects, and bindings that keep the contract."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ovread import catalogue
from ovread.backend import Column, Engine, FilledColumns, Level, Objects, Omission, ReadBinding, WriteBinding
from ovread.catalogue import ObjectType
from ovread.errors import EngineErrors, LayoutChangedError, NotWritableError, SelectionError
from ovread.plugins import Backend
from ovread.query import Selection


class Preparer:
    """The hooks of one backend, for one engine.

    Args:
        backend: The backend.
        engine: The engine, open.
    """

    def __init__(self, backend: Backend, engine: Engine) -> None:
        self._name = backend.info.name
        self._info = backend.info
        self._hooks = backend.hooks
        self._engine = engine
        self._variant = engine.variant

    def objects(self, object_type: ObjectType) -> Objects:
        """Return all objects of a type."""
        with EngineErrors(self._name, "query"):
            objects = self._hooks.ovread_objects(engine=self._engine, object_type=object_type)
        return objects if objects is not None else Objects()

    def filterable_paths(self) -> list[str]:
        """Return the paths of everything that may be a contact filter."""
        kinds = (ObjectType.RIGID_BODY, ObjectType.ARTICULATION_LINK, ObjectType.RIGID_ACTOR, ObjectType.SHAPE)
        return list(dict.fromkeys(path for kind in kinds for path in self.objects(kind).paths))

    def active(self, object_type: ObjectType, rows: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
        """Return those of some rows whose objects moved in the last step."""
        with EngineErrors(self._name, "query"):
            active = self._hooks.ovread_active_rows(engine=self._engine, object_type=object_type)
        if active is None:
            raise SelectionError(f"Backend {self._name!r} does not know which objects moved: take scope=ALL.")
        return rows[np.isin(rows, active)]

    def readable(self, selection: Selection) -> tuple[str, ...]:
        """Return what the backend can read of the selected objects."""
        object_type = selection.object_type
        with EngineErrors(self._name, "query"):
            lacking = self._hooks.ovread_unreadable_attributes(
                engine=self._engine, object_type=object_type, rows=selection.native_rows, filters=selection.filters
            )
        return tuple(
            row.name
            for row in catalogue.attributes(object_type)
            if row.readable
            and row.name not in (lacking or ())
            and self._info.support_of(row.key, self._variant).level is not Level.UNSUPPORTED
        )

    def check_rows(self, selection: Selection) -> None:
        """Check that the rows are still those of the query's paths: an owner may have added objects."""
        paths = self.objects(selection.object_type).paths
        if any(
            row >= len(paths) or paths[row] != path
            for row, path in zip(selection.native_rows, selection.paths, strict=True)
        ):
            raise LayoutChangedError("Objects were added or removed since this query was made: make a new one.")

    def bind_read(self, selection: Selection, names: Sequence[str]) -> ReadBinding:
        """Prepare a native read."""
        if not names:
            return FilledColumns([], [])
        with EngineErrors(self._name, "read"):
            binding: ReadBinding = self._hooks.ovread_bind_read(
                engine=self._engine,
                object_type=selection.object_type,
                rows=selection.native_rows,
                attributes=names,
                filters=selection.filters,
            )
            check_binding(binding, selection, names, "ovread_bind_read")
        return binding

    def bind_write(self, selection: Selection, names: Sequence[str]) -> WriteBinding:
        """Prepare a native write."""
        if not selection.paths:
            return _WriteOfNothing(selection.object_type, names)
        with EngineErrors(self._name, "write"):
            binding: WriteBinding | None = self._hooks.ovread_bind_write(
                engine=self._engine,
                object_type=selection.object_type,
                rows=selection.native_rows,
                attributes=names,
            )
            if binding is None:
                raise NotWritableError(f"Backend {self._name!r} writes nothing.")
            check_binding(binding, selection, names, "ovread_bind_write")
        return binding


class _WriteOfNothing:
    """A write of a query that selects nothing: every column, without rows."""

    omissions: Sequence[Omission] = ()

    def __init__(self, object_type: ObjectType, names: Sequence[str]) -> None:
        nothing = np.empty(0, dtype=np.intp)
        self.columns = [
            Column(name, nothing, nothing if catalogue.attribute(object_type, name).layout.is_ragged else None)
            for name in names
        ]

    def start(self, index: int, values: npt.NDArray[Any]) -> None:
        """Fill nothing."""

    def commit(self, index: int, values: npt.NDArray[Any], rows: npt.NDArray[np.intp] | None) -> None:
        """Publish nothing."""

    def close(self) -> None:
        """Hold nothing."""


def check_binding(
    binding: ReadBinding | WriteBinding | None, selection: Selection, names: Sequence[str], hook: str
) -> None:
    """Check that a backend's binding keeps the contract.

    Raises:
        TypeError: It does not: it is None, loses an attribute, or a column does not fit its rows or its layout.
    """
    if binding is None:
        raise TypeError(f"{hook} returned None")
    answered = {column.attribute for column in binding.columns} | {item.attribute for item in binding.omissions}
    lost = [name for name in names if name not in answered]
    if lost:
        raise TypeError(f"{hook} gave neither a column nor an omission for {', '.join(lost)}")
    extra = [column.attribute for column in binding.columns if column.attribute not in names]
    if extra:
        raise TypeError(f"{hook} gave columns that were not asked for: {', '.join(extra)}")
    for column in binding.columns:
        _check_column(column, selection)


def _check_column(column: Column, selection: Selection) -> None:
    row = catalogue.attribute(selection.object_type, column.attribute)
    rows = np.asarray(column.rows)
    if len(rows) and (rows[0] < 0 or rows[-1] >= len(selection.paths) or bool((np.diff(rows) <= 0).any())):
        raise TypeError(f"the rows of column {row.name!r} are not ascending positions of the request")
    if row.layout.is_ragged != (column.counts is not None or column.is_dynamic):
        raise TypeError(f"column {row.name!r} is {row.layout.value}: ragged layouts, and only they, have counts")
    for labels in (column.labels, column.native_labels):
        if labels is not None and len(labels) != len(rows):
            raise TypeError(f"column {row.name!r} has {len(rows)} rows and {len(labels)} labels")
    sizes = {max(len(each.rows), 1) * len(each.columns) for each in column.labels or ()}
    if sizes and sizes != {len(column.lanes or row.lanes)}:
        raise TypeError(f"column {row.name!r} has {len(column.lanes or row.lanes)} lanes and labels for {sizes}")
    if column.counts is not None and len(column.counts) != len(rows):
        raise TypeError(f"column {row.name!r} has {len(rows)} rows and {len(column.counts)} counts")
