"""Readings of one moment agree with each other, and those of successive moments with the rates between them.

Joint coordinates, rates and the root's pose and velocity say where every link is, how it moves, and what the matrices
are: Pinocchio computes that from the recorded joint state, at each tick. A value that is late contradicts the others.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator

import attrs
import numpy as np
import numpy.typing as npt
import pinocchio as pin

from ovread import ObjectType, catalogue
from ovread.catalogue import Role
from ovread_conformance.oracles import (
    ARTICULATION,
    AUTHORED,
    BODY,
    JOINT,
    LINK,
    STEPPED,
    Key,
    Oracle,
    free_accelerations,
)
from ovread_conformance.recording import STATE, Recording
from ovread_conformance.systems import Body, Joint, Robot, System
from ovread_conformance.verdicts import Small, Verdict, Words

Array = npt.NDArray[np.float64]

AGREES = 5e-3
"""Relative tolerance of values of one moment: engines that solve for bodies let joints come slightly apart."""
OF_A_STEP = 0.1
"""How far a difference over a step may be from the rate times the step, as a part of it."""

_DERIVED = (
    "position", "orientation", "linearVelocity", "angularVelocity", "body_q", "body_qd", "centerOfMassWorld",
    "centerOfMassLocal", "massMatrix", "jacobian", "gravityForce", "coriolisForce", "centroidalMomentum",
)  # fmt: skip
_OF_RATES = ("linearVelocity", "angularVelocity", "body_qd", "coriolisForce", "joint_qd")
_NATIVE = ("joint_q", "joint_qd")
_OF_STEPS = ("linearAcceleration", "angularAcceleration", "linkIncomingJointForce", "jointProjectedForce")


def consistency(recording: Recording, only: Key | None = None) -> Iterator[Verdict]:
    """Hold the values of each tick after the first against its joint state, and successive ticks against the rates."""
    ticks = recording.ticks
    if recording.system.articulations:
        for tick in ticks[1:]:
            yield from _held(recording, tick, tick, (*_DERIVED, *_NATIVE), AGREES, only)
            yield from _held(recording, tick - 1, tick, _OF_STEPS, STEPPED, only)
    yield from _handles(recording, only)
    yield from _said_twice(recording, only)
    yield from _roots(recording, only)
    for body in recording.system.bodies:
        for before, after in dict.fromkeys(((ticks[-1] - 1, ticks[-1]), *itertools.pairwise(ticks))):
            if after == before + 1 and not body.is_kinematic:
                yield from _accelerated(recording, before, after, body, only)
    for before, after in () if recording.system.scenery else itertools.pairwise(ticks):
        if after == before + 1:
            yield from _moved(recording, before, after, only)


def _handles(recording: Recording, only: Key | None) -> Iterator[Verdict]:
    """Addresses are none, or those of as many objects."""
    for (tick, kind, name), readings in recording.readings.items():
        for reading in readings:
            if reading.row.role is not Role.HANDLE or only not in (None, (kind, name)):
                continue
            values = reading.values.ravel().tolist()
            right = all(values) and len(set(values)) == len(values)
            words = f"expected {len(values)} addresses, got {values}"
            yield Verdict(kind, name, "objects", words, f"addresses, tick {tick}", 0.0 if right else np.inf, 0.0)


def as_recorded(recording: Recording, tick: int) -> System | None:
    """Return the system in the state that was recorded; None where that lacks something."""
    robots = [_as_recorded(recording, robot, tick) for robot in recording.system.articulations]
    if any(robot is None for robot in robots):
        return None
    return attrs.evolve(recording.system, robots=tuple(robot for robot in robots if robot is not None))


def _as_recorded(recording: Recording, robot: Robot, tick: int) -> Robot | None:
    system = recording.system
    joints = []
    for joint in robot.joints:
        state = [
            recording.of(tick, JOINT, name, system.joint_path(robot, joint))
            for name in ("jointPosition", "jointVelocity")
        ]
        if joint.axes and any(values is None for values in state):
            return None
        position, velocity = (() if values is None else tuple(values.ravel().tolist()) for values in state)
        joints.append(attrs.evolve(joint, position=position, velocity=velocity) if joint.axes else joint)
    links = robot.links
    if not robot.is_fixed:
        names = ("rootPosition", "rootOrientation", "rootLinearVelocity", "rootAngularVelocity")
        path = system.articulation_path(robot)
        root = [recording.of(tick, ARTICULATION, name, path) for name in names]
        found = [values.ravel().astype(float) for values in root if values is not None]
        if len(found) != len(names):
            return None
        pose = pin.SE3(pin.Quaternion(found[1]).normalized().toRotationMatrix(), found[0])
        moving = attrs.evolve(robot.root, pose=pose, velocity=tuple(found[2]), spin=tuple(np.degrees(found[3])))
        links = tuple(moving if link is robot.root else link for link in links)
    return attrs.evolve(robot, joints=tuple(joints), links=links)


def _held(
    recording: Recording, state: int, tick: int, names: tuple[str, ...], exact: float, only: Key | None
) -> Iterator[Verdict]:
    """Give verdicts on what follows from a joint state; about the state itself, on what is wrong if it is."""
    state_is_asked = only is not None and only[1] in STATE
    keys = [(kind, name) for kind in (LINK, ARTICULATION, JOINT) for name in names]
    asked = [key for key in keys if only in (None, key) or state_is_asked]
    if not asked:
        return
    # Corrupting what is no state leaves what follows from the state as it was.
    oracle = _oracle_at(recording if only is None or state_is_asked else recording.source, state)
    if oracle is None:
        return
    for key in asked:
        # What follows from approximate coordinates or rates is no more exact.
        of = "jointVelocity" if key[1] in _OF_RATES else "jointPosition"
        tolerance = recording.tolerance((JOINT, of), exact)
        yield from oracle.at_tick(recording, tick, key, tolerance)


@functools.lru_cache(maxsize=512)
def _oracle_at(recording: Recording, tick: int) -> Oracle | None:
    state = as_recorded(recording, tick)
    return None if state is None else Oracle(state)


def _accelerated(recording: Recording, before: int, after: int, body: Body, only: Key | None) -> Iterator[Verdict]:
    """Hold how a free body's velocities change over a step against gravity and Euler's equations.

    Its accelerations are held against the change.
    """
    path = recording.system.body_path(body)
    if only is not None and only not in {(BODY, name) for name in _FREE}:
        return
    states = [[recording.of(tick, BODY, name, path) for name in _FREE[:3]] for tick in (before, after)]
    if any(values is None for state in states for values in state):
        return
    (turn, linear, spin), (_, later, later_spin) = [
        [np.asarray(values, float).ravel() for values in state] for state in states
    ]
    pose = pin.SE3(pin.Quaternion(turn).normalized().toRotationMatrix(), np.zeros(3))
    now = attrs.evolve(body, pose=pose, velocity=tuple(linear), spin=tuple(np.degrees(spin)))
    fallen, turned = free_accelerations(now, recording.system.gravity)
    where = f"between ticks {before} and {after}"
    for names, old, new, expected in ((_FREE[1::2], linear, later, fallen), (_FREE[2::2], spin, later_spin, turned)):
        rate, acceleration = names
        change = (new - old) / recording.dt
        row = catalogue.attribute(BODY, rate)
        # What single precision, in which engines go from origin to centre and back, leaves of a difference.
        rounded = 4e-6 * max(
            float(np.abs([old, new, linear, later]).max()), recording.system.stage.units_in(row.dimension)
        )
        size = max(float(np.abs(expected).max()), rounded / recording.dt / OF_A_STEP)
        error = float(np.abs(change - expected).max()) / size
        words = Words("expected to change by {} per second, changed by {}", (expected, change))
        # What touches feels more than gravity.
        if not body.senses and not recording.system.scenery and (only is None or only[1] in (rate, "orientation")):
            yield Verdict(BODY, rate, path, words, where, error, recording.tolerance((BODY, rate), OF_A_STEP))
        got = recording.of(after, BODY, acceleration, path)
        if got is not None and (only is None or only[1] == acceleration):
            size = max(float(np.abs(change).max()), rounded / recording.dt / AGREES)
            error = float(np.abs(got.ravel() - change).max()) / size
            words = Words("expected {}, by which the velocity changed, got {}", (change, got))
            yield Verdict(BODY, acceleration, path, words, where, error, 2 * AGREES)


_SAME = {
    "kinematicTargetPosition": ("position",),
    "kinematicTargetOrientation": ("orientation",),
    "body_q": ("position", "orientation"),
    "body_qd": ("linearVelocity", "angularVelocity"),
}
"""What reads as other attributes do: of targets, while none is pending."""


def _said_twice(recording: Recording, only: Key | None) -> Iterator[Verdict]:
    """Hold what two attributes say against each other."""
    system = recording.system
    pending = {system.body_path(body) for body in system.bodies if body.target is not None}
    for tick, kind, name in recording.readings:
        if kind not in (BODY, LINK) or name not in _SAME or only not in (None, (kind, name)):
            continue
        for reading in recording.find(tick, kind, name):
            for path, got in zip(reading.paths, reading.per_prim(), strict=True):
                if path in pending and tick == 0 and name in ("kinematicTargetPosition", "kinematicTargetOrientation"):
                    continue
                parts = [recording.of(tick, kind, of, path) for of in _SAME[name]]
                if all(part is not None for part in parts):
                    expected = np.hstack([part for part in parts if part is not None])
                    small = Small.at(reading.row, recording.system, path)
                    where = f"beside {' and '.join(_SAME[name])}, tick {tick}"
                    yield Verdict.of(reading.row, path, expected, got, where, AUTHORED, small)


_OF_ROOTS = {
    "rootPosition": "position",
    "rootOrientation": "orientation",
    "rootLinearVelocity": "linearVelocity",
    "rootAngularVelocity": "angularVelocity",
}
"""What a robot says of its root link, and what the link says."""


def _roots(recording: Recording, only: Key | None) -> Iterator[Verdict]:
    """Hold what robots say of their roots against what the links say."""
    for tick, kind, name in recording.readings:
        if kind is not ARTICULATION or name not in _OF_ROOTS or only not in (None, (kind, name)):
            continue
        row = catalogue.attribute(kind, name)
        for robot in recording.system.articulations:
            path = recording.system.articulation_path(robot)
            link = recording.system.link_path(robot, robot.root.name)
            got, expected = recording.of(tick, kind, name, path), recording.of(tick, LINK, _OF_ROOTS[name], link)
            if got is not None and expected is not None:
                where = f"beside its root link, tick {tick}"
                yield Verdict.of(row, path, expected, got, where, AGREES, Small.at(row, recording.system, path))


_FREE = ("orientation", "linearVelocity", "angularVelocity", "linearAcceleration", "angularAcceleration")


def _moved(recording: Recording, before: int, after: int, only: Key | None) -> Iterator[Verdict]:
    """Hold differences over a step against the mean of the rates at its ends, but of what targets carry."""
    carried = {recording.system.body_path(body) for body in recording.system.bodies if body.is_kinematic}
    for kind in (BODY, LINK):
        for path in (path for path in recording.objects[kind] if path not in carried):
            yield from _moved_body(recording, before, after, kind, path, only)
    for robot in recording.system.articulations:
        for joint in robot.joints:
            if len(joint.axes) == 1:
                yield from _moved_joint(
                    recording, before, after, recording.system.joint_path(robot, joint), joint, only
                )


def _moved_body(
    recording: Recording, before: int, after: int, kind: ObjectType, path: str, only: Key | None
) -> Iterator[Verdict]:
    names = ("position", "orientation", "linearVelocity", "angularVelocity")
    if only is not None and only[0] is kind and only[1] not in (*names, "body_q", "body_qd"):
        return
    centre = recording.of(0, kind, "centerOfMassPosition", path)
    states = [[recording.of(tick, kind, name, path) for name in names] for tick in (before, after)]
    if centre is None or any(values is None for state in states for values in state):
        return
    places, turns, velocities, spins = [], [], [], []
    for place, quaternion, velocity, spin in states:
        assert place is not None
        assert quaternion is not None
        assert velocity is not None
        assert spin is not None
        turn = pin.Quaternion(quaternion.ravel().astype(float)).normalized().toRotationMatrix()
        places.append(place.ravel() + turn @ centre.ravel())
        turns.append(turn)
        velocities.append(velocity.ravel().astype(float))
        spins.append(spin.ravel().astype(float))
    # What moves less than that stands, but for the rounding of its position.
    slowest = max(1e-6 * float(np.abs(places[0]).max()), 1e-6) / recording.dt
    where = f"between ticks {before} and {after}"
    rows = {name: recording.find(after, kind, name)[0].row for name in names}
    turned = pin.log3(turns[1] @ turns[0].T) / recording.dt
    for name, moved, rates in (
        ("position", (places[1] - places[0]) / recording.dt, velocities),
        ("orientation", turned, spins),
    ):
        middle = (rates[0] + rates[1]) / 2
        change = float(np.abs(rates[1] - rates[0]).max())
        error = float(np.abs(moved - middle).max()) / max(float(np.abs(middle).max()) * OF_A_STEP + change, slowest)
        words = Words("moved by {} per second, at rates {} to {}", (moved, *rates))
        yield Verdict(kind, rows[name].name, path, words, where, error, 1.0)


def _moved_joint(
    recording: Recording, before: int, after: int, path: str, joint: Joint, only: Key | None
) -> Iterator[Verdict]:
    if only is not None and only[0] is JOINT and only[1] not in ("jointPosition", "jointVelocity"):
        return
    at = [recording.of(tick, JOINT, "jointPosition", path) for tick in (before, after)]
    rates = [recording.of(tick, JOINT, "jointVelocity", path) for tick in (before, after)]
    if any(values is None for values in (*at, *rates)):
        return
    (old, new), (slow, fast) = (
        [float(values.ravel()[0]) for values in pair if values is not None] for pair in (at, rates)
    )
    moved, middle = (new - old) / recording.dt, (slow + fast) / 2
    # What moves less than that stands, but for the rounding of its links' poses.
    slowest = (1e-6 if joint.is_linear else 1e-4) / recording.dt
    error = abs(moved - middle) / max(abs(middle) * OF_A_STEP + abs(fast - slow), slowest)
    words = f"moved by {moved:g} per second, at rates {slow:g} to {fast:g}"
    yield Verdict(JOINT, "jointPosition", path, words, f"between ticks {before} and {after}", error, 1.0)
