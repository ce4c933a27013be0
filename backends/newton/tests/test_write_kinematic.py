"""Targets of kinematic bodies: the next step takes them there, and along with them what they carry."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from ovread_newton._rotations import rotation_matrix

import ovread
from ovread import ObjectType, Simulation
from ovread.errors import NotWritableError

BODY = ObjectType.RIGID_BODY
CARRIER, LOAD = "/World/Carrier", "/World/Load"
DT = 1 / 120

Value = Callable[[Simulation, ObjectType, str, str], np.ndarray]


@pytest.fixture(scope="module", params=["mujoco", "steel", "xpbd", "vbd"])
def shared(request: pytest.FixtureRequest, scenes: Path) -> Iterator[Simulation]:
    with ovread.open(scenes / "carrier.usda", backend="newton", solver=request.param, substeps=2) as simulation:
        yield simulation


@pytest.fixture
def ride(shared: Simulation) -> Simulation:
    """A load of 1 kg on a kinematic plate whose centre of mass is off its origin."""
    shared.reset()
    return shared


@pytest.fixture
def read(value: Value) -> Callable[[Simulation, str, str], np.ndarray]:
    return lambda simulation, path, name: value(simulation, BODY, path, name)[0].astype(float)


def write(simulation: Simulation, path: str, name: str, value: object) -> None:
    simulation.set(simulation.query(BODY, paths=[path]), name, value)


@pytest.mark.obeys("RIGID_BODY", "kinematicTargetPosition kinematicTargetOrientation")
def test_a_target_is_pending_until_the_step(ride: Simulation, read: Callable[..., np.ndarray]) -> None:
    """It reads back at once while the body stays; one step reaches it, and later steps stay there, at rest."""
    target, turn = (0.005, 0.002, -0.001), np.array((0, 0, np.sin(0.01), np.cos(0.01)))
    np.testing.assert_array_equal(read(ride, CARRIER, "kinematicTargetPosition"), 0)
    write(ride, CARRIER, "kinematicTargetPosition", target)
    write(ride, CARRIER, "kinematicTargetOrientation", turn)
    np.testing.assert_allclose(read(ride, CARRIER, "kinematicTargetPosition"), target, atol=1e-9)
    np.testing.assert_array_equal(read(ride, CARRIER, "position"), 0)
    ride.step(DT)
    for _ in range(3):
        np.testing.assert_allclose(read(ride, CARRIER, "position"), target, atol=1e-9)
        np.testing.assert_allclose(read(ride, CARRIER, "orientation"), turn, atol=1e-7)
        ride.step(DT)
    np.testing.assert_array_equal(read(ride, CARRIER, "linearVelocity"), 0)
    np.testing.assert_array_equal(read(ride, CARRIER, "angularVelocity"), 0)


def test_the_velocity_leads_to_the_target(ride: Simulation, read: Callable[..., np.ndarray]) -> None:
    """In the step the centre of mass has (target - pose) / dt, for a turn about the origin too."""
    centre = read(ride, CARRIER, "centerOfMassPosition")
    turn = np.array((0, 0, np.sin(0.01), np.cos(0.01)))
    write(ride, CARRIER, "kinematicTargetOrientation", turn)
    ride.step(DT)
    expected = (rotation_matrix(turn) @ centre - centre) / DT
    np.testing.assert_allclose(read(ride, CARRIER, "linearVelocity"), expected, atol=2e-3)
    np.testing.assert_allclose(read(ride, CARRIER, "angularVelocity"), (0, 0, 0.02 / DT), atol=2e-3)


def test_friction_carries_a_load_along(ride: Simulation, read: Callable[..., np.ndarray]) -> None:
    """Once the load has caught up, it moves with the plate; teleporting the plate instead would leave it behind."""
    ride.step(DT, count=30)
    for step in range(1, 61):
        write(ride, CARRIER, "kinematicTargetPosition", (0.6 * DT * step, 0, 0))
        ride.step(DT)
    np.testing.assert_allclose(read(ride, LOAD, "linearVelocity"), (0.6, 0, 0), atol=1e-3)
    assert 0.2 < read(ride, LOAD, "position")[0] < 0.3  # it slid while friction accelerated it


def test_a_teleport_is_no_motion(ride: Simulation, read: Callable[..., np.ndarray]) -> None:
    """Writing a kinematic body's position moves it at once, without a velocity that would drag the load."""
    ride.step(DT, count=30)
    before = read(ride, LOAD, "linearVelocity")
    write(ride, CARRIER, "position", (0.5, 0, 0))
    ride.step(DT)
    np.testing.assert_allclose(read(ride, CARRIER, "position"), (0.5, 0, 0), atol=1e-7)
    np.testing.assert_allclose(read(ride, LOAD, "linearVelocity")[0], before[0], atol=1e-4)
    np.testing.assert_array_equal(read(ride, CARRIER, "linearVelocity"), 0)


def test_reset_forgets_pending_targets(ride: Simulation, read: Callable[..., np.ndarray]) -> None:
    """A target that no step has reached is gone."""
    write(ride, CARRIER, "kinematicTargetPosition", (1, 1, 1))
    ride.reset()
    np.testing.assert_array_equal(read(ride, CARRIER, "kinematicTargetPosition"), 0)
    ride.step(DT)
    np.testing.assert_array_equal(read(ride, CARRIER, "position"), 0)


@pytest.mark.parametrize(
    ("path", "name", "value", "words"),
    [
        (CARRIER, "linearVelocity", (1, 0, 0), "kinematicTargetPosition"),
        (CARRIER, "angularVelocity", (1, 0, 0), "kinematicTargetPosition"),
        (CARRIER, "force", (1, 0, 0), "no force moves it"),
        (CARRIER, "wrench", (1, 0, 0, 0, 0, 0, 0, 0, 0), "no force moves it"),
        (LOAD, "kinematicTargetPosition", (1, 0, 0), "not kinematic"),
        (LOAD, "kinematicTargetOrientation", (0, 0, 0, 1), "not kinematic"),
    ],
)
def test_what_means_nothing_is_refused(ride: Simulation, path: str, name: str, value: object, words: str) -> None:
    """Kinematic bodies have targets, others have forces and velocities; the message says which to write."""
    with pytest.raises(NotWritableError, match=words):
        write(ride, path, name, value)
