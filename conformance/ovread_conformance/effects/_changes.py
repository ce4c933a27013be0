"""What changes a system: a body, a joint or a drive with other numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs

from ovread_conformance.effects._effect import Change
from ovread_conformance.systems import Body, Joint, System


def body(name: str, **values: Any) -> Change:
    """Return what changes a body or a link."""
    return lambda system: _with_bodies(system, lambda each: attrs.evolve(each, **values) if each.name == name else each)


def joint(name: str, **values: Any) -> Change:
    """Return what changes the joint that leads to a link."""
    return lambda system: _with_joints(
        system, lambda each: attrs.evolve(each, **values) if each.child == name else each
    )


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
