"""Every attribute that is declared as writable reads back as it was written, in every sample that ovphysx ships."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from ovread_physx._sources import ENVIRONMENT_VARIABLE

import ovread
from ovread import ObjectType
from ovread.catalogue import Role, attributes
from ovread.errors import NotWritableError, ValueRefusedError

LEFT_OUT = {
    "api_surface_permutations": "has no physics",
    "limit_sentinels": "has limits that are larger than what a write takes",
    "sdf_cube": "is slow to cook",
    "sdf_collision_scene": "is slow to cook",
}
SAMPLES = [
    path
    for folder in (
        Path(importlib.util.find_spec("ovphysx").origin).parent / "samples/data",
        Path(__file__).parent / "scenes",
    )
    for path in sorted(folder.glob("*.usda"))
    if path.stem not in LEFT_OUT
]
KINDS = [
    ObjectType.RIGID_BODY,
    ObjectType.ARTICULATION_LINK,
    ObjectType.ARTICULATION_JOINT,
    ObjectType.ARTICULATION,
    ObjectType.FIXED_TENDON,
    ObjectType.SPATIAL_TENDON,
    ObjectType.DEFORMABLE_MATERIAL,
]


def is_writable(row):
    return ovread.backends()["physx"].writing_of(row.key).is_accepted


def other(row, values, random):
    """Return values that differ from these, row by row, and that the attribute accepts."""
    if row.role is Role.FLAG:
        return 1 - values
    if row.role is Role.ENUM:
        return (values + 1) % 3
    if row.role is Role.QUATERNION:
        turned = values + 0.3 * random.normal(size=values.shape)
        return turned / np.linalg.norm(turned, axis=1, keepdims=True)
    if row.name == "inertia":
        return values * 1.5
    if row.accepts.is_ordered:
        return np.where(np.abs(values) < 1e14, values * 0.5, values)
    if row.accepts.maximum is not None:
        return 0.1 + 0.3 * random.random(values.shape)
    if row.name in ("restOffset", "jointDynamicFriction"):
        return values - 0.001 if row.name == "restOffset" else values * 0.5
    return np.where(np.abs(values) < 1e30, values + 0.1 + 0.1 * random.random(values.shape), 7.0)


def assert_read_back(simulation, query, row, random):
    try:
        session = simulation.write(query, [row.name])
    except NotWritableError:
        return 0
    with session:
        for group in session:
            before = group.values.copy()
            group.values[...] = other(row, group.values.astype(np.float64), random)
            wanted = group.values.copy()
            session.commit(group)
            if row.readable:
                same = simulation.query(query.object_type, paths=list(dict.fromkeys(group.paths)))
                [read] = [each.numpy() for each in simulation.read(same, row.name) if each.scene == group.scene]
                sign = np.sign((read * wanted).sum(axis=1, keepdims=True)) if row.role is Role.QUATERNION else 1
                np.testing.assert_allclose(read * sign, wanted, rtol=2e-5, atol=2e-5, err_msg=row.name)
        if row.role is Role.FLAG and row.readable:
            with simulation.write(query, [row.name]) as back:
                for group in back:
                    group.values[...] = before[:1]
                    back.commit(group)
    return len(session)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_what_is_written_reads_back_before_any_step(path):
    """Each row gets a value of its own: rows in another order, or of another scene, would be seen."""
    random = np.random.default_rng(1)
    with ovread.open(path, backend="physx") as simulation:
        for kind in KINDS:
            query = simulation.query(kind)
            for row in attributes(kind) if len(query) else ():
                if is_writable(row):
                    assert_read_back(simulation, query, row, random)


@pytest.mark.parametrize("name", ["Ant", "three_shapes", "two_scenes", "shared_root_multiscene", "d6_joints"])
def test_the_public_interface_writes_the_same(scene, name, monkeypatch):
    """Writes through PhysX.write, which stand in for those through the C library, leave the same state."""
    states = []
    for way in ("", "public"):
        monkeypatch.setenv(ENVIRONMENT_VARIABLE, way)
        random = np.random.default_rng(2)
        with ovread.open(scene(name), backend="physx") as simulation:
            written = 0
            found = {}
            for kind in KINDS:
                query = simulation.query(kind)
                for row in attributes(kind) if len(query) else ():
                    if is_writable(row):
                        written += assert_read_back(simulation, query, row, random)
                names = (
                    [each for each in query.attributes if not each.endswith(("Pointer", "Path"))] if len(query) else []
                )
                found |= {
                    (kind, group.attribute, group.scene): group.numpy() for group in simulation.read(query, names)
                }
        assert written
        states.append(found)
    assert states[0].keys() == states[1].keys()
    for key, values in states[0].items():
        np.testing.assert_array_equal(values, states[1][key], err_msg=str(key))


def commit_as_it_starts(simulation, query, name):
    try:
        session = simulation.write(query, [name])
    except NotWritableError:
        return
    with session:
        for group in session:
            session.commit(group)


@pytest.mark.parametrize("name", ["Ant", "basic_simulation", "three_shapes", "kinematic_support", "d6_joints"])
def test_writing_what_was_read_changes_nothing(scene, name):
    """After some steps a session that is committed as it starts leaves every value, and the next step, as they were."""
    results = []
    for writes in (False, True):
        with ovread.open(scene(name), backend="physx") as simulation:
            simulation.step(1 / 240, count=20)
            for kind in KINDS if writes else ():
                query = simulation.query(kind)
                for row in attributes(kind) if len(query) else ():
                    if row.readable and is_writable(row):
                        commit_as_it_starts(simulation, query, row.name)
            simulation.step(1 / 240)
            found = {}
            for kind in (ObjectType.RIGID_BODY, ObjectType.ARTICULATION_LINK):
                for group in simulation.read(simulation.query(kind), ["position", "linearVelocity", "isSleeping"]):
                    found[kind, group.attribute] = group.numpy()
            results.append(found)
    for key, values in results[0].items():
        np.testing.assert_array_equal(results[1][key], values, err_msg=str(key))


@pytest.mark.reads_back(
    "DEFORMABLE_MATERIAL",
    "deformableDynamicFriction deformableYoungsModulus deformablePoissonsRatio deformableElasticityDamping "
    "deformableBendingStiffness deformableThickness deformableBendingDamping",
)
@pytest.mark.refuses(
    "DEFORMABLE_MATERIAL",
    "deformableDynamicFriction deformableYoungsModulus deformablePoissonsRatio deformableElasticityDamping "
    "deformableBendingStiffness deformableThickness deformableBendingDamping",
)
@pytest.mark.parametrize("name", ["surface_deformable_material", "volume_deformable_simple"])
def test_materials_of_deformables(scene, name):
    """Each reads back and is not negative; what bends is of surface materials alone."""
    kind = ObjectType.DEFORMABLE_MATERIAL
    with ovread.open(scene(name), backend="physx") as simulation:
        query = simulation.query(kind)
        for row in attributes(kind):
            if name.startswith("volume") and row.name not in query.attributes:
                with pytest.raises(NotWritableError, match="only surface materials"):
                    simulation.set(query, row.name, 0.2)
                continue
            simulation.set(query, row.name, 0.2)
            with pytest.raises(ValueRefusedError, match=row.name):
                simulation.set(query, row.name, -0.1)
            np.testing.assert_allclose(simulation.read(query, row.name)[row.name].numpy(), 0.2, rtol=1e-6)
