"""The groups of a write: values that start as they are, to be filled in place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from ovread.catalogue import Attribute
from ovread.errors import GroupError, ValueRefusedError, WriteSessionError
from ovread.groups import split_by_prim

_Mask = npt.NDArray[np.bool_]


@attrs.define(eq=False)
class WriteGroup:
    """The values of one attribute that a write is to publish: one layout, one physics scene.

    The memory belongs to ``ovread`` and starts with the current values. Once a session has committed the group, or
    is closed, every use of it raises.

    Args:
        row: The catalogue row, with everything that is known of the attribute.
        paths: Prim path of each row, in the order of the query.
        lanes: Names of the components of a row.
        units: The units in the stage's own names, such as ``cm/s``.
        scene: Path of the physics scene, None where there is just one.
    """

    row: Attribute
    paths: tuple[str, ...] = attrs.field(repr=False)
    lanes: tuple[str, ...] = attrs.field(repr=False)
    units: str
    scene: str | None
    _index: int = attrs.field(repr=False)
    _rows: npt.NDArray[np.intp] = attrs.field(repr=False)
    _is_dynamic: bool = attrs.field(repr=False)
    _offsets: npt.NDArray[np.intp] | None = attrs.field(repr=False)
    _values: npt.NDArray[Any] = attrs.field(repr=False)
    _start: npt.NDArray[Any] | None = attrs.field(default=None, repr=False)
    _spent: str = attrs.field(default="", repr=False)

    @property
    def attribute(self) -> str:
        """Name of the attribute."""
        return self.row.name

    @property
    def frame(self) -> str:
        """Axes that the components are expressed in: ``world``, ``body``, ``joint``, ..."""
        return self.row.frame.value

    @property
    def values(self) -> npt.NDArray[Any]:
        """NumPy array ``(rows, lanes)``, or ``(elements, lanes)`` where the group has offsets, to be filled in place.

        Raises:
            WriteSessionError: The group was committed, or its session is closed.
        """
        self._check_live()
        return self._values

    @property
    def offsets(self) -> npt.NDArray[np.intp] | None:
        """``(rows + 1,)``: row i owns elements ``offsets[i]`` to ``offsets[i + 1]``; None for fixed layouts."""
        self._check_live()
        return self._offsets

    def numpy(self) -> npt.NDArray[Any]:
        """Return :attr:`values`."""
        return self.values

    def per_prim(self) -> list[npt.NDArray[Any]]:
        """Return one array ``(elements, lanes)`` per path, ``(lanes,)`` for fixed layouts, to be filled in place."""
        return split_by_prim(self.values, self._offsets)

    def resize(self, counts: Sequence[int]) -> None:
        """Give each row another number of elements, all zero: only where the attribute has as many as one likes.

        Raises:
            GroupError: The number of elements of this attribute is fixed.
        """
        self._check_live()
        if not self._is_dynamic:
            raise GroupError(f"{self.attribute!r} has a fixed number of elements per row.")
        if len(counts) != len(self.paths):
            raise GroupError(f"{self.attribute!r} has {len(self.paths)} rows, not {len(counts)}: give one count each.")
        self._offsets = np.concatenate(([0], np.cumsum(counts))).astype(np.intp)
        self._values = np.zeros((int(self._offsets[-1]), len(self.lanes)), dtype=self._values.dtype)

    def __len__(self) -> int:
        return len(self.paths)

    def _check_live(self) -> None:
        if self._spent:
            raise WriteSessionError(
                f"The group of {self.attribute!r} {self._spent}: open a new session to write again."
            )

    def _spend(self, why: str) -> None:
        if not self._spent:
            self._spent = why
            self._values.setflags(write=False)

    def _elements_of(self, rows: _Mask) -> _Mask:
        """Return which elements belong to rows."""
        return rows if self._offsets is None else np.repeat(rows, np.diff(self._offsets))

    def _rows_with(self, elements: _Mask) -> _Mask:
        """Return which rows own any of some elements."""
        if self._offsets is None:
            return elements
        before = np.concatenate(([0], np.cumsum(elements)))[self._offsets]
        return np.asarray(np.diff(before) > 0)


def as_mask(mask: npt.ArrayLike, count: int, what: str) -> _Mask:
    """Return a mask of so many rows; ValueRefusedError where it is none."""
    try:
        array = np.asarray(mask)
    except Exception as error:
        raise ValueRefusedError(f"mask= is no array of bool: {error}.") from None
    if array.dtype != np.bool_ or array.shape != (count,):
        raise ValueRefusedError(
            f"{what} has {count} rows, so mask= is an array of bool of shape ({count},), not {array.dtype} "
            f"{array.shape}."
        )
    return array
