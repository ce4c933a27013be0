"""Writing the state of bodies, of the roots of articulations, and of particles."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ovread.backend import Key
from ovread.catalogue import ObjectType
from ovread_newton._binding import Values, lanes
from ovread_newton._body_flags import are_kinematic
from ovread_newton._poses import composed, inverse
from ovread_newton._ragged import Indices
from ovread_newton._reads import ROOT_STATE, STATE
from ovread_newton._rotations import conjugate, rotate
from ovread_newton._soft import PARTICLES
from ovread_newton._writer import NOTHING, Chosen, Consequences, Maker, Scatter, Sink, Write

if TYPE_CHECKING:
    from ovread_newton._engine import NewtonEngine

_SOFT = (ObjectType.DEFORMABLE_SURFACE, ObjectType.DEFORMABLE_VOLUME, ObjectType.PARTICLE_SET)
_POSES = ("position", "orientation")
_VELOCITIES = ("linearVelocity", "angularVelocity")

_JOINTED = (
    "A joint holds the body, and the {solver} solver knows how far the joint is bent, not where the body is: open the "
    "scene with solver='xpbd', or make the bodies an articulation and write jointPosition and jointVelocity."
)
_KINEMATIC = "The body is kinematic: what moves it is kinematicTargetPosition and kinematicTargetOrientation."
_HELD_ROOT = "The base is fixed, and cannot have a velocity: write rootPosition and rootOrientation to move it."
_REMEMBERED = (
    "The vbd solver holds a fixed base by its joint as it was imported, and pulls it back: open the scene with another "
    "solver."
)
_HINGED_ROOT = "A joint to the world holds the root link: write that joint's jointPosition and jointVelocity."


def _refuse_body(engine: NewtonEngine, bodies: Indices, name: str) -> Mapping[int, str]:
    refused: dict[int, str] = {}
    if engine.is_reduced:
        held = _JOINTED.format(solver=engine.variant)
        refused |= dict.fromkeys(np.flatnonzero(~engine.topology.are_free(bodies)).tolist(), held)
    if name in _VELOCITIES:
        refused |= dict.fromkeys(np.flatnonzero(are_kinematic(engine, bodies)).tolist(), _KINEMATIC)
    return refused


def _body_state(engine: NewtonEngine, bodies: Indices, name: str) -> Write:
    part, array, width, start, end = STATE[name]
    sink, index = Sink(engine, part, array), lanes(bodies, width, start, end)
    jumps = name in _POSES
    coordinates = _coordinates(engine, bodies, name)
    after = Consequences(jumps=jumps) if jumps else NOTHING
    owners = engine.topology.owners[bodies]

    def write(values: Values, chosen: Chosen) -> Consequences:
        sink.put(index[chosen], values[chosen])
        if coordinates is None:
            return Consequences(moved=owners[chosen], jumps=jumps)
        coordinates(values, chosen)
        return after

    return write


def _coordinates(engine: NewtonEngine, bodies: Indices, name: str) -> Scatter | None:
    """Return what writes the same to free joints, whose coordinates are the body's where their frames are the world's.

    None where some body has another joint, or frames of its own: then they are computed.
    """
    if not len(bodies) or not engine.topology.are_free(bodies).all():
        return None
    topology, model = engine.topology, engine.model
    joints = topology.members.flat[topology.members.offsets[topology.owners[bodies]]]
    unturned = np.array((0, 0, 0, 0, 0, 0, 1), np.float32)
    for frames in (model.joint_X_p, model.joint_X_c):
        if (frames.numpy()[joints] != unturned).any():
            return None
    _, _, _, start, end = STATE[name]
    array, runs = ("joint_q", topology.joint_q) if name in _POSES else ("joint_qd", topology.joint_qd)
    return Scatter(Sink(engine, "state", array), runs.offsets[joints][:, None] + np.arange(start, end))


def _refuse_root(engine: NewtonEngine, articulations: Indices, name: str) -> Mapping[int, str]:
    import newton

    topology = engine.topology
    joints = topology.root_joints(articulations)
    is_kinematic = are_kinematic(engine, topology.roots[articulations])
    refused: dict[int, str] = {}
    for position, joint in enumerate(joints.tolist()):
        kind = topology.joint_types[joint]
        if kind not in (int(newton.JointType.FREE), int(newton.JointType.FIXED)):
            refused[position] = _HINGED_ROOT
        elif ROOT_STATE[name] in _VELOCITIES and kind == int(newton.JointType.FIXED):
            refused[position] = _HELD_ROOT
        elif kind == int(newton.JointType.FIXED) and engine.variant == "vbd":
            refused[position] = _REMEMBERED
        elif ROOT_STATE[name] in _VELOCITIES and is_kinematic[position]:
            refused[position] = _KINEMATIC
    return refused


def _root_pose(engine: NewtonEngine, articulations: Indices, name: str) -> Write:
    """Move the joint between the world and the root: a free one's coordinates, a fixed one's place in the world."""
    import newton

    topology = engine.topology
    part, array, width, start, end = STATE[ROOT_STATE[name]]
    poses = Sink(engine, part, array)
    whole = lanes(topology.roots[articulations], width, 0, width)
    joints = topology.root_joints(articulations)
    is_fixed = np.array([topology.joint_types[joint] == int(newton.JointType.FIXED) for joint in joints], bool)
    inner, outer = Sink(engine, "model", "joint_X_p"), Sink(engine, "model", "joint_X_c")
    anchors = lanes(joints, 7, 0, 7)
    coordinates = Sink(engine, "joint_state", "joint_q")
    first = topology.joint_q.offsets[joints]

    def write(values: Values, chosen: Chosen) -> Consequences:
        engine.refresh_joint_state()
        pose = poses()[whole[chosen]].astype(float)
        pose[:, start:end] = values[chosen]
        frames, fixed = anchors[chosen], is_fixed[chosen]
        on_body = composed(pose, outer()[frames].astype(float))
        if fixed.any():
            inner.put(frames[fixed], on_body[fixed])
        if not fixed.all():
            floating = ~fixed
            moved = composed(inverse(inner()[frames[floating]].astype(float)), on_body[floating])
            coordinates.put(first[chosen][floating, None] + np.arange(7), moved)
        flags = int(newton.ModelFlags.JOINT_PROPERTIES) if fixed.any() else 0
        return Consequences(bent=articulations[chosen], jumps=True, flags=flags)

    return write


def _root_velocity(engine: NewtonEngine, articulations: Indices, name: str) -> Write:
    _, _, _, start, end = STATE[ROOT_STATE[name]]
    joints = engine.topology.root_joints(articulations)
    frames = Sink(engine, "model", "joint_X_p")
    turns = lanes(joints, 7, 3, 7)
    rates = Sink(engine, "joint_state", "joint_qd")
    index = engine.topology.joint_qd.offsets[joints][:, None] + np.arange(start, end)

    def write(values: Values, chosen: Chosen) -> Consequences:
        engine.refresh_joint_state()
        # Rates of a free joint are in the axes of its inner frame.
        rates.put(index[chosen], rotate(conjugate(frames()[turns[chosen]].astype(float)), values[chosen]))
        return Consequences(bent=articulations[chosen])

    return write


def _particles(object_type: ObjectType, engine: NewtonEngine, rows: Indices, name: str) -> Write:
    particles = engine.topology.soft[object_type].particles.take(rows)
    return Scatter(Sink(engine, *PARTICLES[name]), lanes(particles, 3, 0, 3))


STATE_MAKERS: Mapping[Key, Maker] = {
    **{(ObjectType.RIGID_BODY, name): Maker(_body_state, _refuse_body) for name in _POSES + _VELOCITIES},
    **{
        (ObjectType.ARTICULATION, name): Maker(_root_pose if own in _POSES else _root_velocity, _refuse_root)
        for name, own in ROOT_STATE.items()
    },
    **{
        (object_type, name): Maker(partial(_particles, object_type))
        for object_type in _SOFT
        for name in ("points", "velocities")
    },
}
