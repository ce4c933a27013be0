"""Printing the commands' documents as a table for people, as JSON, or as CSV."""

from __future__ import annotations

import csv
import enum
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ovread.authoring import Effective, EffectiveProperty, Origin
from ovread.authoring import Verdict as Standing
from ovread.cli import _documents
from ovread.cli._explained import Explained
from ovread.compare import Comparison, Row, Verdict

_STYLES = {Verdict.AGREES: "green", Verdict.DIFFERS: "red", Verdict.ABSENT: "red", Verdict.OMITTED: "dim"}
_STANDINGS = {Standing.AGREES: "green", Standing.DIFFERS: "red"}
_SET = (Origin.AUTHORED, Origin.FALLBACK)
_UNLIMITED = 3.4e38


class Format(enum.StrEnum):
    """How to print."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"


def backends(document: list[dict[str, Any]], output: Format) -> None:
    """Print the backends."""
    if not _printed_as_data(document, document, output):
        rows = [[item["name"], "yes" if item["available"] else "no", item["engine"],
                 f"{item['distribution']} {item['version']}".strip(), item["reason"]] for item in document]  # fmt: skip
        _print_table(["backend", "available", "engine", "distribution", "reason"], rows)


def catalogue(document: list[dict[str, Any]], output: Format) -> None:
    """Print the catalogue."""
    flat = [
        {
            **row,
            "writes": " ".join(f"{name}:{item['writability']}" for name, item in row["writes"].items()),
            "lanes": " ".join(row["lanes"]),
            "dimension": row["units"],
        }
        for row in document
    ]
    if not _printed_as_data(document, flat, output):
        rows = [[row["object_type"], row["attribute"], f"{row['dtype']} x {len(row['lanes'])}", row["layout"],
                 row["units"], row["frame"], row["writability"],
                 " ".join(_documents.served_somewhere(row["backends"])) or "none", row["meaning"]]
                for row in document]  # fmt: skip
        heads = ["type", "attribute", "shape", "layout", "units", "frame", "write", "served by", "meaning"]
        _print_table(heads, rows)


def inspect(document: dict[str, Any], output: Format) -> None:
    """Print what a scene holds."""
    objects = [{"object_type": kind, "path": path} for kind, paths in document["objects"].items() for path in paths]
    if _printed_as_data(document, objects, output):
        return
    console = terminal()
    console.print(_heading(document), markup=False)
    _print_table(["type", "path"], [[item["object_type"], item["path"]] for item in objects])
    for found in document["diagnostics"]:
        console.print(f"{found['rule']}: {found['prim'] or 'the scene'}: {found['message']}", markup=False)


def read(document: dict[str, Any], output: Format) -> None:
    """Print values that were read."""
    values = list(_flat_values(document["groups"]))
    if _printed_as_data(document, values, output):
        return
    console = terminal()
    console.print(f"{_heading(document)}; tick {document['tick']}, {document['time']:.6g} s", markup=False)
    rows = [[group["object_type"], group["attribute"], path, _text(values), group["units"], group["frame"]]
            for group in document["groups"] for path, values in _by_path(group)]  # fmt: skip
    _print_table(["type", "attribute", "path", "value", "units", "frame"], rows)
    for omission in document["omissions"]:
        where = f" ({', '.join(omission['paths'])})" if omission["paths"] else ""
        head = f"{omission['object_type']}.{omission['attribute']}{where}"
        console.print(f"omitted: {head}: {omission['reason']}: {omission['detail']}", markup=False, style="dim")


def compare(comparison: Comparison, output: Format, explained: Explained | None, *, every: bool) -> None:
    """Print a comparison; ``every`` lists each prim that agrees, not each attribute."""
    document = _documents.compare(comparison, explained)
    if _printed_as_data(document, document["rows"], output):
        return
    console = terminal()
    compared = [row for row in comparison.rows if row.verdict is not Verdict.OMITTED]
    agreeing = [row for row in compared if row.verdict is Verdict.AGREES]
    differing = [row for row in compared if row.verdict.is_disagreement]
    lines = map(_line, agreeing) if every else _by_attribute(agreeing)
    _print_comparison([*lines, *(_line(row, why=_why(row, explained)) for row in differing)])
    omissions = _by_reason(comparison)
    for reason, names in omissions.items():
        console.print(f"omitted: {', '.join(names)}: {reason}", markup=False, style="dim")
    for label, words in comparison.refusals.items():
        why = f" Why: {', '.join(explained.refusals[label]) or 'unexplained'}." if explained else ""
        console.print(f"refused: {label}: {words}{why}", markup=False, style="red")
    when = f"after {comparison.ticks} steps of {comparison.dt:.6g} s" if comparison.ticks else "before the first step"
    omitted = len({name for names in omissions.values() for name in names})
    console.print(
        f"{' and '.join(comparison.ran)}, {when}: {len(agreeing)} values agree, {len(differing)} differ, "
        f"{omitted} attributes are omitted with a reason.",
        markup=False,
    )
    if explained:
        console.print("ovread lint says what to author instead, ovread lint --explain RULE why.", style="dim")


def effective(found: Effective, output: Format) -> None:
    """Print what is in force on a prim."""
    document = _documents.effective(found)
    keys = ("schema", "property", "applied", "units", "authored", "verdict")
    flat = [
        {**{key: each[key] for key in keys}, **value} for each in document["properties"] for value in each["values"]
    ]
    if _printed_as_data(document, flat, output):
        return
    console = terminal()
    heads = ["schema", "attribute", "units", "authored", *found.backends, "verdict"]
    _print_table(heads, (_effective_line(each) for each in found.properties))
    if not all(each.is_applied for each in found.properties):
        console.print("Schemas in parentheses are not applied to the prim.", style="dim")
    for remark in _remarks(found):
        console.print(remark, markup=False, style="dim")
    agreeing, differing = (
        sum(each.verdict is standing for each in found.properties) for standing in (Standing.AGREES, Standing.DIFFERS)
    )
    console.print(
        f"{found.prim} on {' and '.join(found.backends)}: {len(found.properties)} attributes, {agreeing} agree, "
        f"{differing} differ.",
        markup=False,
    )


def _effective_line(found: EffectiveProperty) -> list[Any]:
    cells = []
    for each in found.values:
        origin = f"{each.origin.value}: {each.source}" if each.source else each.origin.value
        cells.append(f"{_value_text(each.value, 'unset' if each.origin in _SET else '—')} ({origin})")
    schema = found.schema if found.is_applied else f"({found.schema})"
    unit = "" if found.units == "1" else found.units
    verdict = Text(found.verdict.value, style=_STANDINGS.get(found.verdict, "dim")) if len(cells) > 1 else ""
    return [schema, found.name, unit, _value_text(found.authored), *cells, verdict]


def _value_text(value: Any, nothing: str = "") -> str:
    if value is None:
        return nothing
    if isinstance(value, tuple):
        return f"({', '.join(map(_number, value))})"
    return str(value).lower() if isinstance(value, bool) else _number(value)


def _remarks(found: Effective) -> Iterable[str]:
    """Give what backends say of authored values, and the known divergences, each once with all attributes."""
    names: dict[str, list[str]] = {}
    for each in found.properties:
        for value in each.values:
            if value.text and (each.is_applied or each.authored is not None):
                names.setdefault(f"{value.backend}: {value.text}", []).append(each.name)
        for divergence in each.divergences:
            words = f"{divergence.kind.value}, side at fault {divergence.side.value}: {divergence.text}"
            names.setdefault(words, []).append(each.name)
    return (f"{', '.join(attributes)}: {words}" for words, attributes in names.items())


def _by_reason(comparison: Comparison) -> dict[str, list[str]]:
    """Collect the omitted attributes by backend and reason."""
    found: dict[str, list[str]] = {}
    for row in comparison.rows:
        if row.verdict is Verdict.OMITTED:
            name = f"{row.object_type}.{row.attribute}" + (f" of {row.path}" if row.path else "")
            found.setdefault(row.detail, []).append(name)
    return found


def _print_comparison(lines: Iterable[Sequence[Any]]) -> None:
    heads = [
        "type",
        "attribute",
        "path",
        "verdict",
        "max abs",
        "units",
        "frame",
        "max rel",
        "tolerance",
        "detail",
        "why",
    ]
    _print_table(heads, lines)


def _why(row: Row, explained: Explained | None) -> str:
    return "" if explained is None else ", ".join(explained.rows[row]) or "unexplained"


def _line(row: Row, path: str | None = None, why: str = "") -> list[Any]:
    numbers = ["" if number is None else f"{number:.2g}" for number in (row.max_abs, row.max_rel, row.tolerance)]
    verdict = Text(row.verdict.value, style=_STYLES[row.verdict])
    return [row.object_type, row.attribute, path or row.path, verdict, numbers[0], row.units, row.frame, *numbers[1:],
            row.detail, why]  # fmt: skip


def _by_attribute(rows: Iterable[Row]) -> Iterable[list[Any]]:
    """Give one line per attribute: that of its worst prim, with the number of prims."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.object_type, row.attribute), []).append(row)
    for found in groups.values():
        worst = max(found, key=lambda row: row.max_rel or 0.0)
        yield _line(worst, f"{len(found)} prims" if len(found) > 1 else None)


def _flat_values(groups: Iterable[Mapping[str, Any]]) -> Iterable[dict[str, Any]]:
    for group in groups:
        head = {key: group[key] for key in ("object_type", "attribute", "scene", "units", "frame")}
        for path, rows in _by_path(group):
            for element, row in enumerate(rows):
                for lane, value in zip(group["lanes"], row, strict=True):
                    yield {**head, "path": path, "element": element, "lane": lane, "value": value}


def _by_path(group: Mapping[str, Any]) -> Iterable[tuple[str, list[list[Any]]]]:
    offsets = group["offsets"] or range(len(group["paths"]) + 1)
    for index, path in enumerate(group["paths"]):
        yield path, group["values"][offsets[index] : offsets[index + 1]]


def _text(rows: Sequence[Sequence[Any]]) -> str:
    return "; ".join(" ".join(_number(value) for value in row) for row in rows)


def _number(value: Any) -> str:
    if isinstance(value, float):
        return "unlimited" if value >= _UNLIMITED else "-unlimited" if value <= -_UNLIMITED else f"{value:.6g}"
    return str(value)


def _heading(document: Mapping[str, Any]) -> str:
    units = document["units"]
    return (
        f"{document['backend']}: metersPerUnit {units['meters_per_unit']:g}, "
        f"kilogramsPerUnit {units['kilograms_per_unit']:g}, up axis {units['up_axis']}"
    )


def _printed_as_data(document: Any, flat: Sequence[Mapping[str, Any]], output: Format) -> bool:
    """Print as JSON or CSV; say whether that was asked for."""
    if output is Format.JSON:
        print(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False))
    elif output is Format.CSV:
        writer = csv.DictWriter(sys.stdout, fieldnames=list(flat[0]) if flat else [], lineterminator="\n")
        writer.writeheader()
        writer.writerows(flat)
    return output is not Format.TABLE


def terminal() -> Console:
    """Return a console as wide as the terminal; wide elsewhere, so that a pipe gets whole lines."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=240, no_color=True)


def _print_table(heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    table = Table(*heads, box=None, pad_edge=False, header_style="bold")
    for row in rows:
        table.add_row(*(cell if isinstance(cell, Text) else Text(str(cell)) for cell in row))
    terminal().print(table)
