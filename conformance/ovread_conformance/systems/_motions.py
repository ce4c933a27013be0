"""Systems of which a closed form says what becomes of them: what bounds, rubs, bounces and is damped."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np

from ovread import ObjectType
from ovread_conformance.systems._model import Body, Drive, Joint, Outcome, Robot, Shape, Stage, System, Vector, at

_BODY, _JOINT = ObjectType.RIGID_BODY, ObjectType.ARTICULATION_JOINT
_DT = 1 / 240


def _on_floor(name: str, gravity: Vector, box: Body, *outcomes: Outcome, rubs: Shape) -> System:
    """Make a body of the height 0.4 over a floor, both of one material."""
    floor = Shape((20.0, 20.0, 1.0), at(0, 0, -0.5), rubs.friction, rubs.static_friction, rubs.restitution)
    return System(name, gravity, (box,), scenery={"floor": floor}, outcomes=outcomes, is_smooth=False)


def _box(material: Shape, **changes: Any) -> Body:
    moment = 2.0 * 0.4**2 / 6
    return Body("box", 2.0, at(), (moment,) * 3, shapes=(material,), **changes)


def _material(friction: float, static_friction: float = 0.0, restitution: float = 0.0) -> Shape:
    return Shape((0.4, 0.4, 0.4), at(), friction, static_friction, restitution)


_STICKY = _material(0.2, 0.9)
STICKING = _on_floor(
    "static friction",
    (4.0, 0.0, -9.0),
    _box(_STICKY, pose=at(0, 0, 0.2)),
    Outcome(60, _BODY, "linearVelocity", "/World/box", (0.0, 0.0, 0.0), 0.2),
    Outcome(60, _BODY, "position", "/World/box", (0.0, 0.0, 0.2), 0.1),
    rubs=_STICKY,
)
"""A box on a slope of 24 degrees, which static friction holds and dynamic friction would not."""

_SLIPPERY = _material(0.2)
SLIDING = _on_floor(
    "sliding",
    (4.0, 0.0, -9.0),
    _box(_SLIPPERY, pose=at(0, 0, 0.2)),
    Outcome(60, _BODY, "position", "/World/box", ((60 * _DT) ** 2 / 2 * (4.0 - 0.2 * 9.0), 0.0, 0.2)),
    rubs=_SLIPPERY,
)
"""The same with less static friction: it slides, by g sin a - mu g cos a."""

_ELASTIC = attrs.evolve(_material(0.0, 0.0, 0.8), kind="sphere")
BOUNCING = _on_floor(
    "bouncing",
    (0.0, 0.0, -9.81),
    _box(_ELASTIC, pose=at(1, 2, 0.3), velocity=(0.0, 0.0, -3.0)),
    # It falls 0.1 in the time t with 3 t + g t^2 / 2 = 0.1, lands with 3 + g t, and flies on.
    Outcome(
        24, _BODY, "linearVelocity", "/World/box",
        (0.0, 0.0, 0.8 * (9 + 0.2 * 9.81) ** 0.5 - 9.81 * (24 * _DT - ((9 + 0.2 * 9.81) ** 0.5 - 3) / 9.81)),
        0.06,
    ),
    rubs=_ELASTIC,
)  # fmt: skip
"""A ball that falls on a floor, and goes up again at 0.8 of its speed."""

_ROUGH = _material(0.5)
IN_MILLIMETRES = System(
    "box at rest in millimetres",
    (0.0, 0.0, -9810.0),
    (Body("box", 2.0, at(), (53e3,) * 3, at(0, 0, 200), shapes=(attrs.evolve(_ROUGH, size=(400.0,) * 3),)),),
    scenery={"floor": Shape((20e3, 20e3, 1e3), at(0, 0, -500), 0.5)},
    stage=Stage(0.001),
    outcomes=(
        Outcome(60, _BODY, "position", "/World/box", (0.0, 0.0, 200.0)),
        Outcome(60, _BODY, "linearVelocity", "/World/box", (0.0, 0.0, 0.0), 1.0),
    ),
    is_smooth=False,
)
"""A box that rests, on a stage of small units."""
IGNORED = _on_floor(
    "contacts below a threshold",
    (0.0, 0.0, -9.81),
    _box(_ROUGH, pose=at(0, 0, 0.2), senses=True, threshold=1000.0),
    Outcome(60, ObjectType.CONTACT_SENSOR, "netNormalContactForce", "/World/box", (0.0, 0.0, 0.0)),
    rubs=_ROUGH,
)
"""A box that is to report forces above 1000 only, and weighs 20."""

DAMPED = System(
    "damping",
    gravity=(1.0, 2.0, -9.0),
    bodies=(
        Body("body", 2.0, at(0.1, 0.2, 0.3), (0.2, 0.2, 0.2), at(1, 2, 3), (20.0, -10.0, 5.0), (300.0, -200.0, 100.0),
             damping=(0.5, 0.8)),
    ),
)  # fmt: skip
"""A body that loses a part of its velocity and of its spin."""

UNDAMPED = System(
    "no authored damping",
    bodies=(Body("body", 2.0, at(), (0.2, 0.2, 0.2), at(1, 2, 3), spin=(1000.0, 0.0, 0.0), damping=None),),
)
"""A body that spins, of which no schema of an engine says that it is damped."""


_HANGING = Joint("base", "rod", "revolute", "Y", velocity=(20.0,))


def _swinging(name: str, *outcomes: Outcome, is_smooth: bool = False, **changes: Any) -> System:
    """Make a base and a level rod on a hinge about Y, whose inertia about the hinge is 0.3, and which swings down."""
    links = Body("base", 3.0, at(), (0.3, 0.3, 0.4), at(0, 0, 2)), Body("rod", 1.0, at(0.5, 0, 0), (0.02, 0.05, 0.05))
    robot = Robot("robot", links, (attrs.evolve(_HANGING, **changes),))
    return System(name, robots=(robot,), outcomes=outcomes, is_smooth=is_smooth)


def _rate(tick: int, degrees: float, tolerance: float = 0.02) -> Outcome:
    return Outcome(tick, _JOINT, "jointVelocity", "/World/robot/to_rod", (degrees,), tolerance)


def _accelerated(tick: int, torque: float, inertia: float) -> Outcome:
    """Return the rate after a torque beside gravity acted on the rod, which hangs level about as long."""
    return _rate(tick, 20.0 + tick * _DT * float(np.degrees((9.81 * 0.5 - torque) / inertia)), 0.05)


RATE_BOUND = _swinging("bound of a rate by file", _rate(16, 30.0), max_velocity=30.0)
"""A rod that would fall at 82 degrees per second, and may go at 30."""

STOPPED = _swinging(
    "stop",
    Outcome(60, _JOINT, "jointPosition", "/World/robot/to_rod", (20.0,)),
    _rate(60, 0.0, 0.2),
    limit=(-20.0, 20.0),
    position=(10.0,),
)
"""A rod that falls on a limit and stays there."""

WEAK = _swinging("bound of an effort by file", _accelerated(24, 1.5, 0.3), is_smooth=True,
                 drive=Drive(2.0, 0.0, 0.0, 0.0, 1.5), position=(2.0,))  # fmt: skip
HEAVY_ROTOR = _swinging("armature by file", _accelerated(24, 0.0, 5.3), is_smooth=True, armature=5.0)
RUBBED = _swinging("friction of a joint by file", _accelerated(24, 4.5, 0.3), friction=4.5)
VISCOUS = _swinging("viscous friction of a joint by file", _rate(48, 9.81 * 0.5 / 0.2, 0.05), viscous_friction=0.2)
"""A rod that a drive, a rotor or friction keeps from falling freely."""
