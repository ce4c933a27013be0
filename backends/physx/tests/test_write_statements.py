"""Statements of the write API about classes, sessions, order and persistence that no other test observes.

``docs/traceability/writable.md`` says which statement each test is for.
"""

from __future__ import annotations

import numpy as np
import pytest
from reading import BODY, DT, JOINT, LINK, engine_session, fill, value

import ovread
from ovread import ObjectType, Writability
from ovread.errors import SelectionError, UnknownAttributeError, ValueRefusedError

SETTLED, WEIGHTLESS, DRIVEN = "/World/settled", "/World/weightless", "/World/kinematic"


def put(simulation, path, kind=BODY, **values):
    for name, given in values.items():
        simulation.set(simulation.query(kind, paths=[path]), name, given)


# Classes


def test_the_engine_has_the_classes_of_the_catalogue():
    """For each type and name the engine's own table has the class that ovread gives, or neither knows the pair."""
    from ovphysx._bindings import writability

    classes = [Writability[name] for name in ("UNCLASSIFIED", "WRITABLE", "CONDITIONAL", "WRITE_ONLY", "READ_ONLY")]
    rows = ovread.catalogue.rows()
    of_newton = {"body_q", "body_qd", "friction", "joint_q", "joint_qd", "jointFriction", "gravity"}
    names = {row.name for row in rows} - of_newton
    of_instances = {(BODY, name) for name in ("positions", "orientations", "velocities", "accelerations")}
    of_instances |= {(BODY, name) for name in ("angularVelocities", "angularAccelerations")}
    for kind in ObjectType:
        for name in names:
            expected = ovread.writability(kind, name)
            if (kind, name) in of_instances:
                assert expected is Writability.READ_ONLY
                expected = Writability.UNCLASSIFIED
            assert classes[writability(int(kind), name)] is expected, (kind, name)


def test_the_class_is_asked_by_name_and_type():
    """The engine and ovread refuse what is no type, and what is no name."""
    from ovphysx._bindings import writability

    for kind, name in ((25, "position"), (0, "")):
        with pytest.raises(ValueError, match="ovphysx_writability"):
            writability(kind, name)
    with pytest.raises(SelectionError):
        ovread.writability(25, "position")
    with pytest.raises(UnknownAttributeError, match="position"):
        ovread.writability(BODY, "positon")


# Timing, order, persistence


def test_a_write_makes_no_step(bodies):
    """Before the first step a value is there at once, no time has passed, and the step after obeys it."""
    put(bodies, WEIGHTLESS, linearVelocity=(1, 2, 3))
    assert (bodies.tick, bodies.time) == (0, 0)
    assert value(bodies, BODY, WEIGHTLESS, "position") == [5, 0, 9]
    bodies.step(DT)
    np.testing.assert_allclose(
        value(bodies, BODY, WEIGHTLESS, "position"), np.array([5, 0, 9]) + np.array([1, 2, 3]) * DT, atol=1e-5
    )


def test_a_commit_waits_for_a_step_that_is_under_way(attached, scene):
    """What is committed while a step of the owner's has not been waited for stands when it has been."""
    simulation, physx, _ = attached(scene("bodies"))
    task = physx.step(DT)
    with engine_session(simulation, BODY, ["linearVelocity"], WEIGHTLESS) as session:
        fill(session.groups[0], [1, 2, 3])
        session.commit_sync(session.groups[0])
    physx.wait_task(task)
    simulation.stepped(DT)
    assert value(simulation, BODY, WEIGHTLESS, "linearVelocity") == [1, 2, 3]
    assert value(simulation, BODY, WEIGHTLESS, "position") == [5, 0, 9]


def test_detaching_the_stage_ends_sessions(attached, scene):
    """Neither the engine's own session nor one of ovread commits after the owner has detached the stage."""
    simulation, physx, _ = attached(scene("bodies"))
    session = engine_session(simulation, BODY, ["mass"], WEIGHTLESS)
    group = session.groups[0]
    fill(group, 3)
    with simulation.write(simulation.query(BODY, paths=[WEIGHTLESS]), ["mass"]) as own:
        own["mass"].values[...] = 3
        physx.wait_task(physx.detach_ovstage())
        with pytest.raises(RuntimeError, match="retired by attachment teardown"):
            session.commit_sync(group)
        with pytest.raises(ovread.errors.OvreadError):
            own.commit(own["mass"])


KEPT = {
    (BODY, SETTLED): {
        "mass": 3.0,
        "inertia": (2, 0.1, 0, 0.1, 3, 0, 0, 0, 4),
        "centerOfMassPosition": (0.1, 0.2, -0.1),
        "disableGravity": 1,
        "staticFriction": 0.75,
        "dynamicFriction": 0.25,
        "restitution": 0.125,
        "contactOffset": 0.25,
        "restOffset": 0.125,
    },
    (LINK, "/Robot/tool"): {"mass": 3.0, "centerOfMassPosition": (0.1, 0.2, -0.1), "staticFriction": 0.75},
    (JOINT, "/Robot/hinge"): {
        "jointPositionTarget": 12.0,
        "jointVelocityTarget": 3.0,
        "jointActuationForce": 0.5,
        "jointStiffness": 2.0,
        "jointDamping": 0.25,
        "jointLimit": (-30, 70),
        "jointMaxVelocity": 300.0,
        "jointMaxForce": 9.0,
        "jointArmature": 0.5,
        "jointStaticFriction": 0.875,
        "jointDynamicFriction": 0.25,
        "jointViscousFriction": 0.25,
        "jointSpeedEffortGradient": 1.0,
        "jointMaxActuatorVelocity": 500.0,
        "jointVelocityDependentResistance": 0.03,
        "jointDriveType": 1,
    },
}


@pytest.mark.parametrize(("kind", "path"), KEPT, ids=lambda part: str(part).rpartition("/")[2])
def test_properties_targets_and_efforts_stay_over_steps(kind, path, bodies, robot):
    """What was written is what is read ten steps later, to the bit."""
    simulation, given = (bodies if kind is BODY else robot), KEPT[kind, path]
    put(simulation, path, kind, **given)
    written = {name: value(simulation, kind, path, name) for name in given}
    for name, values in given.items():
        np.testing.assert_allclose(written[name], np.ravel(values), rtol=1e-5, err_msg=name)
    simulation.step(DT, 10)
    assert {name: value(simulation, kind, path, name) for name in given} == written


def test_state_is_computed_by_the_next_step(bodies):
    """A written pose and velocity are where the step starts, not what it ends with."""
    put(bodies, "/World/spinning", position=(0, 30, 9), angularVelocity=(0, 0, 2))
    bodies.step(DT, 10)
    rate = value(bodies, BODY, "/World/spinning", "angularVelocity")[2]
    assert 1.5 < rate < 2, "its damping has slowed it"


def test_nothing_is_written_to_the_stage(bodies):
    """What the stage holds of a pose, a velocity, a mass and an offset is what was authored, also after a step."""
    from ovread_physx._authored_joints import read_column

    names = ["omni:xform", "physics:velocity", "physics:mass", "physxCollision:contactOffset"]
    held = {name: read_column(bodies._engine, [SETTLED], name)[0].tolist() for name in names}
    assert held["physics:mass"] == [4]
    put(bodies, SETTLED, position=(7, 7, 7), linearVelocity=(1, 2, 3), mass=9.0, contactOffset=0.5)
    bodies.step(DT)
    assert {name: read_column(bodies._engine, [SETTLED], name)[0].tolist() for name in names} == held


def test_commits_apply_in_the_order_of_the_caller(bodies):
    """A rest offset of 0.2 is taken after the contact offset was raised, and not before."""
    query = bodies.query(BODY, paths=[SETTLED])
    with bodies.write(query, ["restOffset", "contactOffset"]) as session:
        rest, contact = session["restOffset"], session["contactOffset"]
        rest.values[...], contact.values[...] = 0.2, 0.4
        with pytest.raises(ValueRefusedError, match=r"restOffset.*contactOffset"):
            session.commit(rest)
        assert value(bodies, BODY, SETTLED, "restOffset") == pytest.approx([0.01])
        session.commit(contact)
        session.commit(rest)
    assert value(bodies, BODY, SETTLED, "restOffset") == pytest.approx([0.2])


def test_attributes_that_mean_the_same_do_not_commute(bodies):
    """Axes after a tensor turn it, and a tensor after axes replaces them: the last one stands."""
    tensor, turned = np.diag([1.0, 2.0, 2.5]).ravel(), (0, 0, 0.6, 0.8)
    put(bodies, SETTLED, centerOfMassOrientation=turned, inertia=tensor)
    last_is_tensor = value(bodies, BODY, SETTLED, "inertia")
    put(bodies, SETTLED, inertia=tensor, centerOfMassOrientation=turned)
    np.testing.assert_allclose(last_is_tensor, tensor, atol=1e-5)
    assert abs(value(bodies, BODY, SETTLED, "inertia")[1]) > 0.1


def test_a_group_of_the_engine_is_spent_by_a_commit_that_fails(bodies):
    """The engine takes it once, also when it refuses the value; a group of ovread can be put right instead."""
    with engine_session(bodies, BODY, ["position"], WEIGHTLESS) as session:
        group = session.groups[0]
        fill(group, np.nan)
        with pytest.raises(RuntimeError, match="group is spent"):
            session.commit_sync(group)
        with pytest.raises(RuntimeError, match="already been committed"):
            session.commit_sync(group)
    with bodies.write(bodies.query(BODY, paths=[WEIGHTLESS]), ["position"]) as session:
        session["position"].values[...] = np.nan
        with pytest.raises(ValueRefusedError, match="finite"):
            session.commit(session["position"])
        session["position"].values[...] = (1, 2, 3)
        session.commit(session["position"])
    assert value(bodies, BODY, WEIGHTLESS, "position") == [1, 2, 3]


def test_a_group_of_another_session_fails_and_leaves_both_alone(bodies):
    """The engine refuses a foreign group, and each session still commits its own."""
    with (
        engine_session(bodies, BODY, ["mass"], WEIGHTLESS) as one,
        engine_session(bodies, BODY, ["mass"], SETTLED) as other,
    ):
        fill(one.groups[0], 3)
        fill(other.groups[0], 5)
        with pytest.raises(ValueError, match="does not belong"):
            one.commit_sync(other.groups[0])
        one.commit_sync(one.groups[0])
        other.commit_sync(other.groups[0])
    assert [value(bodies, BODY, path, "mass") for path in (WEIGHTLESS, SETTLED)] == [[3], [5]]


@pytest.mark.parametrize("names", [["mass", "isSleeping"], ["mass", "mass"], ["mass", "nonsense"], []])
def test_a_bad_list_of_names_opens_no_session_of_the_engine(names, bodies):
    """The engine refuses all of it at once, with its own words."""
    with pytest.raises(RuntimeError):
        engine_session(bodies, BODY, names, SETTLED)
    assert value(bodies, BODY, SETTLED, "mass") == [4]
