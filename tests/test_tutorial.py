"""The backend that `docs/write-a-backend.md` builds: short, right, and told which convention it breaks if it does."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import pytest
from ovread_conformance.recording import Recording, record_open
from ovread_conformance.suite import EVIDENCE, runs
from ovread_conformance.systems import BODIES, usda
from ovread_conformance.verdicts import convention_of

from ovread.backend import Scene
from ovread.plugins import Plugins
from ovread.simulation import Simulation

PAGE = Path(__file__).parent.parent / "docs" / "write-a-backend.md"
CODE = "".join(re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL))
FLIPPED = {
    "the real part first": ("body: body.turn", "body: np.roll(body.turn, 1)", "orientation", "(qx, qy, qz, qw)"),
    "velocity of the origin": (
        "body: body.velocity",
        "body: body.velocity - np.cross(body.spin, matrix(body.turn) @ body.centre)",
        "linearVelocity",
        "Velocity of the centre of mass",
    ),
    "degrees": ("body: body.spin", "body: np.degrees(body.spin)", "angularVelocity", "rad/s"),
    "body axes": ("body: body.spin", "body: matrix(body.turn).T @ body.spin", "angularVelocity", "world axes"),
    "inertia turned back": ("@ principal.T\n", "@ principal\n", "inertia", "in body axes"),
}


def recorded(code: str) -> dict[str, Recording]:
    """Record every way to write down the bodies on a backend that is made of this code."""
    module = ModuleType("tumble")
    exec(compile(code, "tumble", "exec"), module.__dict__)
    plugins = Plugins(entry_points=[])
    plugins.add("tumble", module, distribution="tutorial", version="1")
    backend = plugins.get("tumble")
    found = {}
    for name, run in runs().items():
        if BODIES.name in (name, run.original):
            scene = Scene(usda(run.system), is_text=True)
            engine = backend.hooks.ovread_open(scene=scene, device="cpu", options={})
            with Simulation(backend, engine) as simulation:
                found[name] = record_open(simulation, run.system, run.ticks, run.dt)
    return found


def failures(recordings: dict[str, Recording]) -> list[str]:
    """Return what the suite says of the values that are wrong, each after its convention."""
    every = runs()
    verdicts = [
        verdict
        for name in recordings
        for evidence in EVIDENCE.values()
        for verdict in evidence(every[name], recordings, None)
    ]
    assert len(verdicts) > 500
    return [f"{convention_of(verdict)}\n{verdict}" for verdict in verdicts if not verdict.holds]


def test_the_backend_of_the_tutorial_is_short() -> None:
    """Its code is all on the page, in less than 150 lines."""
    assert len(CODE.splitlines()) < 150


def test_the_backend_of_the_tutorial_passes() -> None:
    """Whatever it declares is right."""
    assert failures(recorded(CODE)) == []


@pytest.mark.parametrize("flip", FLIPPED)
def test_a_flipped_convention_is_named(flip: str) -> None:
    """With one convention flipped, the suite fails it and says which attribute has which convention."""
    old, new, attribute, convention = FLIPPED[flip]
    assert CODE.count(old) == 1
    words = failures(recorded(CODE.replace(old, new)))
    assert any(attribute in each and convention in each for each in words), words[:3]
