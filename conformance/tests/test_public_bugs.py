"""Kinds of bugs that people reported of simulators and their wrappers, in copies of the reference: all are caught."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs
import numpy as np
import pinocchio as pin
import pytest
from faulty_reference import Faulty, Key, failures, opened, recorded
from ovread_conformance.reference import READS, World
from ovread_conformance.systems import BODIES, FIXED_TREE, WRITABLE, Body, Joint, System
from ovread_conformance.written import check_written

from ovread import ObjectType, catalogue
from ovread.order import natural_key

BODY, LINK, JOINT = ObjectType.RIGID_BODY, ObjectType.ARTICULATION_LINK, ObjectType.ARTICULATION_JOINT
ARTICULATION = ObjectType.ARTICULATION
TREE, FREE = FIXED_TREE.name, BODIES.name


def altered(kind: ObjectType, name: str, change: Callable[[World, str, Any], Any]) -> dict[Key, Any]:
    """Read one attribute otherwise."""

    def read(world: World, path: str) -> Any:
        value = READS[kind][name](world, path)
        return None if value is None else change(world, path, np.array(value, float))

    return {(kind, name): read}


def of_links(change: Callable[[Body], Body]) -> Callable[[System], System]:
    """Take links and bodies otherwise than authored."""

    def authored(system: System) -> System:
        robots = [attrs.evolve(robot, links=tuple(map(change, robot.links))) for robot in system.robots]
        return attrs.evolve(system, robots=tuple(robots), bodies=tuple(map(change, system.bodies)))

    return authored


def of_joints(change: Callable[[Joint], Joint]) -> Callable[[System], System]:
    """Take joints otherwise than authored."""

    def authored(system: System) -> System:
        robots = [attrs.evolve(robot, joints=tuple(map(change, robot.joints))) for robot in system.robots]
        return attrs.evolve(system, robots=tuple(robots))

    return authored


def at_the_origin(world: World, path: str, velocity: Any) -> Any:
    link = next(link for link in world.links() if link.path == path)
    return velocity - np.cross(link.spin, link.centre - link.pose.translation)


def in_body_axes(world: World, path: str, spin: Any) -> Any:
    return next(body for body in world.bodies() if body.path == path).pose.rotation.T @ spin


def origin_twice(world: World, path: str, position: Any) -> Any:
    body = next(body for body in world.authored.bodies if world.authored.body_path(body) == path)
    return position + (body.pose.translation if body.name == "env_2" else 0)


def breadth_first(world: World, path: str, position: Any) -> Any:
    """Cut a robot's coordinates up by joints in depth-first order, though they come level by level."""
    (robot,) = world.system.robots
    depth = [robot.inbound(link.name) for link in robot.depth_first()]
    levels = [robot.root.name]
    for name in levels:
        levels += [joint.child for joint in robot.joints if joint.parent == name]
    breadth = [robot.inbound(name) for name in levels]
    given = np.hstack([(*joint.position, *[0.0] * len(joint.axes))[: len(joint.axes)] for joint in breadth if joint])
    start = 0
    for joint in depth:
        if joint is not None:
            if world.system.joint_path(robot, joint) == path:
                return given[start : start + len(joint.axes)]
            start += len(joint.axes)
    raise AssertionError(path)


def reversed_twice(world: World, path: str, jacobian: Any) -> Any:
    """Turn the columns of joints whose outer link is body0, which were right already."""
    joints = sorted(world.joints(), key=lambda each: natural_key(each[0]))
    signs = [-1.0 if joint.is_swapped else 1.0 for _, joint in joints for _ in joint.axes]
    return jacobian * signs


def authored_position(world: World, path: str, position: Any) -> Any:
    return READS[JOINT]["jointPosition"](World(world.authored), path)


def authored_inverse(world: World, path: str, inverse: Any) -> Any:
    return READS[BODY]["inverseMass"](World(world.authored), path)


class DrivesPerRadian(World):
    """Drives whose gains per degree were converted, and then taken for gains per degree again."""

    def step(self, dt: float) -> None:
        factor, system = 180 / np.pi, self.system
        self.replace(of_joints(lambda joint: stiffer(joint, factor))(system))
        super().step(dt)
        self.replace(of_joints(lambda joint: stiffer(joint, 1 / factor))(self.system))


def stiffer(joint: Joint, factor: float) -> Joint:
    if joint.drive is None or joint.is_linear:
        return joint
    return attrs.evolve(joint, drive=attrs.evolve(joint.drive, stiffness=joint.drive.stiffness * factor))


class MetresOfGravity(World):
    """Gravity acts in metres, whatever the length unit of the stage."""

    def step(self, dt: float) -> None:
        gravity, unit = self.system.gravity, self.system.stage.meters_per_unit
        self.replace(attrs.evolve(self.system, gravity=tuple(unit * np.array(gravity))))
        super().step(dt)
        self.replace(attrs.evolve(self.system, gravity=gravity))


@attrs.frozen
class Bug:
    """A kind of bug.

    Args:
        name: Short name.
        report: What people saw, one line.
        backend: What has it.
        runs: What of the suite is run on it.
        evidence: Kind of evidence that catches it.
        row: The row that it is caught on.
    """

    name: str
    report: str
    backend: Faulty
    runs: tuple[str, ...]
    evidence: str
    row: Key


BUGS = (
    Bug("wxyz", "One column still has the real part of quaternions first.",
        Faulty(reads=altered(LINK, "orientation", lambda world, path, q: np.roll(q, 1))),
        (TREE,), "oracle", (LINK, "orientation")),
    Bug("velocity-of-the-origin", "Poses are those of the origin, and so are velocities, said to be of the centre.",
        Faulty(reads=altered(LINK, "linearVelocity", at_the_origin)), (TREE,), "oracle", (LINK, "linearVelocity")),
    Bug("spin-in-body-axes", "The same motion reads [0, -2, 0] on one engine and [2, 0, 0] on the other.",
        Faulty(reads=altered(BODY, "angularVelocity", in_body_axes)), (FREE,), "oracle", (BODY, "angularVelocity")),
    Bug("degrees-for-radians", "Authored joint rates in degrees start the simulation as radians.",
        Faulty(authored=of_joints(lambda joint: joint if joint.is_linear else attrs.evolve(
            joint, velocity=tuple(np.degrees(joint.velocity).tolist())))),
        (TREE,), "oracle", (JOINT, "jointVelocity")),
    Bug("gains-per-radian", "Drives act 57 times too strong, though their gains read as authored.",
        Faulty(DrivesPerRadian), (TREE,), "oracle", (LINK, "angularAcceleration")),
    Bug("breadth-first", "Coordinates come breadth first, under names that come depth first.",
        Faulty(reads=altered(JOINT, "jointPosition", breadth_first)), (TREE,), "oracle", (JOINT, "jointPosition")),
    Bug("reversed-joint", "The Jacobian's sign of reversed joints is corrected twice, all else is right.",
        Faulty(reads=altered(ARTICULATION, "jacobian", reversed_twice)),
        (TREE,), "oracle", (ARTICULATION, "jacobian")),
    Bug("gravity-in-metres", "On a centimetre stage bodies fall a hundred times too slowly.",
        Faulty(MetresOfGravity), (FREE, f"{FREE}, centimetres"), "metamorphic", (BODY, "linearAcceleration")),
    Bug("inertia-turned-back", "Principal axes are conjugated on import.",
        Faulty(authored=of_links(lambda body: attrs.evolve(
            body, centre=pin.SE3(body.centre.rotation.T, body.centre.translation)))),
        (FREE,), "oracle", (BODY, "inertia")),
    Bug("coordinates-of-before", "A solver moves bodies and never updates the joint coordinates.",
        Faulty(reads=altered(JOINT, "jointPosition", authored_position)),
        (TREE,), "consistency", (JOINT, "jointPosition")),
    Bug("origin-twice", "The origin of one environment is added to poses that are in the world already.",
        Faulty(reads=altered(BODY, "position", origin_twice)), (FREE,), "oracle", (BODY, "position")),
    Bug("aliased", "A result that was kept shows the values of later.",
        Faulty(aliased=(BODY, "position")), (FREE,), "snapshots", (BODY, "position")),
)  # fmt: skip


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_a_public_bug_is_caught(bug: Bug) -> None:
    """The suite fails a backend that has it, on the row and by the evidence that are named here."""
    assert (bug.evidence, bug.row) in set(failures(recorded(bug.backend, bug.runs)))


def test_what_the_bugs_are_put_into_has_none() -> None:
    """Without a fault, the same runs fail nothing."""
    assert list(failures(recorded(Faulty(), (FREE, TREE, f"{FREE}, centimetres")))) == []


def test_a_mass_without_its_inverse_is_caught() -> None:
    """A mass is written and its inverse is not, so that the body moves as before: the contract of writes fails it."""
    row = catalogue.attribute(BODY, "mass")
    with opened(Faulty(), WRITABLE) as simulation:
        check_written(simulation, row)
    backend = Faulty(reads=altered(BODY, "inverseMass", authored_inverse))
    with opened(backend, WRITABLE) as simulation, pytest.raises(AssertionError, match="not its inverse"):
        check_written(simulation, row)
