"""Documentation says what the code does."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"


def _generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(autouse=True)
def _docs_can_be_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(DOCS)


@pytest.mark.parametrize("name", ["catalogue.md", "support.md", "writable.md", "authoring.md", "lint-rules.md"])
def test_generated_page_is_current(name: str) -> None:
    """A generated page equals what its generator writes: run `make docs`."""
    assert (DOCS / name).read_text(encoding="utf-8") == _generator().pages()[name]


def test_every_attribute_that_is_written_is_shown_to_read_back_to_be_obeyed_and_to_be_refused() -> None:
    """No cell of the page of what is written is blank."""
    import written

    found = written.evidence()
    blank = [
        f"{info.name} {row.object_type.name}.{row.name}: {kind}"
        for info in written._installed()
        for row in written.accepted(info)
        for kind, text in written.cells(info, row, found).items()
        if not text
    ]
    assert blank == []


def test_docs_build(tmp_path: Path) -> None:
    """The documentation builds without a warning, broken links included."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr


def test_readme_links_exist() -> None:
    """Every file that the README links to is there."""
    links = re.findall(r"\]\(([^)#:]+)\)", (ROOT / "README.md").read_text())
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []
