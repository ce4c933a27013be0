"""Everything that a backend reads is as the conventions have it: closed forms, statics, and other ways to write it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest

from ovread.catalogue import Attribute
from ovread_conformance import suite
from ovread_conformance.examination import Examination, Failure
from ovread_conformance.plugin import backends_to_check, parametrize
from ovread_conformance.recording import served
from ovread_conformance.scope import outside
from ovread_conformance.verdicts import convention_of

_SHOWN = 3
"""Failures that a message shows of each kind of evidence."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Take each run, and each attribute that a backend says it reads."""
    if "row" in metafunc.fixturenames:
        parametrize(metafunc, "row", _examined, lambda row: f"{row.object_type.name}.{row.name}")
    elif "run" in metafunc.fixturenames:
        runs = suite.runs(quick=metafunc.config.getoption("--ovread-quick")).values()
        parametrize(metafunc, "run", lambda label: (run.name for run in runs if run.is_for(label)), str)
    elif "kind" in metafunc.fixturenames:
        parametrize(metafunc, "kind", lambda label: suite.EVIDENCE, str)
    else:
        metafunc.parametrize("ovread_backend", backends_to_check(metafunc.config), scope="session")


def _examined(label: str) -> Iterator[Attribute]:
    return (row for row in served(label) if not outside(row))


def test_run(recorded: dict[str, Examination], ovread_backend: str, run: str) -> None:
    """The backend opens the system, steps it and reads it, without a word from the engine."""
    one = recorded[ovread_backend]
    answer = one.answers[run]
    if answer.failure and (declared := one.excuse_of(run)):
        pytest.xfail(f"{declared.rule}: {declared.reason} ({declared.engine})")
    if answer.failure or answer.printed:
        pytest.fail(f"{run}: {answer.failure} The engine printed: {answer.printed or 'nothing'}", pytrace=False)


def test_attribute(recorded: dict[str, Examination], ovread_backend: str, row: Attribute) -> None:
    """Every value of the attribute is what some evidence says, or deviates as the backend declares."""
    found = [finding for (_, key), finding in recorded[ovread_backend].findings.items() if key == row.key]
    name = f"{row.object_type.name}.{row.name}"
    if not found:
        pytest.fail(f"{name} is declared as served, but nothing that was read of it proves it", pytrace=False)
    if failures := [words for finding in found for words in _spelt(finding.kind, finding.failures)]:
        pytest.fail("\n".join([convention_of(row), *failures]), pytrace=False)
    if deviating := {failure.declared for finding in found for failure in finding.deviating if failure.declared}:
        pytest.xfail("; ".join(sorted(f"{item.rule}: {item.reason} ({item.engine})" for item in deviating)))


def test_objects(recorded: dict[str, Examination], ovread_backend: str, kind: str) -> None:
    """There are the objects that the scene has."""
    found = [finding for (of, _), finding in recorded[ovread_backend].findings.items() if of == kind]
    failures = [words for finding in found if not finding.key[1] for words in _spelt(kind, finding.failures)]
    if failures:
        pytest.fail("\n".join(failures), pytrace=False)


def test_something_was_held(recorded: dict[str, Examination], ovread_backend: str) -> None:
    """A backend of which nothing was read does not conform."""
    assert sum(finding.count for finding in recorded[ovread_backend].findings.values()) > 0


def _spelt(kind: str, failures: Iterable[Failure]) -> list[str]:
    lines = [f"  {kind}, {failure.held.run}: {failure.verdict}" for failure in failures]
    more = [f"  {kind}: and {len(lines) - _SHOWN} more"] if len(lines) > _SHOWN else []
    return [*lines[:_SHOWN], *more]
