"""What is written of how a body or a root is turned is where the next step starts from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from ovread_newton._rotations import multiply

from ovread import ObjectType, Simulation

BODY, LINK, ARTICULATION = ObjectType.RIGID_BODY, ObjectType.ARTICULATION_LINK, ObjectType.ARTICULATION

Opened = Callable[..., Simulation]

SCENE = """#usda 1.0
(
    metersPerUnit = 1
    upAxis = "Z"
)
def PhysicsScene "Scene"
{
    float physics:gravityMagnitude = 0
}
"""
ROBOT = """
def Xform "{name}" (
    prepend apiSchemas = ["PhysicsArticulationRootAPI"]
)
{{
    def Xform "Base" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
    )
    {{
        float physics:mass = 2
        float3 physics:diagonalInertia = (0.4, 0.4, 0.4)
        double3 xformOp:translate = (0, {y}, 0.5)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }}
    def Xform "Tip" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
    )
    {{
        float physics:mass = 0.002
        float3 physics:diagonalInertia = (0.001, 0.001, 0.001)
        double3 xformOp:translate = (0, {y}, 0.5)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }}
    def PhysicsRevoluteJoint "Joint"
    {{
        rel physics:body0 = </{name}/Base>
        rel physics:body1 = </{name}/Tip>
        uniform token physics:axis = "X"
    }}
}}
"""


def put(simulation: Simulation, kind: ObjectType, path: str, name: str, value: Any) -> None:
    """Write one attribute of one object."""
    simulation.set(simulation.query(kind, paths=[path]), name, value)


def got(simulation: Simulation, kind: ObjectType, path: str, name: str) -> np.ndarray:
    """Read it."""
    return simulation.read(simulation.query(kind, paths=[path]), [name])[name].numpy().ravel().astype(float)


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
    simulation = opened(SCENE + ROBOT.format(name="A", y=0) + ROBOT.format(name="B", y=5), solver=solver)
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
