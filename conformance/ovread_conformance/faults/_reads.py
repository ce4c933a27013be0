"""Faults of reads, of readers and of what is missing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from ovread import Group, ObjectType, Query, Reader, ReadResult
from ovread.backend import Buffer, Column
from ovread.errors import (
    ForeignQueryError,
    OvreadError,
    UnknownAttributeError,
)
from ovread.result import make_result
from ovread_conformance.live import Live

Values = npt.NDArray[Any]
Mask = npt.ArrayLike | None
_Overlay = dict[tuple[ObjectType, str, str], Values]


class _Reads(Live):
    """A simulation whose results go through :meth:`seen`."""

    def read(self, query: Query, attributes: Sequence[str]) -> ReadResult:
        result = self.inner.read(query, attributes)
        self.seen(query, result)
        return result

    def seen(self, query: Query, result: ReadResult) -> None:
        """Change a result in place."""


class _AliasedResult(Live):
    """Reads of the same objects share their memory."""

    def __init__(self, simulation: Any) -> None:
        super().__init__(simulation)
        self._readers: dict[tuple[Any, ...], Reader] = {}

    def read(self, query: Query, attributes: Sequence[str]) -> ReadResult:
        key = (query.object_type, query.paths, tuple(attributes))
        if key not in self._readers:
            self._readers[key] = self.inner.reader(query, attributes)
        return self._readers[key].read()


class _StaleReader(Live):
    """A reader reads once."""

    def reader(self, query: Query, attributes: Sequence[str]) -> Reader:
        reader = self.inner.reader(query, attributes)
        kept = reader.read()
        reader.read = lambda: kept  # type: ignore[method-assign]
        return reader


class _FreshReader(Live):
    """A reader allocates anew each time."""

    def reader(self, query: Query, attributes: Sequence[str]) -> Reader:
        reader = self.inner.reader(query, attributes)
        reader.read = lambda: self.inner.read(query, attributes)  # type: ignore[method-assign]
        return reader


class _StandingTick(_Reads):
    def seen(self, query: Query, result: ReadResult) -> None:
        result.tick = 0

    @property
    def tick(self) -> int:
        return 0


class _WrongTime(_Reads):
    """Time is counted in ticks."""

    def seen(self, query: Query, result: ReadResult) -> None:
        result.time = float(result.tick)

    @property
    def time(self) -> float:
        return float(self.inner.tick)


class _FilledOmissions(_Reads):
    filling = 0.0

    def seen(self, query: Query, result: ReadResult) -> None:
        names = list(dict.fromkeys(item.attribute for item in result.omissions if not item.paths))
        columns = [Column(name, rows=np.arange(len(query), dtype=np.intp)) for name in names]
        made, buffers = make_result(columns, [], query.selection, names, self.units, "cpu", None)
        for buffer in buffers:
            if buffer.host is not None:
                buffer.host[...] = np.nan_to_num(self.filling) if buffer.host.dtype.kind != "f" else self.filling
        made._refresh(result.tick, result.time)
        result.groups = (*result.groups, *made.groups)
        result.omissions = ()


class _ZerosForOmissions(_FilledOmissions):
    filling = 0.0


class _NaNForOmissions(_FilledOmissions):
    filling = np.nan


class _SilentOmissions(_Reads):
    """What is missing is not said."""

    def seen(self, query: Query, result: ReadResult) -> None:
        result.omissions = ()


class _NativeRows(_Reads):
    """Values in the engine's order under canonical paths."""

    def seen(self, query: Query, result: ReadResult) -> None:
        for group in result:
            if group.offsets is None and len(group) > 1:
                group.numpy()[...] = np.roll(group.numpy(), 1, axis=0)


class _ShiftedOffsets(_Reads):
    def seen(self, query: Query, result: ReadResult) -> None:
        for group in result:
            if group.offsets is not None and len(group.offsets) > 2:
                group.offsets[1:-1] -= 1


class _OtherType(_Reads):
    """Numbers in double precision."""

    def seen(self, query: Query, result: ReadResult) -> None:
        import warp as wp

        def wider(group: Group) -> Group:
            values = group.numpy().astype(np.float64)
            buffer = Buffer(group.row, wp.array(values, dtype=wp.float64, device="cpu"), values, group.offsets)
            return attrs.evolve(group, buffer=buffer)

        result.groups = tuple(wider(group) for group in result.groups)


class _OtherLanes(_Reads):
    """Lanes with the names in another order."""

    def seen(self, query: Query, result: ReadResult) -> None:
        result.groups = tuple(attrs.evolve(group, lanes=group.lanes[::-1]) for group in result.groups)


class _Noise(_Reads):
    """The last bit is chance."""

    def seen(self, query: Query, result: ReadResult) -> None:
        chance = np.random.default_rng()
        for group in result:
            values = group.numpy()
            if values.dtype.kind == "f":
                values[...] = np.nextafter(values, values.dtype.type(chance.choice([-1e9, 1e9])))


class _AcceptedName(Live):
    """A name that is not in the catalogue is passed over."""

    def read(self, query: Query, attributes: Sequence[str]) -> ReadResult:
        try:
            return self.inner.read(query, attributes)
        except UnknownAttributeError:
            return self.inner.read(query, [name for name in attributes if name in query.attributes])


class _AcceptedDuplicate(Live):
    """A name that is given twice is read once."""

    def read(self, query: Query, attributes: Sequence[str]) -> ReadResult:
        return self.inner.read(query, list(dict.fromkeys(attributes)))


class _ForeignQuery(Live):
    """A query of another simulation is taken by its paths."""

    def read(self, query: Query, attributes: Sequence[str]) -> ReadResult:
        try:
            return self.inner.read(query, attributes)
        except ForeignQueryError:
            return self.inner.read(self.inner.query(query.object_type, paths=query.paths), attributes)


class _ReadAfterClose(Live):
    """A closed simulation answers with what was read last."""

    def __init__(self, simulation: Any) -> None:
        super().__init__(simulation)
        self._last: ReadResult | None = None

    def read(self, query: Query, attributes: Sequence[str]) -> ReadResult:
        try:
            self._last = self.inner.read(query, attributes)
        except OvreadError:
            if self._last is None or not self.closed:
                raise
        assert self._last is not None
        return self._last


class _Drag(_Reads):
    """Velocities that fade by a tenth per second."""

    def seen(self, query: Query, result: ReadResult) -> None:
        for group in result:
            if "Velocity" in group.attribute:
                group.numpy()[...] *= np.exp(-0.1 * self.inner.time)


class _StretchedCoordinate(_Reads):
    """Joint coordinates two percent too large."""

    def seen(self, query: Query, result: ReadResult) -> None:
        for group in result:
            if group.attribute == "jointPosition":
                group.numpy()[...] *= 1.02


FAULTS: dict[str, type[Live]] = {
    "aliased result": _AliasedResult,
    "stale reader": _StaleReader,
    "fresh reader": _FreshReader,
    "standing tick": _StandingTick,
    "time in ticks": _WrongTime,
    "zeros for omissions": _ZerosForOmissions,
    "NaN for omissions": _NaNForOmissions,
    "silent omissions": _SilentOmissions,
    "native rows": _NativeRows,
    "shifted offsets": _ShiftedOffsets,
    "other type": _OtherType,
    "other lanes": _OtherLanes,
    "noise": _Noise,
    "accepted name": _AcceptedName,
    "accepted duplicate": _AcceptedDuplicate,
    "foreign query": _ForeignQuery,
    "read after close": _ReadAfterClose,
    "drag": _Drag,
    "stretched coordinate": _StretchedCoordinate,
}
