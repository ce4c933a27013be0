"""What Newton makes of authored attributes, against what the authoring contract tells."""

from __future__ import annotations

import math

import numpy as np
import pytest
from ovread_conformance.authored_scenes import (
    GRAVITIES,
    HINGES,
    JOINT_READS,
    cube,
    free_body,
    ground,
    hinge,
    prim,
    sliders,
    stage,
    welded_pair,
)
from ovread_newton._authoring import AUTHORING

import ovread
from ovread import ObjectType
from ovread.authoring import PROPERTIES, effective

BODY, LINK, JOINT = ObjectType.RIGID_BODY, ObjectType.ARTICULATION_LINK, ObjectType.ARTICULATION_JOINT
DT = 1 / 240
takes, observes = pytest.mark.takes, pytest.mark.observes
OFF, ON = "bool physxArticulation:enabledSelfCollisions = 0", "bool physxArticulation:enabledSelfCollisions = 1"
NEWTON_OFF, NEWTON_ON = "bool newton:selfCollisionEnabled = 0", "bool newton:selfCollisionEnabled = 1"
PHYSX, NEWTON = "PhysxArticulationAPI", "NewtonArticulationRootAPI"


def told(text, path, label="newton"):
    """Return the effective values of a prim by name."""
    return {each.name: each.values[0].value for each in effective(text, path, label).properties}


@observes(PHYSX, "self-collision-off self-collision-default self-collision-of-newton")
@observes(NEWTON, "off read-by-name who-wins")
@takes("physxArticulation:enabledSelfCollisions newton:selfCollisionEnabled")
@pytest.mark.parametrize(
    ("schemas", "attributes", "passes"),
    [
        ((), "", False),
        ((PHYSX,), "", False),
        ((PHYSX,), OFF, True),
        ((), OFF, False),
        ((), NEWTON_OFF, True),
        ((NEWTON,), NEWTON_OFF, True),
        ((PHYSX, NEWTON), NEWTON_OFF, True),
        ((PHYSX, NEWTON), f"{ON}\n{NEWTON_OFF}", True),
        ((PHYSX, NEWTON), f"{OFF}\n{NEWTON_ON}", False),
    ],
)
def test_links_collide_as_the_effective_attribute_says(opened, value, schemas, attributes, passes):
    """Two links pass through each other where self-collision is off, and push each other where it is on."""
    text = stage(sliders(attributes, schemas))
    simulation = opened(text)
    simulation.step(DT, 240)
    reached = float(value(simulation, LINK, "/W/b", "position")[0, 0])
    assert (reached == pytest.approx(2, abs=1e-3)) is passes
    assert passes or reached > 2.2
    found = {number for name, number in told(text, "/W").items() if "elfCollision" in name}
    assert found <= {not passes}


@takes("physxArticulation:articulationEnabled")
def test_a_disabled_articulation_stays_one(opened):
    """The articulation that PhysX takes for plain bodies is an articulation here, as is told."""
    text = stage(sliders("bool physxArticulation:articulationEnabled = 0", [PHYSX]))
    assert len(opened(text).query(ObjectType.ARTICULATION)) == 1
    assert told(text, "/W")["physxArticulation:articulationEnabled"] is True


@observes("PhysxJointAxisAPI", "gated-by-schema")
@observes("NewtonJointAPI", "read-by-name seeds-every-axis who-wins")
@observes("PhysicsDriveAPI", "gains-per-degree unlimited-force")
@takes("newton:armature newton:velocityLimit newton:friction newton:damping")
@takes(" ".join(name for name in AUTHORING if name.startswith("drive:") and not name.endswith("type")))
@takes("physxJointAxis:<instance>:armature physxJointAxis:<instance>:maxJointVelocity")
@takes("physxJointAxis:<instance>:dynamicFrictionEffort physxJointAxis:<instance>:viscousFrictionCoefficient")
@pytest.mark.parametrize("case", HINGES)
def test_a_hinge_reads_what_is_told_to_be_in_force(opened, value, case):
    """Every effective value of a hinge is what is read back."""
    schemas, attributes = HINGES[case]
    text = stage(hinge(attributes, schemas))
    values = told(text, "/W/j")
    simulation = opened(text)
    names = {**JOINT_READS, "newton:friction": "jointFriction"}
    names["physxJointAxis:angular:dynamicFrictionEffort"] = "jointFriction"
    for name in values.keys() & names.keys() - {"physxJointAxis:angular:staticFrictionEffort"}:
        read = value(simulation, JOINT, "/W/j", names[name])[0, 0]
        assert read == pytest.approx(min(values[name], ovread.UNLIMITED), rel=1e-6), name


@observes("PhysicsDriveAPI", "instance-of-the-joint")
@pytest.mark.parametrize(("kind", "driven"), [("angular", True), ("linear", False)])
def test_a_drive_counts_by_its_name(opened, value, kind, driven):
    """A hinge takes the gains of the angular instance also where the schema is not applied, and no linear ones."""
    text = stage(hinge(f"float drive:{kind}:physics:stiffness = 2"))
    assert value(opened(text), JOINT, "/W/j", "jointStiffness")[0, 0] == (2 if driven else 0)
    assert told(text, "/W/j")[f"drive:{kind}:physics:stiffness"] == 2


@takes("drive:<instance>:physics:type")
def test_acceleration_drives_are_force_drives(opened, value):
    """A stiffness of 2 at 10 degrees gives an arm of inertia 0.1 a torque of 20 with either type."""
    rates = {}
    for kind in ("force", "acceleration"):
        text = stage(
            hinge(
                f'token drive:angular:physics:type = "{kind}"\nfloat drive:angular:physics:stiffness = 2\n'
                "float drive:angular:physics:targetPosition = 10",
                ("PhysicsDriveAPI:angular",),
            )
        )
        simulation = opened(text)
        simulation.step(1e-4)
        rates[kind] = value(simulation, LINK, "/W/tip", "angularVelocity")[0, 1] / 1e-4
        assert told(text, "/W/j")["drive:angular:physics:type"] == "force"
    assert rates == pytest.approx({"force": 200, "acceleration": 200}, rel=1e-3)


@observes("PhysicsLimitAPI", "free-without-it")
@takes("limit:<instance>:physics:low limit:<instance>:physics:high")
def test_limits_of_a_joint_with_several_axes(opened, value):
    """A limited axis reads its limits, one whose limits cross is locked, and one without the schema is free."""
    locked = "\n".join(f"float limit:{axis}:physics:{end} = {number}" for axis in ("transX", "transY", "transZ", "rotZ")
                       for end, number in (("low", 1), ("high", -1)))  # fmt: skip
    limits = "float limit:rotX:physics:low = -20\nfloat limit:rotX:physics:high = 30"
    schemas = [f"PhysicsLimitAPI:{axis}" for axis in ("transX", "transY", "transZ", "rotX", "rotZ")]
    text = stage(hinge(f"{locked}\n{limits}", schemas, kind="PhysicsJoint"))
    limit = value(opened(text), JOINT, "/W/j", "jointLimit")
    np.testing.assert_allclose(limit, [[-20, 30], [-ovread.UNLIMITED, ovread.UNLIMITED]], rtol=1e-6)


def highest(opened, value, solver, stiffness, damping):
    """Return how far an arm of inertia 0.1 comes that swings into its limit at 10 degrees with 200 degrees/s."""
    swing = "float physics:lowerLimit = -10\nfloat physics:upperLimit = 10\nfloat state:angular:physics:velocity = 200"
    spring = f"float newton:limitStiffness = {stiffness}\nfloat newton:limitDamping = {damping}"
    text = stage(hinge(f"{swing}\n{spring}", ("NewtonJointAPI", "PhysicsJointStateAPI:angular")))
    with_solver = opened(text, solver=solver)
    reached = []
    for _ in range(40):
        with_solver.step(DT)
        reached.append(float(value(with_solver, JOINT, "/W/j", "jointPosition")[0, 0]))
    assert told(text, "/W/j", f"newton:{solver}")["newton:limitStiffness"] in (stiffness, None)
    return max(reached)


@takes("newton:limitStiffness newton:limitDamping")
@pytest.mark.parametrize("stiffness", [1, 10])
def test_the_spring_of_limits_counts(opened, value, stiffness):
    """With featherstone the arm's energy goes into a spring of that stiffness per degree; damping takes of it."""
    beyond = np.rad2deg(np.deg2rad(200) * math.sqrt(0.1 / (stiffness * np.rad2deg(1))))
    assert highest(opened, value, "featherstone", stiffness, 0) == pytest.approx(10 + beyond, rel=1e-2)
    assert highest(opened, value, "featherstone", stiffness, 0.01) < 10 + 0.95 * beyond


@takes("newton:limitStiffness newton:limitDamping")
@pytest.mark.parametrize(("solver", "counts"), [("mujoco", True), ("steel", False), ("xpbd", False)])
def test_the_spring_of_limits_counts_as_is_told(opened, value, solver, counts):
    """A softer spring changes how far the arm comes with mujoco, and nothing with solvers that have hard limits."""
    soft, stiff = (highest(opened, value, solver, stiffness, 0.5) for stiffness in (1, 100))
    assert (abs(soft - stiff) > 0.1) is counts
    text = stage(hinge("float newton:limitStiffness = 1", ["NewtonJointAPI"]))
    assert (told(text, "/W/j", f"newton:{solver}")["newton:limitStiffness"] is not None) is counts


@observes("PhysicsScene", "resolved-by-population sentinels-authored")
@observes("Stage", "unauthored-is-centimetres-y-up")
@takes("physics:gravityDirection physics:gravityMagnitude metersPerUnit upAxis")
@pytest.mark.parametrize("units", [(1.0, "Z"), (0.01, "Y"), (None, None)], ids=str)
@pytest.mark.parametrize("case", [*GRAVITIES, "infinite"])
def test_gravity_is_what_is_told_to_be_in_force(opened, value, case, units):
    """The gravity of the scene is the effective magnitude along the effective direction."""
    schemas, attributes = GRAVITIES.get(case, ((), "float physics:gravityMagnitude = -inf"))
    meters, up = units
    text = stage(free_body(), gravity=None, scene=attributes, scene_schemas=schemas, meters_per_unit=meters, up=up)
    values = told(text, "/Scene")
    gravity = value(opened(text), ObjectType.SCENE, "/Scene", "gravity")[0]
    np.testing.assert_allclose(
        gravity, np.multiply(values["physics:gravityDirection"], values["physics:gravityMagnitude"]), rtol=1e-6
    )
    if case in ("nothing authored", "infinite", "zero direction"):
        assert gravity["XYZ".index(up or "Y")] == pytest.approx(-9.81 / (meters or 0.01), rel=1e-6)


@observes("NewtonSceneAPI", "gate-differs")
@takes("newton:gravityEnabled")
@pytest.mark.parametrize(("schemas", "acceleration"), [((), -5.0), (("NewtonSceneAPI",), 0.0)])
def test_gravity_is_switched_off_where_the_schema_is_applied(opened, value, schemas, acceleration):
    """The switch counts with the schema only."""
    text = stage(free_body(), gravity=5, scene="bool newton:gravityEnabled = 0", scene_schemas=schemas)
    assert value(opened(text), ObjectType.SCENE, "/Scene", "gravity")[0, 2] == pytest.approx(acceleration)
    assert told(text, "/Scene")["newton:gravityEnabled"] is not (acceleration == 0)


@observes("PhysicsMassAPI", "default-density fallbacks-mean-unset density-of-a-collider center-is-scaled")
@observes("Stage", "never-converted")
@takes("kilogramsPerUnit metersPerUnit physics:mass physics:density physics:centerOfMass physics:diagonalInertia")
@takes("physics:principalAxes")
@pytest.mark.parametrize(("meters", "kilograms"), [(1.0, 1.0), (0.01, 0.001)])
def test_mass_properties_are_authored_or_computed_in_stage_units(opened, value, meters, kilograms):
    """Water's density where there is none, a collider's own before the body's, and authored values as they are."""
    half = math.sqrt(0.5)
    inertia = f"float3 physics:diagonalInertia = (1, 2, 2.5)\nquatf physics:principalAxes = ({half}, 0, 0, {half})"
    scaled = 'float3 xformOp:scale = (2, 2, 2)\nuniform token[] xformOpOrder = ["xformOp:scale"]\n'
    contents = {
        "Unset": cube(),
        "Density": "float physics:density = 5\n"
        + cube(schemas=["PhysicsMassAPI"], content="float physics:density = 7").replace('"cube"', '"own"')
        + cube(),
        "Mass": f"float physics:mass = 3\npoint3f physics:centerOfMass = (0.1, 0.2, 0.3)\n{inertia}\n{scaled}{cube()}",
    }
    prims = [prim("Xform", name, ("PhysicsRigidBodyAPI", "PhysicsMassAPI"), text) for name, text in contents.items()]
    text = stage("".join(prims), meters_per_unit=meters).replace("(\n", f"(\nkilogramsPerUnit = {kilograms}\n", 1)
    simulation = opened(text)
    mass = [value(simulation, BODY, f"/{name}", "mass")[0, 0] for name in contents]
    np.testing.assert_allclose(mass, [1000 * meters**3 / kilograms, 12, 3], rtol=1e-5)
    np.testing.assert_allclose(value(simulation, BODY, "/Mass", "centerOfMassPosition")[0], [0.2, 0.4, 0.6], rtol=1e-5)
    turned = np.diag([2, 1, 2.5]).ravel()
    np.testing.assert_allclose(value(simulation, BODY, "/Mass", "inertia")[0], turned, rtol=1e-4, atol=1e-5)


@takes("physxRigidBody:linearDamping physxRigidBody:angularDamping")
@takes("physxRigidBody:maxLinearVelocity physxRigidBody:maxAngularVelocity")
@pytest.mark.parametrize("solver", ["steel", "mujoco"])
def test_damping_and_largest_velocities_count_with_one_solver(opened, value, solver):
    """With steel the effective damping acts and speeds are clamped; with others neither, as is told."""
    p = "physxRigidBody:"
    motion = "vector3f physics:velocity = (5, 0, 0)\nvector3f physics:angularVelocity = (0, 0, 360)\n"
    text = stage(free_body(f"{motion}float {p}linearDamping = 3\nfloat {p}angularDamping = 2", ["PhysxRigidBodyAPI"]))
    values = told(text, "/W/base", f"newton:{solver}")
    simulation = opened(text, solver=solver)
    simulation.step(DT)
    for name, first, attribute, lane in (
        (f"{p}linearDamping", 5, "linearVelocity", 0),
        (f"{p}angularDamping", 2 * np.pi, "angularVelocity", 2),
    ):
        left = value(simulation, BODY, "/W/base", attribute)[0, lane]
        assert left == pytest.approx(first * (1 - values[name] * DT), rel=1e-3)
    text = stage(
        free_body(f"{motion}float {p}maxLinearVelocity = 1\nfloat {p}maxAngularVelocity = 90", ["PhysxRigidBodyAPI"])
    )
    simulation = opened(text, solver=solver)
    simulation.step(DT)
    is_clamped = told(text, "/W/base", f"newton:{solver}")[f"{p}maxLinearVelocity"] == 1
    assert is_clamped is (solver == "steel")
    speed = value(simulation, BODY, "/W/base", "linearVelocity")[0, 0]
    spin = value(simulation, BODY, "/W/base", "angularVelocity")[0, 2]
    assert [speed, spin] == pytest.approx([1, np.pi / 2] if is_clamped else [5, 2 * np.pi], rel=1e-2)


@observes("PhysxRigidBodyAPI", "gravity-off")
@takes("physxRigidBody:disableGravity")
@pytest.mark.parametrize("solver", ["mujoco", "xpbd"])
def test_gravity_is_switched_off_with_one_solver(opened, value, solver):
    """With mujoco the body stays, with others it falls, as is told."""
    text = stage(free_body("bool physxRigidBody:disableGravity = 1", ["PhysxRigidBodyAPI"]), gravity=9.81)
    simulation = opened(text, solver=solver)
    simulation.step(DT, 24)
    falls = value(simulation, BODY, "/W/base", "linearVelocity")[0, 2] < -0.1
    assert told(text, "/W/base", f"newton:{solver}")["physxRigidBody:disableGravity"] is not falls


IGNORED = sorted(name for name, use in AUTHORING.items() if not use.of("mujoco").is_read)
EXTREMES = {"bool": ("0", "1"), "int": ("0", "200"), "uint": ("0", "200"), "float": ("0", "5")}


def _scene(name, authored):
    """Return a scene with a prim that an attribute is authored on, and links and bodies that collide and sleep."""
    schema, _ = PROPERTIES[name]
    motion = "vector3f physics:velocity = (0.5, 0, 0)\nvector3f physics:angularVelocity = (30, 20, 10)\n"
    if schema.name == "PhysxArticulationAPI":
        return stage(welded_pair(authored, [schema.name], motion=motion, height=0.6, collides=True) + ground(),
                     gravity=9.81)  # fmt: skip
    if schema.name == "PhysxRigidBodyAPI":
        content = free_body(motion + authored, [schema.name], height=0.6, collides=True)
        return stage(content + ground(), gravity=9.81)
    if schema.name == "PhysxSceneAPI":
        content = free_body(motion, height=0.6, collides=True) + ground()
        return stage(content, gravity=9.81, scene=authored, scene_schemas=[schema.name])
    swing = f"float state:angular:physics:velocity = 90\n{authored}"
    return stage(hinge(swing, ["PhysicsJointStateAPI:angular", f"{schema.name}:angular"]), gravity=9.81)


@takes(" ".join(IGNORED))
@pytest.mark.parametrize("name", IGNORED)
def test_what_is_told_to_be_ignored_changes_nothing(opened, value, name):
    """Two extreme values of an attribute give the same motion, bit for bit."""
    spelled = name.replace("<instance>", "angular")
    moved = []
    for extreme in EXTREMES[PROPERTIES[name][1].type]:
        simulation = opened(_scene(name, f"{PROPERTIES[name][1].type} {spelled} = {extreme}"))
        simulation.step(DT, 40)
        for kind in (BODY, LINK):
            query = simulation.query(kind)
            if len(query):
                result = simulation.read(query, ["position", "orientation", "linearVelocity"])
                moved.append(np.concatenate([group.numpy() for group in result], axis=1))
    first, second = moved
    assert np.isfinite(first).all()
    np.testing.assert_array_equal(first, second)
