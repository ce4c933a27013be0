"""Two ways to read from the engine: through the documented C API, and through the public Python API.

The first costs a tenth of the second and serves every read. The second stands in where the library is not the one
that the first was written for, and is what tests hold the first against.
"""

from __future__ import annotations

import ctypes
import os
import warnings
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from ovread.backend import Buffer
from ovread.catalogue import ObjectType
from ovread.errors import LayoutChangedError
from ovread_physx import _device, _native
from ovread_physx._layout import GroupPlan, RawGroup
from ovread_physx._logging import log

if TYPE_CHECKING:
    from ovread_physx._engine import PhysxEngine

ENVIRONMENT_VARIABLE = "OVREAD_PHYSX_READS"
"""Set to ``public`` to read and write through the public Python API only."""

DTYPES: dict[str, type[np.generic]] = {
    "f32": np.float32,
    "i32": np.int32,
    "u8": np.uint8,
    "u32": np.uint32,
    "u64": np.uint64,
}


class KeptQuery(Protocol):
    """A native query that is kept until it is closed."""

    def close(self) -> None:
        """Give the query back."""


class ReadSource(KeptQuery, Protocol):
    """A kept native query, from which attributes are read."""

    def survey(self, names: Sequence[str]) -> tuple[list[RawGroup], dict[str, int]]:
        """Read once: what the groups look like, and the engine's bits for what it left out."""

    def prepare(self, plans: Sequence[GroupPlan], names: Sequence[str], *, several_scenes: bool) -> None:
        """Take over what :meth:`fetch` is to read."""

    def fetch(self, buffers: Sequence[Buffer]) -> None:
        """Read, and fill the buffers."""


def open_source(engine: PhysxEngine, object_type: ObjectType, prims: Sequence[int] | None) -> ReadSource:
    """Open a native query of some prims, or of all objects of a type."""
    return (NativeSource if uses_c_api(engine) else PublicSource)(engine, object_type, prims)


def uses_c_api(engine: PhysxEngine) -> bool:
    """Whether to read through the C API; warns where that would be right but cannot be."""
    if os.environ.get(ENVIRONMENT_VARIABLE) == "public" or engine.device != "cpu":
        return False
    try:
        _native.load()
    except _native.UnsupportedLibraryError as error:
        text = f"ovread reads and writes PhysX through its Python API, several times slower than it could: {error}."
        log.warning("%s", text)
        warnings.warn(text, RuntimeWarning, stacklevel=2)
        return False
    return True


class _Target:
    """What one group is expected to look like, and the memory in which it is rearranged."""

    def __init__(self, plan: GroupPlan, token: int) -> None:
        self.plan = plan
        self.token = token
        self.copies = plan.copies
        self.prim_count = len(plan.prims)
        self.counts = plan.counts
        self.lanes = plan.lanes
        self.first_prim = plan.prims[0] if plan.prims else 0
        if plan.row is None:
            return
        dtype = np.dtype(DTYPES[plan.row.dtype])
        self.dtype = _native.dtype_code(plan.row.dtype, plan.lanes)
        self.item_bytes = dtype.itemsize * plan.lanes
        elements = sum(plan.counts)
        self.bytes = elements * self.item_bytes
        self.last_offset = (elements - plan.counts[-1]) * self.item_bytes if plan.counts else 0
        # Padded rows, such as the shapes of each body, lie side by side: one element each.
        shape = (elements * plan.lanes, 1) if plan.is_padded else (elements, plan.lanes)
        self.scratch: npt.NDArray[Any] = np.empty(shape, dtype=dtype)
        self.scratch_address = self.scratch.ctypes.data

    def device_fill(self) -> _device.DeviceFill:
        """Return what fills buffers from tensors that are on a GPU, or for buffers that are."""
        return _device.DeviceFill(self.scratch.shape, self.scratch.dtype.type, self.copies, self.mismatch)

    def mismatch(self, what: str) -> LayoutChangedError:
        return LayoutChangedError(
            f"PhysX answered {self.plan.attribute!r} with other {what} than when this read was prepared: objects "
            "were added, removed or changed. Make a new query and read with it."
        )


class NativeSource:
    """Reads through the C API: one snapshot per read, one copy per group, no Python object per prim."""

    def __init__(self, engine: PhysxEngine, object_type: ObjectType, prims: Sequence[int] | None) -> None:
        self._dictionary = engine.dictionary
        self._session = _native.Session(engine.physx.handle, int(object_type), prims)
        self._targets: list[_Target] = []
        self._attributes: Any = None
        self._several_scenes = False

    def survey(self, names: Sequence[str]) -> tuple[list[RawGroup], dict[str, int]]:
        """Read once: what the groups look like, and the engine's bits for what it left out."""
        tokens = [self._dictionary.intern_token(name) for name in names]
        try:
            bits = self._session.open_summary(_native.attribute_list(tokens))
            groups = [self._describe(group) for group in iter(self._session.next, None)]
        finally:
            self._session.release()
        return groups, dict(zip(names, bits, strict=True))

    def _describe(self, group: _native.Group) -> RawGroup:
        if group.prim_index_map or group.data_index_map or group.mask:
            raise RuntimeError("PhysX answered with a sparse group, which this backend does not know")
        prims = self._dictionary.get_paths(group.prim_list)[group.prim_offset :][: group.prim_count]
        tensors = [group.tensors[index] for index in range(group.tensor_count)]
        counts = [tensor.shape[0] for tensor in tensors]
        lanes = tensors[0].dtype >> 16 if tensors else 1
        values = None
        if tensors and tensors[0].dtype == _native.dtype_code("i32", 1) and not group.is_array:
            address = tensors[0].data + tensors[0].byte_offset if counts[0] else None
            values = np.empty(counts[0], dtype=np.int32)
            if address:
                ctypes.memmove(values.ctypes.data, address, values.nbytes)
        name = self._dictionary.token_to_string(group.attribute)
        return RawGroup(name, prims, counts, lanes, group.is_array, values)

    def prepare(self, plans: Sequence[GroupPlan], names: Sequence[str], *, several_scenes: bool) -> None:
        """Take over what :meth:`fetch` is to read."""
        tokens = [self._dictionary.intern_token(name) for name in names]
        self._attributes = _native.attribute_list(tokens)
        self._targets = [_Target(plan, self._dictionary.intern_token(plan.attribute)) for plan in plans]
        self._several_scenes = several_scenes

    def fetch(self, buffers: Sequence[Buffer]) -> None:
        """Read, and fill the buffers."""
        session = self._session
        session.open(self._attributes)
        try:
            for target in self._targets:
                group = session.next()
                if group is None or group.attribute != target.token:
                    raise target.mismatch("groups")
                if target.copies:
                    self._fill(group, target, buffers)
            if session.next() is not None:
                raise self._targets[-1].mismatch("groups")
        finally:
            session.release()

    def _fill(self, group: _native.Group, target: _Target, buffers: Sequence[Buffer]) -> None:
        if group.prim_count != target.prim_count or group.tensor_count != len(target.counts):
            raise target.mismatch("rows")
        if self._several_scenes and self._dictionary.get_paths(group.prim_list)[0] != target.first_prim:
            raise target.mismatch("scenes")
        if not target.bytes:
            return
        source = self._address(group, target)
        in_scratch = source == target.scratch_address
        for copy in target.copies:
            buffer = buffers[copy.column]
            if copy.index is None:
                ctypes.memmove(buffer.array.ptr, source, target.bytes)
                continue
            if not in_scratch:
                ctypes.memmove(target.scratch_address, source, target.bytes)
                in_scratch = True
            np.take(target.scratch, copy.index, axis=0, out=buffer.host, mode="clip")

    def _address(self, group: _native.Group, target: _Target) -> int:
        """Return where the elements of a group lie one after another; bring them together where they do not."""
        tensors, counts = group.tensors, target.counts
        first = tensors[0]
        if first.dtype != target.dtype or first.device_type != _native.CPU or first.shape[0] != counts[0]:
            raise target.mismatch("shapes")
        start: int = first.data + first.byte_offset
        if len(counts) == 1:
            return start
        last = tensors[len(counts) - 1]
        if last.data + last.byte_offset == start + target.last_offset and last.shape[0] == counts[-1]:
            return start
        offset = target.scratch_address
        for index, count in enumerate(counts):
            tensor = tensors[index]
            if tensor.dtype != target.dtype or tensor.shape[0] != count:
                raise target.mismatch("shapes")
            ctypes.memmove(offset, tensor.data + tensor.byte_offset, count * target.item_bytes)
            offset += count * target.item_bytes
        return target.scratch_address

    def close(self) -> None:
        """Give the query back."""
        self._session.close()


class PublicSource:
    """Reads through ``PhysX.read``: one Warp array per tensor. What is on a GPU stays there."""

    def __init__(self, engine: PhysxEngine, object_type: ObjectType, prims: Sequence[int] | None) -> None:
        from ovphysx.types import SimObjectType

        self._physx = engine.physx
        self._dictionary = engine.dictionary
        kind = SimObjectType[object_type.name]
        # An empty list would select everything.
        self._query = self._physx.query(kind, prim_paths=prims, metadata=False).wait()
        self._targets: list[_Target] = []
        self._names: Sequence[str] = ()
        self._several_scenes = False
        self._fills: dict[int, _device.DeviceFill] = {}
        self._copying_on: set[str] = set()

    def survey(self, names: Sequence[str]) -> tuple[list[RawGroup], dict[str, int]]:
        """Read once: what the groups look like, and the engine's bits for what it left out."""
        result = self._physx.read(self._query, list(names), metadata=True).wait()
        try:
            metadata = result.metadata
            bits = [int(row.omission_reasons) for row in metadata.attributes] if metadata else []
            groups = [self._describe(group) for group in self._fetched(result)]
        finally:
            result.groups.clear()
            result.close_sync()
        return groups, dict(zip(names, bits, strict=True))

    def _fetched(self, result: Any) -> Iterator[Any]:
        while (group := result.fetch_next().wait()) is not None:
            yield group
            del group
            result.groups.clear()

    def _describe(self, group: Any) -> RawGroup:
        import warp as wp

        if group.prim_index_map is not None or group.index_map is not None:
            raise RuntimeError("PhysX answered with a sparse group, which this backend does not know")
        prims = self._dictionary.get_paths(group.prim_list)[group.prim_offset :][: group.prim_count]
        counts = [tensor.shape[0] for tensor in group.tensors]
        lanes = group.tensors[0].shape[1] if group.tensors and group.tensors[0].ndim > 1 else 1
        values = None
        first = group.tensors[0] if group.tensors and not group.is_array else None
        if first is not None and first.dtype is wp.int32 and first.ndim == 1:
            values = np.array(first.numpy())
        name = self._dictionary.token_to_string(group.attribute)
        return RawGroup(name, prims, counts, lanes, group.is_array, values)

    def prepare(self, plans: Sequence[GroupPlan], names: Sequence[str], *, several_scenes: bool) -> None:
        """Take over what :meth:`fetch` is to read."""
        self._names = list(names)
        self._targets = [_Target(plan, self._dictionary.intern_token(plan.attribute)) for plan in plans]
        self._several_scenes = several_scenes
        self._fills.clear()

    def fetch(self, buffers: Sequence[Buffer]) -> None:
        """Read, and fill the buffers."""
        result = self._physx.read(self._query, self._names).wait()
        try:
            groups = self._fetched(result)
            for number, target in enumerate(self._targets):
                self._fill(next(groups, None), number, target, buffers)
            if next(groups, None) is not None:
                raise self._targets[-1].mismatch("groups")
        finally:
            try:
                _device.finish(self._copying_on)
            finally:
                self._copying_on.clear()
                result.groups.clear()
                result.close_sync()

    def _fill(self, group: Any, number: int, target: _Target, buffers: Sequence[Buffer]) -> None:
        if group is None or group.attribute != target.token:
            raise target.mismatch("groups")
        if not target.copies:
            return
        if group.prim_count != target.prim_count or [len(tensor) for tensor in group.tensors] != list(target.counts):
            raise target.mismatch("rows")
        if self._several_scenes and self._first_prim(group) != target.first_prim:
            raise target.mismatch("scenes")
        if not target.bytes:
            return
        hosts = [buffers[copy.column].host for copy in target.copies]
        if group.tensors[0].device.is_cpu and all(host is not None for host in hosts):
            self._fill_hosts(group, target, hosts)
            return
        if number not in self._fills:
            self._fills[number] = target.device_fill()
        self._copying_on |= self._fills[number](group.tensors, buffers)

    def _first_prim(self, group: Any) -> int:
        return int(self._dictionary.get_paths(group.prim_list)[group.prim_offset])

    @staticmethod
    def _fill_hosts(group: Any, target: _Target, hosts: Sequence[npt.NDArray[Any] | None]) -> None:
        flat = target.scratch.reshape(sum(target.counts), -1)
        row = 0
        for tensor in group.tensors:
            values = tensor.numpy()
            if values.dtype != flat.dtype or values.size != len(values) * flat.shape[1]:
                raise target.mismatch("shapes")
            flat[row : row + len(values)] = values.reshape(len(values), -1)
            row += len(values)
        for copy, host in zip(target.copies, hosts, strict=True):
            assert host is not None
            values = target.scratch if copy.index is None else target.scratch[copy.index]
            host[...] = values.reshape(host.shape)

    def close(self) -> None:
        """Give the query back."""
        self._query.close_sync()
