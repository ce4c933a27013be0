"""What is written to links and roots acts in the next step, and what the shapes of links have in the next contact."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from ovread_newton._rotations import multiply

from ovread import ObjectType, Simulation

BODY, LINK, JOINT = ObjectType.RIGID_BODY, ObjectType.ARTICULATION_LINK, ObjectType.ARTICULATION_JOINT
ARTICULATION = ObjectType.ARTICULATION
G = 9.81

Opened = Callable[..., Simulation]


def put(simulation: Simulation, kind: ObjectType, path: str, name: str, value: Any) -> None:
    """Write one attribute of one object."""
    simulation.set(simulation.query(kind, paths=[path]), name, value)


def got(simulation: Simulation, kind: ObjectType, path: str, name: str) -> np.ndarray:
    """Read it."""
    return simulation.read(simulation.query(kind, paths=[path]), [name])[name].numpy().ravel().astype(float)


ROOT = """ (
    prepend apiSchemas = ["PhysicsArticulationRootAPI"]
)"""
BOX = """
def Xform "{name}"{root}
{{
    def Cube "Box" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI", "PhysicsCollisionAPI",
            "MaterialBindingAPI"{more}]
    )
    {{
        double size = 1
        rel material:binding = </Icy>
        float physics:mass = 2
        float3 physics:diagonalInertia = (0.4, 0.4, 0.4)
        double3 xformOp:translate = (0, {y}, {z})
        uniform token[] xformOpOrder = ["xformOp:translate"]
        {attributes}
    }}
    def Xform "Tip" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"{more}]
    )
    {{
        float physics:mass = 0.002
        float3 physics:diagonalInertia = (0.001, 0.001, 0.001)
        double3 xformOp:translate = (0, {y}, {z})
        uniform token[] xformOpOrder = ["xformOp:translate"]
        {attributes}
    }}
    def PhysicsRevoluteJoint "Joint"
    {{
        rel physics:body0 = </{name}/Box>
        rel physics:body1 = </{name}/Tip>
        uniform token physics:axis = "X"
    }}
}}
"""

GROUND = """#usda 1.0
(
    metersPerUnit = 1
    upAxis = "Z"
)
def PhysicsScene "Scene"
{
    float physics:gravityMagnitude = 9.81
    vector3f physics:gravityDirection = (0, 0, -1)
}
def Material "Icy" (
    prepend apiSchemas = ["PhysicsMaterialAPI"]
)
{
    float physics:dynamicFriction = 0.1
    float physics:restitution = 0
}
def Material "Springy" (
    prepend apiSchemas = ["PhysicsMaterialAPI"]
)
{
    float physics:dynamicFriction = 0.1
    float physics:restitution = 0.8
}
def Plane "Ground" (
    prepend apiSchemas = ["PhysicsCollisionAPI", "MaterialBindingAPI"]
)
{
    rel material:binding = </Springy>
    uniform token axis = "Z"
}
"""


def boxes(z: float = 0.5, more: str = "", attributes: str = "") -> str:
    """Return two boxes on the ground, each the root of an articulation whose other link weighs next to nothing."""
    placed = (("A", 0), ("B", 5))
    return GROUND + "".join(
        BOX.format(name=name, root=ROOT, y=y, z=z, more=more, attributes=attributes) for name, y in placed
    )


A, B = "/A/Box", "/B/Box"


def throw(simulation: Simulation, *velocity: float) -> None:
    simulation.set(simulation.query(ARTICULATION), "rootLinearVelocity", velocity)


@pytest.mark.obeys("ARTICULATION_LINK", "friction")
def test_friction_of_a_link_brakes(opened: Opened) -> None:
    """A box that slides loses mu g a second, with the mean of its friction and the ground's; the other as before."""
    simulation = opened(boxes(), solver="steel")
    put(simulation, LINK, A, "friction", 0.3)
    throw(simulation, 1, 0, 0)
    simulation.step(1 / 400, count=20)
    before = [got(simulation, LINK, path, "linearVelocity")[0] for path in (A, B)]
    simulation.step(1 / 400, count=20)
    lost = np.subtract(before, [got(simulation, LINK, path, "linearVelocity")[0] for path in (A, B)]) / (20 / 400)
    np.testing.assert_allclose(lost, (0.2 * G, 0.1 * G), rtol=1e-2)


@pytest.mark.obeys("ARTICULATION_LINK", "restitution")
def test_restitution_of_a_link_bounces(opened: Opened) -> None:
    """A box that falls goes up with the written share of its speed; the other one with that of the authored mean."""
    simulation = opened(boxes(z=0.52), solver="steel")
    put(simulation, LINK, A, "restitution", 0.8)
    throw(simulation, 0, 0, -2)
    fastest = np.zeros(2)
    for _ in range(40):
        simulation.step(1 / 400)
        speeds = [got(simulation, LINK, path, "linearVelocity")[2] for path in (A, B)]
        fastest = np.maximum(fastest, speeds)
    fallen = np.sqrt(2**2 + 2 * G * 0.02)
    assert fastest[0] == pytest.approx(0.8 * fallen, rel=0.05)
    assert fastest[1] < 0.5 * fallen


@pytest.mark.obeys("ARTICULATION_LINK", "restOffset")
def test_a_rest_offset_of_a_link_raises_it(opened: Opened) -> None:
    """A box rests as much higher as its rest offset says, and the other one on the ground; contacts begin as before."""
    simulation = opened(boxes(z=0.52), solver="steel")
    contact = got(simulation, LINK, A, "contactOffset")
    put(simulation, LINK, A, "restOffset", 0.02)
    assert got(simulation, LINK, A, "restOffset")[0] == pytest.approx(0.02)
    np.testing.assert_allclose(got(simulation, LINK, A, "contactOffset"), contact, rtol=1e-6)
    simulation.step(1 / 400, count=120)
    heights = [got(simulation, LINK, path, "position")[2] for path in (A, B)]
    assert heights[0] - heights[1] == pytest.approx(0.02, abs=1e-3)


@pytest.mark.obeys("ARTICULATION_LINK", "contactOffset")
def test_contacts_of_a_link_are_made_at_its_contact_offset(opened: Opened) -> None:
    """A box a quarter above the ground makes contacts once its offset and the ground's add up to that."""
    simulation = opened(boxes(z=0.75), solver="steel")
    counts = []
    for offset in (0.1, 0.14, 0.16):
        simulation.reset()
        put(simulation, LINK, A, "contactOffset", offset)
        simulation.step(1e-5)
        counts.append(int(simulation._engine.contacts.rigid_contact_count.numpy()[0]))
    assert counts == [0, 0, 4]


@pytest.mark.obeys("RIGID_BODY ARTICULATION_LINK", "disableGravity")
@pytest.mark.parametrize("kind", [BODY, LINK])
def test_gravity_is_taken_from_bodies_and_links(opened: Opened, kind: ObjectType) -> None:
    """One that is written floats, and falls again once the flag is taken back; the other one the other way round."""
    weightless = {"more": ', "PhysxRigidBodyAPI"', "attributes": "bool physxRigidBody:disableGravity = 1"}
    text = boxes(z=3, **weightless)
    if kind is BODY:
        text = text.replace(ROOT, "").replace("PhysicsRevoluteJoint", "Scope")
    simulation = opened(text, solver="mujoco")
    one = simulation.query(kind, paths=[A, "/A/Tip"])
    for flags in (0, 1):
        simulation.reset()
        simulation.set(one, "disableGravity", flags)
        assert got(simulation, kind, A, "disableGravity") == [flags]
        simulation.step(1e-3)
        assert got(simulation, kind, A, "linearVelocity")[2] == pytest.approx(-(1 - flags) * G * 1e-3, abs=1e-6)
        assert got(simulation, kind, B, "linearVelocity")[2] == pytest.approx(0, abs=1e-6)


@pytest.mark.obeys("ARTICULATION_LINK", "force wrench")
@pytest.mark.parametrize("solver", ["mujoco", "steel", "featherstone"])
def test_links_are_pushed(opened: Opened, solver: str) -> None:
    """A force moves a slide by F / m, and a wrench a flap by t / I and a force off its axis, for one step alone."""
    simulation = opened("driven_arms", solver=solver)
    dt = 1e-3
    put(simulation, LINK, "/World/slide", "force", (3, 5, 7))
    put(simulation, LINK, "/World/arm", "wrench", (0, 2, 0, 0, 0, 0.3, 0.4, 0, 0))
    simulation.step(dt)
    rail, hinge, turned = (f"/World/{name}" for name in ("rail", "hinge", "turned"))
    assert got(simulation, JOINT, rail, "jointVelocity")[0] == pytest.approx(3 / 2 * dt, rel=5e-3)
    spin = np.degrees((0.3 + 0.4 * 2) / 0.5) * dt
    assert got(simulation, JOINT, hinge, "jointVelocity")[0] == pytest.approx(spin, rel=5e-3)
    assert got(simulation, JOINT, turned, "jointVelocity")[0] == pytest.approx(0, abs=1e-6)
    simulation.step(dt)
    assert got(simulation, JOINT, rail, "jointVelocity")[0] == pytest.approx(3 / 2 * dt, rel=5e-3)


HALF = np.array((0, 0, np.sin(0.01), np.cos(0.01)))
"""A turn about z by 0.02."""
TURN = np.array((0.5, 0.5, 0.5, 0.5))


@pytest.mark.obeys("RIGID_BODY", "orientation angularVelocity")
@pytest.mark.parametrize("solver", ["mujoco", "steel", "xpbd", "featherstone"])
def test_a_body_goes_on_turning_from_the_written_orientation(opened: Opened, solver: str) -> None:
    """After a step of 0.01 at 2 rad/s about the world's z it is turned by 0.02 from what was written."""
    simulation = opened("weightless", solver=solver)
    put(simulation, BODY, "/World/B", "orientation", TURN)
    put(simulation, BODY, "/World/B", "angularVelocity", (0, 0, 2))
    simulation.step(0.01)
    found = got(simulation, BODY, "/World/B", "orientation")
    assert abs(found @ multiply(HALF, TURN)) > 1 - 1e-7
    np.testing.assert_allclose(got(simulation, BODY, "/World/B", "position"), (-4, 0, 0), atol=1e-6)


@pytest.mark.obeys("ARTICULATION", "rootPosition rootOrientation rootLinearVelocity rootAngularVelocity")
@pytest.mark.parametrize("solver", ["mujoco", "steel", "featherstone"])
def test_a_root_goes_on_from_the_written_pose_and_velocity(opened: Opened, solver: str) -> None:
    """A floating articulation moves and turns on as a whole, in world axes, from where it was put."""
    text = boxes().replace("gravityMagnitude = 9.81", "gravityMagnitude = 0")
    simulation = opened(text, solver=solver)
    for name, value in (
        ("rootPosition", (7, 8, 9)),
        ("rootOrientation", TURN),
        ("rootLinearVelocity", (1, 2, 3)),
        ("rootAngularVelocity", (0, 0, 2)),
    ):
        put(simulation, ARTICULATION, "/A", name, value)
        np.testing.assert_allclose(got(simulation, ARTICULATION, "/A", name), value, atol=1e-6)
    simulation.step(0.01)
    np.testing.assert_allclose(got(simulation, ARTICULATION, "/A", "rootPosition"), (7.01, 8.02, 9.03), atol=1e-4)
    assert abs(got(simulation, ARTICULATION, "/A", "rootOrientation") @ multiply(HALF, TURN)) > 1 - 1e-6
    np.testing.assert_allclose(got(simulation, LINK, "/A/Tip", "position"), (7.01, 8.02, 9.03), atol=1e-4)
    np.testing.assert_allclose(got(simulation, ARTICULATION, "/B", "rootPosition"), (0, 5, 0.5), atol=1e-4)
