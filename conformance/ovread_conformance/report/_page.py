"""The document as one HTML page that needs nothing else: for whoever makes the engine or its backend."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from ovread_conformance.report._document import KINDS, Document

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --good: #18794e; --odd: #ad5700; --bad: #cd2b31; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 75rem; margin: 2rem auto; padding: 0 1rem; }
h1, h2, h3 { line-height: 1.2; } h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line); }
table { border-collapse: collapse; width: 100%; margin: 1rem 0; font-size: 14px; }
th, td { text-align: left; vertical-align: top; padding: .25rem .6rem; border-bottom: 1px solid var(--line); }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
code, pre { font: 13px/1.45 ui-monospace, monospace; } pre { overflow: auto; padding: .8rem;
border: 1px solid var(--line); max-height: 30rem; }
.holds { color: var(--good); } .deviates { color: var(--odd); } .fails, .no { color: var(--bad); font-weight: 600; }
.quiet { opacity: .65; } details { margin: .4rem 0; } summary { cursor: pointer; }
"""

_SIGNS = {"holds": "✓ holds", "deviates": "~ deviates, as declared", "fails": "✗ fails", "skipped": "– not served",
          "no evidence": "✗ no evidence", "outside": "– outside the suite's scope"}  # fmt: skip
_DIFFER = ("fails", "deviates")

_KINDS = {
    "oracle": "a closed form or Pinocchio, in double precision, says the value",
    "consistency": "the values of a moment follow from its joint state, and those of successive moments from the rates",
    "contacts": "statics says what bodies at rest press with",
    "metamorphic": "the same system, written down in other units, axes and names, reads as the catalogue predicts",
    "writes": "a written value reads back at once, keeps masked rows, is refused without a trace, and is reset",
}


def page(document: Document) -> str:
    """Return the whole page."""
    title = "Conformance of " + " and ".join(backend["backend"] for backend in document["backends"])
    versions = ", ".join(f"{name} {version}" for name, version in document["versions"].items())
    parts = [
        f"<!doctype html><html lang='en'><meta charset='utf-8'><title>{escape(title)}</title><style>{_STYLE}</style>",
        f"<h1>{escape(title)}</h1><p class='quiet'>{escape(versions)}. {escape(document['machine'])}.</p>",
        "<p>Every value below was read on the real engine. The kinds of evidence:</p><dl>",
        *(f"<dt><b>{kind}</b></dt><dd>{words}</dd>" for kind, words in _KINDS.items()),
        "</dl>",
        *(_backend(backend) for backend in document["backends"]),
        *(_parity(pair) for pair in document["parity"]),
        "</html>",
    ]
    return "\n".join(parts)


def _backend(backend: Document) -> str:
    label = backend["backend"]
    runs = [run for run in backend["runs"] if run["scene"] and run["verdict"] not in _DIFFER]
    failing = [row for row in backend["rows"] if row["verdict"] in _DIFFER]
    live = [part for part in (*backend["checks"], *backend["runs"]) if part["verdict"] in _DIFFER]
    return "\n".join(
        [
            f"<h2>{escape(label)}</h2>",
            _summary(backend),
            "<h3>What differs</h3>" if failing or backend["objects"] else "<p>No value differs.</p>",
            *(_differing(row, label) for row in failing),
            *(_failures(found, label) for found in backend["objects"] if found["verdict"] != "holds"),
            *(_live(part, label) for part in live),
            *(_scene(run, label) for run in runs),
            "<h3>Every attribute</h3>",
            _table(("attribute", "meaning", "declared", "verdict", *KINDS),
                   (_row(row, label) for row in backend["rows"])),
            "<h3>Conventions checked live</h3>",
            _table(("check", "convention", "verdict"), map(_check, backend["checks"])),
            "<h3>Declared deviations</h3>",
            _table(("rule", "attributes", "what happens", "measured on", "standing"),
                   map(_deviation, backend["deviations"])),
            _mutants(backend),
        ]
    )  # fmt: skip


def _summary(backend: Document) -> str:
    covered = ", ".join(f"{count} by {kind}" for kind, count in backend["covered"].items())
    lines = [
        ("engine", backend["engine"]),
        *([("variant", backend["variant"])] if backend["variant"] else []),
        ("plugin", backend["plugin"]),
        ("device", backend["device"]),
        ("verdict", "conforms" if backend["holds"] else "does not conform"),
        ("held", f"{backend['values']} values of {len(backend['runs'])} runs"),
        (
            "rows",
            f"{len(backend['rows'])} served: {covered}; {len(backend['without_evidence'])} without "
            f"evidence, {len(backend['outside'])} outside the suite's scope",
        ),
        ("time", ", ".join(f"{name} {seconds:g} s" for name, seconds in backend["seconds"].items())),
    ]
    if "mutants" in backend:
        survivors = backend["mutants"]["survivors"]
        explained = sum(bool(survivor["explanation"]) for survivor in survivors)
        killed = f"{backend['mutants']['killed']} of {backend['mutants']['total']} killed"
        lines.append(("mutants", f"{killed}, {explained} explained, {len(survivors) - explained} not noticed"))
    return _table((), ((f"<th>{name}</th>", f"<td>{escape(words)}</td>") for name, words in lines))


def _differing(row: Document, label: str) -> str:
    meaning = "; ".join(word for word in (row["meaning"].rstrip("."), row["units"], f"frame {row['frame']}") if word)
    found = "\n".join(_failures(found, label) for found in row["evidence"].values() if found["verdict"] != "holds")
    head = f"<h4 id='{_anchor(label, row['name'])}'>{row['name']} {_word(row['verdict'])}</h4>"
    return f"{head}<p>{escape(meaning)}.</p>{found}"


def _failures(found: Document, label: str) -> str:
    kind = found.get("kind", "writes")
    failed = found["failed"] + found.get("deviating", 0)
    lines = (
        _cells(_link(label, failure.get("run", "")), escape(failure["path"]), escape(failure["where"]),
               escape(failure["words"]), escape(failure.get("deviation", "")))
        for failure in found["failures"]
    )  # fmt: skip
    shown = len(found["failures"])
    cut = f"; the first {shown}" if shown < failed else ""
    head = f"<p>{kind}: {failed} of {found['count']} values differ{cut}.</p>"
    return head + _table(("run", "prim", "where", "expected and got", "declared as"), lines)


def _live(part: Document, label: str) -> str:
    anchor = _anchor(label, part["name"])
    scene = (
        f"<details id='{anchor}'><summary>scene</summary><pre>{escape(part['scene'])}</pre></details>"
        if part["scene"]
        else ""
    )
    words = part.get("convention", "The run is recorded to its end, without a word from the engine.")
    return (
        f"<h4>{escape(part['name'])} {_word(part['verdict'])}</h4><p>{escape(words)}</p>"
        f"<pre>{escape(part['words'])}</pre>{scene}"
    )


def _scene(run: Document, label: str) -> str:
    steps = f"steps of 1/{round(1 / run['dt'])} s, read at ticks {', '.join(map(str, run['ticks']))}"
    return (
        f"<details id='{_anchor(label, run['name'])}'><summary>Scene: {escape(run['name'])} "
        f"<span class='quiet'>{steps}</span></summary><pre>{escape(run['scene'])}</pre></details>"
    )


def _row(row: Document, label: str) -> Iterable[str]:
    name = f"<a href='#{_anchor(label, row['name'])}'>{row['name']}</a>" if row["verdict"] in _DIFFER else row["name"]
    declared = row["support"] + (f": {row['reason']}" if row["reason"] else "")
    verdict = _word(row["verdict"]) + (
        f" <span class='quiet'>{escape(row['outside'])}</span>" if row["outside"] else ""
    )
    meaning = f"{escape(row['meaning'])} <span class='quiet'>{escape(row['units'])}</span>"
    yield from _cells(f"<code>{name}</code>", meaning, escape(declared), verdict)
    for kind in KINDS:
        found = row["evidence"].get(kind)
        yield f"<td class='number {found['verdict']}'>{found['count']}</td>" if found else "<td></td>"


def _check(check: Document) -> Iterable[str]:
    return _cells(escape(check["name"]), escape(check["convention"]), _word(check["verdict"]))


def _deviation(item: Document) -> Iterable[str]:
    reason = escape(item["reason"]) + (f" <a href='{escape(item['link'])}'>more</a>" if item["link"] else "")
    standing = f"<span class='{'fails' if item['is_error'] else 'holds'}'>{item['standing']}</span>"
    return _cells(f"<code>{escape(item['rule'])}</code>", escape(", ".join(item["attributes"])), reason,
                  escape(item["engine"]), standing)  # fmt: skip


def _mutants(backend: Document) -> str:
    if "mutants" not in backend:
        return ""
    lines = (
        _cells(escape(item["name"]), escape(item["fault"]), escape(item["explanation"] or "a test is missing"))
        for item in backend["mutants"]["survivors"]
    )
    return "<h3>Mutants that survive</h3>" + _table(("mutant", "fault", "why"), lines)


def _parity(pair: Document) -> str:
    lines = (
        _cells(f"<code>{row['name']}</code>", str(row["count"]), escape("; ".join(row["failures"])))
        for row in pair["rows"]
    )
    names = " against ".join(pair["backends"])
    if not pair["rows"]:
        return f"<h2>{escape(names)}</h2><p>Nothing is compared: other evidence proves every row that both read.</p>"
    return f"<h2>{escape(names)}</h2><p>What nothing else proves.</p>" + _table(
        ("attribute", "compared", "differ"), lines
    )


def _word(verdict: str) -> str:
    return f"<span class='{verdict.split()[0]}'>{_SIGNS[verdict]}</span>"


def _link(label: str, run: str) -> str:
    return f"<a href='#{_anchor(label, run)}'>{escape(run)}</a>" if run else ""


def _anchor(label: str, name: str) -> str:
    """Return the address of a row or scene of one backend."""
    return "-".join(f"{label} {name}".replace(",", "").replace("/", "-").replace(":", "-").split())


def _cells(*cells: str) -> list[str]:
    return [f"<td>{cell}</td>" for cell in cells]


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = "".join(f"<th>{name}</th>" for name in heads)
    body = "\n".join(f"<tr>{''.join(row)}</tr>" for row in rows)
    return f"<table>{f'<thead><tr>{head}</tr></thead>' if head else ''}<tbody>{body}</tbody></table>"
