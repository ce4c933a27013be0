"""The document on a terminal: a matrix of attributes and kinds of evidence, and whatever fails."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ovread_conformance.report._document import KINDS, Document

_STYLES = {
    "holds": "green",
    "deviates": "yellow",
    "fails": "bold red",
    "skipped": "dim",
    "no evidence": "bold red",
    "outside": "dim",
}


def print_json(document: Document) -> None:
    """Print all of it."""
    print(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False))


def print_csv(document: Document) -> None:
    """Print a line per backend and attribute."""
    heads = ["backend", "object_type", "attribute", "support", "verdict", *KINDS]
    writer = csv.DictWriter(sys.stdout, fieldnames=heads, lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    for backend in document["backends"]:
        for row in backend["rows"]:
            counts = {kind: row["evidence"].get(kind, {}).get("count", 0) for kind in KINDS}
            writer.writerow({"backend": backend["backend"], **row, **counts})


def print_tables(document: Document) -> None:
    """Print the matrix, what fails, the deviations, the mutants and a line that sums up, of each backend."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=200, no_color=True)
    for backend in document["backends"]:
        _print_backend(console, backend)
    for pair in document["parity"]:
        _print_parity(console, pair)
    console.print(document["machine"], style="dim", markup=False)


def _print_backend(console: Console, backend: Document) -> None:
    console.rule(f"{backend['backend']} on {backend['device']}: {backend['engine']}, {backend['plugin']}")
    rows = [[Text(row["name"]), _word(row["verdict"]), *(_cell(row, kind) for kind in KINDS)]
            for row in backend["rows"] if row["verdict"] != "outside"]  # fmt: skip
    _print(console, ["attribute", "verdict", *KINDS], rows)
    console.print()
    parts = [*backend["checks"], *(run for run in backend["runs"] if run["verdict"] != "holds")]
    _print(console, ["run or check", "verdict", ""],
           [[Text(part["name"]), _word(part["verdict"]), Text(part["words"] or part.get("convention", ""))]
            for part in parts])  # fmt: skip
    for row in [*backend["rows"], *backend["objects"]]:
        _print_failures(console, row)
    for item in backend["deviations"]:
        if item["is_error"]:
            words = f"deviation {item['rule']} is declared for {item['engine']} and is {item['standing']}"
            console.print(words, style="red", markup=False)
    for survivor in backend.get("mutants", {}).get("survivors", ()):
        words = f"survives: {survivor['name']} ({survivor['fault']}) {survivor['explanation']}"
        console.print(words, style="dim" if survivor["explanation"] else "red", markup=False)
    console.print(_summary(backend), style="green" if backend["holds"] else "red", markup=False)


def _print_failures(console: Console, row: Document) -> None:
    findings = row["evidence"].values() if "evidence" in row else [row]
    for found in findings:
        if found["verdict"] == "fails":
            for failure in found["failures"]:
                head = f"{row.get('name', row['object_type'])} of {failure['path']}"
                where = ", ".join(part for part in (failure.get("run"), failure["where"]) if part)
                console.print(f"fails: {head} ({where}): {failure['words']}", style="red", markup=False)


def _print_parity(console: Console, pair: Document) -> None:
    console.rule(" against ".join(pair["backends"]))
    rows = [[Text(str(row[key])) for key in ("name", "count", "failed")] for row in pair["rows"]]
    _print(console, ["attribute that nothing else proves", "compared", "differ"], rows)
    for row in pair["rows"]:
        for words in row["failures"]:
            console.print(f"differs: {words}", style="red", markup=False)


def _summary(backend: Document) -> str:
    covered = ", ".join(f"{count} by {kind}" for kind, count in backend["covered"].items())
    shown = sum(item["standing"] == "shown" for item in backend["deviations"])
    words = (
        f"{backend['backend']}: {'conforms' if backend['holds'] else 'does not conform'}. "
        f"{backend['values']} values of {len(backend['runs'])} runs held; rows of {len(backend['rows'])}: {covered}; "
        f"{len(backend['without_evidence'])} without evidence, {len(backend['outside'])} outside the suite's scope. "
        f"{len(backend['deviations'])} deviations declared, {shown} of them shown."
    )
    if "mutants" in backend:
        words += f" Mutants: {backend['mutants']['killed']} of {backend['mutants']['total']} killed."
    spent = ", ".join(f"{name} {seconds:g} s" for name, seconds in backend["seconds"].items())
    return f"{words} Time: {spent}."


def _word(verdict: str) -> Text:
    return Text(verdict, style=_STYLES[verdict])


def _cell(row: Document, kind: str) -> Text:
    found = row["evidence"].get(kind)
    if found is None:
        return Text("")
    failed = found["failed"] + found.get("deviating", 0)
    words = f"{failed} of {found['count']}" if failed else str(found["count"])
    return Text(words, style=_STYLES[found["verdict"]])


def _print(console: Console, heads: Sequence[str], rows: Iterable[Sequence[Text]]) -> None:
    table = Table(*heads, box=None, pad_edge=False, header_style="bold")
    for row in rows:
        table.add_row(*row)
    console.print(table)
