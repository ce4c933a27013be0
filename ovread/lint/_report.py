"""What is found, in words, as plain data, and as SARIF 2.1.0."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ovread._version import __version__
from ovread.backend import Behaviour
from ovread.lint._findings import Finding, Severity
from ovread.lint._rule import Rule

if TYPE_CHECKING:
    from ovread.lint import Report

_LEVELS = {
    Severity.REFUSED: "error",
    Severity.LOST: "error",
    Severity.DIFFERS: "error",
    Severity.CONTESTED: "warning",
    Severity.UNKNOWN: "note",
}
SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sentences(finding: Finding) -> str:
    """Say in one paragraph what was found, what each engine does, and what to author."""
    head = f"{finding.rule.title.capitalize()}" + (f": {finding.occurrence.what}." if finding.occurrence.what else ".")
    engines = [f"{label} {_verb(finding, label)}: {entry.does}" for label, entry in finding.importing.items()]
    return " ".join([head, *engines, f"Schema: {finding.rule.schema}", f"Instead: {finding.rule.advice}"])


def _verb(finding: Finding, label: str) -> str:
    entry = finding.importing[label]
    verbs = {Behaviour.FOLLOWS: "follows the schema", Behaviour.UNKNOWN: "is not known to follow"}
    words = verbs.get(entry.behaviour, entry.behaviour.value)
    return f"{words} (corrected by ovread)" if entry.corrected else words


def documents(found: Sequence[Finding]) -> list[dict[str, Any]]:
    """Describe findings as plain data with stable keys."""
    return [document(finding) for finding in found]


def document(finding: Finding) -> dict[str, Any]:
    """Describe one finding."""
    return {
        "rule": finding.rule.name,
        "severity": finding.severity.value,
        "prim": finding.prim,
        "what": finding.occurrence.what,
        "backends": {label: entry.behaviour.value for label, entry in finding.importing.items()},
        "does": {label: entry.does for label, entry in finding.importing.items()},
        "measured_on": {label: entry.engine for label, entry in finding.importing.items()},
        "corrected_by_ovread": list(finding.corrected),
        "schema": finding.rule.schema,
        "advice": finding.rule.advice,
        "fixable": finding.fixable,
    }


def sarif(report: Report) -> dict[str, Any]:
    """Describe a report in the Static Analysis Results Interchange Format, version 2.1.0."""
    rules = list({finding.rule.name: finding.rule for finding in report.findings}.values())
    places = {rule.name: index for index, rule in enumerate(rules)}
    driver = {"name": "ovread lint", "version": __version__, "rules": [_sarif_rule(rule) for rule in rules]}
    results = [_sarif_result(finding, report.asset, places[finding.rule.name]) for finding in report.findings]
    return {"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": results}]}


def _sarif_rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.name,
        "shortDescription": {"text": f"{rule.title.capitalize()}."},
        "fullDescription": {"text": rule.schema},
        "help": {"text": rule.advice},
    }


def _sarif_result(finding: Finding, asset: str, index: int) -> dict[str, Any]:
    is_file = Path(asset).is_absolute()
    place: dict[str, Any] = {"logicalLocations": [{"fullyQualifiedName": finding.prim, "kind": "object"}]}
    if is_file:
        place["physicalLocation"] = {"artifactLocation": {"uri": Path(asset).as_uri()}}
    return {
        "ruleId": finding.rule.name,
        "ruleIndex": index,
        "level": _LEVELS[finding.severity],
        "message": {"text": sentences(finding)},
        "locations": [place],
        "properties": document(finding),
    }
