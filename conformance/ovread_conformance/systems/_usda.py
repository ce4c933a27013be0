"""A system as USD text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt
import pinocchio as pin

from ovread_conformance.systems._model import Body, Box, Joint, Robot, System
from ovread_conformance.systems._oracle import link_poses

_TYPES = {
    "fixed": "PhysicsFixedJoint",
    "revolute": "PhysicsRevoluteJoint",
    "prismatic": "PhysicsPrismaticJoint",
    "spherical": "PhysicsSphericalJoint",
    "turning": "PhysicsJoint",
}
_WRITTEN: dict[str, System] = {}
_TURNS = ("rotX", "rotY", "rotZ")
_SLIDES = ("transX", "transY", "transZ")


def usda(system: System) -> str:
    """Return the text of a stage with the system on it.

    :func:`system_of` knows the text again.
    """
    strength = float(np.linalg.norm(system.gravity))
    down = np.divide(system.gravity, strength) if strength else np.array([0.0, 0.0, -1.0])
    stage = system.stage
    prims = [
        *(_scenery(name, box) for name, box in system.scenery.items()),
        *(_body(body, body.pose) for body in system.bodies),
        *(_robot(robot, system) for robot in system.robots),
    ]
    lines = [
        "#usda 1.0",
        "(",
        f'    doc = "{system.name}"',
        '    defaultPrim = "World"',
        f"    metersPerUnit = {stage.meters_per_unit!r}",
        f"    kilogramsPerUnit = {stage.kilograms_per_unit!r}",
        f'    upAxis = "{stage.up_axis}"',
        ")",
        'def PhysicsScene "Scene"',
        "{",
        f"    vector3f physics:gravityDirection = {_tuple(down)}",
        f"    float physics:gravityMagnitude = {strength!r}",
        "}",
        'def Xform "World"',
        "{",
        *_in_order(prims, system),
        "}",
    ]
    text = "\n".join(lines) + "\n"
    _WRITTEN[text] = system
    return text


def system_of(text: str) -> System | None:
    """Return the system that this process wrote a text from; None where it wrote no such text."""
    return _WRITTEN.get(text)


def _in_order(prims: Sequence[str], system: System) -> Sequence[str]:
    return prims[::-1] if system.order == "reversed" else prims


def _scenery(name: str, box: Box) -> str:
    return _prim("Cube", name, ["PhysicsCollisionAPI"], _box_lines(box, box.frame), _material(box))


def _body(body: Body, pose: pin.SE3, *, more: Iterable[str] = ()) -> str:
    schemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI", "PhysxRigidBodyAPI", *more]
    schemas += ["PhysxContactReportAPI"] if body.senses else []
    lines = [
        *_placed(pose),
        f"float physics:mass = {body.mass!r}",
        f"point3f physics:centerOfMass = {_tuple(body.centre.translation)}",
        f"float3 physics:diagonalInertia = {_tuple(body.moments)}",
        f"quatf physics:principalAxes = {_quaternion(body.centre)}",
        # Damping is off, which engines have on by default.
        "float physxRigidBody:angularDamping = 0",
        f"vector3f physics:velocity = {_tuple(body.velocity)}",
        f"vector3f physics:angularVelocity = {_tuple(body.spin)}",
    ]
    if body.is_kinematic:
        lines.append("bool physics:kinematicEnabled = true")
    if body.is_weightless:
        lines.append("bool physxRigidBody:disableGravity = true")
    if body.senses:
        # A sleeping pair reports no forces.
        lines += ["float physxContactReport:threshold = 0", "float physxRigidBody:sleepThreshold = 0"]
    shapes = [
        _prim("Cube", f"shape_{number}", ["PhysicsCollisionAPI"], _box_lines(box, box.frame), _material(box))
        for number, box in enumerate(body.boxes)
    ]
    return _prim("Xform", body.name, schemas, lines, "\n".join(shapes))


def _box_lines(box: Box, frame: pin.SE3) -> list[str]:
    lines = ["double size = 1", *_placed(frame, box.size)]
    if box.friction is not None:
        lines.append("rel material:binding:physics = <material>")
    return lines


def _material(box: Box) -> str:
    if box.friction is None:
        return ""
    lines = [
        f"float physics:staticFriction = {box.static_friction or box.friction!r}",
        f"float physics:dynamicFriction = {box.friction!r}",
        f"float physics:restitution = {box.restitution!r}",
    ]
    return _prim("Material", "material", ["PhysicsMaterialAPI"], lines)


def _robot(robot: Robot, system: System) -> str:
    poses = link_poses(robot)
    links = []
    for link in robot.links:
        is_floating_root = link is robot.root and not robot.is_fixed
        more = ["PhysicsArticulationRootAPI"] if is_floating_root else []
        links.append(_body(link, poses[link.name], more=more))
    joints = [_joint(joint, system.link_path(robot, "")) for joint in robot.joints]
    if robot.is_fixed:
        lines = [f"rel physics:body1 = <{system.link_path(robot, robot.root.name)}>", *_joint_frame(0, robot.root.pose)]
        joints.append(_prim("PhysicsFixedJoint", "to_world", [], lines))
    schemas = ["PhysicsArticulationRootAPI"] if robot.is_fixed else []
    prims = [*_in_order(links, system), *_in_order(joints, system)]
    return _prim("Xform", robot.name, schemas, [], "\n".join(prims))


def _joint(joint: Joint, prefix: str) -> str:
    body0, body1 = (joint.child, joint.parent) if joint.is_swapped else (joint.parent, joint.child)
    schemas: list[str] = []
    lines = [
        f"rel physics:body0 = <{prefix}{body0}>",
        f"rel physics:body1 = <{prefix}{body1}>",
        *_joint_frame(0, joint.frame0),
        *_joint_frame(1, joint.frame1),
    ]
    if joint.kind in ("revolute", "prismatic", "spherical"):
        lines.append(f'uniform token physics:axis = "{joint.axis}"')
    states = {"revolute": ("angular",), "prismatic": ("linear",), "turning": _TURNS}.get(joint.kind, ())
    for what, values in (("position", joint.position), ("velocity", joint.velocity)):
        for name, value in zip(states, values, strict=False):
            schemas.append(f"PhysicsJointStateAPI:{name}")
            lines.append(f"float state:{name}:physics:{what} = {value!r}")
    if joint.kind == "turning":
        schemas += [f"PhysicsLimitAPI:{name}" for name in (*_SLIDES, *_TURNS)]
        lines += [f"float limit:{name}:physics:low = 1\nfloat limit:{name}:physics:high = -1" for name in _SLIDES]
        lines += [f"float limit:{name}:physics:low = -inf\nfloat limit:{name}:physics:high = inf" for name in _TURNS]
    if joint.limit is not None:
        lines += [f"float physics:lowerLimit = {joint.limit[0]!r}", f"float physics:upperLimit = {joint.limit[1]!r}"]
    if joint.drive is not None:
        name = "linear" if joint.is_linear else "angular"
        schemas.append(f"PhysicsDriveAPI:{name}")
        drive = joint.drive
        numbers = {
            "stiffness": drive.stiffness,
            "damping": drive.damping,
            "targetPosition": drive.target,
            "targetVelocity": drive.velocity_target,
            "maxForce": drive.max_force,
        }
        lines += [f"float drive:{name}:physics:{key} = {value!r}" for key, value in numbers.items()]
    own = {"armature": joint.armature, "friction": joint.friction, "velocityLimit": joint.max_velocity}
    for key, authored in own.items():
        if authored:
            schemas.append("NewtonJointAPI")
            lines.append(f"float newton:{key} = {authored!r}")
    return _prim(_TYPES[joint.kind], joint.name, list(dict.fromkeys(schemas)), lines)


def _prim(kind: str, name: str, schemas: Sequence[str], lines: Iterable[str], children: str = "") -> str:
    applied = ", ".join(f'"{schema}"' for schema in schemas)
    head = f'def {kind} "{name}"' + (f" (\nprepend apiSchemas = [{applied}]\n)" if schemas else "")
    return "\n".join([head, "{", *lines, *([children] if children else []), "}"])


def _placed(frame: pin.SE3, size: Sequence[float] | None = None) -> list[str]:
    operations = ["xformOp:translate", "xformOp:orient", *(["xformOp:scale"] if size is not None else [])]
    lines = [
        f"double3 xformOp:translate = {_tuple(frame.translation)}",
        f"quatd xformOp:orient = {_quaternion(frame)}",
    ]
    if size is not None:
        lines.append(f"float3 xformOp:scale = {_tuple(size)}")
    listed = ", ".join(f'"{operation}"' for operation in operations)
    return [*lines, f"uniform token[] xformOpOrder = [{listed}]"]


def _joint_frame(side: int, frame: pin.SE3) -> list[str]:
    return [
        f"point3f physics:localPos{side} = {_tuple(frame.translation)}",
        f"quatf physics:localRot{side} = {_quaternion(frame)}",
    ]


def _tuple(values: npt.ArrayLike) -> tuple[float, ...]:
    return tuple(float(value) for value in np.asarray(values, dtype=float))


def _quaternion(frame: pin.SE3) -> tuple[float, ...]:
    x, y, z, w = pin.Quaternion(frame.rotation).coeffs().tolist()
    return (w, x, y, z)
