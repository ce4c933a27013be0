"""What the backend says of writes, per attribute and per solver. Imports no engine."""

from __future__ import annotations

from collections.abc import Mapping

from ovread.backend import Key, WriteSupport, writes
from ovread.catalogue import ObjectType

_BODY = ObjectType.RIGID_BODY
_LINK = ObjectType.ARTICULATION_LINK
_JOINT = ObjectType.ARTICULATION_JOINT
_ARTICULATION = ObjectType.ARTICULATION
_SOFT = (ObjectType.DEFORMABLE_SURFACE, ObjectType.DEFORMABLE_VOLUME, ObjectType.PARTICLE_SET)

_ONE_STEP = "force wrench"
_TARGETS = "kinematicTargetPosition kinematicTargetOrientation"
_JOINT_STATE = "jointPosition jointVelocity jointPositionTarget jointVelocityTarget jointActuationForce"


def declare_writes() -> Mapping[Key, WriteSupport]:
    """Declare what can be written with every solver."""
    table: dict[Key, WriteSupport] = {}
    table |= writes(_BODY, f"position orientation linearVelocity angularVelocity {_TARGETS} {_ONE_STEP}")
    table |= writes(_LINK, _ONE_STEP)
    table |= writes(_ARTICULATION, "rootPosition rootOrientation rootLinearVelocity rootAngularVelocity")
    table |= writes(_JOINT, _JOINT_STATE)
    for object_type in _SOFT:
        table |= writes(object_type, "points velocities")
    return table


def declare_write_variant(name: str) -> Mapping[Key, WriteSupport]:
    """Declare what differs with one solver."""
    table: dict[Key, WriteSupport] = {}
    return table
