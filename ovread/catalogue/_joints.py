"""Rows of articulation joints: one row per unlocked axis, in the order twist, swing1, swing2, x, y, z.

Angles are degrees. Signs follow the joint as authored: the motion of body1 relative to body0, an empty side being
the world. Gains are per degree; efforts, armature and friction are not converted.
"""

from __future__ import annotations

from typing import Any

from ovread import units
from ovread.catalogue._row import (
    BOUND,
    LIMITS,
    NON_NEGATIVE,
    VALUE,
    Accepts,
    Attribute,
    Frame,
    Layout,
    ObjectType,
    Persistence,
    Role,
    Writability,
)
from ovread.units import Dimension

_W = Writability.WRITABLE

_DEG = units.DEGREES
_COORDINATE = (units.LENGTH, _DEG)
_RATE = (units.VELOCITY, units.DEGREES_PER_SECOND)
_EFFORT = (units.FORCE, units.TORQUE)
_STIFFNESS = (Dimension(mass=1, time=-2), Dimension(mass=1, length=2, time=-2, angle=-1, angle_unit="deg"))
_DAMPING = (Dimension(mass=1, time=-1), Dimension(mass=1, length=2, time=-1, angle=-1, angle_unit="deg"))
_ARMATURE = (units.MASS, units.INERTIA)
_RATE_PER_EFFORT = (Dimension(mass=-1, time=1), Dimension(mass=-1, length=-2, time=1, angle=1, angle_unit="deg"))


def _dof(name: str, meaning: str, dimensions: tuple[Dimension, Dimension], *, writability: Writability = _W,
         lanes: tuple[str, ...] = VALUE, state: bool = False, **rest: Any) -> Attribute:  # fmt: skip
    linear, angular = dimensions
    persistence = Persistence.STATE if state else Persistence.PROPERTY
    residency = "device" if state else "host"
    return Attribute(ObjectType.ARTICULATION_JOINT, name, "f32", lanes, meaning, layout=Layout.PER_DOF,
                     dimension=linear, angular=angular, frame=Frame.JOINT, role=Role.COORDINATE,
                     writability=writability, persistence=persistence, residency=residency, **rest)  # fmt: skip


ROWS: tuple[Attribute, ...] = (
    _dof("jointPosition", "Joint coordinate.", _COORDINATE, state=True),
    _dof("jointVelocity", "Joint rate.", _RATE, state=True),
    _dof("jointPositionTarget", "Position target of the drive.", _COORDINATE, state=True),
    _dof("jointVelocityTarget", "Velocity target of the drive.", _RATE, state=True),
    _dof("jointActuationForce", "Effort applied beside the drive.", _EFFORT, state=True),
    _dof("jointProjectedForce", "Component along the axis of the force that the joint transmits.", _EFFORT,
         writability=Writability.READ_ONLY, state=True),
    _dof("jointStiffness", "Drive effort per unit of position error.", _STIFFNESS, accepts=NON_NEGATIVE),
    _dof("jointDamping", "Drive effort per unit of velocity error.", _DAMPING, accepts=NON_NEGATIVE),
    _dof("jointLimit", "Lower and upper limit of the coordinate, as authored; unlimited is -/+FLT_MAX.", _COORDINATE,
         lanes=("low", "high"), writability=Writability.CONDITIONAL, accepts=LIMITS),
    _dof("jointMaxVelocity", "Bound on the joint rate; unlimited is FLT_MAX.", _RATE, accepts=BOUND),
    _dof("jointMaxForce", "Bound on the drive's effort; unlimited is FLT_MAX.", _EFFORT, accepts=BOUND),
    _dof("jointArmature", "Inertia added to the axis.", _ARMATURE, accepts=NON_NEGATIVE),
    _dof("jointStaticFriction", "Effort needed to break away.", _EFFORT, accepts=NON_NEGATIVE),
    _dof("jointDynamicFriction", "Friction effort while moving.", _EFFORT, accepts=NON_NEGATIVE),
    _dof("jointViscousFriction", "Friction effort per unit of rate.", _DAMPING, accepts=NON_NEGATIVE),
    _dof("jointSpeedEffortGradient", "Drive envelope: loss of reachable rate per effort.", _RATE_PER_EFFORT,
         accepts=NON_NEGATIVE),
    _dof("jointMaxActuatorVelocity", "Drive envelope: bound on the actuator's rate.", _RATE, accepts=BOUND),
    _dof("jointVelocityDependentResistance", "Drive envelope: resistance per unit of rate.", _DAMPING,
         accepts=NON_NEGATIVE),
    Attribute(ObjectType.ARTICULATION_JOINT, "jointDriveType", "u8", VALUE,
              "Drive law: 0 none, 1 force, 2 acceleration.", layout=Layout.PER_DOF, role=Role.ENUM, writability=_W,
              accepts=Accepts(0, 2)),
    Attribute(ObjectType.ARTICULATION_JOINT, "physxPointer", "u64", VALUE,
              "Borrowed address of the PxArticulationJointReducedCoordinate.", role=Role.HANDLE),
    _dof("jointFriction", "Newton's one friction effort.", _EFFORT, accepts=NON_NEGATIVE),
    Attribute(ObjectType.ARTICULATION_JOINT, "joint_q", "f32", VALUE,
              "Newton's generalized coordinates: radians, linear axes first, a ball joint's as a quaternion; the "
              "child relative to the parent, whichever is body0.",
              layout=Layout.ARRAY, dimension=units.LENGTH, angular=units.RADIANS, frame=Frame.PARENT_ANCHOR,
              role=Role.COORDINATE, persistence=Persistence.STATE, residency="device"),
    Attribute(ObjectType.ARTICULATION_JOINT, "joint_qd", "f32", VALUE,
              "Newton's generalized velocities: radians per second, linear axes first; the child relative to the "
              "parent, whichever is body0.",
              layout=Layout.ARRAY, dimension=units.VELOCITY, angular=units.ANGULAR_VELOCITY,
              frame=Frame.PARENT_ANCHOR, role=Role.COORDINATE, persistence=Persistence.STATE, residency="device"),
)  # fmt: skip
