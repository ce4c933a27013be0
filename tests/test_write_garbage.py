"""Garbage in names, values, shapes, types, masks and orders of calls neither crashes an engine nor changes a value."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import resources
from pathlib import Path

import pytest

HERE = Path(__file__).parent
WRITABLE = HERE / "scenes" / "writable.usda"
SAMPLES = resources.files("ovphysx").joinpath("samples", "data")
ATTEMPTS = 1500
CASES = {
    "physx": ("physx", WRITABLE),
    "physx-vehicles": ("physx", SAMPLES / "vehicle_read_write.usda"),
    "newton": ("newton:mujoco", WRITABLE),
    "newton-xpbd": ("newton:xpbd", WRITABLE),
}


@pytest.mark.parametrize("case", CASES)
def test_garbage_is_refused_without_a_trace(case: str) -> None:
    """Thousands of attempts in a process of its own: it ends well, says nothing, and both verdicts occurred."""
    backend, scene = CASES[case]
    command = [sys.executable, str(HERE / "write_garbage.py"), str(scene), backend, str(ATTEMPTS)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=900)
    assert (ran.returncode, ran.stderr) == (0, ""), ran.stderr[-4000:]
    counts = json.loads(ran.stdout)
    assert counts["attempts"] >= ATTEMPTS
    assert counts["accepted"] > ATTEMPTS / 20
    assert counts["refused"] > ATTEMPTS / 4
