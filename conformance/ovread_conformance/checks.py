"""The checks: one convention each, on one small scene, against a closed form.

A check takes an open simulation and raises :class:`AssertionError` with the convention's name where the backend
breaks it. ``mutants`` names corruptions (:mod:`ovread_conformance.mutants`) that it must catch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import resources
from typing import Any, Protocol

import attrs
import numpy as np
import numpy.typing as npt

from ovread import ObjectType, Query, ReadResult, StageUnits
from ovread_conformance import rotations
from ovread_conformance.systems import System, usda

SINGLE = 2e-6
"""Relative tolerance of a value that the file decides: single precision, rounded a few times on the way."""
ONE_STEP = 1e-4
"""Relative tolerance after one step, where an engine may damp a little by default."""
HINGED = 2e-2
"""The same of a joint between bodies, which engines solve for by iterating."""
AT_REST = 1e-2
"""Relative tolerance of the forces on a body that has come to rest, as engines that iterate hold it."""

BODY = "/World/body"
SLIDE_FRAME = rotations.quaternion((1, 2, 3), 70)
"""Rotation from the axes of a joint to those of the link that it leads to."""
SLIDE_LEVER = np.array([0.8, 0.1, 0.0])
"""From the joint's origin to the link's centre of mass, in the link's axes."""
TURN = rotations.quaternion((1, 2, 3), 30)


class Readable(Protocol):
    """What a check needs of a simulation."""

    @property
    def units(self) -> StageUnits:
        """Units of the stage."""

    def query(self, object_type: ObjectType, *, paths: Sequence[str] | None = None) -> Query:
        """Select objects."""

    def step(self, dt: float) -> None:
        """Step once."""

    def read(self, query: Query, attributes: Sequence[str]) -> ReadResult:
        """Read attributes."""


@attrs.frozen
class Check:
    """One convention and how it is observed.

    Args:
        name: Short name of the convention.
        convention: The convention, one sentence.
        scene: File in ``ovread_conformance/scenes``, or a system.
        run: Raises AssertionError where the simulation breaks it.
        mutants: Names of the mutants that it must catch.
        writes: Attributes that a backend has to declare as written.
        reads: Attributes that it has to declare as exact.
    """

    name: str
    convention: str
    scene: str | System
    run: Callable[[Any], None]
    mutants: tuple[str, ...]
    writes: tuple[tuple[ObjectType, str], ...] = ()
    reads: tuple[tuple[ObjectType, str], ...] = ()

    @property
    def usda(self) -> str:
        """Text of the scene."""
        if isinstance(self.scene, System):
            return usda(self.scene)
        return resources.files("ovread_conformance").joinpath("scenes", self.scene).read_text()


def read_one(simulation: Readable, object_type: ObjectType, path: str, attribute: str) -> npt.NDArray[np.float64]:
    """Return one attribute of one prim, flat."""
    query = simulation.query(object_type, paths=[path])
    return np.asarray(simulation.read(query, [attribute])[attribute].per_prim()[0], dtype=float).ravel()


def expect(got: npt.ArrayLike, expected: npt.ArrayLike, tolerance: float, what: str) -> None:
    """Compare with a closed form, relative to its largest component."""
    wanted, found = np.asarray(expected, dtype=float).ravel(), np.asarray(got, dtype=float).ravel()
    scale = max(float(np.abs(wanted).max()), 1e-12)
    assert found.shape == wanted.shape, f"{what}: expected {wanted}, got {found}"
    error = float(np.abs(found - wanted).max()) / scale
    assert error <= tolerance, f"{what}: expected {wanted}, got {found} (relative error {error:.2g} > {tolerance:g})"


def _quaternion_order(simulation: Readable) -> None:
    q = read_one(simulation, ObjectType.RIGID_BODY, BODY, "orientation")
    assert abs(np.linalg.norm(q) - 1) < 1e-6, f"orientation is a unit quaternion: got {q}"
    expect(rotations.matrix(q), rotations.matrix(TURN), SINGLE, "orientation is (qx, qy, qz, qw), body to world")


def _center_of_mass_velocity(simulation: Readable) -> None:
    arm = "/World/robot/arm"
    spin = np.array([0, np.radians(45), 0])
    lever = rotations.matrix(rotations.quaternion((0, 1, 0), 30)) @ (0.2, 0.3, 0.4)
    velocity = read_one(simulation, ObjectType.ARTICULATION_LINK, arm, "linearVelocity")
    expect(velocity, np.cross(spin, lever), SINGLE, "linearVelocity is that of the centre of mass: w x r")
    turning = read_one(simulation, ObjectType.ARTICULATION_LINK, arm, "angularVelocity")
    expect(turning, spin, SINGLE, "angularVelocity is in rad/s and world axes")


def _hinge_in_degrees(simulation: Readable) -> None:
    authored: dict[str, tuple[float, ...]] = {
        "jointPosition": (30,),
        "jointVelocity": (45,),
        "jointPositionTarget": (15,),
        "jointLimit": (-20, 90),
        "jointStiffness": (2,),
        "jointDamping": (0.5,),
        "jointMaxForce": (100,),
    }
    for attribute, expected in authored.items():
        got = read_one(simulation, ObjectType.ARTICULATION_JOINT, "/World/robot/hinge", attribute)
        expect(got, expected, SINGLE, f"{attribute} of a hinge is in degrees, or per degree, as authored")
    q = read_one(simulation, ObjectType.ARTICULATION_LINK, "/World/robot/arm", "orientation")
    turned = rotations.matrix(rotations.quaternion((0, 1, 0), 30))
    expect(rotations.matrix(q), turned, SINGLE, "a hinge at 30 turns its link by 30 degrees")


def _rotation_vector(simulation: Readable) -> None:
    coordinates, rates = np.array([10.0, 30.0, 20.0]), np.array([40.0, -70.0, 90.0])
    for attribute, expected in {"jointPosition": coordinates, "jointVelocity": rates}.items():
        got = read_one(simulation, ObjectType.ARTICULATION_JOINT, "/World/robot/shoulder", attribute)
        expect(got, expected, SINGLE, f"{attribute} of three rotational axes is as authored")
    q = read_one(simulation, ObjectType.ARTICULATION_LINK, "/World/robot/arm", "orientation")
    turned = rotations.matrix(rotations.quaternion(coordinates, float(np.linalg.norm(coordinates))))
    expect(rotations.matrix(q), turned, SINGLE, "coordinates are the components of one rotation vector")
    spin = read_one(simulation, ObjectType.ARTICULATION_LINK, "/World/robot/arm", "angularVelocity")
    expect(spin, turned @ np.radians(rates), SINGLE, "rates are the angular velocity in the outer joint frame")
    simulation.step(1 / 240)
    q = read_one(simulation, ObjectType.ARTICULATION_LINK, "/World/robot/arm", "orientation")
    got = read_one(simulation, ObjectType.ARTICULATION_JOINT, "/World/robot/shoulder", "jointPosition")
    expect(got, np.degrees(rotations.vector(q)), 1e-5, "after a step, coordinates are still those of the links")


def _centimetres(simulation: Readable) -> None:
    assert abs(simulation.units.meters_per_unit - 0.01) < 1e-9, f"units: got {simulation.units}"
    for attribute, expected in {"position": [10, 20, 250], "mass": [1]}.items():
        got = read_one(simulation, ObjectType.RIGID_BODY, BODY, attribute)
        expect(got, expected, SINGLE, f"{attribute} is in stage units")
    dt = 1 / 240
    simulation.step(dt)
    velocity = read_one(simulation, ObjectType.RIGID_BODY, BODY, "linearVelocity")
    expect(velocity, [0, 0, -981 * dt], ONE_STEP, "default gravity is 981 on a centimetre stage")


def _y_up(simulation: Readable) -> None:
    assert simulation.units.up_axis == "Y", f"units: got {simulation.units}"
    expect(read_one(simulation, ObjectType.RIGID_BODY, BODY, "position"), [1, 4, 3], SINGLE, "axes stay as authored")
    dt = 1 / 240
    simulation.step(dt)
    velocity = read_one(simulation, ObjectType.RIGID_BODY, BODY, "linearVelocity")
    expect(velocity, [0, -9.81 * dt, 0], ONE_STEP, "default gravity acts along -Y where up is Y")


def _principal_axes(simulation: Readable) -> None:
    axes = rotations.matrix(rotations.quaternion((2, 1, 1), 40))
    expected = axes @ np.diag((1, 2, 2.5)) @ axes.T
    got = read_one(simulation, ObjectType.RIGID_BODY, BODY, "inertia")
    expect(got, expected, SINGLE, "inertia is about the centre of mass in body axes: Q diag Q^T")
    com = read_one(simulation, ObjectType.RIGID_BODY, BODY, "centerOfMassPosition")
    expect(com, [0.1, -0.2, 0.3], SINGLE, "centerOfMassPosition is in body axes, from the origin")


def _swapped_bodies(simulation: Readable) -> None:
    for robot, sign in {"normal": 1, "swapped": -1}.items():
        for attribute, expected in {"jointPosition": 30, "jointVelocity": 45}.items():
            got = read_one(simulation, ObjectType.ARTICULATION_JOINT, f"/World/{robot}/hinge", attribute)
            expect(got, expected, SINGLE, f"{attribute} is body1 relative to body0 as authored ({robot})")
        base, arm = (
            read_one(simulation, ObjectType.ARTICULATION_LINK, f"/World/{robot}/{link}", "orientation")
            for link in ("base", "arm")
        )
        relative = rotations.product(rotations.conjugate(base), arm)
        turned = rotations.matrix(rotations.quaternion((1, 0, 0), 30 * sign))
        expect(rotations.matrix(relative), turned, SINGLE, f"the arm is turned as its joint says ({robot})")


def _hinges_on_the_world(simulation: Readable) -> None:
    dt, lever, moment = 1 / 240, 1.0, 0.02 + 2 * 1.0**2
    fall = dt * 2 * 9.81 * lever / moment
    simulation.step(dt)
    for arm in ("arm", "swapped"):
        path = f"/World/{arm}"
        spin, velocity = (
            read_one(simulation, ObjectType.RIGID_BODY, path, name) for name in ("angularVelocity", "linearVelocity")
        )
        expect(spin, [0, fall, 0], HINGED, f"an arm on a hinge outside articulations swings by m g L / I ({arm})")
        expect(velocity, [0, 0, -fall * lever], HINGED, f"its centre of mass moves about the hinge ({arm})")


def _contact_force(simulation: Readable) -> None:
    angle = np.radians(20)
    normal = np.array([np.sin(angle), 0, np.cos(angle)])
    uphill = np.array([-np.cos(angle), 0, np.sin(angle)])
    weights = {
        "level": (30 * np.array([0, 0, 1]), np.zeros(3)),
        "leaning": (20 * np.cos(angle) * normal, 20 * np.sin(angle) * uphill),
    }
    for dt in (1 / 60, 1 / 240):
        for _ in range(60):
            simulation.step(dt)
        for name, (pushed, held) in weights.items():
            path = f"/World/{name}"
            net, friction, loads, normals = (
                read_one(simulation, ObjectType.CONTACT_SENSOR, path, attribute)
                for attribute in (
                    "netNormalContactForce",
                    "netFrictionContactForce",
                    "rawContactForce",
                    "rawContactNormal",
                )
            )
            what = f"on the sensor, a force and not an impulse, at dt = {dt:.4f} ({name})"
            expect(net, pushed, AT_REST, f"netNormalContactForce is {what}")
            expect(net + friction, pushed + held, AT_REST, f"normal and friction force together are {what}")
            points = (loads[:, None] * normals.reshape(-1, 3)).sum(axis=0)
            expect(points, pushed, AT_REST, f"force times normal of the points is {what}")


def _joint_force(simulation: Readable) -> None:
    simulation.step(1 / 240)
    for robot in ("normal", "swapped"):
        path = f"/World/{robot}/arm"
        arm = rotations.matrix(read_one(simulation, ObjectType.ARTICULATION_LINK, path, "orientation"))
        frame = arm @ rotations.matrix(SLIDE_FRAME)
        weight = np.array([0, 0, 20.0])
        lever = arm @ SLIDE_LEVER
        got = read_one(simulation, ObjectType.ARTICULATION_LINK, path, "linkIncomingJointForce")
        what = f"on the link, in its joint frame, about the joint's origin ({robot})"
        expect(got[:3], frame.T @ weight, ONE_STEP, f"the force of linkIncomingJointForce is {what}")
        expect(got[3:], frame.T @ np.cross(lever, weight), ONE_STEP, f"its torque is {what}")
        base = read_one(simulation, ObjectType.ARTICULATION_LINK, f"/World/{robot}/base", "linkIncomingJointForce")
        assert not base.any(), f"a root that is fixed has no inbound joint: got {base}"


def _row_order(simulation: Readable) -> None:
    numbers = [1, 2, 10, 20, 100]
    query = simulation.query(ObjectType.RIGID_BODY)
    paths = tuple(f"/World/env_{number}/body" for number in numbers)
    assert query.paths == paths, f"rows come in natural path order: got {query.paths}"
    expect(simulation.read(query, ["mass"])["mass"].numpy(), numbers, SINGLE, "row i holds the value of path i")
    backwards = simulation.query(ObjectType.RIGID_BODY, paths=paths[::-1])
    got = simulation.read(backwards, ["mass"])["mass"].numpy()
    expect(got, numbers[::-1], SINGLE, "explicit paths keep the caller's order")


_FORCES_OF_CONTACT = tuple(
    (ObjectType.CONTACT_SENSOR, name)
    for name in ("netNormalContactForce", "netFrictionContactForce", "rawContactForce", "rawContactNormal")
)
_INCOMING_FORCE = ((ObjectType.ARTICULATION_LINK, "linkIncomingJointForce"),)

CHECKS = (
    Check("quaternion-order", "Quaternions are x y z w, from body to world.", "rotated_body.usda",
          _quaternion_order, ("wxyz", "conjugate")),
    Check("centre-of-mass-velocity", "Linear velocity is that of the centre of mass.", "hinge.usda",
          _center_of_mass_velocity, ("origin-velocity", "body-frame-velocity", "degrees-per-second")),
    Check("hinge-in-degrees", "Coordinates, limits and gains of a hinge are in degrees.", "hinge.usda",
          _hinge_in_degrees, ("radians", "gain-per-radian", "swapped-limits")),
    Check("rotation-vector", "Rotations about several axes are one rotation vector, not successive turns.",
          "turning_joint.usda", _rotation_vector, ("successive-turns", "inner-frame-rate")),
    Check("centimetres", "Values are in stage units.", "centimetres.usda", _centimetres, ("metres",)),
    Check("y-up", "Axes are those of the stage.", "y_up.usda", _y_up, ("z-up",)),
    Check("principal-axes", "Inertia is a full tensor in body axes.", "principal_axes.usda",
          _principal_axes, ("principal-inertia", "inertia-turned-back", "world-inertia")),
    Check("swapped-bodies", "Joint signs follow body0 and body1 as authored.", "swapped_bodies.usda",
          _swapped_bodies, ("parent-child-sign",)),
    Check("world-hinge", "A hinge to the world holds a body in no articulation, and lets it swing.",
          "world_hinges.usda", _hinges_on_the_world, ("degrees-per-second", "origin-velocity")),
    Check("contact-force", "A contact force is on the sensor, no impulse, and told apart from friction.",
          "resting_bodies.usda", _contact_force,
          ("contact-impulse", "force-on-the-other", "friction-in-normal-force", "reversed-normal"),
          reads=_FORCES_OF_CONTACT),
    Check("joint-force", "The force of the inbound joint is on the link, in its joint frame, about the joint's origin.",
          "slides.usda", _joint_force,
          ("joint-force-on-parent", "joint-force-in-link-axes", "joint-torque-about-centre"), reads=_INCOMING_FORCE),
    Check("row-order", "Rows come in natural path order, or the caller's.", "environments.usda",
          _row_order, ("native-rows",)),
)  # fmt: skip
