"""Articulations whose root, base or joints are authored in other ways than one would."""

from __future__ import annotations

from typing import Any

import attrs

from ovread import ObjectType
from ovread_conformance.systems._model import Body, Joint, Outcome, Robot, System, at

_LINKS = (
    Body("first", 1.0, at(0.1, 0.2, -0.1, about=(1, 0, 2), degrees=20), (0.03, 0.04, 0.05),
         at(1, 2, 3, about=(1, 2, 1), degrees=30), (0.1, 0.2, 0.3), (20.0, 10.0, -15.0)),
    Body("second", 2.0, at(0.1, 0, 0.05), (0.03, 0.03, 0.04)),
    Body("third", 0.5, at(0.05, 0.1, 0), (0.01, 0.02, 0.02)),
)  # fmt: skip
_JOINTS = (
    Joint("first", "second", "revolute", "Y", at(0.4, 0, 0), at(-0.3, 0.1, 0), position=(10.0,), velocity=(20.0,)),
    Joint("second", "third", "revolute", "Z", at(0.3, 0.1, 0), at(-0.2, 0, 0), position=(-20.0,), velocity=(30.0,)),
)


def _rooted_above(name: str, count: int) -> System:
    """Make a chain of some links that floats, and has its articulation root on the prim above."""
    robot = Robot("robot", _LINKS[:count], _JOINTS[: count - 1], is_fixed=False, is_rooted_above=True)
    return System(name, robots=(robot,))


ROOT_ABOVE = _rooted_above("articulation root above a chain", 3)
"""A chain whose root is the link that is body1 of no joint."""
ONE_LINK_BELOW = _rooted_above("articulation root above one link", 1)
"""An articulation of one link, whose root schema is on the prim above."""

_STILL = attrs.evolve(_LINKS[0], velocity=(0.0, 0.0, 0.0), spin=(0.0, 0.0, 0.0))
HELD_ROOT = System(
    "held root link",
    gravity=(0.0, 0.0, 0.0),
    robots=(Robot("robot", (attrs.evolve(_STILL, mass=50.0), _LINKS[1]), _JOINTS[:1], is_fixed=False, held="first"),),
    is_smooth=False,
)
"""A link that has the articulation root, as if it floated, and a fixed joint to the world."""

ANCHORED = System(
    "anchor elsewhere",
    robots=(Robot("robot", (_STILL, _LINKS[1]), _JOINTS[:1], anchor=at(-1, 1, 2, about=(0, 1, 1), degrees=40)),),
)
"""A base that stays where it is authored, whatever the frame of the joint that fixes it."""


def _arm(name: str, **changes: Any) -> System:
    """Make a base and one link on another joint."""
    joint = attrs.evolve(_JOINTS[0], **{"kind": "d6", "position": (), "velocity": (), **changes})
    return System(name, robots=(Robot("robot", (_STILL, _LINKS[1]), (joint,)),))


TURNED_BALL = _arm("swapped joint about three axes", is_swapped=True, position=(10.0, 30.0, 20.0),
                   velocity=(40.0, -70.0, 90.0))  # fmt: skip
CONE = _arm("cone of a ball joint", kind="spherical", axis="X", cone=(30.0, 40.0))
"""A ball joint that tilts by some degrees only."""
LOOP = System(
    "loop",
    robots=(Robot("robot", (_STILL, _LINKS[1]), (attrs.evolve(_JOINTS[0], velocity=()),), held="second"),),
    outcomes=(Outcome(24, ObjectType.ARTICULATION_JOINT, "jointPosition", "/World/robot/to_second", (10.0,), 0.05),),
    is_smooth=False,
)
"""An arm that a joint outside the articulation keeps from falling."""
