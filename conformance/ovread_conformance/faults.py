"""Faults of a running simulation: each breaks one promise of the contract or of a write, and a check must notice.

A fault is a :class:`~ovread_conformance.live.Live` that passes something on wrongly; the simulation below it is real.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Self

import attrs
import numpy as np
import numpy.typing as npt

from ovread import Group, ObjectType, Query, Reader, ReadResult, WriteGroup, Writer, WriteSession
from ovread.backend import Buffer, Column
from ovread.catalogue import Persistence
from ovread.errors import ForeignQueryError, NotWritableError, OvreadError, UnknownAttributeError, ValueRefusedError, WriteSessionError
from ovread.result import make_result
from ovread_conformance.live import Live
from ovread_conformance.systems import System

Values = npt.NDArray[Any]
Mask = npt.ArrayLike | None
_Overlay = dict[tuple[ObjectType, str, str], Values]


def _shown(query: Query, result: ReadResult, overlay: _Overlay) -> None:
    """Put values over those that were read, by path."""
    for group in result:
        for path, row in zip(group.paths, group.per_prim(), strict=True):
            value = overlay.get((query.object_type, group.attribute, path))
            if value is not None and value.shape == row.shape:
                row[...] = value


# Faults of writes.


class _Writes(Live):
    """A simulation whose commits go through :meth:`committed`."""

    def write(self, query: Query, attributes: Sequence[str]) -> WriteSession:
        session = self.inner.write(query, attributes)
        publish = session.commit

        def commit(group: WriteGroup, mask: Mask = None) -> None:
            self.committed(query, publish, group, mask)

        session.commit = commit  # type: ignore[method-assign]
        return session

    def committed(self, query: Query, publish: Callable[..., None], group: WriteGroup, mask: Mask) -> None:
        publish(group, mask)

    @staticmethod
    def chosen(group: WriteGroup, mask: Mask) -> npt.NDArray[np.bool_]:
        return np.ones(len(group), dtype=bool) if mask is None else np.asarray(mask)

    @staticmethod
    def rows(group: WriteGroup, mask: Mask) -> Iterator[tuple[str, Values]]:
        """Give path and values of the rows that a commit is about."""
        for path, row, is_chosen in zip(group.paths, group.per_prim(), _Writes.chosen(group, mask), strict=True):
            if is_chosen:
                yield path, row


class DroppedWrite(_Writes):
    def committed(self, query: Query, publish: Callable[..., None], group: WriteGroup, mask: Mask) -> None:
        publish(group, np.zeros(len(group), dtype=bool))

    def writer(self, query: Query, attributes: Sequence[str]) -> Writer:
        writer = self.inner.writer(query, attributes)
        writer.write = lambda: None  # type: ignore[method-assign]
        return writer


class ForgottenWrite(_Writes):
    """Written values read back as if they had been taken over, and do nothing."""

    def __init__(self, simulation: Any) -> None:
        super().__init__(simulation)
        self._shown: _Overlay = {}

    def committed(self, query: Query, publish: Callable[..., None], group: WriteGroup, mask: Mask) -> None:
        for path, row in self.rows(group, mask):
            self._shown[query.object_type, group.attribute, path] = row.copy()
        publish(group, np.zeros(len(group), dtype=bool))

    def read(self, query: Query, attributes: Sequence[str]) -> ReadResult:
        result = self.inner.read(query, attributes)
        _shown(query, result, self._shown)
        return result

    def reset(self) -> None:
        self._shown = {}
        self.inner.reset()


class WriteToAllRows(_Writes):
    def committed(self, query: Query, publish: Callable[..., None], group: WriteGroup, mask: Mask) -> None:
        rows = group.per_prim()
        first = next((row.copy() for _, row in self.rows(group, mask)), None)
        for row in rows:
            if first is not None and row.shape == first.shape:
                row[...] = first
        publish(group, None)


class IgnoredMask(_Writes):
    def committed(self, query: Query, publish: Callable[..., None], group: WriteGroup, mask: Mask) -> None:
        publish(group, None)


class LateWrite(_Writes):
    """A write is carried out after the next step."""

    def __init__(self, simulation: Any) -> None:
        super().__init__(simulation)
        self._waiting: list[tuple[Query, str, list[Values], Values]] = []

    def committed(self, query: Query, publish: Callable[..., None], group: WriteGroup, mask: Mask) -> None:
        values = [row.copy() for row in group.per_prim()]
        self._waiting.append((query, group.attribute, values, self.chosen(group, mask)))
        publish(group, np.zeros(len(group), dtype=bool))

    def step(self, dt: float, count: int = 1) -> None:
        self.inner.step(dt, count)
        for query, name, values, mask in self._waiting:
            with self.inner.write(query, [name]) as write:
                group = write[name]
                for row, value in zip(group.per_prim(), values, strict=True):
                    row[...] = value
                write.commit(group, mask)
        self._waiting = []


class StaleDependents(_Writes):
    """Everything but what was written keeps the values from before the write, until the next step."""

    def __init__(self, simulation: Any) -> None:
        super().__init__(simulation)
        self._before: _Overlay = {}
        self._written: set[tuple[ObjectType, str]] = set()

    def committed(self, query: Query, publish: Callable[..., None], group: WriteGroup, mask: Mask) -> None:
        self._written.add((query.object_type, group.attribute))
        for kind in (ObjectType.RIGID_BODY, ObjectType.ARTICULATION_LINK, ObjectType.ARTICULATION):
            every = self.inner.query(kind)
            if not len(every):
                continue
            for found in self.inner.read(every, every.attributes):
                for path, row in zip(found.paths, found.per_prim(), strict=True):
                    self._before.setdefault((kind, found.attribute, path), row.copy())
        publish(group, mask)

    def read(self, query: Query, attributes: Sequence[str]) -> ReadResult:
        result = self.inner.read(query, attributes)
        late = {key: value for key, value in self._before.items() if key[:2] not in self._written}
        _shown(query, result, late)
        return result

    def step(self, dt: float, count: int = 1) -> None:
        self._before, self._written = {}, set()
        self.inner.step(dt, count)


class PartialRefusal(_Writes):
    """A refused commit publishes the rows before the one that is refused."""

    def committed(self, query: Query, publish: Callable[..., None], group: WriteGroup, mask: Mask) -> None:
        try:
            publish(group, mask)
        except ValueRefusedError:
            values = [row.copy() for row in group.per_prim()]
            good = self.chosen(group, mask) & [bool(np.isfinite(value).all()) for value in values]
            with self.inner.write(query, [group.attribute]) as write:
                other = write.all(group.attribute)[0]
                for row, value in zip(other.per_prim(), values, strict=True):
                    row[...] = value
                write.commit(other, good)
            raise


class _Scaled(ForgottenWrite):
    """Values are taken in other units, and read back as they were written."""

    factor = 1.0

    def committed(self, query: Query, publish: Callable[..., None], group: WriteGroup, mask: Mask) -> None:
        if group.row.readable:
            for path, row in self.rows(group, mask):
                self._shown[query.object_type, group.attribute, path] = row.copy()
        for _, row in self.rows(group, mask):
            row *= self.factor
        publish(group, mask)

    def step(self, dt: float, count: int = 1) -> None:
        self.inner.step(dt, count)
        self._shown = {}


class WriteInDegrees(_Scaled):
    factor = np.pi / 180


class ReversedWrite(_Scaled):
    factor = -1.0


class ImpulseForForce(_Scaled):
    """A force is multiplied by the time step."""

    factor = 1e-3


class PersistingForce(_Writes):
    def __init__(self, simulation: Any) -> None:
        super().__init__(simulation)
        self._kept: list[tuple[Query, str, Values, Values]] = []

    def committed(self, query: Query, publish: Callable[..., None], group: WriteGroup, mask: Mask) -> None:
        if group.row.persistence is Persistence.ONE_STEP:
            self._kept.append((query, group.attribute, group.values.copy(), self.chosen(group, mask)))
        publish(group, mask)

    def step(self, dt: float, count: int = 1) -> None:
        for _ in range(count):
            self.inner.step(dt)
            for query, name, values, mask in self._kept:
                with self.inner.write(query, [name]) as write:
                    write[name].values[...] = values
                    write.commit(write[name], mask)

    def reset(self) -> None:
        self._kept = []
        self.inner.reset()


class EmptyStart(_Writes):
    """The groups of a write start with zeros."""

    def write(self, query: Query, attributes: Sequence[str]) -> WriteSession:
        session = super().write(query, attributes)
        for group in session:
            group.values[...] = 0
        return session


class AcceptedWrite(Live):
    """What cannot be written is taken, and forgotten."""

    def write(self, query: Query, attributes: Sequence[str]) -> WriteSession:
        try:
            return self.inner.write(query, attributes)
        except NotWritableError:
            return self.inner.write(query, ["position"])


class EagerWrite(_Writes):
    """What was filled in is published when the session ends, committed or not."""

    def write(self, query: Query, attributes: Sequence[str]) -> WriteSession:
        session = super().write(query, attributes)
        end = session.close

        def close() -> None:
            for group in session:
                if not group._spent:
                    session.commit(group)
            end()

        session.close = close  # type: ignore[method-assign]
        return session


class FirstSessionWins(_Writes):
    """A row that was written once keeps that value until a step."""

    def __init__(self, simulation: Any) -> None:
        super().__init__(simulation)
        self._taken: set[tuple[str, str]] = set()

    def committed(self, query: Query, publish: Callable[..., None], group: WriteGroup, mask: Mask) -> None:
        mine = {(group.attribute, path) for path, _ in self.rows(group, mask)}
        publish(group, np.zeros(len(group), dtype=bool) if mine <= self._taken else mask)
        self._taken |= mine


class CommitTwice(_Writes):
    """A group can be committed again."""

    def committed(self, query: Query, publish: Callable[..., None], group: WriteGroup, mask: Mask) -> None:
        try:
            publish(group, mask)
        except WriteSessionError:
            return


class IncompleteReset(_Writes):
    """What was written stays through a reset."""

    def __init__(self, simulation: Any) -> None:
        super().__init__(simulation)
        self._kept: list[tuple[Query, str, Values]] = []

    def committed(self, query: Query, publish: Callable[..., None], group: WriteGroup, mask: Mask) -> None:
        self._kept.append((query, group.attribute, group.values.copy()))
        publish(group, mask)

    def reset(self) -> None:
        self.inner.reset()
        for query, name, values in self._kept:
            with self.inner.write(query, [name]) as write:
                write[name].values[...] = values
                write.commit(write[name])


# Faults of reads.


class _Reads(Live):
    """A simulation whose results go through :meth:`seen`."""

    def read(self, query: Query, attributes: Sequence[str]) -> ReadResult:
        result = self.inner.read(query, attributes)
        self.seen(query, result)
        return result

    def seen(self, query: Query, result: ReadResult) -> None:
        """Change a result in place."""


class AliasedResult(Live):
    """Reads of the same objects share their memory."""

    def __init__(self, simulation: Any) -> None:
        super().__init__(simulation)
        self._readers: dict[tuple[Any, ...], Reader] = {}

    def read(self, query: Query, attributes: Sequence[str]) -> ReadResult:
        key = (query.object_type, query.paths, tuple(attributes))
        if key not in self._readers:
            self._readers[key] = self.inner.reader(query, attributes)
        return self._readers[key].read()


class StaleReader(Live):
    """A reader reads once."""

    def reader(self, query: Query, attributes: Sequence[str]) -> Reader:
        reader = self.inner.reader(query, attributes)
        kept = reader.read()
        reader.read = lambda: kept  # type: ignore[method-assign]
        return reader


class FreshReader(Live):
    """A reader allocates anew each time."""

    def reader(self, query: Query, attributes: Sequence[str]) -> Reader:
        reader = self.inner.reader(query, attributes)
        reader.read = lambda: self.inner.read(query, attributes)  # type: ignore[method-assign]
        return reader


class StandingTick(_Reads):
    def seen(self, query: Query, result: ReadResult) -> None:
        result.tick = 0

    @property
    def tick(self) -> int:
        return 0


class WrongTime(_Reads):
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


class ZerosForOmissions(_FilledOmissions):
    filling = 0.0


class NaNForOmissions(_FilledOmissions):
    filling = np.nan


class SilentOmissions(_Reads):
    """What is missing is not said."""

    def seen(self, query: Query, result: ReadResult) -> None:
        result.omissions = ()


class NativeRows(_Reads):
    """Values in the engine's order under canonical paths."""

    def seen(self, query: Query, result: ReadResult) -> None:
        for group in result:
            if group.offsets is None and len(group) > 1:
                group.numpy()[...] = np.roll(group.numpy(), 1, axis=0)


class ShiftedOffsets(_Reads):
    def seen(self, query: Query, result: ReadResult) -> None:
        for group in result:
            if group.offsets is not None and len(group.offsets) > 2:
                group.offsets[1:-1] -= 1


class OtherType(_Reads):
    """Numbers in double precision."""

    def seen(self, query: Query, result: ReadResult) -> None:
        import warp as wp

        def wider(group: Group) -> Group:
            values = group.numpy().astype(np.float64)
            buffer = Buffer(group.row, wp.array(values, dtype=wp.float64, device="cpu"), values, group.offsets)
            return attrs.evolve(group, buffer=buffer)

        result.groups = tuple(wider(group) for group in result.groups)


class OtherLanes(_Reads):
    """Lanes with the names in another order."""

    def seen(self, query: Query, result: ReadResult) -> None:
        result.groups = tuple(attrs.evolve(group, lanes=group.lanes[::-1]) for group in result.groups)


class Noise(_Reads):
    """The last bit is chance."""

    def seen(self, query: Query, result: ReadResult) -> None:
        chance = np.random.default_rng()
        for group in result:
            values = group.numpy()
            if values.dtype.kind == "f":
                values[...] = np.nextafter(values, values.dtype.type(chance.choice([-1e9, 1e9])))


class AcceptedName(Live):
    """A name that is not in the catalogue is passed over."""

    def read(self, query: Query, attributes: Sequence[str]) -> ReadResult:
        try:
            return self.inner.read(query, attributes)
        except UnknownAttributeError:
            return self.inner.read(query, [name for name in attributes if name in query.attributes])


class AcceptedDuplicate(Live):
    """A name that is given twice is read once."""

    def read(self, query: Query, attributes: Sequence[str]) -> ReadResult:
        return self.inner.read(query, list(dict.fromkeys(attributes)))


class ForeignQuery(Live):
    """A query of another simulation is taken by its paths."""

    def read(self, query: Query, attributes: Sequence[str]) -> ReadResult:
        try:
            return self.inner.read(query, attributes)
        except ForeignQueryError:
            return self.inner.read(self.inner.query(query.object_type, paths=query.paths), attributes)


class ReadAfterClose(Live):
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


# Faults of queries and of stepping.


class UnsortedRows(Live):
    """Rows come in no natural order."""

    def query(self, object_type: ObjectType, **selected: Any) -> Query:
        found = self.inner.query(object_type, **selected)
        if selected.get("paths") is not None or selected.get("order") is not None:
            return found
        return self.inner.query(object_type, paths=found.paths[::-1])


class LostOrder(Live):
    """Explicit paths come in natural order."""

    def query(self, object_type: ObjectType, **selected: Any) -> Query:
        found = self.inner.query(object_type, **selected)
        if selected.get("paths") is None:
            return found
        return self.inner.query(object_type, paths=[path for path in self.inner.query(object_type).paths if path in found.paths])


class SharedSimulation(Live):
    """A second simulation is the first one again."""

    def another(self, system: System) -> Self:
        return type(self)(self.inner)


class ShortStep(Live):
    """A step is two percent short."""

    def step(self, dt: float, count: int = 1) -> None:
        self.inner.step(0.98 * dt, count)


class Drag(_Reads):
    """Velocities that fade by a tenth per second."""

    def seen(self, query: Query, result: ReadResult) -> None:
        for group in result:
            if "Velocity" in group.attribute:
                group.numpy()[...] *= np.exp(-0.1 * self.inner.time)


class StretchedCoordinate(_Reads):
    """Joint coordinates two percent too large."""

    def seen(self, query: Query, result: ReadResult) -> None:
        for group in result:
            if group.attribute == "jointPosition":
                group.numpy()[...] *= 1.02


FAULTS: dict[str, type[Live]] = {
    "dropped write": DroppedWrite,
    "forgotten write": ForgottenWrite,
    "write to all rows": WriteToAllRows,
    "ignored mask": IgnoredMask,
    "late write": LateWrite,
    "stale dependents": StaleDependents,
    "partial refusal": PartialRefusal,
    "write in degrees": WriteInDegrees,
    "reversed write": ReversedWrite,
    "impulse for force": ImpulseForForce,
    "persisting force": PersistingForce,
    "empty start": EmptyStart,
    "accepted write": AcceptedWrite,
    "eager write": EagerWrite,
    "first session wins": FirstSessionWins,
    "commit twice": CommitTwice,
    "incomplete reset": IncompleteReset,
    "aliased result": AliasedResult,
    "stale reader": StaleReader,
    "fresh reader": FreshReader,
    "standing tick": StandingTick,
    "time in ticks": WrongTime,
    "zeros for omissions": ZerosForOmissions,
    "NaN for omissions": NaNForOmissions,
    "silent omissions": SilentOmissions,
    "native rows": NativeRows,
    "shifted offsets": ShiftedOffsets,
    "other type": OtherType,
    "other lanes": OtherLanes,
    "noise": Noise,
    "accepted name": AcceptedName,
    "accepted duplicate": AcceptedDuplicate,
    "foreign query": ForeignQuery,
    "read after close": ReadAfterClose,
    "unsorted rows": UnsortedRows,
    "lost order": LostOrder,
    "shared simulation": SharedSimulation,
    "short step": ShortStep,
    "drag": Drag,
    "stretched coordinate": StretchedCoordinate,
}
"""Every fault by name."""
