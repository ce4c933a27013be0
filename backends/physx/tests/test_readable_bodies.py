"""What the documentation of the ov read API states of bodies, links and joints, observed on PhysX.

``docs/traceability/readable.md`` says which statement each test is for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from reading import BODY, JOINT, LINK, close, value, write

import ovread
from ovread import ObjectScope, ObjectType, Simulation
from ovread.backend import UNLIMITED
from ovread.stage import open_stage, prepare_process, scene_of

DATA = Path(__file__).parent / "scenes"

TURNED_45 = [0, 0, np.sin(np.pi / 8), np.cos(np.pi / 8)]


def asleep(simulation: Simulation) -> dict[str, int]:
    group = simulation.read(simulation.query(BODY), ["isSleeping"])["isSleeping"]
    return {path.rpartition("/")[2]: int(row) for path, (row,) in zip(group.paths, group.numpy(), strict=True)}


def test_everything_is_in_cpu_memory_on_the_cpu(bodies: Simulation, robot: Simulation) -> None:
    for simulation in (bodies, robot):
        simulation.step(1 / 60)
        for kind in (BODY, LINK, JOINT):
            query = simulation.query(kind)
            for group in simulation.read(query, query.attributes):
                assert group.values.device.is_cpu
                view = group.numpy()
                assert view.size == 0 or view.__array_interface__["data"][0] == group.values.ptr


def test_mass_properties_and_their_inverses(bodies: Simulation) -> None:
    close(bodies, BODY, "/World/settled", mass=[4], inverseMass=[0.25], centerOfMassOrientation=TURNED_45)
    close(bodies, BODY, "/World/kinematic", mass=[8], inverseMass=[0.125])
    inertia, inverse = (
        np.reshape(value(bodies, BODY, "/World/settled", name), (3, 3)) for name in ("inertia", "inverseInertia")
    )
    np.testing.assert_allclose(inertia @ inverse, np.eye(3), atol=1e-5)
    assert abs(inverse[0, 1]) > 0.1, "turned out of the body's axes"


def test_flags_are_bytes(bodies: Simulation) -> None:
    result = bodies.read(bodies.query(BODY), ["disableGravity", "disableSimulation", "isSleeping"])
    assert {group.numpy().dtype for group in result} == {np.dtype(np.uint8)}
    assert result["disableGravity"].numpy().ravel().tolist() == [0, 0, 1, 1]
    assert not result["disableSimulation"].numpy().any()


def test_offsets_of_shapes_are_lengths(bodies: Simulation) -> None:
    close(bodies, BODY, "/World/settled", contactOffset=[0.05], restOffset=[0.01])


def test_angular_acceleration_is_in_radians(bodies: Simulation) -> None:
    """90 deg/s, damped by half of itself per second."""
    bodies.step(1 / 60)
    close(bodies, BODY, "/World/spinning", angularAcceleration=[0, 0, -0.5 * np.pi / 2])


def test_without_a_target_the_kinematic_target_is_the_pose(bodies: Simulation) -> None:
    pose = {"kinematicTargetPosition": [-5, 1, 9], "kinematicTargetOrientation": TURNED_45}
    close(bodies, BODY, "/World/kinematic", **pose)
    bodies.step(1 / 60, count=3)
    close(bodies, BODY, "/World/kinematic", **pose)
    for path in ("/World/settled", "/World/spinning"):
        close(bodies, BODY, path, kinematicTargetPosition=value(bodies, BODY, path, "position"))


def test_bodies_fall_asleep_and_a_body_at_rest_need_not(bodies: Simulation) -> None:
    """A kinematic body without a target sleeps from the start."""
    bodies.step(1 / 60)
    assert asleep(bodies) == {"kinematic": 1, "settled": 0, "spinning": 0, "weightless": 0}
    assert value(bodies, BODY, "/World/weightless", "linearVelocity") == [0, 0, 0], "at rest, and awake"
    bodies.step(1 / 60, count=60)
    assert asleep(bodies) == {"kinematic": 1, "settled": 1, "spinning": 0, "weightless": 1}


def test_active_bodies_are_neither_asleep_nor_kinematic(bodies: Simulation) -> None:
    bodies.step(1 / 60, count=61)
    active = bodies.query(BODY, scope=ObjectScope.ACTIVE)
    assert active.paths == ("/World/spinning",)
    assert len(bodies.query(BODY)) == 4, "ALL has the sleeping ones"


def test_a_disabled_body_is_no_row(bodies: Simulation) -> None:
    assert "/World/disabled" not in bodies.query(BODY).paths


def test_nothing_sleeps_where_the_scene_forbids_it() -> None:
    text = (DATA / "bodies.usda").read_text()
    scene = 'def PhysicsScene "Scene" (prepend apiSchemas = ["PhysxSceneAPI"])\n{\n'
    assert scene in text
    text = text.replace(scene, scene + "    bool physxScene:disableSleeping = 1\n")
    with ovread.open(text, backend="physx") as simulation:
        simulation.step(1 / 60, count=61)
        assert set(asleep(simulation).values()) == {0}


@pytest.fixture
def written() -> Iterator[tuple[Simulation, Callable[..., None]]]:
    """The bodies, and a function that writes to them through the engine's own interface."""
    import ovphysx
    from ovphysx.types import SimObjectType

    prepare_process()
    ovphysx.enable_default_log_output(False)
    stage = open_stage(scene_of(DATA / "bodies.usda"))
    physx = ovphysx.PhysX()
    physx.wait_task(physx.attach_ovstage(stage))

    def write(path: str, name: str, values: list[float]) -> None:
        with physx.write_sync(SimObjectType.RIGID_BODY, [name], pattern=path) as session:
            (group,) = session.groups
            tensor = group.tensors[0]
            tensor.assign(np.array([values], dtype=tensor.numpy().dtype).reshape(tensor.shape))
            session.commit_sync(group)
            del tensor, group

    def step(count: int = 1) -> None:
        for _ in range(count):
            physx.step_sync(1 / 60)

    simulation = ovread.attach(physx, stage)
    simulation.write, simulation.advance = write, step  # type: ignore[attr-defined]
    yield simulation, write
    simulation.close()
    physx.destroy()
    stage.destroy()


def test_a_pending_target_is_read_until_it_is_reached_and_wakes_for_two_steps(written: Any) -> None:
    simulation, write = written
    write("/World/kinematic", "kinematicTargetPosition", [-5, 1, 7])
    close(simulation, BODY, "/World/kinematic", kinematicTargetPosition=[-5, 1, 7], position=[-5, 1, 9])
    assert asleep(simulation)["kinematic"] == 0
    simulation.advance()
    close(simulation, BODY, "/World/kinematic", position=[-5, 1, 7])
    simulation.advance(2)
    assert asleep(simulation)["kinematic"] == 1


def test_sleep_is_the_state_of_the_moment_not_the_last_command(written: Any) -> None:
    simulation, write = written
    simulation.advance(61)
    kept = simulation.read(simulation.query(BODY, paths=["/World/settled"]), ["isSleeping"])
    write("/World/settled", "wake", [1])
    assert asleep(simulation)["settled"] == 0
    simulation.advance(61)
    assert asleep(simulation)["settled"] == 1
    assert kept["isSleeping"].numpy().tolist() == [[1]], "a snapshot keeps its values"


def test_a_body_that_is_excluded_stays_a_row_and_counts_as_asleep(written: Any) -> None:
    simulation, write = written
    write("/World/spinning", "disableSimulation", [1])
    simulation.advance()
    close(simulation, BODY, "/World/spinning", disableSimulation=[1])
    assert asleep(simulation)["spinning"] == 1


def test_a_link_cannot_be_a_kinematic_target(robot: Simulation) -> None:
    robot.step(1 / 60, count=10)
    for path in robot.query(LINK).paths:
        for target, pose in {"Position": "position", "Orientation": "orientation"}.items():
            close(robot, LINK, path, **{f"kinematicTarget{target}": value(robot, LINK, path, pose)})


def test_links_sleep_and_wake_together(robot: Simulation) -> None:
    sleeping = robot.read(robot.query(LINK), ["isSleeping"])["isSleeping"].numpy()
    assert len(sleeping) == 4
    assert len(np.unique(sleeping)) == 1


def test_the_force_of_the_inbound_joint_holds_the_link(robot: Simulation) -> None:
    """What hangs on a joint is held against gravity, and turned back about the joint's origin."""
    robot.step(1 / 60)
    group = robot.read(robot.query(LINK), ["linkIncomingJointForce"])["linkIncomingJointForce"]
    force = dict(zip(group.paths, group.numpy().tolist(), strict=True))
    np.testing.assert_allclose(force["/Robot/arm"][2], 9.81 * 4, rtol=1e-4, err_msg="body0 of its joint")
    np.testing.assert_allclose(force["/Robot/wrist"][2], 9.81, rtol=1e-5)
    np.testing.assert_allclose([force["/Robot/tool"][at] for at in (2, 4)], [2 * 9.81, -9.81], rtol=1e-5)
    assert force["/Robot/base"] == [0, 0, 0, 0, 0, 0]


def test_axes_come_in_order_and_locked_ones_have_no_element(robot: Simulation) -> None:
    """Two of six axes are free, swing1 before swing2 though authored the other way round."""
    joints = robot.query(JOINT)
    assert joints.paths == ("/Robot/gimbal", "/Robot/hinge"), "fixed joints have no degree of freedom"
    result = robot.read(joints, ["jointLimit", "jointStiffness", "jointDriveType", "jointProjectedForce"])
    assert result["jointLimit"].offsets.tolist() == [0, 2, 3]
    assert result["jointLimit"].numpy().shape == (3, 2)
    np.testing.assert_allclose(result["jointLimit"].numpy(), [[-10, 20], [-30, 40], [-20, 90]], rtol=1e-5)
    np.testing.assert_allclose(result["jointStiffness"].numpy(), [[3], [0], [0]], rtol=1e-5)
    assert result["jointDriveType"].numpy().dtype == np.uint8
    assert result["jointDriveType"].numpy().tolist() == [[1], [0], [2]], "force, none, acceleration"
    robot.step(1 / 60)
    assert robot.read(joints, ["jointProjectedForce"])["jointProjectedForce"].offsets.tolist() == [0, 2, 3]


def test_limits_are_as_authored_where_the_coordinate_changes_its_sign(robot: Simulation) -> None:
    """Body0 of the hinge is the child, so that the arm turns by minus the coordinate."""
    robot.step(1 / 60, count=60)
    turned = value(robot, JOINT, "/Robot/hinge", "jointPosition")[0]
    assert turned > 0.1
    z, w = value(robot, LINK, "/Robot/arm", "orientation")[2:]
    np.testing.assert_allclose(np.degrees(2 * np.arctan2(z, w)), -turned, rtol=1e-4)
    close(robot, JOINT, "/Robot/hinge", jointLimit=[-20, 90])


def test_properties_of_an_axis_are_as_authored(robot: Simulation) -> None:
    close(
        robot,
        JOINT,
        "/Robot/hinge",
        jointVelocityTarget=[5],
        jointDamping=[0.5],
        jointMaxForce=[7],
        jointActuationForce=[0],
        jointArmature=[0.25],
        jointMaxVelocity=[360],
        jointStaticFriction=[0.75],
        jointDynamicFriction=[0.5],
        jointViscousFriction=[0.125],
        jointMaxActuatorVelocity=[720],
        jointVelocityDependentResistance=[0.01],
        jointSpeedEffortGradient=[2],
    )
    assert value(robot, JOINT, "/Robot/gimbal", "jointMaxVelocity") == [UNLIMITED, UNLIMITED]


def test_a_row_of_joints_has_one_pointer_and_links_have_one_each(robot: Simulation) -> None:
    for kind, count in {JOINT: 2, LINK: 4, ObjectType.ARTICULATION: 1}.items():
        pointers = robot.read(robot.query(kind), ["physxPointer"])["physxPointer"].numpy()
        assert (pointers.dtype, pointers.shape) == (np.uint64, (count, 1))
        assert len(np.unique(pointers)) == count
        assert pointers.all()


def test_counts_and_shapes_of_an_articulation(robot: Simulation) -> None:
    """The topology is host data of one group; the shapes are those of all links."""
    names = ["dofCount", "linkCount", "jointCount", "fixedTendonCount", "spatialTendonCount", "isFixedBase"]
    result = robot.read(robot.query(ObjectType.ARTICULATION), [*names, "shapeCount", "staticFriction"])
    assert [result[name].numpy().tolist() for name in names] == [[[3]], [[4]], [[3]], [[0]], [[0]], [[1]]]
    assert {result[name].numpy().dtype for name in names} == {np.dtype(np.int32)}
    assert result["shapeCount"].numpy().tolist() == [[2]]
    assert result["staticFriction"].offsets.tolist() == [0, 2]
    links = robot.read(robot.query(LINK), ["shapeCount"])["shapeCount"]
    assert links.numpy().sum() == 2


def test_the_local_centre_of_mass_is_seen_from_the_root_s_mass_frame() -> None:
    """A root whose centre of mass is off its origin, and whose principal axes are turned by 90 degrees about Z."""
    text = (DATA / "joints.usda").read_text()
    plain = '        float physics:mass = 1\n    }\n    def Cube "arm"'
    assert plain in text
    turned = "        quatf physics:principalAxes = (0.70710678, 0, 0, 0.70710678)\n"
    mass = "        float3 physics:diagonalInertia = (1, 2, 3)\n        point3f physics:centerOfMass = (0.5, 0, 0)\n"
    with ovread.open(text.replace(plain, turned + mass + plain), backend="physx") as simulation:
        close(simulation, LINK, "/Robot/base", centerOfMassPosition=[0.5, 0, 0])
        world = value(simulation, ObjectType.ARTICULATION, "/Robot", "centerOfMassWorld")
        np.testing.assert_allclose(world, [(0.5 + 2 * 1 + 2 + 3) / 5, 0, 0], atol=1e-6)
        close(simulation, ObjectType.ARTICULATION, "/Robot", centerOfMassLocal=[0, -(world[0] - 0.5), 0])


def test_types_without_objects_have_no_rows(bodies: Simulation) -> None:
    for kind in (LINK, JOINT, ObjectType.JOINT, ObjectType.COMPOUND_SHAPE, ObjectType.VEHICLE):
        query = bodies.query(kind)
        assert query.paths == ()
        assert all(len(group) == 0 for group in bodies.read(query, query.attributes))


def test_the_root_of_a_floating_articulation_moves_as_its_link() -> None:
    text = (DATA / "joints.usda").read_text()
    floating = text.replace('def PhysicsFixedJoint "anchor"', 'def Scope "anchor"')
    floating = floating.replace("damping = 0.5", "damping = 50")
    floating = floating.replace("mass = 1\n", "mass = 1\n        float3 physics:diagonalInertia = (1, 1, 1)\n")
    assert floating.count("\n") == text.count("\n") + 3
    with ovread.open(floating, backend="physx") as simulation:
        simulation.step(1 / 60, count=30)
        names = {"rootPosition": "position", "rootLinearVelocity": "linearVelocity"}
        names |= {"rootOrientation": "orientation", "rootAngularVelocity": "angularVelocity"}
        robots = simulation.read(simulation.query(ObjectType.ARTICULATION), [*names, "isFixedBase"])
        assert robots["isFixedBase"].numpy().tolist() == [[0]]
        links = simulation.read(simulation.query(LINK), list(names.values()))
        nearest = np.linalg.norm(links["position"].numpy() - robots["rootPosition"].numpy(), axis=1).argmin()
        for of_root, of_link in names.items():
            np.testing.assert_allclose(robots[of_root].numpy()[0], links[of_link].numpy()[nearest], atol=1e-5)
        assert robots["rootLinearVelocity"].numpy()[0, 2] < -4
        assert np.abs(robots["rootAngularVelocity"].numpy()).max() > 1e-3


def test_links_follow_a_joint_that_was_just_written(robot: Simulation) -> None:
    """A read after a write is consistent without a step: the arm has turned by minus the written coordinate."""
    for steps, angle in ((0, 30.0), (1, 50.0)):
        if steps:
            robot.step(1 / 60, count=steps)
        write(robot, JOINT, "/Robot/hinge", "jointPosition", angle)
        z, w = value(robot, LINK, "/Robot/arm", "orientation")[2:]
        np.testing.assert_allclose(np.degrees(2 * np.arctan2(z, w)), -angle, rtol=1e-5)
