"""What the backend says of writes, per attribute and per solver. Imports no engine."""

from __future__ import annotations

from collections.abc import Mapping

from ovread.backend import Key, WriteSupport, writes
from ovread.catalogue import ObjectType, Persistence, Writability, attribute
from ovread_newton._solvers import SOLVERS, why_not_moved
from ovread_newton._writable_properties import declare_property_variant, declare_property_writes

_BODY = ObjectType.RIGID_BODY
_LINK = ObjectType.ARTICULATION_LINK
_JOINT = ObjectType.ARTICULATION_JOINT
_ARTICULATION = ObjectType.ARTICULATION
_SOFT = (ObjectType.DEFORMABLE_SURFACE, ObjectType.DEFORMABLE_VOLUME, ObjectType.PARTICLE_SET)

_POSE = "position orientation"
_VELOCITY = "linearVelocity angularVelocity"
_TARGETS = "kinematicTargetPosition kinematicTargetOrientation"
_ONE_STEP = "force wrench"
_JOINT_TARGETS = "jointPositionTarget jointVelocityTarget"

_UNHELD = (
    "Bodies that no joint holds; with the solvers that move bodies, not joints (xpbd, semi_implicit, vbd, kamino), "
    "also others."
)
_STATE: Mapping[tuple[ObjectType, str], str] = {
    (_BODY, _POSE): _UNHELD,
    (_BODY, _VELOCITY): f"{_UNHELD} Not kinematic bodies, which their targets move.",
    (_BODY, _TARGETS): "Kinematic bodies of a simulation that ovread steps.",
    (_ARTICULATION, "rootPosition rootOrientation"): (
        "Roots that float or are fixed to the world; with the vbd solver those that float."
    ),
    (_ARTICULATION, "rootLinearVelocity rootAngularVelocity"): "Roots that float and are not kinematic.",
    (_JOINT, "jointPositionTarget"): "Ball joints with the mujoco, semi_implicit and kamino solvers; other joints.",
    (_JOINT, "jointVelocityTarget"): "Joints that rotate about one axis at most.",
    (_JOINT, "jointActuationForce"): (
        "All joints; in a simulation that the caller steps those that rotate about one axis at most."
    ),
}
"""Which objects can be written: the condition of each."""

_NO_COMMAND = "Newton has no such command: a sleeping body wakes when its state is written, or a force on it."
_PUSHED = "Not kinematic bodies, which no force moves, and not in a simulation that the caller steps."

_APPROXIMATE: Mapping[str, Mapping[str, str]] = {
    "xpbd": {
        _JOINT_TARGETS: (
            "The xpbd solver corrects positions towards a target, with another strength than the gains say: joints "
            "come near it with steps of 1/1000 s, and swing past it with steps of 1/100 s."
        ),
        "jointActuationForce": (
            "The xpbd solver lets one joint obey to about a hundredth; along a chain its iterations do not converge, "
            "and links take accelerations that differ from those of a tree of rigid joints by as much as they have."
        ),
    },
    "semi_implicit": {
        f"{_JOINT_TARGETS} jointActuationForce": (
            "The semi_implicit solver holds joints together by springs, so that for the first steps the inner link "
            "yields to the effort, and is stable with steps of 1/2000 s."
        ),
    },
    "vbd": {
        f"{_JOINT_TARGETS} jointActuationForce": (
            "The vbd solver holds joints together by springs, so that for the first steps the inner link yields to "
            "the effort, and the joint accelerates by up to twice as much."
        ),
    },
}
"""What solvers obey, but not to the letter."""


def declare_writes() -> Mapping[Key, WriteSupport]:
    """Declare what can be written with every solver."""
    table: dict[Key, WriteSupport] = {}
    for (object_type, names), condition in _STATE.items():
        table |= writes(object_type, names, Writability.CONDITIONAL, condition)
    table |= writes(_BODY, "wake", Writability.UNCLASSIFIED, _NO_COMMAND)
    for object_type in (_BODY, _LINK):
        table |= writes(object_type, _ONE_STEP, Writability.WRITE_ONLY, _PUSHED)
    table |= writes(_JOINT, "jointPosition jointVelocity")
    for object_type in _SOFT:
        table |= writes(object_type, "points velocities")
    return {**table, **declare_property_writes()}


def declare_write_variant(name: str) -> Mapping[Key, WriteSupport]:
    """Declare what differs with one solver."""
    table: dict[Key, WriteSupport] = {}
    for names, reason in _APPROXIMATE.get(name, {}).items():
        table |= writes(_JOINT, names, Writability.CONDITIONAL, reason)
    kind = SOLVERS[name]
    if not kind.moves_bodies:
        table |= _withdrawn((_BODY, _LINK, _JOINT, _ARTICULATION), why_not_moved(name, "bodies"))
    if not kind.moves_particles:
        table |= _withdrawn(_SOFT, why_not_moved(name, "particles"))
    return {**table, **declare_property_variant(name)}


def _withdrawn(types: tuple[ObjectType, ...], reason: str) -> Mapping[Key, WriteSupport]:
    """Refuse state, targets and forces, which nothing would come of."""
    return {
        key: WriteSupport(Writability.UNCLASSIFIED, reason)
        for key in declare_writes()
        if key[0] in types and attribute(*key).persistence is not Persistence.PROPERTY
    }
