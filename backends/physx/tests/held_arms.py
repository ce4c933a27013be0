"""Arms of 2 kg that joints of several kinds hold against gravity, and the force that holds them."""

import numpy as np
from ovread_conformance import rotations

ANGLE = 40.0
LEVER = np.array([0.8, 0.1, 0.0])
"""From the joint's origin to the arm's centre of mass, in the arm's axes."""
IN_BASE = rotations.quaternion((1, 0, 0), 90)
IN_ARM = rotations.quaternion((1, 2, 3), 70)
"""The joint's frame on the two bodies."""
ORIGIN = {"base": (0, 0, 1), "arm": (-0.5, 0, 0)}
KINDS = {
    "Revolute": ("angular", ANGLE, 'uniform token physics:axis = "Z"'),
    "Twist": ("angular", ANGLE, 'uniform token physics:axis = "X"'),
    "Prismatic": ("linear", 0.1, 'uniform token physics:axis = "Y"'),
    "Slide": ("linear", 0.1, 'uniform token physics:axis = "Z"'),
    "Fixed": (None, 0.0, ""),
}
SPHERICAL = (None, 0.0, 'uniform token physics:axis = "X"')
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


def usd(values):
    return tuple(float(value) for value in values)


def usd_quaternion(q):
    return usd([q[3], *q[:3]])


def robot(name, body0, body1, kind="Revolute", in_base=IN_BASE, in_arm=IN_ARM, scale=(1, 1, 1), arm="arm"):
    """Return a 2 kg arm that a stiff drive holds away from where its joint's frames coincide."""
    frames = {"base": in_base, "arm": in_arm}
    turn = rotations.product(in_base, rotations.conjugate(in_arm))
    place = ORIGIN["base"] - rotations.matrix(turn) @ ORIGIN["arm"]
    instance, target, extra = KINDS.get(kind, SPHERICAL)
    drive = f"""
        float drive:{instance}:physics:targetPosition = {target if body0 == "base" else -target}
        float drive:{instance}:physics:stiffness = 100000
        float drive:{instance}:physics:damping = 10000
        float drive:{instance}:physics:maxForce = 1000000"""
    schemas = f'(prepend apiSchemas = ["PhysicsDriveAPI:{instance}"])' if instance else ""
    joint = {"Twist": "Revolute", "Slide": "Prismatic"}.get(kind, kind)
    names = {"base": "base", "arm": arm}
    return f"""
def Xform "{name}" (prepend apiSchemas = ["PhysicsArticulationRootAPI"])
{{
    float3 xformOp:scale = {usd(scale)}
    uniform token[] xformOpOrder = ["xformOp:scale"]
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
        double3 xformOp:translate = {usd(place)}
        quatd xformOp:orient = {usd_quaternion(turn)}
        uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]
        def Xform "below"
        {{
        }}
    }}
    def PhysicsFixedJoint "anchor"
    {{
        rel physics:body1 = </{name}/base>
    }}
    def Physics{joint}Joint "hinge" {schemas}
    {{
        rel physics:body0 = </{name}/{names[body0]}>
        rel physics:body1 = </{name}/{names[body1]}>
        point3f physics:localPos0 = {ORIGIN[body0]}
        point3f physics:localPos1 = {ORIGIN[body1]}
        quatf physics:localRot0 = {usd_quaternion(frames[body0])}
        quatf physics:localRot1 = {usd_quaternion(frames[body1])}
        {extra}
        {drive if instance else ""}
    }}
}}
"""


def both(kind):
    return robot(f"{kind}Forward", "base", "arm", kind) + robot(f"{kind}Reversed", "arm", "base", kind)


SCENE = HEADER + "".join(map(both, KINDS))


def holding(orientation):
    """Return what holds the arm: 20 N against gravity and the moment of the lever, in the arm's joint frame."""
    arm = rotations.matrix(orientation)
    frame = arm @ rotations.matrix(IN_ARM)
    force = np.array([0.0, 0.0, 20.0])
    return np.concatenate([frame.T @ force, frame.T @ np.cross(arm @ LEVER, force)])
