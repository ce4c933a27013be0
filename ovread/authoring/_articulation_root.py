"""NewtonArticulationRootAPI."""

from __future__ import annotations

from ovread.authoring._contract import Aspect, Divergence, Kind, Property, Schema, Side, Statement, When
from ovread.backend import Plain

_SELF_COLLISION = "newton:selfCollisionEnabled"

ARTICULATION_ROOT = Schema(
    "NewtonArticulationRootAPI",
    "Marks the root of an articulation, and says whether its links collide.",
    ("Xformable", "PhysicsJoint"),
    (
        Property(
            _SELF_COLLISION,
            "bool",
            True,
            "Whether links of the articulation that no joint connects collide with each other.",
            default=Plain(True),
        ),
    ),
    (
        Statement("off", "Where it is false, links pass through each other.", properties=(_SELF_COLLISION,)),
        Statement(
            "read-by-name",
            "It counts by its name on any prim with an articulation root, also where this schema is not applied.",
            Aspect.ABSENCE,
            (_SELF_COLLISION,),
        ),
        Divergence(
            "who-wins",
            "Where both are authored and differ, an engine that has its own self-collision attribute takes that one, "
            "and one that has not takes this.",
            Aspect.INTERACTION,
            (_SELF_COLLISION,),
            side=Side.PARSER,
            kind=Kind.FRAGILE,
            when=When.AUTHORED,
            needs=("PhysxArticulationAPI",),
        ),
    ),
    includes=("PhysicsArticulationRootAPI",),
)
