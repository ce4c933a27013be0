"""Statements of the read API that no other test observes: materials, instances, vehicles, contacts, what is drawn.

``docs/traceability/readable.md`` says which statement each test is for.
"""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from reading import DT, by_path, elements, write

import ovread
from ovread import ContactSelection, ObjectType


@pytest.mark.parametrize("first", ["Ice", "Rubber"])
def test_the_first_material_of_a_shape_is_the_one_that_is_read(first, scene):
    """A mesh with two materials reads the coefficients of the one that is authored first."""
    text = scene("tiles").read_text()
    if first == "Rubber":
        text = text.replace("physics = </World/Rubber>", "physics = <swap>")
        text = text.replace("physics = </World/Ice>", "physics = </World/Rubber>").replace("<swap>", "</World/Ice>")
    with ovread.open(text, backend="physx") as simulation:
        names = ["staticFriction", "dynamicFriction"]
        values = by_path(simulation, ObjectType.RIGID_BODY, names, paths=["/World/Tiles"])
        expected = {"Ice": 0.125, "Rubber": 0.75}[first]
        assert [values[name]["/World/Tiles"].tolist() for name in names] == [[[expected]]] * 2


def test_points_name_the_triangle_and_the_material_under_them(scene):
    """Each point lies in the triangle that its face index names and has that triangle's material, on either side."""
    with ovread.open(scene("tiles"), backend="physx") as simulation:
        simulation.step(DT, 120)
        query = simulation.query(ObjectType.CONTACT_SENSOR)
        parts = ["Position", "FaceIndex", "OtherFaceIndex", "Material", "OtherMaterial"]
        result = simulation.read(query, [f"contactEventPoint{part}" for part in parts])
        values = {part: result[f"contactEventPoint{part}"].per_prim() for part in parts[:3]}
        materials = {part: simulation.resolve(result[f"contactEventPoint{part}"]) for part in parts[3:]}
        tiles, box = (query.paths.index(path) for path in ("/World/Tiles", "/World/Box"))
        corners = np.array([(-4, -2), (0, -2), (0, 2), (-4, 2), (4, -2), (4, 2)], float)
        triangles = corners[np.array([(0, 1, 2), (0, 2, 3), (1, 4, 5), (1, 5, 2)])]
        faces = values["FaceIndex"][tiles].ravel()
        assert {bool(face >= 2) for face in faces} == {False, True}, "the box rests on both halves"
        assert faces.tolist() == values["OtherFaceIndex"][box].ravel().tolist()
        for face, point in zip(faces, values["Position"][tiles][:, :2], strict=True):
            a, b, c = triangles[face]
            shares = np.linalg.solve(np.stack([b - a, c - a], axis=1), point - a)
            assert min(*shares, 1 - shares.sum()) > -1e-3
        under = ["/World/Rubber" if face >= 2 else "/World/Ice" for face in faces]
        assert materials["Material"][tiles] == materials["OtherMaterial"][box] == under
        assert set(materials["Material"][box]) == set(materials["OtherMaterial"][tiles]) == {"/World/Ice"}


def test_instances_are_placed_in_the_frame_of_their_instancer(scene):
    """Where the instancer's y axis points up, instances fall along -y in it, while they move along -z in the world."""
    with ovread.open(scene("turned_instancer"), backend="physx") as simulation:
        turned = [[0, 0, 0, 1], [0, 0, math.sqrt(0.5), math.sqrt(0.5)]]
        path, names = "/World/Instances", ["positions", "orientations", "velocities"]
        start = by_path(simulation, ObjectType.RIGID_BODY, names[:2])
        np.testing.assert_allclose(start["positions"][path], [[0, 0, 0], [10, 0, 0]], atol=1e-5)
        np.testing.assert_allclose(start["orientations"][path], turned, atol=1e-3)
        simulation.step(0.01, 100)
        now = by_path(simulation, ObjectType.RIGID_BODY, names)
        np.testing.assert_allclose(now["positions"][path], [[0, -5, 0], [10, -5, 0]], atol=0.06)
        np.testing.assert_allclose(now["orientations"][path], turned, atol=1e-3)
        np.testing.assert_allclose(now["velocities"][path], [[0, 0, -10]] * 2, atol=1e-3)


def test_the_orientation_of_a_controller_turns_its_capsule_up(scene):
    """The prim is not turned, but its body is: PhysX has the axis of a capsule along x, here turned to y."""
    text = scene("character_controller").read_text()
    assert "orient" not in text
    assert "rotate" not in text
    with ovread.open(text, backend="physx") as simulation:
        simulation.step(1 / 60)
        paths = simulation.query(ObjectType.CHARACTER_CONTROLLER).paths
        orientation = by_path(simulation, ObjectType.RIGID_BODY, ["orientation"], paths=paths)["orientation"]
        half = math.sqrt(0.5)
        np.testing.assert_allclose([orientation[path][0] for path in paths], [[0, 0, half, half]] * 2, atol=1e-6)


STAGE = """#usda 1.0
(
    metersPerUnit = 1
    upAxis = "Z"
)
def PhysicsScene "Scene" (apiSchemas = ["PhysxSceneAPI"])
{
    vector3f physics:gravityDirection = (0, 0, -1)
    float physics:gravityMagnitude = 10
    uint physxScene:timeStepsPerSecond = 60
    bool physxScene:disableSleeping = 1
}
def Plane "Ground" (apiSchemas = ["PhysicsCollisionAPI"])
{
    uniform token axis = "Z"
}
"""


def box(name="Box", *, at=(0, 0, 0.5), body="", collider=""):
    """Author a box of 1 kg that reports its contacts and whose collider is a sensor of its own."""
    return f"""def Xform "{name}" (apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI", "PhysxContactReportAPI"])
{{
    float physics:mass = 1
    {body or "float physxContactReport:threshold = 0"}
    double3 xformOp:translate = {at}
    uniform token[] xformOpOrder = ["xformOp:translate"]
    def Cube "Collider" (apiSchemas = ["PhysicsCollisionAPI", "PhysxContactReportAPI"])
    {{
        double size = 1
        {collider}
    }}
}}
"""


def normal_forces(simulation):
    """Read the upward force on each sensor."""
    net = by_path(simulation, ObjectType.CONTACT_SENSOR, ["netNormalContactForce"])["netNormalContactForce"]
    return {path: round(float(row[0, 2]), 1) for path, row in net.items()}


THRESHOLD, PAIRS = "float physxContactReport:threshold =", "rel physxContactReport:reportPairs ="


@pytest.mark.parametrize(
    ("body", "collider", "force"),
    [
        (f"{THRESHOLD} 5", f"{THRESHOLD} 1e9", 10),
        (f"{THRESHOLD} 15", f"{THRESHOLD} 0", 0),
        (f"{THRESHOLD} 0", f"{PAIRS} </Other>", 10),
        (f"{THRESHOLD} 0\n    {PAIRS} </Other>", "", 0),
        (f"{THRESHOLD} 0\n    {PAIRS} </Ground>", f"{PAIRS} </Other>", 10),
    ],
    ids=["below", "above", "pairs-of-collider", "other-pairs", "its-pairs"],
)
def test_thresholds_and_pairs_are_those_of_the_body(body, collider, force):
    """A weight of 10 is reported or not as the body says, on the row of the body and of its collider alike."""
    other = box("Other", at=(9, 0, 30))
    with ovread.open(STAGE + box(body=body, collider=collider) + other, backend="physx") as simulation:
        simulation.step(1 / 60, 60)
        forces = normal_forces(simulation)
        assert (forces["/Box"], forces["/Box/Collider"]) == (force, force)


def test_a_collider_of_a_body_that_sleeps_reads_zero():
    """A collider's row has the weight while its body is awake, and nothing once that sleeps."""
    text = STAGE.replace("disableSleeping = 1", "disableSleeping = 0") + box()
    with ovread.open(text, backend="physx") as simulation:
        simulation.step(1 / 60, 12)
        assert normal_forces(simulation) == {"/Box": 10, "/Box/Collider": 10}
        simulation.step(1 / 60, 168)
        assert by_path(simulation, ObjectType.RIGID_BODY, ["isSleeping"])["isSleeping"]["/Box"].item() == 1
        assert normal_forces(simulation) == {"/Box": 0, "/Box/Collider": 0}


def test_a_contact_binding_of_a_body_takes_from_its_collider_what_reads_give_both():
    """A binding with the body and its collider gives all to the body; reads beside it have the weight on both."""
    with ovread.open(STAGE + box(), backend="physx") as simulation:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            binding = simulation._engine.physx.create_contact_binding(
                ["/Box", "/Box/Collider"], max_contact_data_count=64
            )
        with binding:
            simulation.step(1 / 60, 60)
            bound = np.zeros((2, 3), np.float32)
            binding.read_net_normal_forces(bound)
            paths = binding.sensor_paths
            assert {path: round(float(row[2]), 1) for path, row in zip(paths, bound, strict=True)} == {
                "/Box": 10,
                "/Box/Collider": 0,
            }
            assert normal_forces(simulation) == {"/Box": 10, "/Box/Collider": 10}


def test_environments_report_their_contacts(attached):
    """Copies that have environment ids of their own carry their weight and say so."""
    simulation, physx, _ = attached(STAGE + 'def Xform "Env"\n{\n' + box() + "}\n")
    places = [(5.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0), (10.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)]
    physx.wait_task(physx.clone("/Env", ["/Env1", "/Env2"], places, [1, 2]))
    for _ in range(60):
        physx.step_sync(1 / 60)
    forces = normal_forces(simulation)
    assert {path: forces[path] for path in ("/Env/Box", "/Env1/Box", "/Env2/Box")} == dict.fromkeys(
        ("/Env/Box", "/Env1/Box", "/Env2/Box"), 10
    )


@pytest.mark.parametrize("dt", [1 / 60, 1 / 240])
def test_points_keep_the_order_of_the_report_and_their_force_is_the_length_of_the_impulse(dt, scene):
    """Raw points are those of the events one by one, filtered ones those of each filter in turn."""
    with ovread.open(scene("contact_stack"), backend="physx") as simulation:
        simulation.step(dt, round(1 / dt))
        filters = {"/A": ["/Ground", "/B"], "/B": ["/C", "/A"]}
        contacts = [ContactSelection([path], names) for path, names in filters.items()]
        query = simulation.query(ObjectType.CONTACT_SENSOR, contacts=contacts)
        result = simulation.read(query, query.attributes)
        values, sides, turned = elements(result), set(), False
        others = dict(zip(query.paths, simulation.resolve(result["rawContactOtherBody"]), strict=True))
        for path, names in filters.items():
            side = values["contactEventSensorSide"][path].ravel()
            sides |= set(side.tolist())
            sign = np.repeat(1 - 2 * side, values["contactEventPointCount"][path].ravel())
            impulse = np.linalg.norm(values["contactEventPointImpulse"][path], axis=1)
            np.testing.assert_allclose(values["rawContactForce"][path][:, 0], sign * impulse / dt, rtol=1e-4)
            for raw, event in (("Point", "Position"), ("Normal", "Normal"), ("Separation", "Separation")):
                reported = values[f"contactEventPoint{event}"][path]
                np.testing.assert_array_equal(values[f"rawContact{raw}"][path], reported)
            order = [index for name in names for index, other in enumerate(others[path]) if other == name]
            turned |= order != sorted(order)
            for part in ("Force", "Point", "Normal", "Separation"):
                raw = values[f"rawContact{part}"][path]
                np.testing.assert_array_equal(values[f"filteredContact{part}"][path], raw[order])
        assert sides == {0, 1}
        assert turned, "filters come in another order than the report"


def draw(simulation, *names):
    """Draw something, one attribute per write."""
    for name in ("enabled", "scale", *names):
        write(simulation, ObjectType.DEBUG_RENDER, None, name, 1)


@pytest.mark.parametrize(
    ("drawn", "read"), [("contactPoint", "rawContactPoint"), ("frictionPoint", "contactEventAnchorPosition")]
)
def test_contacts_are_drawn_where_the_step_had_them(drawn, read):
    """A box that slides has a cross at each point of contact or friction that the same step reports."""
    with ovread.open(STAGE + box(), backend="physx") as simulation:
        draw(simulation, drawn)
        simulation.step(1 / 60, 30)
        write(simulation, ObjectType.RIGID_BODY, "/Box", "linearVelocity", (6, 0, 0))
        simulation.step(1 / 60, 3)
        points = by_path(simulation, ObjectType.CONTACT_SENSOR, [read], paths=["/Box"])[read]["/Box"]
        lines = by_path(simulation, ObjectType.DEBUG_RENDER, ["linePosition"])["linePosition"]["/"]
        middles = np.unique(lines.reshape(-1, 2, 3).mean(axis=1).round(4), axis=0)
        assert len(points) > 1
        assert points[:, 0].max() > 0.6, "the box has moved"
        np.testing.assert_allclose(middles, np.unique(points.round(4), axis=0), atol=2e-4)


def test_a_step_is_one_step_whatever_rate_the_scene_authors():
    """At 60 steps a second a step of a tenth is not divided: what is drawn is where the whole step began."""
    falling = box(at=(0, 0, 100), body="vector3f physics:velocity = (0, 0, -60)")
    with ovread.open(STAGE + falling, backend="physx") as simulation:
        draw(simulation, "collisionShapes")
        simulation.step(0.1)
        lines = by_path(simulation, ObjectType.DEBUG_RENDER, ["linePosition"])["linePosition"]["/"]
        heights = lines.reshape(-1, 3)[:, 2]
        assert heights[heights > 50].mean() == pytest.approx(100, abs=1e-3)
        position = by_path(simulation, ObjectType.RIGID_BODY, ["position"])["position"]["/Box"]
        assert position[0, 2] < 94.1


@pytest.mark.parametrize("name", ["Ant", "FixedTendonTest", "SpatialTendonTest", "mixed_base_articulations"])
def test_counts_are_those_of_the_deprecated_getter(name, scene):
    """What the engine's tensor binding says of one articulation is what its row says."""
    from ovphysx.types import TensorType

    names = ["dofCount", "linkCount", "jointCount", "fixedTendonCount", "spatialTendonCount", "isFixedBase"]
    fields = ["dof_count", "body_count", "joint_count", "fixed_tendon_count", "spatial_tendon_count", "is_fixed_base"]
    with ovread.open(scene(name), backend="physx") as simulation:
        values = by_path(simulation, ObjectType.ARTICULATION, names)
        for path in values["dofCount"]:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)
                binding = simulation._engine.physx.create_tensor_binding(
                    prim_paths=[path], tensor_type=TensorType.ARTICULATION_ROOT_POSE
                )
            with binding:
                assert [values[each][path].item() for each in names] == [getattr(binding, each) for each in fields]


def test_each_object_has_a_pointer_of_its_own(scene):
    """No two objects share an address, whatever their types, and steps do not change it."""
    joint = 'def PhysicsDistanceJoint "Rope"\n{\n    rel physics:body0 = </B>\n    rel physics:body1 = </C>\n}\n'
    with ovread.open(scene("contact_stack").read_text() + joint, backend="physx") as simulation:
        kinds = ("SCENE", "PHYSX_MATERIAL", "SHAPE", "RIGID_ACTOR", "JOINT", "PHYSICS")
        reads = []
        for _ in range(2):
            read = {kind: by_path(simulation, ObjectType[kind], ["physxPointer"])["physxPointer"] for kind in kinds}
            reads.append({(kind, path): row.item() for kind in kinds for path, row in read[kind].items()})
            simulation.step(DT)
        first, second = reads
        assert first == second
        assert len(set(first.values()) - {0}) == len(first)
        numbers = {kind: sum(each == kind for each, _ in first) for kind in kinds}
        assert (numbers["SHAPE"], numbers["RIGID_ACTOR"], numbers["SCENE"], numbers["JOINT"]) == (4, 4, 1, 1)
