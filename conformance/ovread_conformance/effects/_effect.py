"""The form of an effect: what is written, and the system that was authored like that."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import cast

import attrs
import numpy as np
import numpy.typing as npt

from ovread import Simulation, catalogue
from ovread.catalogue import Persistence
from ovread.errors import NotWritableError
from ovread_conformance import rotations
from ovread_conformance.live import Check, Key, Live, conditions_of
from ovread_conformance.motion import Array, Push, Rates, accelerations, rates
from ovread_conformance.oracles import BODY, JOINT, LINK, Oracle
from ovread_conformance.recording import record_open
from ovread_conformance.systems import BODIES, Body, RobotOracle, System, at

DT = 1 / 1000
"""Seconds of the step after a write: short, as engines take forces at its start, its middle or its end."""

OBEYED = 0.02
"""How far accelerations over that step may be off, as a part of the largest: a first-order integrator is off by about
the step times the change of the acceleration per second, which is below ten times the acceleration in these systems."""

VISIBLE = 5 * OBEYED
"""How large an effect is at least, in the same measure: a write that is dropped shows."""

LOOSE = attrs.evolve(
    BODIES,
    name="loose bodies",
    bodies=(
        *(attrs.evolve(body, is_weightless=False) for body in BODIES.bodies),
        Body("env_3", 1.4, at(0.1, 0.05, -0.15, about=(1, 2, 1), degrees=50), (0.3, 0.2, 0.25),
             at(6, 2, -3, about=(1, -1, 1), degrees=70), (0.4, 0.1, -0.2)),
    ),
)  # fmt: skip
"""Free bodies; the last one does not spin, so that its velocity is that of all its points."""

ROUNDING = 2e-6
"""How far a place may be off by single precision, over a tree of links, as a part of its size."""

Change = Callable[[System], System]
_Vectors = dict[str, Array]


@attrs.frozen(eq=False)
class Effect:
    """One thing that is written, and what it does.

    Args:
        name: Short name.
        convention: What the write means, one sentence.
        system: What it is written to.
        keys: The attributes that are written, in this order.
        change: How the system looks that was authored with these values; as it is where only forces are written.
        commands: By attribute and path, values that no system can be authored with.
        push: Forces that then act on bodies and links.
        efforts: Efforts that then act on joints, by label.
        lasts: Whether forces and efforts act in the second step too.
        faults: Faults that the check of the next step must catch.
        faults_at_once: Faults that the check before the step must catch.
    """

    name: str
    convention: str
    system: System
    keys: tuple[Key, ...]
    change: Change = lambda system: system
    commands: Mapping[Key, Mapping[str, npt.ArrayLike]] = attrs.field(factory=dict)
    push: Push = attrs.field(factory=dict)
    efforts: Mapping[str, float] = attrs.field(factory=dict)
    lasts: bool = True
    faults: tuple[str, ...] = ("forgotten write",)
    faults_at_once: tuple[str, ...] = ("dropped write",)

    @property
    def written(self) -> System:
        """The system that was authored like that."""
        return self.change(self.system)

    def expected(self) -> Rates:
        """Return the accelerations of the next step."""
        return accelerations(self.written, self.push, self.efforts)

    def values(self, key: Key) -> Mapping[str, npt.ArrayLike]:
        """Return what is written, by path: what differs from the system as it is."""
        if key in self.commands:
            return self.commands[key]
        before, after = (Oracle(system).expected(key) for system in (self.system, self.written))
        return {
            path: value
            for path, value in after.items()
            if value is not None and not np.array_equal(np.asarray(value), np.asarray(before[path]))
        }

    def write(self, simulation: Live) -> None:
        """Write the values: of the rows that change, by a mask over all."""
        for key in self.keys:
            with conditions_of(simulation, key):
                put(simulation, key, self.values(key))

    def run(self, simulation: Live) -> None:
        """Write, and hold how the next step accelerates against the system authored like that."""
        written = self.written
        self.write(simulation)
        before, slow = rates(simulation, written), _centres(simulation)[1]
        simulation.step(DT)
        after, (places, fast) = rates(simulation, written), _centres(simulation)
        self._obeyed(_difference(before, after), self.expected(), "the next step")
        self._moved(slow, fast, places)
        if self.commands:
            simulation.step(DT)
            later = _difference(after, rates(simulation, written))
            forces = (self.push, self.efforts) if self.lasts else ({}, {})
            self._obeyed(later, accelerations(written, *forces), "the second step", 2 * OBEYED)

    def run_at_once(self, simulation: Live) -> None:
        """Write, and hold everything that is read before a step against the system authored like that."""
        written = self.written
        self.write(simulation)
        recording = record_open(cast(Simulation, simulation), written, ticks=(simulation.tick,))
        for verdict in Oracle(written).verdicts(recording):
            assert verdict.holds, f"{self.name}: before the step everything agrees with what was written: {verdict}"

    def _obeyed(self, got: Rates, expected: Rates, when: str, tolerance: float = OBEYED) -> None:
        size = max(map(abs, self.expected().values()))
        worst = max(expected, key=lambda label: abs(got[label] - expected[label]))
        error = abs(got[worst] - expected[worst]) / size
        assert error <= tolerance, (
            f"{self.name}: {self.convention} In {when} {worst} accelerates by {got[worst]:.6g}, not "
            f"{expected[worst]:.6g} (off by {error:.2g} of the largest acceleration, more than {tolerance:g})"
        )

    def _moved(self, slow: _Vectors, fast: _Vectors, places: _Vectors) -> None:
        """Check that all moved from where the write put it, by its velocity: a jump is no motion."""
        for path, start in _centres_of(self.written).items():
            middle, change = (slow[path] + fast[path]) / 2, float(np.abs(fast[path] - slow[path]).max())
            moved = (places[path] - start) / DT
            bound = change + OBEYED * float(np.abs(middle).max()) + ROUNDING * max(1.0, float(np.abs(start).max())) / DT
            assert float(np.abs(moved - middle).max()) <= bound, (
                f"{self.name}: displacement is velocity times time: {path} moved by {moved} per second from {start}, "
                f"at {slow[path]} to {fast[path]}"
            )

    @property
    def is_of_state(self) -> bool:
        """Whether it writes what the step starts from, where the difference is seen before the step."""
        return all(catalogue.attribute(*key).persistence is Persistence.STATE for key in self.keys)

    def visibility(self) -> float:
        """Return how much it changes, as a part of the largest acceleration."""
        before, after = accelerations(self.system), self.expected()
        return max(abs(after[label] - before[label]) for label in after) / max(map(abs, after.values()))

    def checks(self) -> Iterator[Check]:
        """Return it as checks: what is read at once, unless that is not of a state, and what the next step does."""
        if not self.commands:
            yield Check(
                f"{self.name}, at once",
                "What is written, and all that depends on it, is read before any step.",
                self.system,
                self.run_at_once,
                self.faults_at_once,
                self.keys,
            )
        reads = ((JOINT, "jointVelocity"),) if self.system.robots else ((BODY, "linearVelocity"),)
        yield Check(self.name, self.convention, self.system, self.run, self.faults, self.keys, reads)


def put(simulation: Live, key: Key, values: Mapping[str, npt.ArrayLike]) -> None:
    """Write values by path, of all rows of a type with a mask."""
    kind, name = key
    query = simulation.query(kind)
    mask = np.array([path in values for path in query.paths])
    assert mask.sum() == len(values), f"{sorted(values)} are all objects: {query.paths}"
    with simulation.write(query, [name]) as write:
        for group in write:
            chosen = [path in values for path in group.paths]
            for path, row in zip(group.paths, group.per_prim(), strict=True):
                if path in values:
                    row[...] = np.asarray(values[path], dtype=float).reshape(row.shape)
            if any(chosen):
                write.commit(group, mask=np.array(chosen))
        lacking = [item for item in write.omissions if not item.paths or set(item.paths) & set(values)]
        if lacking:
            with conditions_of(simulation, key):
                raise NotWritableError(lacking[0].detail)


def _difference(before: Rates, after: Rates) -> Rates:
    return {label: (after[label] - before[label]) / DT for label in after}


def _centres(simulation: Live) -> tuple[_Vectors, _Vectors]:
    """Return where each centre of mass is, and its velocity."""
    places: _Vectors = {}
    velocities: _Vectors = {}
    names = ["position", "orientation", "centerOfMassPosition", "linearVelocity"]
    for kind in (BODY, LINK):
        query = simulation.query(kind)
        if len(query):
            result = simulation.read(query, names)
            columns = [result[name].numpy().astype(float) for name in names]
            for path, origin, turn, centre, velocity in zip(query.paths, *columns, strict=True):
                places[path] = origin + rotations.matrix(turn) @ centre
                velocities[path] = velocity
    return places, velocities


def _centres_of(system: System) -> _Vectors:
    """Return where each centre of mass is in a system as it is written down."""
    found = {system.body_path(each): (each.pose * each.centre).translation for each in system.bodies}
    for robot in system.robots:
        oracle = RobotOracle(system, robot)
        found |= {system.link_path(robot, link.name): oracle.centre(link.name) for link in robot.links}
    return found
