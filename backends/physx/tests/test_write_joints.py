"""What is written to the axis of a joint reads back at once, and the next step obeys it."""

from __future__ import annotations

import numpy as np
import pytest
from driven_arms import ARMS, IS_ANGLE, LIMIT, SCENE
from reading import JOINT, value

import ovread

DT = 1e-3
EACH = pytest.mark.parametrize("path", ARMS)


@pytest.fixture(scope="module")
def opened():
    with ovread.open(SCENE, backend="physx") as simulation:
        yield simulation


@pytest.fixture
def simulation(opened):
    opened.reset()
    return opened


def put(simulation, path, **values):
    """Write attributes in turn; each must read back as it was written, before any step."""
    query = simulation.query(JOINT, paths=[path])
    for name, given in values.items():
        simulation.set(query, name, given)
        np.testing.assert_allclose(value(simulation, JOINT, path, name), np.ravel(given), rtol=1e-5, err_msg=name)


def rate(simulation, path, steps=1):
    """Step, and return the rate in radians or lengths; the other axes must not have moved."""
    simulation.step(DT, count=steps)
    for other in ARMS.keys() - {path}:
        assert value(simulation, JOINT, other, "jointVelocity") == pytest.approx([0], abs=1e-6)
    return in_radians(path, value(simulation, JOINT, path, "jointVelocity")[0])


def in_radians(path, coordinate):
    return np.deg2rad(coordinate) if IS_ANGLE[path] else coordinate


def amount(path, degrees):
    """An angle, or a hundredth of it as a length."""
    return degrees if IS_ANGLE[path] else degrees / 100


@pytest.mark.obeys("ARTICULATION_JOINT", "jointActuationForce")
@EACH
def test_effort_divided_by_inertia(simulation, path):
    """An effort, on its own, accelerates the axis by effort / (inertia + armature), and stays until it is changed."""
    put(simulation, path, jointActuationForce=3.0)
    assert rate(simulation, path) == pytest.approx(3 / ARMS[path] * DT, rel=1e-4)
    assert rate(simulation, path) == pytest.approx(6 / ARMS[path] * DT, rel=1e-4)


@pytest.mark.obeys("ARTICULATION_JOINT", "jointArmature")
@EACH
def test_armature_is_added_to_the_inertia(simulation, path):
    """The same effort accelerates less, by the written armature."""
    put(simulation, path, jointArmature=1.5, jointActuationForce=3.0)
    assert rate(simulation, path) == pytest.approx(3 / (ARMS[path] + 1.5) * DT, rel=1e-4)


@pytest.mark.obeys("ARTICULATION_JOINT", "jointStiffness jointPositionTarget")
@EACH
def test_a_drive_pulls_by_stiffness_and_error(simulation, path):
    """Effort is stiffness per degree or length, times the way to the target."""
    way = amount(path, 10)
    put(simulation, path, jointStiffness=0.5, jointPositionTarget=way)
    assert rate(simulation, path) == pytest.approx(0.5 * way / ARMS[path] * DT, rel=1e-3)


@pytest.mark.obeys("ARTICULATION_JOINT", "jointDamping jointVelocityTarget")
@EACH
def test_a_drive_brakes_by_damping_and_error(simulation, path):
    """Effort is damping per degree or length a second, times the way to the target's rate."""
    way = amount(path, 10)
    put(simulation, path, jointDamping=0.05, jointVelocityTarget=way)
    assert rate(simulation, path) == pytest.approx(0.05 * way / ARMS[path] * DT, rel=5e-3)


@pytest.mark.obeys("ARTICULATION_JOINT", "jointMaxForce")
@EACH
def test_the_drive_exerts_no_more_than_its_bound(simulation, path):
    """A drive that would pull harder pulls by jointMaxForce."""
    put(simulation, path, jointStiffness=50.0, jointPositionTarget=amount(path, 10), jointMaxForce=0.7)
    assert rate(simulation, path) == pytest.approx(0.7 / ARMS[path] * DT, rel=1e-3)


@pytest.mark.obeys("ARTICULATION_JOINT", "jointDriveType")
@EACH
@pytest.mark.parametrize("kind", [0, 1, 2])
def test_the_drive_type_says_what_gains_are_of(simulation, path, kind):
    """0 does nothing, 1 gives an effort, and 2 an acceleration, whatever the inertia."""
    way = amount(path, 10)
    put(simulation, path, jointDriveType=kind, jointStiffness=0.05, jointPositionTarget=way)
    expected = {0: 0.0, 1: 0.05 * way / ARMS[path] * DT, 2: 0.05 * way * DT}[kind]
    # PhysX falls short of the acceleration by up to 2.5 %.
    assert rate(simulation, path) == pytest.approx(expected, rel=3e-2 if kind == 2 else 5e-3, abs=1e-9)


@pytest.mark.obeys("ARTICULATION_JOINT", "jointPosition jointVelocity")
@EACH
def test_position_and_velocity_are_where_the_next_step_starts(simulation, path):
    """The axis coasts from the written coordinate at the written rate."""
    start, speed = amount(path, 10), amount(path, 30)
    put(simulation, path, jointPosition=start, jointVelocity=speed)
    assert rate(simulation, path) == pytest.approx(in_radians(path, speed), rel=1e-4)
    assert value(simulation, JOINT, path, "jointPosition")[0] == pytest.approx(start + speed * DT, rel=1e-4)


@pytest.mark.obeys("ARTICULATION_JOINT", "jointMaxVelocity")
@EACH
def test_a_velocity_is_bounded(simulation, path):
    """An axis that is faster than jointMaxVelocity is brought down to it."""
    speed = amount(path, 20)
    put(simulation, path, jointVelocity=speed, jointMaxVelocity=speed / 2)
    assert rate(simulation, path) == pytest.approx(in_radians(path, speed / 2), rel=1e-4)


@pytest.mark.obeys("ARTICULATION_JOINT", "jointLimit")
@EACH
def test_a_limit_stops_the_axis_where_it_was_moved_to(simulation, path):
    """A narrowed limit stops the axis there; a widened one lets it pass the authored place."""
    bound = LIMIT[path] / 4
    put(simulation, path, jointLimit=(-2 * bound, bound), jointVelocity=bound * 40)
    assert abs(rate(simulation, path, steps=100)) < 1e-3
    assert value(simulation, JOINT, path, "jointPosition")[0] == pytest.approx(bound, rel=1e-3)
    put(simulation, path, jointLimit=(-2 * bound, bound * 8), jointVelocity=bound * 40)
    simulation.step(DT, count=100)
    assert value(simulation, JOINT, path, "jointPosition")[0] == pytest.approx(5 * bound, rel=1e-2)


@pytest.mark.obeys("ARTICULATION_JOINT", "jointStaticFriction jointDynamicFriction")
@EACH
def test_friction_holds_and_slows(simulation, path):
    """Less than the static friction moves nothing; a moving axis is slowed by the dynamic friction."""
    put(simulation, path, jointStaticFriction=0.5, jointDynamicFriction=0.4, jointActuationForce=0.45)
    assert rate(simulation, path) == pytest.approx(0, abs=1e-6)
    speed = amount(path, 20)
    put(simulation, path, jointActuationForce=0.0, jointVelocity=speed)
    assert rate(simulation, path) == pytest.approx(in_radians(path, speed) - 0.4 / ARMS[path] * DT, rel=1e-4)


@pytest.mark.obeys("ARTICULATION_JOINT", "jointViscousFriction")
@EACH
def test_viscous_friction_slows_by_the_rate(simulation, path):
    """A moving axis loses its rate times the friction per degree or length a second."""
    speed = amount(path, 40)
    put(simulation, path, jointVelocity=speed, jointViscousFriction=0.2)
    lost = in_radians(path, speed) - rate(simulation, path)
    # The friction acts on the rate at the end of the step.
    per_radian = 0.2 * (np.rad2deg(1) if IS_ANGLE[path] else 1)
    share = per_radian * DT / ARMS[path]
    assert lost == pytest.approx(in_radians(path, speed) * share / (1 + share), rel=1e-2)


@pytest.mark.obeys("ARTICULATION_JOINT", "jointMaxActuatorVelocity jointSpeedEffortGradient")
@EACH
def test_an_actuator_has_a_rate_and_loses_it_with_effort(simulation, path):
    """The rate that a drive reaches is at most the actuator's, less the gradient times the effort."""
    top = amount(path, 10)
    drive = {"jointDamping": 500.0, "jointVelocityTarget": 5 * top, "jointMaxForce": 50.0}
    put(simulation, path, **drive, jointMaxActuatorVelocity=top)
    assert rate(simulation, path, steps=30) == pytest.approx(in_radians(path, top), rel=1e-3)
    put(simulation, path, jointVelocity=0.0, jointPosition=0.0, jointSpeedEffortGradient=top)
    effort = rate(simulation, path) * ARMS[path] / DT
    of_step = (np.rad2deg(DT) if IS_ANGLE[path] else DT) / ARMS[path]
    assert effort == pytest.approx(top / (top + of_step), rel=1e-3)


@pytest.mark.obeys("ARTICULATION_JOINT", "jointVelocityDependentResistance")
@EACH
def test_an_actuator_resists_by_the_rate(simulation, path):
    """The effort that a drive exerts is its bound, less the resistance times the rate."""
    speed = amount(path, 20)
    drive = {"jointDamping": 500.0, "jointVelocityTarget": 5 * speed, "jointMaxForce": 5.0}
    put(simulation, path, **drive, jointMaxActuatorVelocity=50 * speed, jointVelocity=speed)
    put(simulation, path, jointVelocityDependentResistance=2 / speed)
    gained = rate(simulation, path) - in_radians(path, speed)
    assert gained * ARMS[path] / DT == pytest.approx(5 - 2, rel=2e-2)
