"""What the suite found, as plain data with stable keys, bound to the versions and the machine that it holds for."""

from __future__ import annotations

import importlib.metadata
import math
import os
import platform
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import ovread
from ovread import catalogue
from ovread.catalogue import Attribute
from ovread_conformance import observation, suite
from ovread_conformance.examination import Examination, Failure, Finding
from ovread_conformance.parity import Parity
from ovread_conformance.scope import outside
from ovread_conformance.suite import Fate
from ovread_conformance.systems import usda

KINDS = (*suite.EVIDENCE, "writes")
"""The kinds of evidence that a row can have, the most trusted first."""
_SHOWN = 5
"""Failures that are shown of one attribute and kind of evidence."""

Document = dict[str, Any]


def document(
    examinations: Mapping[str, Examination], parity: Sequence[Parity] = (), *, mutants: bool = False
) -> Document:
    """Describe what was found of some backends."""
    backends = [_backend(one, mutants=mutants) for one in examinations.values()]
    found: Document = {
        "holds": all(backend["holds"] for backend in backends) and all(pair.holds for pair in parity),
        "versions": {
            "ovread": ovread.__version__,
            "ovread_conformance": importlib.metadata.version("ovread-conformance"),
            "python": platform.python_version(),
        },
        "machine": machine(),
        "backends": backends,
        "parity": [_pair(pair) for pair in parity],
    }
    if mutants:
        found["killed"] = sum(backend["mutants"]["killed"] for backend in backends)
        found["total"] = sum(backend["mutants"]["total"] for backend in backends)
        found["survivors"] = [
            {"backend": backend["backend"], **survivor}
            for backend in backends
            for survivor in backend["mutants"]["survivors"]
        ]
    return found


def machine() -> str:
    """Say what this runs on."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.is_file() else []
    model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
    return f"{model or platform.machine()}, {os.cpu_count()} cores, {platform.system()} {platform.release()}"


def _backend(one: Examination, *, mutants: bool) -> Document:
    info = one.declared.info
    written_only = [catalogue.attribute(*key) for key in one.writes if key not in one.served]
    rows = [_row(one, row) for row in (*one.served.values(), *written_only)]
    runs = [_run(one, name) for name in one.runs]
    checks = [_check(one, name, mutants=mutants) for name in observation.CHECKS]
    objects = [_finding(finding) for (_, (_, name)), finding in one.findings.items() if not name]
    deviations = [
        {
            "rule": item.rule,
            "attributes": list(item.attributes),
            "reason": item.reason,
            "engine": item.engine,
            "link": item.link,
            "scene": item.scene,
            "standing": standing.value,
            "is_error": standing.is_error,
        }
        for item, standing in one.standings
    ]
    held = sum(finding.count for finding in one.findings.values())
    found: Document = {
        "backend": one.label,
        "variant": one.declared.variant,
        "device": one.device,
        "engine": info.engine,
        "plugin": f"{info.distribution} {info.version}".strip(),
        "quick": one.quick,
        "values": held,
        "rows": rows,
        "objects": objects,
        "runs": runs,
        "checks": checks,
        "deviations": deviations,
        "covered": {kind: sum(kind in row["evidence"] for row in rows) for kind in KINDS},
        "without_evidence": [row["name"] for row in rows if row["verdict"] == "no evidence"],
        "outside": [row["name"] for row in rows if row["verdict"] == "outside"],
    }
    if mutants:
        found["mutants"] = _mutants(one, checks)
    seconds = {
        **one.seconds,
        "checks": sum(one.answer_of(name, mutants=mutants).seconds for name in observation.CHECKS),
    }
    found["seconds"] = {name: round(spent, 1) for name, spent in seconds.items()}
    found["holds"] = (
        held > 0
        and not any(part["verdict"] in ("fails", "no evidence") for part in (*rows, *objects, *runs, *checks))
        and not any(item["is_error"] for item in deviations)
        and not (mutants and found["mutants"]["missed"])
    )
    return found


def _row(one: Examination, row: Attribute) -> Document:
    support, is_read = one.declared.support(row.key), row.key in one.served
    evidence = {
        kind: _finding(one.findings[kind, row.key]) for kind in suite.EVIDENCE if (kind, row.key) in one.findings
    }
    if row.key in one.writes:
        words = one.writes[row.key]
        failures = [{"path": "", "where": "writes", "words": words}] if words else []
        evidence["writes"] = {"count": 1, "failed": len(failures), "verdict": "fails" if words else "holds",
                              "failures": failures}  # fmt: skip
    verdicts = {found["verdict"] for found in evidence.values()}
    unseen = "outside" if outside(row) else "no evidence"
    verdict = next((word for word in ("fails", "deviates", "holds") if word in verdicts), unseen)
    return {
        "name": f"{row.object_type.name}.{row.name}",
        "object_type": row.object_type.name,
        "attribute": row.name,
        "meaning": row.meaning,
        "lanes": list(row.lanes),
        "units": row.units(),
        "frame": row.frame.value,
        "point": row.point.value,
        "support": support.level.value if is_read else "write-only",
        "reason": support.reason if is_read else "",
        "tolerance": support.tolerance,
        "verdict": verdict,
        "outside": outside(row),
        "evidence": evidence,
    }


def _finding(finding: Finding) -> Document:
    failing = finding.failures or finding.deviating
    return {
        "object_type": finding.key[0].name,
        "kind": finding.kind,
        "count": finding.count,
        "failed": len(finding.failures),
        "deviating": len(finding.deviating),
        "deviations": sorted({failure.declared.rule for failure in finding.deviating if failure.declared}),
        "verdict": "fails" if finding.failures else "deviates" if finding.deviating else "holds",
        "failures": [_failure(failure) for failure in failing[:_SHOWN]],
    }


def _failure(failure: Failure) -> Document:
    verdict = failure.verdict
    return {
        "run": failure.held.run,
        "path": verdict.path,
        "where": verdict.where,
        "words": verdict.words,
        "error": _number(verdict.error),
        "tolerance": _number(verdict.tolerance),
        "deviation": failure.declared.rule if failure.declared else "",
    }


def _run(one: Examination, name: str) -> Document:
    answer = one.answers[name]
    words = answer.failure or (f"the engine printed: {answer.printed}" if answer.printed else "")
    found = _live(one, name, words)
    shown = any(held.run == name and held.failures for held in one.held)
    return {
        **found,
        "seconds": round(answer.seconds, 2),
        "dt": one.runs[name].dt,
        "ticks": list(one.runs[name].ticks),
        "scene": usda(one.runs[name].system) if words or shown else "",
    }


def _check(one: Examination, name: str, *, mutants: bool) -> Document:
    seen, check = one.observe(name, mutants=mutants), observation.CHECKS[name]
    printed = one.answer_of(name, mutants=mutants).printed
    words = seen.failure or (f"the engine printed: {printed}" if printed else "")
    found = _live(one, name, words)
    if seen.skipped:
        found |= {"verdict": "skipped", "words": seen.skipped}
    return {**found, "convention": check.convention, "scene": check.usda if words else "",
            "writes": [f"{kind.name}.{attribute}" for kind, attribute in check.writes],
            "mutants": len(check.faults), "survivors": list(seen.survivors)}  # fmt: skip


def _live(one: Examination, name: str, words: str) -> Document:
    declared = one.excuse_of(name) if words else None
    verdict = "holds" if not words else "deviates" if declared else "fails"
    return {"name": name, "verdict": verdict, "words": words, "deviation": declared.rule if declared else ""}


def _mutants(one: Examination, checks: Sequence[Document]) -> Document:
    killed = sum(bool(fate.killed_by) for fate in one.fates)
    survivors = [_survivor(fate) for fate in one.fates if not fate.killed_by]
    observed = [check for check in checks if check["verdict"] == "holds"]
    survivors += [
        {"name": f"{check['name']}: {name}", "fault": observation.fault_of(name), "explanation": ""}
        for check in observed
        for name in check["survivors"]
    ]
    live = sum(check["mutants"] - len(check["survivors"]) for check in observed)
    explained = sum(bool(survivor["explanation"]) for survivor in survivors)
    return {
        "killed": killed + live,
        "total": killed + live + len(survivors),
        "explained": explained,
        "missed": len(survivors) - explained,
        "survivors": survivors,
    }


def _survivor(fate: Fate) -> Document:
    return {"name": fate.name, "fault": fate.corruption.fault, "explanation": fate.explanation}


def _pair(pair: Parity) -> Document:
    return {
        "backends": list(pair.backends),
        "rows": [
            {"name": f"{kind.name}.{name}", "count": held.count, "failed": len(held.failures),
             "failures": [str(verdict) for verdict in held.failures[:_SHOWN]]}
            for (kind, name), held in pair.rows.items()
        ],
        "holds": pair.holds,
    }  # fmt: skip


def _number(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)
