"""The pytest plugin: which backends are examined, and how."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

import pytest

import ovread
from ovread_conformance import reference
from ovread_conformance.examination import Examination, examine_together
from ovread_conformance.trials import Trials

Subject = TypeVar("Subject")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("ovread")
    group.addoption(
        "--ovread-backend",
        action="append",
        default=[],
        metavar="NAME",
        help="Backend to check, or backend and variant as in newton:steel; repeat for several. All installed ones by "
        "default.",
    )
    group.addoption("--ovread-device", default="cpu", metavar="DEVICE", help="cpu or cuda:0.")
    group.addoption("--ovread-quick", action="store_true", help="Record fewer ways to write each system down.")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run each test that takes ``ovread_backend`` on each backend asked for."""
    if "ovread_backend" in metafunc.fixturenames and not hasattr(metafunc.module, "pytest_generate_tests"):
        metafunc.parametrize("ovread_backend", backends_to_check(metafunc.config), scope="session")


def pytest_configure(config: pytest.Config) -> None:
    """Make the reference a backend of this process where it is asked for."""
    if reference.NAME in config.getoption("--ovread-backend"):
        reference.add_reference()


def backends_to_check(config: pytest.Config) -> list[str]:
    """Return the labels of the backends to check."""
    named: list[str] = config.getoption("--ovread-backend")
    labels = named or [name for name, info in ovread.backends().items() if info.available]
    if not labels:
        raise pytest.UsageError("no ovread backend is installed, so nothing would be checked: pip install one")
    return labels


def parametrize(
    metafunc: pytest.Metafunc, name: str, subjects: Callable[[str], Iterable[Subject]], spelt: Callable[[Subject], str]
) -> None:
    """Run a test on each subject of each backend: ``ovread_backend`` and ``name`` are its arguments."""
    pairs = [(label, subject) for label in backends_to_check(metafunc.config) for subject in subjects(label)]
    names = [f"{label}-{spelt(subject)}" for label, subject in pairs]
    metafunc.parametrize(("ovread_backend", name), pairs, ids=names, scope="session")


@pytest.fixture(scope="session")
def examinations(request: pytest.FixtureRequest) -> Iterator[dict[str, Examination]]:
    """What is found of each backend, each part when it is asked for."""
    config = request.config
    device, quick = config.getoption("--ovread-device"), config.getoption("--ovread-quick")
    found = {label: Examination(label, device=device, quick=quick) for label in backends_to_check(config)}
    yield found
    for one in found.values():
        one.close()


@pytest.fixture(scope="session")
def recorded(examinations: dict[str, Examination]) -> dict[str, Examination]:
    """The same, after all of them were recorded and judged, side by side."""
    examine_together(examinations)
    return examinations


@pytest.fixture(scope="session")
def ovread_trials(examinations: dict[str, Examination]) -> Trials:
    """Carries out live checks."""
    return Trials(examinations)
