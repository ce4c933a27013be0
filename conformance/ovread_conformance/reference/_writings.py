"""What the reference writes: one function per attribute, from a record and its new value to the record that has it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt
import pinocchio as pin

from ovread import ObjectType
from ovread.backend import Column, Omission
from ovread_conformance.reference._readings import (
    ARTICULATION,
    BODY,
    JOINT,
    LINK,
    ONE_AXIS,
    SCENE,
    Rows,
    column_of,
    omissions_of,
    paths_of,
    why_not,
)
from ovread_conformance.reference._world import World, with_body, with_joint
from ovread_conformance.systems import Body, Drive, Joint, Vector

Values = npt.NDArray[Any]
Write = Callable[[World, str, Values], None]

NOT_KINEMATIC = "The body is not kinematic."
FIXED = "The root is fixed to the world and does not move."


def _of_body(change: Callable[[Body, Values], Body]) -> Write:
    return lambda world, path, values: world.replace(with_body(world.system, path, lambda of: change(of, values)))


def _of_joint(change: Callable[[Joint, Values], Joint]) -> Write:
    return lambda world, path, values: world.replace(with_joint(world.system, path, lambda of: change(of, values)))


def _of_root(change: Callable[[Body, Values], Body]) -> Write:
    def write(world: World, path: str, values: Values) -> None:
        for robot in world.system.robots:
            if world.system.articulation_path(robot) == path:
                _of_body(change)(world, world.system.link_path(robot, robot.root.name), values)

    return write


def _vector(values: Values) -> Vector:
    x, y, z = values.ravel().tolist()
    return (x, y, z)


def _per_axis(values: Values) -> tuple[float, ...]:
    return tuple(values.ravel().tolist())


def _limited(joint: Joint, values: Values) -> Joint:
    limits = [(low, high) for low, high in values.reshape(-1, 2).tolist()]
    return attrs.evolve(joint, limit=limits[0], more_limits=tuple(limits[1:]))


def _turn(values: Values) -> npt.NDArray[np.float64]:
    return np.asarray(pin.Quaternion(values.ravel().astype(float)).normalized().toRotationMatrix())


def _with_inertia(body: Body, values: Values) -> Body:
    """Take the principal axes in the order and the senses that are nearest to those of before."""
    moments, axes = np.linalg.eigh(values.reshape(3, 3).astype(float))
    near = np.abs(body.centre.rotation.T @ axes)
    order = list(max(itertools.permutations(range(3)), key=lambda columns: float(near[range(3), columns].sum())))
    moments, axes = moments[order], axes[:, order]
    axes *= np.where((body.centre.rotation * axes).sum(axis=0) < 0, -1, 1)
    axes[:, 2] *= np.linalg.det(axes)
    return attrs.evolve(body, moments=_vector(moments), centre=pin.SE3(axes, body.centre.translation))


def _with_centre(body: Body, values: Values) -> Body:
    """Move the centre of mass; the body moves as it did, so its new centre has another velocity."""
    moved = values.ravel() - body.centre.translation
    velocity = body.velocity + np.cross(np.radians(body.spin), body.pose.rotation @ moved)
    centre = pin.SE3(body.centre.rotation, values.ravel().astype(float))
    return attrs.evolve(body, centre=centre, velocity=_vector(velocity))


def _of_drive(change: Callable[[Drive, float], Drive]) -> Write:
    def changed(joint: Joint, values: Values) -> Joint:
        drives = [
            change(drive, value)
            for drive, value in zip(joint.drives, values.ravel().tolist(), strict=True)
            if drive is not None  # joints with an axis without a drive are left out
        ]
        return attrs.evolve(joint, drive=drives[0], more_drives=tuple(drives[1:]))

    return _of_joint(changed)


def _apply(world: World, path: str, values: Values) -> None:
    axes = next(joint.axes for at, joint in world.joints() if at == path)
    for axis, value in zip(axes, values.ravel().tolist(), strict=True):
        world.efforts[f"{path}:{axis}"] = value


def _push(world: World, path: str, values: Values) -> None:
    force, torque, point = np.concatenate([values.ravel(), np.zeros(9 - values.size)]).astype(float).reshape(3, 3)
    if values.size == 9:
        centre = next(of.centre for kind in (world.bodies(), world.links()) for of in kind if of.path == path)
        torque = torque + np.cross(point - centre, force)
    world.push(path, force, torque)


def _aim(world: World, path: str, values: Values) -> None:
    pose = world.targets.get(path) or next(of.pose for of in world.bodies() if of.path == path)
    values = values.ravel().astype(float)
    turned = pin.SE3(_turn(values), pose.translation) if values.size == 4 else pin.SE3(pose.rotation, values)
    world.targets[path] = turned


def _set_gravity(world: World, path: str, values: Values) -> None:
    world.replace(attrs.evolve(world.system, gravity=_vector(values)))


_POSE: Mapping[str, Callable[[Body, Values], Body]] = {
    "position": lambda of, new: attrs.evolve(of, pose=pin.SE3(of.pose.rotation, new.ravel().astype(float))),
    "orientation": lambda of, new: attrs.evolve(of, pose=pin.SE3(_turn(new), of.pose.translation)),
    "linearVelocity": lambda of, new: attrs.evolve(of, velocity=_vector(new)),
    "angularVelocity": lambda of, new: attrs.evolve(of, spin=_vector(np.degrees(new.astype(float)))),
}
_PROPERTIES: Mapping[str, Write] = {
    "mass": _of_body(lambda of, new: attrs.evolve(of, mass=float(new.item()))),
    "inertia": _of_body(_with_inertia),
    "centerOfMassPosition": _of_body(_with_centre),
    "centerOfMassOrientation": _of_body(
        lambda of, new: attrs.evolve(of, centre=pin.SE3(_turn(new), of.centre.translation))
    ),
    "disableGravity": _of_body(lambda of, new: attrs.evolve(of, is_weightless=bool(new.item()))),
    "force": _push,
    "wrench": _push,
}
WRITES: Mapping[ObjectType, Mapping[str, Write]] = {
    BODY: {
        **{name: _of_body(change) for name, change in _POSE.items()},
        **_PROPERTIES,
        "kinematicTargetPosition": _aim,
        "kinematicTargetOrientation": _aim,
    },
    LINK: _PROPERTIES,
    JOINT: {
        "jointPosition": _of_joint(lambda of, new: attrs.evolve(of, position=_per_axis(new))),
        "jointVelocity": _of_joint(lambda of, new: attrs.evolve(of, velocity=_per_axis(new))),
        "jointPositionTarget": _of_drive(lambda of, new: attrs.evolve(of, target=new)),
        "jointVelocityTarget": _of_drive(lambda of, new: attrs.evolve(of, velocity_target=new)),
        "jointStiffness": _of_drive(lambda of, new: attrs.evolve(of, stiffness=new)),
        "jointDamping": _of_drive(lambda of, new: attrs.evolve(of, damping=new)),
        "jointMaxForce": _of_drive(lambda of, new: attrs.evolve(of, max_force=new)),
        "jointActuationForce": _apply,
        "jointLimit": _of_joint(_limited),
        "jointMaxVelocity": _of_joint(lambda of, new: attrs.evolve(of, max_velocity=float(new.item()))),
        "jointArmature": _of_joint(lambda of, new: attrs.evolve(of, armature=float(new.item()))),
    },
    ARTICULATION: {f"root{name[0].upper()}{name[1:]}": _of_root(change) for name, change in _POSE.items()},
    SCENE: {"gravity": _set_gravity},
}
"""How each attribute of each type is written."""

_OF_ONE_AXIS = ("jointLimit", "jointMaxVelocity", "jointArmature")


def _why_not(world: World, kind: ObjectType, name: str, path: str) -> str:
    if kind is JOINT and name in _OF_ONE_AXIS:
        is_single = any(at == path and len(joint.axes) == 1 for at, joint in world.joints())
        return "" if is_single else ONE_AXIS
    if kind is BODY and name.startswith("kinematicTarget"):
        is_kinematic = any(of.path == path and of.body.is_kinematic for of in world.bodies())
        return "" if is_kinematic else NOT_KINEMATIC
    if kind is ARTICULATION and name.endswith("Velocity"):
        is_fixed = any(world.system.articulation_path(of) == path and of.is_fixed for of in world.system.robots)
        return FIXED if is_fixed else ""
    return why_not(world, kind, name, path)


class ReferenceWrite:
    """A prepared write.

    Args:
        world: The world that is written to.
        kind: Type of the objects.
        rows: Which of them.
        names: The attributes.
    """

    def __init__(self, world: World, kind: ObjectType, rows: Rows, names: Sequence[str]) -> None:
        self._world, self._kind = world, kind
        everything = paths_of(world, kind)
        asked = [everything[row] for row in rows]
        self.columns: list[Column] = []
        self.omissions: list[Omission] = []
        self._paths: list[list[str]] = []
        for name in names:
            reasons = {path: _why_not(world, kind, name, path) for path in asked}
            self.omissions += omissions_of(name, reasons)
            positions = [number for number, path in enumerate(asked) if not reasons[path]]
            if positions or not reasons:
                paths = [asked[number] for number in positions]
                self.columns.append(column_of(world, kind, name, positions, paths))
                self._paths.append(paths)

    def start(self, index: int, values: Values) -> None:
        """Exert no force: what was given before is added to."""
        values[...] = 0

    def commit(self, index: int, values: Values, rows: Rows | None) -> None:
        """Replace the world's state by one that has the values."""
        column, paths = self.columns[index], self._paths[index]
        write = WRITES[self._kind][column.attribute]
        ends = np.arange(1, len(paths) + 1) if column.counts is None else np.cumsum(column.counts)
        parts = np.split(values, ends[:-1])
        for row in range(len(paths)) if rows is None else rows.tolist():
            write(self._world, paths[row], parts[row])

    def close(self) -> None:
        """Hold nothing."""
