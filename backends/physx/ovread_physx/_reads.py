"""Prepared reads."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ovread.backend import UNLIMITED, Buffer, Column, FilledColumns, Omission, OmissionReason, ReadBinding
from ovread.catalogue import Layout, ObjectType, attribute
from ovread_physx import _dynamic
from ovread_physx._dofs import with_orders
from ovread_physx._inspection import count
from ovread_physx._instancers import bind_bodies
from ovread_physx._joint_forces import bind_links
from ovread_physx._layout import DOF_COUNT, PER_ARTICULATION_DOF, SHAPE_COUNT, ReadPlan, plan_read
from ovread_physx._matrices import IN_COHORTS, bind_matrices
from ovread_physx._projected_forces import bind_joints
from ovread_physx._reasons import native_name, why_not_ready
from ovread_physx._sources import ReadSource, open_source
from ovread_physx._support import ON_CUDA_ONLY

if TYPE_CHECKING:
    from ovread_physx._engine import PhysxEngine

_BOUNDS = ("jointLimit", "jointMaxVelocity", "jointMaxForce", "jointMaxActuatorVelocity")
BOUNDLESS = np.float32(3.4e38)
"""From here on a bound is unlimited: FLT_MAX comes back a few digits short where the engine turned it into radians."""


def bind_read(
    engine: PhysxEngine,
    object_type: ObjectType,
    rows: npt.NDArray[np.intp],
    names: Sequence[str],
    filters: Sequence[Sequence[str]] = (),
) -> ReadBinding:
    """Prepare a read of ``names`` for the objects ``rows``; contacts are told apart by ``filters``."""
    if engine.device == "cpu" and object_type in ON_CUDA_ONLY:
        return _omit_all(names, ON_CUDA_ONLY[object_type])
    if not len(rows) or not names:
        return _empty(engine, object_type, names)
    if object_type in _dynamic.TYPES:
        return _dynamic.bind_dynamic(engine, object_type, rows, names, filters)
    if object_type is ObjectType.RIGID_BODY:
        bind = functools.partial(_bind_rows, engine, object_type)
        return bind_bodies(engine.table(object_type), rows, names, bind)
    if object_type is ObjectType.ARTICULATION_LINK:
        bind, bind_joint_rows = (
            functools.partial(_bind_rows, engine, kind) for kind in (object_type, ObjectType.ARTICULATION_JOINT)
        )
        return bind_links(rows, names, engine, bind, bind_joint_rows)
    if object_type is ObjectType.ARTICULATION and not IN_COHORTS.isdisjoint(names):
        return bind_matrices(engine, rows, names, functools.partial(_bind_rows, engine, object_type, rows))
    if object_type is ObjectType.ARTICULATION_JOINT:
        return bind_joints(engine, rows, names, functools.partial(_bind_rows, engine, object_type))
    return _bind_rows(engine, object_type, rows, names)


def _bind_rows(
    engine: PhysxEngine, object_type: ObjectType, rows: npt.NDArray[np.intp], names: Sequence[str]
) -> ReadBinding:
    table = engine.table(object_type)
    everything = len(rows) == len(table.paths)
    prims = None if everything else list(dict.fromkeys(table.prims[row] for row in rows))
    source = open_source(engine, object_type, prims)
    try:
        groups, reasons = source.survey(_asked(object_type, names))
        if any(name in PER_ARTICULATION_DOF for name in names):
            groups = with_orders(engine, groups, prims)
        plan = plan_read(object_type, table, rows, names, groups, reasons)
        source.prepare(plan.groups, plan.served, several_scenes=len(table.scenes) > 1)
    except BaseException:
        source.close()
        raise
    return PhysxBinding(engine, object_type, source, plan)


def _asked(object_type: ObjectType, names: Sequence[str]) -> list[str]:
    """Return what the engine is asked to plan a read: each attribute, and the counts that lengths are known from."""
    asked = [native_name(object_type, name) for name in names]
    if any(attribute(object_type, name).layout is Layout.PER_SHAPE for name in names):
        asked.append(SHAPE_COUNT)
    if any(name in PER_ARTICULATION_DOF for name in names):
        asked.append(DOF_COUNT)
    return list(dict.fromkeys(asked))


def _omit_all(names: Sequence[str], detail: str) -> ReadBinding:
    omissions = [Omission(name, OmissionReason.UNSUPPORTED_CONFIGURATION, detail) for name in names]
    return FilledColumns([], [], omissions)


def _empty(engine: PhysxEngine, object_type: ObjectType, names: Sequence[str]) -> ReadBinding:
    """Serve a query of nothing: every column, without rows."""
    if object_type is ObjectType.ARTICULATION_JOINT and not engine.table(object_type).paths:
        joints = count(engine, object_type)
        if joints:
            return _omit_all(names, f"None of the {joints} joints of articulations has a degree of freedom.")
    nothing = np.empty(0, dtype=np.intp)
    columns = [
        Column(name, nothing, nothing if attribute(object_type, name).layout.is_ragged else None) for name in names
    ]
    return FilledColumns(columns, [lambda buffer: None] * len(columns))


class PhysxBinding:
    """A prepared read; see :class:`ovread.backend.ReadBinding`."""

    def __init__(self, engine: PhysxEngine, object_type: ObjectType, source: ReadSource, plan: ReadPlan) -> None:
        self._engine = engine
        self._source = source
        self.columns: Sequence[Column] = plan.columns
        self.omissions: Sequence[Omission] = plan.omissions
        self._reads = bool(plan.served)
        self._computed = [
            (position, Omission(column.attribute, OmissionReason.NOT_READY, why))
            for position, column in enumerate(plan.columns)
            if (why := why_not_ready(object_type, column.attribute)) is not None
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
        np.copyto(host, UNLIMITED, where=np.greater_equal(host, BOUNDLESS, out=mask))
        np.copyto(host, -UNLIMITED, where=np.less_equal(host, -BOUNDLESS, out=mask))

    def close(self) -> None:
        """Give the native query back."""
        self._engine.retire(self._source)
