"""What is written of a shape's material and offsets, of bodies and of links, is what the next contact is made with."""

from __future__ import annotations

import numpy as np
import pytest
from reading import BODY, LINK, value

import ovread

DT = 1 / 60
ANGLE = np.deg2rad(20)
"""Of the slope that the box lies on: gravity is turned instead."""
GRAVITY = 10.0
GROUND = 0.5
"""Both friction coefficients of the ground; its restitution is 0, and PhysX takes the mean of two materials."""


def scene(gravity, is_link, height=0.5):
    """Return a box of 1 m above a plane; as a link it has another one fixed inside, without collider."""
    root = ', "PhysicsArticulationRootAPI"' if is_link else ""
    inner = f"""
def Xform "Inner" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
)
{{
    double3 xformOp:translate = (0, 0, {height})
    uniform token[] xformOpOrder = ["xformOp:translate"]
    float physics:mass = 0.01
    float3 physics:diagonalInertia = (0.01, 0.01, 0.01)
}}
def PhysicsFixedJoint "Weld"
{{
    rel physics:body0 = </Box>
    rel physics:body1 = </Inner>
}}"""
    return f"""#usda 1.0
(
    metersPerUnit = 1
    upAxis = "Z"
)
def PhysicsScene "Scene"
{{
    vector3f physics:gravityDirection = {tuple(np.divide(gravity, np.linalg.norm(gravity) or 1).tolist())}
    float physics:gravityMagnitude = {np.linalg.norm(gravity)}
}}
def Plane "Ground" (
    prepend apiSchemas = ["PhysicsCollisionAPI", "MaterialBindingAPI"]
)
{{
    uniform token axis = "Z"
    rel material:binding:physics = </Rough>
}}
def Material "Rough" (
    prepend apiSchemas = ["PhysicsMaterialAPI"]
)
{{
    float physics:staticFriction = {GROUND}
    float physics:dynamicFriction = {GROUND}
    float physics:restitution = 0
}}
def Cube "Box" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI", "PhysicsCollisionAPI", "PhysxRigidBodyAPI"{root}]
)
{{
    double size = 1
    double3 xformOp:translate = (0, 0, {height})
    uniform token[] xformOpOrder = ["xformOp:translate"]
    float physics:mass = 2
    float3 physics:diagonalInertia = (1, 1, 1)
    float physxRigidBody:angularDamping = 0
}}
{inner if is_link else ""}
"""


SLOPE = (GRAVITY * np.sin(ANGLE), 0, -GRAVITY * np.cos(ANGLE))
KINDS = [BODY, LINK]


@pytest.fixture(params=KINDS, ids=["body", "link"])
def kind(request):
    return request.param


def put(simulation, kind, name, number):
    simulation.set(simulation.query(kind, paths=["/Box"]), name, number)
    assert value(simulation, kind, "/Box", name) == pytest.approx([number])


def speed(simulation, kind):
    return value(simulation, kind, "/Box", "linearVelocity")


@pytest.mark.obeys("RIGID_BODY ARTICULATION_LINK", "staticFriction")
def test_static_friction_holds_up_to_its_slope(kind):
    """With a mean coefficient above the slope's tangent the box stays, and below it slides, though it slept."""
    with ovread.open(scene(SLOPE, kind is LINK), backend="physx") as simulation:
        for name in ("dynamicFriction", "staticFriction"):
            put(simulation, kind, name, 2.0)
        simulation.step(DT, count=120)
        assert np.abs(speed(simulation, kind)).max() < 1e-3
        assert value(simulation, kind, "/Box", "isSleeping") == [1]
        for name in ("dynamicFriction", "staticFriction"):
            put(simulation, kind, name, 0.0)
        simulation.step(DT, count=30)
        assert speed(simulation, kind)[0] == pytest.approx(
            0.5 * (np.sin(ANGLE) - GROUND / 2 * np.cos(ANGLE)) * 10, rel=0.05
        )


@pytest.mark.obeys("RIGID_BODY ARTICULATION_LINK", "dynamicFriction")
@pytest.mark.parametrize("friction", [0.0, 0.1])
def test_dynamic_friction_slows_what_slides(kind, friction):
    """A sliding box accelerates by gravity along the slope less the mean coefficient times the pressure."""
    with ovread.open(scene(SLOPE, kind is LINK), backend="physx") as simulation:
        put(simulation, kind, "staticFriction", friction)
        put(simulation, kind, "dynamicFriction", friction)
        simulation.step(DT, count=10)
        before = speed(simulation, kind)[0]
        simulation.step(DT, count=30)
        mean = (friction + GROUND) / 2
        expected = GRAVITY * (np.sin(ANGLE) - mean * np.cos(ANGLE)) * 30 * DT
        assert speed(simulation, kind)[0] - before == pytest.approx(expected, rel=2e-2)


@pytest.mark.obeys("RIGID_BODY ARTICULATION_LINK", "restitution")
@pytest.mark.parametrize("restitution", [0.0, 1.0])
def test_restitution_bounces(kind, restitution):
    """A box that hits the ground goes back with the mean restitution of its speed."""
    with ovread.open(scene((0, 0, 0), kind is LINK, height=0.6), backend="physx") as simulation:
        put(simulation, kind, "restitution", restitution)
        fall(simulation, kind, 3.0)
        simulation.step(DT, count=10)
        assert speed(simulation, kind)[2] == pytest.approx(3.0 * restitution / 2, rel=5e-2, abs=5e-2)


@pytest.mark.obeys("RIGID_BODY ARTICULATION_LINK", "restOffset")
def test_a_rest_offset_is_where_the_box_comes_to_rest(kind):
    """The box rests higher by the written offset."""
    with ovread.open(scene((0, 0, -GRAVITY), kind is LINK, height=0.51), backend="physx") as simulation:
        put(simulation, kind, "contactOffset", 0.1)
        put(simulation, kind, "restOffset", 0.05)
        simulation.step(DT, count=120)
        assert value(simulation, kind, "/Box", "position")[2] == pytest.approx(0.55, abs=2e-3)


@pytest.mark.obeys("RIGID_BODY ARTICULATION_LINK", "contactOffset")
@pytest.mark.parametrize(("offset", "is_stopped"), [(0.03, False), (1.0, True)])
def test_a_contact_offset_is_from_where_contacts_are_made(kind, offset, is_stopped):
    """A fast box within the offset is stopped at the ground; beyond it the step ends inside."""
    with ovread.open(scene((0, 0, 0), kind is LINK, height=0.7), backend="physx") as simulation:
        put(simulation, kind, "contactOffset", offset)
        fall(simulation, kind, 24.0)
        simulation.step(DT)
        height = value(simulation, kind, "/Box", "position")[2]
        assert height == pytest.approx(0.5 if is_stopped else 0.3, abs=2e-2)


def fall(simulation, kind, speed):
    if kind is BODY:
        simulation.set(simulation.query(BODY), "linearVelocity", (0, 0, -speed))
    else:
        articulations = simulation.query(ovread.ObjectType.ARTICULATION)
        simulation.set(articulations, "rootLinearVelocity", (0, 0, -speed))
