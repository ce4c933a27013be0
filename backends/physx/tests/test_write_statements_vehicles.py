"""Statements of the write API about vehicles that no other test observes."""

from __future__ import annotations

import numpy as np
import pytest
from fleets import (
    BASIC,
    CONTROLS,
    FLYING,
    INERTIA,
    PEAK_TORQUE,
    RAW,
    STANDARD,
    TANK,
    VEHICLE,
    body,
    fleet,
    get,
    having,
    put,
    wheels,
)
from reading import BODY, DT, engine_session, write

import ovread

# Whole vehicles


def test_vehicles_take_controls_before_any_step_and_read():
    """The first step of the simulation turns the wheels by what was written before it."""
    with ovread.open(fleet(*FLYING, ("dampingRate = 0.25", "dampingRate = 0")), backend="physx") as simulation:
        put(simulation, BASIC, accelerator=1)
        simulation.step(DT)
        speeds = wheels(simulation, BASIC)
        np.testing.assert_allclose(speeds[:2], PEAK_TORQUE / 2 / INERTIA * DT, rtol=1e-3)
        np.testing.assert_allclose(wheels(simulation, STANDARD), 0, atol=1e-3)


def test_controls_act_until_they_are_replaced(flying):
    """A throttle of one write turns the wheels faster in each of a hundred steps, and no longer once it is 0."""
    put(flying, BASIC, accelerator=1)
    flying.step(DT, 100)
    np.testing.assert_allclose(wheels(flying, BASIC), PEAK_TORQUE / 4 / INERTIA * 100 * DT, rtol=1e-3)
    put(flying, BASIC, accelerator=0)
    before = wheels(flying, BASIC)
    flying.step(DT, 10)
    np.testing.assert_allclose(wheels(flying, BASIC), before, rtol=1e-3)


@pytest.mark.parametrize(
    ("names", "paths"),
    [(["accelerator"], (BASIC, RAW)), (["thrust0"], (TANK, STANDARD)), (["requestedGear"], (RAW,))],
)
def test_the_engine_opens_no_write_of_a_fleet_that_does_not_fit(names, paths, flying):
    """One vehicle that lacks the control is enough; ovread leaves that one out and names it."""
    with pytest.raises(RuntimeError, match="incompatible with a selected vehicle"):
        engine_session(flying, VEHICLE, names, *paths)


def test_the_engine_checks_all_rows_before_it_writes_one(flying):
    """Whichever of the vehicles is out of range, none gets its value."""
    for bad in range(2):
        with engine_session(flying, VEHICLE, ["accelerator"], BASIC, STANDARD) as session:
            view = session.groups[0].tensors[0].numpy()
            view[...] = 0.5
            view[bad] = 2
            del view
            with pytest.raises(RuntimeError, match="nothing was written"):
                session.commit_sync(session.groups[0])
        assert [get(flying, path, "accelerator") for path in (BASIC, STANDARD)] == [0, 0]


def test_the_engine_takes_requests_that_the_gearbox_cannot_meet():
    """Without an automatic gearbox 255 changes nothing, and nor does a gear that there is none of; ovread refuses."""
    changes = ("rel physxVehicleDriveStandard:autoGearBox = </World/AutoGearBox>", "")
    with ovread.open(fleet(*FLYING, changes), backend="physx") as simulation:
        for request in (255, 30):
            write(simulation, VEHICLE, STANDARD, "requestedGear", request)
            simulation.step(DT, 240)
            read = [get(simulation, STANDARD, name) for name in ("automaticTransmission", "currentGear")]
            assert read == [0, 1], request


# The order of a reset


def test_rest_that_is_not_committed_does_nothing(standing):
    """A group that was filled and left alone clears no velocity."""
    standing.set(standing.query(BODY, paths=[BASIC]), "linearVelocity", [0, 0, 2])
    with standing.write(standing.query(VEHICLE), ["resetToRestState"]) as session:
        session["resetToRestState"].values[...] = 1
    assert body(standing, BASIC, "linearVelocity")[2] == 2


def test_rest_clears_forces_that_wait(flying):
    """A force on the chassis that no step has seen yet is gone; that on another chassis acts."""
    chassis = flying.query(BODY, paths=[BASIC, STANDARD])
    flying.set(chassis, "force", [1800, 0, 0])
    put(flying, BASIC, resetToRestState=1)
    flying.step(DT)
    assert body(flying, BASIC, "linearVelocity")[0] == pytest.approx(0, abs=1e-6)
    assert body(flying, STANDARD, "linearVelocity")[0] == pytest.approx(DT, rel=1e-3)


def test_rest_brings_the_engine_to_its_idle_speed():
    """What the engine turned faster, it loses at once."""
    idle = "maxRotationSpeed = 600", "maxRotationSpeed = 600\n        float physxVehicleEngine:idleRotationSpeed = 80"
    with ovread.open(fleet(*FLYING, idle), backend="physx") as simulation:
        put(simulation, STANDARD, accelerator=1)
        simulation.step(DT, 120)
        assert get(simulation, STANDARD, "engineRotationSpeed") > 160
        put(simulation, STANDARD, resetToRestState=1)
        assert get(simulation, STANDARD, "engineRotationSpeed") == 80


def test_a_vehicle_whose_controller_is_disabled_can_be_brought_to_rest():
    """What rolls without being driven stands."""
    off = having("Basic", "bool physxVehicle:vehicleEnabled = 0")
    with ovread.open(fleet(*FLYING, off), backend="physx") as simulation:
        simulation.set(simulation.query(BODY, paths=[BASIC]), "linearVelocity", [0, 0, 2])
        put(simulation, BASIC, resetToRestState=1)
        assert not body(simulation, BASIC, "linearVelocity").any()


def test_the_engine_refuses_a_reset_for_a_disabled_chassis_even_of_a_0(standing):
    """A row of 0 is checked too; ovread leaves such a row alone, so that the others can be reset."""
    standing.set(standing.query(BODY, paths=[STANDARD]), "disableSimulation", 1)
    with pytest.raises(RuntimeError, match="chassis with simulation enabled"):
        write(standing, VEHICLE, STANDARD, "resetToRestState", 0)
    put(standing, STANDARD, resetToRestState=0)


def test_what_is_written_after_a_reset_stands(standing):
    """Rest first, then a velocity and a control: the next step has both, and pose and sleep are as they were."""
    put(standing, BASIC, accelerator=1)
    standing.step(DT, 60)
    put(standing, BASIC, resetToRestState=1)
    standing.set(standing.query(BODY, paths=[BASIC]), "position", [50, 1, 0])
    standing.set(standing.query(BODY, paths=[BASIC]), "linearVelocity", [0, 0, 3])
    put(standing, BASIC, accelerator=0)
    assert body(standing, BASIC, "isSleeping").item() == 0
    standing.step(DT, 24)
    assert body(standing, BASIC, "position")[0] == pytest.approx(50, abs=1e-2)
    assert body(standing, BASIC, "linearVelocity")[2] == pytest.approx(3, rel=0.1)
    assert [get(standing, BASIC, name) for name in CONTROLS] == [0, 0, 0, 0]
