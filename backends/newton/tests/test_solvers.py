"""Each solver does what is promised of it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from ovread import ObjectType, OmissionReason, Simulation

SOLVERS = ("mujoco", "steel", "xpbd", "featherstone", "semi_implicit", "vbd", "kamino")

Opened = Callable[..., Simulation]
Value = Callable[..., np.ndarray]


@pytest.mark.parametrize("solver", SOLVERS)
def test_bodies_fall(opened: Opened, value: Value, solver: str) -> None:
    """A free body falls as gravity says, and its velocity is that of the substeps added up."""
    simulation = opened("free_fall", solver=solver, substeps=2)
    assert simulation.variant == solver
    simulation.step(1 / 60, count=6)
    velocity = value(simulation, ObjectType.RIGID_BODY, "/W/box", "linearVelocity").ravel()
    # VBD takes velocities from differences of positions, which single precision rounds at a height of 100 m.
    tolerance = 5e-3 if solver == "vbd" else 1e-4
    np.testing.assert_allclose(velocity, [0, 0, -0.981], rtol=tolerance, atol=1e-6)


@pytest.mark.parametrize("solver", ["steel", "xpbd"])
def test_missing_accelerations_have_a_reason(opened: Opened, solver: str) -> None:
    """A solver that reports no accelerations omits them, instead of returning zeros."""
    simulation = opened("free_fall", solver=solver)
    simulation.step(1 / 60)
    bodies = simulation.query(ObjectType.RIGID_BODY)
    (omission,) = simulation.read(bodies, ["linearAcceleration"]).omissions
    assert omission.reason is OmissionReason.UNSUPPORTED_CONFIGURATION
    assert solver in omission.detail
    assert "linearAcceleration" not in bodies.attributes


@pytest.mark.parametrize("solver", ["mujoco", "steel", "xpbd", "vbd", "kamino"])
def test_joint_position_follows_the_motion(opened: Opened, value: Value, solver: str) -> None:
    """Joint coordinates agree with the poses of the links at every tick, also where the solver does not keep them."""
    simulation = opened("pendulum", solver=solver)
    joints = simulation.query(ObjectType.ARTICULATION_JOINT)
    reader = simulation.reader(joints, ["jointPosition", "jointVelocity", "joint_q"])
    assert reader.read()["jointPosition"].numpy()[0, 0] == 0
    for _ in range(10):
        simulation.step(1 / 240)
        read = reader.read()
        _, y, _, w = value(simulation, ObjectType.ARTICULATION_LINK, "/W/p/bob", "orientation").ravel()
        angle = np.degrees(2 * np.arctan2(y, w))
        rate = np.degrees(value(simulation, ObjectType.ARTICULATION_LINK, "/W/p/bob", "angularVelocity")[0, 1])
        assert read["jointPosition"].numpy()[0, 0] == pytest.approx(angle, abs=1e-3)
        assert read["jointVelocity"].numpy()[0, 0] == pytest.approx(rate, rel=1e-3)
        assert read["joint_q"].numpy()[0, 0] == pytest.approx(np.radians(angle), abs=1e-5)
    assert angle > 0.5


def test_kinematic_body_stands(opened: Opened, value: Value) -> None:
    """The default solver takes a standalone kinematic body and leaves it where it is."""
    simulation = opened("kinematic")
    simulation.step(1 / 60, count=10)
    np.testing.assert_array_equal(
        value(simulation, ObjectType.RIGID_BODY, "/W/kin", "position").ravel(), np.zeros(3, np.float32)
    )


def test_joint_outside_an_articulation_is_reported(opened: Opened) -> None:
    """Opening says which joints a solver will ignore."""
    simulation = opened("joint_outside_articulation")
    rules = {finding.rule: finding.prim for finding in simulation.diagnostics}
    assert rules["joint-outside-articulation"]


def test_substeps_are_equal_parts(opened: Opened, value: Value) -> None:
    """One step of four substeps is four steps of a quarter."""
    states = []
    for substeps, dt, count in ((4, 1 / 60, 3), (1, 1 / 240, 12)):
        simulation = opened("pendulum", substeps=substeps)
        simulation.step(dt, count=count)
        states.append(value(simulation, ObjectType.ARTICULATION_LINK, "/W/p/bob", "body_q"))
    np.testing.assert_array_equal(*states)


def test_a_state_that_is_no_number_is_reported(opened: Opened) -> None:
    """A solver that diverges says so once, of the first body; values are the engine's own."""
    simulation = opened("centimetres", solver="featherstone")
    assert "diverged" not in {finding.rule for finding in simulation.diagnostics}
    simulation.step(1 / 240, count=5)
    (finding,) = (finding for finding in simulation.diagnostics if finding.rule == "diverged")
    assert "featherstone" in finding.message
    query = simulation.query(ObjectType.RIGID_BODY, paths=[finding.prim])
    assert np.isnan(simulation.read(query, ["position"])["position"].numpy()).any()
