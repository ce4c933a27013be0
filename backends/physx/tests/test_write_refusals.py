"""What PhysX would ignore, refuse for some rows, or turn into something else is refused, and changes nothing."""

from __future__ import annotations

import numpy as np
import pytest
from driven_arms import SCENE as ARMS
from mechanisms import Link, Mechanism, at
from reading import BODY, JOINT, LINK, by_path, value
from test_write_bodies import SCENE as BODIES

import ovread
from ovread import ObjectType
from ovread.backend import UNLIMITED
from ovread.errors import NotWritableError, ValueRefusedError

SEVERAL_AXES = Mechanism(
    (
        Link("z", mass=2.0),
        Link("ball", "z", "spherical", "X", at(0.5), at(-0.3)),
        Link("two", "z", "d6", "X", at(-0.5), at(-0.3), free=(0, 2)),
        Link("hinge", "z", "revolute", "Z", at(0, 0.5), at(-0.3)),
        Link("slide", "z", "prismatic", "Z", at(0, -0.5), at(-0.3)),
    )
)
NAMES = [
    "position",
    "orientation",
    "linearVelocity",
    "angularVelocity",
    "mass",
    "isSleeping",
    "kinematicTargetPosition",
]


@pytest.fixture(scope="module")
def bodies():
    with ovread.open(BODIES, backend="physx") as simulation:
        yield simulation


@pytest.fixture(scope="module")
def joints():
    with ovread.open(SEVERAL_AXES.usda(), backend="physx") as simulation:
        yield simulation


def state(simulation, kind):
    query = simulation.query(kind)
    names = NAMES if kind is BODY else [n for n in query.attributes if not n.endswith("Pointer")]
    return {group.attribute: group.numpy() for group in simulation.read(query, names)}


def refused(simulation, kind, name, values, error, match, **selection):
    """The write is refused with these words, and everything is as it was."""
    before = state(simulation, kind)
    with pytest.raises(error, match=match):
        simulation.set(simulation.query(kind, **selection), name, values)
    for attribute, read in state(simulation, kind).items():
        np.testing.assert_array_equal(read, before[attribute], err_msg=attribute)


@pytest.mark.refuses("RIGID_BODY", "linearVelocity angularVelocity force wrench wake")
@pytest.mark.parametrize("name", ["linearVelocity", "angularVelocity", "force", "wrench", "wake"])
def test_a_kinematic_body_takes_no_motion(bodies, name):
    """It is named, and the dynamic bodies of the same write are not changed; a session covers them without it."""
    bodies.reset()
    refused(bodies, BODY, name, 1, NotWritableError, r"/Driven.*kinematic body.*kinematicTargetPosition")
    with bodies.write(bodies.query(BODY), [name]) as session:
        assert session[name].paths == ("/B9", "/B10")
        assert [omission.paths for omission in session.omissions] == [("/Driven",)]


@pytest.mark.refuses("RIGID_BODY", "kinematicTargetPosition kinematicTargetOrientation")
@pytest.mark.parametrize(
    ("name", "values"), [("kinematicTargetPosition", (1, 2, 3)), ("kinematicTargetOrientation", (0, 0, 0.6, 0.8))]
)
def test_a_dynamic_body_takes_no_target(bodies, name, values):
    """A target is for kinematic bodies; PhysX would warn and skip the others."""
    bodies.reset()
    refused(bodies, BODY, name, values, NotWritableError, r"/B9 and 1 more.*No kinematic body")


@pytest.mark.refuses("ARTICULATION_JOINT", "jointLimit")
@pytest.mark.refuses("RIGID_BODY", "restOffset contactOffset")
@pytest.mark.parametrize(
    ("path", "name", "values"),
    [
        ("/B9", "linearVelocity", (1, 2, 3)),
        ("/B9", "angularVelocity", (1, 2, 3)),
        ("/B9", "force", (1, 2, 3)),
        ("/B9", "wrench", 1),
        ("/B9", "wake", 1),
        ("/Driven", "kinematicTargetPosition", (1, 2, 3)),
        ("/Driven", "kinematicTargetOrientation", (0, 0, 0.6, 0.8)),
    ],
)
def test_a_disabled_body_takes_no_motion(bodies, path, name, values):
    """It is named, also where it was disabled after the writer was made; enabled again, it takes what it refused."""
    bodies.reset()
    query = bodies.query(BODY, paths=[path])
    writer = bodies.writer(query, [name])
    bodies.set(query, "disableSimulation", 1)
    refused(bodies, BODY, name, values, ValueRefusedError, rf"{path} .*simulation disabled", paths=[path])
    writer.groups[0].values[...] = values
    with pytest.raises(ValueRefusedError, match="simulation disabled"):
        writer.write()
    bodies.set(query, "disableSimulation", 0)
    writer.write()


def test_a_rest_offset_stays_below_the_contact_offset(scene):
    """Each is refused where it would cross the other, by shape; in the other order both move."""
    with ovread.open(scene("three_shapes"), backend="physx") as simulation:
        path = simulation.query(BODY).paths[0]
        contact, rest = (np.array(value(simulation, BODY, path, name)) for name in ("contactOffset", "restOffset"))
        crossing = rest.copy()
        crossing[1] = contact[1]
        query = simulation.query(BODY, paths=[path])
        with pytest.raises(ValueRefusedError, match=r"row 0, element 1.*not less than the shape's contactOffset"):
            simulation.set(query, "restOffset", [crossing])
        with pytest.raises(ValueRefusedError, match=r"element 0.*not more than the shape's restOffset"):
            simulation.set(query, "contactOffset", [np.maximum(rest, 0)])
        assert value(simulation, BODY, path, "restOffset") == rest.tolist()
        simulation.set(query, "contactOffset", [contact + 1])
        simulation.set(query, "restOffset", [crossing])
        np.testing.assert_allclose(value(simulation, BODY, path, "restOffset"), crossing)


def test_a_free_axis_gets_no_limit(joints):
    """PhysX limits only what was authored with a limit; writing that it is free is what it is."""
    refused(
        joints,
        JOINT,
        "jointLimit",
        (-10, 10),
        ValueRefusedError,
        r"/W/r/j_hinge.*authored without",
        paths=["/W/r/j_hinge"],
    )
    refused(joints, JOINT, "jointLimit", (-UNLIMITED, 10), ValueRefusedError, r"authored without")
    joints.set(joints.query(JOINT), "jointLimit", (-UNLIMITED, UNLIMITED))


def test_a_limited_axis_is_freed_and_limited_again():
    """An axis that was authored with a limit can lose it and get another, which reads say at once."""
    with ovread.open(ARMS, backend="physx") as simulation:
        query = simulation.query(JOINT, paths=["/R/hinge"])
        for limit in [(-UNLIMITED, UNLIMITED), (-5.0, 15.0), (-UNLIMITED, 20.0), (-700.0, 700.0)]:
            simulation.set(query, "jointLimit", limit)
            np.testing.assert_allclose(value(simulation, JOINT, "/R/hinge", "jointLimit"), limit, rtol=1e-5)


@pytest.mark.refuses("ARTICULATION_JOINT", "jointPositionTarget")
@pytest.mark.parametrize(
    ("path", "target"),
    [("/W/r/j_hinge", 361.0), ("/W/r/j_hinge", -400.0), ("/W/r/j_ball", 181.0), ("/W/r/j_two", -200.0)],
)
def test_a_target_beyond_what_the_drive_reaches(joints, path, target):
    """A hinge without limits has targets within a turn, an axis among several within half a turn."""
    refused(joints, JOINT, "jointPositionTarget", target, ValueRefusedError, rf"{path}.*full turn", paths=[path])


@pytest.mark.refuses("ARTICULATION_JOINT", "jointStaticFriction jointDynamicFriction")
def test_targets_that_the_drive_reaches(joints):
    """Lengths, and angles within those bounds, are taken as they are."""
    for path, target in (("/W/r/j_slide", 500.0), ("/W/r/j_hinge", 359.0), ("/W/r/j_ball", -179.0)):
        joints.set(joints.query(JOINT, paths=[path]), "jointPositionTarget", target)
        np.testing.assert_allclose(value(joints, JOINT, path, "jointPositionTarget"), target, rtol=1e-6)


def test_static_friction_stays_above_dynamic(joints):
    """Each is refused where it would cross the other."""
    query = joints.query(JOINT, paths=["/W/r/j_hinge"])
    only = {"paths": ["/W/r/j_hinge"]}
    refused(joints, JOINT, "jointDynamicFriction", 1.0, ValueRefusedError, "more than the axis' jointStatic", **only)
    joints.set(query, "jointStaticFriction", 2.0)
    joints.set(query, "jointDynamicFriction", 1.0)
    refused(joints, JOINT, "jointStaticFriction", 0.5, ValueRefusedError, "less than the axis' jointDynamic", **only)
    joints.set(query, "jointDynamicFriction", 0.0)
    joints.set(query, "jointStaticFriction", 0.0)


@pytest.mark.parametrize(
    ("kind", "name", "values"),
    [
        *((JOINT, name, np.nan) for name in ("jointPosition", "jointVelocity", "jointPositionTarget", "jointArmature")),
        *((JOINT, name, -1.0) for name in ("jointStiffness", "jointDamping", "jointArmature", "jointMaxVelocity")),
        (JOINT, "jointActuationForce", np.inf),
        (JOINT, "jointDriveType", 9),
        (LINK, "mass", 0.0),
        (LINK, "inertia", (2, 0.5, 0, 0.1, 3, 0, 0, 0, 4)),
        (LINK, "inertia", np.zeros(9)),
        (LINK, "disableGravity", 7),
        (ObjectType.ARTICULATION, "rootPosition", (0, np.nan, 0)),
        (ObjectType.ARTICULATION, "rootOrientation", (0, 0, 0, 0)),
    ],
)
def test_what_articulations_take_in_silence(joints, kind, name, values):
    """PhysX takes these without a word, and some poison the articulation for good."""
    refused(joints, kind, name, values, ValueRefusedError, "Nothing has been changed")
    joints.step(1 / 240)
    assert np.isfinite(joints.read(joints.query(LINK), "position")["position"].numpy()).all()
    joints.reset()


@pytest.mark.parametrize(("name", "values"), [("mass", 1e-40), ("inertia", np.diag([1e-39] * 3).ravel())])
def test_a_mass_without_an_inverse(bodies, name, values):
    """PhysX would read it back as 0, and simulate a body that nothing moves."""
    bodies.reset()
    refused(bodies, BODY, name, values, ValueRefusedError, "less than 1e-30", paths=["/B9"])


def test_a_character_controller_is_no_body_to_write(scene):
    """PhysX lets it be read as a body, and writes to it nothing without saying so."""
    with ovread.open(scene("character_controller"), backend="physx") as simulation:
        path = simulation.query(ObjectType.CHARACTER_CONTROLLER).paths[0]
        query = simulation.query(BODY, paths=[path])
        for name in ("position", "mass", "kinematicTargetPosition", "wake"):
            with pytest.raises(NotWritableError, match=r"character controller.*CHARACTER_CONTROLLER move"):
                simulation.set(query, name, 1)


def test_a_point_instancer_is_no_body_to_write(scene):
    """The bodies beside it are written without it."""
    with ovread.open(scene("point_instancers"), backend="physx") as simulation:
        with simulation.write(simulation.query(BODY), ["position"]) as session:
            group = session["position"]
            assert session.omissions[0].paths == ("/World/Instances_2", "/World/Instances_10")
            group.values[...] += 1
            session.commit(group)
        before = by_path(simulation, BODY, ["position"])["position"]
        assert "/World/Instances_2" not in before
        with pytest.raises(NotWritableError, match="point instancer"):
            simulation.set(simulation.query(BODY), "position", 0)


@pytest.mark.refuses("DEFORMABLE_VOLUME", "points velocities kinematicTarget")
@pytest.mark.refuses("DEFORMABLE_SURFACE PARTICLE_SET", "points velocities")
def test_deformables_and_particles_are_of_cuda(scene):
    """On the CPU PhysX has no such objects; a write says where it has, and so does the declaration."""
    kinds = (ObjectType.DEFORMABLE_VOLUME, ObjectType.DEFORMABLE_SURFACE, ObjectType.PARTICLE_SET)
    with ovread.open(scene("volume_deformable_simple"), backend="physx") as simulation:
        for kind in kinds:
            for name in ("points", "velocities", *(["kinematicTarget"] if kind is kinds[0] else [])):
                with pytest.raises(NotWritableError, match="on CUDA only"):
                    simulation.write(simulation.query(kind), [name])
                assert "on CUDA only" in ovread.backends()["physx"].writing_of((kind, name)).reason
