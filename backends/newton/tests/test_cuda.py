"""Models that live on a GPU; and, on any machine, the kernel that only they need."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import warp as wp
from ovread_newton._binding import Gather, Source
from ovread_newton._device_gathers import DeviceGathers

from ovread import ObjectType, Simulation
from ovread.backend import Buffer
from ovread.catalogue import attribute

Opened = Callable[..., Simulation]

POSITION = attribute(ObjectType.RIGID_BODY, "position")
needs_cuda = pytest.mark.skipif(not wp.is_cuda_available(), reason="no CUDA device")
TYPES = (ObjectType.RIGID_BODY, ObjectType.ARTICULATION_LINK, ObjectType.ARTICULATION_JOINT, ObjectType.ARTICULATION)


def test_the_kernel_gathers_what_the_host_does() -> None:
    """Elements of an array of transforms, times a factor, go where the host's gather puts them."""
    poses = np.arange(21, dtype=np.float32).reshape(3, 7)
    engine: Any = SimpleNamespace(state=SimpleNamespace(body_q=wp.array(poses, dtype=wp.transform, device="cpu")))
    gather = Gather(Source(engine, "state", "body_q"), np.array([[14, 15, 16], [0, 1, 2]]), np.array([[2.0], [-1.0]]))
    expected = np.array([[28, 30, 32], [0, -1, -2]], np.float32)
    host = np.empty((2, 3), np.float32)
    gather(host)
    np.testing.assert_array_equal(host, expected)
    buffer = Buffer(POSITION, wp.zeros((2, 3), dtype=wp.float32, device="cpu"), None)
    gathers = DeviceGathers([gather], "cpu")
    gathers.fetch([buffer])
    np.testing.assert_array_equal(buffer.array.numpy(), expected)
    engine.state.body_q = wp.array(poses + 100, dtype=wp.transform, device="cpu")
    gathers.fetch([buffer])
    np.testing.assert_array_equal(buffer.array.numpy(), [[228, 230, 232], [-100, -101, -102]])


@needs_cuda
@pytest.mark.parametrize("scene", ["pendulum", "free_fall", "d6"])
def test_values_on_a_gpu_are_those_on_the_cpu(opened: Opened, scene: str) -> None:
    """As authored and after steps, through readers whose gathers have become graphs."""
    simulations = [opened(scene, device=device, solver="featherstone") for device in ("cuda:0", "cpu")]
    for object_type in TYPES:
        queries = [simulation.query(object_type) for simulation in simulations]
        names = [name for name in queries[0].attributes if attribute(object_type, name).role.value != "path"]
        readers = [sim.reader(query, names) for sim, query in zip(simulations, queries, strict=True)]
        for _ in range(5):
            on_gpu, on_cpu = (reader.read() for reader in readers)
            assert {group.attribute for group in on_gpu} == {group.attribute for group in on_cpu}
            for given, expected in zip(on_gpu, on_cpu, strict=True):
                np.testing.assert_allclose(given.numpy(), expected.numpy(), rtol=1e-3, atol=1e-3)
            for simulation in simulations:
                simulation.step(1 / 240)


@needs_cuda
def test_a_reader_makes_one_graph_for_each_of_the_swapped_states(opened: Opened) -> None:
    """The third read of the same memory launches a graph; with two states there are two."""
    simulation = opened("free_fall", device="cuda:0", solver="featherstone")
    reader = simulation.reader(simulation.query(ObjectType.RIGID_BODY), ["position", "orientation"])
    for _ in range(6):
        simulation.step(1 / 240)
        reader.read()
        reader.read()
    assert len(reader._prepared._binding._gathers._graphs) == 2
