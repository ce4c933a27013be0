"""Copies of the engine's tensors into the memory of a read, wherever either is: nothing on a GPU goes through the host.

The tensors are Warp arrays of the public API, which has ordered the Warp stream that is current behind the engine's
work (``_order_warp_stream_after_group`` in ``ovphysx/api.py``). Copies run on that stream.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ovread.backend import Buffer
from ovread_physx._layout import Copy


class DeviceFill:
    """How the buffers of one group are filled; keeps the indices, and memory to bring tensors together in.

    Args:
        shape: Of all elements of the group, as the copies number them.
        dtype: Of a component.
        copies: What to fill.
        mismatch: Makes the error for tensors that are not what was planned, from one word.
    """

    def __init__(
        self,
        shape: tuple[int, int],
        dtype: type[np.generic],
        copies: Sequence[Copy],
        mismatch: Callable[[str], Exception],
    ) -> None:
        import warp as wp

        self._shape = shape
        self._dtype = wp.dtype_from_numpy(dtype)
        self._copies = copies
        self._mismatch = mismatch
        self._together: Any = None
        self._indices: dict[int, Any] = {}
        self._gathered: dict[int, Any] = {}

    def __call__(self, tensors: Sequence[Any], buffers: Sequence[Buffer]) -> set[str]:
        """Fill the buffers from the tensors of a group; return the CUDA devices on which that may still go on."""
        size = self._shape[0] * self._shape[1]
        if sum(tensor.size for tensor in tensors) != size or any(t.dtype is not self._dtype for t in tensors):
            raise self._mismatch("shapes")
        if not size:
            return set()
        values = self._values(tensors)
        devices = [values.device]
        for number, copy in enumerate(self._copies):
            array = buffers[copy.column].array
            if array.dtype is not self._dtype or array.size != self._size(copy):
                raise self._mismatch("shapes")
            devices.append(array.device)
            self._copy(number, copy, values, array)
        return {device.alias for device in devices if device.is_cuda}

    def _size(self, copy: Copy) -> int:
        return (self._shape[0] if copy.index is None else len(copy.index)) * self._shape[1]

    def _values(self, tensors: Sequence[Any]) -> Any:
        """Return all elements as one array: where they lie, or brought together."""
        import warp as wp

        filled = [tensor for tensor in tensors if tensor.size]
        device = filled[0].device
        if is_arena(filled):
            # No owner: it must not outlive the tensors, which hold the engine's memory.
            return wp.array(ptr=filled[0].ptr, dtype=self._dtype, shape=self._shape, device=device)
        if self._together is None or self._together.device != device:
            self._together = wp.empty(self._shape, dtype=self._dtype, device=device)
        start = 0
        for tensor in filled:
            wp.copy(self._together, tensor, dest_offset=start, count=tensor.size)
            start += tensor.size
        return self._together

    def _copy(self, number: int, copy: Copy, values: Any, array: Any) -> None:
        import warp as wp

        if copy.index is None:
            wp.copy(array, values, count=values.size)
            return
        if not len(copy.index):
            return
        chosen = wp.indexedarray(values, [self._index(number, copy.index, values.device), None])
        if array.device == values.device:
            wp.copy(array, chosen)
            return
        # Only contiguous memory goes from one device to another.
        gathered = self._gathered.get(number)
        if gathered is None or gathered.device != values.device:
            gathered = wp.empty(chosen.shape, dtype=self._dtype, device=values.device)
            self._gathered[number] = gathered
        wp.copy(gathered, chosen)
        wp.copy(array, gathered)

    def _index(self, number: int, index: npt.NDArray[np.intp], device: Any) -> Any:
        import warp as wp

        known = self._indices.get(number)
        if known is None or known.device != device:
            known = self._indices[number] = wp.array(index.astype(np.int32), dtype=wp.int32, device=device)
        return known


def is_arena(tensors: Sequence[Any]) -> bool:
    """Whether tensors lie one after another, on one device, so that they can be taken as one."""
    end = tensors[0].ptr
    for tensor in tensors:
        if tensor.ptr != end or not tensor.is_contiguous or tensor.device != tensors[0].device:
            return False
        end += tensor.size * (tensor.strides[-1] if tensor.ndim else 0)
    return True


def fill_tensors(tensors: Sequence[Any], values: npt.NDArray[Any], mismatch: Callable[[str], Exception]) -> None:
    """Copy elements on the host into the tensors of a write, wherever these are, on the current stream."""
    import warp as wp

    kind = wp.dtype_from_numpy(values.dtype.type)
    if sum(tensor.size for tensor in tensors) != values.size or any(tensor.dtype is not kind for tensor in tensors):
        raise mismatch("shapes")
    start = 0
    for tensor in tensors:
        piece = values[start : start + len(tensor)].reshape(tensor.shape)
        start += len(tensor)
        if tensor.device.is_cpu:
            tensor.numpy()[...] = piece
        else:
            tensor.assign(piece)


def stream_of(tensor: Any) -> int:
    """Return the CUDA stream on which the tensor was filled; 0 on the host."""
    import warp as wp

    return int(wp.get_stream(tensor.device).cuda_stream) if tensor.device.is_cuda else 0


def finish(devices: Iterable[str]) -> None:
    """Wait for the copies on the current streams: the engine reuses its memory as soon as a read is given back.

    Its documentation asks for that before a release: an event that says that values are ready does not say that they
    have been read. Values are then good for whichever stream the caller uses.
    """
    import warp as wp

    for device in devices:
        wp.synchronize_stream(device)
