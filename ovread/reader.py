"""Prepared reads: what is bound once and fetched every step."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ovread.backend import BackendInfo, Buffer, Column, Level, Omission, OmissionReason, ReadBinding, WriteBinding
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
        self._open: dict[int, ReadBinding | WriteBinding] = {}

    def add(self, owner: object, binding: ReadBinding | WriteBinding) -> None:
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

    @property
    def columns(self) -> Sequence[Column]:
        """What it delivers, one column per buffer."""
        return self._binding.columns

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
