"""Inertia, its axes and the centre of mass are written one by one, in any order, of bodies and of links."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from mechanisms import FLOATING
from ovread_conformance import rotations
from reading import BODY, LINK, value
from test_write_bodies import CENTRE, DT, INERTIA, MASS, MOMENTS, SCENE

import ovread

NEW_AXES = rotations.quaternion((1, 1, -2), 75)
NEW_INERTIA = rotations.matrix(NEW_AXES) @ np.diag([0.9, 0.6, 0.8]) @ rotations.matrix(NEW_AXES).T
NEW_CENTRE = np.array([-0.3, 0.2, 0.1])
WRITES = {
    "inertia": NEW_INERTIA.ravel(),
    "centerOfMassOrientation": NEW_AXES,
    "centerOfMassPosition": NEW_CENTRE,
    "mass": 5.0,
}


@pytest.fixture(scope="module", params=["body", "link"])
def opened(request):
    """A turned body with turned axes, or the root link of a floating mechanism."""
    source = SCENE if request.param == "body" else FLOATING.usda()
    kind, path = (BODY, "/B10") if request.param == "body" else (LINK, "/W/r/z")
    with ovread.open(source, backend="physx") as simulation:
        yield simulation, kind, path


@pytest.fixture
def frame(opened):
    simulation, kind, path = opened
    simulation.reset()

    def put(name, values):
        simulation.set(simulation.query(kind, paths=[path]), name, values)

    def get(name):
        return np.array(value(simulation, kind, path, name))

    return put, get


def moments(get):
    return np.sort(np.linalg.eigvalsh(get("inertia").reshape(3, 3)))


@pytest.mark.reads_back("RIGID_BODY ARTICULATION_LINK", "mass inertia centerOfMassPosition centerOfMassOrientation")
@pytest.mark.parametrize("order", list(itertools.permutations(WRITES, 2)), ids="-".join)
def test_each_keeps_what_it_does_not_set(frame, order):
    """The tensor is about the centre of mass, wherever that is; new axes keep the moments; mass scales nothing."""
    put, get = frame
    for name in order:
        before = {other: get(other) for other in (*WRITES, "position", "orientation")}
        held = moments(get)
        put(name, WRITES[name])
        np.testing.assert_allclose(_signed(name, get(name), WRITES[name]), WRITES[name], rtol=1e-4, atol=1e-5)
        kept = set(before) - {name}
        if name == "inertia":
            kept.remove("centerOfMassOrientation")
        elif name == "centerOfMassOrientation":
            kept.remove("inertia")
            np.testing.assert_allclose(moments(get), held, rtol=1e-4)
        for other in kept:
            np.testing.assert_allclose(
                _signed(other, get(other), before[other]), before[other], atol=1e-5, err_msg=other
            )


def _signed(name, values, expected):
    """A quaternion and its negative are one rotation."""
    return np.sign(values @ expected) * values if name.lower().endswith("orientation") else values


def test_axes_and_moments_make_the_tensor(frame):
    """After new axes the inertia is that of the old moments about them."""
    put, get = frame
    put("inertia", INERTIA.ravel())
    axes = rotations.matrix(get("centerOfMassOrientation"))
    held = np.diag(axes.T @ INERTIA @ axes)
    put("centerOfMassOrientation", NEW_AXES)
    turned = rotations.matrix(NEW_AXES) @ np.diag(held) @ rotations.matrix(NEW_AXES).T
    np.testing.assert_allclose(get("inertia").reshape(3, 3), turned, atol=1e-5)


@pytest.mark.obeys("RIGID_BODY", "inertia centerOfMassOrientation centerOfMassPosition")
@pytest.mark.parametrize("name", ["inertia", "centerOfMassOrientation", "centerOfMassPosition"])
def test_the_next_step_turns_by_the_written_frame(name):
    """Torque and a force off the centre give the spin of the written tensor about the written centre of mass."""
    axes = rotations.matrix(NEW_AXES)
    tensor = {"inertia": NEW_INERTIA, "centerOfMassOrientation": axes @ np.diag(MOMENTS) @ axes.T}.get(name, INERTIA)
    arm = NEW_CENTRE if name == "centerOfMassPosition" else CENTRE
    force, torque, point = np.array([2.0, -1, 3]), np.array([0.3, 0.5, -0.2]), np.array([0.5, 0.4, 5.5])
    with ovread.open(SCENE, backend="physx") as simulation:
        query = simulation.query(BODY, paths=["/B10"])
        simulation.set(query, "disableGravity", 1)
        simulation.set(query, name, WRITES[name])
        turn = rotations.matrix(value(simulation, BODY, "/B10", "orientation"))
        centre = value(simulation, BODY, "/B10", "position") + turn @ arm
        simulation.set(query, "wrench", [*force, *torque, *point])
        simulation.step(DT)
        moment = torque + np.cross(point - centre, force)
        rate = np.linalg.solve(turn @ tensor @ turn.T, moment) * DT
        np.testing.assert_allclose(value(simulation, BODY, "/B10", "angularVelocity"), rate, rtol=2e-3, atol=1e-5)
        np.testing.assert_allclose(value(simulation, BODY, "/B10", "linearVelocity"), force / MASS * DT, atol=1e-5)
