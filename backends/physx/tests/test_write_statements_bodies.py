"""Statements of the write API about bodies, articulations and tendons that no other test observes."""

from __future__ import annotations

import numpy as np
import pytest
from reading import BODY, DT, JOINT, LINK, by_path, engine_session, fill, value, write

import ovread
from ovread import UNLIMITED, ObjectType
from ovread.errors import AttributeOfOtherTypeError, NotWritableError, ValueRefusedError

SETTLED, WEIGHTLESS, DRIVEN = "/World/settled", "/World/weightless", "/World/kinematic"


def put(simulation, path, kind=BODY, **values):
    for name, given in values.items():
        simulation.set(simulation.query(kind, paths=[path]), name, given)


# Rigid bodies


def test_the_engine_writes_velocities_beside_a_kinematic_body_that_it_refuses(bodies):
    """The engine fails and has written the dynamic rows; ovread has no row for the kinematic body, and says why."""
    everyone = bodies.query(BODY)
    with engine_session(bodies, BODY, ["linearVelocity"]) as session:
        fill(session.groups[0], [1, 2, 3])
        with pytest.raises(RuntimeError, match="must be non-kinematic"):
            session.commit_sync(session.groups[0])
    read = by_path(bodies, BODY, ["linearVelocity"])["linearVelocity"]
    expected = {path: [[0, 0, 0] if path == DRIVEN else [1, 2, 3]] for path in everyone.paths}
    assert {path: rows.tolist() for path, rows in read.items()} == expected
    with pytest.raises(NotWritableError, match=f"{DRIVEN}.*kinematicTargetPosition"):
        bodies.set(everyone, "linearVelocity", (4, 5, 6))
    with bodies.write(everyone, ["linearVelocity"]) as session:
        assert DRIVEN not in session["linearVelocity"].paths
        assert [each.paths for each in session.omissions] == [(DRIVEN,)]


def test_a_target_moves_kinematic_bodies_alone(bodies):
    """The engine skips the others of a group without an error; ovread has no row for them, and says why."""
    before = {path: value(bodies, BODY, path, "position") for path in (WEIGHTLESS, "/World/spinning")}
    with engine_session(bodies, BODY, ["kinematicTargetPosition"], DRIVEN, WEIGHTLESS, "/World/spinning") as session:
        fill(session.groups[0], [1, 2, 3])
        session.commit_sync(session.groups[0])
    bodies.step(DT)
    assert value(bodies, BODY, DRIVEN, "position") == [1, 2, 3]
    assert {path: value(bodies, BODY, path, "position") for path in before} == before
    with pytest.raises(NotWritableError, match="No kinematic body"):
        put(bodies, WEIGHTLESS, kinematicTargetPosition=(1, 2, 3))


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        ("kinematicTargetPosition", (np.nan, 0, 0)),
        ("kinematicTargetOrientation", (0, 0, 0, 0)),
        ("kinematicTargetOrientation", (0, 0, np.inf, 0)),
    ],
)
def test_a_bad_target_moves_nobody(name, bad, bodies):
    """The engine and ovread refuse it naming the body, and the next step leaves it where it is."""
    pose = value(bodies, BODY, DRIVEN, "position"), value(bodies, BODY, DRIVEN, "orientation")
    with pytest.raises(RuntimeError, match=f"{DRIVEN}.*nothing was written"):
        write(bodies, BODY, DRIVEN, name, bad)
    with pytest.raises(ValueRefusedError, match=f"{name}.*{DRIVEN}"):
        put(bodies, DRIVEN, **{name: bad})
    bodies.step(DT)
    assert (value(bodies, BODY, DRIVEN, "position"), value(bodies, BODY, DRIVEN, "orientation")) == pose


def test_a_disabled_body_takes_no_target(bodies):
    """The engine and ovread refuse it naming the body; once it is simulated again it takes one."""
    put(bodies, DRIVEN, disableSimulation=1)
    with pytest.raises(RuntimeError, match=f"{DRIVEN}.*nothing was written"):
        write(bodies, BODY, DRIVEN, "kinematicTargetPosition", (1, 2, 3))
    with pytest.raises(ValueRefusedError, match=f"{DRIVEN}.*disableSimulation"):
        put(bodies, DRIVEN, kinematicTargetPosition=(1, 2, 3))
    put(bodies, DRIVEN, disableSimulation=0, kinematicTargetPosition=(1, 2, 3))
    bodies.step(DT)
    assert value(bodies, BODY, DRIVEN, "position") == [1, 2, 3]


def test_a_teleport_has_no_velocity_and_a_target_has(bodies):
    """A kinematic body that is put half a metre away is at rest; one that is driven there has the speed of the way."""
    put(bodies, DRIVEN, position=(-5, 1, 8))
    bodies.step(DT)
    assert value(bodies, BODY, DRIVEN, "linearVelocity") == [0, 0, 0]
    put(bodies, DRIVEN, kinematicTargetPosition=(-5, 1, 8.5))
    bodies.step(DT)
    np.testing.assert_allclose(value(bodies, BODY, DRIVEN, "linearVelocity"), (0, 0, 0.5 / DT), rtol=1e-5)


def test_a_disabled_body_stays_a_row_that_can_be_enabled(bodies):
    """The group of a write still has it after it was disabled."""
    put(bodies, WEIGHTLESS, disableSimulation=1)
    with bodies.write(bodies.query(BODY), ["disableSimulation"]) as session:
        group = session["disableSimulation"]
        row = group.paths.index(WEIGHTLESS)
        assert group.values[row].tolist() == [1]
        group.values[row] = 0
        session.commit(group)
    assert value(bodies, BODY, WEIGHTLESS, "disableSimulation") == [0]


def test_wake_drives_every_row_but_kinematic_and_disabled_ones(bodies):
    """A group of the engine puts all others to sleep and wakes them; a disabled one stays asleep without an error."""
    put(bodies, WEIGHTLESS, disableSimulation=1)
    for command in (0, 1):
        with engine_session(bodies, BODY, ["wake"]) as session:
            fill(session.groups[0], command)
            session.commit_sync(session.groups[0])
        asleep = by_path(bodies, BODY, ["isSleeping"])["isSleeping"]
        paths = (SETTLED, "/World/spinning", WEIGHTLESS)
        assert [asleep[path].item() for path in paths] == [1 - command, 1 - command, 1]
    with pytest.raises(NotWritableError, match="kinematic"):
        put(bodies, DRIVEN, wake=1)
    with pytest.raises(ValueRefusedError, match="disableSimulation"):
        put(bodies, WEIGHTLESS, wake=1)


def test_nothing_is_put_to_sleep_where_the_scene_forbids_it(scene):
    """A 0 is taken and does nothing: the body falls on."""
    text = scene("bodies").read_text()
    old = '"Scene" (prepend apiSchemas = ["PhysxSceneAPI"])\n{'
    assert old in text
    with ovread.open(text.replace(old, f"{old}\n    bool physxScene:disableSleeping = 1"), backend="physx") as awake:
        put(awake, "/World/spinning", wake=0)
        assert value(awake, BODY, "/World/spinning", "isSleeping") == [0]
        before = value(awake, BODY, "/World/spinning", "orientation")
        awake.step(DT)
        assert value(awake, BODY, "/World/spinning", "orientation") != before


@pytest.mark.parametrize("name", ["linearAcceleration", "inverseMass", "inverseInertia", "shapeCount", "isSleeping"])
def test_what_is_derived_cannot_be_written(name, bodies):
    """The engine and ovread refuse the name when a session is opened."""
    with pytest.raises(RuntimeError, match=name):
        engine_session(bodies, BODY, [name], SETTLED)
    with pytest.raises(NotWritableError, match=name):
        bodies.write(bodies.query(BODY), [name])


def test_instances_are_written_by_the_engine_alone(scene):
    """The engine writes an array per instancer, in its own frame; ovread has no row for one, and says why."""
    instancer = "/World/Instances_2"
    with ovread.open(scene("point_instancers"), backend="physx") as simulation:
        with engine_session(
            simulation, BODY, ["position", "disableSimulation"], instancer, "/World/Falling"
        ) as session:
            groups = [(group.attribute_index, group.tensors[0].numpy().shape) for group in session.groups]
            assert groups == [(0, (1, 3)), (0, (3, 3)), (1, (1,))], "instances have a pose and no such flag"
            fill(session.groups[1], [[1, 2, 3], [4, 5, 6], [7, 8, 9]])
            session.commit_sync(session.groups[1])
        read = simulation.read(simulation.query(BODY, paths=[instancer]), ["positions"])["positions"].numpy()
        assert read.tolist() == [[1, 2, 3], [0, 0, 0], [7, 8, 9]], "the middle one is scenery"
        with pytest.raises(NotWritableError, match="instances are not written"):
            put(simulation, instancer, position=(1, 2, 3))


# Articulation joints


def test_axes_of_a_joint_are_written_in_their_order(robot):
    """Of a joint with two axes the second element is swing2: its limit and its drive change, those of swing1 stay."""
    path = "/Robot/gimbal"
    put(robot, path, JOINT, jointLimit=[(-10, 20), (-5, 6)], jointStiffness=[3, 4])
    assert value(robot, JOINT, path, "jointLimit") == pytest.approx([-10, 20, -5, 6])
    robot.set(robot.query(JOINT), "jointPosition", [[1.0 + axis for axis in range(count)] for count in (2, 1)])
    counts = [len(each) for each in robot.read(robot.query(JOINT), ["jointPosition"])["jointPosition"].per_prim()]
    assert counts == [2, 1]
    assert value(robot, JOINT, path, "jointPosition") == pytest.approx([1, 2], rel=1e-5)


def test_a_free_axis_stays_free(scene):
    """The engine and ovread refuse to limit it, and nothing is written; to say that it has no limit is taken."""
    text = scene("joints").read_text()
    limits = "float physics:lowerLimit = -20\n        float physics:upperLimit = 90\n"
    assert limits in text
    with ovread.open(text.replace(limits, ""), backend="physx") as simulation:
        joints = simulation.query(JOINT)
        before = by_path(simulation, JOINT, ["jointLimit"])["jointLimit"]
        assert before["/Robot/hinge"].tolist() == [[-UNLIMITED, UNLIMITED]]
        with pytest.raises(RuntimeError, match="jointLimit"):
            write(simulation, JOINT, "/Robot/hinge", "jointLimit", [-5, 5])
        with pytest.raises(ValueRefusedError, match=r"/Robot/hinge.*authored without"):
            simulation.set(joints, "jointLimit", [-5, 5])
        put(simulation, "/Robot/hinge", JOINT, jointLimit=(-UNLIMITED, UNLIMITED))
        write(simulation, JOINT, "/Robot/hinge", "jointLimit", [-UNLIMITED, UNLIMITED])
        after = by_path(simulation, JOINT, ["jointLimit"])["jointLimit"]
        for path in joints.paths:
            np.testing.assert_array_equal(after[path], before[path])


def test_links_follow_joints_and_an_update_changes_nothing_more(robot):
    """On the CPU links have their new pose when a joint was written; the engine's own update leaves them there."""
    before = value(robot, LINK, "/Robot/wrist", "position")
    put(robot, "/Robot/hinge", JOINT, jointPosition=30.0)
    now = value(robot, LINK, "/Robot/wrist", "position")
    assert np.linalg.norm(np.subtract(now, before)) > 1
    robot._engine.physx.update_articulations_kinematic()
    np.testing.assert_allclose(value(robot, LINK, "/Robot/wrist", "position"), now, atol=1e-5)


@pytest.mark.parametrize("name", ["position", "linearVelocity", "centerOfMassWorld", "massMatrix", "staticFriction"])
def test_an_articulation_takes_its_root_s_state_alone(name, robot):
    """The engine and ovread refuse other names when a session is opened."""
    with pytest.raises(RuntimeError, match=name):
        engine_session(robot, ObjectType.ARTICULATION, [name])
    with pytest.raises(ovread.errors.OvreadError, match=name):
        robot.write(robot.query(ObjectType.ARTICULATION), [name])


def test_the_engine_forgets_the_velocity_of_a_fixed_root(robot):
    """It takes and shows it until the next step, which moves nothing; ovread refuses it."""
    root = robot.query(ObjectType.ARTICULATION).paths[0]
    write(robot, ObjectType.ARTICULATION, root, "rootLinearVelocity", (1, 2, 3))
    assert value(robot, ObjectType.ARTICULATION, root, "rootLinearVelocity") == [1, 2, 3]
    place = value(robot, ObjectType.ARTICULATION, root, "rootPosition")
    robot.step(DT)
    assert value(robot, ObjectType.ARTICULATION, root, "rootLinearVelocity") == [0, 0, 0]
    assert value(robot, ObjectType.ARTICULATION, root, "rootPosition") == place
    with pytest.raises(NotWritableError, match="base is fixed"):
        put(robot, root, ObjectType.ARTICULATION, rootLinearVelocity=(1, 2, 3))


# Tendons


FIXED, SPATIAL = ObjectType.FIXED_TENDON, ObjectType.SPATIAL_TENDON
OF_BOTH = {"tendonStiffness": 3.0, "tendonDamping": 0.5, "tendonLimitStiffness": 2.0, "tendonOffset": 0.25}


@pytest.mark.parametrize(
    ("sample", "kind", "given"),
    [
        ("FixedTendonTest", FIXED, OF_BOTH | {"tendonLimit": (-0.5, 0.75), "tendonRestLength": 0.125}),
        ("SpatialTendonTest", SPATIAL, OF_BOTH),
    ],
    ids=["fixed", "spatial"],
)
def test_properties_of_tendons_stay_over_steps(sample, kind, given, scene):
    """What was written is what is read ten steps later, to the bit."""
    with ovread.open(scene(sample), backend="physx") as simulation:
        path = simulation.query(kind).paths[0]
        put(simulation, path, kind, **given)
        written = {name: value(simulation, kind, path, name) for name in given}
        for name, values in given.items():
            np.testing.assert_allclose(written[name], np.ravel(values), rtol=1e-5, err_msg=name)
        simulation.step(DT, 10)
        assert {name: value(simulation, kind, path, name) for name in given} == written


@pytest.mark.parametrize("name", ["tendonLimit", "tendonRestLength"])
def test_a_spatial_tendon_has_no_limit_and_no_rest_length(name, scene):
    """The engine and ovread refuse the name when a session is opened."""
    with ovread.open(scene("SpatialTendonTest"), backend="physx") as simulation:
        with pytest.raises(RuntimeError, match=name):
            engine_session(simulation, SPATIAL, [name])
        with pytest.raises(AttributeOfOtherTypeError, match="FIXED_TENDON"):
            simulation.write(simulation.query(SPATIAL), [name])
