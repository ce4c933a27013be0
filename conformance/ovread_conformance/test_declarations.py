"""What a backend declares of itself shows: no deviation is stale, unmatched or another engine's."""

from __future__ import annotations

import pytest

from ovread.backend import Deviation
from ovread_conformance.declarations import Declared, Standing
from ovread_conformance.examination import Examination
from ovread_conformance.plugin import parametrize


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Take each deviation that a backend declares."""
    parametrize(metafunc, "deviation", lambda label: Declared.of(label).deviations, lambda item: item.rule)


def test_deviation(recorded: dict[str, Examination], ovread_backend: str, deviation: Deviation) -> None:
    """A declared deviation shows in the scenes that it is about, on the engine that is installed."""
    standing = next(standing for item, standing in recorded[ovread_backend].standings if item is deviation)
    if standing is Standing.WITHOUT_SCENE:
        pytest.skip("the suite has no scene that it is about")
    if standing.is_error:
        pytest.fail(f"{deviation.rule}, declared for {deviation.engine}, is {standing.value}", pytrace=False)
