"""A write session: what is checked when it opens, what its groups hold, and what a commit publishes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from ovread import ObjectType
from ovread.errors import (
    AttributeOfOtherTypeError,
    ClosedError,
    DuplicateAttributeError,
    EngineError,
    ForeignQueryError,
    GroupError,
    NotWritableError,
    SelectionError,
    UnknownAttributeError,
    ValueRefusedError,
    WriteSessionError,
)
from ovread.simulation import Simulation

BODY, JOINT, SCENE = ObjectType.RIGID_BODY, ObjectType.ARTICULATION_JOINT, ObjectType.SCENE


def values(sim: Simulation, kind: ObjectType, name: str) -> list[list[float]]:
    return sim.read(sim.query(kind), [name])[name].numpy().tolist()  # type: ignore[no-any-return]


def written(sim: Simulation) -> list[tuple[str, list[int]]]:
    return sim._engine.world.written  # type: ignore[attr-defined, no-any-return]


@pytest.mark.parametrize(
    ("names", "error", "words"),
    [
        (["position", "masss"], UnknownAttributeError, "Did you mean 'mass'"),
        (["position", "jointPosition"], AttributeOfOtherTypeError, "ARTICULATION_JOINT has it"),
        (["position", "isSleeping"], NotWritableError, "'isSleeping' of RIGID_BODY cannot be written on rest"),
        (["position", "linearAcceleration"], NotWritableError, "what the step computes"),
        (["position", "orientation"], NotWritableError, "does not serve it"),
        (["position", "mass", "position"], DuplicateAttributeError, "'position' is to be written twice"),
        ([], SelectionError, "names its attributes"),
        (7, SelectionError, "pass a list of attribute names"),
        ([7], SelectionError, "pass a list of attribute names"),
    ],
)
def test_all_names_are_checked_before_anything_opens(
    sim: Simulation, names: list[str], error: type[Exception], words: str
) -> None:
    before = values(sim, BODY, "position")
    for opening in (sim.write, sim.writer):
        with pytest.raises(error, match=words):
            opening(sim.query(BODY), names)
    assert values(sim, BODY, "position") == before


def test_a_variant_that_does_not_write_an_attribute_says_so(opened: Callable[..., Simulation]) -> None:
    sim = opened(joints="stuck")
    with pytest.raises(NotWritableError, match="on rest with stuck: A stuck joint has no rate"):
        sim.write(sim.query(JOINT), ["jointVelocity"])


def test_a_query_of_another_simulation_is_foreign(opened: Callable[..., Simulation]) -> None:
    one, other = opened(), opened()
    for refused in (one.write, one.writer):
        with pytest.raises(ForeignQueryError):
            refused(other.query(BODY), ["position"])


def test_groups_come_in_the_order_asked_for_with_the_rows_of_the_query(sim: Simulation) -> None:
    query = sim.query(BODY)
    with sim.write(query, ["mass", "position"]) as write:
        assert [group.attribute for group in write] == ["mass", "position"]
        assert [group.paths for group in write] == [query.paths] * 2
        assert write["position"].lanes == ("x", "y", "z")
        assert (write["position"].units, write["position"].frame) == ("cm", "world")
        assert write["position"].offsets is None
        assert len(write) == 2
        assert [name in write for name in ("mass", "orientation")] == [True, False]
        with pytest.raises(GroupError, match="Did you mean 'position'"):
            write["positon"]


def test_groups_start_with_the_current_values_and_not_with_zeros(sim: Simulation) -> None:
    with sim.write(sim.query(BODY), ["position", "force"]) as write:
        assert write["position"].values.tolist() == [[2, 20, 200], [1, 10, 100], [0, 0, 0]]
        assert not write["force"].values.any(), "nobody exerts a force before the first write"


def test_joints_are_written_by_axis(sim: Simulation) -> None:
    with sim.write(sim.query(JOINT), ["jointPosition"]) as write:
        (group,) = write
        assert group.paths == ("/World/robot/elbow", "/World/robot/locked", "/World/robot/wrist")
        assert group.offsets is not None
        assert group.offsets.tolist() == [0, 1, 1, 4]
        group.per_prim()[2][1] = 7
        write.commit(group)
    assert values(sim, JOINT, "jointPosition") == [[0], [0], [7], [0]]


def test_a_commit_is_read_back_without_a_step_and_moves_only_what_was_filled(sim: Simulation) -> None:
    with sim.write(sim.query(BODY), ["position"]) as write:
        write["position"].values[1, 2] = -5
        write.commit(write["position"])
    assert values(sim, BODY, "position") == [[2, 20, 200], [1, 10, -5], [0, 0, 0]]
    assert written(sim) == [("position", [1])]


def test_writing_what_was_read_touches_no_object(sim: Simulation) -> None:
    for kind, names in ((BODY, ["position", "mass", "force"]), (JOINT, ["jointPosition", "jointVelocity"])):
        with sim.write(sim.query(kind), names) as write:
            for group in write:
                write.commit(group)
    assert written(sim) == []


def test_a_value_that_is_no_number_already_can_be_left_alone(sim: Simulation) -> None:
    sim._engine.world.values["position"][0] = np.nan  # type: ignore[attr-defined]
    with sim.write(sim.query(BODY), ["position"]) as write:
        write["position"].values[0] = 1
        write.commit(write["position"])
    assert written(sim) == [("position", [2])]


def test_rows_outside_a_mask_keep_their_value(sim: Simulation) -> None:
    with sim.write(sim.query(BODY), ["position"]) as write:
        write["position"].values[...] = 9
        write.commit(write["position"], mask=np.array([True, False, True]))
    assert values(sim, BODY, "position") == [[9, 9, 9], [1, 10, 100], [9, 9, 9]]
    assert written(sim) == [("position", [0, 2])] or written(sim) == [("position", [2, 0])]


@pytest.mark.parametrize("mask", [[True], [1, 0, 1], [[True, True, True]], "yes", None.__class__, np.zeros(4, bool)])
def test_a_mask_that_does_not_fit_is_refused(sim: Simulation, mask: object) -> None:
    with sim.write(sim.query(BODY), ["position"]) as write:
        write["position"].values[...] = 9
        with pytest.raises(ValueRefusedError, match="mask="):
            write.commit(write["position"], mask=mask)  # type: ignore[arg-type]
    assert written(sim) == []


def test_what_is_outside_the_mask_is_not_checked(sim: Simulation) -> None:
    with sim.write(sim.query(BODY), ["position"]) as write:
        write["position"].values[0] = np.nan
        write["position"].values[1] = 4
        write.commit(write["position"], mask=np.array([False, True, False]))
    assert written(sim) == [("position", [1])]


def test_commits_apply_in_the_caller_s_order(sim: Simulation) -> None:
    with sim.write(sim.query(BODY), ["position", "mass"]) as write:
        write["position"].values[...] = 9
        write["mass"].values[...] = 9
        write.commit(write["mass"])
        write.commit(write["position"])
    assert [name for name, _ in written(sim)] == ["mass", "position"]


def test_a_group_is_consumed_by_its_commit_and_every_later_use_raises(sim: Simulation) -> None:
    with sim.write(sim.query(BODY), ["position"]) as write:
        (group,) = write
        kept = group.values
        write.commit(group)
        for use in (
            lambda: write.commit(group), lambda: group.values, lambda: group.numpy(), lambda: group.offsets,
            lambda: group.per_prim(), lambda: group.resize([1]),
        ):  # fmt: skip
            with pytest.raises(WriteSessionError, match="'position' has been committed"):
                use()
        with pytest.raises(ValueError, match="read-only"):
            kept[...] = 0


def test_what_is_not_committed_is_discarded(sim: Simulation) -> None:
    with sim.write(sim.query(BODY), ["position", "mass"]) as write:
        write["position"].values[...] = 9
        write["mass"].values[...] = 9
        write.commit(write["mass"])
        group = write["position"]
    assert values(sim, BODY, "position") == [[2, 20, 200], [1, 10, 100], [0, 0, 0]]
    for use in (lambda: group.values, lambda: write.commit(group)):
        with pytest.raises(WriteSessionError, match="belongs to a closed session"):
            use()


def test_a_group_of_another_session_is_refused(sim: Simulation) -> None:
    with sim.write(sim.query(BODY), ["position"]) as one, sim.write(sim.query(BODY), ["position"]) as other:
        for foreign in (one["position"], "position", None):
            with pytest.raises(WriteSessionError, match="does not belong to this session"):
                other.commit(foreign)  # type: ignore[arg-type]


@pytest.mark.parametrize("event", ["step", "reset"])
def test_a_session_does_not_outlive_a_step_or_a_reset(sim: Simulation, event: str) -> None:
    with sim.write(sim.query(BODY), ["position"]) as write:
        write["position"].values[...] = 9
        sim.step(0.1) if event == "step" else sim.reset()
        with pytest.raises(WriteSessionError, match="has stepped or was reset"):
            write.commit(write["position"])


def test_a_session_does_not_outlive_its_simulation(sim: Simulation) -> None:
    with sim.write(sim.query(BODY), ["position"]) as write:
        sim.close()
        with pytest.raises(ClosedError):
            write.commit(write["position"])


def test_two_sessions_at_once_keep_what_the_other_wrote(sim: Simulation) -> None:
    with sim.write(sim.query(BODY), ["position"]) as one, sim.write(sim.query(BODY), ["position"]) as other:
        one["position"].values[0] = 5
        one.commit(one["position"])
        other["position"].values[1] = 6
        other.commit(other["position"])
    assert values(sim, BODY, "position") == [[5, 5, 5], [6, 6, 6], [0, 0, 0]]


def test_a_refused_commit_changes_no_row_and_can_be_corrected(sim: Simulation) -> None:
    with sim.write(sim.query(BODY), ["mass"]) as write:
        (group,) = write
        group.values[:, 0] = [5, 6, -1]
        with pytest.raises(
            ValueRefusedError, match=r"'mass' of /World/env_10/box \(row 2\) cannot be -1.0: it must be"
        ):
            write.commit(group)
        group.values[2] = 101
        with pytest.raises(ValueRefusedError, match="more than 100"):
            write.commit(group)
        assert written(sim) == []
        group.values[2] = 7
        write.commit(group)
    assert values(sim, BODY, "mass") == [[5], [6], [7]]


def test_when_the_engine_fails_halfway_the_values_before_are_restored(sim: Simulation) -> None:
    before = values(sim, BODY, "position")
    sim._engine.world.broken = "position"  # type: ignore[attr-defined]
    with sim.write(sim.query(BODY), ["position"]) as write:
        write["position"].values[...] = 9
        with pytest.raises(EngineError, match=r"the world shook\. The values before have been restored"):
            write.commit(write["position"])
        with pytest.raises(WriteSessionError, match="was refused by the engine"):
            write.commit(write["position"])
    assert values(sim, BODY, "position") == before


def test_rows_that_cannot_be_written_are_left_out_and_named(sim: Simulation) -> None:
    with sim.write(sim.query(BODY), ["kinematicTargetPosition"]) as write:
        assert write["kinematicTargetPosition"].paths == ("/World/env_1/box",)
        (omission,) = write.omissions
        assert omission.detail == "The body is not kinematic."
        assert sorted(omission.paths) == ["/World/env_10/box", "/World/env_2/box"]


def test_an_attribute_that_none_of_the_rows_takes_is_refused_when_the_session_opens(sim: Simulation) -> None:
    with pytest.raises(NotWritableError, match="The body is not kinematic"):
        sim.write(sim.query(BODY, paths=["/World/env_2/box"]), ["kinematicTargetPosition"])


def test_each_scene_has_a_group_of_its_own(opened: Callable[..., Simulation]) -> None:
    sim = opened(scenes=2)
    with sim.write(sim.query(BODY), ["mass"]) as write:
        assert [group.scene for group in write] == ["/Physics/left", "/Physics/right"]
        write.all("mass")[1].values[...] = 50
        write.commit(write.all("mass")[1])
    assert written(sim) == [("mass", [5, 4, 3])]


def test_a_query_of_nothing_has_groups_without_rows(sim: Simulation) -> None:
    with sim.write(sim.query(BODY, pattern="/Nowhere/*"), ["position", "mass"]) as write:
        assert [len(group) for group in write] == [0, 0]
        for group in write:
            write.commit(group)
    with sim.write(sim.query(JOINT, pattern="/Nowhere/*"), ["jointPosition"]) as write:
        assert write["jointPosition"].offsets.tolist() == [0]


def test_rows_follow_the_order_of_explicit_paths(sim: Simulation) -> None:
    query = sim.query(BODY, paths=["/World/env_10/box", "/World/env_1/box"])
    sim.set(query, "position", [[1, 1, 1], [2, 2, 2]])
    assert values(sim, BODY, "position") == [[2, 2, 2], [1, 10, 100], [1, 1, 1]]
