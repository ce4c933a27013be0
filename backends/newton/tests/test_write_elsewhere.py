"""Writing soft bodies, sleeping bodies, and simulations that the caller steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import newton
import numpy as np
import pytest
import warp as wp

import ovread
from ovread import ObjectType, Simulation
from ovread.errors import NotWritableError, ValueRefusedError

BODY, LINK, JOINT = ObjectType.RIGID_BODY, ObjectType.ARTICULATION_LINK, ObjectType.ARTICULATION_JOINT
ARTICULATION, SURFACE = ObjectType.ARTICULATION, ObjectType.DEFORMABLE_SURFACE
DT = 1 / 240

Opened = Callable[..., Simulation]


@pytest.fixture(scope="module", params=["vbd", "xpbd", "semi_implicit"])
def cloth(request: pytest.FixtureRequest, scenes: Path) -> Iterator[Simulation]:
    with ovread.open(scenes / "cloth.usda", backend="newton", solver=request.param) as simulation:
        yield simulation


def points(simulation: Simulation, name: str = "points") -> np.ndarray:
    return simulation.read(simulation.query(SURFACE), [name])[name].numpy().astype(float)


def test_particles_go_where_they_are_put(cloth: Simulation) -> None:
    """A jump leaves the velocities alone, a velocity moves the points, and a reset takes both back."""
    cloth.reset()
    query = cloth.query(SURFACE)
    start = points(cloth)
    cloth.step(DT, count=3)
    here, speed = points(cloth), points(cloth, "velocities")
    there = np.add(here, (5, 0, 0))
    cloth.set(query, "points", there)
    np.testing.assert_allclose(points(cloth), there, atol=1e-6)
    np.testing.assert_array_equal(points(cloth, "velocities"), speed)
    cloth.step(DT)
    falling = speed.mean(axis=0) + np.multiply(DT, (0, 0, -9.81))
    np.testing.assert_allclose(points(cloth, "velocities").mean(axis=0), falling, atol=1e-3)
    before = points(cloth)
    cloth.set(query, "velocities", np.tile((1.0, 2.0, 3.0), (len(before), 1)))
    cloth.step(DT)
    np.testing.assert_allclose((points(cloth) - before).mean(axis=0) / DT, (1, 2, 3 - 9.81 * DT), atol=1e-3)
    cloth.reset()
    np.testing.assert_array_equal(points(cloth), start)


@pytest.mark.obeys("DEFORMABLE_SURFACE DEFORMABLE_VOLUME PARTICLE_SET", "points velocities")
@pytest.mark.reads_back("DEFORMABLE_SURFACE DEFORMABLE_VOLUME PARTICLE_SET", "points velocities")
@pytest.mark.refuses("DEFORMABLE_SURFACE DEFORMABLE_VOLUME PARTICLE_SET", "points velocities")
@pytest.mark.parametrize("kind", [SURFACE, ObjectType.DEFORMABLE_VOLUME, ObjectType.PARTICLE_SET])
def test_each_soft_object_has_its_own_particles(kind: ObjectType) -> None:
    """A written object moves on from there, the others from where they were, and no number is refused whole."""
    model = soft_model()
    loop = ParticleLoop(model)
    with ovread.attach(model, loop.now, loop.next, loop.solver) as simulation:
        query = simulation.query(kind)
        others = simulation.query(next(other for other in (SURFACE, ObjectType.PARTICLE_SET) if other is not kind))
        kept = simulation.read(others, ["points"])["points"].numpy()
        start = simulation.read(query, ["points"])["points"].numpy().astype(float)
        simulation.set(query, "points", start + np.array((3, 2, 1)))
        simulation.set(query, "velocities", np.tile((1.0, 2.0, 3.0), (len(start), 1)))
        for name in ("points", "velocities"):
            before = simulation.read(query, [name])[name].numpy()
            bad = before.copy()
            bad[-1] = np.nan
            with pytest.raises(ValueRefusedError, match=name):
                simulation.set(query, name, bad)
            np.testing.assert_array_equal(simulation.read(query, [name])[name].numpy(), before)
        np.testing.assert_array_equal(simulation.read(others, ["points"])["points"].numpy(), kept)
        moved = simulation.read(query, ["points"])["points"].numpy().astype(float)
        np.testing.assert_allclose(moved - start, np.tile((3, 2, 1), (len(start), 1)), atol=1e-6)
        loop.step(simulation, 1e-3)
        after = simulation.read(query, ["points"])["points"].numpy().astype(float)
        np.testing.assert_allclose((after - moved) / 1e-3, np.tile((1, 2, 3), (len(start), 1)), atol=2e-2)


def soft_model() -> newton.Model:
    """Build two loose particles, a triangle and a tetrahedron, without gravity."""
    builder = newton.ModelBuilder(gravity=(0.0, 0.0, 0.0))
    builder.add_particles([(0, 0, 9), (1, 0, 9)], [(0, 0, 0), (0, 0, 0)], [1.0, 2.0])
    place = {"rot": wp.quat_identity(), "vel": wp.vec3(), "density": 1.0}
    builder.add_cloth_mesh(
        pos=wp.vec3(0, 5, 5), scale=1.0, vertices=[(0, 0, 0), (1, 0, 0), (0, 1, 0)], indices=[0, 1, 2],
        label="/Cloth", **place,
    )  # fmt: skip
    builder.add_soft_mesh(
        pos=wp.vec3(0, 0, 1), scale=2.0, vertices=[(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], indices=[0, 1, 2, 3],
        k_mu=1.0, k_lambda=1.0, k_damp=0.0, label="/Block", **place,
    )  # fmt: skip
    return builder.finalize(device="cpu")


class ParticleLoop:
    """A caller's own loop over particles."""

    def __init__(self, model: newton.Model) -> None:
        self.now, self.next, self.control = model.state(), model.state(), model.control()
        self.solver = newton.solvers.SolverSemiImplicit(model)

    def step(self, simulation: Simulation, dt: float) -> None:
        self.now.clear_forces()
        self.solver.step(self.now, self.next, self.control, None, dt)
        self.now, self.next = self.next, self.now
        simulation.stepped(dt, state=self.now)


def test_solvers_that_move_no_particles_refuse(opened: Opened) -> None:
    """mujoco would leave them where they are put."""
    simulation = opened("cloth", solver="mujoco")
    with pytest.raises(NotWritableError, match="mujoco solver does not move particles"):
        simulation.write(simulation.query(SURFACE), ["points"])


@pytest.mark.parametrize(
    ("path", "name", "value"),
    [
        ("Load", "force", (20, 0, 0)),
        ("Load", "wrench", (20, 0, 0, 0, 0, 0, 0, 0, 0.75)),
        ("Load", "position", (0, 0, 2)),
        ("Load", "linearVelocity", (1, 0, 0)),
        ("Carrier", "kinematicTargetPosition", (0.01, 0, 0)),
    ],
)
def test_a_write_wakes_what_sleeps(asleep: Simulation, path: str, name: str, value: tuple[float, ...]) -> None:
    """A sleeping body that is written, or whose support is moved, is awake in the next step, and moves."""
    load = asleep.query(BODY, paths=["/World/Load"])
    before = asleep.read(load, ["position"])["position"].numpy()
    asleep.set(asleep.query(BODY, paths=[f"/World/{path}"]), name, value)
    asleep.step(1 / 60)
    assert not asleep.read(load, ["isSleeping"])["isSleeping"].numpy()[0, 0]
    assert np.abs(asleep.read(load, ["position"])["position"].numpy() - before).max() > 1e-4


def test_writing_what_is_there_wakes_nothing(asleep: Simulation) -> None:
    """write(read()) lets a sleeping body sleep."""
    load = asleep.query(BODY, paths=["/World/Load"])
    for name in ("position", "orientation", "linearVelocity", "angularVelocity"):
        asleep.set(load, name, asleep.read(load, [name])[name].numpy())
    asleep.step(1 / 60)
    assert asleep.read(load, ["isSleeping"])["isSleeping"].numpy()[0, 0]


@pytest.fixture(scope="module")
def shared(scenes: Path) -> Iterator[Simulation]:
    with ovread.open(scenes / "carrier.usda", backend="newton", solver="steel", sleeping=True) as simulation:
        yield simulation


@pytest.fixture
def asleep(shared: Simulation) -> Simulation:
    """A load that has come to rest on a kinematic plate."""
    shared.reset()
    shared.step(1 / 60, count=150)
    assert shared.read(shared.query(BODY, paths=["/World/Load"]), ["isSleeping"])["isSleeping"].numpy()[0, 0]
    return shared


class Loop:
    """A caller's own model and loop: a floating pendulum and a box."""

    def __init__(self, solver: Any, **arguments: Any) -> None:
        builder = newton.ModelBuilder(gravity=(0.0, 0.0, 0.0))
        for name in ("base", "arm"):
            builder.add_link(label=name, mass=1.0, inertia=np.eye(3) * 0.5)
        joints = [
            builder.add_joint_free(0, label="float"),
            builder.add_joint_revolute(0, 1, axis=(0, 0, 1), child_xform=((-1, 0, 0), (0, 0, 0, 1)), label="hinge"),
        ]
        builder.add_articulation(joints, label="robot")
        builder.add_body(label="/box", mass=2.0, inertia=np.eye(3))
        self.model = builder.finalize(device="cpu")
        self.now, self.next = self.model.state(), self.model.state()
        newton.eval_fk(self.model, self.model.joint_q, self.model.joint_qd, self.now)
        self.control = self.model.control()
        self.solver = solver(self.model, **arguments)

    def step(self, simulation: Simulation, dt: float) -> None:
        self.now.clear_forces()
        self.solver.step(self.now, self.next, self.control, None, dt)
        self.now, self.next = self.next, self.now
        simulation.stepped(dt, state=self.now)

    def attached(self, *, with_solver: bool = True) -> Simulation:
        return ovread.attach(self.model, self.now, self.next, self.control, *([self.solver] if with_solver else []))


@pytest.mark.parametrize("with_solver", [True, False])
@pytest.mark.parametrize("solver", [newton.solvers.SolverFeatherstone, newton.solvers.SolverXPBD])
def test_an_attached_state_is_written_in_both_coordinates(solver: Any, with_solver: bool) -> None:
    """Bodies and joints go to the caller's current state, so that the next step of any solver starts from there."""
    loop = Loop(solver)
    with loop.attached(with_solver=with_solver) as simulation:
        loop.step(simulation, 0.01)
        box, joints = simulation.query(BODY, paths=["/box"]), simulation.query(JOINT)
        simulation.set(box, "position", (1, 2, 3))
        simulation.set(box, "linearVelocity", (1, 0, 0))
        simulation.set(joints, "jointPosition", 30.0)
        simulation.set(joints, "jointVelocity", 60.0)
        simulation.set(joints, "jointActuationForce", 0.25)
        np.testing.assert_allclose(loop.now.body_q.numpy()[2, :3], (1, 2, 3))
        np.testing.assert_allclose(loop.now.joint_q.numpy()[8:11], (1, 2, 3))
        np.testing.assert_allclose(loop.now.joint_q.numpy()[7], np.pi / 6, rtol=1e-6)
        np.testing.assert_allclose(loop.now.joint_qd.numpy()[6], np.pi / 3, rtol=1e-6)
        np.testing.assert_allclose(loop.now.body_q.numpy()[1, :2], (np.cos(np.pi / 6), np.sin(np.pi / 6)), rtol=1e-6)
        np.testing.assert_allclose(loop.control.joint_f.numpy()[6], 0.25)
        loop.step(simulation, 0.01)
        np.testing.assert_allclose(loop.now.body_q.numpy()[2, :3], (1.01, 2, 3), atol=1e-5)
        found = simulation.read(joints, ["jointPosition"])["jointPosition"].numpy()[0, 0]
        np.testing.assert_allclose(found, 30.6, atol=0.05)


def test_what_the_callers_loop_would_lose_is_refused() -> None:
    """Forces are cleared there, and no solver knows targets of kinematic bodies: the message says what to do."""
    loop = Loop(newton.solvers.SolverXPBD)
    with loop.attached() as simulation:
        box = simulation.query(BODY, paths=["/box"])
        for name, value in (("force", (1, 0, 0)), ("wrench", (1, 0, 0, 0, 0, 0, 0, 0, 0))):
            with pytest.raises(NotWritableError, match=r"State\.body_f"):
                simulation.set(box, name, value)
        with pytest.raises(NotWritableError, match="Your loop steps"):
            simulation.set(box, "kinematicTargetPosition", (1, 0, 0))


def test_targets_need_a_control() -> None:
    """Without a Control there is nowhere to write targets and efforts."""
    loop = Loop(newton.solvers.SolverXPBD)
    with ovread.attach(loop.model, loop.now, loop.solver) as simulation:
        for name in ("jointPositionTarget", "jointVelocityTarget", "jointActuationForce"):
            with pytest.raises(NotWritableError, match="Control"):
                simulation.set(simulation.query(JOINT), name, 1.0)
