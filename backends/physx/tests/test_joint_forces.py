"""The force of the inbound joint: on the child, in the child's joint frame, about the joint's origin."""

import numpy as np
import pytest
from ovread_conformance import rotations

import ovread
from ovread import ObjectType

ANGLE = 40.0
LEVER = np.array([0.8, 0.1, 0.0])
"""From the joint's origin to the arm's centre of mass, in the arm's axes."""
TURNED = rotations.matrix(rotations.quaternion((1, 0, 0), 90))
"""The joint's frame on either body."""

SIDES = {
    "base": "point3f physics:localPos{0} = (0, 0, 1)",
    "arm": "point3f physics:localPos{0} = (-0.5, 0, 0)",
}


def robot(name: str, body0: str, body1: str) -> str:
    """Return a 2 kg arm that a stiff drive holds at an angle."""
    target = ANGLE if body0 == "base" else -ANGLE
    return f"""
def Xform "{name}" (prepend apiSchemas = ["PhysicsArticulationRootAPI"])
{{
    def Xform "base" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
    {{
        float physics:mass = 1
        float3 physics:diagonalInertia = (0.1, 0.1, 0.1)
    }}
    def Xform "arm" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
    {{
        float physics:mass = 2
        float3 physics:diagonalInertia = (0.1, 0.1, 0.1)
        point3f physics:centerOfMass = (0.3, 0.1, 0)
        double3 xformOp:translate = (0.5, 0, 1)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }}
    def PhysicsFixedJoint "anchor"
    {{
        rel physics:body1 = </{name}/base>
    }}
    def PhysicsRevoluteJoint "hinge" (prepend apiSchemas = ["PhysicsDriveAPI:angular"])
    {{
        uniform token physics:axis = "Z"
        rel physics:body0 = </{name}/{body0}>
        rel physics:body1 = </{name}/{body1}>
        {SIDES[body0].format(0)}
        {SIDES[body1].format(1)}
        quatf physics:localRot0 = (0.7071068, 0.7071068, 0, 0)
        quatf physics:localRot1 = (0.7071068, 0.7071068, 0, 0)
        float drive:angular:physics:targetPosition = {target}
        float drive:angular:physics:stiffness = 100000
        float drive:angular:physics:damping = 10000
        float drive:angular:physics:maxForce = 100000
    }}
}}
"""


HEADER = """#usda 1.0
(
    upAxis = "Z"
    metersPerUnit = 1
)
def PhysicsScene "Scene"
{
    vector3f physics:gravityDirection = (0, 0, -1)
    float physics:gravityMagnitude = 10
}
"""
SCENE = HEADER + robot("Forward", "base", "arm") + robot("Reversed", "arm", "base")


@pytest.fixture(scope="module")
def result():
    with ovread.open(SCENE, backend="physx") as sim:
        sim.step(1 / 240, count=960)
        yield sim.read(sim.query(ObjectType.ARTICULATION_LINK), ["linkIncomingJointForce", "orientation"])


def test_it_holds_the_child_in_the_childs_joint_frame(result):
    """20 N against gravity and the moment of the lever, turned with the arm by 40 degrees."""
    (orientation,) = (value for path, value in zip(result["orientation"].paths, result["orientation"].per_prim(),
                                                   strict=True) if path == "/Forward/arm")  # fmt: skip
    arm = rotations.matrix(orientation)
    frame = arm @ TURNED
    force = np.array([0.0, 0.0, 20.0])
    torque = np.cross(arm @ LEVER, force)
    group = result["linkIncomingJointForce"]
    got = group.per_prim()[group.paths.index("/Forward/arm")]
    np.testing.assert_allclose(got, [*(frame.T @ force), *(frame.T @ torque)], atol=2e-3)


def test_where_the_engine_means_the_other_body_it_is_left_out(result):
    """A link that is body0 of its inbound joint is omitted by path; the native value is the force on the other body."""
    assert "/Reversed/arm" not in result["linkIncomingJointForce"].paths
    (omission,) = result.omissions
    assert (omission.attribute, omission.paths) == ("linkIncomingJointForce", ("/Reversed/arm",))
    assert "body0" in omission.detail
    assert len(result["orientation"].paths) == 4
