"""What the importer drops is named, and what changes nothing is not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from ovread_newton._corrections import CORRECTIONS, RULES
from ovread_newton._losses import reports

from ovread import ObjectType, Simulation, errors

Opened = Callable[..., Simulation]

LOST = {
    "damping": {"/W/body"},
    "locked-axis": {"/W/body"},
    "body-property": {"/W/body"},
    "torsional-patch": {"/W/body"},
    "contact-report-settings": {"/W/body"},
    "forces": {"/W/body"},
    "surface-velocity": {"/W/body"},
    "triggers": {"/W/body"},
    "compliant-contact": {"/W/Rough"},
    "static-friction": {"/W/Rough"},
    "combine-mode": {"/W/Rough"},
    "soft-limit": {"/W/robot/hinge"},
    "joint-friction": {"/W/robot/hinge"},
    "drive-envelope": {"/W/robot/hinge"},
    "acceleration-drive": {"/W/robot/hinge"},
    "unmatched-drive": {"/W/robot/hinge"},
    "tendons": {"/W/robot/hinge"},
    "coupled-joints": {"/W/robot/hinge", "/W/gear"},
    "articulation-disabled": {"/W/robot"},
    "cone-limit": {"/W/robot/ball"},
    "merged-joints": {"/W/robot/slide_b"},
    "link-velocity": {"/W/robot/ball_link"},
    "particles": {"/W/particles"},
    "character-controllers": {"/W/walker"},
    "actuators": {"/W/motor"},
    "schema-ignored": {"/W/unknown"},
    "several-scenes": {"/Second"},
    "settings-ignored": {""},
}

BY_SOLVER = {
    "mujoco": {"restitution": {"/W/Rough"}, "velocity-limit": {"/W/robot/hinge"}},
    "xpbd": {
        rule: {"/W/robot/hinge"}
        for rule in (
            *("armature-ignored", "friction-ignored", "viscous-friction-ignored", "effort-limit-ignored"),
            "velocity-limit",
        )
    },
}


@pytest.mark.parametrize("solver", BY_SOLVER)
def test_losses_are_named(opened: Opened, solver: str) -> None:
    """Each loss is reported for the prim that it concerns, and for no other: values that change nothing are silent."""
    found: dict[str, set[str]] = {}
    for finding in opened("import_losses", solver=solver).diagnostics:
        found.setdefault(finding.rule, set()).add(finding.prim)
    losses = {rule: prims for rule, prims in found.items() if rule in reports()}
    corrected = {"joint-axis-schema": {"/W/robot/hinge"}}
    assert losses == LOST | BY_SOLVER[solver] | corrected


def test_an_ordinary_scene_is_silent(opened: Opened) -> None:
    """A scene that loses nothing reports no loss."""
    assert not {finding.rule for finding in opened("free_fall").diagnostics}.intersection(reports())


HEAD = '#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = "Z"\n)\ndef PhysicsScene "S"\n{\n}\n'
INSTANCER = """def Xform "Proto" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI"]
)
{
    def Cube "c" (
        prepend apiSchemas = ["PhysicsCollisionAPI"]
    )
    {
    }
}
def PointInstancer "Many"
{
    rel prototypes = [</Proto>]
    int[] protoIndices = [0]
    point3f[] positions = [(0, 0, 0)]
}
"""
CURVES = 'def BasisCurves "c" (\n    prepend apiSchemas = ["PhysicsCollisionAPI"]\n)\n{\n}\n'


@pytest.mark.parametrize(
    ("scene", "prim", "advice"), [(INSTANCER, "/Many", "prims of their own"), (CURVES, "/c", "make it a mesh")]
)
def test_refusals_say_what_to_do(opened: Opened, scene: str, prim: str, advice: str) -> None:
    """A scene that the importer refuses is refused with the prim and a remedy."""
    with pytest.raises(errors.SceneRefusedError) as caught:
        opened(HEAD + scene)
    assert prim in str(caught.value)
    assert advice in str(caught.value)


HARMLESS = """def Xform "nothing"
{
}
def Sphere "site" (
    prepend apiSchemas = ["NewtonSiteAPI"]
)
{
}
def Cube "a" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "PhysicsFilteredPairsAPI"]
)
{
    rel physics:filteredPairs = [</nothing>, </b>]
}
def Cube "b" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "PhysicsArticulationRootAPI"]
)
{
}
def PhysicsFixedJoint "weld" (
    prepend apiSchemas = ["NewtonMimicAPI"]
)
{
    rel physics:body1 = </b>
    rel newton:mimicJoint = </weld>
}
def Cube "c" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]
)
{
}
def PhysicsRevoluteJoint "hinge" (
    prepend apiSchemas = ["MjcJointAPI", "NewtonJointAPI"]
)
{
    rel physics:body0 = </b>
    rel physics:body1 = </c>
    uniform double mjc:armature = 0.05
    uniform double mjc:margin = 0.01
    uniform double mjc:actuatorfrcrange:min = -5
}
"""


def test_refused_for_nothing(opened: Opened) -> None:
    """What changes nothing keeps no scene from opening, and of two armatures the authored one counts."""
    simulation = opened(HEAD + HARMLESS, solver="xpbd")
    found = {(finding.rule, finding.prim) for finding in simulation.diagnostics}
    assert found >= {
        ("site", "/site"),
        ("filtered-pair", "/a"),
        ("fixed-mimic", "/weld"),
        ("mujoco-attributes", "/hinge"),
    }
    joints = simulation.query(ObjectType.ARTICULATION_JOINT)
    assert simulation.read(joints, ["jointArmature"])["jointArmature"].numpy()[0, 0] == pytest.approx(0.05)
    for rule in ("site", "filtered-pair", "fixed-mimic", "mujoco-attributes"):
        with pytest.raises(errors.SceneRefusedError):
            opened(HEAD + HARMLESS, solver="xpbd", corrections=[each for each in RULES if each != rule])


def test_documentation_lists_every_rule() -> None:
    """The page on the import has a row for every correction and every report, in their own words."""
    page = (Path(__file__).parents[3] / "docs" / "newton-import.md").read_text(encoding="utf-8")
    rows = {correction.rule: correction.meaning for correction in CORRECTIONS}
    for rule, meaning in [*rows.items(), *reports().items()]:
        assert f"| `{rule}` | {meaning} |" in page, rule
