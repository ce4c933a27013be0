"""Writing tendons of MuJoCo: the inverse of :mod:`ovread_newton._tendons`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import attrs
import numpy as np

from ovread.backend import UNLIMITED, Key
from ovread.catalogue import ObjectType
from ovread_newton._binding import Values, lanes
from ovread_newton._ragged import Indices
from ovread_newton._tendons import ARRAYS, places_of
from ovread_newton._writer import Chosen, Consequences, Maker, Sink, Write, publish, refuse_unheard

if TYPE_CHECKING:
    from ovread_newton._engine import NewtonEngine

_FIXED, _SPATIAL = ObjectType.FIXED_TENDON, ObjectType.SPATIAL_TENDON
_SHARED = "Copies of the tendon in several worlds share this length in the solver's model."
_UNLIMITED_TENDON = (
    "On a GPU the mujoco solver settles when it is made which tendons have limits, and this one has none: give it some "
    "in the model, however wide."
)


def _flags() -> int:
    import newton

    return int(newton.ModelFlags.TENDON_PROPERTIES)


def _gain(object_type: ObjectType) -> Callable[[NewtonEngine, Indices, str], Write]:
    def make(engine: NewtonEngine, rows: Indices, name: str) -> Write:
        sink = Sink(engine, "model.mujoco", ARRAYS[name])
        tendons, flags = engine.topology.tendons[object_type].indices[rows], _flags()

        def write(values: Values, chosen: Chosen) -> Consequences:
            return publish([(sink, tendons[chosen], values[chosen, 0])], flags)

        return write

    return make


def _limit(engine: NewtonEngine, rows: Indices, name: str) -> Write:
    """Write limits. MuJoCo's own model says which tendons have any; the solver's notification leaves that as it was."""
    import newton

    tendons, flags, solver = engine.topology.tendons[_FIXED].indices[rows], _flags(), engine.solver
    sink, index = Sink(engine, "model.mujoco", ARRAYS[name]), lanes(tendons, 2, 0, 2)
    _, places = places_of(solver, tendons)

    def write(values: Values, chosen: Chosen) -> Consequences:
        given, where = values[chosen], places[chosen]
        bounds = np.where(np.abs(given) >= UNLIMITED, (-newton.MAXVAL, newton.MAXVAL), given)
        before = solver.mj_model.tendon_limited[where]
        consequences = publish([(sink, index[chosen], bounds)], flags)
        if solver.use_mujoco_cpu:
            solver.mj_model.tendon_limited[where] = (np.abs(bounds) < newton.MAXVAL).any(axis=1)
        take_back = consequences.undo

        def undo() -> None:
            solver.mj_model.tendon_limited[where] = before
            if take_back is not None:
                take_back()

        return attrs.evolve(consequences, undo=undo)

    return write


def _refuse_limit(engine: NewtonEngine, rows: Indices, name: str) -> Mapping[int, str]:
    solver = engine.solver
    if solver is None or solver.use_mujoco_cpu:
        return refuse_unheard(engine, rows, name)
    _, places = places_of(solver, engine.topology.tendons[_FIXED].indices[rows])
    return dict.fromkeys(np.flatnonzero(solver.mj_model.tendon_limited[places] == 0).tolist(), _UNLIMITED_TENDON)


def _rest_length(engine: NewtonEngine, rows: Indices, name: str) -> Write:
    """Write lengths straight into the solver's model, whose notification leaves them out."""
    solver, flags = engine.solver, _flags()
    sink = Sink(engine, "solver.mjw_model", ARRAYS[name])
    worlds, places = places_of(solver, engine.topology.tendons[_FIXED].indices[rows])
    copies, count = sink.array.shape[:2]
    index = lanes(np.minimum(worlds, copies - 1) * count + places, 2, 0, 2)

    def write(values: Values, chosen: Chosen) -> Consequences:
        return publish([(sink, index[chosen], np.repeat(values[chosen], 2, axis=1))], flags)

    return write


def _refuse_rest_length(engine: NewtonEngine, rows: Indices, name: str) -> Mapping[int, str]:
    unheard = refuse_unheard(engine, rows, name)
    if unheard:
        return unheard
    is_shared = engine.model.world_count > 1 and engine.solver.mjw_model.tendon_lengthspring.shape[0] == 1
    return dict.fromkeys(range(len(rows)), _SHARED) if is_shared else {}


TENDON_MAKERS: Mapping[Key, Maker] = {
    **{
        (object_type, name): Maker(_gain(object_type), refuse_unheard)
        for object_type in (_FIXED, _SPATIAL)
        for name in ("tendonStiffness", "tendonDamping")
    },
    (_FIXED, "tendonLimit"): Maker(_limit, _refuse_limit),
    (_FIXED, "tendonRestLength"): Maker(_rest_length, _refuse_rest_length),
}
