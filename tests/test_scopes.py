"""Queries of what moved: the scope ACTIVE, where a backend knows it."""

from __future__ import annotations

import types

import numpy as np
import pytest
import rest_backend
from rest_world import BODIES, World

from ovread import ObjectScope, ObjectType
from ovread.errors import EngineError, SelectionError
from ovread.plugins import Plugins
from ovread.simulation import Simulation

BODY, JOINT = ObjectType.RIGID_BODY, ObjectType.ARTICULATION_JOINT
ACTIVE = ObjectScope.ACTIVE


def world_of(sim: Simulation) -> World:
    return sim._engine.world  # type: ignore[attr-defined]


def test_active_are_the_objects_that_the_backend_names_in_canonical_order(sim: Simulation) -> None:
    assert sim.query(BODY, scope=ACTIVE).paths == ()
    world_of(sim).moving = np.array([0, 2])
    query = sim.query(BODY, scope=ACTIVE)
    assert query.scope is ACTIVE
    assert query.paths == (BODIES[2], BODIES[0]) == ("/World/env_1/box", "/World/env_10/box")
    assert query.native_rows.tolist() == [2, 0]
    assert sim.query(BODY, scope=ACTIVE, order="native").paths == (BODIES[0], BODIES[2])
    assert sim.read(query, ["mass"])["mass"].numpy().tolist() == [[3], [1]]


def test_the_order_in_which_the_backend_names_them_does_not_matter(sim: Simulation) -> None:
    world_of(sim).moving = np.array([2, 0])
    assert sim.query(BODY, scope=ACTIVE, order="native").paths == (BODIES[0], BODIES[2])


def test_an_active_query_is_a_selection_made_once(sim: Simulation) -> None:
    world_of(sim).moving = np.array([1])
    query = sim.query(BODY, scope=ACTIVE)
    world_of(sim).moving = np.array([0])
    assert query.paths == (BODIES[1],)
    assert sim.read(query, ["mass"])["mass"].numpy().tolist() == [[2]]
    assert sim.query(BODY, scope=ACTIVE).paths == (BODIES[0],)


def test_all_does_not_ask_what_moved(sim: Simulation) -> None:
    world_of(sim).moving = None  # type: ignore[assignment]
    query = sim.query(BODY, scope=ObjectScope.ALL)
    assert (len(query), query.scope) == (3, ObjectScope.ALL)


@pytest.mark.parametrize("given", [{"paths": [BODIES[0]]}, {"paths": []}, {"pattern": "/World/*/box"}])
def test_active_covers_all_objects_of_a_type_or_none(sim: Simulation, given: dict) -> None:
    with pytest.raises(SelectionError, match=r"scope=ACTIVE covers all objects of a type: leave out paths="):
        sim.query(BODY, scope=ACTIVE, **given)


def test_contacts_and_active_contradict_each_other(sim: Simulation) -> None:
    with pytest.raises(SelectionError, match="leave out paths=, pattern= and contacts="):
        sim.query(ObjectType.CONTACT_SENSOR, scope=ACTIVE, contacts=[])


def test_a_type_of_which_the_backend_does_not_know_is_an_error(sim: Simulation) -> None:
    with pytest.raises(SelectionError, match=r"'rest' does not know which objects moved: take scope=ALL"):
        sim.query(JOINT, scope=ACTIVE)


def test_a_backend_without_the_hook_is_an_error_too() -> None:
    module = types.ModuleType("tired")
    module.__dict__.update(vars(rest_backend))
    del module.ovread_active_rows
    plugins = Plugins([])
    plugins.add("tired", module, distribution="ovread-tired", version="1")
    with Simulation(plugins.get("tired"), rest_backend.RestEngine(World())) as sim:
        assert len(sim.query(BODY)) == 3
        with pytest.raises(SelectionError, match="'tired' does not know which objects moved"):
            sim.query(BODY, scope=ACTIVE)


def test_an_engine_that_fails_to_say_what_moved_is_an_engine_error(
    sim: Simulation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(world_of(sim), "moving")
    with pytest.raises(EngineError, match=r"rest could not query: .*moving"):
        sim.query(BODY, scope=ACTIVE)


@pytest.mark.parametrize("given", [0, 1, "ACTIVE", None, BODY])
def test_a_scope_is_given_by_name_never_by_number(sim: Simulation, given: object) -> None:
    with pytest.raises(SelectionError, match=r"is not an ovread\.ObjectScope: take ALL or ACTIVE"):
        sim.query(BODY, scope=given)  # type: ignore[arg-type]
