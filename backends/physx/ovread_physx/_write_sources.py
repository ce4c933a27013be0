"""Two ways to write to the engine: through the documented C API, and through the public Python API.

They are what :mod:`ovread_physx._sources` has for reads, and chosen in the same way. A session is opened when values
are published, filled with one copy per group, committed and released: no memory of the engine outlives a call.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import attrs
import numpy as np
import numpy.typing as npt

from ovread.catalogue import ObjectType
from ovread.errors import LayoutChangedError
from ovread_physx import _device, _native
from ovread_physx._layout import GroupPlan, RawGroup
from ovread_physx._native_writes import WriteSession
from ovread_physx._sources import DTYPES, KeptQuery, uses_c_api

if TYPE_CHECKING:
    from ovread_physx._engine import PhysxEngine


@attrs.frozen(eq=False)
class Filling:
    """Which elements of a column fill a group.

    Args:
        elements: Element of the column for each element of the group that one fills; None where they are the same.
        places: Those elements of the group; None for all of them.
    """

    elements: npt.NDArray[np.intp] | None
    places: npt.NDArray[np.intp] | None


class WriteTarget:
    """One group that a write is to find, and what fills it: None for a group that is left as it is."""

    def __init__(self, plan: GroupPlan, filling: Filling | None) -> None:
        self.attribute = plan.attribute
        self.prim_count = len(plan.prims)
        self.first_prim = plan.prims[0] if plan.prims else 0
        self.counts = plan.counts
        self.filling = filling
        if plan.row is None or filling is None:
            return
        dtype = np.dtype(DTYPES[plan.row.dtype])
        self.dtype = _native.dtype_code(plan.row.dtype, plan.lanes)
        self.item_bytes = dtype.itemsize * plan.lanes
        elements = sum(plan.counts)
        self.bytes = elements * self.item_bytes
        self.last_offset = (elements - plan.counts[-1]) * self.item_bytes if plan.counts else 0
        # Padded rows, such as the shapes of each body, lie side by side: one element each.
        shape = (elements * plan.lanes, 1) if plan.is_padded else (elements, plan.lanes)
        self._scratch: npt.NDArray[Any] = np.zeros(shape, dtype=dtype)
        some = 0 if filling.places is None else len(filling.places)
        self._some: npt.NDArray[Any] = np.empty((some, shape[1]), dtype=dtype)

    def arranged(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the elements of the group, one after another, from those of the column."""
        filling = self.filling
        assert filling is not None
        if filling.elements is None:
            return values
        if filling.places is None:
            return np.take(values, filling.elements, axis=0, out=self._scratch, mode="clip")
        self._scratch[filling.places] = np.take(values, filling.elements, axis=0, out=self._some, mode="clip")
        return self._scratch

    def mismatch(self, what: str) -> LayoutChangedError:
        return LayoutChangedError(
            f"PhysX takes {self.attribute!r} with other {what} than when this write was prepared: objects were added, "
            "removed or changed. Make a new query and write with it."
        )


class WriteSource(KeptQuery, Protocol):
    """A kept native query, to whose objects attributes are written."""

    def survey(self, names: Sequence[str]) -> list[RawGroup]:
        """Open a session and discard it: what the groups look like, under the names that are asked for.

        Whether a group is an array, the engine does not say here.
        """

    def publish(self, name: str, targets: Sequence[WriteTarget], values: npt.NDArray[Any]) -> None:
        """Write the values of a column to the groups of one attribute."""


def open_write_source(engine: PhysxEngine, object_type: ObjectType, prims: Sequence[int] | None) -> WriteSource:
    """Open a native query of some prims, or of all objects of a type."""
    return (NativeWriteSource if uses_c_api(engine) else PublicWriteSource)(engine, object_type, prims)


class NativeWriteSource:
    """Writes through the C API: one copy per group, no Python object per prim."""

    def __init__(self, engine: PhysxEngine, object_type: ObjectType, prims: Sequence[int] | None) -> None:
        self._dictionary = engine.dictionary
        self._session = WriteSession(engine.physx.handle, int(object_type), prims)
        self._attributes: dict[str, Any] = {}

    def survey(self, names: Sequence[str]) -> list[RawGroup]:
        """Open a session and discard it: what the groups look like, each under the name that was asked for."""
        session = self._session
        tokens = [self._dictionary.intern_token(name) for name in names]
        try:
            session.open(_native.attribute_list(tokens))
            return [self._describe(group.contents, names) for group in iter(session.next, None)]
        finally:
            session.release()

    def _describe(self, group: _native.MapGroup, names: Sequence[str]) -> RawGroup:
        if group.prim_index_map or group.data_index_map or group.mask:
            raise RuntimeError("PhysX offers a sparse group, which this backend does not know")
        prims = self._dictionary.get_paths(group.prim_list)[group.prim_offset :][: group.prim_count]
        tensors = [group.tensors[index] for index in range(group.tensor_count)]
        counts = [tensor.shape[0] for tensor in tensors]
        lanes = tensors[0].dtype >> 16 if tensors else 1
        return RawGroup(names[self._session.attribute_index], prims, counts, lanes, is_array=False)

    def publish(self, name: str, targets: Sequence[WriteTarget], values: npt.NDArray[Any]) -> None:
        """Write the values of a column to the groups of one attribute."""
        session = self._session
        attributes = self._attributes.get(name)
        if attributes is None:
            attributes = _native.attribute_list([self._dictionary.intern_token(name)])
            self._attributes[name] = attributes
        session.open(attributes)
        try:
            for target in targets:
                group = session.next()
                if group is None:
                    raise target.mismatch("groups")
                if target.filling is not None:
                    self._fill(group.contents, target, values)
                    session.commit(group)
            if session.next() is not None:
                raise targets[-1].mismatch("groups")
        finally:
            session.release()

    def _fill(self, group: _native.MapGroup, target: WriteTarget, values: npt.NDArray[Any]) -> None:
        counts = target.counts
        if group.prim_count != target.prim_count or group.tensor_count != len(counts):
            raise target.mismatch("rows")
        if not target.bytes:
            return
        source = target.arranged(values)
        tensors = group.tensors
        first, last = tensors[0], tensors[len(counts) - 1]
        if first.dtype != target.dtype or first.device_type != _native.CPU or first.shape[0] != counts[0]:
            raise target.mismatch("shapes")
        start = first.data + first.byte_offset
        if last.data + last.byte_offset == start + target.last_offset and last.shape[0] == counts[-1]:
            ctypes.memmove(start, source.ctypes.data, target.bytes)
            return
        address = source.ctypes.data
        for index, count in enumerate(counts):
            tensor = tensors[index]
            if tensor.dtype != target.dtype or tensor.shape[0] != count:
                raise target.mismatch("shapes")
            ctypes.memmove(tensor.data + tensor.byte_offset, address, count * target.item_bytes)
            address += count * target.item_bytes

    def close(self) -> None:
        """Give the query back."""
        self._session.close()


class PublicWriteSource:
    """Writes through ``PhysX.write``: one Warp array per tensor, wherever that is."""

    def __init__(self, engine: PhysxEngine, object_type: ObjectType, prims: Sequence[int] | None) -> None:
        from ovphysx.types import SimObjectType

        self._physx = engine.physx
        self._dictionary = engine.dictionary
        # An empty list would select everything.
        self._query = self._physx.query(SimObjectType[object_type.name], prim_paths=prims, metadata=False).wait()

    def survey(self, names: Sequence[str]) -> list[RawGroup]:
        """Open a session and discard it: what the groups look like, each under the name that was asked for."""
        session = self._physx.write(self._query, list(names)).wait()
        groups = []
        try:
            while (group := session.fetch_next().wait()) is not None:
                prims = self._dictionary.get_paths(group.prim_list)[group.prim_offset :][: group.prim_count]
                counts = [tensor.shape[0] for tensor in group.tensors]
                lanes = group.tensors[0].shape[1] if group.tensors and group.tensors[0].ndim > 1 else 1
                groups.append(RawGroup(names[group.attribute_index], prims, counts, lanes, is_array=False))
                del group
        finally:
            session.groups.clear()
            session.close_sync()
        return groups

    def publish(self, name: str, targets: Sequence[WriteTarget], values: npt.NDArray[Any]) -> None:
        """Write the values of a column to the groups of one attribute."""
        session = self._physx.write(self._query, [name]).wait()
        try:
            for target in targets:
                group = session.fetch_next().wait()
                if group is None:
                    raise target.mismatch("groups")
                if target.filling is not None:
                    self._publish(session, group, target, values)
                del group
            if session.fetch_next().wait() is not None:
                raise targets[-1].mismatch("groups")
        finally:
            session.groups.clear()
            session.close_sync()

    @staticmethod
    def _publish(session: Any, group: Any, target: WriteTarget, values: npt.NDArray[Any]) -> None:
        if group.prim_count != target.prim_count or [len(tensor) for tensor in group.tensors] != list(target.counts):
            raise target.mismatch("rows")
        if not target.bytes:
            session.commit_sync(group)
            return
        source = target.arranged(values)
        _device.fill_tensors(group.tensors, source.reshape(sum(target.counts), -1), target.mismatch)
        stream = _device.stream_of(group.tensors[0])
        session.commit_sync(group, cuda_stream=stream)

    def close(self) -> None:
        """Give the query back."""
        self._query.close_sync()
