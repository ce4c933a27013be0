"""Throw garbage at the writes of one backend: ``python write_garbage.py SCENE BACKEND ATTEMPTS``.

Runs in a process of its own, which a crash of an engine ends. Each attempt names something to write (often wrong), and
gives it values (often wrong), a mask, an order of calls. What is refused must have changed nothing; what is accepted
must leave no value that is not a number. Prints one line of JSON with the counts.
"""

from __future__ import annotations

import contextlib
import json
import sys
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import warp as wp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ovread
from ovread import ObjectType, Query, Simulation, WriteGroup, catalogue
from ovread.backend import Level
from ovread.errors import OvreadError

COUNTS: Counter[str] = Counter()
ODD_NUMBERS = [np.nan, np.inf, -np.inf, 1e39, 3e38, -1.0, 0.0, 0.5, 1.0, 2.0, 255.0, 1e-40, -0.0]
ODD_OBJECTS: list[Any] = ["fast", b"x", None, {}, [], [[]], [[1], [2, 3]], 1 + 2j, object, [None], "NaN", [[[1.0]]]]
ODD_TYPES = [np.float64, np.float16, np.int8, np.uint64, np.complex64, np.bool_, object, "datetime64[s]", "U4"]
ODD_NAMES: list[Any] = ["", "positon", "isSleeping", "mass ", "\x00", "position\n", 7, None, ("mass",), b"mass"]


class Target:
    """An open simulation, with readers of everything that can be written and read."""

    def __init__(self, scene: str, backend: str) -> None:
        self.simulation = ovread.open(scene, backend=backend)
        self.queries = {kind: self.simulation.query(kind) for kind in ObjectType}
        self.writable = {kind: self._writable(kind) for kind, query in self.queries.items() if len(query)}
        self.readers = [
            self.simulation.reader(self.queries[kind], [name for name in names if name in self._readable(kind)])
            for kind, names in self.writable.items()
        ]

    def _writable(self, kind: ObjectType) -> list[str]:
        info, variant = self.simulation.backend, self.simulation.variant
        return [row.name for row in catalogue.attributes(kind) if info.writing_of(row.key, variant).is_accepted]

    def _readable(self, kind: ObjectType) -> list[str]:
        info, variant = self.simulation.backend, self.simulation.variant
        rows = [row for row in catalogue.attributes(kind) if row.readable]
        return [row.name for row in rows if info.support_of(row.key, variant).level is not Level.UNSUPPORTED]

    def snapshot(self) -> list[tuple[str, str, Any]]:
        """Return a copy of everything."""
        return [
            (reader.query.object_type.name, group.attribute, group.numpy().copy())
            for reader in self.readers
            for group in reader.read()
        ]


def changed(before: list[tuple[str, str, Any]], after: list[tuple[str, str, Any]]) -> list[tuple[str, str]]:
    """Return what differs."""
    return [
        (kind, name)
        for (kind, name, old), (_, _, new) in zip(before, after, strict=True)
        if old.shape != new.shape or not np.array_equal(old, new, equal_nan=old.dtype.kind == "f")
    ]


def odd_values(data: st.DataObject, shape: tuple[int, ...]) -> Any:
    """Draw something that is to be written."""
    kind = data.draw(
        st.sampled_from(["number", "number", "array", "array", "array", "shape", "dtype", "object", "warp"])
    )
    if kind == "object":
        return data.draw(st.sampled_from(ODD_OBJECTS))
    if kind == "number":
        return data.draw(st.sampled_from(ODD_NUMBERS))
    if kind == "shape":
        shape = tuple(data.draw(st.lists(st.integers(0, 5), max_size=3)))
    values = np.full(shape, data.draw(st.sampled_from([0.0, 0.25, 1.0])))
    if values.size and data.draw(st.integers(0, 3)) == 0:
        values.flat[data.draw(st.integers(0, values.size - 1))] = data.draw(st.sampled_from(ODD_NUMBERS))
    if kind == "dtype":
        return np.nan_to_num(values, posinf=9, neginf=-9).astype(data.draw(st.sampled_from(ODD_TYPES)))
    return wp.array(values.astype(np.float32), device="cpu") if kind == "warp" and values.ndim == 2 else values


def fill(data: st.DataObject, group: WriteGroup) -> None:
    """Fill a group with something, as far as NumPy lets one: with other values like those that it has, or odd ones."""
    if data.draw(st.booleans()):
        if group.values.dtype.kind == "f":
            group.values[...] += data.draw(st.sampled_from([0.0, 1e-4, 0.01, 0.1]))
        return
    values = odd_values(data, group.values.shape)
    with contextlib.suppress(TypeError, ValueError, OverflowError):
        group.values[...] = values.numpy() if isinstance(values, wp.array) else values


def odd_query(data: st.DataObject, target: Target) -> Query:
    """Draw a query: all of a type, or some of it."""
    kind = data.draw(st.sampled_from([*target.writable, *target.writable, *ObjectType]))
    query = target.queries[kind]
    if len(query) > 1 and data.draw(st.booleans()):
        chosen = data.draw(st.lists(st.sampled_from(query.paths), min_size=1, unique=True))
        with contextlib.suppress(OvreadError):  # paths that several scenes share
            return target.simulation.query(kind, paths=chosen)
    return query


def odd_names(data: st.DataObject, target: Target, query: Query) -> Any:
    """Draw names, mostly of attributes that can be written."""
    known = target.writable.get(query.object_type) or ["position"]
    every = [row.name for row in catalogue.rows()]
    one = st.one_of(st.sampled_from(known), st.sampled_from(known), st.sampled_from([*every, *ODD_NAMES]))
    return data.draw(st.one_of(one, st.lists(one, max_size=3)))


def write_in_one_line(data: st.DataObject, target: Target) -> None:
    query = odd_query(data, target)
    names = odd_names(data, target, query)
    name = names[0] if isinstance(names, list) and names else names
    shape = (len(query), 3)
    if isinstance(name, str) and (query.object_type, name) in {row.key for row in catalogue.rows()}:
        shape = (len(query), len(catalogue.attribute(query.object_type, name).lanes))
    mask = data.draw(st.sampled_from([None, None, [True] * len(query), [True], "yes", np.zeros(len(query), bool)]))
    target.simulation.set(query, name, odd_values(data, shape), mask=mask)


def write_in_a_session(data: st.DataObject, target: Target) -> None:
    query = odd_query(data, target)
    with target.simulation.write(query, odd_names(data, target, query)) as write:
        groups = list(write)
        if data.draw(st.booleans()):
            groups.reverse()
        for group in groups:
            fill(data, group)
        if groups:
            use_a_group(data, target, write, data.draw(st.sampled_from(groups)))
    if groups and data.draw(st.booleans()):
        write.commit(groups[0])


def use_a_group(data: st.DataObject, target: Target, write: Any, group: Any) -> None:
    """Commit once, twice, with a mask, after a step, a group of another session, something that is no group."""
    how = data.draw(st.sampled_from(["once", "once", "twice", "mask", "stepped", "foreign", "nothing"]))
    if how == "nothing":
        write.commit(data.draw(st.sampled_from([None, "position", 3])))
    elif how == "foreign":
        with target.simulation.write(target.queries[group.row.object_type], [group.attribute]) as other:
            other.commit(group)
    elif how == "stepped":
        target.simulation.step(1 / 240)
        write.commit(group)
    elif how == "mask":
        write.commit(group, mask=data.draw(st.lists(st.booleans(), max_size=4)))
    else:
        write.commit(group)
        if how == "twice":
            write.commit(group)


def write_repeatedly(data: st.DataObject, target: Target) -> None:
    query = odd_query(data, target)
    writer = target.simulation.writer(query, odd_names(data, target, query))
    for group in writer:
        fill(data, group)
    writer.write()


WRITES: list[Callable[[st.DataObject, Target], None]] = [write_in_one_line, write_in_a_session, write_repeatedly]


def attempt(data: st.DataObject, target: Target) -> None:
    """Write something, and hold the outcome against what was before."""
    simulation: Simulation = target.simulation
    before, tick = target.snapshot(), simulation.tick
    commits = simulation._commits
    try:
        data.draw(st.sampled_from(WRITES))(data, target)
        COUNTS["accepted"] += 1
    except OvreadError as error:
        COUNTS["refused"] += 1
        COUNTS["refusals without words"] += not str(error)
    after = target.snapshot()
    if simulation.tick == tick and simulation._commits == commits:
        assert changed(before, after) == [], "nothing was published, but something changed"
    if simulation.tick == tick:
        poisoned = [
            (kind, name)
            for (kind, name, old), (_, _, new) in zip(before, after, strict=True)
            if new.dtype.kind == "f" and np.isfinite(old).all() and not np.isfinite(new).all()
        ]
        assert poisoned == [], "what was accepted is no number"


def main(scene: str, backend: str, attempts: int) -> None:
    """Make so many attempts; step and reset in between."""
    # What NumPy says of casting garbage is not what is tested.
    warnings.simplefilter("ignore")
    target = Target(scene, backend)

    @settings(
        max_examples=attempts, deadline=None, derandomize=True, database=None,
        suppress_health_check=list(HealthCheck), print_blob=False,
    )  # fmt: skip
    @given(st.data())
    def throw(data: st.DataObject) -> None:
        COUNTS["attempts"] += 1
        attempt(data, target)
        then = data.draw(st.sampled_from(["nothing", "nothing", "step", "reset"]))
        if then == "step":
            target.simulation.step(1 / 240)
        if then == "reset" or not all(
            np.isfinite(new).all() for _, _, new in target.snapshot() if new.dtype.kind == "f"
        ):
            target.simulation.reset()

    throw()
    target.simulation.close()
    assert not COUNTS.pop("refusals without words", 0)
    print(json.dumps(COUNTS))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
