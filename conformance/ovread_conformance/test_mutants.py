"""The suite notices wrong values: each corruption of what was recorded, of each row, fails some evidence."""

from __future__ import annotations

import pytest

from ovread_conformance.examination import Examination


def test_mutants_are_killed(recorded: dict[str, Examination], ovread_backend: str, pytestconfig: pytest.Config) -> None:
    """Every mutant is caught, or it is explained why it cannot be."""
    if pytestconfig.getoption("--ovread-quick"):
        pytest.skip("mutants need what --ovread-quick leaves out, or some survive for want of a run")
    fates = recorded[ovread_backend].fates
    survivors = [f"{fate.name} ({fate.corruption.fault})" for fate in fates if not (fate.killed_by or fate.explanation)]
    killed = sum(bool(fate.killed_by) for fate in fates)
    assert fates, "there is nothing to corrupt"
    if survivors:
        pytest.fail("\n".join([f"{killed} of {len(fates)} killed; not noticed:", *survivors]), pytrace=False)
