"""Every convention holds on the backend, and every mutant of it is caught."""

from __future__ import annotations

import pytest

from ovread_conformance import CHECKS, Check
from ovread_conformance.examination import Examination


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_convention(examinations: dict[str, Examination], ovread_backend: str, check: Check) -> None:
    """The backend keeps the convention, against a closed form, or deviates as it declares."""
    one = examinations[ovread_backend]
    seen, printed = one.observe(check.name), one.answer_of(check.name).printed
    if seen.skipped:
        pytest.skip(f"declared: {seen.skipped}")
    if seen.failure and (declared := one.excuse_of(check.name)):
        pytest.xfail(f"{declared.rule}: {declared.reason} ({declared.engine})")
    if seen.failure or printed:
        words = f"{check.name}: {check.convention} {seen.failure}" + (
            f" The engine printed: {printed}" if printed else ""
        )
        pytest.fail(words, pytrace=False)


@pytest.mark.parametrize("check", [check for check in CHECKS if check.mutants], ids=lambda check: check.name)
def test_mutants_are_caught(examinations: dict[str, Examination], ovread_backend: str, check: Check) -> None:
    """The check fails when the backend's answers are wrong in each way that it is there for."""
    seen = examinations[ovread_backend].observe(check.name, mutants=True)
    if seen.skipped or seen.failure:
        pytest.skip("the check itself does not pass")
    assert not seen.survivors, f"{check.name} does not notice {', '.join(seen.survivors)}"
