"""Rules about drives, friction and other properties of joints."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ovread.lint._asset import AXES, GENERIC, HINGE, SLIDE, SPHERICAL, has_schema, is_authored, value
from ovread.lint._limits import open_axes
from ovread.lint._rule import Occurrence, Rule, Shows, collecting

if TYPE_CHECKING:
    from ovread.lint._asset import Asset, Joint
    from ovread.lint._editor import Editor

RULES: list[Rule] = []
rule = collecting(RULES, Shows.MOTION | Shows.JOINT)

_INSTANCES = ("linear", "angular", *AXES)
_MATCHING = {HINGE: ("angular",), SLIDE: ("linear",), GENERIC: AXES}
_UNLIMITED = 3e38


def _drive(prim: Any, axis: str, name: str) -> float:
    return float(value(prim, f"drive:{axis}:physics:{name}", 0.0))


def _drives(asset: Asset) -> Iterator[tuple[str, Any, str]]:
    for prim, axis in asset.instances("PhysicsDriveAPI"):
        yield str(prim.GetPath()), prim, axis


@rule(
    "acceleration-drive",
    "a drive of type acceleration",
    "Stiffness and damping give accelerations, whatever the mass that moves.",
    "Author a drive of type force, its gains multiplied by the inertia that the joint moves.",
    only=("jointDriveType",),
)
def _acceleration(asset: Asset) -> Iterator[Occurrence]:
    for path, prim, axis in _drives(asset):
        has_gains = _drive(prim, axis, "stiffness") or _drive(prim, axis, "damping")
        if has_gains and value(prim, f"drive:{axis}:physics:type", "force") == "acceleration":
            yield Occurrence(path, f"drive:{axis}:physics:type is acceleration")


@rule(
    "velocity-target",
    "a drive with a velocity target beside stiffness and damping",
    "The drive pushes towards both targets: stiffness times the one error plus damping times the other.",
    "Author a position target that is further by damping times velocity over stiffness, and no velocity target.",
)
def _velocity_target(asset: Asset) -> Iterator[Occurrence]:
    for path, prim, axis in _drives(asset):
        stiffness, damping, target = (_drive(prim, axis, name) for name in ("stiffness", "damping", "targetVelocity"))
        if stiffness and damping and target:
            position = _drive(prim, axis, "targetPosition") + damping * target / stiffness
            repair = functools.partial(_retarget, path, axis, position)
            yield Occurrence(path, f"drive:{axis}:physics:targetVelocity is {target:g}", repair)


def _retarget(path: str, axis: str, position: float, editor: Editor) -> None:
    editor.set(path, f"drive:{axis}:physics:targetPosition", "float", position)
    editor.set(path, f"drive:{axis}:physics:targetVelocity", "float", 0.0)


@rule(
    "target-wraps",
    "a position target of more than a turn on a hinge without limits",
    "The joint turns to the target, several times round if need be.",
    "Author limits that are wide, such as -1e6 and 1e6.",
    only=("jointPositionTarget",),
)
def _wraps(asset: Asset) -> Iterator[Occurrence]:
    kinds = {joint.path: joint.kind for joint in asset.joints}
    for path, prim, axis in _drives(asset):
        limits = [float(value(prim, f"physics:{side}Limit", math.inf)) for side in ("lower", "upper")]
        target = _drive(prim, axis, "targetPosition")
        if kinds.get(path) == HINGE and axis == "angular" and abs(target) > 360 and any(map(math.isinf, limits)):
            yield Occurrence(path, f"the target is {target:g} degrees", functools.partial(_widen, path))


def _widen(path: str, editor: Editor) -> None:
    editor.set(path, "physics:lowerLimit", "float", -1e6)
    editor.set(path, "physics:upperLimit", "float", 1e6)


@rule(
    "target-outside-limits",
    "a position target outside of the joint's limits, or limits that leave out the default target of 0",
    "The drive pushes towards the target, as far as the limits let it.",
    "Author a target within the limits.",
    only=("jointPositionTarget",),
)
def _outside(asset: Asset) -> Iterator[Occurrence]:
    instances = {HINGE: "angular", SLIDE: "linear"}
    for joint in asset.joints:
        axis = instances.get(joint.kind)
        if axis and joint.path in asset.articulated:
            low, high = (float(value(joint.prim, f"physics:{side}Limit", 0.0)) for side in ("lower", "upper"))
            target = _drive(joint.prim, axis, "targetPosition")
            nearest = min(max(target, low), high)
            if low < high and nearest != target:
                repair = None if _stray(joint, "drive") else functools.partial(_aim, joint.path, axis, nearest)
                yield Occurrence(joint.path, f"the target is {target:g}, the limits are ({low:g}, {high:g})", repair)


def _aim(path: str, axis: str, target: float, editor: Editor) -> None:
    editor.apply(path, f"PhysicsDriveAPI:{axis}")
    editor.set(path, f"drive:{axis}:physics:targetPosition", "float", target)


@rule(
    "undriven-joint",
    "a joint in an articulation without a drive",
    "The schema does not say what limits a joint that nothing drives, or what it does with gains that are written.",
    "Apply PhysicsDriveAPI; without gains it does nothing.",
    contested=True,
    shows=Shows.JOINT,
    only=("jointMaxForce", "jointDriveType"),
)
def _undriven(asset: Asset) -> Iterator[Occurrence]:
    for joint in asset.joints:
        if joint.path in asset.articulated:
            axes = {HINGE: ["angular"], SLIDE: ["linear"], GENERIC: open_axes(joint, AXES[3:])}.get(joint.kind, [])
            idle = [axis for axis in axes if not has_schema(joint.prim, "PhysicsDriveAPI", axis)]
            if idle or joint.kind == SPHERICAL:
                repair = (
                    functools.partial(_drive_idly, joint.path, idle) if idle and not _stray(joint, "drive") else None
                )
                yield Occurrence(joint.path, f"without a drive: {', '.join(idle) or 'all axes'}", repair)


def _drive_idly(path: str, axes: list[str], editor: Editor) -> None:
    for axis in axes:
        editor.apply(path, f"PhysicsDriveAPI:{axis}")


_BY_INSTANCE = {"drive": "PhysicsDriveAPI", "state": "PhysicsJointStateAPI"}


def _stray(joint: Joint, *namespaces: str) -> list[str]:
    """Return the authored attributes of drives and states whose schema is not applied."""
    found = []
    for attribute in joint.prim.GetAuthoredAttributes():
        namespace, _, rest = str(attribute.GetName()).partition(":")
        axis, _, _ = rest.partition(":")
        if namespace in namespaces and not has_schema(joint.prim, _BY_INSTANCE[namespace], axis):
            found.append(str(attribute.GetName()))
    return found


@rule(
    "unapplied-schema",
    "attributes of a drive or a state of a joint that the schema is not applied for",
    "Attributes of an API schema mean nothing on a prim that it is not applied to.",
    "Apply PhysicsDriveAPI or PhysicsJointStateAPI for the axis, or take the attributes away.",
)
def _unapplied(asset: Asset) -> Iterator[Occurrence]:
    for joint in asset.joints:
        stray = _stray(joint, *_BY_INSTANCE)
        if any(value(joint.prim, name, 0.0) for name in stray):
            yield Occurrence(joint.path, f"authored: {', '.join(stray)}")


@rule(
    "unmatched-drive",
    "a drive for an axis that the type of joint does not have",
    "A drive acts on the axis that it is applied for.",
    "Apply PhysicsDriveAPI for linear to a slider, for angular to a hinge.",
)
def _unmatched(asset: Asset) -> Iterator[Occurrence]:
    kinds = {joint.path: joint.kind for joint in asset.joints}
    for path, prim, axis in _drives(asset):
        if path in kinds and axis not in _MATCHING.get(kinds[path], ()):
            has_gains = _drive(prim, axis, "stiffness") or _drive(prim, axis, "damping")
            if has_gains:
                yield Occurrence(path, f"a {kinds[path]} with a drive for {axis}")


def _given(prim: Any, axis: str) -> dict[str, float]:
    """Return what PhysxJointAxisAPI says of an axis, in the words of NewtonJointAPI, as far as it changes anything."""
    names = {
        "armature": "armature",
        "dynamicFrictionEffort": "friction",
        "viscousFrictionCoefficient": "damping",
        "maxJointVelocity": "velocityLimit",
    }
    found = {}
    for theirs, ours in names.items():
        number = value(prim, f"physxJointAxis:{axis}:{theirs}", None)
        if number is not None and (0 <= number < _UNLIMITED if ours == "velocityLimit" else number > 0):
            found[ours] = float(number)
    return found


@rule(
    "joint-axis-schema",
    "armature, friction or a velocity limit of PhysxJointAxisAPI alone",
    "They are the joint's.",
    "Author NewtonJointAPI beside, which both engines take.",
)
def _axis_schema(asset: Asset) -> Iterator[Occurrence]:
    for prim, axis in asset.instances("PhysxJointAxisAPI"):
        given = _given(prim, axis)
        if given and not has_schema(prim, "NewtonJointAPI"):
            single = str(prim.GetTypeName()) in (HINGE, SLIDE)
            repair = functools.partial(_say_again, str(prim.GetPath()), given) if single else None
            yield Occurrence(str(prim.GetPath()), f"it has {', '.join(given)} for {axis}", repair)


def _say_again(path: str, given: dict[str, float], editor: Editor) -> None:
    editor.apply(path, "NewtonJointAPI")
    for name, number in given.items():
        editor.set(path, f"newton:{name}", "float", number)


@rule(
    "joint-schema",
    "armature, friction or a velocity limit of PhysxJointAPI",
    "They are the joint's, in a version of the schema that is no more.",
    "Author NewtonJointAPI.",
)
def _joint_schema(asset: Asset) -> Iterator[Occurrence]:
    names = {"armature": "armature", "jointFriction": "friction", "maxJointVelocity": "velocityLimit"}
    for prim in asset.with_schema("PhysxJointAPI"):
        authored = {ours: value(prim, f"physxJoint:{theirs}", 0.0) for theirs, ours in names.items()}
        given = {name: float(number) for name, number in authored.items() if 0 < number < _UNLIMITED}
        if given and not has_schema(prim, "NewtonJointAPI"):
            repair = functools.partial(_say_again, str(prim.GetPath()), given)
            yield Occurrence(str(prim.GetPath()), f"it has {', '.join(given)}", repair)


@rule(
    "joint-friction",
    "a joint whose static friction is another than its dynamic friction",
    "The joint rests until an effort exceeds its static friction, and is slowed by the dynamic friction then.",
    "Author the two alike.",
)
def _friction(asset: Asset) -> Iterator[Occurrence]:
    for prim, axis in asset.instances("PhysxJointAxisAPI"):
        static, dynamic = (
            float(value(prim, f"physxJointAxis:{axis}:{name}FrictionEffort", 0.0)) for name in ("static", "dynamic")
        )
        if not math.isclose(static, dynamic, rel_tol=1e-6):
            yield Occurrence(str(prim.GetPath()), f"static {static:g} and dynamic {dynamic:g} for {axis}")


@rule(
    "velocity-limit",
    "a joint with a maximal velocity",
    "The joint moves no faster.",
    "Limit the velocity in the controller.",
    only=("jointMaxVelocity",),
)
def _velocity_limit(asset: Asset) -> Iterator[Occurrence]:
    for joint in asset.joints:
        names = [f"physxJointAxis:{axis}:maxJointVelocity" for axis in _INSTANCES]
        for name in ("newton:velocityLimit", *names):
            if is_authored(joint.prim, name) and 0 <= float(value(joint.prim, name, math.inf)) < _UNLIMITED:
                yield Occurrence(joint.path, f"{name} is {value(joint.prim, name, 0.0):g}")


@rule(
    "drive-envelope",
    "a drive with a performance envelope",
    "What a drive can give depends on how fast the joint moves.",
    "Limit the effort in the controller; drive:physics:maxForce is taken by all.",
)
def _envelope(asset: Asset) -> Iterator[Occurrence]:
    names = ("maxActuatorVelocity", "speedEffortGradient", "velocityDependentResistance")
    for prim, axis in asset.instances("PhysxDrivePerformanceEnvelopeAPI"):
        given = [name for name in names if is_authored(prim, f"physxDrivePerformanceEnvelope:{axis}:{name}")]
        if given:
            yield Occurrence(str(prim.GetPath()), f"it has {', '.join(given)} for {axis}")
