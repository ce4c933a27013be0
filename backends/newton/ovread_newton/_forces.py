"""Forces and torques on bodies for the next step: all its solver steps, and none after it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ovread.backend import Key
from ovread.catalogue import ObjectType
from ovread_newton._binding import Source, Values
from ovread_newton._body_flags import are_kinematic
from ovread_newton._ragged import Indices
from ovread_newton._rotations import rotate
from ovread_newton._writer import NOTHING, Chosen, Consequences, Maker, Write

if TYPE_CHECKING:
    import newton

    from ovread_newton._engine import NewtonEngine

_YOUR_LOOP = (
    "Your loop clears the forces of its state before each solver step, and with them any that are written here: add to "
    "State.body_f there, after state.clear_forces()."
)
_KINEMATIC = "The body is kinematic, and no force moves it."


class ExternalForces:
    """What is written between two steps, summed up.

    Args:
        bodies: Number of bodies.
    """

    def __init__(self, bodies: int) -> None:
        self._wrenches = np.zeros((bodies, 6), np.float32)
        self._is_pending = False

    def add(self, bodies: Indices, start: int, values: Values) -> None:
        """Add forces and torques about centres of mass, in world axes, from a column of ``body_f`` on."""
        self._wrenches[bodies, start : start + values.shape[1]] += values
        self._is_pending = True

    def exert(self, state: newton.State) -> None:
        """Let a solver step see them."""
        if self._is_pending:
            forces: Any = state.body_f
            forces.assign(self._wrenches)

    def clear(self) -> None:
        """Forget them."""
        if self._is_pending:
            self._wrenches.fill(0)
            self._is_pending = False


def _refuse(engine: NewtonEngine, bodies: Indices, name: str) -> Mapping[int, str]:
    if engine.forces is None:
        return dict.fromkeys(range(len(bodies)), _YOUR_LOOP)
    return dict.fromkeys(np.flatnonzero(are_kinematic(engine, bodies)).tolist(), _KINEMATIC)


def _force(engine: NewtonEngine, bodies: Indices, name: str) -> Write:
    forces = _forces(engine)

    def write(values: Values, chosen: Chosen) -> Consequences:
        forces.add(bodies[chosen], 0, values[chosen])
        return NOTHING

    return write


def _wrench(engine: NewtonEngine, bodies: Indices, name: str) -> Write:
    """Move each force from its point of application to the centre of mass."""
    forces = _forces(engine)
    poses, centres = Source(engine, "state", "body_q"), Source(engine, "model", "body_com")

    def write(values: Values, chosen: Chosen) -> Consequences:
        moved = bodies[chosen]
        pose = poses().reshape(-1, 7)[moved].astype(float)
        centre = pose[:, :3] + rotate(pose[:, 3:], centres().reshape(-1, 3)[moved].astype(float))
        force, torque, point = np.split(values[chosen].astype(float), 3, axis=1)
        forces.add(moved, 0, np.concatenate([force, torque + np.cross(point - centre, force)], axis=1))
        return NOTHING

    return write


def _forces(engine: NewtonEngine) -> ExternalForces:
    assert engine.forces is not None  # no row is left where there are none
    return engine.forces


FORCE_MAKERS: Mapping[Key, Maker] = {
    (object_type, name): Maker(make, _refuse)
    for object_type in (ObjectType.RIGID_BODY, ObjectType.ARTICULATION_LINK)
    for name, make in (("force", _force), ("wrench", _wrench))
}
