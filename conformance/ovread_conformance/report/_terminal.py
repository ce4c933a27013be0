"""The document on a terminal: what holds by object type, and one by one what does not."""

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

_VERDICTS = ("holds", "deviates", "fails", "no evidence")


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
    """Print what holds by type, what differs, the deviations, the mutants and a line that sums up, of each backend."""
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
    kinds = [kind for kind in KINDS if backend["covered"].get(kind)]
    rows = [row for row in backend["rows"] if row["verdict"] != "outside"]
    types = dict.fromkeys(row["object_type"] for row in rows)
    _print(console, ["type", "attributes", *_VERDICTS, *(f"by {kind}" for kind in kinds)],
           (_counted(kind, [row for row in rows if row["object_type"] == kind], kinds) for kind in types))  # fmt: skip
    differing = [row for row in rows if row["verdict"] != "holds"]
    if differing:
        _print(console, ["attribute that differs", "verdict", *kinds, "declared as"],
               ([Text(row["name"]), _word(row["verdict"]), *(_cell(row, kind) for kind in kinds), Text(_rules(row))]
                for row in differing))  # fmt: skip
    parts = [part for part in (*backend["checks"], *backend["runs"]) if part["verdict"] in ("fails", "deviates")]
    if parts:
        _print(console, ["run or check", "verdict", ""],
               ([Text(part["name"]), _word(part["verdict"]), Text(part["words"])] for part in parts))  # fmt: skip
    for row in [*rows, *backend["objects"]]:
        _print_failures(console, row)
    for item in backend["deviations"]:
        if item["is_error"]:
            words = f"deviation {item['rule']} is declared for {item['engine']} and is {item['standing']}"
            console.print(words, style="red", markup=False)
    for survivor in backend.get("mutants", {}).get("survivors", ()):
        words = f"survives: {survivor['name']} ({survivor['fault']}) {survivor['explanation']}"
        console.print(words, style="dim" if survivor["explanation"] else "red", markup=False)
    console.print(_summary(backend), style="green" if backend["holds"] else "red", markup=False)


def _counted(kind: str, rows: Sequence[Document], kinds: Sequence[str]) -> list[Text]:
    """Return how many attributes of a type there are, by verdict, and by kind of evidence."""
    verdicts = [sum(row["verdict"] == verdict for row in rows) for verdict in _VERDICTS]
    styled = (
        Text(str(count or ""), style=_STYLES[verdict]) for verdict, count in zip(_VERDICTS, verdicts, strict=True)
    )
    covered = (Text(str(sum(one in row["evidence"] for row in rows) or "")) for one in kinds)
    return [Text(kind), Text(str(len(rows))), *styled, *covered]


def _rules(row: Document) -> str:
    return ", ".join(dict.fromkeys(rule for found in row["evidence"].values() for rule in found.get("deviations", ())))


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
    shown = sum(item["standing"] == "shown" for item in backend["deviations"])
    checks = [check["verdict"] for check in backend["checks"]]
    rows, outside, bare = (len(backend[key]) for key in ("rows", "outside", "without_evidence"))
    words = (
        f"{backend['backend']}: {'conforms' if backend['holds'] else 'does not conform'}. "
        f"{backend['values']} values of {len(backend['runs'])} runs held; of {len(checks)} checks "
        f"{checks.count('holds')} hold, {checks.count('skipped')} are of what it does not offer. {rows} attributes "
        f"read or written: {rows - outside - bare} with evidence, {bare} without, {outside} outside the suite's scope. "
        f"{len(backend['deviations'])} deviations declared, {shown} of them shown."
    )
    if "mutants" in backend:
        killed = "{killed} of {total} killed, {explained} explained, {missed} not noticed"
        words += f" Mutants: {killed.format(**backend['mutants'])}."
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
