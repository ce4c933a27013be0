"""Commands of vehicles that the engine does not read: what a session starts with, and what brings a vehicle to rest."""

from __future__ import annotations

import numpy as np
import pytest
from fleets import (
    BASIC,
    FLYING,
    INERTIA,
    RAW,
    STANDARD,
    TANK,
    VEHICLE,
    WHEEL,
    WITHOUT_DAMPING,
    body,
    fleet,
    get,
    having,
    put,
    select,
    standing_values,
    wheels,
    without,
)
from reading import BODY, DT

import ovread
from ovread.errors import ValueRefusedError

COMMANDS = {
    "requestedGear": (VEHICLE, STANDARD, 1, 3),
    "thrust0": (VEHICLE, TANK, 0, 0.5),
    "thrust1": (VEHICLE, TANK, 0, -0.25),
    "driveTorque": (WHEEL, f"{RAW}/FrontLeftWheel", 0, 12.5),
    "brakeTorque": (WHEEL, f"{RAW}/RearLeftWheel", 0, 0.5),
    "steerAngle": (WHEEL, f"{RAW}/FrontRightWheel", 0, -0.25),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_session_starts_with_what_was_written_last(name, flying):
    """Commands that the engine does not read start with the authored value, then with the last, until a reset."""
    kind, path, authored, written = COMMANDS[name]
    everything = flying.query(kind)
    assert standing_values(flying, everything, name)[path] == authored
    put(flying, path, **{name: written})
    flying.step(DT)
    now = standing_values(flying, everything, name)
    assert now.pop(path) == written
    assert not set(now.values()) - {authored}
    writer = flying.writer(select(flying, path), [name])
    assert writer[name].values.item() == written
    writer[name].values[...] = authored
    writer.write()
    assert standing_values(flying, everything, name)[path] == authored
    put(flying, path, **{name: written})
    flying.reset()
    assert standing_values(flying, everything, name)[path] == authored


def test_rows_outside_a_mask_are_not_kept_in_mind(flying):
    """The next session starts with what was published, not with what was filled in."""
    vehicles = flying.query(VEHICLE, paths=[STANDARD, TANK])
    flying.set(vehicles, "requestedGear", [2, 3], mask=[False, True])
    assert standing_values(flying, vehicles, "requestedGear") == {STANDARD: 1, TANK: 3}


def test_a_refused_command_is_not_kept_in_mind(flying):
    """The next session starts with the gear that stands."""
    with pytest.raises(ValueRefusedError):
        put(flying, STANDARD, requestedGear=9)
    assert standing_values(flying, flying.query(VEHICLE), "requestedGear")[STANDARD] == 1


def test_authored_commands_are_start_values():
    """Gears, thrusts, torques and angles that the stage authors stand at the start, the schema's fallback too."""
    changes = [
        having("Standard", "int physxVehicleController:targetGear = 3"),
        ("physxVehicleTankController:thrust0 = 0", "physxVehicleTankController:thrust0 = 0.5"),
        ("physxVehicleWheelController:driveTorque = 0", "physxVehicleWheelController:driveTorque = 10"),
        ("physxVehicleWheelController:steerAngle = 0", "physxVehicleWheelController:steerAngle = 0.125"),
        ("        int physxVehicleController:targetGear = 1\n", ""),
    ]
    with ovread.open(fleet(*FLYING, WITHOUT_DAMPING, *changes), backend="physx") as simulation:
        simulation.step(DT)
        gears = standing_values(simulation, simulation.query(VEHICLE), "requestedGear")
        assert gears == {BASIC: 255, STANDARD: 3, TANK: 255}
        assert get(simulation, STANDARD, "currentGear") == 3
        assert get(simulation, TANK, "automaticTransmission") == 1
        assert set(standing_values(simulation, select(simulation, TANK), "thrust0").values()) == {0.5}
        raw = simulation.query(WHEEL, pattern=f"{RAW}/*")
        assert set(standing_values(simulation, raw, "driveTorque").values()) == {10}
        np.testing.assert_allclose(wheels(simulation, RAW), 10 / INERTIA * DT, rtol=1e-4)
        assert set(standing_values(simulation, raw, "steerAngle").values()) == {0.125}


def test_without_a_controller_nothing_is_authored():
    """What is authored for a schema that is not applied is ignored: gears change by themselves, and no torque acts."""
    changes = [
        having("Standard", "int physxVehicleController:targetGear = 3"),
        without("Standard", "PhysxVehicleControllerAPI"),
        ("physxVehicleWheelController:driveTorque = 0", "physxVehicleWheelController:driveTorque = 10"),
        (' (prepend apiSchemas = ["PhysxVehicleWheelControllerAPI"])', ""),
    ]
    with ovread.open(fleet(*FLYING, *changes), backend="physx") as simulation:
        simulation.step(DT)
        gears = standing_values(simulation, simulation.query(VEHICLE), "requestedGear")
        assert gears[STANDARD] == 255
        assert get(simulation, STANDARD, "automaticTransmission") == 1
        raw = simulation.query(WHEEL, pattern=f"{RAW}/*")
        assert set(standing_values(simulation, raw, "driveTorque").values()) == {0}
        assert not wheels(simulation, RAW).any()


def test_of_an_attached_simulation_commands_are_not_known(attached):
    """Its owner may have given others: sessions start with the largest number and NaN, which are left alone."""
    simulation, physx, _ = attached(fleet(*FLYING, WITHOUT_DAMPING))
    gears = simulation.query(VEHICLE, paths=[STANDARD, TANK])
    for _ in range(2):
        with simulation.write(gears, ["requestedGear", "resetToRestState"]) as session:
            assert set(session["requestedGear"].values.ravel()) == {np.iinfo(np.int32).max}
            assert not session["resetToRestState"].values.any()
            session["requestedGear"].values[0] = 2
            session.commit(session["requestedGear"])
    four = simulation.query(WHEEL, pattern=f"{RAW}/*")
    with simulation.write(four, ["driveTorque"]) as session:
        assert np.isnan(session["driveTorque"].values).all()
        session["driveTorque"].values[1] = 10
        session.commit(session["driveTorque"])
    physx.step_sync(DT)
    simulation.stepped(DT)
    assert [get(simulation, path, "targetGear") for path in gears.paths] == [2, 1]
    np.testing.assert_allclose(wheels(simulation, RAW), [0, 10 / INERTIA * DT, 0, 0], rtol=1e-4)


@pytest.mark.obeys("VEHICLE", "resetToRestState")
def test_rest_clears_motion_and_keeps_the_rest(standing):
    """At once: no velocity, no turning wheel; the pose and the controls stay, and the throttle acts again."""
    put(standing, BASIC, accelerator=1, steer=0.3)
    standing.step(DT, 120)
    pose = [body(standing, BASIC, name).tolist() for name in ("position", "orientation")]
    assert body(standing, BASIC, "linearVelocity")[2] > 0.2
    put(standing, BASIC, resetToRestState=1)
    assert not body(standing, BASIC, "linearVelocity").any()
    assert not body(standing, BASIC, "angularVelocity").any()
    assert not wheels(standing, BASIC).any()
    assert [body(standing, BASIC, name).tolist() for name in ("position", "orientation")] == pose
    assert [get(standing, BASIC, name) for name in ("accelerator", "steer")] == [1, pytest.approx(0.3)]
    standing.step(DT, 120)
    assert body(standing, BASIC, "linearVelocity")[2] > 0.2, "it is not repeated"


def test_rest_ends_a_gear_change(standing):
    """The pending gear is engaged at once."""
    put(standing, STANDARD, requestedGear=3)
    standing.step(DT, 3)
    assert get(standing, STANDARD, "currentGear") == 0
    put(standing, STANDARD, resetToRestState=1)
    assert get(standing, STANDARD, "currentGear") == 3


def test_rest_is_carried_out_in_order(standing):
    """After a velocity it clears it; before one it leaves it; a session starts with 0, and 0 leaves all as it is."""
    car = standing.query(BODY, paths=[BASIC])
    standing.set(car, "linearVelocity", [0, 0, 2])
    put(standing, BASIC, resetToRestState=1)
    assert not body(standing, BASIC, "linearVelocity").any()
    standing.set(car, "linearVelocity", [0, 0, 2])
    with standing.write(standing.query(VEHICLE), ["resetToRestState"]) as session:
        assert not session["resetToRestState"].values.any()
        session.commit(session["resetToRestState"])
    assert body(standing, BASIC, "linearVelocity")[2] == 2


def test_rest_needs_a_chassis_that_is_simulated(standing):
    """A disabled one refuses 1 and nobody is reset; 0 is no request, so the others can be."""
    standing.set(standing.query(BODY, paths=[BASIC]), "linearVelocity", [0, 0, 2])
    standing.set(standing.query(BODY, paths=[STANDARD]), "disableSimulation", 1)
    everyone = standing.query(VEHICLE)
    with pytest.raises(ValueRefusedError, match=r"resetToRestState.*/World/Standard.*disableSimulation"):
        standing.set(everyone, "resetToRestState", 1)
    assert body(standing, BASIC, "linearVelocity")[2] == 2
    standing.set(everyone, "resetToRestState", [path == BASIC for path in everyone.paths])
    assert not body(standing, BASIC, "linearVelocity").any()
    standing.set(standing.query(BODY, paths=[STANDARD]), "disableSimulation", 0)
    put(standing, STANDARD, resetToRestState=1)
