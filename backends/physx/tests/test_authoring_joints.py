"""What PhysX makes of authored joints, gravity and units, against what the authoring contract tells."""

from __future__ import annotations

import numpy as np
import pytest
from ovread_conformance.authored_scenes import GRAVITIES, HINGES, JOINT_READS, free_body, hinge, prim, stage
from reading import BODY, JOINT, LINK, value

import ovread
from ovread.authoring import PROPERTIES, effective

DT = 1 / 60
ALL_AXES = " ".join(
    f"physxJointAxis:<instance>:{name}"
    for name in (
        "armature", "maxJointVelocity", "staticFrictionEffort", "dynamicFrictionEffort", "viscousFrictionCoefficient",
    )
)  # fmt: skip
DRIVEN = " ".join(
    f"drive:<instance>:physics:{name}"
    for name in ("targetPosition", "targetVelocity", "stiffness", "damping", "maxForce")
)


@pytest.mark.observes("PhysxJointAxisAPI", "gated-by-schema positive-displaces-newton frictions-go-together")
@pytest.mark.observes("PhysxJointAxisAPI", "zero-cannot-clear")
@pytest.mark.observes("NewtonJointAPI", "read-by-name seeds-every-axis who-wins")
@pytest.mark.observes("PhysicsDriveAPI", "gains-per-degree unlimited-force")
@pytest.mark.takes(f"{ALL_AXES} {DRIVEN} newton:armature newton:velocityLimit newton:friction newton:damping")
@pytest.mark.parametrize("case", HINGES)
def test_a_hinge_reads_what_is_told_to_be_in_force(case):
    """Every effective value of a hinge is what PhysX reads back."""
    schemas, attributes = HINGES[case]
    text = stage(hinge(attributes, schemas))
    told = {each.name: each.values[0].value for each in effective(text, "/W/j", "physx").properties}
    with ovread.open(text, backend="physx") as simulation:
        read = {name: value(simulation, JOINT, "/W/j", JOINT_READS[name])[0] for name in told.keys() & JOINT_READS}
    assert read or not (schemas or attributes)
    for name, number in read.items():
        assert number == pytest.approx(min(told[name], ovread.UNLIMITED), rel=1e-6), name


@pytest.mark.observes("PhysxJointAxisAPI", "articulations-only")
@pytest.mark.parametrize("is_articulation", [True, False])
def test_axes_count_in_articulations_only(is_articulation):
    """A drive turns an arm of inertia 0.1 by 2 rad/s², with an armature of 0.9 by a tenth of what it is without."""
    rates = []
    for armature in (0, 0.9):
        drive = "float drive:angular:physics:stiffness = 0.02\nfloat drive:angular:physics:targetPosition = 10\n"
        axis = f"float physxJointAxis:angular:armature = {armature}"
        schemas = ("PhysicsDriveAPI:angular", "PhysxJointAxisAPI:angular")
        text = stage(hinge(drive + axis, schemas, is_articulation=is_articulation))
        with ovread.open(text, backend="physx") as simulation:
            simulation.step(1e-3)
            kind = LINK if is_articulation else BODY
            rates.append(value(simulation, kind, "/W/tip", "angularVelocity")[1] / 1e-3)
    assert rates[0] == pytest.approx(2, rel=1e-2)
    assert rates[1] == pytest.approx(0.2 if is_articulation else rates[0], rel=1e-2)


@pytest.mark.observes("PhysicsDriveAPI", "driven-by-presence instance-of-the-joint")
@pytest.mark.parametrize("schema", ["PhysicsDriveAPI:angular", "PhysicsDriveAPI:linear", ""])
def test_a_joint_is_driven_where_the_schema_of_its_axis_is_applied(schema):
    """The arm of a hinge follows its target with the angular schema only."""
    gains = "\n".join(
        f"float drive:{kind}:physics:{name} = {number}"
        for kind in ("angular", "linear")
        for name, number in (("targetPosition", 20), ("stiffness", 100), ("damping", 10))
    )
    with ovread.open(stage(hinge(gains, (schema,) if schema else ())), backend="physx") as simulation:
        simulation.step(DT, 120)
        expected = 20 if schema.endswith("angular") else 0
        assert value(simulation, JOINT, "/W/j", "jointPosition")[0] == pytest.approx(expected, abs=0.1)


@pytest.mark.takes("drive:<instance>:physics:type")
@pytest.mark.parametrize(("kind", "acceleration"), [("force", 200.0), ("acceleration", 20.0)])
def test_the_type_of_a_drive_counts(kind, acceleration):
    """A stiffness of 2 at 10 degrees gives an arm of inertia 0.1 a torque of 20, or an acceleration of 20 rad/s²."""
    attributes = (
        f'token drive:angular:physics:type = "{kind}"\nfloat drive:angular:physics:stiffness = 2\n'
        "float drive:angular:physics:targetPosition = 10"
    )
    text = stage(hinge(attributes, ("PhysicsDriveAPI:angular",)))
    assert effective(text, "/W/j", "physx")["drive:angular:physics:type"].values[0].value == kind
    with ovread.open(text, backend="physx") as simulation:
        simulation.step(1e-4)
        rate = value(simulation, LINK, "/W/tip", "angularVelocity")[1]
    assert rate / 1e-4 == pytest.approx(acceleration, rel=1e-3)


@pytest.mark.observes("PhysicsLimitAPI", "free-without-it")
@pytest.mark.takes("limit:<instance>:physics:low limit:<instance>:physics:high")
def test_limits_of_a_joint_with_several_axes():
    """A limited axis reads its limits, one whose limits cross is locked, and one without the schema is free."""
    locked = "\n".join(f"float limit:{axis}:physics:{end} = {value}" for axis in ("transX", "transY", "transZ", "rotZ")
                       for end, value in (("low", 1), ("high", -1)))  # fmt: skip
    limits = "float limit:rotX:physics:low = -20\nfloat limit:rotX:physics:high = 30"
    schemas = [f"PhysicsLimitAPI:{axis}" for axis in ("transX", "transY", "transZ", "rotX", "rotZ")]
    text = stage(hinge(f"{locked}\n{limits}", schemas, kind="PhysicsJoint"))
    with ovread.open(text, backend="physx") as simulation:
        limit = np.reshape(value(simulation, JOINT, "/W/j", "jointLimit"), (-1, 2))
    np.testing.assert_allclose(limit, [[-20, 30], [-ovread.UNLIMITED, ovread.UNLIMITED]])
    told = effective(text, "/W/j", "physx")
    assert [told[f"limit:rotX:physics:{end}"].values[0].value for end in ("low", "high")] == [-20, 30]


@pytest.mark.takes("newton:limitStiffness newton:limitDamping")
def test_the_spring_of_newton_s_limits_is_ignored():
    """An arm that swings into its limit moves exactly as without the attributes."""
    swing = "float physics:lowerLimit = -10\nfloat physics:upperLimit = 10\nfloat state:angular:physics:velocity = 200"
    soft = f"{swing}\nfloat newton:limitStiffness = 1\nfloat newton:limitDamping = 5"
    reached = []
    for attributes in (swing, soft):
        text = stage(hinge(attributes, ("NewtonJointAPI", "PhysicsJointStateAPI:angular")))
        with ovread.open(text, backend="physx") as simulation:
            simulation.step(DT, 30)
            reached.append(value(simulation, JOINT, "/W/j", "jointPosition")[0])
    assert reached[0] == reached[1] == pytest.approx(10, abs=0.1)


@pytest.mark.observes("PhysicsScene", "resolved-by-population sentinels-authored lost-with-newton-scene")
@pytest.mark.observes("Stage", "unauthored-is-centimetres-y-up")
@pytest.mark.takes("physics:gravityDirection physics:gravityMagnitude metersPerUnit upAxis")
@pytest.mark.parametrize("units", [(1.0, "Z"), (0.01, "Z"), (1.0, "Y"), (None, None)], ids=str)
@pytest.mark.parametrize("case", GRAVITIES)
def test_bodies_fall_with_the_gravity_that_is_told_to_be_in_force(case, units):
    """The acceleration of a free body is the effective magnitude along the effective direction."""
    schemas, attributes = GRAVITIES[case]
    meters, up = units
    text = stage(free_body(), gravity=None, scene=attributes, scene_schemas=schemas, meters_per_unit=meters, up=up)
    told = effective(text, "/Scene", "physx")
    direction, magnitude = (told[f"physics:gravity{name}"].values[0].value for name in ("Direction", "Magnitude"))
    with ovread.open(text, backend="physx") as simulation:
        simulation.step(DT)
        fallen = np.array(value(simulation, BODY, "/W/base", "linearVelocity")) / DT
    np.testing.assert_allclose(fallen, np.multiply(direction, magnitude), rtol=1e-4, atol=1e-3)
    if case == "nothing authored":
        axis = "XYZ".index(up or "Y")
        assert fallen[axis] == pytest.approx(-9.81 / (meters or 0.01), rel=1e-4)


@pytest.mark.observes("PhysicsScene", "sentinels-authored")
def test_an_authored_infinite_magnitude_is_taken_literally():
    """The fallback of the magnitude, authored, makes velocities not numbers."""
    with ovread.open(stage(free_body(), gravity="-inf"), backend="physx") as simulation:
        simulation.step(DT)
        assert not np.isfinite(value(simulation, BODY, "/W/base", "linearVelocity")).all()


@pytest.mark.observes("NewtonSceneAPI", "gate-differs")
@pytest.mark.takes("newton:gravityEnabled")
@pytest.mark.parametrize(("schemas", "acceleration"), [((), 0.0), (("NewtonSceneAPI",), -9.81)])
def test_gravity_is_switched_off_by_name_but_not_where_the_schema_is_applied(schemas, acceleration):
    """Without the schema nothing falls; with it everything does, at 9.81 m/s²."""
    text = stage(free_body(), gravity=5, scene="bool newton:gravityEnabled = 0", scene_schemas=schemas)
    with ovread.open(text, backend="physx") as simulation:
        simulation.step(DT)
        fallen = value(simulation, BODY, "/W/base", "linearVelocity")[2] / DT
    assert fallen == pytest.approx(acceleration, abs=1e-3)
    told = effective(text, "/Scene", "physx")["newton:gravityEnabled"].values[0].value
    assert told is bool(acceleration)


def test_the_hinges_cover_the_schemas():
    """Each attribute of the joint schemas has a read that it is held against, but for the spring of limits."""
    names = {name.replace("<instance>", "angular") for name, (schema, _) in PROPERTIES.items()
             if schema.name in ("PhysxJointAxisAPI", "NewtonJointAPI", "PhysicsDriveAPI")}  # fmt: skip
    assert names - JOINT_READS.keys() == {"newton:limitStiffness", "newton:limitDamping", "drive:angular:physics:type"}


def density_scene(kilograms, **settings):
    cube = prim("Cube", "Box", ("PhysicsRigidBodyAPI", "PhysicsCollisionAPI"), "double size = 10")
    return stage(cube, **settings).replace("(\n", f"(\nkilogramsPerUnit = {kilograms}\n", 1)


@pytest.mark.observes("PhysicsMassAPI", "default-density")
@pytest.mark.observes("Stage", "never-converted")
@pytest.mark.takes("kilogramsPerUnit metersPerUnit")
@pytest.mark.parametrize("meters", [1.0, 0.01])
@pytest.mark.parametrize("kilograms", [1.0, 0.001])
def test_the_default_density_is_water_s_in_stage_units(meters, kilograms):
    """A cube of 10 units has 1000 kg/m³ of its volume; an authored mass stays as it is."""
    text = density_scene(kilograms, meters_per_unit=meters)
    with ovread.open(text, backend="physx") as simulation:
        mass = value(simulation, BODY, "/Box", "mass")[0]
    assert mass == pytest.approx(1000 * (10 * meters) ** 3 / kilograms, rel=1e-5)
    derived = dict(PROPERTIES["physics:density"][0].derived)["default density"]
    assert mass == pytest.approx(10**3 * derived.of(effective(text, "/", "physx").units), rel=1e-5)
    with ovread.open(stage(free_body(), meters_per_unit=meters), backend="physx") as simulation:
        assert value(simulation, BODY, "/W/base", "mass") == [1]
