"""A system as USD text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import attrs
import numpy as np
import numpy.typing as npt
import pinocchio as pin

from ovread_conformance.systems._model import Body, Drive, Joint, Robot, Shape, System, Vector
from ovread_conformance.systems._oracle import link_poses

_TYPES = {
    "fixed": "PhysicsFixedJoint",
    "revolute": "PhysicsRevoluteJoint",
    "prismatic": "PhysicsPrismaticJoint",
    "spherical": "PhysicsSphericalJoint",
    "d6": "PhysicsJoint",
}
_WRITTEN: dict[str, System] = {}
_INSTANCES = {"x": "transX", "y": "transY", "z": "transZ", "twist": "rotX", "swing1": "rotY", "swing2": "rotZ"}
"""What schemas of a D6 joint call its axes."""
_EXCLUDED = ["bool physics:excludeFromArticulation = true"]


def usda(system: System) -> str:
    """Return the text of a stage with the system on it.

    :func:`system_of` knows the text again.
    """
    stage = system.stage
    prims = [
        *(_scenery(name, _shrunk_shape(shape, system.prim_scale)) for name, shape in system.scenery.items()),
        *(
            _body(_shrunk_body(body, system.prim_scale), _shrunk(body.pose, system.prim_scale))
            for body in system.bodies
        ),
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
        *(['def PhysicsScene "Scene"', "{", *_gravity_lines(system), "}"] if system.has_scene else []),
        'def Xform "World"',
        "{",
        *_scale_lines(system),
        *_in_order(prims, system),
        "}",
    ]
    text = "\n".join(lines) + "\n"
    _WRITTEN[text] = system
    return text


def system_of(text: str) -> System | None:
    """Return the system that this process wrote a text from; None where it wrote no such text."""
    return _WRITTEN.get(text)


def _scale_lines(system: System) -> list[str]:
    scale = system.prim_scale
    if scale == 1:
        return []
    return [f"float3 xformOp:scale = {(scale,) * 3}", 'uniform token[] xformOpOrder = ["xformOp:scale"]']


def _shrunk(frame: pin.SE3, scale: float) -> pin.SE3:
    """Return a frame as it is written below a scaled prim."""
    return pin.SE3(frame.rotation, frame.translation / scale)


def _shrunk_shape(shape: Shape, scale: float) -> Shape:
    return attrs.evolve(shape, size=_vector(np.divide(shape.size, scale)), frame=_shrunk(shape.frame, scale))


def _shrunk_body(body: Body, scale: float) -> Body:
    shapes = tuple(_shrunk_shape(shape, scale) for shape in body.shapes)
    return attrs.evolve(body, centre=_shrunk(body.centre, scale), shapes=shapes)


def _shrunk_joint(joint: Joint, scale: float) -> Joint:
    return attrs.evolve(joint, frame0=_shrunk(joint.frame0, scale), frame1=_shrunk(joint.frame1, scale))


def _gravity_lines(system: System) -> list[str]:
    authored = system.authored_gravity
    if authored is None:
        return []
    if isinstance(authored, str):
        strength = float(np.linalg.norm(system.gravity))
        authored = _vector(np.divide(system.gravity, strength)) if strength else (0.0, 0.0, -1.0), strength
    direction, magnitude = authored
    return [
        f"    vector3f physics:gravityDirection = {_tuple(direction)}",
        f"    float physics:gravityMagnitude = {magnitude!r}",
    ]


def _vector(values: npt.ArrayLike) -> Vector:
    x, y, z = _tuple(values)
    return x, y, z


def _in_order(prims: Sequence[str], system: System) -> Sequence[str]:
    return prims[::-1] if system.order == "reversed" else prims


def _scenery(name: str, shape: Shape) -> str:
    return _shape(name, shape)


def _body(body: Body, pose: pin.SE3, *, more: Iterable[str] = ()) -> str:
    schemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI", *more]
    schemas += [] if body.damping is None else ["PhysxRigidBodyAPI"]
    schemas += ["PhysxContactReportAPI"] if body.senses else []
    lines = [
        *_placed(pose),
        *([] if body.is_solid else _mass_lines(body)),
        *_damping_lines(body),
        f"vector3f physics:velocity = {_tuple(body.velocity)}",
        f"vector3f physics:angularVelocity = {_tuple(body.spin)}",
    ]
    if not body.is_enabled:
        lines.append("bool physics:rigidBodyEnabled = false")
    if body.is_kinematic:
        lines.append("bool physics:kinematicEnabled = true")
    if body.is_weightless:
        lines.append("bool physxRigidBody:disableGravity = true")
    if body.is_asleep:
        lines.append("bool physics:startsAsleep = true")
    if body.senses:
        # A sleeping pair reports no forces.
        lines += [f"float physxContactReport:threshold = {body.threshold!r}", "float physxRigidBody:sleepThreshold = 0"]
    shapes = [_shape(f"shape_{number}", shape) for number, shape in enumerate(body.shapes)]
    return _prim("Xform", body.name, schemas, lines, "\n".join(shapes))


def _damping_lines(body: Body) -> list[str]:
    """Author damping; that of spin also where there is none, as engines have it on by default."""
    if body.damping is None:
        return []
    linear, angular = body.damping
    lines = [f"float physxRigidBody:angularDamping = {angular!r}"]
    return [*lines, f"float physxRigidBody:linearDamping = {linear!r}"] if linear else lines


def _mass_lines(body: Body) -> list[str]:
    return [
        f"float physics:mass = {body.mass!r}",
        f"point3f physics:centerOfMass = {_tuple(body.centre.translation)}",
        f"float3 physics:diagonalInertia = {_tuple(body.moments)}",
        f"quatf physics:principalAxes = {_quaternion(body.centre)}",
    ]


_GEOMETRIES = {
    "box": "Cube", "sphere": "Sphere", "capsule": "Capsule", "cylinder": "Cylinder", "cone": "Cone",
    "tetrahedron": "Mesh", "hexahedron": "Mesh",
}  # fmt: skip


def _shape(name: str, shape: Shape) -> str:
    schemas = ["PhysicsCollisionAPI"]
    lines = _geometry_lines(shape)
    if shape.friction is not None or shape.material_density is not None:
        lines.append("rel material:binding:physics = <material>")
    offsets = {"contactOffset": shape.contact_offset, "restOffset": shape.rest_offset}
    for key, value in offsets.items():
        if value is not None:
            schemas.append("PhysxCollisionAPI")
            lines.append(f"float physxCollision:{key} = {value!r}")
    for key, value in {"density": shape.density, "mass": shape.mass}.items():
        if value is not None:
            schemas.append("PhysicsMassAPI")
            lines.append(f"float physics:{key} = {value!r}")
    if shape.kind in _MESHES:
        schemas.append("PhysicsMeshCollisionAPI")
        lines.append(f'uniform token physics:approximation = "{shape.approximation}"')
    if not shape.is_enabled:
        lines.append("bool physics:collisionEnabled = false")
    return _prim(_GEOMETRIES[shape.kind], name, list(dict.fromkeys(schemas)), lines, _material(shape))


_MESHES: Mapping[str, tuple[list[Vector], list[list[int]]]] = {
    "tetrahedron": (
        [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)],
        [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
    ),
    "hexahedron": (
        [(x - 0.5, y - 0.5, z - 0.5) for x in (0, 1) for y in (0, 1) for z in (0, 1)],
        [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]],
    ),
}
"""Points and faces, counterclockwise from outside."""


def _mesh_lines(kind: str) -> list[str]:
    points, faces = _MESHES[kind]
    return [
        f"point3f[] points = {points}",
        f"int[] faceVertexCounts = {[len(face) for face in faces]}",
        f"int[] faceVertexIndices = {[point for face in faces for point in face]}",
    ]


def _geometry_lines(shape: Shape) -> list[str]:
    x, _, z = shape.upright(shape.size)
    if shape.kind == "box":
        return ["double size = 1", *_placed(shape.frame, shape.size)]
    if shape.kind in _MESHES:
        return [*_mesh_lines(shape.kind), *_placed(shape.frame, shape.size)]
    sizes = {"sphere": {}, "capsule": {"height": z - x}, "cylinder": {"height": z}, "cone": {"height": z}}[shape.kind]
    upright = [] if shape.kind == "sphere" else [f'uniform token axis = "{shape.axis}"']
    lines = [f"double {key} = {value!r}" for key, value in {"radius": x / 2, **sizes}.items()]
    scale = None if shape.scale == (1, 1, 1) else shape.scale
    return [*lines, *upright, *_placed(shape.frame, scale)]


def _material(shape: Shape) -> str:
    if shape.friction is None and shape.material_density is None:
        return ""
    lines = [
        f"float physics:staticFriction = {shape.static_friction_coefficient or 0.0!r}",
        f"float physics:dynamicFriction = {shape.friction or 0.0!r}",
        f"float physics:restitution = {shape.restitution!r}",
    ]
    if shape.material_density is not None:
        lines.append(f"float physics:density = {shape.material_density!r}")
    return _prim("Material", "material", ["PhysicsMaterialAPI"], lines)


def _robot(robot: Robot, system: System) -> str:
    poses = link_poses(robot)
    root = system.articulation_path(robot) if robot.is_articulation else ""
    links = []
    for link in robot.links:
        more = ["PhysicsArticulationRootAPI"] if system.link_path(robot, link.name) == root else []
        pose = _shrunk(poses[link.name], system.prim_scale)
        links.append(_body(_shrunk_body(link, system.prim_scale), pose, more=more))
    joints = [_joint(_shrunk_joint(joint, system.prim_scale), system.link_path(robot, "")) for joint in robot.joints]
    if robot.is_welded:
        joints.append(_weld("to_world", robot.root.name, robot.anchor or robot.root.pose, robot, system))
    if robot.held:
        frame = _shrunk(poses[robot.held], system.prim_scale)
        joints.append(_weld("hold", robot.held, frame, robot, system, is_excluded=robot.held != robot.root.name))
    schemas = ["PhysicsArticulationRootAPI"] if root == f"/World/{robot.name}" else []
    prims = [*_in_order(links, system), *_in_order(joints, system)]
    return _prim("Xform", robot.name, schemas, [], "\n".join(prims))


def _weld(name: str, link: str, frame: pin.SE3, robot: Robot, system: System, *, is_excluded: bool = False) -> str:
    """Write a joint that fixes a link to a frame in the world."""
    lines = [f"rel physics:body1 = <{system.link_path(robot, link)}>", *_joint_frame(0, frame)]
    return _prim("PhysicsFixedJoint", name, [], [*lines, *(_EXCLUDED if is_excluded else [])])


def _joint(joint: Joint, prefix: str) -> str:
    body0, body1 = (joint.child, joint.parent) if joint.is_swapped else (joint.parent, joint.child)
    schemas: list[str] = []
    lines = [
        *(f"rel physics:body{side} = <{prefix}{body}>" for side, body in enumerate((body0, body1)) if body),
        *_joint_frame(0, joint.frame0),
        *_joint_frame(1, joint.frame1),
    ]
    if joint.kind in ("revolute", "prismatic", "spherical"):
        lines.append(f'uniform token physics:axis = "{joint.axis}"')
    if joint.cone is not None:
        lines += [f"float physics:coneAngle{side}Limit = {angle!r}" for side, angle in enumerate(joint.cone)]
    if joint.is_excluded:
        lines += _EXCLUDED
    names = _axis_names(joint)
    for what, values in (("position", joint.position), ("velocity", joint.velocity)):
        for name, value in zip(names, values, strict=False):
            schemas.append(f"PhysicsJointStateAPI:{name}")
            lines.append(f"float state:{name}:physics:{what} = {value!r}")
    if joint.kind == "d6":
        limits = dict.fromkeys(_INSTANCES.values(), (1.0, -1.0))  # locked
        limits |= {name: limit or (-np.inf, np.inf) for name, limit in zip(names, joint.limits, strict=True)}
        for name, (low, high) in limits.items():
            schemas.append(f"PhysicsLimitAPI:{name}")
            lines += [f"float limit:{name}:physics:low = {low!r}", f"float limit:{name}:physics:high = {high!r}"]
    elif joint.limit is not None:
        lines += [f"float physics:lowerLimit = {joint.limit[0]!r}", f"float physics:upperLimit = {joint.limit[1]!r}"]
    for name, drive in zip(names, joint.drives, strict=False):
        if drive is not None:
            schemas.append(f"PhysicsDriveAPI:{name}")
            lines += _drive_lines(name, drive)
    schemas += _own_schemas(joint)
    lines += _own_lines(joint)
    return _prim(_TYPES[joint.kind], joint.name, list(dict.fromkeys(schemas)), lines)


def _axis_names(joint: Joint) -> tuple[str, ...]:
    """Return what schemas call the axes of a joint; those of a ball joint have no names."""
    if joint.kind == "d6":
        return tuple(_INSTANCES[axis] for axis in joint.axes)
    return {"revolute": ("angular",), "prismatic": ("linear",)}.get(joint.kind, ())


def _drive_lines(name: str, drive: Drive) -> list[str]:
    numbers = {
        "stiffness": drive.stiffness,
        "damping": drive.damping,
        "targetPosition": drive.target,
        "targetVelocity": drive.velocity_target,
        "maxForce": drive.max_force,
    }
    return [
        f'uniform token drive:{name}:physics:type = "{drive.kind}"',
        *(f"float drive:{name}:physics:{key} = {value!r}" for key, value in numbers.items()),
    ]


def _own_values(joint: Joint) -> dict[str, dict[str, float]]:
    """Return what a joint's own schemas have of its first axis, by schema."""
    envelope = None if joint.drive is None else joint.drive.envelope
    if not joint.friction and not joint.viscous_friction:
        values = {"armature": joint.armature, "velocityLimit": joint.max_velocity or 0.0}
        return {"newton": {key: value for key, value in values.items() if value}}
    found = {
        "physxJointAxis": {
            "armature": joint.armature,
            "staticFrictionEffort": joint.friction if joint.static_friction is None else joint.static_friction,
            "dynamicFrictionEffort": joint.friction,
            "viscousFrictionCoefficient": joint.viscous_friction,
            **({} if joint.max_velocity is None else {"maxJointVelocity": joint.max_velocity}),
        }
    }
    if envelope is not None:
        names = ("speedEffortGradient", "maxActuatorVelocity", "velocityDependentResistance")
        found["physxDrivePerformanceEnvelope"] = dict(zip(names, envelope, strict=True))
    return found


def _own_schemas(joint: Joint) -> list[str]:
    return [
        "NewtonJointAPI" if key == "newton" else f"{key[0].upper()}{key[1:]}API:{_axis_names(joint)[0]}"
        for key, values in _own_values(joint).items()
        if values
    ]


def _own_lines(joint: Joint) -> list[str]:
    return [
        f"float {schema}:{'' if schema == 'newton' else f'{_axis_names(joint)[0]}:'}{key} = {value!r}"
        for schema, values in _own_values(joint).items()
        for key, value in values.items()
    ]


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
