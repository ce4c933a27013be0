"""A robot in Pinocchio, in double precision and in the coordinates of this API.

Generalized velocities are the authored rates of the joints, in radians or length, and for a floating root the velocity
of its centre of mass and its angular velocity, both in world axes. Columns are asked for by label.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pinocchio as pin

from ovread_conformance.systems._model import Body, Joint, Robot, System, at

Array = npt.NDArray[np.float64]

SPATIAL = tuple(f"{kind}.{axis}" for kind in ("linear", "angular") for axis in "xyz")
_DEGREE = np.pi / 180
_ONE_AXIS: Mapping[tuple[str, str], Any] = {
    ("revolute", "X"): pin.JointModelRX,
    ("revolute", "Y"): pin.JointModelRY,
    ("revolute", "Z"): pin.JointModelRZ,
    ("prismatic", "X"): pin.JointModelPX,
    ("prismatic", "Y"): pin.JointModelPY,
    ("prismatic", "Z"): pin.JointModelPZ,
}


def _padded(joint: Joint, values: Sequence[float]) -> Array:
    return np.array([*values, *[0.0] * (len(joint.axes) - len(values))], float)


def _errors(joint: Joint) -> Array:
    """Return how far each axis is from its target; about three axes, the rotation vector that leads there."""
    targets = np.array([0.0 if drive is None else drive.target for drive in joint.drives])
    position = _padded(joint, joint.position)
    if not _is_ball(joint):
        return np.asarray(targets - position)
    sign = joint.sides[2] * _DEGREE
    return np.asarray(pin.log3(pin.exp3(sign * position).T @ pin.exp3(sign * targets)) / sign)


def _is_ball(joint: Joint) -> bool:
    """Whether a joint turns about three axes: the rates are an angular velocity then."""
    return len(joint.axes) == 3 and not any(joint.are_linear)


def _joint_model(joint: Joint) -> Any:
    """Return Pinocchio's model of the free axes: slides, then a turn about one axis or about all three."""
    if _is_ball(joint):
        return pin.JointModelSpherical()
    parts = sorted(zip(joint.are_linear, joint.letters, strict=True), reverse=True)
    models = [_ONE_AXIS["prismatic" if is_linear else "revolute", letter]() for is_linear, letter in parts]
    if len(models) == 1:
        return models[0]
    whole = pin.JointModelComposite()
    for model in models:
        whole.addJoint(model)
    return whole


class RobotOracle:
    """A robot, at the state that it is written down with.

    Args:
        system: The system, for paths and gravity.
        robot: One of its robots.
    """

    def __init__(self, system: System, robot: Robot) -> None:
        self.system = system
        self.robot = robot
        self.model = pin.Model()
        self.model.gravity.linear = np.array(system.gravity, float)
        self._places: dict[str, tuple[int, pin.SE3]] = {}
        self._index: dict[str, int] = {}
        coordinates: list[float] = []
        rates: list[float] = []
        signs: list[float] = []
        for link in robot.depth_first():
            self._add(link, coordinates, rates, signs)
        self.data = self.model.createData()
        self.q = np.array(coordinates, float)
        self.rates = np.array(rates, float)
        self._to_native = np.diag(np.array(signs, float))
        self._rate_of_change = np.zeros_like(self._to_native)
        if not robot.is_fixed:
            self._float()
        self._v = self._to_native @ self.rates
        self._bias = self._rate_of_change @ self.rates
        pin.forwardKinematics(self.model, self.data, self.q, self._v, 0 * self._v)
        pin.updateFramePlacements(self.model, self.data)
        pin.computeJointJacobians(self.model, self.data, self.q)

    def _add(self, link: Body, coordinates: list[float], rates: list[float], signs: list[float]) -> None:
        inbound = self.robot.inbound(link.name)
        if inbound is None and self.robot.is_fixed:
            joint, place = 0, link.pose
        elif inbound is None:
            joint, place = self.model.addJoint(0, pin.JointModelFreeFlyer(), at(), "root"), at()
            coordinates += pin.SE3ToXYZQUAT(link.pose).tolist()
            rates += [*link.velocity, *(_DEGREE * np.array(link.spin))]
            signs += [1.0] * 6
            path = self.system.link_path(self.robot, link.name)
            self._index |= {f"{path}:{name}": index for index, name in enumerate(SPATIAL)}
        else:
            joint, place = self._add_joint(inbound, coordinates, rates, signs)
        self._places[link.name] = joint, place
        self.model.appendBodyToJoint(joint, pin.Inertia(link.mass, link.centre.translation, inertia_of(link)), place)
        for name, frame in ((link.name, at()), (f"{link.name} com", at(*link.centre.translation))):
            self.model.addFrame(pin.Frame(name, joint, place * frame, pin.FrameType.OP_FRAME), False)

    def _add_joint(
        self, joint: Joint, coordinates: list[float], rates: list[float], signs: list[float]
    ) -> tuple[int, pin.SE3]:
        parent, place = self._places.get(joint.parent, (0, at()))
        near, far, sign = joint.sides
        if joint.kind == "fixed":
            return parent, place * near * far.inverse()
        size = len(joint.axes)
        index = self.model.addJoint(parent, _joint_model(joint), place * near, joint.child)
        scale = np.where(joint.are_linear, 1.0, _DEGREE)
        q, v = (scale * _padded(joint, values) for values in (joint.position, joint.velocity))
        # Pinocchio has translations first.
        order = sorted(range(size), key=lambda number: not joint.are_linear[number])
        native = sign * q[order]
        coordinates += pin.Quaternion(pin.exp3(native)).coeffs().tolist() if _is_ball(joint) else native.tolist()
        rates += v[order].tolist()
        signs += [sign] * size
        first = self.model.joints[index].idx_v
        path = self.system.joint_path(self.robot, joint)
        self._index |= {f"{path}:{joint.axes[number]}": first + at for at, number in enumerate(order)}
        return index, far.inverse()

    def _float(self) -> None:
        """Pinocchio's free flyer has the velocity of the origin, in body axes."""
        root = self.robot.root
        turn = root.pose.rotation
        arm = turn @ root.centre.translation
        spin = _DEGREE * np.array(root.spin)
        turning = pin.skew(spin) @ turn
        for matrix, axes, lever in (
            (self._to_native, turn.T, turn.T @ pin.skew(arm)),
            (self._rate_of_change, turning.T, turning.T @ pin.skew(arm) + turn.T @ pin.skew(np.cross(spin, arm))),
        ):
            matrix[:3, :3] = matrix[3:6, 3:6] = axes
            matrix[:3, 3:6] = lever

    def _columns(self, labels: Sequence[str]) -> list[int]:
        return [self._index[label] for label in labels]

    def _vector(self, native: Array, labels: Sequence[str]) -> Array:
        return np.asarray((self._to_native.T @ native)[self._columns(labels)])

    def pose(self, link: str) -> pin.SE3:
        """Return the pose of a link."""
        return self.data.oMf[self.model.getFrameId(link)]

    def centre(self, link: str) -> Array:
        """Return the centre of mass of a link, in world axes."""
        return np.array(self.data.oMf[self.model.getFrameId(f"{link} com")].translation)

    def twist(self, link: str) -> tuple[Array, Array]:
        """Return the velocity of a link's centre of mass and its angular velocity, in world axes and radians."""
        frame = self.model.getFrameId(f"{link} com")
        found = pin.getFrameVelocity(self.model, self.data, frame, pin.LOCAL_WORLD_ALIGNED)
        return np.array(found.linear), np.array(found.angular)

    def mass_matrix(self, labels: Sequence[str]) -> Array:
        """Return the generalized mass matrix, armature included."""
        upper = np.triu(pin.crba(self.model, self.data, self.q))
        whole = self._to_native.T @ (upper + np.triu(upper, 1).T) @ self._to_native + np.diag(self._armature())
        columns = self._columns(labels)
        return np.asarray(whole[np.ix_(columns, columns)])

    def _armature(self) -> Array:
        armature = np.zeros(self.model.nv)
        for joint in self.robot.joints:
            path = self.system.joint_path(self.robot, joint)
            for name in joint.axes:
                armature[self._index[f"{path}:{name}"]] = joint.armature
        return armature

    def jacobian(self, rows: Sequence[str], labels: Sequence[str]) -> Array:
        """Return velocities of the links' centres of mass per generalized velocity; rows are labels too."""
        blocks: dict[str, Array] = {}
        for path in dict.fromkeys(row.rpartition(":")[0] for row in rows):
            link = path.rpartition("/")[2]
            native = np.zeros((6, self.model.nv))
            if self._places[link][0]:
                frame = self.model.getFrameId(f"{link} com")
                native = pin.getFrameJacobian(self.model, self.data, frame, pin.LOCAL_WORLD_ALIGNED)
            block = (np.reshape(native, (6, -1)) @ self._to_native)[:, self._columns(labels)]
            blocks |= {f"{path}:{name}": row for name, row in zip(SPATIAL, block, strict=True)}
        return np.array([blocks[row] for row in rows]).reshape(len(rows), len(labels))

    def gravity_force(self, labels: Sequence[str]) -> Array:
        """Return the generalized force that holds against gravity."""
        return self._vector(pin.computeGeneralizedGravity(self.model, self.data, self.q), labels)

    def coriolis_force(self, labels: Sequence[str]) -> Array:
        """Return the generalized force that compensates Coriolis and centrifugal forces."""
        whole = pin.rnea(self.model, self.data, self.q, self._v, self._bias)
        return self._vector(whole - pin.computeGeneralizedGravity(self.model, self.data, self.q), labels)

    def centroidal_momentum(self, labels: Sequence[str]) -> Array:
        """Return the momentum per generalized velocity; the last label is that of the bias force."""
        matrix = np.array(pin.computeCentroidalMap(self.model, self.data, self.q)) @ self._to_native
        pin.computeCentroidalMomentumTimeVariation(self.model, self.data, self.q, self._v, self._bias)
        bias = np.concatenate([self.data.dhg.linear, self.data.dhg.angular])
        return np.column_stack([matrix[:, self._columns(labels[:-1])], bias])

    def centre_of_mass(self) -> Array:
        """Return the centre of mass of the robot, in world axes."""
        masses = np.array([link.mass for link in self.robot.links])
        centres = np.array([self.centre(link.name) for link in self.robot.links])
        return np.asarray(masses @ centres / masses.sum())

    @property
    def labels(self) -> list[str]:
        """All generalized velocities, in no order that means something."""
        return list(self._index)

    def accelerations(self, efforts: Mapping[str, float] | None = None) -> dict[str, float]:
        """Return the rates of change of the generalized velocities under gravity, drives and further efforts.

        Efforts are by label, those of ``drive_efforts`` included where the caller wants them.
        """
        labels = self.labels
        applied = np.array([(efforts or {}).get(label, 0.0) for label in labels])
        rest = applied - self.gravity_force(labels) - self.coriolis_force(labels)
        return dict(zip(labels, np.linalg.solve(self.mass_matrix(labels), rest).tolist(), strict=True))

    def drive_efforts(self) -> dict[str, float]:
        """Return what the drives exert at this state, and what is written beside that, by label."""
        efforts: dict[str, float] = {}
        for joint in self.robot.joints:
            path = self.system.joint_path(self.robot, joint)
            efforts |= {f"{path}:{axis}": effort for axis, effort in zip(joint.axes, joint.efforts, strict=False)}
            for number, (axis, drive) in enumerate(zip(joint.axes, joint.drives, strict=True)):
                if drive is not None:
                    effort = drive.stiffness * _errors(joint)[number]
                    effort += drive.damping * (drive.velocity_target - _padded(joint, joint.velocity)[number])
                    if drive.kind == "acceleration":
                        # Exact where no other joint moves along.
                        scale = 1.0 if joint.are_linear[number] else 1 / _DEGREE
                        effort *= scale * float(self.mass_matrix([f"{path}:{axis}"])[0, 0]) * _DEGREE
                    exerted = float(np.clip(effort, -drive.max_force, drive.max_force))
                    efforts[f"{path}:{axis}"] = efforts.get(f"{path}:{axis}", 0.0) + exerted
        return efforts

    def link_accelerations(self, accelerations: Mapping[str, float]) -> dict[str, tuple[Array, Array]]:
        """Return the acceleration of each link's centre of mass and its angular acceleration, in world axes."""
        by_index = np.zeros(self.model.nv)
        for label, value in accelerations.items():
            by_index[self._index[label]] = value
        data = self.model.createData()
        pin.forwardKinematics(self.model, data, self.q, self._v, self._to_native @ by_index + self._bias)
        pin.updateFramePlacements(self.model, data)
        found = {}
        for link in self.robot.links:
            frame = self.model.getFrameId(f"{link.name} com")
            classical = pin.getFrameClassicalAcceleration(self.model, data, frame, pin.LOCAL_WORLD_ALIGNED)
            found[link.name] = np.array(classical.linear), np.array(classical.angular)
        return found

    def joint_forces(self, accelerations: Mapping[str, float]) -> dict[str, tuple[Array, Array]]:
        """Return, per link but the root, the force of its inbound joint on it and the torque about the joint's origin.

        Both are in the link's joint frame: what all links beyond the joint need for their accelerations, less gravity.
        """
        moved = self.link_accelerations(accelerations)
        found = {}
        for joint in self.robot.joints:
            frame = self.pose(joint.child) * joint.sides[1]
            force, torque = np.zeros(3), np.zeros(3)
            for link in self._beyond(joint.child):
                linear, angular = moved[link.name]
                turn = self.pose(link.name).rotation
                inertia = turn @ inertia_of(link) @ turn.T
                spin = self.twist(link.name)[1]
                needed = link.mass * (linear - np.array(self.system.gravity))
                lever = self.centre(link.name) - frame.translation
                force += needed
                torque += inertia @ angular + np.cross(spin, inertia @ spin) + np.cross(lever, needed)
            found[joint.child] = frame.rotation.T @ force, frame.rotation.T @ torque
        return found

    def _beyond(self, link: str) -> list[Body]:
        inner = [link]
        for name in inner:
            inner += [joint.child for joint in self.robot.joints if joint.parent == name]
        return [self.robot.link(name) for name in inner]


def inertia_of(body: Body) -> Array:
    """Return the inertia tensor about the centre of mass, in body axes."""
    axes = body.centre.rotation
    return np.asarray(axes @ np.diag(body.moments) @ axes.T)


def link_poses(robot: Robot) -> dict[str, pin.SE3]:
    """Return the pose of each link, as the joints have it."""
    oracle = RobotOracle(System("poses"), robot)
    return {link.name: oracle.pose(link.name) for link in robot.links}
