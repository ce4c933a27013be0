"""What a write does: the next step is that of a system authored like that.

An effect writes a number, and says how a system looks that has this number from the start. Euler's equations and
Pinocchio say how that system accelerates. The simulation, one short step later, must have accelerated so; and before
the step, everything that is read must be as in that system, dependents included.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

import attrs
import numpy as np
import numpy.typing as npt

from ovread import Simulation, catalogue
from ovread.catalogue import Persistence
from ovread.errors import NotWritableError
from ovread_conformance import rotations
from ovread_conformance.checks import Check
from ovread_conformance.live import Key, Live, conditions_of
from ovread_conformance.motion import Array, Push, Rates, accelerations, rates
from ovread_conformance.oracles import ARTICULATION, BODY, JOINT, LINK, SCENE, Oracle
from ovread_conformance.recording import record_open
from ovread_conformance.systems import BODIES, FIXED_TREE, FLOATING_TREE, Body, Joint, RobotOracle, System, at

DT = 1 / 1000
"""Seconds of the step after a write: short, as engines take forces at its start, its middle or its end."""

OBEYED = 0.02
"""How far accelerations over that step may be off, as a part of the largest: a first-order integrator is off by about
the step times the change of the acceleration per second, which is below ten times the acceleration in these systems."""

VISIBLE = 5 * OBEYED
"""How large an effect is at least, in the same measure: a write that is dropped shows."""

LOOSE = attrs.evolve(
    BODIES,
    name="loose bodies",
    bodies=(
        *(attrs.evolve(body, is_weightless=False) for body in BODIES.bodies),
        Body("env_3", 1.4, at(0.1, 0.05, -0.15, about=(1, 2, 1), degrees=50), (0.3, 0.2, 0.25),
             at(6, 2, -3, about=(1, -1, 1), degrees=70), (0.4, 0.1, -0.2)),
    ),
)  # fmt: skip
"""Free bodies; the last one does not spin, so that its velocity is that of all its points."""

ROUNDING = 2e-6
"""How far a place may be off by single precision, over a tree of links, as a part of its size."""

Change = Callable[[System], System]
_Vectors = dict[str, Array]


@attrs.frozen(eq=False)
class Effect:
    """One thing that is written, and what it does.

    Args:
        name: Short name.
        convention: What the write means, one sentence.
        system: What it is written to.
        keys: The attributes that are written, in this order.
        change: How the system looks that was authored with these values; as it is where only forces are written.
        commands: By attribute and path, values that no system can be authored with.
        push: Forces that then act on bodies and links.
        efforts: Efforts that then act on joints, by label.
        lasts: Whether forces and efforts act in the second step too.
        mutants: Faults that the check of the next step must catch.
        mutants_at_once: Faults that the check before the step must catch.
    """

    name: str
    convention: str
    system: System
    keys: tuple[Key, ...]
    change: Change = lambda system: system
    commands: Mapping[Key, Mapping[str, npt.ArrayLike]] = attrs.field(factory=dict)
    push: Push = attrs.field(factory=dict)
    efforts: Mapping[str, float] = attrs.field(factory=dict)
    lasts: bool = True
    mutants: tuple[str, ...] = ("forgotten write",)
    mutants_at_once: tuple[str, ...] = ("dropped write",)

    @property
    def written(self) -> System:
        """The system that was authored like that."""
        return self.change(self.system)

    def expected(self) -> Rates:
        """Return the accelerations of the next step."""
        return accelerations(self.written, self.push, self.efforts)

    def values(self, key: Key) -> Mapping[str, npt.ArrayLike]:
        """Return what is written, by path: what differs from the system as it is."""
        if key in self.commands:
            return self.commands[key]
        before, after = (Oracle(system).expected(key) for system in (self.system, self.written))
        return {
            path: value
            for path, value in after.items()
            if value is not None and not np.array_equal(np.asarray(value), np.asarray(before[path]))
        }

    def write(self, simulation: Live) -> None:
        """Write the values: of the rows that change, by a mask over all."""
        for key in self.keys:
            with conditions_of(simulation, key):
                put(simulation, key, self.values(key))

    def run(self, simulation: Live) -> None:
        """Write, and hold how the next step accelerates against the system authored like that."""
        written = self.written
        self.write(simulation)
        before, slow = rates(simulation, written), _centres(simulation)[1]
        simulation.step(DT)
        after, (places, fast) = rates(simulation, written), _centres(simulation)
        self._obeyed(_difference(before, after), self.expected(), "the next step")
        self._moved(slow, fast, places)
        if self.commands:
            simulation.step(DT)
            later = _difference(after, rates(simulation, written))
            forces = (self.push, self.efforts) if self.lasts else ({}, {})
            self._obeyed(later, accelerations(written, *forces), "the second step", 2 * OBEYED)

    def run_at_once(self, simulation: Live) -> None:
        """Write, and hold everything that is read before a step against the system authored like that."""
        written = self.written
        self.write(simulation)
        recording = record_open(cast(Simulation, simulation), written, ticks=(simulation.tick,))
        for verdict in Oracle(written).verdicts(recording):
            assert verdict.holds, f"{self.name}: before the step everything agrees with what was written: {verdict}"

    def _obeyed(self, got: Rates, expected: Rates, when: str, tolerance: float = OBEYED) -> None:
        size = max(map(abs, self.expected().values()))
        worst = max(expected, key=lambda label: abs(got[label] - expected[label]))
        error = abs(got[worst] - expected[worst]) / size
        assert error <= tolerance, (
            f"{self.name}: {self.convention} In {when} {worst} accelerates by {got[worst]:.6g}, not "
            f"{expected[worst]:.6g} (off by {error:.2g} of the largest acceleration, more than {tolerance:g})"
        )

    def _moved(self, slow: _Vectors, fast: _Vectors, places: _Vectors) -> None:
        """Check that all moved from where the write put it, by its velocity: a jump is no motion."""
        for path, start in _centres_of(self.written).items():
            middle, change = (slow[path] + fast[path]) / 2, float(np.abs(fast[path] - slow[path]).max())
            moved = (places[path] - start) / DT
            bound = change + OBEYED * float(np.abs(middle).max()) + ROUNDING * max(1.0, float(np.abs(start).max())) / DT
            assert float(np.abs(moved - middle).max()) <= bound, (
                f"{self.name}: displacement is velocity times time: {path} moved by {moved} per second from {start}, "
                f"at {slow[path]} to {fast[path]}"
            )

    @property
    def is_of_state(self) -> bool:
        """Whether it writes what the step starts from, where the difference is seen before the step."""
        return all(catalogue.attribute(*key).persistence is Persistence.STATE for key in self.keys)

    def visibility(self) -> float:
        """Return how much it changes, as a part of the largest acceleration."""
        before, after = accelerations(self.system), self.expected()
        return max(abs(after[label] - before[label]) for label in after) / max(map(abs, after.values()))

    def checks(self) -> Iterator[Check]:
        """Return it as checks: what is read at once, unless that is not of a state, and what the next step does."""
        if not self.commands:
            yield Check(f"{self.name}, at once", "What is written, and all that depends on it, is read before any step.",
                        self.system, self.run_at_once, self.mutants_at_once, self.keys)
        reads = ((JOINT, "jointVelocity"),) if self.system.robots else ((BODY, "linearVelocity"),)
        yield Check(self.name, self.convention, self.system, self.run, self.mutants, self.keys, reads)


def put(simulation: Live, key: Key, values: Mapping[str, npt.ArrayLike]) -> None:
    """Write values by path, of all rows of a type with a mask."""
    kind, name = key
    query = simulation.query(kind)
    mask = np.array([path in values for path in query.paths])
    assert mask.sum() == len(values), f"{sorted(values)} are all objects: {query.paths}"
    with simulation.write(query, [name]) as write:
        for group in write:
            chosen = [path in values for path in group.paths]
            for path, row in zip(group.paths, group.per_prim(), strict=True):
                if path in values:
                    row[...] = np.asarray(values[path], dtype=float).reshape(row.shape)
            if any(chosen):
                write.commit(group, mask=np.array(chosen))
        lacking = [item for item in write.omissions if not item.paths or set(item.paths) & set(values)]
        if lacking:
            with conditions_of(simulation, key):
                raise NotWritableError(lacking[0].detail)


def _difference(before: Rates, after: Rates) -> Rates:
    return {label: (after[label] - before[label]) / DT for label in after}


def _centres(simulation: Live) -> tuple[_Vectors, _Vectors]:
    """Return where each centre of mass is, and its velocity."""
    places: _Vectors = {}
    velocities: _Vectors = {}
    names = ["position", "orientation", "centerOfMassPosition", "linearVelocity"]
    for kind in (BODY, LINK):
        query = simulation.query(kind)
        if len(query):
            result = simulation.read(query, names)
            columns = [result[name].numpy().astype(float) for name in names]
            for path, origin, turn, centre, velocity in zip(query.paths, *columns, strict=True):
                places[path] = origin + rotations.matrix(turn) @ centre
                velocities[path] = velocity
    return places, velocities


def _centres_of(system: System) -> _Vectors:
    """Return where each centre of mass is in a system as it is written down."""
    found = {system.body_path(each): (each.pose * each.centre).translation for each in system.bodies}
    for robot in system.robots:
        oracle = RobotOracle(system, robot)
        found |= {system.link_path(robot, link.name): oracle.centre(link.name) for link in robot.links}
    return found


# Changes of a system.


def body(name: str, **values: Any) -> Change:
    """Return what changes a body or a link."""
    return lambda system: _with_bodies(system, lambda each: attrs.evolve(each, **values) if each.name == name else each)


def joint(name: str, **values: Any) -> Change:
    """Return what changes the joint that leads to a link."""
    return lambda system: _with_joints(system, lambda each: attrs.evolve(each, **values) if each.child == name else each)


def drive(name: str, **values: Any) -> Change:
    """Return what changes the drive of the joint that leads to a link."""

    def change(each: Joint) -> Joint:
        if each.child != name or each.drive is None:
            return each
        return attrs.evolve(each, drive=attrs.evolve(each.drive, **values))

    return lambda system: _with_joints(system, change)


def _with_bodies(system: System, change: Callable[[Body], Body]) -> System:
    robots = tuple(attrs.evolve(robot, links=tuple(map(change, robot.links))) for robot in system.robots)
    return attrs.evolve(system, bodies=tuple(map(change, system.bodies)), robots=robots)


def _with_joints(system: System, change: Callable[[Joint], Joint]) -> System:
    robots = tuple(attrs.evolve(robot, joints=tuple(map(change, robot.joints))) for robot in system.robots)
    return attrs.evolve(system, robots=robots)


# Effects.

def _effects() -> Iterator[Effect]:
    yield from _of_bodies()
    for system in (FIXED_TREE, FLOATING_TREE):
        yield from _of_joints(system)
        yield from _of_links(system)
    yield from _of_roots()
    for system in (LOOSE, FIXED_TREE, FLOATING_TREE):
        yield Effect(f"gravity of {system.name}", "gravity is an acceleration in world axes.", system,
                     ((SCENE, "gravity"),), lambda each: attrs.evolve(each, gravity=(-3.0, 5.0, 4.0)))


_FORCE, _TORQUE = np.array([7.0, -4.0, 9.0]), np.array([1.5, 2.5, -2.0])
_NONE = np.zeros(3)


def _wrench(place: Array, force: Array, torque: Array) -> tuple[list[float], tuple[Array, Array]]:
    """Return a wrench whose force acts beside the centre of mass, and what it comes to there."""
    point = place + (0.3, -0.2, 0.4)
    return [*force, *torque, *point], (force, torque + np.cross(point - place, force))


def _of_bodies() -> Iterator[Effect]:
    name = "env_1"
    path = f"/World/{name}"
    thrown = next(each for each in LOOSE.bodies if each.name == name)
    place = (thrown.pose * thrown.centre).translation
    values, push = _wrench(place, _FORCE, _TORQUE)
    by_wrench: dict[str, Any] = {"commands": {(BODY, "wrench"): {path: values}}, "push": {path: push}}
    turned = at(*thrown.pose.translation, about=(2, 1, -1), degrees=100)
    yield Effect("force on a body", "force acts at the centre of mass, in world axes, for one step.", LOOSE,
                 ((BODY, "force"),), commands={(BODY, "force"): {path: _FORCE}}, push={path: (_FORCE, _NONE)},
                 lasts=False, mutants=("dropped write", "impulse for force", "persisting force", "late write",
                                       "write to all rows"))
    yield Effect("wrench on a body", "wrench is a force at a point and a torque, in world axes, for one step.", LOOSE,
                 ((BODY, "wrench"),), **by_wrench, lasts=False, mutants=("dropped write", "impulse for force"))
    yield Effect("position of a body", "position is that of the origin; a jump is no motion.", LOOSE,
                 ((BODY, "position"),), body(name, pose=at(2, 7, -1, about=(3, -1, 2), degrees=-50)),
                 mutants=("dropped write", "forgotten write", "write to all rows", "late write"))
    yield Effect("orientation of a body", "orientation turns the body about its origin.", LOOSE,
                 ((BODY, "orientation"),), body(name, pose=turned))
    yield Effect("linear velocity of a body", "linearVelocity is that of the centre of mass.", LOOSE,
                 ((BODY, "linearVelocity"),), body(name, velocity=(-1.5, 2.0, 0.8)))
    yield Effect("angular velocity of a body", "angularVelocity is in rad/s and world axes.", LOOSE,
                 ((BODY, "angularVelocity"),), body(name, spin=(-200.0, 150.0, 260.0)),
                 mutants=("forgotten write", "write in degrees"))
    for what, key, change in (
        ("mass", "mass", body(name, mass=1.4)),
        ("inertia", "inertia", body(name, moments=(0.04, 0.05, 0.07))),
        ("principal axes", "centerOfMassOrientation",
         body(name, centre=at(*thrown.centre.translation, about=(1, 3, -1), degrees=140))),
    ):
        yield Effect(f"{what} of a body", f"{key} is what a wrench accelerates.", LOOSE,
                     ((BODY, key), (BODY, "wrench")), change, **by_wrench, lasts=False)
    still = next(each for each in LOOSE.bodies if each.name == "env_3")
    centre = at(-0.2, 0.15, 0.1)
    moved = attrs.evolve(still, centre=type(centre)(still.centre.rotation, centre.translation))
    yield Effect("centre of mass of a body", "centerOfMassPosition is where a force turns the body about.", LOOSE,
                 ((BODY, "centerOfMassPosition"), (BODY, "wrench")), body("env_3", centre=moved.centre),
                 commands={(BODY, "wrench"): {"/World/env_3": [*_FORCE, *_NONE, *still.pose.translation]}},
                 push={"/World/env_3": (_FORCE, np.cross(still.pose.translation
                                                         - (still.pose * moved.centre).translation, _FORCE))},
                 lasts=False)
    yield Effect("a body without gravity", "disableGravity takes gravity from one body.", LOOSE,
                 ((BODY, "disableGravity"),), body(name, is_weightless=True))


def _of_joints(system: System) -> Iterator[Effect]:
    of = f" ({system.name})"

    def label(link: str, axis: str = "twist") -> str:
        return f"/World/robot/to_{link}:{axis}"

    def effect(name: str, convention: str, attribute: str, change: Change, **rest: Any) -> Effect:
        return Effect(f"{name}{of}", convention, system, ((JOINT, attribute),), change, **rest)

    joints = {each.child: each for each in system.robots[0].joints}
    yield effect("joint coordinate", "jointPosition is in degrees, body1 relative to body0, and links follow.",
                 "jointPosition", lambda each: joint("d", position=(-20.0, 45.0, 35.0))(joint("c", position=(70.0,))(each)),
                 mutants=("forgotten write", "write in degrees"),
                 mutants_at_once=("dropped write", "stale dependents"))
    yield effect("joint rate", "jointVelocity is in degrees per second, body1 relative to body0.", "jointVelocity",
                 lambda each: joint("a", velocity=(160.0,))(joint("e", velocity=(-200.0,))(each)))
    yield effect("drive's target", "jointPositionTarget pulls by the stiffness per degree.", "jointPositionTarget",
                 drive("a", target=-140.0), mutants=("forgotten write", "write to all rows"))
    yield effect("drive's target rate", "jointVelocityTarget pulls by the damping per degree.", "jointVelocityTarget",
                 drive("c", velocity_target=900.0))
    yield effect("stiffness", "jointStiffness is per degree.", "jointStiffness", drive("a", stiffness=0.9),
                 mutants=("forgotten write", "write in degrees"))
    yield effect("damping", "jointDamping is per degree.", "jointDamping", drive("a", damping=0.03))
    yield effect("drive's bound", "jointMaxForce bounds the drive's effort.", "jointMaxForce", drive("a", max_force=2.0))
    yield effect("armature", "jointArmature is added to the axis.", "jointArmature", joint("a", armature=0.3))
    for link, effort in (("a", 9.0), ("b10", -30.0)):
        axis = "x" if link == "b10" else "twist"
        path = f"/World/robot/to_{link}"
        yield Effect(f"effort of {'a slide' if axis == 'x' else 'a hinge'}{of}",
                     "jointActuationForce acts along the axis, body1 relative to body0, and stays.", system,
                     ((JOINT, "jointActuationForce"),), commands={(JOINT, "jointActuationForce"): {path: [effort]}},
                     efforts={label(link, axis): effort}, mutants=("forgotten write", "reversed write", "dropped write"))
    for attribute in ("jointFriction", "jointDynamicFriction"):
        keys = ((JOINT, "jointStaticFriction"), (JOINT, attribute)) if attribute == "jointDynamicFriction" else (
            (JOINT, attribute),)
        effort = -float(np.sign(joints["a"].velocity[0])) * 2.0
        yield Effect(f"friction by {attribute}{of}", f"{attribute} brakes a joint that moves.", system, keys,
                     commands={key: {"/World/robot/to_a": [2.0]} for key in keys}, efforts={label("a"): effort})
    viscous = 0.02
    yield Effect(f"viscous friction{of}", "jointViscousFriction brakes in proportion to the rate, per degree.", system,
                 ((JOINT, "jointViscousFriction"),), commands={(JOINT, "jointViscousFriction"): {"/World/robot/to_a": [viscous]}},
                 efforts={label("a"): -viscous * joints["a"].velocity[0]})


def _of_links(system: System) -> Iterator[Effect]:
    of = f" ({system.name})"
    name, path = "b9", "/World/robot/b9"
    link = system.robots[0].link(name)
    place = RobotOracle(system, system.robots[0]).centre(name)
    values, push = _wrench(place, _FORCE, _TORQUE)
    yield Effect(f"force on a link{of}", "force acts at the link's centre of mass, in world axes, for one step.", system,
                 ((LINK, "force"),), commands={(LINK, "force"): {path: 4 * _FORCE}}, push={path: (4 * _FORCE, _NONE)},
                 lasts=False, mutants=("dropped write", "persisting force"))
    yield Effect(f"wrench on a link{of}", "wrench is a force at a point and a torque, in world axes, for one step.",
                 system, ((LINK, "wrench"),), commands={(LINK, "wrench"): {path: values}}, push={path: push},
                 lasts=False, mutants=("dropped write", "impulse for force"))
    heavier = attrs.evolve(link, mass=4.0)
    other = system.robots[0].link("a")
    turned = at(*link.centre.translation, about=(1, 3, -1), degrees=140)
    moved = type(turned)(other.centre.rotation, np.array([0.3, -0.25, 0.2]))
    for what, key, change in (
        ("mass", "mass", body("a", mass=heavier.mass)),
        ("inertia", "inertia", body("a", moments=(0.2, 0.15, 0.18))),
        ("centre of mass", "centerOfMassPosition", body("a", centre=moved)),
    ):
        yield Effect(f"{what} of a link{of}", f"{key} of a link is what its joints accelerate.", system,
                     ((LINK, key),), change)
    yield Effect(f"principal axes of a link{of}", "centerOfMassOrientation turns the principal axes.", system,
                 ((LINK, "centerOfMassOrientation"), (LINK, "wrench")), body(name, centre=turned),
                 commands={(LINK, "wrench"): {path: [*_NONE, *(3 * _TORQUE), *_NONE]}},
                 push={path: (_NONE, 3 * _TORQUE)}, lasts=False)
    weight = -link.mass * np.array(system.gravity)
    yield Effect(f"a link without gravity{of}", "disableGravity takes gravity from one link.", system,
                 ((LINK, "disableGravity"),), body(name, is_weightless=True), push={path: (weight, _NONE)})


def _of_roots() -> Iterator[Effect]:
    system = FLOATING_TREE
    root = system.robots[0].root
    for what, attribute, change in (
        ("position", "rootPosition", body("z", pose=type(root.pose)(root.pose.rotation, np.array([3.0, -2.0, 5.0])))),
        ("orientation", "rootOrientation", body("z", pose=at(*root.pose.translation, about=(-1, 2, 2), degrees=140))),
        ("linear velocity", "rootLinearVelocity", body("z", velocity=(-2.0, 1.5, 0.7))),
        ("angular velocity", "rootAngularVelocity", body("z", spin=(-150.0, 200.0, 120.0))),
    ):
        yield Effect(f"{what} of a floating root", f"{attribute} is of the root link, and all links follow.", system,
                     ((ARTICULATION, attribute),), change, mutants_at_once=("dropped write", "stale dependents"))


EFFECTS = tuple(_effects())
CHECKS = tuple(check for effect in EFFECTS for check in effect.checks())
