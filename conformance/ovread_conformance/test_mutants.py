"""The suite notices wrong values: each corruption of what was recorded, of each row, fails some evidence."""

from __future__ import annotations

import pytest

from ovread_conformance import suite
from ovread_conformance.examination import Examination


def test_mutants_are_killed(recorded: dict[str, Examination], ovread_backend: str) -> None:
    """Every mutant is caught, or it is explained why it cannot be."""
    fates = recorded[ovread_backend].fates
    survivors = [f"{fate.name} ({fate.corruption.fault})" for fate in fates if _survives(fate)]
    killed = sum(bool(fate.killed_by) for fate in fates)
    assert fates, "there is nothing to corrupt"
    if survivors:
        pytest.fail("\n".join([f"{killed} of {len(fates)} killed; not noticed:", *survivors]), pytrace=False)


def _survives(fate: suite.Fate) -> bool:
    return not fate.killed_by and not suite.explanation(fate)
