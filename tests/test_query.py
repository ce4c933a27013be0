"""A query selects rows and gives them one order, the same whatever the backend's own is."""

from __future__ import annotations

import numpy as np
import pytest
from rest_world import BODIES, RATES, SCENES

from ovread import ObjectScope, ObjectType
from ovread.backend import Objects
from ovread.errors import PatternError, SelectionError, UnknownPathError
from ovread.query import Query, select_rows
from ovread.simulation import Simulation

BODY, JOINT, ARTICULATION = ObjectType.RIGID_BODY, ObjectType.ARTICULATION_JOINT, ObjectType.ARTICULATION
CANONICAL = ("/World/env_1/box", "/World/env_2/box", "/World/env_10/box")


def test_rows_come_in_natural_path_order_whatever_the_backend_s_own(sim: Simulation) -> None:
    query = sim.query(BODY)
    assert query.paths == CANONICAL
    assert len(query) == 3
    assert query.object_type is BODY
    assert query.scope is ObjectScope.ALL


def test_the_native_order_can_be_had_and_mapped_to_the_canonical_one(sim: Simulation) -> None:
    native, canonical = sim.query(BODY, order="native"), sim.query(BODY)
    assert native.paths == BODIES
    assert native.native_rows.tolist() == [0, 1, 2]
    assert canonical.native_rows.tolist() == [2, 1, 0]
    values = {query: sim.read(query, ["position"])["position"].numpy() for query in (native, canonical)}
    assert np.array_equal(values[canonical], values[native][canonical.native_rows])
    assert not np.array_equal(values[canonical], values[native])


def test_explicit_paths_keep_the_caller_s_order(sim: Simulation) -> None:
    wanted = [CANONICAL[1], CANONICAL[2], CANONICAL[0]]
    query = sim.query(BODY, paths=wanted)
    assert query.paths == tuple(wanted)
    assert query.native_rows.tolist() == [1, 0, 2]
    masses = sim.read(query, ["mass"])["mass"].numpy()[:, 0]
    assert masses.tolist() == [2, 1, 3]
    assert sim.query(BODY, paths=iter(wanted)).paths == tuple(wanted)
    assert sim.query(BODY, paths=tuple(wanted), order="native").paths == tuple(wanted)


def test_a_pattern_selects_and_the_order_stays_canonical(sim: Simulation) -> None:
    assert sim.query(BODY, pattern="/World/env_1*/box").paths == (CANONICAL[0], CANONICAL[2])
    assert sim.query(BODY, pattern="/World/env_1*/box", order="native").paths == (CANONICAL[2], CANONICAL[0])


def test_an_articulation_is_selected_by_its_links_and_joints_too(sim: Simulation) -> None:
    for pattern in ("/World/robot", "/World/robot/hand", "/World/*/wrist", "/World/robot/**", "/World/robot/*"):
        assert sim.query(ARTICULATION, pattern=pattern).paths == ("/World/robot",)
    assert len(sim.query(ARTICULATION, pattern="/World/robot/foot")) == 0
    assert len(sim.query(JOINT, pattern="/World/robot")) == 0, "only articulations are selected by their members"


def test_an_unknown_path_is_an_error_that_names_it_and_suggests_the_nearest(sim: Simulation) -> None:
    with pytest.raises(
        UnknownPathError, match=r"No RIGID_BODY has the path '/World/env_2/bx'\. Did you mean"
    ) as caught:
        sim.query(BODY, paths=["/World/env_1/box", "/World/env_2/bx"])
    assert "'/World/env_2/box'" in str(caught.value)
    assert "has 3 of this type: /World/env_1/box, /World/env_2/box, /World/env_10/box" in str(caught.value)
    with pytest.raises(UnknownPathError, match="No RIGID_BODY has the path '/World/robot/wrist'"):
        sim.query(BODY, paths=["/World/robot/wrist"])
    with pytest.raises(UnknownPathError, match="the scene has no object of this type"):
        sim.query(ObjectType.VEHICLE, paths=["/World/car"])


def test_a_long_list_of_candidates_is_cut() -> None:
    objects = Objects([f"/World/env_{number}/box" for number in range(100)])
    with pytest.raises(UnknownPathError, match=r"has 100 of this type: /World/env_0/box, .*/World/env_4/box, \.\.\.$"):
        select_rows(objects, BODY, ["/x"], None, "canonical")


def test_a_path_named_twice_is_an_error(sim: Simulation) -> None:
    with pytest.raises(SelectionError, match="/World/env_2/box is named twice"):
        sim.query(BODY, paths=["/World/env_2/box", "/World/env_1/box", "/World/env_2/box"])


def test_one_string_is_not_a_list_of_paths(sim: Simulation) -> None:
    with pytest.raises(SelectionError, match="is not a list of paths: pass one"):
        sim.query(BODY, paths="/World/env_2/box")  # type: ignore[arg-type]


def test_paths_and_a_pattern_contradict_each_other(sim: Simulation) -> None:
    with pytest.raises(SelectionError, match="either paths= or pattern=, not both"):
        sim.query(BODY, paths=["/World/env_1/box"], pattern="/World/*")


def test_an_order_that_does_not_exist_is_an_error_that_lists_those_that_do(sim: Simulation) -> None:
    with pytest.raises(SelectionError, match="order='authored': take 'canonical' or 'native'"):
        sim.query(BODY, order="authored")


@pytest.mark.parametrize("given", [0, "RIGID_BODY", None, ObjectScope.ALL])
def test_an_object_type_is_given_by_name_never_by_number(sim: Simulation, given: object) -> None:
    with pytest.raises(SelectionError, match=r"is not an ovread\.ObjectType\. Types: RIGID_BODY, "):
        sim.query(given)  # type: ignore[arg-type]


def test_a_malformed_pattern_is_an_error_even_where_nothing_could_match(sim: Simulation) -> None:
    with pytest.raises(PatternError):
        sim.query(BODY, pattern="World/*")
    with pytest.raises(PatternError):
        sim.query(ObjectType.VEHICLE, pattern="/World/[")


@pytest.mark.parametrize("given", [{"pattern": "/World/none*"}, {"paths": []}])
def test_an_empty_selection_is_no_error_and_reads_as_empty(sim: Simulation, given: dict) -> None:
    query = sim.query(BODY, **given)
    assert len(query) == 0
    assert query.paths == ()
    group = sim.read(query, ["position"])["position"]
    assert group.numpy().shape == (0, 3)
    assert group.per_prim() == []
    assert len(sim.query(ObjectType.VEHICLE)) == 0


def test_a_query_names_what_can_be_read_of_its_type(opened) -> None:
    sim = opened()
    assert sim.query(BODY).attributes == ("position", "linearAcceleration", "mass", "kinematicTargetPosition")
    assert sim.query(JOINT).attributes == ("jointPosition", "jointVelocity")
    assert opened(joints="stuck").query(JOINT).attributes == ("jointPosition",)
    assert sim.query(ObjectType.VEHICLE).attributes == ()


def test_a_path_that_two_scenes_share_has_a_row_for_each(opened) -> None:
    sim = opened(scenes=2)
    query = sim.query(BODY)
    assert query.paths == tuple(path for path in CANONICAL for _ in SCENES)
    assert query.native_rows.tolist() == [2, 5, 1, 4, 0, 3]
    assert sim.query(BODY, paths=["/World/env_2/box"]).native_rows.tolist() == [1, 4]


def test_a_query_cannot_be_changed(sim: Simulation) -> None:
    query = sim.query(JOINT)
    assert query.paths == tuple(sorted(RATES))
    with pytest.raises(AttributeError):
        query.paths = ()  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        query.native_rows[0] = 1


def test_making_a_query_does_not_ask_for_members_without_a_pattern() -> None:
    def members() -> list:
        raise AssertionError("expensive")

    objects = Objects(["/a"], members=members)
    assert select_rows(objects, ARTICULATION, None, None, "canonical").tolist() == [0]
    assert select_rows(objects, ARTICULATION, ["/a"], None, "canonical").tolist() == [0]


def test_two_equal_queries_are_two_queries(sim: Simulation) -> None:
    assert isinstance(sim.query(BODY), Query)
    assert sim.query(BODY) != sim.query(BODY)
