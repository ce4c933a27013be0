"""The page of the authoring contract: each schema's attributes, what backends make of them, and which test observed it.

Tests say by markers what they observe: ``@pytest.mark.observes("PhysxArticulationAPI", "position-range")`` statements
of the contract, ``@pytest.mark.takes("physics:mass")`` what a backend makes of a property.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ovread import plugins
from ovread.authoring import SCHEMAS, Divergence, Property, Schema, Statement
from ovread.backend import BackendInfo, Default, PropertyUse, Value

ROOT = Path(__file__).parents[1]
Evidence = dict[tuple[str, str], list[str]]
"""Tests by schema and statement, or by backend and property."""


def statements() -> Evidence:
    """Return the tests that observe each statement, with the folder that they are in."""
    found: Evidence = {}
    for folder, name, arguments in _marked("observes"):
        schema, names = arguments
        for statement in names.split():
            found.setdefault((schema, statement), []).append(f"{folder}: {name}")
    return found


def uses() -> Evidence:
    """Return the tests that show what each backend makes of each property."""
    found: Evidence = {}
    for folder, name, (names,) in _marked("takes"):
        for prop in names.split():
            found.setdefault((folder, prop), []).append(name)
    return found


def _marked(kind: str) -> Iterator[tuple[str, str, list[str]]]:
    """Give the folder, the name and the arguments of every test that has a marker."""
    folders = {folder.name: folder / "tests" for folder in sorted((ROOT / "backends").iterdir())} | {
        "core": ROOT / "tests"
    }
    for folder, path in ((name, path) for name, tests in folders.items() for path in sorted(tests.glob("test_*.py"))):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        constants = _constants(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                for mark in node.decorator_list:
                    if isinstance(mark, ast.Call) and _last_name(mark.func) == kind:
                        arguments = [constants(argument) for argument in mark.args]
                        yield folder, f"{path.stem}::{node.name}", arguments


def _constants(tree: ast.Module) -> object:
    """Return a function that evaluates an expression of a module, from its imports of data and its constants."""
    names: dict[str, object] = {}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and str(node.module).endswith("_authoring"):
            exec(compile(ast.Module([node], []), "imports", "exec"), names)
        elif isinstance(node, ast.Assign):
            try:
                exec(compile(ast.Module([node], []), "constants", "exec"), names)
            except NameError:
                continue  # it is no constant

    def evaluate(expression: ast.expr) -> object:
        return eval(compile(ast.Expression(expression), "marker", "eval"), names)

    return evaluate


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def page(note: str) -> str:
    """Return the page."""
    parts = [
        note,
        "# What a file means\n",
        "Half of what engines disagree about is in the file. Per schema: what its attributes mean, what counts where "
        "nobody authored them, what each backend makes of them, what is known to go wrong and on which side, and the "
        "test that observed it on an engine. `ovread effective SCENE PRIM` tells the values that are in force on one "
        "prim.\n",
        "*Fallback* is the schema's value; a test holds it against the schema files. *Population* writes the fallback "
        "where nothing else is given, and creates the attributes with a star also where the schema is not applied; a "
        "test reads all of them from populated stages. *Parser default* counts where the attribute was not populated, "
        "as of a schema that is not applied.\n",
    ]
    observed, shown = statements(), uses()
    for schema in SCHEMAS.values():
        parts += _schema(schema, observed, shown)
    return "\n".join(parts)


def _schema(schema: Schema, observed: Evidence, shown: Evidence) -> Iterator[str]:
    yield f"## {schema.name}\n"
    facts = [f"On {', '.join(f'`{name}`' for name in schema.applies_to)}."]
    if schema.requires:
        facts.append(f"Needs {', '.join(f'`{name}`' for name in schema.requires)} on the same prim.")
    if schema.includes:
        facts.append(f"Applies {', '.join(f'`{name}`' for name in schema.includes)} too.")
    if schema.instances:
        facts.append(f"Instances: {', '.join(schema.instances)}.")
    facts += [f"The {name} is `{formula.text}`." for name, formula in schema.derived]
    yield f"{schema.meaning} {' '.join(facts)}\n"
    heads = ["attribute", "type", "units", "fallback", "population", "parser default", "range", "meaning"]
    yield _table([heads, *(_property(prop) for prop in schema.properties)])
    for info in _installed():
        yield f"### {schema.name} on {info.name}\n"
        yield _table([["attribute", "what it makes of it", "shown by"], *_uses(info, schema, shown)])
    for title, kind in (("Statements", Statement), ("Divergences", Divergence)):
        rows = [each for each in schema.statements if type(each) is kind]
        if rows:
            yield f"### {title} about {schema.name}\n"
            yield _table([_heads(kind), *(_statement(schema, each, observed) for each in rows)])


def _property(prop: Property) -> list[str]:
    published = "" if prop.published is None else f"`{prop.published.text}`{' *' if prop.is_created else ''}"
    meaning = prop.meaning + (f" `{_text(prop.unset)}` stands for none: {prop.unset_text}." if prop.unset_text else "")
    clamp = "" if prop.clamp is None else prop.clamp.text
    return [f"`{prop.name}`", prop.type, prop.units(), f"`{_text(prop.fallback)}`", published, _default(prop.default),
            clamp, meaning]  # fmt: skip


def _uses(info: BackendInfo, schema: Schema, shown: Evidence) -> Iterator[list[str]]:
    for prop in schema.properties:
        use = info.authoring.get(prop.name)
        if use is not None:
            tests = shown.get((info.name, prop.name), [])
            yield [f"`{prop.name}`", _use(use), _tests(tests) or use.unobserved]


def _use(use: PropertyUse) -> str:
    parts = ["Read." if use.is_read else "Ignored."]
    if not use.is_read and use.instead is not None:
        parts = [f"Ignored: `{use.instead.text}` is in force."]
    if use.is_read and not use.is_gated:
        parts.append("Also where the schema is not applied.")
    if use.ignored_with:
        instead = f"; `{use.instead.text}` is in force" if use.instead is not None else ""
        parts.append(f"Ignored where {' or '.join(f'`{name}`' for name in use.ignored_with)} is applied{instead}.")
    for other in use.yields_to:
        unless = f", unless, of this one, {other.unless.value}" if other.unless else ""
        what = f"`{other.name}`" if other.value is None else f"`{other.value.text}`"
        where = other.when.value if other.value is None else f"of `{other.name}` {other.when.value}"
        parts.append(f"{what} counts instead where {where}{unless}.")
    if use.clamp is not None:
        parts.append(f"Clamped to {use.clamp.text}.")
    if use.conversion is not None:
        parts.append(f"Converted: {use.conversion.text}.")
    for variant, changed in use.variants.items():
        parts.append(f"With `{variant}`: {_use(changed)}")
    return " ".join([*parts, use.text]).strip()


def _heads(kind: type[Statement]) -> list[str]:
    sides = ["side at fault", "kind", "shows where"] if kind is Divergence else ["about"]
    return ["name", *sides, "statement", "measured", "observed by"]


def _statement(schema: Schema, statement: Statement, observed: Evidence) -> list[str]:
    if isinstance(statement, Divergence):
        needs = f", with {', '.join(f'`{name}`' for name in statement.needs)}" if statement.needs else ""
        middle = [statement.side.value, statement.kind.value, statement.when.value + needs]
    else:
        middle = [statement.aspect.value]
    tests = _tests(observed.get((schema.name, statement.name), []))
    evidence = " ".join(part for part in (tests, statement.unobservable) if part)
    return [statement.name, *middle, statement.text, statement.measured, evidence]


def _tests(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in dict.fromkeys(names))


def _default(default: Default | None) -> str:
    return "" if default is None else f"`{default.text}`"


def _text(value: Value | None) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(map(_text, value))})"
    return str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)


def _table(lines: Iterable[Sequence[str]]) -> str:
    heads, *rows = lines
    every = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in every) + "\n"


def _installed() -> list[BackendInfo]:
    return [info for info in plugins.backends().values() if info.available and info.authoring]
