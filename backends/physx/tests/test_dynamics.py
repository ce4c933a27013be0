"""Jacobians, mass matrices and generalized forces of articulations, held against Pinocchio and closed forms."""

from __future__ import annotations

import itertools
import random
import warnings

import attrs
import numpy as np
import pytest
from mechanisms import BRANCHED, FIXED, FLOATING, ROOT, TILTED, Link, Mechanism, Oracle, at
from ovread_physx import _matrices
from ovread_physx._authored_joints import AuthoredJoint
from ovread_physx._trees import SPATIAL

import ovread
from ovread import ObjectType, OmissionReason

VECTORS = ("coriolisForce", "gravityForce")
NAMES = ("jacobian", "massMatrix", *VECTORS, "centroidalMomentum")


def pendulum(**changes):
    """A rod of mass 2 that hinges about Y at the origin, its centre of mass 0.75 from it, 30 degrees below X."""
    bob = Link("bob", "base", "revolute", "Y", frame1=at(-0.5), mass=2.0, centre=at(0.25), moments=(0.1, 0.2, 0.3))
    return Mechanism([Link("base"), attrs.evolve(bob, q=(30.0,), **changes)])


def opened(mechanism, **how):
    return ovread.open(mechanism.usda(**how), backend="physx")


def read(simulation, names=NAMES, **selection):
    return simulation.read(simulation.query(ObjectType.ARTICULATION, **selection), names)


def native_order(simulation, path):
    """Names of links and degrees of freedom as the deprecated binding gives them."""
    from ovphysx.types import TensorType

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        binding = simulation._engine.physx.create_tensor_binding(path, tensor_type=TensorType.ARTICULATION_DOF_POSITION)
        try:
            return list(binding.body_names), list(binding.dof_names)
        finally:
            binding.destroy()


def assert_agree(result, mechanism, tolerance=1e-5):
    """Each matrix of the one articulation is Pinocchio's, element by element through its labels."""
    columns = result["massMatrix"].labels[0].columns
    for name, values in Oracle(mechanism).values(result).items():
        group = result[name]
        assert group.labels[0].columns[: len(columns)] == columns
        given = group.numpy()[0] if name in VECTORS else group.matrices()[0]
        np.testing.assert_allclose(
            given, values, rtol=1e-4, atol=tolerance * max(1.0, np.abs(values).max()), err_msg=name
        )


@pytest.mark.parametrize("mechanism", [FIXED, FLOATING], ids=["fixed", "floating"])
def test_matrices_are_those_of_pinocchio_before_any_step(mechanism):
    """All that is served agrees with float64 at tick 0, whatever order the joints are authored in."""
    for joint_order in (None, ["b9", "x", "a", "b10", "c", "d"]):
        with opened(mechanism, joint_order=joint_order) as simulation:
            assert_agree(read(simulation), mechanism)


def test_matrices_follow_the_state():
    """After steps they are those of the coordinates and rates that the joints then have."""
    with opened(FIXED) as simulation:
        reader = simulation.reader(simulation.query(ObjectType.ARTICULATION), NAMES)
        before = reader.read()["massMatrix"].numpy().copy()
        simulation.step(1 / 240, count=40)
        joints = simulation.query(ObjectType.ARTICULATION_JOINT)
        state = simulation.read(joints, ["jointPosition", "jointVelocity"])
        now = FIXED
        for path, q, v in zip(
            joints.paths, *(state[name].numpy()[:, 0] for name in ("jointPosition", "jointVelocity")), strict=True
        ):
            now = now.changed(path.rpartition("_")[2], q=(float(q),), v=(float(v),))
        assert_agree(reader.read(), now)
        assert np.abs(reader.read()["massMatrix"].numpy() - before).max() > 1e-3


def test_the_centre_of_mass_is_that_of_pinocchio():
    """So masses, poses and centres of mass of the mechanism are the ones the matrices are held against."""
    with opened(FLOATING) as simulation:
        centre = read(simulation, ["centerOfMassWorld"])["centerOfMassWorld"].numpy()[0]
    np.testing.assert_allclose(centre, Oracle(FLOATING).centre_of_mass(), atol=1e-6)


def test_labels_come_in_canonical_order():
    """A floating root first, then joints, and links, in natural path order; vectors have no rows."""
    with opened(FLOATING) as simulation:
        result = read(simulation)
        joints = [f"/W/r/j_{name}" for name in ("a:twist", "b9:twist", "b10:x", "c:twist", "d:twist")]
        columns = (*(f"/W/r/z:{name}" for name in SPATIAL), *joints)
        rows = tuple(f"/W/r/{link}:{name}" for link in ("a", "b9", "b10", "c", "d", "x", "z") for name in SPATIAL)
        assert result["jacobian"].labels[0] == ovread.backend.MatrixLabels(rows, columns)
        assert result["massMatrix"].labels[0] == ovread.backend.MatrixLabels(columns, columns)
        assert [result[name].labels[0] for name in VECTORS] == [ovread.backend.MatrixLabels((), columns)] * 2
        assert result["centroidalMomentum"].labels[0] == ovread.backend.MatrixLabels(SPATIAL, (*columns, "bias"))
        assert result["jacobian"].lanes[12] == "r1c1"
        np.testing.assert_array_equal(
            read(simulation, ["jacobianShape"])["jacobianShape"].numpy(), [[len(rows), len(columns)]]
        )


@pytest.mark.parametrize("moved", ["a", "b10", "d"])
def test_a_column_is_the_velocity_when_its_joint_moves(moved):
    """Opened again with one joint a little further, links lie where that joint's column says, and no other's."""
    step = 0.01
    centres = {}
    for sign in (-1, 1):
        link = next(link for link in BRANCHED if link.name == moved)
        with opened(FIXED.changed(moved, q=(link.q[0] + sign * step / link.scale,))) as simulation:
            query = simulation.query(ObjectType.ARTICULATION_LINK)
            state = simulation.read(query, ["position", "orientation", "centerOfMassPosition"])
            position, turn, offset = (group.numpy().astype(float) for group in state)
            lever = 2 * np.cross(turn[:, :3], offset)
            centres[sign] = position + offset + turn[:, 3:] * lever + np.cross(turn[:, :3], lever)
            paths = query.paths
    speed = dict(zip(paths, (centres[1] - centres[-1]) / (2 * step), strict=True))
    with opened(FIXED) as simulation:
        group = read(simulation, ["jacobian"])["jacobian"]
        labels = group.labels[0]
        (column,) = [i for i, label in enumerate(labels.columns) if label.startswith(f"/W/r/j_{moved}:")]
        for row, label in enumerate(labels.rows):
            path, _, component = label.rpartition(":")
            if component.startswith("linear"):
                expected = speed[path]["xyz".index(component[-1])]
                assert group.matrices()[0, row, column] == pytest.approx(expected, abs=2e-4), label


@pytest.mark.parametrize("root_on_link", [True, False])
@pytest.mark.parametrize("seed", range(5))
def test_any_tree_is_labelled_in_the_order_of_the_engine(seed, root_on_link):
    """Native labels are the names that the deprecated tensor binding gives, for random trees and root choices."""
    rng = random.Random(seed)
    names = [f"{letter}{number}" for letter in "pq" for number in rng.sample(range(1, 30), 5)]
    rng.shuffle(names)
    links = [Link(names[0], centre=at(0.01))]
    for name in names[1:]:
        kind = rng.choice(["fixed", "revolute", "prismatic"])
        place = at(*(rng.uniform(-0.5, 0.5) for _ in range(3)), about=(1, rng.random(), 0), degrees=rng.uniform(0, 90))
        centre = at(rng.uniform(-0.1, 0.1), 0.05)
        links.append(
            Link(name, rng.choice(names[: len(links)]), kind, "Y", place, centre=centre, swapped=rng.random() < 0.3)
        )
    mechanism = Mechanism(links, False, ROOT, twist=((1, 2, 3), (10, 20, 30)))
    order = [link.name for link in links[1:]]
    rng.shuffle(order)
    with opened(mechanism, joint_order=order, root_on_link=root_on_link) as simulation:
        result = read(simulation, [*NAMES, "rootPosition"])
        assert not result.omissions
        if root_on_link:
            assert_agree(result, mechanism)
        labels = result["jacobian"].native_labels[0]
        root = labels.columns[0].partition(":")[0]
        place = simulation.read(simulation.query(ObjectType.ARTICULATION_LINK, paths=[root]), ["position"])["position"]
        np.testing.assert_allclose(place.numpy(), result["rootPosition"].numpy(), atol=1e-6)
        bodies, dofs = native_order(simulation, result["jacobian"].paths[0])
        assert [label.partition(":")[0].rpartition("/")[2] for label in labels.rows[::6]] == bodies
        assert [label.rpartition("/")[2].partition(":")[0] for label in labels.columns[6:]] == dofs


BALLS = Mechanism(
    [
        Link("base"),
        Link("s", "base", "spherical", "Y", at(0.5, 0.1, about=(0, 0, 1), degrees=40), at(-0.3, 0, 0.1)),
        Link("two", "base", "d6", "X", at(-0.5, 0.1), at(-0.3), free=(0, 2), q=(20.0, 10.0)),
        Link("one", "two", "d6", "X", at(0.1, 0.1), at(-0.3), free=(1,), q=(-25.0,)),
        Link("none", "two", "d6", "X", at(0.1, 0.1, 0.2), at(-0.3), free=()),
    ]
)


def test_axes_have_their_true_names():
    """An axis is called what it is, not by its place among the free ones."""
    with opened(BALLS) as simulation:
        labels = read(simulation, ["massMatrix"])["massMatrix"]
        assert labels.labels[0].columns == tuple(
            f"/W/r/j_{name}" for name in ("one:swing1", "s:twist", "s:swing1", "s:swing2", "two:twist", "two:swing2")
        )
        _, names = native_order(simulation, "/W/r")
        numbers = {"twist": "0", "swing1": "1", "swing2": "2"}
        joints = (label.rpartition("/")[2].partition(":") for label in labels.native_labels[0].columns)
        assert [f"{joint}:{numbers[axis]}" for joint, _, axis in joints] == names


def test_axes_that_are_not_understood_are_numbered():
    """A joint with another number of free axes than authored has them counted, not guessed."""
    assert AuthoredJoint(axes=("twist", "swing1")).axis(1, 2) == "swing1"
    assert AuthoredJoint(axes=("twist", "swing1")).axis(0, 1) == "axis0"
    assert AuthoredJoint().axis(2, 3) == "axis2"


@pytest.mark.parametrize("swapped", [False, True])
def test_a_ball_joint_agrees_with_pinocchio(swapped):
    """Three rotations at once, turned and moving, on a chain: also the terms in the rates."""
    ball = Link("ball", "base", "d6", "X", at(0.2, 0.1, degrees=30), at(-0.3, 0, 0.1), swapped, centre=at(0.2, 0.1),
                moments=(0.02, 0.03, 0.04), q=(20.0, -35.0, 15.0), v=(40.0, 20.0, -30.0))  # fmt: skip
    tip = Link("tip", "ball", "revolute", "Z", at(0.3), at(-0.2), centre=at(0.1), q=(25.0,), v=(60.0,))
    mechanism = Mechanism([Link("base"), ball, tip], True, ROOT, TILTED)
    with opened(mechanism) as simulation:
        assert_agree(read(simulation), mechanism)


def test_a_pendulum_has_its_closed_form():
    """M = I + m l^2, gravity torque m g l cos(angle), no Coriolis force, Jacobian by the lever arm."""
    with opened(pendulum()) as simulation:
        result = read(simulation)
        mass, lever, angle = 2.0, 0.75, np.deg2rad(30)
        assert result["massMatrix"].numpy() == pytest.approx(0.2 + mass * lever**2, rel=1e-6)
        # A positive turn about Y takes X down, so what holds it up is negative.
        assert result["gravityForce"].numpy() == pytest.approx(-mass * 9.81 * lever * np.cos(angle), rel=1e-6)
        assert result["coriolisForce"].numpy() == pytest.approx(0.0, abs=1e-6)
        expected = [-lever * np.sin(angle), 0, -lever * np.cos(angle), 0, 1, 0]
        np.testing.assert_allclose(result["jacobian"].numpy()[0], expected, atol=1e-6)


def test_armature_is_part_of_the_mass_matrix():
    """M holds the armature, so that M times the acceleration after release is the gravity that acts."""
    with opened(pendulum(armature=0.4)) as simulation:
        result = read(simulation)
        mass = result["massMatrix"].numpy().item()
        assert mass == pytest.approx(0.4 + 0.2 + 2 * 0.75**2, rel=1e-6)
        simulation.step(1e-3)
        joints = simulation.query(ObjectType.ARTICULATION_JOINT)
        rate = np.deg2rad(simulation.read(joints, ["jointVelocity"])["jointVelocity"].numpy().item())
        assert mass * rate / 1e-3 == pytest.approx(-result["gravityForce"].numpy().item(), rel=1e-4)


def test_armature_stands_on_the_diagonal_of_its_joint():
    """Off-diagonal elements and the root's are untouched, and each joint gets its own."""
    mechanism = FLOATING.changed("a", armature=0.3).changed("b10", armature=0.7)
    with opened(mechanism) as simulation:
        assert_agree(read(simulation), mechanism)


def test_armature_is_read_anew():
    """What is written to a joint's armature shows in the next read of a prepared mass matrix."""
    from ovphysx.types import SimObjectType

    with opened(pendulum(armature=0.4)) as simulation:
        reader = simulation.reader(simulation.query(ObjectType.ARTICULATION), ["massMatrix"])
        before = reader.read()["massMatrix"].numpy().item()
        with simulation._engine.physx.write_sync(SimObjectType.ARTICULATION_JOINT, ["jointArmature"]) as session:
            (group,) = session.groups
            group.tensors[0].numpy()[:] = 1.4
            session.commit_sync(group)
            del group
        assert reader.read()["massMatrix"].numpy().item() == pytest.approx(before + 1.0, rel=1e-6)


def test_fixed_roots_have_no_centroidal_momentum(scene):
    """Floating ones are served though fixed ones are selected with them; these are left out by path."""
    with ovread.open(scene("mixed_base_articulations"), backend="physx") as simulation:
        for paths in ("/World/articulation", "/World/articulation2"), ("/World/articulation2", "/World/articulation"):
            result = read(simulation, paths=list(paths))
            assert result["centroidalMomentum"].paths == ("/World/articulation2",)
            (omission,) = result.omissions
            assert omission.paths == ("/World/articulation",)
            assert omission.reason is OmissionReason.UNSUPPORTED_CONFIGURATION
            assert [group.paths for group in result.all("jacobian")] == [
                ("/World/articulation2",),
                ("/World/articulation",),
            ]


def test_sizes_of_jacobians_are_one_column(scene):
    """Articulations of several sizes have their Jacobians apart, but the sizes together, in the caller's order."""
    expected = {"/World/articulation": [6, 1], "/World/articulation2": [12, 7]}
    with ovread.open(scene("mixed_base_articulations"), backend="physx") as simulation:
        for paths in (list(expected), list(expected)[::-1], ["/World/articulation2"]):
            query = simulation.query(ObjectType.ARTICULATION, paths=paths)
            for names in (["jacobianShape"], ["massMatrix", "jacobianShape", "dofCount"]):
                reader = simulation.reader(query, names)
                for _ in range(2):
                    simulation.step(1 / 240)
                    group = reader.read()["jacobianShape"]
                    assert group.paths == tuple(paths)
                    assert group.numpy().tolist() == [expected[path] for path in paths]


def test_rows_follow_the_caller_and_labels_the_rows(scene):
    """With several articulations of one size, each row has its own labels, whatever the order asked for."""
    with ovread.open(scene("two_articulations"), backend="physx") as simulation:
        paths = simulation.query(ObjectType.ARTICULATION).paths
        by_path = {path: read(simulation, ["massMatrix"], paths=[path])["massMatrix"] for path in paths}
        for order in (paths, paths[::-1]):
            groups = read(simulation, ["massMatrix"], paths=list(order)).all("massMatrix")
            for group in groups:
                for row, path in enumerate(group.paths):
                    assert group.labels[row] == by_path[path].labels[0]
                    assert all(label.startswith(path) for label in group.labels[row].columns)
                    np.testing.assert_array_equal(group.numpy()[row], by_path[path].numpy()[0])


def test_the_jacobian_is_left_out_where_its_numbers_contradict_the_order(monkeypatch):
    """With any two links confused, the engine's own numbers show it, and the Jacobian is not published."""
    actual = _matrices.read_centres
    with opened(FLOATING) as simulation:
        for pair in itertools.combinations(range(len(BRANCHED)), 2):
            places = np.arange(len(BRANCHED))
            places[list(pair)] = pair[::-1]
            monkeypatch.setattr(_matrices, "read_centres", lambda engine, places=places: actual(engine)[places])
            result = read(simulation)
            (omission,) = result.omissions
            assert omission.attribute == "jacobian"
            assert omission.reason is OmissionReason.UNSUPPORTED_CONFIGURATION
            assert "contradict" in omission.detail
            assert "massMatrix" in result


def test_articulations_that_share_a_path_have_no_jacobian(scene):
    """Which joints belong to which of them is not known in several scenes; what needs no links is served."""
    with ovread.open(scene("shared_root_multiscene"), backend="physx") as simulation:
        result = read(simulation, ["jacobian", "massMatrix"])
        assert [len(group) for group in result.all("massMatrix")] == [1, 2]
        assert "jacobian" not in result
        assert "share this path" in result.omissions[0].detail


def test_what_is_too_wide_for_the_engine_is_left_out():
    """A Jacobian of more than 65535 elements is omitted with that reason; the mass matrix beside it is read."""
    links = [Link("l0")]
    links += [Link(f"l{i}", f"l{i - 1}", "revolute", "Y", at(0.1), moments=(1.0, 1.0, 1.0)) for i in range(1, 105)]
    with opened(Mechanism(links, False, gravity=(0, 0, 0))) as simulation:
        result = read(simulation)
        assert result["massMatrix"].matrices().shape == (1, 110, 110)
        (omission,) = result.omissions
        assert (omission.attribute, omission.reason) == ("jacobian", OmissionReason.UNSUPPORTED_CONFIGURATION)
        assert "65535" in omission.detail


def test_an_articulation_without_freedoms_says_so():
    """Welded to the world through and through, there is nothing to read, and the omission says why."""
    with opened(Mechanism([Link("base"), Link("top", "base", frame0=at(0, 0, 1))])) as simulation:
        result = read(simulation)
        assert not len(result)
        assert {omission.attribute for omission in result.omissions} == set(NAMES)


def test_a_reader_refills_its_memory_and_survives_a_reset():
    """Values stay at one address; after a reset they are the authored state's again."""
    with opened(FLOATING) as simulation:
        reader = simulation.reader(simulation.query(ObjectType.ARTICULATION), [*NAMES, "rootPosition"])
        first = {group.attribute: group.numpy().copy() for group in reader.read()}
        where = [group.values.ptr for group in reader.read()]
        simulation.step(1 / 60, count=5)
        assert [group.values.ptr for group in reader.read()] == where
        assert np.abs(reader.read()["jacobian"].numpy() - first["jacobian"]).max() > 1e-3
        simulation.reset()
        for group in reader.read():
            np.testing.assert_allclose(group.numpy(), first[group.attribute], atol=1e-6, err_msg=group.attribute)
