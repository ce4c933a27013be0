"""Prepared reads: what is bound once and fetched every step."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ovread import catalogue
from ovread.backend import BackendInfo, Buffer, Level, Omission, OmissionReason, ReadBinding
from ovread.catalogue import ObjectType
from ovread.errors import EngineErrors
from ovread.query import Query, Selection
from ovread.result import ReadResult, make_result

if TYPE_CHECKING:
    from ovread.simulation import Simulation


class OpenBindings:
    """The bindings of a simulation that still hold native resources; each is closed once, before its engine."""

    def __init__(self) -> None:
        self._keys = itertools.count()
        self._open: dict[int, ReadBinding] = {}

    def add(self, owner: object, binding: ReadBinding) -> None:
        """Close the binding when its owner is collected, or with all others."""
        key = next(self._keys)
        self._open[key] = binding
        weakref.finalize(owner, self._close, key).atexit = False

    def _close(self, key: int) -> None:
        binding = self._open.pop(key, None)
        if binding is not None:
            binding.close()

    def close_all(self) -> None:
        """Close what is open."""
        for key in list(self._open):
            self._close(key)


def check_binding(binding: ReadBinding | None, selection: Selection, names: Sequence[str]) -> None:
    """Check that a backend's binding keeps the contract.

    Raises:
        TypeError: It does not: it is None, loses an attribute, or a column does not fit its rows or its layout.
    """
    if binding is None:
        raise TypeError("ovread_bind_read returned None")
    answered = {column.attribute for column in binding.columns} | {item.attribute for item in binding.omissions}
    lost = [name for name in names if name not in answered]
    if lost:
        raise TypeError(f"ovread_bind_read gave neither a column nor an omission for {', '.join(lost)}")
    extra = [column.attribute for column in binding.columns if column.attribute not in names]
    if extra:
        raise TypeError(f"ovread_bind_read gave columns that were not asked for: {', '.join(extra)}")
    for column in binding.columns:
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


class PreparedRead:
    """A binding of some attributes for a selection; bound again after a reset, or once a step has made more ready."""

    def __init__(self, simulation: Simulation, selection: Selection, names: Sequence[str]) -> None:
        self._selection = selection
        self._names = tuple(names)
        self._engine_errors = EngineErrors(simulation.backend.name, "read")
        self._bind(simulation)

    def _bind(self, simulation: Simulation) -> None:
        info, object_type = simulation.backend, self._selection.object_type
        declared = {name: info.support_of((object_type, name), simulation.variant) for name in self._names}
        served = [name for name, support in declared.items() if support.level is not Level.UNSUPPORTED]
        unserved = {name: support.reason for name, support in declared.items() if name not in served}
        self._binding = simulation._bind_read(self._selection, served)
        simulation._bindings.add(self, self._binding)
        self._generation = simulation._generation
        self._tick = simulation.tick
        self._awaits_step = any(item.reason is OmissionReason.NOT_READY for item in self._binding.omissions)
        self._omissions = [
            *(_declared_omission(name, reason, info, object_type) for name, reason in unserved.items()),
            *self._binding.omissions,
        ]

    def allocate(self, simulation: Simulation) -> tuple[ReadResult, tuple[Buffer, ...]]:
        """Allocate a result, for :meth:`fetch` to fill."""
        if not self.is_current(simulation):
            self._bind(simulation)
        return make_result(
            self._binding.columns,
            self._omissions,
            self._selection,
            self._names,
            simulation.units,
            simulation.device,
            simulation._origin,
        )

    def is_current(self, simulation: Simulation) -> bool:
        """Whether it was bound since the last reset, and nothing was missing then that a step since may have made."""
        is_waiting = self._awaits_step and self._tick != simulation.tick
        return self._generation == simulation._generation and not is_waiting

    def fetch(self, simulation: Simulation, result: ReadResult, buffers: Sequence[Buffer]) -> None:
        """Fill a result with the current values."""
        for buffer in buffers:
            buffer.omission = None
        with self._engine_errors:
            self._binding.fetch(buffers)
        result._refresh(simulation.tick, simulation.time)


class Reader:
    """A prepared read, made by :meth:`Simulation.reader`.

    :meth:`read` refills the same memory each time and returns the same result: copy what you keep, or compare
    ``result.tick``.
    """

    def __init__(self, simulation: Simulation, query: Query, names: Sequence[str]) -> None:
        self._simulation = simulation
        self._query = query
        self._prepared = PreparedRead(simulation, query.selection, names)
        self._result, self._buffers = self._prepared.allocate(simulation)

    @property
    def query(self) -> Query:
        """The query that it reads."""
        return self._query

    def read(self) -> ReadResult:
        """Read the current values into this reader's memory.

        After a reset of the simulation the memory is allocated anew, once; so it is after the first step where
        something was not ready when the reader was made.

        Raises:
            ClosedError: The simulation is closed.
            EngineError: The engine failed; the message carries its own words.
        """
        simulation = self._simulation
        simulation._check_open()
        if not self._prepared.is_current(simulation):
            self._result, self._buffers = self._prepared.allocate(simulation)
        self._prepared.fetch(simulation, self._result, self._buffers)
        return self._result


def _declared_omission(name: str, reason: str, info: BackendInfo, object_type: ObjectType) -> Omission:
    """Tell what a backend never serves from what its variant does not serve."""
    never = info.support_of((object_type, name)).level is Level.UNSUPPORTED
    kind = OmissionReason.UNSUPPORTED_ATTRIBUTE if never else OmissionReason.UNSUPPORTED_CONFIGURATION
    return Omission(name, kind, reason)
