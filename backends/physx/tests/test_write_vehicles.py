"""Writes of vehicles and wheels: what is set, and what the next steps do with it."""

from __future__ import annotations

import numpy as np
import pytest
from fleets import (
    BASIC,
    BRAKE_TORQUES,
    CONTROLS,
    INERTIA,
    PEAK_TORQUE,
    RATIOS,
    RAW,
    STANDARD,
    STEERING,
    TANK,
    TRACKS,
    VEHICLE,
    WHEEL,
    body,
    fleet,
    get,
    put,
    select,
    wheels,
)
from ovread_physx._sources import ENVIRONMENT_VARIABLE
from reading import BODY, DT

import ovread


@pytest.mark.reads_back("VEHICLE", "accelerator brake0 brake1 steer")
@pytest.mark.parametrize("way", ["", "public"])
@pytest.mark.parametrize("name", CONTROLS)
def test_each_vehicle_gets_its_own_value_at_once(name, way, flying, monkeypatch):
    """Rows of the group are those of its paths, whatever the engine's order, and are read before any step."""
    monkeypatch.setenv(ENVIRONMENT_VARIABLE, way)
    fleet = flying.query(VEHICLE)
    with flying.write(fleet, [name]) as session:
        group = session[name]
        wanted = dict(zip(group.paths, (0.25, 0.5, 1.0), strict=False))
        group.values[:, 0] = list(wanted.values())
        session.commit(group)
    result = flying.read(fleet, [name])[name]
    read = dict(zip(result.paths, result.numpy()[:, 0].tolist(), strict=True))
    assert {path: read[path] for path in wanted} == wanted
    others = [each for each in CONTROLS if each != name]
    assert not any(flying.read(fleet, others)[other].numpy().any() for other in others)


@pytest.mark.obeys("VEHICLE", "accelerator")
def test_the_accelerator_turns_the_wheels(flying):
    """Each of four driven wheels takes a quarter of the torque: alpha = T / I, of that vehicle alone."""
    put(flying, BASIC, accelerator=0.4)
    flying.step(DT, 2)
    np.testing.assert_allclose(wheels(flying, BASIC), 0.4 * PEAK_TORQUE / 4 / INERTIA * 2 * DT, rtol=1e-4)
    np.testing.assert_allclose(wheels(flying, STANDARD), 0, atol=1e-3)


@pytest.mark.parametrize(("gear", "sign"), [(-1, -1), (0, 0), (1, 1), (7, 1), (255, 1)])
def test_a_drive_without_gearbox_goes_back_not_at_all_or_ahead(gear, sign, flying):
    """A negative request is reverse, zero neutral, and every positive one forward, 255 too."""
    put(flying, BASIC, accelerator=1, requestedGear=gear)
    flying.step(DT)
    np.testing.assert_allclose(wheels(flying, BASIC), sign * PEAK_TORQUE / 4 / INERTIA * DT, rtol=1e-4, atol=1e-6)


@pytest.mark.obeys("VEHICLE", "brake0 brake1")
@pytest.mark.parametrize(("name", "braked"), [("brake0", [1, 1, 1, 1]), ("brake1", [0, 0, 1, 1])])
def test_brakes_slow_the_wheels_that_they_are_on(name, braked, flying):
    """The second brakes are on the rear wheels alone: each braked wheel loses T / I."""
    put(flying, BASIC, accelerator=1)
    flying.step(DT, 10)
    put(flying, BASIC, accelerator=0, **{name: 0.01})
    before = wheels(flying, BASIC)
    flying.step(DT, 2)
    slowed = 0.01 * BRAKE_TORQUES[name] / INERTIA * 2 * DT
    np.testing.assert_allclose(before - wheels(flying, BASIC), slowed * np.array(braked), rtol=1e-3, atol=1e-5)


def test_brakes_stop_a_vehicle(standing):
    """One that rolls at 5 stands within seconds, while one that does not brake rolls on."""
    for path in (BASIC, STANDARD):
        standing.set(standing.query(BODY, paths=[path]), "linearVelocity", [0, 0, 5])
    put(standing, STANDARD, requestedGear=0)
    put(standing, BASIC, brake0=1)
    standing.step(DT, 480)
    assert abs(body(standing, BASIC, "linearVelocity")[2]) < 0.01
    assert body(standing, STANDARD, "linearVelocity")[2] > 3


@pytest.mark.obeys("VEHICLE", "steer")
@pytest.mark.parametrize("steer", [0.5, -1.0])
def test_steering_turns_the_front_wheels_and_the_vehicle(steer, standing):
    """Front wheels stand at that part of their greatest angle, about +Y, and the vehicle yaws to that side."""
    standing.set(standing.query(BODY, paths=[BASIC]), "linearVelocity", [0, 0, 5])
    put(standing, BASIC, steer=steer)
    standing.step(DT)
    np.testing.assert_allclose(wheels(standing, BASIC, "wheelSteerAngle"), steer * STEERING * np.array([1, 1, 0, 0]))
    standing.step(DT, 30)
    assert np.sign(steer) * body(standing, BASIC, "angularVelocity")[1] > 0.2


@pytest.mark.obeys("VEHICLE", "requestedGear")
@pytest.mark.parametrize("gear", [2, -1])
def test_a_gear_is_engaged_after_the_change(gear, flying):
    """It is the target with the next step, neutral meanwhile, and then turns engine and wheels in its ratio."""
    put(flying, STANDARD, accelerator=0.3, requestedGear=gear)
    assert get(flying, STANDARD, "targetGear") == 1
    flying.step(DT)
    assert [get(flying, STANDARD, name) for name in ("targetGear", "currentGear")] == [gear, 0]
    flying.step(DT, 240)
    assert get(flying, STANDARD, "currentGear") == gear
    np.testing.assert_allclose(
        get(flying, STANDARD, "engineRotationSpeed") / wheels(flying, STANDARD), RATIOS[gear], rtol=0.05
    )


def test_automatic_gears_change_by_themselves(flying):
    """255 hands the gears to the gearbox, and any other request takes them back."""
    put(flying, STANDARD, accelerator=1, requestedGear=255)
    flying.step(DT)
    assert get(flying, STANDARD, "automaticTransmission") == 1
    flying.step(DT, 960)
    assert get(flying, STANDARD, "currentGear") > 1
    put(flying, STANDARD, requestedGear=1)
    flying.step(DT, 240)
    assert [get(flying, STANDARD, name) for name in ("automaticTransmission", "currentGear")] == [0, 1]


@pytest.mark.obeys("VEHICLE", "thrust0 thrust1")
def test_thrusts_turn_the_tracks(flying):
    """Each thrust turns the wheels of its own track, in its own sense."""
    put(flying, TANK, accelerator=1, thrust0=0.5, thrust1=-0.5)
    flying.step(DT, 60)
    speeds = dict(zip(flying.query(WHEEL, pattern=f"{TANK}/*").paths, wheels(flying, TANK), strict=True))
    assert all(speeds[f"{TANK}/{wheel}"] > 1 for wheel in TRACKS["thrust0"])
    assert all(speeds[f"{TANK}/{wheel}"] < -1 for wheel in TRACKS["thrust1"])


@pytest.mark.obeys("VEHICLE_WHEEL", "driveTorque brakeTorque steerAngle")
@pytest.mark.parametrize("way", ["", "public"])
def test_raw_wheels_take_torques_and_angles(way, flying, monkeypatch):
    """Each wheel by itself: alpha = T / I, a brake takes as much off, an angle is there after a step, in radians."""
    monkeypatch.setenv(ENVIRONMENT_VARIABLE, way)
    four = flying.query(WHEEL, pattern=f"{RAW}/*")
    torques = np.array([10, -20, 30, 40])
    flying.set(four, "driveTorque", torques)
    flying.set(four, "steerAngle", [0.1, -0.2, 0.3, 0.4])
    flying.step(DT, 4)
    np.testing.assert_allclose(wheels(flying, RAW), torques / INERTIA * 4 * DT, rtol=1e-4)
    np.testing.assert_allclose(wheels(flying, RAW, "wheelSteerAngle"), [0.1, -0.2, 0.3, 0.4], rtol=1e-6)
    flying.set(four, "driveTorque", 0)
    flying.set(four, "brakeTorque", [0, 5, 0, 10])
    before = wheels(flying, RAW)
    flying.step(DT, 2)
    lost = np.array([0, -5, 0, 10]) / INERTIA * 2 * DT
    np.testing.assert_allclose(before - wheels(flying, RAW), lost, rtol=1e-3, atol=1e-5)


def test_torques_act_until_they_are_written_again(flying):
    """A wheel keeps accelerating with no further write, and coasts after a 0."""
    wheel = f"{RAW}/RearRightWheel"
    put(flying, wheel, driveTorque=10)
    flying.step(DT, 100)
    assert get(flying, wheel, "rotationSpeed") == pytest.approx(10 / INERTIA * 100 * DT, rel=1e-4)
    put(flying, wheel, driveTorque=0)
    before = get(flying, wheel, "rotationSpeed")
    flying.step(DT, 10)
    assert get(flying, wheel, "rotationSpeed") == pytest.approx(before, rel=1e-5)


def test_a_control_wakes_a_vehicle_that_sleeps():
    """It drives off with the next steps, and the others sleep on."""
    with ovread.open(fleet(("sleepThreshold = 0", "sleepThreshold = 0.05")), backend="physx") as simulation:
        simulation.step(1 / 60, 300)
        assert [body(simulation, path, "isSleeping").item() for path in (BASIC, STANDARD, TANK, RAW)] == [1, 1, 1, 1]
        simulation.set(simulation.query(VEHICLE, paths=[STANDARD, BASIC]), "accelerator", [0, 1])
        simulation.step(DT, 120)
        assert [body(simulation, path, "isSleeping").item() for path in (BASIC, STANDARD, TANK, RAW)] == [0, 1, 1, 1]
        assert body(simulation, BASIC, "linearVelocity")[2] > 0.2


def test_reset_restores_the_controls(flying):
    """All are as authored, twice over, and nothing is driven any more."""
    for _ in range(2):
        put(flying, BASIC, accelerator=1, brake0=0.5, brake1=0.25, steer=-1, requestedGear=-1)
        put(flying, TANK, accelerator=1, thrust0=1, thrust1=1)
        put(flying, f"{RAW}/FrontLeftWheel", driveTorque=5, steerAngle=0.5)
        flying.reset()
        assert not any(group.numpy().any() for group in flying.read(flying.query(VEHICLE), CONTROLS))
        flying.step(DT, 10)
        for path in (BASIC, TANK, RAW):
            np.testing.assert_allclose(wheels(flying, path), 0, atol=1e-3)
            assert not wheels(flying, path, "wheelSteerAngle").any()


def test_a_writer_drives_step_by_step(flying):
    """The speed is the sum of what each step was told."""
    writer = flying.writer(select(flying, BASIC), ["accelerator"])
    told = np.linspace(0, 1, 20, dtype=np.float32)
    for value in told:
        writer["accelerator"].values[...] = value
        writer.write()
        flying.step(DT)
    np.testing.assert_allclose(wheels(flying, BASIC), told.sum() * PEAK_TORQUE / 4 / INERTIA * DT, rtol=1e-3)
