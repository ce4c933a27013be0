"""A result is a snapshot: groups that say what their values are, and reasons for what is missing."""

from __future__ import annotations

import numpy as np
import pytest
import warp as wp
from rest_world import RATES, SCENES, World

from ovread import ObjectType, OmissionReason
from ovread.errors import GroupError, OmittedError
from ovread.simulation import Simulation

BODY, JOINT = ObjectType.RIGID_BODY, ObjectType.ARTICULATION_JOINT


def test_groups_come_in_the_order_asked_for(sim: Simulation) -> None:
    result = sim.read(sim.query(BODY), ["mass", "position"])
    assert [group.attribute for group in result] == ["mass", "position"]
    assert len(result) == 2
    assert "mass" in result
    assert "orientation" not in result
    assert result["mass"] is next(iter(result))


def test_a_group_says_what_its_values_are(sim: Simulation) -> None:
    group = sim.read(sim.query(BODY), ["position"])["position"]
    assert group.paths == ("/World/env_1/box", "/World/env_2/box", "/World/env_10/box")
    assert group.lanes == ("x", "y", "z")
    assert (group.units, group.frame, group.scene) == ("cm", "world", None)
    assert group.offsets is None
    assert len(group) == 3
    assert group.row.dtype == "f32"
    joints = sim.read(sim.query(JOINT), ["jointPosition"])["jointPosition"]
    assert (joints.units, joints.frame) == ("deg or cm", "joint")


@pytest.mark.parametrize(
    ("kind", "name", "dtype"), [(BODY, "position", np.float32), (ObjectType.ARTICULATION, "linkCount", np.int32)]
)
def test_values_are_a_warp_array_that_numpy_sees_without_a_copy(
    sim: Simulation, kind: ObjectType, name: str, dtype: type
) -> None:
    group = sim.read(sim.query(kind), [name])[name]
    assert isinstance(group.values, wp.array)
    view = group.numpy()
    assert view.dtype == dtype
    assert view.shape == group.values.shape == (len(group.paths), len(group.lanes))
    assert view.__array_interface__["data"][0] == group.values.ptr
    view[:] = 7
    assert (group.values.numpy() == 7).all()


def test_reading_one_attribute_gives_the_values_of_each_path(sim: Simulation) -> None:
    result = sim.read(sim.query(BODY), ["position", "mass"])
    assert result["position"].numpy().tolist() == [[2, 20, 200], [1, 10, 100], [0, 0, 0]]
    assert result["mass"].numpy().tolist() == [[3], [2], [1]]
    assert [row.tolist() for row in result["position"].per_prim()] == [[2, 20, 200], [1, 10, 100], [0, 0, 0]]


def test_a_ragged_group_is_one_flat_array_with_offsets(sim: Simulation) -> None:
    group = sim.read(sim.query(JOINT), ["jointVelocity"])["jointVelocity"]
    assert group.paths == ("/World/robot/elbow", "/World/robot/locked", "/World/robot/wrist")
    assert group.offsets is not None
    assert group.offsets.tolist() == [0, 1, 1, 4]
    assert group.numpy().tolist() == [[5], [10], [20], [30]]
    assert [part[:, 0].tolist() for part in group.per_prim()] == [list(RATES[path]) for path in group.paths]
    assert [part.shape for part in group.per_prim()] == [(1, 1), (0, 1), (3, 1)]


def test_a_ragged_group_follows_the_caller_s_order(sim: Simulation) -> None:
    query = sim.query(JOINT, paths=["/World/robot/wrist", "/World/robot/elbow"])
    group = sim.read(query, ["jointVelocity"])["jointVelocity"]
    assert group.offsets is not None
    assert group.offsets.tolist() == [0, 3, 4]
    assert group.numpy()[:, 0].tolist() == [10, 20, 30, 5]


def test_parts_of_a_ragged_group_are_views(sim: Simulation) -> None:
    group = sim.read(sim.query(JOINT), ["jointVelocity"])["jointVelocity"]
    group.per_prim()[2][:] = 1
    assert group.numpy()[:, 0].tolist() == [5, 1, 1, 1]


def test_a_path_that_two_scenes_share_is_told_apart_by_the_scene_of_its_group(opened) -> None:
    sim = opened(scenes=2)
    result = sim.read(sim.query(BODY), ["mass"])
    left, right = result.all("mass")
    assert (left.scene, right.scene) == SCENES
    assert left.paths == right.paths == ("/World/env_1/box", "/World/env_2/box", "/World/env_10/box")
    assert left.numpy()[:, 0].tolist() == [3, 2, 1]
    assert right.numpy()[:, 0].tolist() == [6, 5, 4]
    with pytest.raises(GroupError, match=r"'mass' has 2 groups \(scenes: /Physics/left, /Physics/right\).*result\.all"):
        result["mass"]


def test_an_attribute_that_the_backend_declares_unsupported_is_omitted_with_its_reason(sim: Simulation) -> None:
    result = sim.read(sim.query(BODY), ["isSleeping", "mass"])
    assert [group.attribute for group in result] == ["mass"]
    (omission,) = result.omissions
    assert (omission.attribute, omission.reason) == ("isSleeping", OmissionReason.UNSUPPORTED_ATTRIBUTE)
    assert omission.detail == "Nothing here ever wakes."
    assert omission.paths == ()
    assert result.all("isSleeping") == ()
    with pytest.raises(OmittedError, match="'isSleeping' was omitted: UNSUPPORTED_ATTRIBUTE: Nothing here ever wakes"):
        result["isSleeping"]


def test_a_reason_is_equal_to_its_name(sim: Simulation) -> None:
    (omission,) = sim.read(sim.query(BODY), ["isSleeping"]).omissions
    assert omission.reason == "UNSUPPORTED_ATTRIBUTE"
    assert {reason.value for reason in OmissionReason} == {reason.name for reason in OmissionReason}
    assert f"{OmissionReason.NOT_READY}" == "NOT_READY"
    assert [reason.name for reason in OmissionReason] == [
        "UNSUPPORTED_ATTRIBUTE",
        "UNSUPPORTED_CONFIGURATION",
        "NOT_READY",
    ]


def test_an_attribute_that_the_backend_does_not_mention_is_omitted_too(sim: Simulation) -> None:
    result = sim.read(sim.query(BODY), ["inertia"])
    assert len(result) == 0
    (omission,) = result.omissions
    assert omission.reason is OmissionReason.UNSUPPORTED_ATTRIBUTE
    assert "rest" in omission.detail


def test_what_only_this_variant_lacks_is_a_matter_of_configuration(opened) -> None:
    sim = opened(joints="stuck")
    result = sim.read(sim.query(JOINT), ["jointPosition", "jointVelocity"])
    (omission,) = result.omissions
    assert (omission.attribute, omission.reason) == ("jointVelocity", OmissionReason.UNSUPPORTED_CONFIGURATION)
    assert omission.detail == "A stuck joint has no rate."
    assert "jointVelocity" not in result


def test_rows_that_cannot_be_served_are_left_out_and_named(sim: Simulation) -> None:
    result = sim.read(sim.query(BODY), ["kinematicTargetPosition", "mass"])
    assert result["kinematicTargetPosition"].paths == ("/World/env_1/box",)
    assert result["kinematicTargetPosition"].numpy().shape == (1, 3)
    assert len(result["mass"]) == 3
    (omission,) = result.omissions
    assert omission.paths == ("/World/env_2/box", "/World/env_10/box")
    assert omission.reason is OmissionReason.UNSUPPORTED_CONFIGURATION


def test_what_is_not_ready_is_omitted_and_served_after_a_step(sim: Simulation) -> None:
    query = sim.query(BODY)
    reader = sim.reader(query, ["linearAcceleration", "mass"])
    before = sim.read(query, ["linearAcceleration", "mass"])
    for result in (before, reader.read()):
        assert [group.attribute for group in result] == ["mass"]
        (omission,) = result.omissions
        assert (omission.attribute, omission.reason) == ("linearAcceleration", OmissionReason.NOT_READY)
        with pytest.raises(OmittedError, match="NOT_READY: It comes with the first step"):
            result["linearAcceleration"]
    sim.step(0.1)
    for result in (sim.read(query, ["linearAcceleration", "mass"]), reader.read()):
        assert [group.attribute for group in result] == ["linearAcceleration", "mass"]
        assert result.omissions == ()
        assert result["linearAcceleration"].numpy().tolist() == [[0, 0, 0]] * 3
    assert len(before.omissions) == 1, "an earlier result stays what it was"
    sim.reset()
    assert "linearAcceleration" not in reader.read()


def test_one_omission_of_several_scenes_is_told_once(opened) -> None:
    sim = opened(scenes=2)
    assert len(sim.read(sim.query(BODY), ["linearAcceleration"]).omissions) == 1


@pytest.mark.parametrize("asked", [["position", "mass"], ["isSleeping"], ["linearAcceleration", "isSleeping"], []])
def test_every_attribute_asked_for_has_a_group_or_a_reason(sim: Simulation, asked: list[str]) -> None:
    result = sim.read(sim.query(BODY), asked)
    named = {group.attribute for group in result} | {omission.attribute for omission in result.omissions}
    assert named == set(asked)


def test_a_group_that_was_not_asked_for_is_an_error_that_says_what_was(sim: Simulation) -> None:
    result = sim.read(sim.query(BODY), ["mass", "position"])
    with pytest.raises(
        GroupError, match=r"'postion' is not in this result, .* mass, position\. Did you mean 'position'"
    ):
        result["postion"]


def test_a_result_prints_what_it_holds(sim: Simulation) -> None:
    assert repr(sim.read(sim.query(BODY), ["mass", "isSleeping"])) == "<ReadResult tick=0 groups=[mass] omissions=1>"


def test_a_fresh_result_is_untouched_by_steps_other_reads_resets_and_closing(sim: Simulation) -> None:
    query = sim.query(JOINT)
    sim.step(0.5)
    kept = sim.read(query, ["jointPosition"])
    values = kept["jointPosition"].numpy().copy()
    assert values.any()
    sim.step(0.5)
    later = sim.read(query, ["jointPosition"])
    assert not np.array_equal(later["jointPosition"].numpy(), values)
    assert later["jointPosition"].values.ptr != kept["jointPosition"].values.ptr
    sim.reset()
    sim.read(query, ["jointPosition"])
    sim.close()
    assert np.array_equal(kept["jointPosition"].numpy(), values)
    assert (kept.tick, kept.time) == (1, 0.5)
    assert (later.tick, later.time) == (2, 1.0)


def test_a_result_is_never_a_view_of_the_engine(sim: Simulation) -> None:
    world: World = sim._engine.world  # type: ignore[attr-defined]
    result = sim.read(sim.query(BODY), ["position"])
    result["position"].numpy()[:] = -1
    assert (world.values["position"] >= 0).all()
    world.values["position"][:] = -2
    assert (result["position"].numpy() == -1).all()
