"""What the documentation of the ov read API states of vehicles and wheels, observed on PhysX."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from reading import BODY, close

import ovread
from ovread import ObjectType, Simulation
from ovread.backend import UNLIMITED


@pytest.fixture
def vehicles() -> Iterator[Simulation]:
    """Four vehicles of one make but for the drive; the one without any hangs in the air."""
    spec = importlib.util.find_spec("ovphysx")
    assert spec is not None
    assert spec.origin is not None
    text = (Path(spec.origin).parent / "samples/data/vehicle_read_write.usda").read_text()
    lifted = text.replace("xformOp:translate = (18, 1, 0)", "xformOp:translate = (18, 50, 0)")
    assert lifted != text
    with ovread.open(lifted, backend="physx") as simulation:
        yield simulation


def control(simulation: Simulation, path: str, **controls: float) -> None:
    """Drive a vehicle."""
    for name, wanted in controls.items():
        simulation.set(simulation.query(ObjectType.VEHICLE, paths=[path]), name, wanted)


def test_wheels_turn_in_radians_and_steer(vehicles: Simulation) -> None:
    """Undriven wheels roll without slip, and steered ones point where the chassis does, turned by their angle."""
    radius, dt = 0.35, 1 / 240
    vehicles.step(dt, 120)
    control(vehicles, "/World/Basic", accelerator=0.5, steer=0.5)
    vehicles.step(dt, 239)
    wheels = vehicles.query(ObjectType.VEHICLE_WHEEL, pattern="/World/Basic/*")
    names = ["position", "rotationSpeed", "rotationAngle", "wheelSteerAngle", "tireLongitudinalDirection"]
    before = vehicles.read(wheels, names)
    vehicles.step(dt)
    after = vehicles.read(wheels, [*names, "tireLateralDirection", "tireLateralSlip", "tireLongitudinalSlip"])
    rear = [path.endswith(("RearLeftWheel", "RearRightWheel")) for path in wheels.paths]
    moved = np.linalg.norm(after["position"].numpy() - before["position"].numpy(), axis=1)[rear] / dt
    assert moved.min() > 0.1
    np.testing.assert_allclose(after["rotationSpeed"].numpy()[rear, 0] * radius, moved, rtol=0.02)
    turned = after["rotationAngle"].numpy() - before["rotationAngle"].numpy()
    np.testing.assert_allclose(turned / dt, after["rotationSpeed"].numpy(), rtol=0.05)
    ahead = after["tireLongitudinalDirection"].numpy()
    heading = np.arctan2(ahead[:, 0], ahead[:, 2])
    steered = after["wheelSteerAngle"].numpy()[:, 0]
    assert steered[np.invert(rear)].min() > 0.2
    np.testing.assert_allclose(heading - heading[rear].mean(), steered, atol=1e-3)
    aside = after["tireLateralDirection"].numpy()
    np.testing.assert_allclose(np.linalg.norm([ahead, aside], axis=2), 1, rtol=1e-5)
    np.testing.assert_allclose((ahead * aside).sum(axis=1), 0, atol=1e-5)
    close(vehicles, ObjectType.VEHICLE, "/World/Basic", accelerator=[0.5], steer=[0.5], brake0=[0], brake1=[0])


def test_a_wheel_in_the_air_has_no_ground(vehicles: Simulation) -> None:
    """Without a contact the plane, the point and the handles are 0; with one the point lies on the plane."""
    vehicles.step(1 / 240, 120)
    wheels = vehicles.query(ObjectType.VEHICLE_WHEEL)
    ground = ["groundPlane", "groundHitPosition", "groundActorPath", "groundShapePath", "groundMaterialPath"]
    result = vehicles.read(wheels, ["isOnGround", *ground, "suspensionJounce", "tireForce", "tireFriction"])
    flying = np.array(["/Raw/" in path for path in wheels.paths])
    assert (result["isOnGround"].numpy()[:, 0] == ~flying).all()
    for name in ground:
        assert not result[name].numpy()[flying].any()
        assert result[name].numpy()[~flying].any()
    plane, hit = (result[name].numpy()[~flying] for name in ("groundPlane", "groundHitPosition"))
    np.testing.assert_allclose((plane[:, :3] * hit).sum(axis=1) + plane[:, 3], 0, atol=1e-5)
    np.testing.assert_allclose(result["tireFriction"].numpy()[~flying], 0.75, rtol=1e-5)
    assert result["suspensionJounce"].numpy()[~flying].min() > 0.01


def test_telemetry_of_a_gearbox_that_never_shifted(vehicles: Simulation) -> None:
    """First gear is 1, no change goes on, and the last automatic one is beyond all time."""
    vehicles.step(1 / 240)
    close(
        vehicles,
        ObjectType.VEHICLE,
        "/World/Standard",
        currentGear=[1],
        targetGear=[1],
        gearSwitchTime=[-1],
        automaticTransmission=[0],
        autoboxTimeSinceLastShift=[UNLIMITED],
    )
    chassis = vehicles.query(BODY, paths=vehicles.query(ObjectType.VEHICLE).paths)
    assert vehicles.read(chassis, ["position"])["position"].paths == chassis.paths, "each is a body of the same path"
