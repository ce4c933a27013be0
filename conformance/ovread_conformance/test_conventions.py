"""Every convention holds on the backend, and every mutant of it is caught."""

from __future__ import annotations

import pytest

from ovread_conformance import CHECKS, Check
from ovread_conformance.trials import Trials, each_fault, name_of


@pytest.mark.parametrize("check", CHECKS, ids=name_of)
def test_convention(ovread_trials: Trials, ovread_backend: str, check: Check) -> None:
    """The backend keeps the convention, against a closed form, or deviates as it declares."""
    ovread_trials.passes(check, ovread_backend)


@pytest.mark.parametrize(("check", "mutant"), each_fault(CHECKS), ids=name_of)
def test_mutant_is_caught(ovread_trials: Trials, ovread_backend: str, check: Check, mutant: str) -> None:
    """The check fails when the backend's answers are wrong in this way."""
    assert ovread_trials.catches(check, ovread_backend, mutant)
