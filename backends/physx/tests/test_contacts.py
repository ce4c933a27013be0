"""Contact sensors: closed forms of what rests, slides, lands and leaves, on the real engine."""

from __future__ import annotations

import math

import numpy as np
import pytest
from contact_sensors import assert_impulses_are_the_net_force, by_path, sensors, settle

import ovread
from ovread import ContactSelection, ObjectType

FOUND, LOST, PERSISTS = 0, 1, 2
HEADER = """#usda 1.0
(
    metersPerUnit = 1
    upAxis = "Z"
)
def Material "Rough" (apiSchemas = ["PhysicsMaterialAPI"])
{
    float physics:staticFriction = 0.9
    float physics:dynamicFriction = 0.9
}
"""


def physics(name="Scene", *, sleeping=False):
    return f"""def PhysicsScene "{name}" (apiSchemas = ["PhysxSceneAPI"])
{{
    vector3f physics:gravityDirection = (0, 0, -1)
    float physics:gravityMagnitude = 10
    bool physxScene:disableSleeping = {int(not sleeping)}
}}
"""


GROUND = """def Plane "Ground" (apiSchemas = ["PhysicsCollisionAPI", "MaterialBindingAPI"])
{
    uniform token axis = "Z"
    rel material:binding:physics = </Rough>
}
"""


def box(name, mass, position, *, turn=0, owner=""):
    """Author a body that senses contacts, with a cube below it as its collider."""
    return f"""def Xform "{name}" (apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI", "PhysxContactReportAPI"])
{{
    float physics:mass = {mass}
    float physxContactReport:threshold = 0
    {f"rel physics:simulationOwner = <{owner}>" if owner else ""}
    double3 xformOp:translate = {position}
    double xformOp:rotateY = {turn}
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateY"]
    def Cube "Collider" (apiSchemas = ["PhysicsCollisionAPI", "MaterialBindingAPI"])
    {{
        double size = 1
        rel material:binding:physics = </Rough>
    }}
}}
"""


TIMES = (1 / 60, 1 / 240)


def launch(simulation, path, velocity):
    """Give a body a velocity, through the engine."""
    from ovphysx.types import SimObjectType

    engine = simulation._engine
    prims = [engine.dictionary.intern_path(path)]
    with engine.physx.write_sync(SimObjectType.RIGID_BODY, ["linearVelocity"], prim_paths=prims) as write:
        for group in write.groups:
            group.tensors[0].numpy()[...] = velocity
            write.commit_sync(group)


@pytest.mark.parametrize("dt", TIMES)
def test_net_force_is_what_a_sensor_carries(stack, dt):
    """At rest the normal forces on a body add up to its own weight, whatever the time step."""
    settle(stack, dt)
    net = by_path(stack.read(sensors(stack), ["netNormalContactForce"])["netNormalContactForce"])
    np.testing.assert_allclose(net["/A"], (0, 0, 20), atol=0.01)
    np.testing.assert_allclose(net["/A/Collider"], (0, 0, 20), atol=0.01)
    np.testing.assert_allclose(net["/B"], (0, 0, 10), atol=0.01)
    assert net["/C"].tolist() == [0, 0, 0]


@pytest.mark.parametrize("dt", TIMES)
def test_each_filter_gives_the_force_that_comes_from_it(stack, dt):
    """The ground pushes A up with the weight of both, B pushes it down with its own; lanes follow the filters."""
    settle(stack, dt)
    query = sensors(stack, ContactSelection(["/A"], ["/Ground", "/B"]), ContactSelection(["/B"], ["/A", "/Ground"]))
    group = stack.read(query, ["normalContactForceMatrix"])["normalContactForceMatrix"]
    assert group.lanes == ("f0.x", "f0.y", "f0.z", "f1.x", "f1.y", "f1.z")
    assert group.paths == ("/A", "/B")
    np.testing.assert_allclose(group.numpy(), [(0, 0, 30, 0, 0, -10), (0, 0, 10, 0, 0, 0)], atol=0.01)


def test_a_filter_may_be_a_link():
    """A box on a link of an articulation gets its weight from that link."""
    text = HEADER + physics() + box("Box", 3, (0, 0, 1.5)) + LINKS
    with ovread.open(text, backend="physx") as simulation:
        settle(simulation)
        query = sensors(simulation, ContactSelection("/Box", ["/Robot/base"]))
        matrix = simulation.read(query, ["normalContactForceMatrix"])["normalContactForceMatrix"]
        np.testing.assert_allclose(matrix.numpy(), [(0, 0, 30)], atol=0.02)


LINKS = """def Xform "Robot" (apiSchemas = ["PhysicsArticulationRootAPI"])
{
    def Cube "base" (apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"])
    {
        double size = 1
        double3 xformOp:translate = (0, 0, 0.5)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }
    def Cube "arm" (apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"])
    {
        double size = 1
        double3 xformOp:translate = (3, 0, 0.5)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }
    def PhysicsFixedJoint "anchor"
    {
        rel physics:body1 = </Robot/base>
        point3f physics:localPos0 = (0, 0, 0.5)
    }
    def PhysicsRevoluteJoint "hinge"
    {
        rel physics:body0 = </Robot/base>
        rel physics:body1 = </Robot/arm>
        point3f physics:localPos0 = (3, 0, 0)
    }
}
"""


@pytest.mark.parametrize("dt", TIMES)
def test_friction_holds_a_box_on_an_incline(dt):
    """While it sticks, friction is m g sin(angle) uphill and the normal force m g cos(angle), in world axes."""
    angle = math.radians(20)
    normal = np.array((math.sin(angle), 0, math.cos(angle)))
    uphill = np.array((-math.cos(angle), 0, math.sin(angle)))
    ramp = GROUND.replace('"Ground"', '"Ramp"').replace(
        "    rel",
        '    double xformOp:rotateY = 20\n    uniform token[] xformOpOrder = ["xformOp:rotateY"]\n    rel',
    )
    text = HEADER + physics() + ramp + box("Box", 2, tuple((0.5 * normal).tolist()), turn=20)
    with ovread.open(text, backend="physx") as simulation:
        settle(simulation, dt)
        query = sensors(simulation, ContactSelection("/Box", ["/Ramp"]))
        result = simulation.read(query, query.attributes)
        expected_normal, expected_friction = 20 * math.cos(angle) * normal, 20 * math.sin(angle) * uphill
        for name in ("netNormalContactForce", "normalContactForceMatrix"):
            np.testing.assert_allclose(result[name].numpy()[0], expected_normal, atol=0.1)
        for name in ("netFrictionContactForce", "frictionContactForceMatrix"):
            np.testing.assert_allclose(result[name].numpy()[0], expected_friction, atol=0.1)
        np.testing.assert_allclose(result["filteredFrictionForce"].numpy().sum(axis=0), expected_friction, atol=0.1)
        assert len(result["filteredFrictionPoint"].numpy()) == result["filteredFrictionCount"].numpy()[0, 0] > 0


def test_raw_points_are_the_corners_of_a_face_and_add_up(stack):
    """A box on the ground has 4 points at its corners; force times normal adds up to the net force on every sensor."""
    settle(stack)
    names = ["netNormalContactForce", "rawContactForce", "rawContactPoint", "rawContactNormal", "rawContactSeparation"]
    result = stack.read(sensors(stack), names)
    force, point, normal = (by_path(result[name]) for name in names[1:4])
    assert {path: len(values) for path, values in force.items()} == {"/A": 8, "/A/Collider": 8, "/B": 4, "/C": 0}
    for path, net in by_path(result["netNormalContactForce"]).items():
        np.testing.assert_allclose((force[path] * normal[path]).sum(axis=0), net, atol=1e-3)
    corners = {(0.5, 0.5, 1.0), (0.5, -0.5, 1.0), (-0.5, 0.5, 1.0), (-0.5, -0.5, 1.0)}
    assert {tuple((np.round(row, 2) + 0.0).tolist()) for row in point["/B"]} == corners
    assert result["rawContactSeparation"].offsets.tolist() == result["rawContactForce"].offsets.tolist()
    assert np.abs(result["rawContactSeparation"].numpy()).max() < 0.01


def test_points_name_the_other_body(stack):
    """Handles of other bodies resolve to their paths."""
    settle(stack)
    group = stack.read(sensors(stack), ["rawContactOtherBody"])["rawContactOtherBody"]
    others = [set(paths) for paths in stack.resolve(group)]
    assert dict(zip(group.paths, others, strict=True)) == {
        "/A": {"/Ground", "/B"},
        "/A/Collider": {"/Ground", "/B"},
        "/B": {"/A"},
        "/C": set(),
    }


@pytest.mark.parametrize("dt", TIMES)
def test_events_carry_impulses_as_reported(stack, dt):
    """Impulses of the points of a sensor, turned to its side of the pair and divided by dt, are its net force."""
    settle(stack, dt)
    query = sensors(stack)
    result = stack.read(query, [name for name in query.attributes if name.startswith(("contactEvent", "netN"))])
    assert_impulses_are_the_net_force(result, query.paths, dt)
    own = dict(zip(query.paths, stack.resolve(result["contactEventCollider"]), strict=True))
    other = dict(zip(query.paths, stack.resolve(result["contactEventOtherCollider"]), strict=True))
    assert (own["/B"], other["/B"]) == (["/B/Collider"], ["/A/Collider"])
    assert set(result["contactEventProtoIndex"].numpy().ravel()) == {0xFFFFFFFF}
    anchors = by_path(result["contactEventAnchorCount"])["/B"].sum()
    assert len(by_path(result["contactEventAnchorImpulse"])["/B"]) == anchors > 0


def test_one_reader_follows_found_persists_and_lost():
    """A box that lands, rests and is thrown up again: events in this order, and arrays that grow and shrink with it."""
    text = HEADER + physics() + GROUND + box("Air", 1, (9, 0, 90)) + box("Box", 1, (0, 0, 0.6))
    with ovread.open(text, backend="physx") as simulation:
        names = ["contactEventType", "contactEventPointCount", "contactEventPointPosition", "rawContactForce"]
        reader = simulation.reader(sensors(simulation), names)
        seen, points = [], []
        for step in range(90):
            if step == 60:
                launch(simulation, "/Box", (0, 0, 5))
            simulation.step(1 / 60)
            result = reader.read()
            assert not result.omissions
            events = by_path(result["contactEventType"])
            assert len(events["/Air"]) == 0
            seen += events["/Box"].ravel().tolist()
            points.append(len(by_path(result["rawContactForce"])["/Box"]))
            for group in result:
                assert group.offsets[-1] == len(group.numpy())
            assert len(result["contactEventPointPosition"].numpy()) == result["contactEventPointCount"].numpy().sum()
            if LOST in events["/Box"]:
                assert points[-1] == 0
        assert seen[0] == FOUND
        assert seen[-1] == LOST
        assert set(seen[1:-1]) == {PERSISTS}
        assert points[0] == points[-1] == 0
        assert 4 in points


def test_nothing_in_touch_is_empty_runs():
    """Sensors without a contact have runs of no element: every row is there and nothing is omitted."""
    text = HEADER + physics() + GROUND + box("A", 1, (0, 0, 20)) + box("B", 1, (5, 0, 20))
    with ovread.open(text, backend="physx") as simulation:
        simulation.step(1 / 60)
        query = sensors(simulation, ContactSelection("/*", ["/Ground"]))
        result = simulation.read(query, query.attributes)
        assert not result.omissions
        assert len(result) == len(query.attributes)
        for group in result:
            assert group.paths == ("/A", "/B")
            if group.offsets is not None:
                assert group.offsets.tolist() == [0, 0, 0]
                assert group.numpy().shape == (0, len(group.lanes))
            else:
                assert not group.numpy().any()


def test_a_sleeping_sensor_reads_zero():
    """PhysX reports no contacts of what sleeps: zero force and no points, although the box rests on the ground."""
    text = HEADER + physics(sleeping=True) + GROUND + box("Box", 1, (0, 0, 0.5))
    with ovread.open(text, backend="physx") as simulation:
        settle(simulation, seconds=3)
        sleeping = simulation.read(simulation.query(ObjectType.RIGID_BODY), ["isSleeping"])["isSleeping"]
        result = simulation.read(sensors(simulation), ["netNormalContactForce", "rawContactForce"])
        assert sleeping.numpy().tolist() == [[1]]
        assert not result["netNormalContactForce"].numpy().any()
        assert result["rawContactForce"].offsets.tolist() == [0, 0]


def test_several_scenes_are_several_groups():
    """Each physics scene has a group of its own, with its name and its sensors."""
    text = (
        HEADER
        + physics("First")
        + physics("Second")
        + GROUND.replace("{\n", "{\n    rel physics:simulationOwner = </First>\n", 1)
        + box("A", 2, (0, 0, 0.5), owner="/First")
        + box("B", 1, (0, 0, 9), owner="/Second")
        + box("C", 3, (4, 0, 0.5), owner="/First")
    )
    with ovread.open(text, backend="physx") as simulation:
        settle(simulation)
        for query in (sensors(simulation), sensors(simulation, ContactSelection("/*", ["/Ground"]))):
            result = simulation.read(query, ["netNormalContactForce", "rawContactForce"])
            forces = {group.scene: by_path(group) for group in result.all("netNormalContactForce")}
            assert {scene: list(rows) for scene, rows in forces.items()} == {"/First": ["/A", "/C"], "/Second": ["/B"]}
            np.testing.assert_allclose(forces["/First"]["/C"], (0, 0, 30), atol=0.02)
            offsets = {group.scene: group.offsets.tolist() for group in result.all("rawContactForce")}
            assert offsets == {"/First": [0, 4, 8], "/Second": [0, 0]}
