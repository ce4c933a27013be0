"""What a recording should have: closed forms, and Pinocchio in double precision, independent of every engine."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence

import attrs
import numpy as np
import numpy.typing as npt
import pinocchio as pin

from ovread import ObjectType
from ovread.order import natural_key
from ovread_conformance.joint_values import JOINT_VALUES
from ovread_conformance.recording import Reading, Recording
from ovread_conformance.systems import Body, Robot, RobotOracle, Shape, System, inertia_of
from ovread_conformance.verdicts import Small, Verdict

Array = npt.NDArray[np.float64]
Expected = Mapping[str, npt.ArrayLike | None]
"""Value by path; None where nothing is expected of one."""

BODY, LINK, JOINT = ObjectType.RIGID_BODY, ObjectType.ARTICULATION_LINK, ObjectType.ARTICULATION_JOINT
ARTICULATION, SCENE = ObjectType.ARTICULATION, ObjectType.SCENE
Key = tuple[ObjectType, str]
_LISTED = {BODY: "mass", LINK: "mass", ARTICULATION: "linkCount"}
"""Types whose objects are known, and an attribute that all of them have."""

OBJECTS = "objects"
"""What stands for a path where it is about which objects there are."""
AUTHORED = 2e-5
"""Relative tolerance of what the file decides: single precision, rounded a few times on the way."""
COMPUTED = 1e-4
"""The same of what is computed over a tree of links."""
STEPPED = 0.1
"""The same of accelerations and forces in one step, which engines take at its start, its middle or its end."""


class Oracle:
    """The expectations of one system.

    Args:
        system: The system, as it is written down.
    """

    def __init__(self, system: System) -> None:
        self._system = system
        self._robots = [RobotOracle(system, robot) for robot in system.articulations]
        self._before = {**_bodies(system), **_robots(system, self._robots)}

    @property
    def rows(self) -> set[Key]:
        """Everything that a system has a value of before the first step."""
        return {
            key
            for key, values in self._before.items()
            if any(value is not None and np.size(value) for value in values.values())
        }

    @functools.cached_property
    def _after(self) -> dict[Key, Expected]:
        """What the next step accelerates and transmits."""
        return _after_a_step(self._system, self._robots) if self._system.is_smooth else {}

    @functools.cached_property
    def _speeds(self) -> dict[str, Small]:
        """How fast the fastest link of each robot is: the velocities of its other links are as exact as that."""
        found = {}
        for robot in self._robots:
            twists = [robot.twist(link.name) for link in robot.robot.links]
            linear, angular = (max(float(np.abs(twist[half]).max()) for twist in twists) for half in (0, 1))
            for link in robot.robot.links:
                found[self._system.link_path(robot.robot, link.name)] = Small(linear, angular)
        return found

    @functools.cached_property
    def _transmitted(self) -> dict[str, float]:
        """How much each one-axis joint transmits: what its axis feels is as exact as that."""
        found = {}
        forces = self._after[LINK, "linkIncomingJointForce"]
        for robot in self._system.articulations:
            for joint in robot.joints:
                force = np.asarray(forces[self._system.link_path(robot, joint.child)])
                half = force[:3] if joint.is_linear else force[3:]
                found[self._system.joint_path(robot, joint)] = float(np.linalg.norm(half))
        return found

    def expected(self, key: Key) -> Expected:
        """Return the value of one attribute, by path: at this state, or else in the step after it."""
        return self._before[key] if key in self._before else self._after[key]

    def verdicts(self, recording: Recording, only: Key | None = None) -> Iterator[Verdict]:
        """Hold what was read, and that there is an expectation for, against it; all attributes, or just one."""
        if only is None:
            yield from self._objects(recording)
        if only in (None, (ARTICULATION, "dofJointPath")):
            for found in self._robots:
                yield from _hold_dof_paths(recording, found)
        for key in (*self._before, *((ARTICULATION, name) for name in _MATRICES)):
            if only in (None, key):
                yield from self.at_tick(recording, 0, key, AUTHORED if key[0] is not LINK else COMPUTED)
        for key in self._after:
            if only in (None, key):
                yield from self.at_tick(recording, 1, key, STEPPED)
        for outcome in self._system.outcomes:
            key = outcome.object_type, outcome.attribute
            if only in (None, key):
                expected = {outcome.path: outcome.value}
                yield from _hold(recording, outcome.tick, *key, expected, outcome.tolerance, {})

    def _objects(self, recording: Recording) -> Iterator[Verdict]:
        """Hold which bodies, links and robots there are."""
        for kind, of in _LISTED.items():
            expected, got = sorted(self._before[kind, of]), sorted(recording.objects[kind])
            error = 0.0 if expected == got else np.inf
            yield Verdict(kind, "", OBJECTS, f"expected {expected}, got {got}", "oracle", error, 0.0)

    def at_tick(self, recording: Recording, tick: int, key: Key, tolerance: float) -> Iterator[Verdict]:
        """Hold one attribute at one tick against the expectation of this state; nothing where there is none."""
        kind, name = key
        if kind is ARTICULATION and name in _MATRICES:
            for found in self._robots:
                yield from _hold_matrix(recording, tick, name, found, max(tolerance, COMPUTED))
        elif key in self._before:
            sizes = self._speeds if kind is LINK and name in ("linearVelocity", "angularVelocity", "body_qd") else {}
            yield from _hold(recording, tick, kind, name, self._before[key], tolerance, sizes)
        elif key in self._after:
            sizes = {}
            if name == "jointProjectedForce":
                sizes = {path: Small(size) for path, size in self._transmitted.items()}
            yield from _hold(recording, tick, kind, name, self._after[key], tolerance, sizes)


def _hold(
    recording: Recording,
    tick: int,
    kind: ObjectType,
    name: str,
    expected: Expected,
    tolerance: float,
    sizes: Mapping[str, Small],
) -> Iterator[Verdict]:
    readings = recording.find(tick, kind, name)
    for path, value in expected.items():
        reading = next((reading for reading in readings if path in reading.paths), None)
        if value is None or not readings:
            continue
        if reading is None:
            if path not in recording.omitted.get((tick, kind, name), ()):
                words = "expected a value, got neither a value nor a reason"
                yield Verdict(kind, name, path, words, f"oracle, tick {tick}", np.inf, tolerance)
            continue
        wanted = np.asarray(value, dtype=float).reshape(-1, len(reading.lanes))
        yield _verdict(recording, reading, path, wanted, f"oracle, tick {tick}", tolerance, sizes.get(path))
    for reading in readings if tick == 0 else ():
        listed = recording.objects[kind] if kind in _LISTED else ()  # of which their list says that
        for path in set(reading.paths) - set(expected) - set(listed):
            words = "expected no such object"
            yield Verdict(kind, name, path, words, f"oracle, tick {tick}", np.inf, tolerance)


def _verdict(
    recording: Recording,
    reading: Reading,
    path: str,
    wanted: Array,
    where: str,
    exact: float,
    least: Small | None = None,
) -> Verdict:
    got = reading.of(path).astype(float)
    small = Small.at(reading.row, recording.system, path)
    if least is not None:
        angular = least.angular if reading.row.name in ("body_qd", "angularVelocity") else 0.0
        size = angular if reading.row.name == "angularVelocity" else least.size
        small = attrs.evolve(small, size=max(small.size, size), angular=max(small.angular, angular))
    return Verdict.of(reading.row, path, wanted, got, where, recording.tolerance(reading.row.key, exact), small)


def _turn(frame: pin.SE3) -> Array:
    return np.asarray(pin.Quaternion(frame.rotation).coeffs())


def _mass_properties(bodies: Mapping[str, Body]) -> dict[str, Expected]:
    """Return what the mass properties of bodies read, by path."""
    inertia = {path: inertia_of(body) for path, body in bodies.items()}
    return {
        "mass": {path: body.mass for path, body in bodies.items()},
        "inverseMass": {path: 1 / body.mass for path, body in bodies.items()},
        "inertia": inertia,
        "inverseInertia": {path: np.linalg.inv(tensor) for path, tensor in inertia.items()},
        "centerOfMassPosition": {path: body.centre.translation for path, body in bodies.items()},
        "shapeCount": {path: len(body.shapes) for path, body in bodies.items()},
        "centerOfMassOrientation": {path: _principal_axes(body) for path, body in bodies.items()},
        "disableGravity": {path: int(body.is_weightless) for path, body in bodies.items()},
        "disableSimulation": dict.fromkeys(bodies, 0),
        "isSleeping": {path: None if body.is_kinematic else int(body.is_asleep) for path, body in bodies.items()},
        **_per_shape({path: body.shapes for path, body in bodies.items()}),
    }


def _per_shape(shapes: Mapping[str, Sequence[Shape]]) -> dict[str, Expected]:
    """Return what is authored of each shape, by path of what it belongs to; None where an engine has the choice."""

    def each(name: str) -> Expected:
        found: dict[str, list[float | None]] = {
            path: [getattr(shape, name) for shape in of] for path, of in shapes.items()
        }
        return {path: None if None in values else np.array(values, float) for path, values in found.items()}

    return {
        "friction": each("friction"),
        "dynamicFriction": each("friction"),
        "staticFriction": each("static_friction_coefficient"),
        "restitution": each("restitution"),
        "contactOffset": each("contact_offset"),
        "restOffset": each("rest_offset"),
    }


def _principal_axes(body: Body) -> Array | None:
    """Return the authored axes; where none are, any that turn the tensor to moments will do."""
    return None if body.is_solid else _turn(body.centre)


def _state(
    pose: Mapping[str, pin.SE3], linear: Expected, angular: Expected, target: Mapping[str, pin.SE3]
) -> dict[str, Expected]:
    return {
        "position": {path: frame.translation for path, frame in pose.items()},
        "orientation": {path: _turn(frame) for path, frame in pose.items()},
        "kinematicTargetPosition": {path: frame.translation for path, frame in target.items()},
        "kinematicTargetOrientation": {path: _turn(frame) for path, frame in target.items()},
        "linearVelocity": linear,
        "angularVelocity": angular,
        "body_q": {path: [*frame.translation, *_turn(frame)] for path, frame in pose.items()},
        "body_qd": {path: [*np.asarray(linear[path]), *np.asarray(angular[path])] for path in pose},
    }


def _loose(system: System) -> list[RobotOracle]:
    """Return the robots that are no articulations: their links are rigid bodies."""
    return [RobotOracle(system, robot) for robot in system.robots if not robot.is_articulation]


def _bodies(system: System) -> dict[Key, Expected]:
    bodies = {system.body_path(body): body for body in system.bodies if body.is_enabled}
    pose = {path: body.pose for path, body in bodies.items()}
    linear: dict[str, npt.ArrayLike | None] = {path: body.velocity for path, body in bodies.items()}
    angular: dict[str, npt.ArrayLike | None] = {path: np.radians(body.spin) for path, body in bodies.items()}
    for found in _loose(system):
        for link in found.robot.links:
            path = system.link_path(found.robot, link.name)
            bodies[path], pose[path] = link, found.pose(link.name)
            linear[path], angular[path] = found.twist(link.name)
    targets = {system.body_path(body): body.target for body in system.bodies if body.target is not None}
    state = _state(pose, linear, angular, {**pose, **targets})
    expected = {(BODY, name): values for name, values in {**_mass_properties(bodies), **state}.items()}
    if system.has_scene and (bodies or system.robots):
        expected[SCENE, "gravity"] = {"/Scene": system.gravity}
    return expected


def _robots(system: System, oracles: list[RobotOracle]) -> dict[Key, Expected]:
    links: dict[str, Body] = {}
    pose: dict[str, pin.SE3] = {}
    linear: dict[str, Array] = {}
    angular: dict[str, Array] = {}
    for found in oracles:
        for link in found.robot.links:
            path = system.link_path(found.robot, link.name)
            links[path], pose[path] = link, found.pose(link.name)
            linear[path], angular[path] = found.twist(link.name)
    expected: dict[Key, Expected] = {
        (LINK, name): values
        for name, values in {**_mass_properties(links), **_state(pose, linear, angular, pose)}.items()
    }
    expected |= {(JOINT, name): values for name, values in _joints(system).items()}
    roots = {system.articulation_path(found.robot): found for found in oracles}
    expected |= {(ARTICULATION, name): values for name, values in _roots(roots).items()}
    return expected


def _roots(roots: Mapping[str, RobotOracle]) -> dict[str, Expected]:
    twists = {path: found.twist(found.robot.root.name) for path, found in roots.items()}
    poses = {path: found.pose(found.robot.root.name) for path, found in roots.items()}
    robots = {path: found.robot for path, found in roots.items()}
    return {
        "rootPosition": {path: pose.translation for path, pose in poses.items()},
        "rootOrientation": {path: _turn(pose) for path, pose in poses.items()},
        "rootLinearVelocity": {path: twist[0] for path, twist in twists.items()},
        "rootAngularVelocity": {path: twist[1] for path, twist in twists.items()},
        "centerOfMassWorld": {path: found.centre_of_mass() for path, found in roots.items()},
        "centerOfMassLocal": {path: _local_centre(found) for path, found in roots.items()},
        "shapeCount": {path: sum(len(link.shapes) for link in robot.links) for path, robot in robots.items()},
        **_per_shape({path: _shapes_of(found) for path, found in roots.items()}),
        "dofAxisIndex": {path: _axis_indices(found) for path, found in roots.items()},
        "jacobianShape": {path: _jacobian_shape(robot) for path, robot in robots.items()},
        "dofCount": {path: sum(len(joint.axes) for joint in robot.joints) for path, robot in robots.items()},
        "linkCount": {path: len(robot.links) for path, robot in robots.items()},
        "jointCount": {path: sum(bool(joint.parent) for joint in robot.joints) for path, robot in robots.items()},
        "isFixedBase": {path: int(robot.is_welded) for path, robot in robots.items()},
        "fixedTendonCount": dict.fromkeys(roots, 0),
        "spatialTendonCount": dict.fromkeys(roots, 0),
    }


def _shapes_of(found: RobotOracle) -> list[Shape]:
    """Return the shapes of a robot, links in natural path order."""
    links = sorted(found.robot.links, key=lambda link: natural_key(found.system.link_path(found.robot, link.name)))
    return [shape for link in links for shape in link.shapes]


def _axis_indices(found: RobotOracle) -> list[int]:
    """Return the place of each degree of freedom among those of its joint, joints in natural path order."""
    joints = sorted(found.robot.joints, key=lambda joint: natural_key(found.system.joint_path(found.robot, joint)))
    return [number for joint in joints for number in range(len(joint.axes))]


def _jacobian_shape(robot: Robot) -> tuple[int, int]:
    freedoms = sum(len(joint.axes) for joint in robot.joints)
    return 6 * (len(robot.links) - robot.is_welded), freedoms + (0 if robot.is_fixed else 6)


def _local_centre(found: RobotOracle) -> Array:
    root = found.robot.root
    frame = found.pose(root.name) * root.centre
    return np.asarray(frame.rotation.T @ (found.centre_of_mass() - frame.translation))


def _joints(system: System) -> dict[str, Expected]:
    joints = {
        system.joint_path(robot, joint): joint for robot in system.articulations for joint in robot.joints if joint.axes
    }
    return {name: {path: of(joint) for path, joint in joints.items()} for name, of in JOINT_VALUES.items()}


Labels = tuple[tuple[str, ...], tuple[str, ...]]
_MATRICES: Mapping[str, Callable[[RobotOracle, Labels], Array]] = {
    "massMatrix": lambda found, labels: found.mass_matrix(labels[1]),
    "jacobian": lambda found, labels: found.jacobian(*labels),
    "gravityForce": lambda found, labels: found.gravity_force(labels[1]),
    "coriolisForce": lambda found, labels: found.coriolis_force(labels[1]),
    "centroidalMomentum": lambda found, labels: found.centroidal_momentum(labels[1]),
}


def _hold_matrix(recording: Recording, tick: int, name: str, found: RobotOracle, tolerance: float) -> Iterator[Verdict]:
    path = recording.system.articulation_path(found.robot)
    for reading in recording.find(tick, ARTICULATION, name):
        if path not in reading.paths or reading.labels is None:
            continue
        labels = reading.labels[reading.paths.index(path)]
        unknown = set(labels.columns) - set(found.labels)
        if len(unknown) > (name == "centroidalMomentum"):
            words = f"expected columns for {found.labels}, got {list(labels.columns)}"
            yield Verdict(ARTICULATION, name, path, words, f"Pinocchio, tick {tick}", np.inf, tolerance)
            continue
        wanted = _MATRICES[name](found, (labels.rows, labels.columns)).reshape(1, -1)
        yield _verdict(recording, reading, path, wanted, f"Pinocchio, tick {tick}", tolerance)


def _hold_dof_paths(recording: Recording, found: RobotOracle) -> Iterator[Verdict]:
    """Hold the joint of each degree of freedom, joints being in natural path order."""
    path = recording.system.articulation_path(found.robot)
    joints = sorted(
        ((recording.system.joint_path(found.robot, joint), len(joint.axes)) for joint in found.robot.joints),
        key=lambda item: natural_key(item[0]),
    )
    expected = tuple(name for name, size in joints for _ in range(size))
    for reading in recording.find(0, ARTICULATION, "dofJointPath"):
        got = reading.names[reading.paths.index(path)] if reading.names is not None else ()
        words = f"expected {expected}, got {got}"
        error = 0.0 if got == expected else np.inf
        yield Verdict(ARTICULATION, "dofJointPath", path, words, "oracle, tick 0", error, 0.0)


def free_accelerations(body: Body, gravity: npt.ArrayLike) -> tuple[Array, Array]:
    """Return the acceleration of a free body's centre of mass and its angular acceleration, in world axes.

    Gravity, damping and Euler's equations; none of a body that is asleep or kinematic.
    """
    if body.is_asleep or body.is_kinematic:
        return np.zeros(3), np.zeros(3)
    turn, spin = body.pose.rotation, np.radians(body.spin)
    inertia = turn @ inertia_of(body) @ turn.T
    slowed, slowed_spin = body.losses
    fallen = np.zeros(3) if body.is_weightless else np.array(gravity, float)
    turned = np.linalg.solve(inertia, -np.cross(spin, inertia @ spin))
    return fallen - slowed * np.array(body.velocity), turned - slowed_spin * spin


def _after_a_step(system: System, oracles: list[RobotOracle]) -> dict[Key, Expected]:
    """Return accelerations and joint forces of the first step."""
    linear: dict[str, Array] = {}
    angular: dict[str, Array] = {}
    for body in system.bodies:
        if body.is_enabled:
            linear[system.body_path(body)], angular[system.body_path(body)] = free_accelerations(body, system.gravity)
    for found in _loose(system):
        moved = found.link_accelerations(found.accelerations(found.drive_efforts()))
        for name, pair in moved.items():
            linear[system.link_path(found.robot, name)], angular[system.link_path(found.robot, name)] = pair
    expected: dict[Key, Expected] = {
        (BODY, "linearAcceleration"): linear,
        (BODY, "angularAcceleration"): angular,
    }
    accelerations: dict[str, tuple[Array, Array]] = {}
    forces: dict[str, Array] = {}
    projected: dict[str, list[float]] = {}
    for found in oracles:
        rates = found.accelerations(found.drive_efforts())
        accelerations |= {
            system.link_path(found.robot, name): of for name, of in found.link_accelerations(rates).items()
        }
        exerted = found.joint_forces(rates)
        forces |= {system.link_path(found.robot, name): np.concatenate(pair) for name, pair in exerted.items()}
        for joint in found.robot.joints:
            if len(joint.axes) == 1:
                force = exerted[joint.child][0 if joint.is_linear else 1]
                along = joint.sides[2] * float(force["XYZ".index(joint.letters[0])])
                projected[system.joint_path(found.robot, joint)] = [along]
        forces.setdefault(system.link_path(found.robot, found.robot.root.name), np.zeros(6))
    return {
        **expected,
        (LINK, "linearAcceleration"): {path: pair[0] for path, pair in accelerations.items()},
        (LINK, "angularAcceleration"): {path: pair[1] for path, pair in accelerations.items()},
        (LINK, "linkIncomingJointForce"): forces,
        (JOINT, "jointProjectedForce"): projected,
    }
