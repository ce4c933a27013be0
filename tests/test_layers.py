"""The core imports from left to right only, knows no simulator, and decides nothing by a backend's name."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from ovread.plugins import PUBLISHED

CORE = Path(__file__).resolve().parents[1] / "ovread"
MODULES = sorted(CORE.rglob("*.py"))

LAYERS = (
    ("errors", "units", "quiet", "_version"),
    ("catalogue",),
    ("backend",),
    ("hookspecs",),
    ("plugins",),
    ("order", "patterns", "arguments"),
    ("query",),
    ("preparing", "values", "groups"),
    ("result",),
    ("reader",),
    ("prepared_write",),
    ("write_group",),
    ("write",),
    ("assignment",),
    ("simulation",),
    ("stage",),
    ("authoring",),
    ("_open", "_writability"),
    ("lint",),
    ("compare", "__init__"),
    ("cli", "demo", "__main__"),
)
"""From left to right. A module imports from its left, and where a layer is a package, within it."""
LEAVES = {
    **dict.fromkeys(("errors", "units", "quiet", "_version", "order"), frozenset()),
    "patterns": {"errors"},
}
RANKS = {name: rank for rank, names in enumerate(LAYERS) for name in names}

SIMULATORS = {"ovphysx", "ovnewton", "newton", "mujoco", "mujoco_warp", "usdrt", "omni", "isaacsim", "carb"}
USD = {"pxr", "usd_validation_nvidia"}
"""What reads USD files without an engine: for ``ovread lint`` and ``ovread effective`` alone."""
PLUGINS = {"ovread_physx", "ovread_newton"}
NAMES = {*PUBLISHED, *PUBLISHED.values(), *PLUGINS, "ovphysx", "ovnewton"}


def module_of(path: Path) -> str:
    """Name the module of a file, or the package that it is in."""
    return path.relative_to(CORE).with_suffix("").parts[0]


def imports(tree: ast.AST, *, running: bool) -> Iterator[str]:
    """Give the full names of what is imported; with ``running``, all but what only type checkers see."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            for alias in node.names:
                yield f"{node.module}.{alias.name}"
        elif not (running and isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)):
            yield from imports(node, running=running)


def of_the_core(imported: str) -> str | None:
    """Name the core's module that an import reaches, None where it reaches another distribution."""
    package, *rest = imported.split(".")
    if package != "ovread":
        return None
    inner = rest[0] if rest else "__init__"
    return inner if (CORE / inner).is_dir() or (CORE / f"{inner}.py").is_file() else "__init__"


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def test_every_module_has_its_place() -> None:
    assert {module_of(path) for path in MODULES} == set(RANKS)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(CORE)))
def test_a_module_imports_only_from_its_left(path: Path) -> None:
    module = module_of(path)
    reached = {name for imported in imports(tree_of(path), running=True) if (name := of_the_core(imported))}
    for name in reached - {module}:
        same_layer = RANKS[name] == RANKS[module] >= RANKS["compare"]
        assert RANKS[name] < RANKS[module] or same_layer, f"{module} imports {name}, which is on its right"
    if module in LEAVES:
        assert reached <= LEAVES[module]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(CORE)))
def test_no_module_imports_a_simulator_or_a_backend_and_few_import_ovstage_or_pxr(path: Path) -> None:
    roots = {imported.split(".")[0] for imported in imports(tree_of(path), running=False)}
    if module_of(path) == "lint" or path == CORE / "authoring" / "_stage.py":
        roots -= USD
    assert not roots & (SIMULATORS | PLUGINS | USD)
    assert "ovstage" not in roots or module_of(path) == "stage"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(CORE)))
def test_no_backend_is_named_in_code(path: Path) -> None:
    named = [node for node in _constants(tree_of(path)) if str(node.value).lower() in NAMES]
    assert not named, [(node.lineno, node.value) for node in named]


def _constants(tree: ast.AST) -> Iterator[ast.Constant]:
    """Give all string literals but those of the table of published backends."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "PUBLISHED":
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node
        yield from _constants(node)


def test_these_tests_see_what_they_forbid() -> None:
    """The walker finds lazy and type-only imports, and a name in a comparison."""
    tree = ast.parse(
        "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    import newton\n"
        "def f(name):\n    import ovread.cli\n    from ovread import simulation\n    return name == 'physx'\n"
        "PUBLISHED = {'newton': 1}\n"
    )
    assert "newton" in set(imports(tree, running=False))
    assert "newton" not in set(imports(tree, running=True))
    assert {of_the_core(name) for name in imports(tree, running=True)} == {None, "cli", "simulation"}
    assert [node.value for node in _constants(tree)] == ["physx"]
    assert of_the_core("ovread.ObjectType") == "__init__"
