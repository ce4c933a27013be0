"""PhysxArticulationAPI."""

from __future__ import annotations

from ovread.authoring._contract import Aspect, Divergence, Kind, Property, Schema, Side, Statement, When
from ovread.backend import Clamp, Physical, Plain
from ovread.units import VELOCITY, Dimension

_PREFIX = "physxArticulation:"
_ENABLED = f"{_PREFIX}articulationEnabled"
_SLEEP = f"{_PREFIX}sleepThreshold"
_STABILIZATION = f"{_PREFIX}stabilizationThreshold"
_POSITION = f"{_PREFIX}solverPositionIterationCount"
_VELOCITY = f"{_PREFIX}solverVelocityIterationCount"
_SELF_COLLISION = f"{_PREFIX}enabledSelfCollisions"
_SPECIFIC_ENERGY = Dimension(length=2, time=-2)

_NO_EFFECT = "No value of the threshold changes how an articulation moves: see stabilization-without-effect."

_PROPERTIES = (
    Property(
        _ENABLED,
        "bool",
        True,
        "Whether the joints below the root form an articulation.",
        default=Plain(True),
    ),
    Property(
        _SLEEP,
        "float",
        5e-5,
        "Kinetic energy per mass below which the articulation may fall asleep.",
        _SPECIFIC_ENERGY,
        default=Physical(5e-3, _SPECIFIC_ENERGY),
    ),
    Property(
        _STABILIZATION,
        "float",
        1e-5,
        "Kinetic energy per mass below which the articulation may be stabilized.",
        _SPECIFIC_ENERGY,
        default=Physical(1.0, _SPECIFIC_ENERGY),
    ),
    Property(
        _POSITION,
        "int",
        32,
        "Position iterations of the solver; with TGS each is a substep.",
        default=Plain(32),
        clamp=Clamp(1, 255, "physxScene:minPositionIterationCount", "physxScene:maxPositionIterationCount"),
    ),
    Property(
        _VELOCITY,
        "int",
        1,
        "Velocity iterations of the solver.",
        default=Plain(1),
        clamp=Clamp(0, 255, "physxScene:minVelocityIterationCount", "physxScene:maxVelocityIterationCount"),
    ),
    Property(
        _SELF_COLLISION,
        "bool",
        True,
        "Whether links of the articulation that no joint connects collide with each other.",
        default=Plain(True),
    ),
)

_SCHEMA_STATEMENTS = (
    Statement(
        "gated-by-schema",
        "Its attributes count only where the schema is among those applied to the prim that has the articulation root.",
        Aspect.ABSENCE,
    ),
    Statement(
        "on-the-root-joint",
        "A fixed base may have the articulation root, and so this schema, on the joint that ties it to the world.",
        Aspect.INTERACTION,
    ),
    Statement(
        "read-once-per-root",
        "It is read once for each root, after the defaults in stage units and before the tree of joints is built.",
        Aspect.INTERACTION,
        unobservable="The order in which a parser fills its record leaves no trace in the simulation.",
    ),
    Statement(
        "population-keeps-fallbacks",
        "Population publishes each attribute as USD resolves it and derives none from the units; of rigid bodies it "
        "does derive the thresholds.",
        Aspect.DEFAULT,
    ),
    Statement(
        "tolerances-speed",
        "The default thresholds are squares of a speed of 10 m/s, in stage units.",
        Aspect.DEFAULT,
        (_SLEEP, _STABILIZATION),
    ),
    Statement(
        "filtered-pairs-of-the-root",
        "Filtered pairs authored on the root belong to PhysicsFilteredPairsAPI and hold for all links.",
        Aspect.NOTE,
    ),
)

_ENABLED_STATEMENTS = (
    Statement("enabled-by-default", "Without it the articulation is built.", Aspect.DEFAULT, (_ENABLED,)),
    Statement(
        "disabled-is-plain-bodies",
        "Where it is false there is no articulation: links are rigid bodies and joints constraints between them.",
        Aspect.EFFECT,
        (_ENABLED,),
    ),
    Statement(
        "disabled-loses-joint-states",
        "Where it is false, initial positions and velocities of joint states do not count.",
        Aspect.EFFECT,
        (_ENABLED,),
    ),
)

_THRESHOLD_STATEMENTS = (
    Statement(
        "sleep-default-in-stage-units",
        "Where the schema is not applied the threshold is 0.005 m²/s² in stage units: 50 cm²/s² on a centimetre stage.",
        Aspect.ABSENCE,
        (_SLEEP,),
    ),
    Statement(
        "sleep-raw-where-applied",
        "Where the schema is applied and it is not authored, the threshold is the bare number 5e-5 on every stage.",
        Aspect.DEFAULT,
        (_SLEEP,),
    ),
    Statement(
        "sleep-authored-in-stage-units",
        "An authored threshold is taken as it is, in stage units.",
        Aspect.EFFECT,
        (_SLEEP,),
    ),
    Statement(
        "sleep-zero-never",
        "With a threshold of 0, or less, an articulation never falls asleep.",
        Aspect.RANGE,
        (_SLEEP,),
    ),
    Statement(
        "sleep-energy-of-summed-velocity",
        "The threshold is compared with the kinetic energy per mass.",
        Aspect.EFFECT,
        (_SLEEP,),
        measured="Compared is the energy of the sum of the velocities of all steps of the last 0.2 s (ovphysx 0.7.0): "
        "at 60 Hz an articulation that drifts falls asleep below sqrt(2 T) / 12, not below sqrt(2 T).",
    ),
    Statement(
        "same-sleep-default-as-bodies",
        "Where neither schema is applied, articulations and rigid bodies have the same sleep threshold.",
        Aspect.INTERACTION,
        (_SLEEP,),
    ),
    Statement(
        "stabilization-default-in-stage-units",
        "Where the schema is not applied the threshold is 1 m²/s² in stage units: 10000 cm²/s² on a centimetre stage.",
        Aspect.ABSENCE,
        (_STABILIZATION,),
        unobservable=_NO_EFFECT,
    ),
    Statement(
        "stabilization-raw-where-applied",
        "Where the schema is applied and it is not authored, the threshold is the bare number 1e-5 on every stage.",
        Aspect.DEFAULT,
        (_STABILIZATION,),
        unobservable=f"{_NO_EFFECT} That population publishes this number is observed.",
    ),
    Statement(
        "stabilization-without-effect",
        "An articulation below the threshold takes part in the stabilization that the scene enables.",
        Aspect.EFFECT,
        (_STABILIZATION,),
        measured="It changes nothing (ovphysx 0.7.0, on the CPU): with stabilization enabled, a threshold of 1e6 slows "
        "a sliding rigid body and leaves an articulation as it is, with TGS and with PGS.",
    ),
    Divergence(
        "sleep-two-ways",
        "Applying the schema without authoring the threshold lowers it from 0.005 m²/s² to the bare 5e-5: by 100 on a "
        "metre stage, by a million on one in centimetres. Population could scale the fallback, as for rigid bodies, "
        "and the parser could keep its default.",
        Aspect.DEFAULT,
        (_SLEEP,),
        side=Side.BOTH,
        measured="The articulation that gets the bare number stays awake at speeds at which the other sleeps, so it "
        "is the less eager to sleep (ovphysx 0.7.0); the documentation says the opposite.",
    ),
    Divergence(
        "stabilization-two-ways",
        "Applying the schema without authoring the threshold lowers it from 1 m²/s² to the bare 1e-5.",
        Aspect.DEFAULT,
        (_STABILIZATION,),
        unobservable=_NO_EFFECT,
        side=Side.BOTH,
    ),
    Divergence(
        "stabilization-coefficient",
        "The parser's default is 1e-2 times the squared speed, where the schema says 1e-5 and rigid bodies have 1e-5: "
        "1000 times more, beside the units.",
        Aspect.DEFAULT,
        (_STABILIZATION,),
        unobservable=_NO_EFFECT,
        side=Side.PARSER,
        when=When.ABSENT,
    ),
)

_ITERATION_STATEMENTS = (
    Statement(
        "position-iterations-are-substeps",
        "With n iterations of TGS, the first step dt of a free fall moves by (n + 1) / (2 n) g dt².",
        Aspect.EFFECT,
        (_POSITION,),
    ),
    Statement("position-default", "There are 32 position iterations.", Aspect.DEFAULT, (_POSITION,)),
    Statement("position-range", "Position iterations are clamped to 1 and 255.", Aspect.RANGE, (_POSITION,)),
    Statement(
        "position-bounded-by-scene",
        "The bounds of PhysxSceneAPI clamp the position iterations further; the upper one has the last word.",
        Aspect.INTERACTION,
        (_POSITION,),
    ),
    Statement(
        "position-narrowed",
        "It is read as a number of 64 bits and narrowed before it is clamped.",
        Aspect.RANGE,
        (_POSITION,),
        measured="A number beyond 32 bits, authored with 64, does not arrive: the fallback counts (ovphysx 0.7.0).",
    ),
    Statement("velocity-default", "There is 1 velocity iteration.", Aspect.DEFAULT, (_VELOCITY,)),
    Statement("velocity-range", "Velocity iterations are clamped to 0 and 255.", Aspect.RANGE, (_VELOCITY,)),
    Statement(
        "velocity-bounded-by-scene",
        "The bounds of PhysxSceneAPI clamp the velocity iterations further; the upper one has the last word.",
        Aspect.INTERACTION,
        (_VELOCITY,),
    ),
)

_COLLISION_STATEMENTS = (
    Statement("self-collision-default", "Without it, links collide.", Aspect.DEFAULT, (_SELF_COLLISION,)),
    Statement("self-collision-off", "Where it is false, links pass through each other.", properties=(_SELF_COLLISION,)),
    Statement(
        "self-collision-of-newton",
        "Where the schema is not applied, newton:selfCollisionEnabled of the root counts instead, whether or not "
        "NewtonArticulationRootAPI is applied.",
        Aspect.ABSENCE,
        (_SELF_COLLISION,),
    ),
    Statement(
        "self-collision-unreadable",
        "Where the schema is applied and it cannot be read, newton:selfCollisionEnabled counts, too.",
        Aspect.ABSENCE,
        (_SELF_COLLISION,),
        unobservable="Population always writes it where the schema is applied; only a stage that is populated by hand "
        "lacks it.",
    ),
    Statement(
        "self-collision-deprecated",
        "The schema deprecates it in favour of newton:selfCollisionEnabled.",
        Aspect.NOTE,
        (_SELF_COLLISION,),
    ),
    Divergence(
        "self-collision-fallback-wins",
        "Where the schema is applied and it is not authored, its fallback, true, overrules an authored "
        "newton:selfCollisionEnabled, since population publishes it and the parser cannot tell it from an authored "
        "value. Author both alike, or do not apply the schema.",
        Aspect.DEFAULT,
        (_SELF_COLLISION,),
        side=Side.BOTH,
        kind=Kind.FRAGILE,
        needs=("newton:selfCollisionEnabled",),
    ),
)

PHYSX_ARTICULATION = Schema(
    "PhysxArticulationAPI",
    "Tunes how PhysX simulates an articulation.",
    ("Xformable", "PhysicsJoint"),
    _PROPERTIES,
    (
        *_SCHEMA_STATEMENTS,
        *_ENABLED_STATEMENTS,
        *_THRESHOLD_STATEMENTS,
        *_ITERATION_STATEMENTS,
        *_COLLISION_STATEMENTS,
    ),
    requires=("PhysicsArticulationRootAPI",),
    derived=(("speed of the tolerances", Physical(10.0, VELOCITY)),),
)
