"""How long things live: results, readers and queries through steps, writes, resets and closing; and two simulations."""

from __future__ import annotations

import numpy as np

from ovread import ReadResult
from ovread.catalogue import Role
from ovread.errors import (
    ClosedError,
    OvreadError,
)
from ovread_conformance.contract import DT, queries, refuses
from ovread_conformance.effects import LOOSE
from ovread_conformance.live import Check, Live
from ovread_conformance.oracles import ARTICULATION, BODY
from ovread_conformance.systems import FLOATING_TREE

# Memory.


def _copy(result: ReadResult) -> list[tuple[str, bytes]]:
    """Return the values that mean the same in every process and at every time, bit by bit."""
    return [
        (group.attribute, group.numpy().tobytes()) for group in result if group.row.role not in (Role.HANDLE, Role.PATH)
    ]


def _kept_results(simulation: Live) -> None:
    kept: list[tuple[str, ReadResult, list[tuple[str, bytes]], int]] = []

    def take(moment: str) -> None:
        for query in queries(simulation):
            result = simulation.read(query, query.attributes)
            kept.append((moment, result, _copy(result), result.tick))

    def check(event: str) -> None:
        for moment, result, copy, tick in kept:
            assert (_copy(result), result.tick) == (copy, tick), (
                f"a result of {moment} never changes: {event} changed it"
            )

    take("opening")
    simulation.step(DT, count=3)
    check("a step")
    take("three steps")
    check("another read")
    query = simulation.query(BODY)
    if simulation.backend.writing_of((BODY, "position"), simulation.variant).is_accepted:
        simulation.set(query, "position", simulation.read(query, ["position"])["position"].numpy() + 1)
        check("a write")
    simulation.reset()
    check("a reset")
    simulation.close()
    check("closing")


def _readers(simulation: Live) -> None:
    query = simulation.query(BODY)
    names = ["position", "linearVelocity"]
    reader = simulation.reader(query, names)
    first = reader.read()
    memory = first["position"].numpy()
    before = memory.copy()
    for count in (1, 2):
        simulation.step(DT)
        again = reader.read()
        assert again is first, "a reader hands back the same result each time"
        assert again["position"].numpy() is memory or np.shares_memory(again["position"].numpy(), memory), (
            "a reader refills its own memory"
        )
        assert again.tick == count, f"a refilled result has the tick of its read: expected {count}, got {again.tick}"
        fresh = simulation.read(query, names)
        assert _copy(again) == _copy(fresh), "a reader reads what a read does, at the same moment"
    assert not np.array_equal(memory, before), "a reader's values are those of now: bodies move"


# Lifetimes.


def _after_closing(simulation: Live) -> None:
    query = simulation.query(BODY)
    simulation.read(query, ["mass"])
    reader = simulation.reader(query, ["mass"])
    simulation.close()
    simulation.close()
    assert simulation.closed, "a closed simulation says so"
    for what, action in {
        "a read": lambda: simulation.read(query, ["mass"]),
        "a reader": reader.read,
        "a query": lambda: simulation.query(BODY),
        "a step": lambda: simulation.step(DT),
        "a reset": simulation.reset,
        "a write": lambda: simulation.write(query, ["mass"]),
    }.items():
        refuses(action, ClosedError, f"{what} after closing")


def _reset(simulation: Live) -> None:
    held = [(query, simulation.reader(query, query.attributes)) for query in queries(simulation)]
    authored = [_copy(reader.read()) for _, reader in held]
    for _ in range(2):
        simulation.step(DT, count=5)
        root = simulation.query(ARTICULATION)
        if simulation.backend.writing_of((ARTICULATION, "rootPosition"), simulation.variant).is_accepted:
            place = simulation.read(root, ["rootPosition"])["rootPosition"].numpy() + 1
            simulation.set(root, "rootPosition", place)
        simulation.reset()
        for (query, reader), expected in zip(held, authored, strict=True):
            for got in (reader.read(), simulation.read(query, query.attributes)):
                found = _copy(got)
                changed = [name for (name, value), (_, old) in zip(found, expected, strict=True) if value != old]
                assert not changed, (
                    f"a reset brings the authored state back, bit by bit: {query.object_type.name} {changed}"
                )


def _two_at_once(simulation: Live) -> None:
    query = simulation.query(BODY)
    still = _copy(simulation.read(query, ["position", "linearVelocity"]))
    other = simulation.another(LOOSE)
    try:
        theirs = other.query(BODY)
        other.step(DT, count=4)
        if other.backend.writing_of((BODY, "position"), other.variant).is_accepted:
            other.set(theirs, "position", other.read(theirs, ["position"])["position"].numpy() + 1)
        now = _copy(simulation.read(query, ["position", "linearVelocity"]))
        assert now == still, "of two simulations at once, each has its own values: a step of the other changed this one"
        assert simulation.tick == 0, "of two simulations at once, each has its own tick"
        simulation.step(DT)
        far = other.read(theirs, ["position"])["position"].numpy()
        near = simulation.read(query, ["position"])["position"].numpy()
        assert np.abs(far - near).max() > 1e-3, "of two simulations at once, each is stepped by itself"
    finally:
        other.close()
    try:
        simulation.step(DT)
        result = simulation.read(query, ["position"])
    except OvreadError as error:
        raise AssertionError(f"closing one simulation leaves the other: {error}") from error
    assert result.tick == 2, "closing one simulation leaves the other"


def _deterministic(simulation: Live) -> None:
    runs = []
    for _ in range(2):
        simulation.step(DT, count=10)
        runs.append([_copy(simulation.read(query, query.attributes)) for query in queries(simulation)])
        simulation.reset()
    _check_same(runs, "after a reset")
    with simulation.another(FLOATING_TREE) as other:
        other.step(DT, count=10)
        runs.append([_copy(other.read(query, query.attributes)) for query in queries(other)])
    _check_same(runs[1:], "in another simulation")


def _check_same(runs: list[list[list[tuple[str, bytes]]]], where: str) -> None:
    for one, other in zip(runs[0], runs[1], strict=True):
        for (name, value), (_, again) in zip(one, other, strict=True):
            assert value == again, f"the same run twice gives the same bits: {name} differs {where}"


CHECKS = (
    Check("kept results", "A result that is kept never changes.", LOOSE, _kept_results, ("aliased result",)),
    Check("readers", "A reader refills its own memory and hands back the same result.", LOOSE, _readers,
          ("stale reader", "fresh reader"), needs=((BODY, "position"),)),
    Check("closed simulations", "A closed simulation refuses everything but closing.", LOOSE, _after_closing,
          ("read after close",)),
    Check("reset", "A reset brings the authored state back, and queries and readers stay valid.", FLOATING_TREE,
          _reset, ("incomplete reset",)),
    Check("two simulations", "Two simulations at once have nothing in common.", LOOSE, _two_at_once,
          ("shared simulation",), needs=((BODY, "position"),)),
    Check("determinism", "The same run twice gives the same bits.", FLOATING_TREE, _deterministic, ("noise",)),
)  # fmt: skip
"""How long things live."""
