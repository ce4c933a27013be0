"""Contact sensors: what a read delivers, in which order, and what it omits."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from contact_sensors import assert_details_split_by_filter, by_path, sensors
from ovread_newton._contact_reads import bind_contacts

from ovread import ContactSelection, ObjectType, OmissionReason, Simulation
from ovread.backend import Level
from ovread.catalogue import attribute, needs_filters
from ovread.result import allocate

Opened = Callable[..., Simulation]

SENSOR = ObjectType.CONTACT_SENSOR
WITHOUT_FORCES = ("featherstone", "semi_implicit")


@pytest.mark.parametrize(
    ("sensor", "other", "force"),
    [("B", "A", 10), ("B", "A/Col", 10), ("A", "Ground", 30), ("A/Col", "B/Col", -10), ("C", "A", 0)],
)
def test_a_filter_may_be_a_body_a_collider_or_scenery(stack: Simulation, sensor: str, other: str, force: float) -> None:
    """Whatever the force is asked of, the answer is the same."""
    query = sensors(stack, ContactSelection([f"/World/{sensor}"], [f"/World/{other}"]))
    result = stack.read(query, ["normalContactForceMatrix", "filteredContactCount"])
    np.testing.assert_allclose(result["normalContactForceMatrix"].numpy(), [(0, 0, force)], atol=0.01)
    assert result["filteredContactCount"].lanes == ("f0",)
    assert result["filteredContactCount"].numpy().tolist() == [[4 if force else 0]]


def test_details_split_by_filter(stack: Simulation) -> None:
    """The points of a sensor come filter by filter; each run adds up to that filter's part of the matrix."""
    assert_details_split_by_filter(stack, "/World/A", "/World/Ground", "/World/B")


def test_sensors_are_those_of_physx(opened: Opened) -> None:
    """Bodies, links and colliders with PhysxContactReportAPI, and all links below a root that has it."""
    simulation = opened("contact_sensors")
    assert sensors(simulation).paths == (
        "/Body",
        "/Ground",
        "/Kinematic",
        "/NoCollider",
        "/Owner/Collider",
        "/Partly/base",
        "/Reporting/arm",
        "/Reporting/base",
        "/Scenery",
    )
    simulation.step(1 / 240, count=60)
    result = simulation.read(sensors(simulation), ["netNormalContactForce", "contactEventSensorSide"])
    net, sides = by_path(result["netNormalContactForce"]), by_path(result["contactEventSensorSide"])
    np.testing.assert_allclose(net["/Ground"], (0, 0, -7e4), rtol=1e-3, atol=1)
    np.testing.assert_allclose(net["/Owner/Collider"], (0, 0, 1e4), rtol=1e-3, atol=1)
    assert sides["/Ground"].ravel().tolist() == [1] * 7
    # The kinematic body rests on the ground, but nothing pushes it.
    assert [len(sides[path]) for path in ("/Kinematic", "/NoCollider", "/Scenery")] == [0, 0, 0]


def test_there_are_no_contacts_before_a_step(opened: Opened) -> None:
    """Until a step has found contacts everything is NOT_READY, and again after a reset."""
    simulation = opened("landing")
    query = sensors(simulation, ContactSelection("/Box", ["/Ground"]))
    reader = simulation.reader(query, query.attributes)
    assert {omission.reason for omission in reader.read().omissions} == {OmissionReason.NOT_READY}
    assert len(reader.read()) == 0
    simulation.step(1 / 60)
    assert len(reader.read()) == len(query.attributes)
    simulation.reset()
    assert len(reader.read()) == 0


def test_without_filters_what_needs_them_says_so(stack: Simulation) -> None:
    """A query without filters omits the filtered attributes and names the remedy; the others read the same."""
    filtered = sensors(stack, ContactSelection("/World/*", ["/World/Ground"]))
    needing = {name for name in filtered.attributes if needs_filters(name)}
    assert len(needing) == 10
    for plain in (sensors(stack, paths=filtered.paths), sensors(stack, ContactSelection("/World/*"))):
        assert needing.isdisjoint(plain.attributes)
        result = stack.read(plain, filtered.attributes)
        assert {omission.attribute for omission in result.omissions} == needing
        assert all("contacts=[ovread.ContactSelection(" in omission.detail for omission in result.omissions)
        with_filters = stack.read(filtered, filtered.attributes)
        for group in result:
            np.testing.assert_array_equal(with_filters[group.attribute].numpy(), group.numpy())


def test_a_stage_without_sensors_says_what_to_do(opened: Opened) -> None:
    """Nothing is read as nothing in touch where the stage asks for no contacts."""
    simulation = opened("free_fall")
    simulation.step(1 / 60)
    query = sensors(simulation)
    assert len(query) == 0
    (omission,) = simulation.read(query, ["netNormalContactForce"]).omissions
    assert "PhysxContactReportAPI" in omission.detail


def test_nothing_in_touch_is_empty_runs(opened: Opened) -> None:
    """Sensors without a contact have runs of no element: every row is there and nothing is omitted."""
    simulation = opened("landing")
    simulation.step(1 / 240)
    query = sensors(simulation, ContactSelection("/Box", ["/Ground"]))
    result = simulation.read(query, query.attributes)
    assert not result.omissions
    assert len(result) == len(query.attributes)
    for group in result:
        if group.offsets is not None:
            assert group.offsets.tolist() == [0, 0]
            assert group.numpy().shape == (0, len(group.lanes))
        else:
            assert not group.numpy().any()


@pytest.mark.parametrize("solver", WITHOUT_FORCES)
def test_without_forces_there_is_geometry(opened: Opened, solver: str) -> None:
    """A solver that reports no forces omits them and says which does; points and events are read."""
    simulation = opened("landing", solver=solver, substeps=16)
    simulation.step(1 / 60, count=10)
    query = sensors(simulation, ContactSelection("/Box", ["/Ground"]))
    result = simulation.read(query, ["netNormalContactForce", *query.attributes])
    (omission,) = result.omissions
    assert omission.reason is OmissionReason.UNSUPPORTED_CONFIGURATION
    assert "solver='mujoco'" in omission.detail
    assert not any("Force" in name or "Impulse" in name for name in query.attributes)
    assert result["filteredContactCount"].numpy().tolist() == [[4]]
    assert result["contactEventPointCount"].numpy().tolist() == [[4]]
    assert set(result["rawContactPoint"].numpy()[:, 2].round(1) + 0.0) == {0.0}
    assert result["rawContactSeparation"].numpy().max() <= 0


def test_a_solver_that_moves_no_bodies_finds_no_contacts(opened: Opened) -> None:
    """Bodies that a solver leaves alone are not read as touching nothing."""
    simulation = opened("contacts", solver="style3d")
    simulation.step(1 / 60)
    query = sensors(simulation)
    assert query.attributes == ()
    (omission,) = simulation.read(query, ["rawContactPoint"]).omissions
    assert "does not move bodies" in omission.detail


@pytest.mark.parametrize(("solver", "force"), [("xpbd", 10 * 2 / 3), ("vbd", 8.35)])
def test_approximate_forces_are_declared(opened: Opened, solver: str, force: float) -> None:
    """Where the force between two bodies is off, in the second of 10, it is declared approximate."""
    simulation = opened("contacts", solver=solver)
    simulation.step(1 / 60, count=60)
    support = simulation.backend.support_of((SENSOR, "netNormalContactForce"), solver)
    assert support.level is Level.APPROXIMATE
    net = by_path(simulation.read(sensors(simulation), ["netNormalContactForce"])["netNormalContactForce"])
    assert net["/World/B"][2] == pytest.approx(force, rel=0.02)


def test_full_memory_gives_no_value(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where Newton's memory for contacts was full, some may be missing, and none are read."""
    simulation = opened("landing")
    simulation.step(1 / 60)
    monkeypatch.setattr(simulation._engine.contact_log.last, "is_full", True)
    (omission,) = simulation.read(sensors(simulation), ["netNormalContactForce"]).omissions
    assert omission.reason is OmissionReason.UNSUPPORTED_CONFIGURATION


def test_every_contact_is_read(opened: Opened, scenes: Path) -> None:
    """MuJoCo hands on more contacts than 48, its default where nothing touches at first."""
    box = """def Cube "Box_{0}" (
    apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "PhysicsMassAPI", "PhysxContactReportAPI"]
)
{{
    float physics:mass = 1
    double size = 1
    double3 xformOp:translate = ({1}, 0, 0.9)
    uniform token[] xformOpOrder = ["xformOp:translate"]
}}
"""
    ground = (scenes / "landing.usda").read_text().replace('"Box"', '"Other"')
    simulation = opened(ground + "".join(box.format(number, 3 * number + 3) for number in range(20)))
    simulation.step(1 / 240, count=180)
    result = simulation.read(sensors(simulation, pattern="/Box_*"), ["rawContactForce", "netNormalContactForce"])
    assert np.diff(result["rawContactForce"].offsets).tolist() == [4] * 20
    np.testing.assert_allclose(result["netNormalContactForce"].numpy(), np.tile((0, 0, 10), (20, 1)), atol=0.05)


def test_reads_launch_no_kernel(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    """A prepared read of contacts launches nothing."""
    import warp as wp

    simulation = opened("landing")
    query = sensors(simulation, ContactSelection("/Box", ["/Ground"]))
    reader = simulation.reader(query, query.attributes)
    simulation.step(1 / 60, count=30)
    monkeypatch.setattr(wp, "launch", lambda *args, **kwargs: pytest.fail("a kernel was launched"))
    assert len(reader.read()) == len(query.attributes)


def test_buffers_without_host_memory_are_filled_too(stack: Simulation) -> None:
    """Memory that the host does not see, as a GPU's, gets the same values."""
    query = sensors(stack, ContactSelection("/World/*", ["/World/Ground"]))
    result = stack.read(query, query.attributes)
    binding = bind_contacts(stack._engine, query.native_rows, query.attributes, query.filters)
    assert not binding.omissions
    buffers = [allocate(attribute(SENSOR, column.attribute), column, "cpu") for column in binding.columns]
    for buffer in buffers:
        buffer.host = None
    binding.fetch(buffers)
    for buffer in buffers:
        np.testing.assert_array_equal(buffer.array.numpy(), result[buffer.row.name].numpy())
