"""Every attribute that a backend says it writes is written, refused and reset as the contract has it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import ovread
from ovread import Simulation
from ovread.catalogue import Attribute
from ovread_conformance.plugin import backends_to_check
from ovread_conformance.systems import WRITABLE, usda
from ovread_conformance.written import accepted, check_written


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Take each attribute that each backend accepts."""
    pairs = [(label, row) for label in backends_to_check(metafunc.config) for row in accepted(label)]
    names = [f"{label}-{row.object_type.name}.{row.name}" for label, row in pairs]
    metafunc.parametrize(("writable", "row"), pairs, ids=names, indirect=["writable"])


@pytest.fixture(scope="module")
def writable(request: pytest.FixtureRequest) -> Iterator[Simulation]:
    """The suite's scene, open on one backend."""
    with ovread.open(usda(WRITABLE), backend=request.param) as simulation:
        yield simulation


def test_an_attribute_is_written(writable: Simulation, row: Attribute) -> None:
    """It starts as it is, reads back, keeps masked rows, refuses without a trace, and a reset restores it."""
    check_written(writable, row)
