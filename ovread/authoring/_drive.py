"""PhysicsDriveAPI and PhysicsLimitAPI."""

from __future__ import annotations

import math

from ovread import units
from ovread.authoring._contract import INSTANCE, Aspect, Divergence, Property, Schema, Side, Statement, When
from ovread.backend import Plain
from ovread.units import DEGREES, DEGREES_PER_SECOND, FORCE, LENGTH, TORQUE, VELOCITY, Dimension

_DRIVE = f"drive:{INSTANCE}:physics:"
_LIMIT = f"limit:{INSTANCE}:physics:"
_AXES = ("transX", "transY", "transZ", "rotX", "rotY", "rotZ")
FLT_MAX = 3.4028234663852886e38

_PER_LENGTH = Dimension(mass=1, time=-2)
_PER_DEGREE = Dimension(mass=1, length=2, time=-2, angle=-1, angle_unit="deg")
_PER_VELOCITY = Dimension(mass=1, time=-1)
_PER_RATE = Dimension(mass=1, length=2, time=-1, angle=-1, angle_unit="deg")

DRIVE = Schema(
    "PhysicsDriveAPI",
    "Drives an axis of a joint towards a position and a velocity.",
    ("PhysicsJoint",),
    (
        Property(f"{_DRIVE}type", "token", "force", "Whether gains give a force or an acceleration.", units.NONE,
                 default=Plain("force")),
        Property(f"{_DRIVE}targetPosition", "float", 0.0, "Position to reach.", LENGTH, DEGREES, default=Plain(0.0)),
        Property(f"{_DRIVE}targetVelocity", "float", 0.0, "Velocity to reach.", VELOCITY, DEGREES_PER_SECOND,
                 default=Plain(0.0)),
        Property(f"{_DRIVE}stiffness", "float", 0.0, "Force per distance to the target position.", _PER_LENGTH,
                 _PER_DEGREE, default=Plain(0.0)),
        Property(f"{_DRIVE}damping", "float", 0.0, "Force per difference to the target velocity.", _PER_VELOCITY,
                 _PER_RATE, default=Plain(0.0)),
        Property(f"{_DRIVE}maxForce", "float", math.inf, "Largest force of the drive.", FORCE, TORQUE,
                 default=Plain(FLT_MAX)),
    ),
    (
        Statement(
            "driven-by-presence",
            "A joint has a drive where the schema is applied for its axis; there is no other switch.",
            Aspect.ABSENCE,
        ),
        Statement(
            "instance-of-the-joint",
            "A hinge has the instance angular, a slider linear; others are ignored on it.",
            Aspect.INTERACTION,
        ),
        Statement(
            "gains-per-degree",
            "Gains of rotational axes are per degree, targets in degrees.",
            properties=(f"{_DRIVE}stiffness", f"{_DRIVE}damping", f"{_DRIVE}targetPosition",
                        f"{_DRIVE}targetVelocity"),
        ),
        Statement(
            "unlimited-force",
            "Not authored, or infinite, the force of a drive is not limited.",
            Aspect.DEFAULT,
            (f"{_DRIVE}maxForce",),
        ),
    ),
    instances=("linear", "angular", *_AXES, "distance"),
)  # fmt: skip

LIMIT = Schema(
    "PhysicsLimitAPI",
    "Limits an axis of a D6 joint.",
    ("PhysicsJoint",),
    (
        Property(f"{_LIMIT}low", "float", -math.inf, "Lower bound; above the upper one the axis is locked.", LENGTH,
                 DEGREES, default=Plain(0.0)),
        Property(f"{_LIMIT}high", "float", math.inf, "Upper bound.", LENGTH, DEGREES, default=Plain(0.0)),
    ),
    (
        Statement("free-without-it", "An axis of a D6 joint without the schema is free.", Aspect.ABSENCE),
        Divergence(
            "absent-bounds-lock",
            "Where the schema is applied and the bounds were not populated, a parser takes 0 for both, which locks the "
            "axis; population writes infinite ones, which leave it free.",
            Aspect.DEFAULT,
            (f"{_LIMIT}low", f"{_LIMIT}high"),
            unobservable="Population always writes the bounds; only a stage that is populated by hand lacks them.",
            side=Side.PARSER,
            when=When.NEVER,
        ),
    ),
    instances=(*_AXES, "distance"),
)  # fmt: skip
