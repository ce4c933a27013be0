"""The suite itself: nothing in it is idle."""

from __future__ import annotations

import pytest

from ovread_conformance import bounds, contract, dynamics, effects, lifetimes, sessions
from ovread_conformance.effects import EFFECTS, VISIBLE, Effect
from ovread_conformance.faults import FAULTS

CHECKS = (*contract.CHECKS, *lifetimes.CHECKS, *sessions.CHECKS, *effects.CHECKS, *bounds.CHECKS, *dynamics.CHECKS)


def test_every_fault_is_used() -> None:
    """Each fault of a running simulation is noticed by some check."""
    assert {fault for check in CHECKS for fault in check.faults} == set(FAULTS)


def test_every_check_notices_a_fault() -> None:
    """Each check of a running simulation has a fault that it must notice."""
    assert [check.name for check in CHECKS if not check.faults] == []


def test_checks_have_names_of_their_own() -> None:
    """No two checks have one name."""
    names = [check.name for check in CHECKS]
    assert sorted(set(names)) == sorted(names)


@pytest.mark.parametrize("effect", EFFECTS, ids=lambda effect: effect.name)
def test_an_effect_is_visible(effect: Effect) -> None:
    """What is written changes an acceleration, or the state itself, by more than the check lets pass."""
    assert effect.visibility() > VISIBLE or effect.is_of_state
