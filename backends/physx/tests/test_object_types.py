"""Each object type: which objects there are, what they read, and why where they read nothing."""

from __future__ import annotations

import numpy as np
import pytest

import ovread
from ovread import ObjectType, OmissionReason
from ovread.order import natural_key

MATRICES = {"jacobian", "jacobianShape", "massMatrix", "coriolisForce", "gravityForce", "centroidalMomentum"}
SERVED = (
    ("ovstage_output_instancer", ObjectType.RIGID_BODY, 29),
    ("Ant", ObjectType.ARTICULATION_LINK, 25),
    ("Ant", ObjectType.ARTICULATION_JOINT, 20),
    ("Ant", ObjectType.ARTICULATION, 21),
    ("vehicle_read_write", ObjectType.VEHICLE_WHEEL, 19),
    ("vehicle_read_write", ObjectType.VEHICLE, 11),
    ("FixedTendonTest", ObjectType.FIXED_TENDON, 6),
    ("SpatialTendonTest", ObjectType.SPATIAL_TENDON, 4),
    ("surface_deformable_material", ObjectType.DEFORMABLE_MATERIAL, 7),
    ("Ant", ObjectType.SCENE, 1),
    ("kinematic_support", ObjectType.PHYSX_MATERIAL, 1),
    ("Ant", ObjectType.SHAPE, 1),
    ("convex_decomposition_shape", ObjectType.COMPOUND_SHAPE, 1),
    ("SingleBallOnlyAtOrigin", ObjectType.RIGID_ACTOR, 1),
    ("SphericalArtiAtOrigin", ObjectType.JOINT, 1),
    ("Ant", ObjectType.PHYSICS, 1),
)


@pytest.mark.parametrize(("name", "object_type", "count"), SERVED, ids=[row[1].name for row in SERVED])
def test_all_attributes_of_a_type_are_served(name, object_type, count, scene):
    """After a step, a scene that has what it takes reads every attribute of the type, and each value is one."""
    with ovread.open(scene(name), backend="physx") as simulation:
        simulation.step(1 / 240)
        query = simulation.query(object_type)
        names = [name for name in query.attributes if name not in MATRICES]
        result = simulation.read(query, names)
        assert len(query)
        assert {group.attribute for group in result} == set(names)
        assert len(names) == count
        assert all(group.numpy().size for group in result)


def test_instancers_and_bodies_read_what_each_has(scene):
    """State of instances comes as runs, properties only for bodies; what either lacks is omitted by name."""
    with ovread.open(scene("point_instancers"), backend="physx") as simulation:
        query = simulation.query(ObjectType.RIGID_BODY)
        bodies = ("/World/Falling", "/World/Kinematic", "/World/Sleeping")
        instancers = ("/World/Instances_2", "/World/Instances_10")
        assert query.paths == (bodies[0], *instancers, *bodies[1:])
        result = simulation.read(query, ["positions", "mass", "position"])
        assert result["mass"].paths == result["position"].paths == bodies
        assert result["positions"].paths == instancers
        assert result["positions"].offsets.tolist() == [0, 3, 5]
        assert result["positions"].numpy()[[0, 2, 4]].tolist() == [[0, 0, 40], [20, 0, 40], [10, 0, 60]]
        told = {omission.attribute: (omission.paths, omission.detail) for omission in result.omissions}
        assert told["position"] == (instancers, "A point instancer: read positions.")
        assert told["positions"] == (bodies, "No point instancer: read position.")
        assert told["mass"][0] == instancers


def test_instances_fall_like_bodies(scene):
    """Instances have the velocity and the acceleration of free fall, once there was a step."""
    with ovread.open(scene("point_instancers"), backend="physx") as simulation:
        query = simulation.query(ObjectType.RIGID_BODY, paths=["/World/Instances_10", "/World/Instances_2"])
        reader = simulation.reader(query, ["accelerations", "velocities", "linearAcceleration"])
        reasons = {omission.attribute: omission.reason for omission in reader.read().omissions}
        assert reasons["accelerations"] is OmissionReason.NOT_READY
        assert reasons["linearAcceleration"] is OmissionReason.UNSUPPORTED_CONFIGURATION
        simulation.step(0.01, 4)
        result = reader.read()
        assert result["velocities"].offsets.tolist() == [0, 2, 5]
        falling = [1, 2, 4]
        np.testing.assert_allclose(result["velocities"].numpy()[falling], [[0, 0, -0.4]] * 3, atol=1e-5)
        np.testing.assert_allclose(result["accelerations"].numpy()[falling], [[0, 0, -10]] * 3, rtol=1e-4)


def test_holes_of_an_instancer_are_told(scene):
    """Opening names the instances that are no rigid bodies; they read zeros, which no orientation of a body is."""
    with ovread.open(scene("point_instancers"), backend="physx") as simulation:
        told = {each.prim: each.message for each in simulation.diagnostics if each.rule == "instancer-holes"}
        assert "2 of 4 instances" in told["/World/Instances_2"]
        assert "slots from 3 on are left out" in told["/World/Instances_2"]
        assert "1 of 2 instances" in told["/World/Instances_10"]
        orientations = simulation.read(simulation.query(ObjectType.RIGID_BODY), ["orientations"])["orientations"]
        assert np.linalg.norm(orientations.numpy(), axis=1).tolist() == [1, 0, 1, 0, 1]


def test_instancers_have_the_scene_of_their_prototypes(scene):
    """With several physics scenes, an instancer is in a group of its own scene."""
    with ovread.open(scene("two_scenes"), backend="physx") as simulation:
        result = simulation.read(simulation.query(ObjectType.RIGID_BODY), ["positions", "mass"])
        assert {(group.attribute, group.scene): group.paths for group in result} == {
            ("positions", "/World/First"): ("/World/OfFirst",),
            ("positions", "/World/Second"): ("/World/OfSecond",),
            ("mass", "/World/First"): ("/World/A",),
            ("mass", "/World/Second"): ("/World/Asleep", "/World/B"),
        }


def test_an_instancer_of_two_scenes_costs_all_bodies_and_says_so(scene):
    """The engine then fails each read of a rigid body: that is told at opening and in each omission."""
    with ovread.open(scene("instancer_in_two_scenes"), backend="physx") as simulation:
        query = simulation.query(ObjectType.RIGID_BODY)
        assert query.paths == ("/World/A", "/World/B", "/World/OfBoth")
        result = simulation.read(query, query.attributes)
        assert len(result) == 0
        assert all("several physics scenes" in omission.detail for omission in result.omissions)
        assert len(result.omissions) == len(query.attributes)
        assert "instancer-in-several-scenes" in {each.rule for each in simulation.diagnostics}


def test_all_vehicles_are_rows(scene):
    """Vehicles without controls are listed too; each column covers those that have it and names the others."""
    with ovread.open(scene("vehicle_read_write"), backend="physx") as simulation:
        query = simulation.query(ObjectType.VEHICLE)
        assert query.paths == ("/World/Basic", "/World/Raw", "/World/Standard", "/World/Tank")
        result = simulation.read(query, ["steer", "clutch"])
        assert result["steer"].paths == ("/World/Basic", "/World/Standard", "/World/Tank")
        assert result["clutch"].paths == ("/World/Standard", "/World/Tank")
        told = {omission.attribute: omission for omission in result.omissions}
        assert told["steer"].paths == ("/World/Raw",)
        assert told["clutch"].paths == ("/World/Basic", "/World/Raw")
        raw = simulation.query(ObjectType.VEHICLE, paths=["/World/Raw"])
        assert [each.attribute for each in simulation.read(raw, ["steer"]).omissions] == ["steer"]


def test_wheels_carry_the_weight(scene):
    """Suspension forces of a vehicle at rest sum to its weight, and wheels touch what the ground path names."""
    with ovread.open(scene("vehicle_read_write"), backend="physx") as simulation:
        wheels = simulation.query(ObjectType.VEHICLE_WHEEL)
        reader = simulation.reader(wheels, ["suspensionForce", "position", "isOnGround", "groundActorPath"])
        assert {omission.reason for omission in reader.read().omissions} == {OmissionReason.NOT_READY}
        simulation.step(1 / 240, 480)
        result = reader.read()
        mass = simulation.read(simulation.query(ObjectType.RIGID_BODY), ["mass"])["mass"]
        of_vehicle = dict(zip(mass.paths, mass.numpy()[:, 0], strict=True))
        loads = dict.fromkeys(of_vehicle, 0.0)
        for path, force in zip(wheels.paths, result["suspensionForce"].numpy(), strict=True):
            loads[path.rpartition("/")[0]] += force[1]
        gravity = 10.0
        assert loads == {path: pytest.approx(gravity * each, rel=1e-3) for path, each in of_vehicle.items()}
        assert result["isOnGround"].numpy().all()
        assert simulation.resolve(result["groundActorPath"]) == [["/World/CollisionPlane"]] * 16


def test_tendons_read_as_authored(scene):
    """Tendon values are the authored ones; limits that are not authored are the largest floats."""
    with ovread.open(scene("SpatialTendonTest"), backend="physx") as simulation:
        query = simulation.query(ObjectType.SPATIAL_TENDON)
        result = simulation.read(query, query.attributes)
        assert {group.attribute: group.numpy().ravel().tolist() for group in result} == spatial_tendon(scene)
    text = scene("FixedTendonTest").read_text()
    changed = text.replace("body0:stiffness = 0", "body0:stiffness = 5").replace("restLength = 0", "restLength = 0.25")
    with ovread.open(changed, backend="physx") as simulation:
        query = simulation.query(ObjectType.FIXED_TENDON)
        result = simulation.read(query, query.attributes)
        assert query.paths == ("/FixedTendonTest/revJoint01",)
        assert result["tendonStiffness"].numpy().tolist() == [[5.0]]
        assert result["tendonRestLength"].numpy().tolist() == [[0.25]]
        np.testing.assert_allclose(result["tendonLimit"].numpy(), [[-0.001, 0.001]])
    unlimited = "\n".join(line for line in text.splitlines() if "rLimit" not in line)
    with ovread.open(unlimited, backend="physx") as simulation:
        limit = simulation.read(simulation.query(ObjectType.FIXED_TENDON), ["tendonLimit"])["tendonLimit"].numpy()
        assert limit.tolist() == [[-ovread.backend.UNLIMITED, ovread.backend.UNLIMITED]]


def test_tendons_and_degrees_of_freedom_of_two_scenes(scene):
    """A tendon is in the scene of its joints, and each articulation lists its own joints."""
    text = scene("FixedTendonTest").read_text()
    head, mark, body = text.partition('def Xform "FixedTendonTest"')
    second = (mark + body).replace("FixedTendonTest", "Other")
    start = '"PhysicsMassAPI"]\n    )\n    {'
    owned = [
        each.replace(start, f"{start}\n        rel physics:simulationOwner = </{owner}>")
        for each, owner in ((mark + body, "physicsScene"), (second, "second"))
    ]
    with ovread.open("\n".join([head, 'def PhysicsScene "second" {', "}", *owned]), backend="physx") as simulation:
        tendons = simulation.read(simulation.query(ObjectType.FIXED_TENDON), ["tendonStiffness"])
        expected = {"/physicsScene": ("/FixedTendonTest/revJoint01",), "/second": ("/Other/revJoint01",)}
        assert {group.scene: group.paths for group in tendons} == expected
        articulations = simulation.read(simulation.query(ObjectType.ARTICULATION), ["dofJointPath"])
        for group in articulations.all("dofJointPath"):
            (joints,) = simulation.resolve(group)
            assert joints == [f"{group.paths[0]}/revJoint{number}" for number in ("01", "12", "23", "34")]
            assert joints[0] in expected[group.scene]


def spatial_tendon(scene):
    """Return the authored values of the sample's one root attachment."""
    names = ("stiffness", "damping", "limitStiffness", "offset")
    authored = {}
    for line in scene("SpatialTendonTest").read_text().splitlines():
        for name in names:
            if f":{name} = " in line:
                authored[f"tendon{name[0].upper()}{name[1:]}"] = [float(line.rpartition("=")[2])]
    return authored


def test_volume_materials_lack_what_surfaces_have(scene):
    """A volume material has elasticity, and is omitted by reason from thickness and bending."""
    with ovread.open(scene("volume_deformable_simple"), backend="physx") as simulation:
        query = simulation.query(ObjectType.DEFORMABLE_MATERIAL)
        result = simulation.read(query, ["deformableYoungsModulus", "deformableThickness"])
        assert result["deformableYoungsModulus"].numpy().tolist() == [[1000.0]]
        assert [(each.attribute, each.detail) for each in result.omissions] == [
            ("deformableThickness", "A volume material: only surface materials have it.")
        ]


@pytest.mark.parametrize(
    ("name", "object_type", "prim"),
    [
        ("volume_deformable_simple", ObjectType.DEFORMABLE_VOLUME, None),
        ("surface_deformable_material", ObjectType.DEFORMABLE_SURFACE, "/World/DeformableBody"),
        ("particles_simple", ObjectType.PARTICLE_SET, "/World/particles"),
        ("particles_simple", ObjectType.PARTICLE_SYSTEM, None),
        ("Ant", ObjectType.PARTICLE_SET, None),
    ],
)
def test_what_needs_cuda_says_so(name, object_type, prim, scene):
    """On the CPU the engine says nothing of these; every attribute is omitted with the reason, and opening tells."""
    with ovread.open(scene(name), backend="physx") as simulation:
        query = simulation.query(object_type)
        result = simulation.read(query, query.attributes)
        assert len(query) == len(result) == 0
        assert {each.attribute for each in result.omissions} == set(query.attributes)
        assert all(each.reason is OmissionReason.UNSUPPORTED_CONFIGURATION for each in result.omissions)
        assert all("device='cuda:0'" in each.detail for each in result.omissions)
        if prim:
            assert ("not-simulated", prim) in {(each.rule, each.prim) for each in simulation.diagnostics}


def test_types_without_columns_have_paths(scene):
    """Character controllers and SDF shapes can be queried, and told from other bodies and shapes."""
    with ovread.open(scene("character_controller"), backend="physx") as simulation:
        query = simulation.query(ObjectType.CHARACTER_CONTROLLER)
        assert (query.paths, query.attributes) == (("/World/Controller", "/World/Other"), ())
        assert set(query.paths) <= set(simulation.query(ObjectType.RIGID_BODY).paths)
    with ovread.open(scene("sdf_collision_scene"), backend="physx") as simulation:
        assert simulation.query(ObjectType.SDF_SHAPE).paths == ("/World/SdfBody/SdfGeom",)
        assert len(simulation.query(ObjectType.SHAPE)) == 2
    with ovread.open(scene("boxes_falling_on_groundplane"), backend="physx") as simulation:
        assert len(simulation.query(ObjectType.CHARACTER_CONTROLLER)) == 0


@pytest.mark.parametrize("name", ["Ant", "FixedTendonTest", "d6_joints", "mixed_link_count_articulations"])
def test_degrees_of_freedom_follow_the_joints(name, scene):
    """dofJointPath and dofAxisIndex list the axes of each joint in turn, joints in natural path order."""
    with ovread.open(scene(name), backend="physx") as simulation:
        joints = simulation.query(ObjectType.ARTICULATION_JOINT)
        positions = simulation.read(joints, ["jointPosition"])["jointPosition"]
        axes = dict(zip(positions.paths, np.diff(positions.offsets), strict=True))
        articulations = simulation.query(ObjectType.ARTICULATION)
        result = simulation.read(articulations, ["dofAxisIndex", "dofJointPath", "dofCount"])
        paths = simulation.resolve(result["dofJointPath"])
        ordered = [sorted(dict.fromkeys(run), key=natural_key) for run in paths]
        assert paths == [[path for path in run for _ in range(axes[path])] for run in ordered]
        assert sorted(path for run in ordered for path in run) == sorted(joints.paths)
        assert [len(run) for run in paths] == result["dofCount"].numpy().ravel().tolist()
        indices = [run.ravel().tolist() for run in result["dofAxisIndex"].per_prim()]
        assert indices == [[axis for path in run for axis in range(axes[path])] for run in ordered]


def test_no_degree_of_freedom_is_an_empty_run_and_a_reason(scene):
    """A welded articulation has no DOF, and its joints no state: the read says so."""
    text = scene("pendulum").read_text().replace("PhysicsRevoluteJoint", "PhysicsFixedJoint")
    with ovread.open(text, backend="physx") as simulation:
        articulations = simulation.query(ObjectType.ARTICULATION)
        result = simulation.read(articulations, ["dofJointPath", "dofAxisIndex", "dofCount"])
        assert result["dofCount"].numpy().tolist() == [[0]]
        assert result["dofJointPath"].offsets.tolist() == result["dofAxisIndex"].offsets.tolist() == [0, 0]
        omitted = simulation.read(simulation.query(ObjectType.ARTICULATION_JOINT), ["jointPosition"]).omissions
        assert "degree of freedom" in omitted[0].detail


def test_handle_zero_is_no_path(scene):
    """A wheel in the air touches nothing: its ground path is empty."""
    text = scene("vehicle_read_write").read_text()
    lifted = text.replace("xformOp:translate = (18, 1, 0)", "xformOp:translate = (18, 50, 0)")
    assert lifted != text
    with ovread.open(lifted, backend="physx") as simulation:
        simulation.step(1 / 240)
        query = simulation.query(ObjectType.VEHICLE_WHEEL)
        result = simulation.read(query, ["isOnGround", "groundShapePath"])
        paths = dict(zip(query.paths, simulation.resolve(result["groundShapePath"]), strict=True))
        assert {path: bool(run[0]) for path, run in paths.items()} == {path: "Raw" not in path for path in paths}
        assert result["isOnGround"].numpy().ravel().tolist() == [bool(run[0]) for run in paths.values()]
