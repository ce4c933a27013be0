"""What PhysX makes of the attributes that a stage authors. Imports no engine."""

from __future__ import annotations

from collections.abc import Mapping

from ovread.backend import Clamp, Condition, Downwards, Physical, Plain, PropertyUse, YieldsTo, property_uses
from ovread.units import ACCELERATION

_AXIS = "physxJointAxis:<instance>:"
_READ = PropertyUse()
_COUPLED = "Its effect on contacts has no closed form, and none of our scenes shows it."


def _seeded(name: str, unless: Condition, *together: str) -> PropertyUse:
    """A value of an axis that counts where it is set, else that of the joint."""
    other = YieldsTo(f"newton:{name}", Condition.AUTHORED, unless, tuple(f"{_AXIS}{each}" for each in together))
    return PropertyUse(yields_to=(other,), clamp=Clamp(low=0.0))


def _seed(when: Condition, name: str, *together: str) -> PropertyUse:
    """A value of a joint that counts where no axis sets its own."""
    other = YieldsTo(f"{_AXIS}{name}", when, together=tuple(f"{_AXIS}{each}" for each in together))
    return PropertyUse(is_gated=False, clamp=Clamp(low=0.0), yields_to=(other,))


_FRICTIONS = ("staticFrictionEffort", "dynamicFrictionEffort")
_LITERALLY = (
    "It is taken as it is authored: a direction is not normalised, a zero one means no gravity, and a negative "
    "magnitude pulls upwards."
)
_SWITCH = YieldsTo("newton:gravityEnabled", Condition.OFF, value=Plain(0.0))

AUTHORING: Mapping[str, PropertyUse] = {
    **property_uses(
        "physxArticulation:",
        "articulationEnabled sleepThreshold solverPositionIterationCount solverVelocityIterationCount",
        _READ,
    ),
    "physxArticulation:stabilizationThreshold": PropertyUse(
        "No value of it changes how an articulation moves.", is_read=False
    ),
    "physxArticulation:enabledSelfCollisions": PropertyUse(
        yields_to=(YieldsTo("newton:selfCollisionEnabled", Condition.AUTHORED, Condition.APPLIED),)
    ),
    "newton:selfCollisionEnabled": PropertyUse(
        "PhysxArticulationAPI on the prim overrules it, also where that authors nothing.",
        is_gated=False,
        yields_to=(YieldsTo("physxArticulation:enabledSelfCollisions", Condition.APPLIED),),
    ),
    **property_uses(
        "physxRigidBody:",
        "linearDamping angularDamping maxLinearVelocity maxAngularVelocity sleepThreshold stabilizationThreshold "
        "maxDepenetrationVelocity solverPositionIterationCount solverVelocityIterationCount disableGravity "
        "retainAccelerations enableGyroscopicForces solveContact lockedPosAxis lockedRotAxis maxContactImpulse "
        "enableCCD",
        _READ,
    ),
    **property_uses(
        "physxRigidBody:", "contactSlopCoefficient cfmScale enableSpeculativeCCD", PropertyUse(unobserved=_COUPLED)
    ),
    **property_uses("physics:", "mass density centerOfMass diagonalInertia principalAxes", _READ),
    **property_uses(
        "drive:<instance>:physics:", "type targetPosition targetVelocity stiffness damping maxForce", _READ
    ),
    **property_uses("limit:<instance>:physics:", "low high", _READ),
    f"{_AXIS}armature": _seeded("armature", Condition.POSITIVE),
    f"{_AXIS}maxJointVelocity": _seeded("velocityLimit", Condition.FINITE),
    f"{_AXIS}staticFrictionEffort": _seeded("friction", Condition.POSITIVE, *_FRICTIONS),
    f"{_AXIS}dynamicFrictionEffort": _seeded("friction", Condition.POSITIVE, *_FRICTIONS),
    f"{_AXIS}viscousFrictionCoefficient": _seeded("damping", Condition.POSITIVE),
    "newton:armature": _seed(Condition.POSITIVE, "armature"),
    "newton:velocityLimit": _seed(Condition.FINITE, "maxJointVelocity"),
    "newton:friction": _seed(Condition.POSITIVE, "dynamicFrictionEffort", "staticFrictionEffort"),
    "newton:damping": _seed(Condition.POSITIVE, "viscousFrictionCoefficient"),
    **property_uses(
        "newton:",
        "limitStiffness limitDamping",
        PropertyUse("Limits are hard, or have the spring of PhysxLimitAPI.", is_read=False),
    ),
    "physics:gravityDirection": PropertyUse(_LITERALLY, ignored_with=("NewtonSceneAPI",), instead=Downwards()),
    "physics:gravityMagnitude": PropertyUse(
        _LITERALLY, yields_to=(_SWITCH,), ignored_with=("NewtonSceneAPI",), instead=Physical(9.81, ACCELERATION)
    ),
    "newton:gravityEnabled": PropertyUse(
        "It counts by its name, but not where NewtonSceneAPI is applied.",
        is_gated=False,
        ignored_with=("NewtonSceneAPI",),
        instead=Plain(True),
    ),
    **property_uses(
        "physxScene:",
        "minPositionIterationCount maxPositionIterationCount minVelocityIterationCount maxVelocityIterationCount "
        "enableStabilization",
        _READ,
    ),
    **property_uses("", "metersPerUnit kilogramsPerUnit upAxis", _READ),
}
"""By the property's name."""
