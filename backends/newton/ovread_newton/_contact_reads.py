"""Preparing the reads of contact sensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ovread.backend import Buffer, Column, Omission, OmissionReason
from ovread.catalogue import NO_FILTERS, ObjectType, attribute, filter_lanes, needs_filters
from ovread_newton._contact_views import Seen, Selected, Values, View
from ovread_newton._info import CONTACT_FORCE_NAMES, CONTACT_NAMES
from ovread_newton._ragged import Indices
from ovread_newton._solvers import CONTACT_FORCES

if TYPE_CHECKING:
    from ovread_newton._engine import NewtonEngine

_NO_SENSORS = (
    "The stage asks for no contacts: apply PhysxContactReportAPI to a body, a collider or the root of an articulation."
)
_NOTHING_COLLIDES = "The model has no body with a collider, so nothing can be a contact sensor."
_NOT_READY = (
    "Newton finds contacts in a step, and there are none before the first one, nor after a reset: step first. Where "
    "you step yourself, call sim.stepped."
)
_NO_TIME = (
    "An impulse is a force times the time it acts for, and how long an attached solver's step was is not known here: "
    "read rawContactForce."
)
_FULL = (
    "The last step filled the memory that Newton has for contacts, so some may be missing: open the scene with another "
    "solver."
)


def _force(view: View, seen: Seen) -> Values:
    return seen.signs * view.touches.loads[seen.items]


def _friction(view: View, seen: Seen) -> Values:
    return seen.signs[:, None] * view.friction_forces[seen.items]


def _position(view: View, seen: Seen) -> Values:
    return view.touches.positions[seen.items]


def _normal(view: View, seen: Seen) -> Values:
    return view.touches.normals[seen.items]


def _separation(view: View, seen: Seen) -> Values:
    return view.touches.separations[seen.items]


def _event_points(view: View, seen: Seen) -> Values:
    return view.events.counts[seen.items]


def _no_instance(view: View, seen: Seen) -> Values:
    return np.full(len(seen.items), 0xFFFFFFFF, dtype=np.uint32)


_PER_SENSOR: dict[str, Callable[[View], Values]] = {
    "netNormalContactForce": lambda view: view.sums(view.points, view.normal_forces),
    "netFrictionContactForce": lambda view: view.sums(view.points, view.friction_forces),
    "normalContactForceMatrix": lambda view: view.sums(view.filtered, view.normal_forces),
    "frictionContactForceMatrix": lambda view: view.sums(view.filtered, view.friction_forces),
    "filteredContactCount": lambda view: view.counts(view.filtered),
    "filteredFrictionCount": lambda view: view.counts(view.filtered),
}

_PER_ELEMENT: dict[str, dict[str, Callable[[View, Seen], Values]]] = {
    "points": {
        "rawContactForce": _force,
        "rawContactPoint": _position,
        "rawContactNormal": _normal,
        "rawContactSeparation": _separation,
        "rawContactOtherBody": lambda view, seen: view.owners[view.touches.sides[seen.items, 1 - seen.sides]],
    },
    "filtered": {
        "filteredContactForce": _force,
        "filteredContactPoint": _position,
        "filteredContactNormal": _normal,
        "filteredContactSeparation": _separation,
        # A point's friction acts at that point, so each is an anchor.
        "filteredFrictionForce": _friction,
        "filteredFrictionPoint": _position,
    },
    "pairs": {
        "contactEventType": lambda view, seen: view.events.kinds[seen.items],
        "contactEventSensorSide": lambda view, seen: seen.sides,
        "contactEventCollider": lambda view, seen: view.colliders[view.events.sides[seen.items, seen.sides]],
        "contactEventOtherBody": lambda view, seen: view.owners[view.events.sides[seen.items, 1 - seen.sides]],
        "contactEventOtherCollider": lambda view, seen: view.colliders[view.events.sides[seen.items, 1 - seen.sides]],
        # The importer refuses point instancers of colliders.
        "contactEventProtoIndex": _no_instance,
        "contactEventOtherProtoIndex": _no_instance,
        "contactEventPointCount": _event_points,
        "contactEventAnchorCount": _event_points,
    },
    "pair_points": {
        "contactEventPointPosition": _position,
        "contactEventPointNormal": _normal,
        "contactEventPointSeparation": _separation,
        "contactEventPointImpulse": lambda view, seen: view.impulses(view.normal_forces[seen.items]),
        "contactEventAnchorPosition": _position,
        "contactEventAnchorImpulse": lambda view, seen: view.impulses(view.friction_forces[seen.items]),
    },
}
"""For ragged attributes: which elements of a view they are about, and how each is computed from them."""

_IMPULSES = ("contactEventPointImpulse", "contactEventAnchorImpulse")


def unreadable(filters: Sequence[Sequence[str]]) -> list[str]:
    """Return what cannot be read of sensors that have these filters."""
    return [] if len(filters) and len(filters[0]) else [name for name in CONTACT_NAMES.split() if needs_filters(name)]


def bind_contacts(
    engine: NewtonEngine, rows: Indices, names: Sequence[str], filters: Sequence[Sequence[str]]
) -> ContactBinding:
    """Prepare a read of the sensors ``rows``, told apart by ``filters``."""
    selected = Selected.of(engine.sensing, rows, filters)
    columns: list[Column] = []
    omissions: list[Omission] = []
    for name in names:
        reason = _why_not(engine, name, selected.width)
        if reason is not None:
            omissions.append(Omission(name, OmissionReason.UNSUPPORTED_CONFIGURATION, reason))
            continue
        row = attribute(ObjectType.CONTACT_SENSOR, name)
        lanes = filter_lanes(row, selected.width)
        columns.append(Column(name, np.arange(len(rows)), lanes=lanes, is_dynamic=row.layout.is_ragged))
    return ContactBinding(engine, selected, columns, omissions)


def _why_not(engine: NewtonEngine, name: str, filters: int) -> str | None:
    """Say why an attribute cannot be read here; None where it can."""
    if not engine.sensing.sensor_paths:
        return _NO_SENSORS if engine.topology.is_from_stage else _NOTHING_COLLIDES
    if needs_filters(name) and not filters:
        return NO_FILTERS
    if engine.contact_log is None:
        return engine.no_contacts
    if name in CONTACT_FORCE_NAMES.split() and CONTACT_FORCES not in engine.reported:
        return engine.why_not_reported(CONTACT_FORCES)
    if name in _IMPULSES and not engine.knows_time_step:
        return _NO_TIME
    return None


class ContactBinding:
    """A prepared read; see :class:`ovread.backend.ReadBinding`."""

    def __init__(
        self, engine: NewtonEngine, selected: Selected, columns: Sequence[Column], omissions: Sequence[Omission]
    ) -> None:
        self._engine = engine
        self._selected = selected
        self.columns = columns
        self.omissions = omissions

    def fetch(self, buffers: Sequence[Buffer]) -> None:
        """Fill one buffer per column with what the last step found."""
        log = self._engine.contact_log
        if log is None:
            return
        if log.last is None:
            self._omit(buffers, OmissionReason.NOT_READY, _NOT_READY)
        elif log.last.is_full:
            self._omit(buffers, OmissionReason.UNSUPPORTED_CONFIGURATION, _FULL)
        else:
            view = View(self._selected, log.last, log.before)
            for buffer in buffers:
                self._fill(view, buffer)

    @staticmethod
    def _omit(buffers: Sequence[Buffer], reason: OmissionReason, detail: str) -> None:
        for buffer in buffers:
            buffer.omission = Omission(buffer.row.name, reason, detail)

    def _fill(self, view: View, buffer: Buffer) -> None:
        name = buffer.row.name
        if buffer.offsets is None:
            _store(buffer, _PER_SENSOR[name](view))
            return
        elements, compute = next(
            (elements, computed[name]) for elements, computed in _PER_ELEMENT.items() if name in computed
        )
        seen: Seen = getattr(view, elements)
        np.cumsum(np.bincount(seen.rows, minlength=self._selected.count), out=buffer.offsets[1:])
        buffer.resize(len(seen.rows))
        _store(buffer, compute(view, seen))

    def close(self) -> None:
        """Hold nothing native, so give back nothing."""


def _store(buffer: Buffer, values: Values) -> None:
    if not values.size:
        return
    values = values.reshape(buffer.array.shape)
    if buffer.host is not None:
        np.copyto(buffer.host, values, casting="unsafe")
    else:
        import warp as wp

        buffer.array.assign(values.astype(wp.dtype_to_numpy(buffer.array.dtype)))
