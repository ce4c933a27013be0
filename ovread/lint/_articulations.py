"""Rules about articulation roots."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ovread.lint._asset import FIXED, ROOT_SCHEMAS, Tree, has_schema, is_authored, lineage, value
from ovread.lint._rule import Occurrence, Rule, Shows, collecting

if TYPE_CHECKING:
    from ovread.lint._asset import Asset
    from ovread.lint._editor import Editor

RULES: list[Rule] = []
rule = collecting(RULES, Shows.MOTION | Shows.TREE | Shows.OBJECTS)


def _trees_of(asset: Asset) -> dict[str, list[Tree]]:
    found: dict[str, list[Tree]] = {}
    for tree in asset.trees:
        if tree.root is not None:
            found.setdefault(tree.root, []).append(tree)
    return found


def _first_links(tree: Tree) -> list[str]:
    """Return the bodies that are never body1, as far as one of them can be the root."""
    return sorted(tree.bodies - {joint.bodies[1] for joint in tree.joints})


def _new_root(tree: Tree) -> str | None:
    """Return the prim that the root schema belongs on: the joint to the world, or the only first link."""
    if tree.anchors:
        fixed = [joint.path for joint in tree.anchors if joint.kind == FIXED]
        return fixed[0] if len(tree.anchors) == len(fixed) == 1 else None
    links = _first_links(tree)
    return links[0] if len(links) == 1 else None


def _move(root: str, targets: Sequence[str], editor: Editor) -> None:
    editor.remove(root, *ROOT_SCHEMAS)
    for target in targets:
        editor.apply(target, ROOT_SCHEMAS[0])


@rule(
    "floating-root",
    "an articulation root above a floating robot, on none of its links",
    "The schema lets the engine choose the root link.",
    "Apply PhysicsArticulationRootAPI to the root link itself.",
    contested=True,
    also=("floating-root-choice",),
)
def _floating(asset: Asset) -> Iterator[Occurrence]:
    for root, trees in _trees_of(asset).items():
        for tree in trees:
            if not tree.anchors and root not in tree.bodies and len(tree.bodies) > 1:
                link = _new_root(tree) if len(trees) == 1 else None
                repair = functools.partial(_move, root, [link]) if link else None
                yield Occurrence(root, f"it has {len(tree.bodies)} links below, none of which is the root", repair)


@rule(
    "fixed-root-link",
    "an articulation root on a link that a joint fixes to the world",
    "The root of a fixed articulation is the fixed joint, or a prim above; on a link it makes a floating one.",
    "Apply PhysicsArticulationRootAPI to the fixed joint, or to a prim above.",
)
def _fixed(asset: Asset) -> Iterator[Occurrence]:
    for root, trees in _trees_of(asset).items():
        for tree in trees:
            if root in tree.bodies and any(joint.kind == FIXED for joint in tree.anchors):
                joint = _new_root(tree)
                yield Occurrence(
                    root, "the link is the root", functools.partial(_move, root, [joint]) if joint else None
                )


@rule(
    "one-link-articulation",
    "an articulation root on, or above, a body without joints",
    "The schema does not say whether one body is an articulation.",
    "Take PhysicsArticulationRootAPI from it: a single rigid body needs none.",
    contested=True,
    also=("single-link-articulation",),
)
def _single(asset: Asset) -> Iterator[Occurrence]:
    jointed = {body for tree in asset.trees for body in tree.bodies}
    below: dict[str, list[str]] = {}
    for body in asset.bodies:
        for above in lineage(body):
            if above in asset.roots:
                below.setdefault(above, []).append(body)
    owned = _trees_of(asset)
    for root, bodies in below.items():
        if root not in owned and not jointed.intersection(bodies):
            repair = functools.partial(_move, root, [])
            yield Occurrence(root, f"bodies: {', '.join(bodies[:3])}", repair)


@rule(
    "several-articulations",
    "an articulation root above several robots, with or without roots of their own",
    "Each connected tree of joints below a root is an articulation.",
    "Apply PhysicsArticulationRootAPI to the root link, or to the joint to the world, of each.",
)
def _several(asset: Asset) -> Iterator[Occurrence]:
    below: dict[str, list[Tree]] = {}
    for tree in asset.trees:
        members = (*tree.bodies, *(joint.path for joint in tree.joints))
        for root in {above for member in members for above in lineage(member) if above in asset.roots}:
            below.setdefault(root, []).append(tree)
    for root, trees in below.items():
        if len(trees) > 1 and not any(root in tree.bodies for tree in trees):
            own = [_new_root(tree) for tree in trees if tree.root == root]
            known = [target for target in own if target is not None]
            repair = functools.partial(_move, root, known) if len(known) == len(own) else None
            yield Occurrence(root, f"it has {len(trees)} trees of joints below", repair)


@rule(
    "articulation-disabled",
    "an articulation that is disabled",
    "Its joints are simulated one by one.",
    "Take PhysicsArticulationRootAPI from it.",
)
def _disabled(asset: Asset) -> Iterator[Occurrence]:
    for prim in asset.with_schema("PhysxArticulationAPI"):
        path = str(prim.GetPath())
        if path in asset.roots and not value(prim, "physxArticulation:articulationEnabled", True):
            yield Occurrence(path, "articulationEnabled is false", functools.partial(_move, path, []))


@rule(
    "self-collision",
    "an articulation whose links do not collide with each other",
    "Links of the articulation do not collide with each other.",
    "Author newton:selfCollisionEnabled = false beside.",
)
def _self_collision(asset: Asset) -> Iterator[Occurrence]:
    for prim in asset.with_schema("PhysxArticulationAPI"):
        path, own = str(prim.GetPath()), "newton:selfCollisionEnabled"
        is_off = not value(prim, "physxArticulation:enabledSelfCollisions", True)
        if is_off and path in asset.roots and not is_authored(prim, own):
            repair = functools.partial(_keep_apart, path, has_schema(prim, ROOT_SCHEMAS[1]))
            yield Occurrence(path, "enabledSelfCollisions is false", repair)


def _keep_apart(path: str, has_newton: bool, editor: Editor) -> None:
    if not has_newton:
        editor.apply(path, ROOT_SCHEMAS[1])
    editor.set(path, "newton:selfCollisionEnabled", "bool", False)
