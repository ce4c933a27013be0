"""Wrong readings: what a corruption makes of a right one."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt
import pinocchio as pin

from ovread import UNLIMITED, ObjectType
from ovread.catalogue import Point
from ovread_conformance.recording import Reading, Recording

Values = npt.NDArray[Any]
Change = Callable[[Recording, int, Reading], Values]
"""Returns the wrong values of a reading."""
Replacement = Callable[[Recording, int, Reading], Reading]
"""Returns the wrong reading."""


def numbers(reading: Reading) -> Values:
    return reading.values.astype(float)


def scaled(factor: float) -> Change:
    return lambda recording, tick, reading: unless_unlimited(reading, numbers(reading) * factor)


def unless_unlimited(reading: Reading, changed: Values) -> Values:
    return np.where(np.abs(numbers(reading)) < UNLIMITED, changed, numbers(reading))


def parts_of(reading: Reading, values: Values) -> list[Values]:
    if reading.offsets is None:
        return list(values)
    return [values[start:end] for start, end in zip(reading.offsets[:-1], reading.offsets[1:], strict=True)]


def rolled_lanes(recording: Recording, tick: int, reading: Reading) -> Values:
    return np.roll(numbers(reading), 1, axis=1)


def rolled_rows(recording: Recording, tick: int, reading: Reading) -> Values:
    return np.roll(numbers(reading), 1, axis=0)


def backwards(recording: Recording, tick: int, reading: Reading) -> Values:
    """Give each prim the elements of the prim at the other end, where they have as many; else all backwards."""
    return numbers(reading)[::-1]


def conjugated(recording: Recording, tick: int, reading: Reading) -> Values:
    return numbers(reading) * [-1, -1, -1, 1]


def beside(recording: Recording, tick: int, reading: Reading, name: str) -> Values | None:
    """Return another attribute of the same objects, at the same tick."""
    found = [recording.of(tick, reading.row.object_type, name, path) for path in reading.paths]
    return None if any(each is None for each in found) else np.vstack([each for each in found if each is not None])


def turns_of(recording: Recording, tick: int, reading: Reading) -> list[Values]:
    name = "rootOrientation" if reading.row.object_type is ObjectType.ARTICULATION else "orientation"
    quaternions = beside(recording, tick, reading, name)
    if quaternions is None:
        return [np.eye(3)] * len(reading.paths)
    return [pin.Quaternion(quaternion.astype(float)).normalized().toRotationMatrix() for quaternion in quaternions]


def in_other_axes(which: Callable[[Values], Values]) -> Change:
    """Give vectors in other axes."""

    def change(recording: Recording, tick: int, reading: Reading) -> Values:
        changed = numbers(reading)
        for value, turn in zip(changed, turns_of(recording, tick, reading), strict=True):
            for half in range(0, len(value), 3):
                value[half : half + 3] = which(turn) @ value[half : half + 3]
        return changed

    return change


def at_the_other_point(recording: Recording, tick: int, reading: Reading) -> Values:
    """Give the centre of mass for the origin, or the velocity of the origin for that of the centre of mass."""
    changed = numbers(reading)
    centres = beside(recording, tick, reading, "centerOfMassPosition")
    spins = beside(recording, tick, reading, "angularVelocity")
    if centres is None:
        return changed
    levers = [turn @ centre for turn, centre in zip(turns_of(recording, tick, reading), centres, strict=True)]
    if reading.row.point is Point.ORIGIN:
        changed[:, :3] += levers
    elif spins is not None:
        changed[:, :3] -= np.cross(spins, levers)
    return changed


def tensors(which: Callable[[Values, Values], Values]) -> Change:
    """Rebuild tensors from their principal moments and axes."""

    def change(recording: Recording, tick: int, reading: Reading) -> Values:
        return np.array(
            [which(*np.linalg.eigh(tensor)).ravel() for tensor in numbers(reading).reshape(-1, 3, 3)]
        ).reshape(-1, 9)

    return change


def tensors_in_world(recording: Recording, tick: int, reading: Reading) -> Values:
    turned = [
        (turn @ tensor @ turn.T).ravel()
        for turn, tensor in zip(turns_of(recording, tick, reading), numbers(reading).reshape(-1, 3, 3), strict=True)
    ]
    return np.array(turned).reshape(-1, 9)


def halves(recording: Recording, tick: int, reading: Reading) -> Values:
    half = reading.values.shape[1] // 2
    return np.roll(numbers(reading), half, axis=1)


def swapped_bounds(recording: Recording, tick: int, reading: Reading) -> Values:
    return unless_unlimited(reading, -numbers(reading)[:, ::-1])


def stale(recording: Recording, tick: int, reading: Reading) -> Reading:
    """Give what was read before, elements that were lost since included."""
    ticks = sorted({at for at, kind, name in recording.readings if (kind, name) == reading.row.key})
    before = ticks[max(ticks.index(tick) - 1, 0)]
    return next((other for other in recording.find(before, *reading.row.key) if other.paths == reading.paths), reading)


def shifted(recording: Recording, tick: int, reading: Reading) -> Reading:
    """Let every prim but the last own the first element of the next."""
    assert reading.offsets is not None
    offsets = reading.offsets.copy()
    offsets[1:-1] = np.minimum(offsets[1:-1] + 1, offsets[-1])
    names = reading.names
    if names is not None:
        flat = [name for of in names for name in of]
        names = tuple(tuple(flat[start:end]) for start, end in itertools.pairwise(offsets))
    return attrs.evolve(reading, offsets=offsets, names=names)


def own_paths(recording: Recording, tick: int, reading: Reading) -> Reading:
    """Give the path of the prim itself for each path."""
    assert reading.names is not None
    names = tuple((path,) * len(of) for path, of in zip(reading.paths, reading.names, strict=True))
    return attrs.evolve(reading, names=names)


def others_paths(recording: Recording, tick: int, reading: Reading) -> Reading:
    """Give the paths of the prims in the opposite order."""
    assert reading.names is not None
    flat = [name for of in reading.names for name in of][::-1]
    ends = np.cumsum([0, *(len(of) for of in reading.names)])
    names = tuple(tuple(flat[start:end]) for start, end in itertools.pairwise(ends))
    return attrs.evolve(reading, names=names)


def last_for_all(recording: Recording, tick: int, reading: Reading) -> Values:
    """Give every prim, or each of their elements, the values of the last."""
    changed = numbers(reading)
    changed[:] = changed[-1:]
    return changed


def leaked(sentinel: float) -> Change:
    def change(recording: Recording, tick: int, reading: Reading) -> Values:
        values = numbers(reading)
        return np.where(np.abs(values) >= UNLIMITED, np.copysign(sentinel, values), values)

    return change


def si(recording: Recording, tick: int, reading: Reading) -> Values:
    dimension, units = reading.row.dimension, recording.units
    factor = units.meters_per_unit**dimension.length * units.kilograms_per_unit**dimension.mass
    return unless_unlimited(reading, numbers(reading) * factor)


def z_up(recording: Recording, tick: int, reading: Reading) -> Values:
    """Turn to Z up where up is Y."""
    changed = numbers(reading)
    if recording.units.up_axis == "Y":
        changed[:, :3] = changed[:, :3] @ pin.AngleAxis(np.pi / 2, np.array([1.0, 0, 0])).matrix().T
    return changed


def other_columns(recording: Recording, tick: int, reading: Reading) -> Values:
    """Give columns in another order than the labels say."""
    assert reading.labels is not None
    columns = len(reading.labels[0].columns)
    return np.roll(numbers(reading).reshape(len(reading.paths), -1, columns), 1, axis=2).reshape(reading.values.shape)


def transposed(recording: Recording, tick: int, reading: Reading) -> Values:
    assert reading.labels is not None
    rows, columns = len(reading.labels[0].rows), len(reading.labels[0].columns)
    whole = numbers(reading).reshape(len(reading.paths), rows, columns)
    return whole.transpose(0, 2, 1).reshape(reading.values.shape)


def with_friction(recording: Recording, tick: int, reading: Reading) -> Values:
    """Add the friction to the force along the normal."""
    name = {
        "netNormalContactForce": "netFrictionContactForce",
        "normalContactForceMatrix": "frictionContactForceMatrix",
    }
    friction = beside(recording, tick, reading, name[reading.row.name])
    return numbers(reading) if friction is None else numbers(reading) + friction


def without_armature(recording: Recording, tick: int, reading: Reading) -> Values:
    assert reading.labels is not None
    changed = numbers(reading)
    for value, labels in zip(changed, reading.labels, strict=True):
        for at, label in enumerate(labels.columns):
            joint = recording.system.joint_at(label.rpartition(":")[0])
            if joint is not None:
                value[at * (len(labels.columns) + 1)] -= joint.armature
    return changed
