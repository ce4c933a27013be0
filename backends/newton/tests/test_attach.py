"""Attaching to a Newton simulation that somebody else runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import newton
import numpy as np
import ovnewton
import ovstage
import pytest
import warp as wp

import ovread
from ovread import ContactSelection, ObjectType, OmissionReason
from ovread.errors import OptionError, OwnershipError
from ovread.stage import open_stage, scene_of

LINK = ObjectType.ARTICULATION_LINK
JOINT = ObjectType.ARTICULATION_JOINT
SENSOR = ObjectType.CONTACT_SENSOR


def pendulum_model(up_axis: newton.Axis = newton.Axis.Z) -> newton.Model:
    """Build a fixed base with a hinged arm, and a body that floats."""
    builder = newton.ModelBuilder(up_axis=up_axis)
    inertia = wp.mat33(0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1)
    base = builder.add_link(label="/Robot/base", mass=1.0, inertia=inertia)
    arm = builder.add_link(label="/Robot/arm", mass=1.0, inertia=inertia)
    fixed = builder.add_joint_fixed(-1, base, label="/Robot/fixed")
    hinge = builder.add_joint_revolute(
        base, arm, axis=newton.Axis.Y, child_xform=wp.transform((-1.0, 0.0, 0.0)), label="/Robot/hinge"
    )
    builder.add_articulation([fixed, hinge], label="/Robot")
    builder.add_body(label="/Ball", mass=2.0, inertia=inertia, xform=wp.transform((0.0, 5.0, 0.0)))
    return builder.finalize(device="cpu")


class Loop:
    """A caller's own loop, with two states that it swaps."""

    def __init__(self, solver: type[Any], **arguments: Any) -> None:
        self.model = pendulum_model()
        newton.eval_fk(self.model, self.model.joint_q, self.model.joint_qd, self.model)
        self.solver = solver(self.model, **arguments)
        self.now, self.next = self.model.state(), self.model.state()
        self.control = self.model.control()
        self.observables: Any = None

    def step(self, dt: float) -> None:
        self.now.clear_forces()
        self.solver.step(self.now, self.next, self.control, None, dt, observables=self.observables)
        self.now, self.next = self.next, self.now


def test_reads_follow_the_swapped_states() -> None:
    """A reader returns the state that the caller says is current."""
    loop = Loop(newton.solvers.SolverMuJoCo, use_mujoco_cpu=True)
    with ovread.attach(loop.solver, loop.now, loop.control, loop.next, loop.model) as sim:
        reader = sim.reader(sim.query(LINK), ["position", "body_q"])
        for _ in range(5):
            loop.step(1 / 240)
            sim.stepped(1 / 240, state=loop.now)
            read = reader.read()
            expected = loop.now.body_q.numpy()[:2]
            np.testing.assert_array_equal(read["body_q"].numpy(), expected[[1, 0]])
            np.testing.assert_array_equal(read["position"].numpy(), expected[[1, 0], :3])
        assert (sim.tick, sim.variant) == (5, "mujoco")
        with pytest.raises(OptionError, match="state="):
            sim.stepped(1 / 240)
    assert loop.model.body_count == 3


def test_objects_of_a_model_that_was_built_by_hand() -> None:
    """Labels are the paths; articulations are listed with their links and joints."""
    loop = Loop(newton.solvers.SolverMuJoCo, use_mujoco_cpu=True)
    with ovread.attach(loop.model, loop.now, loop.control, loop.solver) as sim:
        assert sim.query(LINK).paths == ("/Robot/arm", "/Robot/base")
        assert sim.query(ObjectType.RIGID_BODY).paths == ("/Ball",)
        assert sim.query(JOINT).paths == ("/Robot/hinge",)
        assert sim.query(ObjectType.ARTICULATION).paths == ("/Robot",)
        assert sim.query(ObjectType.ARTICULATION, pattern="/Robot/hinge").paths == ("/Robot",)
        limits = sim.read(sim.query(JOINT), ["jointMaxForce", "jointMaxVelocity", "jointLimit"])
        largest = np.finfo(np.float32).max
        assert np.abs(np.concatenate([group.numpy().ravel() for group in limits])).tolist() == [largest] * 4


def test_coordinates_are_computed_beside_the_state() -> None:
    """With a solver that keeps no joints, coordinates follow the poses, and the caller's state is left alone."""
    loop = Loop(newton.solvers.SolverXPBD, iterations=8)
    with ovread.attach(loop.model, loop.now, loop.next, loop.control, loop.solver) as sim:
        joints = sim.query(JOINT)
        for _ in range(10):
            loop.step(1 / 240)
        sim.stepped(1 / 240, count=10, state=loop.now)
        stale = loop.now.joint_q.numpy().copy()
        angle = sim.read(joints, ["jointPosition"])["jointPosition"].numpy()[0, 0]
        _, y, _, w = loop.now.body_q.numpy()[1, 3:]
        assert angle == pytest.approx(np.degrees(2 * np.arctan2(y, w)), abs=1e-3)
        assert angle > 0.1
        np.testing.assert_array_equal(loop.now.joint_q.numpy(), stale)


def test_targets_need_the_control() -> None:
    """Without a Control the targets are omitted, with what to do."""
    loop = Loop(newton.solvers.SolverMuJoCo, use_mujoco_cpu=True)
    with ovread.attach(loop.model, loop.now) as sim:
        (omission,) = sim.read(sim.query(JOINT), ["jointPositionTarget"]).omissions
        assert omission.reason is OmissionReason.UNSUPPORTED_CONFIGURATION
        assert "Control" in omission.detail
        assert [finding.rule for finding in sim.diagnostics] == ["joint-state-from-poses"]


def test_accelerations_need_the_observables() -> None:
    """Accelerations come from the observables that the caller gives to the solver."""
    loop = Loop(newton.solvers.SolverMuJoCo, use_mujoco_cpu=True)
    with ovread.attach(loop.model, loop.now, loop.solver) as sim:
        (omission,) = sim.read(sim.query(LINK), ["linearAcceleration"]).omissions
        assert "observables" in omission.detail
    loop.observables = loop.solver.observables({loop.solver.ObservableKind.BODY_QDD})
    with ovread.attach(loop.model, loop.now, loop.solver, loop.observables) as sim:
        loop.step(1e-4)
        sim.stepped(1e-4, state=loop.now)
        bodies = sim.query(ObjectType.RIGID_BODY)
        fall = sim.read(bodies, ["linearAcceleration"])["linearAcceleration"].numpy()
        np.testing.assert_allclose(fall, [[0, 0, -9.81]], rtol=1e-5, atol=1e-5)


class Pile:
    """A caller's own loop: a box of 2 kg on the ground, with Newton's collision pipeline."""

    def __init__(self, solver: type[Any], **arguments: Any) -> None:
        builder = newton.ModelBuilder(gravity=(0.0, 0.0, -10.0))
        builder.add_ground_plane(label="/Ground")
        box = builder.add_body(label="/Box", xform=wp.transform((0.0, 0.0, 0.5)), mass=2.0)
        builder.add_shape_box(box, hx=0.5, hy=0.5, hz=0.5, label="/Box/shape", cfg=builder.ShapeConfig(density=0.0))
        builder.body_inertia[box] = wp.mat33(0.3, 0, 0, 0, 0.3, 0, 0, 0, 0.3)
        self.model = builder.finalize(device="cpu")
        self.solver = solver(self.model, **arguments)
        self.pipeline = newton.CollisionPipeline(self.model)
        self.contacts = self.pipeline.contacts()
        self.observables = self.solver.observables({"contact_f"}, contacts=self.contacts)
        self.now, self.next = self.model.state(), self.model.state()

    def step(self, dt: float) -> None:
        self.now.clear_forces()
        self.pipeline.collide(self.now, self.contacts)
        self.solver.step(self.now, self.next, None, self.contacts, dt, observables=self.observables)
        self.now, self.next = self.next, self.now


@pytest.mark.parametrize("with_contacts", [True, False])
def test_contacts_of_the_callers_loop(with_contacts: bool) -> None:
    """Forces and events are read from the caller's contacts and observables; the latter know the former."""
    pile = Pile(newton.solvers.SolverXPBD, iterations=8)
    given = [pile.contacts] if with_contacts else []
    with ovread.attach(pile.model, pile.now, pile.solver, pile.observables, *given) as sim:
        query = sim.query(SENSOR, contacts=[ContactSelection("/*", ["/Ground"])])
        assert query.paths == ("/Box",)
        reader = sim.reader(query, query.attributes)
        assert {omission.reason for omission in reader.read().omissions} == {
            OmissionReason.NOT_READY,
            OmissionReason.UNSUPPORTED_CONFIGURATION,
        }
        kinds = []
        for _ in range(60):
            pile.step(1 / 120)
            sim.stepped(1 / 120, state=pile.now)
            result = reader.read()
            kinds += result["contactEventType"].numpy().ravel().tolist()
        assert kinds[0] == 0
        assert set(kinds[1:]) == {2}
        np.testing.assert_allclose(result["normalContactForceMatrix"].numpy(), [(0, 0, 20)], atol=0.01)
        assert sim.resolve(result["rawContactOtherBody"]) == [["/Ground"] * 4]
        unknown = {omission.attribute for omission in result.omissions}
        assert unknown == {"contactEventPointImpulse", "contactEventAnchorImpulse"}, "the time step is not known"


def test_contacts_of_worlds_are_told_apart() -> None:
    """Colliders of copies have the paths of their environments, on a ground that all share."""
    box = newton.ModelBuilder(gravity=(0.0, 0.0, -10.0))
    body = box.add_body(label="/Box", xform=wp.transform((0.0, 0.0, 0.5)))
    box.add_shape_box(body, hx=0.5, hy=0.5, hz=0.5, label="/Box/shape")
    scene = newton.ModelBuilder(gravity=(0.0, 0.0, -10.0))
    scene.add_ground_plane(label="/Ground")
    for _ in range(2):
        scene.add_world(box)
    model = scene.finalize(device="cpu")
    pipeline = newton.CollisionPipeline(model)
    contacts, state = pipeline.contacts(), model.state()
    with ovread.attach(model, state, contacts) as sim:
        pipeline.collide(state, contacts)
        sim.stepped(1 / 120)
        paired = ContactSelection("/env_*/Box", ["/Ground", ["/env_1/Box", "/env_0/Box"]])
        query = sim.query(SENSOR, contacts=[paired])
        assert query.paths == ("/env_0/Box", "/env_1/Box")
        read = sim.read(query, ["filteredContactCount", "contactEventCollider"])
        assert read["filteredContactCount"].numpy().tolist() == [[4, 0], [4, 0]]
        assert sim.resolve(read["contactEventCollider"]) == [["/env_0/Box/shape"], ["/env_1/Box/shape"]]


def test_contacts_need_what_the_caller_fills() -> None:
    """Without Contacts nothing of them is read, without observables no force; each says what to pass."""
    pile = Pile(newton.solvers.SolverXPBD, iterations=8)
    names = ["netNormalContactForce", "rawContactPoint"]
    with ovread.attach(pile.model, pile.now, pile.solver) as sim:
        omissions = sim.read(sim.query(SENSOR), names).omissions
        assert [omission.attribute for omission in omissions] == names
        assert all("newton.Contacts" in omission.detail for omission in omissions)
    with ovread.attach(pile.model, pile.now, pile.solver, pile.contacts) as sim:
        pile.step(1 / 120)
        sim.stepped(1 / 120, state=pile.now)
        result = sim.read(sim.query(SENSOR), names)
        (omission,) = result.omissions
        assert "contact_f" in omission.detail
        assert len(result["rawContactPoint"].numpy()) == 4
    model = pendulum_model()
    with ovread.attach(model, model.state()) as sim:
        (omission,) = sim.read(sim.query(SENSOR), names[:1]).omissions
        assert "collider" in omission.detail


def test_only_the_state_can_be_current() -> None:
    """Anything but a state of the model is refused when the caller says what is current."""
    model = pendulum_model()
    with ovread.attach(model, model.state()) as sim:
        with pytest.raises(OptionError, match="step_index"):
            sim.stepped(1 / 60, step_index=3)
        with pytest.raises(OwnershipError):
            sim.stepped(1 / 60, state=model)
        assert sim.tick == 0


def test_units_are_those_of_newton() -> None:
    """A model has metres and its own up axis."""
    model = pendulum_model(up_axis=newton.Axis.Y)
    with ovread.attach(model, model.state()) as sim:
        assert (sim.units.meters_per_unit, sim.units.up_axis) == (1.0, "Y")


def test_what_does_not_belong_together_is_refused() -> None:
    """A missing model or state, foreign objects and options are errors that name them."""
    model = pendulum_model()
    state = model.state()
    with pytest.raises(OwnershipError, match="exactly one model"):
        ovread.attach(state)
    with pytest.raises(OwnershipError, match="at least one state"):
        ovread.attach(model)
    with pytest.raises(OwnershipError, match="not int"):
        ovread.attach(model, state, 3)
    with pytest.raises(OwnershipError, match="another model"):
        ovread.attach(newton.ModelBuilder().finalize(device="cpu"), state)
    with pytest.raises(OptionError, match="solver"):
        ovread.attach(model, state, solver="xpbd")
    with pytest.raises(OwnershipError):
        ovread.attach(object())


def worlds(copies: int, label_prefix: str | None = None) -> newton.Model:
    """Build copies of one pendulum beside a body that all worlds share."""
    robot = newton.ModelBuilder()
    links = [robot.add_link(mass=1.0, inertia=wp.mat33(np.eye(3)), label=f"/robot/{name}") for name in ("base", "arm")]
    joints = [
        robot.add_joint_fixed(-1, links[0], label="/robot/root"),
        robot.add_joint_revolute(*links, axis=(0.0, 1.0, 0.0), label="/robot/hinge"),
    ]
    robot.add_articulation(joints, label="/robot")
    scene = newton.ModelBuilder()
    scene.add_body(mass=1.0, inertia=wp.mat33(np.eye(3)), label="/shared")
    for copy in range(copies):
        scene.add_world(robot, label_prefix=label_prefix and f"{label_prefix}_{copy}")
    return scene.finalize(device="cpu")


def test_worlds_are_environments() -> None:
    """Copies of one builder are told apart as /env_0, /env_1, ...; what all worlds share keeps its label."""
    model = worlds(11)
    with ovread.attach(model, model.state(), newton.solvers.SolverSemiImplicit(model)) as sim:
        assert sim.query(ObjectType.RIGID_BODY).paths == ("/shared",)
        assert sim.query(JOINT).paths == tuple(f"/env_{copy}/robot/hinge" for copy in range(11))
        assert sim.query(LINK, pattern="/env_[12]/robot/*").paths == (
            *("/env_1/robot/arm", "/env_1/robot/base"),
            *("/env_2/robot/arm", "/env_2/robot/base"),
        )
        assert sim.query(ObjectType.ARTICULATION, paths=["/env_10/robot"]).paths == ("/env_10/robot",)


def test_labels_that_are_unique_stay() -> None:
    """Where the caller told copies apart, labels are the paths."""
    model = worlds(2, "/World/robot")
    with ovread.attach(model, model.state()) as sim:
        assert sim.query(JOINT).paths == tuple(str(label) for label in model.joint_label if label.endswith("hinge"))


def test_each_world_has_its_gravity() -> None:
    """A model has one physics scene per world."""
    model = worlds(2)
    model.set_gravity((0.0, 0.0, -1.62), world=1)
    with ovread.attach(model, model.state()) as sim:
        scenes = sim.query(ObjectType.SCENE)
        assert scenes.paths == ("/env_0/scene", "/env_1/scene")
        np.testing.assert_allclose(sim.read(scenes, ["gravity"])["gravity"].numpy()[:, 2], [-9.81, -1.62], rtol=1e-6)
    with ovread.attach(pendulum_model(), pendulum_model().state()) as sim:
        assert sim.query(ObjectType.SCENE).paths == ("/scene",)


@pytest.mark.filterwarnings("ignore:target_")
def test_a_model_that_ovnewton_built_is_read_as_its_stage_says(scenes: Path) -> None:
    """With the stage, units, signs and sensors are the authored ones; values are those of ovnewton's own reading."""
    stage = open_stage(scene_of(scenes / "world_joint_drive.usda"), [ovnewton.population_desc()])
    builder = newton.ModelBuilder()
    ovnewton.add_ovstage(builder, stage)
    model = builder.finalize(device="cpu")
    state, control = model.state(), model.control()
    newton.eval_fk(model, model.joint_q, model.joint_qd, state)
    with ovread.attach(stage, model, state, control, newton.solvers.SolverFeatherstone(model)) as sim:
        joints = sim.query(JOINT)
        names = ["jointPosition", "jointVelocity", "jointPositionTarget", "jointLimit"]
        result = sim.read(joints, names)
        binding = ovnewton.attach_ovstage(stage, model=model)
        native = binding.read(state, control=control, query=binding.query(paths=joints.paths), attributes=names)
        with ovstage.PathDictionary(stage) as dictionary:
            for group in native.groups:
                rows = np.array(group.array(0)).reshape(-1, group.tensor(0).dtype.lanes)
                given = result[dictionary.token_to_string(group.attribute)]
                for row, path in enumerate(dictionary.get_path_strings(group.prim_list)):
                    expected = rows[group.data_row_index(row)]
                    np.testing.assert_allclose(given.per_prim()[given.paths.index(path)].ravel(), expected, rtol=1e-5)
        # ovnewton takes the authored numbers for those of the motion that it turned round.
        hinge = result["jointPosition"].numpy()[joints.paths.index("/Hinge/joint"), 0]
        assert hinge == pytest.approx(-10, abs=1e-4)
        assert sim.query(ObjectType.SCENE).paths == ("/Scene",)
    stage.destroy()


def test_units_of_a_stage_are_those_of_the_model(scenes: Path) -> None:
    """A centimetre stage that is attached with its model has centimetres, and reads in them."""
    stage = open_stage(scene_of(scenes / "centimetres.usda"), [ovnewton.population_desc()])
    builder = newton.ModelBuilder()
    ovnewton.add_ovstage(builder, stage)
    model = builder.finalize(device="cpu")
    with ovread.attach(model, model.state(), stage) as sim:
        assert sim.units.meters_per_unit == pytest.approx(0.01)
    stage.destroy()
    with pytest.raises(OwnershipError):
        ovread.attach(model)
