"""What writes to links and to floating roots do."""

from __future__ import annotations

from collections.abc import Iterator

import attrs
import numpy as np

from ovread_conformance.effects._changes import body
from ovread_conformance.effects._effect import Effect
from ovread_conformance.effects._pushes import FORCE, NONE, TORQUE, wrench
from ovread_conformance.oracles import ARTICULATION, LINK
from ovread_conformance.systems import FIXED_TREE, FLOATING_TREE, RobotOracle, System, at


def of_links(system: System) -> Iterator[Effect]:
    """Give the effects on the links of a tree."""
    of = f" ({system.name})"
    name, path = "b9", "/World/robot/b9"
    link = system.robots[0].link(name)
    place = RobotOracle(system, system.robots[0]).centre(name)
    values, push = wrench(place, FORCE, TORQUE)
    yield Effect(
        f"force on a link{of}",
        "force acts at the link's centre of mass, in world axes, for one step.",
        system,
        ((LINK, "force"),),
        commands={(LINK, "force"): {path: 4 * FORCE}},
        push={path: (4 * FORCE, NONE)},
        lasts=False,
        faults=("dropped write", "persisting force"),
    )
    yield Effect(
        f"wrench on a link{of}",
        "wrench is a force at a point and a torque, in world axes, for one step.",
        system,
        ((LINK, "wrench"),),
        commands={(LINK, "wrench"): {path: values}},
        push={path: push},
        lasts=False,
        faults=("dropped write", "impulse for force"),
    )
    heavier = attrs.evolve(link, mass=4.0)
    other = system.robots[0].link("a")
    turned = at(*link.centre.translation, about=(1, 3, -1), degrees=140)
    moved = type(turned)(other.centre.rotation, np.array([0.3, -0.25, 0.2]))
    for what, key, change in (
        ("mass", "mass", body("a", mass=heavier.mass)),
        ("inertia", "inertia", body("a", moments=(0.2, 0.15, 0.18))),
        ("centre of mass", "centerOfMassPosition", body("a", centre=moved)),
    ):
        yield Effect(
            f"{what} of a link{of}", f"{key} of a link is what its joints accelerate.", system, ((LINK, key),), change
        )
    yield Effect(
        f"principal axes of a link{of}",
        "centerOfMassOrientation turns the principal axes.",
        system,
        ((LINK, "centerOfMassOrientation"), (LINK, "wrench")),
        body(name, centre=turned),
        commands={(LINK, "wrench"): {path: [*NONE, *(3 * TORQUE), *NONE]}},
        push={path: (NONE, 3 * TORQUE)},
        lasts=False,
    )
    weight = -link.mass * np.array(system.gravity)
    yield Effect(
        f"a link without gravity{of}",
        "disableGravity takes gravity from one link.",
        system,
        ((LINK, "disableGravity"),),
        body(name, is_weightless=True),
        push={path: (weight, NONE)},
    )


def of_roots() -> Iterator[Effect]:
    """Give the effects on the roots of trees: a fixed one can be placed, a floating one moves."""
    root = FLOATING_TREE.robots[0].root
    placed = body("z", pose=type(root.pose)(root.pose.rotation, np.array([12.0, -8.0, 5.0])))
    turned = body("z", pose=at(*root.pose.translation, about=(-1, 2, 2), degrees=140))
    for what, attribute, change, systems in (
        ("position", "rootPosition", placed, (FIXED_TREE, FLOATING_TREE)),
        ("orientation", "rootOrientation", turned, (FIXED_TREE, FLOATING_TREE)),
        ("linear velocity", "rootLinearVelocity", body("z", velocity=(-2.0, 1.5, 0.7)), (FLOATING_TREE,)),
        ("angular velocity", "rootAngularVelocity", body("z", spin=(-150.0, 200.0, 120.0)), (FLOATING_TREE,)),
    ):
        for system in systems:
            yield Effect(
                f"{what} of the root ({system.name})",
                f"{attribute} is of the root link, and all links follow.",
                system,
                ((ARTICULATION, attribute),),
                change,
                faults_at_once=("dropped write", "stale dependents"),
            )
