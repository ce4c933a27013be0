"""Contact sensors: closed forms of what rests, leans, lands and leaves, with the solvers that report forces."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from contact_sensors import assert_impulses_are_the_net_force, by_path, sensors

from ovread import ContactSelection, Group, ObjectType, Simulation

Opened = Callable[..., Simulation]

WITH_FORCES = ("mujoco", "steel", "xpbd", "vbd", "kamino")
TIMES = ((1 / 60, 1), (1 / 60, 4), (1 / 120, 1))
"""Time step and substeps."""
FOUND, LOST, PERSISTS = 0, 1, 2


def resolved(simulation: Simulation, group: Group) -> set[str]:
    """Return all paths that the handles of a group stand for."""
    return {path for paths in simulation.resolve(group) for path in paths}


def launch(simulation: Simulation, speed: float) -> None:
    """Give the only body of a scene an upward velocity, through the engine."""
    state = simulation._engine.state
    state.joint_qd.numpy()[2] = state.body_qd.numpy()[0, 2] = speed


@pytest.mark.parametrize("solver", WITH_FORCES)
@pytest.mark.parametrize(("dt", "substeps"), TIMES)
def test_what_rests_reads_its_weight(opened: Opened, solver: str, dt: float, substeps: int) -> None:
    """Force and not impulse, on the sensor, whatever the time step, the substeps and the order of Newton's shapes."""
    simulation = opened("resting", solver=solver, substeps=substeps)
    simulation.step(dt, count=round(0.5 / dt))
    contacts, bodies = simulation._engine.contacts, simulation._engine.model.shape_body.numpy()
    first = bodies[contacts.rigid_contact_shape0.numpy()[: contacts.rigid_contact_count.numpy()[0]]]
    # Scenery is Newton's shape 0 of one contact and shape 1 of another; to MuJoCo it is always the first.
    assert set(first < 0) == ({True} if solver == "mujoco" else {True, False})
    query = sensors(simulation)
    result = simulation.read(query, ["netNormalContactForce", "netFrictionContactForce"])
    weights = {"/Air": 0, "/Ball": 10, "/OnGround": 20, "/OnTable": 30, "/Turned": 20}
    assert query.paths == tuple(weights)
    expected = [(0, 0, weight) for weight in weights.values()]
    np.testing.assert_allclose(result["netNormalContactForce"].numpy(), expected, atol=0.03)
    np.testing.assert_allclose(result["netFrictionContactForce"].numpy(), np.zeros((5, 3)), atol=0.5)


@pytest.mark.parametrize("solver", ["mujoco", "steel", "xpbd", "vbd"])
def test_points_are_where_the_surfaces_meet(opened: Opened, solver: str) -> None:
    """Points are in world axes, of turned bodies and spheres too; normals lead from the scenery to the body."""
    simulation = opened("resting", solver=solver)
    simulation.step(1 / 240, count=240)
    names = ["rawContactPoint", "rawContactNormal", "rawContactSeparation", "rawContactForce"]
    result = simulation.read(sensors(simulation), names)
    point, normal, separation, force = (by_path(result[name]) for name in names)
    square = [(x, y) for x in (-0.5, 0.5) for y in (-0.5, 0.5)]
    c, s = math.cos(math.radians(30)), math.sin(math.radians(30))
    corners = {
        "/OnGround": [(x, y, 0) for x, y in square],
        "/OnTable": [(x, 20 + y, 1) for x, y in square],
        "/Turned": [(10 + x * c - y * s, x * s + y * c, 0) for x, y in square],
        "/Ball": [(5, 0, 0)],
    }
    for path, expected in corners.items():
        distances = np.linalg.norm(point[path][:, None] - np.array(expected)[None], axis=2)
        assert distances.min(axis=0).max() < 0.01, f"{path}: {point[path]}"
        np.testing.assert_allclose(normal[path], np.tile((0, 0, 1), (len(expected), 1)), atol=1e-3)
        assert np.abs(separation[path]).max() < 5e-3
        assert force[path].min() > 0
    assert len(point["/Air"]) == 0


@pytest.mark.parametrize("solver", WITH_FORCES)
@pytest.mark.parametrize(("dt", "substeps"), TIMES[:2])
def test_friction_and_normal_force_are_told_apart(opened: Opened, solver: str, dt: float, substeps: int) -> None:
    """On an incline friction is m g sin(angle) uphill and the normal force m g cos(angle), in world axes."""
    simulation = opened("incline", solver=solver, substeps=substeps)
    simulation.step(dt, count=round(0.5 / dt))
    angle = math.radians(20)
    normal = 20 * math.cos(angle) * np.array((math.sin(angle), 0, math.cos(angle)))
    friction = 20 * math.sin(angle) * np.array((-math.cos(angle), 0, math.sin(angle)))
    query = sensors(simulation, ContactSelection("/Box", ["/Ramp"]))
    result = simulation.read(query, query.attributes)
    for name in ("netNormalContactForce", "normalContactForceMatrix"):
        np.testing.assert_allclose(result[name].numpy()[0], normal, atol=0.05)
    for name in ("netFrictionContactForce", "frictionContactForceMatrix"):
        np.testing.assert_allclose(result[name].numpy()[0], friction, atol=0.05)
    np.testing.assert_allclose(result["filteredFrictionForce"].numpy().sum(axis=0), friction, atol=0.05)
    assert len(result["filteredFrictionPoint"].numpy()) == result["filteredFrictionCount"].numpy()[0, 0] > 0
    for name, expected in (("contactEventPointImpulse", normal), ("contactEventAnchorImpulse", friction)):
        # The impulses are on side 0, which is the body where the other side is scenery.
        np.testing.assert_allclose(result[name].numpy().sum(axis=0), expected * dt / substeps, rtol=0.01, atol=1e-4)


@pytest.mark.parametrize("solver", ["mujoco", "steel"])
@pytest.mark.parametrize(("dt", "substeps"), TIMES)
def test_each_filter_gives_the_force_that_comes_from_it(opened: Opened, solver: str, dt: float, substeps: int) -> None:
    """The ground pushes A up with the weight of both, B pushes it down with its own; lanes follow the filters."""
    simulation = opened("contacts", solver=solver, substeps=substeps)
    simulation.step(dt, count=round(0.5 / dt))
    a, b, ground = "/World/A", "/World/B", "/World/Ground"
    query = sensors(simulation, ContactSelection([a], [ground, b]), ContactSelection([b], [a, ground]))
    result = simulation.read(query, ["normalContactForceMatrix", "netNormalContactForce"])
    group = result["normalContactForceMatrix"]
    assert group.lanes == ("f0.x", "f0.y", "f0.z", "f1.x", "f1.y", "f1.z")
    np.testing.assert_allclose(group.numpy(), [(0, 0, 30, 0, 0, -10), (0, 0, 10, 0, 0, 0)], atol=0.05)
    np.testing.assert_allclose(result["netNormalContactForce"].numpy(), [(0, 0, 20), (0, 0, 10)], atol=0.05)


def test_force_times_normal_is_the_force_on_every_sensor(stack: Simulation) -> None:
    """Points add up to the net force, for both sides of a pair, and each names the other body."""
    query = sensors(stack, paths=[f"/World/{name}" for name in ("C", "B", "A/Col", "A")])
    result = stack.read(query, query.attributes)
    force, normal, net = (
        by_path(result[name]) for name in ("rawContactForce", "rawContactNormal", "netNormalContactForce")
    )
    assert {path: len(values) for path, values in force.items()} == dict(zip(query.paths, (0, 4, 8, 8), strict=True))
    for path in query.paths:
        np.testing.assert_allclose((force[path] * normal[path]).sum(axis=0), net[path], atol=1e-3)
    others = dict(zip(query.paths, map(set, stack.resolve(result["rawContactOtherBody"])), strict=True))
    assert others == {
        "/World/C": set(),
        "/World/B": {"/World/A"},
        "/World/A/Col": {"/World/B", "/World/Ground"},
        "/World/A": {"/World/B", "/World/Ground"},
    }


def test_events_name_both_sides(stack: Simulation) -> None:
    """Impulses turned to the sensor's side and divided by the time are its net force; paths are of both colliders."""
    query = sensors(stack)
    result = stack.read(query, query.attributes)
    assert_impulses_are_the_net_force(result, query.paths, 1 / 240)
    named = {
        name: dict(zip(query.paths, stack.resolve(result[f"contactEvent{name}"]), strict=True))
        for name in ("Collider", "OtherCollider", "OtherBody")
    }
    assert {name: paths["/World/B"] for name, paths in named.items()} == {
        "Collider": ["/World/B/Col"],
        "OtherCollider": ["/World/A/Col"],
        "OtherBody": ["/World/A"],
    }
    assert named["OtherBody"]["/World/A"] == ["/World/B", "/World/Ground"]
    assert set(result["contactEventType"].numpy().ravel()) == {PERSISTS}
    assert set(result["contactEventProtoIndex"].numpy().ravel()) == {0xFFFFFFFF}


@pytest.mark.parametrize("substeps", [1, 3])
def test_one_reader_follows_found_persists_and_lost(opened: Opened, substeps: int) -> None:
    """A box that lands, rests and is thrown up: events come in this order, arrays grow and shrink with them."""
    simulation = opened("landing", substeps=substeps)
    names = ["contactEventType", "contactEventPointCount", "contactEventPointPosition", "rawContactForce"]
    reader = simulation.reader(sensors(simulation), names)
    bodies = simulation.query(ObjectType.RIGID_BODY)
    seen: list[int] = []
    points: list[int] = []
    for step in range(60):
        if step == 40:
            launch(simulation, 5)
        height = simulation.read(bodies, ["position"])["position"].numpy()[0, 2] - 0.5
        simulation.step(1 / 60)
        result = reader.read()
        assert not result.omissions
        kinds = result["contactEventType"].numpy().ravel().tolist()
        if FOUND in kinds:
            assert height < 0.02, "nothing is found before it touches"
        seen += kinds
        points.append(len(result["rawContactForce"].numpy()))
        assert len(result["contactEventPointPosition"].numpy()) == result["contactEventPointCount"].numpy().sum()
        if LOST in kinds:
            assert points[-1] == 0
    assert seen[0] == FOUND
    assert seen[-1] == LOST
    assert set(seen[1:-1]) == {PERSISTS}
    assert points[0] == points[-1] == 0
    assert 4 in points


def test_pairs_are_compared_between_steps_that_nobody_reads(opened: Opened) -> None:
    """A pair that was found in a step without a read persists in the next, whoever reads first."""
    simulation = opened("resting")
    simulation.step(1 / 240, count=30)
    events = simulation.read(sensors(simulation), ["contactEventType"])["contactEventType"]
    assert events.numpy().ravel().tolist() == [PERSISTS] * 4


def test_convex_parts_are_one_collider(opened: Opened) -> None:
    """A decomposed mesh is one collider, with one event, under its own path."""
    simulation = opened("convex_parts")
    simulation.step(1 / 240, count=120)
    assert simulation._engine.model.shape_count > 2
    query = sensors(simulation, ContactSelection("/Angle", ["/Ground"]))
    result = simulation.read(query, query.attributes)
    assert result["contactEventType"].numpy().tolist() == [[PERSISTS]]
    assert resolved(simulation, result["contactEventCollider"]) == {"/Angle/Collider"}
    np.testing.assert_allclose(result["normalContactForceMatrix"].numpy(), [(0, 0, 40)], atol=0.05)
