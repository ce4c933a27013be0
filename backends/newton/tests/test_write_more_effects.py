"""Effects of writes that the files by subject do not show: of soft bodies, particles, and ropes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import newton
import numpy as np
import pytest
import warp as wp

import ovread
from ovread import ObjectType, Simulation, errors

FIXED, SPATIAL = ObjectType.FIXED_TENDON, ObjectType.SPATIAL_TENDON
SURFACE, VOLUME = ObjectType.DEFORMABLE_SURFACE, ObjectType.DEFORMABLE_VOLUME
PARTICLES = ObjectType.PARTICLE_SET


def put(simulation: Simulation, kind: ObjectType, path: str, name: str, value: Any) -> None:
    """Write one attribute of one object."""
    simulation.set(simulation.query(kind, paths=[path]), name, value)


def got(simulation: Simulation, kind: ObjectType, path: str, name: str) -> np.ndarray:
    """Read it."""
    return simulation.read(simulation.query(kind, paths=[path]), [name])[name].numpy().ravel().astype(float)


def soft_model() -> newton.Model:
    """Build loose particles, a cloth and a block, without gravity."""
    builder = newton.ModelBuilder(gravity=(0.0, 0.0, 0.0))
    builder.add_particles([(0, 0, 9), (1, 0, 9), (0, 3, 9)], [(0, 0, 0)] * 3, [1.0, 2.0, 3.0])
    place: dict[str, Any] = {"rot": wp.quat_identity(), "vel": wp.vec3()}
    cloth = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)]
    builder.add_cloth_mesh(
        pos=wp.vec3(0, 5, 5), scale=1.0, vertices=cloth, indices=[0, 1, 3, 0, 3, 2], density=1.0, label="/Cloth",
        **place,
    )  # fmt: skip
    builder.add_soft_mesh(
        pos=wp.vec3(0, 0, 1), scale=2.0, vertices=[(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], indices=[0, 1, 2, 3],
        density=1.0, k_mu=1.0, k_lambda=1.0, k_damp=0.0, label="/Block", **place,
    )  # fmt: skip
    return builder.finalize(device="cpu")


class Soft:
    """The loop of somebody who attached such a model."""

    def __init__(self) -> None:
        self.model = soft_model()
        self.solver = newton.solvers.SolverSemiImplicit(self.model)
        self.now, self.next, self.control = self.model.state(), self.model.state(), self.model.control()
        self.simulation = ovread.attach(self.model, self.now, self.next, self.control, self.solver)

    def step(self, dt: float) -> None:
        self.now.clear_forces()
        self.solver.step(self.now, self.next, self.control, None, dt)
        self.now, self.next = self.next, self.now
        self.simulation.stepped(dt, state=self.now)

    def read(self, kind: ObjectType, name: str) -> np.ndarray:
        simulation = self.simulation
        return simulation.read(simulation.query(kind), [name])[name].numpy().astype(float)


@pytest.fixture
def soft() -> Iterator[Soft]:
    made = Soft()
    yield made
    made.simulation.close()


KINDS = pytest.mark.parametrize("kind", [SURFACE, VOLUME, PARTICLES])


@pytest.mark.reads_back("DEFORMABLE_SURFACE DEFORMABLE_VOLUME PARTICLE_SET", "points velocities")
@pytest.mark.obeys("DEFORMABLE_SURFACE DEFORMABLE_VOLUME PARTICLE_SET", "points velocities")
@KINDS
def test_points_go_on_from_where_they_are_put(soft: Soft, kind: ObjectType) -> None:
    """Points and velocities read back at once, and the next step moves the points by their velocity; others stay."""
    query = soft.simulation.query(kind)
    others = {other: soft.read(other, "points") for other in (SURFACE, VOLUME, PARTICLES) if other is not kind}
    there = soft.read(kind, "points") + np.array((10, 20, 30))
    speeds = np.tile((1.0, 2.0, 3.0), (len(there), 1))
    soft.simulation.set(query, "points", there)
    soft.simulation.set(query, "velocities", speeds)
    np.testing.assert_allclose(soft.read(kind, "points"), there, rtol=1e-6)
    np.testing.assert_allclose(soft.read(kind, "velocities"), speeds)
    soft.step(1e-3)
    np.testing.assert_allclose(soft.read(kind, "points"), there + 1e-3 * speeds, atol=2e-5)
    np.testing.assert_allclose(soft.read(kind, "velocities"), speeds, atol=1e-2)
    for other, points in others.items():
        np.testing.assert_allclose(soft.read(other, "points"), points, atol=1e-5)


@pytest.mark.refuses("DEFORMABLE_SURFACE DEFORMABLE_VOLUME PARTICLE_SET", "points velocities")
@KINDS
@pytest.mark.parametrize("name", ["points", "velocities"])
def test_bad_points_change_nothing(soft: Soft, kind: ObjectType, name: str) -> None:
    """One number that is none refuses all of them."""
    before = soft.read(kind, name)
    bad = before + 1
    bad[-1, 2] = np.nan
    with pytest.raises(errors.ValueRefusedError, match=f"{name}.*finite"):
        soft.simulation.set(soft.simulation.query(kind), name, bad)
    np.testing.assert_array_equal(soft.read(kind, name), before)


# Tendons


class Sliders:
    """Sliders of 2 and 1 kg along x, 1 apart along y, tied by a rope; the other tendons do nothing."""

    def __init__(self, scenes: Path) -> None:
        builder = newton.ModelBuilder()
        newton.solvers.SolverMuJoCo.register_custom_attributes(builder)
        builder.add_mjcf(str(scenes / "tendons.xml"))
        self.model = builder.finalize(device="cpu")
        self.solver = newton.solvers.SolverMuJoCo(self.model, use_mujoco_cpu=True)
        self.simulation: Simulation = ovread.attach(self.model, self.model.state(), self.solver)
        for name in ("tendonStiffness", "tendonDamping"):
            self.put(FIXED, "spring", name, 0)

    def put(self, kind: ObjectType, path: str, name: str, value: Any) -> None:
        put(self.simulation, kind, path, name, np.array([value], np.float32).reshape(1, -1))

    def accelerations(self, position: float, rate: float) -> np.ndarray:
        """Return what a step accelerates the sliders by, the first of which is away and moving."""
        now, following = self.model.state(), self.model.state()
        now.joint_q.assign([position, 0])
        now.joint_qd.assign([rate, 0])
        self.solver.step(now, following, self.model.control(), None, 1e-5)
        return (following.joint_qd.numpy() - [rate, 0]) / 1e-5


@pytest.fixture
def sliders(scenes: Path) -> Iterator[Sliders]:
    made = Sliders(scenes)
    yield made
    made.simulation.close()


@pytest.mark.reads_back("SPATIAL_TENDON", "tendonStiffness tendonDamping")
@pytest.mark.obeys("SPATIAL_TENDON", "tendonStiffness tendonDamping")
def test_a_rope_pulls_and_brakes(sliders: Sliders) -> None:
    """Along x it pulls by (k (length - 1) + d rate) times the cosine of its slope."""
    length, cosine = np.hypot(1, 0.5), 0.5 / np.hypot(1, 0.5)
    for stiffness, damping in ((40.0, 0.0), (0.0, 6.0), (40.0, 6.0)):
        sliders.put(SPATIAL, "rope", "tendonStiffness", stiffness)
        sliders.put(SPATIAL, "rope", "tendonDamping", damping)
        read = [got(sliders.simulation, SPATIAL, "rope", name)[0] for name in ("tendonStiffness", "tendonDamping")]
        assert read == [stiffness, damping]
        pull = stiffness * (length - 1) + damping * 0.2 * cosine
        np.testing.assert_allclose(
            sliders.accelerations(0.5, 0.2), np.array((-1 / 2, 1)) * pull * cosine, rtol=1e-2, atol=1e-2
        )


@pytest.mark.refuses("FIXED_TENDON", "tendonStiffness tendonDamping tendonRestLength tendonLimit")
@pytest.mark.refuses("SPATIAL_TENDON", "tendonStiffness tendonDamping")
@pytest.mark.parametrize(
    ("kind", "path", "name", "bad"),
    [
        (FIXED, "spring", "tendonStiffness", -1),
        (FIXED, "spring", "tendonDamping", np.nan),
        (FIXED, "spring", "tendonRestLength", np.inf),
        (FIXED, "limited", "tendonLimit", (0.5, -0.5)),
        (SPATIAL, "rope", "tendonStiffness", np.nan),
        (SPATIAL, "rope", "tendonDamping", -1),
    ],
)
def test_a_bad_property_of_a_tendon_changes_nothing(
    sliders: Sliders, kind: ObjectType, path: str, name: str, bad: Any
) -> None:
    """It is refused by name, and the tendon keeps what it has."""
    before = got(sliders.simulation, kind, path, name)
    with pytest.raises(errors.ValueRefusedError, match=rf"{name}.*{path}"):
        sliders.put(kind, path, name, bad)
    np.testing.assert_array_equal(got(sliders.simulation, kind, path, name), before)


@pytest.mark.reads_back("FIXED_TENDON", "tendonStiffness tendonDamping tendonRestLength")
@pytest.mark.parametrize(("name", "value"), [("tendonDamping", 7), ("tendonRestLength", 0.125), ("tendonStiffness", 9)])
def test_a_property_of_a_fixed_tendon_reads_back(sliders: Sliders, name: str, value: float) -> None:
    """At once, and of that tendon alone."""
    before = got(sliders.simulation, FIXED, "limited", name)
    sliders.put(FIXED, "spring", name, value)
    assert got(sliders.simulation, FIXED, "spring", name) == [value]
    np.testing.assert_array_equal(got(sliders.simulation, FIXED, "limited", name), before)
