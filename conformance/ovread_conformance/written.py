"""What holds of every attribute that a backend says it writes, computed from the catalogue.

A written value is read back at once, rows outside a mask keep theirs, nothing else of the objects changes, a refused
value leaves no trace, and a reset brings the authored value back.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from ovread import UNLIMITED, ObjectType, Query, Simulation, WriteGroup, WriteSession, catalogue
from ovread.backend import Level
from ovread.catalogue import Attribute, Role
from ovread.errors import ValueRefusedError
from ovread_conformance.declarations import Declared

_Values = dict[str, dict[str, npt.NDArray[Any]]]

TYPES = (
    ObjectType.RIGID_BODY,
    ObjectType.ARTICULATION_LINK,
    ObjectType.ARTICULATION_JOINT,
    ObjectType.ARTICULATION,
    ObjectType.SCENE,
)
"""Types that the scene of the suite has objects of."""

ROUNDED = 3e-5
"""Relative tolerance of what is read back: an engine may keep it in other units, or as another rotation."""

FOLLOWS = {
    "inertia": {"centerOfMassOrientation"},
    "centerOfMassOrientation": {"inertia"},
    "centerOfMassPosition": {"linearVelocity", "rootLinearVelocity"},
    "angularVelocity": set(),
    "position": {"kinematicTargetPosition"},
    "orientation": {"kinematicTargetOrientation", "linearVelocity"},
    "kinematicTargetPosition": set(),
}
"""What else of an object a write may change, because it means the same thing or is about a point that moves along."""

MAKES_ROOM = {"jointDynamicFriction": ("jointStaticFriction", 5.0), "restOffset": ("contactOffset", 5.0)}
"""What is written before, so that the engine takes the altered value."""


def accepted(label: str) -> list[Attribute]:
    """Return the attributes of the suite's types that a backend says it writes."""
    declared = Declared.of(label)
    return [row for kind in TYPES for row in catalogue.attributes(kind) if declared.writing(row.key).is_accepted]


def altered(row: Attribute, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return other values that the attribute accepts, near those that it has."""
    new = values.copy()
    if row.role is Role.QUATERNION:
        return _turned(new)
    if row.role is Role.TENSOR:
        return np.asarray(new * 1.25, dtype=new.dtype)
    if row.role is Role.FLAG:
        return np.asarray(1 - new, dtype=new.dtype)
    if row.role is Role.ENUM:
        return np.asarray(new % 2 + 1, dtype=new.dtype)
    if row.accepts.is_ordered:
        return np.where(np.abs(new) < UNLIMITED, new * np.float32(0.9), new)
    if row.accepts.maximum is not None:
        return np.asarray((new + row.accepts.maximum) / 2 - 0.01, dtype=new.dtype)
    if row.accepts.is_bound:
        return np.where(new < UNLIMITED, np.minimum(new, 1e6) * np.float32(1.25) + np.float32(1), np.float32(500))
    return np.asarray(new * 1.1 + 0.1 * (1 + np.arange(new.size).reshape(new.shape)), dtype=new.dtype)


def _turned(quaternions: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Turn by ten degrees about an oblique axis."""
    axis, half = np.array([2.0, -1.0, 2.0]) / 3, np.deg2rad(5)
    x, y, z = axis * np.sin(half)
    w = np.cos(half)
    matrix = np.array([[w, -z, y, x], [z, w, -x, y], [-y, x, w, z], [-x, -y, -z, w]])
    return np.asarray(quaternions @ matrix.T, dtype=quaternions.dtype)


def is_read(simulation: Simulation, row: Attribute) -> bool:
    """Whether the backend reads the attribute too."""
    support = simulation.backend.support_of(row.key, simulation.variant)
    return row.readable and support.level is not Level.UNSUPPORTED


def check_written(simulation: Simulation, row: Attribute) -> None:
    """Check one attribute on an open simulation, which is reset at the end."""
    query = simulation.query(row.object_type)
    authored = _everything(simulation, query)
    if row.name in MAKES_ROOM:
        simulation.set(query, *MAKES_ROOM[row.name])
    _check_start(simulation, query, row)
    _check_refusal(simulation, query, row)
    if is_read(simulation, row):
        _check_round_trip(simulation, query, row)
    simulation.reset()
    again = _everything(simulation, query)
    left = _changed(authored, again)
    assert not left, f"a reset brings the authored values back, but not {', '.join(sorted(left))}"


def _check_start(simulation: Simulation, query: Query, row: Attribute) -> None:
    with simulation.write(query, [row.name]) as write:
        for group in write:
            if is_read(simulation, row):
                now = simulation.read(simulation.query(row.object_type, paths=group.paths), [row.name])[row.name]
                assert np.array_equal(group.values, now.numpy(), equal_nan=True), "a group starts with what is there"


def _check_refusal(simulation: Simulation, query: Query, row: Attribute) -> None:
    before = _everything(simulation, query)
    wrong = np.nan if row.dtype == "f32" else 7
    with simulation.write(query, [row.name]) as write:
        for group in write:
            group.values[...] = altered(row, group.values)
            group.values[-1, -1] = wrong
            words = _refusal(write, group)
            assert words, f"{wrong} is refused"
            assert row.name in words
            assert group.paths[-1] in words, "a refusal names attribute and path"
    left = _changed(before, _everything(simulation, query))
    assert not left, f"a refused write changes nothing, but changed {', '.join(sorted(left))}"


def _refusal(write: WriteSession, group: WriteGroup) -> str:
    """Commit; return the words of the refusal, none where there is no refusal."""
    try:
        write.commit(group)
    except ValueRefusedError as error:
        return str(error)
    return ""


def _check_round_trip(simulation: Simulation, query: Query, row: Attribute) -> None:
    before = _everything(simulation, query)
    with simulation.write(query, [row.name]) as write:
        for group in write:
            values = altered(row, group.values)
            assert not np.array_equal(values, group.values), "there is something to write"
            group.values[...] = values
            only_first = np.arange(len(group)) == 0
            paths = group.paths
            with simulation.write(query, [row.name]) as first:
                own = first.all(row.name)[write.groups.index(group)]
                own.values[...] = values
                first.commit(own, mask=only_first)
            kept = _named(simulation, row, paths)
            assert _is_same(row, kept[0], _rows(values, group.offsets)[0]), "the row that was written reads back"
            old = before[row.name]
            for path, value in zip(paths[1:], kept[1:], strict=True):
                assert np.array_equal(value, old[path], equal_nan=True), "rows outside the mask keep their value"
            write.commit(group)
            found = _named(simulation, row, paths)
            for path, value, wanted in zip(paths, found, _rows_of(values, found), strict=True):
                assert _is_same(row, value, wanted), f"{row.name} of {path} reads back {value}, not {wanted}"
            _check_inverse(simulation, row, paths)
    others = _changed(before, _everything(simulation, query), ROUNDED) - {row.name} - FOLLOWS.get(row.name, set())
    assert not others, f"writing {row.name} changes {', '.join(sorted(others))}"


def _check_inverse(simulation: Simulation, row: Attribute, paths: tuple[str, ...]) -> None:
    """What is the inverse of what was written follows it at once."""
    inverse = f"inverse{row.name[0].upper()}{row.name[1:]}"
    other = next((other for other in catalogue.attributes(row.object_type) if other.name == inverse), None)
    if other is None or not is_read(simulation, other):
        return
    size = 3 if row.role is Role.TENSOR else 1
    pairs = zip(paths, _named(simulation, row, paths), _named(simulation, other, paths), strict=True)
    for path, written, found in pairs:
        product = written.reshape(size, size).astype(float) @ found.reshape(size, size)
        assert np.allclose(product, np.eye(size), atol=1e-3), (
            f"after {row.name} of {path} was written, {inverse} is {found}, not its inverse"
        )


def _rows(values: npt.NDArray[Any], offsets: npt.NDArray[np.intp] | None) -> list[npt.NDArray[Any]]:
    if offsets is None:
        return list(values)
    return [values[start:end] for start, end in itertools.pairwise(offsets)]


def _rows_of(values: npt.NDArray[Any], like: list[npt.NDArray[Any]]) -> Iterator[npt.NDArray[Any]]:
    """Split values as some that were read are split."""
    if like and like[0].ndim == 1:
        yield from values
        return
    start = 0
    for each in like:
        yield values[start : start + len(each)]
        start += len(each)


def _named(simulation: Simulation, row: Attribute, paths: tuple[str, ...]) -> list[npt.NDArray[Any]]:
    query = simulation.query(row.object_type, paths=list(paths))
    return [value.copy() for value in simulation.read(query, [row.name])[row.name].per_prim()]


def _is_same(row: Attribute, one: npt.NDArray[Any], other: npt.NDArray[Any]) -> bool:
    if row.role is Role.QUATERNION:
        return bool(abs(float(one @ other)) > 1 - 1e-6)
    size = max(float(np.abs(other).max(initial=0)), 1e-3) if np.abs(other).max(initial=0) < UNLIMITED else 1.0
    bounded = np.abs(other) < UNLIMITED
    return bool((np.abs(one - other)[bounded] <= ROUNDED * size).all() and (one[~bounded] == other[~bounded]).all())


def _everything(simulation: Simulation, query: Query) -> _Values:
    """Read what can be written and read of the objects, by attribute and path."""
    info, variant = simulation.backend, simulation.variant
    names = [
        row.name
        for row in catalogue.attributes(query.object_type)
        if info.writing_of(row.key, variant).is_accepted and is_read(simulation, row)
    ]
    result = simulation.read(query, names)
    return {
        group.attribute: dict(zip(group.paths, [value.copy() for value in group.per_prim()], strict=True))
        for group in result
    }


def _changed(before: _Values, after: _Values, tolerance: float = 0.0) -> set[str]:
    """Return the attributes that differ by more than a part of their size."""
    assert {name: list(of) for name, of in before.items()} == {name: list(of) for name, of in after.items()}
    return {
        name
        for name, values in before.items()
        for path, value in values.items()
        if not _is_near(value, after[name][path], tolerance)
    }


def _is_near(one: npt.NDArray[Any], other: npt.NDArray[Any], tolerance: float) -> bool:
    if not tolerance or one.dtype.kind != "f":
        return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    size = max(float(np.abs(one[np.abs(one) < UNLIMITED]).max(initial=0)), 1e-3)
    return bool(np.allclose(one, other, rtol=0, atol=tolerance * size))
