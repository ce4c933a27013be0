"""Reads that are prepared in parts: some rows or attributes need another native query, or have another reason."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import attrs
import numpy as np
import numpy.typing as npt

from ovread.backend import Buffer, Column, Omission, ReadBinding


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
