"""A simulation steps, reads and ends as promised, and says what is wrong where it cannot."""

from __future__ import annotations

import fractions
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import rest_backend
from rest_world import World

from ovread import ObjectType
from ovread.backend import Buffer, Column, FilledColumns, Scene
from ovread.errors import (
    AttributeOfOtherTypeError,
    ClosedError,
    DuplicateAttributeError,
    EngineError,
    ForeignQueryError,
    OvreadError,
    OwnershipError,
    TimeStepError,
    UnknownAttributeError,
)
from ovread.plugins import Backend
from ovread.simulation import Simulation

BODY, JOINT = ObjectType.RIGID_BODY, ObjectType.ARTICULATION_JOINT


def engine_of(sim: Simulation) -> rest_backend.RestEngine:
    engine = sim._engine
    assert isinstance(engine, rest_backend.RestEngine)
    return engine


def test_a_simulation_says_what_it_runs_on(sim: Simulation) -> None:
    assert sim.backend.name == "rest"
    assert (sim.variant, sim.device) == ("turning", "cpu")
    assert (sim.units.length, sim.units.mass, sim.units.up_axis) == ("cm", "kg", "Z")
    assert [(found.prim, found.rule) for found in sim.diagnostics] == [("/World/robot/locked", "no-axis")]
    assert repr(sim) == "<Simulation rest:turning tick=0>"
    sim.close()
    assert repr(sim) == "<Simulation rest:turning closed>"


def test_steps_advance_the_engine_the_tick_and_the_time(sim: Simulation) -> None:
    assert (sim.tick, sim.time) == (0, 0.0)
    sim.step(0.25)
    sim.step(0.5, count=3)
    assert (sim.tick, sim.time) == (4, 1.75)
    assert engine_of(sim).world.steps == 4
    elbow = sim.query(JOINT, paths=["/World/robot/elbow"])
    assert sim.read(elbow, ["jointPosition"])["jointPosition"].numpy().tolist() == [[8.75]]


@pytest.mark.parametrize("dt", [1, np.float32(0.5), np.float64(0.5), np.int64(1), fractions.Fraction(1, 2)])
def test_any_real_number_is_a_time_step(sim: Simulation, dt: Any) -> None:
    sim.step(dt, count=np.int32(2))
    assert (sim.tick, sim.time) == (2, 2 * float(dt))


BAD_STEPS = [0, 0.0, -1 / 60, math.nan, math.inf, -math.inf, True, "0.1", None, 1j, [0.1], np.nan, 10**400]
BAD_COUNTS = [0, -1, 1.0, True, "1", None, math.nan]


@pytest.mark.parametrize("dt", [*BAD_STEPS, fractions.Fraction(1, 10**400)], ids=lambda dt: repr(dt)[:12])
def test_a_time_step_that_is_not_positive_and_finite_is_refused_and_nothing_moves(sim: Simulation, dt: Any) -> None:
    with pytest.raises(TimeStepError, match="a time step is a positive finite number"):
        sim.step(dt)
    assert (sim.tick, sim.time, engine_of(sim).world.steps) == (0, 0.0, 0)


@pytest.mark.parametrize("count", BAD_COUNTS, ids=repr)
def test_a_count_that_is_not_a_positive_integer_is_refused_and_nothing_moves(sim: Simulation, count: Any) -> None:
    with pytest.raises(TimeStepError, match=f"count={count!r}: the number of steps is a positive integer"):
        sim.step(0.1, count)
    assert (sim.tick, engine_of(sim).world.steps) == (0, 0)


def test_a_reader_knows_its_query(sim: Simulation) -> None:
    query = sim.query(BODY)
    assert sim.reader(query, ["mass"]).query is query


def test_names_are_checked_before_anything_is_read(sim: Simulation, bindings: list[FilledColumns]) -> None:
    query = sim.query(BODY)
    refused: list[tuple[list[str], type[OvreadError], str]] = [
        (["mass", "postion"], UnknownAttributeError, "Did you mean 'position'"),
        (["jointPosition"], AttributeOfOtherTypeError, "ARTICULATION_JOINT has it"),
        (["mass", "position", "mass"], DuplicateAttributeError, "'mass' is asked for twice"),
    ]
    for names, kind, words in refused:
        for read in (sim.read, sim.reader):
            with pytest.raises(kind, match=words):
                read(query, names)
    assert bindings == []


def test_one_name_may_be_given_as_a_string(sim: Simulation) -> None:
    assert len(sim.read(sim.query(BODY), "mass")["mass"]) == 3


def test_a_query_of_another_simulation_is_refused(opened: Callable[..., Simulation]) -> None:
    one, other = opened(), opened()
    for read in (one.read, one.reader):
        with pytest.raises(ForeignQueryError):
            read(other.query(BODY), ["mass"])
        with pytest.raises(ForeignQueryError):
            read("/World/env_1/box", ["mass"])  # type: ignore[arg-type]


def test_everything_but_closing_is_refused_after_close(sim: Simulation) -> None:
    query = sim.query(BODY)
    reader = sim.reader(query, ["mass"])
    assert not sim.closed
    sim.close()
    assert sim.closed
    calls: list[Callable[[], object]] = [
        lambda: sim.query(BODY),
        lambda: sim.read(query, ["mass"]),
        lambda: sim.reader(query, ["mass"]),
        reader.read,
        lambda: sim.step(0.1),
        lambda: sim.stepped(0.1),
        sim.reset,
        sim.__enter__,
    ]
    for call in calls:
        with pytest.raises(ClosedError, match=r"closed: open it again"):
            call()
    assert (sim.backend.name, sim.tick, sim.time) == ("rest", 0, 0.0)


def test_what_an_engine_raises_becomes_an_error_with_its_words(
    sim: Simulation, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object, **named: object) -> None:
        raise RuntimeError("the solver burst into flames")

    query = sim.query(BODY)
    reader = sim.reader(query, ["mass"])
    monkeypatch.setattr(World, "advance", fail)
    monkeypatch.setattr(World, "reset", fail)
    monkeypatch.setattr(rest_backend, "BODIES", None)  # listing them fails
    engine_of(sim).world.values.clear()  # so does reading
    calls: dict[str, Callable[[], object]] = {
        "step": lambda: sim.step(0.1),
        "query": lambda: sim.query(BODY),
        "read": reader.read,
        "reset": sim.reset,
    }
    for operation, call in calls.items():
        with pytest.raises(EngineError, match=f"^rest could not {operation}: .+") as caught:
            call()
        assert caught.value.__cause__ is not None
        if operation in ("step", "reset"):
            assert "the solver burst into flames" in str(caught.value)
    assert sim.tick == 0


def test_an_engine_that_fails_within_a_count_has_taken_the_steps_before(
    sim: Simulation, monkeypatch: pytest.MonkeyPatch
) -> None:
    advance = World.advance

    def fail_at_third(world: World, dt: float) -> None:
        if world.steps == 2:
            raise ArithmeticError("NaN in body 7")
        advance(world, dt)

    monkeypatch.setattr(World, "advance", fail_at_third)
    with pytest.raises(EngineError, match="rest could not step: NaN in body 7"):
        sim.step(0.5, count=5)
    assert (sim.tick, sim.time, engine_of(sim).world.steps) == (2, 1.0, 2)


def test_an_exception_without_words_is_named(sim: Simulation, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object) -> None:
        raise MemoryError

    monkeypatch.setattr(World, "advance", fail)
    with pytest.raises(EngineError, match="could not step: MemoryError"):
        sim.step(0.1)


def test_the_words_of_an_ovread_error_from_a_backend_are_kept(sim: Simulation, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object) -> None:
        raise OwnershipError("not yours")

    monkeypatch.setattr(World, "advance", refuse)
    with pytest.raises(OwnershipError, match=r"^not yours$"):
        sim.step(0.1)


def test_a_binding_that_fills_nothing_is_an_engine_error(sim: Simulation, monkeypatch: pytest.MonkeyPatch) -> None:
    column = Column("mass", rows=np.arange(3))

    def short(buffer: Buffer) -> None:
        raise ValueError("2 rows where 3 were promised")

    monkeypatch.setattr(rest_backend, "FilledColumns", lambda *args: FilledColumns([column], [short]))
    with pytest.raises(EngineError, match="rest could not read: 2 rows where 3 were promised"):
        sim.read(sim.query(BODY), ["mass"])
    monkeypatch.setattr(rest_backend, "FilledColumns", lambda *args: None)
    with pytest.raises(EngineError, match="rest could not read: ovread_bind_read returned None"):
        sim.read(sim.query(BODY), ["mass"])


def test_the_owner_steps_and_resets_and_the_other_is_told_so(rest: Backend, sim: Simulation) -> None:
    world = World()
    attached = Simulation(rest, rest.hooks.ovread_adopt(objects=(world,), options={}), owned_by_caller=True)
    world.advance(0.5)
    attached.stepped(0.5)
    world.advance(0.25)
    world.advance(0.25)
    attached.stepped(0.25, count=2)
    assert (attached.tick, attached.time) == (3, 1.0)
    result = attached.read(attached.query(JOINT, paths=["/World/robot/elbow"]), ["jointPosition"])
    assert (result.tick, result["jointPosition"].numpy().tolist()) == (3, [[5.0]])
    with pytest.raises(OwnershipError, match=r"yours to step: step it, then call sim\.stepped\(dt\)"):
        attached.step(0.1)
    with pytest.raises(OwnershipError, match="yours to reset"):
        attached.reset()
    with pytest.raises(OwnershipError, match=r"ovread's to step: call sim\.step\(dt\)"):
        sim.stepped(0.1)
    for dt in BAD_STEPS:
        with pytest.raises(TimeStepError):
            attached.stepped(dt)  # type: ignore[arg-type]
    assert (attached.tick, world.steps) == (3, 3)


def test_the_owner_can_say_where_the_state_is_now(rest: Backend) -> None:
    first, second = World(), World()
    attached = Simulation(rest, rest.hooks.ovread_adopt(objects=(first,), options={}), owned_by_caller=True)
    reader = attached.reader(attached.query(JOINT), ["jointPosition"])
    second.advance(1.0)
    attached.stepped(1.0, world=second)
    assert reader.read()["jointPosition"].numpy()[:, 0].tolist() == [5, 10, 20, 30]
    with pytest.raises(EngineError, match="unexpected keyword argument 'planet'"):
        attached.stepped(1.0, planet=second)
    assert attached.tick == 1


def test_closing_an_attached_simulation_leaves_the_owner_s_world_running(rest: Backend) -> None:
    world = World()
    with Simulation(rest, rest.hooks.ovread_adopt(objects=(world,), options={}), owned_by_caller=True) as attached:
        attached.query(BODY)
    world.advance(0.1)
    assert world.steps == 1


def test_two_simulations_do_not_disturb_each_other(rest: Backend, opened: Callable[..., Simulation]) -> None:
    one, other = opened(), opened(scenes=2)
    one.step(0.5)
    assert (one.tick, other.tick) == (1, 0)
    one.close()
    assert len(other.read(other.query(ObjectType.SCENE), ["gravity"])["gravity"]) == 2


def test_the_scene_label_is_the_path_or_a_placeholder() -> None:
    assert Scene("a.usda").label == "a.usda"
    assert Scene("#usda 1.0", is_text=True).label == "<USDA text>"
