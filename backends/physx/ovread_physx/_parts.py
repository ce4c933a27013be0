"""Reads that are prepared in parts: some rows or attributes need another native query, or have another reason."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import attrs
import numpy as np
import numpy.typing as npt

from ovread.backend import Buffer, Column, Omission, ReadBinding
from ovread.catalogue import Attribute
from ovread_physx._sources import DTYPES


@attrs.frozen(eq=False)
class Part:
    """A binding of some of the requested rows, which are at these positions of the request."""

    binding: ReadBinding
    positions: npt.NDArray[np.intp]

    def columns(self) -> Iterator[Column]:
        for column in self.binding.columns:
            yield attrs.evolve(column, rows=self.positions[column.rows])


class Joined:
    """Several bindings as one."""

    def __init__(self, parts: Sequence[Part], omissions: Sequence[Omission]) -> None:
        self._parts = parts
        self.columns: Sequence[Column] = [column for part in parts for column in part.columns()]
        self.omissions = [*omissions, *(omission for part in parts for omission in part.binding.omissions)]

    def fetch(self, buffers: Sequence[Buffer]) -> None:
        """Fill the buffers of each binding."""
        start = 0
        for part in self._parts:
            end = start + len(part.binding.columns)
            part.binding.fetch(buffers[start:end])
            start = end

    def close(self) -> None:
        """Close each binding."""
        for part in self._parts:
            part.binding.close()


class Gathered:
    """A binding whose columns of one attribute and scene are put together, in the order of the request."""

    def __init__(self, binding: ReadBinding) -> None:
        self._binding = binding
        self.omissions = binding.omissions
        places: dict[tuple[str, str | None], list[int]] = {}
        for place, column in enumerate(binding.columns):
            # Columns with counts have elements of several rows side by side: those stay as they are.
            key = (column.attribute, column.scene) if column.counts is None else (f"{place}", None)
            places.setdefault(key, []).append(place)
        self._places = list(places.values())
        rows = [np.concatenate([binding.columns[place].rows for place in found]) for found in self._places]
        self.columns: Sequence[Column] = [
            attrs.evolve(binding.columns[found[0]], rows=np.sort(each))
            for found, each in zip(self._places, rows, strict=True)
        ]
        self._targets = {
            place: np.searchsorted(column.rows, binding.columns[place].rows)
            for found, column in zip(self._places, self.columns, strict=True)
            for place in found
            if len(found) > 1
        }
        self._pieces: dict[int, Buffer] = {}

    def fetch(self, buffers: Sequence[Buffer]) -> None:
        """Let the binding fill pieces, and put them together."""
        for buffer, places in zip(buffers, self._places, strict=True):
            for place in places:
                if place not in self._targets:
                    self._pieces[place] = buffer
                elif place not in self._pieces:
                    self._pieces[place] = host_buffer(buffer.row, len(self._targets[place]), buffer.array.shape[1])
        pieces = [self._pieces[place] for place in range(len(self._pieces))]
        for piece in pieces:
            piece.omission = None
        self._binding.fetch(pieces)
        for buffer, places in zip(buffers, self._places, strict=True):
            if len(places) > 1:
                self._put_together(buffer, places)

    def _put_together(self, buffer: Buffer, places: Sequence[int]) -> None:
        out = np.empty(buffer.array.shape, DTYPES[buffer.row.dtype]) if buffer.host is None else buffer.host
        for place in places:
            out[self._targets[place]] = self._pieces[place].host
        if buffer.host is None:
            buffer.array.assign(out)
        buffer.omission = self._pieces[places[0]].omission

    def close(self) -> None:
        """Close the binding."""
        self._binding.close()


def host_buffer(row: Attribute, rows: int, lanes: int) -> Buffer:
    """Return memory that the backend fills for itself; no reader ever sees it."""
    import warp as wp

    array = wp.from_numpy(np.zeros((rows, lanes), DTYPES[row.dtype]), device="cpu")
    return Buffer(row, array, array.numpy())
