"""Debug rendering: its settings, and what it draws of a cube."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from ovread_physx._elements import NativeElements, PublicElements
from ovread_physx._sources import ENVIRONMENT_VARIABLE

import ovread
from ovread import ObjectType, OmissionReason

CUBE = """#usda 1.0
(
    metersPerUnit = 1
    upAxis = "Z"
)
def PhysicsScene "Scene"
{
}
def Cube "Box" (apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"])
{
    double size = 1
    bool physics:kinematicEnabled = 1
    double3 xformOp:translate = (1, 2, 3)
    uniform token[] xformOpOrder = ["xformOp:translate"]
}
"""
DRAWN = {"pointPosition", "pointColor", "linePosition", "lineColor", "trianglePosition", "triangleColor"}


@pytest.fixture
def cube():
    with ovread.open(CUBE, backend="physx") as simulation:
        yield simulation


def configure(simulation, **settings):
    for name, values in settings.items():
        simulation.set(simulation.query(ObjectType.DEBUG_RENDER), name, values)


def test_there_is_one_row(cube):
    """Debug rendering is one object with the path of the whole stage, and every attribute has a group."""
    query = cube.query(ObjectType.DEBUG_RENDER)
    cube.step(1 / 60)
    result = cube.read(query, query.attributes)
    assert query.paths == ("/",)
    assert {group.attribute for group in result} == set(query.attributes)
    assert not result.omissions


def test_settings_read_what_was_set(cube):
    """Each setting reads its own value: a number, a flag, a box of six, a list of paths."""
    configure(
        cube,
        enabled=[1],
        scale=[2.5],
        contactNormal=[0.25],
        cullingBox=[-5, -6, -7, 5, 6, 7],
        scope=["/Box"],
    )
    names = ["enabled", "scale", "contactNormal", "contactPoint", "cullingBox", "scope"]
    result = cube.read(cube.query(ObjectType.DEBUG_RENDER), names)
    values = {group.attribute: group.numpy().tolist() for group in result}
    assert {name: values[name] for name in names[:5]} == {
        "enabled": [[1]],
        "scale": [[2.5]],
        "contactNormal": [[0.25]],
        "contactPoint": [[0.0]],
        "cullingBox": [[-5, -6, -7, 5, 6, 7]],
    }
    assert cube.resolve(result["scope"]) == [["/Box"]]


def test_lines_are_the_edges_of_the_cube(cube):
    """A drawn cube is lines whose ends are its corners, one element per line with two colours."""
    configure(cube, enabled=[1], scale=[1], collisionShapes=[1])
    cube.step(1 / 60)
    result = cube.read(cube.query(ObjectType.DEBUG_RENDER), ["linePosition", "lineColor"])
    ends = result["linePosition"].numpy().reshape(-1, 2, 3)
    corners = set(itertools.product((0.5, 1.5), (1.5, 2.5), (2.5, 3.5)))
    assert {tuple(end) for end in ends.reshape(-1, 3).round(4).tolist()} == corners
    np.testing.assert_allclose(np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1), 1, atol=1e-5)
    assert result["lineColor"].numpy().shape == (len(ends), 2)
    assert (result["lineColor"].numpy() >> 24 == 0xFF).all()


def test_one_reader_follows_what_is_drawn(cube):
    """The same reader has no element while nothing is drawn, then some, then none; lanes stay."""
    reader = cube.reader(cube.query(ObjectType.DEBUG_RENDER), ["linePosition", "trianglePosition", "cullingBox"])
    sizes = []
    for scale in (0, 1, 0):
        configure(cube, enabled=[scale], scale=[1], collisionShapes=[scale], cullingBox=[[-9, -9, -9, 9, 9, 9]] * scale)
        cube.step(1 / 60)
        result = reader.read()
        assert [group.numpy().shape[1] for group in result] == [6, 9, 6]
        for group in result:
            assert group.offsets.tolist() == [0, len(group.numpy())]
        sizes.append([len(group.numpy()) for group in result])
    assert sizes[0] == sizes[2] == [0, 0, 0]
    assert sizes[1][0] > 0
    assert sizes[1][1:] == [0, 1]


def test_nothing_is_drawn_before_a_step(cube):
    """Geometry is NOT_READY until a step has drawn it; settings can be read at once."""
    query = cube.query(ObjectType.DEBUG_RENDER)
    result = cube.read(query, query.attributes)
    assert {omission.attribute for omission in result.omissions} == DRAWN
    assert {omission.reason for omission in result.omissions} == {OmissionReason.NOT_READY}
    assert {group.attribute for group in result} == set(query.attributes) - DRAWN


def test_the_c_api_and_the_python_api_read_the_same(cube, monkeypatch):
    """Every attribute is equal bit by bit, with something drawn."""
    configure(cube, enabled=[1], scale=[1], collisionShapes=[1], cullingBox=[-9, -9, -9, 9, 9, 9])
    cube.step(1 / 60)
    read = {}
    for way, source in (("", NativeElements), ("public", PublicElements)):
        monkeypatch.setenv(ENVIRONMENT_VARIABLE, way)
        query = cube.query(ObjectType.DEBUG_RENDER)
        reader = cube.reader(query, query.attributes)
        assert type(reader._prepared._binding._source) is source
        read[way] = {group.attribute: group.numpy().tolist() for group in reader.read()}
    assert read[""] == read["public"]
    assert len(read[""]["linePosition"]) > 0
