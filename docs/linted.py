"""The generated page of the rules of ``ovread lint``."""

from __future__ import annotations

from ovread import lint, plugins
from ovread.backend import BackendInfo, Importing, Scene
from ovread.cli._lint import behaviour_of, declarations
from ovread.lint._asset import Asset
from ovread.lint.examples import EXAMPLES

HEAD = """# Rules of ovread lint

What each rule finds, what the schema says of it, and what each backend declares of its engine by itself; *corrected by
ovread* is what `ovread.open` puts right. [How to use them](lint.md).
"""


def page(note: str) -> str:
    """Return the text of the page."""
    infos = [info for info in plugins.backends().values() if info.available]
    parts = [note, HEAD, _overview(infos)]
    parts += [_section(rule, infos) for rule in lint.RULES]
    return "\n".join(parts)


def _overview(infos: list[BackendInfo]) -> str:
    heads = ["rule", *(info.name for info in infos), "`--fix`"]
    lines = [heads, ["---"] * len(heads)]
    for rule in lint.RULES:
        cells = [
            "; ".join(dict.fromkeys(behaviour_of(entry) for _, entry in declarations(rule, info))) for info in infos
        ]
        lines.append([f"[{rule.name}](#{rule.name})", *cells, "repairs" if _is_repaired(rule) else ""])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def _is_repaired(rule: lint.Rule) -> bool:
    stage = lint.open_asset(Scene(EXAMPLES[rule.name].found, is_text=True))
    return any(occurrence.repair for occurrence in rule.detect(Asset(stage)))


def _section(rule: lint.Rule, infos: list[BackendInfo]) -> str:
    open_ = " The schema leaves it open." if rule.contested else ""
    lines = [f"## {rule.name}\n", f"Found: {rule.title}.{open_}\n", f"Schema: {rule.schema}\n"]
    lines += [
        f"* {_who(info, variants)} {_what(entry)}" for info in infos for variants, entry in declarations(rule, info)
    ]
    return "\n".join([*lines, f"\nAuthor instead: {rule.advice}\n"])


def _who(info: BackendInfo, variants: tuple[str, ...]) -> str:
    return f"**{info.name}**" + (f" ({', '.join(variants)})" if variants else "")


def _what(entry: Importing) -> str:
    measured = f" ({entry.engine})" if entry.engine else ""
    return f"*{behaviour_of(entry)}*: {entry.does}{measured}"
