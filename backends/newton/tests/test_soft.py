"""Surfaces, volumes and particle sets: identity, frames, and what a solver makes of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import newton
import numpy as np
import pytest
import warp as wp

import ovread
from ovread import ObjectType, OmissionReason, Simulation
from ovread.backend import Diagnostic
from ovread.errors import OwnershipError, SceneRefusedError

SURFACE = ObjectType.DEFORMABLE_SURFACE
VOLUME = ObjectType.DEFORMABLE_VOLUME
PARTICLES = ObjectType.PARTICLE_SET
QUAD = np.array([[0, 0, 2], [1, 0, 2], [0, 1, 2], [1, 1, 2]], dtype=np.float32)
TRIANGLE = np.array([[5, 0, 3], [6, 0, 3], [5, 1, 3]], dtype=np.float32)
GRAVITY = np.array([0, 0, -9.81])
DT = 1 / 240

Opened = Callable[..., Simulation]


def losses_of(simulation: Simulation) -> list[Diagnostic]:
    """Return what opening found, without the friction of colliders that have no material."""
    return [finding for finding in simulation.diagnostics if finding.rule != "default-friction"]


def fallen(start: np.ndarray, velocity: np.ndarray, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """Return where and how fast free particles are after some steps of symplectic Euler."""
    points = start + steps * DT * velocity + GRAVITY * DT**2 * steps * (steps + 1) / 2
    return points, np.broadcast_to(velocity + GRAVITY * DT * steps, start.shape)


@pytest.fixture(scope="module")
def cloth(scenes: Path) -> Iterator[Simulation]:
    """Two surfaces and a box after 24 steps of free fall, under a solver that moves both."""
    with ovread.open(scenes / "cloth.usda", backend="newton", solver="vbd") as simulation:
        simulation.step(DT, count=24)
        yield simulation


def read(simulation: Simulation, object_type: ObjectType, *names: str) -> dict[str, list[np.ndarray]]:
    """Read attributes of all objects of a type, one array per object."""
    result = simulation.read(simulation.query(object_type), names)
    assert not result.omissions
    return {group.attribute: group.per_prim() for group in result}


def test_surfaces_of_a_stage_are_meshes(cloth: Simulation) -> None:
    """Identity, rest points and triangles are those that were authored, counted from each mesh's first node."""
    query = cloth.query(SURFACE)
    assert query.paths == ("/W/quad", "/W/triangle")
    assert query.attributes == ("points", "velocities", "restPoints", "simElementIndices")
    values = read(cloth, SURFACE, "restPoints", "simElementIndices")
    for found, authored in zip(values["restPoints"], (QUAD, TRIANGLE), strict=True):
        np.testing.assert_array_equal(found, authored)
    assert [elements.tolist() for elements in values["simElementIndices"]] == [[[0, 1, 3], [0, 3, 2]], [[2, 0, 1]]]


def test_surfaces_of_a_stage_fall(cloth: Simulation) -> None:
    """Points and velocities follow the fall from the authored points with the authored velocities; bodies fall too."""
    values = read(cloth, SURFACE, "points", "velocities")
    for row, (start, velocity) in enumerate(((QUAD, np.zeros(3)), (TRIANGLE, np.array([1, 2, 3])))):
        points, velocities = fallen(start, velocity, 24)
        np.testing.assert_allclose(values["points"][row], points, rtol=0, atol=1e-4)
        np.testing.assert_allclose(values["velocities"][row], velocities, rtol=0, atol=2e-3)
    bodies = cloth.read(cloth.query(ObjectType.RIGID_BODY), ["position"])["position"].numpy()
    np.testing.assert_allclose(bodies, fallen(np.array([[-5, 0, 1]]), np.array([0, 0, 1]), 24)[0], atol=1e-3)


def test_one_of_several_surfaces(cloth: Simulation) -> None:
    """A selection has the particles of its own objects, in the caller's order."""
    query = cloth.query(SURFACE, paths=["/W/triangle", "/W/quad"])
    group = cloth.read(query, ["restPoints"])["restPoints"]
    assert group.paths == ("/W/triangle", "/W/quad")
    np.testing.assert_array_equal(group.values.numpy(), np.concatenate([TRIANGLE, QUAD]))
    assert np.asarray(group.offsets).tolist() == [0, 3, 7]


@pytest.mark.parametrize("solver", ["semi_implicit", "featherstone"])
def test_imported_surfaces_are_at_rest(opened: Opened, solver: str) -> None:
    """A surface that falls freely keeps its shape; with the area coefficient of the import, it would shrink."""
    simulation = opened("cloth", solver=solver)
    simulation.step(DT, count=12)
    values = read(simulation, SURFACE, "points", "velocities")
    points, velocities = fallen(QUAD, np.zeros(3), 12)
    np.testing.assert_allclose(values["points"][0], points, rtol=0, atol=1e-5)
    np.testing.assert_allclose(values["velocities"][0], velocities, rtol=0, atol=1e-5)


def test_a_surface_is_not_caught_in_its_own_collider(opened: Opened, scenes: Path) -> None:
    """A mesh that is a surface and a collider falls freely, instead of resting on a copy that stands still."""
    schemas = '["PhysicsDeformableBodyAPI", "PhysicsSurfaceDeformableSimAPI"'
    text = (scenes / "cloth.usda").read_text().replace(f"{schemas}]", f'{schemas}, "PhysicsCollisionAPI"]')
    simulation = opened(text, solver="semi_implicit")
    findings = [(finding.prim, finding.rule) for finding in losses_of(simulation)]
    assert findings == [("/W/quad", "surface-collider"), ("/W/triangle", "surface-collider")]
    simulation.step(DT, count=12)
    points = read(simulation, SURFACE, "points")["points"][0]
    np.testing.assert_allclose(points, fallen(QUAD, np.zeros(3), 12)[0], rtol=0, atol=1e-5)


def test_style3d_moves_surfaces_alone(opened: Opened) -> None:
    """Surfaces fall, with 0.2 % of the velocity lost per step; what it leaves standing is omitted and reported."""
    simulation = opened("cloth", solver="style3d")
    simulation.step(DT, count=12)
    points, velocity = TRIANGLE.astype(float), np.array([1.0, 2.0, 3.0])
    for _ in range(12):
        velocity = velocity + GRAVITY * DT
        points = points + velocity * DT
        velocity = 0.998 * velocity
    values = read(simulation, SURFACE, "points", "velocities")
    np.testing.assert_allclose(values["points"][1], points, rtol=0, atol=1e-4)
    np.testing.assert_allclose(values["velocities"][1], np.broadcast_to(velocity, (3, 3)), rtol=0, atol=2e-3)
    assert [finding.rule for finding in losses_of(simulation)] == ["bodies-not-simulated"]
    bodies = simulation.query(ObjectType.RIGID_BODY)
    assert "mass" in bodies.attributes
    omissions = simulation.read(bodies, ["position", "linearVelocity"]).omissions
    assert {item.reason for item in omissions} == {OmissionReason.UNSUPPORTED_CONFIGURATION}


def test_style3d_attributes_are_those_of_its_own_builder() -> None:
    """An imported flat mesh gets the bending weights that newton.solvers.style3d gives the same mesh."""
    from newton.solvers import SolverStyle3D, style3d
    from ovread_newton._surfaces import add_style3d_attributes

    random = np.random.default_rng(3)
    grid = np.stack(np.meshgrid(np.arange(4), np.arange(4)), axis=-1).reshape(-1, 2)
    vertices = [(*(0.1 * node + random.uniform(0, 0.03, 2)), 0.0) for node in grid]
    corners = [4 * y + x for y in range(3) for x in range(3)]
    indices = [node for a in corners for node in (a, a + 1, a + 5, a, a + 5, a + 4)]
    place: dict[str, Any] = {"pos": wp.vec3(), "rot": wp.quat_identity(), "vel": wp.vec3()}
    expected, builder = newton.ModelBuilder(), newton.ModelBuilder()
    SolverStyle3D.register_custom_attributes(expected)
    style3d.add_cloth_mesh(expected, vertices=vertices, indices=indices, density=1.0, **place)
    builder.add_cloth_mesh(vertices=vertices, indices=indices, density=1.0, scale=1.0, **place)
    add_style3d_attributes(builder)
    one, other = expected.finalize(device="cpu"), builder.finalize(device="cpu")
    is_inner = (one.edge_indices.numpy()[:, :2] >= 0).all(axis=1)
    for name in ("edge_rest_area", "edge_bending_cot"):
        values = [getattr(model.style3d, name).numpy()[is_inner] for model in (one, other)]
        np.testing.assert_allclose(*values, rtol=1e-5, atol=1e-5)


def test_a_solver_that_moves_no_particles_says_so(opened: Opened) -> None:
    """Under the default solver surfaces have a shape, but no points that never change."""
    simulation = opened("cloth")
    rules = [(finding.prim, finding.rule) for finding in losses_of(simulation)]
    assert rules == [("/W/quad", "particles-not-simulated"), ("/W/triangle", "particles-not-simulated")]
    query = simulation.query(SURFACE)
    assert query.attributes == ("restPoints", "simElementIndices")
    omissions = simulation.read(query, ["points", "velocities"]).omissions
    assert {item.reason for item in omissions} == {OmissionReason.UNSUPPORTED_CONFIGURATION}
    assert "solver='vbd'" in omissions[0].detail


def test_what_a_solver_leaves_standing_is_not_read() -> None:
    """MuJoCo keeps the particles of a model as they were, velocities included, while its body falls."""
    builder = newton.ModelBuilder()
    builder.add_body(mass=1.0, inertia=wp.mat33(np.eye(3)), label="/Ball")
    builder.add_particle((0, 0, 9), (1, 0, 0), 1.0)
    model = builder.finalize(device="cpu")
    solver = newton.solvers.SolverMuJoCo(model, use_mujoco_cpu=True)
    now, following = model.state(), model.state()
    solver.step(now, following, model.control(), None, DT)
    assert following.body_q.numpy()[0, 2] < 0
    np.testing.assert_array_equal(following.particle_q.numpy(), [[0, 0, 9]])
    np.testing.assert_array_equal(following.particle_qd.numpy(), [[1, 0, 0]])
    with ovread.attach(model, following, solver) as simulation:
        result = simulation.read(simulation.query(PARTICLES), ["points", "velocities"])
        assert [item.attribute for item in result.omissions] == ["points", "velocities"]


def test_a_solver_without_membranes_says_so(opened: Opened) -> None:
    """XPBD lets the nodes of surfaces move apart, which opening reports."""
    rules = [finding.rule for finding in losses_of(opened("cloth", solver="xpbd"))]
    assert rules == ["surface-without-stiffness"] * 2


def test_surfaces_are_no_grains(opened: Opened) -> None:
    """A solver of loose particles refuses surfaces, and says why."""
    with pytest.raises(SceneRefusedError, match="loose particles"):
        opened("cloth", solver="implicit_mpm")


def soft_builder() -> newton.ModelBuilder:
    """Build loose particles, a cloth that hangs by one node, a block of tetrahedra, and more loose particles."""
    builder = newton.ModelBuilder()
    builder.add_particles([(0, 0, 9), (1, 0, 9)], [(1, 0, 0), (0, 2, 0)], [1.0, 2.0])
    place = {"rot": wp.quat_identity(), "vel": wp.vec3()}
    builder.add_cloth_mesh(
        pos=wp.vec3(0, 5, 5), scale=1.0, vertices=QUAD - QUAD[0], indices=[0, 1, 3, 0, 3, 2], density=1.0,
        label="/Cloth", **place,
    )  # fmt: skip
    builder.particle_mass[2] = 0.0
    builder.add_soft_mesh(
        pos=wp.vec3(0, 0, 1), scale=2.0, vertices=[(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], indices=[0, 1, 2, 3],
        density=1.0, k_mu=1.0, k_lambda=1.0, k_damp=0.0, label="/Block", **place,
    )  # fmt: skip
    builder.add_particle((0, 0, 20), (0, 0, 0), 1.0)
    return builder


def test_objects_of_a_model_that_was_built_by_hand() -> None:
    """Labels are the paths; loose particles are one set; nodes are counted from the object's first, in world axes."""
    model = soft_builder().finalize(device="cpu")
    with ovread.attach(model, model.state()) as simulation:
        assert [simulation.query(kind).paths for kind in (SURFACE, VOLUME, PARTICLES)] == [
            ("/Cloth",), ("/Block",), ("/particles",),
        ]  # fmt: skip
        surface = read(simulation, SURFACE, "points", "simElementIndices")
        np.testing.assert_array_equal(surface["points"][0], QUAD - QUAD[0] + (0, 5, 5))
        assert surface["simElementIndices"][0].tolist() == [[0, 1, 3], [0, 3, 2]]
        volume = read(simulation, VOLUME, "points", "velocities", "restPoints", "simElementIndices")
        np.testing.assert_array_equal(volume["points"][0], [[0, 0, 1], [2, 0, 1], [0, 2, 1], [0, 0, 3]])
        np.testing.assert_array_equal(volume["restPoints"][0], volume["points"][0])
        assert volume["simElementIndices"][0].tolist() == [[0, 1, 2, 3]]
        loose = read(simulation, PARTICLES, "points", "velocities")
        np.testing.assert_array_equal(loose["points"][0], [[0, 0, 9], [1, 0, 9], [0, 0, 20]])
        np.testing.assert_array_equal(loose["velocities"][0], [[1, 0, 0], [0, 2, 0], [0, 0, 0]])


def test_loose_particles_fall_and_a_pinned_node_stands() -> None:
    """Reads follow the states that the caller swaps: a closed form for what is free, the start for what has no mass."""
    model = soft_builder().finalize(device="cpu")
    solver = newton.solvers.SolverSemiImplicit(model)
    now, following = model.state(), model.state()
    with ovread.attach(model, now, solver) as simulation:
        reader = simulation.reader(simulation.query(PARTICLES), ["points", "velocities"])
        for _ in range(10):
            now.clear_forces()
            solver.step(now, following, model.control(), None, DT)
            now, following = following, now
            simulation.stepped(DT, state=now)
            result = reader.read()
        start, velocity = np.array([[0, 0, 9], [1, 0, 9], [0, 0, 20]]), np.array([[1, 0, 0], [0, 2, 0], [0, 0, 0]])
        points, velocities = fallen(start, velocity, 10)
        np.testing.assert_allclose(result["points"].per_prim()[0], points, rtol=1e-6, atol=1e-6)
        np.testing.assert_allclose(result["velocities"].per_prim()[0], velocities, rtol=1e-5, atol=1e-6)
        np.testing.assert_array_equal(read(simulation, SURFACE, "points")["points"][0][0], [0, 5, 5])


def test_each_world_has_its_particles() -> None:
    """Copies are told apart as /env_0, /env_1, and loose particles are one set per world."""
    single = newton.ModelBuilder()
    single.add_particles([(0, 0, 1), (0, 0, 2)], [(0, 0, 0)] * 2, [1.0] * 2)
    single.add_cloth_mesh(
        pos=wp.vec3(), rot=wp.quat_identity(), vel=wp.vec3(), scale=1.0, vertices=TRIANGLE, indices=[0, 1, 2],
        density=1.0, label="/Cloth",
    )  # fmt: skip
    builder = newton.ModelBuilder()
    builder.add_particle((0, 0, 7), (0, 0, 0), 1.0)
    builder.add_world(single, xform=wp.transform((10.0, 0.0, 0.0)))
    builder.add_world(single, xform=wp.transform((20.0, 0.0, 0.0)))
    model = builder.finalize(device="cpu")
    with ovread.attach(model, model.state()) as simulation:
        assert simulation.query(SURFACE).paths == ("/env_0/Cloth", "/env_1/Cloth")
        assert [points[0, 0] for points in read(simulation, SURFACE, "points")["points"]] == [15, 25]
        group = simulation.read(simulation.query(PARTICLES), ["points"])["points"]
        points = dict(zip(group.paths, group.per_prim(), strict=True))
        assert {path: found[:, 0].tolist() for path, found in points.items()} == {
            "/particles": [0], "/env_0/particles": [10, 10], "/env_1/particles": [20, 20],
        }  # fmt: skip


def test_rest_points_are_where_the_elements_are_at_rest() -> None:
    """An object whose particles were moved after it was made has no rest points in the model, and says so."""
    builder = soft_builder()
    builder.particle_q[6] = wp.vec3(0.0, 0.0, 0.5)  # a node of the block
    turned = np.array(builder.particle_q[2:6]) @ np.array([[0, 1, 0], [-1, 0, 0], [0, 0, 1]])
    builder.particle_q[2:6] = turned.tolist()  # the cloth, as a whole
    model = builder.finalize(device="cpu")
    with ovread.attach(model, model.state()) as simulation:
        (omission,) = simulation.read(simulation.query(VOLUME), ["restPoints"]).omissions
        assert (omission.reason, omission.paths) == (OmissionReason.UNSUPPORTED_CONFIGURATION, ("/Block",))
        np.testing.assert_allclose(read(simulation, SURFACE, "restPoints")["restPoints"][0], turned)


def test_a_state_of_other_particles_is_refused() -> None:
    """A state with another number of particles is not one of the model."""
    model = soft_builder().finalize(device="cpu")
    with pytest.raises(OwnershipError, match="another model"):
        ovread.attach(model, newton.ModelBuilder().finalize(device="cpu").state())


def test_style3d_prints_nothing(opened: Opened, capfd: pytest.CaptureFixture[str]) -> None:
    """The solver's report of how long it took stays off the terminal."""
    opened("cloth", solver="style3d")
    assert capfd.readouterr() == ("", "")
