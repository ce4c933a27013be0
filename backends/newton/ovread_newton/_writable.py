"""What the backend says of writes, per attribute and per solver. Imports no engine."""

from __future__ import annotations

from collections.abc import Mapping

from ovread.backend import Key, WriteSupport, writes
from ovread.catalogue import ObjectType, Writability

_BODY = ObjectType.RIGID_BODY
_LINK = ObjectType.ARTICULATION_LINK
_JOINT = ObjectType.ARTICULATION_JOINT
_ARTICULATION = ObjectType.ARTICULATION
_SCENE = ObjectType.SCENE
_FIXED_TENDON = ObjectType.FIXED_TENDON
_SPATIAL_TENDON = ObjectType.SPATIAL_TENDON
_SOFT = (ObjectType.DEFORMABLE_SURFACE, ObjectType.DEFORMABLE_VOLUME, ObjectType.PARTICLE_SET)

_ONE_STEP = "force wrench"
_TARGETS = "kinematicTargetPosition kinematicTargetOrientation"
_JOINT_STATE = "jointPosition jointVelocity jointPositionTarget jointVelocityTarget jointActuationForce"
_MASS = "mass inertia centerOfMassPosition centerOfMassOrientation"
_MARGINS = "contactOffset restOffset"
_GAINS = "jointStiffness jointDamping"

_SETTLED = (
    "Which parts of a joint there are is settled when the kamino solver is made: a change that adds or removes one is "
    "refused."
)
_CONDITIONS: Mapping[tuple[ObjectType, ...], Mapping[str, str]] = {
    (_BODY, _LINK): {
        _MARGINS: "All solvers but mujoco obey.",
        "restitution": "The steel, xpbd and kamino solvers obey.",
        "disableGravity": (
            "The mujoco solver obeys, where some body of the stage is left out of gravity: MuJoCo settles when it is "
            "made whether it compensates gravity at all."
        ),
    },
    (_JOINT,): {
        _GAINS: (
            "All solvers that move bodies obey, on ball joints the mujoco solver alone; with kamino an axis needs an "
            "authored drive."
        ),
        "jointLimit": (
            "All solvers that move bodies obey, but not for ball joints; with kamino, and with mujoco on a GPU, an "
            "axis needs authored limits."
        ),
        "jointMaxVelocity": "The steel solver obeys, but not for ball joints.",
        "jointMaxForce": "The mujoco, steel and kamino solvers obey, but not for ball joints.",
        "jointArmature": "The mujoco, steel, featherstone and kamino solvers obey.",
        "jointFriction": "The mujoco and kamino solvers obey; with kamino an axis needs an authored friction.",
        "jointViscousFriction": "The mujoco, steel, featherstone, semi_implicit and kamino solvers obey.",
    },
    (_FIXED_TENDON,): {
        "tendonStiffness tendonDamping tendonLimit tendonRestLength": "The mujoco solver obeys.",
    },
    (_SPATIAL_TENDON,): {"tendonStiffness tendonDamping": "The mujoco solver obeys."},
}
"""What some solvers obey, or some objects, and who."""

_IGNORED: Mapping[str, Mapping[tuple[ObjectType, ...], str]] = {
    "mujoco": {
        (_BODY, _LINK): f"{_MARGINS} restitution",
        (_JOINT,): "jointMaxVelocity",
    },
    "steel": {(_JOINT,): "jointFriction"},
    "xpbd": {(_JOINT,): "jointMaxVelocity jointMaxForce jointArmature jointFriction jointViscousFriction"},
    "featherstone": {
        (_BODY, _LINK): "restitution",
        (_JOINT,): "jointMaxVelocity jointMaxForce jointFriction",
    },
    "semi_implicit": {
        (_BODY, _LINK): "restitution",
        (_JOINT,): "jointMaxVelocity jointMaxForce jointArmature jointFriction",
    },
    "vbd": {
        (_BODY, _LINK): "restitution",
        (_JOINT,): "jointMaxVelocity jointMaxForce jointArmature jointFriction jointViscousFriction",
    },
    "kamino": {(_JOINT,): "jointMaxVelocity"},
}
"""What solvers do not read, so that a write would be forgotten."""


def declare_writes() -> Mapping[Key, WriteSupport]:
    """Declare what can be written with every solver."""
    table: dict[Key, WriteSupport] = {}
    table |= writes(_BODY, f"position orientation linearVelocity angularVelocity {_TARGETS} {_ONE_STEP}")
    table |= writes(_LINK, _ONE_STEP)
    table |= writes(_ARTICULATION, "rootPosition rootOrientation rootLinearVelocity rootAngularVelocity")
    table |= writes(_JOINT, _JOINT_STATE)
    for object_type in _SOFT:
        table |= writes(object_type, "points velocities")
    table |= writes(_BODY, f"{_MASS} friction")
    table |= writes(_LINK, f"{_MASS} friction")
    table |= writes(_SCENE, "gravity")
    for types, conditions in _CONDITIONS.items():
        for object_type in types:
            for names, condition in conditions.items():
                table |= writes(object_type, names, Writability.CONDITIONAL, condition)
    return table


def declare_write_variant(name: str) -> Mapping[Key, WriteSupport]:
    """Declare what differs with one solver."""
    table: dict[Key, WriteSupport] = {}
    for types, names in _IGNORED.get(name, {}).items():
        for object_type in types:
            for attribute in names.split():
                table |= writes(
                    object_type, attribute, Writability.UNCLASSIFIED, _why_ignored(name, object_type, attribute)
                )
    return table


def _why_ignored(name: str, object_type: ObjectType, attribute: str) -> str:
    found = declare_writes()[object_type, attribute]
    return f"The {name} solver ignores it. {found.reason}"
