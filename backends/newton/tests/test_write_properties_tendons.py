"""Tendons of MuJoCo that are written: the solver's next step obeys, also where its own notification leaves them out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import newton
import numpy as np
import pytest

import ovread
from ovread import ObjectType, Simulation, errors

FIXED, SPATIAL = ObjectType.FIXED_TENDON, ObjectType.SPATIAL_TENDON
LARGEST = float(np.finfo(np.float32).max)


def read(simulation: Simulation, object_type: ObjectType, name: str) -> dict[str, list[float]]:
    """Read one attribute of all tendons of a type, by path."""
    group = simulation.read(simulation.query(object_type), [name])[name]
    return dict(zip(group.paths, group.numpy().tolist(), strict=True))


class Sliders:
    """The sliders of 2 and 1 kg with their tendons, and the loop of somebody who attached them."""

    def __init__(self, scenes: Path) -> None:
        builder = newton.ModelBuilder()
        newton.solvers.SolverMuJoCo.register_custom_attributes(builder)
        builder.add_mjcf(str(scenes / "tendons.xml"))
        self.model = builder.finalize(device="cpu")
        self.solver = newton.solvers.SolverMuJoCo(self.model, use_mujoco_cpu=True)
        self.simulation: Simulation = ovread.attach(self.model, self.model.state(), self.solver)

    def put(self, path: str, name: str, value: Any) -> None:
        """Write one attribute of one tendon."""
        kind = SPATIAL if path == "rope" else FIXED
        self.simulation.set(
            self.simulation.query(kind, paths=[path]), name, np.array([value], np.float32).reshape(1, -1)
        )

    def run(self, dt: float, rates: tuple[float, float] = (0, 0), steps: int = 1) -> newton.State:
        """Step from the first pose at some rates; return the state."""
        now, following = self.model.state(), self.model.state()
        now.joint_qd.assign(rates)
        for _ in range(steps):
            self.solver.step(now, following, self.model.control(), None, dt)
            now, following = following, now
        return now

    def accelerations(self, rates: tuple[float, float] = (0, 0)) -> np.ndarray:
        """Return what the first step at some rates accelerates the sliders by."""
        return (self.run(1e-5, rates).joint_qd.numpy() - rates) / 1e-5


@pytest.fixture
def sliders(scenes: Path) -> Iterator[Sliders]:
    """Sliders that nobody else writes."""
    made = Sliders(scenes)
    yield made
    made.simulation.close()


def test_stiffness_and_rest_length_pull(sliders: Sliders) -> None:
    """Both sliders accelerate by stiffness times rest length over their mass, as written."""
    np.testing.assert_allclose(sliders.accelerations(), np.array([1 / 2, -1]) * 100 * 0.3, rtol=1e-3)
    sliders.put("spring", "tendonStiffness", 40)
    np.testing.assert_allclose(sliders.accelerations(), np.array([1 / 2, -1]) * 40 * 0.3, rtol=1e-3)
    sliders.put("spring", "tendonRestLength", 0.5)
    np.testing.assert_allclose(sliders.accelerations(), np.array([1 / 2, -1]) * 40 * 0.5, rtol=1e-3)
    assert read(sliders.simulation, FIXED, "tendonStiffness") == {"limited": [0], "slack": [0], "spring": [40]}
    assert read(sliders.simulation, FIXED, "tendonRestLength") == {"limited": [0], "spring": [0.5]}


def test_damping_brakes(sliders: Sliders) -> None:
    """The rate of a tendon is braked by the written damping, of a fixed one and of a spatial one."""
    sliders.put("spring", "tendonStiffness", 0)
    sliders.put("spring", "tendonDamping", 7)
    np.testing.assert_allclose(sliders.accelerations((0.2, 0)), np.array([-1 / 2, 1]) * 7 * 0.2, rtol=1e-3, atol=1e-2)
    sliders.put("rope", "tendonStiffness", 9)
    sliders.put("rope", "tendonDamping", 1)
    assert read(sliders.simulation, SPATIAL, "tendonStiffness") == {"rope": [9]}
    assert read(sliders.simulation, SPATIAL, "tendonDamping") == {"rope": [1]}


@pytest.mark.parametrize("path", ["limited", "slack"])
def test_limits_stop(sliders: Sliders, path: str) -> None:
    """A tendon stops at its written limit, also where it had none, and is free again with FLT_MAX."""
    for name in ("tendonStiffness", "tendonDamping"):
        sliders.put("spring", name, 0)
        sliders.put("rope", name, 0)
    sliders.put("limited", "tendonLimit", (-LARGEST, LARGEST))
    assert sliders.run(1e-3, (1, 0), 400).joint_q.numpy()[0] == pytest.approx(0.4, rel=1e-3)
    sliders.put(path, "tendonLimit", (-LARGEST, 0.2))
    assert read(sliders.simulation, FIXED, "tendonLimit")[path] == [-LARGEST, pytest.approx(0.2)]
    assert sliders.run(1e-3, (1, 0), 400).joint_q.numpy()[0] < 0.25


def test_lengths_that_are_not_one_are_left_out(sliders: Sliders) -> None:
    """The tendon that is at rest between two lengths takes no rest length, and the error says so."""
    with pytest.raises(errors.NotWritableError, match="two lengths"):
        sliders.put("slack", "tendonRestLength", 0.1)


def test_tendons_without_their_solver(sliders: Sliders) -> None:
    """Without the solver that has the tendons nothing can be written."""
    with (
        ovread.attach(sliders.model, sliders.model.state()) as simulation,
        pytest.raises(errors.NotWritableError, match="SolverMuJoCo"),
    ):
        simulation.set(simulation.query(FIXED), "tendonStiffness", np.ones((3, 1), np.float32))
