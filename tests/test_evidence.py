"""What `make conform` keeps: figures of every backend and solver, whatever becomes of one of them."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

DOCS = Path(__file__).parent.parent / "docs"
ENGINE = {"engine": "scale 1.0", "plugin": "scratch 1.0", "suite": "0.1.0"}
FOUND = {
    "backend": "fine", "device": "cpu", "quick": False, "holds": True, "values": 7,
    "runs": [{"name": "bodies", "verdict": "holds"}],
    "checks": [{"name": "force", "verdict": "holds", "writes": ["RIGID_BODY.force"]},
               {"name": "masks", "verdict": "skipped", "writes": ["RIGID_BODY.mass"]}],
    "rows": [{"name": "RIGID_BODY.mass", "verdict": "deviates", "evidence": {
                 "oracle": {"verdict": "deviates"}, "metamorphic": {"verdict": "fails"}}},
             {"name": "SHAPE.points", "verdict": "outside", "evidence": {}}],
    "covered": {"oracle": 1, "consistency": 0, "contacts": 0, "metamorphic": 1, "writes": 0},
    "deviations": [{"rule": "heavy", "standing": "shown"}, {"rule": "heavy", "standing": "without scene"}],
    "mutants": {"killed": 8, "total": 10, "explained": 1, "missed": 1, "survivors": []},
}  # fmt: skip


@pytest.fixture
def evidence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """The module, of three backends of which nothing is known."""
    monkeypatch.syspath_prepend(DOCS)
    import evidence

    monkeypatch.setattr(evidence, "FILE", tmp_path / "evidence.json")
    monkeypatch.setattr(evidence, "labels", lambda: ["broken", "fine", "other"])
    monkeypatch.setattr(evidence, "versions_of", lambda label: ENGINE)
    return evidence


@pytest.fixture
def asked(evidence: ModuleType, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is examined, in turn: the first backend cannot be."""
    names: list[str] = []

    def examined(labels: list[str], *, mutants: bool, **options: Any) -> dict[str, Any]:
        names.extend(labels)
        if labels == ["broken"]:
            raise RuntimeError("it crashes")
        found = FOUND if mutants else {key: value for key, value in FOUND.items() if key != "mutants"}
        return {"backends": [{**found, "backend": labels[0]}], "machine": "a machine"}

    monkeypatch.setattr("ovread_conformance.command.examined", examined)
    return names


def kept(evidence: ModuleType) -> dict[str, Any]:
    return dict(json.loads(evidence.FILE.read_text()))


def test_a_failure_is_recorded_and_the_next_are_measured(evidence: ModuleType, asked: list[str]) -> None:
    assert evidence.main([]) == 1
    assert asked == ["broken", "fine", "other"]
    found = kept(evidence)
    assert found["broken"]["failure"] == "RuntimeError: it crashes"
    assert found["other"]["rows"] == {"RIGID_BODY.mass": "o"}


def test_what_is_known_is_not_measured_again_unless_it_is_named(evidence: ModuleType, asked: list[str]) -> None:
    evidence.main(["fine", "other"])
    asked.clear()
    assert evidence.main([]) == 1
    assert asked == ["broken"]
    asked.clear()
    assert evidence.main(["fine"]) == 0
    assert asked == ["fine"]


def test_another_engine_and_more_than_was_measured_are_due(evidence: ModuleType, asked: list[str]) -> None:
    evidence.main(["fine", "--quick"])
    entry = {**kept(evidence)["fine"], "quick": True}
    assert not evidence.is_due(entry, ENGINE, quick=True, mutants=False)
    assert evidence.is_due(entry, ENGINE, quick=False, mutants=False)
    assert evidence.is_due(entry, ENGINE, quick=True, mutants=True)
    assert evidence.is_due(entry, {**ENGINE, "engine": "scale 2.0"}, quick=True, mutants=False)


def test_the_last_figures_of_mutants_are_kept(evidence: ModuleType, asked: list[str]) -> None:
    evidence.main(["fine", "--mutants"])
    evidence.main(["fine"])
    assert kept(evidence)["fine"]["mutants"] == {**ENGINE, "killed": 8, "total": 10, "explained": 1, "missed": 1}


def test_the_table_has_a_column_for_each(evidence: ModuleType, asked: list[str]) -> None:
    evidence.main(["--mutants"])
    heads, *lines = evidence.summary(evidence.shown())
    assert heads == ("", "broken", "fine", "other")
    cells = {name: values for name, *values in lines}
    assert cells["verdict"] == ["could not be examined: RuntimeError: it crashes", "conforms", "conforms"]
    assert cells["tests"] == ["", "4", "4"]
    assert cells["obeyed once written"] == ["", "1", "1"]
    assert cells["deviations: declared, shown"] == ["", "1, 1", "1, 1"]
    assert cells["mutants"] == ["", *["8 of 10 killed, 1 explained, 1 missed"] * 2]
    assert cells["machine"] == ["", "a machine", "a machine"]
