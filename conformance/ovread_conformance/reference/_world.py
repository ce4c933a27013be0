"""The simulated world: its state is a system, which a step, a write or a reset replaces.

Free bodies keep their angular momentum, robots move by the joint accelerations that Pinocchio has for them; both by
semi-implicit Euler steps in double precision. Nothing collides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import attrs
import numpy as np
import numpy.typing as npt
import pinocchio as pin

from ovread_conformance.systems import SPATIAL, Body, Joint, Robot, RobotOracle, System, inertia_of

Array = npt.NDArray[np.float64]

_DEGREE = np.pi / 180


@attrs.frozen(eq=False)
class Moving:
    """A body or link as it is now, in world axes and radians.

    Args:
        path: Path of the prim.
        body: Its record; of links, pose and velocity there mean nothing.
        pose: Where its origin is.
        velocity: Velocity of the centre of mass.
        spin: Angular velocity.
        acceleration: Acceleration of the centre of mass, then angular acceleration, in the last step; None before one.
        joint_force: Of links, force and torque of the inbound joint in the last step.
    """

    path: str
    body: Body
    pose: pin.SE3
    velocity: Array
    spin: Array
    acceleration: tuple[Array, Array] | None = None
    joint_force: tuple[Array, Array] | None = None

    @property
    def inertia(self) -> Array:
        """Inertia tensor in world axes."""
        return np.asarray(self.pose.rotation @ inertia_of(self.body) @ self.pose.rotation.T)

    @property
    def centre(self) -> Array:
        """Centre of mass in the world."""
        return np.array(self.pose.act(self.body.centre.translation))


@attrs.define(eq=False)
class World:
    """A system that moves.

    Args:
        authored: The system as it is written down.
    """

    authored: System
    system: System = attrs.field(init=False)
    efforts: dict[str, float] = attrs.field(init=False)
    """What is applied to joint axes beside their drives, by label."""
    targets: dict[str, pin.SE3] = attrs.field(init=False)
    """Where kinematic bodies go in the next step."""
    _pushes: dict[str, Array] = attrs.field(init=False)
    _accelerations: dict[str, tuple[Array, Array]] = attrs.field(init=False)
    _joint_forces: dict[str, tuple[Array, Array]] = attrs.field(init=False)
    _robots: tuple[RobotOracle, ...] | None = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        """Return to the authored state."""
        self.efforts, self.targets = {}, {}
        self._pushes, self._accelerations, self._joint_forces = {}, {}, {}
        self.replace(self.authored)

    def replace(self, system: System) -> None:
        """Go on from another state."""
        self.system, self._robots = system, None

    @property
    def robots(self) -> tuple[RobotOracle, ...]:
        """The robots at their present state."""
        if self._robots is None:
            self._robots = tuple(RobotOracle(self.system, robot) for robot in self.system.robots)
        return self._robots

    def bodies(self) -> Iterator[Moving]:
        """Return the free bodies."""
        for body in self.system.bodies:
            if not body.is_enabled:
                continue
            path = self.system.body_path(body)
            spin = _DEGREE * np.array(body.spin)
            yield Moving(path, body, body.pose, np.array(body.velocity), spin, self._accelerations.get(path))

    def links(self) -> Iterator[Moving]:
        """Return the links of all robots."""
        for robot in self.robots:
            for link in robot.robot.links:
                path = self.system.link_path(robot.robot, link.name)
                yield Moving(
                    path,
                    link,
                    robot.pose(link.name),
                    *robot.twist(link.name),
                    self._accelerations.get(path),
                    self._joint_forces.get(path),
                )

    def joints(self) -> Iterator[tuple[str, Joint]]:
        """Return the joints that have axes, by path."""
        for robot in self.system.robots:
            for joint in robot.joints:
                if joint.axes:
                    yield self.system.joint_path(robot, joint), joint

    def joint_force_of(self, path: str) -> tuple[Array, Array] | None:
        """Return what a joint exerted on its outer link in the last step, in the joint frame of that link."""
        for robot in self.system.robots:
            for joint in robot.joints:
                if self.system.joint_path(robot, joint) == path:
                    return self._joint_forces.get(self.system.link_path(robot, joint.child))
        return None

    def push(self, path: str, force: Array, torque: Array) -> None:
        """Exert a force at the centre of mass and a torque on a body or link in the next step."""
        self._pushes[path] = self._pushes.get(path, np.zeros(6)) + np.concatenate([force, torque])

    def step(self, dt: float) -> None:
        """Advance by ``dt`` seconds."""
        accelerations: dict[str, tuple[Array, Array]] = {}
        bodies = [body for body in self.system.bodies if not body.is_enabled]
        for moving in self.bodies():
            if moving.body.is_asleep and moving.path not in self._pushes:
                after = moving.body
            else:
                after = self._carried(moving, dt) if moving.body.is_kinematic else self._flown(moving, dt)
            spin = _DEGREE * np.array(after.spin)
            accelerations[moving.path] = (after.velocity - moving.velocity) / dt, (spin - moving.spin) / dt
            bodies.append(after)
        robots = []
        joint_forces: dict[str, tuple[Array, Array]] = {}
        for robot in self.robots:
            step = RobotStep(robot, self.efforts, self._pushes_of(robot), dt)
            robots.append(step.after)
            path_of = {link.name: self.system.link_path(robot.robot, link.name) for link in robot.robot.links}
            accelerations |= {path_of[link]: moved for link, moved in step.accelerations().items()}
            joint_forces |= {path_of[link]: force for link, force in step.joint_forces().items()}
        self.replace(attrs.evolve(self.system, bodies=tuple(bodies), robots=tuple(robots)))
        self._accelerations, self._joint_forces = accelerations, joint_forces
        self._pushes, self.targets = {}, {}

    def _flown(self, moving: Moving, dt: float) -> Body:
        push = self._pushes.get(moving.path, np.zeros(6))
        gravity = np.zeros(3) if moving.body.is_weightless else np.array(self.system.gravity)
        slowed, slowed_spin = moving.body.losses
        velocity = (1 - dt * slowed) * moving.velocity + dt * (gravity + push[:3] / moving.body.mass)
        momentum = (1 - dt * slowed_spin) * moving.inertia @ moving.spin + dt * push[3:]
        turn = pin.exp3(dt * np.linalg.solve(moving.inertia, momentum)) @ moving.pose.rotation
        inertia = turn @ inertia_of(moving.body) @ turn.T
        pose = pin.SE3(turn, moving.centre + dt * velocity - turn @ moving.body.centre.translation)
        spin = np.linalg.solve(inertia, momentum)
        return attrs.evolve(
            moving.body, pose=pose, velocity=tuple(velocity), spin=tuple(spin / _DEGREE), is_asleep=False
        )

    def _carried(self, moving: Moving, dt: float) -> Body:
        pose = self.targets.get(moving.path, moving.pose)
        velocity = (pose.act(moving.body.centre.translation) - moving.centre) / dt
        spin = pin.log3(pose.rotation @ moving.pose.rotation.T) / dt
        return attrs.evolve(moving.body, pose=pose, velocity=tuple(velocity), spin=tuple(spin / _DEGREE))

    def _pushes_of(self, robot: RobotOracle) -> dict[str, Array]:
        """Return force at the centre of mass and torque per link; what gravity does not act on is held up."""
        pushes = {}
        for link in robot.robot.links:
            push = self._pushes.get(self.system.link_path(robot.robot, link.name), np.zeros(6)).copy()
            if link.is_weightless:
                push[:3] -= link.mass * np.array(self.system.gravity)
            pushes[link.name] = push
        return pushes


class RobotStep:
    """One step of a robot.

    Args:
        before: The robot at the start of the step.
        efforts: Efforts beside the drives, by label.
        pushes: Force at the centre of mass and torque on each link.
        dt: Seconds.
    """

    def __init__(
        self, before: RobotOracle, efforts: Mapping[str, float], pushes: Mapping[str, Array], dt: float
    ) -> None:
        self._before, self._pushes, self._dt = before, pushes, dt
        self._system = before.system
        labels = before.labels
        applied = dict.fromkeys(labels, 0.0)
        for found in (before.drive_efforts(), efforts, self._rubbing()):
            for label in found.keys() & applied.keys():
                applied[label] += found[label]
        for link, push in pushes.items():
            rows = [f"{self._path(link)}:{name}" for name in SPATIAL]
            for label, effort in zip(labels, before.jacobian(rows, labels).T @ push, strict=True):
                applied[label] += float(effort)
        planned = before.accelerations(applied)
        self._rates: dict[str, float] = {}
        self._accelerations: dict[str, float] = {}
        joints = tuple(self._moved(joint, planned) for joint in before.robot.joints)
        root = before.robot.root
        links = before.robot.links
        if not before.robot.is_fixed:
            links = tuple(self._moved_root(link, planned) if link is root else link for link in links)
        self.after = attrs.evolve(before.robot, joints=joints, links=links)

    def _path(self, link: str) -> str:
        return self._system.link_path(self._before.robot, link)

    def _labels(self, joint: Joint) -> list[str]:
        path = self._system.joint_path(self._before.robot, joint)
        return [f"{path}:{axis}" for axis in joint.axes]

    def _rubbing(self) -> dict[str, float]:
        """Return the friction of joints that move."""
        return {
            label: -joint.friction * float(np.sign(rate)) - joint.viscous_friction * float(rate)
            for joint in self._before.robot.joints
            for label, rate in zip(self._labels(joint), padded(joint, joint.velocity), strict=True)
        }

    def _moved(self, joint: Joint, planned: Mapping[str, float]) -> Joint:
        if not joint.axes:
            return joint
        scale = np.where(joint.are_linear, 1.0, _DEGREE)
        old = scale * padded(joint, joint.velocity)
        rates = old + self._dt * np.array([planned[label] for label in self._labels(joint)])
        if joint.friction:
            rates[rates * old < 0] = 0.0
        if joint.max_velocity is not None:
            rates = np.clip(rates, -scale * joint.max_velocity, scale * joint.max_velocity)
        start = scale * padded(joint, joint.position)
        if len(joint.axes) < 3:
            position = start + self._dt * rates
            for number, limit in enumerate(joint.limits):
                if limit is not None:
                    bounded = np.clip(position[number], scale[number] * limit[0], scale[number] * limit[1])
                    rates[number] *= bounded == position[number]
                    position[number] = bounded
        else:
            # The rates are those of the outer link in its own joint axes, whose sign is that of the joint.
            sign = joint.sides[2]
            position = sign * pin.log3(pin.exp3(sign * start) @ pin.exp3(sign * self._dt * rates))
        for label, rate, before in zip(self._labels(joint), rates, old, strict=True):
            self._accelerations[label] = float(rate - before) / self._dt
        return attrs.evolve(joint, position=tuple(position / scale), velocity=tuple(rates / scale))

    def _moved_root(self, root: Body, planned: Mapping[str, float]) -> Body:
        labels = [f"{self._path(root.name)}:{name}" for name in SPATIAL]
        change = np.array([planned[label] for label in labels])
        self._accelerations |= dict(zip(labels, change.tolist(), strict=True))
        velocity = np.array(root.velocity) + self._dt * change[:3]
        spin = _DEGREE * np.array(root.spin) + self._dt * change[3:]
        turn = pin.exp3(self._dt * spin) @ root.pose.rotation
        centre = root.pose.act(root.centre.translation) + self._dt * velocity
        pose = pin.SE3(turn, centre - turn @ root.centre.translation)
        return attrs.evolve(root, pose=pose, velocity=tuple(velocity), spin=tuple(spin / _DEGREE))

    def accelerations(self) -> dict[str, tuple[Array, Array]]:
        """Return how each link's centre of mass and its turning were accelerated, in world axes."""
        return self._before.link_accelerations(self._accelerations)

    def joint_forces(self) -> dict[str, tuple[Array, Array]]:
        """Return what each link's inbound joint exerted on it, about and in its joint frame.

        A floating root has no such joint and feels nothing; what fixes a root is not known here.
        """
        found = self._before.joint_forces(self._accelerations)
        for joint in self._before.robot.joints:
            frame = self._before.pose(joint.child) * joint.sides[1]
            force, torque = found[joint.child]
            for link in beyond(self._before.robot, joint.child):
                push = self._pushes[link]
                lever = self._before.centre(link) - frame.translation
                force = force - frame.rotation.T @ push[:3]
                torque = torque - frame.rotation.T @ (push[3:] + np.cross(lever, push[:3]))
            found[joint.child] = force, torque
        if not self._before.robot.is_fixed:
            found[self._before.robot.root.name] = np.zeros(3), np.zeros(3)
        return found


def padded(joint: Joint, values: tuple[float, ...]) -> Array:
    """Return a value for each axis, 0 where none is written down."""
    return np.array([*values, *[0.0] * (len(joint.axes) - len(values))], dtype=float)


def beyond(robot: Robot, link: str) -> list[str]:
    """Return the names of a link and of all that it carries."""
    names = [link]
    for name in names:
        names += [joint.child for joint in robot.joints if joint.parent == name]
    return names


def with_body(system: System, path: str, change: Callable[[Body], Body]) -> System:
    """Return the system with one free body or link changed."""
    bodies = tuple(change(body) if system.body_path(body) == path else body for body in system.bodies)
    robots = tuple(
        attrs.evolve(
            robot,
            links=tuple(change(link) if system.link_path(robot, link.name) == path else link for link in robot.links),
        )
        for robot in system.robots
    )
    return attrs.evolve(system, bodies=bodies, robots=robots)


def with_joint(system: System, path: str, change: Callable[[Joint], Joint]) -> System:
    """Return the system with one joint changed."""
    robots = tuple(
        attrs.evolve(
            robot,
            joints=tuple(change(joint) if system.joint_path(robot, joint) == path else joint for joint in robot.joints),
        )
        for robot in system.robots
    )
    return attrs.evolve(system, robots=robots)
