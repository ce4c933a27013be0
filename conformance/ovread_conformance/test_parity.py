"""Where nothing else proves a value, two backends read the same."""

from __future__ import annotations

from itertools import combinations

import pytest

from ovread_conformance.examination import Examination
from ovread_conformance.parity import compare
from ovread_conformance.plugin import backends_to_check


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Take each pair of backends."""
    pairs = list(combinations(backends_to_check(metafunc.config), 2))
    metafunc.parametrize("pair", pairs, ids=[f"{one}-{other}" for one, other in pairs])


def test_parity(recorded: dict[str, Examination], pair: tuple[str, str]) -> None:
    """What the file decides reads the same on both."""
    found = compare(*(recorded[label] for label in pair))
    failures = [str(verdict) for agreement in found.rows.values() for verdict in agreement.failures]
    if failures:
        pytest.fail("\n".join(failures), pytrace=False)
