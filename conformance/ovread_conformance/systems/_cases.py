"""Small systems, each for a rule that engines have broken."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np
import pinocchio as pin

from ovread import ObjectType
from ovread_conformance.systems._axes import ABOUT_ONE_AXIS, FROM_ZERO, SLIDE_AND_TURN, TURNED
from ovread_conformance.systems._library import FIXED_TREE, TILTED
from ovread_conformance.systems._masses import BARE, CONE, MIRRORED_MESH, SCALED, SOLIDS
from ovread_conformance.systems._model import Body, Drive, Joint, Outcome, Robot, Shape, Stage, System, Vector, at
from ovread_conformance.systems._motions import (
    BOUNCING,
    DAMPED,
    HEAVY_ROTOR,
    IGNORED,
    IN_MILLIMETRES,
    RATE_BOUND,
    RUBBED,
    SLIDING,
    STICKING,
    STOPPED,
    UNDAMPED,
    VISCOUS,
    WEAK,
)
from ovread_conformance.systems._roots import (
    ANCHORED,
    HELD_ROOT,
    LOOP,
    ONE_LINK_BELOW,
    ROOT_ABOVE,
    TURNED_BALL,
)
from ovread_conformance.systems._roots import CONE as CONE_OF_A_BALL

_FREE = Body("body", 2.0, at(0.1, 0.2, 0.3, about=(1, 1, 2), degrees=25), (0.2, 0.3, 0.4), at(1, 2, 3), (0.1, 0.2, 0.3))


def _falling(
    name: str,
    gravity: Vector,
    authored_gravity: tuple[Vector, float] | None = None,
    stage: Stage = Stage(),  # noqa: B008
) -> System:
    return System(name, gravity, (_FREE,), stage=stage, authored_gravity=authored_gravity)


GRAVITIES = (
    _falling("no gravity", (0.0, 0.0, 0.0), ((0.0, 0.0, -1.0), 0.0)),
    _falling("gravity by default", (0.0, 0.0, -9.81)),
    _falling("gravity by default in centimetres", (0.0, 0.0, -981.0), stage=Stage(0.01)),
    _falling("gravity by default in grams", (0.0, 0.0, -9.81), stage=Stage(1.0, 0.001)),
    _falling("gravity by default, Y up", (0.0, -9.81, 0.0), stage=Stage(1.0, 1.0, "Y")),
    attrs.evolve(_falling("no scene", (0.0, 0.0, -9.81)), has_scene=False),
)
"""Where the schema says what gravity is, though it is not authored, or there is none."""
LITERAL_GRAVITIES = (
    _falling("direction of another length", (3.0, 0.0, -4.0), authored_gravity=((1.5, 0.0, -2.0), 5.0)),
    _falling("direction of no length", (0.0, 0.0, -5.0), authored_gravity=((0.0, 0.0, 0.0), 5.0)),
    _falling("negative magnitude", (0.0, 0.0, -9.81), authored_gravity=((0.0, 0.0, -1.0), -3.0)),
)
"""Where the schema says what gravity is, though it is not authored plainly."""


def _hinged(name: str, **changes: Any) -> System:
    """Make a robot of a base and an arm on a hinge."""
    joint = Joint("base", "arm", "revolute", "Y", at(0.4, 0, 0), at(-0.3, 0.1, 0), position=(10.0,), velocity=(20.0,))
    base = Body("base", 3.0, at(), (0.3, 0.3, 0.4), at(0.5, 1, 2, about=(1, 2, 1), degrees=30))
    arm = Body("arm", 1.0, at(0.1, 0.2, -0.1, about=(1, 0, 2), degrees=20), (0.03, 0.04, 0.05))
    return System(name, robots=(Robot("robot", (base, arm), (attrs.evolve(joint, **changes),)),))


ONE_SIDED = (
    _hinged("only a lower limit", limit=(-20.0, np.inf)),
    _hinged("only an upper limit", limit=(-np.inf, 40.0)),
    _hinged("slider with only a lower limit", kind="prismatic", position=(0.1,), velocity=(0.2,), limit=(-0.2, np.inf)),
)
FAR_TARGET = _hinged("target beyond a turn", drive=Drive(0.1, 0.01, 400.0))
ACCELERATING = _hinged("acceleration drive", drive=Drive(0.2, 0.05, 40.0, 5.0, kind="acceleration"))


def _on_the_world(name: str, kind: str, value: float, *, is_swapped: bool) -> System:
    """Make a robot whose first link is on a joint to the world."""
    (robot,) = _hinged(name).robots
    base = attrs.evolve(robot.root, pose=at())
    frames = at(0.5, 1, 2, about=(1, 2, 1), degrees=30), at(0.1, 0.2, 0)
    frame0, frame1 = frames[::-1] if is_swapped else frames
    joint = Joint("", "base", kind, "X", frame0, frame1, is_swapped, (value,), (1.5 * value,))
    return System(name, robots=(Robot("robot", (base, robot.link("arm")), (joint, *robot.joints)),))


ON_THE_WORLD = (
    _on_the_world("hinge on the world", "revolute", 30.0, is_swapped=False),
    _on_the_world("slider on the world", "prismatic", 0.3, is_swapped=False),
    _on_the_world("hinge with the world as body1", "revolute", 30.0, is_swapped=True),
    _on_the_world("slider with the world as body1", "prismatic", 0.3, is_swapped=True),
)
"""The empty side of a joint is the world, and coordinates are those of body1 relative to body0 with that too."""


def _pendulum(name: str, y: float, *, length: float = 1.0, **changes: Any) -> Robot:
    """Make a robot of a base and a rod that hangs level from a hinge, by the distance of its centre of mass."""
    base = Body("base", 3.0, at(), (0.3, 0.3, 0.4), at(1, y, 2))
    bob = Body("bob", 2.0, at(0.3, 0, 0), (0.02, 0.02, 0.02))
    frames = at(0.2, 0, 0), at(0.3 - length, 0, 0)
    hinge = Joint("base", "bob", "revolute", "Y", *frames, velocity=(40.0,), **changes)
    return Robot(name, (base, bob), (hinge,))


PENDULUMS = System(
    "pendulums",
    robots=(
        _pendulum("plain", 0),
        _pendulum("about_its_origin", 3, length=0.3),
        _pendulum("with_armature", 6, armature=0.5),
    ),
)
"""Level pendulums that swing down, whose first angular acceleration is m g L / (I + m L^2 + armature)."""

ON_LOOSE_HINGE = System(
    "hinge without an articulation",
    robots=(
        Robot(
            "robot",
            (Body("arm", 1.0, at(0.5, 0, 0), (0.02, 0.03, 0.04)),),
            (Joint("", "arm", "revolute", "Y", at(1, 2, 3)),),
            is_articulation=False,
        ),
    ),
)
"""A body on a hinge to the world, and no articulation root."""

DISABLED = System(
    "disabled body",
    bodies=(attrs.evolve(_FREE, is_enabled=False, shapes=(Shape((0.2, 0.3, 0.4)),)),
            attrs.evolve(_FREE, name="other", pose=at(5, 0, 1))),
)  # fmt: skip
"""A prim whose schema of rigid bodies is switched off: scenery, and no body."""

ONE_LINK = System("one link", robots=(Robot("robot", (_FREE,), (), is_fixed=False),))


def _actuated(joint: Joint) -> Joint:
    return attrs.evolve(joint, efforts=(1.0, -0.8, 0.6)[: len(joint.axes)])


_ASLEEP = attrs.evolve(_FREE, velocity=(0.0, 0.0, 0.0), is_asleep=True)
KINEMATIC = System(
    "kinematic",
    gravity=(1.0, 2.0, -9.0),
    bodies=(
        attrs.evolve(_FREE, name="held", velocity=(0.0, 0.0, 0.0), is_kinematic=True),
        attrs.evolve(_FREE, name="other", pose=at(4, 0, 2, about=(1, 2, 1), degrees=40), velocity=(0.0, 0.0, 0.0),
                     is_kinematic=True),
        attrs.evolve(_FREE, name="free", pose=at(-4, 1, 2, about=(1, 0, 1), degrees=70)),
    ),
)  # fmt: skip
"""Two bodies that only targets move, and one that falls."""

_TARGET = at(1.02, 1.97, 3.01, about=(1, 2, 3), degrees=2)
CARRIED = System(
    "body on its way",
    gravity=(1.0, 2.0, -9.0),
    bodies=(
        attrs.evolve(KINEMATIC.bodies[0], target=_TARGET),
        *KINEMATIC.bodies[1:],
    ),
    is_smooth=False,
    outcomes=(
        Outcome(1, ObjectType.RIGID_BODY, "position", "/World/held", (1.02, 1.97, 3.01), 1e-4),
        Outcome(2, ObjectType.RIGID_BODY, "position", "/World/held", (1.02, 1.97, 3.01), 1e-4),
    ),
)
"""A body that is sent somewhere, and two that are not."""

ACTUATED = System(
    "written efforts",
    gravity=TILTED,
    robots=tuple(
        attrs.evolve(
            robot,
            joints=tuple(
                map(_actuated, robot.joints),
            ),
        )
        for robot in FIXED_TREE.robots
    ),
)
"""A robot on the joints of which more is exerted than their drives do."""


def _environment(name: str, angle: float, pose: pin.SE3) -> Robot:
    """Make a robot of two hinges about different axes, with colliders, at some angles."""
    (robot,) = _hinged("robot").robots
    hand = Body(
        "hand",
        0.6,
        at(0.1, 0.05, 0.1),
        (0.02, 0.015, 0.01),
        shapes=(Shape((0.05, 0.06, 0.04), at(0.2, 0, 0), 0.7, 0.8, 0.3, contact_offset=0.05, rest_offset=0.02),),
    )
    turn = Joint(
        "arm", "hand", "revolute", "Z", at(0.3, 0.1, 0), at(-0.2, 0, 0.1), position=(2 * angle,), velocity=(-angle,)
    )
    shape = Shape((0.04, 0.05, 0.06), at(0.1, 0, 0), 0.4 + angle / 200, 0.6, 0.2, contact_offset=0.03, rest_offset=0.01)
    links = {link.name: link for link in robot.links}
    return Robot(
        name,
        (attrs.evolve(links["base"], pose=pose), attrs.evolve(links["arm"], shapes=(shape,)), hand),
        (*(attrs.evolve(joint, position=(angle,), velocity=(2 * angle,)) for joint in robot.joints), turn),
    )  # fmt: skip


def _drifting(name: str, speed: float, pose: pin.SE3) -> Robot:
    """Make a floating robot of two links."""
    (robot,) = _hinged("robot").robots
    base = attrs.evolve(robot.root, pose=pose, velocity=(speed, 0.2, -0.1), spin=(20.0, 30 * speed, -10.0))
    return Robot(name, (base, robot.link("arm")), robot.joints, is_fixed=False)


ENVIRONMENTS = System(
    "environments",
    gravity=(1.0, 2.0, -9.0),
    robots=(
        _environment("env_10", 10.0, at(7, -3, 2, about=(1, 2, 1), degrees=30)),
        _environment("env_2", -20.0, at(-5, 4, 1)),
        _environment("env_1", 35.0, at(2, 8, -3, about=(2, -1, 1), degrees=80)),
        _drifting("env_30", 0.5, at(-8, -7, 4, about=(1, 1, 3), degrees=50)),
        _drifting("env_4", -0.3, at(12, 9, 6, about=(3, 1, 1), degrees=-70)),
    ),
)
"""Robots at several places and in several states, whose natural order and order by letters differ."""

ASLEEP = System(
    "asleep",
    bodies=(
        attrs.evolve(_ASLEEP, name="first"),
        attrs.evolve(_FREE, name="second", pose=at(4, 0, 2)),
        attrs.evolve(_ASLEEP, name="third", pose=at(-4, 0, 2)),
    ),
)
"""Two bodies that stay where they are until something wakes them, and one that falls."""

WEIGHTLESS = System(
    "weightless",
    gravity=(1.0, 2.0, -9.0),
    bodies=(attrs.evolve(_FREE, name="falling"), attrs.evolve(_FREE, name="floating", pose=at(-3, 1, 2),
                                                               is_weightless=True)),
    is_smooth=False,
    robots=tuple(
        attrs.evolve(
            robot,
            links=tuple(attrs.evolve(link, is_weightless=link.name == "arm") for link in robot.links),
            joints=tuple(attrs.evolve(joint, velocity=(15.0,)) for joint in robot.joints),
        )
        for robot in _hinged("robot").robots
    ),
)  # fmt: skip
"""A body and a link on which gravity does not act."""

CASES: Mapping[str, tuple[System, ...]] = {
    "": (
        SOLIDS,
        SCALED,
        *BARE,
        ENVIRONMENTS,
        *GRAVITIES,
        ONE_LINK,
        PENDULUMS,
        ON_LOOSE_HINGE,
        DISABLED,
        SLIDING,
        ABOUT_ONE_AXIS,
        FROM_ZERO,
    ),
    "cone-inertia": (CONE,),
    "mirrored-mesh": (MIRRORED_MESH,),
    "gravity-not-normalised": LITERAL_GRAVITIES,
    "one-sided-limit-locks": ONE_SIDED,
    "target-wraps": (FAR_TARGET,),
    "acceleration-drive": (ACCELERATING,),
    "world-hinge-welded": ON_THE_WORLD,
    "starts-asleep": (ASLEEP,),
    "disable-gravity": (WEIGHTLESS,),
    "friction": (STICKING,),
    "restitution": (BOUNCING,),
    "contact-scale": (IN_MILLIMETRES,),
    "contact-report-settings": (IGNORED,),
    "damping": (DAMPED,),
    "default-angular-damping": (UNDAMPED,),
    "velocity-limit": (RATE_BOUND,),
    "soft-limits": (STOPPED,),
    "ignored-joint-properties": (WEAK, HEAVY_ROTOR, RUBBED, VISCOUS),
    "floating-root-choice": (ROOT_ABOVE,),
    "single-link-articulation": (ONE_LINK_BELOW,),
    "fixed-root-link": (HELD_ROOT,),
    "fixed-base-frame": (ANCHORED,),
    "successive-turns": (TURNED,),
    "swapped-multi-axis": (TURNED_BALL,),
    "cone-limit": (CONE_OF_A_BALL,),
    "joint-outside-articulation": (LOOP,),
    "articulation-slides-locked": (SLIDE_AND_TURN,),
}
"""Systems by the rule that a backend declares where it is known to break it; those of none are kept by all."""
