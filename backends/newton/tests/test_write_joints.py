"""Writing coordinates, rates, targets and efforts of joints, held against Pinocchio and closed forms."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import attrs
import numpy as np
import pinocchio as pin
import pytest
from mechanisms import FLOATING, ROOT, SPATIAL, TILTED, Link, Mechanism, Oracle, at

import ovread
from ovread import ObjectType, Simulation
from ovread.errors import NotWritableError, ValueRefusedError

JOINT, LINK, ARTICULATION = ObjectType.ARTICULATION_JOINT, ObjectType.ARTICULATION_LINK, ObjectType.ARTICULATION
DT = 1e-3
DEGREE = np.pi / 180

CHAIN = Mechanism(
    [
        Link("base"),
        Link("arm", "base", "revolute", "Y", at(0.5), at(-0.3), centre=at(0.1, 0.05)),
        Link("c", "arm", "d6", "X", at(0.2, 0.1, degrees=30), at(-0.3, 0, 0.1, about=(1, 1, 0), degrees=40),
             centre=at(0.2, 0.1, about=(1, 2, 3), degrees=50), moments=(0.02, 0.03, 0.04)),
        Link("rail", "c", "prismatic", "X", at(0.1, about=(0, 1, 0), degrees=20), at(0, 0.1), centre=at(0, 0.1)),
        Link("tip", "rail", "revolute", "Z", at(0.3), at(-0.2), swapped=True, centre=at(0.1)),
    ],
    True,
    ROOT,
    TILTED,
)  # fmt: skip
"""A hinge, three turns of one joint, a rail, and a hinge whose body0 is the child."""

POSITIONS = {"arm": (40.0,), "c": (25.0, -50.0, 35.0), "rail": (0.15,), "tip": (-70.0,)}
RATES = {"arm": (150.0,), "c": (-120.0, 90.0, 170.0), "rail": (0.4,), "tip": (-130.0,)}


def write(simulation: Simulation, name: str, values: dict[str, Sequence[float]]) -> None:
    query = simulation.query(JOINT)
    with simulation.write(query, [name]) as session:
        group = session[name]
        for path, start in zip(group.paths, group.offsets, strict=False):
            own = values.get(path.rpartition("_")[2])
            if own is not None:
                group.values[start : start + len(own), 0] = own
        session.commit(group)


def read(simulation: Simulation, name: str) -> dict[str, np.ndarray]:
    group = simulation.read(simulation.query(JOINT), [name])[name]
    return {
        path.rpartition("_")[2]: rows[:, 0].astype(float)
        for path, rows in zip(group.paths, group.per_prim(), strict=True)
    }


def assert_reads(simulation: Simulation, name: str, values: dict[str, Sequence[float]], atol: float = 3e-5) -> None:
    found = read(simulation, name)
    for joint, expected in values.items():
        np.testing.assert_allclose(found[joint], expected, atol=atol, err_msg=f"{name} of {joint}")


def assert_links_agree(simulation: Simulation, mechanism: Mechanism) -> None:
    """Poses and velocities of the links, and everything that the articulation evaluates, are Pinocchio's."""
    oracle = Oracle(mechanism)
    pin.forwardKinematics(oracle.model, oracle.data, oracle.q, oracle._v)
    pin.updateFramePlacements(oracle.model, oracle.data)
    links = simulation.read(simulation.query(LINK), ["position", "orientation", "linearVelocity", "angularVelocity"])
    position, orientation, linear, angular = (group.numpy().astype(float) for group in links)
    for row, path in enumerate(simulation.query(LINK).paths):
        name = path.rpartition("/")[2]
        pose = oracle.pose(name)
        np.testing.assert_allclose(position[row], pose.translation, atol=5e-6, err_msg=name)
        assert abs(orientation[row] @ pin.Quaternion(pose.rotation).coeffs()) > 1 - 1e-6, name
        frame = oracle.model.getFrameId(f"{name} com")
        velocity = pin.getFrameVelocity(oracle.model, oracle.data, frame, pin.LOCAL_WORLD_ALIGNED)
        np.testing.assert_allclose(linear[row], velocity.linear, atol=2e-5, err_msg=name)
        np.testing.assert_allclose(angular[row], velocity.angular, atol=2e-5, err_msg=name)
    names = ["jacobian", "massMatrix", "coriolisForce", "gravityForce"]
    names += [] if mechanism.is_fixed else ["centroidalMomentum"]
    result = simulation.read(simulation.query(ARTICULATION), names)
    for name, expected in oracle.values(result).items():
        given = result[name].matrices()[0] if "Force" not in name else result[name].numpy()[0]
        np.testing.assert_allclose(given, expected, atol=5e-4 * max(1.0, np.abs(expected).max()), err_msg=name)


def with_state(mechanism: Mechanism, q: dict[str, Sequence[float]], v: dict[str, Sequence[float]]) -> Mechanism:
    for joint in q:
        mechanism = mechanism.changed(joint, q=tuple(q[joint]), v=tuple(v[joint]))
    return mechanism


@pytest.fixture(scope="module", params=["d6", "spherical"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module", params=["mujoco", "steel", "xpbd", "featherstone"])
def shared(request: pytest.FixtureRequest, kind: str) -> Iterator[Simulation]:
    text = CHAIN.changed("c", kind=kind).usda()
    with ovread.open(text, backend="newton", solver=request.param) as simulation:
        yield simulation


@pytest.fixture(params=[0, 3])
def chain(request: pytest.FixtureRequest, shared: Simulation) -> Simulation:
    """The chain, before the first step and after some."""
    shared.reset()
    if request.param:
        shared.step(1 / 240, count=request.param)
    return shared


def test_links_follow_joints_before_any_step(chain: Simulation, kind: str) -> None:
    """Coordinates and rates read back, and poses, velocities, Jacobian and forces are those of the written state."""
    mechanism = CHAIN.changed("c", kind=kind)
    before = read(chain, "jointVelocity")
    write(chain, "jointPosition", POSITIONS)
    assert_reads(chain, "jointPosition", POSITIONS)
    assert_reads(chain, "jointVelocity", before)
    assert_links_agree(chain, with_state(mechanism, POSITIONS, before))
    write(chain, "jointVelocity", RATES)
    assert_reads(chain, "jointVelocity", RATES)
    assert_reads(chain, "jointPosition", POSITIONS)
    assert_links_agree(chain, with_state(mechanism, POSITIONS, RATES))


@pytest.mark.obeys("ARTICULATION_JOINT", "jointPosition jointVelocity")
def test_the_next_step_goes_on_from_there(chain: Simulation) -> None:
    """A step of a thousandth of a second takes each coordinate on by its rate, gravity changing that by little."""
    write(chain, "jointPosition", POSITIONS)
    write(chain, "jointVelocity", {**RATES, "c": (170.0, 0.0, 0.0)})
    before = read(chain, "jointPosition")
    chain.step(1e-4)
    after = read(chain, "jointPosition")
    for joint, rates in (("arm", RATES["arm"]), ("rail", RATES["rail"]), ("tip", RATES["tip"])):
        np.testing.assert_allclose((after[joint] - before[joint]) / 1e-4, rates, rtol=0.05, err_msg=joint)


def skip_what_is_declared(simulation: Simulation) -> None:
    """Leave out the solver that declares other accelerations along a chain."""
    if simulation.variant == "xpbd":
        pytest.skip("declared: the iterations do not converge along a chain")


@pytest.mark.obeys("ARTICULATION_LINK", "force wrench")
def test_forces_on_links_reach_the_joints(chain: Simulation, kind: str) -> None:
    """M a + gravity = J^T f for a force on one link and a wrench on another, and nothing is left in the step after."""
    skip_what_is_declared(chain)
    write(chain, "jointPosition", POSITIONS)
    write(chain, "jointVelocity", {joint: np.zeros(len(rates)) for joint, rates in RATES.items()})
    oracle = Oracle(with_state(CHAIN.changed("c", kind=kind), POSITIONS, dict.fromkeys(POSITIONS, ())))
    labels = chain.read(chain.query(ARTICULATION), ["massMatrix"])["massMatrix"].labels[0].columns
    force, torque, arm = np.array([(1.0, -2.0, 0.5), (0.1, 0.2, -0.1), (0.2, 0.1, -0.3)])
    chain.set(chain.query(LINK, paths=["/W/r/tip"]), "force", force)
    point = oracle.centre("c") + arm
    chain.set(chain.query(LINK, paths=["/W/r/c"]), "wrench", (*force, *torque, *point))
    wrenches = {"tip": (*force, 0, 0, 0), "c": (*force, *(torque + np.cross(arm, force)))}
    applied = np.zeros(len(labels))
    for link, wrench in wrenches.items():
        rows = [f"/W/r/{link}:{component}" for component in SPATIAL]
        applied += oracle.jacobian(rows, labels).T @ wrench
    expected = np.linalg.solve(oracle.mass_matrix(labels), applied - oracle.gravity_force(labels))
    alone = np.linalg.solve(oracle.mass_matrix(labels), -oracle.gravity_force(labels))
    units = np.array([1.0 if "rail" in label else DEGREE for label in labels])
    rates = [np.zeros(len(labels))]
    for _ in range(2):
        chain.step(1e-4)
        rates.append(np.concatenate(list(read(chain, "jointVelocity").values())) * units)
    scale = np.abs(expected).max()
    np.testing.assert_allclose((rates[1] - rates[0]) / 1e-4, expected, atol=5e-3 * scale)
    np.testing.assert_allclose((rates[2] - rates[1]) / 1e-4, alone, atol=2e-2 * scale)


def test_one_joint_can_be_written_alone(chain: Simulation) -> None:
    """The others keep what they have to the last bit, where joints are the state."""
    query = chain.query(JOINT, paths=["/W/r/j_arm"])
    before = read(chain, "jointPosition")
    chain.set(query, "jointPosition", 12.0)
    after = read(chain, "jointPosition")
    np.testing.assert_allclose(after["arm"], 12, atol=1e-5)
    for joint in ("c", "rail", "tip"):
        np.testing.assert_allclose(after[joint], before[joint], atol=0 if chain.variant != "xpbd" else 1e-4)


@pytest.mark.obeys("ARTICULATION_JOINT", "jointActuationForce")
def test_efforts_accelerate_by_the_mass_matrix(chain: Simulation, kind: str) -> None:
    """M a + gravity = effort, about turned axes and of a reversed joint too; it stands for the next step as well."""
    skip_what_is_declared(chain)
    efforts = {"arm": (0.3,), "c": (-0.2, 0.1, 0.15), "rail": (1.5,), "tip": (-0.1,)}
    write(chain, "jointPosition", POSITIONS)
    write(chain, "jointVelocity", {joint: np.zeros(len(rates)) for joint, rates in RATES.items()})
    write(chain, "jointActuationForce", efforts)
    assert_reads(chain, "jointActuationForce", efforts, atol=1e-6)
    oracle = Oracle(with_state(CHAIN.changed("c", kind=kind), POSITIONS, dict.fromkeys(POSITIONS, ())))
    result = chain.read(chain.query(ARTICULATION), ["massMatrix"])
    labels = result["massMatrix"].labels[0].columns
    applied = np.concatenate(
        [efforts[joint] for joint in dict.fromkeys(label.partition("j_")[2].partition(":")[0] for label in labels)]
    )
    expected = np.linalg.solve(oracle.mass_matrix(labels), applied - oracle.gravity_force(labels))
    chain.step(DT)
    rates = np.concatenate(list(read(chain, "jointVelocity").values()))
    units = np.array([1.0 if "rail" in label else DEGREE for label in labels])
    np.testing.assert_allclose(rates * units / DT, expected, rtol=2e-3, atol=2e-3 * np.abs(expected).max())
    assert_reads(chain, "jointActuationForce", efforts, atol=1e-6)
    chain.step(DT)
    assert_reads(chain, "jointActuationForce", efforts, atol=1e-6)


def test_an_effort_of_a_turning_joint_keeps_its_axes(opened: Callable[..., Simulation]) -> None:
    """The effort about an axis of the outer joint frame turns with it: about twist it excites no swing meanwhile."""
    body = Link("c", "base", "spherical", "X", at(), at(), moments=(0.1, 0.1, 0.1))
    simulation = opened(Mechanism([Link("base"), body], True, gravity=(0, 0, 0)).usda())
    write(simulation, "jointVelocity", {"c": (0, 0, 180.0)})
    write(simulation, "jointActuationForce", {"c": (0.1, 0, 0)})
    simulation.step(1 / 240, count=48)
    np.testing.assert_allclose(read(simulation, "jointVelocity")["c"] * DEGREE, (0.2, 0, np.pi), atol=3e-3)
    assert_reads(simulation, "jointActuationForce", {"c": (0.1, 0, 0)}, atol=1e-7)


@pytest.mark.obeys("ARTICULATION_JOINT", "jointPositionTarget jointVelocityTarget")
@pytest.mark.parametrize("solver", ["mujoco", "steel", "featherstone"])
def test_drives_follow_their_targets(opened: Callable[..., Simulation], solver: str) -> None:
    """Acceleration is gain times distance over inertia, for a hinge, a reversed hinge and a rail; and they arrive."""
    simulation = opened("driven_arms", solver=solver)
    query = simulation.query(JOINT)
    names = [path.rpartition("/")[2] for path in query.paths]
    inertia = np.array([2.0 if name == "rail" else 0.5 * DEGREE for name in names])
    stiffness = np.array([4.0 if name == "rail" else 0.02 for name in names])
    damping = np.array([2.0 if name == "rail" else 0.01 for name in names])
    wanted = np.array([{"hinge": 20.0, "turned": -30.0, "rail": 0.3}[name] for name in names])
    for name, gain in (("jointPositionTarget", stiffness), ("jointVelocityTarget", damping)):
        simulation.reset()
        simulation.set(query, name, wanted[:, None])
        assert_allclose_rows(simulation, name, wanted)
        simulation.step(DT)
        assert_allclose_rows(simulation, "jointVelocity", gain * wanted / inertia * DT, rtol=3e-3)
        assert_allclose_rows(simulation, name, wanted)
    simulation.reset()
    simulation.set(query, "jointPositionTarget", wanted[:, None])
    simulation.step(1 / 50, count=700)
    assert_allclose_rows(simulation, "jointPosition", wanted, rtol=1e-2)


def assert_allclose_rows(simulation: Simulation, name: str, values: np.ndarray, rtol: float = 1e-6) -> None:
    found = simulation.read(simulation.query(JOINT), [name])[name].numpy()[:, 0]
    np.testing.assert_allclose(found, values, rtol=rtol, err_msg=name)


def test_writing_what_is_there_changes_nothing(chain: Simulation) -> None:
    """write(read()) leaves every bit where it is."""
    before = {name: read(chain, name) for name in ("jointPosition", "jointVelocity", "jointPositionTarget")}
    for name, values in before.items():
        write(chain, name, dict(values))
        for joint, rows in read(chain, name).items():
            np.testing.assert_array_equal(rows, values[joint])


def test_more_than_half_a_turn_of_several_axes_is_refused(opened: Callable[..., Simulation]) -> None:
    """A rotation vector of 200 degrees would read back as one of 160: nothing is changed, of no joint."""
    simulation = opened(CHAIN.usda())
    before = read(simulation, "jointPosition")
    with pytest.raises(ValueRefusedError, match=r"jointPosition.*/W/r/j_c.*180 degrees"):
        write(simulation, "jointPosition", {**POSITIONS, "c": (150.0, 120.0, 60.0)})
    for joint, rows in read(simulation, "jointPosition").items():
        np.testing.assert_array_equal(rows, before[joint])


def test_a_velocity_that_no_turns_make_up_is_refused(opened: Callable[..., Simulation]) -> None:
    """Where the middle turn is a right angle, the first and the last are about the same axis."""
    simulation = opened(CHAIN.usda())
    turned = {"c": (0.0, 90.0, 0.0)}
    write(simulation, "jointVelocity", {"c": (0, 0, 0)})
    write(simulation, "jointPosition", turned)
    with pytest.raises(ValueRefusedError, match="write another jointPosition first"):
        write(simulation, "jointVelocity", {"c": (10.0, 10.0, 10.0)})


def test_ball_joints_without_drives_refuse_targets(opened: Callable[..., Simulation]) -> None:
    """steel would forget them; a joint beside it is written all the same."""
    simulation = opened(CHAIN.changed("c", kind="spherical").usda(), solver="steel")
    with pytest.raises(NotWritableError, match="no drives of ball joints"):
        simulation.set(simulation.query(JOINT, paths=["/W/r/j_c"]), "jointPositionTarget", [[1.0]] * 3)
    with simulation.write(simulation.query(JOINT), ["jointPositionTarget"]) as session:
        assert [omission.paths for omission in session.omissions] == [("/W/r/j_c",)]
        assert "/W/r/j_arm" in session["jointPositionTarget"].paths


@pytest.mark.parametrize("solver", ["xpbd", "vbd"])
def test_angles_from_poses_are_at_most_half_a_turn(opened: Callable[..., Simulation], solver: str) -> None:
    """200 degrees stand until the step, and are -160 from then on, whatever the signs of quaternions were before."""
    simulation = opened("driven_arms", solver=solver)
    query = simulation.query(JOINT, paths=["/World/hinge"])
    for angle in (-150.0, 200.0, 530.0):
        simulation.set(query, "jointPosition", angle)
        simulation.set(query, "jointPositionTarget", angle)
        found = simulation.read(query, ["jointPosition"])["jointPosition"].numpy()
        np.testing.assert_allclose(found, [[angle]], rtol=1e-6)
        simulation.step(1e-5)
        found = simulation.read(query, ["jointPosition"])["jointPosition"].numpy()
        np.testing.assert_allclose(found, [[angle - 360 * round(angle / 360)]], atol=0.1)


@pytest.mark.parametrize("solver", ["mujoco", "steel", "xpbd", "featherstone", "vbd"])
def test_reset_restores_targets_and_efforts(opened: Callable[..., Simulation], solver: str) -> None:
    """What was written of the control is gone, and the steps after it are those of a fresh simulation."""
    simulation = opened(CHAIN.usda(), solver=solver)
    names = ("jointPosition", "jointVelocity", "jointPositionTarget", "jointActuationForce")
    simulation.step(DT, count=3)
    expected = {name: read(simulation, name) for name in names}
    for _ in range(2):
        write(simulation, "jointActuationForce", {"arm": (1.0,), "c": (1.0, 2.0, 3.0)})
        write(simulation, "jointPositionTarget", POSITIONS)
        write(simulation, "jointPosition", POSITIONS)
        if solver != "vbd":
            simulation.set(simulation.query(ARTICULATION), "rootPosition", (1, 2, 3))
        simulation.step(DT)
        simulation.reset()
        simulation.step(DT, count=3)
        for name in names:
            for joint, rows in read(simulation, name).items():
                np.testing.assert_array_equal(rows, expected[name][joint], err_msg=name)


def test_joint_forces_stay_those_of_the_last_step(opened: Callable[..., Simulation]) -> None:
    """A write moves the links, but what the joints transmitted in the last step is what it was, in its frames."""
    simulation = opened(CHAIN.usda())
    simulation.step(DT)
    links = simulation.query(LINK)
    before = simulation.read(links, ["linkIncomingJointForce"])["linkIncomingJointForce"].numpy()
    write(simulation, "jointPosition", POSITIONS)
    simulation.set(simulation.query(ARTICULATION), "rootPosition", (1, 2, 3))
    after = simulation.read(links, ["linkIncomingJointForce"])["linkIncomingJointForce"].numpy()
    np.testing.assert_array_equal(after, before)


@pytest.mark.obeys("ARTICULATION", "rootPosition rootLinearVelocity")
@pytest.mark.parametrize("solver", ["mujoco", "steel", "xpbd", "featherstone"])
@pytest.mark.parametrize("is_fixed", [True, False])
@pytest.mark.parametrize("steps", [0, 2])
def test_a_root_takes_its_articulation_along(
    opened: Callable[..., Simulation], solver: str, is_fixed: bool, steps: int
) -> None:
    """Links keep their joints' state around the root's new place; a fixed base stays there, a free one flies on."""
    mechanism = attrs.evolve(CHAIN, is_fixed=is_fixed, twist=FLOATING.twist)
    simulation = opened(with_state(mechanism, {"arm": (20.0,)}, {"arm": (50.0,)}).usda(), solver=solver)
    if steps:
        simulation.step(1 / 240, count=steps)
    root = simulation.query(ARTICULATION)
    joints = {name: read(simulation, name) for name in ("jointPosition", "jointVelocity")}
    place = at(3, -2, 1, about=(1, -2, 3), degrees=77)
    simulation.set(root, "rootPosition", place.translation)
    simulation.set(root, "rootOrientation", pin.Quaternion(place.rotation).coeffs())
    twist = ((1.0, 2.0, -1.0), (1.0, -2.0, 3.0))
    if is_fixed:
        with pytest.raises(NotWritableError, match="base is fixed"):
            simulation.set(root, "rootLinearVelocity", twist[0])
    else:
        simulation.set(root, "rootLinearVelocity", twist[0])
        simulation.set(root, "rootAngularVelocity", twist[1])
    moved = attrs.evolve(mechanism, root=place, twist=(twist[0], tuple(np.degrees(twist[1]))))
    for name, values in joints.items():
        assert_reads(simulation, name, values, atol=1e-4)
    assert_links_agree(simulation, with_state(moved, joints["jointPosition"], joints["jointVelocity"]))
    simulation.step(DT)
    found = simulation.read(root, ["rootPosition", "rootLinearVelocity"])
    if is_fixed:
        np.testing.assert_allclose(found["rootPosition"].numpy()[0], place.translation, atol=1e-4)
    else:
        np.testing.assert_allclose(found["rootLinearVelocity"].numpy()[0], twist[0], atol=0.2)
    simulation.reset()
    found = simulation.read(root, ["rootPosition"])["rootPosition"].numpy()[0]
    np.testing.assert_array_equal(found, np.float32(ROOT.translation))


def test_bases_that_cannot_be_moved_are_refused(opened: Callable[..., Simulation]) -> None:
    """vbd would pull a fixed base back; a root on a hinge has its joint."""
    simulation = opened(CHAIN.usda(), solver="vbd")
    with pytest.raises(NotWritableError, match="vbd solver holds a fixed base"):
        simulation.set(simulation.query(ARTICULATION), "rootPosition", (1, 2, 3))
    simulation = opened("world_joints")
    with pytest.raises(NotWritableError, match="A joint to the world holds the root link"):
        simulation.set(simulation.query(ARTICULATION), "rootPosition", (1, 2, 3))
