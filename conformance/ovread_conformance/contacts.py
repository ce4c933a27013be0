"""What contact sensors read of boxes at rest, on a floor that gravity leans on: weight, and the friction that holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np
import numpy.typing as npt

from ovread import ObjectType
from ovread_conformance.oracles import Key
from ovread_conformance.recording import Reading, Recording
from ovread_conformance.systems import Body, System
from ovread_conformance.verdicts import Verdict

Array = npt.NDArray[np.float64]

SENSOR = ObjectType.CONTACT_SENSOR
AT_REST = 2e-2
"""Relative tolerance of forces on a body that has come to rest, as engines that iterate hold it."""
NEAR = 0.02
"""How far a contact point may be from where the surfaces touch, as a part of the box."""


def contacts(recording: Recording, only: Key | None = None) -> Iterator[Verdict]:
    """Hold the last readings of the sensors against statics."""
    ticks = [tick for tick, kind, _ in recording.readings if kind is SENSOR]
    if not ticks:
        return
    tick = max(ticks)
    for body in recording.system.bodies:
        if not body.senses:
            continue
        path = recording.system.body_path(body)
        for name, hold in _HELD.items():
            if only in (None, (SENSOR, name)):
                for reading in recording.find(tick, SENSOR, name):
                    if path in reading.paths:
                        error, words = hold(reading, path, _Load(recording.system, body), recording, tick)
                        yield Verdict(SENSOR, name, path, words, f"at rest, tick {tick}", error, 1.0)


class _Load:
    """What a box presses with."""

    def __init__(self, system: System, body: Body) -> None:
        weight = body.mass * np.array(system.gravity)
        (floor,) = system.scenery.values()
        self.up = np.array(floor.frame.rotation[:, 2])
        self.surface = floor.frame.translation + self.up * floor.size[2] / 2
        self.pushed = -self.up * (weight @ self.up)
        self.held = -weight - self.pushed
        self.size = float(np.linalg.norm(weight))
        self.edge = body.boxes[0].size[0]
        self.others = tuple(f"/World/{name}" for name in system.scenery)


Hold = Callable[[Reading, str, _Load, Recording, int], tuple[float, str]]


def _compared(expected: Array, got: Array, scale: float, tolerance: float) -> tuple[float, str]:
    error = float(np.abs(expected - got).max()) / (scale * tolerance) if expected.shape == got.shape else np.inf
    return error, f"expected {expected}, got {got}"


def _net(which: str) -> Hold:
    def hold(reading: Reading, path: str, load: _Load, recording: Recording, tick: int) -> tuple[float, str]:
        got = reading.of(path).ravel().astype(float)
        return _compared(getattr(load, which), got[:3], load.size, AT_REST)

    return hold


def _points_of(prefix: str) -> str:
    return "rawContact" if prefix.startswith("raw") else "filteredContact"


def _sum_of_points(reading: Reading, path: str, load: _Load, recording: Recording, tick: int) -> tuple[float, str]:
    """Force times normal, over all points, is what the box is pushed with."""
    name = f"{_points_of(reading.row.name)}Normal"
    normals = recording.of(tick, SENSOR, name, path)
    if normals is None:
        return np.inf, f"expected {name} beside it"
    got = (reading.of(path).astype(float) * normals).sum(axis=0)
    return _compared(load.pushed, got, load.size, AT_REST)


def _normals(reading: Reading, path: str, load: _Load, recording: Recording, tick: int) -> tuple[float, str]:
    """Normals are perpendicular to the floor; with positive forces they lead to the box."""
    name = reading.row.name.replace("Normal", "Force")
    forces = recording.of(tick, SENSOR, name, path)
    got = reading.of(path).astype(float)
    if forces is None or not len(got):
        return np.inf, "expected contact points"
    up = np.sign(forces.astype(float)) * got
    expected = np.where(np.abs(forces) > 1e-6 * load.size, load.up[None, :], up)
    return _compared(expected, up, 1.0, AT_REST)


def _points(reading: Reading, path: str, load: _Load, recording: Recording, tick: int) -> tuple[float, str]:
    """Points lie on the floor, under the box."""
    got = reading.of(path).astype(float)
    place = recording.of(tick, ObjectType.RIGID_BODY, "position", path)
    if not len(got) or place is None:
        return np.inf, "expected contact points"
    across = got - place.ravel() - np.outer((got - place.ravel()) @ load.up, load.up)
    outside = np.linalg.norm(across, axis=1).max() > load.edge * 0.75
    height = float(np.abs((got - load.surface) @ load.up).max()) / (load.edge * NEAR)
    distances = np.linalg.norm(across[:, None] - across[None, :], axis=2)
    is_wide = len(got) < 3 or distances.max() > load.edge * 0.9
    return (height if not outside and is_wide else np.inf), f"expected points on the floor under the box, got {got}"


def _separations(reading: Reading, path: str, load: _Load, recording: Recording, tick: int) -> tuple[float, str]:
    got = reading.of(path).astype(float)
    error = float(np.abs(got).max(initial=0)) / (load.edge * NEAR)
    return (error if len(got) else np.inf), f"expected surfaces that touch, got {got.ravel()}"


def _counted(of: str) -> Hold:
    def hold(reading: Reading, path: str, load: _Load, recording: Recording, tick: int) -> tuple[float, str]:
        points = recording.of(tick, SENSOR, of, path)
        got = reading.of(path).ravel().astype(float)
        count = 0 if points is None else len(points)
        return (0.0 if got.sum() == count > 0 else np.inf), f"expected {count} points, got {got}"

    return hold


def _other(reading: Reading, path: str, load: _Load, recording: Recording, tick: int) -> tuple[float, str]:
    names = reading.names[reading.paths.index(path)] if reading.names is not None else ()
    right = bool(names) and all(name in (*load.others, "") or name.startswith(load.others) for name in names)
    return (0.0 if right and any(names) else np.inf), f"expected {load.others}, got {names}"


_HELD: Mapping[str, Hold] = {
    "netNormalContactForce": _net("pushed"),
    "netFrictionContactForce": _net("held"),
    "normalContactForceMatrix": _net("pushed"),
    "frictionContactForceMatrix": _net("held"),
    "rawContactForce": _sum_of_points,
    "filteredContactForce": _sum_of_points,
    "rawContactNormal": _normals,
    "filteredContactNormal": _normals,
    "rawContactPoint": _points,
    "filteredContactPoint": _points,
    "rawContactSeparation": _separations,
    "filteredContactSeparation": _separations,
    "filteredContactCount": _counted("filteredContactPoint"),
    "filteredFrictionCount": _counted("filteredFrictionPoint"),
    "filteredFrictionPoint": _points,
    "rawContactOtherBody": _other,
}
