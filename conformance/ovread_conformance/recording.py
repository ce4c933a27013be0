"""What a backend answered, kept: everything on a stage, to be held against expectations as often as needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

import ovread
from ovread import ContactSelection, Group, ObjectType, Query, Simulation, StageUnits, catalogue
from ovread.backend import Level, MatrixLabels, Support
from ovread.catalogue import Attribute, Role
from ovread_conformance.declarations import Declared
from ovread_conformance.systems import System, usda

DT = 1 / 240
"""Seconds of each step."""

TICKS = (0, 1, 2, 16)
"""When everything is read: before a step, after one and two, and once a value of then would be wrong."""

STATE = (
    "jointPosition", "jointVelocity", "rootPosition", "rootOrientation", "rootLinearVelocity", "rootAngularVelocity",
)  # fmt: skip
"""What the state of robots is; it is read before the last step of a longer run too, as that step starts from it."""

_STARTED_FROM = (*STATE, "orientation", "linearVelocity", "angularVelocity")
"""The same with what the state of free bodies is."""

_UNTOUCHED = (ObjectType.DEBUG_RENDER, ObjectType.PHYSICS)
"""Types whose objects are not on the stage."""


@attrs.frozen(eq=False)
class Reading:
    """One attribute of the objects of one type, at one tick.

    Args:
        row: The catalogue row.
        paths: Prim path of each row.
        lanes: Names of the lanes.
        values: ``(rows, lanes)``, or ``(elements, lanes)`` with offsets.
        offsets: Which elements each row owns; None for fixed layouts.
        labels: Of matrices, what rows and columns stand for.
        names: Of path handles, the paths.
    """

    row: Attribute
    paths: tuple[str, ...]
    lanes: tuple[str, ...]
    values: npt.NDArray[Any]
    offsets: npt.NDArray[np.intp] | None = None
    labels: tuple[MatrixLabels, ...] | None = None
    names: tuple[tuple[str, ...], ...] | None = None

    def per_prim(self) -> list[npt.NDArray[Any]]:
        """Return one array ``(elements, lanes)`` per path; of fixed layouts one element."""
        if self.offsets is None:
            return [value[None, :] for value in self.values]
        return [self.values[start:end] for start, end in zip(self.offsets[:-1], self.offsets[1:], strict=True)]

    def of(self, path: str) -> npt.NDArray[Any]:
        """Return the values of one prim."""
        return self.per_prim()[self.paths.index(path)]


Key = tuple[int, ObjectType, str]
"""Tick, object type and attribute."""


@attrs.frozen(eq=False)
class Recording:
    """All readings of a run.

    Args:
        system: What was opened.
        units: What the simulation said of its units.
        objects: Paths of the objects of each type.
        readings: By tick, type and attribute; several where matrices have several sizes.
        overwritten: What was read and kept, and had other values at the end of the run.
        omitted: By tick, type and attribute, paths that were left out with a reason.
        dt: Seconds of each step.
        tolerances: Relative tolerance of the attributes that the backend declares to be approximate.
        ticks: When everything was read, in order.
        uncorrupted: What it was made from by corrupting an attribute; None where it was not.
    """

    system: System
    units: StageUnits
    objects: Mapping[ObjectType, tuple[str, ...]]
    readings: Mapping[Key, tuple[Reading, ...]]
    overwritten: tuple[Key, ...] = ()
    omitted: Mapping[Key, frozenset[str]] = attrs.field(factory=dict)
    dt: float = DT
    tolerances: Mapping[tuple[ObjectType, str], float] = attrs.field(factory=dict)
    ticks: tuple[int, ...] = ()
    uncorrupted: Recording | None = None

    @property
    def source(self) -> Recording:
        """The recording that this was made from by corrupting an attribute; itself where it was not."""
        return self.uncorrupted or self

    def tolerance(self, key: tuple[ObjectType, str], exact: float) -> float:
        """Return the tolerance of an attribute: the declared one where it is wider than that of exact values."""
        return max(exact, self.tolerances.get(key, 0.0))

    def find(self, tick: int, kind: ObjectType, attribute: str) -> tuple[Reading, ...]:
        """Return the readings of an attribute; none where it was not read."""
        return self.readings.get((tick, kind, attribute), ())

    def of(self, tick: int, kind: ObjectType, attribute: str, path: str) -> npt.NDArray[Any] | None:
        """Return the values of one prim; None where they were not read."""
        for reading in self.find(tick, kind, attribute):
            if path in reading.paths:
                return reading.of(path)
        return None

    @property
    def rows(self) -> set[tuple[ObjectType, str]]:
        """Everything that was read with at least one value."""
        return {
            (kind, name)
            for (_, kind, name), found in self.readings.items()
            if any(reading.values.size for reading in found)
        }

    def changed(
        self, kind: ObjectType, attribute: str, change: Callable[[Recording, int, Reading], Reading]
    ) -> Recording:
        """Return the recording with one attribute changed at every tick."""
        readings = dict(self.readings)
        for tick, of, name in self.readings:
            if (of, name) == (kind, attribute):
                readings[tick, of, name] = tuple(
                    change(self, tick, reading) for reading in self.readings[tick, of, name]
                )
        return attrs.evolve(self, readings=readings, uncorrupted=self.source)


def record(
    system: System,
    backend: str,
    *,
    device: str = "cpu",
    ticks: Sequence[int] = TICKS,
    dt: float = DT,
    prepare: Prepare | None = None,
) -> Recording:
    """Open a system on a backend, prepare it, step it, and read everything at some ticks."""
    with ovread.open(usda(system), backend=backend, device=device) as simulation:
        if prepare is not None:
            prepare(simulation)
        recording = record_open(simulation, system, ticks, dt)
    return attrs.evolve(recording, tolerances=declared_tolerances(backend))


Prepare = Callable[[Simulation], None]
"""What is done to an open simulation before it is recorded."""


def declared_tolerances(label: str) -> dict[tuple[ObjectType, str], float]:
    """Return the tolerances of the attributes that a backend declares to serve approximately."""
    supports = {row.key: support for row, support in declarations(label)}
    return {key: support.tolerance for key, support in supports.items() if support.tolerance is not None}


def record_open(simulation: Simulation, system: System, ticks: Sequence[int], dt: float = DT) -> Recording:
    """Read everything of an open simulation at some ticks."""
    readings: dict[Key, tuple[Reading, ...]] = {}
    omitted: dict[Key, frozenset[str]] = {}
    queries = {kind: simulation.query(kind) for kind in ObjectType if kind not in _UNTOUCHED}
    sensors = queries[ObjectType.CONTACT_SENSOR].paths
    if sensors and system.scenery:
        others = [[f"/World/{name}"] for name in system.scenery]
        selection = [ContactSelection(list(sensors), others)]
        queries[ObjectType.CONTACT_SENSOR] = simulation.query(ObjectType.CONTACT_SENSOR, contacts=selection)
    kept: dict[Key, tuple[Group, ...]] = {}
    for tick in ticks:
        while simulation.tick < tick:
            if simulation.tick == tick - 1 and simulation.tick not in ticks:
                kept |= _read(simulation, queries, _STARTED_FROM, readings, omitted)
            simulation.step(dt)
        kept |= _read(simulation, queries, None, readings, omitted)
    objects = {kind: query.paths for kind, query in queries.items()}
    overwritten = tuple(_overwritten(kept, readings))
    return Recording(system, simulation.units, objects, readings, overwritten, omitted, dt, ticks=tuple(ticks))


def _read(
    simulation: Simulation,
    queries: Mapping[ObjectType, Query],
    wanted: Sequence[str] | None,
    readings: dict[Key, tuple[Reading, ...]],
    omitted: dict[Key, frozenset[str]],
) -> dict[Key, tuple[Group, ...]]:
    """Read everything now, or just the wanted attributes; copy it to ``readings``, and return the results too."""
    kept = {}
    for kind, query in queries.items():
        names = [name for name in query.attributes if wanted is None or name in wanted]
        if len(query) and names:
            result = simulation.read(query, names)
            for name in names:
                key = simulation.tick, kind, name
                kept[key] = result.all(name)
                readings[key] = tuple(_copied(simulation, group) for group in kept[key])
                omissions = [omission for omission in result.omissions if omission.attribute == name]
                omitted[key] = frozenset(path for omission in omissions for path in omission.paths or query.paths)
    return kept


def _overwritten(kept: Mapping[Key, Sequence[Group]], copies: Mapping[Key, Sequence[Reading]]) -> Iterator[Key]:
    """Return what does not have the values any more that it had when it was read."""
    for key, groups in kept.items():
        if any(
            group.numpy().tobytes() != copy.values.tobytes() for group, copy in zip(groups, copies[key], strict=True)
        ):
            yield key


def _copied(simulation: Simulation, group: Group) -> Reading:
    names = None
    if group.row.role is Role.PATH:
        names = tuple(tuple(found) for found in simulation.resolve(group))
    return Reading(group.row, group.paths, group.lanes, group.numpy().copy(), group.offsets, group.labels, names)


def declarations(label: str) -> Iterator[tuple[Attribute, Support]]:
    """Return the attributes that a backend says it reads, with its declaration."""
    declared = Declared.of(label)
    for row in catalogue.rows():
        support = declared.support(row.key)
        if row.readable and support.level is not Level.UNSUPPORTED:
            yield row, support


def served(label: str) -> Iterator[Attribute]:
    """Return the attributes that a backend says it reads."""
    return (row for row, _ in declarations(label))
