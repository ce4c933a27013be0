"""What a fix authors: a layer over the asset that says the same to every engine, and leaves the asset alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from ovread_conformance.importing import Readings, differences, readings
from pxr import Sdf, Usd, UsdUtils

from ovread import lint
from ovread.errors import OptionError
from ovread.lint.examples import EXAMPLES

FIXABLE = (
    "articulation-disabled", "center-of-mass-inertia", "collision-container", "cone-inertia",
    "default-angular-damping", "default-density", "default-friction", "disabled-body", "filtered-pair",
    "fixed-mimic", "fixed-root-link", "floating-root", "free-axis", "gravity-not-normalised",
    "instanced-collider", "instancing", "joint-axis-schema", "joint-schema", "kinematic-velocity",
    "mass-on-collider", "material-density", "newton-inertia", "no-mass", "one-link-articulation",
    "one-sided-limit-locks", "planar-inertia", "self-collision", "several-articulations", "site",
    "target-outside-limits", "target-wraps", "undriven-joint", "unknown-group", "velocity-target",
    "world-hinge-welded",
)  # fmt: skip
OUTSIDE = {"articulation-disabled"}
"""Repairs after which joints are outside articulations, which not every solver takes."""
AGREED = (
    "mass", "inertia", "centerOfMassPosition", "position", "orientation", "linearVelocity", "angularVelocity",
    "jointPosition", "jointVelocity", "jointPositionTarget", "jointLimit", "jointArmature", "rootPosition",
    "isFixedBase", "dofCount", "linkCount", "shapeCount",
)  # fmt: skip

SOLIDS = """#usda 1.0
(
    metersPerUnit = 1
    upAxis = "Z"
)
def Xform "W" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
{
    float3 xformOp:scale = (2, 2, 2)
    float3 xformOp:rotateXYZ = (20, 30, 40)
    uniform token[] xformOpOrder = ["xformOp:rotateXYZ", "xformOp:scale"]
    float physics:density = 300
%s
}
"""


def solid(kind: str, *lines: str) -> str:
    """Write a collider that is turned and set apart, with a density of its own."""
    return f"""    def {kind} "{kind}" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMassAPI"])
    {{
        float physics:density = 700
        double3 xformOp:translate = (0.3, -0.2, 0.5)
        float xformOp:rotateX = 35
        uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateX"]
        {chr(10).join(lines)}
    }}"""


SHAPES = {
    "Cube": solid("Cube", "double size = 0.4"),
    "Sphere": solid("Sphere", "double radius = 0.3"),
    "Capsule": solid("Capsule", "double radius = 0.2", "double height = 0.7", 'uniform token axis = "X"'),
    "Cylinder": solid("Cylinder", "double radius = 0.2", "double height = 0.7", 'uniform token axis = "Y"'),
}

Saved = Callable[[str], Path]


@pytest.fixture
def saved(tmp_path: Path) -> Saved:
    def save(text: str) -> Path:
        path = tmp_path / "asset.usda"
        path.write_text(text)
        return path

    return save


def agreed(found: Readings) -> Readings:
    return {name: value for name, value in found.items() if name.split()[-1] in AGREED}


def names(report: lint.Report | lint.Fixed) -> set[str]:
    return {found.rule.name for found in (report.findings if isinstance(report, lint.Report) else report.left)}


def test_these_are_the_rules_with_a_repair(saved: Saved) -> None:
    found = {name: lint.lint(saved(example.found)).findings for name, example in EXAMPLES.items()}
    fixable = {name for name, all_found in found.items() if any(f.fixable and f.rule.name == name for f in all_found)}
    assert fixable == set(FIXABLE)


@pytest.mark.parametrize("name", FIXABLE)
def test_a_fix_repairs_what_was_found_and_leaves_the_asset_as_it_is(name: str, saved: Saved, tmp_path: Path) -> None:
    asset, out = saved(EXAMPLES[name].found), tmp_path / "fixed.usda"
    assert name in names(lint.lint(asset))
    done = lint.fix(asset, out)
    assert name not in names(done)
    assert name not in names(lint.lint(out))
    assert {finding.rule.name for finding in done.repaired} >= {name}
    assert asset.read_text() == EXAMPLES[name].found


@pytest.mark.parametrize("name", sorted({*FIXABLE} - OUTSIDE))
def test_engines_agree_on_what_was_fixed_without_any_correction(name: str, saved: Saved, tmp_path: Path) -> None:
    out = tmp_path / "fixed.usda"
    lint.fix(saved(EXAMPLES[name].found), out)
    first, second = readings(str(out), "physx"), readings(str(out), "newton", corrections=False)
    assert differences(agreed(first), agreed(second)) == []


@pytest.mark.parametrize("kind", SHAPES)
def test_a_fix_keeps_the_mass_that_the_schema_gives(kind: str, saved: Saved, tmp_path: Path) -> None:
    asset, out = saved(SOLIDS % SHAPES[kind]), tmp_path / "fixed.usda"
    lint.fix(asset, out)
    before, after = (agreed(readings(str(path), "physx")) for path in (asset, out))
    for name in ("mass", "inertia", "centerOfMassPosition"):
        key = f"RIGID_BODY /W {name}"
        assert after[key] == pytest.approx(before[key], rel=2e-3, abs=2e-3 * float(np.abs(before[key]).max())), name
    assert differences(after, agreed(readings(str(out), "newton", corrections=False))) == []


def test_a_fix_keeps_units_up_axis_and_default_prim(saved: Saved, tmp_path: Path) -> None:
    out = tmp_path / "fixed.usda"
    lint.fix(saved(EXAMPLES["default-density"].found), out)
    layer = Sdf.Layer.FindOrOpen(str(out))
    assert layer.pseudoRoot.GetInfo("metersPerUnit") == 0.01
    assert (layer.defaultPrim, list(layer.subLayerPaths)) == ("W", ["asset.usda"])


@pytest.mark.parametrize("suffix", [".usd", ".usdc", ".usdz"])
def test_every_kind_of_file_is_read_and_fixed(suffix: str, saved: Saved, tmp_path: Path) -> None:
    text, path = saved(EXAMPLES["one-sided-limit-locks"].found), tmp_path / f"other{suffix}"
    if suffix == ".usdz":
        assert UsdUtils.CreateNewUsdzPackage(str(text), str(path))
    else:
        Sdf.Layer.FindOrOpen(str(text)).Export(str(path))
    assert "one-sided-limit-locks" in names(lint.lint(path))
    assert "one-sided-limit-locks" not in names(
        lint.fix(path, tmp_path / f"fixed{'.usda' if suffix == '.usdz' else suffix}")
    )


@pytest.mark.parametrize("arc", ["references", "payload"])
def test_what_is_referenced_is_found_under_its_path_and_fixed(arc: str, saved: Saved, tmp_path: Path) -> None:
    saved(EXAMPLES["one-sided-limit-locks"].found)
    whole = tmp_path / "whole.usda"
    whole.write_text(f'#usda 1.0\ndef Xform "Robot" (prepend {arc} = @asset.usda@)\n{{\n}}\n')
    found = [each for each in lint.lint(whole).findings if each.rule.name == "one-sided-limit-locks"]
    assert [each.prim for each in found] == ["/Robot/j"]
    assert "one-sided-limit-locks" not in names(lint.fix(whole, tmp_path / "fixed.usda"))


VARIANTS = """#usda 1.0
def Xform "b" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI"]
    prepend variantSets = "state"
    variants = {
        string state = "%s"
    }
)
{
    variantSet "state" = {
        "asleep" {
            uniform bool physics:startsAsleep = true
        }
        "awake" {
        }
    }
}
"""


def test_the_selected_variant_counts() -> None:
    assert "starts-asleep" in names(lint.lint(VARIANTS % "asleep"))
    assert "starts-asleep" not in names(lint.lint(VARIANTS % "awake"))


def test_a_prim_in_an_instance_is_fixed_by_making_the_instance_plain(saved: Saved, tmp_path: Path) -> None:
    out = tmp_path / "fixed.usda"
    lint.fix(saved(EXAMPLES["instancing"].found), out)
    stage = Usd.Stage.Open(str(out))
    assert not stage.GetPrimAtPath("/W/b").IsInstance()
    assert stage.GetPrimAtPath("/W/b/link").HasAPI("PhysicsRigidBodyAPI")


def test_a_fix_refuses_to_write_the_asset_itself(saved: Saved, tmp_path: Path) -> None:
    asset = saved(EXAMPLES["no-mass"].found)
    with pytest.raises(OptionError, match="consists of that file"):
        lint.fix(asset, asset)
    with pytest.raises(OptionError, match="no folder"):
        lint.fix(asset, tmp_path / "nowhere" / "fixed.usda")
    with pytest.raises(OptionError, match=r"name a \.usda"):
        lint.fix(asset, tmp_path / "fixed.txt")
    with pytest.raises(OptionError, match="save the USDA text"):
        lint.fix(EXAMPLES["no-mass"].found, tmp_path / "fixed.usda")
    assert asset.read_text() == EXAMPLES["no-mass"].found


def test_a_repair_does_not_apply_a_drive_whose_gains_mean_nothing_yet(saved: Saved, tmp_path: Path) -> None:
    out = tmp_path / "fixed.usda"
    done = lint.fix(saved(EXAMPLES["unapplied-schema"].found), out)
    assert names(done) == {"unapplied-schema", "undriven-joint"}
    assert "PhysicsDriveAPI" not in out.read_text()


TWO_AXES = """#usda 1.0
def PhysicsJoint "j" (
    prepend apiSchemas = ["PhysicsDriveAPI:rotX", "PhysicsDriveAPI:rotY"]
)
{
    rel physics:body1 = </b>
    float drive:rotX:physics:stiffness = 2
    float drive:rotX:physics:damping = 1
    float drive:rotX:physics:targetVelocity = 10
    float drive:rotY:physics:stiffness = 5
    float drive:rotY:physics:damping = 1
    float drive:rotY:physics:targetVelocity = 10
}
def Xform "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI"])
{
}
"""


def test_a_pattern_on_two_axes_is_one_finding_and_is_repaired_on_both(saved: Saved, tmp_path: Path) -> None:
    asset, out = saved(TWO_AXES), tmp_path / "fixed.usda"
    (finding,) = [each for each in lint.lint(asset).findings if each.rule.name == "velocity-target"]
    assert "rotX" in finding.occurrence.what
    assert "rotY" in finding.occurrence.what
    lint.fix(asset, out)
    stage = Usd.Stage.Open(str(out))
    joint = stage.GetPrimAtPath("/j")
    targets = [joint.GetAttribute(f"drive:{axis}:physics:targetPosition").Get() for axis in ("rotX", "rotY")]
    assert targets == [5.0, 2.0]
