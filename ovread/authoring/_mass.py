"""PhysicsMassAPI."""

from __future__ import annotations

import math

from ovread.authoring._contract import Aspect, Property, Schema, Statement
from ovread.backend import Physical, Plain
from ovread.units import INERTIA, LENGTH, MASS, Dimension

_DENSITY = Dimension(mass=1, length=-3)
_NAMES = tuple(f"physics:{name}" for name in ("mass", "density", "centerOfMass", "diagonalInertia", "principalAxes"))

MASS_PROPERTIES = Schema(
    "PhysicsMassAPI",
    "Gives mass properties of a body, or of a collider.",
    ("Xformable",),
    (
        Property(
            _NAMES[0],
            "float",
            0.0,
            "Mass.",
            MASS,
            default=Plain(-1.0),
            unset=0.0,
            unset_text="computed from the volumes and densities of the colliders",
        ),
        Property(
            _NAMES[1],
            "float",
            0.0,
            "Density of the colliders; mass has precedence.",
            _DENSITY,
            default=Plain(-1.0),
            unset=0.0,
            unset_text="that of the bound material, else 1000 kg/m³ in stage units",
        ),
        Property(
            _NAMES[2],
            "point3f",
            (-math.inf, -math.inf, -math.inf),
            "Centre of mass in the prim's space; its components are multiplied by the prim's scale in the world.",
            LENGTH,
            unset=(-math.inf, -math.inf, -math.inf),
            unset_text="computed from the colliders",
        ),
        Property(
            _NAMES[3],
            "float3",
            (0.0, 0.0, 0.0),
            "Principal moments of inertia about the centre of mass.",
            INERTIA,
            unset=(0.0, 0.0, 0.0),
            unset_text="computed from the colliders",
        ),
        Property(
            _NAMES[4],
            "quatf",
            (0.0, 0.0, 0.0, 0.0),
            "Turns the principal axes into those of the prim.",
            default=Plain((0.0, 0.0, 0.0, 1.0)),
            unset=(0.0, 0.0, 0.0, 0.0),
            unset_text="the axes of the prim",
        ),
    ),
    (
        Statement(
            "fallbacks-mean-unset",
            "The fallbacks stand for none: what is not authored is computed from the colliders.",
            Aspect.DEFAULT,
            _NAMES,
        ),
        Statement(
            "default-density",
            "Without any density, colliders have 1000 kg/m³ in stage units.",
            Aspect.DEFAULT,
            (_NAMES[1],),
        ),
        Statement(
            "center-is-scaled",
            "An authored centre of mass is multiplied by the scale of the prim, and not turned.",
            properties=(_NAMES[2],),
        ),
        Statement(
            "density-of-a-collider",
            "On a collider the density is that of the collider, and has precedence over the body's.",
            Aspect.INTERACTION,
            (_NAMES[1],),
        ),
    ),
    derived=(("default density", Physical(1000.0, _DENSITY)),),
)
