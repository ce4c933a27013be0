"""The forces that joints transmit: on the outer link, in its joint frame, about the joint's origin."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ovread.backend import Omission, OmissionReason
from ovread_newton._binding import Source, Values, Write
from ovread_newton._rotations import Doubles, conjugate, multiply, rotate
from ovread_newton._solvers import JOINT_FORCES

if TYPE_CHECKING:
    from ovread_newton._engine import NewtonEngine

Indices = npt.NDArray[np.intp]

INCOMING = "linkIncomingJointForce"
PROJECTED = "jointProjectedForce"

_NOT_READY = "There is no joint force before the first step, nor after a reset: step first."


def bind_incoming(engine: NewtonEngine, links: Indices) -> Write | Omission:
    """Prepare reading the force of the joint that leads to each link; zero on a root that floats or is fixed.

    Returns:
        What fills ``(links, 6)``: force and torque.
    """
    if JOINT_FORCES not in engine.reported:
        return _unreported(engine, INCOMING)
    joints = _inbound(engine, links)
    has_joint = joints >= 0
    wrenches = _Wrenches(engine, joints[has_joint])

    def write(out: Values) -> Omission | None:
        if engine.observables is None:
            return Omission(INCOMING, OmissionReason.NOT_READY, _NOT_READY)
        out[~has_joint] = 0.0
        force, torque, frame = wrenches()
        inverse = conjugate(frame)
        out[has_joint, :3] = rotate(inverse, force)
        out[has_joint, 3:] = rotate(inverse, torque)
        return None

    return write


def bind_projected(engine: NewtonEngine, joints: Indices) -> Write | Omission:
    """Prepare reading the component of each joint's force along its axes, ``(axes, 1)`` in canonical order."""
    if JOINT_FORCES not in engine.reported:
        return _unreported(engine, PROJECTED)
    dofs = engine.topology.dofs
    counts, positions = dofs.rate.counts(joints), dofs.rate.positions(joints)
    owner = np.repeat(np.arange(len(joints)), counts)
    is_angular, sign = dofs.is_angular[positions], dofs.sign[positions].astype(float)
    own = engine.model.joint_axis.numpy()[dofs.rate.flat[positions]].astype(float)
    place = 0
    for joint, count in zip(joints.tolist(), counts.tolist(), strict=True):
        if joint in dofs.rotations:
            axes = dofs.rotations[joint].axes
            own[place : place + len(axes)] = axes
        place += count
    wrenches = _Wrenches(engine, joints)

    def write(out: Values) -> Omission | None:
        if engine.observables is None:
            return Omission(PROJECTED, OmissionReason.NOT_READY, _NOT_READY)
        force, torque, frame = wrenches()
        # Axes of rotation lie in the outer frame, those of translation in the inner one.
        inner = wrenches.inner_frames()
        along = rotate(np.where(is_angular[:, None], frame[owner], inner[owner]), own)
        acting = np.where(is_angular[:, None], torque[owner], force[owner])
        out[:, 0] = sign * np.einsum("nx,nx->n", along, acting)
        return None

    return write


def _unreported(engine: NewtonEngine, name: str) -> Omission:
    return Omission(name, OmissionReason.UNSUPPORTED_CONFIGURATION, engine.why_not_reported(JOINT_FORCES))


def _inbound(engine: NewtonEngine, links: Indices) -> Indices:
    """Return the joint that leads to each link; -1 for a root that floats or is fixed to the world."""
    import newton

    model, topology = engine.model, engine.topology
    root_kinds = (int(newton.JointType.FREE), int(newton.JointType.FIXED))
    joints = np.full(model.body_count, -1, np.intp)
    parents = model.joint_parent.numpy()
    starts, ends = model.articulation_start.numpy(), model.articulation_end.numpy()
    for start, end in zip(starts, ends, strict=False):  # the joints that close loops come after the end
        for joint in range(int(start), int(end)):
            if parents[joint] >= 0 or topology.joint_types[joint] not in root_kinds:
                joints[topology.children[joint]] = joint
    return joints[links]


class _Wrenches:
    """The forces of some joints on their outer links, in world axes, about the joints' origins."""

    def __init__(self, engine: NewtonEngine, joints: Indices) -> None:
        model = engine.model
        children = np.array(engine.topology.children, np.intp)[joints]
        self._children = children
        self._parents = model.joint_parent.numpy().astype(np.intp)[joints]
        self._forces, self._poses = (
            Source(engine, "observables", "body_parent_f"),
            Source(engine, "last_step", "body_q"),
        )
        self._centres = Source(engine, "model", "body_com")
        self._anchors, self._inner = Source(engine, "model", "joint_X_c"), Source(engine, "model", "joint_X_p")
        self._joints = joints

    def __call__(self) -> tuple[Doubles, Doubles, Doubles]:
        """Return forces, torques and orientations of the outer joint frames."""
        pose = _rows(self._poses, 7, self._children)
        anchor = _rows(self._anchors, 7, self._joints)
        wrench = _rows(self._forces, 6, self._children)
        centre = _rows(self._centres, 3, self._children)
        lever = rotate(pose[:, 3:], centre - anchor[:, :3])
        force = wrench[:, :3]
        return force, wrench[:, 3:] + np.cross(lever, force), multiply(pose[:, 3:], anchor[:, 3:])

    def inner_frames(self) -> Doubles:
        """Return the orientations of the inner joint frames."""
        turns = _rows(self._inner, 7, self._joints)[:, 3:]
        moving = self._parents >= 0
        turns[moving] = multiply(_rows(self._poses, 7, self._parents[moving])[:, 3:], turns[moving])
        return turns


def _rows(source: Source, width: int, rows: Indices) -> Doubles:
    return source().reshape(-1, width)[rows].astype(np.float64)
