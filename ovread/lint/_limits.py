"""Rules about the limits and axes of joints."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ovread.lint._asset import AXES, DISTANCE, GENERIC, HINGE, SLIDE, SPHERICAL, has_schema, is_authored, value
from ovread.lint._rule import Occurrence, Rule, Shows, collecting

if TYPE_CHECKING:
    from ovread.lint._asset import Asset, Joint
    from ovread.lint._editor import Editor

RULES: list[Rule] = []
rule = collecting(RULES, Shows.MOTION | Shows.JOINT)

_FAR = 1e6
"""Stands for no limit, in degrees or stage lengths: engines take it as a number like others."""
_HALF_TURN = 180.0
_TURNS, _SHIFTS = AXES[3:], AXES[:3]


def _limits(joint: Joint) -> tuple[float, float]:
    low = float(value(joint.prim, "physics:lowerLimit", -math.inf))
    return low, float(value(joint.prim, "physics:upperLimit", math.inf))


def _singles(asset: Asset) -> list[Joint]:
    return [joint for joint in asset.joints if joint.kind in (HINGE, SLIDE)]


def _range_of(joint: Joint, axis: str) -> tuple[float, float]:
    """Return the limits of an axis of a D6 joint: infinite where no schema limits it."""
    if not has_schema(joint.prim, "PhysicsLimitAPI", axis):
        return -math.inf, math.inf
    low = float(value(joint.prim, f"limit:{axis}:physics:low", -math.inf))
    return low, float(value(joint.prim, f"limit:{axis}:physics:high", math.inf))


def open_axes(joint: Joint, axes: tuple[str, ...]) -> list[str]:
    """Return the axes of a D6 joint that are not locked."""
    ranges = {axis: _range_of(joint, axis) for axis in axes}
    return [axis for axis, (low, high) in ranges.items() if low < high]


@rule(
    "one-sided-limit-locks",
    "a hinge or slider in an articulation with only a lower or only an upper limit",
    "A limit of minus or plus infinity is none: the joint is free on that side.",
    "Author a large finite number, such as 1e6, for the other side.",
    only=("jointLimit",),
)
def _one_sided(asset: Asset) -> Iterator[Occurrence]:
    for joint in _singles(asset):
        low, high = _limits(joint)
        # Large finite numbers are limits like others, and lock nothing.
        if joint.path in asset.articulated and math.isinf(low) != math.isinf(high) and low < high:
            name, far = ("lower", -_FAR) if math.isinf(low) else ("upper", _FAR)
            repair = functools.partial(_bound, joint.path, f"physics:{name}Limit", far)
            yield Occurrence(joint.path, f"the limits are ({low:g}, {high:g})", repair)


def _bound(path: str, name: str, far: float, editor: Editor) -> None:
    editor.set(path, name, "float", far)


@rule(
    "wide-limit-locks",
    "a PhysicsJoint in an articulation with a limit of a rotation beyond 180 degrees",
    "The axis turns until it is at the limit.",
    "Author a PhysicsRevoluteJoint, or limits within 180 degrees.",
    only=("jointLimit",),
)
def _wide(asset: Asset) -> Iterator[Occurrence]:
    for joint in asset.joints:
        if joint.kind == GENERIC and joint.path in asset.articulated:
            for axis in _TURNS:
                low, high = _range_of(joint, axis)
                is_free = math.isinf(low) and math.isinf(high)
                if low < high and not is_free and (low < -_HALF_TURN or high > _HALF_TURN):
                    yield Occurrence(joint.path, f"the limits of {axis} are ({low:g}, {high:g})")


@rule(
    "inverted-limit",
    "a hinge or slider whose lower limit is above its upper limit",
    "The schema says nothing of it for hinges and sliders; for axes of other joints it means locked.",
    "Author a PhysicsFixedJoint.",
    contested=True,
    only=("jointLimit",),
)
def _inverted(asset: Asset) -> Iterator[Occurrence]:
    for joint in _singles(asset):
        low, high = _limits(joint)
        if low > high:
            yield Occurrence(joint.path, f"the limits are ({low:g}, {high:g})")


@rule(
    "equal-limits",
    "a hinge or slider whose limits are equal",
    "The joint cannot move.",
    "Author a PhysicsFixedJoint, or limits that are apart.",
    only=("jointLimit",),
)
def _equal(asset: Asset) -> Iterator[Occurrence]:
    for joint in _singles(asset):
        low, high = _limits(joint)
        if low == high:
            yield Occurrence(joint.path, f"both limits are {low:g}")


@rule(
    "cone-limit",
    "a spherical joint with cone limits",
    "The joint's axis stays within a cone about that of the first body.",
    "Author a PhysicsJoint with limits of rotX, rotY and rotZ.",
    only=("jointLimit",),
)
def _cone(asset: Asset) -> Iterator[Occurrence]:
    for joint in asset.joints:
        if joint.kind == SPHERICAL:
            angles = [float(value(joint.prim, f"physics:coneAngle{side}Limit", -1.0)) for side in (0, 1)]
            if any(angle >= 0 for angle in angles):
                yield Occurrence(joint.path, f"the cone's angles are ({angles[0]:g}, {angles[1]:g}) degrees")


@rule(
    "distance-limit",
    "a joint that limits the distance of two points",
    "The distance of the joint's points stays between the two numbers, where they are not negative.",
    "Limit the translations of a PhysicsJoint.",
)
def _distance(asset: Asset) -> Iterator[Occurrence]:
    for joint in asset.joints:
        if joint.kind == DISTANCE or has_schema(joint.prim, "PhysicsLimitAPI", "distance"):
            yield Occurrence(joint.path, f"it is a {joint.kind}")


@rule(
    "free-axis",
    "an axis of a PhysicsJoint without PhysicsLimitAPI",
    "An axis without a limit schema is free.",
    "Apply PhysicsLimitAPI to the axis, with limits of minus and plus infinity.",
    shows=Shows.MOTION | Shows.JOINT | Shows.TREE | Shows.OBJECTS,
)
def _free(asset: Asset) -> Iterator[Occurrence]:
    for joint in asset.joints:
        if joint.kind == GENERIC:
            free = [axis for axis in AXES if not has_schema(joint.prim, "PhysicsLimitAPI", axis)]
            if free:
                repair = functools.partial(_limit_freely, joint.path, free)
                yield Occurrence(joint.path, f"without limits: {', '.join(free)}", repair)


def _limit_freely(path: str, axes: list[str], editor: Editor) -> None:
    for axis in axes:
        editor.apply(path, f"PhysicsLimitAPI:{axis}")
        editor.set(path, f"limit:{axis}:physics:low", "float", -math.inf)
        editor.set(path, f"limit:{axis}:physics:high", "float", math.inf)


@rule(
    "articulation-slides-locked",
    "a PhysicsJoint in an articulation with a translation that is not locked",
    "The axis moves freely, or within its limits.",
    "Author a PhysicsPrismaticJoint, with links between where several axes move.",
    shows=Shows.MOTION | Shows.JOINT | Shows.TREE | Shows.OBJECTS,
)
def _slides(asset: Asset) -> Iterator[Occurrence]:
    for joint in asset.joints:
        if joint.kind == GENERIC and joint.path in asset.articulated:
            moving = open_axes(joint, _SHIFTS)
            if moving:
                yield Occurrence(joint.path, f"it moves along {', '.join(moving)}")


@rule(
    "successive-turns",
    "a PhysicsJoint that rotates about several axes",
    "The schema does not say what the angles mean together; by ovread's conventions they are the components of a "
    "rotation vector.",
    "Author a PhysicsRevoluteJoint for each axis, with links between.",
    contested=True,
    shows=Shows.MOTION | Shows.JOINT | Shows.TREE,
)
def _turns(asset: Asset) -> Iterator[Occurrence]:
    for joint in asset.joints:
        turning = open_axes(joint, _TURNS) if joint.kind == GENERIC else []
        if len(turning) > 1:
            yield Occurrence(joint.path, f"it turns about {', '.join(turning)}")


@rule(
    "multi-axis-state",
    "a PhysicsJoint with states or targets about several axes",
    "The schema does not say what the angles mean together; by ovread's conventions they are the components of a "
    "rotation vector.",
    "Author a PhysicsRevoluteJoint for each axis, with links between.",
    contested=True,
)
def _state(asset: Asset) -> Iterator[Occurrence]:
    names = ("state:{}:physics:position", "drive:{}:physics:targetPosition")
    for joint in asset.joints:
        if joint.kind != GENERIC or len(open_axes(joint, _TURNS)) < 2:
            continue
        for name in names:
            turned = [axis for axis in _TURNS if value(joint.prim, name.format(axis), 0.0)]
            if len(turned) > 1:
                yield Occurrence(joint.path, f"authored: {', '.join(name.format(axis) for axis in turned)}")


@rule(
    "soft-limit",
    "a joint limit with PhysxLimitAPI",
    "The limit is a spring, or has a restitution.",
    "Author newton:limitStiffness and newton:limitDamping beside, which only one engine takes.",
    only=("jointLimit",),
)
def _soft(asset: Asset) -> Iterator[Occurrence]:
    for prim, axis in asset.instances("PhysxLimitAPI"):
        names = [f"physxLimit:{axis}:{name}" for name in ("stiffness", "restitution")]
        given = [name for name in names if value(prim, name, 0.0)]
        if given:
            yield Occurrence(str(prim.GetPath()), f"authored: {', '.join(given)}")


@rule(
    "joint-rate-cap",
    "a slider in an articulation on a stage whose unit is less than a centimetre",
    "Nothing limits how fast a joint moves but its velocity limit.",
    "Author the stage in metres or centimetres.",
)
def _rate(asset: Asset) -> Iterator[Occurrence]:
    if asset.units.meters_per_unit < 0.01:
        for joint in asset.joints:
            if joint.kind == SLIDE and joint.path in asset.articulated:
                yield Occurrence(joint.path, f"metersPerUnit is {asset.units.meters_per_unit:g}")


@rule(
    "break-force",
    "a joint that breaks",
    "The joint is gone after a force or torque above the number.",
    "Watch the joint's force, and disable it in your loop.",
)
def _breaks(asset: Asset) -> Iterator[Occurrence]:
    for joint in asset.joints:
        names = [name for name in ("physics:breakForce", "physics:breakTorque") if is_authored(joint.prim, name)]
        given = [name for name in names if float(value(joint.prim, name, math.inf)) < 3e38]
        if given:
            yield Occurrence(joint.path, f"authored: {', '.join(given)}")
