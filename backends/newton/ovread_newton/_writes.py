"""Preparing writes: one writer per column, made by the table of makers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
import numpy.typing as npt

from ovread.backend import Column, Key, Omission, OmissionReason
from ovread.catalogue import ObjectType, attribute
from ovread.errors import ValueRefusedError
from ovread_newton._efforts import EFFORT_MAKERS
from ovread_newton._forces import FORCE_MAKERS
from ovread_newton._joint_writes import JOINT_STATE_MAKERS
from ovread_newton._kinematic_targets import TARGET_MAKERS
from ovread_newton._property_writes import PROPERTY_MAKERS
from ovread_newton._ragged import Indices
from ovread_newton._reads import bind
from ovread_newton._state_writes import STATE_MAKERS
from ovread_newton._topology import objects
from ovread_newton._writer import Chosen, Maker, Write

if TYPE_CHECKING:
    from ovread_newton._engine import NewtonEngine

MAKERS: Mapping[Key, Maker] = {
    **STATE_MAKERS,
    **JOINT_STATE_MAKERS,
    **EFFORT_MAKERS,
    **FORCE_MAKERS,
    **TARGET_MAKERS,
    **PROPERTY_MAKERS,
}
"""How each attribute that can be written is."""

_ALL = slice(None)


def bind_write(engine: NewtonEngine, object_type: ObjectType, rows: Indices, attributes: Sequence[str]) -> WriteBinding:
    """Prepare a write of some objects of one type."""
    binding = WriteBinding(engine)
    natives = _natives(engine, object_type, rows)
    for name in attributes:
        column, omissions = _layout(engine, object_type, rows, name)
        binding.omissions.extend(omissions)
        if column is None:
            continue
        maker = MAKERS[object_type, name]
        refused = maker.refuse(engine, natives[column.rows], name)
        binding.omissions.extend(_refusals(engine, object_type, rows[column.rows], name, refused))
        kept = np.array([row for row in range(len(column.rows)) if row not in refused], np.intp)
        if refused and not len(kept):
            continue
        counts = None if column.counts is None else column.counts[kept]
        column = attrs.evolve(column, rows=column.rows[kept], counts=counts)
        binding.add(column, maker, maker.make(engine, natives[column.rows], name))
    return binding


def _natives(engine: NewtonEngine, object_type: ObjectType, rows: Indices) -> Indices:
    topology = engine.topology
    known = {
        ObjectType.RIGID_BODY: topology.rigid_bodies,
        ObjectType.ARTICULATION_LINK: topology.links,
        ObjectType.ARTICULATION_JOINT: topology.joints,
        ObjectType.ARTICULATION: topology.articulations,
    }
    return known[object_type][rows] if object_type in known else rows


def _layout(
    engine: NewtonEngine, object_type: ObjectType, rows: Indices, name: str
) -> tuple[Column | None, Sequence[Omission]]:
    """Return the column of a read of the same rows, which that of a write equals."""
    if not attribute(object_type, name).readable:
        return Column(name, np.arange(len(rows))), ()
    read = bind(engine, object_type, rows, [name])
    return next(iter(read.columns), None), read.omissions


def _refusals(
    engine: NewtonEngine, object_type: ObjectType, rows: Indices, name: str, refused: Mapping[int, str]
) -> Iterator[Omission]:
    paths = objects(engine.topology, object_type).paths
    by_reason: dict[str, list[str]] = {}
    for row, reason in sorted(refused.items()):
        by_reason.setdefault(reason, []).append(paths[rows[row]])
    for reason, left_out in by_reason.items():
        yield Omission(name, OmissionReason.UNSUPPORTED_CONFIGURATION, reason, tuple(left_out))


@attrs.define(eq=False)
class WriteBinding:
    """A prepared write.

    Args:
        engine: The engine.
    """

    engine: NewtonEngine
    columns: list[Column] = attrs.field(factory=list, init=False)
    omissions: list[Omission] = attrs.field(factory=list, init=False)
    _makers: list[Maker] = attrs.field(factory=list, init=False)
    _writes: list[Write] = attrs.field(factory=list, init=False)

    def add(self, column: Column, maker: Maker, write: Write) -> None:
        """Take another column."""
        self.columns.append(column)
        self._makers.append(maker)
        self._writes.append(write)

    def start(self, index: int, values: npt.NDArray[Any]) -> None:
        """Fill the start values of a column that cannot be read."""
        self._makers[index].start(values)

    def commit(self, index: int, values: npt.NDArray[Any], rows: npt.NDArray[np.intp] | None) -> None:
        """Write all rows of a column, or some."""
        chosen = _ALL if rows is None else self._elements(self.columns[index], rows)
        consequences = self._writes[index](values, chosen)
        try:
            self.engine.written(consequences)
        except ValueRefusedError as error:
            raise ValueRefusedError(f"{self.columns[index].attribute}: {error}") from error

    @staticmethod
    def _elements(column: Column, rows: npt.NDArray[np.intp]) -> Chosen:
        if column.counts is None:
            return rows
        ends = np.cumsum(column.counts)
        runs = [np.arange(ends[row] - column.counts[row], ends[row]) for row in rows]
        return np.concatenate(runs) if runs else rows

    def close(self) -> None:
        """Hold nothing native, so give back nothing."""
