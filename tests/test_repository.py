"""What is committed holds no machine's paths, pins its engines, and stays in small files."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MACHINE_PATH = re.compile(r"(?<![\w.}])/(work|tmp|root|home)/[a-z]")
REGISTRY = re.compile(
    r"\b(pypi\.|pythonhosted\.|testpypi\.|anaconda\.(org|com)|piwheels\.|artifactory|nexus\.)[\w./-]*", re.I
)
PINS = {
    "backends/physx": {"ovphysx": ">=0.7,<0.8"},
    "backends/newton": {"newton": ">=1.8,<1.9", "ovnewton": ">=0.2.1,<0.3"},
}
DISTRIBUTIONS = {".": "ovread", "backends/physx": "ovread-physx", "backends/newton": "ovread-newton"}
LONGEST = 450


def committed(*patterns: str) -> list[Path]:
    """Return the committed files that still exist."""
    listed = subprocess.run(["git", "ls-files", "-z", *patterns], cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


def text_of(path: Path) -> str:
    """Return the text of a file; nothing for a binary one."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""


def hits(pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()[:100]}"
        for path in committed()
        for number, line in enumerate(text_of(path).splitlines(), 1)
        if path != Path(__file__).resolve() and pattern.search(line)
    ]


def requirements(folder: str) -> dict[str, str]:
    """Return the version range of each distribution that one requires."""
    project = tomllib.loads((ROOT / folder / "pyproject.toml").read_text())["project"]
    split = [re.fullmatch(r"([\w.-]+)\s*(\[[\w,]+\])?\s*(.*)", line) for line in project["dependencies"]]
    return {found[1]: found[3].replace(" ", "") for found in split if found}


def test_the_patterns_find_what_they_are_for() -> None:
    for written in ("open('/" + "tmp/x')", "see /" + "home/me", "cd /" + "root/a", "/" + "work/main"):
        assert MACHINE_PATH.search(written)
    assert not MACHINE_PATH.search("/World/root/arm, envs/" + "work/x, /tmpfs/a")
    assert REGISTRY.search("https://pypi." + "org/simple")
    assert REGISTRY.search("files.pythonhosted." + "org")
    assert not REGISTRY.search("pip install ovread")


def test_no_committed_text_names_a_folder_of_somebody_s_machine() -> None:
    assert committed(), "git lists nothing"
    assert hits(MACHINE_PATH) == []


def test_no_committed_text_names_a_package_registry() -> None:
    assert hits(REGISTRY) == []


@pytest.mark.parametrize("folder", PINS)
def test_a_backend_pins_its_engine_to_the_minor_version(folder: str) -> None:
    required = requirements(folder)
    assert {name: required.get(name) for name in PINS[folder]} == PINS[folder]


@pytest.mark.parametrize("folder", [*PINS, "conformance"])
def test_what_is_built_on_the_core_pins_it_to_the_minor_version(folder: str) -> None:
    major, minor, _ = tomllib.loads((ROOT / folder / "pyproject.toml").read_text())["project"]["version"].split(".")
    assert requirements(folder)["ovread"] == f">={major}.{minor},<{major}.{int(minor) + 1}"


def test_the_core_requires_no_engine_and_no_backend() -> None:
    for folder in (".", "conformance"):
        assert not {"ovphysx", "newton", "ovnewton", "mujoco", "ovread-physx", "ovread-newton"} & set(
            requirements(folder)
        )


def test_the_distributions_that_are_named_to_users_are_the_ones_here() -> None:
    named = {
        tomllib.loads((ROOT / folder / "pyproject.toml").read_text())["project"]["name"]: folder
        for folder in DISTRIBUTIONS
    }
    assert {folder: name for name, folder in named.items()} == DISTRIBUTIONS


@pytest.mark.parametrize("folder", ["ovread", "backends", "conformance"])
def test_no_module_is_longer_than_a_reader_s_patience(folder: str) -> None:
    modules = committed(f"{folder}/*.py")
    assert modules
    long = {
        str(path.relative_to(ROOT)): count for path in modules if (count := len(text_of(path).splitlines())) > LONGEST
    }
    assert long == {}
