"""How systems move over many steps: conserved quantities, closed forms, and convergence towards the exact solution.

No engine is compared with another. A first-order integrator is off by a part of the step; so each bound is that, and a
step four times shorter must bring the result nearer to the exact one.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping

import attrs
import numpy as np
import pinocchio as pin

from ovread_conformance.effects import LOOSE
from ovread_conformance.live import Check, Live
from ovread_conformance.motion import Array, Rates, accelerations, values_of
from ovread_conformance.oracles import BODY, JOINT, LINK, Key
from ovread_conformance.systems import FIXED_TREE, FLOATING_TREE, Body, Drive, Joint, Robot, RobotOracle, System, at

_DEGREE = np.pi / 180
_NOWHERE = (0.0, 0.0, 0.0)

FLOATING = attrs.evolve(LOOSE, name="floating bodies", gravity=_NOWHERE)
FLOATING_ROBOT = attrs.evolve(FLOATING_TREE, name="floating tree without gravity", gravity=_NOWHERE)

PENDULUM = System(
    "pendulum",
    gravity=(0.0, 0.0, -9.81),
    robots=(
        Robot(
            "pendulum",
            (Body("base", 1.0, pose=at(1, 2, 3)), Body("rod", 1.5, at(0, 0, -0.4), (0.05, 0.06, 0.01))),
            (Joint("base", "rod", "revolute", "Y", position=(40.0,)),),
        ),
    ),
)
"""A rod that swings about the y axis from 40 degrees, its centre of mass 0.4 below the axis."""

HELD = attrs.evolve(
    PENDULUM,
    name="held pendulum",
    robots=(
        attrs.evolve(
            PENDULUM.robots[0],
            joints=(attrs.evolve(PENDULUM.robots[0].joints[0], drive=Drive(stiffness=0.2, damping=0.05, target=70.0)),),
        ),
    ),
)
"""The same with a drive that gravity pulls out of its target."""


FIRST_ORDER = 0.02
"""Drift in half a second with steps of 1/480 s, at about a radian per second: each step is off by its square."""
OF_CENTRES = 1e-3
"""The same of velocities of centres of mass: an engine that integrates the velocity of an origin, at a lever of a third
of the unit that turns by a radian per second, is off by a part of the step."""
HINGED = 0.015
"""Relative tolerance after two steps of bodies on a joint outside articulations, for which engines iterate."""

# Momentum and energy.


def _momenta(simulation: Live, key: Key, about: Callable[[Array, Array], Array]) -> tuple[Array, Array, float, Array]:
    """Return momentum, angular momentum and kinetic energy, the first two as ``(bodies, 3)``, and the masses."""
    query = simulation.query(key[0])
    names = ["position", "orientation", "linearVelocity", "angularVelocity", "mass", "inertia", "centerOfMassPosition"]
    result = simulation.read(query, names)
    places, turns, velocities, spins, masses, inertia, centres = (result[name].numpy().astype(float) for name in names)
    axes = np.array([pin.Quaternion(turn).normalized().toRotationMatrix() for turn in turns])
    tensors = axes @ inertia.reshape(-1, 3, 3) @ axes.transpose(0, 2, 1)
    whole = places + np.einsum("nij,nj->ni", axes, centres)
    momentum = masses * velocities
    spin = np.einsum("nij,nj->ni", tensors, spins)
    energy = 0.5 * float((momentum * velocities).sum() + (spin * spins).sum())
    return momentum, spin + np.cross(about(whole, masses), momentum), energy, masses


def _itself(places: Array, masses: Array) -> Array:
    return np.zeros_like(places)


def _whole(places: Array, masses: Array) -> Array:
    return np.asarray(places - (masses * places).sum(axis=0) / masses.sum())


def _near(got: Array, expected: Array, tolerance: float, what: str) -> None:
    size = float(np.abs(expected).max())
    error = float(np.abs(got - expected).max()) / size
    assert error <= tolerance, f"{what}: expected {expected}, got {got} (off by {error:.2g}, more than {tolerance:g})"


def _free_bodies(simulation: Live) -> None:
    momentum, spin, energy, _ = _momenta(simulation, (BODY, ""), _itself)
    simulation.step(1 / 480, count=240)
    later = _momenta(simulation, (BODY, ""), _itself)
    _near(later[0], momentum, OF_CENTRES, "the momentum of a free body is conserved")
    for number in range(len(spin)):
        if np.abs(spin[number]).max() > 0:
            _near(later[1][number], spin[number], FIRST_ORDER, "the angular momentum of a free body is conserved")
    assert abs(later[2] / energy - 1) <= FIRST_ORDER, (
        f"the energy of free bodies is conserved: expected {energy}, got {later[2]}"
    )


def _floating_robot(simulation: Live) -> None:
    momentum, spin, _, _ = _momenta(simulation, (LINK, ""), _whole)
    drifts = []
    for steps in (48, 192):
        simulation.reset()
        simulation.step(0.2 / steps, count=steps)
        later = _momenta(simulation, (LINK, ""), _whole)
        drifts.append((later[0].sum(axis=0) - momentum.sum(axis=0), later[1].sum(axis=0) - spin.sum(axis=0)))
    for what, size, pair in (
        ("momentum", np.abs(momentum).sum(), [drift[0] for drift in drifts]),
        ("angular momentum", np.abs(spin).sum(), [drift[1] for drift in drifts]),
    ):
        coarse, fine = (float(np.abs(drift).max()) / size for drift in pair)
        assert coarse <= FIRST_ORDER, f"the {what} of a floating robot is conserved: it drifts by {coarse:.2g}"
        assert fine <= max(coarse / 2, 1e-4), (
            f"the {what} of a floating robot drifts less with shorter steps: {coarse:.2g}, then {fine:.2g}"
        )


# Closed forms.


def _free_fall(simulation: Live) -> None:
    dt, count = 1 / 240, 120
    time = dt * count
    gravity = np.array(LOOSE.gravity)
    simulation.step(dt, count=count)
    for body in LOOSE.bodies:
        path = LOOSE.body_path(body)
        velocity = np.array(body.velocity) + gravity * time
        got = values_of(simulation, BODY, path, "linearVelocity")
        _near(got, velocity, OF_CENTRES, f"free fall: the velocity of {body.name} grows by gravity times time")
        place = values_of(simulation, BODY, path, "position")
        turn = pin.Quaternion(values_of(simulation, BODY, path, "orientation")).normalized().toRotationMatrix()
        fallen = place + turn @ body.centre.translation - (body.pose * body.centre).translation
        exact = np.array(body.velocity) * time + gravity * time**2 / 2
        late = np.abs(gravity) * dt * time / 2
        error = np.abs(fallen - exact)
        assert (error <= late * 1.05 + OF_CENTRES * float(np.abs(exact).max())).all(), (
            f"free fall: {body.name} falls by v t + g t^2 / 2 = {exact}, give or take g dt t / 2: got {fallen}"
        )


def _hinges_to_the_world(simulation: Live) -> None:
    mass, lever, moment, dt, count = 2.0, 1.0, 0.02, 1 / 60, 2
    fall = count * dt * mass * 9.81 * lever / (moment + mass * lever**2)
    simulation.step(dt, count=count)
    for path in ("/World/arm", "/World/swapped"):
        spin, velocity = (values_of(simulation, BODY, path, name) for name in ("angularVelocity", "linearVelocity"))
        _near(spin, np.array([0, fall, 0]), HINGED, f"{path} swings by t m g l / I")
        _near(velocity, np.array([0, 0, -fall * lever]), HINGED, f"the centre of mass of {path} moves about the hinge")


def _period(simulation: Live) -> None:
    robot = PENDULUM.robots[0]
    rod, joint = robot.links[1], robot.joints[0]
    lever = 0.4
    about_axis = rod.moments[1] + rod.mass * lever**2
    start = _DEGREE * joint.position[0]
    slow = np.sqrt(about_axis / (rod.mass * 9.81 * lever))
    # The complete elliptic integral by the arithmetic-geometric mean.
    one, other = 1.0, np.cos(start / 2)
    for _ in range(6):
        one, other = (one + other) / 2, np.sqrt(one * other)
    exact = 2 * np.pi * slow / one
    dt = 1 / 240
    path = PENDULUM.joint_path(robot, joint)
    crossings = []
    query = simulation.query(JOINT, paths=[path])
    before = joint.position[0]
    for step in range(int(1.3 * exact / dt)):
        simulation.step(dt)
        now = float(simulation.read(query, ["jointPosition"])["jointPosition"].numpy()[0, 0])
        if now * before < 0:
            crossings.append(dt * (step + before / (before - now)))
        before = now
    assert len(crossings) == 3, f"a pendulum passes the bottom three times in 1.3 periods: at {crossings}"
    got = crossings[2] - crossings[0]
    assert abs(got / exact - 1) <= 0.005, f"a pendulum from 40 degrees has a period of {exact:.5f} s: got {got:.5f}"
    first = crossings[0]
    assert abs(first - exact / 4) <= 2 * dt, f"it is at the bottom after a quarter, {exact / 4:.5f} s: got {first:.5f}"


def _steady_state(simulation: Live) -> None:
    robot = HELD.robots[0]
    joint = robot.joints[0]
    drive = joint.drive
    assert drive is not None
    path = HELD.joint_path(robot, joint)
    simulation.step(1 / 240, count=500)
    rate = values_of(simulation, JOINT, path, "jointVelocity")[0]
    assert abs(rate) <= 0.05, f"a damped drive comes to rest: after two seconds it moves at {rate} degrees per second"
    at_rest = values_of(simulation, JOINT, path, "jointPosition")[0]
    held = attrs.evolve(HELD, robots=(attrs.evolve(robot, joints=(attrs.evolve(joint, position=(at_rest,)),)),))
    gravity = float(RobotOracle(held, held.robots[0]).gravity_force([f"{path}:twist"])[0])
    exerted = drive.stiffness * (drive.target - at_rest)
    assert abs(exerted - gravity) <= 0.01 * abs(gravity), (
        f"at rest the drive's stiffness times its error is what gravity asks for: {exerted:.5g} at {at_rest:.5g} "
        f"degrees, where gravity takes {gravity:.5g}"
    )


# Convergence.

_TIME = 0.1


def advanced(system: System, by: Rates, seconds: float) -> System:
    """Return a system that has moved at its own rates, changed by accelerations over the same time."""

    def moved(joint: Joint, robot: Robot) -> Joint:
        scale = 1.0 if joint.is_linear else 1 / _DEGREE
        path = system.joint_path(robot, joint)
        old = np.array([*joint.velocity, *[0.0] * len(joint.axes)][: len(joint.axes)])
        here = np.array([*joint.position, *[0.0] * len(joint.axes)][: len(joint.axes)])
        velocity = old + scale * seconds * np.array([by[f"{path}:{axis}"] for axis in joint.axes])
        if len(joint.axes) == 3:
            turn = pin.exp3(_DEGREE * here) @ pin.exp3(_DEGREE * old * seconds)
            place = pin.log3(turn) / _DEGREE
        else:
            place = here + seconds * old
        return attrs.evolve(joint, position=tuple(place.tolist()), velocity=tuple(velocity.tolist()))

    def floated(link: Body, robot: Robot) -> Body:
        if robot.is_fixed or link is not robot.root:
            return link
        path = system.link_path(robot, link.name)
        rates = np.array([by[f"{path}:{name}"] for name in ("linear.x", "linear.y", "linear.z")])
        turns = np.array([by[f"{path}:{name}"] for name in ("angular.x", "angular.y", "angular.z")])
        centre = (link.pose * link.centre).translation + seconds * np.array(link.velocity)
        turn = pin.exp3(_DEGREE * seconds * np.array(link.spin)) @ link.pose.rotation
        pose = pin.SE3(turn, centre - turn @ link.centre.translation)
        velocity, spin = np.array(link.velocity) + seconds * rates, np.array(link.spin) + seconds * turns / _DEGREE
        return attrs.evolve(link, pose=pose, velocity=tuple(velocity.tolist()), spin=tuple(spin.tolist()))

    robots = tuple(
        attrs.evolve(
            robot,
            joints=tuple(moved(joint, robot) if joint.axes else joint for joint in robot.joints),
            links=tuple(floated(link, robot) for link in robot.links),
        )
        for robot in system.robots
    )
    return attrs.evolve(system, robots=robots)


@functools.cache
def solution(system: System, seconds: float, steps: int = 100) -> System:
    """Return a system after some time: the midpoint method, of second order, in double precision."""
    step = seconds / steps
    for _ in range(steps):
        start = accelerations(system)
        middle = advanced(system, start, step / 2)
        change = accelerations(middle)
        # The whole step at the rates of the middle.
        moving = _with_rates(system, middle)
        system = _with_rates(advanced(moving, change, step), advanced(system, change, step))
    return system


def _with_rates(system: System, other: System) -> System:
    """Return a system where it is, with the rates of another."""
    robots = []
    for robot, fast in zip(system.robots, other.robots, strict=True):
        joints = tuple(
            attrs.evolve(joint, velocity=quick.velocity) for joint, quick in zip(robot.joints, fast.joints, strict=True)
        )
        links = tuple(
            attrs.evolve(link, velocity=quick.velocity, spin=quick.spin)
            for link, quick in zip(robot.links, fast.links, strict=True)
        )
        robots.append(attrs.evolve(robot, joints=joints, links=links))
    return attrs.evolve(system, robots=tuple(robots))


def _coordinates(system: System) -> Mapping[str, float]:
    return {
        system.joint_path(robot, joint): joint.position[0]
        for robot in system.robots
        for joint in robot.joints
        if len(joint.axes) == 1
    }


def _converges(system: System) -> Callable[[Live], None]:
    def run(simulation: Live) -> None:
        exact = _coordinates(solution(system, _TIME))
        start = _coordinates(system)
        size = max(abs(exact[path] - start[path]) for path in exact)
        errors = []
        for steps in (24, 96):
            simulation.reset()
            simulation.step(_TIME / steps, count=steps)
            got = {path: values_of(simulation, JOINT, path, "jointPosition")[0] for path in exact}
            errors.append(max(abs(got[path] - exact[path]) for path in exact) / size)
        coarse, fine = errors
        assert coarse <= 0.1, f"after {_TIME} s at {_TIME / 24:.4f} s joints are near the solution: off by {coarse:.2g}"
        assert fine <= coarse / 2.5 + 1e-4, (
            f"four times shorter steps bring joints nearer to the exact solution: off by {coarse:.2g}, then {fine:.2g} "
            "of the largest motion"
        )

    return run


_MOVING_BODIES: tuple[Key, ...] = ((BODY, "linearVelocity"),)
_EXACT_JOINTS: tuple[Key, ...] = ((JOINT, "jointVelocity"),)

CHECKS = (
    Check("free bodies", "Momentum, angular momentum and energy of free bodies are conserved.", FLOATING,
          _free_bodies, ("drag",), needs=_MOVING_BODIES),
    Check("floating robot", "Momentum and angular momentum of a floating robot are conserved.", FLOATING_ROBOT,
          _floating_robot, ("drag",), reads=_EXACT_JOINTS),
    Check("free fall", "Bodies fall by v t + g t^2 / 2.", LOOSE, _free_fall, ("drag", "short step"),
          needs=_MOVING_BODIES),
    Check("hinge to the world", "A hinge holds a body that is in no articulation to the world, and lets it swing.",
          "world_hinges.usda", _hinges_to_the_world, ("short step",), needs=_MOVING_BODIES),
    Check("pendulum", "A pendulum has the period of its length, moments and amplitude.", PENDULUM, _period,
          ("short step",), reads=_EXACT_JOINTS),
    Check("steady state", "A drive holds where its stiffness times its error is the load.", HELD, _steady_state,
          ("stretched coordinate",), reads=_EXACT_JOINTS),
    Check("convergence of a fixed robot", "Shorter steps come nearer to the exact solution.", FIXED_TREE,
          _converges(FIXED_TREE), ("short step", "stretched coordinate"), reads=_EXACT_JOINTS),
    Check("convergence of a floating robot", "Shorter steps come nearer to the exact solution.", FLOATING_TREE,
          _converges(FLOATING_TREE), ("short step", "stretched coordinate"), reads=_EXACT_JOINTS),
)  # fmt: skip
"""How systems move over many steps."""
