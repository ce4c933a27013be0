"""Writes of vehicles and wheels: what is set, what the next steps do with it, and who cannot take it."""

from __future__ import annotations

import numpy as np
import pytest
from fleets import (
    BRAKE_TORQUES,
    DRIVEN_BY_ALL_WHEELS,
    FLYING,
    INERTIA,
    PEAK_TORQUE,
    RATIOS,
    STEERING,
    TRACKS,
    WITHOUT_DAMPING,
    fleet,
    having,
    without,
)
from ovread_physx._sources import ENVIRONMENT_VARIABLE
from reading import BODY

import ovread
from ovread import ObjectType, Writability
from ovread.errors import NotWritableError, ValueRefusedError

DT = 1 / 240
VEHICLE, WHEEL = ObjectType.VEHICLE, ObjectType.VEHICLE_WHEEL
CONTROLS = ("accelerator", "brake0", "brake1", "steer")
RAW, BASIC, STANDARD, TANK = (f"/World/{name}" for name in ("Raw", "Basic", "Standard", "Tank"))


@pytest.fixture(scope="module")
def flying_fleet():
    with ovread.open(fleet(*FLYING, *DRIVEN_BY_ALL_WHEELS, WITHOUT_DAMPING), backend="physx") as simulation:
        yield simulation


@pytest.fixture
def flying(flying_fleet):
    """All vehicles in the air, at the start, after one step that placed their wheels."""
    flying_fleet.reset()
    flying_fleet.step(DT)
    return flying_fleet


@pytest.fixture(scope="module")
def standing_fleet():
    with ovread.open(fleet(), backend="physx") as simulation:
        yield simulation


@pytest.fixture
def standing(standing_fleet):
    """All vehicles on the ground, at the start."""
    standing_fleet.reset()
    standing_fleet.step(DT, 60)
    return standing_fleet


def select(simulation, *paths):
    """Query vehicles, or wheels where the paths are below some."""
    return simulation.query(WHEEL if paths[0].count("/") > 2 else VEHICLE, paths=paths)


def put(simulation, path, **controls):
    for name, value in controls.items():
        simulation.set(select(simulation, path), name, value)


def get(simulation, path, name):
    return simulation.read(select(simulation, path), [name])[name].numpy().item()


def body(simulation, path, name):
    return simulation.read(simulation.query(BODY, paths=[path]), [name])[name].numpy()[0]


def wheels(simulation, path, name="rotationSpeed"):
    """Read one number of each wheel of a vehicle: front left, front right, rear left, rear right."""
    return simulation.read(simulation.query(WHEEL, pattern=f"{path}/*"), [name])[name].numpy()[:, 0].copy()


def standing_values(simulation, query, name):
    """Return what a new session starts with, by path."""
    with simulation.write(query, [name]) as session:
        return dict(zip(session[name].paths, session[name].values[:, 0].tolist(), strict=True))


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
    assert "PhysxVehicleSteeringAPI" in omitted["steer", TANK]
    assert "PhysxVehicleTankDifferentialAPI" in omitted["thrust0", STANDARD]


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


@pytest.mark.parametrize("steer", [0.5, -1.0])
def test_steering_turns_the_front_wheels_and_the_vehicle(steer, standing):
    """Front wheels stand at that part of their greatest angle, about +Y, and the vehicle yaws to that side."""
    standing.set(standing.query(BODY, paths=[BASIC]), "linearVelocity", [0, 0, 5])
    put(standing, BASIC, steer=steer)
    standing.step(DT)
    np.testing.assert_allclose(wheels(standing, BASIC, "wheelSteerAngle"), steer * STEERING * np.array([1, 1, 0, 0]))
    standing.step(DT, 30)
    assert np.sign(steer) * body(standing, BASIC, "angularVelocity")[1] > 0.2


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


def test_thrusts_turn_the_tracks(flying):
    """Each thrust turns the wheels of its own track, in its own sense."""
    put(flying, TANK, accelerator=1, thrust0=0.5, thrust1=-0.5)
    flying.step(DT, 60)
    speeds = dict(zip(flying.query(WHEEL, pattern=f"{TANK}/*").paths, wheels(flying, TANK), strict=True))
    assert all(speeds[f"{TANK}/{wheel}"] > 1 for wheel in TRACKS["thrust0"])
    assert all(speeds[f"{TANK}/{wheel}"] < -1 for wheel in TRACKS["thrust1"])


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


def test_wheels_of_a_drive_are_named(flying):
    """Of all wheels, those of the raw vehicle are covered; the others are named, and refused by themselves."""
    with flying.write(flying.query(WHEEL), ["driveTorque", "brakeTorque", "steerAngle"]) as session:
        assert all(path.startswith(RAW) for group in session for path in group.paths)
        assert [len(each.paths) for each in session.omissions] == [12, 12, 12]
    with pytest.raises(NotWritableError, match="controls of the vehicle"):
        put(flying, f"{BASIC}/FrontLeftWheel", driveTorque=1)


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


def test_a_control_wakes_a_vehicle_that_sleeps():
    """It drives off with the next steps."""
    with ovread.open(fleet(("sleepThreshold = 0", "sleepThreshold = 0.05")), backend="physx") as simulation:
        simulation.step(1 / 60, 300)
        assert body(simulation, BASIC, "isSleeping").item() == 1
        put(simulation, BASIC, accelerator=1)
        simulation.step(DT, 120)
        assert body(simulation, BASIC, "isSleeping").item() == 0
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
