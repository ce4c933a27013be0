"""What is written to a link of an articulation acts in the next step."""

from __future__ import annotations

import numpy as np
import pytest
from driven_arms import ARM, INERTIA, SCENE
from reading import JOINT, LINK, value

import ovread

DT = 1e-3
FALLING = SCENE.replace(
    "float physics:gravityMagnitude = 0",
    "vector3f physics:gravityDirection = (0, -1, 0)\nfloat physics:gravityMagnitude = 10",
)
"""The same arms, with gravity across two of them."""


@pytest.fixture
def simulation():
    with ovread.open(SCENE, backend="physx") as simulation:
        yield simulation


def put(simulation, name, values, path="/R/of_hinge"):
    simulation.set(simulation.query(LINK, paths=[path]), name, values)


@pytest.mark.obeys("ARTICULATION_LINK", "disableGravity")
@pytest.mark.obeys("ARTICULATION_LINK", "wrench")
@pytest.mark.obeys("ARTICULATION_LINK", "force")
def rate(simulation, path="/R/hinge"):
    return np.deg2rad(value(simulation, JOINT, path, "jointVelocity")[0])


def test_a_force_acts_at_the_centre_of_mass_for_one_step(simulation):
    """It turns the arm by force x lever, twice as much if given twice, and is gone in the next step."""
    put(simulation, "force", (0, 2, 0))
    put(simulation, "force", (0, 1, 0))
    simulation.step(DT)
    assert rate(simulation) == pytest.approx(3 * ARM / INERTIA * DT, rel=1e-3)
    assert rate(simulation, "/R/reversed") == pytest.approx(0, abs=1e-7)
    simulation.step(DT)
    assert rate(simulation) == pytest.approx(3 * ARM / INERTIA * DT, rel=1e-3)


def test_a_wrench_acts_at_the_point_of_the_world(simulation):
    """A force at a point of the world turns by its moment about the axis, and a torque by itself."""
    put(simulation, "wrench", (0, 2, 0, 0, 0, 0.7, 1.5, 0, 0))
    simulation.step(DT)
    assert rate(simulation) == pytest.approx((2 * 1.5 + 0.7) / INERTIA * DT, rel=1e-3)


def test_gravity_is_disabled_link_by_link():
    """One arm hangs weightless while the other falls; and falls once the flag is taken back."""
    with ovread.open(FALLING, backend="physx") as simulation:
        put(simulation, "disableGravity", 1)
        simulation.step(DT)
        falls = 2 * 10 * ARM / INERTIA * DT
        assert rate(simulation) == pytest.approx(0, abs=1e-7)
        assert rate(simulation, "/R/reversed") == pytest.approx(falls, rel=1e-3)
        put(simulation, "disableGravity", 0)
        simulation.step(DT)
        assert rate(simulation) == pytest.approx(-falls, rel=1e-3)


@pytest.mark.parametrize(
    ("name", "values"),
    [("mass", 5.0), ("disableGravity", 1), ("inertia", (1, 0, 0, 0, 1, 0, 0, 0, 1)), ("force", (0, 1, 0))],
)
def test_what_is_written_wakes_the_articulation(simulation, name, values):
    """A sleeping arm does not sleep through a change of its links."""
    _sleep(simulation)
    put(simulation, name, values)
    assert not any(simulation.read(simulation.query(LINK), "isSleeping")["isSleeping"].numpy())


@pytest.mark.parametrize(
    ("name", "values"),
    [("jointStiffness", 5.0), ("jointLimit", (-5, 5)), ("jointArmature", 1.0), ("jointPositionTarget", 5.0)],
)
def test_what_is_written_to_a_joint_wakes_the_articulation(simulation, name, values):
    """Nor through a change of a joint; writing what is there already wakes nobody."""
    _sleep(simulation)
    query = simulation.query(JOINT, paths=["/R/reversed"])
    simulation.set(query, name, value(simulation, JOINT, "/R/reversed", name))
    assert all(simulation.read(simulation.query(LINK), "isSleeping")["isSleeping"].numpy())
    simulation.set(query, name, values)
    assert not any(simulation.read(simulation.query(LINK), "isSleeping")["isSleeping"].numpy())


def _sleep(simulation):
    for _ in range(100):
        simulation.step(1 / 60, count=5)
        if all(simulation.read(simulation.query(LINK), "isSleeping")["isSleeping"].numpy()):
            return
    pytest.fail("the arms do not fall asleep")
