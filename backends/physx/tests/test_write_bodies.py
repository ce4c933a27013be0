"""What is written to a rigid body reads back at once, and the next step obeys it."""

from __future__ import annotations

import numpy as np
import pytest
from ovread_conformance import rotations
from reading import BODY, value

import ovread

DT = 1 / 240
TURN = rotations.quaternion((1, 2, 3), 50)
AXES = rotations.quaternion((3, -1, 2), 35)
"""The axes of the principal moments, in the body."""
CENTRE = np.array([0.2, -0.1, 0.3])
MOMENTS = np.array([0.4, 0.5, 0.7])
MASS = 2.0
INERTIA = rotations.matrix(AXES) @ np.diag(MOMENTS) @ rotations.matrix(AXES).T
GRAVITY = np.array([0.0, 0.0, -10.0])

HEADER = """#usda 1.0
(
    metersPerUnit = 1
    upAxis = "Z"
)
def PhysicsScene "Scene"
{
    vector3f physics:gravityDirection = (0, 0, -1)
    float physics:gravityMagnitude = 10
}
"""


def body(name, place, extra="", schemas=""):
    """Return a turned body without collider, whose centre of mass is off its origin and whose axes are turned too."""
    x, y, z, w = TURN
    u, v, s, t = AXES
    return f"""
def Xform "{name}" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI", "PhysxRigidBodyAPI"{schemas}]
)
{{
    double3 xformOp:translate = {place}
    quatd xformOp:orient = ({w}, {x}, {y}, {z})
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]
    float physics:mass = {MASS}
    point3f physics:centerOfMass = {tuple(CENTRE.tolist())}
    float3 physics:diagonalInertia = {tuple(MOMENTS.tolist())}
    quatf physics:principalAxes = ({t}, {u}, {v}, {s})
    float physxRigidBody:angularDamping = 0
    float physxRigidBody:maxAngularVelocity = 100000
    {extra}
}}"""


SCENE = (
    HEADER
    + body("B10", (0, 0, 5))
    + body("B9", (4, 0, 5))
    + body("Driven", (8, 0, 5), "bool physics:kinematicEnabled = 1")
)
OTHER = "/B9"
DRIVEN = "/Driven"


@pytest.fixture(scope="module")
def opened():
    with ovread.open(SCENE, backend="physx") as simulation:
        yield simulation


@pytest.fixture
def simulation(opened):
    opened.reset()
    return opened


def put(simulation, name, values, path="/B10"):
    simulation.set(simulation.query(BODY, paths=[path]), name, values)


def get(simulation, name, path="/B10"):
    return np.array(value(simulation, BODY, path, name))


def centre(simulation, path="/B10"):
    turn = rotations.matrix(get(simulation, "orientation", path))
    return get(simulation, "position", path) + turn @ get(simulation, "centerOfMassPosition", path)


@pytest.mark.obeys("RIGID_BODY", "angularVelocity")
@pytest.mark.obeys("RIGID_BODY", "linearVelocity")
@pytest.mark.obeys("RIGID_BODY", "position orientation")
@pytest.mark.reads_back("RIGID_BODY", "orientation")
@pytest.mark.reads_back("RIGID_BODY", "position")
def tensor(simulation, path="/B10"):
    """The inertia in world axes."""
    turn = rotations.matrix(get(simulation, "orientation", path))
    return turn @ get(simulation, "inertia", path).reshape(3, 3) @ turn.T


def test_a_position_moves_the_origin_and_nothing_else(simulation):
    """The origin, not the centre of mass, is at the written place; rotation, velocity and the other body stay."""
    before = get(simulation, "orientation"), get(simulation, "position", OTHER)
    put(simulation, "linearVelocity", (1, 2, 3))
    put(simulation, "position", (1, -2, 7))
    np.testing.assert_allclose(get(simulation, "position"), (1, -2, 7), atol=1e-6)
    np.testing.assert_allclose(get(simulation, "orientation"), before[0], atol=1e-6)
    np.testing.assert_allclose(get(simulation, "linearVelocity"), (1, 2, 3), atol=1e-6)
    np.testing.assert_allclose(get(simulation, "position", OTHER), before[1], atol=1e-6)


def test_an_orientation_turns_about_the_origin(simulation):
    """The written rotation is that of the body's axes, about its origin."""
    place = get(simulation, "position")
    turned = rotations.quaternion((0, 1, 1), 120)
    put(simulation, "orientation", turned)
    np.testing.assert_allclose(np.abs(get(simulation, "orientation") @ turned), 1, atol=1e-6)
    np.testing.assert_allclose(get(simulation, "position"), place, atol=1e-6)


def test_a_teleport_leaves_no_phantom_motion(simulation):
    """After a jump of 100 m the body falls on as before: neither velocity nor acceleration shows the jump."""
    simulation.step(DT, count=3)
    before = get(simulation, "linearVelocity")
    put(simulation, "position", (100, 0, 5))
    put(simulation, "orientation", rotations.quaternion((1, 0, 0), 170))
    np.testing.assert_allclose(get(simulation, "linearVelocity"), before, atol=1e-6)
    simulation.step(DT)
    np.testing.assert_allclose(get(simulation, "linearVelocity"), before + GRAVITY * DT, atol=1e-5)
    np.testing.assert_allclose(get(simulation, "linearAcceleration"), GRAVITY, atol=1e-3)
    np.testing.assert_allclose(get(simulation, "angularVelocity"), 0, atol=1e-5)


def test_a_linear_velocity_is_that_of_the_centre_of_mass(simulation):
    """In a step the centre of mass moves by the written velocity, though the body turns about it."""
    put(simulation, "disableGravity", 1)
    put(simulation, "angularVelocity", (0, 0, 2))
    put(simulation, "linearVelocity", (3, -1, 2))
    before = centre(simulation)
    simulation.step(DT)
    np.testing.assert_allclose((centre(simulation) - before) / DT, (3, -1, 2), atol=2e-3)


def test_an_angular_velocity_is_in_radians_and_world_axes(simulation):
    """In a step the body turns by the written rate about the written axis of the world."""
    put(simulation, "disableGravity", 1)
    rate = np.array([0.6, -0.3, 0.9])
    put(simulation, "angularVelocity", rate)
    before = rotations.matrix(get(simulation, "orientation"))
    simulation.step(1e-3)
    after = rotations.matrix(get(simulation, "orientation"))
    skew = (after @ before.T - before @ after.T) / 2e-3
    np.testing.assert_allclose((skew[2, 1], skew[0, 2], skew[1, 0]), rate, atol=3e-3)


@pytest.mark.obeys("RIGID_BODY", "wake")
@pytest.mark.obeys("RIGID_BODY", "disableSimulation")
@pytest.mark.obeys("RIGID_BODY", "disableGravity")
@pytest.mark.obeys("RIGID_BODY", "wrench")
@pytest.mark.obeys("RIGID_BODY", "force")
@pytest.mark.obeys("RIGID_BODY", "mass")
@pytest.mark.parametrize("mass", [0.5, 6.0])
def test_mass_divides_a_force(simulation, mass):
    """A force gives the acceleration that it gives the written mass."""
    put(simulation, "disableGravity", 1)
    put(simulation, "mass", mass)
    assert get(simulation, "mass") == pytest.approx(mass)
    assert get(simulation, "inverseMass") == pytest.approx(1 / mass)
    np.testing.assert_allclose(get(simulation, "inertia").reshape(3, 3), INERTIA, atol=1e-6)
    put(simulation, "force", (3, 4, -5))
    simulation.step(DT)
    np.testing.assert_allclose(get(simulation, "linearVelocity"), np.array([3, 4, -5]) / mass * DT, atol=1e-5)


def test_a_force_acts_at_the_centre_of_mass_for_one_step(simulation):
    """It turns nothing, adds up with another before the same step, and is gone in the next."""
    put(simulation, "disableGravity", 1)
    put(simulation, "force", (6, 0, 0))
    put(simulation, "force", (0, 2, 0))
    simulation.step(DT)
    expected = np.array([3, 1, 0]) * DT
    np.testing.assert_allclose(get(simulation, "linearVelocity"), expected, atol=1e-6)
    np.testing.assert_allclose(get(simulation, "angularVelocity"), 0, atol=1e-6)
    np.testing.assert_allclose(get(simulation, "linearVelocity", OTHER), GRAVITY * DT, atol=1e-6)
    simulation.step(DT)
    np.testing.assert_allclose(get(simulation, "linearVelocity"), expected, atol=1e-6)


def test_a_wrench_has_force_torque_and_point_in_the_world(simulation):
    """The torque about the centre of mass is the written one and that of the force at the written point."""
    put(simulation, "disableGravity", 1)
    force, torque, point = np.array([2.0, -1, 3]), np.array([0.3, 0.5, -0.2]), np.array([0.5, 0.4, 5.5])
    moment = torque + np.cross(point - centre(simulation), force)
    rate = np.linalg.solve(tensor(simulation), moment) * DT
    put(simulation, "wrench", [*force, *torque, *point])
    simulation.step(DT)
    np.testing.assert_allclose(get(simulation, "linearVelocity"), force / MASS * DT, atol=1e-5)
    np.testing.assert_allclose(get(simulation, "angularVelocity"), rate, rtol=1e-3, atol=1e-5)


def test_disable_gravity_is_of_one_body(simulation):
    """The written body floats, the other falls; and it falls once the flag is taken back."""
    put(simulation, "disableGravity", 1)
    simulation.step(DT)
    np.testing.assert_allclose(get(simulation, "linearVelocity"), 0, atol=1e-6)
    np.testing.assert_allclose(get(simulation, "linearVelocity", OTHER), GRAVITY * DT, atol=1e-6)
    put(simulation, "disableGravity", 0)
    simulation.step(DT)
    np.testing.assert_allclose(get(simulation, "linearVelocity"), GRAVITY * DT, atol=1e-6)


def test_disable_simulation_stops_a_body_until_it_is_taken_back(simulation):
    """The body stands still where it is, and falls from there once it is simulated again."""
    simulation.step(DT)
    put(simulation, "disableSimulation", 1)
    place = get(simulation, "position")
    simulation.step(DT, count=5)
    np.testing.assert_allclose(get(simulation, "position"), place)
    put(simulation, "disableSimulation", 0)
    simulation.step(DT)
    np.testing.assert_allclose(get(simulation, "linearVelocity"), GRAVITY * DT, atol=1e-6)


def test_wake_sleeps_and_wakes(simulation):
    """0 freezes a body in mid-air, 1 lets it fall again; the other body is not asked."""
    put(simulation, "wake", 0)
    assert get(simulation, "isSleeping") == [1]
    place = get(simulation, "position")
    simulation.step(DT)
    np.testing.assert_allclose(get(simulation, "position"), place)
    assert get(simulation, "position", OTHER)[2] < 5
    put(simulation, "wake", 1)
    simulation.step(DT)
    np.testing.assert_allclose(get(simulation, "linearVelocity"), GRAVITY * DT, atol=1e-6)


@pytest.mark.obeys("RIGID_BODY", "kinematicTargetPosition kinematicTargetOrientation")
@pytest.mark.reads_back("RIGID_BODY", "kinematicTargetPosition kinematicTargetOrientation")
def test_wake_starts_as_the_bodies_are(simulation):
    """Its group starts with 1 for a body that is awake and 0 for one that sleeps, so it can be committed as it is."""
    query = simulation.query(BODY, paths=["/B10", OTHER])
    put(simulation, "wake", 0, OTHER)
    with simulation.write(query, ["wake"]) as session:
        assert session["wake"].values.tolist() == [[1], [0]]
        session.commit(session["wake"])
    assert [get(simulation, "isSleeping", path).item() for path in query.paths] == [0, 1]


def test_a_kinematic_target_is_reached_in_the_next_step(simulation):
    """Position and rotation are targets apart: each leaves the other; the body arrives with the velocity of the way."""
    start = get(simulation, "position", DRIVEN)
    goal = start + np.array([0.1, 0, -0.2])
    put(simulation, "kinematicTargetPosition", goal, DRIVEN)
    turned = rotations.product(rotations.quaternion((0, 0, 1), 1.0), TURN)
    put(simulation, "kinematicTargetOrientation", turned, DRIVEN)
    np.testing.assert_allclose(get(simulation, "kinematicTargetPosition", DRIVEN), goal, atol=1e-6)
    np.testing.assert_allclose(get(simulation, "position", DRIVEN), start, atol=1e-6)
    simulation.step(DT)
    np.testing.assert_allclose(get(simulation, "position", DRIVEN), goal, atol=1e-6)
    np.testing.assert_allclose(np.abs(get(simulation, "orientation", DRIVEN) @ turned), 1, atol=1e-6)
    np.testing.assert_allclose(
        get(simulation, "angularVelocity", DRIVEN), (0, 0, np.deg2rad(1) / DT), rtol=1e-2, atol=1e-3
    )


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("mass", 3.0),
        ("inertia", np.diag([1.0, 2.0, 2.5]).ravel()),
        ("centerOfMassPosition", (0.1, 0.1, 0.1)),
        ("centerOfMassOrientation", (0, 0, 0.6, 0.8)),
        ("disableGravity", 1),
        ("linearVelocity", (1, 0, 0)),
        ("position", (0, 0, 9)),
        ("force", (1, 0, 0)),
    ],
)
def test_what_is_written_wakes_the_body(simulation, name, values):
    """A change is not slept through; writing what is there already changes nothing and wakes nobody."""
    put(simulation, "wake", 0)
    if name != "force":
        put(simulation, name, get(simulation, name))
        assert get(simulation, "isSleeping") == [1]
    put(simulation, name, values)
    assert get(simulation, "isSleeping") == [0]
