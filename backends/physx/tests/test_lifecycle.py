"""Steps, resets and the ends of a simulation."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import ovread
from ovread import ObjectType

READ = """
import sys
import ovread
from ovread import ObjectType

def start():
    simulation = ovread.open(sys.argv[1], backend="physx")
    query = simulation.query(ObjectType.ARTICULATION_LINK)
    reader = simulation.reader(query, query.attributes)
    simulation.step(1 / 240)
    return simulation, reader, reader.read()
"""
ENDS = {
    "no close": "simulation, reader, result = start()",
    "close": "simulation, reader, result = start(); simulation.close()",
    "close twice": "simulation, reader, result = start(); simulation.close(); simulation.close()",
    "context manager": "simulation, reader, result = start()\nwith simulation: pass",
    "exception": "simulation, reader, result = start(); raise SystemError('expected')",
    "exception in context manager": "simulation, *rest = start()\nwith simulation: raise SystemError('expected')",
    "sys.exit": "simulation, reader, result = start(); sys.exit(3)",
    "garbage": "import gc; start(); gc.collect()",
    "garbage in a cycle": "import gc; cycle = [start()]; cycle.append(cycle); del cycle; gc.collect()",
    "result outlives": "simulation, reader, result = start(); simulation.close(); del simulation, reader; "
    "assert abs(result['position'].numpy()).max() > 0",
    "two at once": "first = start(); second = start(); first[0].close()",
    "kept in sys": "sys.kept = start()",
    "kept in a module that is torn down": "import atexit; kept = start(); atexit.register(lambda: kept)",
    "refused scene": "start()\ntry: ovread.open('#usda 1.0\\n', backend='physx')\nexcept ovread.OvreadError: pass",
    "another thread": "import threading; kept = start(); thread = threading.Thread(target=kept[0].close); "
    "thread.start(); thread.join()",
    "reader dropped by another thread": "import threading; simulation, *kept = start()\n"
    "thread = threading.Thread(target=kept.clear); thread.start(); thread.join(); simulation.step(1 / 240)",
}
STATUS = {"exception": 1, "exception in context manager": 1, "sys.exit": 3}


@pytest.mark.parametrize("end", ENDS)
def test_every_end_is_orderly_and_silent(end, run_python, scene):
    """Whatever ends a simulation, the process exits as it should, and nothing was printed from opening on."""
    result = run_python(READ + ENDS[end], scene("pendulum"))
    assert result.returncode == STATUS.get(end, 0), result.stderr
    assert result.stdout == ""
    if "exception" in end:
        assert result.stderr.startswith("Traceback")
        assert result.stderr.endswith("SystemError: expected\n")
    else:
        assert result.stderr == ""


def test_noisy_scenes_are_silent(run_python, scene):
    """Warnings and errors of the engine stay off the terminal, at each opening, in the process's every phase."""
    code = READ + "for _ in range(3):\n    simulation, *rest = start(); simulation.reset(); simulation.close()"
    for name in ("one_sided_limit", "particles_simple"):
        result = run_python(code, scene(name))
        assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_memory_is_flat_over_many_simulations(run_python, scene):
    """After the first 20, opening, stepping, reading and closing does not make the process grow."""
    code = (
        READ
        + """
import ctypes, gc, psutil
def size():
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)  # what the allocator merely keeps is no leak
    return psutil.Process().memory_info().rss
def cycle():
    simulation, reader, result = start()
    for _ in range(5):
        simulation.step(1 / 240)
        reader.read()
    simulation.close()
for _ in range(20):
    cycle()
before = size()
for _ in range(10):
    cycle()
print((size() - before) / 2**20)
"""
    )
    result = run_python(code, scene("pendulum"))
    assert result.returncode == 0, result.stderr
    assert float(result.stdout) < 5, "MiB"


def test_reset_restores_the_authored_state(scene):
    """After a reset everything reads as when opened, through the reader made before it."""
    with ovread.open(scene("pendulum"), backend="physx") as simulation:
        readers = []
        for object_type in (ObjectType.ARTICULATION_LINK, ObjectType.ARTICULATION_JOINT):
            query = simulation.query(object_type)
            names = [name for name in query.attributes if name != "physxPointer"]
            readers.append(simulation.reader(query, names))

        def state():
            return [
                (group.attribute, group.paths, group.numpy().tolist()) for reader in readers for group in reader.read()
            ]

        authored = state()
        for _ in range(50):
            simulation.step(1 / 60)
        moved = state()
        assert moved[: len(authored)] != authored
        simulation.reset()
        assert state() == authored
        simulation.step(1 / 60)
        assert simulation.tick == 1


def test_steps_follow_newton(scene):
    """A pendulum bob released at rest starts as its equation of motion says."""
    with ovread.open(scene("pendulum"), backend="physx") as simulation:
        simulation.step(1 / 240)
        query = simulation.query(ObjectType.ARTICULATION_LINK, paths=["/W/p/bob"])
        acceleration = simulation.read(query, ["linearAcceleration"])["linearAcceleration"].numpy()
        # A point-like bob of mass 2 and inertia 0.02 on an arm of 1 m.
        np.testing.assert_allclose(acceleration, [[0, 0, -9.81 * 2 / 2.02]], rtol=1e-4, atol=1e-4)


def test_an_engine_failure_is_an_error(scene, monkeypatch):
    """What the engine says when a step fails reaches the caller."""
    with ovread.open(scene("pendulum"), backend="physx") as simulation:

        def fail(self, dt):
            raise RuntimeError("step_sync failed: out of luck")

        monkeypatch.setattr(type(simulation._engine.physx), "step_sync", fail)
        with pytest.raises(ovread.OvreadError, match="out of luck"):
            simulation.step(1 / 60)


def test_simulations_do_not_disturb_each_other(scene):
    """Stepping one simulation moves nothing in another."""
    with (
        ovread.open(scene("pendulum"), backend="physx") as first,
        ovread.open(scene("pendulum"), backend="physx") as second,
    ):
        readers = [
            simulation.reader(simulation.query(ObjectType.ARTICULATION_JOINT), ["jointPosition"])
            for simulation in (first, second)
        ]
        first.step(1 / 60)
        positions = [reader.read()["jointPosition"].numpy().item() for reader in readers]
        assert positions[0] != 0
        assert positions[1] == 0


def test_dropped_readers_give_their_queries_back(scene):
    """A reader that is no longer referenced holds no native query."""
    with ovread.open(scene("pendulum"), backend="physx") as simulation:
        query = simulation.query(ObjectType.ARTICULATION_LINK)
        reader = simulation.reader(query, ["position"])
        source = reader._prepared._binding._source
        del reader
        gc.collect()
        assert source._session._query.value == 0
