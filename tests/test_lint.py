"""``ovread lint``: findings are patterns times declarations; as a command, as data, and as rules of the validator."""

from __future__ import annotations

import json
import subprocess
import sys
import time
import tomllib
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
import usd_validation_nvidia as validator
from pxr import Usd

from ovread import lint, plugins
from ovread.backend import BackendInfo, Behaviour, Importing
from ovread.lint._explain import explainer
from ovread.lint._findings import Finding, Importer, findings
from ovread.lint._report import sarif
from ovread.lint._validator import CATEGORY, Plugin, checker_of, issues
from ovread.lint.examples import EXAMPLES

ROOT = Path(__file__).resolve().parents[1]
ONE_SIDED = "one-sided-limit-locks"


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "ovread", "lint", *arguments], capture_output=True, text=True, check=False
    )


@pytest.fixture
def asset(tmp_path: Path) -> str:
    path = tmp_path / "asset.usda"
    path.write_text(EXAMPLES[ONE_SIDED].found)
    return str(path)


def found(rule: str, *declared: Behaviour | None, corrected: bool = False) -> list[Finding]:
    """Find a rule's example with backends that declare this of it."""
    engines = []
    for number, behaviour in enumerate(declared):
        entries = (Importing(rule, behaviour, "It does.", "engine 1", corrected=corrected),) if behaviour else ()
        engines.append(Importer(f"engine{number}", BackendInfo(imports=entries)))
    from ovread.backend import Scene
    from ovread.lint._asset import Asset

    stage = lint.open_asset(Scene(EXAMPLES[rule].found, is_text=True))
    return list(findings(Asset(stage), [lint.rule_named(rule)], engines))


SEVERITIES: Mapping[tuple[Behaviour | None, ...], str | None] = {
    (Behaviour.FOLLOWS, Behaviour.FOLLOWS): None,
    (Behaviour.FOLLOWS, None): "unknown",
    (Behaviour.FOLLOWS, Behaviour.DIFFERS): "differs",
    (None, Behaviour.DIFFERS): "differs",
    (Behaviour.DIFFERS, Behaviour.LOSES): "lost",
    (Behaviour.REFUSES, Behaviour.LOSES): "refused",
}


@pytest.mark.parametrize("declared", SEVERITIES)
def test_the_worst_that_an_engine_does_is_the_severity(declared: tuple[Behaviour | None, ...]) -> None:
    expected = SEVERITIES[declared]
    assert [each.severity.value for each in found(ONE_SIDED, *declared)] == ([expected] if expected else [])


def test_where_the_schema_leaves_it_open_the_finding_is_contested() -> None:
    assert [each.severity for each in found("no-mass", Behaviour.DIFFERS)] == [lint.Severity.CONTESTED]


def test_what_a_backend_corrects_is_found_all_the_same_and_said_so() -> None:
    (finding,) = found(ONE_SIDED, Behaviour.DIFFERS, corrected=True)
    assert (finding.severity, finding.corrected, finding.shows) == (lint.Severity.DIFFERS, ("engine0",), False)


def test_a_third_engine_joins_by_declaring() -> None:
    (finding,) = found(ONE_SIDED, Behaviour.FOLLOWS, Behaviour.FOLLOWS, Behaviour.LOSES)
    assert [entry.behaviour for entry in finding.importing.values()] == ["follows", "follows", "loses"]


def test_the_first_declaration_that_concerns_a_variant_counts() -> None:
    special = Importing("p", Behaviour.LOSES, "", "", variants=("a",))
    info = BackendInfo(imports=(special, Importing("p", Behaviour.DIFFERS, "", "")))
    assert [info.importing_of("p", variant).behaviour for variant in ("a", "b", None)] == [
        "loses",
        "differs",
        "differs",
    ]
    assert info.importing_of("q").behaviour is Behaviour.UNKNOWN


def test_backends_declare_only_what_there_are_rules_for() -> None:
    names = {rule.name for rule in lint.RULES}
    for info in plugins.backends().values():
        assert {entry.pattern for entry in info.imports} <= names
        assert {variant for entry in info.imports for variant in entry.variants} <= set(info.variants)


def test_a_rule_has_the_name_of_the_deviation_that_it_explains() -> None:
    rules = {name for rule in lint.RULES for name in (rule.name, *rule.also)}
    physx = {item.rule for item in plugins.backends()["physx"].deviations}
    assert {"world-hinge-welded", ONE_SIDED, "cone-inertia", "gravity-not-normalised", "floating-root-choice"} <= physx
    assert {"world-hinge-welded", ONE_SIDED, "cone-inertia", "gravity-not-normalised", "floating-root-choice"} <= rules


def test_the_command_names_prim_engines_schema_and_remedy_and_exits_with_1(asset: str) -> None:
    done = command(asset, "--backends", "physx,newton:steel")
    assert done.returncode == 1, done.stderr
    for words in (
        "/W/j: the limits are (-20, inf)",
        "physx differs: Takes (0, 0)",
        "newton:steel follows",
        "author instead",
    ):
        assert words in done.stdout


def test_the_command_exits_with_0_without_findings_and_2_where_it_could_not_run(tmp_path: Path, asset: str) -> None:
    clean = tmp_path / "clean.usda"
    clean.write_text('#usda 1.0\ndef Xform "W" { }\n')
    assert command(str(clean)).returncode == 0
    (tmp_path / "broken.usda").write_text("#usda 1.0\ndef (\n")
    for arguments in ((), ("nowhere.usda",), (str(tmp_path / "broken.usda"),), (asset, "-b", "physics"),
                      (asset, "-b", "newton:none"), ("--explain", "nothing")):  # fmt: skip
        done = command(*arguments)
        assert (done.returncode, "Traceback" in done.stderr) == (2, False), (arguments, done.stderr)


def test_a_finding_as_json_has_these_keys(asset: str) -> None:
    document = json.loads(command(asset, "--format", "json").stdout)
    by_rule = {item["rule"]: item for item in document}
    item = by_rule[ONE_SIDED]
    assert (item["severity"], item["prim"], item["fixable"]) == ("differs", "/W/j", True)
    assert item["backends"] == {"newton": "follows", "physx": "differs"}
    assert {"schema", "advice", "does", "what", "corrected_by_ovread", "measured_on"} < item.keys()


def test_sarif_has_what_its_version_requires(asset: str) -> None:
    document: dict[str, Any] = json.loads(command(asset, "--format", "sarif").stdout)
    assert document == sarif(lint.lint(asset))
    assert (document["version"], len(document["runs"])) == ("2.1.0", 1)
    driver = document["runs"][0]["tool"]["driver"]
    rules = [rule["id"] for rule in driver["rules"]]
    assert driver["name"]
    assert len(rules) == len(set(rules))
    for result in document["runs"][0]["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in ("none", "note", "warning", "error")
        assert result["message"]["text"]
        (location,) = result["locations"]
        assert location["physicalLocation"]["artifactLocation"]["uri"].startswith("file:///")
        assert location["logicalLocations"][0]["fullyQualifiedName"].startswith("/")


def test_explain_says_what_each_backend_declares_and_shows_a_scene() -> None:
    done = command("--explain", "velocity-limit")
    assert done.returncode == 0, done.stderr
    assert "newton:steel follows" in done.stdout
    assert "physx follows" in done.stdout
    assert "newton:velocityLimit = 45" in done.stdout


def test_the_command_fixes_and_reports_what_is_left(asset: str, tmp_path: Path) -> None:
    out = tmp_path / "fixed.usda"
    done = command(asset, "--fix", str(out))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "; 0 are left" in done.stdout
    assert command(str(out)).returncode == 0


def test_the_validator_finds_the_plugin_by_its_entry_point() -> None:
    group = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]["usd_validation_nvidia"]
    (value,) = group.values()
    assert metadata.EntryPoint("ovread", value, "usd_validation_nvidia").load() is Plugin


def test_the_validator_lists_each_rule_once_while_the_plugin_runs() -> None:
    """Its entry point starts the plugin when the validator is imported; the plugin takes its rules away again."""
    registered = [rule.__name__ for rule in validator.CategoryRuleRegistry().get_rules(CATEGORY)]
    assert len(set(registered)) == len(registered) == len(lint.RULES)
    assert "OneSidedLimitLocksChecker" in registered
    plugin = Plugin()
    plugin.on_shutdown()
    try:
        assert validator.CategoryRuleRegistry().get_rules(CATEGORY) == []
    finally:
        plugin.on_startup()


def test_the_validator_shows_a_finding_and_applies_its_repair(asset: str) -> None:
    engine = validator.ValidationEngine(init_rules=False)
    engine.enable_rule(checker_of(lint.rule_named(ONE_SIDED)))
    (issue,) = engine.validate(asset).issues()
    assert (issue.code, issue.severity, str(issue.at.path)) == (ONE_SIDED, validator.IssueSeverity.FAILURE, "/W/j")
    assert "physx differs" in issue.message
    assert issue.suggestion is not None
    stage = Usd.Stage.Open(asset)
    (result,) = validator.IssueFixer(stage).fix_at([issue], stage.GetSessionLayer())
    assert result.status is validator.FixStatus.SUCCESS
    assert stage.GetAttributeAtPath("/W/j.physics:upperLimit").Get() == 1e6
    assert len(issues(lint.lint(asset).findings, stage)) == len(lint.lint(asset).findings)


def test_importing_ovread_loads_no_usd() -> None:
    program = "import sys, ovread, ovread.cli, ovread.lint; sys.exit('pxr' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_ten_thousand_prims_take_seconds(tmp_path: Path) -> None:
    body = EXAMPLES["mass-on-collider"].found.partition('def Xform "b"')[2]
    one = 'def Xform "b%d"' + body.rstrip().removesuffix("}").replace("%", "%%")
    path = tmp_path / "many.usda"
    path.write_text("#usda 1.0\n" + "\n".join(one % number for number in range(5000)))
    started = time.perf_counter()
    report = lint.lint(path)
    assert len(report.findings) >= 5000
    assert time.perf_counter() - started < 20


def test_compare_names_the_rule_behind_each_difference_and_what_nothing_explains(asset: str) -> None:
    arguments = ("-m", "ovread", "compare", asset, "--backends", "physx,newton", "--format", "json")
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False)
    rows = {row["attribute"]: row for row in json.loads(done.stdout)["rows"] if row["path"] == "/W/j"}
    assert rows["jointLimit"]["explained_by"] == [ONE_SIDED]
    assert rows["jointMaxForce"]["explained_by"] == ["undriven-joint"]
    assert rows["jointPosition"]["explained_by"] is None


def test_a_finding_explains_what_it_shows_in_and_nothing_else(asset: str) -> None:
    found = explainer(asset, ["physx", "newton"])
    assert found.rules("ARTICULATION_JOINT", "jointLimit", "/W/j") == (ONE_SIDED,)
    assert found.rules("ARTICULATION_LINK", "angularVelocity", "/W/base") == (ONE_SIDED,)
    assert found.rules("ARTICULATION_LINK", "mass", "/W/arm") == ()
    assert found.rules("ARTICULATION_JOINT", "jointLimit", "/V/j") == ()


def test_a_refusal_is_explained_by_what_the_backend_refuses(tmp_path: Path) -> None:
    path = tmp_path / "asset.usda"
    path.write_text(EXAMPLES["sheared-hierarchy"].found)
    found = explainer(path, ["physx", "newton"])
    assert (found.refusals("newton"), found.refusals("physx")) == (("sheared-hierarchy",), ())
