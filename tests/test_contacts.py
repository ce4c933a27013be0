"""Queries of contact sensors: which sensors, in which order, and what their contacts are told apart by."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import rest_backend
from rest_world import BODIES, SENSORS, World

from ovread import ContactSelection, ObjectType, OmissionReason
from ovread.backend import FilledColumns, Objects
from ovread.errors import PatternError, SelectionError, UnknownPathError
from ovread.query import select_contacts
from ovread.simulation import Simulation

SENSOR = ObjectType.CONTACT_SENSOR
FLOOR, TEN, TWO = SENSORS
ONE = BODIES[2]


def world_of(sim: Simulation) -> World:
    return sim._engine.world  # type: ignore[attr-defined]


def test_one_filter_is_told_apart_for_all_sensors(sim: Simulation) -> None:
    query = sim.query(SENSOR, contacts=[ContactSelection("/World/**", [[ONE]])])
    assert query.paths == (TWO, TEN, FLOOR)
    assert query.filters == ((ONE,), (ONE,), (ONE,))
    assert query.native_rows.tolist() == [2, 1, 0]


def test_a_filter_may_pair_one_object_with_each_sensor_in_their_order(sim: Simulation) -> None:
    sensors = [TEN, TWO]
    query = sim.query(SENSOR, contacts=[ContactSelection(sensors, [[TWO, TEN], [ONE]])])
    assert query.paths == (TEN, TWO)
    assert query.filters == ((TWO, ONE), (TEN, ONE))


def test_patterns_pair_in_canonical_order(sim: Simulation) -> None:
    query = sim.query(SENSOR, contacts=[ContactSelection("/World/env_*/box", ["/World/env_(1|2)/box"])])
    assert query.paths == (TWO, TEN)
    assert query.filters == ((ONE,), (TWO,))


def test_sensors_without_filters_are_plain_rows(sim: Simulation) -> None:
    query = sim.query(SENSOR, contacts=[ContactSelection([FLOOR, TWO])])
    assert (query.paths, query.filters) == ((FLOOR, TWO), ((), ()))
    assert sim.query(SENSOR).filters == ()
    assert len(sim.query(SENSOR, contacts=[])) == 0


def test_rows_come_selection_by_selection_and_none_is_repeated(sim: Simulation) -> None:
    query = sim.query(
        SENSOR,
        contacts=[
            ContactSelection([FLOOR], [[ONE], [TWO]]),
            ContactSelection([TWO, FLOOR], [[TEN], [ONE]]),
        ],
    )
    assert query.paths == (FLOOR, TWO)
    assert query.filters == ((ONE, TWO), (TEN, ONE)), "the first selection that has a sensor decides"


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ([[TWO, ONE]], 2),
        (["/World/env_*/box", [ONE]], 3),
        (["/World/nothing*"], 0),
        ([[]], 0),
        ([[ONE], [ONE, TWO]], 2),
    ],
)
def test_a_filter_that_pairs_with_the_wrong_number_of_sensors_is_an_error(
    sim: Simulation, filters: list, found: int
) -> None:
    sensors = [FLOOR] if found == 2 else [FLOOR, TWO]
    with pytest.raises(SelectionError, match=f"selects {found} objects for {len(sensors)} sensors: it must select one"):
        sim.query(SENSOR, contacts=[ContactSelection(sensors, filters)])


def test_selections_with_different_numbers_of_filters_are_an_error(sim: Simulation) -> None:
    contacts = [ContactSelection([FLOOR], [[ONE]]), ContactSelection([TWO], [[ONE], [TEN]])]
    with pytest.raises(SelectionError, match="must have the same number of filters"):
        sim.query(SENSOR, contacts=contacts)


@pytest.mark.parametrize("given", [["/World/floor"], "/World/floor", [None], 3, ContactSelection([FLOOR])])
def test_what_is_no_list_of_selections_is_an_error(sim: Simulation, given: Any) -> None:
    with pytest.raises(SelectionError, match=r"contacts=.*: pass a list of ovread\.ContactSelection"):
        sim.query(SENSOR, contacts=given)


def test_one_string_is_not_a_list_of_filters(sim: Simulation) -> None:
    with pytest.raises(SelectionError, match=r"filters='/World/env_1/box' is not a list of filters: pass \["):
        sim.query(SENSOR, contacts=[ContactSelection([FLOOR], ONE)])


@pytest.mark.parametrize("kind", [ObjectType.RIGID_BODY, ObjectType.ARTICULATION_LINK])
def test_only_contact_sensors_are_selected_by_contacts(sim: Simulation, kind: ObjectType) -> None:
    with pytest.raises(SelectionError, match="contacts= selects contact sensors"):
        sim.query(kind, contacts=[ContactSelection([ONE])])


@pytest.mark.parametrize("given", [{"pattern": "/World/*"}, {"paths": [FLOOR]}])
def test_contacts_contradict_paths_and_a_pattern(sim: Simulation, given: dict) -> None:
    with pytest.raises(SelectionError, match="without paths= and pattern="):
        sim.query(SENSOR, contacts=[ContactSelection([FLOOR])], **given)


def test_a_sensor_is_not_its_own_filter_and_has_each_filter_once(sim: Simulation) -> None:
    with pytest.raises(SelectionError, match="/World/env_2/box is filtered by itself"):
        sim.query(SENSOR, contacts=[ContactSelection([FLOOR, TWO], [[TWO]])])
    with pytest.raises(SelectionError, match="/World/floor has one filter twice"):
        sim.query(SENSOR, contacts=[ContactSelection([FLOOR], [[ONE], [TWO], "/World/env_1/box"])])


def test_an_unknown_sensor_or_filter_is_an_error_that_names_it(sim: Simulation) -> None:
    with pytest.raises(UnknownPathError, match="No CONTACT_SENSOR has the path '/World/flor'"):
        sim.query(SENSOR, contacts=[ContactSelection(["/World/flor"])])
    with pytest.raises(UnknownPathError, match="'/World/wall'"):
        sim.query(SENSOR, contacts=[ContactSelection([FLOOR], [["/World/wall"]])])
    with pytest.raises(PatternError):
        sim.query(SENSOR, contacts=[ContactSelection("floor")])


def test_the_filters_of_no_sensor_are_no_rows() -> None:
    rows, filters = select_contacts(Objects(SENSORS), [ContactSelection("/World/none*", [[ONE]])], [ONE])
    assert (rows.tolist(), rows.dtype, filters) == ([], np.intp, ())


def test_the_backend_gets_the_filters_of_each_row(sim: Simulation, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def note(*given: Any) -> FilledColumns:
        asked.append(given[4])
        return columns(*given)

    columns = rest_backend._columns
    monkeypatch.setattr(rest_backend, "_columns", note)
    sim.read(sim.query(SENSOR, contacts=[ContactSelection([TEN, TWO], [[TWO, TEN], [ONE]])]), ["rawContactForce"])
    sim.read(sim.query(SENSOR), ["rawContactForce"])
    sim.read(sim.query(ObjectType.RIGID_BODY), ["mass"])
    assert asked == [((TWO, ONE), (TEN, ONE)), (), ()]


def test_a_column_per_filter_has_a_lane_per_filter(sim: Simulation) -> None:
    world_of(sim).contacts = [[ONE, TEN, ONE], [], [ONE]]
    query = sim.query(SENSOR, contacts=[ContactSelection([FLOOR, TWO], [[ONE], [TEN]])])
    group = sim.read(query, ["filteredContactCount"])["filteredContactCount"]
    assert group.numpy().tolist() == [[2, 1], [1, 0]]
    assert len(group.lanes) == 2


def test_without_filters_what_needs_them_is_omitted(sim: Simulation) -> None:
    (omission,) = sim.read(sim.query(SENSOR), ["filteredContactCount"]).omissions
    assert (omission.reason, omission.detail) == (
        OmissionReason.UNSUPPORTED_CONFIGURATION,
        "The query has no filters.",
    )


def test_a_query_of_contacts_survives_a_reset(sim: Simulation) -> None:
    query = sim.query(SENSOR, contacts=[ContactSelection([FLOOR], [[ONE]])])
    reader = sim.reader(query, ["filteredContactCount"])
    world_of(sim).contacts[0] = [ONE]
    assert reader.read()["filteredContactCount"].numpy().tolist() == [[1]]
    sim.reset()
    assert reader.read()["filteredContactCount"].numpy().tolist() == [[0]]
