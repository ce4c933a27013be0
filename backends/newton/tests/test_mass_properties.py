"""Principal axes, centres of mass and lists of articulations."""

from __future__ import annotations

from collections.abc import Callable

import newton
import numpy as np
import pinocchio as pin
import warp as wp
from mechanisms import Link, Mechanism, at
from ovread_newton._principal_axes import principal_axes

import ovread
from ovread import ObjectType, OmissionReason, Simulation

Opened = Callable[..., Simulation]

ARTICULATION = ObjectType.ARTICULATION
LINK = ObjectType.ARTICULATION_LINK
BRANCHED = Mechanism(
    [
        Link("base", centre=at(0.1, 0.2, 0.3, about=(1, 2, 3), degrees=50), moments=(0.2, 0.3, 0.4)),
        Link("arm10", "base", "revolute", "Y", at(0.5), at(-0.3), centre=at(0.1), q=(20.0,)),
        Link("arm9", "base", "prismatic", "X", at(-0.5), at(0.3), mass=2.0, q=(0.2,)),
        Link("tip", "arm9", "revolute", "Z", at(0.1), at(-0.3), q=(-35.0,)),
    ],
    is_fixed=False,
    root=at(0.3, -0.2, 1.0, about=(1, 2, -1), degrees=25),
)


def matrix(turn: np.ndarray) -> np.ndarray:
    """Return the rotation matrix of a quaternion."""
    return pin.Quaternion(*turn[[3, 0, 1, 2]].astype(float)).normalized().matrix()


def turns(*quaternions: tuple[float, ...]) -> np.ndarray:
    """Return quaternions as an array."""
    return np.array(quaternions, float)


def test_principal_axes_are_those_of_the_tensor() -> None:
    """Seen from them the tensor is diagonal; they are proper rotations."""
    generator = np.random.default_rng(1)
    axes = [pin.exp3(generator.uniform(-2, 2, 3)) for _ in range(50)]
    moments = generator.uniform(0.5, 2.0, (50, 3))
    moments[:10, 1] = moments[:10, 0]
    tensors = np.array([q @ np.diag(m) @ q.T for q, m in zip(axes, moments, strict=True)])
    found = principal_axes(tensors, np.zeros((50, 4)))
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, atol=1e-12)
    for turn, tensor, expected in zip(found, tensors, moments, strict=True):
        seen = matrix(turn).T @ tensor @ matrix(turn)
        np.testing.assert_allclose(seen, np.diag(np.diag(seen)), atol=5e-6)
        np.testing.assert_allclose(np.sort(np.diag(seen)), np.sort(expected), atol=5e-6)


def test_authored_axes_stand_while_they_are_principal_axes() -> None:
    """Of the many that a tensor has, the authored ones are taken; none that are not its own."""
    turned = turns((np.sqrt(0.5), 0, 0, np.sqrt(0.5)))
    for tensor, expected in ((np.diag([1.0, 2.0, 3.0]), turned), (np.eye(3), turned)):
        np.testing.assert_allclose(principal_axes(tensor[None], turned), expected, atol=1e-9)
    askew = turns((np.sin(0.3), 0, 0, np.cos(0.3)))
    np.testing.assert_allclose(principal_axes(np.diag([1.0, 2.0, 3.0])[None], askew), turns((0, 0, 0, 1)), atol=1e-9)


def test_centre_of_mass_orientation_is_as_authored(opened: Opened) -> None:
    """Authored principal axes read back, whatever the body's own rotation."""
    simulation = opened("principal_axes")
    query = simulation.query(ObjectType.RIGID_BODY)
    given = simulation.read(query, ["centerOfMassOrientation"])["centerOfMassOrientation"]
    half = np.radians(15)
    for name in ("rotz30", "rotbody"):
        turn = given.numpy()[given.paths.index(f"/W/{name}")]
        np.testing.assert_allclose(turn, [0, 0, np.sin(half), np.cos(half)], atol=1e-6)


def test_local_centre_of_mass_is_seen_from_the_mass_frame_of_the_root(opened: Opened) -> None:
    """The root's mass frame, not its prim's, places it in the world."""
    simulation = opened(BRANCHED.usda())
    simulation.step(1 / 240, count=5)
    whole = simulation.read(simulation.query(ARTICULATION), ["centerOfMassLocal", "centerOfMassWorld"])
    names = ("position", "orientation", "centerOfMassPosition", "centerOfMassOrientation")
    root = simulation.read(simulation.query(LINK, paths=["/W/r/base"]), names)
    place, turn, centre, axes = (root[name].numpy()[0].astype(float) for name in names)
    local = whole["centerOfMassLocal"].numpy()[0]
    np.testing.assert_allclose(matrix(axes), BRANCHED.links[0].centre.rotation, atol=1e-6)
    in_body = centre + matrix(axes) @ local
    np.testing.assert_allclose(place + matrix(turn) @ in_body, whole["centerOfMassWorld"].numpy()[0], atol=1e-5)
    assert np.abs(in_body - local).max() > 0.1


def test_degrees_of_freedom_follow_the_joints(opened: Opened) -> None:
    """dofJointPath and dofAxisIndex list the axes of each joint in turn, joints in natural path order."""
    simulation = opened(BRANCHED.usda())
    result = simulation.read(simulation.query(ARTICULATION), ["dofJointPath", "dofAxisIndex", "dofCount"])
    (paths,) = simulation.resolve(result["dofJointPath"])
    assert paths == [f"/W/r/j_{name}" for name in ("arm9", "arm10", "tip")]
    assert result["dofAxisIndex"].numpy().ravel().tolist() == [0, 0, 0]
    assert result["dofCount"].numpy().item() == 3
    simulation = opened("d6")
    result = simulation.read(simulation.query(ARTICULATION), ["dofJointPath", "dofAxisIndex"])
    for paths, axes in zip(simulation.resolve(result["dofJointPath"]), result["dofAxisIndex"].per_prim(), strict=True):
        assert len(set(paths)) == 1
        assert axes.ravel().tolist() == list(range(len(paths)))


def test_shapes_of_an_articulation_are_those_of_its_links(opened: Opened) -> None:
    """Links in natural path order; an articulation without colliders has none."""
    cube = 'def Cube "{}" (prepend apiSchemas = ["PhysicsCollisionAPI"])\n{{\n}}\n'
    text = BRANCHED.usda()
    for link, count in (("arm10", 1), ("arm9", 2)):
        head = f'def Xform "{link}" ('
        start = text.index("{", text.index(head)) + 1
        text = text[:start] + "\n" + "".join(cube.format(f"c{number}") for number in range(count)) + text[start:]
    simulation = opened(text)
    result = simulation.read(simulation.query(ARTICULATION), ["shapeCount", "restitution"])
    assert result["shapeCount"].numpy().tolist() == [[3]]
    assert result["restitution"].offsets.tolist() == [0, 3]


def test_an_articulation_without_mass_has_no_centre() -> None:
    """It is omitted by path, and not a number is delivered."""
    builder = newton.ModelBuilder()
    link = builder.add_link(label="/link")
    builder.add_articulation([builder.add_joint_revolute(-1, link, label="/hinge")], label="/massless")
    model = builder.finalize(device="cpu")
    with ovread.attach(model, model.state()) as sim:
        result = sim.read(sim.query(ARTICULATION), ["centerOfMassWorld", "centerOfMassLocal"])
        assert {omission.attribute for omission in result.omissions} == {"centerOfMassWorld", "centerOfMassLocal"}
        assert {omission.reason for omission in result.omissions} == {OmissionReason.UNSUPPORTED_CONFIGURATION}
        assert all("/massless" in omission.detail for omission in result.omissions)


def test_principal_axes_follow_an_edited_inertia() -> None:
    """The model is read as it is, not as it was when the read was prepared."""
    builder = newton.ModelBuilder()
    builder.add_body(mass=2.0, inertia=wp.mat33(np.diag([1.0, 2.0, 3.0])), label="/body")
    model = builder.finalize(device="cpu")
    with ovread.attach(model, model.state()) as sim:
        reader = sim.reader(sim.query(ObjectType.RIGID_BODY), ["centerOfMassOrientation"])
        np.testing.assert_allclose(reader.read()["centerOfMassOrientation"].numpy(), [[0, 0, 0, 1]], atol=1e-6)
        turn = pin.AngleAxis(0.3, np.array([0.0, 0.0, 1.0])).matrix()
        model.body_inertia.assign((turn @ np.diag([1.0, 2.0, 3.0]) @ turn.T)[None].astype(np.float32))
        expected = [[0, 0, np.sin(0.15), np.cos(0.15)]]
        np.testing.assert_allclose(reader.read()["centerOfMassOrientation"].numpy(), expected, atol=1e-5)
