"""Small systems, each for a rule that engines have broken."""

from __future__ import annotations

from collections.abc import Mapping

import attrs
import numpy as np
import pinocchio as pin

from ovread_conformance.systems._model import Body, Drive, Joint, Robot, Shape, Stage, System, Vector, at
from ovread_conformance.systems._solids import solid


def _solid(name: str, x: float, *shapes: Shape) -> Body:
    return solid(Body(name, pose=at(x, 0.5, 1, about=(1, 2, 3), degrees=20 + 10 * x), shapes=shapes))


_PLACE = at(0.1, -0.2, 0.3, about=(1, 2, -1), degrees=40)

SOLIDS = System(
    "solids",
    bodies=(
        _solid("plain", 0, Shape((0.5, 0.6, 0.8), _PLACE)),
        _solid("box", 2, Shape((0.5, 0.6, 0.8), _PLACE, density=700.0)),
        _solid("sphere", 4, Shape((0.6, 0.6, 0.6), _PLACE, kind="sphere", density=800.0)),
        _solid("capsule", 6, Shape((0.4, 0.4, 1.1), _PLACE, kind="capsule", density=900.0)),
        _solid("cylinder", 8, Shape((0.4, 0.4, 1.1), _PLACE, kind="cylinder", density=1100.0)),
        _solid("mesh", 10, Shape((0.9, 0.7, 1.2), _PLACE, kind="tetrahedron", density=1200.0)),
        _solid("several", 14, Shape((0.5, 0.6, 0.8), _PLACE, density=700.0), Shape((0.3, 0.2, 0.4), at(0.7, 0.1, 0)),
               Shape((0.4, 0.4, 0.4), at(0, 0.8, 0.2), kind="sphere", density=300.0)),
        _solid("material", 16, Shape((0.5, 0.6, 0.8), _PLACE, 0.4, material_density=300.0)),
        _solid("both", 18, Shape((0.5, 0.6, 0.8), _PLACE, 0.4, density=50.0, material_density=300.0)),
        _solid("weighed", 20, Shape((0.5, 0.6, 0.8), at(1, 0, 0), mass=5.0), Shape((0.3, 0.2, 0.4), at(), mass=3.0)),
    ),
)  # fmt: skip
"""Masses from densities of colliders and materials, and from masses of colliders."""

SCALED = System(
    "scaled solids",
    bodies=(
        _solid("sphere", 1, Shape((0.6, 0.6, 0.6), _PLACE, kind="sphere", density=800.0, scale=(1.0, 2.0, 1.5))),
        _solid("cylinder", 4, Shape((0.4, 0.4, 1.1), _PLACE, kind="cylinder", density=1100.0, scale=(1.2, 0.7, 2.0))),
    ),
)
"""Round colliders, scaled by other factors along each axis."""

MIRRORED_MESH = System(
    "mirrored mesh",
    bodies=(_solid("mirrored", 1, Shape((-0.9, 0.7, 1.2), _PLACE, kind="tetrahedron", density=1200.0)),),
)
CONE = System("cone", bodies=(_solid("cone", 1, Shape((0.6, 0.6, 1.2), _PLACE, kind="cone", density=100.0)),))

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
)
LITERAL_GRAVITIES = (
    _falling("direction of another length", (3.0, 0.0, -4.0), authored_gravity=((1.5, 0.0, -2.0), 5.0)),
    _falling("direction of no length", (0.0, 0.0, -5.0), authored_gravity=((0.0, 0.0, 0.0), 5.0)),
    _falling("negative magnitude", (0.0, 0.0, -9.81), authored_gravity=((0.0, 0.0, -1.0), -3.0)),
)
"""Where the schema says what gravity is, though it is not authored plainly."""


def _hinged(name: str, *, limit: tuple[float, float] | None = None, drive: Drive | None = None) -> System:
    """Make a robot of a base and an arm on a hinge."""
    joint = Joint("base", "arm", "revolute", "Y", at(0.4, 0, 0), at(-0.3, 0.1, 0), position=(10.0,), velocity=(20.0,))
    base = Body("base", 3.0, at(), (0.3, 0.3, 0.4), at(0.5, 1, 2, about=(1, 2, 1), degrees=30))
    arm = Body("arm", 1.0, at(0.1, 0.2, -0.1, about=(1, 0, 2), degrees=20), (0.03, 0.04, 0.05))
    return System(name, robots=(Robot("robot", (base, arm), (attrs.evolve(joint, limit=limit, drive=drive),)),))


ONE_SIDED = (
    _hinged("only a lower limit", limit=(-20.0, np.inf)),
    _hinged("only an upper limit", limit=(-np.inf, 40.0)),
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

ONE_LINK = System("one link", robots=(Robot("robot", (_FREE,), (), is_fixed=False),))

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
    "": (SOLIDS, SCALED, ENVIRONMENTS, *GRAVITIES, ONE_LINK),
    "cone-inertia": (CONE,),
    "mirrored-mesh": (MIRRORED_MESH,),
    "gravity-not-normalised": LITERAL_GRAVITIES,
    "one-sided-limit-locks": ONE_SIDED,
    "target-wraps": (FAR_TARGET,),
    "acceleration-drive": (ACCELERATING,),
    "world-hinge-welded": ON_THE_WORLD,
    "starts-asleep": (ASLEEP,),
    "disable-gravity": (WEIGHTLESS,),
}
"""Systems by the rule that a backend declares where it is known to break it; those of none are kept by all."""
