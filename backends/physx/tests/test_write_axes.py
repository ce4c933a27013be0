"""Joints with several axes: each value is written to the axis that it reads back on, and moves that one."""

from __future__ import annotations

import numpy as np
import pytest
from mechanisms import Link, Mechanism, at
from reading import JOINT, value

import ovread

DT = 1e-3
MOMENTS = np.array([0.2, 0.3, 0.4])
"""About x, y and z of the link, whose centre is where the joint is."""
ORDERS = {"X": (0, 1, 2), "Y": (1, 2, 0), "Z": (2, 0, 1)}
"""Moments about twist, swing1 and swing2, by the axis that a ball joint is authored with."""
CASES = [
    ("spherical", "X", (0, 1, 2), False),
    ("spherical", "Y", (0, 1, 2), False),
    ("spherical", "Z", (0, 1, 2), True),
    ("d6", "X", (0, 1, 2), False),
    ("d6", "X", (0, 2), True),
    ("d6", "X", (1,), False),
]
PATH = "/W/r/j_b"


@pytest.fixture(scope="module", params=CASES, ids=lambda case: f"{case[0]}-{case[1]}-{case[2]}")
def opened(request):
    kind, axis, free, is_reversed = request.param
    link = Link("b", "z", kind, axis, swapped=is_reversed, centre=at(), moments=MOMENTS, free=free)
    weightless = Mechanism((Link("z", mass=2.0), link), gravity=(0.0, 0.0, 0.0))
    order = ORDERS[axis] if kind == "spherical" else free
    with ovread.open(weightless.usda(), backend="physx") as simulation:
        yield simulation, MOMENTS[list(order)]


@pytest.fixture
def joint(opened):
    simulation, moments = opened
    simulation.reset()

    def gained(**values):
        """Write, step, and return the acceleration of each axis in radians."""
        query = simulation.query(JOINT, paths=[PATH])
        for name, given in values.items():
            column = np.broadcast_to(np.asarray(given, float), len(moments))
            simulation.set(query, name, [column])
            np.testing.assert_allclose(value(simulation, JOINT, PATH, name), column, rtol=1e-6)
        before = value(simulation, JOINT, PATH, "jointVelocity")
        simulation.step(DT)
        return np.deg2rad(np.subtract(value(simulation, JOINT, PATH, "jointVelocity"), before)) / DT

    return gained, moments


def lanes(moments):
    """A different number for each axis."""
    return np.array([2.0, -3.0, 5.0])[: len(moments)]


def test_efforts_and_armature_are_by_axis(joint):
    """Each axis accelerates by its effort over its inertia and armature."""
    gained, moments = joint
    efforts = lanes(moments)
    armature = np.abs(efforts) / 10
    expected = efforts / (moments + armature)
    np.testing.assert_allclose(gained(jointArmature=armature, jointActuationForce=efforts), expected, rtol=1e-3)


def test_an_axis_without_a_drive_gets_one(joint):
    """Type, bound, gain and target make a drive of an axis that was authored without; each is by axis."""
    gained, moments = joint
    targets, gains = lanes(moments), np.abs(lanes(moments)) / 10
    drive = {"jointDriveType": 1, "jointMaxForce": 1000.0, "jointStiffness": gains, "jointPositionTarget": targets}
    np.testing.assert_allclose(gained(**drive), gains * targets / moments, rtol=1e-2)


def test_a_drive_without_effort_does_nothing(joint):
    """An axis that was authored without a drive has the bound 0, which reads show, until that is written."""
    gained, _ = joint
    assert not gained(jointMaxForce=0.0, jointDriveType=1, jointStiffness=5.0, jointPositionTarget=10.0).any()


def test_rates_and_friction_are_by_axis(joint):
    """Each axis starts at its rate and loses what its viscous friction takes."""
    gained, moments = joint
    # Slowly enough for what the axes do to each other to be small.
    rates, friction = lanes(moments), np.abs(lanes(moments)) / 50
    lost = gained(jointVelocity=rates, jointViscousFriction=friction)
    np.testing.assert_allclose(lost, -friction * rates / moments, rtol=0.03, atol=0.01)


def test_a_position_turns_by_axis(joint):
    """Each coordinate is where it was written after a step at rest."""
    gained, moments = joint
    positions = 10 * lanes(moments)
    assert np.abs(gained(jointPosition=positions)).max() < 1e-3
