"""What the reference reads: one function per attribute, of one body, joint or robot as it is now."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pinocchio as pin

from ovread import UNLIMITED, ObjectType, catalogue
from ovread.backend import Buffer, Column, FilledColumns, MatrixLabels, Omission, OmissionReason
from ovread.order import natural_key
from ovread_conformance.joint_values import JOINT_VALUES
from ovread_conformance.reference._world import Moving, World, padded
from ovread_conformance.systems import SPATIAL, Joint, RobotOracle, System, inertia_of

BODY, LINK, JOINT = ObjectType.RIGID_BODY, ObjectType.ARTICULATION_LINK, ObjectType.ARTICULATION_JOINT
ARTICULATION, SCENE = ObjectType.ARTICULATION, ObjectType.SCENE
Rows = npt.NDArray[np.intp]
Read = Callable[[World, str], npt.ArrayLike | None]
"""Value of one object; None where a step has to be made first."""
Reads = Mapping[ObjectType, Mapping[str, Read]]

NOT_READY = "It belongs to the last step, and none has been made: step first."
NO_DRIVE = "The joint has an axis without a drive."
ONE_AXIS = "The reference has it of joints with one axis only."
NO_JOINT = "What holds the root to the world is no joint of the articulation."
FIXED_ROOT = "Only articulations whose root floats have it."


def _moving(world: World, path: str) -> Moving:
    return next(moving for of in (world.bodies(), world.links()) for moving in of if moving.path == path)


def _joint(world: World, path: str) -> Joint:
    return next(joint for at, joint in world.joints() if at == path)


def _robot(world: World, path: str) -> RobotOracle:
    return next(robot for robot in world.robots if world.system.articulation_path(robot.robot) == path)


def _of_drives(name: str) -> Read:
    """Return what reads a number of the drives of all axes."""

    def read(world: World, path: str) -> list[float]:
        drives = [drive for drive in _joint(world, path).drives if drive is not None]
        return [float(np.clip(getattr(drive, name), -UNLIMITED, UNLIMITED)) for drive in drives]

    return read


def _of_body(read: Callable[[Moving], npt.ArrayLike | None]) -> Read:
    return lambda world, path: read(_moving(world, path))


def _of_joint(read: Callable[[Joint], npt.ArrayLike | None]) -> Read:
    return lambda world, path: read(_joint(world, path))


def _of_robot(read: Callable[[RobotOracle], npt.ArrayLike]) -> Read:
    return lambda world, path: read(_robot(world, path))


def _of_root(read: Callable[[Moving], npt.ArrayLike | None]) -> Read:
    def found(world: World, path: str) -> npt.ArrayLike | None:
        robot = _robot(world, path)
        return read(_moving(world, world.system.link_path(robot.robot, robot.robot.root.name)))

    return found


def quaternion(frame: pin.SE3) -> npt.NDArray[np.float64]:
    """Return the rotation of a frame, the real part last."""
    return np.array(pin.Quaternion(frame.rotation).coeffs())


def _target(world: World, path: str) -> pin.SE3:
    return world.targets.get(path, _moving(world, path).pose)


_OF_BODIES: Mapping[str, Read] = {
    "position": _of_body(lambda of: of.pose.translation),
    "orientation": _of_body(lambda of: quaternion(of.pose)),
    "linearVelocity": _of_body(lambda of: of.velocity),
    "angularVelocity": _of_body(lambda of: of.spin),
    "linearAcceleration": _of_body(lambda of: None if of.acceleration is None else of.acceleration[0]),
    "angularAcceleration": _of_body(lambda of: None if of.acceleration is None else of.acceleration[1]),
    "mass": _of_body(lambda of: of.body.mass),
    "inverseMass": _of_body(lambda of: 1 / of.body.mass),
    "inertia": _of_body(lambda of: inertia_of(of.body)),
    "inverseInertia": _of_body(lambda of: np.linalg.inv(inertia_of(of.body))),
    "centerOfMassPosition": _of_body(lambda of: of.body.centre.translation),
    "centerOfMassOrientation": _of_body(lambda of: quaternion(of.body.centre)),
    "disableGravity": _of_body(lambda of: int(of.body.is_weightless)),
    "isSleeping": _of_body(lambda of: int(of.body.is_asleep)),
    "shapeCount": _of_body(lambda of: len(of.body.shapes)),
    "staticFriction": _of_body(lambda of: [shape.static_friction_coefficient or 0.0 for shape in of.body.shapes]),
    "dynamicFriction": _of_body(lambda of: [shape.friction or 0.0 for shape in of.body.shapes]),
    "friction": _of_body(lambda of: [shape.friction or 0.0 for shape in of.body.shapes]),
    "restitution": _of_body(lambda of: [shape.restitution for shape in of.body.shapes]),
    "body_q": _of_body(lambda of: [*of.pose.translation, *quaternion(of.pose)]),
    "body_qd": _of_body(lambda of: [*of.velocity, *of.spin]),
}
_OF_JOINTS: Mapping[str, Read] = {
    "jointPosition": _of_joint(lambda joint: padded(joint, joint.position)),
    "jointVelocity": _of_joint(lambda joint: padded(joint, joint.velocity)),
    "jointPositionTarget": _of_drives("target"),
    "jointVelocityTarget": _of_drives("velocity_target"),
    "jointStiffness": _of_drives("stiffness"),
    "jointDamping": _of_drives("damping"),
    "jointMaxForce": _of_drives("max_force"),
    "jointActuationForce": lambda world, path: _efforts(world, path),
    "jointProjectedForce": lambda world, path: _projected(world, path),
    "jointLimit": _of_joint(JOINT_VALUES["jointLimit"]),
    "jointMaxVelocity": _of_joint(
        lambda joint: [_bound(UNLIMITED if joint.max_velocity is None else joint.max_velocity)] * len(joint.axes)
    ),
    "jointArmature": _of_joint(lambda joint: [joint.armature] * len(joint.axes)),
    "jointFriction": _of_joint(lambda joint: [joint.friction] * len(joint.axes)),
    "jointStaticFriction": _of_joint(
        lambda joint: [joint.friction if joint.static_friction is None else joint.static_friction] * len(joint.axes)
    ),
    "jointDynamicFriction": _of_joint(lambda joint: [joint.friction] * len(joint.axes)),
    "jointViscousFriction": _of_joint(lambda joint: [joint.viscous_friction] * len(joint.axes)),
    "joint_q": _of_joint(lambda joint: _native(joint, joint.position)),
    "joint_qd": _of_joint(lambda joint: _native(joint, joint.velocity)),
}
_OF_ROBOTS: Mapping[str, Read] = {
    "rootPosition": _of_root(lambda of: of.pose.translation),
    "rootOrientation": _of_root(lambda of: quaternion(of.pose)),
    "rootLinearVelocity": _of_root(lambda of: of.velocity),
    "rootAngularVelocity": _of_root(lambda of: of.spin),
    "centerOfMassWorld": _of_robot(lambda of: of.centre_of_mass()),
    "centerOfMassLocal": _of_robot(
        lambda of: (of.pose(of.robot.root.name) * of.robot.root.centre).actInv(of.centre_of_mass())
    ),
    "shapeCount": _of_robot(lambda of: sum(len(link.shapes) for link in of.robot.links)),
    "dofCount": _of_robot(lambda of: sum(len(joint.axes) for joint in of.robot.joints)),
    "linkCount": _of_robot(lambda of: len(of.robot.links)),
    "jointCount": _of_robot(lambda of: sum(bool(joint.parent) for joint in of.robot.joints)),
    "fixedTendonCount": _of_robot(lambda of: 0),
    "spatialTendonCount": _of_robot(lambda of: 0),
    "isFixedBase": _of_robot(lambda of: int(of.robot.is_welded)),
    "dofJointPath": _of_robot(lambda of: [handles(of.system)[path] for path, _ in _axes(of)]),
    "dofAxisIndex": _of_robot(lambda of: [number for _, number in _axes(of)]),
    "jacobianShape": _of_robot(lambda of: [len(_link_labels(of)), len(_columns(of))]),
    "jacobian": _of_robot(lambda of: of.jacobian(_link_labels(of), _columns(of))),
    "massMatrix": _of_robot(lambda of: of.mass_matrix(_columns(of))),
    "coriolisForce": _of_robot(lambda of: of.coriolis_force(_columns(of))),
    "gravityForce": _of_robot(lambda of: of.gravity_force(_columns(of))),
    "centroidalMomentum": _of_robot(lambda of: of.centroidal_momentum([*_columns(of), "bias"])),
}
READS: Reads = {
    BODY: {
        **_OF_BODIES,
        "kinematicTargetPosition": lambda world, path: _target(world, path).translation,
        "kinematicTargetOrientation": lambda world, path: quaternion(_target(world, path)),
    },
    LINK: {
        **_OF_BODIES,
        "linkIncomingJointForce": _of_body(lambda of: None if of.joint_force is None else np.hstack(of.joint_force)),
    },
    JOINT: _OF_JOINTS,
    ARTICULATION: _OF_ROBOTS,
    SCENE: {"gravity": lambda world, path: world.system.gravity},
}
"""How each attribute of each type is read."""

OF_DRIVES = (
    "jointPositionTarget", "jointVelocityTarget", "jointStiffness", "jointDamping", "jointMaxForce",
)  # fmt: skip
"""Attributes of joints with a drive."""


def _bound(values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return bounds, of which the infinite ones are unlimited."""
    return np.asarray(np.clip(np.asarray(values, dtype=float), -UNLIMITED, UNLIMITED))


def _efforts(world: World, path: str) -> list[float]:
    return [world.efforts.get(f"{path}:{axis}", 0.0) for axis in _joint(world, path).axes]


def _projected(world: World, path: str) -> list[float] | None:
    exerted = world.joint_force_of(path)
    if exerted is None:
        return None
    joint = _joint(world, path)
    along = exerted[0 if joint.is_linear else 1]
    return [joint.sides[2] * float(along["XYZ".index(letter)]) for letter in joint.letters]


def _native(joint: Joint, values: tuple[float, ...]) -> npt.NDArray[np.float64]:
    """Return Newton's coordinate of a one-axis joint: the outer link relative to the inner, in radians."""
    return joint.sides[2] * (1.0 if joint.is_linear else np.pi / 180) * padded(joint, values)


def _in_order(robot: RobotOracle) -> Iterator[tuple[str, Joint]]:
    """Return the joints that have axes by path, in natural order."""
    joints = {robot.system.joint_path(robot.robot, joint): joint for joint in robot.robot.joints if joint.axes}
    return ((path, joints[path]) for path in sorted(joints, key=natural_key))


def _axes(robot: RobotOracle) -> list[tuple[str, int]]:
    return [(path, number) for path, joint in _in_order(robot) for number in range(len(joint.axes))]


def _columns(robot: RobotOracle) -> list[str]:
    """Return the labels of the degrees of freedom, those of a floating root first."""
    root = robot.system.link_path(robot.robot, robot.robot.root.name)
    floating = [] if robot.robot.is_fixed else [f"{root}:{name}" for name in SPATIAL]
    return [*floating, *(f"{path}:{axis}" for path, joint in _in_order(robot) for axis in joint.axes)]


def _link_labels(robot: RobotOracle) -> list[str]:
    """Return the labels of the Jacobian's rows: a root that is fixed to the world has none."""
    links = [link for link in robot.robot.links if not (robot.robot.is_welded and link is robot.robot.root)]
    paths = sorted((robot.system.link_path(robot.robot, link.name) for link in links), key=natural_key)
    return [f"{path}:{name}" for path in paths for name in SPATIAL]


def _labels(robot: RobotOracle, name: str) -> MatrixLabels:
    columns = _columns(robot)
    rows = {"jacobian": _link_labels(robot), "massMatrix": columns, "centroidalMomentum": SPATIAL}.get(name, ())
    return MatrixLabels(tuple(rows), (*columns, *(["bias"] if name == "centroidalMomentum" else [])))


def handles(system: System) -> dict[str, int]:
    """Return the handle of each joint's path."""
    paths = [system.joint_path(robot, joint) for robot in system.robots for joint in robot.joints]
    return {path: number for number, path in enumerate(paths, 1)}


def paths_of(world: World, kind: ObjectType) -> list[str]:
    """Return the objects of a type in the world's own order."""
    system = world.system
    return {
        BODY: lambda: [system.body_path(body) for body in system.bodies if body.is_enabled],
        LINK: lambda: [system.link_path(robot, link.name) for robot in system.robots for link in robot.links],
        JOINT: lambda: [path for path, _ in world.joints()],
        ARTICULATION: lambda: [system.articulation_path(robot) for robot in system.robots],
        SCENE: lambda: ["/Scene"] if system.has_scene else [],
    }.get(kind, list)()


def why_not(world: World, kind: ObjectType, name: str, path: str) -> str:
    """Return why an object has no such attribute; empty where it has."""
    if name in OF_DRIVES and None in _joint(world, path).drives:
        return NO_DRIVE
    if name in ("joint_q", "joint_qd") and len(_joint(world, path).axes) != 1:
        return ONE_AXIS
    if name == "linkIncomingJointForce" and _is_fixed_root(world, path):
        return NO_JOINT
    return FIXED_ROOT if name == "centroidalMomentum" and _robot(world, path).robot.is_fixed else ""


def _is_fixed_root(world: World, path: str) -> bool:
    return any(
        robot.is_welded and world.system.link_path(robot, robot.root.name) == path for robot in world.system.robots
    )


def omissions_of(name: str, reasons: Mapping[str, str]) -> Iterator[Omission]:
    """Return one omission per reason that some paths have."""
    for reason in dict.fromkeys(filter(None, reasons.values())):
        paths = tuple(path for path, given in reasons.items() if given == reason)
        yield Omission(name, OmissionReason.UNSUPPORTED_CONFIGURATION, reason, paths)


def count_of(world: World, kind: ObjectType, name: str, path: str) -> int:
    """Return the elements of an object in a ragged layout."""
    if kind in (BODY, LINK):
        return len(_moving(world, path).body.shapes)
    return len(_joint(world, path).axes) if kind is JOINT else len(_axes(_robot(world, path)))


def column_of(world: World, kind: ObjectType, name: str, positions: Sequence[int], paths: Sequence[str]) -> Column:
    """Return the column of some objects, ``positions`` being where their paths are in the request."""
    is_ragged = catalogue.attribute(kind, name).layout.is_ragged
    counts = [count_of(world, kind, name, path) for path in paths] if is_ragged else None
    return Column(name, np.array(positions, np.intp), None if counts is None else np.array(counts, np.intp))


def bind(world: World, kind: ObjectType, rows: Rows, names: Sequence[str], reads: Reads = READS) -> FilledColumns:
    """Prepare a read; with ``reads`` one that reads otherwise than the reference does."""
    everything = paths_of(world, kind)
    asked = [everything[row] for row in rows]
    columns: list[Column] = []
    fills: list[Callable[[Buffer], None]] = []
    omissions: list[Omission] = []
    for name in names:
        reasons = {path: why_not(world, kind, name, path) for path in asked}
        omissions += omissions_of(name, reasons)
        positions = [number for number, path in enumerate(asked) if not reasons[path]]
        if catalogue.attribute(kind, name).layout is catalogue.Layout.MATRIX:
            for column, paths in _matrix_columns(world, name, positions, asked):
                columns.append(column)
                fills.append(_fill(world, reads[kind][name], name, paths))
        elif positions or not reasons:
            paths = [asked[number] for number in positions]
            columns.append(column_of(world, kind, name, positions, paths))
            fills.append(_fill(world, reads[kind][name], name, paths))
    return FilledColumns(columns, fills, omissions)


def _matrix_columns(
    world: World, name: str, positions: Sequence[int], asked: Sequence[str]
) -> Iterator[tuple[Column, list[str]]]:
    """Give a column for the matrices of each size, with the paths that it covers."""
    labels = {number: _labels(_robot(world, asked[number]), name) for number in positions}
    sizes: dict[tuple[int, int], list[int]] = {}
    for number, of in labels.items():
        sizes.setdefault((max(len(of.rows), 1), len(of.columns)), []).append(number)
    for (height, width), numbers in sizes.items():
        lanes = tuple(f"r{row}c{column}" for row in range(height) for column in range(width))
        given = tuple(labels[number] for number in numbers)
        column = Column(name, np.array(numbers, np.intp), lanes=lanes, labels=given, native_labels=given)
        yield column, [asked[number] for number in numbers]


def _fill(world: World, read: Read, name: str, paths: Sequence[str]) -> Callable[[Buffer], None]:
    def fill(buffer: Buffer) -> None:
        assert buffer.host is not None
        values = [read(world, path) for path in paths]
        if any(value is None for value in values):
            buffer.omission = Omission(name, OmissionReason.NOT_READY, NOT_READY)
            return
        lanes = buffer.host.shape[1]
        buffer.host[...] = np.vstack([np.reshape(np.asarray(value), (-1, lanes)) for value in values])

    return fill
