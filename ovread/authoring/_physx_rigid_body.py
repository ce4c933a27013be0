"""PhysxRigidBodyAPI."""

from __future__ import annotations

from ovread.authoring._contract import Aspect, Divergence, Kind, Property, Schema, Side, Statement, When
from ovread.backend import Clamp, Physical, Plain
from ovread.units import DEGREES_PER_SECOND, VELOCITY, Dimension

_PREFIX = "physxRigidBody:"
_SPECIFIC_ENERGY = Dimension(length=2, time=-2)
_PER_SECOND = Dimension(time=-1)
_IMPULSE = Dimension(mass=1, length=1, time=-1)
_FLT_MAX = 3.4028234663852886e38
_SLEEP = f"{_PREFIX}sleepThreshold"
_STABILIZATION = f"{_PREFIX}stabilizationThreshold"
_DEPENETRATION = f"{_PREFIX}maxDepenetrationVelocity"
_ANGULAR_DAMPING = f"{_PREFIX}angularDamping"
_DISABLE_GRAVITY = f"{_PREFIX}disableGravity"
_SCENE_POSITIONS = Clamp(1, 255, "physxScene:minPositionIterationCount", "physxScene:maxPositionIterationCount")
_SCENE_VELOCITIES = Clamp(0, 255, "physxScene:minVelocityIterationCount", "physxScene:maxVelocityIterationCount")


def _flag(name: str, fallback: bool, meaning: str) -> Property:
    return Property(f"{_PREFIX}{name}", "bool", fallback, meaning, default=Plain(fallback))


def _axes(name: str, meaning: str) -> Property:
    return Property(f"{_PREFIX}{name}", "int", 0, f"{meaning}: the sum of 1 for x, 2 for y, 4 for z.", default=Plain(0))


def _scaled(name: str, fallback: float, meaning: str, dimension: Dimension, size: float) -> Property:
    """A property of which population writes the scaled value where it is not authored."""
    scaled = Physical(size, dimension)
    return Property(name, "float", fallback, meaning, dimension, published=scaled, is_created=True, default=scaled)


_PROPERTIES = (
    Property(
        f"{_PREFIX}linearDamping", "float", 0.0, "Rate at which velocity decays.", _PER_SECOND, default=Plain(0.0)
    ),
    Property(_ANGULAR_DAMPING, "float", 0.05, "Rate at which spin decays.", _PER_SECOND, default=Plain(0.05)),
    Property(
        f"{_PREFIX}maxLinearVelocity",
        "float",
        float("inf"),
        "Speed that the body never exceeds.",
        VELOCITY,
        published=Plain(1e16),
        is_created=True,
        default=Plain(1e16),
        clamp=Clamp(high=1e16),
    ),
    Property(
        f"{_PREFIX}maxAngularVelocity",
        "float",
        5729.58,
        "Spin that the body never exceeds: 100 rad/s.",
        DEGREES_PER_SECOND,
        default=Plain(5729.58),
        clamp=Clamp(high=1e16),
    ),
    _scaled(_SLEEP, 5e-5, "Kinetic energy per mass below which the body may fall asleep.", _SPECIFIC_ENERGY, 5e-3),
    _scaled(_STABILIZATION, 1e-5, "Kinetic energy per mass below which it may be stabilized.", _SPECIFIC_ENERGY, 1e-3),
    _scaled(_DEPENETRATION, 3.0, "Speed at which penetrations are resolved at most.", VELOCITY, 3.0),
    Property(f"{_PREFIX}contactSlopCoefficient", "float", 0.0, "Tolerance of rolling contacts.", default=Plain(0.0)),
    Property(
        f"{_PREFIX}maxContactImpulse",
        "float",
        float("inf"),
        "Largest impulse of a contact.",
        _IMPULSE,
        published=Plain(_FLT_MAX),
        is_created=True,
        default=Plain(_FLT_MAX),
    ),
    Property(f"{_PREFIX}cfmScale", "float", 0.025, "Softens the constraints of the body.", default=Plain(0.025)),
    Property(
        f"{_PREFIX}solverPositionIterationCount",
        "int",
        16,
        "Position iterations of the solver.",
        default=Plain(16),
        clamp=_SCENE_POSITIONS,
    ),
    Property(
        f"{_PREFIX}solverVelocityIterationCount",
        "int",
        1,
        "Velocity iterations of the solver.",
        default=Plain(1),
        clamp=_SCENE_VELOCITIES,
    ),
    _flag("enableCCD", False, "Whether fast bodies are swept against others."),
    _flag("enableSpeculativeCCD", False, "Whether contact offsets grow with speed."),
    _flag("disableGravity", False, "Whether gravity does not act on the body."),
    _flag("retainAccelerations", False, "Whether forces stay for the next step."),
    _flag("enableGyroscopicForces", True, "Whether gyroscopic forces turn the body."),
    _flag("solveContact", True, "Whether contacts push the body."),
    _axes("lockedPosAxis", "Axes that the body does not move along"),
    _axes("lockedRotAxis", "Axes that the body does not turn about"),
)

PHYSX_RIGID_BODY = Schema(
    "PhysxRigidBodyAPI",
    "Tunes how PhysX simulates a rigid body.",
    ("Xformable",),
    _PROPERTIES,
    (
        Statement(
            "thresholds-in-stage-units",
            "Not authored, the sleep threshold is 0.005 m²/s² in stage units, whether or not the schema is applied.",
            Aspect.DEFAULT,
            (_SLEEP,),
        ),
        Statement(
            "created-without-schema",
            "Population writes five of its attributes for every rigid body, also where the schema is not applied.",
            Aspect.ABSENCE,
            (_SLEEP, _STABILIZATION, _DEPENETRATION, f"{_PREFIX}maxLinearVelocity", f"{_PREFIX}maxContactImpulse"),
        ),
        Statement(
            "damping-without-schema",
            "A body loses 5 % of its spin per second also where the schema is not applied.",
            Aspect.ABSENCE,
            (_ANGULAR_DAMPING,),
        ),
        Statement(
            "stabilization-slows",
            "With stabilization enabled in the scene, a body in contact below the threshold is slowed.",
            properties=(_STABILIZATION,),
        ),
        Statement("gravity-off", "A body with disableGravity does not fall.", properties=(_DISABLE_GRAVITY,)),
        Divergence(
            "fallback-authored-literally",
            "The schema's fallback, 5e-5, authored as it is means another threshold than not authoring it.",
            Aspect.RANGE,
            (_SLEEP,),
            side=Side.POPULATION,
            kind=Kind.NOTE,
            when=When.FALLBACK,
        ),
        Divergence(
            "defaults-pass-the-clamp",
            "Population publishes defaults as if they were authored, so that they pass through the clamp.",
            Aspect.RANGE,
            (_SLEEP, _STABILIZATION, _DEPENETRATION),
            unobservable="All defaults lie within their clamps.",
            kind=Kind.FRAGILE,
            when=When.NEVER,
        ),
    ),
    requires=("PhysicsRigidBodyAPI",),
)
