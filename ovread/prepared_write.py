"""A bound write, and the read that knows what its values are now."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from ovread import catalogue
from ovread.backend import Column, Level, Omission, ResizingWriteBinding
from ovread.catalogue import Attribute
from ovread.errors import EngineError, EngineErrors, LayoutChangedError, NotWritableError
from ovread.query import Selection
from ovread.reader import PreparedRead
from ovread.values import DTYPES

if TYPE_CHECKING:
    from ovread.simulation import Simulation

_Values = npt.NDArray[Any]
_Rows = npt.NDArray[np.intp]


class PreparedWrite:
    """A binding of some attributes for a selection; bound again after a reset.

    Args:
        simulation: The simulation.
        selection: The objects.
        names: The attributes, each declared as writable.

    Raises:
        NotWritableError: An attribute cannot be written of any of the objects, or its current values are not known.
    """

    def __init__(self, simulation: Simulation, selection: Selection, names: Sequence[str]) -> None:
        self._selection = selection
        self.names = tuple(names)
        self._engine_errors = EngineErrors(simulation.backend.name, "write")
        self._bind(simulation)

    def _bind(self, simulation: Simulation) -> None:
        binding = simulation._bind_write(self._selection, self.names)
        simulation._bindings.add(self, binding)
        self._binding = binding
        self.columns: tuple[Column, ...] = tuple(binding.columns)
        self.omissions: tuple[Omission, ...] = tuple(binding.omissions)
        self._generation = simulation._generation
        self._refuse_omitted(simulation.backend.name)
        self._reads = {name: _Current(simulation, self._selection, name) for name in self._readable(simulation)}
        self._sources = [self._source(column) for column in self.columns]

    def _readable(self, simulation: Simulation) -> list[str]:
        """Return the attributes whose current values the backend can read."""
        object_type, info = self._selection.object_type, simulation.backend
        return [
            name
            for name in self.names
            if catalogue.attribute(object_type, name).readable
            and info.support_of((object_type, name), simulation.variant).level is not Level.UNSUPPORTED
        ]

    def _source(self, column: Column) -> tuple[int, _Rows | None] | None:
        """Return which column of the read has the current values, and which of its elements; None for no read."""
        read = self._reads.get(column.attribute)
        if read is None:
            return None
        source = _source(column, read.columns)
        if source is None:
            raise NotWritableError(
                f"{column.attribute!r} cannot be written, as its current values are not known: {read.why_not()}"
            )
        return source

    def _refuse_omitted(self, backend: str) -> None:
        for name in self.names:
            details = [omission.detail for omission in self.omissions if omission.attribute == name]
            if details and not any(column.attribute == name and len(column.rows) for column in self.columns):
                raise NotWritableError(
                    f"{name!r} cannot be written here on {backend}: {' '.join(dict.fromkeys(details))}"
                )

    def is_current(self, simulation: Simulation) -> bool:
        """Whether it was bound since the last reset, and no value became known since."""
        return self._generation == simulation._generation and all(
            read.is_current(simulation) for read in self._reads.values()
        )

    def rebind(self, simulation: Simulation) -> None:
        """Bind again after a reset.

        Raises:
            LayoutChangedError: The rows or their elements are not those of before.
        """
        before = self.columns
        self._bind(simulation)
        if len(before) != len(self.columns) or not all(map(_is_alike, before, self.columns)):
            raise LayoutChangedError("What can be written has changed with the reset: make a new writer.")

    def row(self, index: int) -> Attribute:
        """Return the catalogue row of a column."""
        return catalogue.attribute(self._selection.object_type, self.columns[index].attribute)

    def paths(self, column: Column) -> tuple[str, ...]:
        """Return the prim path of each row of a column."""
        return tuple(self._selection.paths[index] for index in column.rows)

    def is_sized_by_caller(self, index: int) -> bool:
        """Whether a column takes as many elements as the caller likes."""
        return self.columns[index].is_dynamic

    def allocate(self, simulation: Simulation, index: int) -> tuple[_Values, _Rows | None]:
        """Return memory for a column, filled with the current values, and its offsets."""
        column, row = self.columns[index], self.row(index)
        lanes, offsets = len(column.lanes or row.lanes), None
        elements = len(column.rows)
        if column.is_dynamic:
            now, known = self._reads[row.name].sized(simulation)
            return now.copy(), known.copy()
        if column.counts is not None:
            offsets = np.concatenate(([0], np.cumsum(column.counts))).astype(np.intp)
            elements = int(offsets[-1])
        values = np.empty((elements, lanes), dtype=DTYPES[row.dtype])
        self.start(simulation, index, values)
        return values, offsets

    def start(self, simulation: Simulation, index: int, values: _Values) -> None:
        """Fill values with what stands now."""
        now = self.current(simulation, index)
        if now is not None:
            values[...] = now
            return
        with self._engine_errors:
            self._binding.start(index, values)

    def current(self, simulation: Simulation, index: int) -> _Values | None:
        """Read a column's values as they are now; None where the attribute cannot be read.

        The memory is used again by the next call.

        Raises:
            NotWritableError: They are not known at the moment.
        """
        source = self._sources[index]
        if source is None:
            return None
        at, elements = source
        values = self._reads[self.columns[index].attribute].fetch(simulation, at)
        return values if elements is None else values[elements]

    def commit(self, index: int, values: _Values, rows: _Rows | None) -> None:
        """Publish checked values of some rows of a column, None for all."""
        with self._engine_errors:
            self._binding.commit(index, values, rows)

    def commit_sized(self, index: int, values: _Values, offsets: _Rows) -> None:
        """Publish a column that has as many elements as ``offsets`` say."""
        with self._engine_errors:
            cast(ResizingWriteBinding, self._binding).commit_sized(index, values, offsets)

    def restored(self, error: Exception, index: int, before: _Values | None, rows: _Rows | None) -> EngineError:
        """Write back what stood before a commit failed, and return the error that says how that went."""
        words = str(error).rstrip(".")
        if before is None:
            return EngineError(f"{words}. Whether rows were changed is not known.")
        try:
            self.commit(index, before, rows)
        except Exception as failure:
            return EngineError(f"{words}. The values before could not be restored: {failure}")
        return EngineError(f"{words}. The values before have been restored.")


class _Current:
    """A prepared read of one attribute, into memory that is used again."""

    def __init__(self, simulation: Simulation, selection: Selection, name: str) -> None:
        self._prepared = PreparedRead(simulation, selection, [name])
        self._result, self._buffers = self._prepared.allocate(simulation)
        self._name = name

    @property
    def columns(self) -> Sequence[Column]:
        """What it delivers."""
        return self._prepared.columns

    def is_current(self, simulation: Simulation) -> bool:
        """Whether it delivers all that it can."""
        return self._prepared.is_current(simulation)

    def why_not(self) -> str:
        """Say why it does not deliver something."""
        return " ".join(omission.detail for omission in self._result.omissions)

    def fetch(self, simulation: Simulation, at: int) -> _Values:
        """Return the current values of one column.

        Raises:
            NotWritableError: They are not known at the moment.
        """
        self._prepared.fetch(simulation, self._result, self._buffers)
        buffer = self._buffers[at]
        if buffer.omission is not None:
            raise NotWritableError(
                f"{self._name!r} cannot be written, as its current values are not known: {buffer.omission.detail}"
            )
        values: _Values = buffer.array.numpy() if buffer.host is None else buffer.host
        return values

    def sized(self, simulation: Simulation) -> tuple[_Values, _Rows]:
        """Return the values and the offsets of an attribute with any number of elements."""
        values, offsets = self.fetch(simulation, 0), self._buffers[0].offsets
        assert offsets is not None
        return values, offsets


def _source(column: Column, reads: Sequence[Column]) -> tuple[int, _Rows | None] | None:
    """Return which read column has the current values of a write column, and which of its elements; None for none."""
    for at, read in enumerate(reads):
        if read.attribute != column.attribute or read.scene != column.scene:
            continue
        if np.array_equal(read.rows, column.rows):
            return at, None
        if not np.isin(column.rows, read.rows).all():
            continue
        places = np.searchsorted(read.rows, column.rows)
        if read.counts is None:
            return at, places
        starts = np.cumsum(read.counts) - read.counts
        runs = [np.arange(starts[place], starts[place] + read.counts[place]) for place in places]
        return at, np.concatenate(runs).astype(np.intp)
    return None


def _is_alike(one: Column, other: Column) -> bool:
    counts = (one.counts is None) == (other.counts is None) and (
        one.counts is None or np.array_equal(one.counts, other.counts)  # type: ignore[arg-type]
    )
    return (
        (one.attribute, one.scene, one.lanes) == (other.attribute, other.scene, other.lanes)
        and np.array_equal(one.rows, other.rows)
        and counts
    )
