"""What is declared of PhysX's importer holds on the engine."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, partial

import numpy as np
import pytest
from ovread_conformance.importing import Readings, differences, readings
from ovread_physx._imports import IMPORTS

from ovread.backend import Behaviour
from ovread.lint.examples import EXAMPLES

STEPS = 20
UNLIMITED = float(np.finfo(np.float32).max)
ELSEWHERE = {"particles", "deformables", "vehicles", "mesh-approximation", "contact-report-settings"}
"""Checked in test_cuda.py, test_readable_vehicles.py, test_object_types.py, and by a run of the conformance suite."""


@cache
def read(scene: str, steps: int = 0) -> Readings:
    return readings(scene, "physx", steps)


def acts(pattern: str, steps: int = STEPS) -> None:
    """The pattern changes what is read, sooner or later."""
    example = EXAMPLES[pattern]
    assert differences(read(example.found, steps), read(example.spared, steps))


def does_nothing(pattern: str) -> None:
    """Nothing that can be read, before or after steps, shows the pattern."""
    example = EXAMPLES[pattern]
    for steps in (0, STEPS):
        assert differences(read(example.found, steps), read(example.spared, steps)) == []


def gives(pattern: str, name: str, value: object, steps: int = 0) -> None:
    """The pattern reads this value."""
    assert read(EXAMPLES[pattern].found, steps)[name] == pytest.approx(np.array(value, dtype=float), rel=1e-3, abs=1e-3)


def lacks(pattern: str, name: str) -> None:
    """There is no such object, though there is without the pattern."""
    assert name not in read(EXAMPLES[pattern].found)
    assert name in read(EXAMPLES[pattern].spared)


def is_pushed_along(pattern: str, axis: int) -> None:
    """What collides with it moves along this axis."""
    position = read(EXAMPLES[pattern].found, STEPS)[f"{BODY} position"]
    assert position[axis] > 0.01
    assert np.delete(position, axis) == pytest.approx([0, 0], abs=1e-3)


def is_as(pattern: str, old: str, new: str, steps: int = STEPS) -> None:
    """The scene is as if this text was another."""
    text = EXAMPLES[pattern].found
    assert old in text
    assert differences(read(text, steps), read(text.replace(old, new), steps)) == []


def is_not_as(pattern: str, old: str, new: str, steps: int = STEPS) -> None:
    """The scene is not as if this text was another."""
    text = EXAMPLES[pattern].found
    assert old in text
    assert differences(read(text, steps), read(text.replace(old, new), steps))


BODY, HINGE, ROBOT = "RIGID_BODY /W/b", "ARTICULATION_JOINT /W/j", "ARTICULATION /W"
LOW = math.sin(math.radians(10) / 2)
ROTATION_VECTOR = np.radians([10, 25, 0])
TURN = np.linalg.norm(ROTATION_VECTOR)
TURNED = [*(ROTATION_VECTOR / TURN * math.sin(TURN / 2)), math.cos(TURN / 2)]

Check = Callable[[str], None]
CHECKS: dict[str, Check] = {
    "default-density": does_nothing,
    "mass-on-collider": does_nothing,
    "material-density": does_nothing,
    "approximation-mass": partial(gives, name=f"{BODY} mass", value=[1000]),
    "center-of-mass-inertia": partial(
        gives, name=f"{BODY} inertia", value=np.diag([1 / 3, 1 / 3 + 0.5, 1 / 3 + 0.5]).ravel()
    ),
    "no-mass": partial(gives, name=f"{BODY} inertia", value=np.diag([0.008] * 3).ravel()),
    "cone-inertia": partial(gives, name=f"{BODY} inertia", value=np.diag([1150.81, 1150.81, 627.81]).ravel()),
    "zero-inertia": partial(gives, name="ARTICULATION_LINK /W/b inertia", value=np.eye(3).ravel()),
    "planar-inertia": partial(gives, name=f"{BODY} inertia", value=np.diag([0.1, 0.2, 0.3]).ravel()),
    "newton-inertia": does_nothing,
    "shell-mass": does_nothing,
    "inertia-corrected": partial(gives, name=f"{BODY} inertia", value=np.diag([0.1, 0.2, 0.5]).ravel()),
    "initial-velocity-frame": partial(gives, name=f"{BODY} linearVelocity", value=[1, 0, 0]),
    "disabled-body": partial(lacks, name=BODY),
    "starts-asleep": acts,
    "disable-gravity": acts,
    "kinematic-velocity": partial(gives, name=f"{BODY} linearVelocity", value=[0, 0, 0]),
    "default-angular-damping": partial(
        gives,
        name=f"{BODY} angularVelocity",
        value=[0, 0, math.radians(90) * (1 - 0.05 / 240) ** STEPS],
        steps=STEPS,
    ),
    "damping": acts,
    "locked-axis": acts,
    "body-property": acts,
    "forces": acts,
    "sheared-hierarchy": partial(gives, name="RIGID_BODY /W/wide/b mass", value=[1]),
    "world-hinge-welded": partial(lacks, name=HINGE),
    "world-joint-sign": partial(
        gives, name="RIGID_BODY /W/arm orientation", value=[0, LOW, 0, math.sqrt(1 - LOW**2)], steps=120
    ),
    "world-anchor": partial(gives, name="RIGID_BODY /W/arm position", value=[0, 0, 1], steps=STEPS),
    "fixed-base-frame": partial(gives, name="ARTICULATION_LINK /W/base position", value=[0, 0, 1], steps=STEPS),
    "swapped-bodies": partial(gives, name=f"{HINGE} jointPosition", value=[30]),
    "merged-joints": does_nothing,
    "joint-target": does_nothing,
    "joint-outside-articulation": partial(
        gives, name="RIGID_BODY /W/arm angularVelocity", value=[0, math.radians(90), 0], steps=STEPS
    ),
    "loop-outside-articulation": partial(
        gives, name="RIGID_BODY /W/arm angularVelocity", value=[0, math.radians(90), 0], steps=STEPS
    ),
    "excluded-joint": acts,
    "closed-loop": does_nothing,
    "mimic-joint": acts,
    "coupled-joints": acts,
    "fixed-mimic": partial(is_as, old='prepend apiSchemas = ["NewtonMimicAPI"]', new=""),
    "link-velocity": does_nothing,
    "one-sided-limit-locks": partial(gives, name=f"{HINGE} jointLimit", value=[0, 0]),
    "wide-limit-locks": partial(gives, name=f"{HINGE} jointLimit", value=[0, 0]),
    "inverted-limit": partial(gives, name=f"{HINGE} jointLimit", value=[0, 0]),
    "equal-limits": partial(gives, name=f"{HINGE} jointLimit", value=[0, 0]),
    "cone-limit": partial(gives, name=f"{HINGE} jointLimit", value=[-UNLIMITED, UNLIMITED, -30, 30, -40, 40]),
    "distance-limit": acts,
    "free-axis": partial(gives, name=f"{HINGE} jointLimit", value=[-UNLIMITED, UNLIMITED]),
    "articulation-slides-locked": partial(gives, name=f"{ROBOT} dofCount", value=[0]),
    "successive-turns": acts,
    "multi-axis-state": partial(gives, name="ARTICULATION_LINK /W/arm orientation", value=TURNED),
    "soft-limit": acts,
    "joint-rate-cap": partial(gives, name=f"{HINGE} jointVelocity", value=[100], steps=STEPS),
    "break-force": acts,
    "acceleration-drive": acts,
    "velocity-target": partial(is_not_as, old="targetVelocity = 50", new="targetVelocity = 0"),
    "target-wraps": partial(gives, name=f"{HINGE} jointPositionTarget", value=[40]),
    "target-outside-limits": partial(gives, name=f"{HINGE} jointPositionTarget", value=[0]),
    "unapplied-schema": partial(gives, name=f"{HINGE} jointStiffness", value=[0]),
    "undriven-joint": partial(gives, name=f"{HINGE} jointMaxForce", value=[0]),
    "unmatched-drive": does_nothing,
    "joint-axis-schema": partial(gives, name=f"{HINGE} jointArmature", value=[0.5]),
    "joint-schema": does_nothing,
    "joint-friction": partial(gives, name=f"{HINGE} jointStaticFriction", value=[0.5]),
    "velocity-limit": partial(gives, name=f"{HINGE} jointVelocity", value=[45], steps=STEPS),
    "drive-envelope": acts,
    "floating-root": partial(gives, name=f"{ROBOT} rootPosition", value=[1, 0, 0]),
    "fixed-root-link": partial(gives, name="ARTICULATION /W/base isFixedBase", value=[0]),
    "one-link-articulation": acts,
    "several-articulations": partial(lacks, name="ARTICULATION /W/b0"),
    "articulation-disabled": partial(lacks, name=ROBOT),
    "self-collision": partial(gives, name="ARTICULATION_LINK /W/hand linearVelocity", value=[0, 0, 0], steps=STEPS),
    "default-friction": partial(gives, name=f"{BODY} dynamicFriction", value=[0.5]),
    "static-friction": partial(gives, name=f"{BODY} staticFriction", value=[0.9]),
    "restitution": acts,
    "combine-mode": acts,
    "compliant-contact": acts,
    "contact-offset": acts,
    "torsional-patch": acts,
    "mirrored-mesh": does_nothing,
    "flat-mesh": partial(gives, name=f"{BODY} position", value=[0, 0, 0], steps=60),
    "collision-container": partial(gives, name=f"{BODY} shapeCount", value=[1]),
    "unsupported-collider": does_nothing,
    "plane": partial(is_pushed_along, axis=1),
    "body-plane": partial(gives, name=f"{BODY} shapeCount", value=[0]),
    "unknown-material": partial(gives, name=f"{BODY} dynamicFriction", value=[0.5]),
    "merged-meshes": does_nothing,
    "mujoco-attributes": does_nothing,
    "actuators": does_nothing,
    "character-controllers": acts,
    "filtered-pair": does_nothing,
    "unknown-group": does_nothing,
    "site": does_nothing,
    "triggers": acts,
    "surface-velocity": acts,
    "several-scenes": acts,
    "instanced-collider": partial(gives, name=f"{BODY} shapeCount", value=[1]),
    "instancing": partial(lacks, name="RIGID_BODY /W/b/link"),
    "instancers": partial(gives, name="RIGID_BODY /W/many positions", value=[0, 0, 0, 5, 0, 0]),
    "gravity-not-normalised": partial(
        gives, name=f"{BODY} linearVelocity", value=np.array([3, 0, -4]) * 2 * STEPS / 240, steps=STEPS
    ),
    "newton-scene-gravity": partial(
        gives, name=f"{BODY} linearVelocity", value=[0, 0, -9.81 * STEPS / 240], steps=STEPS
    ),
    "contact-scale": partial(gives, name=f"{BODY} position", value=[0, 0, 0], steps=60),
    "tendons": partial(gives, name="FIXED_TENDON /W/j tendonStiffness", value=[10]),
}


def test_every_declaration_is_checked() -> None:
    assert {entry.pattern for entry in IMPORTS} == {*CHECKS, *ELSEWHERE}


@pytest.mark.parametrize("pattern", CHECKS)
def test_the_engine_does_what_is_declared(pattern: str) -> None:
    CHECKS[pattern](pattern)


def test_what_is_lost_is_declared_so() -> None:
    lost = {entry.pattern for entry in IMPORTS if entry.behaviour is Behaviour.LOSES}
    unseen = {"body-plane", "instancing"}
    assert lost - unseen == {
        pattern for pattern, check in CHECKS.items() if check is does_nothing and pattern not in FOLLOWS_WITHOUT_A_TRACE
    }


FOLLOWS_WITHOUT_A_TRACE = {
    "default-density", "mass-on-collider", "material-density", "joint-target", "mirrored-mesh", "filtered-pair",
    "unknown-group", "site", "merged-meshes",
}  # fmt: skip
"""What the example without the pattern says otherwise, or what means nothing."""
