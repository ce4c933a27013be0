"""Robots with joints of several axes, each of which has limits and a drive of its own."""

from __future__ import annotations

from typing import Any

import attrs

from ovread_conformance.systems._model import Body, Drive, Joint, Robot, System, at

_BASE = Body("base", 3.0, at(), (0.3, 0.3, 0.4), at(1, 2, 3, about=(1, 2, 1), degrees=30))
_UPPER = Body("upper", 2.0, at(0.1, 0.05, 0.1, about=(1, 0, 2), degrees=20), (0.7, 0.8, 0.9))
_LOWER = Body("lower", 0.8, at(0.05, 0.1, 0.03, about=(0, 2, 3), degrees=50), (0.3, 0.35, 0.4))
_ELBOW = Joint("upper", "lower", "revolute", "Y", at(0.3, 0, 0.1), at(-0.2, 0, 0, about=(0, 0, 1), degrees=30),
               position=(15.0,), velocity=(25.0,), limit=(-90.0, 100.0),
               drive=Drive(0.1, 0.01, 30.0, 5.0, 100.0))  # fmt: skip


def _shoulder(name: str, **changes: Any) -> System:
    """Make a base, a D6 joint, and an arm of two links."""
    frames = {"frame0": at(0.4, 0, 0.1, about=(0, 1, 1), degrees=25), "frame1": at(-0.2, 0.1, 0)}
    joint = Joint("base", "upper", "d6", **{**frames, **changes})
    return System(name, gravity=(1.0, 2.0, -9.0), robots=(Robot("robot", (_BASE, _UPPER, _LOWER), (joint, _ELBOW)),))


_DRIVE = Drive(0.3, 0.01, 20.0, -4.0, 300.0)
_OTHERS = (Drive(0.5, 0.008, -15.0, 6.0, 200.0), Drive(0.4, 0.015, 10.0, 3.0, 250.0))
_BOUNDED: dict[str, Any] = {
    "limit": (-80.0, 90.0),
    "more_limits": ((-70.0, 60.0), (-50.0, 75.0)),
    "drive": _DRIVE,
    "more_drives": _OTHERS,
}

ABOUT_ONE_AXIS = _shoulder(
    "D6 joint about one axis",
    unlocked=("swing1",),
    position=(15.0,),
    velocity=(30.0,),
    limit=(-80.0, 90.0),
    drive=_DRIVE,
)
FROM_ZERO = _shoulder("D6 joint about three axes", velocity=(30.0, -20.0, 40.0), **_BOUNDED | {
                      "more_drives": tuple(attrs.evolve(drive, target=0.0) for drive in _OTHERS)})  # fmt: skip
"""At zero, and with a target about one axis, a rotation vector and successive turns are the same."""
TURNED = _shoulder("D6 joint about three axes, turned", position=(20.0, -30.0, 40.0), velocity=(30.0, -20.0, 40.0),
                   **_BOUNDED)  # fmt: skip
"""Here they are not."""
SLIDE_AND_TURN = _shoulder(
    "D6 joint along and about an axis",
    unlocked=("twist", "x"),
    position=(25.0, 0.2),
    velocity=(40.0, 0.3),
    limit=(-80.0, 90.0),
    more_limits=((-0.5, 0.8),),
    drive=_DRIVE,
    more_drives=(Drive(20.0, 2.0, 0.1, 0.05, 400.0),),
)
"""A joint of two axes, of which one turns and one slides."""
