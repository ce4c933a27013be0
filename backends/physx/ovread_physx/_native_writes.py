"""Write sessions of ovphysx's documented C API."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import c_uint64
from typing import Any

from ovread_physx._native import CudaSync, FetchedGroup, Query

_NOTHING_OUTSTANDING = CudaSync(0, 0)


class WriteSession(Query):
    """A kept query, and one write session at a time over it.

    The memory of a group is the engine's: it is filled and committed at once, and never handed on, because touching it
    after the commit corrupts the heap.
    """

    def __init__(self, instance: int, object_type: int, prims: Sequence[int] | None) -> None:
        super().__init__(instance, object_type, prims)
        self._write = self._library.ovphysx_write
        self._fetch_next = self._library.ovphysx_fetch_write_next
        self._commit = self._library.ovphysx_commit_group
        self._release_write = self._library.ovphysx_release_write
        self._session = c_uint64()
        self._session_ref = ctypes.byref(self._session)
        self._fetched = FetchedGroup()
        self._fetched_ref = ctypes.byref(self._fetched)

    def open(self, attributes: Any) -> None:
        """Open a session for the attributes of an :func:`~ovread_physx._native.attribute_list`."""
        self._wait(self._write(self._instance, self._query, attributes, len(attributes), self._session_ref, None))

    def next(self) -> Any:
        """Return a pointer to the next group, valid until the next call of this; None after the last."""
        self._wait(self._fetch_next(self._instance, self._session, self._fetched_ref))
        return self._fetched.group or None

    @property
    def attribute_index(self) -> int:
        """Which of the attributes the last group is of."""
        index: int = self._fetched.attribute_index
        return index

    def commit(self, group: Any) -> None:
        """Publish a group that has been filled; its memory is the engine's from here on."""
        self._wait(self._commit(self._instance, self._session, group, _NOTHING_OUTSTANDING))

    def release(self) -> None:
        """Close the session; groups that were not committed are discarded."""
        if self._session.value:
            receipt = self._release_write(self._instance, self._session)
            self._session.value = 0
            self._wait(receipt)

    def close(self) -> None:
        """Give the session and the query back; the instance must be alive."""
        self.release()
        super().close()
