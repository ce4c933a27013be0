"""Masses and gravity that are written: what the next step makes of them, and what else must agree at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ovread
from ovread import ObjectType, Simulation, errors

BODY, LINK, JOINT = ObjectType.RIGID_BODY, ObjectType.ARTICULATION_LINK, ObjectType.ARTICULATION_JOINT
ARTICULATION, SCENE = ObjectType.ARTICULATION, ObjectType.SCENE
SOLVERS = ("mujoco", "steel", "featherstone", "xpbd", "semi_implicit", "vbd", "kamino")
STILL, SPINNING, TIP = "/W/still", "/W/spinning", "/W/arm/tip"
DT = 1e-3
AXES = np.array([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]])
"""Body axes of the still body in the world: a quarter turn about y."""

TENSOR = np.array([[3.0, 0.4, -0.2], [0.4, 2.0, 0.3], [-0.2, 0.3, 4.0]])
QUARTER_Z = (0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5))
THIRD = (0.5, 0.5, 0.5, 0.5)
"""The turn that takes x to y, y to z and z to x."""

Opened = Callable[..., Simulation]


def put(simulation: Simulation, object_type: ObjectType, path: str, name: str, value: Any) -> None:
    """Write one attribute of one object."""
    simulation.set(simulation.query(object_type, paths=[path]), name, np.asarray(value, np.float32).reshape(1, -1))


def got(simulation: Simulation, object_type: ObjectType, path: str, name: str) -> np.ndarray:
    """Read it."""
    return simulation.read(simulation.query(object_type, paths=[path]), [name])[name].numpy().ravel()


@pytest.fixture(params=SOLVERS)
def masses(request: pytest.FixtureRequest, opened: Opened) -> Simulation:
    """Bodies with offset centres of mass, one still, one spinning, and an arm that turns; no gravity."""
    return opened("write_masses", solver=request.param)


@pytest.fixture(scope="module")
def shared(scenes: Path) -> Iterator[Simulation]:
    """The same, for tests that step nothing; each resets it first."""
    with ovread.open(scenes / "write_masses.usda", backend="newton") as simulation:
        yield simulation


def push(simulation: Simulation, centre: np.ndarray, force: np.ndarray, torque: np.ndarray) -> tuple[Any, Any]:
    """Exert a wrench on the still body for a step; return the accelerations."""
    point = AXES @ centre
    put(simulation, BODY, STILL, "wrench", [*force, *torque, *point])
    simulation.step(DT)
    return tuple(got(simulation, BODY, STILL, name) / DT for name in ("linearVelocity", "angularVelocity"))


@pytest.mark.obeys("RIGID_BODY", "mass inertia centerOfMassPosition")
def test_a_wrench_moves_what_was_written(masses: Simulation) -> None:
    """a = F / m and alpha = I^-1 tau, with a new mass, a full tensor and another centre of mass, in a turned body."""
    centre, force, torque = np.array([-0.3, 0.1, 0.5]), np.array([3.0, -4, 5]), np.array([1.0, 2, -3])
    put(masses, BODY, STILL, "mass", 5)
    put(masses, BODY, STILL, "inertia", TENSOR)
    put(masses, BODY, STILL, "centerOfMassPosition", centre)
    linear, angular = push(masses, centre, force, torque)
    # VBD takes velocities from differences of poses, which single precision rounds.
    tolerance = 0.1 if masses.variant == "vbd" else 1e-3
    np.testing.assert_allclose(linear, force / 5, rtol=1e-3, atol=tolerance)
    expected = AXES @ np.linalg.solve(TENSOR, AXES.T @ torque)
    np.testing.assert_allclose(angular, expected, rtol=1e-3, atol=tolerance)


@pytest.mark.obeys("RIGID_BODY", "centerOfMassOrientation")
def test_principal_axes_turn_with_their_moments(masses: Simulation) -> None:
    """Axes that are written carry the moments 0.3, 0.4 and 0.5 along, and alpha = I^-1 tau about them."""
    put(masses, BODY, STILL, "centerOfMassOrientation", THIRD)
    turned = np.diag([0.5, 0.3, 0.4])
    np.testing.assert_allclose(got(masses, BODY, STILL, "inertia"), turned.ravel(), atol=1e-6)
    np.testing.assert_allclose(got(masses, BODY, STILL, "centerOfMassOrientation"), THIRD, atol=1e-6)
    torque = np.array([1.0, 2, -3])
    _, angular = push(masses, np.array([0.1, 0.2, 0.3]), np.zeros(3), torque)
    expected = AXES @ np.linalg.solve(turned, AXES.T @ torque)
    np.testing.assert_allclose(angular, expected, rtol=2e-2 if masses.variant == "vbd" else 1e-3)


@pytest.mark.obeys("SCENE", "gravity")
def test_gravity_pulls_at_once(masses: Simulation) -> None:
    """A scene's gravity, in any direction, is the acceleration of the next step."""
    gravity = np.array([1.0, -2, 3])
    put(masses, SCENE, "/Scene", "gravity", gravity)
    masses.step(DT)
    velocity = got(masses, BODY, STILL, "linearVelocity")
    np.testing.assert_allclose(velocity / DT, gravity, rtol=2e-2 if masses.variant == "vbd" else 1e-4)


@pytest.mark.obeys("RIGID_BODY ARTICULATION_LINK", "disableGravity")
def test_gravity_leaves_a_body_out_and_takes_it_back(opened: Opened) -> None:
    """With MuJoCo a body or link that gravity is disabled for keeps its velocity beside one that falls."""
    simulation = opened("write_masses")
    put(simulation, SCENE, "/Scene", "gravity", (0, 0, -10))
    put(simulation, BODY, STILL, "disableGravity", 1)
    put(simulation, LINK, TIP, "disableGravity", 1)
    assert got(simulation, BODY, STILL, "disableGravity")[0] == 1
    assert got(simulation, BODY, SPINNING, "disableGravity")[0] == 0
    simulation.step(DT)
    np.testing.assert_allclose(got(simulation, BODY, STILL, "linearVelocity"), 0, atol=1e-6)
    assert got(simulation, BODY, SPINNING, "linearVelocity")[2] == pytest.approx(3 - 10 * DT, abs=1e-3)
    assert got(simulation, JOINT, "/W/arm/hinge", "jointVelocity")[0] == pytest.approx(57.29578, rel=1e-5)
    put(simulation, BODY, STILL, "disableGravity", 0)
    simulation.step(DT)
    assert got(simulation, BODY, STILL, "linearVelocity")[2] == pytest.approx(-10 * DT, rel=1e-3)


@pytest.mark.parametrize("solver", [solver for solver in SOLVERS if solver != "mujoco"])
def test_gravity_of_one_body_is_refused_by_name(opened: Opened, solver: str) -> None:
    """The solvers that pull on all bodies alike say so."""
    with pytest.raises(errors.NotWritableError, match=rf"disableGravity.*{solver}"):
        put(opened("write_masses", solver=solver), BODY, STILL, "disableGravity", 1)


def test_a_new_centre_of_mass_moves_nothing(masses: Simulation) -> None:
    """Poses and joint rates stay, so a link's centre gets another velocity; a free body's keeps its own."""
    masses.step(DT)
    names = ("position", "orientation", "linearVelocity", "angularVelocity")
    before = [got(masses, BODY, SPINNING, name) for name in names]
    pose = got(masses, LINK, TIP, "body_q")
    put(masses, BODY, SPINNING, "centerOfMassPosition", (0.4, 0, 0))
    put(masses, LINK, TIP, "centerOfMassPosition", (0.9, 0, 0))
    for name, value in zip(names, before, strict=True):
        np.testing.assert_array_equal(got(masses, BODY, SPINNING, name), value)
    np.testing.assert_array_equal(got(masses, LINK, TIP, "body_q"), pose)
    assert got(masses, JOINT, "/W/arm/hinge", "jointVelocity")[0] == pytest.approx(57.29578, rel=1e-3)
    np.testing.assert_allclose(got(masses, LINK, TIP, "linearVelocity"), [0, 0, -0.9], atol=2e-3)
    masses.step(DT)
    np.testing.assert_allclose(got(masses, LINK, TIP, "linearVelocity"), [0, 0, -0.9], atol=3e-3)


def test_what_follows_from_masses_agrees_at_once(shared: Simulation) -> None:
    """Inverses, the mass matrix and generalized gravity have what was written before any step."""
    shared.reset()
    put(shared, BODY, STILL, "mass", 4)
    put(shared, BODY, STILL, "inertia", TENSOR)
    assert got(shared, BODY, STILL, "inverseMass")[0] == 0.25
    np.testing.assert_allclose(got(shared, BODY, STILL, "inverseInertia").reshape(3, 3) @ TENSOR, np.eye(3), atol=1e-6)
    put(shared, LINK, TIP, "mass", 5)
    put(shared, LINK, TIP, "centerOfMassPosition", (1, 0, 0))
    put(shared, JOINT, "/W/arm/hinge", "jointArmature", 0.7)
    assert got(shared, ARTICULATION, "/W/arm", "massMatrix")[0] == pytest.approx(0.4 + 5 + 0.7)
    put(shared, SCENE, "/Scene", "gravity", (0, 0, -2))
    assert got(shared, ARTICULATION, "/W/arm", "gravityForce")[0] == pytest.approx(-5 * 2 * 1)
    np.testing.assert_allclose(got(shared, ARTICULATION, "/W/arm", "centerOfMassWorld"), [5 / 7, 0, 0], atol=1e-6)


def test_an_open_reader_follows_the_axes(shared: Simulation) -> None:
    """A reader that was made before a write returns the written axes, though the tensor they belong to is the same."""
    shared.reset()
    reader = shared.reader(shared.query(BODY, paths=[STILL]), ["centerOfMassOrientation"])
    np.testing.assert_allclose(reader.read()["centerOfMassOrientation"].numpy(), [[0, 0, 0, 1]], atol=1e-6)
    put(shared, BODY, STILL, "inertia", np.eye(3))
    reader.read()
    put(shared, BODY, STILL, "centerOfMassOrientation", THIRD)
    np.testing.assert_allclose(reader.read()["centerOfMassOrientation"].numpy(), [THIRD], atol=1e-6)


def test_axes_name_what_inertia_has(shared: Simulation) -> None:
    """After a write of inertia, axes that it has only say which is which; the next ones turn it."""
    shared.reset()
    tensor = np.diag([3.0, 1.0, 2.0]).ravel()
    put(shared, BODY, STILL, "inertia", tensor)
    put(shared, BODY, STILL, "centerOfMassOrientation", QUARTER_Z)
    np.testing.assert_allclose(got(shared, BODY, STILL, "inertia"), tensor)
    np.testing.assert_allclose(got(shared, BODY, STILL, "centerOfMassOrientation"), QUARTER_Z, atol=1e-6)
    put(shared, BODY, STILL, "centerOfMassOrientation", (0, 0, 0, 1))
    np.testing.assert_allclose(got(shared, BODY, STILL, "inertia"), np.diag([1.0, 3.0, 2.0]).ravel(), atol=1e-6)


def test_other_bodies_keep_their_masses(shared: Simulation) -> None:
    """A write of one body touches no other, to the last digit."""
    shared.reset()
    names = ["mass", "inertia", "inverseMass", "inverseInertia", "centerOfMassPosition", "centerOfMassOrientation"]
    before = shared.read(shared.query(BODY, paths=[SPINNING]), names)
    before = [before[name].numpy().copy() for name in names]
    put(shared, BODY, STILL, "mass", 7)
    put(shared, BODY, STILL, "centerOfMassPosition", (1, 1, 1))
    put(shared, BODY, STILL, "centerOfMassOrientation", THIRD)
    after = shared.read(shared.query(BODY, paths=[SPINNING]), names)
    for name, value in zip(names, before, strict=True):
        np.testing.assert_array_equal(after[name].numpy(), value)


def test_a_reset_restores_masses_again_and_again(masses: Simulation) -> None:
    """After each reset masses, axes and gravity are the authored ones, and the motion is, to the last digit."""

    def state() -> list[np.ndarray]:
        names = ("mass", "inertia", "inverseInertia", "centerOfMassPosition", "centerOfMassOrientation")
        properties = [got(masses, BODY, SPINNING, name) for name in names]
        masses.step(DT, count=3)
        return [*properties, got(masses, BODY, SPINNING, "body_q"), got(masses, LINK, TIP, "body_q")]

    authored = state()
    for _ in range(2):
        masses.reset()
        put(masses, BODY, SPINNING, "mass", 9)
        put(masses, BODY, SPINNING, "inertia", TENSOR)
        put(masses, BODY, SPINNING, "centerOfMassPosition", (0, 0, 1))
        put(masses, BODY, SPINNING, "centerOfMassOrientation", THIRD)
        put(masses, LINK, TIP, "centerOfMassPosition", (0, 0, 1))
        put(masses, SCENE, "/Scene", "gravity", (0, 0, -9))
        masses.step(DT, count=3)
        masses.reset()
        for value, expected in zip(state(), authored, strict=True):
            np.testing.assert_array_equal(value, expected)
