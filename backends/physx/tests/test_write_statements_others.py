"""Statements of the write API about character controllers and debug rendering that no other test observes."""

from __future__ import annotations

import numpy as np
import pytest
from reading import BODY, DT, by_path, engine_session

import ovread
from ovread import ObjectType
from ovread.errors import NotWritableError

CONTROLLER, DEBUG = ObjectType.CHARACTER_CONTROLLER, ObjectType.DEBUG_RENDER

# Character controllers


PLATFORM = """
def Cube "Platform" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]
)
{
    double size = 4
    bool physics:kinematicEnabled = 1
    double3 xformOp:translate = (0, 0, 2)
    uniform token[] xformOpOrder = ["xformOp:translate"]
}
"""
WALKER, OTHER = "/Turned/Walker", "/Turned/Other"


@pytest.fixture(scope="module")
def opened_riders(scene):
    text = scene("walkers").read_text()
    with ovread.open(text + PLATFORM, backend="physx") as simulation:
        yield simulation


@pytest.fixture
def riders(opened_riders):
    """Two controllers, one of them above a kinematic platform whose top is at z = 4."""
    opened_riders.reset()
    return opened_riders


def place(simulation, path):
    return by_path(simulation, BODY, ["position"], paths=[path])["position"][path][0]


@pytest.mark.parametrize(("down", "carried"), [(0, 0.04), (0.001, 0.2)])
def test_a_move_of_zero_follows_a_platform_twice(down, carried, riders):
    """Of ten steps of a moving body a controller makes two by moves of zero, and all by moves that press down."""
    walker, platform = riders.query(CONTROLLER, paths=[WALKER]), riders.query(BODY, paths=["/Platform"])
    for _ in range(3):
        riders.set(walker, "move", (0, 0, -1))
        riders.step(DT)
    np.testing.assert_allclose(place(riders, WALKER), (0, 0, 5.1), atol=1e-3)
    for step in range(10):
        riders.set(platform, "kinematicTargetPosition", (0, 0.02 * (step + 1), 2))
        riders.step(DT)
        riders.set(walker, "move", (0, 0, -down))
    riders.step(DT)
    np.testing.assert_allclose(place(riders, WALKER), (0, carried, 5.1), atol=2e-3)
    riders.set(platform, "kinematicTargetPosition", (0, 0.3, 2))
    riders.step(DT, 2)
    np.testing.assert_allclose(place(riders, WALKER), (0, carried, 5.1), atol=2e-3, err_msg="none without a move")


def test_the_smallest_move_is_made(riders):
    """There is no distance below which a controller stays."""
    start = place(riders, OTHER)
    riders.set(riders.query(CONTROLLER, paths=[OTHER]), "move", (0, 0, 1e-4))
    riders.step(DT)
    assert place(riders, OTHER)[2] - start[2] == pytest.approx(1e-4, rel=5e-2)


def test_a_controller_in_the_air_stays_there(riders):
    """Without a move nothing moves it, and gravity does not."""
    start = place(riders, OTHER)
    riders.step(DT, 30)
    np.testing.assert_array_equal(place(riders, OTHER), start)


def test_a_controller_cannot_be_teleported(riders):
    """Its body takes no pose from ovread: move is the only way."""
    for name, values in (("position", (1, 2, 3)), ("kinematicTargetPosition", (1, 2, 3))):
        with pytest.raises(NotWritableError, match="move"):
            riders.set(riders.query(BODY, paths=[WALKER]), name, values)


def test_the_kinematic_target_has_the_move_at_once(riders):
    """The pose waits for the step, what it goes to does not."""
    start = place(riders, OTHER)
    riders.set(riders.query(CONTROLLER, paths=[OTHER]), "move", (0.5, 0, 0))
    target = by_path(riders, BODY, ["kinematicTargetPosition"], paths=[OTHER])["kinematicTargetPosition"]
    np.testing.assert_allclose(target[OTHER][0] - start, (0.5, 0, 0), atol=1e-5)
    np.testing.assert_array_equal(place(riders, OTHER), start)


# Debug rendering


def test_a_magnitude_of_zero_draws_no_more(riders):
    """What was drawn with another magnitude is gone, and what else is drawn stays."""
    settings = riders.query(DEBUG)
    riders.set(settings, "enabled", 1)
    counts = []
    for bodies, shapes in ((1, 0), (1, 1), (0, 1), (0, 0)):
        riders.set(settings, "bodyAxes", bodies)
        riders.set(settings, "collisionShapes", shapes)
        riders.step(DT)
        counts.append(len(riders.read(settings, ["linePosition"])["linePosition"].numpy()))
    axes, both, shapes, nothing = counts
    assert axes > 0
    assert shapes > 0
    assert both == axes + shapes
    assert nothing == 0


@pytest.mark.parametrize(("name", "shape"), [("cullingBox", (7,)), ("scope", (4097,))])
def test_the_engine_s_own_box_and_scope_have_fixed_sizes(name, shape, riders):
    """A flag and six numbers, and a count with room for 4096 tokens; ovread has as many elements as there are."""
    with engine_session(riders, DEBUG, [name]) as session:
        assert [group.tensors[0].numpy().shape for group in session.groups] == [shape]
    with riders.write(riders.query(DEBUG), [name]) as session:
        assert len(session[name].values) == 0


def test_the_engine_writes_one_setting_at_a_time(riders):
    """It opens no session of two; ovread does, and commits each."""
    with pytest.raises(RuntimeError, match="a debug-render write takes one attribute"):
        engine_session(riders, DEBUG, ["enabled", "scale"])
    with riders.write(riders.query(DEBUG), ["enabled", "scale"]) as session:
        session["enabled"].values[...], session["scale"].values[...] = 1, 2
        for group in session:
            session.commit(group)
    result = riders.read(riders.query(DEBUG), ["enabled", "scale"])
    assert [group.numpy().item() for group in result] == [1, 2]
