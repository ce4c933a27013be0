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
