"""What an attribute is at the moment, for the rows of a write."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ovread.catalogue import ObjectType, attribute
from ovread_physx._layout import elements_of
from ovread_physx._parts import host_buffer
from ovread_physx._reads import bind_read

if TYPE_CHECKING:
    from ovread_physx._engine import PhysxEngine

Indices = npt.NDArray[np.intp]


class CurrentValues:
    """A prepared read of one attribute into memory on the host.

    Args:
        engine: The engine.
        object_type: Type of the objects.
        name: The attribute.
        rows: The objects, as rows of the engine's table.
        counts: Elements of each, where the attribute is ragged.
    """

    def __init__(
        self, engine: PhysxEngine, object_type: ObjectType, name: str, rows: Indices, counts: Indices | None = None
    ) -> None:
        row = attribute(object_type, name)
        self._binding = bind_read(engine, object_type, rows, [name])
        columns = self._binding.columns
        sizes = [len(column.rows) if column.counts is None else int(column.counts.sum()) for column in columns]
        self._buffers = [host_buffer(row, size, len(row.lanes)) for size in sizes]
        total = len(rows) if counts is None else int(counts.sum())
        self._values: npt.NDArray[Any] = np.zeros((total, len(row.lanes)), self._host(0).dtype if columns else np.uint8)
        self._places = [elements_of(column.rows, counts) for column in columns]

    def read(self) -> npt.NDArray[Any]:
        """Return the values as they are now, ``(rows, lanes)`` or ``(elements, lanes)``; the memory is used again."""
        self._binding.fetch(self._buffers)
        for number, places in enumerate(self._places):
            self._values[places] = self._host(number)
        return self._values

    def _host(self, number: int) -> npt.NDArray[Any]:
        host = self._buffers[number].host
        assert host is not None
        return host

    def close(self) -> None:
        """Give the native query back."""
        self._binding.close()


def read_once(engine: PhysxEngine, object_type: ObjectType, name: str, rows: Indices) -> npt.NDArray[Any]:
    """Return what a fixed attribute is now, ``(rows, lanes)``."""
    current = CurrentValues(engine, object_type, name, rows)
    try:
        return current.read()
    finally:
        current.close()
