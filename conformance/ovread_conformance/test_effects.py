"""What is written is obeyed, and checks notice where it is not."""

from __future__ import annotations

import pytest

from ovread_conformance.bounds import CHECKS as OF_BOUNDS
from ovread_conformance.effects import CHECKS as OF_EFFECTS
from ovread_conformance.live import Check
from ovread_conformance.trials import Trials, each_fault, name_of

CHECKS = (*OF_EFFECTS, *OF_BOUNDS)


@pytest.mark.parametrize("check", CHECKS, ids=name_of)
def test_effect(ovread_trials: Trials, ovread_backend: str, check: Check) -> None:
    """The next step obeys what was written."""
    ovread_trials.passes(check, ovread_backend)


@pytest.mark.parametrize(("check", "fault"), each_fault(CHECKS), ids=name_of)
def test_fault_is_noticed(ovread_trials: Trials, ovread_backend: str, check: Check, fault: str) -> None:
    """The check fails when a write goes wrong in this way."""
    assert ovread_trials.catches(check, ovread_backend, fault)
