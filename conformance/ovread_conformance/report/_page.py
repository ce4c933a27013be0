"""The document as one HTML page that needs nothing else: for whoever makes the engine or its backend."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from ovread_conformance.report._document import KINDS, Document

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --shade: #8881; --good: #18794e; --odd: #a15c00; --bad: #cd2b31; }
@media (prefers-color-scheme: dark) { :root { --good: #4cc38a; --odd: #f1a10d; --bad: #ff8589; } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h1, h2, h3 { line-height: 1.2; margin: 2rem 0 .6rem; } h2 { border-bottom: 1px solid var(--line); }
p { margin: .4rem 0; } a { color: inherit; text-underline-offset: .15em; }
.wide { overflow-x: auto; margin: .6rem 0; } table { border-collapse: collapse; font-size: 14px; }
th, td { text-align: left; vertical-align: top; padding: .25rem .9rem .25rem 0; border-bottom: 1px solid var(--line); }
td.text { min-width: 16rem; } td.number { text-align: right; font-variant-numeric: tabular-nums; }
code, pre { font: 13px/1.5 ui-monospace, monospace; overflow-wrap: break-word; }
pre { overflow: auto; padding: .8rem; background: var(--shade); max-height: 30rem; white-space: pre-wrap; }
.verdict { white-space: nowrap; } .holds, .conforms { color: var(--good); } .deviates { color: var(--odd); }
.fails, .no, .does { color: var(--bad); font-weight: 600; } .quiet { opacity: .7; }
details { margin: .3rem 0; } summary { cursor: pointer; } details > :not(summary) { margin-left: 1rem; }
:target { background: var(--shade); }
"""

_SIGNS = {"holds": "✓ holds", "deviates": "~ deviates", "fails": "✗ fails", "skipped": "– not served",
          "no evidence": "✗ no evidence", "outside": "– outside the suite's scope"}  # fmt: skip
_PLURAL = {"fails": "fail", "holds": "hold", "deviates": "deviate, as declared", "skipped": "need what is not served"}
_STANDINGS = {"without scene": "no scene shows it"}
_DIFFER = ("fails", "deviates")

_KINDS = {
    "oracle": "a closed form or Pinocchio, in double precision, says the value",
    "consistency": "the values of a moment follow from its joint state, and those of successive moments from the rates",
    "contacts": "statics says what bodies at rest press with",
    "metamorphic": "the same system, written down in other units, axes and names, reads as the catalogue predicts",
    "snapshots": "a result that was kept still has its values at the end of the run",
    "writes": "a written value reads back at once, keeps masked rows, is refused without a trace, and is reset",
}


def page(document: Document) -> str:
    """Return the whole page."""
    title = "Conformance of " + " and ".join(backend["backend"] for backend in document["backends"])
    versions = ", ".join(f"{name} {version}" for name, version in document["versions"].items())
    parts = [
        f"<!doctype html><html lang='en'><meta charset='utf-8'><title>{escape(title)}</title>",
        f"<meta name='viewport' content='width=device-width'><style>{_STYLE}</style>",
        f"<h1>{escape(title)}</h1><p class='quiet'>{escape(versions)}. {escape(document['machine'])}.</p>",
        *(_backend(backend) for backend in document["backends"]),
        *(_parity(pair) for pair in document["parity"]),
        "<h2>Kinds of evidence</h2>",
        "<p>Every value was read on the real engine, and held against what one of these says, the most trusted "
        "first:</p>",
        _table((), (_cells(f"<b>{kind}</b>", words) for kind, words in _KINDS.items())),
        "</html>",
    ]
    return "\n".join(parts)


def _backend(backend: Document) -> str:
    label = backend["backend"]
    parts = [*backend["runs"], *backend["checks"]]
    differing = [
        *(_differing(row, label) for row in backend["rows"] if row["verdict"] in _DIFFER),
        *(_objects(found, label) for found in backend["objects"] if found["verdict"] in _DIFFER),
        *(_live(part, label) for part in parts if part["verdict"] in _DIFFER),
    ]
    scenes = [_scene(part, label) for part in parts if part["scene"]]
    return "\n".join(
        [
            f"<h2>{escape(label)}</h2>",
            _summary(backend),
            "<h3>What differs</h3>" if differing else "<p>No value differs from what it should be.</p>",
            *sorted(differing, key=lambda part: not part.startswith("<details open")),
            "<h3>Declared deviations</h3>" if backend["deviations"] else "",
            _deviations(backend),
            "<h3>Attributes</h3>",
            _attributes(backend),
            "<h3>Checks of running simulations</h3>",
            _checks(backend["checks"]),
            _mutants(backend),
            "<h3>Scenes of what differs</h3>" if scenes else "",
            *scenes,
        ]
    )


def _summary(backend: Document) -> str:
    covered = ", ".join(f"{count} by {kind}" for kind, count in backend["covered"].items() if count)
    rows, outside, bare = len(backend["rows"]), len(backend["outside"]), len(backend["without_evidence"])
    verdict = "conforms" if backend["holds"] else "does not conform"
    quick = ", with fewer ways to write each system down" if backend["quick"] else ""
    lines = [
        ("verdict", f"<b class='{verdict.split()[0]}'>{verdict}</b>"),
        ("engine", escape(backend["engine"])),
        *([("variant", escape(backend["variant"]))] if backend["variant"] else []),
        ("plugin", escape(backend["plugin"])),
        ("device", escape(backend["device"])),
        ("held", f"{backend['values']} values of {len(backend['runs'])} runs{quick}, and {_held(backend['checks'])}"),
        ("attributes", f"{rows} read or written, {outside} of them outside the suite's scope; {covered}; {bare} "
                       "without evidence"),
        ("time", ", ".join(f"{name} {seconds:g} s" for name, seconds in backend["seconds"].items())),
    ]  # fmt: skip
    if "mutants" in backend:
        lines.append(("mutants", "{killed} of {total} killed, {explained} explained, {missed} not noticed".format(
            **backend["mutants"])))  # fmt: skip
    return _table((), ([f"<th>{name}</th>", f"<td>{words}</td>"] for name, words in lines))


def _held(checks: Sequence[Document]) -> str:
    served = [check for check in checks if check["verdict"] != "skipped"]
    return f"{sum(check['verdict'] == 'holds' for check in served)} of {len(served)} checks of running simulations"


def _differing(row: Document, label: str) -> str:
    found = [finding for finding in row["evidence"].values() if finding["verdict"] in _DIFFER]
    convention = f"<p>{_convention(row)} <a href='#{_anchor(label, 'row', row['name'])}'>All evidence</a>.</p>"
    return _folded(row["name"], row["verdict"], found, convention, label)


def _objects(found: Document, label: str) -> str:
    return _folded(f"{found['object_type']} objects", found["verdict"], [found], "", label)


def _folded(name: str, verdict: str, findings: Sequence[Document], more: str, label: str) -> str:
    """Return what differs of one attribute, open where it is not declared."""
    counts = ", ".join(f"{_failed(found)} of {found['count']} by {found.get('kind', 'writes')}" for found in findings)
    rules = ", ".join(dict.fromkeys(rule for found in findings for rule in found.get("deviations", ())))
    words = " · ".join(filter(None, (counts, escape(rules))))
    head = f"<code>{_broken(name)}</code> {_word(verdict)} <span class='quiet'>{words}</span>"
    tables = "".join(_failures(found, label) for found in findings)
    state = " open" if verdict == "fails" else ""
    inner = f"<div id='{_anchor(label, name)}'>{more}{tables}</div>"
    return f"<details{state}><summary>{head}</summary>{inner}</details>"


def _failed(found: Document) -> int:
    return int(found["failed"] + found.get("deviating", 0))


def _failures(found: Document, label: str) -> str:
    shown, failed = found["failures"], _failed(found)
    is_declared = any(failure.get("deviation") for failure in shown)
    cut = f", the first {len(shown)} of {failed}" if len(shown) < failed else ""
    heads = (f"{found.get('kind', 'writes')}{cut}", "expected and got", *["declared as"][: int(is_declared)])
    return _table(heads, (_failure(failure, label)[: len(heads)] for failure in shown))


def _failure(failure: Document, label: str) -> list[str]:
    where = (_link(label, failure.get("run", "")), f"<code>{escape(failure['path'])}</code>", escape(failure["where"]))
    return _cells("<br>".join(filter(None, where)), _compared(failure["words"]), escape(failure.get("deviation", "")))


def _compared(words: str) -> str:
    """Put what was got below what was expected, where that is what is said."""
    return f"<code>{escape(words).replace(', got ', '<br>got ', 1)}</code>"


def _live(part: Document, label: str) -> str:
    words = part.get("convention", "The run is recorded to its end, without a word from the engine.")
    scene = f" <a href='#{_anchor(label, part['name'])}'>Scene</a>." if part["scene"] else ""
    declared = f" <span class='quiet'>{escape(part['deviation'])}</span>" if part["deviation"] else ""
    state = " open" if part["verdict"] == "fails" else ""
    head = f"<summary>{escape(part['name'])} {_word(part['verdict'])}{declared}</summary>"
    return f"<details{state}>{head}<p>{escape(words)}{scene}</p><pre>{escape(part['words'])}</pre></details>"


def _scene(part: Document, label: str) -> str:
    steps = f"steps of 1/{round(1 / part['dt'])} s, ticks {', '.join(map(str, part['ticks']))}" if "dt" in part else ""
    return (
        f"<details><summary>{escape(part['name'])} <span class='quiet'>{steps}</span></summary>"
        f"<pre id='{_anchor(label, part['name'])}'>{escape(part['scene'])}</pre></details>"
    )


def _deviations(backend: Document) -> str:
    """List each rule once, with the scenes that it is declared for and where it shows."""
    grouped: dict[tuple[str, str, str], list[Document]] = {}
    for item in sorted(backend["deviations"], key=lambda item: (not item["is_error"], item["standing"] != "shown")):
        grouped.setdefault((item["rule"], item["reason"], item["engine"]), []).append(item)
    shows: dict[str, list[str]] = {}
    for row in backend["rows"]:
        for rule in {rule for found in row["evidence"].values() for rule in found.get("deviations", ())}:
            shows.setdefault(rule, []).append(row["name"])
    lines = (_deviation(items, shows.get(items[0]["rule"], []), backend["backend"]) for items in grouped.values())
    return _table(("rule", "what happens", "standing"), lines) if grouped else ""


def _deviation(items: Sequence[Document], shown: Sequence[str], label: str) -> Iterable[str]:
    item = items[0]
    reason = escape(item["reason"]) + (f" <a href='{escape(item['link'])}'>more</a>" if item["link"] else "")
    names = ", ".join(dict.fromkeys(name for each in items for name in each["attributes"]))
    links = ", ".join(f"<a href='#{_anchor(label, name)}'><code>{_broken(name)}</code></a>" for name in shown)
    parts = [f"<p>Shows in {links}.</p>" * bool(shown), f"<p>Declared for {escape(names)}.</p>" * bool(names)]
    more = f"<details><summary>attributes</summary>{''.join(parts)}</details>" if any(parts) else ""
    standings: dict[str, list[str]] = {}
    for each in items:
        standing: str = each["standing"]
        standings.setdefault(_STANDINGS.get(standing, standing), []).append(each["scene"])
    wrong = {each["standing"] for each in items if each["is_error"]}
    words = "<br>".join(
        f"<span class='{'fails' if standing in wrong else 'holds' if standing == 'shown' else 'quiet'}'>{standing}"
        f"</span>{escape(': ' + ', '.join(filter(None, scenes))) if any(scenes) else ''}"
        for standing, scenes in standings.items()
    )
    what = f"{reason} <span class='quiet'>{escape(item['engine'])}</span>{more}"
    return _cells(f"<code>{escape(item['rule'])}</code>", what, words)


def _attributes(backend: Document) -> str:
    """Return the table of all attributes that something is said of, and those of the others by reason."""
    kinds = [kind for kind in KINDS if backend["covered"].get(kind)]
    held = [row for row in backend["rows"] if row["verdict"] != "outside"]
    outside: dict[str, list[str]] = {}
    for row in backend["rows"]:
        if row["verdict"] == "outside":
            outside.setdefault(row["outside"], []).append(row["name"])
    lines = (_cells(escape(reason), f"<code>{', '.join(map(_broken, names))}</code>")
             for reason, names in outside.items())  # fmt: skip
    count = sum(map(len, outside.values()))
    more = f"<details><summary>{count} attributes outside the suite's scope</summary>{_table((), lines)}</details>"
    return _table(("attribute", "verdict", *kinds, "convention"),
                  (_row(row, kinds, backend["backend"]) for row in held)) + (more if outside else "")  # fmt: skip


def _row(row: Document, kinds: Sequence[str], label: str) -> Iterable[str]:
    name = f"<code id='{_anchor(label, 'row', row['name'])}'>{_broken(row['name'])}</code>"
    if row["verdict"] in _DIFFER:
        name = f"<a href='#{_anchor(label, row['name'])}'>{name}</a>"
    yield from _cells(name, _word(row["verdict"]))
    for kind in kinds:
        found = row["evidence"].get(kind)
        yield f"<td class='number {found['verdict']}'>{found['count']}</td>" if found else "<td></td>"
    declared = f" <span class='deviates'>Declared {row['support']}: {escape(row['reason'])}</span>"
    yield f"<td class='text'>{_convention(row)}{declared if row['reason'] else ''}</td>"


def _convention(row: Document) -> str:
    """Say what an attribute means, with its lanes, axes and units."""
    lanes = " ".join(row["lanes"]) if len(row["lanes"]) > 1 else ""
    axes = "" if row["frame"] == "none" else f"{row['frame']} axes"
    terms = " · ".join(escape(term) for term in (lanes, axes, "" if row["units"] == "1" else row["units"]) if term)
    return f"{escape(row['meaning'])} <span class='quiet'>{terms}</span>"


def _checks(checks: Sequence[Document]) -> str:
    verdicts = [check["verdict"] for check in checks]
    counts = ", ".join(f"{verdicts.count(verdict)} {word}" for verdict, word in _PLURAL.items() if verdict in verdicts)
    table = _table(("check", "promise", "verdict"), map(_check, checks))
    return f"<details><summary>{counts}</summary>{table}</details>"


def _check(check: Document) -> Iterable[str]:
    why = f" <span class='quiet'>{escape(check['words'])}</span>" if check["verdict"] == "skipped" else ""
    return _cells(escape(check["name"]), escape(check["convention"]) + why, _word(check["verdict"]))


def _mutants(backend: Document) -> str:
    if not backend.get("mutants", {}).get("survivors"):
        return ""
    grouped: dict[str, list[Document]] = {}
    for item in sorted(backend["mutants"]["survivors"], key=lambda item: bool(item["explanation"])):
        grouped.setdefault(item["explanation"] or "A test is missing.", []).append(item)
    lines = (
        _cells(escape(why), "<br>".join(f"{escape(item['name'])} <span class='quiet'>{escape(item['fault'])}</span>"
                                        for item in items))
        for why, items in grouped.items()
    )  # fmt: skip
    return "<h3>Mutants that survive</h3>" + _table(("why", "mutant"), lines)


def _parity(pair: Document) -> str:
    lines = (
        _cells(f"<code>{row['name']}</code>", str(row["count"]), escape("; ".join(row["failures"])))
        for row in pair["rows"]
    )
    names = " against ".join(pair["backends"])
    if not pair["rows"]:
        return f"<h2>{escape(names)}</h2><p>Nothing is compared: other evidence proves every row that both read.</p>"
    table = _table(("attribute", "compared", "differ"), lines)
    return f"<h2>{escape(names)}</h2><p>What nothing else proves.</p>{table}"


def _word(verdict: str) -> str:
    return f"<span class='verdict {verdict.split()[0]}'>{_SIGNS[verdict]}</span>"


def _link(label: str, run: str) -> str:
    return f"<a href='#{_anchor(label, run)}'>{escape(run)}</a>" if run else ""


def _broken(name: str) -> str:
    """Return a name of an attribute that can be broken after its type."""
    return escape(name).replace(".", ".<wbr>")


def _anchor(label: str, *names: str) -> str:
    """Return the address of a row, a difference or a scene of one backend."""
    kept = str.maketrans({",": "", "/": "-", ":": "-"})
    return "-".join(" ".join((label, *names)).translate(kept).split())


def _cells(*cells: str) -> list[str]:
    return [f"<td>{cell}</td>" for cell in cells]


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = "".join(f"<th>{name}</th>" for name in heads)
    body = "\n".join(f"<tr>{''.join(row)}</tr>" for row in rows)
    table = f"<table>{f'<thead><tr>{head}</tr></thead>' if head else ''}<tbody>{body}</tbody></table>"
    return f"<div class='wide'>{table}</div>"
