"""PhysxJointAxisAPI and NewtonJointAPI, which say the same of a joint's axes."""

from __future__ import annotations

import math

from ovread.authoring._contract import INSTANCE, Aspect, Divergence, Kind, Property, Schema, Side, Statement, When
from ovread.authoring._drive import FLT_MAX
from ovread.backend import Plain
from ovread.units import DEGREES_PER_SECOND, FORCE, INERTIA, MASS, TORQUE, VELOCITY, Dimension

_AXIS = f"physxJointAxis:{INSTANCE}:"
_PER_LENGTH = Dimension(mass=1, time=-2)
_PER_DEGREE = Dimension(mass=1, length=2, time=-2, angle=-1, angle_unit="deg")
_PER_VELOCITY = Dimension(mass=1, time=-1)
_PER_RATE = Dimension(mass=1, length=2, time=-1, angle=-1, angle_unit="deg")
_FRICTIONS = (f"{_AXIS}staticFrictionEffort", f"{_AXIS}dynamicFrictionEffort")
_ZERO_ABLE = (f"{_AXIS}armature", *_FRICTIONS, f"{_AXIS}viscousFrictionCoefficient")

JOINT_AXIS = Schema(
    "PhysxJointAxisAPI",
    "Gives inertia, frictions and the largest velocity of an axis of a joint in an articulation.",
    ("PhysicsJoint",),
    (
        Property(f"{_AXIS}armature", "float", 0.0, "Inertia of what turns with the motor.", MASS, INERTIA,
                 default=Plain(0.0)),
        Property(f"{_AXIS}maxJointVelocity", "float", math.inf, "Velocity that the axis never exceeds.", VELOCITY,
                 DEGREES_PER_SECOND, published=Plain(FLT_MAX), default=Plain(FLT_MAX)),
        Property(_FRICTIONS[0], "float", 0.0, "Friction that holds the axis at rest.", FORCE, TORQUE,
                 default=Plain(0.0)),
        Property(_FRICTIONS[1], "float", 0.0, "Friction against motion.", FORCE, TORQUE, default=Plain(0.0)),
        Property(f"{_AXIS}viscousFrictionCoefficient", "float", 0.0, "Friction per velocity.", _PER_VELOCITY, _PER_RATE,
                 default=Plain(0.0)),
    ),
    (
        Statement("gated-by-schema", "Its attributes count only where the schema is applied for the axis.",
                  Aspect.ABSENCE),
        Statement(
            "positive-displaces-newton",
            "A positive value has precedence over what NewtonJointAPI gives all axes; so has a finite velocity.",
            Aspect.INTERACTION,
            tuple(prop for prop in (*_ZERO_ABLE, f"{_AXIS}maxJointVelocity")),
        ),
        Statement(
            "frictions-go-together",
            "If one of the two frictions is positive, both come from this schema.",
            Aspect.INTERACTION,
            _FRICTIONS,
        ),
        Statement(
            "articulations-only",
            "On a joint outside an articulation it has no effect.",
            Aspect.INTERACTION,
        ),
        Divergence(
            "zero-cannot-clear",
            "An authored 0, and an infinite velocity, cannot be told from the fallback, and so cannot clear what "
            "NewtonJointAPI gives.",
            Aspect.RANGE,
            (*_ZERO_ABLE, f"{_AXIS}maxJointVelocity"),
            kind=Kind.FRAGILE,
            when=When.FALLBACK,
            needs=("NewtonJointAPI",),
        ),
    ),
    instances=("linear", "angular", "rotX", "rotY", "rotZ"),
)  # fmt: skip

NEWTON_JOINT = Schema(
    "NewtonJointAPI",
    "Gives inertia, frictions and the largest velocity of all axes of a joint, and the spring of its limits.",
    ("PhysicsJoint",),
    (
        Property("newton:armature", "float", 0.0, "Inertia of what turns with the motor.", MASS, INERTIA,
                 default=Plain(0.0)),
        Property("newton:damping", "float", 0.0, "Friction per velocity.", _PER_VELOCITY, _PER_RATE,
                 default=Plain(0.0)),
        Property("newton:friction", "float", 0.0, "Friction at rest and against motion.", FORCE, TORQUE,
                 default=Plain(0.0)),
        Property("newton:velocityLimit", "float", math.inf, "Velocity that the axes never exceed.", VELOCITY,
                 DEGREES_PER_SECOND, default=Plain(FLT_MAX)),
        Property("newton:limitStiffness", "float", -math.inf, "Force per distance beyond a limit.", _PER_LENGTH,
                 _PER_DEGREE, unset=-math.inf, unset_text="the engine's own stiffness"),
        Property("newton:limitDamping", "float", -math.inf, "Force per velocity beyond a limit.", _PER_VELOCITY,
                 _PER_RATE, unset=-math.inf, unset_text="the engine's own damping"),
    ),
    (
        Statement("read-by-name", "Its attributes count by their names, also where the schema is not applied.",
                  Aspect.ABSENCE),
        Statement(
            "seeds-every-axis",
            "Friction is that of rest and of motion, damping the viscous friction, of each axis of the joint.",
            properties=("newton:friction", "newton:damping"),
        ),
        Divergence(
            "who-wins",
            "Where PhysxJointAxisAPI is applied too and both are authored, an engine that reads both takes the axis's "
            "value if it is positive; one that is made for this schema takes this.",
            Aspect.INTERACTION,
            ("newton:armature", "newton:damping", "newton:friction", "newton:velocityLimit"),
            side=Side.PARSER,
            kind=Kind.FRAGILE,
            when=When.AUTHORED,
            needs=("PhysxJointAxisAPI",),
        ),
    ),
)  # fmt: skip
