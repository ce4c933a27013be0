"""Wrong readings of joints: other units, other sides, other frames, and successive turns for a rotation vector."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pinocchio as pin

from ovread import UNLIMITED
from ovread_conformance.corruptions._changes import Change, Values, numbers, parts_of
from ovread_conformance.recording import Reading, Recording
from ovread_conformance.systems import Body, Joint

_DEGREE = np.pi / 180


def angular_part(factor: float) -> Change:
    """Scale rotational axes alone."""

    def change(recording: Recording, tick: int, reading: Reading) -> Values:
        changed = numbers(reading)
        for path, part in zip(reading.paths, parts_of(reading, changed), strict=True):
            joint = recording.system.joint_at(path)
            if joint is not None and not joint.is_linear:
                part *= np.where(np.abs(part) < UNLIMITED, factor, 1.0)
        return changed

    return change


def child_to_parent(recording: Recording, tick: int, reading: Reading) -> Values:
    """Give the outer link relative to the inner, whichever is body0."""
    changed = numbers(reading)
    for path, part in zip(reading.paths, parts_of(reading, changed), strict=True):
        joint = recording.system.joint_at(path)
        if joint is not None and joint.is_swapped:
            part *= -1
    return changed


def _of_several_axes(which: Callable[[Values, Values], Values]) -> Change:
    """Change the elements of joints with three rotational axes: of their coordinates' rotation and of themselves."""

    def change(recording: Recording, tick: int, reading: Reading) -> Values:
        changed = numbers(reading)
        for path, part in zip(reading.paths, parts_of(reading, changed), strict=True):
            coordinates = recording.of(tick, reading.row.object_type, "jointPosition", path)
            if len(part) == 3 and coordinates is not None:
                part[:, 0] = which(pin.exp3(_DEGREE * coordinates.ravel().astype(float)), part[:, 0])
        return changed

    return change


def _successive(turn: Values, coordinates: Values) -> Values:
    """Return the angles about x, then the turned y, then the turned z."""
    return np.degrees([np.arctan2(-turn[1, 2], turn[2, 2]), np.arcsin(turn[0, 2]), np.arctan2(-turn[0, 1], turn[0, 0])])


successive_turns = _of_several_axes(_successive)
in_the_inner_frame = _of_several_axes(lambda turn, rates: turn @ rates)


def _inbound(recording: Recording, reading: Reading, changed: Values) -> Iterator[tuple[Joint, Body, Values]]:
    """Give the inbound joint of each link that has one, the link, and its values."""
    known = {
        recording.system.link_path(robot, link.name): (robot.inbound(link.name), link)
        for robot in recording.system.robots
        for link in robot.links
    }
    for path, value in zip(reading.paths, changed, strict=True):
        joint, link = known.get(path, (None, None))
        if joint is not None and link is not None:
            yield joint, link, value


def in_link_axes(recording: Recording, tick: int, reading: Reading) -> Values:
    """Give the joint's force and torque in the axes of the link, not in those of its joint frame."""
    changed = numbers(reading)
    for joint, _, value in _inbound(recording, reading, changed):
        turn = joint.sides[1].rotation
        value[:3], value[3:] = turn @ value[:3], turn @ value[3:]
    return changed


def about_the_centre(recording: Recording, tick: int, reading: Reading) -> Values:
    """Give the joint's torque about the link's centre of mass, not about the joint's origin."""
    changed = numbers(reading)
    for joint, link, value in _inbound(recording, reading, changed):
        value[3:] -= np.cross(joint.sides[1].actInv(link.centre.translation), value[:3])
    return changed
