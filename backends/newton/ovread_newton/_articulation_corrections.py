"""Articulations as UsdPhysics means them, where the importer refuses them or does it otherwise."""

from __future__ import annotations

from collections.abc import Iterator

from ovread.backend import Diagnostic
from ovread_newton._authored import ROOT_SCHEMAS
from ovread_newton._joint_corrections import negate_swapped_joints
from ovread_newton._joint_trees import Component, components_of, joints_to_swap
from ovread_newton._scene_import import Correction, SceneImport, findings

_SELF_COLLISION = "newton:selfCollisionEnabled"


def split_articulations(scene: SceneImport) -> Iterator[Diagnostic]:
    """Move a root schema that several components share to each of them; the importer takes one per root."""
    view = scene.view
    roots = set(view.with_schema(*ROOT_SCHEMAS))
    below: dict[str, list[Component]] = {}
    for component in _components(scene):
        for root in component.roots_above(roots):
            below.setdefault(root, []).append(component)
    for root, components in sorted(below.items()):
        if len(components) < 2 or any(root in component.members for component in components):
            continue
        owned = [component.name for component in components if component.owner(roots) == root]
        scene.articulation_names.update(dict.fromkeys(owned[1:], ""))
        scene.articulation_names.update(dict.fromkeys(owned[:1], root))
        _move_root(scene, root, owned)
        message = f"It has {len(owned)} trees of joints of its own below it: each is an articulation."
        yield Diagnostic(root, "several-articulations", message)


def _move_root(scene: SceneImport, root: str, joints: list[str]) -> None:
    """Take the root schema from a prim and give it to joints, which the importer takes for roots as well."""
    view = scene.view
    schemas = view.tokens("usd-schemas", [root])[root]
    view.write_tokens("usd-schemas", {root: [schema for schema in schemas if schema not in ROOT_SCHEMAS]})
    _mark(scene, joints)
    collides = view.floats(_SELF_COLLISION, [root])
    if joints and root in collides:
        view.write(_SELF_COLLISION, dict.fromkeys(joints, collides[root]))


def _mark(scene: SceneImport, paths: list[str]) -> None:
    if paths:
        schemas = scene.view.tokens("usd-schemas", paths)
        scene.view.write_tokens("usd-schemas", {path: [*schemas.get(path, ()), ROOT_SCHEMAS[0]] for path in paths})


def name_articulations(scene: SceneImport) -> Iterator[Diagnostic]:
    """Name articulations that were split as the prim that they were split from, or after their root bodies."""
    builder, names = scene.builder, scene.articulation_names
    for articulation, label in enumerate(map(str, builder.articulation_label)):
        if label in names:
            body = builder.joint_child[builder.articulation_start[articulation]]
            names[label] = names[label] or str(builder.body_label[body])
            builder.articulation_label[articulation] = names[label]
    yield from ()


def disable_self_collisions(scene: SceneImport) -> Iterator[Diagnostic]:
    """Take over that the links of an articulation do not collide with each other."""
    view = scene.view
    having = set(view.with_schema(*ROOT_SCHEMAS)) & set(view.with_schema("PhysxArticulationAPI"))
    authored = scene.authored.get("physxArticulation:enabledSelfCollisions", {})
    decided = scene.authored.get(_SELF_COLLISION, {})
    apart = [path for path, value in authored.items() if path in having and path not in decided and not value[0]]
    view.write(_SELF_COLLISION, dict.fromkeys(apart, 0.0))
    yield from findings(
        "self-collision", apart, "Its links do not collide with each other, as PhysxArticulationAPI says."
    )


def wrap_joints(scene: SceneImport) -> Iterator[Diagnostic]:
    """Let trees of joints outside articulations be simulated as articulations, which every solver does."""
    roots = set(scene.view.with_schema(*ROOT_SCHEMAS))
    kinematic = _kinematic_bodies(scene)
    outside = [
        component
        for component in _components(scene)
        if component.owner(roots) is None
        and component.is_tree
        and len(component.bodies & kinematic) + len(component.anchored) <= 1
        and all(joint.kind != "PhysicsDistanceJoint" for joint in component.joints)
    ]
    _mark(scene, [component.name for component in outside])
    scene.wrapped.update(component.name for component in outside)
    message = (
        "The joint is in no articulation: it is simulated as if it were, since most solvers ignore such joints; its "
        "bodies stay rigid bodies."
    )
    paths = [joint.path for component in outside for joint in component.joints]
    yield from findings("joint-outside-articulation", paths, message)


def _kinematic_bodies(scene: SceneImport) -> set[str]:
    bodies = scene.view.with_schema("PhysicsRigidBodyAPI")
    return {path for path, value in scene.view.floats("physics:kinematicEnabled", bodies).items() if value}


def swap_bodies(scene: SceneImport) -> Iterator[Diagnostic]:
    """Exchange the sides of joints that lead towards the root, so that the importer takes them."""
    view = scene.view
    roots = set(view.with_schema(*ROOT_SCHEMAS))
    kinematic = _kinematic_bodies(scene)
    swapped = [
        joint
        for component in _components(scene)
        if component.is_tree and component.owner(roots) is not None
        for joint in joints_to_swap(component, roots | kinematic)
    ]
    if not swapped:
        return
    paths = [joint.path for joint in swapped]
    view.write_targets("physics:body0", {joint.path: [str(joint.bodies[1])] for joint in swapped})
    view.write_targets("physics:body1", {joint.path: [str(joint.bodies[0])] for joint in swapped})
    for name in ("localPos", "localRot"):
        first, second = (view.column(f"physics:{name}{side}", paths) for side in (0, 1))
        view.write(f"physics:{name}0", second)
        view.write(f"physics:{name}1", first)
    scene.reversed_joints.update(paths)
    message = "Its body1 is nearer to the root than its body0: Newton moves body0, and values are converted."
    yield from findings("swapped-bodies", paths, message)


def _components(scene: SceneImport) -> list[Component]:
    return components_of(joint for joint in scene.authored_joints() if not joint.is_excluded)


ARTICULATION_CORRECTIONS = (
    Correction(
        "self-collision",
        "enabledSelfCollisions = false of PhysxArticulationAPI counts; the importer lets the links collide.",
        before=disable_self_collisions,
    ),
    Correction(
        "several-articulations",
        "Each tree of joints below an articulation root is an articulation, and belongs to the nearest root; the "
        "importer refuses such scenes.",
        before=split_articulations,
        after=name_articulations,
    ),
    Correction(
        "joint-outside-articulation",
        "A tree of joints without an articulation root is simulated by every solver; the importer leaves it to those "
        "few that take joints outside articulations.",
        before=wrap_joints,
    ),
    Correction(
        "swapped-bodies",
        "A joint whose body1 is nearer to the root than its body0 is turned round, and its values are converted; the "
        "importer refuses it, or takes another body for the root.",
        before=swap_bodies,
        after=negate_swapped_joints,
    ),
)
