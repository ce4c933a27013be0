"""Mutants: each way that backends have been wrong, as a change of what was read.

Which corruptions apply to a row follows from its catalogue entry, so a new row has its mutants without a word here. A
recording is corrupted and judged again; nothing is simulated for it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt
import pinocchio as pin

from ovread import UNLIMITED, ObjectType
from ovread.catalogue import Attribute, Frame, Layout, Persistence, Point, Role
from ovread.units import Dimension
from ovread_conformance.recording import DT, Reading, Recording

Values = npt.NDArray[Any]
Change = Callable[[Recording, int, Reading], Values]
"""Returns the wrong values of a reading."""
Replacement = Callable[[Recording, int, Reading], Reading]
"""Returns the wrong reading."""

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


def _values(reading: Reading) -> Values:
    return reading.values.astype(float)


def _scaled(factor: float) -> Change:
    return lambda recording, tick, reading: _unless_unlimited(reading, _values(reading) * factor)


def _unless_unlimited(reading: Reading, changed: Values) -> Values:
    return np.where(np.abs(_values(reading)) < UNLIMITED, changed, _values(reading))


def _angular_part(factor: float) -> Change:
    """Scale rotational axes alone."""

    def change(recording: Recording, tick: int, reading: Reading) -> Values:
        changed = _values(reading)
        for path, part in zip(reading.paths, _parts(reading, changed), strict=True):
            joint = recording.system.joint_at(path)
            if joint is not None and not joint.is_linear:
                part *= np.where(np.abs(part) < UNLIMITED, factor, 1.0)
        return changed

    return change


def _parts(reading: Reading, values: Values) -> list[Values]:
    if reading.offsets is None:
        return list(values)
    return [values[start:end] for start, end in zip(reading.offsets[:-1], reading.offsets[1:], strict=True)]


def _rolled_lanes(recording: Recording, tick: int, reading: Reading) -> Values:
    return np.roll(_values(reading), 1, axis=1)


def _rolled_rows(recording: Recording, tick: int, reading: Reading) -> Values:
    return np.roll(_values(reading), 1, axis=0)


def _backwards(recording: Recording, tick: int, reading: Reading) -> Values:
    """Give each prim the elements of the prim at the other end, where they have as many; else all backwards."""
    return _values(reading)[::-1]


def _conjugate(recording: Recording, tick: int, reading: Reading) -> Values:
    return _values(reading) * [-1, -1, -1, 1]


def _context(recording: Recording, tick: int, reading: Reading, name: str) -> Values | None:
    """Return another attribute of the same objects, at the same tick."""
    found = [recording.of(tick, reading.row.object_type, name, path) for path in reading.paths]
    return None if any(each is None for each in found) else np.vstack([each for each in found if each is not None])


def _turns(recording: Recording, tick: int, reading: Reading) -> list[Values]:
    name = "rootOrientation" if reading.row.object_type is ObjectType.ARTICULATION else "orientation"
    quaternions = _context(recording, tick, reading, name)
    if quaternions is None:
        return [np.eye(3)] * len(reading.paths)
    return [pin.Quaternion(quaternion.astype(float)).normalized().toRotationMatrix() for quaternion in quaternions]


def _turned(which: Callable[[Values], Values]) -> Change:
    """Give vectors in other axes."""

    def change(recording: Recording, tick: int, reading: Reading) -> Values:
        changed = _values(reading)
        for value, turn in zip(changed, _turns(recording, tick, reading), strict=True):
            for half in range(0, len(value), 3):
                value[half : half + 3] = which(turn) @ value[half : half + 3]
        return changed

    return change


def _at_the_other_point(recording: Recording, tick: int, reading: Reading) -> Values:
    """Give the centre of mass for the origin, or the velocity of the origin for that of the centre of mass."""
    changed = _values(reading)
    centres = _context(recording, tick, reading, "centerOfMassPosition")
    spins = _context(recording, tick, reading, "angularVelocity")
    if centres is None:
        return changed
    levers = [turn @ centre for turn, centre in zip(_turns(recording, tick, reading), centres, strict=True)]
    if reading.row.point is Point.ORIGIN:
        changed[:, :3] += levers
    elif spins is not None:
        changed[:, :3] -= np.cross(spins, levers)
    return changed


def _tensors(which: Callable[[Values, Values], Values]) -> Change:
    """Rebuild tensors from their principal moments and axes."""

    def change(recording: Recording, tick: int, reading: Reading) -> Values:
        return np.array(
            [which(*np.linalg.eigh(tensor)).ravel() for tensor in _values(reading).reshape(-1, 3, 3)]
        ).reshape(-1, 9)

    return change


def _tensors_in_world(recording: Recording, tick: int, reading: Reading) -> Values:
    turned = [
        (turn @ tensor @ turn.T).ravel()
        for turn, tensor in zip(_turns(recording, tick, reading), _values(reading).reshape(-1, 3, 3), strict=True)
    ]
    return np.array(turned).reshape(-1, 9)


def _halves(recording: Recording, tick: int, reading: Reading) -> Values:
    half = reading.values.shape[1] // 2
    return np.roll(_values(reading), half, axis=1)


def _swapped_bounds(recording: Recording, tick: int, reading: Reading) -> Values:
    return _unless_unlimited(reading, -_values(reading)[:, ::-1])


def _child_to_parent(recording: Recording, tick: int, reading: Reading) -> Values:
    """Give the outer link relative to the inner, whichever is body0."""
    changed = _values(reading)
    for path, part in zip(reading.paths, _parts(reading, changed), strict=True):
        joint = recording.system.joint_at(path)
        if joint is not None and joint.is_swapped:
            part *= -1
    return changed


def _stale(recording: Recording, tick: int, reading: Reading) -> Reading:
    """Give what was read before, elements that were lost since included."""
    ticks = sorted({at for at, kind, name in recording.readings if (kind, name) == reading.row.key})
    before = ticks[max(ticks.index(tick) - 1, 0)]
    return next((other for other in recording.find(before, *reading.row.key) if other.paths == reading.paths), reading)


def _shifted(recording: Recording, tick: int, reading: Reading) -> Reading:
    """Let every prim but the last own the first element of the next."""
    assert reading.offsets is not None
    offsets = reading.offsets.copy()
    offsets[1:-1] = np.minimum(offsets[1:-1] + 1, offsets[-1])
    names = reading.names
    if names is not None:
        flat = [name for of in names for name in of]
        names = tuple(tuple(flat[start:end]) for start, end in itertools.pairwise(offsets))
    return attrs.evolve(reading, offsets=offsets, names=names)


def _own_paths(recording: Recording, tick: int, reading: Reading) -> Reading:
    """Give the path of the prim itself for each path."""
    assert reading.names is not None
    names = tuple((path,) * len(of) for path, of in zip(reading.paths, reading.names, strict=True))
    return attrs.evolve(reading, names=names)


def _others_paths(recording: Recording, tick: int, reading: Reading) -> Reading:
    """Give the paths of the prims in the opposite order."""
    assert reading.names is not None
    flat = [name for of in reading.names for name in of][::-1]
    ends = np.cumsum([0, *(len(of) for of in reading.names)])
    names = tuple(tuple(flat[start:end]) for start, end in itertools.pairwise(ends))
    return attrs.evolve(reading, names=names)


def _last_for_all(recording: Recording, tick: int, reading: Reading) -> Values:
    """Give every prim, or each of their elements, the values of the last."""
    changed = _values(reading)
    changed[:] = changed[-1:]
    return changed


def _leaked(sentinel: float) -> Change:
    def change(recording: Recording, tick: int, reading: Reading) -> Values:
        values = _values(reading)
        return np.where(np.abs(values) >= UNLIMITED, np.copysign(sentinel, values), values)

    return change


def _si(recording: Recording, tick: int, reading: Reading) -> Values:
    dimension, units = reading.row.dimension, recording.units
    factor = units.meters_per_unit**dimension.length * units.kilograms_per_unit**dimension.mass
    return _unless_unlimited(reading, _values(reading) * factor)


def _z_up(recording: Recording, tick: int, reading: Reading) -> Values:
    """Turn to Z up where up is Y."""
    changed = _values(reading)
    if recording.units.up_axis == "Y":
        changed[:, :3] = changed[:, :3] @ pin.AngleAxis(np.pi / 2, np.array([1.0, 0, 0])).matrix().T
    return changed


def _other_columns(recording: Recording, tick: int, reading: Reading) -> Values:
    """Give columns in another order than the labels say."""
    assert reading.labels is not None
    columns = len(reading.labels[0].columns)
    return np.roll(_values(reading).reshape(len(reading.paths), -1, columns), 1, axis=2).reshape(reading.values.shape)


def _transposed(recording: Recording, tick: int, reading: Reading) -> Values:
    assert reading.labels is not None
    rows, columns = len(reading.labels[0].rows), len(reading.labels[0].columns)
    whole = _values(reading).reshape(len(reading.paths), rows, columns)
    return whole.transpose(0, 2, 1).reshape(reading.values.shape)


def _without_armature(recording: Recording, tick: int, reading: Reading) -> Values:
    assert reading.labels is not None
    changed = _values(reading)
    for value, labels in zip(changed, reading.labels, strict=True):
        for at, label in enumerate(labels.columns):
            joint = recording.system.joint_at(label.rpartition(":")[0])
            if joint is not None:
                value[at * (len(labels.columns) + 1)] -= joint.armature
    return changed


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


def _is_directed(row: Attribute) -> bool:
    return row.role in (Role.VECTOR, Role.AXIAL_VECTOR) and row.object_type in (*_BODIES, ObjectType.ARTICULATION)


def _can_be_elsewhere(row: Attribute) -> bool:
    return row.object_type in _BODIES and row.frame is Frame.WORLD and (
        (row.point is Point.ORIGIN and row.role in (Role.POINT, Role.POSE))
        or (row.point is Point.COM and row.name in ("linearVelocity", "body_qd"))
    )  # fmt: skip


CORRUPTIONS = (
    Corruption("zeros", "Zeros for values.", _is_number, _scaled(0.0)),
    Corruption("sign", "The opposite sign.", _is_signed, _scaled(-1.0)),
    Corruption("times-100", "A hundred times too large.", _scales, _scaled(100.0)),
    Corruption("times-1000", "A thousand times too large.", _scales, _scaled(1000.0)),
    Corruption("si-units", "Metres and kilograms, whatever the stage's units.", _scales, _si),
    Corruption("per-cent", "One hundredth.", _has_length, _scaled(0.01)),
    Corruption("z-up", "Turned to Z up where up is Y.",
               lambda row: row.frame is Frame.WORLD and row.role in _DIRECTED, _z_up),
    Corruption("radians", "Radians for degrees.", _is_in_degrees, _angular_part(_DEGREE)),
    Corruption("degrees-twice", "Degrees taken for radians once more.", _is_in_degrees, _angular_part(1 / _DEGREE)),
    Corruption("per-radian", "Gains per radian.", _is_per_degree, _angular_part(1 / _DEGREE)),
    Corruption("per-degree-twice", "Gains per degree, taken for per radian once more.", _is_per_degree,
               _angular_part(_DEGREE)),
    Corruption("degrees", "Degrees for radians.",
               lambda row: row.role is Role.AXIAL_VECTOR and row.dimension.angle == 1, _scaled(1 / _DEGREE)),
    Corruption("wxyz", "The real part first.", _has(Role.QUATERNION), _rolled_lanes),
    Corruption("conjugate", "The inverse rotation.", _has(Role.QUATERNION), _conjugate),
    Corruption("lanes", "Lanes in another order.",
               _has(Role.POINT, Role.VECTOR, Role.AXIAL_VECTOR, Role.TENSOR, Role.POSE, Role.TWIST), _rolled_lanes),
    Corruption("in-body-axes", "World vectors in body axes.",
               lambda row: row.frame is Frame.WORLD and _is_directed(row), _turned(lambda turn: turn.T)),
    Corruption("in-link-axes", "The joint's force in world axes.",
               lambda row: row.frame is Frame.JOINT and row.role is Role.TWIST, _turned(lambda turn: turn)),
    Corruption("other-point", "The centre of mass for the origin, or the other way round.", _can_be_elsewhere,
               _at_the_other_point),
    Corruption("principal", "Principal moments on the diagonal.", _has(Role.TENSOR),
               _tensors(lambda moments, axes: np.diag(moments))),
    Corruption("turned-back", "Q^T diag Q for Q diag Q^T.", _has(Role.TENSOR),
               _tensors(lambda moments, axes: axes.T @ np.diag(moments) @ axes)),
    Corruption("tensor-in-world", "The tensor in world axes.",
               lambda row: row.role is Role.TENSOR and row.object_type in _BODIES, _tensors_in_world),
    Corruption("halves", "Linear and angular halves swapped.", _has(Role.TWIST), _halves),
    Corruption("bounds", "Limits negated and swapped.", lambda row: row.accepts.is_ordered, _swapped_bounds),
    Corruption("child-to-parent", "Joint signs from inner and outer link, not from body0 and body1.",
               lambda row: row.role is Role.COORDINATE and row.frame is Frame.JOINT and _is_signed(row),
               _child_to_parent),
    Corruption("sentinel", "The engine's own number for unlimited.", lambda row: row.accepts.is_bound, _leaked(1e10)),
    Corruption("infinite", "Infinity for unlimited.", lambda row: row.accepts.is_bound, _leaked(np.inf)),
    Corruption("impulse", "An impulse for a force.", _is_force, _scaled(DT)),
    Corruption("wrong-rows", "Values in another order than the paths.",
               lambda row: _is_number(row) and row.object_type not in _ALONE, _rolled_rows),
    Corruption("backwards", "Values in the opposite order.",
               lambda row: _is_number(row) and row.object_type not in _ALONE, _backwards),
    Corruption("stale", "Values of the tick before.",
               lambda row: row.persistence is Persistence.STATE and _is_number(row), _stale, is_no_fault_unseen=True),
    Corruption("shifted-offsets", "Elements of the next prim.",
               lambda row: row.layout in _RAGGED and row.object_type not in _ALONE, _shifted),
    Corruption("last-for-all", "The values of one prim for all.",
               lambda row: _is_number(row) and row.object_type not in _ALONE, _last_for_all),
    Corruption("null", "No address.", _has(Role.HANDLE), lambda recording, tick, reading: 0 * reading.values),
    Corruption("own-path", "The path of the prim itself.", _has(Role.PATH), _own_paths),
    Corruption("others-paths", "Paths of other prims.", _has(Role.PATH), _others_paths),
    Corruption("other-columns", "Columns in another order than the labels.", _has(*_LABELLED), _other_columns),
    Corruption("transposed", "The transposed matrix.",
               lambda row: row.name in ("jacobian", "centroidalMomentum"), _transposed),
    Corruption("no-armature", "The mass matrix without the armature.", lambda row: row.name == "massMatrix",
               _without_armature),
    Corruption("one-more", "One too many.", _has(Role.COUNT), lambda recording, tick, reading: _values(reading) + 1),
    Corruption("inverted", "The opposite flag.", _has(Role.FLAG),
               lambda recording, tick, reading: 1 - _values(reading)),
)  # fmt: skip
"""All of them; :func:`corruptions` tells which apply to a row."""
