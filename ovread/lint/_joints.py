"""Rules about which bodies joints connect, and where."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ovread.lint._asset import DISTANCE, FIXED, HINGE, SLIDE, has_schema, targets_of, value
from ovread.lint._frames import frames_apart
from ovread.lint._rule import Occurrence, Rule, Shows, collecting

if TYPE_CHECKING:
    from ovread.lint._asset import Asset, Joint, Tree
    from ovread.lint._editor import Editor

RULES: list[Rule] = []
rule = collecting(RULES, Shows.MOTION | Shows.JOINT | Shows.TREE | Shows.OBJECTS)


@rule(
    "world-hinge-welded",
    "a hinge or slider to the world in an articulation",
    "An empty side is the world: the body moves against it.",
    "Author a base link, fixed to the world, and hang the joint on it.",
)
def _welded(asset: Asset) -> Iterator[Occurrence]:
    for joint in asset.joints:
        if joint.kind in (HINGE, SLIDE) and joint.path in asset.articulated and _only_anchor(asset, joint):
            names_nothing = joint.bodies[0] is None and joint.targets[0] is None
            repair = functools.partial(_hang, joint.path) if names_nothing else None
            yield Occurrence(joint.path, "one side is the world", repair)


def _only_anchor(asset: Asset, joint: Joint) -> bool:
    return None in joint.bodies and asset.articulated[joint.path].anchors[0].path == joint.path


def _hang(path: str, editor: Editor) -> None:
    """Put a base link, with the world's axes, between the world and a joint."""
    base = f"{path}_base"
    editor.define(base, "Xform")
    editor.set(base, "xformOpOrder", "token[]", ["!resetXformStack!"])
    for schema in ("PhysicsRigidBodyAPI", "PhysicsMassAPI"):
        editor.apply(base, schema)
    editor.set(base, "physics:mass", "float", 1.0)
    editor.set(base, "physics:diagonalInertia", "float3", (1.0, 1.0, 1.0))
    editor.define(f"{base}_fixed", FIXED)
    editor.relate(f"{base}_fixed", "physics:body1", base)
    editor.relate(path, "physics:body0", base)


@rule(
    "world-joint-sign",
    "a joint whose body0 moves against the world on its body1 side",
    "The joint's value is the motion of body1 against body0, whichever of them is the world.",
    "Author the world as body0, with the signs of state, limits and targets reversed.",
)
def _sign(asset: Asset) -> Iterator[Occurrence]:
    for joint in asset.joints:
        if joint.moves and joint.kind != DISTANCE and joint.bodies[0] is not None and joint.bodies[1] is None:
            yield Occurrence(joint.path, f"body0 is {joint.bodies[0]}, body1 the world")


@rule(
    "world-anchor",
    "a moving joint to the world whose frames are apart",
    "The world's frame is where it is authored, and the body moves there.",
    "Author the body where the joint holds it.",
)
def _anchor(asset: Asset) -> Iterator[Occurrence]:
    for joint in asset.joints:
        if joint.kind in (HINGE, SLIDE) and None in joint.bodies:
            distance = frames_apart(asset, joint)
            if distance:
                yield Occurrence(joint.path, distance)


@rule(
    "fixed-base-frame",
    "a fixed joint to the world, of an articulation whose root is a link or of none, whose frames are apart",
    "The world's frame is where it is authored, and the body moves there.",
    "Author the body where the joint holds it.",
)
def _base(asset: Asset) -> Iterator[Occurrence]:
    for joint in asset.joints:
        if joint.kind == FIXED and None in joint.bodies and any(joint.bodies):
            tree = asset.articulated.get(joint.path)
            distance = frames_apart(asset, joint)
            if distance and (tree is None or tree.root in tree.bodies):
                yield Occurrence(joint.path, distance)


@rule(
    "swapped-bodies",
    "a joint in an articulation whose body1 is nearer to the root than its body0",
    "Either side may be the one nearer to the root.",
    "Exchange body0 and body1 with their frames, and reverse the signs of state, limits and targets.",
)
def _swapped(asset: Asset) -> Iterator[Occurrence]:
    for tree in asset.trees:
        if tree.root and not tree.is_cyclic:
            for joint in _towards_the_root(tree, _start(tree, asset)):
                yield Occurrence(joint.path, f"{joint.bodies[1]} is nearer to the root than {joint.bodies[0]}")


def _start(tree: Tree, asset: Asset) -> set[str]:
    """Return the bodies that a tree of joints starts at: anchored ones, else the root link, else none."""
    anchored = {body for joint in tree.anchors for body in joint.bodies if body is not None}
    kinematic = {body for body in tree.bodies if body not in asset.dynamic_bodies}
    return anchored or kinematic or ({body for body in tree.bodies if body == tree.root})


def _towards_the_root(tree: Tree, start: set[str]) -> Iterator[Joint]:
    left = [joint for joint in tree.joints if None not in joint.bodies]
    if not start:
        children = {joint.bodies[1] for joint in left}
        start = set(sorted(tree.bodies - children)[:1])
    reached = set(start)
    while left:
        touching = [joint for joint in left if reached.intersection(joint.bodies)]
        if not touching:
            return
        for joint in touching:
            first, second = joint.bodies
            if first not in reached and second in reached:
                yield joint
        reached.update(body for joint in touching for body in joint.bodies if body is not None)
        left = [joint for joint in left if joint not in touching]


@rule(
    "merged-joints",
    "several joints between the same two bodies in an articulation",
    "All joints between two bodies hold at once.",
    "Author one PhysicsJoint with an axis for each, or links between.",
)
def _merged(asset: Asset) -> Iterator[Occurrence]:
    joints = [joint for joint in asset.joints if joint.path in asset.articulated and None not in joint.bodies]
    pairs = Counter(frozenset(joint.bodies) for joint in joints)
    for joint in joints:
        count = pairs[frozenset(joint.bodies)]
        if count > 1:
            yield Occurrence(joint.path, f"it is one of {count} between {joint.bodies[0]} and {joint.bodies[1]}")


@rule(
    "joint-target",
    "a joint whose side names a prim below a rigid body",
    "The side is the rigid body above the prim, and the prim's frame.",
    "Name the rigid body, with the prim's frame in the joint's.",
)
def _target(asset: Asset) -> Iterator[Occurrence]:
    for joint in asset.joints:
        for target, body in zip(joint.targets, joint.bodies, strict=True):
            if body is not None and target != body:
                yield Occurrence(joint.path, f"{target} is below {body}")


@rule(
    "joint-outside-articulation",
    "a joint that is in no articulation",
    "Joints hold bodies together in an articulation and outside.",
    "Apply PhysicsArticulationRootAPI to a prim above the bodies.",
)
def _outside(asset: Asset) -> Iterator[Occurrence]:
    for tree in asset.trees:
        if tree.root is None and not tree.is_cyclic:
            for joint in tree.joints:
                yield Occurrence(joint.path, "no articulation root is above it")


@rule(
    "loop-outside-articulation",
    "joints that close a loop and are in no articulation",
    "Joints hold bodies together in an articulation and outside.",
    "Make an articulation of all but one joint, and exclude that from it.",
)
def _loose_loop(asset: Asset) -> Iterator[Occurrence]:
    for tree in asset.trees:
        if tree.root is None and tree.is_cyclic:
            for joint in tree.joints:
                yield Occurrence(joint.path, "it is one of a loop")


@rule(
    "excluded-joint",
    "a joint that excludeFromArticulation keeps out of an articulation",
    "The joint holds its bodies together, as a constraint of its own.",
    "Leave loops open, or take a solver that closes them.",
)
def _excluded(asset: Asset) -> Iterator[Occurrence]:
    for joint in asset.joints:
        if joint.excluded and any(joint.bodies):
            yield Occurrence(joint.path, "physics:excludeFromArticulation is true")


@rule(
    "closed-loop",
    "an articulation whose joints close a loop",
    "An articulation is a tree: a joint that closes a loop is to be excluded from it.",
    "Set physics:excludeFromArticulation on one joint of the loop.",
)
def _loop(asset: Asset) -> Iterator[Occurrence]:
    for tree in asset.trees:
        if tree.root and tree.is_cyclic:
            yield Occurrence(tree.root, f"{len(tree.joints)} joints connect {len(tree.bodies)} bodies")


@rule(
    "mimic-joint",
    "a joint that follows another one by PhysxMimicJointAPI",
    "Its position plus gearing times that of the other plus offset is zero.",
    "Author NewtonMimicAPI, which both engines take.",
)
def _mimic(asset: Asset) -> Iterator[Occurrence]:
    kinds = {joint.path: joint.kind for joint in asset.joints}
    for prim, axis in asset.instances("PhysxMimicJointAPI"):
        if _is_plain(prim, axis, kinds):
            yield Occurrence(str(prim.GetPath()), f"PhysxMimicJointAPI:{axis} is applied")


def _is_plain(prim: object, axis: str, kinds: dict[str, str]) -> bool:
    """Return whether a mimic couples two joints of the same kind, of one axis each, without compliance."""
    leader = next(iter(targets_of(prim, f"physxMimicJoint:{axis}:referenceJoint")), "")
    kind = kinds.get(leader)
    frequency = value(prim, f"physxMimicJoint:{axis}:naturalFrequency", 0.0)
    return kind in (HINGE, SLIDE) and kind == str(prim.GetTypeName()) and frequency <= 0  # type: ignore[attr-defined]


_GEARS = ("PhysxPhysicsGearJoint", "PhysxPhysicsRackAndPinionJoint")


@rule(
    "coupled-joints",
    "a gear, a rack and pinion, or a joint that follows another one with compliance",
    "The coordinates of the joints stay in proportion.",
    "Author NewtonMimicAPI, which both engines take.",
)
def _coupled(asset: Asset) -> Iterator[Occurrence]:
    for prim in asset.of_type(*_GEARS):
        yield Occurrence(str(prim.GetPath()), f"it is a {prim.GetTypeName()}")
    kinds = {joint.path: joint.kind for joint in asset.joints}
    for prim, axis in asset.instances("PhysxMimicJointAPI"):
        if not _is_plain(prim, axis, kinds):
            yield Occurrence(str(prim.GetPath()), f"PhysxMimicJointAPI:{axis} is applied")


@rule(
    "fixed-mimic",
    "a fixed joint with NewtonMimicAPI",
    "A fixed joint has no position that could follow another.",
    "Take NewtonMimicAPI from the joint.",
)
def _fixed_mimic(asset: Asset) -> Iterator[Occurrence]:
    for joint in asset.joints:
        if joint.kind == FIXED and has_schema(joint.prim, "NewtonMimicAPI"):
            repair = functools.partial(_take, joint.path, ("NewtonMimicAPI",))
            yield Occurrence(joint.path, "NewtonMimicAPI is applied", repair)


def _take(path: str, schemas: Sequence[str], editor: Editor) -> None:
    editor.remove(path, *schemas)


@rule(
    "link-velocity",
    "a velocity of a link that hangs on a joint",
    "The schema does not say which counts, the velocity of the link or that of its joint; by ovread's conventions the "
    "joint's does.",
    "Author the velocity of the joint in PhysicsJointStateAPI.",
    contested=True,
)
def _link_velocity(asset: Asset) -> Iterator[Occurrence]:
    for tree in asset.trees:
        if not tree.root:
            continue
        moved = {body for joint in tree.joints for body in _moved(joint)}
        for body in sorted(moved):
            names = ("physics:velocity", "physics:angularVelocity")
            given = [name for name in names if np.any(value(asset.bodies[body], name, 0.0))]
            if given:
                yield Occurrence(body, f"authored: {', '.join(given)}")


def _moved(joint: Joint) -> list[str]:
    """Return the body that a joint moves; where one side is the world, the other one."""
    first, second = joint.bodies
    return [body for body in ([second] if second is not None else [first]) if body is not None]
