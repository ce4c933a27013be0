"""Every convention holds on the backend, and every mutant of it is caught."""

from __future__ import annotations

import pytest

import ovread
from ovread_conformance import CHECKS, MUTANTS, Check, MutatedSimulation

PAIRS = [(check, mutant) for check in CHECKS for mutant in check.mutants]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_convention(ovread_backend: str, check: Check) -> None:
    """The backend keeps the convention, against a closed form."""
    with ovread.open(check.usda, backend=ovread_backend) as simulation:
        check.run(simulation)


@pytest.mark.parametrize(("check", "mutant"), PAIRS, ids=[f"{check.name}-{mutant}" for check, mutant in PAIRS])
def test_mutant_is_caught(ovread_backend: str, check: Check, mutant: str) -> None:
    """The check fails when the backend's answers are wrong in this way."""
    with ovread.open(check.usda, backend=ovread_backend) as simulation, pytest.raises(AssertionError):
        check.run(MutatedSimulation(simulation, MUTANTS[mutant]))
