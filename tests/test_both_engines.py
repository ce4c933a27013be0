"""Both engines in one process, in any order, and nothing printed by them."""

from __future__ import annotations

import subprocess
import sys

import pytest

ORDERS = ["physx newton physx", "newton physx newton"]

SCRIPT = """
import sys
import ovread
from importlib import resources
from ovread import ObjectType

scene = resources.files("ovread").joinpath("scenes", "cartpole.usda")
kept = []
for backend in sys.argv[1:]:
    with ovread.open(scene, backend=backend) as sim:
        joints = sim.query(ObjectType.ARTICULATION_JOINT, pattern="/World/*/hinge")
        reader = sim.reader(joints, ["jointPosition", "jointVelocity"])
        sim.step(1 / 240, count=24)
        reader.read()
        kept.append(sim.read(joints, ["jointPosition"])["jointPosition"])
angles = [float(group.numpy()[0, 0]) for group in kept]
assert max(angles) - min(angles) < 0.1, angles
assert 20 < angles[0] < 30, angles
"""


@pytest.mark.parametrize("order", ORDERS)
def test_engines_share_a_process(order: str) -> None:
    """Either engine opens first, both run in one process, and nothing is written to standard output or error."""
    command = [sys.executable, "-c", SCRIPT, *order.split()]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


BAD_LIMIT = """#usda 1.0
(
    upAxis = "Z"
    metersPerUnit = 1
)
def PhysicsScene "Scene"
{
}
def Xform "World" (prepend apiSchemas = ["PhysicsArticulationRootAPI"])
{
    def Cube "base" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"])
    {
    }
    def Cube "arm" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"])
    {
    }
    def PhysicsFixedJoint "anchor"
    {
        rel physics:body1 = </World/base>
    }
    def PhysicsRevoluteJoint "hinge"
    {
        rel physics:body0 = </World/base>
        rel physics:body1 = </World/arm>
        float physics:lowerLimit = -20
    }
    def Mesh "bowl" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMeshCollisionAPI"])
    {
        uniform token physics:approximation = "convexDecomposition"
        point3f[] points = [(0, 0, 9), (1, 0, 9), (0, 1, 9), (0, 0, 10)]
        int[] faceVertexCounts = [3, 3, 3, 3]
        int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2]
    }
}
"""

DECOMPOSING = """
import sys
import ovread

for backend in ("newton", "physx"):
    with ovread.open(sys.argv[1], backend=backend) as sim:
        found = [item.rule for item in sim.diagnostics]
assert "engine-error" in found, found
assert "coacd" in sys.modules
"""


def test_an_engine_error_is_told_after_the_other_engine_has_decomposed_a_mesh() -> None:
    """The C++ runtime that comes with mesh decomposition does not break the error messages of the other engine."""
    command = [sys.executable, "-c", DECOMPOSING, BAD_LIMIT]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
