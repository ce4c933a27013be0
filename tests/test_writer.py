"""Writing in one line, and writing every step."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest
import warp as wp

from ovread import ObjectType, WriteGroup, catalogue
from ovread.assignment import sized
from ovread.errors import ClosedError, NotWritableError, ValueRefusedError
from ovread.simulation import Simulation

BODY, JOINT, SCENE = ObjectType.RIGID_BODY, ObjectType.ARTICULATION_JOINT, ObjectType.SCENE


def values(sim: Simulation, kind: ObjectType, name: str) -> list[list[float]]:
    return sim.read(sim.query(kind), [name])[name].numpy().tolist()  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (4, [[4, 4, 4]] * 3),
        ([1, 2, 3], [[1, 2, 3]] * 3),
        (np.arange(9).reshape(3, 3), [[0, 1, 2], [3, 4, 5], [6, 7, 8]]),
        (wp.array(np.eye(3, dtype=np.float32), device="cpu"), np.eye(3).tolist()),
    ],
)
def test_set_writes_all_rows_in_one_line(sim: Simulation, given: object, expected: list[list[float]]) -> None:
    sim.set(sim.query(BODY), "position", given)
    assert values(sim, BODY, "position") == expected


def test_set_with_a_mask_writes_some_rows(sim: Simulation) -> None:
    sim.set(sim.query(BODY), "mass", 8, mask=[False, True, False])
    assert values(sim, BODY, "mass") == [[3], [8], [1]]


@pytest.mark.parametrize("given", [[1, 2, 3, 4], [[1], [2], [3], [4]], [[1], [], [2, 3, 4]]])
def test_set_takes_the_elements_of_joints_flat_or_by_prim(sim: Simulation, given: object) -> None:
    sim.set(sim.query(JOINT), "jointPosition", given)
    assert values(sim, JOINT, "jointPosition") == [[1], [2], [3], [4]]


@pytest.mark.parametrize("given", [[1, 2, 3], [[1, 2]] * 4, [[1], [2], [3, 4, 5]], "up", np.nan, None])
def test_set_refuses_what_does_not_fit_and_changes_nothing(sim: Simulation, given: object) -> None:
    with pytest.raises(ValueRefusedError, match="'jointPosition'"):
        sim.set(sim.query(JOINT), "jointPosition", given)
    assert values(sim, JOINT, "jointPosition") == [[0]] * 4


def test_set_spreads_over_scenes(opened: Callable[..., Simulation]) -> None:
    sim = opened(scenes=2)
    query = sim.query(BODY)
    sim.set(query, "mass", np.arange(6) + 10)
    found = {
        (path, group.scene): value
        for group in sim.read(query, ["mass"])
        for path, value in zip(group.paths, group.numpy()[:, 0], strict=True)
    }
    scenes = ("/Physics/left", "/Physics/right")
    expected = dict(zip([(path, scenes[row // 3]) for path, row in zip(query.paths, query.native_rows, strict=True)],
                        np.arange(6) + 10, strict=True))  # fmt: skip
    assert found == expected


def test_set_refuses_rows_that_cannot_be_written_unless_they_are_masked(sim: Simulation) -> None:
    query = sim.query(BODY)
    with pytest.raises(NotWritableError, match=r"'kinematicTargetPosition' of .* and 1 more cannot be written"):
        sim.set(query, "kinematicTargetPosition", 0)
    sim.set(query, "kinematicTargetPosition", 0, mask=[True, False, False])
    assert sim.read(query, ["kinematicTargetPosition"])["kinematicTargetPosition"].numpy().tolist() == [[0, 0, 0]]


def test_a_writer_starts_with_the_current_values_and_publishes_every_row_each_time(sim: Simulation) -> None:
    writer = sim.writer(sim.query(JOINT), ["jointPosition", "jointVelocity"])
    position = writer["jointPosition"]
    assert writer["jointVelocity"].values.tolist() == [[5], [10], [20], [30]]
    for tick in range(3):
        position.values[...] = tick
        writer.write()
        assert values(sim, JOINT, "jointPosition") == [[tick]] * 4
        sim.step(1.0)
    assert values(sim, JOINT, "jointPosition") == [[7], [12], [22], [32]]
    writer.refresh()
    assert position.values.tolist() == [[7], [12], [22], [32]]


def test_a_writer_that_is_refused_publishes_none_of_its_groups(sim: Simulation) -> None:
    writer = sim.writer(sim.query(JOINT), ["jointPosition", "jointVelocity"])
    writer["jointPosition"].values[...] = 1
    writer["jointVelocity"].values[0] = np.nan
    with pytest.raises(ValueRefusedError, match="'jointVelocity' of /World/robot/elbow"):
        writer.write()
    assert values(sim, JOINT, "jointPosition") == [[0]] * 4


def test_a_writer_outlives_a_reset_and_not_its_simulation(sim: Simulation) -> None:
    writer = sim.writer(sim.query(BODY), ["mass"])
    writer["mass"].values[...] = 4
    sim.reset()
    assert values(sim, BODY, "mass") == [[3], [2], [1]]
    writer.write()
    assert values(sim, BODY, "mass") == [[4]] * 3
    sim.close()
    for use in (writer.write, writer.refresh):
        with pytest.raises(ClosedError):
            use()


def test_a_writer_keeps_no_memory(sim: Simulation) -> None:
    writer = sim.writer(sim.query(SCENE), ["gravity"])

    def repeat(times: int) -> int:
        for _ in range(times):
            writer.write()
            sim._engine.world.written.clear()  # type: ignore[attr-defined]
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    before = repeat(50)
    grown = repeat(500) - before
    tracemalloc.stop()
    assert grown < 2000


@pytest.mark.parametrize("given", [[1, 2, 3], [[1, 2, 3]], [[[1] * 6]], True])
def test_elements_that_do_not_fit_are_refused_where_there_may_be_any_number(given: object) -> None:
    row = catalogue.attribute(ObjectType.DEBUG_RENDER, "cullingBox")
    values = np.zeros((0, 6), dtype=np.float32)
    group = WriteGroup(row, ("/a",), row.lanes, "m", None, 0, np.arange(1), True, np.array([0, 0]), values)
    with pytest.raises(ValueRefusedError, match=r"pass \(elements, 6\)"):
        sized(group, np.asarray(given))
