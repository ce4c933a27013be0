"""The pages that trace what the engines' documentation states name tests that exist, and hide nothing."""

from __future__ import annotations

import ast
import functools
import re
from pathlib import Path

import pytest
from ovread_conformance.recording import served
from ovread_conformance.scope import outside

ROOT = Path(__file__).resolve().parents[1]
PAGES = {
    "readable": ROOT / "backends/physx/tests",
    "newton_read": ROOT / "backends/newton/tests",
    "writable": ROOT / "backends/physx/tests",
}
"""Each page, and where the tests are that it names without a folder."""
TEST = re.compile(r"`(?P<file>[\w/]+\.py)::(?P<test>\w+)(\[(?P<label>\w+)-(?P<row>[\w.]+)\])?`")
EXCUSES = ("needs CUDA: ", "not observable here: ")


def sections(page: str) -> dict[str, list[list[str]]]:
    """Return the rows of the table of each section, as cells."""
    text = (ROOT / f"docs/traceability/{page}.md").read_text(encoding="utf-8")
    found: dict[str, list[list[str]]] = {}
    for part in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        title, _, body = part.partition("\n")
        lines = [line for line in body.splitlines() if line.startswith("|")]
        assert lines[:2] == ["| statement | in ovread | observed by |", "| --- | --- | --- |"], title
        found[title] = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]
    return found


TITLES = [(page, title) for page in PAGES for title in sections(page)]


@functools.cache
def functions_of(path: Path) -> frozenset[str]:
    """Return the names of the tests in a file."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return frozenset(node.name for node in nodes if isinstance(node, ast.FunctionDef) and node.name[:5] == "test_")


@functools.cache
def examined(label: str) -> frozenset[str]:
    """Return the attributes of a backend that the conformance suite holds against evidence."""
    return frozenset(f"{row.object_type.name}.{row.name}" for row in served(label) if not outside(row))


def test_pages_have_their_sections() -> None:
    assert [len(sections(page)) for page in PAGES] == [23, 5, 15]


@pytest.mark.parametrize(("page", "title"), TITLES)
def test_every_section_has_rows_of_three_cells(page: str, title: str) -> None:
    rows = sections(page)[title]
    assert rows
    assert [row for row in rows if len(row) != 3 or not all(row)] == []
    assert len({statement for statement, _, _ in rows}) == len(rows), "a statement is made twice"


@pytest.mark.parametrize(("page", "title"), TITLES)
def test_a_row_names_tests_or_says_why_it_has_none(page: str, title: str) -> None:
    for statement, _, evidence in sections(page)[title]:
        assert TEST.search(evidence) or evidence.startswith(EXCUSES), statement
        assert evidence.count("::") == len(TEST.findall(evidence)), f"a test is misspelt: {evidence}"


@pytest.mark.parametrize(("page", "title"), TITLES)
def test_every_test_that_is_named_exists(page: str, title: str) -> None:
    for statement, _, evidence in sections(page)[title]:
        for named in TEST.finditer(evidence):
            path = (ROOT if "/" in named["file"] else PAGES[page]) / named["file"]
            assert path.is_file(), f"{statement}: {named['file']}"
            assert named["test"] in functions_of(path), f"{statement}: {named[0]}"
            assert named["row"] is None or named["row"] in examined(named["label"]), f"{statement}: {named[0]}"
