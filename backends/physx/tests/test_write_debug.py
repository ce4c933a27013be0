"""Writes of the settings of debug rendering, and what is drawn then."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from ovread_physx._sources import ENVIRONMENT_VARIABLE

import ovread
from ovread import ObjectType, Writability
from ovread.errors import NotWritableError, ValueRefusedError

DT = 1 / 60
DEBUG = ObjectType.DEBUG_RENDER
WAYS = pytest.mark.parametrize("way", ["", "public"])


def values(simulation, name):
    """Read one setting; gives its elements."""
    return simulation.read(simulation.query(DEBUG), [name])[name].numpy().tolist()


CUBES = """#usda 1.0
(
    metersPerUnit = 1
    upAxis = "Z"
)
def PhysicsScene "Scene"
{
}
def Xform "Near"
{
    def Cube "Box" (apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"])
    {
        double size = 1
        bool physics:kinematicEnabled = 1
        double3 xformOp:translate = (1, 2, 3)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }
}
def Cube "Far" (apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"])
{
    double size = 1
    bool physics:kinematicEnabled = 1
    double3 xformOp:translate = (11, 2, 3)
    uniform token[] xformOpOrder = ["xformOp:translate"]
}
"""
NEAR, FAR = "/Near/Box", "/Far"
SCALES = [
    row.name
    for row in ovread.catalogue.attributes(DEBUG)
    if row.writability is not Writability.READ_ONLY and row.name not in ("enabled", "cullingBox", "scope")
]


@pytest.fixture(scope="module")
def opened_cubes():
    with ovread.open(CUBES, backend="physx") as simulation:
        yield simulation


@pytest.fixture
def cubes(opened_cubes):
    """Two cubes of size 1, at x = 1 and x = 11, at the start: nothing is drawn."""
    opened_cubes.reset()
    return opened_cubes


def configure(simulation, **settings):
    for name, wanted in settings.items():
        simulation.set(simulation.query(DEBUG), name, wanted)


def lines(simulation):
    """Step, and return the corners of all lines that are drawn, ``(lines, 2, 3)``."""
    simulation.step(DT)
    return simulation.read(simulation.query(DEBUG), ["linePosition"])["linePosition"].numpy().reshape(-1, 2, 3)


def drawn(simulation):
    """Step, and return which of the cubes have their edges drawn."""
    corners = lines(simulation)[:, :, 0]
    return {path for path, x in ((NEAR, 1), (FAR, 11)) if (abs(corners - x) < 1).any()}


@pytest.mark.reads_back(
    "DEBUG_RENDER",
    "enabled scale worldAxes bodyAxes bodyMassAxes bodyLinearVelocity bodyAngularVelocity contactPoint contactNormal "
    "contactError contactImpulse frictionPoint frictionNormal frictionImpulse actorAxes collisionAABBs "
    "collisionShapes collisionAxes collisionCompounds collisionFaceNormals collisionEdges collisionStaticPruner "
    "collisionDynamicPruner jointLocalFrames jointLimits cullBox mbpRegions simulationMesh sdf",
)
@pytest.mark.parametrize("name", ["enabled", *SCALES])
def test_a_setting_is_read_at_once(name, cubes):
    """Each setting reads its own value, and no other changes."""
    others = ["enabled", *SCALES]
    before = {group.attribute: group.numpy().item() for group in cubes.read(cubes.query(DEBUG), others)}
    configure(cubes, **{name: 1 if name == "enabled" else 0.25})
    now = {group.attribute: group.numpy().item() for group in cubes.read(cubes.query(DEBUG), others)}
    assert now == before | {name: 1 if name == "enabled" else 0.25}


@pytest.mark.refuses(
    "DEBUG_RENDER",
    "enabled scale worldAxes bodyAxes bodyMassAxes bodyLinearVelocity bodyAngularVelocity contactPoint contactNormal "
    "contactError contactImpulse frictionPoint frictionNormal frictionImpulse actorAxes collisionAABBs "
    "collisionShapes collisionAxes collisionCompounds collisionFaceNormals collisionEdges collisionStaticPruner "
    "collisionDynamicPruner jointLocalFrames jointLimits cullBox mbpRegions simulationMesh sdf",
)
@pytest.mark.parametrize("bad", [-0.25, 7, np.nan, np.inf])
def test_no_setting_takes_what_is_out_of_range(bad, cubes):
    """A flag is 0 or 1, a scale finite and not negative; all stay as they are."""
    names = ["enabled", *SCALES]
    before = {name: values(cubes, name) for name in names}
    for name in names:
        if bad != 7 or name == "enabled":
            with pytest.raises(ValueRefusedError, match=name):
                configure(cubes, **{name: bad})
    assert {name: values(cubes, name) for name in names} == before


@pytest.mark.obeys("DEBUG_RENDER", "enabled")
def test_nothing_is_drawn_until_it_is_enabled(cubes):
    """Lines appear with enabled, and are gone without it, or at scale 0."""
    configure(cubes, collisionShapes=1)
    assert not len(lines(cubes))
    configure(cubes, enabled=1)
    assert drawn(cubes) == {NEAR, FAR}
    configure(cubes, scale=0)
    assert not len(lines(cubes))
    configure(cubes, scale=1, enabled=0)
    assert not len(lines(cubes))


@pytest.mark.obeys("DEBUG_RENDER", "scale bodyAxes")
@pytest.mark.parametrize(("scale", "axes"), [(1, 1), (2, 1), (1, 3), (2, 0.5)])
def test_axes_are_as_long_as_the_scales_say(scale, axes, cubes):
    """Each of the three axes of a body is scale times its own scale long, from the body's centre."""
    configure(cubes, enabled=1, scale=scale, bodyAxes=axes, scope=[NEAR])
    ends = lines(cubes)
    np.testing.assert_allclose(ends[:, 0], [[1, 2, 3]] * 3, atol=1e-5)
    np.testing.assert_allclose(ends[:, 1] - ends[:, 0], scale * axes * np.eye(3), atol=1e-5)


GROWING = (
    "worldAxes bodyAxes bodyLinearVelocity bodyAngularVelocity contactNormal contactImpulse frictionNormal "
    "frictionImpulse actorAxes collisionAxes collisionFaceNormals jointLocalFrames jointLimits"
)
UNIT = "worldAxes bodyAxes contactNormal frictionNormal actorAxes collisionAxes collisionFaceNormals"
APPEARING = (
    "bodyMassAxes contactPoint contactError frictionPoint collisionAABBs collisionShapes collisionCompounds "
    "collisionEdges collisionStaticPruner collisionDynamicPruner cullBox sdf"
)


@pytest.fixture(scope="module")
def drawings(scene):
    """A box slides on the ground; beside it a compound, a mesh, a signed distance field, and a hinge with limits."""
    with ovread.open(scene("drawings"), backend="physx") as simulation:
        yield simulation


def draw(simulation, **settings):
    """Draw the same two steps; gives the elements of each kind, and the lengths of the lines."""
    simulation.reset()
    configure(simulation, enabled=1, cullingBox=[-50, -50, -50, 50, 50, 50], **settings)
    simulation.step(DT, 2)
    result = simulation.read(simulation.query(DEBUG), ["pointPosition", "linePosition", "trianglePosition"])
    ends = result["linePosition"].numpy().reshape(-1, 2, 3)
    return [len(group.numpy()) for group in result], np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)


@pytest.mark.obeys(
    "DEBUG_RENDER",
    "worldAxes bodyAxes bodyLinearVelocity bodyAngularVelocity contactNormal contactImpulse frictionNormal "
    "frictionImpulse actorAxes collisionAxes collisionFaceNormals jointLocalFrames jointLimits",
)
@pytest.mark.parametrize("name", GROWING.split())
def test_a_scale_is_a_length(name, drawings):
    """Nothing is drawn at 0; lines are twice as long at twice the scale; what has length 1 is as long as the scale."""
    assert not any(draw(drawings)[0])
    numbers, lengths = draw(drawings, **{name: 1})
    assert any(numbers)
    again, twice = draw(drawings, **{name: 2})
    assert again == numbers
    np.testing.assert_allclose(twice, 2 * lengths, rtol=1e-3, atol=1e-4)
    if name in UNIT.split():
        np.testing.assert_allclose(lengths, 1, rtol=1e-4)


def test_velocities_are_drawn_as_they_are(drawings):
    """The line of a velocity is as long as the body was fast when the step began, times the scale."""
    draw(drawings, bodyLinearVelocity=0.5)
    query = drawings.query(ObjectType.RIGID_BODY, paths=["/Box"])
    speed = np.linalg.norm(drawings.read(query, ["linearVelocity"])["linearVelocity"].numpy())
    ends = lines(drawings)
    assert np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1).max() == pytest.approx(0.5 * speed, rel=1e-4)


@pytest.mark.obeys(
    "DEBUG_RENDER",
    "bodyMassAxes contactPoint contactError frictionPoint collisionAABBs collisionShapes collisionCompounds "
    "collisionEdges collisionStaticPruner collisionDynamicPruner cullBox sdf",
)
@pytest.mark.parametrize("name", APPEARING.split())
def test_a_scale_draws_or_does_not(name, drawings):
    """Something is drawn, alike at every scale above 0."""
    numbers, _ = draw(drawings, **{name: 1})
    assert any(numbers)
    assert draw(drawings, **{name: 0.25})[0] == numbers


@pytest.mark.reads_back("DEBUG_RENDER", "cullingBox")
@pytest.mark.obeys("DEBUG_RENDER", "cullingBox")
@WAYS
def test_the_culling_box_leaves_out_what_is_outside(way, cubes, monkeypatch):
    """The box is read back, only what is inside is drawn, and without an element all is."""
    monkeypatch.setenv(ENVIRONMENT_VARIABLE, way)
    configure(cubes, enabled=1, collisionShapes=1, cullingBox=[-5, -6, -7, 5, 6, 7])
    assert values(cubes, "cullingBox") == [[-5, -6, -7, 5, 6, 7]]
    assert drawn(cubes) == {NEAR}
    configure(cubes, cullingBox=np.empty((0, 6)))
    assert values(cubes, "cullingBox") == []
    assert drawn(cubes) == {NEAR, FAR}


@pytest.mark.reads_back("DEBUG_RENDER", "scope")
@pytest.mark.obeys("DEBUG_RENDER", "scope")
@WAYS
def test_the_scope_draws_what_it_names(way, cubes, monkeypatch):
    """Any number of prims, in their order; an empty scope is everything."""
    monkeypatch.setenv(ENVIRONMENT_VARIABLE, way)
    configure(cubes, enabled=1, collisionShapes=1)
    for paths in ([FAR], [FAR, NEAR], [NEAR]):
        configure(cubes, scope=paths)
        assert cubes.resolve(cubes.read(cubes.query(DEBUG), ["scope"])["scope"]) == [paths]
        assert drawn(cubes) == set(paths)
    configure(cubes, scope=[])
    assert values(cubes, "scope") == []
    assert drawn(cubes) == {NEAR, FAR}


def test_a_scope_has_room_for_4096(cubes):
    """So many are read back; one more is refused and changes nothing."""
    configure(cubes, scope=[NEAR, FAR] * 2048)
    handles = values(cubes, "scope")
    assert len(handles) == 4096
    with pytest.raises(ValueRefusedError, match=r"4097 elements.*4096"):
        configure(cubes, scope=[NEAR] * 4097)
    assert values(cubes, "scope") == handles


def test_a_session_resizes_lists_and_starts_with_what_stands(cubes):
    """The group has the elements of now, and takes as many as it is given."""
    configure(cubes, cullingBox=[0, 0, 0, 1, 1, 1])
    handle = cubes._engine.handles_of([FAR])[0]
    with cubes.write(cubes.query(DEBUG), ["cullingBox", "scope", "scale"]) as session:
        assert session["cullingBox"].values.tolist() == [[0, 0, 0, 1, 1, 1]]
        assert session["scope"].values.shape == (0, 1)
        assert session["scale"].values.tolist() == [[1]]
        session["scope"].resize([2])
        session["scope"].values[:] = handle
        session["cullingBox"].resize([0])
        for group in session:
            session.commit(group)
    assert values(cubes, "scope") == [[handle]] * 2
    assert values(cubes, "cullingBox") == []


@pytest.mark.refuses("DEBUG_RENDER", "cullingBox scope")
@pytest.mark.parametrize(
    ("name", "bad", "why"),
    [
        ("enabled", 2, "0 or 1"),
        ("scale", -1, "at least 0"),
        ("collisionShapes", np.nan, "finite"),
        ("jointLimits", np.inf, "finite"),
        ("cullingBox", [1, -1, -1, 0, 1, 1], "lower bound"),
        ("cullingBox", [-np.inf, -1, -1, 1, 1, 1], "finite"),
        ("cullingBox", [[-1, -1, -1, 1, 1, 1]] * 2, "at most 1"),
        ("scope", ["/Near"], "/Near.*each by its own path"),
        ("scope", [NEAR, "/Nowhere"], r"element 1.*/Nowhere"),
        ("scope", [0], "each by its own path"),
        ("scope", [123456789], "no handle of this simulation"),
    ],
)
def test_a_bad_setting_changes_nothing(name, bad, why, cubes):
    """PhysX takes a scope of any number; here it names what can be drawn, or is refused, and all stays."""
    configure(cubes, enabled=1, scale=2, cullingBox=[0, 0, 0, 1, 1, 1], scope=[FAR])
    before = values(cubes, name)
    with pytest.raises(ValueRefusedError, match=why):
        configure(cubes, **{name: bad})
    assert values(cubes, name) == before


def test_reset_restores_the_settings(cubes):
    """PhysX keeps its settings when a stage is attached again; here all are as they were at the start."""
    names = ["enabled", *SCALES, "cullingBox", "scope"]
    before = {name: values(cubes, name) for name in names}
    configure(cubes, **dict.fromkeys(SCALES, 2), enabled=1, cullingBox=[0, 0, 0, 1, 1, 1], scope=[FAR])
    assert len(lines(cubes))
    cubes.reset()
    assert {name: values(cubes, name) for name in names} == before
    assert not len(lines(cubes))


def test_drawings_cannot_be_written(cubes):
    """Positions and colours of what is drawn are read only."""
    for kind, part in itertools.product(("point", "line", "triangle"), ("Position", "Color")):
        with pytest.raises(NotWritableError, match=f"{kind}{part}"):
            cubes.write(cubes.query(DEBUG), [f"{kind}{part}"])


def test_settings_of_an_attached_simulation(attached):
    """They are written as well; the instance is the caller's, and so are its settings afterwards."""
    simulation, physx, _ = attached(CUBES)
    configure(simulation, enabled=1, collisionShapes=1, scope=[FAR])
    physx.step_sync(DT)
    simulation.stepped(DT)
    ends = simulation.read(simulation.query(DEBUG), ["linePosition"])["linePosition"].numpy()
    assert len(ends) == 12
    assert ends[:, [0, 3]].min() > 10
