"""The backend that `docs/write-a-backend.md` builds: short, right, and told which convention it breaks if it does."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

PAGE = Path(__file__).parent.parent / "docs" / "write-a-backend.md"
CODE = "".join(re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL))
FLIPPED = {
    "the real part first": (
        "body: body.turn",
        "body: np.roll(body.turn, 1)",
        "orientation: Rotation from body axes to world axes; q and -q mean the same. (qx, qy, qz, qw), world axes.",
    ),
    "velocity of the origin": (
        "body: body.velocity",
        "body: body.velocity - np.cross(body.spin, matrix(body.turn) @ body.centre)",
        "linearVelocity: Velocity of the centre of mass. (x, y, z), world axes,",
    ),
    "degrees": (
        "body: body.spin",
        "body: np.degrees(body.spin)",
        "angularVelocity: Angular velocity. (x, y, z), world axes, in rad/s.",
    ),
    "inertia turned back": (
        "@ principal.T\n",
        "@ principal\n",
        "inertia: Inertia tensor about the centre of mass, ",
    ),
}


@pytest.fixture
def run(tmp_path: Path, install: Callable[..., object]) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Install a backend that is made of some code, and run a command on it in a folder of its own."""

    def run(code: str, *command: str) -> subprocess.CompletedProcess[str]:
        install("tumble", "tumble", code, distribution="tumble")
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "COLUMNS": "200"}
        arguments = [sys.executable, "-m", *command]
        return subprocess.run(
            arguments, capture_output=True, text=True, check=False, cwd=tmp_path, env=environment, timeout=300
        )

    return run


def test_the_backend_of_the_tutorial_is_short() -> None:
    """Its code is all on the page, in less than 150 lines."""
    assert len(CODE.splitlines()) < 150


def test_the_backend_of_the_tutorial_conforms(run: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    """The command that the page names finds that whatever it declares is right."""
    assert "ovread conform tumble\n" in PAGE.read_text(encoding="utf-8")
    ran = run(CODE, "ovread", "conform", "tumble")
    assert ran.returncode == 0, ran.stdout
    assert "tumble: conforms." in ran.stdout


@pytest.mark.parametrize("flip", FLIPPED)
def test_a_flipped_convention_is_named(flip: str, run: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    """With one convention flipped, the other command fails and says which attribute has which convention."""
    command = ("pytest", "--pyargs", "ovread_conformance", "--ovread-backend", "tumble")
    assert " ".join(command) in PAGE.read_text(encoding="utf-8")
    old, new, convention = FLIPPED[flip]
    assert CODE.count(old) == 1
    ran = run(CODE.replace(old, new), *command, "--ovread-quick", "-k", "test_attribute", "-p", "no:cacheprovider")
    assert ran.returncode == 1, ran.stdout
    assert f"RIGID_BODY.{convention}" in ran.stdout
