"""The suite itself: nothing in it is idle."""

from __future__ import annotations

from ovread_conformance import CHECKS, MUTANTS


def test_every_mutant_is_used() -> None:
    """Each mutant is caught by some check."""
    assert {name for check in CHECKS for name in check.mutants} == set(MUTANTS)


def test_every_check_kills_a_mutant() -> None:
    """Each check has a mutant that it must catch."""
    assert [check.name for check in CHECKS if not check.mutants] == []
