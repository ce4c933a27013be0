"""Prepared reads: what is bound once and fetched every step."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ovread import catalogue
from ovread.backend import BackendInfo, Buffer, Level, Omission, OmissionReason, ReadBinding
from ovread.catalogue import ObjectType
from ovread.errors import EngineErrors
from ovread.query import Query
from ovread.result import ReadResult, make_result

if TYPE_CHECKING:
    from ovread.simulation import Simulation


class OpenBindings:
    """The bindings of a simulation that still hold native resources; each is closed once, before its engine."""

    def __init__(self) -> None:
        self._open: dict[int, tuple[ReadBinding, weakref.finalize[Any, Any]]] = {}

    def add(self, owner: object, binding: ReadBinding) -> None:
        """Close the binding when its owner is collected, or with all others."""
        key = id(binding)
        finalizer = weakref.finalize(owner, self._close, key)
        finalizer.atexit = False
        self._open[key] = (binding, finalizer)

    def _close(self, key: int) -> None:
        if key in self._open:
            binding, finalizer = self._open.pop(key)
            finalizer.detach()  # the id may soon be that of another binding
            binding.close()

    def close_all(self) -> None:
        """Close what is open."""
        for key in list(self._open):
            self._close(key)


class PreparedRead:
    """A binding of some attributes for the rows of a query; bound again after a reset."""

    def __init__(self, simulation: Simulation, query: Query, names: Sequence[str]) -> None:
        self._object_type = query.object_type
        self._native_rows = query.native_rows
        self._paths = query.paths
        self._names = tuple(names)
        self._engine_errors = EngineErrors(simulation.backend.name, "read")
        self._bind(simulation)

    def _bind(self, simulation: Simulation) -> None:
        info, variant = simulation.backend, simulation.variant
        declared = {name: info.support_of((self._object_type, name), variant) for name in self._names}
        served = [name for name, support in declared.items() if support.level is not Level.UNSUPPORTED]
        unserved = {name: support.reason for name, support in declared.items() if name not in served}
        binding = simulation._bind_read(self._object_type, self._native_rows, served)
        simulation._bindings.add(self, binding)
        self._generation = simulation._generation
        self._binding = binding
        self._rows = [catalogue.attribute(self._object_type, column.attribute) for column in binding.columns]
        self._omissions = [
            *(_declared_omission(name, reason, info, self._object_type) for name, reason in unserved.items()),
            *binding.omissions,
        ]

    def allocate(self, simulation: Simulation) -> tuple[ReadResult, tuple[Buffer, ...]]:
        """Allocate a result, for :meth:`fetch` to fill."""
        if self._generation != simulation._generation:
            self._bind(simulation)
        return make_result(
            self._binding.columns,
            self._rows,
            self._omissions,
            self._paths,
            self._names,
            simulation.units,
            simulation.device,
        )

    def is_current(self, simulation: Simulation) -> bool:
        """Whether it was bound since the last reset."""
        return self._generation == simulation._generation

    def fetch(self, simulation: Simulation, result: ReadResult, buffers: Sequence[Buffer]) -> None:
        """Fill a result with the current values."""
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
        self._prepared = PreparedRead(simulation, query, names)
        self._result, self._buffers = self._prepared.allocate(simulation)

    @property
    def query(self) -> Query:
        """The query that it reads."""
        return self._query

    def read(self) -> ReadResult:
        """Read the current values into this reader's memory.

        After a reset of the simulation the memory is allocated anew, once.

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
