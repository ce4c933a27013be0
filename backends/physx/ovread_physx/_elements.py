"""Groups whose sizes differ from read to read, through the C API or through the Python API.

:mod:`ovread_physx._sources` reads groups that look the same each time. Here each group says anew which objects have
elements, and how many.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import attrs
import numpy as np
import numpy.typing as npt

from ovread.catalogue import ObjectType
from ovread_physx import _native
from ovread_physx._sources import DTYPES, KeptQuery, uses_c_api

if TYPE_CHECKING:
    from ovread_physx._engine import PhysxEngine

_NO_PRIM = (0,)
"""What a group without prims is about: the instance."""

_WORD = 8
_PAGE = 4096

_TENSOR = np.dtype(
    {
        "names": ["data", "dtype", "shape", "byte_offset"],
        "formats": [np.uint64, np.uint32, np.uint64, np.uint64],
        "offsets": [getattr(_native.Tensor, name).offset for name in ("data", "dtype", "shape", "byte_offset")],
        "itemsize": ctypes.sizeof(_native.Tensor),
    }
)


@attrs.frozen
class Selected:
    """What a native query selects.

    Args:
        object_type: Type of the objects.
        prims: Interned paths; None for all objects of the type.
        whole: Number of objects, where one physics scene has them all; 0 where several have.
        filters: For contact sensors, what the contacts of each prim are told apart by; None for nothing.
    """

    object_type: ObjectType
    prims: Sequence[int] | None
    whole: int
    filters: Sequence[Sequence[int]] | None = None


@attrs.frozen
class Format:
    """What the elements of an attribute are.

    Args:
        token: Interned name of the attribute.
        dtype: Name of the type of a component, as in the catalogue.
        lanes: Components of an element.
    """

    token: int
    dtype: str
    lanes: int


@attrs.frozen(eq=False)
class Elements:
    """One group of one read, for as long as the function that it is given to runs.

    Args:
        token: Interned name of the attribute.
        prims: Interned paths of the objects that have elements.
        counts: Elements of each.
        values: ``(elements, lanes)``.
    """

    token: int
    prims: Sequence[int]
    counts: npt.NDArray[np.intp]
    values: npt.NDArray[Any]


class ElementSource(KeptQuery, Protocol):
    """A kept native query, whose groups are read as they are each time."""

    def each(self, take: Callable[[Elements], None]) -> None:
        """Read, and give every group to a function."""


def open_elements(engine: PhysxEngine, selected: Selected, formats: Sequence[Format]) -> ElementSource:
    """Open a native query for reads of the attributes that the formats are of."""
    return (NativeElements if uses_c_api(engine) else PublicElements)(engine, selected, formats)


class _Scratch:
    """Memory that native memory is copied to, larger when it must be."""

    def __init__(self) -> None:
        self._bytes = np.empty(0, dtype=np.uint8)

    def room(self, size: int) -> npt.NDArray[np.uint8]:
        """Return memory for so many bytes, with whatever it holds."""
        if size > len(self._bytes):
            self._bytes = np.empty(max(size, 2 * len(self._bytes)), dtype=np.uint8)
        return self._bytes[:size]

    def load(self, address: int, size: int) -> npt.NDArray[np.uint8]:
        """Return a copy of so many bytes at an address."""
        copy = self.room(size)
        ctypes.memmove(copy.ctypes.data, address, size)
        return copy


class NativeElements:
    """Reads through the C API, without a Python object per prim."""

    def __init__(self, engine: PhysxEngine, selected: Selected, formats: Sequence[Format]) -> None:
        self._dictionary = engine.dictionary
        self._formats = {form.token: form for form in formats}
        self._attributes = _native.attribute_list([form.token for form in formats])
        self._tensors, self._shapes, self._values = _Scratch(), _Scratch(), _Scratch()
        self._whole = selected.whole
        self._everything: Sequence[int] | None = None
        self._session = _native.Session(
            engine.physx.handle, int(selected.object_type), selected.prims, selected.filters
        )

    def each(self, take: Callable[[Elements], None]) -> None:
        """Read, and give every group to a function."""
        session = self._session
        session.open(self._attributes)
        # Attributes of one kind share a list of prims, but only within one read.
        lists: dict[tuple[int, int, int], Sequence[int]] = {}
        try:
            while (group := session.next()) is not None:
                if group.prim_index_map or group.data_index_map or group.mask:
                    raise RuntimeError("PhysX answered with a sparse group, which this backend does not know")
                prims = self._prims(group, lists)
                if group.tensor_count and prims:
                    take(self._elements(group, prims))
        finally:
            session.release()

    def _prims(self, group: _native.Group, lists: dict[tuple[int, int, int], Sequence[int]]) -> Sequence[int]:
        if not group.prim_list:
            return _NO_PRIM
        # Rows of everything keep their order; a list costs more than all else that is done here.
        is_everything = not group.is_array and group.prim_count == self._whole
        if is_everything and self._everything is not None:
            return self._everything
        key = (group.prim_list, group.prim_offset, group.prim_count)
        if key not in lists:
            lists[key] = self._dictionary.get_paths(group.prim_list)[group.prim_offset :][: group.prim_count]
        if is_everything:
            self._everything = lists[key]
        return lists[key]

    def _elements(self, group: _native.Group, prims: Sequence[int]) -> Elements:
        form = self._formats[group.attribute]
        first = group.tensors[0]
        _check(form, first)
        dtype = np.dtype(DTYPES[form.dtype])
        item_bytes = dtype.itemsize * form.lanes
        if group.tensor_count == 1:
            count = first.shape[0]
            counts = _one_tensor(count, len(prims), is_array=group.is_array)
            memory = self._values.load(first.data + first.byte_offset, count * item_bytes) if count else _NOTHING
        else:
            counts, memory = self._many_tensors(group, item_bytes)
        return Elements(group.attribute, prims, counts, memory.view(dtype).reshape(-1, form.lanes))

    def _many_tensors(self, group: _native.Group, item_bytes: int) -> tuple[npt.NDArray[np.intp], Any]:
        """Return the elements of each tensor, and all of them one after another."""
        count = group.tensor_count
        address = ctypes.cast(group.tensors, ctypes.c_void_p).value or 0
        tensors = self._tensors.load(address, count * _TENSOR.itemsize).view(_TENSOR)
        if (tensors["dtype"] != tensors["dtype"][0]).any():
            raise RuntimeError("PhysX answered with a group of several data types, which this backend does not know")
        counts = self._first_extents(tensors["shape"].astype(np.intp))
        starts = (tensors["data"] + tensors["byte_offset"]).astype(np.intp)
        sizes = counts * item_bytes
        ends = np.cumsum(sizes)
        total = int(ends[-1])
        if (starts == starts[0] + ends - sizes).all():
            return counts, self._values.load(int(starts[0]), total)
        memory = self._values.room(total)
        target = memory.ctypes.data
        for start, size, end in zip(starts.tolist(), sizes.tolist(), ends.tolist(), strict=True):
            if size:
                ctypes.memmove(target + end - size, start, size)
        return counts, memory

    def _first_extents(self, shapes: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
        """Return what each of several pointers to shapes points to."""
        stride = int(shapes[1] - shapes[0])
        # With a page at most from one to the next, all memory between them is there.
        if _WORD <= stride <= _PAGE and not stride % _WORD and (np.diff(shapes) == stride).all():
            memory = self._shapes.load(int(shapes[0]), stride * (len(shapes) - 1) + _WORD)
            return memory.view(np.int64)[:: stride // _WORD].astype(np.intp)
        return np.array([ctypes.c_int64.from_address(int(shape)).value for shape in shapes], dtype=np.intp)

    def close(self) -> None:
        """Give the query back."""
        self._session.close()


class PublicElements:
    """Reads through ``PhysX.read``: one Warp array per tensor."""

    def __init__(self, engine: PhysxEngine, selected: Selected, formats: Sequence[Format]) -> None:
        from ovphysx.types import ContactSelection, SimObjectType

        self._physx = engine.physx
        self._dictionary = engine.dictionary
        self._formats = {form.token: form for form in formats}
        kind = SimObjectType[selected.object_type.name]
        prims, contacts = selected.prims, None
        if prims is not None and selected.filters is not None:
            contacts = [
                ContactSelection([prim], [[other] for other in others])
                for prim, others in zip(prims, selected.filters, strict=True)
            ]
            prims = None
        self._query = self._physx.query(kind, prim_paths=prims, contacts=contacts, metadata=False).wait()

    def each(self, take: Callable[[Elements], None]) -> None:
        """Read, and give every group to a function."""
        result = self._physx.read(self._query, list(self._formats)).wait()
        try:
            while (group := result.fetch_next().wait()) is not None:
                prims = _NO_PRIM
                if group.prim_list:
                    prims = self._dictionary.get_paths(group.prim_list)[group.prim_offset :][: group.prim_count]
                if group.tensors and prims:
                    take(self._elements(group, prims))
                del group
                result.groups.clear()
        finally:
            result.groups.clear()
            result.close_sync()

    def _elements(self, group: Any, prims: Sequence[int]) -> Elements:
        form = self._formats[group.attribute]
        counts = np.array([tensor.shape[0] for tensor in group.tensors], dtype=np.intp)
        if len(counts) == 1:
            counts = _one_tensor(counts[0], len(prims), is_array=group.is_array)
        values = [tensor.numpy().reshape(-1, form.lanes) for tensor in group.tensors]
        return Elements(group.attribute, prims, counts, np.concatenate(values, dtype=DTYPES[form.dtype]))

    def close(self) -> None:
        """Give the query back."""
        self._query.close_sync()


_NOTHING = np.empty(0, dtype=np.uint8)


def _one_tensor(count: int, prims: int, *, is_array: bool) -> npt.NDArray[np.intp]:
    """Return the elements of each prim of a group with one tensor."""
    if prims == 1:
        return np.array([count], dtype=np.intp)
    if is_array or count != prims:
        raise RuntimeError(f"PhysX answered with {count} rows for {prims} prims")
    return np.ones(prims, dtype=np.intp)


def _check(form: Format, tensor: _native.Tensor) -> None:
    """Check that a tensor holds elements of a format in host memory."""
    lanes = tensor.dtype >> 16
    for axis in range(1, tensor.ndim):
        lanes *= tensor.shape[axis]
    if tensor.device_type != _native.CPU or _native.dtype_code(form.dtype, tensor.dtype >> 16) != tensor.dtype:
        raise RuntimeError(f"PhysX answered with other data than {form.dtype} in host memory")
    if lanes != form.lanes:
        raise RuntimeError(f"PhysX answered with {lanes} components per element, not {form.lanes}")
