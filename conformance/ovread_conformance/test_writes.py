"""Every attribute that a backend says it writes is written, refused and reset as the contract has it."""

from __future__ import annotations

import pytest

from ovread.catalogue import Attribute
from ovread_conformance.examination import Examination
from ovread_conformance.plugin import parametrize
from ovread_conformance.written import accepted


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Take each attribute that each backend accepts."""
    parametrize(metafunc, "row", accepted, lambda row: f"{row.object_type.name}.{row.name}")


def test_an_attribute_is_written(examinations: dict[str, Examination], ovread_backend: str, row: Attribute) -> None:
    """It starts as it is, reads back, keeps masked rows, refuses without a trace, and a reset restores it."""
    words = examinations[ovread_backend].writes[row.key]
    if words:
        pytest.fail(f"{row.object_type.name}.{row.name}: {words}", pytrace=False)
