"""The engine of the rest backend: bodies that rest and touch as they are told, and joints that turn steadily."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

BODIES = ("/World/env_10/box", "/World/env_2/box", "/World/env_1/box")
"""Bodies of one scene, in native order; the last one is kinematic."""
RATES: dict[str, tuple[float, ...]] = {
    "/World/robot/wrist": (10.0, 20.0, 30.0),
    "/World/robot/elbow": (5.0,),
    "/World/robot/locked": (),
}
"""Degrees per second about each axis of each joint."""
AXES = np.array([len(rates) for rates in RATES.values()])
MEMBERS = ("/World/robot/hand", *RATES)
SCENES = ("/Physics/left", "/Physics/right")
SENSORS = ("/World/floor", *BODIES[:2])
"""What feels contacts, in native order."""
HANDLES = ("", *BODIES, *RATES)
"""The path that each handle stands for."""
FREEDOMS = ("wrist:twist", "wrist:swing1", "wrist:swing2", "elbow:twist")
"""Degrees of freedom of the robot, in native order."""
CANONICAL = np.array([3, 0, 1, 2])
"""Where each is that comes next in canonical order."""
VELOCITIES = tuple(f"/World/robot/hand:{half}.{axis}" for half in ("linear", "angular") for axis in "xyz")
"""Rows of its Jacobian."""


class World:
    """One array ``(rows, lanes)`` per quantity, in native order; joints have one row per axis."""

    def __init__(self, scenes: int = 1, joints: str = "turning") -> None:
        self.scenes, self.joints = SCENES[:scenes], joints
        self.reset()

    def reset(self) -> None:
        self.steps = 0
        self.moving = np.empty(0, dtype=np.intp)  # native rows of bodies
        self.written: list[tuple[str, list[int]]] = []  # each commit: attribute, and native rows
        self.broken = ""  # the attribute whose next commit fails halfway
        self.contacts: list[list[str]] = [[] for _ in SENSORS]  # what each sensor touches, once per contact point
        bodies = np.arange(len(self.scenes) * len(BODIES), dtype=np.float32)
        rates = np.array([[rate] for axes in RATES.values() for rate in axes], dtype=np.float32)
        self.values: dict[str, npt.NDArray[Any]] = {
            "position": np.stack([bodies, bodies * 10, bodies * 100], axis=1),
            "mass": bodies.reshape(-1, 1) + 1,
            "linearAcceleration": np.zeros((len(bodies), 3), np.float32),
            "kinematicTargetPosition": np.ones((len(bodies), 3), np.float32),
            "jointPosition": np.zeros_like(rates),
            "jointVelocity": rates,
            "force": np.zeros((len(bodies), 3), np.float32),
            "gravity": np.array([[0.0, 0.0, -981.0]] * len(self.scenes), np.float32),
            "linkCount": np.array([[2]], np.int32),
            "jacobian": np.arange(24, dtype=np.float32).reshape(1, 24),
            "gravityForce": np.arange(4, dtype=np.float32).reshape(1, 4),
            "dofJointPath": np.array(
                [[HANDLES.index("/World/robot/" + name.split(":")[0])] for name in FREEDOMS], np.uint64
            ),
        }

    def advance(self, dt: float) -> None:
        self.steps += 1
        if self.joints == "turning":
            self.values["jointPosition"] += self.values["jointVelocity"] * np.float32(dt)
