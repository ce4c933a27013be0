"""Scenes, and Python in a process of its own."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fleets import DRIVEN_BY_ALL_WHEELS, FLYING, WITHOUT_DAMPING, fleet
from reading import DT

import ovread
from ovread import Simulation
from ovread.stage import open_stage, prepare_process, scene_of

HERE = Path(__file__).parent
DATA = HERE / "scenes"


@pytest.fixture(scope="session")
def scene() -> Callable[[str], Path]:
    """Find a scene: of these tests, or a sample that ovphysx ships."""
    spec = importlib.util.find_spec("ovphysx")
    samples = Path(spec.origin).parent / "samples" / "data"

    def find(name: str) -> Path:
        ours = HERE / "scenes" / f"{name}.usda"
        return ours if ours.exists() else samples / f"{name}.usda"

    return find


@pytest.fixture(scope="session")
def run_python() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run code in a process of its own; its output is what reached the file descriptors."""

    def run(code: str, *arguments: object) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", code, *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)

    return run


@pytest.fixture
def bodies() -> Iterator[Simulation]:
    """A cube on the ground, a sphere without gravity, one that spins, a kinematic one, and one that is disabled."""
    with ovread.open(DATA / "bodies.usda", backend="physx") as simulation:
        yield simulation


@pytest.fixture
def robot() -> Iterator[Simulation]:
    """A hinge whose body0 is the child, a fixed joint, and a joint with two rotational axes, all in one chain."""
    with ovread.open(DATA / "joints.usda", backend="physx") as simulation:
        yield simulation


@pytest.fixture
def attached(scene):
    """Attach to a PhysX instance of the caller's; gives the simulation, the instance and its stage."""
    import ovphysx

    made = []

    def attach(source):
        prepare_process()
        ovphysx.enable_default_log_output(False)
        stage = open_stage(scene_of(source))
        physx = ovphysx.PhysX()
        physx.wait_task(physx.attach_ovstage(stage))
        simulation = ovread.attach(physx, stage)
        made.append((simulation, physx, stage))
        return made[-1]

    yield attach
    for simulation, physx, stage in made:
        simulation.close()
        physx.destroy()
        stage.destroy()


@pytest.fixture
def stack(scene: Callable[[str], Path]) -> Iterator[Simulation]:
    """A of 2 kg, whose collider is a sensor too, carries B of 1 kg; C is in the air."""
    with ovread.open(scene("contact_stack"), backend="physx") as simulation:
        yield simulation


@pytest.fixture(scope="module")
def flying_fleet():
    with ovread.open(fleet(*FLYING, *DRIVEN_BY_ALL_WHEELS, WITHOUT_DAMPING), backend="physx") as simulation:
        yield simulation


@pytest.fixture
def flying(flying_fleet):
    """All vehicles in the air, at the start, after one step that placed their wheels."""
    flying_fleet.reset()
    flying_fleet.step(DT)
    return flying_fleet


@pytest.fixture(scope="module")
def standing_fleet():
    with ovread.open(fleet(), backend="physx") as simulation:
        yield simulation


@pytest.fixture
def standing(standing_fleet):
    """All vehicles on the ground, at the start."""
    standing_fleet.reset()
    standing_fleet.step(DT, 60)
    return standing_fleet
