"""What writes to joints do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ovread_conformance.effects._changes import drive, joint
from ovread_conformance.effects._effect import Change, Effect
from ovread_conformance.oracles import JOINT
from ovread_conformance.systems import System


def of_joints(system: System) -> Iterator[Effect]:
    """Give the effects on the joints of a tree."""
    of = f" ({system.name})"

    def label(link: str, axis: str = "twist") -> str:
        return f"/World/robot/to_{link}:{axis}"

    def effect(name: str, convention: str, attribute: str, change: Change, **rest: Any) -> Effect:
        return Effect(f"{name}{of}", convention, system, ((JOINT, attribute),), change, **rest)

    joints = {each.child: each for each in system.robots[0].joints}
    yield effect(
        "joint coordinate",
        "jointPosition is in degrees, body1 relative to body0, and links follow.",
        "jointPosition",
        lambda each: joint("d", position=(-20.0, 45.0, 35.0))(joint("c", position=(70.0,))(each)),
        faults=("forgotten write", "write in degrees"),
        faults_at_once=("dropped write", "stale dependents"),
    )
    yield effect(
        "coordinate of a swapped joint and a slide",
        "jointPosition is that of body1 relative to body0, also where the outer link is body0.",
        "jointPosition",
        lambda each: joint("a", position=(60.0,))(joint("b10", position=(-0.7,))(each)),
        faults_at_once=("dropped write", "reversed write"),
    )
    yield effect(
        "coordinates of a ball joint",
        "jointPosition of a ball joint is one rotation vector, in degrees.",
        "jointPosition",
        joint("b9", position=(40.0, -35.0, 60.0)),
        faults_at_once=("dropped write", "stale dependents"),
    )
    yield effect(
        "rates about several axes",
        "jointVelocity about several axes is the angular velocity in the outer joint frame, in degrees per second.",
        "jointVelocity",
        lambda each: joint("b9", velocity=(150.0, -120.0, 90.0))(joint("d", velocity=(-100.0, 160.0, -60.0))(each)),
        faults=("forgotten write", "write in degrees"),
    )
    yield effect(
        "joint rate",
        "jointVelocity is in degrees per second, body1 relative to body0.",
        "jointVelocity",
        lambda each: joint("a", velocity=(160.0,))(joint("e", velocity=(-200.0,))(each)),
    )
    yield effect(
        "drive's target",
        "jointPositionTarget pulls by the stiffness per degree.",
        "jointPositionTarget",
        drive("a", target=-140.0),
        faults=("forgotten write", "write to all rows"),
    )
    yield effect(
        "drive's target rate",
        "jointVelocityTarget pulls by the damping per degree.",
        "jointVelocityTarget",
        drive("c", velocity_target=900.0),
    )
    yield effect(
        "stiffness",
        "jointStiffness is per degree.",
        "jointStiffness",
        drive("a", stiffness=0.9),
        faults=("forgotten write", "write in degrees"),
    )
    yield effect("damping", "jointDamping is per degree.", "jointDamping", drive("a", damping=0.03))
    yield effect(
        "drive's bound", "jointMaxForce bounds the drive's effort.", "jointMaxForce", drive("a", max_force=2.0)
    )
    yield effect("armature", "jointArmature is added to the axis.", "jointArmature", joint("a", armature=0.3))
    for link, effort in (("a", 9.0), ("b10", -30.0)):
        axis = "x" if link == "b10" else "twist"
        path = f"/World/robot/to_{link}"
        yield Effect(
            f"effort of {'a slide' if axis == 'x' else 'a hinge'}{of}",
            "jointActuationForce acts along the axis, body1 relative to body0, and stays.",
            system,
            ((JOINT, "jointActuationForce"),),
            commands={(JOINT, "jointActuationForce"): {path: [effort]}},
            efforts={label(link, axis): effort},
            faults=("forgotten write", "reversed write", "dropped write"),
        )
    for attribute in ("jointFriction", "jointDynamicFriction"):
        keys = (
            ((JOINT, "jointStaticFriction"), (JOINT, attribute))
            if attribute == "jointDynamicFriction"
            else ((JOINT, attribute),)
        )
        effort = -float(np.sign(joints["a"].velocity[0])) * 2.0
        yield Effect(
            f"friction by {attribute}{of}",
            f"{attribute} brakes a joint that moves.",
            system,
            keys,
            commands={key: {"/World/robot/to_a": [2.0]} for key in keys},
            efforts={label("a"): effort},
        )
    viscous = 0.02
    yield Effect(
        f"viscous friction{of}",
        "jointViscousFriction brakes in proportion to the rate, per degree.",
        system,
        ((JOINT, "jointViscousFriction"),),
        commands={(JOINT, "jointViscousFriction"): {"/World/robot/to_a": [viscous]}},
        efforts={label("a"): -viscous * joints["a"].velocity[0]},
    )
