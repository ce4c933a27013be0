"""Live checks in tests: each is carried out once per backend, in the process of its examination."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from ovread_conformance.examination import Examination
from ovread_conformance.live import Check


class Trials:
    """What became of the live checks of some backends.

    Args:
        examinations: The backends, by label.
    """

    def __init__(self, examinations: Mapping[str, Examination]) -> None:
        self._examinations = examinations

    def passes(self, check: Check, backend: str) -> None:
        """End a test as a check ends: skipped, or failing as expected, where that is what the backend declares."""
        one = self._examinations[backend]
        # With its faults, which are asked about next: the check itself is carried out once.
        seen, printed = one.observe(check.name, mutants=True), one.answer_of(check.name, mutants=True).printed
        if seen.skipped:
            pytest.skip(seen.skipped)
        if seen.failure and (declared := one.excuse_of(check.name)):
            pytest.xfail(f"{declared.rule}: {declared.reason} ({declared.engine})")
        if seen.failure or printed:
            noise = f" The engine printed: {printed}" if printed else ""
            pytest.fail(f"{check.name}: {check.convention} {seen.failure}{noise}", pytrace=False)

    def catches(self, check: Check, backend: str, fault: str) -> bool:
        """Return whether a check notices a fault; the test is skipped where the check itself does not pass."""
        seen = self._examinations[backend].observe(check.name, mutants=True)
        if seen.skipped or seen.failure:
            pytest.skip(seen.skipped or "the check itself does not pass")
        return fault not in seen.survivors


def each_fault(checks: Sequence[Check]) -> list[tuple[Check, str]]:
    """Return each check with each fault that it must notice."""
    return [(check, fault) for check in checks for fault in check.faults]


def name_of(what: Check | str) -> str:
    """Return the name of a check, or of a fault, as the name of a test."""
    return what if isinstance(what, str) else what.name
