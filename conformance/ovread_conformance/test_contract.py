"""What every answer and every write keeps, and that the checks of it notice faults."""

from __future__ import annotations

import pytest

from ovread_conformance.contract import CHECKS as OF_READS
from ovread_conformance.lifetimes import CHECKS as OF_LIFETIMES
from ovread_conformance.live import Check
from ovread_conformance.sessions import CHECKS as OF_WRITES
from ovread_conformance.trials import Trials, each_fault, name_of

CHECKS = (*OF_READS, *OF_LIFETIMES, *OF_WRITES)


@pytest.mark.parametrize("check", CHECKS, ids=name_of)
def test_contract(ovread_trials: Trials, ovread_backend: str, check: Check) -> None:
    """The backend keeps the contract."""
    ovread_trials.passes(check, ovread_backend)


@pytest.mark.parametrize(("check", "fault"), each_fault(CHECKS), ids=name_of)
def test_fault_is_noticed(ovread_trials: Trials, ovread_backend: str, check: Check, fault: str) -> None:
    """The check fails when the contract is broken in this way."""
    assert ovread_trials.catches(check, ovread_backend, fault)
