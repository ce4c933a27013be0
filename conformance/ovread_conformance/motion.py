"""How fast everything of a system moves, and how that should change: read of a simulation, and from its description."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from ovread import ObjectType
from ovread_conformance.live import Live
from ovread_conformance.systems import SPATIAL, RobotOracle, System, inertia_of

Array = npt.NDArray[np.float64]
Rates = dict[str, float]
"""A number per generalized velocity: ``path:axis`` of a joint, ``path:linear.x`` to ``path:angular.z`` of a body."""

_DEGREE = np.pi / 180


def values_of(simulation: Live, kind: ObjectType, path: str, name: str) -> Array:
    """Return one attribute of one prim, flat."""
    result = simulation.read(simulation.query(kind, paths=[path]), [name])
    return np.asarray(result[name].per_prim()[0], dtype=float).ravel()


def rates(simulation: Live, system: System) -> Rates:
    """Read all generalized velocities: of joints in radians or length, of bodies and floating roots in world axes."""
    found: Rates = {}
    if system.bodies:
        found |= _twists(simulation, ObjectType.RIGID_BODY, "linearVelocity", "angularVelocity")
    if any(not robot.is_fixed for robot in system.robots):
        floating = {system.articulation_path(robot) for robot in system.robots if not robot.is_fixed}
        twists = _twists(simulation, ObjectType.ARTICULATION, "rootLinearVelocity", "rootAngularVelocity")
        found |= {label: value for label, value in twists.items() if label.rpartition(":")[0] in floating}
    for robot in system.robots:
        joints = {system.joint_path(robot, joint): joint for joint in robot.joints if joint.axes}
        query = simulation.query(ObjectType.ARTICULATION_JOINT, paths=list(joints))
        for path, values in zip(
            joints, simulation.read(query, ["jointVelocity"])["jointVelocity"].per_prim(), strict=True
        ):
            scale = 1.0 if joints[path].is_linear else _DEGREE
            found |= {
                f"{path}:{axis}": scale * float(value)
                for axis, value in zip(joints[path].axes, values.ravel(), strict=True)
            }
    return found


def _twists(simulation: Live, kind: ObjectType, linear: str, angular: str) -> Rates:
    query = simulation.query(kind)
    result = simulation.read(query, [linear, angular])
    both = np.hstack([result[linear].numpy(), result[angular].numpy()])
    return {
        f"{path}:{axis}": float(value)
        for path, twist in zip(query.paths, both, strict=True)
        for axis, value in zip(SPATIAL, twist, strict=True)
    }


Push = Mapping[str, tuple[Array, Array]]
"""Force at the centre of mass and torque, in world axes, by path of a body or link."""


def accelerations(system: System, push: Push | None = None, efforts: Mapping[str, float] | None = None) -> Rates:
    """Return the rates of change of all generalized velocities, by Euler's equations and Pinocchio.

    Args:
        system: The system, at the state that it is written down with.
        push: Forces on bodies and links.
        efforts: Efforts on joints, by label.
    """
    push = push or {}
    found: Rates = {}
    for body in system.bodies:
        path, turn = system.body_path(body), body.pose.rotation
        force, torque = push.get(path, (np.zeros(3), np.zeros(3)))
        inertia, spin = turn @ inertia_of(body) @ turn.T, _DEGREE * np.array(body.spin)
        linear = force / body.mass + (0.0 if body.is_weightless else np.array(system.gravity))
        angular = np.linalg.solve(inertia, torque - np.cross(spin, inertia @ spin))
        found |= {f"{path}:{axis}": float(v) for axis, v in zip(SPATIAL, [*linear, *angular], strict=True)}
    for robot in system.robots:
        oracle = RobotOracle(system, robot)
        applied = dict(oracle.drive_efforts())
        for label, effort in (efforts or {}).items():
            if label in oracle.labels:
                applied[label] = applied.get(label, 0.0) + effort
        for link in robot.links:
            path = system.link_path(robot, link.name)
            if path in push:
                jacobian = oracle.jacobian([f"{path}:{axis}" for axis in SPATIAL], oracle.labels)
                exerted = jacobian.T @ np.concatenate(push[path])
                for label, effort in zip(oracle.labels, exerted, strict=True):
                    applied[label] = applied.get(label, 0.0) + float(effort)
        found |= oracle.accelerations(applied)
    return found
