"""What PhysX makes of authored attributes of rigid bodies and masses, through how they move and what they read."""

from __future__ import annotations

import numpy as np
import pytest
from ovread_conformance import rotations
from ovread_conformance.authored_scenes import at, cube, free_body, ground, prim, stage
from reading import BODY, value

import ovread
from ovread.authoring import SCHEMAS, effective

DT = 1 / 60
APPLIED = ("PhysxRigidBodyAPI",)
P = "physxRigidBody:"
takes, observes = pytest.mark.takes, pytest.mark.observes


def opened(content, **settings):
    return ovread.open(stage(content, **settings), backend="physx")


def after(name, attributes, steps=1, *, schemas=APPLIED, height=0.0, collides=False, **settings):
    """Return what a free body reads after some steps; one that collides is above the ground."""
    content = free_body(attributes, schemas, height=height, collides=collides) + (ground() if collides else "")
    with opened(content, **settings) as simulation:
        simulation.step(DT, steps)
        return np.array(value(simulation, BODY, "/W/base", name))


def moving(linear=(0, 0, 0), degrees=(0, 0, 0)):
    return f"vector3f physics:velocity = {linear}\nvector3f physics:angularVelocity = {degrees}\n"


@takes("physxRigidBody:linearDamping")
def test_linear_damping_takes_from_the_velocity():
    """A damping of 3/s leaves 1 - 3 dt of the velocity after a step."""
    velocity = after("linearVelocity", f"{moving((2, 0, 0))}float {P}linearDamping = 3")
    assert velocity[0] == pytest.approx(2 * (1 - 3 * DT), rel=1e-5)


@observes("PhysxRigidBodyAPI", "damping-without-schema")
@takes("physxRigidBody:angularDamping")
@pytest.mark.parametrize(
    ("schemas", "authored", "damping"), [((), None, 0.05), (APPLIED, None, 0.05), (APPLIED, 0, 0), (APPLIED, 2, 2)]
)
def test_spin_decays_by_5_percent_unless_authored(schemas, authored, damping):
    """The spin after a step is that of the effective damping, also without the schema."""
    attributes = moving(degrees=(0, 0, 90)) + ("" if authored is None else f"float {P}angularDamping = {authored}")
    spin = after("angularVelocity", attributes, schemas=schemas)[2]
    assert spin == pytest.approx(np.pi / 2 * (1 - damping * DT), rel=1e-6)
    told = effective(stage(free_body(attributes, schemas)), "/W/base", "physx")
    assert told[f"{P}angularDamping"].values[0].value == pytest.approx(damping)


@takes("physxRigidBody:maxLinearVelocity physxRigidBody:maxAngularVelocity")
def test_velocities_are_clamped():
    """Speed to the authored one, spin to the authored one in degrees."""
    bounds = f"float {P}maxLinearVelocity = 1\nfloat {P}maxAngularVelocity = 90\nfloat {P}angularDamping = 0"
    attributes = moving((5, 0, 0), (0, 0, 360)) + bounds
    assert after("linearVelocity", attributes)[0] == pytest.approx(1, rel=1e-5)
    assert after("angularVelocity", attributes)[2] == pytest.approx(np.pi / 2, rel=1e-5)


@takes("physxRigidBody:maxDepenetrationVelocity physxRigidBody:solverVelocityIterationCount")
@pytest.mark.parametrize("meters", [1.0, 0.01])
@pytest.mark.parametrize("authored", [None, 1.5])
def test_penetrations_are_resolved_at_the_largest_velocity(authored, meters):
    """Without velocity iterations a body leaves the ground at that velocity: 3 m/s in stage units if not authored."""
    attributes = f"int {P}solverVelocityIterationCount = 0\n"
    attributes += "" if authored is None else f"float {P}maxDepenetrationVelocity = {authored}"
    # In centimetres more is resolved in a step than a cube of 1 cm is large.
    deep = {"height": 0.4 if meters == 1 or authored else -9.0, "collides": True, "meters_per_unit": meters}
    velocity = after("linearVelocity", attributes, **deep)[2]
    assert velocity == pytest.approx(authored or 3 / meters, rel=1e-3)
    settled = f"int {P}solverVelocityIterationCount = 8\n" + attributes.partition("\n")[2]
    assert after("linearVelocity", settled, **deep)[2] < 0.1 * velocity


@takes("physxRigidBody:solverPositionIterationCount")
@pytest.mark.parametrize(("authored", "count"), [(None, 16), (4, 4), (0, 1), (300, 255)])
def test_position_iterations_are_substeps(authored, count):
    """A free fall of one step drops by (n + 1) / (2 n) g dt²."""
    attributes = "" if authored is None else f"int {P}solverPositionIterationCount = {authored}"
    drop = -after("position", attributes, gravity=9.81)[2]
    assert drop == pytest.approx((count + 1) / (2 * count) * 9.81 * DT**2, rel=1e-5)
    told = effective(stage(free_body(attributes, APPLIED)), "/W/base", "physx")
    assert told[f"{P}solverPositionIterationCount"].values[0].value == count


@observes("PhysxRigidBodyAPI", "gravity-off")
@takes("physxRigidBody:disableGravity")
def test_a_body_without_gravity_does_not_fall():
    assert after("linearVelocity", f"bool {P}disableGravity = 1", gravity=9.81)[2] == 0
    assert after("linearVelocity", "", gravity=9.81)[2] < -0.1


@takes("physxRigidBody:retainAccelerations")
@pytest.mark.parametrize("kept", [False, True])
def test_forces_stay_where_accelerations_are_retained(kept):
    """A force of 6 on a mass of 1 that is written once accelerates in both steps, or in the first."""
    with opened(free_body(f"bool {P}retainAccelerations = {int(kept)}", APPLIED)) as simulation:
        simulation.set(simulation.query(BODY), "force", (6.0, 0.0, 0.0))
        simulation.step(DT, 2)
        velocity = value(simulation, BODY, "/W/base", "linearVelocity")[0]
    assert velocity == pytest.approx(6 * DT * (2 if kept else 1), rel=1e-5)


@takes("physxRigidBody:enableGyroscopicForces")
@pytest.mark.parametrize("acts", [False, True])
def test_gyroscopic_forces_turn_an_uneven_body(acts):
    """By Euler's equations the spin about x changes by (Iy - Iz) wy wz / Ix, where gyroscopic forces act."""
    attributes = moving(degrees=(0, 90, 90)) + f"bool {P}enableGyroscopicForces = {int(acts)}\n"
    attributes += f"float {P}angularDamping = 0"
    content = free_body(attributes, APPLIED).replace("(0.1, 0.1, 0.1)", "(0.1, 0.3, 0.2)")
    with opened(content) as simulation:
        simulation.step(1e-3)
        rate = value(simulation, BODY, "/W/base", "angularVelocity")[0] / 1e-3
    assert rate == pytest.approx((0.3 - 0.2) * (np.pi / 2) ** 2 / 0.1 if acts else 0, rel=1e-2, abs=1e-6)


@takes("physxRigidBody:solveContact physxRigidBody:maxContactImpulse")
@pytest.mark.parametrize("attributes", [f"bool {P}solveContact = 0", f"float {P}maxContactImpulse = 0"])
def test_contacts_that_may_not_push_let_a_body_fall(attributes):
    """The body falls through the ground, on which it rests otherwise."""
    fallen = {"height": 0.5, "collides": True, "gravity": 9.81, "steps": 60}
    assert after("position", attributes, **fallen)[2] < -3
    assert after("position", "", **fallen)[2] == pytest.approx(0.5, abs=1e-3)


@takes("physxRigidBody:lockedPosAxis physxRigidBody:lockedRotAxis")
def test_locked_axes_keep_a_body():
    """Motion along x and about y is locked: the bits are 1 for x and 2 for y."""
    attributes = moving((1, 2, 3), (90, 90, 90))
    attributes += f"int {P}lockedPosAxis = 1\nint {P}lockedRotAxis = 2\nfloat {P}angularDamping = 0"
    np.testing.assert_allclose(after("linearVelocity", attributes), [0, 2, 3], atol=1e-5)
    np.testing.assert_allclose(after("angularVelocity", attributes)[1], 0, atol=1e-5)


@takes("physxRigidBody:enableCCD")
@pytest.mark.parametrize("swept", [False, True])
def test_a_swept_body_does_not_pass_a_thin_wall(swept):
    """A bullet at 100 units/s passes a wall of 0.1 in one step, unless it is swept."""
    bullet = prim("Xform", "W", (), prim("Xform", "base", ("PhysicsRigidBodyAPI", "PhysxRigidBodyAPI"),
                  f"{moving((100, 0, 0))}bool {P}enableCCD = {int(swept)}\n{at(-1)}{cube(0.1)}"))  # fmt: skip
    wall = prim("Cube", "Wall", ("PhysicsCollisionAPI",), "double size = 1\nfloat3 xformOp:scale = (0.1, 5, 5)\n"
                'uniform token[] xformOpOrder = ["xformOp:scale"]')  # fmt: skip
    scene = {"scene": "bool physxScene:enableCCD = 1", "scene_schemas": ["PhysxSceneAPI"]}
    with opened(bullet + wall, **scene) as simulation:
        simulation.step(DT, 3)
        assert (value(simulation, BODY, "/W/base", "position")[0] < 0) is swept


TURN = rotations.quaternion((1, 2, 3), 50)


@observes("PhysicsMassAPI", "fallbacks-mean-unset center-is-scaled")
@takes("physics:mass physics:density physics:centerOfMass physics:diagonalInertia physics:principalAxes")
def test_authored_mass_properties_are_read_back_and_unset_ones_computed():
    """What is authored reads back, the centre multiplied by the scale; what is not comes from the cube of 2 x 2 x 2."""
    x, y, z, w = map(float, TURN)
    content = "".join(
        prim("Xform", name, ("PhysicsRigidBodyAPI", "PhysicsMassAPI"),
             f"{attributes}\nfloat3 xformOp:scale = (2, 2, 2)\ndouble3 xformOp:translate = ({10 * i}, 0, 0)\n"
             'uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:scale"]\n' + cube())
        for i, (name, attributes) in enumerate(
            {
                "Unset": "",
                "Density": "float physics:density = 5",
                "Mass": "float physics:mass = 3\npoint3f physics:centerOfMass = (0.1, 0.2, 0.3)",
                "Inertia": "float physics:mass = 3\nfloat3 physics:diagonalInertia = (1, 2, 2.5)\n"
                f"quatf physics:principalAxes = ({w}, {x}, {y}, {z})",
            }.items()
        )
    )  # fmt: skip
    text = stage(content)
    with ovread.open(text, backend="physx") as simulation:
        mass = {
            name: value(simulation, BODY, f"/{name}", "mass")[0] for name in ("Unset", "Density", "Mass", "Inertia")
        }
        center = value(simulation, BODY, "/Mass", "centerOfMassPosition")
        inertia = np.reshape(value(simulation, BODY, "/Inertia", "inertia"), (3, 3))
        computed = np.reshape(value(simulation, BODY, "/Density", "inertia"), (3, 3))
    assert mass == pytest.approx({"Unset": 8000, "Density": 40, "Mass": 3, "Inertia": 3}, rel=1e-5)
    np.testing.assert_allclose(center, [0.2, 0.4, 0.6], rtol=1e-5)
    turned = rotations.matrix(TURN) @ np.diag([1, 2, 2.5]) @ rotations.matrix(TURN).T
    np.testing.assert_allclose(inertia, turned, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(computed, np.eye(3) * 40 * 4 / 6, rtol=1e-4, atol=1e-3)
    told = effective(text, "/Inertia", "physx")
    assert told["physics:mass"].values[0].value == 3
    assert told["physics:principalAxes"].values[0].value == pytest.approx(tuple(TURN))
    assert told["physics:density"].values[0].value is None


@observes("PhysicsMassAPI", "density-of-a-collider")
def test_the_density_of_a_collider_has_precedence():
    """A collider with a density of 7 below a body with one of 5 has its own; its sibling has the body's."""
    own = cube(schemas=["PhysicsMassAPI"], content="float physics:density = 7").replace('"cube"', '"own"')
    text = stage(prim("Xform", "B", ("PhysicsRigidBodyAPI", "PhysicsMassAPI"),
                      "float physics:density = 5\n" + own + cube()))  # fmt: skip
    with ovread.open(text, backend="physx") as simulation:
        assert value(simulation, BODY, "/B", "mass")[0] == pytest.approx(12, rel=1e-5)


def test_every_property_of_rigid_bodies_is_declared():
    info = ovread.backends()["physx"]
    assert {prop.name for prop in SCHEMAS["PhysxRigidBodyAPI"].properties} <= info.authoring.keys()
