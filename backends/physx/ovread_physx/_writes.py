"""Prepared writes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
import numpy.typing as npt

from ovread.backend import Column, Omission, OmissionReason, WriteBinding
from ovread.catalogue import ObjectType, attribute
from ovread.errors import ValueRefusedError
from ovread_physx._reasons import is_of_instances, why_no_instancer, why_not_a_body
from ovread_physx._support import ON_CUDA_ONLY
from ovread_physx._write_conditions import conditions_of
from ovread_physx._write_plans import PartlyFilledError, Publication, plan_write, publish_from, whole_columns
from ovread_physx._write_sources import WriteSource, open_write_source
from ovread_physx._write_starts import start_values

if TYPE_CHECKING:
    from ovread_physx._engine import PhysxEngine

Indices = npt.NDArray[np.intp]

_SHARED = "Several objects share this path, and PhysX writes to all of them at once."


def bind_write(engine: PhysxEngine, object_type: ObjectType, rows: Indices, names: Sequence[str]) -> WriteBinding:
    """Prepare a write of ``names`` for the objects ``rows``."""
    write = PhysxWrite(engine, object_type)
    table = engine.table(object_type)
    refusal = table.fault or (ON_CUDA_ONLY.get(object_type, "") if engine.device == "cpu" else "")
    if refusal:
        for name in names:
            write.omit(name, refusal)
        return write
    is_instancer = np.array([int(row) in table.instancers for row in rows], dtype=bool)
    try:
        for name in names:
            of_instances = is_of_instances(name)
            chosen = is_instancer == of_instances
            if not len(rows):
                write.add_empty(name)
            elif chosen.any():
                write.add(name, rows, np.flatnonzero(chosen))
            if not chosen.all():
                why = (why_no_instancer if of_instances else why_not_a_body)(name)
                write.omit(name, why, () if not chosen.any() else rows[~chosen])
    except BaseException:
        write.close()
        raise
    return write


class PhysxWrite:
    """A prepared write; see :class:`ovread.backend.WriteBinding`."""

    def __init__(self, engine: PhysxEngine, object_type: ObjectType) -> None:
        self._engine = engine
        self._object_type = object_type
        self._writes: list[_ColumnWrite] = []
        self._sources: dict[bytes, WriteSource] = {}
        self.omissions: list[Omission] = []
        self.columns: list[Column] = []

    def omit(self, name: str, why: str, rows: Sequence[int] | Indices = ()) -> None:
        """Leave an attribute out, for all rows or for some."""
        paths = tuple(self._engine.table(self._object_type).paths[row] for row in rows)
        self.omissions.append(Omission(name, OmissionReason.UNSUPPORTED_CONFIGURATION, why, paths))

    def add_empty(self, name: str) -> None:
        """Take an attribute of no object."""
        nothing = np.empty(0, dtype=np.intp)
        is_ragged = attribute(self._object_type, name).layout.is_ragged
        column = Column(name, nothing, nothing if is_ragged else None)
        self._add(_ColumnWrite(self._engine, self._object_type, column, nothing, None))

    def add(self, name: str, rows: Indices, positions: Indices) -> None:
        """Plan one attribute for those rows of the request that are at some positions."""
        chosen = rows[positions]
        source = self._source(chosen)
        plan = plan_write(self._engine, self._object_type, source, name, chosen)
        self.omissions += plan.omissions
        for column in whole_columns(plan):
            table_rows = chosen[column.rows]
            row_of = np.full(len(chosen), -1, dtype=np.intp)
            row_of[column.rows] = np.arange(len(column.rows))
            placed = attrs.evolve(column, rows=positions[column.rows])
            try:
                try:
                    whole = publish_from(plan, source, self._object_type, column, row_of)
                except PartlyFilledError:
                    whole = self._alone(column, table_rows)
            except PartlyFilledError:
                self.omit(name, _SHARED, table_rows)
                continue
            self._add(_ColumnWrite(self._engine, self._object_type, placed, table_rows, whole))

    def _alone(self, column: Column, table_rows: Indices) -> Publication:
        """Plan a column by a query of its own, because a group of another has other objects too."""
        source = self._source(table_rows)
        plan = plan_write(self._engine, self._object_type, source, column.attribute, table_rows)
        return publish_from(plan, source, self._object_type, column, np.arange(len(table_rows)))

    def _source(self, rows: Indices) -> WriteSource:
        """Return a query of some objects: one for all attributes of the same."""
        key = rows.tobytes()
        if key not in self._sources:
            self._sources[key] = _open(self._engine, self._object_type, rows)
        return self._sources[key]

    def _add(self, write: _ColumnWrite) -> None:
        self._writes.append(write)
        self.columns.append(write.column)

    def start(self, index: int, values: npt.NDArray[Any]) -> None:
        """Fill the start values of a column that cannot be read."""
        write = self._writes[index]
        start_values(self._engine, self._object_type, write.column.attribute, write.table_rows, values)

    def commit(self, index: int, values: npt.NDArray[Any], rows: Indices | None) -> None:
        """Publish a column, or some of its rows; see :meth:`ovread.backend.WriteBinding.commit`."""
        self._writes[index].commit(values, rows)

    def close(self) -> None:
        """Give the native queries back."""
        for write in self._writes:
            write.close()
        for source in self._sources.values():
            self._engine.retire(source)
        self._sources.clear()


class _ColumnWrite:
    """One column of a prepared write: what is checked, and how all of it, or some of its rows, are published.

    Args:
        engine: The engine.
        object_type: Type of the objects.
        column: The column.
        table_rows: The objects of its rows.
        whole: How all of it is published; None where it has no rows.
    """

    def __init__(
        self,
        engine: PhysxEngine,
        object_type: ObjectType,
        column: Column,
        table_rows: Indices,
        whole: Publication | None,
    ) -> None:
        self.column = column
        self.table_rows = table_rows
        self._whole = whole
        self._engine = engine
        self._object_type = object_type
        self._conditions = conditions_of(engine, object_type, column, self.table_rows)
        self._chosen = b""
        self._some: Publication | None = None

    def commit(self, values: npt.NDArray[Any], rows: Indices | None) -> None:
        """Check the values, then publish them."""
        for condition in self._conditions:
            condition.check(values, rows)
        if rows is not None and len(rows) < len(self.table_rows):
            if len(rows):
                self._selecting(rows).publish(values)
        elif self._whole is not None:
            self._whole.publish(values)

    def _selecting(self, rows: Indices) -> Publication:
        """Return how some rows are published; that of the last choice is kept."""
        chosen = rows.tobytes()
        if self._some is None or chosen != self._chosen:
            self._close_some()
            self._some = self._select(rows)
            self._chosen = chosen
        return self._some

    def _select(self, rows: Indices) -> Publication:
        table_rows = self.table_rows[rows]
        source = _open(self._engine, self._object_type, table_rows)
        try:
            plan = plan_write(self._engine, self._object_type, source, self.column.attribute, table_rows)
            return publish_from(plan, source, self._object_type, self.column, rows)
        except PartlyFilledError:
            source.close()
            path = self._engine.table(self._object_type).paths[int(table_rows[0])]
            raise ValueRefusedError(f"{self.column.attribute} of {path} cannot be written: {_SHARED}") from None
        except BaseException:
            source.close()
            raise

    def _close_some(self) -> None:
        if self._some is not None:
            self._engine.retire(self._some.source)
            self._some = None

    def close(self) -> None:
        """Give the native query of some rows back."""
        self._close_some()


def _open(engine: PhysxEngine, object_type: ObjectType, rows: Indices) -> WriteSource:
    table = engine.table(object_type)
    prims = list(dict.fromkeys(table.prims[row] for row in rows))
    return open_write_source(engine, object_type, None if len(rows) == len(table.paths) else prims)
