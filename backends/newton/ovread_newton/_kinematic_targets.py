"""Targets of kinematic bodies, which Newton does not have: the next step takes the bodies there.

During the step a body has the velocity that leads to its target, so that what it carries comes along. After the step
it is at its target, and stays there; its velocity is zero from the step after that on.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import attrs
import numpy as np

from ovread.backend import Key
from ovread.catalogue import ObjectType
from ovread_newton._binding import Source, Values, lanes
from ovread_newton._body_flags import are_kinematic
from ovread_newton._ragged import EMPTY, Indices
from ovread_newton._rotations import Doubles, conjugate, exponential, multiply, rotate, rotation_vector
from ovread_newton._writer import NOTHING, Chosen, Consequences, Maker, Sink, Write

if TYPE_CHECKING:
    from ovread_newton._engine import NewtonEngine, OwnedEngine

COLUMNS = {"kinematicTargetPosition": (0, 3), "kinematicTargetOrientation": (3, 7)}
"""First and last column of a pose."""

_YOUR_LOOP = "Your loop steps: move kinematic bodies there, by State.body_q and body_qd and newton.eval_ik."
_DYNAMIC = "The body is not kinematic: forces and contacts move it."


@attrs.frozen(eq=False)
class Way:
    """How some bodies move during one step: steadily, along and about the axis of a screw.

    Args:
        bodies: The bodies.
        starts: ``(n, 7)``: their poses before the step.
        ends: ``(n, 7)``: their targets.
        centres: ``(n, 3)``: their centres of mass, in their own axes.
    """

    bodies: Indices
    starts: Doubles
    ends: Doubles
    centres: Doubles

    def velocities(self, dt: float) -> Doubles:
        """Return the velocities of centres of mass and the angular velocities, ``(n, 6)``."""
        path = self._centre(self.ends) - self._centre(self.starts)
        return np.concatenate([path, self._turn()], axis=1) / dt

    def poses(self, part: float) -> Doubles:
        """Return the poses after some part of the step, ``(n, 7)``."""
        if part == 1.0:
            return self.ends
        turns = multiply(exponential(part * self._turn()), self.starts[:, 3:])
        centre = (1 - part) * self._centre(self.starts) + part * self._centre(self.ends)
        return np.concatenate([centre - rotate(turns, self.centres), turns], axis=1)

    def _centre(self, poses: Doubles) -> Doubles:
        return poses[:, :3] + rotate(poses[:, 3:], self.centres)

    def _turn(self) -> Doubles:
        return rotation_vector(multiply(self.ends[:, 3:], conjugate(self.starts[:, 3:])))


class KinematicTargets:
    """What is written between two steps, and the motion of the step.

    Args:
        engine: The engine.
    """

    def __init__(self, engine: OwnedEngine) -> None:
        self._engine = engine
        self._poses, self._velocities = Sink(engine, "state", "body_q"), Sink(engine, "state", "body_qd")
        self._centres = Source(engine, "model", "body_com")
        self._targets = np.zeros((engine.model.body_count, 7), np.float32)
        self._is_pending = np.zeros(engine.model.body_count, bool)
        self._moving = EMPTY
        self._way: Way | None = None

    def set(self, bodies: Indices, start: int, end: int, values: Values) -> None:
        """Set some columns of the targets; the others are those of the pose, or of the target that was set before."""
        fresh = bodies[~self._is_pending[bodies]]
        self._targets[fresh] = self._poses()[lanes(fresh, 7, 0, 7)]
        self._targets[bodies, start:end] = values
        self._is_pending[bodies] = True

    def read(self, bodies: Indices, start: int, end: int, out: Values) -> None:
        """Fill pending targets, and the poses of bodies that have none."""
        np.copyto(out, self._poses()[lanes(bodies, 7, start, end)])
        pending = self._is_pending[bodies]
        out[pending] = self._targets[bodies[pending], start:end]

    def clear(self) -> None:
        """Forget everything."""
        self._is_pending.fill(False)
        self._moving = EMPTY
        self._way = None

    def begin(self, dt: float) -> None:
        """Give the bodies the velocities of this step."""
        stopped = self._moving
        self._moving = np.flatnonzero(self._is_pending)
        if len(stopped):
            self._velocities.put(lanes(stopped, 6, 0, 6), 0.0)
        self._way = None
        if len(self._moving):
            bodies = self._moving
            starts = self._poses()[lanes(bodies, 7, 0, 7)].astype(float)
            centres = self._centres()[lanes(bodies, 3, 0, 3)].astype(float)
            self._way = Way(bodies, starts, self._targets[bodies].astype(float), centres)
            self._velocities.put(lanes(bodies, 6, 0, 6), self._way.velocities(dt))
        if len(stopped) or len(self._moving):
            self._engine.follow_kinematic(np.union1d(stopped, self._moving))

    def move(self, part: float) -> None:
        """Take the bodies to where they are after some part of the step."""
        if self._way is not None:
            self._poses.put(lanes(self._way.bodies, 7, 0, 7), self._way.poses(part))
            self._engine.follow_kinematic(self._way.bodies)

    def end(self) -> None:
        """Take note that the targets are reached."""
        self._is_pending[self._moving] = False
        self._way = None


def _refuse(engine: NewtonEngine, bodies: Indices, name: str) -> Mapping[int, str]:
    if engine.targets is None:
        return dict.fromkeys(range(len(bodies)), _YOUR_LOOP)
    return dict.fromkeys(np.flatnonzero(~are_kinematic(engine, bodies)).tolist(), _DYNAMIC)


def _target(engine: NewtonEngine, bodies: Indices, name: str) -> Write:
    targets = engine.targets
    assert targets is not None  # no row is left where there are none
    start, end = COLUMNS[name]

    def write(values: Values, chosen: Chosen) -> Consequences:
        targets.set(bodies[chosen], start, end, values[chosen])
        return NOTHING

    return write


TARGET_MAKERS: Mapping[Key, Maker] = {(ObjectType.RIGID_BODY, name): Maker(_target, _refuse) for name in COLUMNS}
