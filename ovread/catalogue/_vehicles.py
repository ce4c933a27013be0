"""Rows of vehicles and of their wheels."""

from __future__ import annotations

from typing import Any

from ovread import units
from ovread.catalogue._row import (
    FRACTION,
    NON_NEGATIVE,
    QUATERNION,
    SIGNED_FRACTION,
    VALUE,
    XYZ,
    Accepts,
    Attribute,
    Frame,
    ObjectType,
    Persistence,
    Point,
    Role,
    Writability,
)

_STATE: dict[str, Any] = {"persistence": Persistence.STATE}
_WORLD: dict[str, Any] = {"frame": Frame.WORLD, **_STATE}
_CONTROL: dict[str, Any] = {"writability": Writability.CONDITIONAL, "persistence": Persistence.PROPERTY}
_COMMAND: dict[str, Any] = {"readable": False, "writability": Writability.CONDITIONAL}
_EFFORT: dict[str, Any] = {"readable": False, "writability": Writability.WRITE_ONLY}


def _wheel(name: str, lanes: tuple[str, ...], meaning: str, *, dtype: str = "f32", **rest: Any) -> Attribute:
    return Attribute(ObjectType.VEHICLE_WHEEL, name, dtype, lanes, meaning, **rest)


def _vehicle(name: str, meaning: str, *, dtype: str = "f32", **rest: Any) -> Attribute:
    return Attribute(ObjectType.VEHICLE, name, dtype, VALUE, meaning, **rest)


ROWS: tuple[Attribute, ...] = (
    _wheel("position", XYZ, "Position of the wheel, from chassis, suspension and steering.",
           dimension=units.LENGTH, point=Point.ORIGIN, role=Role.POINT, **_WORLD),
    _wheel("orientation", QUATERNION, "Rotation of the wheel.", role=Role.QUATERNION, **_WORLD),
    _wheel("rotationSpeed", VALUE, "Angular speed about the wheel's axle.", dimension=units.ANGULAR_VELOCITY, **_STATE),
    _wheel("rotationAngle", VALUE, "Angle about the wheel's axle.", dimension=units.RADIANS, **_STATE),
    _wheel("wheelSteerAngle", VALUE, "Actual steering angle.", dimension=units.RADIANS, **_STATE),
    _wheel("suspensionJounce", VALUE, "Compression of the suspension.", dimension=units.LENGTH, **_STATE),
    _wheel("suspensionForce", XYZ, "Force of the suspension.", dimension=units.FORCE, role=Role.VECTOR, **_WORLD),
    _wheel("tireFriction", VALUE, "Effective friction coefficient of the tyre.", **_STATE),
    _wheel("tireLongitudinalDirection", XYZ, "Longitudinal direction of the tyre, a unit vector.", role=Role.VECTOR,
           **_WORLD),
    _wheel("tireLateralDirection", XYZ, "Lateral direction of the tyre, a unit vector.", role=Role.VECTOR, **_WORLD),
    _wheel("tireLongitudinalSlip", VALUE, "Longitudinal slip ratio.", **_STATE),
    _wheel("tireLateralSlip", VALUE, "Lateral slip angle.", dimension=units.RADIANS, **_STATE),
    _wheel("tireForce", XYZ, "Force of the tyre.", dimension=units.FORCE, role=Role.VECTOR, **_WORLD),
    _wheel("isOnGround", VALUE, "1 where the contact sample with the ground is valid.", dtype="u8", role=Role.FLAG,
           **_STATE),
    _wheel("groundPlane", ("nx", "ny", "nz", "d"), "Plane of the ground contact, n . p + d = 0; 0 without a contact.",
           dimension=units.LENGTH, **_WORLD),
    _wheel("groundHitPosition", XYZ, "Point of the ground contact; 0 without a contact.",
           dimension=units.LENGTH, role=Role.POINT, **_WORLD),
    _wheel("groundActorPath", VALUE, "Prim of the ground's body.", dtype="u64", role=Role.PATH, **_STATE),
    _wheel("groundShapePath", VALUE, "Prim of the ground's collider.", dtype="u64", role=Role.PATH, **_STATE),
    _wheel("groundMaterialPath", VALUE, "Prim of the ground's material.", dtype="u64", role=Role.PATH, **_STATE),
    _wheel("driveTorque", VALUE, "Torque that drives the wheel.", dimension=units.TORQUE, **_EFFORT),
    _wheel("brakeTorque", VALUE, "Torque that brakes the wheel.", dimension=units.TORQUE, accepts=NON_NEGATIVE,
           **_EFFORT),
    _wheel("steerAngle", VALUE, "Commanded steering angle.", dimension=units.RADIANS, **_EFFORT),
    _vehicle("accelerator", "Accelerator, 0 to 1.", accepts=FRACTION, **_CONTROL),
    _vehicle("brake0", "First brake channel, 0 to 1.", accepts=FRACTION, **_CONTROL),
    _vehicle("brake1", "Second brake channel, 0 to 1.", accepts=FRACTION, **_CONTROL),
    _vehicle("steer", "Steering, -1 to 1.", accepts=SIGNED_FRACTION, **_CONTROL),
    _vehicle("clutch", "Clutch, 0 to 1.", **_STATE),
    _vehicle("currentGear", "Engaged gear: -1 reverse, 0 neutral.", dtype="i32", role=Role.ENUM, **_STATE),
    _vehicle("targetGear", "Gear that the transmission is changing to.", dtype="i32", role=Role.ENUM, **_STATE),
    _vehicle("engineRotationSpeed", "Angular speed of the engine.", dimension=units.ANGULAR_VELOCITY, **_STATE),
    _vehicle("automaticTransmission", "1 where gears change by themselves.", dtype="u8", role=Role.FLAG),
    _vehicle("gearSwitchTime", "Seconds since the gear change began; negative where none is going on.",
             dimension=units.TIME, **_STATE),
    _vehicle("autoboxTimeSinceLastShift", "Seconds since the last automatic gear change; FLT_MAX before the first.",
             dimension=units.TIME, **_STATE),
    _vehicle("requestedGear", "Gear to change to.", dtype="i32", role=Role.ENUM,
             accepts=Accepts(-1, 30, others=(255,)), **_COMMAND),
    _vehicle("thrust0", "Thrust of the left track, -1 to 1.", accepts=SIGNED_FRACTION, **_COMMAND),
    _vehicle("thrust1", "Thrust of the right track, -1 to 1.", accepts=SIGNED_FRACTION, **_COMMAND),
    _vehicle("resetToRestState", "1 to bring the vehicle to rest.", dtype="u8", role=Role.FLAG,
             **{**_COMMAND, "persistence": Persistence.ONCE}),
)  # fmt: skip
