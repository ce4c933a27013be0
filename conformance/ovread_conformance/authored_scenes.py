"""Small scenes whose motion shows which value an authored attribute has. Bodies weigh 1 and have moments of 0.1."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

ROOT = "PhysicsArticulationRootAPI"
BODY = ("PhysicsRigidBodyAPI", "PhysicsMassAPI")


def stage(
    content: str,
    *,
    meters_per_unit: float | None = 1.0,
    up: str | None = "Z",
    gravity: float | None = 0.0,
    scene: str = "",
    scene_schemas: Sequence[str] = (),
) -> str:
    """Return a stage with one physics scene.

    Args:
        content: Prims of the stage.
        meters_per_unit: Metres in a unit of length; None where it is not authored.
        up: Up axis; None where it is not authored.
        gravity: Magnitude of gravity in stage units; None where it is not authored.
        scene: Further attributes of the scene.
        scene_schemas: Schemas applied to it.
    """
    metadata = [
        *([] if meters_per_unit is None else [f"metersPerUnit = {meters_per_unit}"]),
        *([] if up is None else [f'upAxis = "{up}"']),
    ]
    magnitude = "" if gravity is None else f"float physics:gravityMagnitude = {gravity}"
    header = "#usda 1.0\n(\n" + "\n".join(metadata) + "\n)\n" if metadata else "#usda 1.0\n"
    return header + prim("PhysicsScene", "Scene", scene_schemas, f"{magnitude}\n{scene}") + content


def prim(kind: str, name: str, schemas: Iterable[str] = (), content: str = "") -> str:
    """Return a prim with schemas applied."""
    applied = ", ".join(f'"{schema}"' for schema in schemas)
    head = f"(prepend apiSchemas = [{applied}])" if applied else ""
    return f'def {kind} "{name}" {head}\n{{\n{content}\n}}\n'


def at(x: float, y: float = 0.0, z: float = 0.0) -> str:
    """Return the transform of a prim that is moved."""
    return f'double3 xformOp:translate = ({x}, {y}, {z})\nuniform token[] xformOpOrder = ["xformOp:translate"]\n'


def cube(size: float = 1.0, schemas: Sequence[str] = (), content: str = "") -> str:
    """Return a collider."""
    return prim("Cube", "cube", ("PhysicsCollisionAPI", *schemas), f"double size = {size}\n{content}")


def body(name: str, content: str = "", schemas: Sequence[str] = (), *, mass: float = 1.0) -> str:
    """Return a rigid body."""
    own = f"float physics:mass = {mass}\nfloat3 physics:diagonalInertia = (0.1, 0.1, 0.1)\n"
    return prim("Xform", name, (*BODY, *schemas), own + content)


def joint(kind: str, name: str, first: str | None, second: str, content: str = "", schemas: Sequence[str] = ()) -> str:
    """Return a joint between two bodies by their paths; None for the world."""
    sides = f"rel physics:body1 = <{second}>\n" + (f"rel physics:body0 = <{first}>\n" if first else "")
    return prim(kind, name, schemas, sides + content)


def sliders(
    attributes: str = "",
    schemas: Sequence[str] = (),
    *,
    on_joint: bool = False,
    is_articulation: bool = True,
    velocity: str = "",
) -> str:
    """Return two cubes that slide along x from one base: ``/W/a`` at 0 with 2 units/s, ``/W/b`` at rest at 2.

    They meet after half a second, unless they pass through each other: then ``a`` is at 2 after a second.

    Args:
        attributes: Attributes of the root.
        schemas: Schemas of the root, beside that of the articulation.
        on_joint: Whether the root is the joint that ties the base to the world, and not the prim above all.
        is_articulation: Whether there is a root schema.
        velocity: Attribute of ``/W/a`` that replaces the state of its joint.
    """
    root = ((ROOT,) if is_articulation else ()) + tuple(schemas)
    state = "" if velocity else "float state:linear:physics:velocity = 2\n"
    states = ("PhysicsJointStateAPI:linear",)
    frame = 'uniform token physics:axis = "X"\npoint3f physics:localPos0 = ({x}, 0, 5)\n'
    content = (
        body("base", at(0, 0, -5))
        + body("a", velocity + cube())
        + body("b", at(2) + cube())
        + joint(
            "PhysicsFixedJoint",
            "anchor",
            None,
            "/W/base",
            "point3f physics:localPos0 = (0, 0, -5)\n" + (attributes if on_joint else ""),
            root if on_joint else (),
        )
        + joint("PhysicsPrismaticJoint", "ja", "/W/base", "/W/a", frame.format(x=0) + state, states)
        + joint("PhysicsPrismaticJoint", "jb", "/W/base", "/W/b", frame.format(x=2))
    )
    return prim("Xform", "W", () if on_joint else root, ("" if on_joint else attributes + "\n") + content)


def welded_pair(
    attributes: str = "", schemas: Sequence[str] = (), *, motion: str = "", height: float = 0.0, collides: bool = False
) -> str:
    """Return a floating articulation ``/W/base`` with a link 3 units along x that a fixed joint welds to it.

    Args:
        attributes: Attributes of the root, which is the link ``/W/base``.
        schemas: Its schemas.
        motion: Attributes of both links, such as velocities.
        height: Where the links' origins are along z.
        collides: Whether each has a cube of size 1.
    """
    shape = cube() if collides else ""
    return prim(
        "Xform",
        "W",
        (),
        body("base", f"{attributes}\n{motion}\n{at(0, 0, height)}{shape}", (ROOT, *schemas))
        + body("tip", f"{motion}\n{at(3, 0, height)}{shape}")
        + joint("PhysicsFixedJoint", "weld", "/W/base", "/W/tip", "point3f physics:localPos0 = (3, 0, 0)"),
    )


def free_body(attributes: str = "", schemas: Sequence[str] = (), *, height: float = 0.0, collides: bool = False) -> str:
    """Return one rigid body ``/W/base``."""
    content = f"{attributes}\n{at(0, 0, height)}{cube() if collides else ''}"
    return prim("Xform", "W", (), body("base", content, schemas))


def ground(friction: float = 0.0) -> str:
    """Return the plane z = 0 with friction, for bodies that ``/M`` is bound to, and the material."""
    material = f"float physics:staticFriction = {friction}\nfloat physics:dynamicFriction = {friction}"
    bound = 'rel material:binding:physics = </M>\nuniform token axis = "Z"'
    return prim("Material", "M", ("PhysicsMaterialAPI",), material) + prim(
        "Plane", "Ground", ("PhysicsCollisionAPI", "MaterialBindingAPI"), bound
    )


def hinge(
    attributes: str = "",
    schemas: Sequence[str] = (),
    *,
    kind: str = "PhysicsRevoluteJoint",
    is_articulation: bool = True,
) -> str:
    """Return an arm ``/W/tip`` on a fixed base with one joint ``/W/j`` about or along Y."""
    axis = "" if kind == "PhysicsJoint" else 'uniform token physics:axis = "Y"\n'
    return prim(
        "Xform",
        "W",
        (ROOT,) if is_articulation else (),
        body("base")
        + body("tip", at(1))
        + joint("PhysicsFixedJoint", "anchor", None, "/W/base")
        + joint(kind, "j", "/W/base", "/W/tip", f"point3f physics:localPos0 = (1, 0, 0)\n{axis}{attributes}", schemas),
    )


AXIS = "physxJointAxis:angular:"
JOINT_READS = {
    f"{AXIS}armature": "jointArmature",
    f"{AXIS}maxJointVelocity": "jointMaxVelocity",
    f"{AXIS}staticFrictionEffort": "jointStaticFriction",
    f"{AXIS}dynamicFrictionEffort": "jointDynamicFriction",
    f"{AXIS}viscousFrictionCoefficient": "jointViscousFriction",
    "newton:armature": "jointArmature",
    "newton:velocityLimit": "jointMaxVelocity",
    "newton:friction": "jointDynamicFriction",
    "newton:damping": "jointViscousFriction",
    "drive:angular:physics:targetPosition": "jointPositionTarget",
    "drive:angular:physics:targetVelocity": "jointVelocityTarget",
    "drive:angular:physics:stiffness": "jointStiffness",
    "drive:angular:physics:damping": "jointDamping",
    "drive:angular:physics:maxForce": "jointMaxForce",
}
"""What of a hinge reads the value of an authored attribute that is in force."""


def floats(prefix: str, **values: float | str) -> str:
    """Return authored numbers, whose names begin alike."""
    return "\n".join(f"float {prefix}{name} = {value}" for name, value in values.items())


_OF_AXIS = floats(
    AXIS,
    armature=1,
    maxJointVelocity=90,
    staticFrictionEffort=3,
    dynamicFrictionEffort=2,
    viscousFrictionCoefficient=0.5,
)
_OF_JOINT = floats("newton:", armature=2, velocityLimit=60, friction=4, damping=0.7)
_NOTHING = floats(
    AXIS,
    armature=0,
    maxJointVelocity="inf",
    staticFrictionEffort=0,
    dynamicFrictionEffort=0,
    viscousFrictionCoefficient=0,
)
_DRIVE = floats("drive:angular:physics:", targetPosition=20, targetVelocity=5, stiffness=2, damping=3, maxForce=7)
_AXIS_SCHEMA, _JOINT_SCHEMA, _DRIVE_SCHEMA = "PhysxJointAxisAPI:angular", "NewtonJointAPI", "PhysicsDriveAPI:angular"

HINGES: dict[str, tuple[tuple[str, ...], str]] = {
    "axis": ((_AXIS_SCHEMA,), _OF_AXIS),
    "axis, nothing authored": ((_AXIS_SCHEMA,), ""),
    "axis, schema not applied": ((), _OF_AXIS),
    "joint": ((_JOINT_SCHEMA,), _OF_JOINT),
    "joint, nothing authored": ((_JOINT_SCHEMA,), ""),
    "joint, schema not applied": ((), _OF_JOINT),
    "axis and joint": ((_AXIS_SCHEMA, _JOINT_SCHEMA), f"{_OF_AXIS}\n{_OF_JOINT}"),
    "zeros of the axis and joint": ((_AXIS_SCHEMA, _JOINT_SCHEMA), f"{_NOTHING}\n{_OF_JOINT}"),
    "axis and joint not applied": ((_AXIS_SCHEMA,), f"{_OF_AXIS}\n{_OF_JOINT}"),
    "one friction and joint": ((_AXIS_SCHEMA, _JOINT_SCHEMA), f"{floats(AXIS, staticFrictionEffort=3)}\n{_OF_JOINT}"),
    "drive": ((_DRIVE_SCHEMA,), _DRIVE),
    "drive, nothing authored": ((_DRIVE_SCHEMA,), ""),
}
"""Schemas and attributes of hinges, in every combination of who may give a value."""

GRAVITIES: dict[str, tuple[tuple[str, ...], str]] = {
    "nothing authored": ((), ""),
    "magnitude": ((), "float physics:gravityMagnitude = 5"),
    "magnitude of 0": ((), "float physics:gravityMagnitude = 0"),
    "negative magnitude": ((), "float physics:gravityMagnitude = -3"),
    "direction": ((), "vector3f physics:gravityDirection = (0, 1, 0)"),
    "long direction": ((), "vector3f physics:gravityDirection = (0, 0, -2)"),
    "zero direction": ((), "vector3f physics:gravityDirection = (0, 0, 0)"),
    "magnitude in a Newton scene": (("NewtonSceneAPI",), "float physics:gravityMagnitude = 5"),
    "Newton scene": (("NewtonSceneAPI",), ""),
    "switched off": ((), "float physics:gravityMagnitude = 5\nbool newton:gravityEnabled = 0"),
    "Newton scene, switched off": (("NewtonSceneAPI",), "bool newton:gravityEnabled = 0"),
}
"""Schemas and attributes of scenes whose gravity differs."""
