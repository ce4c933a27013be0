"""Writing the state of bodies, and forces on them: the next step obeys, in closed form, and nothing else changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from ovread_newton._rotations import conjugate, multiply, rotation_matrix, rotation_vector

import ovread
from ovread import ObjectType, Simulation
from ovread.errors import NotWritableError

BODY = ObjectType.RIGID_BODY
A, B = "/World/A", "/World/B"
STATE = ("position", "orientation", "linearVelocity", "angularVelocity")
TURN = (0.0, 0.0, 0.6, 0.8)
DT = 0.01

Value = Callable[[Simulation, ObjectType, str, str], np.ndarray]


@pytest.fixture(scope="module", params=["mujoco", "steel", "xpbd", "featherstone", "vbd"])
def shared(request: pytest.FixtureRequest, scenes: Path) -> Iterator[Simulation]:
    with ovread.open(scenes / "weightless.usda", backend="newton", solver=request.param, substeps=2) as simulation:
        yield simulation


@pytest.fixture
def bodies(shared: Simulation) -> Simulation:
    """A of 2 kg, turned, with its centre of mass off its origin and turned principal axes, and B: without gravity."""
    shared.reset()
    return shared


@pytest.fixture
def tolerance(bodies: Simulation) -> float:
    """On velocities after a step: vbd takes them from positions in single precision."""
    return 3e-4 if bodies.variant == "vbd" else 2e-6


def write(simulation: Simulation, path: str, **values: object) -> None:
    for name, value in values.items():
        simulation.set(simulation.query(BODY, paths=[path]), name, value)


def state(simulation: Simulation, path: str) -> dict[str, np.ndarray]:
    result = simulation.read(simulation.query(BODY, paths=[path]), [*STATE, "centerOfMassPosition", "inertia"])
    found = {group.attribute: group.numpy()[0].astype(float) for group in result}
    turn = rotation_matrix(found["orientation"])
    found["centre"] = found["position"] + turn @ found["centerOfMassPosition"]
    found["moments"] = turn @ found["inertia"].reshape(3, 3) @ turn.T
    return found


def test_what_was_written_is_read_before_any_step(bodies: Simulation) -> None:
    """Each attribute takes its own value in its own lanes, and the other body keeps all of its."""
    before = state(bodies, B)
    written = {"position": (5, 6, 7), "orientation": TURN, "linearVelocity": (1, 2, 3), "angularVelocity": (4, 5, 6)}
    write(bodies, A, **written)
    for name, value in written.items():
        np.testing.assert_array_equal(state(bodies, A)[name], np.float32(value), err_msg=name)
        np.testing.assert_array_equal(state(bodies, B)[name], before[name], err_msg=name)


@pytest.mark.obeys("RIGID_BODY", "linearVelocity angularVelocity")
def test_a_velocity_is_that_of_the_centre_of_mass(bodies: Simulation, tolerance: float) -> None:
    """The centre of a body that also spins goes straight on, in world axes, and the body turns about world axes."""
    write(bodies, A, linearVelocity=(1, 2, 3), angularVelocity=(0, 0, 2))
    before = state(bodies, A)
    bodies.step(DT)
    after = state(bodies, A)
    # MuJoCo moves the origin, and lets the centre of a spinning body drift by the square of its turn.
    np.testing.assert_allclose(after["centre"] - before["centre"], np.multiply(DT, (1, 2, 3)), atol=3e-5)
    turned = rotation_vector(multiply(after["orientation"], conjugate(before["orientation"])))
    np.testing.assert_allclose(turned / DT, (0, 0, 2), atol=0.02)


@pytest.mark.obeys("RIGID_BODY", "position orientation")
def test_a_body_that_was_moved_goes_on_with_its_velocity(bodies: Simulation, tolerance: float) -> None:
    """A jump over 40 m, and a turn, add nothing to the velocity, then or later."""
    write(bodies, A, linearVelocity=(1, 2, 3))
    bodies.step(DT)
    write(bodies, A, position=(10, 20, 30), orientation=TURN)
    for step in range(1, 3):
        bodies.step(DT)
        after = state(bodies, A)
        np.testing.assert_allclose(
            after["position"], np.add((10, 20, 30), np.multiply(step * DT, (1, 2, 3))), atol=1e-5
        )
        np.testing.assert_allclose(after["linearVelocity"], (1, 2, 3), atol=tolerance)
        np.testing.assert_allclose(after["angularVelocity"], 0, atol=tolerance)


@pytest.mark.obeys("RIGID_BODY", "force")
def test_a_force_accelerates_by_the_mass(bodies: Simulation, tolerance: float) -> None:
    """2 N on 2 kg for one step, all substeps of it: no turn, nothing left after, nothing on the other body."""
    write(bodies, A, force=(2, 0, -4))
    bodies.step(DT)
    for _ in range(2):
        after = state(bodies, A)
        np.testing.assert_allclose(after["linearVelocity"], np.multiply(DT, (1, 0, -2)), atol=tolerance)
        np.testing.assert_allclose(after["angularVelocity"], 0, atol=tolerance)
        bodies.step(DT)
    np.testing.assert_array_equal(state(bodies, B)["linearVelocity"], 0)


def test_forces_of_one_step_add_up(bodies: Simulation, tolerance: float) -> None:
    """Two writes before a step exert their sum, a force and a wrench as well as two forces."""
    write(bodies, A, force=(2, 0, 0))
    write(bodies, A, force=(2, 2, 0))
    write(bodies, A, wrench=(0, 0, 2, 0, 0, 0, *state(bodies, A)["centre"]))
    bodies.step(DT)
    np.testing.assert_allclose(state(bodies, A)["linearVelocity"], np.multiply(DT, (2, 1, 1)), atol=tolerance)


@pytest.mark.obeys("RIGID_BODY", "wrench")
def test_a_wrench_off_the_centre_turns_by_the_inertia(bodies: Simulation, tolerance: float) -> None:
    """alpha = I^-1 (t + (p - c) x f), in world axes, on a turned body with turned principal axes."""
    before = state(bodies, A)
    force, torque, arm = np.array([(0, 2, 1), (0.1, 0.2, 0.3), (0.3, 0.1, -0.2)])
    write(bodies, A, wrench=(*force, *torque, *(before["centre"] + arm)))
    bodies.step(DT)
    after = state(bodies, A)
    expected = np.linalg.solve(before["moments"], torque + np.cross(arm, force))
    np.testing.assert_allclose(after["linearVelocity"], DT * force / 2, atol=tolerance + 1e-6)
    np.testing.assert_allclose(after["angularVelocity"] / DT, expected, atol=2e-3)


def test_a_force_starts_at_zero(bodies: Simulation) -> None:
    """A group of forces that nobody fills exerts nothing."""
    query = bodies.query(BODY)
    with bodies.write(query, ["force", "wrench"]) as session:
        for group in session:
            np.testing.assert_array_equal(group.values, 0)


def test_a_writer_pushes_every_step(bodies: Simulation, tolerance: float) -> None:
    """A prepared writer adds to nothing that the step before consumed."""
    writer = bodies.writer(bodies.query(BODY, paths=[A]), ["force"])
    writer["force"].values[:] = (2, 0, 0)
    for _ in range(3):
        writer.write()
        bodies.step(DT)
    np.testing.assert_allclose(state(bodies, A)["linearVelocity"], (3 * DT, 0, 0), atol=2 * tolerance)


def test_reset_takes_back_everything(bodies: Simulation) -> None:
    """State, forces that no step consumed, and the solver's memory: the same steps give the same numbers."""
    bodies.step(DT, count=3)
    expected = {path: state(bodies, path) for path in (A, B)}
    for _ in range(2):
        write(bodies, A, position=(9, 9, 9), orientation=TURN, linearVelocity=(5, 5, 5), force=(7, 7, 7))
        bodies.step(DT)
        write(bodies, A, wrench=(1, 2, 3, 4, 5, 6, 7, 8, 9))
        bodies.reset()
        bodies.step(DT, count=3)
        for path, values in expected.items():
            for name, value in values.items():
                np.testing.assert_array_equal(state(bodies, path)[name], value, err_msg=name)


def test_accelerations_stay_those_of_the_last_step(opened: Callable[..., Simulation], value: Value) -> None:
    """A write is no step: what the last one reported stands until the next."""
    simulation = opened("weightless")
    write(simulation, A, force=(2, 0, 0))
    simulation.step(DT)
    write(simulation, A, position=(9, 9, 9), linearVelocity=(5, 5, 5))
    np.testing.assert_allclose(value(simulation, BODY, A, "linearAcceleration"), [(1, 0, 0)], atol=1e-5)


def test_bodies_that_joints_hold_are_refused_where_joints_are_solved_for(opened: Callable[..., Simulation]) -> None:
    """mujoco would forget such a pose; xpbd moves the body, and the joint pulls it back."""
    simulation = opened("joint_outside_articulation")
    with pytest.raises(NotWritableError, match="A joint holds the body"):
        simulation.write(simulation.query(BODY), ["position"])
    simulation = opened("joint_outside_articulation", solver="xpbd")
    query = simulation.query(BODY)
    moved = simulation.read(query, ["position"])["position"].numpy() + np.float32(0.5)
    simulation.set(query, "position", moved)
    np.testing.assert_array_equal(simulation.read(query, ["position"])["position"].numpy(), moved)


def test_solvers_that_move_no_bodies_refuse(opened: Callable[..., Simulation]) -> None:
    """A force that nothing comes of is not accepted, and the message names the solver."""
    simulation = opened("weightless", solver="style3d")
    for name in (*STATE, "force"):
        with pytest.raises(NotWritableError, match="style3d solver does not move bodies"):
            write(simulation, A, **{name: (0, 0, 0, 1) if name == "orientation" else (1, 0, 0)})
