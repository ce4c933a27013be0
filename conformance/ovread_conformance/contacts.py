"""What contact sensors read of boxes at rest: their weight, and the friction that holds them on a leaning floor."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from ovread import ObjectType
from ovread_conformance.oracles import Key
from ovread_conformance.recording import Reading, Recording
from ovread_conformance.standing import Standing
from ovread_conformance.verdicts import Verdict, Words

Array = npt.NDArray[np.float64]

SENSOR = ObjectType.CONTACT_SENSOR
AT_REST = 2e-2
"""Relative tolerance of forces on a body that has come to rest, as engines that iterate hold it."""
NEAR = 0.02
"""How far a contact point may be from where the surfaces touch, as a part of the box."""
SLOWED = 5e-2
"""Relative tolerance of forces from how velocities change in a step, in which a box that lands turns too."""
APART = 4e-4
"""How far a separation may be from the gap between the surfaces, as a part of the box: boxes tilt as they land."""


def contacts(recording: Recording, only: Key | None = None) -> Iterator[Verdict]:
    """Hold the last readings of the sensors against statics, and separations against the gap below the box."""
    ticks = sorted({tick for tick, kind, _ in recording.readings if kind is SENSOR})
    for body in recording.system.bodies:
        if not body.senses or not ticks:
            continue
        standing = Standing(recording.system, body)
        for name, hold in _HELD.items():
            if only in (None, (SENSOR, name)):
                yield from _at_rest(recording, ticks[-1], name, hold, standing)
        for names in _FAMILIES:
            for tick in ticks:
                yield from _as_many(recording, tick, names, standing.path, only)
        for name in ("netFrictionContactForce", "frictionContactForceMatrix"):
            if only in (None, (SENSOR, name)) and standing.lands:
                yield from _slowed(recording, ticks, name, standing)
        for name in _SEPARATIONS:
            if only in (None, (SENSOR, name)) and standing.lands:
                yield from _fell(recording, ticks, name, standing)


Hold = Callable[[Reading, Standing, Recording, int, float], tuple[float, str | Words]]
"""Returns the error as a part of what is tolerated, and words; takes the tolerance of forces."""


def _at_rest(recording: Recording, tick: int, name: str, hold: Hold, standing: Standing) -> Iterator[Verdict]:
    tolerance = standing.tolerance(recording, (SENSOR, name), AT_REST)
    for reading in recording.find(tick, SENSOR, name):
        if standing.path in reading.paths:
            error, words = hold(reading, standing, recording, tick, tolerance)
            yield Verdict(SENSOR, name, standing.path, words, f"at rest, tick {tick}", error, 1.0)


def compared(expected: Array, got: Array, scale: float, tolerance: float) -> tuple[float, str | Words]:
    """Return the difference as a part of what is tolerated, and words."""
    error = (
        float(np.abs(expected - got).max(initial=0)) / (scale * tolerance) if expected.shape == got.shape else np.inf
    )
    return error, Words("expected {}, got {}", (expected, got))


def _net(which: str) -> Hold:
    def hold(
        reading: Reading, standing: Standing, recording: Recording, tick: int, tolerance: float
    ) -> tuple[float, str | Words]:
        got = reading.of(standing.path).reshape(-1, 3).astype(float).sum(axis=0)
        return compared(getattr(standing, which), got, standing.size, tolerance)

    return hold


def _sum_of_points(
    reading: Reading, standing: Standing, recording: Recording, tick: int, tolerance: float
) -> tuple[float, str | Words]:
    """Force times normal, over all points, is what the box is pushed with."""
    name = reading.row.name.replace("Force", "Normal")
    normals, got = recording.of(tick, SENSOR, name, standing.path), reading.of(standing.path).astype(float)
    if normals is None or len(normals) != len(got):
        return np.inf, f"expected as many {name}, got {got}"
    pushed = standing.pushed if reading.row.name.startswith("raw") else standing.pushed_by_scenery
    return compared(pushed, (got * normals).sum(axis=0), standing.size, tolerance)


def _sum_of_friction(
    reading: Reading, standing: Standing, recording: Recording, tick: int, tolerance: float
) -> tuple[float, str | Words]:
    """Friction forces of all points hold the box."""
    got = reading.of(standing.path).astype(float)
    return compared(standing.held_by_scenery, got.sum(axis=0), standing.size, tolerance)


def _normals(
    reading: Reading, standing: Standing, recording: Recording, tick: int, tolerance: float
) -> tuple[float, str | Words]:
    """Normals are perpendicular to the faces; with positive forces they lead to the box from below."""
    name = reading.row.name.replace("Normal", "Force")
    forces = recording.of(tick, SENSOR, name, standing.path)
    points = recording.of(tick, SENSOR, reading.row.name.replace("Normal", "Point"), standing.path)
    got = reading.of(standing.path).astype(float)
    if points is None or len(points) != len(got) or (forces is not None and len(forces) != len(got)):
        return np.inf, f"expected as many points, got {got}"
    # Without forces, whose sign tells to which side a normal leads, its direction is not held.
    signs = np.ones((len(got), 1)) if forces is None else np.sign(forces.astype(float))
    leading = signs * got
    below = standing.below(points, recording, tick)
    expected = np.where(signs != 0, below * standing.up, leading)
    if forces is None:
        leading *= np.sign((leading * expected).sum(axis=1, keepdims=True))
    return compared(expected, leading, 1.0, AT_REST)


def _points(
    reading: Reading, standing: Standing, recording: Recording, tick: int, tolerance: float
) -> tuple[float, str | Words]:
    """Points lie on the faces of the box, and as far apart as its edges."""
    points = reading.of(standing.path).astype(float)
    is_filtered = reading.row.name.startswith("filtered")
    return standing.on_faces(points, recording, tick, NEAR, by_scenery=is_filtered)


def _counted(of: str) -> Hold:
    def hold(
        reading: Reading, standing: Standing, recording: Recording, tick: int, tolerance: float
    ) -> tuple[float, str | Words]:
        points = recording.of(tick, SENSOR, of, standing.path)
        got = reading.of(standing.path).ravel().astype(float)
        count = 0 if points is None else len(points)
        return (0.0 if got.sum() == count else np.inf), f"expected {count} points, got {got}"

    return hold


def _others(
    reading: Reading, standing: Standing, recording: Recording, tick: int, tolerance: float
) -> tuple[float, str | Words]:
    names = reading.names[reading.paths.index(standing.path)] if reading.names is not None else ()
    return (0.0 if set(names) == standing.others else np.inf), f"expected {sorted(standing.others)}, got {names}"


def _slowed(recording: Recording, ticks: Sequence[int], name: str, standing: Standing) -> Iterator[Verdict]:
    """Hold friction against how the box slows down across the normal, in each step."""
    body = standing.body
    for before, after in itertools.pairwise(ticks):
        velocities = [
            recording.of(tick, ObjectType.RIGID_BODY, "linearVelocity", standing.path) for tick in (before, after)
        ]
        got = recording.of(after, SENSOR, name, standing.path)
        if after != before + 1 or got is None or any(velocity is None for velocity in velocities):
            continue
        start, end = (np.asarray(velocity, float).ravel() for velocity in velocities)
        force = body.mass * ((end - start) / recording.dt - np.array(recording.system.gravity))
        expected = force - standing.up * (force @ standing.up)
        size = max(standing.size, float(np.abs(force).max()))
        error, words = compared(expected, got.reshape(-1, 3).sum(axis=0), size, SLOWED)
        yield Verdict(SENSOR, name, standing.path, words, f"tick {after}", error, 1.0)


def _fell(recording: Recording, ticks: Sequence[int], name: str, standing: Standing) -> Iterator[Verdict]:
    """Hold separations against the gap below the box at the start of the step: contacts are found before bodies move.

    What comes after the first touch is not held: the box tilts as it lands.
    """
    for before, after in itertools.pairwise(ticks):
        gap = standing.gap(recording, before)
        got = recording.of(after, SENSOR, name, standing.path)
        if after != before + 1 or got is None or gap is None or not standing.falls(recording, before):
            continue
        words = f"expected separations of {gap:g}, got {got.ravel()}"
        error = float(np.abs(got - gap).max(initial=0.0)) / (APART * standing.edge)
        yield Verdict(SENSOR, name, standing.path, words, f"tick {after}", error, 1.0)


def _as_many(recording: Recording, tick: int, names: Sequence[str], path: str, only: Key | None) -> Iterator[Verdict]:
    """Whatever is told of each contact is told of as many: their count where there is one."""
    counts = {}
    for name in names:
        got = recording.of(tick, SENSOR, name, path)
        if got is not None:
            counts[name] = int(got.sum()) if name.endswith("Count") else len(got)
    for name, count in counts.items():
        if only in (None, (SENSOR, name)):
            error = 0.0 if len(set(counts.values())) == 1 else np.inf
            words = f"expected as many of each, got {count} {name} of {counts}"
            yield Verdict(SENSOR, name, path, words, f"contacts, tick {tick}", error, 0.0)


_FAMILIES = (
    tuple(f"rawContact{part}" for part in ("Force", "Point", "Normal", "Separation", "OtherBody")),
    tuple(f"filteredContact{part}" for part in ("Count", "Force", "Point", "Normal", "Separation")),
    ("filteredFrictionCount", "filteredFrictionForce", "filteredFrictionPoint"),
    tuple(
        f"contactEvent{part}"
        for part in (
            "Type", "SensorSide", "Collider", "OtherBody", "OtherCollider", "ProtoIndex", "OtherProtoIndex",
        )
    ),
    tuple(
        f"contactEvent{part}"
        for part in (
            "PointCount", "PointPosition", "PointNormal", "PointImpulse", "PointSeparation", "PointFaceIndex",
            "PointOtherFaceIndex", "PointMaterial", "PointOtherMaterial",
        )
    ),
    ("contactEventAnchorCount", "contactEventAnchorPosition", "contactEventAnchorImpulse"),
)  # fmt: skip
"""Attributes that have one element for each contact, point, event or anchor."""


_SEPARATIONS = ("rawContactSeparation", "filteredContactSeparation", "contactEventPointSeparation")

_HELD: Mapping[str, Hold] = {
    "netNormalContactForce": _net("pushed"),
    "netFrictionContactForce": _net("held"),
    "normalContactForceMatrix": _net("pushed_by_scenery"),
    "frictionContactForceMatrix": _net("held_by_scenery"),
    "rawContactForce": _sum_of_points,
    "filteredContactForce": _sum_of_points,
    "filteredFrictionForce": _sum_of_friction,
    "rawContactNormal": _normals,
    "filteredContactNormal": _normals,
    "rawContactPoint": _points,
    "filteredContactPoint": _points,
    "filteredFrictionPoint": _points,
    "filteredContactCount": _counted("filteredContactPoint"),
    "filteredFrictionCount": _counted("filteredFrictionPoint"),
    "rawContactOtherBody": _others,
}
