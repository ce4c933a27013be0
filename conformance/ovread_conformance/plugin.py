"""The pytest plugin: ``--ovread-backend`` chooses what the checks run on."""

from __future__ import annotations

import pytest

import ovread


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    group = parser.getgroup("ovread")
    group.addoption(
        "--ovread-backend",
        action="append",
        default=[],
        metavar="NAME",
        help="Backend to check, or backend and variant as in newton:steel; repeat for several. All installed ones by "
        "default.",
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run each test that takes ``ovread_backend`` on each backend asked for."""
    if "ovread_backend" in metafunc.fixturenames:
        metafunc.parametrize("ovread_backend", backends_to_check(metafunc.config), scope="session")


def pytest_configure(config: pytest.Config) -> None:
    """Make the reference a backend of this process where it is asked for."""
    if any(label == "reference" for label in config.getoption("--ovread-backend")):
        # Only here: it needs Pinocchio.
        from ovread_conformance.reference import add_reference

        add_reference()


def backends_to_check(config: pytest.Config) -> list[str]:
    """Return the labels of the backends to check."""
    named: list[str] = config.getoption("--ovread-backend")
    labels = named or [name for name, info in ovread.backends().items() if info.available]
    if not labels:
        raise pytest.UsageError("no ovread backend is installed, so nothing would be checked: pip install one")
    return labels
