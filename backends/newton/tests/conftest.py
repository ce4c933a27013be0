"""Fixtures: scenes, simulations on Newton, and what ovnewton itself reads."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ovread
from ovread import ObjectType, Simulation

SCENES = Path(__file__).parent / "scenes"

Opened = Callable[..., Simulation]


@pytest.fixture
def opened() -> Iterator[Opened]:
    """Open scenes by name; closed when the test ends."""
    simulations: list[Simulation] = []

    def make(name: str, **options: Any) -> Simulation:
        source = name if name.startswith("#usda") else SCENES / f"{name}.usda"
        simulations.append(ovread.open(source, backend="newton", **options))
        return simulations[-1]

    yield make
    for simulation in simulations:
        simulation.close()


@pytest.fixture
def python(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run a program in a fresh interpreter, in an empty folder, with the scenes' folder as its argument."""

    def run(program: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", program, str(SCENES)],
            cwd=tmp_path,
            env=dict(os.environ),
            capture_output=True,
            text=True,
            check=False,
        )

    return run


@pytest.fixture
def value() -> Callable[..., np.ndarray]:
    """Read one attribute of one prim."""

    def read(simulation: Simulation, object_type: ObjectType, path: str, attribute: str) -> np.ndarray:
        query = simulation.query(object_type, paths=[path])
        return simulation.read(query, [attribute])[attribute].numpy()

    return read


@pytest.fixture(scope="session")
def scenes() -> Path:
    """The folder of the scenes."""
    return SCENES


@pytest.fixture(scope="module")
def stack(scenes: Path) -> Iterator[Simulation]:
    """A of 2 kg, whose collider is a sensor too, rests on the ground and carries B of 1 kg; C is in the air."""
    with ovread.open(scenes / "contacts.usda", backend="newton") as simulation:
        simulation.step(1 / 240, count=240)
        yield simulation
