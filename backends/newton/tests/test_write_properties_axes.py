"""Properties of the axes of joints: their order, bounds that are none, and what no solver or only some can take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import newton
import numpy as np
import pytest
import warp as wp

import ovread
from ovread import ObjectType, Simulation, errors

JOINT = ObjectType.ARTICULATION_JOINT
LARGEST = float(np.finfo(np.float32).max)
INERTIAS = np.array([0.3, 0.4, 0.5])
DT = 1e-3

Opened = Callable[..., Simulation]


def put(simulation: Simulation, joint: str, name: str, values: Any) -> None:
    """Write one attribute of one joint, a row per axis."""
    query = simulation.query(JOINT, paths=[joint])
    width = simulation.read(query, [name])[name].numpy().shape[1]
    simulation.set(query, name, np.asarray(values, np.float32).reshape(-1, width))


def got(simulation: Simulation, joint: str, name: str) -> np.ndarray:
    """Read it."""
    return simulation.read(simulation.query(JOINT, paths=[joint]), [name])[name].numpy().ravel()


def spin(simulation: Simulation, joint: str, rates: Any) -> np.ndarray:
    """Let a joint start at some rates; return its accelerations in the first step."""
    put(simulation, joint, "jointVelocity", rates)
    simulation.step(DT)
    return (got(simulation, joint, "jointVelocity") - rates) / DT


@pytest.mark.parametrize("solver", ["mujoco", "steel", "semi_implicit", "vbd"])
def test_gains_go_to_their_axes(opened: Opened, solver: str) -> None:
    """Each axis of a D6 joint, twist, swings, then x, is braked by its own damping: -d omega / I, and -d v / m."""
    simulation = opened("write_axes", solver=solver)
    damping, rates = np.array([0.01, 0.03, 0.02, 7.0]), np.array([2.0, 2.0, 2.0, 0.05])
    put(simulation, "/W/d6/joint", "jointDamping", damping)
    np.testing.assert_allclose(got(simulation, "/W/d6/joint", "jointDamping"), damping, rtol=1e-6)
    expected = -np.degrees(damping[:3] * rates[:3]) / INERTIAS, -damping[3:] * rates[3:] / 2
    found = spin(simulation, "/W/d6/joint", rates)
    np.testing.assert_allclose(found, np.concatenate(expected), rtol=0.03, atol=0.2 if solver == "vbd" else 2e-2)


@pytest.mark.parametrize("solver", ["mujoco", "steel"])
def test_armature_of_an_axis_is_its_own(opened: Opened, solver: str) -> None:
    """Armature about one axis of a D6 joint slows that axis alone."""
    simulation = opened("write_axes", solver=solver)
    armature = np.array([0.0, 0.8, 0.0, 2.0])
    put(simulation, "/W/d6/joint", "jointArmature", armature)
    put(simulation, "/W/d6/joint", "jointActuationForce", [0.3, 0.4, 0.5, 2.0])
    found = spin(simulation, "/W/d6/joint", np.zeros(4))
    expected = np.degrees([1, 0.4 / 1.2, 1])
    np.testing.assert_allclose(found, [*expected, 2 / 4], rtol=1e-3)
    mass = simulation.read(simulation.query(ObjectType.ARTICULATION, paths=["/W/d6"]), ["massMatrix"])
    diagonal = np.sort(np.diag(mass["massMatrix"].numpy().reshape(4, 4)))
    np.testing.assert_allclose(diagonal, [0.3, 0.5, 1.2, 4.0], rtol=1e-4)


@pytest.mark.parametrize("solver", ["mujoco", "steel", "xpbd", "semi_implicit", "vbd"])
def test_gains_count_where_no_drive_is_authored(opened: Opened, solver: str) -> None:
    """A joint that no drive was authored for accelerates by the gain and the target that are written."""
    simulation = opened("write_axes", solver=solver)
    put(simulation, "/W/free/joint", "jointStiffness", [0.1])
    put(simulation, "/W/free/joint", "jointPositionTarget", [10.0])
    (acceleration,) = spin(simulation, "/W/free/joint", [0.0])
    exact = np.degrees(0.1 * 10 / 0.5)
    rough = {"vbd": 0.2, "xpbd": 10.0}.get(solver, 1e-3)  # iterations that have not converged in one step
    assert exact * 0.8 < acceleration < exact * (1 + rough)


@pytest.mark.parametrize("solver", ["steel", "mujoco"])
def test_a_free_axis_can_be_limited_and_freed(opened: Opened, solver: str) -> None:
    """A written limit stops an axis that had none, on the authored side of a swapped joint; FLT_MAX frees it again."""
    simulation = opened("write_axes", solver=solver)
    for joint in ("/W/free/joint", "/W/swapped/joint"):
        np.testing.assert_array_equal(got(simulation, joint, "jointLimit"), [-LARGEST, LARGEST])
        put(simulation, joint, "jointLimit", (-1.0, 3.0))
        np.testing.assert_allclose(got(simulation, joint, "jointLimit"), [-1, 3], rtol=1e-6)
        put(simulation, joint, "jointVelocity", [20.0])
    simulation.step(1 / 400, count=80)
    slack = 0.7 if solver == "mujoco" else 1e-3  # MuJoCo's limits are springs
    for joint in ("/W/free/joint", "/W/swapped/joint"):
        assert got(simulation, joint, "jointPosition")[0] < 3 + slack
        put(simulation, joint, "jointLimit", (-LARGEST, LARGEST))
        put(simulation, joint, "jointPosition", [0.0])
        put(simulation, joint, "jointVelocity", [20.0])
    simulation.step(1 / 400, count=80)
    for joint in ("/W/free/joint", "/W/swapped/joint"):
        assert got(simulation, joint, "jointPosition")[0] == pytest.approx(4.0, rel=1e-3)


def test_bounds_that_mean_none(opened: Opened) -> None:
    """FLT_MAX is no bound, zero is one, and numbers that engines take for none are kept or refused, not turned."""
    simulation = opened("write_axes", solver="steel")
    for name in ("jointMaxForce", "jointMaxVelocity"):
        for value in (0.0, 5.0, 1e6, np.degrees(1e6), LARGEST):
            put(simulation, "/W/free/joint", name, [value])
            np.testing.assert_allclose(got(simulation, "/W/free/joint", name), [value], rtol=1e-6, atol=1e-30)
        with pytest.raises(errors.ValueRefusedError, match=rf"{name}\[0\] of /W/free/joint.*FLT_MAX|no bound"):
            put(simulation, "/W/free/joint", name, [1e13])
        np.testing.assert_array_equal(got(simulation, "/W/free/joint", name), [LARGEST])


def test_a_bound_of_zero_holds_on_steel(opened: Opened) -> None:
    """With a largest force of zero a drive does nothing, and with a largest velocity of zero a joint stands."""
    simulation = opened("write_axes", solver="steel")
    put(simulation, "/W/free/joint", "jointStiffness", [1.0])
    put(simulation, "/W/free/joint", "jointPositionTarget", [10.0])
    put(simulation, "/W/free/joint", "jointMaxForce", [0.0])
    assert spin(simulation, "/W/free/joint", [3.0])[0] == pytest.approx(0, abs=1e-3)
    put(simulation, "/W/free/joint", "jointMaxVelocity", [0.0])
    simulation.step(DT)
    assert got(simulation, "/W/free/joint", "jointVelocity")[0] == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("solver", ["mujoco", "steel", "featherstone", "xpbd", "kamino"])
def test_what_ball_joints_ignore_is_left_out(opened: Opened, solver: str) -> None:
    """What a solver ignores of ball joints cannot be written of them, with the joint and the reason; the rest can."""
    taken = {
        "mujoco": {"jointStiffness", "jointDamping", "jointArmature", "jointFriction", "jointViscousFriction"},
        "steel": {"jointArmature", "jointViscousFriction"},
        "featherstone": {"jointArmature", "jointViscousFriction"},
    }.get(solver, set())
    scene = "spherical" if solver == "kamino" else "write_axes"
    simulation = opened(scene, solver=solver)
    path = next(path for path in simulation.query(JOINT).paths if "ball" in path or scene == "spherical")
    for name in ("jointStiffness", "jointDamping", "jointArmature", "jointFriction", "jointViscousFriction",
                 "jointMaxForce", "jointLimit", "jointMaxVelocity"):  # fmt: skip
        if name in taken:
            put(simulation, path, name, np.full(3, 0.25))
            np.testing.assert_allclose(got(simulation, path, name), 0.25, rtol=1e-6)
        else:
            with pytest.raises(errors.NotWritableError, match=solver):
                put(simulation, path, name, np.full((3, 2 if name == "jointLimit" else 1), 0.25))


def test_damping_of_a_ball_joint(opened: Opened) -> None:
    """With MuJoCo the damping of each axis of a ball joint brakes it: -d omega / I."""
    simulation = opened("write_axes", solver="mujoco")
    damping, rates = np.array([0.01, 0.03, 0.02]), np.array([2.0, 2.0, 2.0])
    put(simulation, "/W/ball/joint", "jointDamping", damping)
    found = spin(simulation, "/W/ball/joint", rates)
    np.testing.assert_allclose(found, -np.degrees(damping * rates) / INERTIAS, rtol=0.02, atol=0.02)


def test_what_kamino_refuses_changes_nothing(opened: Opened) -> None:
    """A change that Kamino's parts do not allow is refused with its words, and the next step is the authored one."""
    simulation = opened("write_joints", solver="kamino")

    def first_step() -> list[float]:
        simulation.step(DT)
        return simulation.read(simulation.query(JOINT), ["jointVelocity"])["jointVelocity"].numpy().ravel().tolist()

    authored = first_step()
    simulation.reset()
    for link, name, value in (
        ("effort", "jointMaxForce", 2.0),
        ("friction", "jointFriction", 3.0),
        ("passive", "jointArmature", 1.0),
        ("passive", "jointStiffness", 1.0),
        ("passive", "jointLimit", (-1.0, 1.0)),
    ):
        before = simulation.read(simulation.query(JOINT, paths=[f"/W/rig/{link}_joint"]), [name])[name].numpy().copy()
        with pytest.raises(errors.ValueRefusedError, match=name):
            put(simulation, f"/W/rig/{link}_joint", name, value)
        after = simulation.read(simulation.query(JOINT, paths=[f"/W/rig/{link}_joint"]), [name])[name].numpy()
        np.testing.assert_array_equal(after, before)
    assert first_step() == authored


def hinge() -> newton.Model:
    """Build a hinge with a drive and one without."""
    builder = newton.ModelBuilder(gravity=(0.0, 0.0, 0.0))
    inertia = wp.mat33(0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1)
    for name, mode in (("driven", newton.JointTargetMode.POSITION), ("bare", newton.JointTargetMode.NONE)):
        arm = builder.add_link(label=f"/{name}/arm", mass=1.0, inertia=inertia)
        joint = builder.add_joint_revolute(
            -1, arm, axis=newton.Axis.Y, target_ke=2.0, actuator_mode=mode, label=f"/{name}/hinge"
        )
        builder.add_articulation([joint], label=f"/{name}")
    return builder.finalize(device="cpu")


def test_an_attached_solver_is_told() -> None:
    """A write to an attached model reaches the attached solver: its next step has the new mass and gain."""
    model = hinge()
    solver = newton.solvers.SolverMuJoCo(model, use_mujoco_cpu=True)
    now, following, control = model.state(), model.state(), model.control()
    with ovread.attach(model, now, control, solver) as simulation:
        put(simulation, "/driven/hinge", "jointStiffness", [np.radians(4.0)])
        links = simulation.query(ObjectType.ARTICULATION_LINK, paths=["/driven/arm"])
        simulation.set(links, "inertia", np.array([np.diag([0.1, 0.5, 0.1]).ravel()], np.float32))
        with pytest.raises(errors.ValueRefusedError, match=r"/bare/hinge.*no drive"):
            put(simulation, "/bare/hinge", "jointStiffness", [1.0])
    control.joint_target_q.assign([0.1, 0.1])
    solver.step(now, following, control, None, 1e-4)
    np.testing.assert_allclose(following.joint_qd.numpy() / 1e-4, [4 * 0.1 / 0.5, 0], rtol=1e-3)


def test_without_a_solver_nobody_could_be_told() -> None:
    """Where no solver was attached, properties cannot be written, and the error says what to attach."""
    model = hinge()
    with ovread.attach(model, model.state()) as simulation, pytest.raises(errors.NotWritableError, match="pass it to"):
        put(simulation, "/driven/hinge", "jointStiffness", [1.0])
