"""After a write to an articulation and before any step, everything that follows from it agrees with the closed form."""

from __future__ import annotations

import attrs
import numpy as np
import pinocchio as pin
import pytest
from mechanisms import FIXED, FLOATING, SPATIAL, Oracle, at
from reading import JOINT, LINK, value

import ovread
from ovread import ObjectType
from ovread.errors import NotWritableError

ARTICULATION = ObjectType.ARTICULATION
TURNED = at(1.0, 2.0, 3.0, about=(2, -1, 1), degrees=70)
POSITIONS = {"c": -15.0, "a": 25.0, "b10": -0.1, "b9": -60.0, "d": 33.0}
RATES = {"c": -5.0, "a": 15.0, "b10": -0.3, "b9": -20.0, "d": 44.0}
"""Other coordinates and rates for each joint of the mechanisms, some of which have bodies the other way round."""
EFFORTS = {"c": 3.0, "a": -2.0, "b10": 5.0, "b9": 1.0, "d": -4.0}
TURN = float(np.rad2deg(2 * np.arctan2(0.6, 0.8)))
TWIST = ((1.0, 2.0, 3.0), (10.0, 20.0, 30.0))


CHANGES = [
    ("c", "mass", 5.0, {"mass": 5.0}),
    ("a", "inertia", np.diag((0.5, 0.6, 0.7)).ravel(), {"moments": (0.5, 0.6, 0.7), "centre": at(0.1, 0.2, 0.1)}),
    ("a", "centerOfMassPosition", (0.05, -0.1, 0.2), {"centre": at(0.05, -0.1, 0.2)}),
    ("b9", "centerOfMassOrientation", (0, 0.6, 0, 0.8), {"centre": at(0, 0.1, about=(0, 1, 0), degrees=TURN)}),
]
"""Writes of one link, and what they make of it."""


def by_joint(query, numbers):
    return [[numbers[path.rpartition("j_")[2]]] for path in query.paths]


def moved(mechanism):
    links = [
        attrs.evolve(link, q=(POSITIONS[link.name],), v=(RATES[link.name],)) if link.name in POSITIONS else link
        for link in mechanism.links
    ]
    return attrs.evolve(mechanism, links=links)


@pytest.fixture(scope="module", params=[FIXED, FLOATING], ids=["fixed", "floating"])
def opened(request):
    with ovread.open(request.param.usda(), backend="physx") as simulation:
        yield simulation, request.param


@pytest.fixture
def articulation(opened):
    simulation, mechanism = opened
    simulation.reset()
    joints = simulation.query(JOINT)
    simulation.set(joints, "jointPosition", by_joint(joints, POSITIONS))
    simulation.set(joints, "jointVelocity", by_joint(joints, RATES))
    return simulation, moved(mechanism)


def assert_consistent(simulation, mechanism):
    """Matrices, forces, poses and velocities are those of the mechanism."""
    oracle = Oracle(mechanism)
    query = simulation.query(ARTICULATION)
    names = ["jacobian", "massMatrix", "gravityForce", "coriolisForce"]
    result = simulation.read(query, names if mechanism.is_fixed else [*names, "centroidalMomentum"])
    for name, expected in oracle.values(result).items():
        got = result[name].numpy().reshape(np.shape(expected))
        np.testing.assert_allclose(got, expected, atol=3e-5 * max(1, np.abs(expected).max()), err_msg=name)
    if not mechanism.is_fixed:
        centre = value(simulation, ARTICULATION, query.paths[0], "centerOfMassWorld")
        np.testing.assert_allclose(centre, oracle.centre_of_mass(), atol=1e-5)
    labels = result["jacobian"].labels[0]
    twists = oracle.jacobian(labels.rows, labels.columns) @ oracle.rates[oracle._columns(labels.columns)]
    twist_of = dict(zip(labels.rows, twists, strict=True))
    for link in simulation.query(LINK).paths:
        np.testing.assert_allclose(
            value(simulation, LINK, link, "position"), oracle.pose(link.rpartition("/")[2]).translation, atol=1e-5
        )
        if f"{link}:{SPATIAL[0]}" in twist_of:
            read = [*value(simulation, LINK, link, "linearVelocity"), *value(simulation, LINK, link, "angularVelocity")]
            np.testing.assert_allclose(read, [twist_of[f"{link}:{name}"] for name in SPATIAL], atol=1e-5, err_msg=link)


def test_links_follow_joints(articulation):
    """Positions and rates of joints move the links, the matrices and the forces."""
    simulation, mechanism = articulation
    joints = simulation.query(JOINT)
    for name, numbers in (("jointPosition", POSITIONS), ("jointVelocity", RATES)):
        np.testing.assert_allclose(simulation.read(joints, name)[name].numpy(), by_joint(joints, numbers), rtol=1e-5)
    assert_consistent(simulation, mechanism)


@pytest.mark.parametrize(("link", "name", "values", "changes"), CHANGES)
def test_matrices_and_velocities_follow_the_mass_of_a_link(articulation, link, name, values, changes):
    """Mass, inertia and centre of mass of one link are in the matrices, and in the velocity of its centre, at once."""
    simulation, mechanism = articulation
    path = f"/W/r/{link}"
    simulation.set(simulation.query(LINK, paths=[path]), name, values)
    read = np.array(value(simulation, LINK, path, name))
    np.testing.assert_allclose(read, values if np.ndim(values) else [values], atol=1e-6)
    assert_consistent(simulation, mechanism.changed(link, **changes))


def test_armature_is_in_the_mass_matrix_at_once(articulation):
    """The matrix that a reader was prepared for before has the armature that is written after."""
    simulation, mechanism = articulation
    reader = simulation.reader(simulation.query(ARTICULATION), ["massMatrix"])
    reader.read()
    simulation.set(simulation.query(JOINT, paths=["/W/r/j_b9"]), "jointArmature", 1.5)
    result = reader.read()
    changed = mechanism.changed("b9", armature=1.5)
    labels = result["massMatrix"].labels[0]
    expected = Oracle(changed).mass_matrix(labels.columns)
    np.testing.assert_allclose(result["massMatrix"].numpy().reshape(expected.shape), expected, atol=1e-5)
    assert_consistent(simulation, changed)


def test_the_root_takes_the_whole_articulation_along(articulation):
    """Position and rotation of the root leave each other, the joints and, of a floating base, its velocity."""
    simulation, mechanism = articulation
    query = simulation.query(ARTICULATION)
    simulation.set(query, "rootPosition", TURNED.translation)
    assert_consistent(simulation, attrs.evolve(mechanism, root=pin.SE3(mechanism.root.rotation, TURNED.translation)))
    simulation.set(query, "rootOrientation", pin.Quaternion(TURNED.rotation).coeffs())
    assert_consistent(simulation, attrs.evolve(mechanism, root=TURNED))


def test_root_velocities_are_of_a_floating_base_alone(articulation):
    """They are the velocity of the root's centre of mass and its spin in radians; a fixed base has none to write."""
    simulation, mechanism = articulation
    query = simulation.query(ARTICULATION)
    if mechanism.is_fixed:
        for name in ("rootLinearVelocity", "rootAngularVelocity"):
            with pytest.raises(NotWritableError, match=r"base is fixed"):
                simulation.set(query, name, (1, 2, 3))
        assert_consistent(simulation, mechanism)
        return
    simulation.set(query, "rootLinearVelocity", TWIST[0])
    simulation.set(query, "rootAngularVelocity", np.deg2rad(TWIST[1]))
    assert_consistent(simulation, attrs.evolve(mechanism, twist=TWIST))


def test_a_fixed_base_stays_where_it_was_written():
    """The base is moved, and the joint to the world with it: steps do not bring it back."""
    with ovread.open(FIXED.usda(), backend="physx") as simulation:
        query = simulation.query(ARTICULATION)
        simulation.set(query, "rootPosition", (1, 2, 3))
        simulation.step(1 / 240, count=20)
        np.testing.assert_allclose(
            simulation.read(query, "rootPosition")["rootPosition"].numpy(), [[1, 2, 3]], atol=1e-6
        )


@pytest.mark.obeys("ARTICULATION_LINK", "mass inertia centerOfMassPosition centerOfMassOrientation")
@pytest.mark.obeys("ARTICULATION_JOINT", "jointPosition jointVelocity jointActuationForce")
@pytest.mark.parametrize(("link", "name", "values", "changes"), CHANGES)
def test_the_next_step_starts_from_what_was_written(articulation, link, name, values, changes):
    """Over a short step joint rates change by M^-1 (effort - gravity - coriolis) of the written mass and efforts."""
    simulation, mechanism = articulation
    joints = simulation.query(JOINT)
    simulation.set(simulation.query(LINK, paths=[f"/W/r/{link}"]), name, values)
    simulation.set(joints, "jointActuationForce", by_joint(joints, EFFORTS))
    oracle = Oracle(mechanism.changed(link, **changes))
    result = simulation.read(simulation.query(ARTICULATION), ["massMatrix"])
    columns = result["massMatrix"].labels[0].columns
    # The root of a floating base has columns too, and no effort.
    name_of = {column: column.rpartition("j_")[2].partition(":")[0] for column in columns if "/j_" in column}
    given = [EFFORTS[name_of[column]] if column in name_of else 0.0 for column in columns]
    bias = oracle.gravity_force(columns) + oracle.coriolis_force(columns)
    acceleration = dict(zip(columns, np.linalg.solve(oracle.mass_matrix(columns), given - bias), strict=True))
    dt = 1e-4
    simulation.step(dt)
    after = simulation.read(joints, "jointVelocity")["jointVelocity"].numpy()[:, 0]
    rate_of = dict(zip(joints.paths, after, strict=True))
    for column, joint in name_of.items():
        path, _, axis = column.rpartition(":")
        gained = (rate_of[path] - RATES[joint]) / dt * (1 if axis == "x" else np.deg2rad(1))
        assert gained == pytest.approx(acceleration[column], rel=3e-2, abs=3e-2), column


@pytest.mark.obeys("ARTICULATION", "rootPosition rootOrientation rootLinearVelocity rootAngularVelocity")
def test_a_floating_root_goes_on_from_what_was_written():
    """In a short step its centre of mass moves and its axes turn by the written velocities, from the written pose."""
    weightless = attrs.evolve(FLOATING, gravity=(0.0, 0.0, 0.0))
    with ovread.open(weightless.usda(), backend="physx") as simulation:
        query = simulation.query(ARTICULATION)
        joints = simulation.query(JOINT)
        simulation.set(joints, "jointVelocity", 0)
        simulation.set(query, "rootPosition", TURNED.translation)
        simulation.set(query, "rootOrientation", pin.Quaternion(TURNED.rotation).coeffs())
        simulation.set(query, "rootLinearVelocity", TWIST[0])
        simulation.set(query, "rootAngularVelocity", np.deg2rad(TWIST[1]))
        dt = 1e-3
        simulation.step(dt)
        read = {name: value(simulation, LINK, "/W/r/z", name) for name in ("position", "orientation")}
        turn = pin.Quaternion(np.array(read["orientation"])).matrix()
        arm = weightless.links[0].centre.translation
        moved = (read["position"] + turn @ arm) - (TURNED.translation + TURNED.rotation @ arm)
        np.testing.assert_allclose(moved / dt, TWIST[0], atol=2e-2)
        np.testing.assert_allclose(pin.log3(turn @ TURNED.rotation.T) / dt, np.deg2rad(TWIST[1]), atol=1e-2)


@pytest.mark.parametrize("mechanism", [FIXED, FLOATING], ids=["fixed", "floating"])
def test_reset_restores_what_was_written(mechanism):
    """State and properties are the authored ones after a reset, and the same after the next."""
    with ovread.open(mechanism.usda(), backend="physx") as simulation:
        authored = everything(simulation)
        for _ in range(2):
            joints, links, root = simulation.query(JOINT), simulation.query(LINK), simulation.query(ARTICULATION)
            simulation.set(joints, "jointPosition", by_joint(joints, POSITIONS))
            simulation.set(joints, "jointArmature", 2.0)
            simulation.set(joints, "jointStiffness", 3.0)
            simulation.set(links, "mass", 4.0)
            simulation.set(links, "centerOfMassPosition", (0.3, 0.2, 0.1))
            simulation.set(links, "force", (1, 2, 3))
            simulation.set(root, "rootPosition", (5, 6, 7))
            simulation.step(1 / 240, count=2)
            simulation.reset()
            again = everything(simulation)
            assert again.keys() == authored.keys()
            for key, values in authored.items():
                np.testing.assert_array_equal(again[key], values, err_msg=str(key))
        assert_consistent(simulation, mechanism)


def everything(simulation):
    """All that can be read of bodies, joints and articulations, by type and attribute."""
    found = {}
    for kind in (LINK, JOINT, ARTICULATION):
        query = simulation.query(kind)
        names = [name for name in query.attributes if not name.endswith("Pointer") and not name.endswith("Path")]
        for group in simulation.read(query, names):
            found[kind.name, group.attribute] = group.numpy()
    return found
