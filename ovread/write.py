"""Writes: sessions whose groups start with the current values, and prepared writers for every step."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ovread.backend import Omission
from ovread.catalogue import Persistence
from ovread.errors import GroupError, NotWritableError, ValueRefusedError, WriteSessionError, did_you_mean
from ovread.groups import Groups
from ovread.prepared_write import PreparedWrite
from ovread.values import check_values
from ovread.write_group import WriteGroup, as_mask

if TYPE_CHECKING:
    from ovread.simulation import Simulation

_Mask = npt.NDArray[np.bool_]


class _Writing(Groups[WriteGroup]):
    """What a session and a writer share: their groups, and what cannot be written."""

    def __init__(self, prepared: PreparedWrite, groups: Sequence[WriteGroup]) -> None:
        self._prepared = prepared
        self.groups: tuple[WriteGroup, ...] = tuple(groups)

    @property
    def omissions(self) -> tuple[Omission, ...]:
        """The rows that an attribute cannot be written of, each with its reason; its group covers the others."""
        return self._prepared.omissions

    def _missing(self, name: str) -> GroupError:
        names = self._prepared.names
        return GroupError(f"{name!r} is not in this write, which is of {', '.join(names)}.{did_you_mean(name, names)}")


class WriteSession(_Writing):
    """A write of several attributes, made by :meth:`Simulation.write`; use it in a ``with`` block.

    Groups come in the order that attributes were asked for, and start with the current values. :meth:`commit` publishes
    one and consumes it; what is not committed when the block ends is discarded.
    """

    def __init__(self, simulation: Simulation, prepared: PreparedWrite) -> None:
        super().__init__(prepared, make_groups(simulation, prepared))
        self._simulation = simulation
        self._generation = simulation._generation
        self._tick = simulation.tick
        self._commits = simulation._commits
        for group in self.groups:
            group._start = group._values.copy()

    def commit(self, group: WriteGroup, mask: npt.ArrayLike | None = None) -> None:
        """Publish a group, at once; a read returns the values before any step.

        Rows that have their value already are left alone: a sleeping body stays asleep. Values are checked first; a
        refused commit has changed nothing, and the group can be corrected and committed again.

        Args:
            group: One of this session's.
            mask: ``(rows,)`` of bool: the rows to publish; the others keep what they have. None for all.

        Raises:
            WriteSessionError: The group was committed before, is another session's, the session is closed, or the
                simulation has stepped or was reset since it was opened.
            ValueRefusedError: A value breaks a rule of the catalogue or of the engine.
            EngineError: The engine failed; the message says whether the values before could be restored.
        """
        self._check_own(group)
        chosen = _checked_mask(group, mask)
        if self._prepared.is_sized_by_caller(group._index):
            self._commit_sized(group)
        else:
            current = self._prepared.current(self._simulation, group._index)
            rows = self._rows_to_publish(group, chosen, current)
            if rows.any():
                check_values(group.row, group._values, group.paths, group._offsets, group._elements_of(rows))
                self._publish(group, rows, current)
        group._spend("has been committed")

    def _rows_to_publish(self, group: WriteGroup, chosen: _Mask, current: npt.NDArray[Any] | None) -> _Mask:
        """Return the rows that are to change.

        A row is published where the engine has another value. After commits of others since this session was opened,
        rows that were not filled are those others' to decide.
        """
        if group.row.persistence is Persistence.ONCE:
            return chosen
        start = group._start
        is_other = _differs(group._values, start if current is None else current)
        if current is not None and self._commits != self._simulation._commits:
            is_other &= _differs(group._values, start)
        return chosen & group._rows_with(is_other)

    def _publish(self, group: WriteGroup, rows: _Mask, before: npt.NDArray[Any] | None) -> None:
        numbers = None if rows.all() else np.flatnonzero(rows)
        try:
            self._prepared.commit(group._index, group._values, numbers)
        except ValueRefusedError:
            raise
        except Exception as error:
            group._spend("was refused by the engine")
            raise self._prepared.restored(error, group._index, before, numbers) from error
        self._count_commit()

    def _commit_sized(self, group: WriteGroup) -> None:
        assert group._offsets is not None
        check_values(group.row, group._values, group.paths, group._offsets)
        self._prepared.commit_sized(group._index, group._values, group._offsets)
        self._count_commit()

    def _count_commit(self) -> None:
        self._simulation._commits += 1
        self._commits += 1

    def close(self) -> None:
        """End the session; what was not committed is discarded. Closing twice is harmless."""
        for group in self.groups:
            group._spend("belongs to a closed session")

    def __enter__(self) -> WriteSession:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<WriteSession groups=[{', '.join(group.attribute for group in self.groups)}]>"

    def _check_own(self, group: WriteGroup) -> None:
        if not any(group is own for own in self.groups):
            raise WriteSessionError(f"{group!r:.60} does not belong to this session: commit one of its own groups.")
        group._check_live()
        simulation = self._simulation
        simulation._check_open()
        if (self._generation, self._tick) != (simulation._generation, simulation.tick):
            raise WriteSessionError(
                "The simulation has stepped or was reset since this session was opened, so its values are of the "
                "past: open a new session, or take sim.writer for a write that is repeated every step."
            )


class Writer(_Writing):
    """A prepared write to repeat every step, made by :meth:`Simulation.writer`: no lookup and no allocation.

    Its groups start with the current values and keep what the caller fills in. :meth:`write` publishes all rows.
    """

    def __init__(self, simulation: Simulation, prepared: PreparedWrite) -> None:
        super().__init__(prepared, make_groups(simulation, prepared))
        self._simulation = simulation
        sized = [group.attribute for group in self.groups if group._is_dynamic]
        if sized:
            raise NotWritableError(f"{', '.join(sized)}: as many elements as one likes are written with sim.write.")

    def write(self) -> None:
        """Check all groups, then publish them in order.

        Raises:
            ValueRefusedError: A value breaks a rule. Of the catalogue's rules nothing has been changed; of the
                engine's, the groups before this one have been published.
            EngineError: The engine failed; whether rows were changed is not known.
        """
        simulation, prepared = self._simulation, self._prepared
        simulation._check_open()
        if not prepared.is_current(simulation):
            prepared.rebind(simulation)
        for group in self.groups:
            check_values(group.row, group._values, group.paths, group._offsets)
        for group in self.groups:
            prepared.commit(group._index, group._values, None)
        simulation._commits += 1

    def refresh(self) -> None:
        """Fill the groups with the current values again."""
        self._simulation._check_open()
        if not self._prepared.is_current(self._simulation):
            self._prepared.rebind(self._simulation)
        for group in self.groups:
            self._prepared.start(self._simulation, group._index, group._values)

    def __repr__(self) -> str:
        return f"<Writer groups=[{', '.join(group.attribute for group in self.groups)}]>"


def make_groups(simulation: Simulation, prepared: PreparedWrite) -> list[WriteGroup]:
    """Allocate the groups of a write and fill them with the current values."""
    groups = []
    for index, column in enumerate(prepared.columns):
        row = prepared.row(index)
        values, offsets = prepared.allocate(simulation, index)
        paths = prepared.paths(column)
        lanes = column.lanes or row.lanes
        units, is_dynamic = row.units(simulation.units), column.is_dynamic
        groups.append(
            WriteGroup(row, paths, lanes, units, column.scene, index, column.rows, is_dynamic, offsets, values)
        )
    return sorted(groups, key=lambda group: prepared.names.index(group.attribute))


def _checked_mask(group: WriteGroup, mask: npt.ArrayLike | None) -> _Mask:
    if mask is None:
        return np.ones(len(group.paths), dtype=bool)
    return as_mask(mask, len(group.paths), f"{group.attribute!r}: the group")


def _differs(values: npt.NDArray[Any], other: npt.NDArray[Any] | None) -> _Mask:
    """Return which elements differ, two NaN being the same."""
    if other is None:
        return np.ones(len(values), dtype=bool)
    same = values == other
    if values.dtype.kind == "f":
        same |= np.isnan(values) & np.isnan(other)
    return np.asarray(~same.all(axis=1))
