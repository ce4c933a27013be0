"""Columns whose number of elements changes from read to read."""

from __future__ import annotations

import gc
import tracemalloc

import numpy as np
import pytest
import warp as wp
from rest_world import BODIES, SENSORS, World

from ovread import ObjectType
from ovread.backend import Buffer, Column
from ovread.catalogue import attribute
from ovread.result import Group, allocate
from ovread.simulation import Simulation

SENSOR = ObjectType.CONTACT_SENSOR
NAMES = ["rawContactForce", "rawContactOtherBody"]
ONE = BODIES[2]


def touch(sim: Simulation, *counts: int) -> None:
    """Give each sensor, in the order floor, env_10, env_2, that many contacts."""
    world: World = sim._engine.world  # type: ignore[attr-defined]
    world.contacts = [[ONE] * count for count in counts]


def told(group: Group) -> tuple[list[int], list[float]]:
    """Return offsets and values, after checking that they belong together."""
    assert group.offsets is not None
    assert group.offsets[0] == 0
    assert group.values.shape == group.numpy().shape == (group.offsets[-1], 1)
    assert [len(part) for part in group.per_prim()] == np.diff(group.offsets).tolist()
    return group.offsets.tolist(), group.numpy()[:, 0].tolist()


STEPS: list[tuple[tuple[int, int, int], list[int], list[float]]] = [
    ((0, 0, 0), [0, 0, 0, 0], []),
    ((1, 0, 2), [0, 2, 2, 3], [200, 201, 0]),
    ((2, 3, 2), [0, 2, 5, 7], [200, 201, 100, 101, 102, 0, 1]),
    ((0, 1, 0), [0, 0, 1, 1], [100]),
    ((1, 0, 0), [0, 0, 0, 1], [0]),
    ((0, 0, 0), [0, 0, 0, 0], []),
    ((9, 0, 9), [0, 9, 9, 18], [*range(200, 209), *range(9)]),
]
"""Contacts of each sensor in native order; offsets and values in canonical order: env_2, env_10, floor."""


def test_a_reader_follows_growing_shrinking_and_nothing(sim: Simulation) -> None:
    reader = sim.reader(sim.query(SENSOR), NAMES)
    for counts, offsets, values in STEPS:
        touch(sim, *counts)
        result = reader.read()
        assert told(result["rawContactForce"]) == (offsets, values)
        assert told(result["rawContactOtherBody"]) == (offsets, [3] * len(values))
        assert result["rawContactForce"].paths == ("/World/env_2/box", "/World/env_10/box", "/World/floor")


def test_fresh_reads_follow_too_and_a_kept_one_does_not_change(sim: Simulation) -> None:
    query = sim.query(SENSOR)
    kept = []
    for counts, *_ in STEPS:
        touch(sim, *counts)
        kept.append(sim.read(query, NAMES))
    for result, (_, offsets, values) in zip(kept, STEPS, strict=True):
        assert told(result["rawContactForce"]) == (offsets, values)
    pointers = {result["rawContactForce"].values.ptr for result in kept if len(result["rawContactForce"].numpy())}
    assert len(pointers) == sum(bool(values) for _, _, values in STEPS)


def test_a_reader_does_not_touch_a_kept_result(sim: Simulation) -> None:
    query = sim.query(SENSOR)
    touch(sim, 2, 0, 1)
    kept, reader = sim.read(query, NAMES), sim.reader(query, NAMES)
    reader.read()
    touch(sim, 0, 1, 0)
    reader.read()
    sim.close()
    assert told(kept["rawContactForce"]) == ([0, 1, 1, 3], [200, 0, 1])


def test_before_the_first_fetch_a_reader_is_empty_and_a_reset_starts_over(sim: Simulation) -> None:
    reader = sim.reader(sim.query(SENSOR), NAMES)
    touch(sim, 4, 4, 4)
    assert told(reader.read()["rawContactForce"])[0] == [0, 4, 8, 12]
    sim.reset()
    assert told(reader.read()["rawContactForce"]) == ([0, 0, 0, 0], [])


def test_rows_of_a_dynamic_column_follow_the_caller(sim: Simulation) -> None:
    touch(sim, 1, 2, 3)
    floor, ten, _ = SENSORS
    group = sim.read(sim.query(SENSOR, paths=[ten, floor]), NAMES)["rawContactForce"]
    assert (group.paths, told(group)) == ((ten, floor), ([0, 2, 3], [100, 101, 0]))
    assert told(sim.read(sim.query(SENSOR, paths=[]), NAMES)["rawContactForce"]) == ([0], [])


def test_memory_stays_where_it_is_while_it_is_large_enough(sim: Simulation) -> None:
    reader = sim.reader(sim.query(SENSOR), ["rawContactForce"])
    touch(sim, 50, 50, 50)
    start = reader.read()["rawContactForce"].values.ptr
    for counts in ((1, 0, 0), (50, 50, 49), (0, 0, 0), (50, 50, 50)):
        touch(sim, *counts)
        group = reader.read()["rawContactForce"]
        assert group.values.ptr == start
        assert group.numpy().__array_interface__["data"][0] == start
        assert group.values.shape == (sum(counts), 1)


def test_memory_grows_by_doubling() -> None:
    row = attribute(SENSOR, "rawContactForce")
    buffer = allocate(row, Column(row.name, np.arange(1), is_dynamic=True), "cpu")
    whole = set()
    for elements in range(1, 1025):
        buffer.resize(elements)
        assert buffer.host is not None
        assert buffer.array.shape == buffer.host.shape == (elements, 1)
        whole.add(buffer._whole.shape[0])
    assert whole == {2**power for power in range(11)}


def test_a_buffer_starts_empty_with_offsets_for_its_rows() -> None:
    row = attribute(SENSOR, "rawContactPoint")
    buffer = allocate(row, Column(row.name, np.arange(3), is_dynamic=True), "cpu")
    assert isinstance(buffer, Buffer)
    assert buffer.array.shape == (0, 3)
    assert buffer.array.dtype == wp.float32
    assert buffer.offsets is not None
    assert buffer.offsets.tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("sizes", [[(3, 2, 1)], [(3, 2, 1), (0, 0, 0), (1, 1, 1), (3, 2, 1)]])
def test_reads_whose_sizes_repeat_retain_no_memory(sim: Simulation, sizes: list[tuple[int, ...]]) -> None:
    reader = sim.reader(sim.query(SENSOR), NAMES)

    def read(times: int) -> None:
        for _ in range(times):
            for counts in sizes:
                touch(sim, *counts)
                reader.read()

    ours = [tracemalloc.Filter(inclusive=True, filename_pattern=f"*/{name}/*") for name in ("ovread", "warp")]
    read(2)
    tracemalloc.start()
    try:
        read(1)
        gc.collect()
        before = tracemalloc.take_snapshot().filter_traces(ours)
        read(300)
        gc.collect()
        after = tracemalloc.take_snapshot().filter_traces(ours)
    finally:
        tracemalloc.stop()
    assert sum(changed.size_diff for changed in after.compare_to(before, "filename")) < 1500, "five bytes a round"
