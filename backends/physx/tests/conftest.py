"""Scenes, and Python in a process of its own."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def scene() -> Callable[[str], Path]:
    """Find a scene: of these tests, or a sample that ovphysx ships."""
    spec = importlib.util.find_spec("ovphysx")
    samples = Path(spec.origin).parent / "samples" / "data"

    def find(name: str) -> Path:
        ours = HERE / "scenes" / f"{name}.usda"
        return ours if ours.exists() else samples / f"{name}.usda"

    return find


@pytest.fixture(scope="session")
def run_python() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run code in a process of its own; its output is what reached the file descriptors."""

    def run(code: str, *arguments: object) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", code, *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)

    return run
