"""Writes of some rows, to several scenes, to a simulation of the caller's, and across a reset."""

from __future__ import annotations

import numpy as np
import pytest
from driven_arms import SCENE as ARMS
from memory import kept_by
from reading import BODY, JOINT, LINK, value, write
from test_write_bodies import HEADER
from test_write_bodies import SCENE as BODIES

import ovread
from ovread import ObjectType


def test_rows_that_are_left_out_are_not_touched():
    """They are not even rewritten with what they have: a sleeping body sleeps on, and keeps what others wrote."""
    with ovread.open(BODIES, backend="physx") as simulation:
        query = simulation.query(BODY, paths=["/B10", "/B9"])
        simulation.set(query, "wake", 0)
        session = simulation.write(query, ["position", "mass"])
        simulation.set(query, "position", (7, 7, 7), mask=np.array([False, True]))
        simulation.set(query, "wake", 0)
        with session:
            for name, values in (("position", (1, 2, 3)), ("mass", 9)):
                session[name].values[...] = values
                session.commit(session[name], mask=np.array([True, False]))
        np.testing.assert_allclose(value(simulation, BODY, "/B9", "position"), (7, 7, 7))
        assert value(simulation, BODY, "/B9", "mass") == [2.0]
        assert value(simulation, BODY, "/B9", "isSleeping") == [1]
        np.testing.assert_allclose(value(simulation, BODY, "/B10", "position"), (1, 2, 3))
        assert value(simulation, BODY, "/B10", "isSleeping") == [0]


def test_other_rows_each_time():
    """Which rows are written may change from commit to commit."""
    with ovread.open(ARMS, backend="physx") as simulation:
        query = simulation.query(JOINT)
        expected = np.zeros((3, 1), dtype=np.float32)
        for number, mask in enumerate([(1, 0, 1), (0, 1, 0), (1, 0, 1), (1, 1, 1), (0, 0, 1), (1, 1, 0)], start=1):
            chosen = np.array(mask, dtype=bool)
            expected[chosen] = number
            simulation.set(query, "jointActuationForce", float(number), mask=chosen)
            read = simulation.read(query, "jointActuationForce")["jointActuationForce"].numpy()
            np.testing.assert_array_equal(read, expected)


def test_rows_in_the_order_of_the_query():
    """Values go to the paths of the group, whatever the order of the engine, with as many elements as each has."""
    shape = 'def Cube "s{0}" (\nprepend apiSchemas = ["PhysicsCollisionAPI"]\n)\n{{\ndouble size = 1\n}}\n'
    body = 'def Xform "{0}" (\nprepend apiSchemas = ["PhysicsRigidBodyAPI"]\n)\n{{\n{1}\n}}\n'
    counts = {"/a": 2, "/b": 0, "/c": 3, "/d": 1}
    bodies = [body.format(path[1:], "".join(map(shape.format, range(count)))) for path, count in counts.items()]
    with ovread.open(HEADER + "".join(bodies), backend="physx") as simulation:
        query = simulation.query(BODY, paths=["/c", "/a", "/b", "/d"])
        with simulation.write(query, ["staticFriction"]) as session:
            numbers = iter(np.arange(6) / 10)
            wanted = {}
            for group in session:
                for path, target in zip(group.paths, group.per_prim(), strict=True):
                    target[:, 0] = wanted[path] = [next(numbers) for _ in range(counts[path])]
                session.commit(group)
        for path, values in wanted.items():
            if counts[path]:
                np.testing.assert_allclose(value(simulation, BODY, path, "staticFriction"), values, rtol=1e-6)


def test_several_scenes_are_written_apart(scene):
    """Each scene has a group of its own; committing one leaves the bodies of the other alone."""
    with ovread.open(scene("two_scenes"), backend="physx") as simulation:
        query = simulation.query(BODY, paths=["/World/A", "/World/B", "/World/Asleep"])
        before = value(simulation, BODY, "/World/A", "mass")
        with simulation.write(query, ["mass"]) as session:
            first, second = sorted(session.all("mass"), key=lambda group: group.scene)
            assert first.paths == ("/World/A",)
            assert second.paths == ("/World/B", "/World/Asleep")
            second.values[...] = [[5.0], [6.0]]
            session.commit(second)
        assert value(simulation, BODY, "/World/A", "mass") == before
        assert value(simulation, BODY, "/World/B", "mass") == [5.0]
        assert value(simulation, BODY, "/World/Asleep", "mass") == [6.0]


def test_objects_that_share_a_path(scene):
    """Two articulations at one path are written each with its own values, or refused where PhysX cannot tell them."""
    with ovread.open(scene("shared_root_multiscene"), backend="physx") as simulation:
        query = simulation.query(LINK)
        if len(set(query.paths)) == len(query.paths):
            query = simulation.query(ObjectType.ARTICULATION)
        with simulation.write(query, ["mass"] if query.object_type is LINK else ["rootPosition"]) as session:
            for number, group in enumerate(session):
                group.values[...] = np.arange(1, len(group) + 1)[:, None] + 10 * (number + 1)
                wanted = group.values.copy()
                session.commit(group)
                read = [each for each in simulation.read(query, group.attribute) if each.scene == group.scene]
                np.testing.assert_allclose(read[0].numpy(), wanted)


def test_a_simulation_of_the_callers(attached):
    """An attached simulation is written in the same way, before and after a step that the caller makes."""
    simulation, physx, _ = attached(BODIES)
    query = simulation.query(BODY, paths=["/B10"])
    simulation.set(query, "position", (1, 2, 3))
    simulation.set(query, "disableGravity", 1)
    simulation.set(query, "force", (2, 0, 0))
    np.testing.assert_allclose(value(simulation, BODY, "/B10", "position"), (1, 2, 3), atol=1e-6)
    physx.step_sync(1 / 240)
    simulation.stepped(1 / 240)
    np.testing.assert_allclose(value(simulation, BODY, "/B10", "linearVelocity"), (1 / 240, 0, 0), atol=1e-6)
    simulation.set(query, "linearVelocity", (0, 0, 1))
    np.testing.assert_allclose(value(simulation, BODY, "/B10", "linearVelocity"), (0, 0, 1), atol=1e-6)


def test_what_the_owner_disables_is_known(attached):
    """A body that the owner of the simulation has disabled refuses motion, though nobody here disabled it."""
    simulation, _, _ = attached(BODIES)
    query = simulation.query(BODY, paths=["/B10"])
    writer = simulation.writer(query, ["linearVelocity"])
    writer.write()
    write(simulation, BODY, "/B10", "disableSimulation", 1)
    with pytest.raises(ovread.errors.ValueRefusedError, match="simulation disabled"):
        writer.write()


def test_a_writer_goes_on_after_a_reset():
    """It is prepared anew, and writes to the simulation that was reset."""
    with ovread.open(ARMS, backend="physx") as simulation:
        writer = simulation.writer(simulation.query(JOINT), ["jointPositionTarget", "jointStiffness", "jointLimit"])
        for number in (1.0, 2.0):
            writer["jointPositionTarget"].values[...] = number
            writer.write()
            simulation.step(1 / 240)
            read = simulation.read(simulation.query(JOINT), "jointPositionTarget")["jointPositionTarget"].numpy()
            assert (read == number).all()
            simulation.reset()
            read = simulation.read(simulation.query(JOINT), "jointPositionTarget")["jointPositionTarget"].numpy()
            assert not read.any()


def test_a_writer_keeps_nothing():
    """A hundred writes leave no object of Python behind."""
    with ovread.open(ARMS, backend="physx") as simulation:
        writer = simulation.writer(simulation.query(JOINT), ["jointPositionTarget", "jointArmature"])

        def repeat(times):
            for _ in range(times):
                writer.write()

        assert kept_by(repeat, 50) < 4000  # what the measurement itself keeps
