"""The force of the inbound joint: on the child, in the child's joint frame, about the joint's origin."""

import numpy as np
import pytest
from held_arms import ANGLE, HEADER, IN_ARM, IN_BASE, KINDS, SCENE, both, holding, robot, usd_quaternion
from ovread_conformance import rotations
from ovread_physx._joint_forces import NAME
from ovread_physx._sources import ENVIRONMENT_VARIABLE

import ovread
from ovread import ObjectType, OmissionReason

LINK = ObjectType.ARTICULATION_LINK


@pytest.fixture(scope="module")
def simulation():
    with ovread.open(SCENE, backend="physx") as sim:
        sim.step(1 / 240, count=960)
        yield sim


def values(result, name=NAME):
    return {path: row for group in result.all(name) for path, row in zip(group.paths, group.per_prim(), strict=True)}


@pytest.mark.parametrize("sense", ["Forward", "Reversed"])
@pytest.mark.parametrize("kind", KINDS)
def test_it_holds_the_child_in_the_childs_joint_frame(simulation, kind, sense):
    """Whichever body of its joint the arm is, and however the joint's frame lies in the two bodies."""
    result = simulation.read(simulation.query(LINK), [NAME, "orientation"])
    assert not result.omissions
    path = f"/{kind}{sense}/arm"
    orientation = values(result, "orientation")[path]
    if KINDS[kind][0] == "angular":
        start = rotations.product(IN_BASE, rotations.conjugate(IN_ARM))
        turned = rotations.product(rotations.conjugate(start), orientation)
        assert 2 * np.degrees(np.arccos(abs(turned[3]))) == pytest.approx(ANGLE, abs=0.1)
    np.testing.assert_allclose(values(result)[path], holding(orientation), atol=0.015)
    np.testing.assert_array_equal(values(result)[f"/{kind}{sense}/base"], np.zeros(6))


def test_rows_follow_the_caller_and_need_no_parent(simulation):
    """A link alone, in any company and order, has the force that it has among all; its parent need not be selected."""
    expected = values(simulation.read(simulation.query(LINK), [NAME]))
    arms = [f"/{kind}{sense}/arm" for kind in KINDS for sense in ("Reversed", "Forward")]
    for paths in (
        [arms[0]],
        arms,
        arms[::-1],
        [arms[4], "/FixedForward/base", arms[1], arms[0], "/TwistReversed/base"],
    ):
        result = simulation.read(simulation.query(LINK, paths=paths), ["mass", NAME])
        assert result[NAME].paths == result["mass"].paths == tuple(paths)
        np.testing.assert_array_equal(result[NAME].numpy(), [expected[path] for path in paths])


def test_a_reader_follows_the_motion():
    """Each read turns by the orientations of that read, in the same memory; before the first step there is nothing."""
    with ovread.open(SCENE, backend="physx") as sim:
        reader = sim.reader(sim.query(LINK), [NAME, "orientation"])
        (omission,) = reader.read().omissions
        assert (omission.attribute, omission.reason) == (NAME, OmissionReason.NOT_READY)
        where = set()
        for _ in range(3):
            sim.step(1 / 240, count=20)
            result = reader.read()
            where.add(result[NAME].values.ptr)
            now = values(result)
            for kind in KINDS:
                np.testing.assert_allclose(
                    now[f"/{kind}Reversed/arm"], now[f"/{kind}Forward/arm"], atol=0.05, rtol=1e-3
                )
        assert len(where) == 1


def test_the_python_api_serves_it_too(monkeypatch):
    monkeypatch.setenv(ENVIRONMENT_VARIABLE, "public")
    with ovread.open(HEADER + both("Revolute"), backend="physx") as sim:
        sim.step(1 / 240, count=960)
        result = sim.read(sim.query(LINK), [NAME, "orientation"])
        expected = holding(values(result, "orientation")["/RevoluteReversed/arm"])
        np.testing.assert_allclose(values(result)["/RevoluteReversed/arm"], expected, atol=0.015)


@pytest.mark.parametrize("sample", ["drive_type_articulation", "mixed_link_count_articulations"])
def test_a_joint_that_the_root_reverses_balances_the_momentum(sample, scene):
    """PhysX takes a root amid a floating chain: for links at either end, m a = F + m g, in world axes."""
    head = """def Capsule "link0" (
            apiSchemas = ["PhysicsCollisionAPI", "PhysicsRigidBodyAPI"]
        )
        {"""
    weightless = head.replace('API"]', 'API", "PhysxRigidBodyAPI"]') + "\nbool physxRigidBody:disableGravity = 1"
    text = scene(sample).read_text()
    assert text.count(head) == 2
    with ovread.open(text.replace(head, weightless), backend="physx") as sim:
        sim.step(1e-3, count=300)
        query = sim.query(LINK)
        before = values(sim.read(query, ["linearVelocity"]), "linearVelocity")
        sim.step(1e-3)
        state = sim.read(query, [NAME, "orientation", "linearVelocity", "mass", "disableGravity"])
        assert not state.omissions
        forces, turns, speeds, masses, floats = (
            values(state, name) for name in (NAME, "orientation", "linearVelocity", "mass", "disableGravity")
        )
        moved = {path for path, force in forces.items() if force.any()}
        ends = {path for path in moved if path[-1] in "03" or path == "/World/articulation_long/link2"}
        assert any(path.endswith("link0") for path in ends), "a joint leads to link0, which is its body0"
        for path in ends:
            acceleration = (speeds[path] - before[path]) / 1e-3
            gravity = [0.0, 0.0, 0.0 if floats[path][0] else -9.81]
            force = rotations.matrix(turns[path]) @ forces[path][:3]
            np.testing.assert_allclose(force, masses[path] * (acceleration - gravity), atol=0.3)
            assert np.abs(force).max() > 20


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"scale": (-1, 1, 1)}, "mirrored"),
        ({"arm": "arm/below"}, "below a link"),
        ({"in_base": np.zeros(4)}, "localRot"),
    ],
)
def test_what_the_stage_does_not_tell_is_left_out(changes, why):
    """The native value of such a link is the force on the other body: it is omitted by path, with the reason."""
    turned = changes.pop("in_base", None)
    text = robot("R", "arm", "base", **changes)
    if turned is not None:
        text = text.replace(f"localRot1 = {usd_quaternion(IN_BASE)}", f"localRot1 = {usd_quaternion(turned)}")
    with ovread.open(HEADER + text, backend="physx") as sim:
        sim.step(1 / 240)
        result = sim.read(sim.query(LINK), [NAME, "orientation"])
        assert result[NAME].paths == ("/R/base",)
        (omission,) = result.omissions
        assert (omission.attribute, omission.paths) == (NAME, ("/R/arm",))
        assert omission.reason is OmissionReason.UNSUPPORTED_CONFIGURATION
        assert why in omission.detail
        assert len(result["orientation"].paths) == 2


def test_a_half_turn_by_scales_is_no_mirror():
    """Two negative scales make a rotation, which the engine has in the orientations."""
    with ovread.open(HEADER + robot("R", "arm", "base", scale=(-1, -1, 1)), backend="physx") as sim:
        sim.step(1 / 240, count=960)
        result = sim.read(sim.query(LINK), [NAME, "orientation"])
        expected = holding(values(result, "orientation")["/R/arm"])
        np.testing.assert_allclose(values(result)["/R/arm"], expected, atol=0.015)


def test_links_of_unknown_joints_are_left_out(scene):
    """Where articulations share a path in several scenes, which joints lead to which links is not known."""
    with ovread.open(scene("shared_root_multiscene"), backend="physx") as sim:
        sim.step(1 / 240)
        query = sim.query(LINK)
        result = sim.read(query, [NAME, "mass"])
        assert result.omissions
        omitted = {path for omission in result.omissions for path in omission.paths or query.paths}
        assert omitted == set(query.paths) - values(result).keys()
        assert values(result, "mass").keys() == set(query.paths)
        assert all("could not be established" in omission.detail for omission in result.omissions)


@pytest.mark.parametrize("axis", ["X", "Y", "Z"])
def test_a_spherical_joint_has_its_force_by_the_axes_of_its_coordinates(axis):
    """The engine gives it by x, y, z of the frame; coordinates and this value are by the authored axis first."""
    text = HEADER + robot("R", "base", "arm", "Spherical", in_base=IN_ARM)
    with ovread.open(text.replace('physics:axis = "X"', f'physics:axis = "{axis}"'), backend="physx") as sim:
        sim.step(1 / 240, count=60)
        joints = sim.read(sim.query(ObjectType.ARTICULATION_JOINT), ["jointPosition", "jointProjectedForce"])
        position, projected = (joints[name].numpy()[:, 0] for name in ("jointPosition", "jointProjectedForce"))
        links = sim.read(sim.query(LINK, paths=["/R/arm"]), [NAME, "orientation"])
        vector = rotations.matrix(IN_ARM).T @ np.degrees(rotations.vector(links["orientation"].numpy()[0]))
        assert np.abs(vector).min() > 0.5
        axes = {"X": np.eye(3), "Y": np.eye(3)[[1, 2, 0]], "Z": np.diag([1, -1, -1]) @ np.eye(3)[[2, 0, 1]]}[axis]
        np.testing.assert_allclose(position, axes @ vector, atol=1e-2)
        torque = links[NAME].numpy()[0, 3:]
        assert np.abs(np.diff(torque)).min() > 1e-3
        np.testing.assert_allclose(projected, axes @ torque, atol=1e-5)
