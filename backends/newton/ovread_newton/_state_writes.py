"""Writing the state: poses and velocities of bodies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ovread.backend import Key
from ovread.catalogue import ObjectType
from ovread_newton._binding import Values, lanes
from ovread_newton._ragged import Indices
from ovread_newton._reads import STATE
from ovread_newton._writer import Chosen, Consequences, Maker, Sink, Write

if TYPE_CHECKING:
    from ovread_newton._engine import NewtonEngine

_BODY_STATE = ("position", "orientation", "linearVelocity", "angularVelocity")


def _body_state(engine: NewtonEngine, bodies: Indices, name: str) -> Write:
    part, array, width, start, end = STATE[name]
    sink, index = Sink(engine, part, array), lanes(bodies, width, start, end)
    owners = engine.topology.owners[bodies]

    def write(values: Values, chosen: Chosen) -> Consequences:
        sink.put(index[chosen], values[chosen])
        return Consequences(moved=owners[chosen])

    return write


STATE_MAKERS: Mapping[Key, Maker] = {
    **{(ObjectType.RIGID_BODY, name): Maker(_body_state) for name in _BODY_STATE},
}
