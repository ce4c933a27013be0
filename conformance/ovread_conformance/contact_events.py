"""What contact events say: who touches whom since when, from which side, where, and with which impulse."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping

import attrs
import numpy as np
import numpy.typing as npt

from ovread_conformance.contacts import AT_REST, NEAR, SENSOR, compared
from ovread_conformance.oracles import Key
from ovread_conformance.recording import Recording
from ovread_conformance.standing import Standing
from ovread_conformance.verdicts import Verdict, Words

Array = npt.NDArray[np.float64]

FOUND, LOST, PERSISTS = range(3)
NO_INSTANCE = 0xFFFFFFFF


def contact_events(recording: Recording, only: Key | None = None) -> Iterator[Verdict]:
    """Hold the events of boxes at rest against statics, and the types of successive ticks against each other."""
    ticks = sorted({tick for tick, kind, name in recording.readings if name == "contactEventType"})
    for body in recording.system.bodies:
        if not body.senses or not ticks:
            continue
        standing = Standing(recording.system, body)
        events = _Events(recording, ticks[-1], standing)
        for name, hold in _HELD.items():
            if only in (None, (SENSOR, name)) and events.has(name):
                error, words = hold(events, standing.tolerance(recording, (SENSOR, name), AT_REST))
                yield Verdict(SENSOR, name, standing.path, words, f"at rest, tick {ticks[-1]}", error, 1.0)
        if only in (None, (SENSOR, "contactEventType")):
            for before, after in itertools.pairwise(ticks):
                if after == before + 1:
                    yield _succession(_Events(recording, before, standing), _Events(recording, after, standing))


@attrs.frozen(eq=False)
class _Events:
    """The events of one sensor at one tick."""

    recording: Recording
    tick: int
    standing: Standing

    def has(self, name: str) -> bool:
        """Whether an attribute was read."""
        return self.recording.of(self.tick, SENSOR, name, self.standing.path) is not None

    def values(self, name: str) -> Array:
        """Return what was read of ``contactEvent{name}``; nothing where it was not."""
        found = self.recording.of(self.tick, SENSOR, f"contactEvent{name}", self.standing.path)
        return np.zeros((0, 1)) if found is None else found.astype(float)

    def paths(self, name: str) -> tuple[str, ...]:
        """Return the paths that were read of it."""
        for reading in self.recording.find(self.tick, SENSOR, f"contactEvent{name}"):
            if self.standing.path in reading.paths and reading.names is not None:
                return reading.names[reading.paths.index(self.standing.path)]
        return ()

    @property
    def types(self) -> dict[tuple[str, str], int]:
        """The type of the event of each pair of colliders."""
        pairs = zip(self.paths("Collider"), self.paths("OtherCollider"), strict=True)
        return dict(zip(pairs, self.values("Type").ravel().astype(int).tolist(), strict=True))

    @property
    def signs(self) -> Array:
        """Of each event, 1 where the sensor is side 0 of the pair, -1 where it is side 1."""
        return np.where(self.values("SensorSide").ravel() == 0, 1.0, -1.0)

    def of_each(self, per_event: Array, counted: str) -> Array:
        """Repeat what is known of each event for each of its points or anchors."""
        counts = self.values(f"{counted}Count").ravel().astype(int)
        return np.repeat(per_event, np.maximum(counts, 0)) if len(counts) == len(per_event) else np.zeros(0)


def _succession(before: _Events, after: _Events) -> Verdict:
    """What touched persists or is lost, what did not is found."""
    words = "expected as many colliders as types"
    error = np.inf
    if all(len(events.paths("Collider")) == len(events.values("Type")) for events in (before, after)):
        touching = {pair for pair, kind in before.types.items() if kind != LOST}
        now = after.types
        wrong = [pair for pair, kind in now.items() if (kind == FOUND) == (pair in touching)]
        wrong += [pair for pair in touching if pair not in now]
        error = np.inf if wrong else 0.0
        words = f"expected events that follow from {before.types}, got {now}"
    return Verdict(SENSOR, "contactEventType", after.standing.path, words, f"tick {after.tick}", error, 1.0)


Hold = Callable[[_Events, float], tuple[float, str | Words]]


def _is(expected: object, got: object) -> tuple[float, str | Words]:
    return (0.0 if expected == got else np.inf), f"expected {expected}, got {got}"


def _all(name: str, value: int) -> Hold:
    def hold(events: _Events, tolerance: float) -> tuple[float, str | Words]:
        got = events.values(name).ravel().astype(int).tolist()
        return _is([value] * len(events.standing.others), got)

    return hold


def _colliders(events: _Events, tolerance: float) -> tuple[float, str | Words]:
    return _is((f"{events.standing.path}/shape_0",) * len(events.standing.others), events.paths("Collider"))


def _other_bodies(events: _Events, tolerance: float) -> tuple[float, str | Words]:
    return _is(sorted(events.standing.others), sorted(events.paths("OtherBody")))


def _other_colliders(events: _Events, tolerance: float) -> tuple[float, str | Words]:
    expected = [f"{path}/shape_0" if events.standing.is_body(path) else path for path in events.standing.others]
    return _is(sorted(expected), sorted(events.paths("OtherCollider")))


def _counts(counted: str) -> Hold:
    def hold(events: _Events, tolerance: float) -> tuple[float, str | Words]:
        got = events.values(f"{counted}Count").ravel().astype(int)
        expected = len(events.values(f"{counted}Position"))
        right = got.sum() == expected and (got > 0).all() and len(got) == len(events.standing.others)
        # Each event has the points of one face.
        faces = events.of_each(np.arange(len(got), dtype=float), counted)
        points = events.values(f"{counted}Position")
        if right and len(got) > 1:
            heights = points @ events.standing.up
            right = all(np.ptp(heights[faces == face]) < NEAR * events.standing.edge for face in range(len(got)))
        return (0.0 if right else np.inf), f"expected {expected} in all, those of one face in each event, got {got}"

    return hold


def _directions(events: _Events) -> Array:
    """Return, per event, the way to the sensor along its up: 1 from below, -1 from above."""
    return np.array([1.0 if events.standing.is_below(path) else -1.0 for path in events.paths("OtherBody")])


def _normals(events: _Events, tolerance: float) -> tuple[float, str | Words]:
    """Normals lead from side 1 of the pair to side 0."""
    ways = _directions(events)
    if len(ways) != len(events.signs):
        return np.inf, f"expected {len(ways)} sides, got {events.signs}"
    expected = np.outer(events.of_each(events.signs * ways, "Point"), events.standing.up)
    return compared(expected, events.values("PointNormal").reshape(-1, 3), 1.0, AT_REST)


def _impulses(counted: str, which: str) -> Hold:
    """Impulses on the sensor, in a step, are those of the force that holds it."""

    def hold(events: _Events, tolerance: float) -> tuple[float, str | Words]:
        got = events.values(f"{counted}Impulse").reshape(-1, 3)
        signs = events.of_each(events.signs, counted)
        if len(signs) != len(got):
            return np.inf, f"expected {len(signs)} impulses, got {got}"
        standing = events.standing
        expected = getattr(standing, which) * events.recording.dt
        return compared(expected, signs @ got, standing.size * events.recording.dt, tolerance)

    return hold


def _positions(name: str) -> Hold:
    def hold(events: _Events, tolerance: float) -> tuple[float, str | Words]:
        points = events.values(name).reshape(-1, 3)
        return events.standing.on_faces(points, events.recording, events.tick, NEAR)

    return hold


def _materials(name: str, collider: str) -> Hold:
    """Each collider has a material of its own, right below it."""

    def hold(events: _Events, tolerance: float) -> tuple[float, str | Words]:
        counts = events.values("PointCount").ravel().astype(int)
        pairs = zip(events.paths(collider), counts, strict=True)
        return _is(tuple(f"{path}/material" for path, count in pairs for _ in range(count)), events.paths(name))

    return hold


_HELD: Mapping[str, Hold] = {
    "contactEventType": _all("Type", PERSISTS),
    "contactEventSensorSide": _normals,
    "contactEventCollider": _colliders,
    "contactEventOtherBody": _other_bodies,
    "contactEventOtherCollider": _other_colliders,
    "contactEventProtoIndex": _all("ProtoIndex", NO_INSTANCE),
    "contactEventOtherProtoIndex": _all("OtherProtoIndex", NO_INSTANCE),
    "contactEventPointMaterial": _materials("PointMaterial", "Collider"),
    "contactEventPointOtherMaterial": _materials("PointOtherMaterial", "OtherCollider"),
    "contactEventPointCount": _counts("Point"),
    "contactEventAnchorCount": _counts("Anchor"),
    "contactEventPointPosition": _positions("PointPosition"),
    "contactEventPointNormal": _normals,
    "contactEventPointImpulse": _impulses("Point", "pushed"),
    "contactEventAnchorPosition": _positions("AnchorPosition"),
    "contactEventAnchorImpulse": _impulses("Anchor", "held"),
}
