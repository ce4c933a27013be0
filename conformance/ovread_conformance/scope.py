"""Which attributes get no evidence, and why: what the suite's scenes do not have, and what no value can be held to."""

from __future__ import annotations

from ovread import ObjectType
from ovread.catalogue import Attribute, Role

TYPES = (
    ObjectType.RIGID_BODY,
    ObjectType.ARTICULATION_LINK,
    ObjectType.ARTICULATION_JOINT,
    ObjectType.ARTICULATION,
    ObjectType.CONTACT_SENSOR,
    ObjectType.SCENE,
)
"""What the suite's scenes have."""
_INSTANCES = (
    "positions", "orientations", "velocities", "angularVelocities", "accelerations", "angularAccelerations",
)  # fmt: skip


def outside(row: Attribute) -> str:
    """Return why nothing is said of an attribute; nothing where something must be."""
    if row.role is Role.HANDLE:
        return "It means something to one engine in one process only."
    if row.object_type not in TYPES:
        return f"No scene of the suite has a {row.object_type.name}."
    if row.object_type is ObjectType.RIGID_BODY and row.name in _INSTANCES:
        return "No scene of the suite has a point instancer."
    return ""
