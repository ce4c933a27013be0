"""Prepared reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ovread.backend import UNLIMITED, Buffer, Column, FilledColumns, Omission, OmissionReason, ReadBinding
from ovread.catalogue import Layout, ObjectType, attribute
from ovread_physx._layout import SHAPE_COUNT, ReadPlan, plan_read
from ovread_physx._sources import ReadSource, open_source

if TYPE_CHECKING:
    from ovread_physx._engine import PhysxEngine

_COMPUTED_BY_STEPS = ("linearAcceleration", "angularAcceleration", "linkIncomingJointForce", "jointProjectedForce")
"""Before the first step the engine reads 0 for these, whatever acts."""

_BOUNDS = ("jointLimit", "jointMaxVelocity", "jointMaxForce", "jointMaxActuatorVelocity")
_BOUNDLESS = np.float32(3.4e38)
"""From here on a bound is unlimited: FLT_MAX comes back a few digits short where the engine turned it into radians."""


def bind_read(
    engine: PhysxEngine, object_type: ObjectType, rows: npt.NDArray[np.intp], names: Sequence[str]
) -> ReadBinding:
    """Prepare a read of ``names`` for the objects ``rows``."""
    if not len(rows) or not names:
        return _empty(object_type, names)
    table = engine.table(object_type)
    everything = len(rows) == len(table.paths)
    prims = None if everything else list(dict.fromkeys(table.prims[row] for row in rows))
    source = open_source(engine, object_type, prims)
    try:
        per_shape = any(attribute(object_type, name).layout is Layout.PER_SHAPE for name in names)
        extra = [SHAPE_COUNT] if per_shape and SHAPE_COUNT not in names else []
        groups, reasons = source.survey([*names, *extra])
        plan = plan_read(object_type, table, rows, names, groups, reasons)
        source.prepare(plan.groups, plan.served, several_scenes=len(table.scenes) > 1)
    except BaseException:
        source.close()
        raise
    return PhysxBinding(engine, source, plan)


def _empty(object_type: ObjectType, names: Sequence[str]) -> ReadBinding:
    """Serve a query of nothing: every column, without rows."""
    nothing = np.empty(0, dtype=np.intp)
    columns = [
        Column(name, nothing, nothing if attribute(object_type, name).layout.is_ragged else None) for name in names
    ]
    return FilledColumns(columns, [lambda buffer: None] * len(columns))


class PhysxBinding:
    """A prepared read; see :class:`ovread.backend.ReadBinding`."""

    def __init__(self, engine: PhysxEngine, source: ReadSource, plan: ReadPlan) -> None:
        self._engine = engine
        self._source = source
        self.columns: Sequence[Column] = plan.columns
        self.omissions: Sequence[Omission] = plan.omissions
        self._reads = bool(plan.served)
        self._computed = [
            (position, Omission(column.attribute, OmissionReason.NOT_READY, _not_ready(column.attribute)))
            for position, column in enumerate(plan.columns)
            if column.attribute in _COMPUTED_BY_STEPS
        ]
        self._bounded = [position for position, column in enumerate(plan.columns) if column.attribute in _BOUNDS]
        self._masks: dict[int, npt.NDArray[np.bool_]] = {}

    def fetch(self, buffers: Sequence[Buffer]) -> None:
        """Fill the buffers with the current values."""
        if self._reads:
            self._source.fetch(buffers)
        for position, omission in self._computed:
            buffers[position].omission = None if self._engine.has_stepped else omission
        for position in self._bounded:
            self._mark_unlimited(position, buffers[position])

    def _mark_unlimited(self, position: int, buffer: Buffer) -> None:
        host = buffer.host
        if host is None:
            return
        mask = self._masks.get(position)
        if mask is None:
            mask = self._masks[position] = np.empty(host.shape, dtype=bool)
        np.copyto(host, UNLIMITED, where=np.greater_equal(host, _BOUNDLESS, out=mask))
        np.copyto(host, -UNLIMITED, where=np.less_equal(host, -_BOUNDLESS, out=mask))

    def close(self) -> None:
        """Give the native query back."""
        self._engine.retire(self._source)


def _not_ready(name: str) -> str:
    return f"PhysX computes {name} in a step and reads 0 before the first one: step first."
