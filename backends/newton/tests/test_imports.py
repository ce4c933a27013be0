"""What is declared of Newton's importer and solvers holds on the engine."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, partial

import numpy as np
import pytest
from ovread_conformance.importing import Readings, differences, readings
from ovread_newton._build import build_model
from ovread_newton._corrections import RULES
from ovread_newton._imports import IMPORTS
from ovread_newton._info import describe

import ovread
from ovread.backend import Behaviour, Scene
from ovread.errors import SceneRefusedError
from ovread.lint.examples import EXAMPLES

STEPS = 20
UNLIMITED = float(np.finfo(np.float32).max)


@cache
def model_of(scene: str) -> Readings:
    """Import a scene without corrections, and return all arrays of the model."""
    import warp as wp

    model = build_model(Scene(scene, is_text=True), "cpu", "mujoco", frozenset()).model
    arrays = {name: value for name, value in vars(model).items() if isinstance(value, wp.array) and value.size}
    return {name: _numbers(value.numpy()) for name, value in arrays.items() if not name.startswith("_")}


def _numbers(array: np.ndarray) -> np.ndarray:
    return array.view(np.float32).astype(float).ravel() if array.dtype.names else array.astype(float).ravel()


@cache
def read(scene: str, steps: int = 0, solver: str = "mujoco", corrected: bool = False) -> Readings:
    return readings(scene, "newton", steps, solver=solver, corrections=corrected)


def is_not_imported(pattern: str) -> None:
    """The importer's model is the same with the pattern and without."""
    example = EXAMPLES[pattern]
    assert differences(model_of(example.found), model_of(example.spared)) == []


def is_as_without(pattern: str, old: str, new: str = "") -> None:
    """The importer's model is the same as if this text was another."""
    text = EXAMPLES[pattern].found
    assert old in text
    assert differences(model_of(text), model_of(text.replace(old, new))) == []


def does_not_act(pattern: str, solver: str = "mujoco") -> None:
    """Bodies move as they do without the pattern."""
    example = EXAMPLES[pattern]
    found, spared = (read(text, STEPS, solver) for text in (example.found, example.spared))
    moved = [
        name for name in differences(found, spared) if name.endswith(("position", "linearVelocity", "jointVelocity"))
    ]
    assert moved == []


def acts(pattern: str, solver: str = "mujoco", steps: int = STEPS) -> None:
    """Bodies do not move as they do without the pattern."""
    example = EXAMPLES[pattern]
    assert differences(read(example.found, steps, solver), read(example.spared, steps, solver))


def is_refused(pattern: str, solver: str = "mujoco", corrected: bool = False) -> None:
    with pytest.raises(SceneRefusedError):
        ovread.open(EXAMPLES[pattern].found, backend="newton", solver=solver, corrections=corrected)


def gives(
    pattern: str, name: str, value: object, steps: int = 0, solver: str = "mujoco", corrected: bool = False
) -> None:
    """The pattern reads this value."""
    found = read(EXAMPLES[pattern].found, steps, solver, corrected)[name]
    assert found == pytest.approx(np.array(value, dtype=float), rel=1e-3, abs=1e-3)


def lacks(pattern: str, name: str) -> None:
    """There is no such object."""
    assert name not in read(EXAMPLES[pattern].found)


def rests(pattern: str, solver: str, alike: bool = True) -> None:
    """A box rests as high in grams as in kilograms, to a tenth of a millimetre; or it does not."""
    example = EXAMPLES[pattern]
    grams, kilograms = (read(text, 60, solver)[f"{BODY} position"][2] for text in (example.found, example.spared))
    assert bool(abs(grams - kilograms) < 1e-4) is alike


Check = Callable[[str], None]
BODY, HINGE, ROBOT = "RIGID_BODY /W/b", "ARTICULATION_JOINT /W/j", "ARTICULATION /W"
LINK = "ARTICULATION_LINK /W/arm"
ARM = "RIGID_BODY /W/arm"
CUBE = np.diag([1000 / 6] * 3).ravel()


def turned(*angles: float) -> list[float]:
    """Turn about X, then about the turned Y: the quaternion, x y z w."""
    half = np.radians(angles) / 2
    (sx, sy), (cx, cy) = np.sin(half), np.cos(half)
    return [sx * cy, cx * sy, sx * sy, cx * cy]


def about_y(degrees: float) -> list[float]:
    half = math.radians(degrees) / 2
    return [0, math.sin(half), 0, math.cos(half)]


BARE: dict[str, Check] = {
    "default-density": partial(gives, name=f"{BODY} mass", value=[1000]),
    "mass-on-collider": partial(gives, name=f"{BODY} mass", value=[1000]),
    "material-density": partial(gives, name=f"{BODY} mass", value=[1000]),
    "approximation-mass": partial(gives, name=f"{BODY} mass", value=[1000 / 6]),
    "center-of-mass-inertia": partial(gives, name=f"{BODY} inertia", value=np.diag([1 / 3] * 3).ravel()),
    "no-mass": partial(gives, name=f"{BODY} inertia", value=np.zeros(9)),
    "cone-inertia": partial(gives, name=f"{BODY} inertia", value=np.diag([628.3185] * 3).ravel()),
    "zero-inertia": partial(gives, name="ARTICULATION_LINK /W/b inertia", value=np.diag([0.1, 0.1, 0]).ravel()),
    "planar-inertia": is_refused,
    "newton-inertia": partial(gives, name=f"{BODY} inertia", value=[0.1, 0.03, 0, 0.03, 0.2, 0, 0, 0, 0.25]),
    "shell-mass": partial(gives, name=f"{BODY} mass", value=[100 * (1 - 0.98**3)]),
    "inertia-corrected": partial(gives, name=f"{BODY} inertia", value=np.diag([0.3, 0.4, 0.7]).ravel()),
    "initial-velocity-frame": partial(gives, name=f"{BODY} linearVelocity", value=[0, 1, 0]),
    "disabled-body": is_not_imported,
    "starts-asleep": is_not_imported,
    "kinematic-velocity": partial(gives, name=f"{BODY} linearVelocity", value=[1, 0, 0]),
    "default-angular-damping": is_not_imported,
    "damping": is_not_imported,
    "disable-gravity": is_not_imported,
    "locked-axis": is_not_imported,
    "body-property": is_not_imported,
    "forces": is_not_imported,
    "sheared-hierarchy": is_refused,
    "world-hinge-welded": partial(gives, name=f"{HINGE} jointPosition", value=[30]),
    "world-joint-sign": partial(gives, name=f"{ARM} orientation", value=about_y(40), steps=120, solver="xpbd"),
    "world-anchor": partial(gives, name=f"{ARM} position", value=[0, 0, 0], steps=STEPS),
    "fixed-base-frame": partial(gives, name="ARTICULATION_LINK /W/base position", value=[0, 0, 0], steps=STEPS),
    "swapped-bodies": is_refused,
    "merged-joints": partial(gives, name=f"{ROBOT} dofCount", value=[2]),
    "joint-target": is_refused,
    "joint-outside-articulation": is_refused,
    "loop-outside-articulation": is_refused,
    "excluded-joint": does_not_act,
    "closed-loop": is_refused,
    "mimic-joint": is_not_imported,
    "coupled-joints": is_not_imported,
    "fixed-mimic": is_refused,
    "link-velocity": partial(does_not_act),
    "one-sided-limit-locks": partial(gives, name=f"{HINGE} jointLimit", value=[-20, UNLIMITED]),
    "wide-limit-locks": partial(gives, name=f"{HINGE} jointLimit", value=[-20, 200]),
    "inverted-limit": is_refused,
    "equal-limits": is_refused,
    "cone-limit": is_not_imported,
    "distance-limit": is_refused,
    "free-axis": partial(lacks, name=HINGE),
    "articulation-slides-locked": partial(gives, name=f"{HINGE} jointLimit", value=[-1, 1]),
    "successive-turns": partial(gives, name=f"{HINGE} jointLimit", value=[-30, 30, -30, 30]),
    "multi-axis-state": partial(gives, name=f"{LINK} orientation", value=turned(10, 25)),
    "soft-limit": is_not_imported,
    "joint-rate-cap": partial(gives, name=f"{HINGE} jointVelocity", value=[200], steps=STEPS),
    "break-force": is_not_imported,
    "acceleration-drive": is_not_imported,
    "velocity-target": partial(gives, name=f"{HINGE} jointVelocity", value=[0], steps=STEPS),
    "target-wraps": partial(gives, name=f"{HINGE} jointPositionTarget", value=[400]),
    "target-outside-limits": partial(gives, name=f"{HINGE} jointPositionTarget", value=[30]),
    "unapplied-schema": partial(gives, name=f"{HINGE} jointStiffness", value=[2]),
    "undriven-joint": partial(gives, name=f"{HINGE} jointMaxForce", value=[UNLIMITED]),
    "unmatched-drive": is_not_imported,
    "joint-axis-schema": partial(gives, name=f"{HINGE} jointArmature", value=[0]),
    "joint-schema": is_not_imported,
    "joint-friction": partial(is_as_without, old="float physxJointAxis:angular:staticFrictionEffort = 0.5"),
    "velocity-limit": partial(gives, name=f"{HINGE} jointVelocity", value=[90], steps=STEPS),
    "drive-envelope": is_not_imported,
    "floating-root": partial(gives, name=f"{ROBOT} rootPosition", value=[0, 0, 0]),
    "fixed-root-link": partial(gives, name="ARTICULATION /W/base isFixedBase", value=[1]),
    "one-link-articulation": partial(gives, name="ARTICULATION /W/b linkCount", value=[1]),
    "several-articulations": is_refused,
    "articulation-disabled": is_not_imported,
    "self-collision": is_not_imported,
    "default-friction": partial(gives, name=f"{BODY} friction", value=[1]),
    "static-friction": is_not_imported,
    "restitution": does_not_act,
    "combine-mode": is_not_imported,
    "compliant-contact": is_not_imported,
    "contact-offset": is_not_imported,
    "torsional-patch": is_not_imported,
    "contact-report-settings": is_not_imported,
    "mirrored-mesh": is_refused,
    "flat-mesh": is_refused,
    "mesh-approximation": partial(is_as_without, old='approximation = "sdf"', new='approximation = "none"'),
    "collision-container": partial(gives, name=f"{BODY} shapeCount", value=[0]),
    "unsupported-collider": is_refused,
    "plane": is_refused,
    "body-plane": is_refused,
    "unknown-material": is_refused,
    "filtered-pair": is_refused,
    "unknown-group": is_refused,
    "site": is_refused,
    "merged-meshes": partial(gives, name=f"{BODY} shapeCount", value=[0]),
    "triggers": is_not_imported,
    "surface-velocity": is_not_imported,
    "gravity-not-normalised": is_not_imported,
    "newton-scene-gravity": is_not_imported,
    "several-scenes": is_not_imported,
    "contact-scale": partial(rests, solver="mujoco"),
    "instanced-collider": is_refused,
    "instancing": is_refused,
    "instancers": is_refused,
    "mujoco-attributes": is_refused,
    "tendons": is_not_imported,
    "particles": is_not_imported,
    "deformables": is_not_imported,
    "vehicles": is_not_imported,
    "character-controllers": is_not_imported,
    "actuators": is_not_imported,
}
"""What Newton does by itself, with the mujoco solver."""

SOLVERS: list[tuple[str, Check]] = [
    (
        "damping",
        partial(gives, name=f"{BODY} linearVelocity", value=[0.846, 0, 0], steps=STEPS, solver="steel", corrected=True),
    ),
    ("velocity-limit", partial(gives, name=f"{HINGE} jointVelocity", value=[45], steps=STEPS, solver="steel")),
    ("velocity-limit", partial(gives, name=f"{HINGE} jointVelocity", value=[90], steps=STEPS, solver="featherstone")),
    ("disable-gravity", partial(does_not_act, solver="steel")),
    (
        "joint-outside-articulation",
        partial(gives, name=f"{ARM} orientation", value=about_y(7.5), steps=STEPS, solver="xpbd"),
    ),
    (
        "joint-outside-articulation",
        partial(gives, name=f"{ARM} orientation", value=about_y(0), steps=STEPS, solver="steel"),
    ),
    (
        "joint-outside-articulation",
        partial(gives, name=f"{ARM} orientation", value=about_y(0), steps=STEPS, solver="featherstone"),
    ),
    ("inverted-limit", partial(gives, name=f"{HINGE} jointLimit", value=[20, -20], solver="steel")),
    ("equal-limits", partial(gives, name=f"{HINGE} jointLimit", value=[0, 0], solver="steel")),
    ("excluded-joint", partial(acts, solver="xpbd")),
    ("excluded-joint", partial(acts, solver="steel")),
    ("excluded-joint", partial(does_not_act, solver="featherstone")),
    ("restitution", partial(acts, solver="steel")),
    ("restitution", partial(acts, solver="xpbd")),
    ("restitution", partial(does_not_act, solver="featherstone")),
    ("mirrored-mesh", partial(gives, name=f"{BODY} mass", value=[1], solver="steel")),
    ("velocity-target", partial(acts, solver="steel")),
    (
        "loop-outside-articulation",
        partial(gives, name=f"{ARM} orientation", value=about_y(7.5), steps=STEPS, solver="xpbd"),
    ),
    (
        "loop-outside-articulation",
        partial(gives, name=f"{ARM} orientation", value=about_y(0), steps=STEPS, solver="steel"),
    ),
    ("flat-mesh", partial(gives, name=f"{BODY} position", value=[0, 0, 0], steps=60, solver="xpbd")),
    ("flat-mesh", partial(gives, name=f"{BODY} position", value=[0, 0, 0], steps=60, solver="steel")),
    (
        "planar-inertia",
        partial(gives, name=f"{BODY} inertia", value=np.diag([0.1, 0.2, 0.3]).ravel(), solver="steel"),
    ),
    ("contact-scale", partial(rests, solver="steel")),
    ("contact-scale", partial(rests, solver="xpbd")),
    ("contact-scale", partial(rests, solver="vbd", alike=False)),
    ("contact-scale", partial(rests, solver="featherstone", alike=False)),
    ("contact-scale", partial(rests, solver="semi_implicit", alike=False)),
]
"""What other solvers do."""


def test_every_declaration_is_checked() -> None:
    assert {entry.pattern for entry in IMPORTS} == set(BARE)


@pytest.mark.parametrize("pattern", BARE)
def test_the_engine_does_what_is_declared(pattern: str) -> None:
    BARE[pattern](pattern)


@pytest.mark.parametrize(("pattern", "check"), SOLVERS)
def test_other_solvers_do_what_is_declared(pattern: str, check: Check) -> None:
    check(pattern)


_INFO = describe()
CORRECTED = sorted(pattern for pattern in BARE if _INFO.importing_of(pattern, "mujoco").corrected)


def test_what_is_declared_as_corrected_is_a_correction() -> None:
    assert {entry.pattern for entry in IMPORTS if entry.corrected} - {"restitution"} <= set(RULES)


@pytest.mark.parametrize("pattern", CORRECTED)
def test_a_correction_changes_what_is_read(pattern: str) -> None:
    text = EXAMPLES[pattern].found
    opened = read(text, STEPS, "mujoco", True)
    if _INFO.importing_of(pattern, "mujoco").behaviour is not Behaviour.REFUSES:
        assert differences(opened, read(text, STEPS))
