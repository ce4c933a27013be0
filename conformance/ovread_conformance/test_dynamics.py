"""Momentum, energy, closed forms and convergence, and that the checks of them notice faults."""

from __future__ import annotations

import pytest

from ovread_conformance.dynamics import CHECKS
from ovread_conformance.live import Check
from ovread_conformance.trials import Trials, each_fault, name_of


@pytest.mark.parametrize("check", CHECKS, ids=name_of)
def test_dynamics(ovread_trials: Trials, ovread_backend: str, check: Check) -> None:
    """The backend moves as it should."""
    ovread_trials.passes(check, ovread_backend)


@pytest.mark.parametrize(("check", "fault"), each_fault(CHECKS), ids=name_of)
def test_fault_is_noticed(ovread_trials: Trials, ovread_backend: str, check: Check, fault: str) -> None:
    """The check fails when the motion is wrong in this way."""
    assert ovread_trials.catches(check, ovread_backend, fault)
