"""Sleep, gravity per body, and the offsets of shapes."""

from __future__ import annotations

from collections.abc import Callable

import newton
import numpy as np
import pytest
import warp as wp

import ovread
from ovread import ObjectScope, ObjectType, OmissionReason, Simulation, errors

Opened = Callable[..., Simulation]

BODY = ObjectType.RIGID_BODY


def test_a_body_at_rest_sleeps(opened: Opened) -> None:
    """With Steel and sleeping=True a box falls awake, comes to rest and sleeps; a reset wakes it."""
    simulation = opened("contacts", solver="steel", sleeping=True)
    query = simulation.query(BODY)
    reader = simulation.reader(query, ["isSleeping", "linearVelocity"])
    assert len(simulation.query(BODY, scope=ObjectScope.ACTIVE)) == 0, "nothing has moved yet"
    assert not reader.read()["isSleeping"].numpy().any()
    simulation.step(1 / 240, count=10)
    assert not reader.read()["isSleeping"].numpy().any()
    simulation.step(1 / 240, count=480)
    result = reader.read()
    asleep = result["isSleeping"].numpy()[:, 0] == 1
    active = simulation.query(BODY, scope=ObjectScope.ACTIVE)
    assert set(active.paths) == {path for path, sleeps in zip(query.paths, asleep, strict=True) if not sleeps}
    assert asleep.any()
    np.testing.assert_array_equal(result["linearVelocity"].numpy()[asleep], 0)
    simulation.reset()
    assert not reader.read()["isSleeping"].numpy().any()


def test_without_the_option_no_body_sleeps(opened: Opened) -> None:
    """With Steel and sleeping=False a box that has come to rest reads 0, as does one at the start."""
    simulation = opened("contacts", solver="steel")
    query = simulation.query(BODY)
    for _ in range(2):
        result = simulation.read(query, ["isSleeping"])
        assert not result.omissions
        np.testing.assert_array_equal(result["isSleeping"].numpy(), np.zeros((len(query), 1)))
        simulation.step(1 / 240, count=490)


def test_attached_to_steel_whether_bodies_sleep_is_not_known() -> None:
    """Whoever made the solver may have let bodies sleep: without its report the attribute is left out."""
    builder = newton.ModelBuilder()
    builder.add_shape_box(builder.add_body(label="/box"), hx=0.1, hy=0.1, hz=0.1)
    model = builder.finalize(device="cpu")
    with ovread.attach(model, model.state(), newton.solvers.SolverSteel(model)) as sim:
        (omission,) = sim.read(sim.query(BODY), ["isSleeping"]).omissions
        assert omission.reason is OmissionReason.UNSUPPORTED_CONFIGURATION


def test_where_no_body_sleeps_the_reason_says_what_to_do(opened: Opened) -> None:
    """Other solvers leave the attribute out, no row is told as active, and the option is Steel's alone."""
    simulation = opened("free_fall", solver="mujoco")
    (omission,) = simulation.read(simulation.query(BODY), ["isSleeping"]).omissions
    assert omission.reason is OmissionReason.UNSUPPORTED_CONFIGURATION
    assert "sleeping=True" in omission.detail
    for solver in ("steel", "mujoco"):
        simulation = opened("free_fall", solver=solver)
        with pytest.raises(errors.SelectionError, match="scope=ALL"):
            simulation.query(BODY, scope=ObjectScope.ACTIVE)
    for options in ({"solver": "mujoco", "sleeping": True}, {"solver": "steel", "sleeping": 1}):
        with pytest.raises(errors.OptionError, match="sleeping"):
            opened("free_fall", **options)


def test_gravity_of_bodies_is_what_the_solver_makes_of_it() -> None:
    """MuJoCo compensates gravity body by body, in whole or in part; the other solvers do not."""
    builder = newton.ModelBuilder()
    newton.solvers.SolverMuJoCo.register_custom_attributes(builder)
    for place, compensation in enumerate((0.0, 1.0, 0.5)):
        pose = wp.transform((float(place), 0.0, 0.0), wp.quat_identity())
        body = builder.add_body(xform=pose, label=f"/b{place}", custom_attributes={"mujoco:gravcomp": compensation})
        builder.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1)
    model = builder.finalize(device="cpu")
    for solver, flags, velocities in (
        (newton.solvers.SolverMuJoCo(model, use_mujoco_cpu=True), [0, 1, 0], [-0.0981, 0, -0.04905]),
        (newton.solvers.SolverSemiImplicit(model), [0, 0, 0], [-0.0981] * 3),
    ):
        before, after = model.state(), model.state()
        solver.step(before, after, model.control(), None, 0.01)
        np.testing.assert_allclose(after.body_qd.numpy()[:, 2], velocities, atol=1e-5)
        with ovread.attach(model, after, solver) as sim:
            assert sim.read(sim.query(BODY), ["disableGravity"])["disableGravity"].numpy().ravel().tolist() == flags


def test_offsets_of_shapes_are_margin_and_reach() -> None:
    """Shapes rest at their margin, and contacts are made a gap before; MuJoCo, which ignores both, has neither."""
    builder = newton.ModelBuilder()
    config = newton.ModelBuilder.ShapeConfig(margin=0.01, gap=0.03)
    builder.add_shape_box(builder.add_body(label="/box"), hx=0.1, hy=0.1, hz=0.1, cfg=config)
    model = builder.finalize(device="cpu")
    with ovread.attach(model, model.state(), newton.solvers.SolverSemiImplicit(model)) as sim:
        result = sim.read(sim.query(BODY), ["restOffset", "contactOffset"])
        assert result["restOffset"].numpy().item() == pytest.approx(0.01)
        assert result["contactOffset"].numpy().item() == pytest.approx(0.04)
    with pytest.warns(UserWarning, match="zeroed"):
        solver = newton.solvers.SolverMuJoCo(model, use_mujoco_cpu=True)
    with ovread.attach(model, model.state(), solver) as sim:
        assert {omission.attribute for omission in sim.read(sim.query(BODY), ["restOffset", "contactOffset"]).omissions}
