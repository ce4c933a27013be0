"""Efforts of joints beside their drives, ``Control.joint_f``: they stand until they are written again.

An effort about an axis is what does work with the rate about that axis. A joint that rotates about several axes has
other rates in Newton, whose relation to these changes as the joint turns: its efforts are kept here, and converted for
each solver step.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from ovread.backend import Key
from ovread.catalogue import ObjectType
from ovread_newton._binding import Gather, Source, Values
from ovread_newton._binding import Write as Read
from ovread_newton._ragged import Indices
from ovread_newton._turned_joints import are_turned, overlaid, placed
from ovread_newton._writer import NOTHING, Chosen, Consequences, Maker, Scatter, Sink, Write

if TYPE_CHECKING:
    from ovread_newton._engine import NewtonEngine

EFFORT = "jointActuationForce"

_YOUR_LOOP = (
    "The joint rotates about several axes, so that Newton's efforts change as it turns, and your loop steps: write "
    "Control.joint_f there."
)


class TurnedEfforts:
    """The efforts of all joints that rotate about several axes.

    Args:
        engine: The engine.
    """

    def __init__(self, engine: NewtonEngine) -> None:
        self._engine = engine
        self._coordinates = Source(engine, "joint_state", "joint_q")
        self._efforts = Sink(engine, "control", "joint_f")
        joints = engine.topology.joints
        positions = engine.topology.dofs.rate.positions(joints)
        self._kinds = [(kind, positions[places]) for kind, places in placed(engine, joints)]
        self.values = np.zeros((engine.model.joint_dof_count, 1))
        """By degree of freedom, the canonical axes of each joint in turn."""

    def __bool__(self) -> bool:
        return bool(self.values.any())

    def exert(self) -> None:
        """Let a solver step see them."""
        self._engine.refresh_joint_state()
        coordinates = self._coordinates()
        for kind, places in self._kinds:
            matrices = kind.matrices(coordinates[kind.coordinates].astype(float))
            self._efforts.put(kind.rates, np.einsum("nij,ni->nj", matrices, self.values[places, 0]))

    def clear(self) -> None:
        """Forget them."""
        self.values.fill(0)


def bind_effort(engine: NewtonEngine, joints: Indices) -> Read:
    """Prepare reading ``(axes, 1)``."""
    dofs = engine.topology.dofs
    positions = dofs.rate.positions(joints)
    sign = dofs.sign[positions][:, None]
    plain = Gather(Source(engine, "control", "joint_f"), dofs.rate.flat[positions][:, None], sign)
    turned = np.flatnonzero(are_turned(engine.topology, joints))
    if not len(turned):
        return plain
    kept, converted = engine.efforts, overlaid(engine, joints, EFFORT, plain, sign)

    def read(out: Values) -> None:
        if kept is None:
            engine.refresh_joint_state()
            converted(out)
        else:
            plain(out)
            out[turned] = kept.values[positions[turned]] * sign[turned]

    return read


def _refuse(engine: NewtonEngine, joints: Indices, name: str) -> Mapping[int, str]:
    if engine.efforts is not None:
        return {}
    rotations = engine.topology.dofs.rotations
    return {position: _YOUR_LOOP for position, joint in enumerate(joints.tolist()) if joint in rotations}


def _effort(engine: NewtonEngine, joints: Indices, name: str) -> Write:
    dofs = engine.topology.dofs
    positions = dofs.rate.positions(joints)
    sign, rate = dofs.sign[positions][:, None], dofs.rate.flat[positions][:, None]
    is_turned = are_turned(engine.topology, joints)
    efforts, kept = Sink(engine, "control", "joint_f"), engine.efforts
    if not is_turned.any():
        return Scatter(efforts, rate, sign)

    def write(values: Values, chosen: Chosen) -> Consequences:
        signed = values[chosen] * sign[chosen]
        turned = is_turned[chosen]
        efforts.put(rate[chosen][~turned], signed[~turned])
        if kept is not None and turned.any():
            kept.values[positions[chosen][turned]] = signed[turned]
            kept.exert()
        return NOTHING

    return write


EFFORT_MAKERS: Mapping[Key, Maker] = {(ObjectType.ARTICULATION_JOINT, EFFORT): Maker(_effort, _refuse)}
