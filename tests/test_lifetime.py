"""Memory and native resources: what is kept, what is refilled, and what is given back, once."""

from __future__ import annotations

import gc
import tracemalloc
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import rest_backend
from rest_world import World

from ovread import ObjectType
from ovread.backend import FilledColumns
from ovread.errors import ClosedError, EngineError
from ovread.plugins import Backend
from ovread.reader import OpenBindings
from ovread.simulation import Simulation

BODY, JOINT = ObjectType.RIGID_BODY, ObjectType.ARTICULATION_JOINT


def engine_of(sim: Simulation) -> rest_backend.RestEngine:
    engine = sim._engine
    assert isinstance(engine, rest_backend.RestEngine)
    return engine


def test_a_reader_refills_the_same_memory_and_its_result_moves_on(sim: Simulation) -> None:
    reader = sim.reader(sim.query(JOINT), ["jointPosition"])
    first = reader.read()
    group, pointer = first["jointPosition"], first["jointPosition"].values.ptr
    assert (first.tick, group.numpy().any()) == (0, False)
    sim.step(0.1, count=2)
    assert (first.tick, group.numpy().any()) == (0, False), "nothing changes before the reader reads"
    second = reader.read()
    assert second is first
    assert (first.tick, first.time) == (2, 0.2)
    assert first["jointPosition"] is group
    assert group.values.ptr == pointer
    assert group.numpy()[:, 0].tolist() == pytest.approx([1, 2, 4, 6])


def test_two_readers_and_fresh_reads_do_not_share_memory(sim: Simulation) -> None:
    query = sim.query(JOINT)
    results = [sim.reader(query, ["jointPosition"]).read(), sim.reader(query, ["jointPosition"]).read()]
    results += [sim.read(query, ["jointPosition"]), sim.read(query, ["jointPosition"])]
    assert len({result["jointPosition"].values.ptr for result in results}) == 4


def test_a_thousand_reads_retain_no_memory(sim: Simulation) -> None:
    reader = sim.reader(sim.query(BODY), ["position", "mass", "linearAcceleration", "isSleeping"])
    sim.step(0.1)
    reader.read()
    tracemalloc.start()
    try:
        reader.read()
        gc.collect()
        before, _ = tracemalloc.get_traced_memory()
        for _ in range(1000):
            reader.read()
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < 2000, "less than two bytes a read"


def test_a_query_and_a_read_each_step_retain_nothing(sim: Simulation, bindings: list[FilledColumns]) -> None:
    queries: weakref.WeakSet[Any] = weakref.WeakSet()
    for _ in range(20):
        query = sim.query(BODY)
        queries.add(query)
        sim.read(query, ["mass"])
        sim.reader(query, ["position"]).read()
    del query
    gc.collect()
    assert (len(queries), len(bindings)) == (0, 0)


def test_reading_again_prepares_nothing_again(sim: Simulation, bindings: list[FilledColumns]) -> None:
    query = sim.query(BODY)
    for _ in range(5):
        sim.read(query, ["mass"])
    assert len(bindings) == 1
    sim.read(query, ["position"])
    assert len(bindings) == 2


def test_a_reset_returns_to_tick_and_time_zero_and_keeps_queries_and_readers_valid(
    sim: Simulation, bindings: list[FilledColumns]
) -> None:
    query = sim.query(JOINT)
    reader = sim.reader(query, ["jointPosition"])
    sim.step(0.1, count=5)
    kept = sim.read(query, ["jointPosition"])
    assert reader.read()["jointPosition"].numpy().any()
    sim.reset()
    assert (sim.tick, sim.time) == (0, 0.0)
    assert bindings == [], "a reset invalidates what was bound"
    for result in (reader.read(), sim.read(query, ["jointPosition"])):
        assert (result.tick, result.time) == (0, 0.0)
        assert not result["jointPosition"].numpy().any()
    assert kept["jointPosition"].numpy().any()
    assert len(bindings) == 2
    sim.step(0.1)
    assert reader.read()["jointPosition"].numpy().any()


def test_many_readers_and_resets_never_use_a_closed_binding(sim: Simulation, bindings: list[FilledColumns]) -> None:
    query = sim.query(BODY)
    for _ in range(20):
        old = sim.reader(query, ["mass"])
        sim.reset()
        old.read()
        readers = [sim.reader(query, ["mass"]) for _ in range(3)]
        del old
        assert [len(reader.read()["mass"]) for reader in readers] == [3, 3, 3]
    assert len(bindings) == 3


def test_a_binding_is_not_taken_for_one_that_lay_at_the_same_address() -> None:
    class Owner:
        pass

    opened, owner, other = OpenBindings(), Owner(), Owner()
    for _ in range(100):
        address = id(closed := FilledColumns([], []))
        opened.add(owner, closed)
        opened.close_all()
        del closed
        binding = FilledColumns([], [])
        if id(binding) == address:
            break
    opened.add(other, binding)
    del owner
    gc.collect()
    assert list(opened._open.values()) == [binding]


def test_closing_gives_everything_back_once(sim: Simulation, bindings: list[FilledColumns]) -> None:
    engine, query = engine_of(sim), sim.query(BODY)
    reader = sim.reader(query, ["mass"])
    sim.read(query, ["position"])
    assert len(bindings) == 2
    with sim as entered:
        assert entered is sim
    assert (engine.closed, bindings) == (1, [])
    sim.close()
    del reader, query
    gc.collect()
    assert (engine.closed, bindings) == (1, [])


def test_an_error_in_the_with_block_closes_and_passes_through(sim: Simulation) -> None:
    engine = engine_of(sim)
    with pytest.raises(ZeroDivisionError), sim:
        1 / 0  # noqa: B018
    assert engine.closed == 1


def test_a_simulation_that_is_dropped_closes_its_engine(rest: Backend, bindings: list[FilledColumns]) -> None:
    engine = rest_backend.RestEngine(World())
    sim = Simulation(rest, engine)
    query = sim.query(BODY)
    sim.read(query, ["mass"])
    reader = sim.reader(query, ["mass"])
    del sim
    gc.collect()
    assert engine.closed == 0, "a reader keeps its simulation"
    del reader, query
    gc.collect()
    assert (engine.closed, bindings) == (1, [])


def test_a_simulation_left_open_is_closed_when_the_process_ends(python: Callable[..., str]) -> None:
    program = (
        "import importlib.metadata, rest_backend\n"
        "from ovread import ObjectType\n"
        "from ovread.plugins import Plugins\n"
        "from ovread.simulation import Simulation\n"
        "rest_backend.RestEngine.close = lambda self: print('closed')\n"
        "rest_backend.FilledColumns.close = lambda self: print('unbound')\n"
        "point = importlib.metadata.EntryPoint('rest', 'rest_backend', 'ovread.backends')\n"
        "backend = Plugins([point]).get('rest')\n"
        "sim = Simulation(backend, rest_backend.RestEngine(rest_backend.World()))\n"
        "reader = sim.reader(sim.query(ObjectType.RIGID_BODY), ['mass'])\n"
    )
    assert python(program, PYTHONPATH=str(Path(rest_backend.__file__).parent)).splitlines()[-2:] == [
        "unbound",
        "closed",
    ]


def test_an_engine_that_fails_to_close_says_so_and_is_closed(sim: Simulation, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(engine: object) -> None:
        raise OSError("device lost")

    monkeypatch.setattr(rest_backend.RestEngine, "close", fail)
    with pytest.raises(EngineError, match="rest could not close: device lost"):
        sim.close()
    assert sim.closed
    sim.close()


def test_a_binding_that_fails_to_close_does_not_keep_the_engine_open(
    sim: Simulation, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(binding: object) -> None:
        raise OSError("binding lost")

    reader = sim.reader(sim.query(BODY), ["mass"])
    monkeypatch.setattr(FilledColumns, "close", fail)
    with pytest.raises(EngineError, match="binding lost"):
        sim.close()
    assert engine_of(sim).closed == 1
    with pytest.raises(ClosedError):
        reader.read()
