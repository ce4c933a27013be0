"""The page that traces the statements of the read API to tests names tests that exist, and hides nothing."""

from __future__ import annotations

import ast
import functools
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/traceability/readable.md"
ENGINE_TESTS = ROOT / "backends/physx/tests"
CHECKS = ROOT / "conformance/ovread_conformance/checks.py"
TEST = re.compile(r"`(?P<file>[\w/]+\.py)::(?P<test>\w+)(\[(?P<case>[\w-]+)\])?`")
EXCUSES = ("needs CUDA: ", "not observable here: ")


def sections() -> dict[str, list[list[str]]]:
    """Return the rows of the table of each section, as cells."""
    found: dict[str, list[list[str]]] = {}
    for part in re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        title, _, body = part.partition("\n")
        lines = [line for line in body.splitlines() if line.startswith("|")]
        assert lines[:2] == ["| statement | in ovread | observed by |", "| --- | --- | --- |"], title
        found[title] = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]
    return found


ROWS = [(title, row) for title, rows in sections().items() for row in rows]


@functools.cache
def functions_of(path: Path) -> frozenset[str]:
    """Return the names of the tests in a file."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return frozenset(node.name for node in nodes if isinstance(node, ast.FunctionDef) and node.name[:5] == "test_")


def test_every_section_has_rows_of_three_cells() -> None:
    assert len(sections()) > 20
    assert [title for title, rows in sections().items() if not rows] == []
    assert [row for _, row in ROWS if len(row) != 3 or not all(row)] == []


def test_no_statement_is_made_twice() -> None:
    made = [(title, row[0]) for title, row in ROWS]
    assert len(set(made)) == len(made)


@pytest.mark.parametrize("title", sections())
def test_a_row_names_tests_or_says_why_it_has_none(title: str) -> None:
    for statement, _, evidence in sections()[title]:
        assert TEST.search(evidence) or evidence.startswith(EXCUSES), statement
        assert evidence.count("::") == len(TEST.findall(evidence)), f"a test is misspelt: {evidence}"


@pytest.mark.parametrize("title", sections())
def test_every_test_that_is_named_exists(title: str) -> None:
    for statement, _, evidence in sections()[title]:
        for named in TEST.finditer(evidence):
            path = (ROOT if "/" in named["file"] else ENGINE_TESTS) / named["file"]
            assert path.is_file(), f"{statement}: {named['file']}"
            assert named["test"] in functions_of(path), f"{statement}: {named[0]}"
            assert named["case"] is None or f'Check("{named["case"]}"' in CHECKS.read_text(), f"{statement}: {named[0]}"
