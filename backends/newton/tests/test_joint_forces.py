"""The forces of joints: on the outer link, in its joint frame, about the joint's origin, and along the joint's axes."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import newton
import numpy as np
import pytest
import warp as wp
from held_arms import HEADER, KINDS, both, holding

import ovread
from ovread import ObjectType, OmissionReason, ReadResult, Simulation

Opened = Callable[..., Simulation]

LINK = ObjectType.ARTICULATION_LINK
JOINT = ObjectType.ARTICULATION_JOINT
INCOMING = "linkIncomingJointForce"
PROJECTED = "jointProjectedForce"
ARMS = HEADER + "".join(map(both, KINDS))
ALONG = {"Revolute": 5, "Twist": 3, "Prismatic": 1, "Slide": 2}
"""Which of the six components is along the joint's axis."""
WORLD_JOINT = (
    HEADER
    + """
def Xform "W" (prepend apiSchemas = ["PhysicsArticulationRootAPI"])
{
    def Xform "arm" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
    {
        float physics:mass = 2
        float3 physics:diagonalInertia = (0.1, 0.1, 0.1)
        point3f physics:centerOfMass = (0.5, 0, 0)
    }
    def PhysicsRevoluteJoint "hinge" (prepend apiSchemas = ["PhysicsDriveAPI:angular"])
    {
        rel physics:body0 = </W/arm>
        uniform token physics:axis = "Y"
        float drive:angular:physics:stiffness = 100000
        float drive:angular:physics:damping = 10000
    }
}
"""
)


def values(result: ReadResult, name: str) -> dict[str, np.ndarray]:
    """Return the value of each path."""
    return {path: row for group in result.all(name) for path, row in zip(group.paths, group.per_prim(), strict=True)}


@pytest.mark.parametrize(("solver", "tolerance"), [("mujoco", 0.002), ("steel", 0.002), ("xpbd", 0.02)])
def test_it_holds_the_outer_link_in_its_joint_frame(opened: Opened, solver: str, tolerance: float) -> None:
    """Force and torque hold the arm, whichever body it is; the projected force has the sign of the coordinate."""
    simulation = opened(ARMS, solver=solver)
    simulation.step(1 / 240, count=960)
    result = simulation.read(simulation.query(LINK), [INCOMING, "orientation"])
    projected = values(simulation.read(simulation.query(JOINT), [PROJECTED]), PROJECTED)
    forces, turns = values(result, INCOMING), values(result, "orientation")
    for kind, (sense, sign) in itertools.product(KINDS, (("Forward", 1), ("Reversed", -1))):
        expected = holding(turns[f"/{kind}{sense}/arm"])
        np.testing.assert_allclose(forces[f"/{kind}{sense}/arm"], expected, atol=tolerance)
        np.testing.assert_array_equal(forces[f"/{kind}{sense}/base"], np.zeros(6))
        if kind in ALONG:
            given = projected[f"/{kind}{sense}/hinge"].item()
            assert given == pytest.approx(sign * expected[ALONG[kind]], abs=tolerance)


def test_a_world_joint_has_a_force_with_the_sign_of_its_coordinate(opened: Opened) -> None:
    """The hinge that leads to the root is its inbound joint; where the arm is body0 the projected force is negative."""
    simulation = opened(WORLD_JOINT)
    simulation.step(1 / 240, count=480)
    force = values(simulation.read(simulation.query(LINK), [INCOMING]), INCOMING)["/W/arm"]
    np.testing.assert_allclose(force, [0, 0, 20, 0, -10, 0], atol=0.01)
    projected = values(simulation.read(simulation.query(JOINT), [PROJECTED]), PROJECTED)["/W/hinge"]
    assert projected.item() == pytest.approx(10, abs=0.01)


def test_there_is_no_force_before_a_step(opened: Opened) -> None:
    """Before the first step, and after a reset, joint forces are omitted; each step makes new ones."""
    simulation = opened(ARMS)
    links, joints = (simulation.reader(simulation.query(kind), [name]) for kind, name in FORCES)
    for reader in (links, joints):
        (omission,) = reader.read().omissions
        assert omission.reason is OmissionReason.NOT_READY
    seen = []
    for _ in range(2):
        simulation.step(1 / 240)
        seen.append(
            [reader.read()[name].numpy().copy() for reader, (_, name) in zip((links, joints), FORCES, strict=True)]
        )
    assert all(np.abs(first - second).max() > 1e-4 for first, second in zip(*seen, strict=True))
    simulation.reset()
    assert links.read().omissions


FORCES = ((LINK, INCOMING), (JOINT, PROJECTED))


def test_a_solver_that_reports_none_says_so(opened: Opened) -> None:
    """Both attributes are declared unsupported with the solvers that do report forces."""
    simulation = opened(ARMS, solver="semi_implicit")
    for kind, name in FORCES:
        query = simulation.query(kind)
        assert name not in query.attributes
        (omission,) = simulation.read(query, [name]).omissions
        assert omission.reason is OmissionReason.UNSUPPORTED_CONFIGURATION
        assert "mujoco" in omission.detail


def test_an_attached_solver_gives_them_through_its_observables() -> None:
    """Without observables the reason names what to attach; with them the force is that of the last step."""
    builder = newton.ModelBuilder(gravity=(0.0, 0.0, -10.0))
    link = builder.add_link(mass=2.0, inertia=wp.mat33(np.eye(3)), com=wp.vec3(0.5, 0.0, 0.0), label="/arm")
    builder.add_articulation([builder.add_joint_revolute(-1, link, axis=(1.0, 0.0, 0.0), label="/hinge")], label="/a")
    model = builder.finalize(device="cpu")
    before, after, control = model.state(), model.state(), model.control()
    solver = newton.solvers.SolverMuJoCo(model, use_mujoco_cpu=True)
    with ovread.attach(model, before, control, solver) as sim:
        (omission,) = sim.read(sim.query(LINK), [INCOMING]).omissions
        assert "body_parent_f" in omission.detail
    observables = solver.observables({"body_parent_f"})
    solver.step(before, after, control, None, 1e-3, observables=observables)
    with ovread.attach(model, after, control, solver, observables) as sim:
        force = sim.read(sim.query(LINK), [INCOMING])[INCOMING].numpy()[0]
        # The centre of mass lies on the hinge's axis: the joint carries all of the weight.
        np.testing.assert_allclose(force, [0, 0, 20, 0, -10, 0], atol=0.01)
