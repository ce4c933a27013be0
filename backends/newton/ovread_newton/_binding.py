"""The per-step path of a read: gathers from Newton's arrays into the core's buffers.

On the CPU the arrays are seen through cached NumPy views, so that a read launches no kernel and allocates nothing. On
a GPU plain gathers are kernels in one graph; what converts values in other ways is done on the host and copied back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
import numpy.typing as npt

from ovread.backend import Buffer, Column, Omission

if TYPE_CHECKING:
    from ovread_newton._engine import NewtonEngine

Values = npt.NDArray[Any]
Write = Callable[[Values], Omission | None]
"""Fills a host array ``(elements, lanes)``, or says why it cannot."""

_VIEWS_KEPT = 4


class Source:
    """A flat host view of one array of the engine, whichever array that is at the moment of the call.

    Args:
        engine: The engine.
        part: Attribute of the engine that has the array: ``model``, ``state``, ``joint_state``, ``control``, or
            ``model.mujoco`` for MuJoCo's own.
        name: Name of the array.
    """

    def __init__(self, engine: NewtonEngine, part: str, name: str) -> None:
        self._engine = engine
        self._part = part
        self._name = name
        self._owner = attrgetter(part)
        self._views: list[tuple[Any, Values]] = []

    @property
    def array(self) -> Any:
        """The array; None where the engine has none."""
        return getattr(self._owner(self._engine), self._name)

    def __call__(self) -> Values:
        """Return the view."""
        array = self.array
        for known, view in self._views:
            if known is array:
                return view
        if array is None:
            return np.zeros(0, dtype=np.float32)
        values: Values = array.numpy()
        flat = values.reshape(-1)
        if array.device.is_cpu and np.shares_memory(values, flat):
            # The entry keeps the array alive, so the view stays valid. States are swapped: keep a few.
            self._views = [(array, flat), *self._views[: _VIEWS_KEPT - 1]]
        return flat


@attrs.frozen(eq=False)
class Gather:
    """Reads elements, times a factor.

    Args:
        source: Where from.
        index: Which; it has the shape of the output.
        factor: What each is multiplied by, in a shape that broadcasts to the output's.
    """

    source: Source
    index: npt.NDArray[np.intp]
    factor: Values | None = None

    def __call__(self, out: Values) -> None:
        """Fill the output."""
        # mode="clip" lets NumPy write straight to the output; every index is in range.
        np.take(self.source(), self.index, out=out, mode="clip")
        if self.factor is not None:
            np.multiply(out, self.factor, out=out)


def lanes(rows: npt.NDArray[np.intp], width: int, start: int, end: int) -> npt.NDArray[np.intp]:
    """Return the flat indices of columns ``start`` to ``end`` of some rows of an array ``(rows, width)``."""
    return rows[:, None] * width + np.arange(start, end, dtype=np.intp)


def constant(values: Values) -> Write:
    """Read what does not change."""

    def write(out: Values) -> None:
        np.copyto(out, values)

    return write


@attrs.define(eq=False)
class Binding:
    """A prepared read.

    Args:
        columns: What it delivers.
        writes: One function per column.
        omissions: What it does not deliver.
        prepare: Called before each read.
    """

    columns: Sequence[Column]
    writes: Sequence[Write]
    omissions: Sequence[Omission] = ()
    prepare: Callable[[], None] | None = None
    _staging: dict[int, Values] = attrs.field(factory=dict, init=False)
    _gathers: Any = attrs.field(default=None, init=False)

    def fetch(self, buffers: Sequence[Buffer]) -> None:
        """Fill one buffer per column."""
        if self.prepare is not None:
            self.prepare()
        on_device: list[tuple[Gather, Buffer]] = []
        for write, buffer in zip(self.writes, buffers, strict=True):
            if buffer.host is not None:
                buffer.omission = write(buffer.host)
            elif isinstance(write, Gather) and buffer.array.dtype.__name__ == "float32":
                on_device.append((write, buffer))
            else:
                self._fetch_through_host(write, buffer)
        if on_device:
            self._fetch_on_device(on_device)

    def _fetch_on_device(self, pairs: Sequence[tuple[Gather, Buffer]]) -> None:
        if self._gathers is None:
            from ovread_newton._device_gathers import DeviceGathers

            self._gathers = DeviceGathers([gather for gather, _ in pairs], pairs[0][1].array.device)
        self._gathers.fetch([buffer for _, buffer in pairs])

    def _fetch_through_host(self, write: Write, buffer: Buffer) -> None:
        staging = self._staging.get(id(write))
        if staging is None:
            staging = self._staging[id(write)] = np.empty_like(buffer.array.numpy())
        buffer.omission = write(staging)
        buffer.array.assign(staging)

    def close(self) -> None:
        """Hold nothing native, so give back nothing."""
