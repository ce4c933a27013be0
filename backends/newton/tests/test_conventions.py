"""Values in closed form, and values as they were authored."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import newton
import numpy as np
import pinocchio as pin
import pytest
import warp as wp
from mechanisms import Link, Mechanism

import ovread
from ovread import ObjectType, OmissionReason, Simulation

BODY = ObjectType.RIGID_BODY
LINK = ObjectType.ARTICULATION_LINK
JOINT = ObjectType.ARTICULATION_JOINT
UNLIMITED = np.finfo(np.float32).max

Opened = Callable[..., Simulation]
Value = Callable[..., np.ndarray]


def rotation(quaternion: np.ndarray) -> np.ndarray:
    """Return the rotation matrix."""
    return pin.Quaternion(quaternion.astype(float)).normalized().matrix()


def rotation_vector(quaternion: np.ndarray) -> np.ndarray:
    """Return the rotation vector, in degrees."""
    return np.degrees(pin.log3(rotation(quaternion)))


HALF_30 = np.radians(15)

BEFORE_THE_FIRST_STEP = (
    ("revolute_axes", LINK, "/W/rX/arm", "orientation", [np.sin(HALF_30), 0, 0, np.cos(HALF_30)]),
    ("revolute_axes", JOINT, "/W/rY/j", "jointPosition", [30]),
    ("revolute_axes", JOINT, "/W/rZ/j", "jointVelocity", [45]),
    ("revolute_axes", LINK, "/W/rX/arm", "angularVelocity", [np.radians(45), 0, 0]),
    ("revolute_axes", LINK, "/W/rX/arm", "linearVelocity", [0, -0.38988, 0.046973]),
    ("prismatic_axes", JOINT, "/W/pX/j", "jointPosition", [0.3]),
    ("principal_axes", BODY, "/W/rotz30", "inertia", [1.25, -0.433013, 0, -0.433013, 1.75, 0, 0, 0, 2.5]),
    ("centre_of_mass", BODY, "/W/spin", "linearVelocity", [1, 0, 0]),
    ("centimetres", BODY, "/W/dens", "mass", [1000]),
    ("drives", JOINT, "/W/force/j", "jointStiffness", [2]),
    ("drives", JOINT, "/W/force/j", "jointDamping", [0.5]),
    ("drives", JOINT, "/W/force/j", "jointPositionTarget", [10]),
    ("drives", JOINT, "/W/force/j", "jointVelocityTarget", [5]),
    ("drives", JOINT, "/W/force/j", "jointMaxForce", [100]),
    ("drives", JOINT, "/W/far/j", "jointPositionTarget", [400]),
    ("kinematic", BODY, "/W/kin", "inverseMass", [0.5]),
    ("kinematic", BODY, "/W/normal", "inverseMass", [0.5]),
    ("centimetres", ObjectType.SCENE, "/Scene", "gravity", [0, 0, -981]),
    ("y_up", ObjectType.SCENE, "/Scene", "gravity", [0, -9.81, 0]),
)


@pytest.mark.parametrize(("scene", "object_type", "path", "attribute", "expected"), BEFORE_THE_FIRST_STEP)
def test_authored_values(
    opened: Opened, value: Value, scene: str, object_type: ObjectType, path: str, attribute: str, expected: list[float]
) -> None:
    """Before the first step every value is what the stage says, in the neutral convention."""
    given = value(opened(scene), object_type, path, attribute).ravel()
    np.testing.assert_allclose(given, expected, rtol=1e-4, atol=2e-5)


AFTER_ONE_STEP = (
    ("free_fall", BODY, "/W/box", "linearAcceleration", [0, 0, -9.81]),
    ("centimetres", BODY, "/W/box", "linearAcceleration", [0, 0, -981]),
    ("y_up", BODY, "/W/box", "linearAcceleration", [0, -9.81, 0]),
    ("pendulum", LINK, "/W/p/bob", "linearAcceleration", [0, 0, -2 * 9.81 / (0.02 + 2)]),
    ("pendulum", LINK, "/W/p/bob", "angularAcceleration", [0, 2 * 9.81 / (0.02 + 2), 0]),
)


@pytest.mark.parametrize(("scene", "object_type", "path", "attribute", "expected"), AFTER_ONE_STEP)
def test_accelerations(
    opened: Opened, value: Value, scene: str, object_type: ObjectType, path: str, attribute: str, expected: list[float]
) -> None:
    """Accelerations are those of the centre of mass in world axes, gravity included."""
    simulation = opened(scene)
    simulation.step(1e-4)
    given = value(simulation, object_type, path, attribute).ravel()
    np.testing.assert_allclose(given, expected, rtol=1e-4, atol=1e-4 * abs(max(expected, key=abs)))


def test_accelerations_are_not_ready_before_the_first_step(opened: Opened) -> None:
    """Before the first step, and after a reset, accelerations are omitted, and delivered in between."""
    simulation = opened("free_fall")
    reader = simulation.reader(simulation.query(BODY), ["linearAcceleration"])
    (omission,) = reader.read().omissions
    assert (omission.reason, "step" in omission.detail) == (OmissionReason.NOT_READY, True)
    simulation.step(1 / 60)
    assert "linearAcceleration" in reader.read()
    simulation.reset()
    assert "linearAcceleration" not in reader.read()


def test_world_joint_is_as_authored(opened: Opened, value: Value) -> None:
    """A joint whose body0 moves and whose body1 is the world reads, starts, and is driven as authored."""
    simulation = opened("world_joint_drive", substeps=4)
    for attribute, expected in (
        ("jointPosition", [10]),
        ("jointVelocity", [3]),
        ("jointPositionTarget", [15]),
        ("jointVelocityTarget", [5]),
        ("jointLimit", [-20, 90]),
        ("jointMaxForce", [1e6]),
    ):
        given = value(simulation, JOINT, "/Hinge/joint", attribute).ravel()
        np.testing.assert_allclose(given, expected, rtol=1e-5, err_msg=attribute)
    # The arm is body0: at +10 degrees of body1 relative to body0, it is turned by -10 degrees in the world.
    turned = value(simulation, LINK, "/Hinge/arm", "orientation").ravel()
    np.testing.assert_allclose(turned, [0, -np.sin(np.radians(5)), 0, np.cos(np.radians(5))], atol=1e-6)
    np.testing.assert_allclose(value(simulation, LINK, "/Slider/cart", "position").ravel(), [-0.1, 0, 0], atol=1e-6)
    np.testing.assert_allclose(
        value(simulation, JOINT, "/Slider/joint", "jointLimit").ravel(), [-0.2, UNLIMITED], rtol=1e-6
    )
    simulation.step(1 / 60, count=300)
    # At rest the drive balances stiffness * (15 - position) + damping * 5.
    resting = 15 + 0.5 / 2 * 5
    np.testing.assert_allclose(value(simulation, JOINT, "/Hinge/joint", "jointPosition").ravel(), [resting], atol=0.1)
    np.testing.assert_allclose(value(simulation, JOINT, "/Slider/joint", "jointPosition").ravel(), [0.3], atol=1e-3)
    reversed_joints = {finding.prim for finding in simulation.diagnostics if finding.rule == "world-joint-sign"}
    assert reversed_joints == {"/Hinge/joint", "/Slider/joint"}


def test_authored_and_simulated_sides_of_a_world_joint(opened: Opened, value: Value) -> None:
    """The same hinge authored from either side reads the same and turns the bodies opposite ways."""
    simulation = opened("world_joints")
    for side, sign in (("r1", 1), ("r0", -1)):
        assert value(simulation, JOINT, f"/W/{side}/j", "jointPosition")[0, 0] == pytest.approx(30, abs=1e-4)
        turned = value(simulation, LINK, f"/W/{side}/arm", "orientation").ravel()
        np.testing.assert_allclose(turned, [sign * np.sin(HALF_30), 0, 0, np.cos(HALF_30)], atol=1e-6)


def test_unlimited_is_the_largest_float(opened: Opened, value: Value) -> None:
    """Newton's sentinels for an unlimited bound read as FLT_MAX; large authored numbers do not."""
    simulation = opened("unlimited")
    for joint, expected in (("inf", [-20, UNLIMITED]), ("both_e20", [-UNLIMITED, UNLIMITED]), ("e6", [-20, 1e6])):
        given = value(simulation, JOINT, f"/W/{joint}/j", "jointLimit").ravel()
        np.testing.assert_allclose(given, expected, rtol=1e-6)
    for attribute in ("jointMaxVelocity", "jointMaxForce"):
        for joint in ("inf", "pone", "d6one"):
            assert value(simulation, JOINT, f"/W/{joint}/j", attribute)[0, 0] == UNLIMITED


def test_coordinates_about_several_axes_are_a_rotation_vector(opened: Opened, value: Value) -> None:
    """(10, 30, 20) degrees is one rotation vector; as successive turns it would be 5.6 degrees away."""
    simulation = opened("d6")
    for name, expected in (("three", [10, 30, 20]), ("two", [10, 30])):
        given = value(simulation, JOINT, f"/W/{name}/j", "jointPosition").ravel()
        np.testing.assert_allclose(given, expected, atol=1e-4)
        turned = rotation_vector(value(simulation, LINK, f"/W/{name}/arm", "orientation")[0])
        # About two axes Newton's joint turns successively, so that the vector has a component along the third.
        np.testing.assert_allclose(turned[: len(expected)], expected, atol=1e-4)
    simulation.step(1 / 240, count=20)
    for name in ("three", "two"):
        turned = rotation_vector(value(simulation, LINK, f"/W/{name}/arm", "orientation")[0])
        given = value(simulation, JOINT, f"/W/{name}/j", "jointPosition").ravel()
        assert np.abs(given - [10, 30, 20][: len(given)]).max() > 1
        np.testing.assert_allclose(given, turned[: len(given)], atol=1e-3)


def test_state_of_several_axes_is_reported(opened: Opened) -> None:
    """The turns that the authored rotation vector became are a diagnostic."""
    found = [finding for finding in opened("d6").diagnostics if finding.rule == "multi-axis-state"]
    assert {finding.prim for finding in found} == {"/W/two/j", "/W/three/j"}


@pytest.mark.parametrize("solver", ["mujoco", "xpbd"])
def test_a_ball_joint_is_that_of_its_links(opened: Opened, value: Value, solver: str) -> None:
    """Its position is the rotation vector between its links, its rates the angular velocity in the outer one."""
    simulation = opened("spherical", solver=solver)
    simulation.step(1 / 240, count=40)
    turn = value(simulation, LINK, "/W/s/arm", "orientation")[0]
    spin = rotation(turn).T @ value(simulation, LINK, "/W/s/arm", "angularVelocity")[0]
    assert np.abs(rotation_vector(turn)).max() > 5
    for attribute, expected in (("jointPosition", np.radians(rotation_vector(turn))), ("jointVelocity", spin)):
        given = value(simulation, JOINT, "/W/s/j", attribute).ravel()
        np.testing.assert_allclose(np.radians(given), expected, atol=2e-4)


def test_targets_of_several_axes(opened: Opened, scenes: Path, value: Value) -> None:
    """A target position is a rotation vector too, which the joint comes to; a target rate has no such meaning."""
    text = (scenes / "d6.usda").read_text().replace("PhysicsJointStateAPI", "PhysicsDriveAPI")
    for axis, target in (("rotX", 10), ("rotY", 30), ("rotZ", 20)):
        drive = f"float drive:{axis}:physics:"
        text = text.replace(
            f"float state:{axis}:physics:position",
            f"{drive}targetPosition = {target}\n{drive}stiffness = 5\n{drive}damping = 1\n"
            f"float state:{axis}:physics:position",
        )
    simulation = opened(text)
    simulation.step(1 / 240, count=480)
    for attribute in ("jointPositionTarget", "jointPosition"):
        given = value(simulation, JOINT, "/W/three/j", attribute).ravel()
        np.testing.assert_allclose(given, [10, 30, 20], atol=0.01)
    turned = rotation_vector(value(simulation, LINK, "/W/three/arm", "orientation")[0])
    np.testing.assert_allclose(turned, [10, 30, 20], atol=0.01)
    result = simulation.read(simulation.query(JOINT), ["jointVelocityTarget"])
    assert {path for omission in result.omissions for path in omission.paths} == {"/W/two/j", "/W/three/j"}


def test_axes_that_are_not_at_right_angles_are_left_out() -> None:
    """Components along such axes say nothing; Newton's own coordinates are delivered."""
    builder = newton.ModelBuilder()
    link = builder.add_link(mass=1.0, inertia=wp.mat33(np.eye(3)))
    axes = [newton.ModelBuilder.JointDofConfig(axis=axis) for axis in ((1, 0, 0), (1, 1, 0))]
    builder.add_articulation([builder.add_joint_d6(-1, link, angular_axes=axes, label="/skewed")])
    model = builder.finalize(device="cpu")
    with ovread.attach(model, model.state()) as sim:
        result = sim.read(sim.query(JOINT), ["jointPosition", "joint_q"])
        (omission,) = result.omissions
        assert (omission.attribute, omission.paths) == ("jointPosition", ("/skewed",))
        assert "right angles" in omission.detail
        assert result["joint_q"].numpy().shape == (2, 1)


def test_joints_without_axes_are_left_out() -> None:
    """Distance joints have no coordinates about axes; Newton's own are delivered."""
    builder = newton.ModelBuilder()
    links = [builder.add_link(mass=1.0, inertia=wp.mat33(np.eye(3))) for _ in range(2)]
    joints = [
        builder.add_joint_revolute(-1, links[0], label="/hinge"),
        builder.add_joint_distance(*links, min_distance=0.5, max_distance=1.0, label="/rope"),
    ]
    builder.add_articulation(joints, label="/chain")
    model = builder.finalize(device="cpu")
    with ovread.attach(model, model.state()) as sim:
        query = sim.query(JOINT, paths=["/rope"])
        result = sim.read(query, ["jointPosition", "jointVelocity", "joint_q", "joint_qd"])
        assert {omission.attribute for omission in result.omissions} == {"jointPosition", "jointVelocity"}
        assert all("Distance and rod" in omission.detail for omission in result.omissions)
        assert (len(result["joint_q"].numpy()), len(result["joint_qd"].numpy())) == (7, 6)


@pytest.mark.parametrize("solver", ["mujoco", "steel"])
def test_viscous_friction_is_per_degree(opened: Opened, value: Value, solver: str) -> None:
    """A joint slows down by its viscous friction over its inertia; per radian it would hardly."""
    arm = Link("arm", "base", "revolute", "Z", moments=(1.0, 1.0, 1.0), q=(0.0,), v=(90.0,))
    text = Mechanism([Link("base"), arm], gravity=(0.0, 0.0, 0.0)).usda()
    text = text.replace('"PhysicsJointStateAPI:angular"', '"PhysicsJointStateAPI:angular", "PhysxJointAxisAPI:angular"')
    friction = "float physxJointAxis:angular:viscousFrictionCoefficient = 0.02\n"
    simulation = opened(text.replace("float state:angular", f"{friction}float state:angular", 1), solver=solver)
    assert value(simulation, JOINT, "/W/r/j_arm", "jointViscousFriction").item() == pytest.approx(0.02, rel=1e-5)
    simulation.step(1e-3, count=100)
    expected = 90 * np.exp(-0.02 * (180 / np.pi) * 0.1)
    assert value(simulation, JOINT, "/W/r/j_arm", "jointVelocity").item() == pytest.approx(expected, rel=1e-3)
