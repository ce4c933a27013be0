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
from ovread_physx._support import ON_CUDA_ONLY
from ovread_physx._write_conditions import conditions_of
from ovread_physx._write_eligible import who_cannot
from ovread_physx._write_plans import PartlyFilledError, Publication, plan_write, publish_from
from ovread_physx._write_rules import Written
from ovread_physx._write_sequels import Sequel, sequels_of
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
    try:
        for name in names:
            write.add(name, rows)
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

    def add(self, name: str, rows: Indices) -> None:
        """Plan one attribute for the rows of the request."""
        if not len(rows):
            self._add_empty(name)
            return
        chosen = np.ones(len(rows), dtype=bool)
        for cannot, why in who_cannot(self._engine, self._object_type, name, rows):
            self.omit(name, why, () if cannot.all() else rows[cannot])
            chosen &= ~cannot
        if chosen.any():
            self._plan(name, rows, np.flatnonzero(chosen))

    def _add_empty(self, name: str) -> None:
        nothing = np.empty(0, dtype=np.intp)
        is_ragged = attribute(self._object_type, name).layout.is_ragged
        column = Column(name, nothing, nothing if is_ragged else None)
        self._add(_ColumnWrite(Written(self._engine, self._object_type, column, nothing), None))

    def _plan(self, name: str, rows: Indices, positions: Indices) -> None:
        """Plan one attribute for those rows of the request that are at some positions."""
        chosen = rows[positions]
        source = self._source(chosen)
        plan = plan_write(self._engine, self._object_type, source, name, chosen)
        self.omissions += plan.omissions
        for column in plan.columns:
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
            self._add(_ColumnWrite(Written(self._engine, self._object_type, placed, table_rows), whole))

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
        self._writes[index].start(values)

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
    """One column of a prepared write: what is checked, how all of it or some rows are published, and what follows.

    Args:
        written: The column.
        whole: How all of it is published; None where it has no rows.
    """

    def __init__(self, written: Written, whole: Publication | None) -> None:
        self.written = written
        self.column = written.column
        self._conditions = conditions_of(written)
        self._whole = whole
        self._whole_sequels: list[Sequel] | None = None
        self._chosen = b""
        self._some: Publication | None = None
        self._some_sequels: list[Sequel] = []

    def start(self, values: npt.NDArray[Any]) -> None:
        """Fill the start values of an attribute that cannot be read."""
        start_values(self.written, values)

    def commit(self, values: npt.NDArray[Any], rows: Indices | None) -> None:
        """Check the values, publish them, and do what follows from that."""
        for condition in self._conditions:
            condition.check(values, rows)
        if rows is not None and len(rows) < len(self.written.rows):
            if len(rows):
                self._commit_some(values, rows)
            return
        if self._whole is None:
            return
        if self._whole_sequels is None:
            self._whole_sequels = self._sequels(self.written.rows)
        self._whole.publish(values)
        for sequel in self._whole_sequels:
            sequel.run()

    def _commit_some(self, values: npt.NDArray[Any], rows: Indices) -> None:
        """Publish some rows by a native query of just those; that of the last choice is kept."""
        chosen = rows.tobytes()
        if self._some is None or chosen != self._chosen:
            self._close_some()
            self._some = self._select(rows)
            self._some_sequels = self._sequels(self.written.rows[rows])
            self._chosen = chosen
        self._some.publish(values)
        for sequel in self._some_sequels:
            sequel.run()

    def _select(self, rows: Indices) -> Publication:
        engine, object_type, column = self.written.engine, self.written.object_type, self.column
        table_rows = self.written.rows[rows]
        source = _open(engine, object_type, table_rows)
        try:
            plan = plan_write(engine, object_type, source, column.attribute, table_rows)
            return publish_from(plan, source, object_type, column, rows)
        except PartlyFilledError:
            source.close()
            path = engine.table(object_type).paths[int(table_rows[0])]
            raise ValueRefusedError(f"{column.attribute!r} of {path} cannot be written alone: {_SHARED}") from None
        except BaseException:
            source.close()
            raise

    def _sequels(self, table_rows: Indices) -> list[Sequel]:
        return sequels_of(self.written.engine, self.written.object_type, self.column.attribute, table_rows)

    def _close_some(self) -> None:
        if self._some is not None:
            self._retire(self._some_sequels)
            self.written.engine.retire(self._some.source)
            self._some = None

    def _retire(self, sequels: Sequence[Sequel]) -> None:
        for sequel in sequels:
            for query in sequel.queries:
                self.written.engine.retire(query)

    def close(self) -> None:
        """Give native queries back, but for that of the whole column."""
        self._close_some()
        self._retire(self._whole_sequels or ())
        for condition in self._conditions:
            condition.close()


def _open(engine: PhysxEngine, object_type: ObjectType, rows: Indices) -> WriteSource:
    table = engine.table(object_type)
    prims = list(dict.fromkeys(table.prims[row] for row in rows))
    return open_write_source(engine, object_type, None if len(rows) == len(table.paths) else prims)
