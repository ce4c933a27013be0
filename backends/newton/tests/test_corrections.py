"""What the importer gets wrong is put right, and can be left as it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from ovread_newton._corrections import CORRECTIONS, RULES, selected_rules

import ovread
from ovread import ObjectType, Simulation

BODY = ObjectType.RIGID_BODY
LINK = ObjectType.ARTICULATION_LINK
JOINT = ObjectType.ARTICULATION_JOINT
ARTICULATION = ObjectType.ARTICULATION

Opened = Callable[..., Simulation]
Value = Callable[..., np.ndarray]


class Pair:
    """One scene, opened with all corrections and with none; each where it is first needed."""

    def __init__(self, scenes: Path) -> None:
        self._scenes = scenes
        self._opened: dict[tuple[str, str, bool], Simulation] = {}

    def __call__(self, scene: str, corrected: bool = True, solver: str = "mujoco") -> Simulation:
        key = scene, solver, corrected
        if key not in self._opened:
            source = self._scenes / f"import_{scene}.usda"
            self._opened[key] = ovread.open(source, backend="newton", solver=solver, corrections=corrected)
        return self._opened[key]

    def close(self) -> None:
        for simulation in self._opened.values():
            simulation.close()


@pytest.fixture(scope="module")
def pair(scenes: Path) -> Iterator[Pair]:
    """Open the scenes of this module."""
    pair = Pair(scenes)
    yield pair
    pair.close()


def prims(simulation: Simulation, rule: str) -> set[str]:
    """Return the prims that a rule was reported for."""
    return {finding.prim for finding in simulation.diagnostics if finding.rule == rule}


CUBE = 1 / 6
"""Principal moment of a cube of side 1 and mass 1."""

SPHERE_MASS = 2 * 4 / 3 * np.pi * 3**1.5

MASSES = (
    # 1000 kg/m3 in centimetres and grams is 1.
    ("default-density", "water", 1000, [0, 0, 0], [1000 * 100 * CUBE] * 3),
    ("mass-on-collider", "masses", 8, [1.25, 0, 0], [8 * CUBE, 8 * CUBE + 7.5, 8 * CUBE + 7.5]),
    ("mass-on-collider", "densities", 400, [1.5, 0, 0], [400 * CUBE, 400 * CUBE + 300, 400 * CUBE + 300]),
    # The collider is 1 away from its body, and its centre of mass half a unit farther.
    ("mass-on-collider", "tensor", 2, [1.5, 0, 0], [1, 2, 3]),
    # The body's mass overrides the sum, and scales what the colliders give.
    ("mass-on-collider", "parent_mass", 16, [1.25, 0, 0], [16 * CUBE, 16 * CUBE + 15, 16 * CUBE + 15]),
    ("material-density", "dense", 50, [0, 0, 0], [50 * CUBE] * 3),
    ("material-density", "plain", 50, [0, 0, 0], [50 * CUBE] * 3),
    ("material-density", "material", 300, [0, 0, 0], [300 * CUBE] * 3),
    ("center-of-mass-inertia", "centre", 6, [0.5, 0, 0], [1, 2.5, 2.5]),
    # A sphere of 0.1 m is one of 10 cm.
    ("no-mass", "point", 3, [0, 0, 0], [0.4 * 3 * 100] * 3),
    ("no-mass", "nothing", 1, [0, 0, 0], [0.4 * 100] * 3),
    ("approximation-mass", "sphere", SPHERE_MASS, [0, 0, 0], [0.4 * SPHERE_MASS * 3] * 3),
)

UNCHANGED = ("material",)
"""With the density of a material alone the importer agrees."""


@pytest.mark.parametrize(("rule", "name", "mass", "centre", "moments"), MASSES)
def test_mass_properties(
    pair: Pair, value: Value, rule: str, name: str, mass: float, centre: list[float], moments: list[float]
) -> None:
    """Mass, centre of mass and inertia follow UsdPhysics: precedence, units, parallel axes."""
    simulation, path = pair("masses", solver="xpbd"), f"/W/{name}"
    inertia = value(simulation, BODY, path, "inertia").reshape(3, 3)
    assert value(simulation, BODY, path, "mass")[0, 0] == pytest.approx(mass, rel=1e-5)
    np.testing.assert_allclose(value(simulation, BODY, path, "centerOfMassPosition").ravel(), centre, atol=1e-5)
    np.testing.assert_allclose(inertia, np.diag(moments), rtol=1e-4, atol=1e-4 * max(moments))
    np.testing.assert_allclose(value(simulation, BODY, path, "inverseMass")[0, 0], 1 / mass, rtol=1e-5)
    reported = path in prims(simulation, rule)
    assert reported == (name not in UNCHANGED)


def test_default_density_in_other_units(opened: Opened, value: Value, scenes: Path) -> None:
    """The default density is a thousand kilograms per cubic metre in whatever units the stage has."""
    text = (scenes / "import_masses.usda").read_text().replace("kilogramsPerUnit = 0.001", "kilogramsPerUnit = 1")
    assert value(opened(text, solver="xpbd"), BODY, "/W/water", "mass")[0, 0] == pytest.approx(1, rel=1e-5)
    native = opened(text, solver="xpbd", corrections=False)
    assert value(native, BODY, "/W/water", "mass")[0, 0] == pytest.approx(1e6, rel=1e-5)


@pytest.mark.parametrize(
    ("name", "imported"), [("masses", 2000), ("dense", 300), ("plain", 1000), ("point", 3), ("sphere", 16)]
)
def test_masses_without_corrections(pair: Pair, value: Value, name: str, imported: float) -> None:
    """Without corrections the importer's own masses stand, and no correction is reported."""
    simulation = pair("masses", corrected=False, solver="xpbd")
    assert value(simulation, BODY, f"/W/{name}", "mass")[0, 0] == pytest.approx(imported, rel=1e-5)
    assert not {finding.rule for finding in simulation.diagnostics}.intersection(RULES)


QUARTER = np.pi / 2


@pytest.mark.parametrize(
    ("name", "corrected", "native"),
    [
        ("turned", [1, 2, 3, QUARTER, 0, 0], [-2, 1, 3, 0, QUARTER, 0]),
        ("local", [-2, 1, 3, 0, QUARTER, 0], [-2, 1, 3, 0, QUARTER, 0]),
        ("kinematic", [0, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0]),
    ],
)
def test_initial_velocities(pair: Pair, value: Value, name: str, corrected: list[float], native: list[float]) -> None:
    """Velocities are in world axes unless the prim says otherwise, and a kinematic body starts at rest."""
    for is_corrected, expected in ((True, corrected), (False, native)):
        simulation = pair("bodies", is_corrected, solver="xpbd")
        for attribute, part in (("linearVelocity", slice(3)), ("angularVelocity", slice(3, 6))):
            given = value(simulation, BODY, f"/W/{name}", attribute).ravel()
            np.testing.assert_allclose(given, expected[part], atol=1e-6)


def test_disabled_body_is_no_body(pair: Pair) -> None:
    """A body that is disabled is none; the importer makes it one."""
    assert "/W/disabled" not in pair("bodies", solver="xpbd").query(BODY).paths
    assert "/W/disabled" in pair("bodies", corrected=False, solver="xpbd").query(BODY).paths


def test_body_without_gravity(opened: Opened, value: Value, scenes: Path) -> None:
    """With the mujoco solver gravity spares the body; with another the loss is reported."""
    scene = (scenes / "import_bodies.usda").read_text()
    for options, fall in (({}, 0.0), ({"corrections": ["disabled-body"]}, -0.1)):
        simulation = opened(scene, **options)
        simulation.step(0.01)
        velocity = value(simulation, BODY, "/W/weightless", "linearVelocity").ravel()
        np.testing.assert_allclose(velocity, [0, 0, fall], atol=1e-5)
        assert value(simulation, BODY, "/W/damped", "linearVelocity")[0, 2] == pytest.approx(-0.1, rel=1e-4)
        assert prims(simulation, "disable-gravity") == {"/W/weightless"}
    assert any("ignored" in finding.message for finding in simulation.diagnostics if finding.rule == "disable-gravity")


def test_damping_on_steel(opened: Opened, value: Value, scenes: Path) -> None:
    """The steel solver damps by the authored coefficients; the others report that they do not."""
    scene = (scenes / "import_bodies.usda").read_text()
    for options, speed in (({}, 1 - 2 * 0.01), ({"corrections": False}, 1.0)):
        simulation = opened(scene, solver="steel", **options)
        simulation.step(0.01)
        assert value(simulation, BODY, "/W/damped", "linearVelocity")[0, 0] == pytest.approx(speed, rel=1e-5)


def test_swapped_bodies(pair: Pair, value: Value) -> None:
    """A joint from arm to base reads as authored and moves the arm the other way about its own frame."""
    simulation, path = pair("joints"), "/W/swapped/joint"
    assert value(simulation, JOINT, path, "jointPosition")[0, 0] == pytest.approx(30, rel=1e-5)
    np.testing.assert_allclose(value(simulation, JOINT, path, "jointLimit").ravel(), [-20, 90], rtol=1e-5)
    half = np.radians(15)
    turned = value(simulation, LINK, "/W/swapped/arm", "orientation").ravel()
    np.testing.assert_allclose(turned, [0, -np.sin(half), 0, np.cos(half)], atol=1e-6)
    # The frame on the base is at x = 1, that on the arm at its origin.
    np.testing.assert_allclose(value(simulation, LINK, "/W/swapped/arm", "position").ravel(), [1, 0, 0], atol=1e-6)
    assert prims(simulation, "swapped-bodies") == {path}


def test_free_axis(pair: Pair, value: Value) -> None:
    """A D6 axis without a limit schema is a degree of freedom, unlimited, at its authored position."""
    simulation, path = pair("joints"), "/W/d6/joint"
    assert value(simulation, JOINT, path, "jointPosition").ravel() == pytest.approx([10], rel=1e-5)
    largest = np.finfo(np.float32).max
    np.testing.assert_array_equal(value(simulation, JOINT, path, "jointLimit"), [[-largest, largest]])
    assert prims(simulation, "free-axis") == {path}


def test_world_anchor(pair: Pair, value: Value) -> None:
    """A joint to the world counts from its authored frame, whatever the pose that its body is authored in."""
    simulation, path = pair("joints"), "/W/anchored/joint"
    half = np.radians(15)
    turned = value(simulation, LINK, "/W/anchored/arm", "orientation").ravel()
    np.testing.assert_allclose(turned, [0, np.sin(half), 0, np.cos(half)], atol=1e-6)
    assert value(simulation, JOINT, path, "jointPosition")[0, 0] == pytest.approx(30, rel=1e-5)
    assert prims(simulation, "world-anchor") == {path}


def test_joint_axis_schema(pair: Pair, value: Value) -> None:
    """PhysxJointAxisAPI gives armature, friction and velocity limit, and what the solver ignores is reported."""
    simulation, path = pair("joints"), "/W/axis/joint"
    for attribute, expected in (
        ("jointArmature", 0.05),
        ("jointFriction", 0.3),
        ("jointMaxVelocity", 180),
        ("jointViscousFriction", 0.02),
    ):
        assert value(simulation, JOINT, path, attribute)[0, 0] == pytest.approx(expected, rel=1e-5)
    assert prims(simulation, "velocity-limit") == {path}


@pytest.mark.parametrize("solver", ["mujoco", "steel"])
def test_mimic_joint(opened: Opened, value: Value, solver: str) -> None:
    """A follower's angle is minus the offset and minus the gearing times its leader's, in degrees."""
    for rules, follows in ((True, True), (False, False)):
        simulation = opened("import_mimic", solver=solver, corrections=rules)
        simulation.step(1 / 240, count=480)
        leader, follower = (
            value(simulation, JOINT, f"/W/{name}", "jointPosition")[0, 0] for name in ("leader", "follower")
        )
        assert leader > 25
        assert (abs(follower + 2 * leader + 5) < 0.5) == follows
        reported = {rule for rule in ("mimic-joint", "coupled-joints") if prims(simulation, rule) == {"/W/follower"}}
        assert reported == {"mimic-joint" if follows else "coupled-joints"}


def test_several_articulations(pair: Pair) -> None:
    """Two trees below one root are two articulations, one of them at the root's path."""
    simulation = pair("joints")
    paths = simulation.query(ARTICULATION).paths
    assert {"/W/several", "/W/several/c"} <= set(paths)
    assert {"/W/several/ab", "/W/several/cd"} <= set(simulation.query(JOINT).paths)


def test_native_joints(opened: Opened, scenes: Path) -> None:
    """The importer alone refuses such scenes, and says which correction takes them."""
    with pytest.raises(ovread.OvreadError, match="several-articulations"):
        opened((scenes / "import_joints.usda").read_text(), corrections=False)


SIDES = ("joint-outside-articulation", "several-articulations", "swapped-bodies")


def test_native_frames(opened: Opened, value: Value, scenes: Path) -> None:
    """Each correction can be left out by itself: then axes are locked, frames moved, schemas unread."""
    simulation = opened((scenes / "import_joints.usda").read_text(), corrections=SIDES)
    assert "/W/d6/joint" not in simulation.query(JOINT).paths
    half = np.radians(30)
    turned = value(simulation, LINK, "/W/anchored/arm", "orientation").ravel()
    np.testing.assert_allclose(turned, [0, np.sin(half), 0, np.cos(half)], atol=1e-6)
    assert value(simulation, JOINT, "/W/axis/joint", "jointArmature")[0, 0] == 0
    assert prims(simulation, "joint-axis-schema") == {"/W/axis/joint"}


def test_both_targets_of_a_drive(opened: Opened, value: Value, scenes: Path) -> None:
    """A drive accelerates by both of its targets, of which the mujoco solver alone would forget one."""
    scene, dt = (scenes / "import_joints.usda").read_text(), 1e-4
    for rules, force in (((*SIDES, "velocity-target"), 2 * 0.1 + 3 * 1), (SIDES, 2 * 0.1)):
        simulation = opened(scene, corrections=rules)
        simulation.step(dt)
        speed = value(simulation, JOINT, "/W/driven/joint", "jointVelocity")[0, 0]
        assert speed == pytest.approx(force * dt, rel=1e-3)


def test_joint_outside_an_articulation(opened: Opened, value: Value, scenes: Path) -> None:
    """A hinge outside articulations moves its rigid body about the anchor, from its authored velocity on."""
    scene = (scenes / "import_joints.usda").read_text().replace("gravityMagnitude = 0", "gravityMagnitude = 10")
    simulation, dt = opened(scene), 1e-3
    assert "/W/loose/arm" in simulation.query(BODY).paths
    assert "/W/loose/joint" not in simulation.query(JOINT).paths
    np.testing.assert_allclose(
        value(simulation, BODY, "/W/loose/arm", "angularVelocity").ravel(), [0, 0.5, 0], atol=1e-5
    )
    simulation.step(dt)
    # A unit mass at 1 from the hinge, with 0.1 of its own.
    expected = 0.5 + 10 / 1.1 * dt
    assert value(simulation, BODY, "/W/loose/arm", "angularVelocity")[0, 1] == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("solver", ["mujoco", "xpbd"])
def test_planes_and_containers(pair: Pair, value: Value, solver: str) -> None:
    """A box, whose collider is below a prim without geometry, rests on a Y plane beside a Z plane."""
    simulation = pair("shapes", solver=solver)
    simulation.step(1 / 240, count=60)
    position = value(simulation, BODY, "/W/box", "position").ravel()
    np.testing.assert_allclose(position, np.zeros(3), atol=2e-3)
    assert prims(simulation, "plane") == {"/W/ground", "/W/wall"}
    assert prims(simulation, "collision-container") == {"/W/box"}


def test_contact_offsets(pair: Pair, value: Value) -> None:
    """Authored offsets are those that are read, and a solver that drops them says so."""
    simulation = pair("shapes", solver="xpbd")
    assert value(simulation, BODY, "/W/offset", "restOffset").ravel() == pytest.approx([0.01], rel=1e-5)
    assert value(simulation, BODY, "/W/offset", "contactOffset").ravel() == pytest.approx([0.05], rel=1e-5)
    assert any(
        "mujoco" in finding.message for finding in pair("shapes").diagnostics if finding.rule == "contact-offset"
    )


def test_default_friction(pair: Pair, value: Value, opened: Opened, scenes: Path) -> None:
    """A collider without a material has the friction that it has in PhysX."""
    assert value(pair("shapes"), BODY, "/W/box", "friction")[0, 0] == 0.5
    rules = [rule for rule in RULES if rule != "default-friction"]
    native = opened((scenes / "import_shapes.usda").read_text(), corrections=rules)
    assert value(native, BODY, "/W/box", "friction")[0, 0] == 1.0


def robot(name: str, base: str, arm: str) -> str:
    """Write a robot of a heavy base and an arm on a driven hinge, whose links stand in the order of their names."""
    masses = {
        base: "physics:mass = 50\nfloat3 physics:diagonalInertia = (7, 8, 9)",
        arm: "physics:mass = 1\nfloat3 physics:diagonalInertia = (0.1, 0.1, 0.1)\n"
        "point3f physics:centerOfMass = (2, 0, 0)",
    }
    links = "".join(
        f'def Xform "{link}" (apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]) {{\nfloat {masses[link]}\n}}\n'
        for link in sorted(masses)
    )
    return f"""
def Xform "{name}" (apiSchemas = ["PhysicsArticulationRootAPI"])
{{
    {links}
    def PhysicsFixedJoint "root"
    {{
        rel physics:body1 = </{name}/{base}>
    }}
    def PhysicsRevoluteJoint "hinge" (apiSchemas = ["PhysicsDriveAPI:angular"])
    {{
        rel physics:body0 = </{name}/{base}>
        rel physics:body1 = </{name}/{arm}>
        uniform token physics:axis = "Y"
        float drive:angular:physics:stiffness = 0.5
        float drive:angular:physics:targetPosition = 10
    }}
}}
"""


def test_links_have_their_own_masses_with_featherstone(value: Value) -> None:
    """A drive of k per degree turns an arm by k e / (I + m r^2), in whichever order the importer puts bodies."""
    scene = '#usda 1.0\n(\nmetersPerUnit = 1\n)\ndef PhysicsScene "scene"\n{\nfloat physics:gravityMagnitude = 0\n}\n'
    scene += robot("one", base="a", arm="b") + robot("other", base="b", arm="a")
    expected = np.degrees(0.5 * 10 / (0.1 + 1 * 2**2)) / 240
    with ovread.open(scene, backend="newton:featherstone") as simulation:
        simulation.step(1 / 240)
        for name in ("one", "other"):
            assert value(simulation, JOINT, f"/{name}/hinge", "jointVelocity").item() == pytest.approx(
                expected, rel=1e-3
            )
        assert prims(simulation, "body-order")
    with ovread.open(scene, backend="newton:featherstone", corrections=False) as simulation:
        assert prims(simulation, "featherstone-body-order")


def test_every_correction_has_a_name_of_its_own() -> None:
    """A rule stands for one correction, and selects it."""
    assert len(set(RULES)) == len(CORRECTIONS)
    assert selected_rules(True) == set(RULES)
    assert selected_rules(False) == set()
    assert selected_rules([RULES[0]]) == {RULES[0]}
