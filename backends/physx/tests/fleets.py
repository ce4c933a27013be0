"""The four vehicles of a sample of ovphysx: Basic, Standard, Tank, and Raw, which has no drive."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from reading import BODY

from ovread import ObjectType

VEHICLE, WHEEL = ObjectType.VEHICLE, ObjectType.VEHICLE_WHEEL
CONTROLS = ("accelerator", "brake0", "brake1", "steer")
RAW, BASIC, STANDARD, TANK = (f"/World/{name}" for name in ("Raw", "Basic", "Standard", "Tank"))

INERTIA = 1.225
"""Of each wheel about its axle."""
PEAK_TORQUE = 500
"""Of the drive of Basic."""
BRAKE_TORQUES = {"brake0": 3600, "brake1": 3000}
"""Of the brakes on each wheel; the second ones are on the rear wheels alone."""
STEERING = 0.554264
"""Greatest angle of the front wheels, radians."""
RATIOS = {-1: -16, 1: 16, 2: 8}
"""Turns of the engine of Standard for one of its wheels, by gear."""
TRACKS = {"thrust0": ("FrontLeftWheel", "RearLeftWheel"), "thrust1": ("FrontRightWheel", "RearRightWheel")}

WITHOUT_DAMPING = ("dampingRate = 0.25", "dampingRate = 0")
FLYING = tuple((f"xformOp:translate = ({x}, 1, 0)", f"xformOp:translate = ({x}, 500, 0)") for x in (0, 6, 12, 18))
"""Nothing but torques turns the wheels."""
DRIVEN_BY_ALL_WHEELS = (
    ("Differential:torqueRatios = [0.5, 0.5]", "Differential:torqueRatios = [0.25, 0.25, 0.25, 0.25]"),
    ("Differential:wheels = [0, 1]\n", "Differential:wheels = [0, 1, 2, 3]\n"),
)


def fleet(*changes: tuple[str, str]) -> str:
    """Return the scene with parts of its text replaced."""
    spec = importlib.util.find_spec("ovphysx")
    text = (Path(spec.origin).parent / "samples/data/vehicle_read_write.usda").read_text()
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text


def without(vehicle: str, *schemas: str) -> tuple[str, str]:
    """Return the change that takes schemas off Basic or Standard."""
    head = f'def Xform "{vehicle}" (prepend references = </World/VehicleBase>'
    names = ", ".join(f'"{schema}"' for schema in schemas)
    return head, f"{head}\n        delete apiSchemas = [{names}]\n    "


def having(vehicle: str, *lines: str) -> tuple[str, str]:
    """Return the change that gives Basic or Standard attributes."""
    head = f'def Xform "{vehicle}" (prepend references = </World/VehicleBase>)\n    {{'
    return head, "\n        ".join((head, *lines))


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
