"""The part of ovphysx's documented C API that reads and writes use, bound with ctypes.

:mod:`ovread_physx._native_writes` has what writes need beside this.

The public Python layer spends 95 % of a small read on one operation object per call and one array object per tensor
(and so per joint); the C calls below it take 15 to 20 us. Declarations follow ``ovphysx.h``, ``ovphysx_types.h`` and
``ovstage_api_types.h`` of the supported version; :func:`load` refuses any other.
"""

from __future__ import annotations

import ctypes
import functools
import os
import sys
from collections.abc import Sequence
from ctypes import POINTER, Structure, c_bool, c_char_p, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from pathlib import Path
from typing import Any

SUPPORTED = "0.7."
CPU = 1
"""``kDLCPU`` of DLPack."""

_SUCCESS = 0
_FOREVER = c_uint64(2**64 - 1)


class UnsupportedLibraryError(RuntimeError):
    """The loaded library is not the one that these declarations describe."""


class Receipt(Structure):
    """``ovphysx_enqueue_result_t``."""

    _fields_ = (("status", c_int32), ("op_index", c_uint64), ("instance", c_uint64))


class _Status(Structure):
    _fields_ = (("status", c_int32),)


class _String(Structure):
    _fields_ = (("ptr", c_void_p), ("length", c_size_t))

    def text(self) -> str:
        return ctypes.string_at(self.ptr, self.length).decode("utf-8", "replace") if self.ptr else ""


class _WaitResult(Structure):
    _fields_ = (("error_tasks", POINTER(Receipt)), ("num_errors", c_size_t), ("pending_task", Receipt))


class _StringOrToken(Structure):
    _fields_ = (("token", c_uint64), ("string", _String))


class _Selection(Structure):
    _fields_ = (("pattern", _String), ("prim_paths", POINTER(c_uint64)), ("prim_paths_count", c_uint32))


class _ContactSelection(Structure):
    _fields_ = (("sensors", _Selection), ("filters", POINTER(_Selection)))


class _AttributeSummary(Structure):
    _fields_ = (("attribute", c_uint64), ("group_count", c_size_t), ("omission_reasons", c_uint32))


class _ReadSummary(Structure):
    _fields_ = (
        ("total_prim_count", c_size_t),
        ("attribute_count", c_size_t),
        ("attributes", POINTER(_AttributeSummary)),
    )


class Tensor(Structure):
    """``DLTensor``, with the three fields of its data type read as one number."""

    _fields_ = (
        ("data", c_void_p),
        ("device_type", c_int32),
        ("device_id", c_int32),
        ("ndim", c_int32),
        ("dtype", c_uint32),
        ("shape", POINTER(c_int64)),
        ("strides", POINTER(c_int64)),
        ("byte_offset", c_uint64),
    )


class Group(Structure):
    """``ovstage_read_group_t``, its nested records written out."""

    _fields_ = (
        ("read_group_id", c_uint64),
        ("attribute", c_uint64),
        ("ordinal", c_uint64),
        ("is_delete", c_bool),
        ("is_array", c_bool),
        ("semantic", c_int32),
        ("prim_list", c_uint64),
        ("prim_offset", c_uint32),
        ("prim_count", c_uint32),
        ("prim_index_map", c_void_p),
        ("tensors", POINTER(Tensor)),
        ("tensor_count", c_uint32),
        ("data_count", c_uint32),
        ("data_index_map", c_void_p),
        ("mask", c_void_p),
        ("stream", c_size_t),
        ("wait_event", c_size_t),
        ("write_floor", c_uint64),
        ("layout_generation", c_uint64),
    )


class CudaSync(Structure):
    """``ovstage_cuda_sync_t``."""

    _fields_ = (("stream", c_size_t), ("wait_event", c_size_t))


class MapGroup(Structure):
    """``ovstage_map_group_t``, its nested records written out."""

    _fields_ = (
        ("prim_list", c_uint64),
        ("prim_offset", c_uint32),
        ("prim_count", c_uint32),
        ("prim_index_map", c_void_p),
        ("tensors", POINTER(Tensor)),
        ("tensor_count", c_uint32),
        ("data_count", c_uint32),
        ("data_index_map", c_void_p),
        ("mask", c_void_p),
        ("cuda_sync", CudaSync),
        ("write_floor", c_uint64),
        ("layout_generation", c_uint64),
    )


class FetchedGroup(Structure):
    """``ovphysx_fetched_write_group_t``."""

    _fields_ = (("group", POINTER(MapGroup)), ("attribute_index", c_size_t))


def dtype_code(dtype: str, lanes: int) -> int:
    """Return :attr:`Tensor.dtype` for a catalogue type name and a number of lanes."""
    code = {"i": 0, "u": 1, "f": 2}[dtype[0]]
    return int.from_bytes(bytes((code, int(dtype[1:]))) + lanes.to_bytes(2, sys.byteorder), sys.byteorder)


_PROTOTYPES: dict[str, tuple[Any, list[Any]]] = {
    "ovphysx_get_version_string": (c_char_p, []),
    "ovphysx_get_last_error": (_String, []),
    "ovphysx_get_last_task_error": (_String, [c_uint64, Receipt]),
    "ovphysx_wait_task": (_Status, [c_uint64, Receipt, c_uint64, POINTER(_WaitResult)]),
    "ovphysx_destroy_wait_task_result": (None, [POINTER(_WaitResult)]),
    "ovphysx_query": (Receipt, [c_uint64, c_int32, c_int32, POINTER(c_uint64), c_void_p]),
    "ovphysx_query_selection": (Receipt, [c_uint64, c_int32, POINTER(_Selection), POINTER(c_uint64), c_void_p]),
    "ovphysx_query_contacts": (
        Receipt,
        [c_uint64, POINTER(_ContactSelection), c_uint32, c_uint32, POINTER(c_uint64), c_void_p],
    ),
    "ovphysx_release_query": (Receipt, [c_uint64, c_uint64]),
    "ovphysx_read": (
        Receipt,
        [c_uint64, c_uint64, POINTER(_StringOrToken), c_size_t, POINTER(c_uint64), POINTER(_ReadSummary)],
    ),
    "ovphysx_fetch_read_next": (Receipt, [c_uint64, c_uint64, POINTER(POINTER(Group))]),
    "ovphysx_release_read": (Receipt, [c_uint64, c_uint64]),
    "ovphysx_write": (
        Receipt,
        [c_uint64, c_uint64, POINTER(_StringOrToken), c_size_t, POINTER(c_uint64), c_void_p],
    ),
    "ovphysx_fetch_write_next": (Receipt, [c_uint64, c_uint64, POINTER(FetchedGroup)]),
    "ovphysx_commit_group": (Receipt, [c_uint64, c_uint64, POINTER(MapGroup), CudaSync]),
    "ovphysx_release_write": (Receipt, [c_uint64, c_uint64]),
}


@functools.cache
def load() -> Any:
    """Return a handle of the library that ovphysx has loaded, with prototypes of its own.

    Raises:
        UnsupportedLibraryError: The library is not found where ovphysx loads it from, or is of another version.
    """
    import ovphysx

    name = "ovphysx.dll" if sys.platform == "win32" else "libovphysx.so"
    path = os.environ.get("OVPHYSX_LIB") or str(Path(ovphysx.__file__).parent / "lib" / name)
    # Never load a second copy: take what is in the process already, or nothing.
    mode = ctypes.DEFAULT_MODE if sys.platform == "win32" else os.RTLD_NOLOAD | os.RTLD_NOW
    try:
        library = ctypes.CDLL(path, mode=mode)
        for function, (result, arguments) in _PROTOTYPES.items():
            prototype = getattr(library, function)
            prototype.restype = result
            prototype.argtypes = arguments
    except (OSError, AttributeError) as error:
        raise UnsupportedLibraryError(f"{path} is not the library in use, or lacks functions: {error}") from None
    version = library.ovphysx_get_version_string().decode()
    if not version.startswith(SUPPORTED):
        raise UnsupportedLibraryError(f"ovphysx {version} is not one of the supported versions {SUPPORTED}x")
    return library


def attribute_list(tokens: Sequence[int]) -> Any:
    """Return the form in which a read takes interned attribute names."""
    return (_StringOrToken * len(tokens))(*[_StringOrToken(token=token) for token in tokens])


def _select(prims: Sequence[int]) -> _Selection:
    return _Selection(prim_paths=(c_uint64 * len(prims))(*prims), prim_paths_count=len(prims))


class Query:
    """A kept query.

    Every task is waited for: the engine keeps the outcome of one that is not. The structures that calls fill are made
    once, so a read or a write leaves nothing behind.

    Args:
        instance: Handle of the PhysX instance.
        object_type: Number of the query target.
        prims: Interned handles of the prims to select; None for all of the type.
        filters: For contact sensors, the prims that the contacts of each selected prim are told apart by; as many for
            each. None for a query without filters.
    """

    def __init__(
        self,
        instance: int,
        object_type: int,
        prims: Sequence[int] | None,
        filters: Sequence[Sequence[int]] | None = None,
    ) -> None:
        self._library = load()
        self._instance = c_uint64(instance)
        self._wait_task = self._library.ovphysx_wait_task
        self._result = _WaitResult()
        self._result_ref = ctypes.byref(self._result)
        self._query = c_uint64()
        if prims is None or filters is None:
            self._open_query(object_type, prims)
        else:
            self._open_contact_query(prims, filters)

    def _open_query(self, object_type: int, prims: Sequence[int] | None) -> None:
        output = ctypes.byref(self._query)
        if prims is None:
            self._wait(self._library.ovphysx_query(self._instance, object_type, 0, output, None))
            return
        selection = _select(prims)
        receipt = self._library.ovphysx_query_selection(
            self._instance, object_type, ctypes.byref(selection), output, None
        )
        self._wait(receipt)

    def _open_contact_query(self, prims: Sequence[int], filters: Sequence[Sequence[int]]) -> None:
        """Select each sensor by itself: one selection of several would need a filter to be one object, or all others.

        What a structure points to lives as long as it does.
        """
        width = len(filters[0])
        selections = (_ContactSelection * len(prims))(
            *(
                _ContactSelection(_select([prim]), (_Selection * width)(*(_select([other]) for other in others)))
                for prim, others in zip(prims, filters, strict=True)
            )
        )
        output = ctypes.byref(self._query)
        receipt = self._library.ovphysx_query_contacts(self._instance, selections, len(prims), width, output, None)
        self._wait(receipt)

    def close(self) -> None:
        """Give the query back; the instance must be alive."""
        if self._query.value:
            receipt = self._library.ovphysx_release_query(self._instance, self._query)
            self._query.value = 0
            self._wait(receipt)

    def _wait(self, receipt: Receipt) -> None:
        if receipt.status != _SUCCESS:
            raise RuntimeError(self._library.ovphysx_get_last_error().text() or f"status {receipt.status}")
        if self._wait_task(self._instance, receipt, _FOREVER, self._result_ref).status != _SUCCESS:
            self._raise_failed_task(receipt)

    def _raise_failed_task(self, receipt: Receipt) -> None:
        text = self._library.ovphysx_get_last_task_error(self._instance, receipt).text()
        text = text or self._library.ovphysx_get_last_error().text()
        self._library.ovphysx_destroy_wait_task_result(self._result_ref)
        raise RuntimeError(text or "the task failed without a message")


class Session(Query):
    """A kept query, and one snapshot at a time over it."""

    def __init__(
        self,
        instance: int,
        object_type: int,
        prims: Sequence[int] | None,
        filters: Sequence[Sequence[int]] | None = None,
    ) -> None:
        super().__init__(instance, object_type, prims, filters)
        self._read = self._library.ovphysx_read
        self._fetch_next = self._library.ovphysx_fetch_read_next
        self._release_read = self._library.ovphysx_release_read
        self._snapshot = c_uint64()
        self._snapshot_ref = ctypes.byref(self._snapshot)
        self._group: Any = POINTER(Group)()
        self._group_ref = ctypes.byref(self._group)

    def open(self, attributes: Any) -> None:
        """Take a snapshot of the attributes of an :func:`attribute_list`."""
        count = len(attributes)
        self._wait(self._read(self._instance, self._query, attributes, count, self._snapshot_ref, None))

    def open_summary(self, attributes: Any) -> list[int]:
        """Take a snapshot; return the reasons of omission of each attribute, as the engine's bits."""
        count = len(attributes)
        summary = _ReadSummary()
        reference = ctypes.byref(summary)
        self._wait(self._read(self._instance, self._query, attributes, count, self._snapshot_ref, reference))
        return [summary.attributes[index].omission_reasons for index in range(summary.attribute_count)]

    def next(self) -> Any:
        """Return the next group of the snapshot, valid until :meth:`release`; None after the last."""
        self._wait(self._fetch_next(self._instance, self._snapshot, self._group_ref))
        return self._group.contents if self._group else None

    def release(self) -> None:
        """Give the snapshot back."""
        if self._snapshot.value:
            receipt = self._release_read(self._instance, self._snapshot)
            self._snapshot.value = 0
            self._wait(receipt)

    def close(self) -> None:
        """Give the snapshot and the query back; the instance must be alive."""
        self.release()
        super().close()
