"""What Newton makes of the attributes that a stage authors, with the corrections of the import. Imports no engine."""

from __future__ import annotations

import math
from collections.abc import Mapping

import attrs

from ovread.backend import Condition, Conversion, Downwards, Plain, PropertyUse, Value, YieldsTo, property_uses
from ovread.units import StageUnits

_AXIS = "physxJointAxis:<instance>:"
_READ = PropertyUse()
_NO_SUCH = PropertyUse("Newton's solvers have nothing of the kind.", is_read=False)


def _ignored(instead: Value, text: str) -> PropertyUse:
    return PropertyUse(text, is_read=False, instead=Plain(instead))


def _with(solver: str, otherwise: PropertyUse) -> PropertyUse:
    """What one solver alone takes."""
    text = f"Only the {solver} solver takes it. {otherwise.text}"
    return attrs.evolve(otherwise, text=text, variants={solver: _READ})


def _axis(name: str, text: str = "") -> PropertyUse:
    """A value of an axis that counts where NewtonJointAPI is not applied."""
    return PropertyUse(text, yields_to=(YieldsTo(f"newton:{name}", Condition.APPLIED),))


def _joint(name: str, text: str = "") -> PropertyUse:
    """A value of a joint; not applied, it counts only beside no PhysxJointAxisAPI."""
    other = YieldsTo(f"{_AXIS}{name}", Condition.APPLIED, Condition.APPLIED)
    return PropertyUse(text, is_gated=False, yields_to=(other,))


def _resolved_direction(value: Value, units: StageUnits) -> Value:
    """Normalise a direction; zero stands for down."""
    assert isinstance(value, tuple)
    length = math.hypot(*value)
    return tuple(each / length for each in value) if length else Downwards().of(units)


def _resolved_magnitude(value: Value, units: StageUnits) -> Value:
    """Replace a negative magnitude by 9.81 m/s²."""
    assert isinstance(value, int | float)
    return value if value >= 0 else 9.81 / units.meters_per_unit


_VELOCITY_LIMIT = "It is read back, but only the steel solver keeps the velocity below it."
_FREELY = "It counts also where the schema is not applied."

_HARD_LIMITS = PropertyUse("With this solver limits are hard.", is_read=False)
_SOFT_LIMITS = PropertyUse(
    "How soft a limit is, the solver decides its own way: mujoco takes both where the damping is positive.",
    variants={"steel": _HARD_LIMITS, "xpbd": _HARD_LIMITS},
)

AUTHORING: Mapping[str, PropertyUse] = {
    "physxArticulation:articulationEnabled": _ignored(True, "The joints stay an articulation."),
    **property_uses(
        "physxArticulation:",
        "sleepThreshold stabilizationThreshold solverPositionIterationCount solverVelocityIterationCount",
        _NO_SUCH,
    ),
    "physxArticulation:enabledSelfCollisions": PropertyUse(
        "An authored newton:selfCollisionEnabled overrules it.",
        yields_to=(YieldsTo("newton:selfCollisionEnabled", Condition.AUTHORED),),
    ),
    "newton:selfCollisionEnabled": PropertyUse(
        is_gated=False,
        yields_to=(YieldsTo("physxArticulation:enabledSelfCollisions", Condition.AUTHORED, Condition.AUTHORED),),
    ),
    **property_uses(
        "physxRigidBody:", "linearDamping angularDamping", _with("steel", _ignored(0.0, "Nothing is damped."))
    ),
    **property_uses(
        "physxRigidBody:",
        "maxLinearVelocity maxAngularVelocity maxDepenetrationVelocity",
        _with("steel", PropertyUse("Nothing is clamped.", is_read=False)),
    ),
    "physxRigidBody:disableGravity": _with("mujoco", _ignored(False, "The body falls.")),
    **property_uses(
        "physxRigidBody:", "lockedPosAxis lockedRotAxis", _ignored(0, "The body moves along and about all axes.")
    ),
    "physxRigidBody:enableGyroscopicForces": _ignored(True, "Gyroscopic forces always act."),
    "physxRigidBody:solveContact": _ignored(True, "Contacts always push."),
    **property_uses(
        "physxRigidBody:", "retainAccelerations enableCCD enableSpeculativeCCD", _ignored(False, "It is always off.")
    ),
    **property_uses(
        "physxRigidBody:",
        "sleepThreshold stabilizationThreshold contactSlopCoefficient maxContactImpulse cfmScale "
        "solverPositionIterationCount solverVelocityIterationCount",
        _NO_SUCH,
    ),
    **property_uses("physics:", "mass density centerOfMass diagonalInertia principalAxes", _READ),
    "drive:<instance>:physics:type": PropertyUse(
        "An acceleration drive is imported as a force drive.",
        conversion=Conversion("every drive is a force drive", lambda value, units: "force"),
    ),
    **property_uses(
        "drive:<instance>:physics:",
        "targetPosition targetVelocity stiffness damping maxForce",
        PropertyUse(_FREELY, is_gated=False),
    ),
    **property_uses("limit:<instance>:physics:", "low high", _READ),
    f"{_AXIS}armature": _axis("armature"),
    f"{_AXIS}maxJointVelocity": _axis("velocityLimit", _VELOCITY_LIMIT),
    f"{_AXIS}dynamicFrictionEffort": _axis("friction"),
    f"{_AXIS}viscousFrictionCoefficient": _axis("damping"),
    f"{_AXIS}staticFrictionEffort": PropertyUse("The dynamic friction holds at rest, too.", is_read=False),
    "newton:armature": _joint("armature"),
    "newton:velocityLimit": _joint("maxJointVelocity", _VELOCITY_LIMIT),
    "newton:friction": _joint("dynamicFrictionEffort"),
    "newton:damping": _joint("viscousFrictionCoefficient"),
    **property_uses("newton:", "limitStiffness limitDamping", _SOFT_LIMITS),
    "physics:gravityDirection": PropertyUse(
        conversion=Conversion("of length 1; zero stands for down", _resolved_direction)
    ),
    "physics:gravityMagnitude": PropertyUse(
        yields_to=(YieldsTo("newton:gravityEnabled", Condition.OFF, value=Plain(0.0)),),
        conversion=Conversion("a negative one stands for 9.81 / metersPerUnit", _resolved_magnitude),
    ),
    "newton:gravityEnabled": _READ,
    **property_uses(
        "physxScene:",
        "minPositionIterationCount maxPositionIterationCount minVelocityIterationCount maxVelocityIterationCount "
        "enableStabilization",
        _NO_SUCH,
    ),
    **property_uses("", "metersPerUnit kilogramsPerUnit upAxis", _READ),
}
"""By the property's name, with the default solver unless a variant says otherwise."""
