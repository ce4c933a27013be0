"""Statements of the read API about vehicles and wheels that no other test observes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from reading import DT, by_path, scalar, write

import ovread
from ovread import ObjectType

GROUND_DATA = {"isOnGround", "groundPlane", "groundHitPosition", "groundActorPath", "groundShapePath"}
GROUND_DATA |= {"groundMaterialPath"}

BASIC = 'def Xform "Basic" (prepend references = </World/VehicleBase>)\n    {'


@pytest.fixture
def vehicles(scene):
    """Give the text of the sample with four vehicles, with parts of it replaced."""

    def replaced(*changes):
        text = scene("vehicle_read_write").read_text()
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        return text

    return replaced


@pytest.mark.parametrize(
    ("name", "low"), [("accelerator", 0), ("brake0", 0), ("brake1", 0), ("steer", -1)], ids=lambda value: str(value)
)
def test_controls_have_ranges(name, low, vehicles):
    """Both ends of the range can be set and read; the engine refuses what is outside, and the value stays."""
    import ovphysx

    with ovread.open(vehicles(), backend="physx") as simulation:
        for value in (low, 1, 0.25):
            write(simulation, ObjectType.VEHICLE, "/World/Standard", name, value)
            assert scalar(simulation, "/World/Standard", name) == [value]
        for value in (low - 0.01, 1.01):
            with pytest.raises(ovphysx.api.TaskError, match=name):
                write(simulation, ObjectType.VEHICLE, "/World/Standard", name, value)
            assert scalar(simulation, "/World/Standard", name) == [0.25]


def test_the_target_gear_is_the_transmission_s(vehicles):
    """A requested gear is a target only with the next step, and the request for automatic control is never one."""
    path = "/World/Standard"
    with ovread.open(vehicles(), backend="physx") as simulation:
        simulation.step(DT)
        write(simulation, ObjectType.VEHICLE, path, "requestedGear", 3)
        assert scalar(simulation, path, "targetGear", "currentGear") == [1, 1]
        simulation.step(DT)
        assert scalar(simulation, path, "targetGear", "currentGear") == [3, 0]
        assert scalar(simulation, path, "gearSwitchTime")[0] >= 0
        simulation.step(DT, 240)
        assert scalar(simulation, path, "targetGear", "currentGear") == [3, 3]
        write(simulation, ObjectType.VEHICLE, path, "requestedGear", 255)
        simulation.step(DT)
        assert scalar(simulation, path, "automaticTransmission", "targetGear") == [1, 2]


def test_a_brake_that_is_not_configured_reads_zero(vehicles):
    """Where a vehicle has one brake channel, the other one takes a value and reads 0."""
    one = BASIC.replace(">)", '>\n        delete apiSchemas = ["PhysxVehicleBrakesAPI:brakes1"])')
    with ovread.open(vehicles((BASIC, one)), backend="physx") as simulation:
        for name in ("brake0", "brake1"):
            write(simulation, ObjectType.VEHICLE, "/World/Basic", name, 0.5)
        assert scalar(simulation, "/World/Basic", "brake0", "brake1") == [0.5, 0]


def test_vehicles_read_what_their_drive_has(vehicles):
    """The engine has a column for what at least one vehicle of the selection has; ovread names what none of it has."""
    with ovread.open(vehicles(), backend="physx") as simulation:
        served = {}
        for path in simulation.query(ObjectType.VEHICLE).paths:
            query = simulation.query(ObjectType.VEHICLE, paths=[path])
            result = simulation.read(query, query.attributes)
            served[path.rpartition("/")[2]] = {group.attribute for group in result}
            assert {each.attribute for each in result.omissions} == set(query.attributes) - {
                group.attribute for group in result
            }
        controls = {"accelerator", "brake0", "brake1", "steer"}
        assert served["Raw"] == set()
        assert served["Basic"] == controls
        assert served["Standard"] == served["Tank"] > controls
        mixed = simulation.query(ObjectType.VEHICLE, paths=["/World/Basic", "/World/Standard"])
        assert {group.attribute for group in simulation.read(mixed, mixed.attributes)} == served["Standard"]


@pytest.fixture
def disabled(vehicles):
    """A simulation whose first vehicle is disabled from the start, on the ground, after some steps."""
    off = f"{BASIC}\n        bool physxVehicle:vehicleEnabled = 0"
    with ovread.open(vehicles((BASIC, off)), backend="physx") as simulation:
        simulation.step(DT, 60)
        yield simulation


def test_a_disabled_vehicle_is_a_row_and_has_no_ground(disabled):
    """It is listed with the others, has its controls, and its wheels have no contact data."""
    assert "/World/Basic" in disabled.query(ObjectType.VEHICLE).paths
    assert scalar(disabled, "/World/Basic", "accelerator") == [0]
    values = by_path(disabled, ObjectType.VEHICLE_WHEEL, sorted(GROUND_DATA))
    for name in GROUND_DATA:
        assert {path.split("/")[2]: bool(row.any()) for path, row in values[name].items()} == {
            "Basic": False,
            "Raw": True,
            "Standard": True,
            "Tank": True,
        }


def test_wheels_that_were_never_updated_are_at_the_centre_of_mass(disabled):
    """Their pose lacks the suspension: all four are where the chassis has its centre of mass."""
    wheels = by_path(disabled, ObjectType.VEHICLE_WHEEL, ["position"], pattern="/World/Basic/*")["position"]
    chassis = by_path(disabled, ObjectType.RIGID_BODY, ["position"], paths=["/World/Basic"])["position"]
    centre = chassis["/World/Basic"][0] + (0, -0.25, 0)
    np.testing.assert_allclose([row[0] for row in wheels.values()], [centre] * 4, atol=1e-5)


def test_telemetry_is_of_the_last_update_but_for_the_pose(vehicles):
    """A chassis that is moved takes its wheels along at once; all else, even steering, follows with the next step."""
    with ovread.open(vehicles(), backend="physx") as simulation:
        simulation.step(DT, 120)
        wheel = "/World/Basic/FrontLeftWheel"
        query = simulation.query(ObjectType.VEHICLE_WHEEL, paths=[wheel])
        reader = simulation.reader(query, query.attributes)
        before = {group.attribute: group.numpy().copy() for group in reader.read()}
        write(simulation, ObjectType.VEHICLE, "/World/Basic", "steer", 1)
        write(simulation, ObjectType.RIGID_BODY, "/World/Basic", "position", (0, 20, 0))
        write(simulation, ObjectType.RIGID_BODY, "/World/Basic", "orientation", (0, 0.6, 0, 0.8))
        after = {group.attribute: group.numpy().copy() for group in reader.read()}
        changed = {name for name in before if not np.array_equal(before[name], after[name])}
        assert changed == {"position", "orientation"}
        assert after["position"][0, 1] - before["position"][0, 1] == pytest.approx(18.75, abs=0.1)
        simulation.step(DT)
        later = {group.attribute: group.numpy() for group in reader.read()}
        assert (before["isOnGround"].item(), later["isOnGround"].item()) == (1, 0)
        assert (before["wheelSteerAngle"].item(), later["wheelSteerAngle"].item()) == (0, pytest.approx(0.554264))


SLIDING = (BASIC, f"{BASIC}\n        quatf xformOp:orient = (0.70710678, 0, 0.70710678, 0)")


def slide(simulation, path="/World/Basic"):
    """Send a vehicle that stands along x, at 4 ahead and 3 aside; gives its wheels' telemetry and its acceleration."""
    speed, step = np.array((4, 0, 3)), 1e-4
    write(simulation, ObjectType.RIGID_BODY, path, "linearVelocity", speed)
    simulation.step(step)
    names = ["tireLongitudinalSlip", "tireLateralSlip", "tireForce", "tireLateralDirection"]
    wheels = by_path(simulation, ObjectType.VEHICLE_WHEEL, names, pattern=f"{path}/*")
    now = by_path(simulation, ObjectType.RIGID_BODY, ["linearVelocity"], paths=[path])["linearVelocity"][path][0]
    return {name: np.concatenate(list(rows.values())) for name, rows in wheels.items()}, (now - speed) / step


@pytest.mark.parametrize(("ahead", "aside"), [(0.001, 0.001), (0.1, 1)], ids=["none", "sample"])
def test_slips_are_a_ratio_and_an_angle(ahead, aside, vehicles):
    """Locked wheels slip by -1 of 4 ahead, and 3 aside is an angle of atan(3 / 4), but for smallest denominators."""
    smallest = (
        ("minActiveLongitudinalSlipDenominator = 0.1", f"minActiveLongitudinalSlipDenominator = {ahead}"),
        ("minLateralSlipDenominator = 1", f"minLateralSlipDenominator = {aside}"),
    )
    with ovread.open(vehicles(SLIDING, *smallest), backend="physx") as simulation:
        simulation.step(DT, 240)
        write(simulation, ObjectType.VEHICLE, "/World/Basic", "brake0", 1)
        simulation.step(DT)
        wheels, _ = slide(simulation)
        np.testing.assert_allclose(wheels["tireLongitudinalSlip"], -4 / (4 + ahead), atol=0.01)
        towards = np.sign(wheels["tireLateralDirection"] @ (0, 0, 1))
        np.testing.assert_allclose(wheels["tireLateralSlip"][:, 0], towards * math.atan2(3, 4 + aside), atol=0.01)


def test_tire_forces_slow_the_chassis_in_world_axes(vehicles):
    """A vehicle that is turned by 90 degrees is slowed by the sum of its tire forces over its mass."""
    with ovread.open(vehicles(SLIDING), backend="physx") as simulation:
        simulation.step(DT, 240)
        wheels, acceleration = slide(simulation)
        total = wheels["tireForce"].sum(axis=0) / 1800
        np.testing.assert_allclose(total[[0, 2]], acceleration[[0, 2]], rtol=0.1)
        assert max(total[[0, 2]]) < -4
        assert abs(total[0] - total[2]) > 0.5, "the axes can be told apart"


def test_an_object_that_comes_or_goes_takes_the_ground_from_wheels_until_their_update(vehicles, attached):
    """Contact data is 0 until the next step, whatever the object was; the rest stays as it was."""
    import ovstage

    rock = """def Cube "Rock" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"])
    {
        double3 xformOp:translate = (100, 900, 0)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }
    """
    simulation, physx, stage = attached(vehicles((BASIC, rock + BASIC)))

    def telemetry():
        query = simulation.query(ObjectType.VEHICLE_WHEEL, paths=["/World/Basic/RearLeftWheel"])
        return {group.attribute: group.numpy().copy() for group in simulation.read(query, query.attributes)}

    for _ in range(120):
        physx.step_sync(DT)
    before = telemetry()
    for ordinal, bodies in ((2, 6), (3, 5)):
        if bodies == 6:
            stage.clone("/World/Rock", ["/World/Pebble"], ordinal=ordinal)
        else:
            with (
                ovstage.PathDictionary(stage) as dictionary,
                dictionary.create_path_list_from_strings(["/World/Pebble"]) as paths,
                stage.query_from_path_list(paths) as query,
            ):
                stage.delete_attributes(query, [], ordinal=ordinal).wait()
        stage.advance_write_floor(ordinal=ordinal).wait()
        physx.wait_task(physx.update_from_ovstage(ordinal, ordinal))
        assert len(simulation.query(ObjectType.RIGID_BODY)) == bodies
        now = telemetry()
        assert {name for name in now if not np.array_equal(before[name], now[name])} == GROUND_DATA
        assert not any(now[name].any() for name in GROUND_DATA)
        physx.step_sync(DT)
        before = telemetry()
        assert before["isOnGround"].item() == 1
