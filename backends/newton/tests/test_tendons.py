"""Tendons of MuJoCo: identity, and that what is read is what is simulated."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import newton
import numpy as np
import pytest

import ovread
from ovread import ObjectType, OmissionReason, Simulation

FIXED = ObjectType.FIXED_TENDON
SPATIAL = ObjectType.SPATIAL_TENDON
LARGEST = np.finfo(np.float32).max

SLIDERS = Path(__file__).parent / "scenes" / "tendons.xml"
"""Two sliders without gravity, 1 m apart across their axis."""


def builder() -> newton.ModelBuilder:
    """Build the sliders with their tendons."""
    made = newton.ModelBuilder()
    newton.solvers.SolverMuJoCo.register_custom_attributes(made)
    made.add_mjcf(str(SLIDERS))
    return made


@pytest.fixture(scope="module")
def model() -> newton.Model:
    """The sliders with their tendons."""
    return builder().finalize(device="cpu")


@pytest.fixture
def solver(model: newton.Model) -> newton.solvers.SolverMuJoCo:
    """A solver that runs MuJoCo itself."""
    return newton.solvers.SolverMuJoCo(model, use_mujoco_cpu=True)


@pytest.fixture
def simulation(model: newton.Model, solver: newton.solvers.SolverMuJoCo) -> Iterator[Simulation]:
    """The attached model and solver."""
    with ovread.attach(model, model.state(), solver) as attached:
        yield attached


def read(simulation: Simulation, object_type: ObjectType, name: str) -> dict[str, list[float]]:
    """Read one attribute of all tendons of a type, by path."""
    group = simulation.read(simulation.query(object_type), [name])[name]
    return dict(zip(group.paths, group.numpy().tolist(), strict=True))


def test_tendons_have_their_own_names(simulation: Simulation) -> None:
    """A tendon is known by its label, since several may lead over one joint; its articulation counts it."""
    assert simulation.query(FIXED).paths == ("limited", "slack", "spring")
    assert simulation.query(SPATIAL).paths == ("rope",)
    for name, count in (("fixedTendonCount", 3), ("spatialTendonCount", 1)):
        assert list(read(simulation, ObjectType.ARTICULATION, name).values()) == [[count]]


def test_values_of_tendons(simulation: Simulation) -> None:
    """Values are as authored; a length at rest that was left open is that of the first pose; no limit is FLT_MAX."""
    assert read(simulation, FIXED, "tendonStiffness") == {"limited": [0], "slack": [0], "spring": [100]}
    assert read(simulation, FIXED, "tendonDamping")["spring"] == [3]
    limits = read(simulation, FIXED, "tendonLimit")
    assert limits["limited"] == pytest.approx([-0.5, 0.7])
    assert limits["spring"] == [-LARGEST, LARGEST]
    lengths = read(simulation, FIXED, "tendonRestLength")
    assert lengths == {"limited": [0], "spring": [pytest.approx(0.3)]}
    assert read(simulation, SPATIAL, "tendonStiffness") == {"rope": [5]}
    assert read(simulation, SPATIAL, "tendonDamping") == {"rope": [2]}


def test_a_slack_tendon_has_no_one_length_at_rest(simulation: Simulation) -> None:
    """A tendon that is at rest between two lengths is left out, with the reason."""
    (omission,) = simulation.read(simulation.query(FIXED), ["tendonRestLength"]).omissions
    assert (omission.reason, omission.paths) == (OmissionReason.UNSUPPORTED_CONFIGURATION, ("slack",))


def test_what_is_read_is_what_is_simulated(
    model: newton.Model, solver: newton.solvers.SolverMuJoCo, simulation: Simulation
) -> None:
    """The first step accelerates by the force that the values read give, also where a change did not arrive."""
    model.mujoco.tendon_stiffness.assign([50.0, 0.0, 0.0, 5.0])
    solver.notify_model_changed(newton.ModelFlags.TENDON_PROPERTIES)
    stiffness = read(simulation, FIXED, "tendonStiffness")["spring"][0]
    length = read(simulation, FIXED, "tendonRestLength")["spring"][0]
    now, following, dt = model.state(), model.state(), 1e-5
    solver.step(now, following, model.control(), None, dt)
    np.testing.assert_allclose(following.joint_qd.numpy(), np.array([1 / 2, -1]) * stiffness * length * dt, rtol=1e-3)
    model.mujoco.tendon_stiffness.assign([100.0, 0.0, 0.0, 5.0])


def test_offset_and_limit_stiffness_are_not_of_mujoco(simulation: Simulation) -> None:
    """What MuJoCo's tendons do not have is omitted."""
    omissions = simulation.read(simulation.query(FIXED), ["tendonOffset", "tendonLimitStiffness"]).omissions
    assert [item.reason for item in omissions] == [OmissionReason.UNSUPPORTED_ATTRIBUTE] * 2


def test_tendons_need_their_solver(model: newton.Model) -> None:
    """Without MuJoCo's solver, or with another one, there is no telling what is simulated."""
    with ovread.attach(model, model.state()) as simulation:
        (omission,) = simulation.read(simulation.query(FIXED), ["tendonStiffness"]).omissions
        assert "SolverMuJoCo" in omission.detail
    with ovread.attach(model, model.state(), newton.solvers.SolverXPBD(model)) as simulation:
        (omission,) = simulation.read(simulation.query(SPATIAL), ["tendonStiffness"]).omissions
        assert "Only the mujoco solver" in omission.detail


def test_each_world_has_its_tendons() -> None:
    """Tendons of copies are read in their own world."""
    worlds = newton.ModelBuilder()
    newton.solvers.SolverMuJoCo.register_custom_attributes(worlds)
    for name in ("left", "right"):
        worlds.begin_world()
        worlds.add_builder(builder(), label_prefix=name)
        worlds.end_world()
    model = worlds.finalize(device="cpu")
    solver = newton.solvers.SolverMuJoCo(model, use_mujoco_cpu=False)
    model.mujoco.tendon_damping.assign([3, 0, 0, 2, 7, 0, 0, 9])
    solver.notify_model_changed(newton.ModelFlags.TENDON_PROPERTIES)
    with ovread.attach(model, model.state(), solver) as simulation:
        damping = read(simulation, FIXED, "tendonDamping")
        assert (damping["left/spring"], damping["right/spring"]) == ([3], [7])
        assert read(simulation, FIXED, "tendonRestLength")["right/spring"] == [pytest.approx(0.3)]
