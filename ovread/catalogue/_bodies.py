"""Rows of rigid bodies and articulation links, which are bodies too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ovread import units
from ovread.catalogue._row import (
    FRACTION,
    MATRIX3,
    NON_NEGATIVE,
    POSITIVE,
    QUATERNION,
    VALUE,
    XYZ,
    Attribute,
    Frame,
    Layout,
    ObjectType,
    Persistence,
    Point,
    Role,
    Writability,
)

_BODY = ObjectType.RIGID_BODY
_LINK = ObjectType.ARTICULATION_LINK
_W = Writability.WRITABLE
_R = Writability.READ_ONLY
_WO = Writability.WRITE_ONLY
_STATE: dict[str, Any] = {"persistence": Persistence.STATE, "residency": "device"}


def _both(name: str, dtype: str, lanes: tuple[str, ...], meaning: str, *,
          body: Writability = _R, link: Writability = _R, **rest: Any) -> Iterator[Attribute]:  # fmt: skip
    """Make the row of a body and that of a link, which differ in writability only."""
    yield Attribute(_BODY, name, dtype, lanes, meaning, writability=body, **rest)
    yield Attribute(_LINK, name, dtype, lanes, meaning, writability=link, **rest)


def _per_shape(name: str, meaning: str, *, writability: Writability = _W, **rest: Any) -> Iterator[Attribute]:
    return _both(name, "f32", VALUE, meaning, body=writability, link=writability, layout=Layout.PER_SHAPE, **rest)


def _instancer(name: str, lanes: tuple[str, ...], meaning: str, **rest: Any) -> Iterator[Attribute]:
    """Make the row of what the instances of a point instancer have; they are written under the names of bodies."""
    yield Attribute(_BODY, name, "f32", lanes, meaning, layout=Layout.ARRAY, **rest, **_STATE)


ROWS: tuple[Attribute, ...] = (
    *_both("position", "f32", XYZ, "Position of the body's origin.", body=_W,
           dimension=units.LENGTH, frame=Frame.WORLD, point=Point.ORIGIN, role=Role.POINT, **_STATE),
    *_both("orientation", "f32", QUATERNION, "Rotation from body axes to world axes; q and -q mean the same.", body=_W,
           frame=Frame.WORLD, role=Role.QUATERNION, **_STATE),
    *_both("linearVelocity", "f32", XYZ, "Velocity of the centre of mass.", body=_W,
           dimension=units.VELOCITY, frame=Frame.WORLD, point=Point.COM, role=Role.VECTOR, **_STATE),
    *_both("angularVelocity", "f32", XYZ, "Angular velocity.", body=_W,
           dimension=units.ANGULAR_VELOCITY, frame=Frame.WORLD, role=Role.AXIAL_VECTOR, **_STATE),
    *_both("linearAcceleration", "f32", XYZ, "Acceleration of the centre of mass in the last step, gravity included.",
           dimension=units.ACCELERATION, frame=Frame.WORLD, point=Point.COM, role=Role.VECTOR, **_STATE),
    *_both("angularAcceleration", "f32", XYZ, "Angular acceleration in the last step.",
           dimension=units.ANGULAR_ACCELERATION, frame=Frame.WORLD, role=Role.AXIAL_VECTOR, **_STATE),
    *_both("mass", "f32", VALUE, "Mass.", body=_W, link=_W, dimension=units.MASS, accepts=POSITIVE),
    *_both("inverseMass", "f32", VALUE, "One over the mass, also of a body that is held in place.",
           dimension=units.INVERSE_MASS),
    *_both("inertia", "f32", MATRIX3, "Inertia tensor about the centre of mass, in body axes.", body=_W, link=_W,
           dimension=units.INERTIA, frame=Frame.BODY, point=Point.COM, role=Role.TENSOR),
    *_both("inverseInertia", "f32", MATRIX3, "Inverse of the inertia tensor, in body axes.",
           dimension=units.INVERSE_INERTIA, frame=Frame.BODY, point=Point.COM, role=Role.TENSOR),
    *_both("centerOfMassPosition", "f32", XYZ, "Centre of mass, from the body's origin.", body=_W, link=_W,
           dimension=units.LENGTH, frame=Frame.BODY, point=Point.COM, role=Role.POINT),
    *_both("centerOfMassOrientation", "f32", QUATERNION, "Rotation from principal axes of inertia to body axes.",
           body=_W, link=_W, frame=Frame.BODY, role=Role.QUATERNION),
    *_both("disableGravity", "u8", VALUE, "1 where gravity does not act on the body.", body=_W, link=_W,
           role=Role.FLAG),
    *_both("disableSimulation", "u8", VALUE, "1 where the body is left out of the simulation.", body=_W,
           role=Role.FLAG),
    *_both("isSleeping", "u8", VALUE, "1 while the body sleeps; a link sleeps with its whole articulation.",
           role=Role.FLAG, persistence=Persistence.STATE),
    *_per_shape("staticFriction", "Static friction coefficient of each shape.", accepts=NON_NEGATIVE),
    *_per_shape("dynamicFriction", "Dynamic friction coefficient of each shape.", accepts=NON_NEGATIVE),
    *_per_shape("restitution", "Coefficient of restitution of each shape.", accepts=FRACTION),
    *_per_shape("contactOffset", "Distance at which contacts with each shape are made.", dimension=units.LENGTH,
                accepts=NON_NEGATIVE),
    *_per_shape("restOffset", "Distance at which contacts with each shape come to rest.", dimension=units.LENGTH),
    *_both("shapeCount", "i32", VALUE, "Number of collision shapes.", role=Role.COUNT),
    *_both("kinematicTargetPosition", "f32", XYZ, "Pending target of a kinematic body; otherwise the body's position.",
           body=Writability.CONDITIONAL, dimension=units.LENGTH, frame=Frame.WORLD, point=Point.ORIGIN,
           role=Role.POINT, persistence=Persistence.STATE),
    *_both("kinematicTargetOrientation", "f32", QUATERNION, "Pending target of a kinematic body; otherwise the body's.",
           body=Writability.CONDITIONAL, frame=Frame.WORLD, role=Role.QUATERNION, persistence=Persistence.STATE),
    *_instancer("positions", XYZ, "Position of each instance.", dimension=units.LENGTH, frame=Frame.INSTANCER_LOCAL,
                point=Point.ORIGIN, role=Role.POINT),
    *_instancer("orientations", QUATERNION, "Rotation of each instance.", frame=Frame.INSTANCER_LOCAL,
                role=Role.QUATERNION),
    *_instancer("velocities", XYZ, "Velocity of each instance's centre of mass.", dimension=units.VELOCITY,
                frame=Frame.WORLD, point=Point.COM, role=Role.VECTOR),
    *_instancer("angularVelocities", XYZ, "Angular velocity of each instance.", dimension=units.ANGULAR_VELOCITY,
                frame=Frame.WORLD, role=Role.AXIAL_VECTOR),
    *_instancer("accelerations", XYZ, "Acceleration of each instance's centre of mass in the last step.",
                dimension=units.ACCELERATION, frame=Frame.WORLD, point=Point.COM, role=Role.VECTOR),
    *_instancer("angularAccelerations", XYZ, "Angular acceleration of each instance in the last step.",
                dimension=units.ANGULAR_ACCELERATION, frame=Frame.WORLD, role=Role.AXIAL_VECTOR),
    *_both("force", "f32", XYZ, "Force at the centre of mass, for one step.", body=_WO, link=_WO, readable=False,
           dimension=units.FORCE, frame=Frame.WORLD, point=Point.COM, role=Role.VECTOR,
           persistence=Persistence.ONE_STEP),
    *_both("wrench", "f32", ("fx", "fy", "fz", "tx", "ty", "tz", "px", "py", "pz"),
           "Force, torque and the force's point of application, for one step.", body=_WO, link=_WO, readable=False,
           dimension=units.FORCE, angular=units.TORQUE, frame=Frame.WORLD, role=Role.TWIST,
           persistence=Persistence.ONE_STEP),
    Attribute(_BODY, "wake", "u8", VALUE, "1 to wake the body, 0 to put it to sleep.", role=Role.FLAG, readable=False,
              writability=Writability.CONDITIONAL, persistence=Persistence.ONCE),
    Attribute(_LINK, "linkIncomingJointForce", "f32", ("fx", "fy", "fz", "tx", "ty", "tz"),
              "Force and torque that the inbound joint exerts on the link, about the joint's origin.",
              dimension=units.FORCE, angular=units.TORQUE, frame=Frame.JOINT, point=Point.JOINT, role=Role.TWIST,
              **_STATE),
    Attribute(_LINK, "physxPointer", "u64", VALUE, "Borrowed address of the PxArticulationLink.", role=Role.HANDLE),
    *_both("body_q", "f32", (*XYZ, *QUATERNION), "Newton's body_q: position of the origin, then rotation.",
           dimension=units.LENGTH, angular=units.NONE, frame=Frame.WORLD, point=Point.ORIGIN, role=Role.POSE, **_STATE),
    *_both("body_qd", "f32", ("vx", "vy", "vz", "wx", "wy", "wz"),
           "Newton's body_qd: velocity of the centre of mass, then angular velocity.",
           dimension=units.VELOCITY, angular=units.ANGULAR_VELOCITY, frame=Frame.WORLD, point=Point.COM,
           role=Role.TWIST, **_STATE),
    *_per_shape("friction", "Newton's one friction coefficient of each shape.", accepts=NON_NEGATIVE),
)  # fmt: skip
