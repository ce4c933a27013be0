"""What every write keeps: sessions, groups, masks, refusals, and what one session owes another."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from ovread import Query, catalogue
from ovread.errors import (
    AttributeOfOtherTypeError,
    DuplicateAttributeError,
    ForeignQueryError,
    NotWritableError,
    SelectionError,
    UnknownAttributeError,
    ValueRefusedError,
    WriteSessionError,
)
from ovread_conformance.contract import queries, refuses
from ovread_conformance.effects import LOOSE
from ovread_conformance.live import Check, Live, conditions_of
from ovread_conformance.oracles import BODY
from ovread_conformance.systems import FLOATING_TREE

DT = 1 / 240
_POSITION = (BODY, "position")
ROUNDED = 2e-6
"""Tolerance of a position that is read back: a few roundings in single precision of lengths of a few units."""


def _positions(simulation: Live, query: Query | None = None) -> npt.NDArray[np.float32]:
    query = simulation.query(BODY) if query is None else query
    values: npt.NDArray[np.float32] = simulation.read(query, ["position"])["position"].numpy()
    return values.copy()


def _unchanged(got: npt.NDArray[np.float32], before: npt.NDArray[np.float32], what: str) -> None:
    assert np.array_equal(got, before), f"{what}: before {before}, got {got}"


def _taken(got: npt.NDArray[np.float32], written: npt.NDArray[np.float32], what: str) -> None:
    """Check that values are those that were written, but for their rounding: an engine may keep another point."""
    assert np.allclose(got, written, rtol=ROUNDED, atol=ROUNDED), f"{what}: expected {written}, got {got}"


def _start_values(simulation: Live) -> None:
    for query in queries(simulation):
        for name in query.attributes:
            row = catalogue.attribute(query.object_type, name)
            if not simulation.backend.writing_of(row.key, simulation.variant).is_accepted:
                continue
            before = [value.copy() for group in simulation.read(query, [name]) for value in group.per_prim()]
            paths = [path for group in simulation.read(query, [name]) for path in group.paths]
            current = dict(zip(paths, before, strict=True))
            try:
                with conditions_of(simulation, row.key):
                    session = simulation.write(query, [name])
            except Exception as error:
                if isinstance(error, AssertionError):
                    raise
                continue
            with session as write:
                for group in write:
                    for path, value in zip(group.paths, group.per_prim(), strict=True):
                        assert np.array_equal(value, current[path]), (
                            f"the groups of a write start with the current values: {name} of {path} starts with "
                            f"{value}, not {current[path]}"
                        )
                    write.commit(group)
            after = [value for group in simulation.read(query, [name]) for value in group.per_prim()]
            same = all(np.array_equal(old, new) for old, new in zip(before, after, strict=True))
            assert same, f"a write of what is there changes nothing: {name} of {query.object_type.name}"


def _groups_are_consumed(simulation: Live) -> None:
    query = simulation.query(BODY)
    placed = _positions(simulation, query) + 1
    with simulation.write(query, ["position"]) as write, simulation.write(query, ["position"]) as other:
        group = write["position"]
        group.values[...] = placed
        refuses(lambda: other.commit(group), WriteSessionError, "a group of another session")
        write.commit(group)
        refuses(lambda: write.commit(group), WriteSessionError, "a group that was committed before")
        refuses(lambda: group.values, WriteSessionError, "the values of a group that was committed")
    _taken(_positions(simulation, query), placed, "what was committed stands")
    with simulation.write(query, ["position"]) as write:
        late = write["position"]
        late.values[...] = placed + 1
        simulation.step(DT)
        refuses(lambda: write.commit(late), WriteSessionError, "a group from before a step")
    refuses(lambda: late.values, WriteSessionError, "a group of a closed session")
    moved = float(np.abs(_positions(simulation, query) - placed).max())
    assert moved < 0.1, f"what is not committed is discarded: bodies are {moved} away from where they were put"


def _discarded(simulation: Live) -> None:
    query = simulation.query(BODY)
    before = _positions(simulation, query)
    with simulation.write(query, ["position"]) as write:
        write["position"].values[...] = before + 1
    _unchanged(_positions(simulation, query), before, "what is not committed is discarded")


def _masks(simulation: Live) -> None:
    query = simulation.query(BODY)
    before = _positions(simulation, query)
    values = before + np.arange(1, before.size + 1, dtype=np.float32).reshape(before.shape)
    for mask in ([False, True, False, True], [True, False, False, False], [False] * 4):
        chosen = np.array(mask)
        with simulation.write(query, ["position"]) as write:
            write["position"].values[...] = values
            write.commit(write["position"], mask=chosen)
        got = _positions(simulation, query)
        _taken(got[chosen], values[chosen], f"rows in a mask are written (mask {mask})")
        _unchanged(got[~chosen], before[~chosen], f"rows outside a mask keep their value (mask {mask})")
        before = got
        values = values + 3
    backwards = simulation.query(BODY, paths=list(query.paths[::-1]))
    simulation.set(backwards, "position", values, mask=np.array([True, False, False, False]))
    before[-1] = values[0]
    _taken(_positions(simulation, query), before, "row i of a write is path i of its query, in the caller's order")
    before = _positions(simulation, query)
    bad: tuple[npt.ArrayLike, ...] = ([True], [1, 0, 0, 0], [[True] * 4])
    for given in bad:
        refuses(lambda given=given: simulation.set(query, "position", values, mask=given), ValueRefusedError,  # type: ignore[misc]
                f"mask {given!r}")  # fmt: skip
    _unchanged(_positions(simulation, query), before, "a refused mask changes nothing")


def _refusals(simulation: Live) -> None:
    query = simulation.query(BODY)
    before = _positions(simulation, query)
    for bad in (np.nan, np.inf, 1e30):
        values = before + 1
        values[2, 1] = bad
        with simulation.write(query, ["position"]) as write:
            group = write["position"]
            group.values[...] = values
            words = refuses(lambda: write.commit(group), ValueRefusedError, f"a position of {bad}")  # noqa: B023
            for part in ("position", query.paths[2]):
                assert part in words, f"a refusal names attribute and path ({part}): {words}"
            _unchanged(_positions(simulation, query), before, "a refused commit has changed nothing")
            group.values[2, 1] = 7.0
            write.commit(group)
        expected = before + 1
        expected[2, 1] = 7.0
        _taken(_positions(simulation, query), expected, "a refused group can be corrected and committed")
        simulation.set(query, "position", before)
        before = _positions(simulation, query)
    if simulation.backend.writing_of((BODY, "orientation"), simulation.variant).is_accepted:
        long = np.array([0.0, 0.0, 0.0, 1.1])
        refuses(lambda: simulation.set(query, "orientation", long), ValueRefusedError, "a quaternion of length 1.1")
    _check_names(simulation, query)
    _unchanged(_positions(simulation, query), before, "a refused write has changed nothing")


def _check_names(simulation: Live, query: Query) -> None:
    cases: dict[str, tuple[Callable[[], object], type[Exception]]] = {
        "an unknown name": (lambda: simulation.write(query, ["position", "positoin"]), UnknownAttributeError),
        "a name of other objects": (lambda: simulation.write(query, ["jointPosition"]), AttributeOfOtherTypeError),
        "a name that is only read": (lambda: simulation.write(query, ["inverseMass"]), NotWritableError),
        "a name given twice": (lambda: simulation.write(query, ["position", "position"]), DuplicateAttributeError),
        "no name": (lambda: simulation.write(query, []), SelectionError),
        "values of another shape": (lambda: simulation.set(query, "position", np.zeros((2, 3))), ValueRefusedError),
        "values that are no numbers": (lambda: simulation.set(query, "position", "far"), ValueRefusedError),
    }
    for what, (action, kind) in cases.items():
        refuses(action, kind, what)  # type: ignore[arg-type]
    with simulation.another(LOOSE) as other:
        foreign = other.query(BODY)
        refuses(lambda: simulation.write(foreign, ["position"]), ForeignQueryError, "a query of another simulation")


def _not_written(simulation: Live) -> None:
    for query in queries(simulation):
        for row in catalogue.attributes(query.object_type):
            declared = simulation.backend.writing_of(row.key, simulation.variant)
            if not declared.is_accepted:
                words = refuses(lambda: simulation.write(query, [row.name]), NotWritableError,  # noqa: B023
                                f"{row.name} of {query.object_type.name}, as declared,")  # fmt: skip
                assert declared.reason in words, f"a refusal gives the declared reason {declared.reason!r}: {words}"


def _two_sessions(simulation: Live) -> None:
    query = simulation.query(BODY)
    before = _positions(simulation, query)
    with simulation.write(query, ["position"]) as first, simulation.write(query, ["position"]) as second:
        first["position"].values[0] += 1
        first["position"].values[1] += 1
        second["position"].values[1] += 2
        second["position"].values[2] += 2
        expected = before.copy()
        first.commit(first["position"])
        expected[:2] += 1
        _taken(_positions(simulation, query), expected, "the first of two sessions is published at its commit")
        second.commit(second["position"])
        expected[1] = before[1] + 2
        expected[2] += 2
        _taken(_positions(simulation, query), expected, "of two sessions the later commit decides what it filled")


def _several_attributes(simulation: Live) -> None:
    query = simulation.query(BODY)
    names = ["linearVelocity", "position"]
    before = _positions(simulation, query)
    with simulation.write(query, names) as write:
        order = [group.attribute for group in write]
        assert order == names, f"groups come in the order that was asked for: got {order}"
        for group in write:
            assert group.paths == query.paths, "the paths of a group are those of its query"
            group.values[...] = group.values + 1
        write.commit(write["position"])
        velocity = simulation.read(query, ["linearVelocity"])["linearVelocity"].numpy().copy()
        write.commit(write["linearVelocity"])
    _taken(_positions(simulation, query), before + 1, "each group of a session is published by itself")
    got = simulation.read(query, ["linearVelocity"])["linearVelocity"].numpy()
    assert np.allclose(got, velocity + 1, atol=1e-5), f"each group is published by itself: {velocity + 1}, got {got}"


def _writers(simulation: Live) -> None:
    query = simulation.query(BODY)
    writer = simulation.writer(query, ["position"])
    group = writer["position"]
    _unchanged(group.values, _positions(simulation, query), "the groups of a writer start with the current values")
    for number in range(3):
        group.values[...] = number + np.arange(group.values.size, dtype=np.float32).reshape(group.values.shape)
        writer.write()
        _taken(_positions(simulation, query), group.values, "a writer publishes all its rows each time")
        simulation.step(DT)
    before = _positions(simulation, query)
    group.values[1, 1] = np.nan
    refuses(writer.write, ValueRefusedError, "a position of nan by a writer")
    _unchanged(_positions(simulation, query), before, "a refused writer has changed nothing")
    simulation.reset()
    group.values[...] = 5.0
    writer.write()
    _taken(_positions(simulation, query), np.full_like(before, 5.0), "a writer stays valid through a reset")


CHECKS = (
    Check("start values", "The groups of a write start with what is there, and writing that changes nothing.",
          FLOATING_TREE, _start_values, ("empty start",)),
    Check("consumed groups", "A commit consumes its group; a step ends what was opened before it.", LOOSE,
          _groups_are_consumed, ("commit twice", "dropped write"), (_POSITION,)),
    Check("discarded groups", "What is not committed is discarded.", LOOSE, _discarded, ("eager write",),
          (_POSITION,)),
    Check("masks", "A mask chooses rows, and the others are not touched.", LOOSE, _masks,
          ("ignored mask", "write to all rows", "lost order"), (_POSITION,)),
    Check("refused values", "A refusal names attribute and path, and has changed nothing.", LOOSE, _refusals,
          ("partial refusal",), (_POSITION,)),
    Check("refused attributes", "What is declared as not written is refused with the declared reason.", LOOSE,
          _not_written, ("accepted write",)),
    Check("two sessions", "Of two sessions the later commit decides, about what it filled.", LOOSE, _two_sessions,
          ("first session wins",), (_POSITION,)),
    Check("several attributes", "Groups come in the order that was asked for, each published by itself.", LOOSE,
          _several_attributes, ("dropped write", "empty start"), (_POSITION, (BODY, "linearVelocity"))),
    Check("writers", "A writer publishes all its rows each time.", LOOSE, _writers, ("dropped write",),
          (_POSITION,)),
)  # fmt: skip
"""What every write keeps."""
