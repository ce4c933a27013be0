"""Writing gravity: of a scene, and whether it acts on a body."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from ovread.backend import Key
from ovread.catalogue import ObjectType
from ovread_newton._binding import Values, lanes
from ovread_newton._ragged import Indices
from ovread_newton._writer import Chosen, Consequences, Maker, Sink, Write, publish, refuse_unheard

if TYPE_CHECKING:
    from ovread_newton._engine import NewtonEngine

_NEVER_COMPENSATED = (
    "MuJoCo settles when it is made whether it compensates gravity at all, and this model had no mujoco.gravcomp then: "
    "give some body a little."
)


def _gravity(engine: NewtonEngine, rows: Indices, name: str) -> Write:
    import newton

    sink, flags = Sink(engine, "model", "gravity"), int(newton.ModelFlags.MODEL_PROPERTIES)
    worlds = lanes(rows, 3, 0, 3)
    # What is in no world has a gravity of its own, after those of the worlds.
    is_everywhere = engine.model.world_count <= 1
    every = np.arange(len(engine.model.gravity), dtype=np.intp)

    def write(values: Values, chosen: Chosen) -> Consequences:
        given = values[chosen]
        if is_everywhere and len(given):
            return publish([(sink, lanes(every, 3, 0, 3), np.broadcast_to(given, (len(every), 3)))], flags)
        return publish([(sink, worlds[chosen], given)], flags)

    return write


def _weightless(engine: NewtonEngine, bodies: Indices, name: str) -> Write:
    import newton

    compensation = Sink(engine, "model.mujoco", "gravcomp")
    flags = int(newton.ModelFlags.BODY_INERTIAL_PROPERTIES)

    def write(values: Values, chosen: Chosen) -> Consequences:
        return publish([(compensation, bodies[chosen], values[chosen, 0].astype(np.float32))], flags)

    return write


def _refuse_weightless(engine: NewtonEngine, bodies: Indices, name: str) -> Mapping[int, str]:
    unheard = refuse_unheard(engine, bodies, name)
    if unheard:
        return unheard
    model = getattr(engine.solver, "mj_model", None)
    if model is None or not model.ngravcomp:
        return dict.fromkeys(range(len(bodies)), _NEVER_COMPENSATED)
    return {}


GRAVITY_MAKERS: Mapping[Key, Maker] = {
    (ObjectType.SCENE, "gravity"): Maker(_gravity, refuse_unheard),
    **{
        (object_type, "disableGravity"): Maker(_weightless, _refuse_weightless)
        for object_type in (ObjectType.RIGID_BODY, ObjectType.ARTICULATION_LINK)
    },
}
