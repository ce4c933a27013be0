"""What writes to bodies do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import attrs
import numpy as np

from ovread_conformance.effects._changes import body
from ovread_conformance.effects._effect import LOOSE, Effect
from ovread_conformance.effects._pushes import FORCE, NONE, TORQUE, wrench
from ovread_conformance.oracles import BODY
from ovread_conformance.systems import at


def of_bodies() -> Iterator[Effect]:
    """Give the effects on free bodies."""
    name = "env_1"
    path = f"/World/{name}"
    thrown = next(each for each in LOOSE.bodies if each.name == name)
    place = (thrown.pose * thrown.centre).translation
    values, push = wrench(place, FORCE, TORQUE)
    by_wrench: dict[str, Any] = {"commands": {(BODY, "wrench"): {path: values}}, "push": {path: push}}
    turned = at(*thrown.pose.translation, about=(2, 1, -1), degrees=100)
    yield Effect(
        "force on a body",
        "force acts at the centre of mass, in world axes, for one step.",
        LOOSE,
        ((BODY, "force"),),
        commands={(BODY, "force"): {path: FORCE}},
        push={path: (FORCE, NONE)},
        lasts=False,
        faults=("dropped write", "impulse for force", "persisting force", "late write", "write to all rows"),
    )
    yield Effect(
        "wrench on a body",
        "wrench is a force at a point and a torque, in world axes, for one step.",
        LOOSE,
        ((BODY, "wrench"),),
        **by_wrench,
        lasts=False,
        faults=("dropped write", "impulse for force"),
    )
    yield Effect(
        "position of a body",
        "position is that of the origin; a jump is no motion.",
        LOOSE,
        ((BODY, "position"),),
        body(name, pose=at(2, 7, -1, about=(3, -1, 2), degrees=-50)),
        faults=("dropped write", "forgotten write", "write to all rows", "late write"),
    )
    yield Effect(
        "orientation of a body",
        "orientation turns the body about its origin.",
        LOOSE,
        ((BODY, "orientation"),),
        body(name, pose=turned),
    )
    yield Effect(
        "linear velocity of a body",
        "linearVelocity is that of the centre of mass.",
        LOOSE,
        ((BODY, "linearVelocity"),),
        body(name, velocity=(-1.5, 2.0, 0.8)),
    )
    yield Effect(
        "angular velocity of a body",
        "angularVelocity is in rad/s and world axes.",
        LOOSE,
        ((BODY, "angularVelocity"),),
        body(name, spin=(-200.0, 150.0, 260.0)),
        faults=("forgotten write", "write in degrees"),
    )
    for what, key, change in (
        ("mass", "mass", body(name, mass=1.4)),
        ("inertia", "inertia", body(name, moments=(0.04, 0.05, 0.07))),
        (
            "principal axes",
            "centerOfMassOrientation",
            body(name, centre=at(*thrown.centre.translation, about=(1, 3, -1), degrees=140)),
        ),
    ):
        yield Effect(
            f"{what} of a body",
            f"{key} is what a wrench accelerates.",
            LOOSE,
            ((BODY, key), (BODY, "wrench")),
            change,
            **by_wrench,
            lasts=False,
        )
    still = next(each for each in LOOSE.bodies if each.name == "env_3")
    centre = at(-0.2, 0.15, 0.1)
    moved = attrs.evolve(still, centre=type(centre)(still.centre.rotation, centre.translation))
    yield Effect(
        "centre of mass of a body",
        "centerOfMassPosition is where a force turns the body about.",
        LOOSE,
        ((BODY, "centerOfMassPosition"), (BODY, "wrench")),
        body("env_3", centre=moved.centre),
        commands={(BODY, "wrench"): {"/World/env_3": [*FORCE, *NONE, *still.pose.translation]}},
        push={
            "/World/env_3": (FORCE, np.cross(still.pose.translation - (still.pose * moved.centre).translation, FORCE))
        },
        lasts=False,
    )
    yield Effect(
        "a body without gravity",
        "disableGravity takes gravity from one body.",
        LOOSE,
        ((BODY, "disableGravity"),),
        body(name, is_weightless=True),
    )
