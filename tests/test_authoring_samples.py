"""What is told to be in force on the joints and bodies of sample robots is what both engines read."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from ovread_conformance.authored_scenes import JOINT_READS

import ovread
from ovread import ObjectType
from ovread.authoring import effective

SPEC = importlib.util.find_spec("ovphysx")
SAMPLES = Path(str(SPEC.origin)).parent / "samples" / "data" if SPEC else Path()
NAMES = {
    "CartRailDriveLinear": 5,
    "drive_type_articulation": 15,
    "two_articulations": 20,
    "mixed_base_articulations": 10,
}
"""Samples that ovphysx ships, and how many values are told of them that something reads."""
READ = {
    name.replace("angular", instance): attribute
    for name, attribute in JOINT_READS.items()
    for instance in ("angular", "linear")
} | {"physics:mass": "mass"}
KINDS = (ObjectType.ARTICULATION_JOINT, ObjectType.ARTICULATION_LINK, ObjectType.RIGID_BODY)


def numbers_told(scene: Path, path: str, backend: str) -> Iterator[tuple[str, float]]:
    """Give the reads of an object that are told, and what is told of them."""
    for each in effective(scene, path, backend).properties:
        told = each.values[0].value
        if each.name in READ and each.is_applied and isinstance(told, int | float):
            yield READ[each.name], min(told, ovread.UNLIMITED)


@pytest.mark.parametrize("backend", ["physx", "newton"])
@pytest.mark.parametrize("name", NAMES)
def test_samples_read_what_is_told_to_be_in_force(name: str, backend: str) -> None:
    """Each told value that a joint or body has a read for is what it reads."""
    scene, compared = SAMPLES / f"{name}.usda", 0
    with ovread.open(scene, backend=backend) as simulation:
        for query in map(simulation.query, KINDS):
            result = simulation.read(query, [each for each in sorted(set(READ.values())) if each in query.attributes])
            read = {group.attribute: dict(zip(group.paths, group.per_prim(), strict=True)) for group in result}
            for path in query.paths:
                for attribute, told in numbers_told(scene, path, backend):
                    if path in read.get(attribute, {}):
                        np.testing.assert_allclose(read[attribute][path].ravel(), told, rtol=1e-5, err_msg=path)
                        compared += 1
    assert compared == NAMES[name]
