"""Printing what ``ovread lint`` finds."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.text import Text

from ovread import plugins
from ovread.backend import BackendInfo, Importing
from ovread.cli import _output
from ovread.cli._formats import LintFormat
from ovread.lint import Finding, Report, Rule, Severity
from ovread.lint._report import documents, sarif
from ovread.lint.examples import EXAMPLES

_STYLES = {
    Severity.REFUSED: "bold red",
    Severity.LOST: "red",
    Severity.DIFFERS: "red",
    Severity.CONTESTED: "yellow",
    Severity.UNKNOWN: "dim",
}
_SHOWN = 5


def report(found: Report, output: LintFormat) -> None:
    """Print a report."""
    if output is LintFormat.TABLE:
        _print_blocks(found)
    else:
        data = documents(found.findings) if output is LintFormat.JSON else sarif(found)
        print(json.dumps(data, indent=2, ensure_ascii=False))


def _print_blocks(found: Report) -> None:
    console = _output.terminal()
    groups: dict[str, list[Finding]] = {}
    for finding in found.findings:
        groups.setdefault(finding.rule.name, []).append(finding)
    order = list(Severity)
    installed = {importer.label: importer.info.engine for importer in found.importers}
    for group in sorted(groups.values(), key=lambda each: order.index(each[0].severity)):
        _print_block(console, group, installed)
    engines = ", ".join(f"{importer.label} ({importer.info.engine})" for importer in found.importers)
    fixable = sum(finding.fixable for finding in found.findings)
    console.print(
        f"{len(found.findings)} findings by {len(groups)} rules, {fixable} of which --fix repairs. Asked: {engines}.",
        markup=False,
    )


def _print_block(console: Console, group: Sequence[Finding], installed: Mapping[str, str]) -> None:
    first = group[0]
    head = Text(first.severity.value, style=_STYLES[first.severity])
    console.print(head.append(f"  {first.rule.name}", "bold").append(f": {first.rule.title}", ""))
    for finding in group[:_SHOWN]:
        what = f": {finding.occurrence.what}" if finding.occurrence.what else ""
        console.print(f"    {finding.prim}{what}", markup=False)
    if len(group) > _SHOWN:
        console.print(f"    and {len(group) - _SHOWN} more", markup=False)
    for label, entry in first.importing.items():
        # Another version may do otherwise: the user is to know.
        since = "" if entry.engine in installed[label] else f" Measured on {entry.engine}."
        console.print(f"  {label} {behaviour_of(entry)}: {entry.does}{since}", markup=False)
    fixes = " (--fix does)" if all(finding.fixable for finding in group) else ""
    console.print(f"  schema: {first.rule.schema}", markup=False, style="dim")
    console.print(f"  author instead: {first.rule.advice}{fixes}\n", markup=False)


def behaviour_of(entry: Importing) -> str:
    """Say in a word or two what an importer does."""
    return f"{entry.behaviour.value}, corrected by ovread" if entry.corrected else entry.behaviour.value


def explain(rule: Rule) -> None:
    """Print what a rule is about, what each backend declares, and a scene that shows it."""
    console = _output.terminal()
    console.print(Text(rule.name, "bold").append(f": {rule.title}", ""))
    console.print(f"schema: {rule.schema}\nauthor instead: {rule.advice}", markup=False)
    for info in plugins.backends().values():
        for variants, entry in declarations(rule, info):
            label = f"{info.name}:{','.join(variants)}" if variants else info.name
            engine = f" [{entry.engine}]" if entry.engine else ""
            console.print(f"{label} {behaviour_of(entry)}: {entry.does}{engine}", markup=False)
    console.print(f"\n{EXAMPLES[rule.name].found}", markup=False, soft_wrap=True)


def declarations(rule: Rule, info: BackendInfo) -> list[tuple[tuple[str, ...], Importing]]:
    """Return what a backend declares of a rule's pattern, with the variants that share it; none where all do."""
    found: dict[Importing, list[str]] = {}
    for variant in info.variants or [""]:
        found.setdefault(info.importing_of(rule.name, variant or None), []).append(variant)
    return [(tuple(variants) if len(found) > 1 else (), entry) for entry, variants in found.items()]


def fixed(path: str, repaired: int, left: int) -> None:
    """Say what a fix did."""
    _output.terminal().print(f"{path} repairs {repaired} findings; {left} are left.", markup=False)
