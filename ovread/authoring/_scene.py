"""PhysicsScene with its schemas, and the units of the stage."""

from __future__ import annotations

import math

from ovread.authoring._contract import Aspect, Divergence, Kind, Property, Schema, Side, Statement, When
from ovread.backend import Downwards, Physical, Plain
from ovread.units import ACCELERATION

STAGE = "Stage"
"""Name under which the metadata of a stage is listed."""
_DIRECTION, _MAGNITUDE = "physics:gravityDirection", "physics:gravityMagnitude"
_ENABLED = "newton:gravityEnabled"

SCENE = Schema(
    "PhysicsScene",
    "Gives the gravity of a simulation.",
    ("PhysicsScene",),
    (
        Property(_DIRECTION, "vector3f", (0.0, 0.0, 0.0), "Direction of gravity.", published=Downwards(),
                 default=Plain((0.0, 0.0, -1.0))),
        Property(_MAGNITUDE, "float", -math.inf, "Strength of gravity.", ACCELERATION,
                 published=Physical(9.81, ACCELERATION), default=Plain(9.81)),
    ),
    (
        Statement(
            "resolved-by-population",
            "Not authored, gravity is 9.81 m/s² in stage units against the up axis.",
            Aspect.DEFAULT,
            (_DIRECTION, _MAGNITUDE),
        ),
        Divergence(
            "sentinels-authored",
            "Authored as they are, the fallbacks mean the same as not authoring them for UsdPhysics; population leaves "
            "them, and a parser that takes them literally has no gravity, or infinite gravity.",
            Aspect.RANGE,
            (_DIRECTION, _MAGNITUDE),
            side=Side.BOTH,
            when=When.FALLBACK,
        ),
        Divergence(
            "lost-with-newton-scene",
            "NewtonSceneAPI on the scene makes an engine that does not know it take 9.81 m/s², whatever is authored. "
            "Converters apply it to every scene.",
            Aspect.INTERACTION,
            (_DIRECTION, _MAGNITUDE),
            side=Side.BOTH,
            when=When.AUTHORED,
            needs=("NewtonSceneAPI",),
        ),
        Divergence(
            "absent-is-not-scaled",
            "A scene whose gravity was not populated has 9.81 stage units along -Z, whatever the units and up axis.",
            Aspect.DEFAULT,
            (_MAGNITUDE,),
            unobservable="Population always writes both; only a stage that is populated by hand lacks them.",
            when=When.NEVER,
        ),
    ),
    is_type=True,
)  # fmt: skip

NEWTON_SCENE = Schema(
    "NewtonSceneAPI",
    "Switches gravity, beside settings of Newton's solvers.",
    ("PhysicsScene",),
    (Property(_ENABLED, "bool", True, "Whether there is gravity.", default=Plain(True)),),
    (
        Divergence(
            "gate-differs",
            "One engine reads it only where the schema is applied, the other only where it is not.",
            Aspect.INTERACTION,
            (_ENABLED,),
            side=Side.PARSER,
            when=When.AUTHORED,
            measured="PhysX takes it by its name, as documented, but not where the schema is applied (ovphysx 0.7.0), "
            "where its gravity is 9.81 m/s² in any case.",
        ),
    ),
    requires=("PhysicsScene",),
)


def _bound(name: str, fallback: int, default: int, meaning: str) -> Property:
    return Property(f"physxScene:{name}", "uint", fallback, meaning, default=Plain(default))


PHYSX_SCENE = Schema(
    "PhysxSceneAPI",
    "Tunes how PhysX simulates a scene; here are its attributes that change those of bodies and articulations.",
    ("PhysicsScene",),
    (
        _bound("minPositionIterationCount", 1, 0, "Least position iterations of any body or articulation."),
        _bound("maxPositionIterationCount", 255, 255, "Most position iterations; has the last word."),
        _bound("minVelocityIterationCount", 0, 0, "Least velocity iterations of any body or articulation."),
        _bound("maxVelocityIterationCount", 255, 255, "Most velocity iterations; has the last word."),
        Property("physxScene:enableStabilization", "bool", False, "Whether slow bodies in contact are slowed further.",
                 default=Plain(False)),
    ),
    (
        Statement("bounds-gated", "The bounds count only where the schema is applied to the scene.", Aspect.ABSENCE),
        Statement(
            "upper-bound-wins",
            "A lower bound above the upper one counts as the upper one.",
            Aspect.RANGE,
            ("physxScene:minPositionIterationCount", "physxScene:minVelocityIterationCount"),
        ),
        Divergence(
            "lower-bound-published",
            "Population publishes the fallback 1 of the least position iterations where a parser would take 0.",
            Aspect.DEFAULT,
            ("physxScene:minPositionIterationCount",),
            unobservable="Bodies have at least 1 position iteration in any case.",
            kind=Kind.NOTE,
            when=When.NEVER,
        ),
    ),
    requires=("PhysicsScene",),
)  # fmt: skip

STAGE_UNITS = Schema(
    STAGE,
    "Units and up axis: metadata of the root layer, which every default in stage units follows from.",
    ("/",),
    (
        Property("metersPerUnit", "double", 0.01, "Metres in a unit of length.", default=Plain(1.0)),
        Property("kilogramsPerUnit", "double", 1.0, "Kilograms in a unit of mass.", default=Plain(1.0)),
        Property("upAxis", "token", "Y", "Axis that points up.", default=Plain("Z")),
    ),
    (
        Statement(
            "unauthored-is-centimetres-y-up",
            "A stage that authors none is in centimetres and kilograms, with Y up.",
            Aspect.DEFAULT,
            ("metersPerUnit", "kilogramsPerUnit", "upAxis"),
        ),
        Statement(
            "never-converted",
            "What is authored is never converted: units change defaults only.",
            properties=("metersPerUnit", "kilogramsPerUnit"),
        ),
    ),
)
