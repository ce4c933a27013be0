"""Faults of writes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ovread import ObjectType, Query, ReadResult, WriteGroup, Writer, WriteSession
from ovread.catalogue import Persistence
from ovread.errors import (
    NotWritableError,
    ValueRefusedError,
    WriteSessionError,
)
from ovread_conformance.live import Live

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


class _DroppedWrite(_Writes):
    def committed(self, query: Query, publish: Callable[..., None], group: WriteGroup, mask: Mask) -> None:
        publish(group, np.zeros(len(group), dtype=bool))

    def writer(self, query: Query, attributes: Sequence[str]) -> Writer:
        writer = self.inner.writer(query, attributes)
        writer.write = lambda: None  # type: ignore[method-assign]
        return writer


class _ForgottenWrite(_Writes):
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


class _WriteToAllRows(_Writes):
    def committed(self, query: Query, publish: Callable[..., None], group: WriteGroup, mask: Mask) -> None:
        rows = group.per_prim()
        first = next((row.copy() for _, row in self.rows(group, mask)), None)
        for row in rows:
            if first is not None and row.shape == first.shape:
                row[...] = first
        publish(group, None)


class _IgnoredMask(_Writes):
    def committed(self, query: Query, publish: Callable[..., None], group: WriteGroup, mask: Mask) -> None:
        publish(group, None)


class _LateWrite(_Writes):
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


class _StaleDependents(_Writes):
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


class _PartialRefusal(_Writes):
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


class _Scaled(_ForgottenWrite):
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


class _WriteInDegrees(_Scaled):
    factor = np.pi / 180


class _ReversedWrite(_Scaled):
    factor = -1.0


class _ImpulseForForce(_Scaled):
    """A force is multiplied by the time step."""

    factor = 1e-3


class _PersistingForce(_Writes):
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


class _EmptyStart(_Writes):
    """The groups of a write start with zeros."""

    def write(self, query: Query, attributes: Sequence[str]) -> WriteSession:
        session = super().write(query, attributes)
        for group in session:
            group.values[...] = 0
        return session


class _AcceptedWrite(Live):
    """What cannot be written is taken, and forgotten."""

    def write(self, query: Query, attributes: Sequence[str]) -> WriteSession:
        try:
            return self.inner.write(query, attributes)
        except NotWritableError:
            return self.inner.write(query, ["position"])


class _EagerWrite(_Writes):
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


class _FirstSessionWins(_Writes):
    """A row that was written once keeps that value until a step."""

    def __init__(self, simulation: Any) -> None:
        super().__init__(simulation)
        self._taken: set[tuple[str, str]] = set()

    def committed(self, query: Query, publish: Callable[..., None], group: WriteGroup, mask: Mask) -> None:
        mine = {(group.attribute, path) for path, _ in self.rows(group, mask)}
        publish(group, np.zeros(len(group), dtype=bool) if mine <= self._taken else mask)
        self._taken |= mine


class _CommitTwice(_Writes):
    """A group can be committed again."""

    def committed(self, query: Query, publish: Callable[..., None], group: WriteGroup, mask: Mask) -> None:
        try:
            publish(group, mask)
        except WriteSessionError:
            return


class _IncompleteReset(_Writes):
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


FAULTS: dict[str, type[Live]] = {
    "dropped write": _DroppedWrite,
    "forgotten write": _ForgottenWrite,
    "write to all rows": _WriteToAllRows,
    "ignored mask": _IgnoredMask,
    "late write": _LateWrite,
    "stale dependents": _StaleDependents,
    "partial refusal": _PartialRefusal,
    "write in degrees": _WriteInDegrees,
    "reversed write": _ReversedWrite,
    "impulse for force": _ImpulseForForce,
    "persisting force": _PersistingForce,
    "empty start": _EmptyStart,
    "accepted write": _AcceptedWrite,
    "eager write": _EagerWrite,
    "first session wins": _FirstSessionWins,
    "commit twice": _CommitTwice,
    "incomplete reset": _IncompleteReset,
}
