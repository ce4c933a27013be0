"""What the backend says of writes of properties, per attribute and per solver. Imports no engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ovread.backend import Key, WriteSupport, writes
from ovread.catalogue import ObjectType, Writability
from ovread_newton._solvers import SOLVERS, why_not_moved

_BODIES = (ObjectType.RIGID_BODY, ObjectType.ARTICULATION_LINK)
_JOINT = ObjectType.ARTICULATION_JOINT
_FIXED_TENDON, _SPATIAL_TENDON = ObjectType.FIXED_TENDON, ObjectType.SPATIAL_TENDON

_PLAIN: tuple[tuple[Sequence[ObjectType], str], ...] = (
    (_BODIES, "mass inertia centerOfMassPosition centerOfMassOrientation friction"),
    ((ObjectType.SCENE,), "gravity"),
)
"""What every solver obeys that moves bodies."""

_TENDONS = "The mujoco solver obeys."
_CONDITIONAL: tuple[tuple[Sequence[ObjectType], str, str], ...] = (
    (_BODIES, "contactOffset restOffset", "All solvers but mujoco obey."),
    (_BODIES, "restitution", "The steel, xpbd and kamino solvers obey."),
    (
        _BODIES,
        "disableGravity",
        "The mujoco solver obeys; of an attached model, where it was made with some mujoco.gravcomp.",
    ),
    (
        (_JOINT,),
        "jointStiffness jointDamping",
        "All solvers that move bodies obey, on ball joints the mujoco solver alone; with kamino an axis needs an "
        "authored drive.",
    ),
    (
        (_JOINT,),
        "jointLimit",
        "All solvers that move bodies obey, but not for ball joints; with kamino, and with mujoco on a GPU, an axis "
        "needs authored limits.",
    ),
    ((_JOINT,), "jointMaxVelocity", "The steel solver obeys, but not for ball joints."),
    (
        (_JOINT,),
        "jointMaxForce",
        "The mujoco, steel and kamino solvers obey, but not for ball joints; with kamino where one is authored.",
    ),
    (
        (_JOINT,),
        "jointArmature",
        "The mujoco, steel, featherstone and kamino solvers obey, kamino not for ball joints, and not where the axis "
        "has neither an unbounded drive, armature nor viscous friction.",
    ),
    (
        (_JOINT,),
        "jointFriction",
        "The mujoco and kamino solvers obey, kamino not for ball joints, and where a friction is authored.",
    ),
    (
        (_JOINT,),
        "jointViscousFriction",
        "The mujoco, steel, featherstone, semi_implicit and kamino solvers obey, kamino not for ball joints, and not "
        "where the axis has neither an unbounded drive, armature nor viscous friction.",
    ),
    ((_FIXED_TENDON, _SPATIAL_TENDON), "tendonStiffness tendonDamping", _TENDONS),
    ((_FIXED_TENDON,), "tendonLimit tendonRestLength", _TENDONS),
)
"""What some solvers obey, or some objects, and who."""

_NO_DRIVE_TYPES = "Newton's drives are of type force alone; one whose gains are zero is none."

_WEIGHT = "disableGravity"
_BOUNDS = "jointMaxVelocity jointMaxForce"
_IGNORED: Mapping[str, str] = {
    "mujoco": "contactOffset restOffset restitution jointMaxVelocity",
    "steel": f"{_WEIGHT} jointFriction",
    "xpbd": f"{_WEIGHT} {_BOUNDS} jointArmature jointFriction jointViscousFriction",
    "featherstone": f"{_WEIGHT} restitution {_BOUNDS} jointFriction",
    "semi_implicit": f"{_WEIGHT} restitution {_BOUNDS} jointArmature jointFriction",
    "vbd": f"{_WEIGHT} restitution {_BOUNDS} jointArmature jointFriction jointViscousFriction",
    "kamino": f"{_WEIGHT} jointMaxVelocity",
}
"""What solvers do not read, so that a write would be forgotten."""


def declare_property_writes() -> Mapping[Key, WriteSupport]:
    """Declare what can be written with every solver, and under which condition."""
    table: dict[Key, WriteSupport] = {}
    for types, names in _PLAIN:
        for object_type in types:
            table |= writes(object_type, names)
    for types, names, condition in _CONDITIONAL:
        for object_type in types:
            table |= writes(object_type, names, Writability.CONDITIONAL, condition)
    table |= writes(_JOINT, "jointDriveType", Writability.UNCLASSIFIED, _NO_DRIVE_TYPES)
    return table


def declare_property_variant(name: str) -> Mapping[Key, WriteSupport]:
    """Declare what one solver does not look at."""
    ignored = _IGNORED.get(name, "").split()
    is_still = not SOLVERS[name].moves_bodies
    table: dict[Key, WriteSupport] = {}
    for key, declared in declare_property_writes().items():
        object_type, attribute = key
        if is_still and object_type in (*_BODIES, _JOINT):
            table[key] = WriteSupport(Writability.UNCLASSIFIED, why_not_moved(name, "bodies"))
        elif attribute in ignored or (name != "mujoco" and object_type in (_FIXED_TENDON, _SPATIAL_TENDON)):
            table[key] = WriteSupport(Writability.UNCLASSIFIED, f"The {name} solver ignores it. {declared.reason}")
    return table
