"""The command line: ``ovread backends | catalogue | inspect | read | compare | effective | conform | lint``.

Exit status: 0, 1 where compared backends disagree, one does not conform, or lint finds anything, 2 where a command
could not run.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Annotated, Any

import attrs
import typer

from ovread import catalogue, compare, plugins
from ovread._open import open as open_scene
from ovread._version import __version__
from ovread.authoring import effective
from ovread.catalogue import ObjectType
from ovread.cli import _documents, _explained, _output, _progress
from ovread.cli._formats import LintFormat
from ovread.cli._output import Format
from ovread.errors import OptionError, OvreadError, SelectionError, did_you_mean

app = typer.Typer(
    help="One read API over robot physics engines: the same words mean the same thing on each of them.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

FormatOption = Annotated[Format, typer.Option("--format", help="How to print.")]
SceneArgument = Annotated[str, typer.Argument(help="A .usda, .usd, .usdc or .usdz file.")]
BackendOption = Annotated[
    str | None,
    typer.Option("--backend", "-b", help="Backend, or backend and variant as in newton:steel.", show_default=False),
]
StepsOption = Annotated[int, typer.Option("--steps", "-n", min=0, help="Steps to take first.")]
DtOption = Annotated[float, typer.Option("--dt", help="Seconds per step.")]


def main() -> None:
    """Run the command line; errors of ovread are printed without a traceback, with exit status 2."""
    try:
        app()
    except OvreadError as error:
        print(f"ovread: {error}", file=sys.stderr)
        sys.exit(2)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[bool, typer.Option("--version", callback=_print_version, is_eager=True)] = False,
) -> None:
    """Hold the options of all commands."""


@app.command("backends")
def backends_command(output: FormatOption = Format.TABLE) -> None:
    """List backends: installed, missing and broken, with the cause."""
    _output.backends(_documents.backends(), output)


@app.command("catalogue")
def catalogue_command(
    types: Annotated[list[str] | None, typer.Option("--type", "-t", help="Only these object types.")] = None,
    output: FormatOption = Format.TABLE,
) -> None:
    """List every attribute: shape, units, frame, meaning, and which backends serve it."""
    _output.catalogue(_documents.catalogue(_object_types(types)), output)


@app.command("inspect")
def inspect_command(scene: SceneArgument, backend: BackendOption = None, output: FormatOption = Format.TABLE) -> None:
    """Open a scene and list its units, its objects, and what opening found."""
    with _progress.shown(), open_scene(scene, backend=backend) as simulation:
        document = _documents.inspect(simulation)
    _output.inspect(document, output)


@app.command("read")
def read_command(
    scene: SceneArgument,
    backend: BackendOption = None,
    types: Annotated[list[str] | None, typer.Option("--type", "-t", help="Only these object types.")] = None,
    attributes: Annotated[list[str] | None, typer.Option("--attribute", "-a", help="Only these attributes.")] = None,
    pattern: Annotated[str | None, typer.Option("--pattern", "-p", help="Only paths that match, as /World/*.")] = None,
    steps: StepsOption = 0,
    dt: DtOption = 1 / 60,
    output: FormatOption = Format.TABLE,
) -> None:
    """Read attributes of a scene's objects, before or after stepping."""
    object_types = _object_types(types)
    names = _attribute_names(attributes, object_types)
    with _progress.shown(), open_scene(scene, backend=backend) as simulation:
        if steps:
            simulation.step(dt, steps)
        document = _documents.read(simulation, object_types, names, pattern)
    _output.read(document, output)


@app.command("compare")
def compare_command(
    scene: SceneArgument,
    backends: Annotated[
        str | None, typer.Option("--backends", "-b", help="Backends to compare, as physx,newton. All by default.")
    ] = None,
    steps: StepsOption = 0,
    dt: DtOption = 1 / 240,
    tolerance: Annotated[
        float | None, typer.Option("--tolerance", min=0.0, help="Relative tolerance for every row.", show_default=False)
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="List each prim that agrees, not each attribute.")] = False,
    output: FormatOption = Format.TABLE,
) -> None:
    """Run a scene on several backends and list what agrees and what differs. Exit status 1 where they differ."""
    labels = _labels(backends)
    with _progress.shown() as progress:
        comparison = compare.compare(scene, labels, steps=steps, dt=dt, tolerance=tolerance, progress=progress)
        explained = None if comparison.agrees else _explained.explained(scene, comparison)
    _output.compare(comparison, output, explained, every=every)
    if not comparison.agrees:
        if explained is None:
            typer.echo(_explained.REMEDY, err=True)
        raise typer.Exit(1)


@app.command("effective")
def effective_command(
    scene: SceneArgument,
    prim: Annotated[str, typer.Argument(help="Path of a prim, as /World/robot; / for the stage's units.")],
    backends: Annotated[
        str | None, typer.Option("--backends", "-b", help="Backends, as physx,newton:steel. All by default.")
    ] = None,
    output: FormatOption = Format.TABLE,
) -> None:
    """Tell which value of each physics attribute is in force on a prim, on each backend, and where it comes from."""
    labels = None if backends is None else _split(backends)
    _output.effective(effective(scene, prim, labels), output)


@app.command("conform")
def conform_command(
    backends: Annotated[list[str], typer.Argument(help="Backends, or backends and variants as in newton:steel.")],
    quick: Annotated[bool, typer.Option("--quick", help="Record fewer ways to write each system down.")] = False,
    mutants: Annotated[bool, typer.Option("--mutants", help="Show that the suite notices wrong values.")] = False,
    device: Annotated[str, typer.Option("--device", help="cpu or cuda:0.")] = "cpu",
    html: Annotated[Path | None, typer.Option("--html", help="Write a page too.", show_default=False)] = None,
    output: FormatOption = Format.TABLE,
) -> None:
    """Examine backends with the conformance suite. Exit status 1 where one does not conform."""
    suite = _suite()
    with _progress.shown() as progress:
        conforms = suite.conform(
            backends, device=device, quick=quick, mutants=mutants, output=output.value, html=html, progress=progress
        )
    if not conforms:
        raise typer.Exit(1)


@app.command("lint")
def lint_command(
    scene: Annotated[str | None, typer.Argument(help="A .usda, .usd, .usdc or .usdz file.", show_default=False)] = None,
    backends: Annotated[
        str | None, typer.Option("--backends", "-b", help="Backends to ask, as physx,newton:mujoco. All by default.")
    ] = None,
    output: Annotated[LintFormat, typer.Option("--format", help="How to print.")] = LintFormat.TABLE,
    explain: Annotated[str | None, typer.Option("--explain", help="Explain this rule.", show_default=False)] = None,
    fix: Annotated[
        Path | None, typer.Option("--fix", help="Write a layer over the scene that repairs it.", show_default=False)
    ] = None,
) -> None:
    """Find what a scene means differently on several engines, without running any. Exit status 1 where it does."""
    from ovread import lint
    from ovread.cli import _lint

    if explain is not None:
        _lint.explain(lint.rule_named(explain))
        return
    if scene is None:
        raise OptionError("Name a scene, or a rule with --explain.")
    labels = None if backends is None else _split(backends)
    report = lint.lint(scene, labels)
    if fix is not None:
        done = lint.fix(scene, fix, labels)
        _lint.fixed(str(fix), len(done.repaired), len(done.left))
        report = attrs.evolve(report, findings=done.left)
    _lint.report(report, output)
    if report.findings:
        raise typer.Exit(1)


def _suite() -> Any:
    """Return the conformance suite, a distribution of its own that builds on this one."""
    try:
        return importlib.import_module("ovread_conformance.command")
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "ovread_conformance":
            raise
        raise OptionError("The conformance suite is not installed: pip install ovread-conformance") from error


def _labels(given: str | None) -> list[str]:
    if given is not None:
        labels = _split(given)
    else:
        labels = [name for name, info in plugins.backends().items() if info.available]
    if len(labels) < 2:
        raise OptionError(f"Comparing needs two backends, and there is {labels or 'none'}: name them with --backends.")
    if len(set(labels)) < len(labels):
        raise OptionError(f"--backends {given}: each backend once.")
    return labels


def _split(labels: str) -> list[str]:
    return [label.strip() for label in labels.split(",") if label.strip()]


def _object_types(names: list[str] | None) -> list[ObjectType]:
    if not names:
        return list(compare.TYPES)
    known = {kind.name: kind for kind in ObjectType}
    for name in names:
        if name.upper() not in known:
            raise SelectionError(f"Unknown object type {name!r}.{did_you_mean(name, known)} Types: {', '.join(known)}.")
    return [known[name.upper()] for name in names]


def _attribute_names(names: list[str] | None, object_types: list[ObjectType]) -> list[str] | None:
    """Check that each name is an attribute of one of the types at least."""
    for name in names or ():
        having = [kind for kind in object_types if any(row.name == name for row in catalogue.attributes(kind))]
        if not having:
            catalogue.attribute(object_types[0], name)  # raises, with a suggestion
    return names
