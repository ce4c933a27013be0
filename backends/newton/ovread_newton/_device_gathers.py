"""Plain columns of models that live on a GPU: gathered there, all of a reader's in one captured graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
import warp as wp

from ovread.backend import Buffer

if TYPE_CHECKING:
    from ovread_newton._binding import Gather

_GRAPHS_KEPT = 4
"""States are swapped: each pair of them and the reader's memory has a graph of its own."""


@wp.kernel(enable_backward=False)  # type: ignore[untyped-decorator]
def _gather(
    source: wp.array(dtype=wp.float32),  # type: ignore[valid-type]
    index: wp.array(dtype=wp.int32),  # type: ignore[valid-type]
    factor: wp.array(dtype=wp.float32),  # type: ignore[valid-type]
    out: wp.array(dtype=wp.float32),  # type: ignore[valid-type]
) -> None:
    element = wp.tid()
    out[element] = source[index[element]] * factor[element]


@attrs.define(eq=False)
class _Upload:
    index: wp.array
    factor: wp.array

    @classmethod
    def of(cls, gather: Gather, device: Any) -> _Upload:
        flat = gather.index.reshape(-1).astype(np.int32)
        factor = np.ones(gather.index.shape, np.float32)
        if gather.factor is not None:
            factor *= gather.factor
        return cls(
            wp.array(flat, dtype=wp.int32, device=device),
            wp.array(factor.reshape(-1), dtype=wp.float32, device=device),
        )


class DeviceGathers:
    """Some gathers on one device.

    Args:
        gathers: The gathers.
        device: The device.
    """

    def __init__(self, gathers: Sequence[Gather], device: Any) -> None:
        self._gathers = gathers
        self._device = wp.get_device(device)
        self._uploads = [_Upload.of(gather, device) for gather in gathers]
        self._graphs: dict[tuple[int, ...], tuple[Any, list[Any]]] = {}
        self._seen: tuple[int, ...] = ()

    def fetch(self, buffers: Sequence[Buffer]) -> None:
        """Fill one buffer per gather; the second time the same memory is filled, the launches become a graph."""
        arrays = [gather.source.array for gather in self._gathers]
        outputs = [buffer.array for buffer in buffers]
        key = tuple(0 if array is None else array.ptr or 0 for array in (*arrays, *outputs))
        if key in self._graphs:
            graph, _ = self._graphs[key]
            wp.capture_launch(graph)
        elif key == self._seen and self._device.is_cuda:
            with wp.ScopedCapture(device=self._device) as capture:
                self.launch(arrays, outputs)
            if len(self._graphs) == _GRAPHS_KEPT:
                self._graphs.pop(next(iter(self._graphs)))
            # Arrays that a graph points to must live as long as it does.
            self._graphs[key] = capture.graph, [*arrays, *outputs]
            wp.capture_launch(capture.graph)
        else:
            self.launch(arrays, outputs)
        self._seen = key

    def launch(self, arrays: Sequence[wp.array], outputs: Sequence[wp.array]) -> None:
        """Launch the kernels, from the engine's arrays to the reader's."""
        for upload, array, out in zip(self._uploads, arrays, outputs, strict=True):
            if len(upload.index):
                inputs = [_flat(array), upload.index, upload.factor, _flat(out)]
                wp.launch(_gather, dim=len(upload.index), inputs=inputs, device=self._device)


def _flat(array: wp.array) -> wp.array:
    """See an array of floats, vectors or transforms as one row of floats."""
    size = array.size * wp.types.type_size_in_bytes(array.dtype) // 4
    return wp.array(ptr=array.ptr, dtype=wp.float32, shape=(size,), device=array.device, copy=False)
