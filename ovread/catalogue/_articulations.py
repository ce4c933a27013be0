"""Rows of whole articulations, keyed by the prim that carries PhysicsArticulationRootAPI."""

from __future__ import annotations

from typing import Any

from ovread import units
from ovread.catalogue._row import (
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

_ARTICULATION = ObjectType.ARTICULATION
_STATE: dict[str, Any] = {"persistence": Persistence.STATE, "residency": "device"}
_ROOT: dict[str, Any] = {"writability": Writability.WRITABLE, "frame": Frame.WORLD, **_STATE}

_GENERALIZED: dict[str, Any] = {"layout": Layout.MATRIX, "frame": Frame.WORLD, "point": Point.COM,
                                "role": Role.GENERALIZED, **_STATE}  # fmt: skip


def _count(name: str, meaning: str) -> Attribute:
    return Attribute(_ARTICULATION, name, "i32", VALUE, meaning, role=Role.COUNT)


def _per_shape(name: str, meaning: str, **rest: Any) -> Attribute:
    return Attribute(_ARTICULATION, name, "f32", VALUE, meaning, layout=Layout.PER_SHAPE, **rest)


ROWS: tuple[Attribute, ...] = (
    Attribute(_ARTICULATION, "rootPosition", "f32", XYZ, "Position of the root link's origin.",
              dimension=units.LENGTH, point=Point.ORIGIN, role=Role.POINT, **_ROOT),
    Attribute(_ARTICULATION, "rootOrientation", "f32", QUATERNION, "Rotation of the root link.",
              role=Role.QUATERNION, **_ROOT),
    Attribute(_ARTICULATION, "rootLinearVelocity", "f32", XYZ, "Velocity of the root link's centre of mass.",
              dimension=units.VELOCITY, point=Point.COM, role=Role.VECTOR, **_ROOT),
    Attribute(_ARTICULATION, "rootAngularVelocity", "f32", XYZ, "Angular velocity of the root link.",
              dimension=units.ANGULAR_VELOCITY, role=Role.AXIAL_VECTOR, **_ROOT),
    Attribute(_ARTICULATION, "centerOfMassWorld", "f32", XYZ, "Centre of mass of all links.",
              dimension=units.LENGTH, frame=Frame.WORLD, point=Point.COM, role=Role.POINT, **_STATE),
    Attribute(_ARTICULATION, "centerOfMassLocal", "f32", XYZ,
              "Centre of mass of all links, in the centre-of-mass frame of the root link.",
              dimension=units.LENGTH, frame=Frame.COM, point=Point.COM, role=Role.POINT, **_STATE),
    _per_shape("staticFriction", "Static friction coefficient of each shape of all links."),
    _per_shape("dynamicFriction", "Dynamic friction coefficient of each shape of all links."),
    _per_shape("restitution", "Coefficient of restitution of each shape of all links."),
    _per_shape("contactOffset", "Distance at which contacts with each shape are made.", dimension=units.LENGTH),
    _per_shape("restOffset", "Distance at which contacts with each shape come to rest.", dimension=units.LENGTH),
    _count("shapeCount", "Number of collision shapes of all links."),
    _count("dofCount", "Number of degrees of freedom of the joints; those of a floating root do not count."),
    _count("linkCount", "Number of links."),
    _count("jointCount", "Number of joints between links."),
    _count("fixedTendonCount", "Number of fixed tendons."),
    _count("spatialTendonCount", "Number of spatial tendons."),
    Attribute(_ARTICULATION, "isFixedBase", "i32", VALUE, "1 where the root link is fixed to the world.",
              role=Role.FLAG),
    Attribute(_ARTICULATION, "dofJointPath", "u64", VALUE, "Joint of each degree of freedom.", layout=Layout.ARRAY,
              role=Role.PATH),
    Attribute(_ARTICULATION, "dofAxisIndex", "i32", VALUE,
              "Place of each degree of freedom among the unlocked axes of its joint.", layout=Layout.ARRAY,
              role=Role.ENUM),
    Attribute(_ARTICULATION, "jacobian", "f32", VALUE,
              "Velocities of the links' centres of mass, linear then angular, per rate of a degree of freedom "
              "(jointVelocity, in radians or length); a fixed root has no rows.",
              angular=units.LENGTH, **_GENERALIZED),
    Attribute(_ARTICULATION, "jacobianShape", "i32", ("rows", "columns"), "Size of the Jacobian.", role=Role.COUNT),
    Attribute(_ARTICULATION, "massMatrix", "f32", VALUE,
              "Generalized mass matrix, armature included: times an acceleration it is a generalized force.",
              dimension=units.MASS, angular=units.INERTIA, **_GENERALIZED),
    Attribute(_ARTICULATION, "coriolisForce", "f32", VALUE,
              "Generalized force that compensates Coriolis and centrifugal forces.",
              dimension=units.FORCE, angular=units.TORQUE, **_GENERALIZED),
    Attribute(_ARTICULATION, "gravityForce", "f32", VALUE, "Generalized force that holds against gravity.",
              dimension=units.FORCE, angular=units.TORQUE, **_GENERALIZED),
    Attribute(_ARTICULATION, "centroidalMomentum", "f32", VALUE,
              "Momentum about the centre of mass, linear then angular, per rate of a degree of freedom; the last "
              "column is the bias force. Floating roots only.",
              dimension=units.MASS, angular=units.INERTIA, **_GENERALIZED),
    Attribute(_ARTICULATION, "physxPointer", "u64", VALUE,
              "Borrowed address of the PxArticulationReducedCoordinate.", role=Role.HANDLE),
)  # fmt: skip
