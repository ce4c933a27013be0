"""Opening, resetting and closing; what stays, what goes, and what is printed."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

import numpy as np
import pytest

import ovread
from ovread import ObjectType, Simulation, errors

Opened = Callable[..., Simulation]
Python = Callable[[str], "subprocess.CompletedProcess[str]"]

TYPES = (ObjectType.RIGID_BODY, ObjectType.ARTICULATION_LINK, ObjectType.ARTICULATION_JOINT, ObjectType.ARTICULATION)


def everything(simulation: Simulation) -> list[np.ndarray]:
    """Return copies of all values that can be read."""
    queries = [query for query in map(simulation.query, TYPES) if len(query)]
    return [group.numpy().copy() for query in queries for group in simulation.read(query, query.attributes)]


@pytest.mark.parametrize("solver", ["mujoco", "steel", "xpbd", "featherstone"])
@pytest.mark.parametrize("scene", ["floating_chain", "contacts"])
def test_reset_repeats_bit_for_bit(opened: Opened, scene: str, solver: str) -> None:
    """After a reset everything reads as authored, and the same steps give the same bits, twice."""
    simulation = opened(scene, solver=solver)
    authored = everything(simulation)
    runs = []
    for _ in range(3):
        simulation.step(1 / 120, count=20)
        runs.append(everything(simulation))
        simulation.reset()
        for before, after in zip(authored, everything(simulation), strict=True):
            np.testing.assert_array_equal(before, after)
    for run in runs[1:]:
        for first, again in zip(runs[0], run, strict=True):
            np.testing.assert_array_equal(first, again)


def test_results_are_snapshots(opened: Opened) -> None:
    """A kept result does not change with steps, resets or closing."""
    simulation = opened("free_fall")
    result = simulation.read(simulation.query(ObjectType.RIGID_BODY), ["position", "body_q", "mass"])
    kept = [group.numpy().copy() for group in result]
    simulation.step(1 / 60, count=3)
    simulation.reset()
    simulation.close()
    for group, values in zip(result, kept, strict=True):
        np.testing.assert_array_equal(group.numpy(), values)


SILENT = """
import sys
import ovread

for scene, solver in (("mesh_approximations", "mujoco"), ("drives", "xpbd"), ("kinematic", "mujoco")):
    with ovread.open(f"{sys.argv[1]}/{scene}.usda", backend="newton", solver=solver) as sim:
        for object_type in (ovread.ObjectType.RIGID_BODY, ovread.ObjectType.ARTICULATION_JOINT):
            query = sim.query(object_type)
            sim.step(1 / 60)
            sim.read(query, query.attributes)
        sim.reset()
"""


def test_nothing_is_printed(python: Python) -> None:
    """Opening, stepping, reading and closing write nothing to standard output or error, and no file."""
    ran = python(SILENT)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


PROGRESS = """
import logging, sys
import ovread

logging.basicConfig(level=logging.INFO, format="%(name)s %(message)s", stream=sys.stdout)
with ovread.open(f"{sys.argv[1]}/free_fall.usda", backend="newton") as sim:
    sim.step(1 / 60)
"""


def test_progress_is_logged(python: Python) -> None:
    """The logger ovread.newton says what takes long."""
    said = python(PROGRESS).stdout.splitlines()
    assert all(line.startswith("ovread.newton ") for line in said)
    for part in ("building", "creating solver mujoco", "ready in", "first step"):
        assert any(part in line for line in said), part


UNSTABLE = """
import os, sys
import ovread

with ovread.open(f"{sys.argv[1]}/stiff_drive.usda", backend="newton") as sim:
    try:
        sim.step(1 / 10, count=50)
    except ovread.OvreadError as error:
        print(type(error).__name__, os.listdir())
"""


def test_instability_is_an_error(python: Python) -> None:
    """Where MuJoCo gives up and restarts from its default pose, the step fails, and no log file appears."""
    ran = python(UNSTABLE)
    assert (ran.stdout, ran.stderr) == ("EngineError []\n", "")


CYCLES = """
import ctypes, gc, sys
import psutil
import ovread

process = psutil.Process()
sizes = []
for _ in range(60):
    with ovread.open(f"{sys.argv[1]}/pendulum.usda", backend="newton") as sim:
        links = sim.query(ovread.ObjectType.ARTICULATION_LINK)
        sim.step(1 / 60, count=3)
        sim.read(links, links.attributes)
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)  # what the allocator merely keeps is no leak
    sizes.append(process.memory_info().rss)
print((sizes[-1] - sizes[29]) / 2**20)
"""


def test_memory_stays_flat(python: Python) -> None:
    """Of sixty times opening, stepping, reading and closing, the last thirty take no memory.

    Thirty models that stay alive take 12 MiB, thirty solvers 63 MiB; flat is about 1 MiB.
    """
    ran = python(CYCLES)
    assert ran.returncode == 0, ran.stderr
    assert float(ran.stdout) < 6


@pytest.mark.parametrize(
    ("scene", "options", "error", "words"),
    [
        ("equal_limits", {}, errors.SceneRefusedError, ["mujoco", "range[0]", "xpbd"]),
        ("swapped_bodies", {"corrections": ()}, errors.SceneRefusedError, ["ovnewton", "multiple parents"]),
        ('#usda 1.0\ndef Xform "W"\n{\n}\n', {}, errors.NoPhysicsError, ["PhysicsRigidBodyAPI"]),
        ("pendulum", {"substeps": 0}, errors.OptionError, ["substeps=0"]),
        ("pendulum", {"substeps": 1.5}, errors.OptionError, ["substeps=1.5"]),
        ("pendulum", {"solver": "bullet"}, errors.OptionError, ["bullet", "steel"]),
        ("pendulum", {"corrections": ["default-densty"]}, errors.OptionError, ["default-density"]),
        ("pendulum", {"corrections": "default-density"}, errors.OptionError, ["True", "names"]),
        ("pendulum", {"device": "cuda:7"}, errors.OptionError, ["cuda:7", "cpu"]),
    ],
)
def test_refusals(opened: Opened, scene: str, options: dict[str, object], error: type, words: list[str]) -> None:
    """What cannot be opened is refused with the engine's own words and what to do."""
    with pytest.raises(error) as caught:
        opened(scene, **options)
    for word in words:
        assert word in str(caught.value)


def test_scene_without_bodies_opens(opened: Opened) -> None:
    """A scene of static colliders alone has physics: it opens and steps, and has no bodies."""
    cube = 'def Cube "Box" (\n    prepend apiSchemas = ["PhysicsCollisionAPI"]\n)\n{\n}\n'
    simulation = opened(f"#usda 1.0\n{cube}")
    simulation.step(1 / 60)
    bodies = simulation.query(ObjectType.RIGID_BODY)
    result = simulation.read(bodies, bodies.attributes)
    assert len(bodies) == 0
    assert all(len(group) == 0 for group in result)


DESCRIBE = """
import sys
import ovread_newton

info = ovread_newton.ovread_describe_backend()
assert ovread_newton.ovread_usd_schemas()
print(sorted({"newton", "ovnewton", "warp", "ovstage"} & set(sys.modules)), info.engine.split(",")[0][:6])
"""


def test_describing_imports_no_engine(python: Python) -> None:
    """The backend describes itself without importing an engine."""
    ran = python(DESCRIBE)
    assert (ran.stdout, ran.stderr) == ("[] newton\n", "")


def test_every_row_is_declared() -> None:
    """Each attribute of the types that Newton has is declared, and each one that is not served has a reason."""
    from ovread import catalogue
    from ovread.backend import Level

    support = ovread.backends()["newton"].support
    types = (*TYPES, ObjectType.SCENE)
    for row in catalogue.rows():
        if row.object_type in types and row.readable:
            declared = support[row.key]
            assert (declared.level is Level.EXACT) or declared.reason
