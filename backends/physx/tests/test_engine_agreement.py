"""What a read delivers is what the engine's own Python API reads, for every sample that ovphysx ships."""

from __future__ import annotations

import importlib.util
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from ovread_physx._articulations import read_trees
from ovread_physx._sources import ENVIRONMENT_VARIABLE

import ovread
from ovread import ObjectType, OmissionReason
from ovread.catalogue import Layout

WITHOUT_PHYSICS = {"api_surface_permutations"}
SAMPLES = [
    path
    for path in sorted(Path(importlib.util.find_spec("ovphysx").origin).parent.glob("samples/data/*.usda"))
    if path.stem not in WITHOUT_PHYSICS
]
ELSEWHERE = {ObjectType.CONTACT_SENSOR, ObjectType.DEBUG_RENDER}
MATRICES = {"jacobian", "jacobianShape", "massMatrix", "coriolisForce", "gravityForce", "centroidalMomentum"}
BODY_NAMES = {
    "positions": "position",
    "orientations": "orientation",
    "velocities": "linearVelocity",
    "angularVelocities": "angularVelocity",
    "accelerations": "linearAcceleration",
    "angularAccelerations": "angularAcceleration",
}
"""What the engine is asked for where it answers with the attributes of point instancers."""


def read_natively(simulation, object_type, names):
    """Read through PhysX.read: for each attribute, the values of each path, one array per row."""
    from ovphysx.types import SimObjectType

    engine = simulation._engine
    found = defaultdict(lambda: defaultdict(list))
    if object_type is ObjectType.RIGID_BODY:
        names = [BODY_NAMES.get(name, name) for name in names]
    names = list(dict.fromkeys(names))
    with engine.physx.read_sync(SimObjectType[object_type.name], names) as result:
        for group in result.groups:
            prims = engine.dictionary.get_paths(group.prim_list)[group.prim_offset :][: group.prim_count]
            values = [np.array(tensor.numpy()) for tensor in group.tensors]
            rows = values if group.is_array else values[0]
            name = engine.dictionary.token_to_string(group.attribute)
            for path, row in zip(engine.path_strings(prims), rows, strict=True):
                found[name][path].append(np.atleast_1d(row))
        result.groups.clear()
        del group
    return found


def assert_equal(group, path, values, candidates):
    """Some row of the engine has these values; several rows may share a path."""
    if group.row.layout is Layout.PER_SHAPE:
        candidates = [candidate[: len(values)] for candidate in candidates if not candidate[len(values) :].any()]
    elif group.attribute in ("dofJointPath", "dofAxisIndex"):
        values, candidates = np.sort(values.ravel()), [np.sort(row[: len(values)]) for row in candidates]
    unlimited = np.float32(3.4e38)
    for candidate in candidates:
        given, expected = values.ravel(), candidate.ravel()
        if given.dtype == np.float32:
            given, expected = (np.clip(each, -unlimited, unlimited) for each in (given, expected))
        if np.array_equal(given, expected):
            return
    pytest.fail(f"{group.attribute} of {path}: {values.tolist()} is none of {[row.tolist() for row in candidates]}")


def reversed_links(simulation):
    engine = simulation._engine
    trees = read_trees(engine, np.arange(len(engine.table(ObjectType.ARTICULATION).paths)))
    return {tree.link_paths[place] for tree in trees for place in tree.reversed_joints}


def check(simulation, object_type, query):
    names = [name for name in query.attributes if name not in MATRICES]
    if not names:
        return
    expected = read_natively(simulation, object_type, names)
    result = simulation.read(query, names)
    turned = reversed_links(simulation) if "linkIncomingJointForce" in names else ()
    for group in result:
        for path, values in zip(group.paths, group.per_prim(), strict=True):
            if group.attribute == "linkIncomingJointForce" and path in turned:
                continue  # the engine means another body: test_joint_forces.py
            if len(values) or expected[group.attribute].get(path):
                assert_equal(group, path, values, expected[group.attribute][path])
    not_ready = {omission.attribute for omission in result.omissions if omission.reason is OmissionReason.NOT_READY}
    assert not not_ready or simulation.tick == 0
    listed = set(query.paths)
    for name in names:
        omissions = [omission for omission in result.omissions if omission.attribute == name]
        answered = {path for group in result.all(name) for path in group.paths}
        explained = {path for omission in omissions for path in omission.paths or query.paths}
        assert answered | explained == listed, name
        shared = {path for path in listed if query.paths.count(path) > 1}
        given = listed.intersection(expected[name])
        if name == "linkIncomingJointForce":
            given -= explained  # where the stage does not tell which body it means
        assert name in not_ready or given <= answered | shared, f"{name} is served by the engine"
        assert all(omission.detail for omission in omissions)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.stem)
def test_every_value_is_the_engines(sample):
    """Each readable attribute of each type has the engine's value or a reason, before and after steps."""
    with ovread.open(sample, backend="physx") as simulation:
        queries = {kind: simulation.query(kind) for kind in ObjectType if kind not in ELSEWHERE}
        for steps in (0, 3):
            if steps:
                simulation.step(1 / 240, steps)
            for object_type, query in queries.items():
                if len(query):
                    check(simulation, object_type, query)


@pytest.mark.parametrize("name", ["point_instancers", "two_scenes", "vehicle_read_write", "mixed_base_articulations"])
def test_the_python_api_serves_every_type_too(name, scene, monkeypatch):
    """Where the C API is not used, the same values come, by the same names."""
    monkeypatch.setenv(ENVIRONMENT_VARIABLE, "public")
    test_every_value_is_the_engines(scene(name))


@pytest.mark.parametrize("name", ["point_instancers", "two_scenes", "materials", "d6_joints", "nested_articulations"])
def test_every_value_is_the_engines_in_our_scenes(name, scene):
    """The same for what no sample has: several instancers, several scenes, shapes of several kinds, shared paths."""
    test_every_value_is_the_engines(scene(name))
