"""Write ``evidence.json``: what the conformance suite shows of each backend and solver, attribute by attribute.

``make conform`` runs it, one backend or solver after the other; it takes a minute or two for each, with ``MUTANTS=1``
several. What is known of the installed engine and suite is not measured again unless it is named. ``docs/generate.py``
puts the letters and the figures on the page of the support matrix.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ovread import plugins

FILE = Path(__file__).parent / "evidence.json"
Entry = dict[str, Any]
"""What is known of one backend or solver."""

LETTERS = {"oracle": "o", "contacts": "o", "consistency": "c", "metamorphic": "m", "writes": "w"}
LEGEND = (
    "Letters are what the [conformance suite](conformance.md) shows on the real engine: **o** a closed form, Pinocchio "
    "or statics, **c** consistency with other values, **m** the same read of the scene written down in other ways, "
    "**w** the contract of writes."
)

FIGURES = (
    "What the suite did and found, by backend and solver. A test is a simulation that is recorded to its end, an "
    "attribute that is held against evidence, one that is written, or a live check; a mutant is what was recorded, or "
    "an open simulation, with one fault. `make conform` measures what is new, `make conform LABELS=newton:steel` that "
    "one, `make conform MUTANTS=1` mutants too."
)


def labels() -> list[str]:
    """Return every installed backend with every variant."""
    return [
        f"{name}:{variant}" if variant else name
        for name, info in plugins.backends().items()
        if info.available
        for variant in info.variants or [""]
    ]


def known() -> dict[str, Entry]:
    """Return all that was measured, on whatever engine, by label."""
    found: dict[str, Entry] = json.loads(FILE.read_text(encoding="utf-8")) if FILE.is_file() else {}
    return found


def shown() -> dict[str, Entry]:
    """Return what was measured on the engines that are installed, by label."""
    found = known()
    return {label: found[label] for label in labels() if label in found and found[label]["engine"] == _engine(label)}


def is_due(entry: Entry | None, versions: Mapping[str, str], *, quick: bool, mutants: bool) -> bool:
    """Whether something is to be measured again: it failed, is of other versions, or is less than what is asked for."""
    if entry is None or "failure" in entry or _versions(entry) != versions or (entry["quick"] and not quick):
        return True
    return mutants and _versions(entry.get("mutants", {})) != versions


def measured(label: str, *, quick: bool, mutants: bool) -> Entry:
    """Examine one backend; a failure of the suite itself is what was found, too."""
    from ovread_conformance.command import examined

    start, entry = time.perf_counter(), dict[str, Any](versions_of(label))
    try:
        document = examined([label], quick=quick, mutants=mutants, progress=_told)
        entry |= {**figures(document["backends"][0]), "machine": document["machine"]}
    except Exception as error:
        entry["failure"] = f"{type(error).__name__}: {error}"
    return {**entry, "seconds": round(time.perf_counter() - start)}


def figures(found: Mapping[str, Any]) -> Entry:
    """Return the figures of one backend of the suite's document, and the letters of its attributes."""
    verdicts = [check["verdict"] for check in found["checks"]]
    examined = [row for row in found["rows"] if row["verdict"] != "outside"]
    entry = {
        "device": found["device"],
        "quick": found["quick"],
        "holds": found["holds"],
        "failing": [part["name"] for part in (*examined, *found["runs"], *found["checks"])
                    if part["verdict"] in ("fails", "no evidence")],
        "tests": len(found["runs"]) + len(examined) + found["covered"]["writes"] + len(verdicts),
        "runs": len(found["runs"]),
        "values": found["values"],
        "checks": {verdict: verdicts.count(verdict) for verdict in ("holds", "deviates", "fails", "skipped")},
        "attributes": len(examined),
        "covered": found["covered"],
        "obeyed": len({name for check in found["checks"] if check["verdict"] == "holds" for name in check["writes"]}),
        "deviations": _standings(found["deviations"]),
        "rows": {row["name"]: letters(row) for row in found["rows"] if letters(row)},
    }  # fmt: skip
    if "mutants" in found:
        killed = {name: found["mutants"][name] for name in ("killed", "total", "explained", "missed")}
        entry["mutants"] = {**versions_of(found["backend"]), **killed}
    return entry


def _standings(deviations: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Return how each rule stands, in the scenes that it is declared for."""
    found: dict[str, set[str]] = {}
    for item in deviations:
        found.setdefault(item["rule"], set()).add(item["standing"])
    return {rule: sorted(standings) for rule, standings in found.items()}


def letters(row: Mapping[str, Any]) -> str:
    """Return the letters of one row of the suite's document; none for evidence that fails."""
    return "".join(
        dict.fromkeys(
            LETTERS[kind]
            for kind, finding in row["evidence"].items()
            if kind in LETTERS and finding["verdict"] in ("holds", "deviates")
        )
    )


def versions_of(label: str) -> dict[str, str]:
    """Return the versions that figures of a label hold for."""
    info = plugins.backends()[label.partition(":")[0]]
    suite = importlib.metadata.version("ovread-conformance")
    return {"engine": info.engine, "plugin": f"{info.distribution} {info.version}", "suite": suite}


def _versions(entry: Mapping[str, Any]) -> dict[str, str]:
    return {name: entry[name] for name in ("engine", "plugin", "suite") if name in entry}


def _engine(label: str) -> str:
    return versions_of(label)["engine"]


def summary(found: Mapping[str, Entry]) -> list[tuple[str, ...]]:
    """Return the table of figures: heads, then a line for each figure with a cell for each label."""
    lines = [
        (name, *("" if "failure" in entry and name != "verdict" else cell(entry) for entry in found.values()))
        for name, cell in _FIGURES.items()
    ]
    return [("", *found), *lines]


def _mutants(entry: Entry) -> str:
    if "mutants" not in entry:
        return "not counted"
    words = "{killed} of {total} killed, {explained} explained, {missed} missed".format(**entry["mutants"])
    return words if _versions(entry["mutants"]) == _versions(entry) else f"{words} (with {entry['mutants']['engine']})"


def _verdict(entry: Entry) -> str:
    if "failure" in entry:
        return f"could not be examined: {entry['failure']}"
    return "conforms" if entry["holds"] else f"does not conform: {len(entry['failing'])} of its tests fail"


_FIGURES = {
    "verdict": _verdict,
    "tests": lambda entry: str(entry["tests"]),
    "simulations recorded": lambda entry: f"{entry['runs']}{' (quick)' if entry['quick'] else ''}",
    "values held": lambda entry: str(entry["values"]),
    "attributes examined": lambda entry: str(entry["attributes"]),
    "by oracle": lambda entry: str(entry["covered"]["oracle"]),
    "by statics of contacts": lambda entry: str(entry["covered"]["contacts"]),
    "by consistency": lambda entry: str(entry["covered"]["consistency"]),
    "by metamorphic relations": lambda entry: str(entry["covered"]["metamorphic"]),
    "by the contract of writes": lambda entry: str(entry["covered"]["writes"]),
    "obeyed once written": lambda entry: str(entry["obeyed"]),
    "live checks: hold, deviate, not offered": lambda entry: ", ".join(
        str(entry["checks"][verdict]) for verdict in ("holds", "deviates", "skipped")
    ),
    "deviations: declared, shown": lambda entry: (
        f"{len(entry['deviations'])}, {sum('shown' in standings for standings in entry['deviations'].values())}"
    ),
    "mutants": _mutants,
    "run time": lambda entry: f"{entry['seconds']} s",
    "engine": lambda entry: entry["engine"],
    "plugin": lambda entry: entry["plugin"],
    "suite": lambda entry: entry["suite"],
    "machine": lambda entry: entry["machine"],
}
"""The lines of the table of figures, and the cell of one label."""


def _told(words: str) -> None:
    """Show on a terminal what is being done, on one line."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{words}", end="", file=sys.stderr, flush=True)


def _wanted(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure what the conformance suite shows.")
    parser.add_argument("labels", nargs="*", help="backends or solvers to measure whatever is known of them")
    parser.add_argument("--quick", action="store_true", help="record fewer ways to write each system down")
    parser.add_argument("--mutants", action="store_true", help="count the mutants that are killed, too")
    wanted = parser.parse_args(arguments)
    wanted.labels = [_whole(label) for label in wanted.labels]
    if unknown := set(wanted.labels) - set(labels()):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(labels())}")
    if wanted.quick and wanted.mutants:
        parser.error("mutants need what quick leaves out")
    return wanted


def _whole(label: str) -> str:
    """Return a label with its variant: that of a backend alone stands for the first, which it has by default."""
    return next((known for known in labels() if known in (label, f"{label}:{known.partition(':')[2]}")), label)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure what is named, by default all that is not known yet; return 1 where something does not conform."""
    wanted = _wanted(arguments)
    names = wanted.labels or labels()
    for number, label in enumerate(names, 1):
        before, versions = known().get(label), versions_of(label)
        if not wanted.labels and not is_due(before, versions, quick=wanted.quick, mutants=wanted.mutants):
            print(f"{number} of {len(names)}: {label} is known; name it to measure it again", flush=True)
            continue
        print(f"{number} of {len(names)}: {label} ...", flush=True)
        entry = measured(label, quick=wanted.quick, mutants=wanted.mutants)
        if before is not None and "mutants" in before:
            entry.setdefault("mutants", before["mutants"])
        _told("")
        print(f"  {_verdict(entry)}, {entry['seconds']} s", flush=True)
        FILE.write_text(json.dumps({**known(), label: entry}, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return int(not all(known()[label].get("holds") for label in names))


if __name__ == "__main__":
    sys.exit(main())
