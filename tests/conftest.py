"""Fixtures: backends that are installed for one test, and simulations of the rest backend."""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ovread.backend import FilledColumns, Scene
from ovread.plugins import Backend, Plugins
from ovread.simulation import Simulation

Install = Callable[..., importlib.metadata.EntryPoint]


def pytest_configure(config: pytest.Config) -> None:
    """Make the rest backend importable, as if it were installed."""
    sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(autouse=True)
def no_backend_in_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep a variable of the caller's from choosing a backend in a test."""
    monkeypatch.delenv("OVREAD_BACKEND", raising=False)


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Install a backend: a distribution with one entry point, and its module where a source is given."""
    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(sys.modules)

    def make(
        name: str, module: str, source: str | None = None, *, distribution: str, version: str = "1.0"
    ) -> importlib.metadata.EntryPoint:
        info = tmp_path / f"{distribution.replace('-', '_')}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n")
        (info / "entry_points.txt").write_text(f"[ovread.backends]\n{name} = {module}\n")
        if source is not None:
            (tmp_path / f"{module}.py").write_text(source)
        (entry_point,) = importlib.metadata.PathDistribution(info).entry_points
        return entry_point

    yield make
    for module in set(sys.modules) - before:
        if str(getattr(sys.modules[module], "__file__", None) or "").startswith(str(tmp_path)):
            del sys.modules[module]


@pytest.fixture
def plugins(install: Install) -> Plugins:
    """The plugins of a process where the rest backend alone is installed."""
    return Plugins([install("rest", "rest_backend", distribution="ovread-rest", version="1.2.3")])


@pytest.fixture
def rest(plugins: Plugins) -> Backend:
    """The rest backend."""
    return plugins.get("rest")


@pytest.fixture
def opened(rest: Backend) -> Iterator[Callable[..., Simulation]]:
    """Open the rest backend's scene; closed when the test ends."""
    simulations: list[Simulation] = []

    def make(**options: Any) -> Simulation:
        scene = Scene("#usda 1.0", is_text=True)
        engine = rest.hooks.ovread_open(scene=scene, device="cpu", options=rest.options(options))
        simulations.append(Simulation(rest, engine))
        return simulations[-1]

    yield make
    for simulation in simulations:
        simulation.close()


@pytest.fixture
def sim(opened: Callable[..., Simulation]) -> Simulation:
    """An open simulation of the rest backend, with one scene and joints that turn."""
    return opened()


@pytest.fixture
def bindings(monkeypatch: pytest.MonkeyPatch) -> list[FilledColumns]:
    """The bindings that are open: each must be closed once, and not be used after."""
    import rest_backend

    alive: list[FilledColumns] = []

    class Watched(FilledColumns):
        def __init__(self, *args: Any) -> None:
            super().__init__(*args)
            alive.append(self)

        def fetch(self, buffers: Any) -> None:
            assert self in alive, "used after it was closed"
            super().fetch(buffers)

        def close(self) -> None:
            alive.remove(self)

    monkeypatch.setattr(rest_backend, "FilledColumns", Watched)
    return alive


@pytest.fixture
def python(tmp_path: Path) -> Callable[..., str]:
    """Run a program in a fresh interpreter and return what it printed."""

    def run(program: str, **environment: str) -> str:
        finished = subprocess.run(
            [sys.executable, "-c", program],
            cwd=tmp_path,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            check=False,
        )
        assert finished.returncode == 0, finished.stderr
        return finished.stdout.strip()

    return run
