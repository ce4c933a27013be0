"""`ovread conform` on a backend that is wrong in known ways: what it says of them, and in which keys."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SCRATCH = Path(__file__).parent / "scratch"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("report") / "scratch.html"


def conform(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command where the faulty backends are installed."""
    paths = os.pathsep.join([str(SCRATCH), *sys.path])
    command = [sys.executable, "-m", "ovread", "conform", *arguments]
    environment = {**os.environ, "PYTHONPATH": paths}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


@pytest.fixture(scope="module")
def document(page: Path) -> dict[str, Any]:
    ran = conform("scratch", "--mutants", "--format", "json", "--html", str(page))
    assert ran.returncode == 1, ran.stderr
    found: dict[str, Any] = json.loads(ran.stdout)
    return found


@pytest.fixture(scope="module")
def backend(document: dict[str, Any]) -> dict[str, Any]:
    (found,) = document["backends"]
    return dict(found)


def named(parts: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {part["name"]: part for part in parts}


def test_the_document_is_bound_to_versions(document: dict[str, Any], backend: dict[str, Any]) -> None:
    assert set(document["versions"]) == {"ovread", "ovread_conformance", "python"}
    assert (backend["engine"], backend["plugin"], backend["device"]) == ("scale 1.2.3", "scratch 1.0", "cpu")
    assert document["machine"]
    assert document["holds"] is False


def test_mutants_are_counted(document: dict[str, Any]) -> None:
    assert document["killed"] > 0
    assert document["total"] == document["killed"] + len(document["survivors"])
    assert all(set(survivor) == {"backend", "name", "fault", "explanation"} for survivor in document["survivors"])


def test_a_deviation_is_as_declared_in_its_scene_only(backend: dict[str, Any]) -> None:
    found = named(backend["rows"])["RIGID_BODY.mass"]
    assert found["verdict"] == "deviates"
    failures = found["evidence"]["metamorphic"]["failures"]
    assert {(failure["run"], failure["deviation"]) for failure in failures} == {("bodies, feet", "heavy-in-feet")}
    assert found["evidence"]["oracle"]["verdict"] == "holds"


def test_what_is_declared_as_served_and_never_read_fails(backend: dict[str, Any]) -> None:
    found = named(backend["rows"])["RIGID_BODY.position"]
    assert found["verdict"] == "fails"
    assert "got none" in found["evidence"]["oracle"]["failures"][0]["words"]


def test_what_is_only_written_is_reported_too(backend: dict[str, Any]) -> None:
    found = named(backend["rows"])["RIGID_BODY.force"]
    assert (found["support"], found["verdict"], list(found["evidence"])) == ("write-only", "fails", ["writes"])


def test_a_crash_fails_its_run_only(backend: dict[str, Any]) -> None:
    runs = named(backend["runs"])
    assert runs["fixed tree, Y up"]["verdict"] == "fails"
    assert runs["fixed tree, Y up"]["words"] == "the process crashed with SIGSEGV"
    assert runs["fixed tree, Y up"]["scene"].startswith("#usda")
    assert runs["bodies, Y up"]["deviation"] == "crashes"
    assert runs["floating tree, Y up"]["verdict"] == "holds"


def test_noise_fails_its_run_only(backend: dict[str, Any]) -> None:
    runs = named(backend["runs"])
    assert runs["bodies, centimetres"]["words"] == "the engine printed: warning: small units"
    assert runs["bodies, grams"]["verdict"] == "holds"


def test_declared_deviations_must_show(backend: dict[str, Any]) -> None:
    standings = {item["rule"]: (item["standing"], item["is_error"]) for item in backend["deviations"]}
    assert standings == {
        "heavy-in-feet": ("shown", False),
        "crashes": ("shown", False),
        "stale": ("stale", True),
        "nowhere": ("unmatched", True),
        "older": ("other engine", True),
        "unshown": ("without scene", False),
    }


def test_a_check_is_skipped_where_the_backend_declares_so(backend: dict[str, Any]) -> None:
    checks = named(backend["checks"])
    assert checks["unknown moments"]["verdict"] == "skipped"
    assert checks["unknown moments"]["words"].startswith("linearAcceleration of RIGID_BODY is unsupported")
    assert checks["free fall"]["words"].startswith("linearVelocity of RIGID_BODY is unsupported")
    assert checks["order under renaming"]["verdict"] == "fails"


def test_nothing_ran_is_no_report(tmp_path: Path) -> None:
    ran = conform("idle", "--quick", "--html", str(tmp_path / "page.html"))
    assert (ran.returncode, ran.stdout, list(tmp_path.iterdir())) == (2, "", [])
    assert ran.stderr.splitlines()[-1].startswith("ovread: Nothing could be run on idle. The first of ")
    assert ran.stderr.endswith("SceneRefusedError: It opens nothing.\n")


@pytest.mark.usefixtures("document")
def test_the_page_needs_nothing_else(page: Path) -> None:
    text = page.read_text()
    assert "the process crashed with SIGSEGV" in text
    assert "heavy-in-feet" in text
    assert "#usda" in text
    assert not {word for word in ("<script", "src=", "http:", "@import") if word in text}
