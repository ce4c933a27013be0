"""The page of what is written: class, condition and evidence of each attribute, by backend.

Evidence is gathered from the tests: those of a backend say by a marker which attributes they show to be obeyed
(``@pytest.mark.obeys("RIGID_BODY", "force wrench")``), read back (``reads_back``) or refused (``refuses``); the suite
shows the last two of every attribute of the types that its scene has.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from pathlib import Path

from ovread_conformance.written import TYPES

from ovread import catalogue, plugins
from ovread.backend import BackendInfo, Level, WriteSupport
from ovread.catalogue import Attribute, ObjectType

ROOT = Path(__file__).parents[1]
KINDS = ("reads_back", "obeys", "refuses")
SUITE = "suite"
EXCUSES = {
    ("physx", ObjectType.DEFORMABLE_VOLUME, ""): "needs CUDA",
    ("physx", ObjectType.DEFORMABLE_SURFACE, ""): "needs CUDA",
    ("physx", ObjectType.PARTICLE_SET, ""): "needs CUDA",
    ("physx", ObjectType.DEFORMABLE_MATERIAL, ""): "needs CUDA",
    ("physx", ObjectType.DEBUG_RENDER, "simulationMesh"): "needs CUDA",
    ("physx", ObjectType.DEBUG_RENDER, "mbpRegions"): "not observable here: no broad phase drew any",
}
"""Why there is no evidence, by backend, type and attribute (empty for all of a type)."""
Evidence = dict[tuple[str, ObjectType, str, str], list[str]]
"""Tests by backend, object type, attribute and kind."""


def evidence() -> Evidence:
    """Return the tests of each backend that carry a marker."""
    found: Evidence = {}
    for name in _backends():
        for path in sorted((ROOT / "backends" / name / "tests").glob("test_*.py")):
            for kind, object_type, attribute, test in _marked(path):
                found.setdefault((name, object_type, attribute, kind), []).append(f"{path.stem}::{test}")
    return found


def _marked(path: Path) -> Iterator[tuple[str, ObjectType, str, str]]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef):
            continue
        for mark in node.decorator_list:
            if isinstance(mark, ast.Call) and isinstance(mark.func, ast.Attribute) and mark.func.attr in KINDS:
                kinds, names = (ast.literal_eval(argument) for argument in mark.args)
                for object_type in kinds.split():
                    for name in names.split():
                        row = catalogue.attribute(ObjectType[object_type], name)
                        yield mark.func.attr, row.object_type, row.name, node.name


def cells(info: BackendInfo, row: Attribute, found: Evidence) -> dict[str, str]:
    """Return the evidence of one attribute by kind; empty where there is none."""
    own = {kind: found.get((info.name, row.object_type, row.name, kind), []) for kind in KINDS}
    texts = {kind: ", ".join(f"`{test}`" for test in tests[:2]) for kind, tests in own.items()}
    if row.object_type in TYPES:
        texts["refuses"] = texts["refuses"] or SUITE
        if is_read_back(info, row):
            texts["reads_back"] = texts["reads_back"] or SUITE
    for name in ("", row.name):
        excuse = EXCUSES.get((info.name, row.object_type, name), "")
        texts = {kind: text or excuse for kind, text in texts.items()}
    if not is_read_back(info, row):
        texts["reads_back"] = texts["reads_back"] or "cannot be read"
    return texts


def is_read_back(info: BackendInfo, row: Attribute) -> bool:
    """Whether what is written can be read."""
    return row.readable and info.support_of(row.key).level is not Level.UNSUPPORTED


def accepted(info: BackendInfo) -> list[Attribute]:
    """Return the attributes that a backend writes, with any of its variants."""
    return [row for row in catalogue.rows() if any(item.is_accepted for item in _declared(info, row).values())]


def _declared(info: BackendInfo, row: Attribute) -> dict[str | None, WriteSupport]:
    return {variant: info.writing_of(row.key, variant) for variant in (None, *info.write_variants)}


def page(note: str) -> str:
    """Return the page."""
    parts = [
        note,
        "# What is written\n",
        "Every attribute that a backend writes, its class without regard to solver or scene, and the test that shows "
        "on the real engine that it reads back, that the next step obeys it, and that bad values are refused. "
        f"*{SUITE}* "
        "is `ovread_conformance/test_writes.py`, which takes each attribute of bodies, links, joints, articulations "
        "and scenes in turn. A number refers to the conditions and reasons below.\n",
    ]
    reasons: dict[str, int] = {}
    found = evidence()
    for info in _installed():
        parts.append(f"## {info.name}\n")
        rows = accepted(info)
        for kind in dict.fromkeys(row.object_type for row in rows):
            parts.append(f"### {kind.name} on {info.name}\n")
            heads = ["attribute", "accepts", "class", *(["not with"] if info.write_variants else [])]
            lines = [[*heads, "reads back", "obeyed", "refused"]]
            for row in rows:
                if row.object_type is kind:
                    lines.append(_line(info, row, cells(info, row, found), reasons))
            parts.append(_table(lines))
        parts += [f"### Not written on {info.name}\n", _not_written(info, reasons)]
    parts += ["## Conditions and reasons\n", "\n".join(f"{number}. {reason}" for reason, number in reasons.items()), ""]
    return "\n".join(parts)


def _line(info: BackendInfo, row: Attribute, texts: dict[str, str], reasons: dict[str, int]) -> list[str]:
    declared = _declared(info, row)
    solvers = []
    if info.write_variants:
        refusing = {
            variant: _number(item, reasons) for variant, item in declared.items() if variant and not item.is_accepted
        }
        solvers = [", ".join(f"{variant} {number}".strip() for variant, number in refusing.items()) or "—"]
    base = declared[None]
    marks = f"{base.writability.value} {_number(base, reasons)}".strip()
    return [f"`{row.name}`", str(row.accepts) or "—", marks, *solvers, *(texts[kind] for kind in KINDS)]


def _not_written(info: BackendInfo, reasons: dict[str, int]) -> str:
    lines = [["type", "attributes", "reason"]]
    taken = {row.key for row in accepted(info)}
    grouped: dict[tuple[ObjectType, str], list[str]] = {}
    for row in catalogue.rows():
        if row.key not in taken and row.writability is not catalogue.Writability.READ_ONLY:
            reason = info.writing_of(row.key).reason
            grouped.setdefault((row.object_type, reason), []).append(row.name)
    for (kind, reason), names in grouped.items():
        lines.append([kind.name, " ".join(f"`{name}`" for name in names), reason])
    return _table(lines)


def _number(item: WriteSupport, reasons: dict[str, int]) -> str:
    return str(reasons.setdefault(item.reason, len(reasons) + 1)) if item.reason else ""


def _table(lines: Sequence[Sequence[str]]) -> str:
    rows = [lines[0], ["---"] * len(lines[0]), *lines[1:]]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows) + "\n"


def _installed() -> list[BackendInfo]:
    return [info for info in plugins.backends().values() if info.available and info.name in _backends()]


def _backends() -> list[str]:
    return sorted(folder.name for folder in (ROOT / "backends").iterdir() if (folder / "tests").is_dir())
