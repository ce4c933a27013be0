"""Matrices and generalized forces of articulations, held against Pinocchio in float64 and against closed forms."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import attrs
import numpy as np
import pinocchio as pin
import pytest
from mechanisms import FIXED, FLOATING, ROOT, SPATIAL, TILTED, Link, Mechanism, Oracle, at

from ovread import ObjectType, ReadResult, Simulation
from ovread.backend import MatrixLabels

Opened = Callable[..., Simulation]

ARTICULATION = ObjectType.ARTICULATION
LINK = ObjectType.ARTICULATION_LINK
VECTORS = ("coriolisForce", "gravityForce")
MOMENTUM = "centroidalMomentum"
NAMES = ("jacobian", "massMatrix", *VECTORS)


def read(simulation: Simulation, names: tuple[str, ...] = NAMES) -> ReadResult:
    return simulation.read(simulation.query(ARTICULATION), names)


def as_simulated(simulation: Simulation, mechanism: Mechanism) -> Mechanism:
    """The mechanism with the state that the simulation reads now; joint coordinates are tested elsewhere."""
    joints = simulation.query(ObjectType.ARTICULATION_JOINT)
    state = simulation.read(joints, ["jointPosition", "jointVelocity"])
    for path, q, v in zip(joints.paths, *(group.per_prim() for group in state), strict=True):
        name = path.rpartition("_")[2]
        mechanism = mechanism.changed(name, q=tuple(map(float, q[:, 0])), v=tuple(map(float, v[:, 0])))
    if mechanism.is_fixed:
        return mechanism
    names = ("rootPosition", "rootOrientation", "rootLinearVelocity", "rootAngularVelocity")
    place, turn, linear, angular = (group.numpy()[0].astype(float) for group in read(simulation, names))
    angle = 2 * np.degrees(np.arctan2(np.linalg.norm(turn[:3]), turn[3]))
    twist = (tuple(linear), tuple(np.degrees(angular)))
    return attrs.evolve(mechanism, root=at(*place, about=turn[:3], degrees=angle), twist=twist)


def assert_agree(simulation: Simulation, mechanism: Mechanism) -> None:
    """Each value is Pinocchio's, element by element through its labels."""
    result = read(simulation, (*NAMES, "centerOfMassWorld", *([] if mechanism.is_fixed else [MOMENTUM])))
    oracle = Oracle(as_simulated(simulation, mechanism))
    masses = [link.mass for link in mechanism.links]
    # Pinocchio's own leaves out a root that is fixed to the world.
    centre = np.average([oracle.centre(link.name) for link in mechanism.links], axis=0, weights=masses)
    expected = {**oracle.values(result), "centerOfMassWorld": centre}
    for name, values in expected.items():
        group = result[name]
        given = group.matrices()[0] if name in ("jacobian", "massMatrix", MOMENTUM) else group.numpy()[0]
        assert np.abs(values).max() > 0.01, name
        np.testing.assert_allclose(given, values, rtol=0, atol=5e-4 * max(1.0, np.abs(values).max()), err_msg=name)


@pytest.mark.parametrize("mechanism", [FIXED, FLOATING], ids=["fixed", "floating"])
def test_values_are_those_of_pinocchio(opened: Opened, mechanism: Mechanism) -> None:
    """They agree before any step and after some, whatever order the joints are authored in."""
    for joint_order in (None, ["b9", "x", "a", "b10", "c", "d"]):
        simulation = opened(mechanism.usda(joint_order=joint_order))
        assert_agree(simulation, mechanism)
        simulation.step(1 / 240, count=40)
        assert_agree(simulation, mechanism)


@pytest.mark.parametrize("mechanism", [FIXED, FLOATING], ids=["fixed", "floating"])
def test_labels_come_in_canonical_order(opened: Opened, mechanism: Mechanism) -> None:
    """A floating root first, then joints, and links, in natural path order; vectors have no rows."""
    simulation = opened(mechanism.usda())
    result = read(simulation, (*NAMES, "jacobianShape"))
    joints = [f"/W/r/j_{name}" for name in ("a:twist", "b9:twist", "b10:x", "c:twist", "d:twist")]
    links = ("a", "b9", "b10", "c", "d", "x") + (() if mechanism.is_fixed else ("z",))
    columns = (*(() if mechanism.is_fixed else (f"/W/r/z:{name}" for name in SPATIAL)), *joints)
    rows = tuple(f"/W/r/{link}:{name}" for link in links for name in SPATIAL)
    assert result["jacobian"].labels[0] == MatrixLabels(rows, columns)
    assert result["massMatrix"].labels[0] == MatrixLabels(columns, columns)
    assert [result[name].labels[0] for name in VECTORS] == [MatrixLabels((), columns)] * 2
    native = result["jacobian"].native_labels[0]
    assert (sorted(native.rows), sorted(native.columns)) == (sorted(rows), sorted(columns))
    np.testing.assert_array_equal(result["jacobianShape"].numpy(), [[len(rows), len(columns)]])


def test_pendulum_with_armature(opened: Opened) -> None:
    """A rod of mass 2, its centre 0.75 from a hinge about Y, 30 degrees below X, with an armature of 0.4."""
    bob = Link("bob", "base", "revolute", "Y", frame1=at(-0.5), mass=2.0, centre=at(0.25), moments=(0.1, 0.2, 0.25),
               q=(30.0,), armature=0.4)  # fmt: skip
    result = read(opened(Mechanism([Link("base"), bob]).usda()))
    assert result["massMatrix"].numpy()[0, 0] == pytest.approx(0.2 + 2 * 0.75**2 + 0.4, rel=1e-5)
    torque = -2 * 9.81 * 0.75 * np.cos(np.radians(30))
    assert result["gravityForce"].numpy()[0, 0] == pytest.approx(torque, rel=1e-5)
    assert result["coriolisForce"].numpy()[0, 0] == pytest.approx(0, abs=1e-5)
    lever = [-0.75 * np.sin(np.radians(30)), 0, -0.75 * np.cos(np.radians(30)), 0, 1, 0]
    np.testing.assert_allclose(result["jacobian"].matrices()[0, :, 0], lever, atol=1e-5)


@pytest.mark.parametrize("scene", ["world_joints", "mixed_d6"])
def test_values_agree_with_the_motion_of_links(opened: Opened, scenes: Path, scene: str) -> None:
    """Jacobian times rates is the velocity of each link, and forces and masses give power and kinetic energy.

    So signs are the authored ones where body1 is the world, and columns are the axes that their labels name.
    """
    text = (scenes / f"{scene}.usda").read_text().replace("gravityMagnitude = 0", "gravityMagnitude = 9.81")
    for axis, rate in (("transX", 0.5), ("transZ", -0.3), ("rotY", 40)):
        position = f"float state:{axis}:physics:position"
        text = text.replace(position, f"float state:{axis}:physics:velocity = {rate}\n{position}")
    assert_power_and_energy(opened(text))


def assert_power_and_energy(simulation: Simulation) -> None:
    """Jacobian times rates is the velocity of each link, and forces and masses give power and kinetic energy."""
    query = simulation.query(ARTICULATION)
    result = simulation.read(query, NAMES)
    gravity = simulation.read(simulation.query(ObjectType.SCENE), ["gravity"])["gravity"].numpy()[0].astype(float)
    rates = _rates(simulation)
    for path in query.paths:
        (labels, jacobian), (_, masses), _, (_, forces) = (_row(result, name, path) for name in NAMES)
        rate = np.array([rates[label.rpartition(":")[0]].pop(0) for label in labels.columns])
        is_angular = np.array([label.endswith(("twist", "swing1", "swing2")) for label in labels.columns])
        rate[is_angular] = np.radians(rate[is_angular])
        assert np.abs(rate).max() > 0.01
        velocity, energy, power = [], 0.0, 0.0
        for link in dict.fromkeys(label.rpartition(":")[0] for label in labels.rows):
            linear, angular, mass, inertia, turn = _motion(simulation, link)
            velocity += [*linear, *angular]
            local = turn.T @ angular
            energy += mass * linear @ linear + local @ inertia @ local
            power -= mass * gravity @ linear
        np.testing.assert_allclose(jacobian.reshape(-1, len(rate)) @ rate, velocity, atol=1e-5)
        assert rate @ masses.reshape(len(rate), -1) @ rate == pytest.approx(energy, rel=1e-5)
        assert rate @ forces == pytest.approx(power, rel=1e-5, abs=1e-5)


def _rates(simulation: Simulation) -> dict[str, list[float]]:
    """Rates of each joint, in degrees or length per second."""
    query = simulation.query(ObjectType.ARTICULATION_JOINT)
    group = simulation.read(query, ["jointVelocity"])["jointVelocity"]
    runs = np.split(group.numpy()[:, 0].astype(float), group.offsets[1:-1])
    return {path: run.tolist() for path, run in zip(group.paths, runs, strict=True)}


def _row(result: ReadResult, name: str, path: str) -> tuple[MatrixLabels, np.ndarray]:
    (group,) = (group for group in result.all(name) if path in group.paths)
    place = group.paths.index(path)
    return group.labels[place], group.numpy()[place].astype(float)


def _motion(simulation: Simulation, link: str) -> tuple[np.ndarray, ...]:
    names = ("linearVelocity", "angularVelocity", "mass", "inertia", "orientation")
    query = simulation.query(ObjectType.ARTICULATION_LINK, paths=[link])
    values = [group.numpy()[0].astype(float) for group in simulation.read(query, names)]
    linear, angular, mass, inertia, (x, y, z, w) = values
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return linear, angular, mass[0], inertia.reshape(3, 3), np.eye(3) + 2 * w * cross + 2 * cross @ cross


def turning(kind: str, axis: str = "X") -> Mechanism:
    """A chain with a joint that turns about three axes amid it."""
    state = {} if kind == "spherical" else {"q": (10.0, 30.0, 20.0), "v": (40.0, -70.0, 90.0)}
    return Mechanism(
        [
            Link("base"),
            Link("arm", "base", "revolute", "Y", at(0.5), at(-0.3), centre=at(0.1, 0.05), q=(15.0,), v=(-60.0,)),
            Link("c", "arm", kind, axis, at(0.2, 0.1, degrees=30), at(-0.3, 0, 0.1, about=(1, 1, 0), degrees=40),
                 centre=at(0.2, 0.1, about=(1, 2, 3), degrees=50), moments=(0.02, 0.03, 0.04), **state),
            Link("tip", "c", "revolute", "Z", at(0.3), at(-0.2), centre=at(0.1), q=(25.0,), v=(60.0,)),
        ],
        True,
        ROOT,
        TILTED,
    )  # fmt: skip


@pytest.mark.parametrize(("is_fixed", "solver"), [(True, "mujoco"), (False, "mujoco"), (True, "xpbd")])
@pytest.mark.parametrize("kind", ["d6", "spherical"])
def test_joints_about_three_axes_agree_with_pinocchio(opened: Opened, kind: str, is_fixed: bool, solver: str) -> None:
    """Their rates are the angular velocity in the outer joint frame, as a spherical joint has it in Pinocchio."""
    mechanism = attrs.evolve(turning(kind), is_fixed=is_fixed, twist=FLOATING.twist)
    simulation = opened(mechanism.usda(), solver=solver)
    if kind == "d6":
        assert_agree(simulation, mechanism)
    simulation.step(1 / 240, count=30)
    assert_agree(simulation, mechanism)


@pytest.mark.parametrize("axis", ["Y", "Z"])
def test_the_twist_of_a_ball_joint_is_about_its_axis(opened: Opened, axis: str) -> None:
    """Twist is the authored axis, and the swings complete it, each as a column of the Jacobian says."""
    simulation = opened(turning("spherical", axis).usda())
    result = read(simulation)
    jacobian = dict(zip(result["jacobian"].labels[0].columns, result["jacobian"].matrices()[0].T, strict=True))
    row = result["jacobian"].labels[0].rows.index("/W/r/c:angular.x")
    turn = simulation.read(simulation.query(LINK, paths=["/W/r/c"]), ["orientation"])["orientation"].numpy()[0]
    frame = pin.Quaternion(*turn[[3, 0, 1, 2]].astype(float)).matrix() @ turning("spherical").links[2].frame1.rotation
    x, y, z = frame.T
    expected = {"Y": (y, z, x), "Z": (z, -x, -y)}[axis]
    for name, direction in zip(("twist", "swing1", "swing2"), expected, strict=True):
        np.testing.assert_allclose(jacobian[f"/W/r/j_c:{name}"][row : row + 3], direction, atol=1e-5)


def test_joints_about_two_axes_agree_with_the_motion_of_links(opened: Opened) -> None:
    """Newton's universal joint has the rates of this API too: forces and masses give power and kinetic energy."""
    mechanism = turning("d6").changed("c", free=(1, 2), q=(30.0, 20.0), v=(-70.0, 90.0))
    assert_power_and_energy(opened(mechanism.usda()))


def test_only_floating_roots_have_a_centroidal_momentum(opened: Opened) -> None:
    """Where the root is fixed, or hangs on a joint to the world, the matrix is omitted by path, with the reason."""
    for scene in ("pendulum", "world_joints"):
        simulation = opened(scene)
        query = simulation.query(ARTICULATION)
        (omission,) = simulation.read(query, [MOMENTUM]).omissions
        assert set(omission.paths or query.paths) == set(query.paths)
        assert "floats" in omission.detail


def test_axes_of_a_joint_keep_their_names(opened: Opened) -> None:
    """Rotation comes before translation in the canonical order, and after it in Newton's."""
    (group,) = read(opened("mixed_d6")).all("gravityForce")
    joint = group.labels[0].columns[0].rpartition(":")[0]
    assert group.labels[0].columns == tuple(f"{joint}:{axis}" for axis in ("swing1", "x", "z"))
    assert group.native_labels[0].columns == tuple(f"{joint}:{axis}" for axis in ("x", "z", "swing1"))


def test_joint_state_of_solvers_that_move_bodies(opened: Opened) -> None:
    """Where a solver keeps no joint state, values follow from the poses of the links."""
    simulation = opened(FLOATING.usda(), solver="xpbd")
    simulation.step(1 / 240, count=20)
    assert_agree(simulation, FLOATING)


def test_no_articulations_no_rows(opened: Opened) -> None:
    """Where there are no articulations their matrices have no rows, which is no error."""
    simulation = opened("free_fall")
    result = simulation.read(simulation.query(ARTICULATION), [*NAMES, "jacobianShape"])
    assert all(len(group.paths) == 0 for group in result)
    assert not result.omissions
