"""The systems of the suite: asymmetric on purpose, so that no fault is hidden by a zero or by two equal numbers."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from ovread_conformance.systems._model import Body, Drive, Joint, Robot, Shape, System, Vector, at

TILTED: Vector = (1.0, 2.0, -9.0)
"""Gravity off the vertical, so that each of its components tells."""

BODIES = System(
    "bodies",
    gravity=TILTED,
    bodies=(
        Body("env_10", 2.0, at(0.1, -0.2, 0.3, about=(2, 1, 1), degrees=40), (0.2, 0.3, 0.4),
             at(1, 2, 3, about=(1, 2, 3), degrees=30), (0.5, -0.4, 0.3), (40, 25, -60),
             shapes=(Shape((0.2, 0.3, 0.4), at(0.1, 0, 0), 0.3, 0.4, 0.1, contact_offset=0.03, rest_offset=0.01),
                    Shape((0.1, 0.1, 0.2), at(0, 0.3, 0), 0.5, 0.7, 0.2, contact_offset=0.05, rest_offset=0.02))),
        Body("env_2", 3.0, at(-0.1, 0.15, 0.05, about=(1, 0, 2), degrees=-35), (0.5, 0.35, 0.6),
             at(-4, 1, 2, about=(-2, 1, 1), degrees=110), (-0.2, 0.6, 0.1), (-30, 50, 20),
             shapes=(Shape((0.3, 0.2, 0.25), at(0, 0, 0.1), 0.6, 0.65, 0.35, contact_offset=0.02,
                           rest_offset=0.004),)),
        Body("env_1", 0.7, at(0.02, 0.03, -0.04, about=(0, 1, 1), degrees=75), (0.02, 0.03, 0.035),
             at(3, -5, 1.5, about=(3, -1, 2), degrees=-50), (1.0, 0.2, -0.7), (15, -35, 80),
             shapes=(Shape((0.1, 0.1, 0.1), at(), 0.2, 0.25, 0.6, contact_offset=0.06, rest_offset=0.03),
                     Shape((0.1, 0.2, 0.1), at(0.3, 0, 0), 0.9, 0.95, 0.4, contact_offset=0.07, rest_offset=0.025),
                     Shape((0.05, 0.1, 0.15), at(0, -0.3, 0.1), 0.7, 0.8, 0.5, contact_offset=0.08,
                           rest_offset=0.035))),
    ),
)  # fmt: skip
"""Free bodies, whose natural order, authored order and order by letters differ."""

_LINKS = (
    Body("z", 2.0, at(0.1, 0.05, 0.02, about=(1, 2, 3), degrees=30), (0.2, 0.3, 0.4)),
    Body("c", 1.0, at(0.2, 0.1, -0.05, about=(1, -1, 2), degrees=50), (0.02, 0.03, 0.04)),
    Body("a", 0.8, at(0.1, 0.2, 0.1, about=(2, 0, 1), degrees=-25), (0.02, 0.01, 0.015)),
    Body("b10", 1.5, at(0.05, 0.1, 0.2, about=(0, 2, 1), degrees=35), (0.1, 0.12, 0.15)),
    Body("b9", 0.9, at(-0.05, 0.1, 0.03, about=(1, 1, 0), degrees=65), (0.05, 0.04, 0.06)),
    Body("x", 0.7, at(0.02, -0.03, -0.1, about=(1, 0, 1), degrees=20), (0.03, 0.04, 0.05)),
    Body("d", 0.6, at(0.1, 0.04, 0.03, about=(-1, 2, 0), degrees=15), (0.02, 0.025, 0.03)),
    Body("e", 0.5, at(0.03, 0.1, -0.06, about=(1, 3, -1), degrees=45), (0.015, 0.012, 0.018)),
)
_JOINTS = (
    Joint("z", "c", "revolute", "Y", at(0.5, 0.1, 0, about=(0, 0, 1), degrees=40), at(-0.3, 0, 0.1, degrees=20),
          position=(20.0,), velocity=(50.0,), limit=(-120.0, 150.0), armature=0.3,
          drive=Drive(0.5, 0.05, 35.0, -12.0, 400.0)),
    Joint("c", "a", "revolute", "Z", at(0.3, 0, 0, about=(1, 1, 0), degrees=25),
          at(-0.3, 0, 0, about=(0, 1, 1), degrees=-35), is_swapped=True, position=(-30.0,), velocity=(-70.0,),
          limit=(-80.0, 100.0), armature=0.02, drive=Drive(0.2, 0.01, 10.0, 5.0, 250.0)),
    Joint("z", "b10", "prismatic", "X", at(-0.2, 0, 0.3, about=(0, 1, 0), degrees=-50), at(0.05, 0.1, 0),
          position=(0.2,), velocity=(0.4,), limit=(-1.5, 2.0), armature=0.4, drive=Drive(30.0, 4.0, 0.5, 0.1, np.inf)),
    Joint("b10", "b9", "spherical", "X", at(0, 0.4, 0, about=(1, 2, 0), degrees=30),
          at(0, -0.2, 0.05, about=(0, 1, 2), degrees=-40)),
    Joint("z", "x", "fixed", frame0=at(0, 0, -0.5, about=(1, 0, 1), degrees=15), frame1=at(0.05, 0, 0)),
    Joint("x", "d", "d6", frame0=at(0, 0, -0.2, about=(0, 1, 1), degrees=55), frame1=at(0.2, 0, 0.2),
          position=(10.0, 30.0, 20.0), velocity=(40.0, -70.0, 90.0)),
    Joint("d", "e", "revolute", "X", at(0.2, -0.1, 0.1, about=(2, 1, 0), degrees=-30), at(-0.1, 0.1, 0),
          position=(35.0,), velocity=(90.0,), limit=(-60.0, 90.0), armature=0.01),
)  # fmt: skip
_ROOT = at(0.3, -0.2, 1.0, about=(1, 2, -1), degrees=25)


def _tree(name: str, *, is_fixed: bool) -> System:
    """Make a tree in which breadth first, depth first, authored and natural order all differ."""
    root = Body("z", 2.0, _LINKS[0].centre, _LINKS[0].moments, _ROOT)
    if not is_fixed:
        root = Body("z", 2.0, root.centre, root.moments, _ROOT, (0.3, -0.2, 0.5), (40.0, 20.0, -30.0))
    return System(name, gravity=TILTED, robots=(Robot("robot", (root, *_LINKS[1:]), _JOINTS, is_fixed),))


FIXED_TREE = _tree("fixed tree", is_fixed=True)
FLOATING_TREE = _tree("floating tree", is_fixed=False)

_EDGE = 0.4
_RAMP = at(10, 0, -0.5, about=(1, 2, 0), degrees=5)


def _resting(name: str, mass: float, pose: pin.SE3, *, edge: float = _EDGE, rise: float = 0.0) -> Body:
    """Make a box that reports its contacts; one that rises flies off."""
    moment = mass * edge**2 / 6
    shape = Shape((edge, edge, edge), friction=0.5)
    return Body(name, mass, at(), (moment, moment, moment), pose, (0.0, 0.0, rise), shapes=(shape,), senses=True)


RESTING = System(
    "resting boxes",
    gravity=(1.5, -1.0, -9.6),
    bodies=(
        _resting("heavy", 3.0, at(1, 2, 0.221)),
        _resting("light", 1.0, at(-2, 0.5, 0.224, about=(0, 0, 1), degrees=25)),
        _resting("leaning", 2.0, _RAMP * at(0.3, -0.2, 0.701)),
        _resting("bottom", 2.5, at(-3, -2, 0.2)),
        _resting("top", 1.5, at(-3, -2, 0.5), edge=0.2),
        _resting("flying", 2.0, at(3, -2, 0.1995), rise=8.0),
    ),
    scenery={"floor": Shape((12.0, 12.0, 1.0), at(0, 0, -0.5), 0.5), "ramp": Shape((6.0, 6.0, 1.0), _RAMP, 0.5)},
)
"""Boxes that report what they feel: on a floor, on a ramp, on each other, and one that leaves."""

_SMALL = (0.05, 0.04, 0.03)
RUBBING = System(
    "rubbing joints",
    gravity=TILTED,
    robots=(
        Robot(
            "arm",
            (
                Body("base", 3.0, at(0.1, 0.05, 0.02, about=(1, 2, 3), degrees=30), (0.2, 0.3, 0.4),
                     at(0.5, 1.5, 1, about=(2, -1, 1), degrees=35),
                     shapes=(Shape(_SMALL, at(0, 0, -0.3), 0.4, 0.5, 0.15, contact_offset=0.03, rest_offset=0.01),)),
                Body("upper", 1.2, at(0.1, -0.05, 0.02, about=(1, 0, 3), degrees=20), (0.02, 0.03, 0.04),
                     shapes=(Shape(_SMALL, at(0.1, 0, 0), 0.3, 0.35, 0.25, contact_offset=0.04, rest_offset=0.012),
                             Shape(_SMALL, at(0.2, 0, 0), 0.6, 0.7, 0.45, contact_offset=0.025, rest_offset=0.005))),
                Body("lower", 0.8, at(0.05, 0.1, 0.03, about=(0, 2, 3), degrees=50), (0.01, 0.012, 0.015)),
            ),
            (
                Joint("base", "upper", "revolute", "Y", at(0.5, 0.1, 0, about=(0, 0, 1), degrees=40), at(-0.3, 0, 0.1),
                      position=(25.0,), velocity=(60.0,), friction=0.4, static_friction=0.5, viscous_friction=0.003,
                      max_velocity=180.0, drive=Drive(0.3, 0.02, 40.0, 3.0, 55.0, envelope=(2.0, 900.0, 0.004))),
                Joint("upper", "lower", "prismatic", "Z", at(0.4, 0, 0, about=(1, 0, 0), degrees=25), at(0, 0, -0.2),
                      is_swapped=True, position=(-0.15,), velocity=(0.35,), friction=0.7, static_friction=0.8,
                      viscous_friction=0.06, max_velocity=2.5,
                      drive=Drive(20.0, 3.0, -0.3, 0.2, 65.0, envelope=(0.05, 4.0, 0.7))),
            ),
        ),
    ),
    is_smooth=False,
)  # fmt: skip
"""A robot whose joints have friction and bounds of their rates, and whose links have colliders and a flag."""

_CUBE = (Shape((0.4, 0.4, 0.4), at(), 0.5, 0.6, 0.1),)
WRITABLE = System(
    "writable",
    bodies=(
        Body("box", 2.0, at(0.1, -0.05, 0.02, about=(1, 0, 0), degrees=74), (0.2, 0.3, 0.4),
             at(3, 1, 2, about=(1, 3, 3), degrees=52), shapes=_CUBE),
        Body("ball", pose=at(-3, 2, 1), shapes=_CUBE),
        Body("carried", pose=at(6, 0, 0), shapes=_CUBE, is_kinematic=True),
    ),
    robots=(
        Robot(
            "arm",
            (
                Body("base", shapes=_CUBE),
                Body("upper", centre=at(0.05, 0.2, 0), shapes=_CUBE),
                Body("slide", shapes=_CUBE),
                Body("wrist", centre=at(0.02, 0.1, -0.03), shapes=_CUBE),
            ),
            (
                Joint("base", "upper", "revolute", "X", at(0, 0.5, 0), at(0, -0.5, 0), limit=(-120.0, 150.0),
                      armature=0.05, friction=0.3, static_friction=0.4, viscous_friction=0.02,
                      drive=Drive(10.0, 1.0)),
                Joint("upper", "slide", "prismatic", "Y", at(0, -0.5, 0), at(0, 0.5, 0), is_swapped=True,
                      limit=(-0.5, 0.4), armature=0.1, friction=0.5, static_friction=0.6, viscous_friction=0.3,
                      drive=Drive(50.0, 5.0)),
                Joint("slide", "wrist", "spherical", "X", at(0, 0.5, 0),
                      at(0, -0.5, 0, about=(0, 0, 1), degrees=-74)),
            ),
        ),
        Robot(
            "flyer",
            (
                Body("hull", 3.0, at(0.05, 0, 0.1), pose=at(-6, 0, 1, about=(0, 1, 0), degrees=74), shapes=_CUBE),
                Body("fin", shapes=_CUBE),
            ),
            (
                Joint("hull", "fin", "revolute", "Z", at(0, 0, 0.5), at(0, 0, -0.5), limit=(-90.0, 90.0), armature=0.02,
                      friction=0.2, static_friction=0.25, viscous_friction=0.01, drive=Drive(0.0, 0.5)),
            ),
            is_fixed=False,
        ),
    ),
    is_smooth=False,
)  # fmt: skip
"""Something of everything that is written: free and kinematic bodies, a robot that is fixed and one that flies."""

SYSTEMS = (BODIES, FIXED_TREE, FLOATING_TREE, RUBBING)
"""What is read in every variant."""
