"""What the importer refuses a scene for, though it can be left out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from ovread.backend import Diagnostic
from ovread_newton._joint_trees import lineage
from ovread_newton._scene_import import Correction, SceneImport, findings


def drop_sites(scene: SceneImport) -> Iterator[Diagnostic]:
    """Hide sites that are on no body."""
    bodies = set(scene.view.with_schema("PhysicsRigidBodyAPI"))
    sites = [path for path in scene.view.with_schema("NewtonSiteAPI") if not bodies.intersection(lineage(path))]
    _remove_schema(scene, "NewtonSiteAPI", sites)
    yield from findings("site", sites, "The site is on no rigid body, where it marks nothing: it is left out.")


def drop_filtered_pairs(scene: SceneImport) -> Iterator[Diagnostic]:
    """Leave out pairs of which one side has no collider."""
    view = scene.view
    colliding = {above for path in view.with_schema("PhysicsCollisionAPI") for above in lineage(path)}
    prims = view.with_schema("PhysicsFilteredPairsAPI")
    targets = view.targets("physics:filteredPairs", prims)
    empty = [path for path in targets if path not in colliding]
    kept = {path: [each for each in pair if each in colliding] for path, pair in targets.items() if path in colliding}
    reduced = {path: pair for path, pair in kept.items() if len(pair) < len(targets[path])}
    _remove_schema(scene, "PhysicsFilteredPairsAPI", empty)
    view.write_targets("physics:filteredPairs", reduced)
    message = "A filtered pair of it has a side without colliders, which collide with nothing: it is left out."
    yield from findings("filtered-pair", [*empty, *reduced], message)


def drop_fixed_mimics(scene: SceneImport) -> Iterator[Diagnostic]:
    """Leave out mimics of joints that do not move."""
    followers = scene.view.with_schema("NewtonMimicAPI")
    kinds = scene.view.tokens("usd-prim-type", followers)
    fixed = [path for path in followers if kinds.get(path) == ["PhysicsFixedJoint"]]
    _remove_schema(scene, "NewtonMimicAPI", fixed)
    message = "The joint is fixed, so it cannot follow another one: its mimic is left out."
    yield from findings("fixed-mimic", fixed, message)


def _remove_schema(scene: SceneImport, schema: str, paths: Iterable[str]) -> None:
    schemas = scene.view.tokens("usd-schemas", list(paths))
    scene.view.write_tokens(
        "usd-schemas", {path: [each for each in names if each != schema] for path, names in schemas.items()}
    )


def drop_soft_colliders(scene: SceneImport) -> Iterator[Diagnostic]:
    """Leave out colliders of deformables that are not simulated, which would stand still where those begin."""
    soft = set(scene.kinds.get("OmniPhysicsDeformableBodyAPI", ()))
    colliders = [path for path in scene.view.with_schema("PhysicsCollisionAPI") if soft.intersection(lineage(path))]
    _remove_schema(scene, "PhysicsCollisionAPI", colliders)
    message = "The deformable body that it is of is not simulated, so it is no collider."
    yield from findings("deformable-collider", colliders, message)


_SHARED = {"mjc:armature": "newton:armature", "mjc:frictionloss": "newton:friction", "mjc:damping": "newton:damping"}
"""What MuJoCo and Newton both name."""

SHARED_ATTRIBUTES = tuple(_SHARED.values())

_MUJOCO_ONLY = (
    "mjc:margin",
    "mjc:solreflimit",
    "mjc:solimplimit",
    "mjc:solreffriction",
    "mjc:solimpfriction",
    "mjc:stiffness",
    "mjc:springref",
    "mjc:ref",
    "mjc:actuatorgravcomp",
    "mjc:actuatorfrcrange:min",
    "mjc:actuatorfrcrange:max",
    "mjc:actuatorfrclimited",
    "mjc:springdamper",
)
"""Attributes of MjcJointAPI that the importer refuses, or takes only for a builder that is prepared for them."""


def drop_mujoco_attributes(scene: SceneImport) -> Iterator[Diagnostic]:
    """Leave out what the importer refuses of MjcJointAPI."""
    joints = list(scene.kinds.get("MjcJointAPI", ()))
    for name, column in scene.view.columns(_MUJOCO_ONLY, joints).items():
        scene.view.delete(name, list(column))
        yield from findings("mujoco-attributes", column, f"{name} is left out, as the importer does not take it.")
    yield from _merge_shared(scene, joints)


def _merge_shared(scene: SceneImport, joints: list[str]) -> Iterator[Diagnostic]:
    """Give NewtonJointAPI what only MjcJointAPI authors; the importer cannot tell whose value counts."""
    view = scene.view
    kinds = view.tokens("usd-prim-type", joints)
    both = [path for path in joints if path in scene.kinds.get("NewtonJointAPI", ())]
    for mujoco, newton in _SHARED.items():
        values = view.floats(mujoco, both)
        taken = {path: value for path, value in values.items() if path not in scene.authored.get(newton, {})}
        # Newton's damping is per degree, and so would be that of the translations of a D6 joint.
        mixed = [path for path in taken if newton == "newton:damping" and kinds[path] == ["PhysicsJoint"]]
        angular = [path for path in taken if newton == "newton:damping" and kinds[path] == ["PhysicsRevoluteJoint"]]
        scale = dict.fromkeys(angular, math.radians(1))
        view.write(newton, {path: taken[path] * scale.get(path, 1.0) for path in taken if path not in mixed})
        view.delete(mujoco, list(values))
        yield from findings("mujoco-attributes", mixed, f"{mujoco} is left out: author {newton}.")


REFUSAL_CORRECTIONS = (
    Correction(
        "mujoco-attributes",
        "Attributes of MjcJointAPI that the importer refuses are left out; armature, damping and friction count where "
        "NewtonJointAPI does not author them.",
        before=drop_mujoco_attributes,
    ),
    Correction(
        "site",
        "NewtonSiteAPI on a prim that is on no rigid body is left out; the importer refuses the scene.",
        before=drop_sites,
    ),
    Correction(
        "filtered-pair",
        "A filtered pair with a side that has no colliders is left out; the importer refuses the scene.",
        before=drop_filtered_pairs,
    ),
    Correction(
        "fixed-mimic",
        "NewtonMimicAPI on a fixed joint is left out; the importer refuses the scene.",
        before=drop_fixed_mimics,
    ),
    Correction(
        "deformable-collider",
        "A collider of an OmniPhysics deformable, which is not simulated, is left out; the importer refuses it, or "
        "makes a wall of it.",
        before=drop_soft_colliders,
    ),
)
