"""Mutants: each way that backends have been wrong, as a change of what was read.

Which corruptions apply to a row follows from its catalogue entry, so a new row has its mutants without a word here. A
recording is corrupted and judged again; nothing is simulated for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import attrs
import numpy as np

from ovread import ObjectType
from ovread.catalogue import Attribute, Frame, Layout, Persistence, Point, Role
from ovread.units import Dimension
from ovread_conformance.corruptions import _changes, _joints
from ovread_conformance.corruptions._changes import Change, Replacement
from ovread_conformance.recording import DT, Reading, Recording

_DEGREE = np.pi / 180
_BODIES = (ObjectType.RIGID_BODY, ObjectType.ARTICULATION_LINK)
_LABELLED = (Role.GENERALIZED,)
_ALONE = (ObjectType.SCENE,)
"""Types of which each system has one object."""
_RAGGED = (Layout.PER_SHAPE, Layout.PER_DOF, Layout.ARRAY)
_DIRECTED = (Role.POINT, Role.VECTOR, Role.AXIAL_VECTOR)


@attrs.frozen
class Corruption:
    """One way to be wrong.

    Args:
        name: Short name.
        fault: What is wrong, one sentence.
        applies: Whether a row can be wrong in this way.
        change: Returns the wrong reading, or its wrong values.
        is_no_fault_unseen: Whether what it leaves as it was is right: a value that stands is never stale.
    """

    name: str
    fault: str
    applies: Callable[[Attribute], bool]
    change: Change | Replacement
    is_no_fault_unseen: bool = False

    def apply(self, recording: Recording, tick: int, reading: Reading) -> Reading:
        """Return the wrong reading."""
        changed = self.change(recording, tick, reading)
        if isinstance(changed, Reading):
            return changed
        return attrs.evolve(reading, values=np.asarray(changed, dtype=reading.values.dtype))

    def __reduce__(self) -> tuple[Any, ...]:
        """Be sent to another process by name."""
        return _called, (self.name,)


def _called(name: str) -> Corruption:
    return next(corruption for corruption in CORRUPTIONS if corruption.name == name)


def corruptions(row: Attribute) -> Iterator[Corruption]:
    """Return the ways in which a row can be wrong."""
    return (corruption for corruption in CORRUPTIONS if corruption.applies(row))


def _has(*roles: Role) -> Callable[[Attribute], bool]:
    return lambda row: row.role in roles


def _is_number(row: Attribute) -> bool:
    return row.role not in (Role.PATH, Role.HANDLE)


def _is_signed(row: Attribute) -> bool:
    signed = (Role.VECTOR, Role.AXIAL_VECTOR, Role.TWIST, Role.POINT, Role.GENERALIZED)
    return row.role in signed or (row.role is Role.COORDINATE and row.accepts.minimum is None)


def _is_in_degrees(row: Attribute) -> bool:
    return row.role is Role.COORDINATE and row.angular is not None and row.angular.angle != 0 and _unit(row) == "deg"


def _unit(row: Attribute) -> str:
    return row.angular.angle_unit if row.angular is not None else row.dimension.angle_unit


def _is_per_degree(row: Attribute) -> bool:
    return row.angular is not None and row.angular.angle < 0


def _scales(row: Attribute) -> bool:
    return row.dimension.length != 0 or row.dimension.mass != 0


def _has_length(row: Attribute) -> bool:
    return row.dimension.length != 0


def _is_force(row: Attribute) -> bool:
    force = Dimension(mass=1, length=1, time=-2)
    return row.dimension == force and row.persistence is Persistence.STATE


def _is_joint_force(row: Attribute) -> bool:
    return row.frame is Frame.JOINT and row.role is Role.TWIST


def _is_directed(row: Attribute) -> bool:
    return row.role in (Role.VECTOR, Role.AXIAL_VECTOR) and row.object_type in (*_BODIES, ObjectType.ARTICULATION)


def _can_be_elsewhere(row: Attribute) -> bool:
    return row.object_type in _BODIES and row.frame is Frame.WORLD and (
        (row.point is Point.ORIGIN and row.role in (Role.POINT, Role.POSE))
        or (row.point is Point.COM and row.name in ("linearVelocity", "body_qd"))
    )  # fmt: skip


CORRUPTIONS = (
    Corruption("zeros", "Zeros for values.", _is_number, _changes.scaled(0.0)),
    Corruption("sign", "The opposite sign.", _is_signed, _changes.scaled(-1.0)),
    Corruption("times-100", "A hundred times too large.", _scales, _changes.scaled(100.0)),
    Corruption("times-1000", "A thousand times too large.", _scales, _changes.scaled(1000.0)),
    Corruption("si-units", "Metres and kilograms, whatever the stage's units.", _scales, _changes.si),
    Corruption("per-cent", "One hundredth.", _has_length, _changes.scaled(0.01)),
    Corruption("z-up", "Turned to Z up where up is Y.",
               lambda row: row.frame is Frame.WORLD and row.role in _DIRECTED, _changes.z_up),
    Corruption("radians", "Radians for degrees.", _is_in_degrees, _joints.angular_part(_DEGREE)),
    Corruption("degrees-twice", "Degrees taken for radians once more.", _is_in_degrees,
               _joints.angular_part(1 / _DEGREE)),
    Corruption("per-radian", "Gains per radian.", _is_per_degree, _joints.angular_part(1 / _DEGREE)),
    Corruption("per-degree-twice", "Gains per degree, taken for per radian once more.", _is_per_degree,
               _joints.angular_part(_DEGREE)),
    Corruption("degrees", "Degrees for radians.",
               lambda row: row.role is Role.AXIAL_VECTOR and row.dimension.angle == 1, _changes.scaled(1 / _DEGREE)),
    Corruption("wxyz", "The real part first.", _has(Role.QUATERNION), _changes.rolled_lanes),
    Corruption("conjugate", "The inverse rotation.", _has(Role.QUATERNION), _changes.conjugated),
    Corruption("lanes", "Lanes in another order.",
               _has(Role.POINT, Role.VECTOR, Role.AXIAL_VECTOR, Role.TENSOR, Role.POSE, Role.TWIST),
               _changes.rolled_lanes),
    Corruption("in-body-axes", "World vectors in body axes.",
               lambda row: row.frame is Frame.WORLD and _is_directed(row), _changes.in_other_axes(lambda turn: turn.T)),
    Corruption("in-link-axes", "The joint's force in the axes of the link.", _is_joint_force, _joints.in_link_axes),
    Corruption("about-the-centre", "The joint's torque about the centre of mass.", _is_joint_force,
               _joints.about_the_centre),
    Corruption("successive-turns", "Coordinates of several axes are successive turns.",
               lambda row: row.name == "jointPosition", _joints.successive_turns),
    Corruption("inner-frame", "Rates of several axes in the inner link's joint frame.",
               lambda row: row.name == "jointVelocity", _joints.in_the_inner_frame),
    Corruption("with-friction", "The force along the normal with the friction in it.",
               lambda row: row.name in ("netNormalContactForce", "normalContactForceMatrix"), _changes.with_friction),
    Corruption("other-point", "The centre of mass for the origin, or the other way round.", _can_be_elsewhere,
               _changes.at_the_other_point),
    Corruption("principal", "Principal moments on the diagonal.", _has(Role.TENSOR),
               _changes.tensors(lambda moments, axes: np.diag(moments))),
    Corruption("turned-back", "Q^T diag Q for Q diag Q^T.", _has(Role.TENSOR),
               _changes.tensors(lambda moments, axes: axes.T @ np.diag(moments) @ axes)),
    Corruption("tensor-in-world", "The tensor in world axes.",
               lambda row: row.role is Role.TENSOR and row.object_type in _BODIES, _changes.tensors_in_world),
    Corruption("halves", "Linear and angular halves swapped.", _has(Role.TWIST), _changes.halves),
    Corruption("bounds", "Limits negated and swapped.", lambda row: row.accepts.is_ordered, _changes.swapped_bounds),
    Corruption("child-to-parent", "Joint signs from inner and outer link, not from body0 and body1.",
               lambda row: row.role is Role.COORDINATE and row.frame is Frame.JOINT and _is_signed(row),
               _joints.child_to_parent),
    Corruption("sentinel", "The engine's own number for unlimited.", lambda row: row.accepts.is_bound,
               _changes.leaked(1e10)),
    Corruption("infinite", "Infinity for unlimited.", lambda row: row.accepts.is_bound, _changes.leaked(np.inf)),
    Corruption("impulse", "An impulse for a force.", _is_force, _changes.scaled(DT)),
    Corruption("wrong-rows", "Values in another order than the paths.",
               lambda row: _is_number(row) and row.object_type not in _ALONE, _changes.rolled_rows),
    Corruption("backwards", "Values in the opposite order.",
               lambda row: _is_number(row) and row.object_type not in _ALONE, _changes.backwards),
    Corruption("stale", "Values of the tick before.",
               lambda row: row.persistence is Persistence.STATE and _is_number(row), _changes.stale,
               is_no_fault_unseen=True),
    Corruption("shifted-offsets", "Elements of the next prim.",
               lambda row: row.layout in _RAGGED and row.object_type not in _ALONE, _changes.shifted),
    Corruption("last-for-all", "The values of one prim for all.",
               lambda row: _is_number(row) and row.object_type not in _ALONE, _changes.last_for_all),
    Corruption("null", "No address.", _has(Role.HANDLE), lambda recording, tick, reading: 0 * reading.values),
    Corruption("own-path", "The path of the prim itself.", _has(Role.PATH), _changes.own_paths),
    Corruption("others-paths", "Paths of other prims.", _has(Role.PATH), _changes.others_paths),
    Corruption("other-columns", "Columns in another order than the labels.", _has(*_LABELLED), _changes.other_columns),
    Corruption("transposed", "The transposed matrix.",
               lambda row: row.name in ("jacobian", "centroidalMomentum"), _changes.transposed),
    Corruption("no-armature", "The mass matrix without the armature.", lambda row: row.name == "massMatrix",
               _changes.without_armature),
    Corruption("one-more", "One too many.", _has(Role.COUNT),
               lambda recording, tick, reading: _changes.numbers(reading) + 1),
    Corruption("inverted", "The opposite flag.", _has(Role.FLAG),
               lambda recording, tick, reading: 1 - _changes.numbers(reading)),
)  # fmt: skip
"""All of them; :func:`corruptions` tells which apply to a row."""
