"""Which vehicles and wheels take a control, and which values."""

from __future__ import annotations

import numpy as np
import pytest
from fleets import (
    BASIC,
    CONTROLS,
    FLYING,
    RAW,
    STANDARD,
    TANK,
    VEHICLE,
    WHEEL,
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
from ovread import Writability
from ovread.errors import NotWritableError, ValueRefusedError


def test_a_mixed_fleet_is_split_and_the_rest_is_named(flying):
    """Each group covers the vehicles that have the control; omissions name the others, each with its reason."""
    names = [*CONTROLS, "requestedGear", "thrust0", "thrust1", "resetToRestState"]
    driven = {BASIC, STANDARD, TANK}
    covered = dict.fromkeys(["accelerator", "brake0", "brake1", "requestedGear"], driven)
    covered |= {"steer": {BASIC, STANDARD}, "thrust0": {TANK}, "thrust1": {TANK}, "resetToRestState": {*driven, RAW}}
    with flying.write(flying.query(VEHICLE), names) as session:
        assert {group.attribute: set(group.paths) for group in session} == covered
        omitted = {(each.attribute, path): each.detail for each in session.omissions for path in each.paths}
    assert set(omitted) == {(name, path) for name in names for path in {*driven, RAW} - covered[name]}
    assert "written to its wheels" in omitted["accelerator", RAW]
    with pytest.raises(NotWritableError, match="written to its wheels"):
        put(flying, RAW, accelerator=1)
    assert "PhysxVehicleSteeringAPI" in omitted["steer", TANK]
    assert "PhysxVehicleTankDifferentialAPI" in omitted["thrust0", STANDARD]


def test_wheels_of_a_drive_are_named(flying):
    """Of all wheels, those of the raw vehicle are covered; the others are named, and refused by themselves."""
    with flying.write(flying.query(WHEEL), ["driveTorque", "brakeTorque", "steerAngle"]) as session:
        assert all(path.startswith(RAW) for group in session for path in group.paths)
        assert [len(each.paths) for each in session.omissions] == [12, 12, 12]
    with pytest.raises(NotWritableError, match="controls of the vehicle"):
        put(flying, f"{BASIC}/FrontLeftWheel", driveTorque=1)


BAD = [
    ("accelerator", 1.01),
    ("accelerator", -0.01),
    ("accelerator", np.nan),
    ("brake0", 1.5),
    ("brake1", -1),
    ("steer", -1.01),
    ("requestedGear", -2),
    ("requestedGear", 31),
    ("requestedGear", 6),
    ("requestedGear", 1.5),
    ("thrust0", 1.01),
    ("thrust1", np.inf),
    ("resetToRestState", 2),
]


@pytest.mark.refuses("VEHICLE", "accelerator brake0 brake1 steer requestedGear thrust0 thrust1 resetToRestState")
@pytest.mark.parametrize(("name", "value"), BAD)
def test_a_bad_value_changes_nothing(name, value, flying):
    """One row out of range refuses the group: the good rows keep what they have, and so does the next session."""
    query = select(flying, TANK) if name.startswith("thrust") else flying.query(VEHICLE, paths=[BASIC, STANDARD])
    readable = flying.read(query, CONTROLS)
    before = {group.attribute: group.numpy().tolist() for group in readable}
    standing_before = None if name in CONTROLS else standing_values(flying, query, name)
    good = 0 if name == "resetToRestState" else 1
    with pytest.raises(ValueRefusedError, match=name):
        flying.set(query, name, [*[good] * (len(query) - 1), value])
    assert {group.attribute: group.numpy().tolist() for group in flying.read(query, CONTROLS)} == before
    assert standing_before is None or standing_values(flying, query, name) == standing_before


@pytest.mark.refuses("VEHICLE_WHEEL", "driveTorque brakeTorque steerAngle")
@pytest.mark.parametrize(("name", "value"), [("driveTorque", np.nan), ("brakeTorque", -1), ("steerAngle", np.inf)])
def test_a_bad_torque_turns_no_wheel(name, value, flying):
    """One wheel out of range leaves all of them alone."""
    four = flying.query(WHEEL, pattern=f"{RAW}/*")
    with pytest.raises(ValueRefusedError, match=name):
        flying.set(four, name, [1, 1, 1, value])
    flying.step(DT)
    assert not wheels(flying, RAW).any()
    assert not wheels(flying, RAW, "wheelSteerAngle").any()


LACKING = {
    "brake0": (without("Basic", "PhysxVehicleBrakesAPI:brakes0"), "PhysxVehicleBrakesAPI:brakes0"),
    "brake1": (without("Basic", "PhysxVehicleBrakesAPI:brakes1"), "PhysxVehicleBrakesAPI:brakes1"),
    "steer": (without("Basic", "PhysxVehicleSteeringAPI"), "PhysxVehicleSteeringAPI"),
    "accelerator": (without("Basic", "PhysxVehicleMultiWheelDifferentialAPI"), "PhysxVehicleMultiWheelDifferentialAPI"),
}


@pytest.mark.parametrize("name", LACKING)
def test_a_channel_that_is_not_configured_is_refused(name):
    """PhysX takes it and nothing happens; here the vehicle is left out, by name, and the others have it."""
    change, schema = LACKING[name]
    with ovread.open(fleet(change), backend="physx") as simulation:
        with simulation.write(simulation.query(VEHICLE), [name]) as session:
            assert BASIC not in session[name].paths
            assert STANDARD in session[name].paths
            assert any(BASIC in each.paths and schema in each.detail for each in session.omissions)
        with pytest.raises(NotWritableError, match=schema):
            put(simulation, BASIC, **{name: 0.5})


def test_a_disabled_vehicle_is_refused():
    """PhysX takes its controls and nothing drives it; it can be brought to rest all the same."""
    off = "bool physxVehicle:vehicleEnabled = 0"
    raw = "rel physxVehicle:drive = None"
    changes = having("Basic", off), (raw, f"{raw}\n        {off}")
    with ovread.open(fleet(*changes), backend="physx") as simulation:
        for name in (*CONTROLS, "requestedGear"):
            with pytest.raises(NotWritableError, match="vehicleEnabled"):
                put(simulation, BASIC, **{name: 1})
        with pytest.raises(NotWritableError, match="vehicleEnabled"):
            put(simulation, f"{RAW}/FrontLeftWheel", driveTorque=1)
        simulation.set(simulation.query(BODY, paths=[BASIC]), "linearVelocity", [0, 0, 2])
        put(simulation, BASIC, resetToRestState=1)
        assert not body(simulation, BASIC, "linearVelocity").any()
        put(simulation, STANDARD, accelerator=1)


def test_ackermann_steering_is_steering():
    """A vehicle with that kind of steering takes steer, and its inner wheel turns by the greatest angle."""
    head, body = without("Basic", "PhysxVehicleSteeringAPI")
    body += 'prepend apiSchemas = ["PhysxVehicleAckermannSteeringAPI"]\n    '
    angles = ("maxSteerAngle = 0.5", "trackWidth = 1.6", "wheelBase = 3.2")
    values = [f"float physxVehicleAckermannSteering:{each}" for each in angles]
    values += [f"int physxVehicleAckermannSteering:{each}" for each in ("wheel0 = 1", "wheel1 = 0")]
    changes = having("Basic", *values), (head, body)
    with ovread.open(fleet(*FLYING, *changes), backend="physx") as simulation:
        put(simulation, BASIC, steer=1)
        simulation.step(DT)
        assert wheels(simulation, BASIC, "wheelSteerAngle").max() == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("change", "gear", "why"),
    [
        (("ratios = [-4, 4, 2, 1.5, 1.1, 1]", "ratios = [-4, 4, 2]"), 3, "number of forward gears"),
        (("float[] physxVehicleGears:ratios = [-4, 4, 2, 1.5, 1.1, 1]", ""), 6, "number of forward gears"),
        (("rel physxVehicleDriveStandard:autoGearBox = </World/AutoGearBox>", ""), 255, "no automatic gearbox"),
    ],
    ids=["ratios", "usual ratios", "no automatic gearbox"],
)
def test_a_gear_that_the_gearbox_lacks_is_refused(change, gear, why):
    """PhysX takes it and stays in gear; the highest one that there is, is engaged."""
    with ovread.open(fleet(*FLYING, ("switchTime = 0.5", "switchTime = 0"), change), backend="physx") as simulation:
        with pytest.raises(ValueRefusedError, match=f"/World/Standard.*{why}"):
            put(simulation, STANDARD, requestedGear=gear)
        put(simulation, STANDARD, requestedGear=gear - 1 if gear < 255 else 5)
        simulation.step(DT, 4)
        assert get(simulation, STANDARD, "currentGear") == (gear - 1 if gear < 255 else 5)


def test_the_automatic_gearbox_may_be_applied_to_the_drive():
    """It need not be a prim of its own."""
    changes = (
        ("rel physxVehicleDriveStandard:autoGearBox = </World/AutoGearBox>", ""),
        ('"PhysxVehicleDriveStandardAPI"', '"PhysxVehicleDriveStandardAPI", "PhysxVehicleAutoGearBoxAPI"'),
    )
    with ovread.open(fleet(*changes), backend="physx") as simulation:
        put(simulation, STANDARD, requestedGear=255)
        simulation.step(DT)
        assert get(simulation, STANDARD, "automaticTransmission") == 1


def test_conditions_are_declared():
    """Every control can be written under a condition in words, and commands of wheels cannot be read back."""
    for kind, names, expected in (
        (VEHICLE, [*CONTROLS, "requestedGear", "thrust0", "thrust1", "resetToRestState"], Writability.CONDITIONAL),
        (WHEEL, ["driveTorque", "brakeTorque", "steerAngle"], Writability.WRITE_ONLY),
        (VEHICLE, ["clutch", "currentGear", "engineRotationSpeed"], Writability.READ_ONLY),
        (WHEEL, ["position", "rotationSpeed", "wheelSteerAngle"], Writability.READ_ONLY),
    ):
        for name in names:
            declared = ovread.backends()["physx"].writing_of((kind, name))
            assert (declared.writability, bool(declared.reason)) == (expected, True), name
