"""The command line, on the real engines."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from importlib import resources
from pathlib import Path

import pytest

CARTPOLE = str(resources.files("ovread").joinpath("scenes", "cartpole.usda"))
EMPTY = '#usda 1.0\ndef Xform "World"\n{\n}\n'

KEYS = {
    "backends": {"name", "available", "reason", "distribution", "version", "engine"},
    "catalogue": {
        "object_type", "attribute", "dtype", "lanes", "layout", "dimension", "units", "frame", "point", "residency",
        "readable", "writability", "accepts", "persistence", "backends", "writes",
    },
    "read": {"backend", "units", "tick", "time", "groups", "omissions"},
    "group": {"object_type", "attribute", "paths", "lanes", "units", "frame", "values", "offsets", "scene"},
    "omission": {"object_type", "attribute", "reason", "detail"},
    "compare": {"backends", "rows", "summary"},
    "effective": {"prim", "units", "backends", "properties"},
    "property": {"schema", "property", "applied", "units", "authored", "verdict", "values", "divergences"},
    "value": {"backend", "value", "origin", "source", "detail"},
    "row": {"object_type", "attribute", "path", "verdict", "max_abs", "max_rel", "tolerance"},
}  # fmt: skip


def ovread(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ovread", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def document(*arguments: str, status: int = 0) -> object:
    ran = ovread(*arguments, "--format", "json")
    assert ran.returncode == status, ran.stderr
    return json.loads(ran.stdout)


def refused(*arguments: str) -> str:
    """Run what cannot run: status 2, one message, no traceback, nothing on standard output."""
    ran = ovread(*arguments)
    assert (ran.returncode, ran.stdout) == (2, ""), ran.stderr
    assert "Traceback" not in ran.stderr
    return ran.stderr


def test_backends_lists_both_engines() -> None:
    """`backends` names each engine with its version."""
    found = document("backends")
    assert all(set(item) == KEYS["backends"] for item in found)
    assert {item["name"]: item["engine"].split()[0] for item in found} == {"newton": "newton", "physx": "ovphysx"}


def test_catalogue_keys() -> None:
    """`catalogue` gives every key of a row."""
    found = document("catalogue", "--type", "RIGID_BODY")
    assert all(set(item) >= KEYS["catalogue"] for item in found)


@pytest.mark.parametrize("backend", ["physx", "newton"])
def test_read_json(backend: str) -> None:
    """`read` prints what was read, and nothing else, on standard output."""
    found = document("read", CARTPOLE, "-b", backend, "-t", "ARTICULATION_JOINT", "-a", "jointPosition")
    assert set(found) == KEYS["read"]
    (group,) = found["groups"]
    assert set(group) == KEYS["group"]
    assert group["paths"] == ["/World/CartPole/hinge", "/World/CartPole/slider"]
    assert [value for (value,) in group["values"]] == pytest.approx([20, 0.1], rel=1e-5)
    assert (group["offsets"], group["units"], group["frame"]) == ([0, 1, 2], "deg or m", "joint")


def test_read_reports_omissions() -> None:
    """`read` gives the reason of what a backend does not serve."""
    found = document("read", CARTPOLE, "-b", "newton", "-t", "ARTICULATION_JOINT", "-a", "jointDriveType")
    (omission,) = found["omissions"]
    assert set(omission) >= KEYS["omission"]
    assert (omission["reason"], bool(omission["detail"])) == ("UNSUPPORTED_ATTRIBUTE", True)


def test_read_csv() -> None:
    """`--format csv` has one line per number."""
    arguments = ("-b", "physx", "-t", "ARTICULATION_LINK", "-a", "position", "--format", "csv")
    lines = list(csv.DictReader(io.StringIO(ovread("read", CARTPOLE, *arguments).stdout)))
    assert len(lines) == 3 * 3
    assert {"path", "attribute", "lane", "value"} <= set(lines[0])


def test_inspect_names_objects() -> None:
    """`inspect` lists units and objects."""
    found = document("inspect", CARTPOLE, "-b", "newton")
    assert found["units"] == {"meters_per_unit": 1.0, "kilograms_per_unit": 1.0, "up_axis": "Z"}
    assert found["objects"]["ARTICULATION"] == ["/World/CartPole"]


def test_compare_agrees_on_the_demo() -> None:
    """Before the first step both engines mean the same by the whole cart-pole: status 0."""
    found = document("compare", CARTPOLE, "--backends", "physx,newton")
    assert set(found) == KEYS["compare"]
    assert all(set(row) >= KEYS["row"] for row in found["rows"])
    state = {"position", "orientation", "linearVelocity", "angularVelocity", "jointPosition", "jointVelocity"}
    assert state <= {row["attribute"] for row in found["rows"] if row["verdict"] == "agrees"}
    assert (found["summary"]["differs"], found["summary"]["absent"]) == (0, 0)


def test_compare_status_is_1_where_they_differ() -> None:
    """`compare` exits with 1 where a value is outside its tolerance."""
    found = document("compare", CARTPOLE, "--backends", "physx,newton", "--steps", "9", "--tolerance", "0", status=1)
    assert found["summary"]["differs"] > 0


def test_no_such_file() -> None:
    """A missing file is named."""
    assert "No such file" in refused("read", "nowhere.usda", "-b", "physx")


def test_not_usd(tmp_path: Path) -> None:
    """A file that is not USD is refused, also by its content."""
    (tmp_path / "junk.usda").write_text("hello")
    (tmp_path / "broken.usda").write_text('#usda 1.0\ndef Xform "World"\n{\n')
    assert "not USD" in refused("read", str(tmp_path / "junk.usda"), "-b", "physx")
    assert "does not parse" in refused("read", str(tmp_path / "broken.usda"), "-b", "newton")


@pytest.mark.parametrize("backend", ["physx", "newton"])
def test_no_physics(tmp_path: Path, backend: str) -> None:
    """A stage with no physics is refused by either engine."""
    (tmp_path / "empty.usda").write_text(EMPTY)
    assert "physics" in refused("read", str(tmp_path / "empty.usda"), "-b", backend)


def test_unknown_names_are_suggested() -> None:
    """Unknown backends, types, attributes and paths say what was meant."""
    assert "'physx'" in refused("read", CARTPOLE, "-b", "phsyx")
    assert "'ARTICULATION_LINK'" in refused("read", CARTPOLE, "-b", "physx", "-t", "ARTICULATION_LNK")
    assert "'position'" in refused("read", CARTPOLE, "-b", "physx", "-t", "ARTICULATION_LINK", "-a", "positon")
    assert "absolute" in refused("read", CARTPOLE, "-b", "physx", "-p", "World/*")
    assert "dt=-1.0" in refused("read", CARTPOLE, "-b", "physx", "--steps", "1", "--dt", "-1")


def test_one_refusal_leaves_the_other(tmp_path: Path) -> None:
    """Where one engine refuses a scene, `compare` gives its words and still lists the other; status 1."""
    scene = tmp_path / "sheared.usda"
    scene.write_text(
        '#usda 1.0\n(\n    upAxis = "Z"\n    metersPerUnit = 1\n)\ndef PhysicsScene "Scene"\n{\n}\n'
        'def Xform "stretched"\n{\n    float3 xformOp:scale = (1, 2, 1)\n'
        '    uniform token[] xformOpOrder = ["xformOp:scale"]\n'
        '    def Cube "body" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"])\n    {\n'
        "        double size = 1\n        float xformOp:rotateZ = 30\n"
        '        uniform token[] xformOpOrder = ["xformOp:rotateZ"]\n    }\n}\n'
    )
    found = document("compare", str(scene), "--backends", "physx,newton", status=1)
    assert "sheared" in found["summary"]["refused"]["newton"]
    assert any(row["path"] == "/stretched/body" for row in found["rows"])


def test_version() -> None:
    """`--version` prints the version alone."""
    assert ovread("--version").stdout.strip().count(".") == 2


TWO_EQUAL_LINKS = """#usda 1.0
(
    metersPerUnit = 1
    kilogramsPerUnit = 1
    upAxis = "Z"
)
def PhysicsScene "Scene"
{
}
def Xform "Pair" (prepend apiSchemas = ["PhysicsArticulationRootAPI"])
{
    def Xform "base" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
    {
        float physics:mass = 1
        float3 physics:diagonalInertia = (0.1, 0.1, 0.1)
    }
    def Xform "arm" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
    {
        double3 xformOp:translate = (0, 0, 1)
        uniform token[] xformOpOrder = ["xformOp:translate"]
        float physics:mass = 1
        float3 physics:diagonalInertia = (0.1, 0.1, 0.1)
    }
    def PhysicsRevoluteJoint "hinge"
    {
        rel physics:body0 = </Pair/base>
        rel physics:body1 = </Pair/arm>
        uniform token physics:axis = "X"
        point3f physics:localPos0 = (0, 0, 0.5)
        point3f physics:localPos1 = (0, 0, -0.5)
    }
}
"""


def test_compare_names_elements_that_stand_for_something_else(tmp_path: Path) -> None:
    """Where engines choose different root links, no matrix passes as equal: `compare` names what its elements are."""
    scene = tmp_path / "pair.usda"
    scene.write_text(TWO_EQUAL_LINKS)
    found = document("compare", str(scene), "--backends", "physx,newton", status=1)
    matrices = {"jacobian", "massMatrix", "gravityForce", "coriolisForce"}
    rows = {row["attribute"]: row for row in found["rows"] if row["attribute"] in matrices}
    assert set(rows) == matrices
    for row in rows.values():
        assert row["verdict"] == "absent"
        assert row["detail"] == "physx has /Pair/arm:linear.x where newton has /Pair/base:linear.x"


def test_conform_refuses_unknown_backends() -> None:
    """`conform` names what it does not know, before anything is recorded."""
    assert "Unknown backend 'physics'. Did you mean 'physx'?" in refused("conform", "physics")
    assert "no variant 'stele'" in refused("conform", "newton:stele")
    assert "more than once" in refused("conform", "newton", "newton")


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("physx", "--quick", "--mutants"), "Mutants need what quick leaves out"),
        (("physx", "--html", "nowhere/page.html"), "there is no folder nowhere"),
        (("physx", "--device", "gpu"), "backend 'physx' takes 'cpu' or 'cuda:0'"),
        (("newton", "--device", "cuda:7"), "device='cuda:7'"),
    ],
)
def test_conform_refuses_what_it_cannot_do(arguments: tuple[str, ...], why: str) -> None:
    """Options that exclude each other, a page without a folder and a device that is not there are named."""
    assert why in refused("conform", *arguments).splitlines()[-1]


def test_conform_says_how_to_install_the_suite(tmp_path: Path) -> None:
    """`conform` without the suite says where it comes from."""
    script = "import sys; sys.modules['ovread_conformance'] = None; from ovread.cli import main; main()"
    command = [sys.executable, "-c", script, "conform", "physx"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "pip install ovread-conformance" in ran.stderr


HINGE = "/World/CartPole/hinge"


def test_effective_keys() -> None:
    """`effective` gives every key of a property and of its value on each backend, in the order that is asked for."""
    found = document("effective", CARTPOLE, HINGE, "--backends", "physx,newton:steel")
    assert set(found) == KEYS["effective"]
    assert found["backends"] == ["physx", "newton:steel"]
    for each in found["properties"]:
        assert set(each) == KEYS["property"]
        assert [set(value) for value in each["values"]] == [KEYS["value"]] * 2


def test_effective_prints_a_table_and_csv() -> None:
    """One line for each property as a table, one for each property and backend as CSV; unlimited has a word."""
    found = document("effective", CARTPOLE, HINGE)
    ran = ovread("effective", CARTPOLE, HINGE)
    assert ran.returncode == 0, ran.stderr
    assert f"{len(found['properties'])} attributes" in ran.stdout
    ran = ovread("effective", CARTPOLE, HINGE, "--format", "csv")
    lines = list(csv.DictReader(io.StringIO(ran.stdout)))
    assert len(lines) == 2 * len(found["properties"])


def test_effective_refuses_what_is_not_there(tmp_path: Path) -> None:
    assert "No such file" in refused("effective", str(tmp_path / "none.usda"), "/World")
    assert f"Did you mean '{HINGE}'?" in refused("effective", CARTPOLE, "/World/CartPole/hing")
    assert "Did you mean 'physx'?" in refused("effective", CARTPOLE, HINGE, "--backends", "phsyx")
    assert "each backend once" in refused("effective", CARTPOLE, HINGE, "--backends", "physx,physx")
