"""Contact properties as PhysX's schemas mean them, where the importer does it otherwise."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ovread.backend import Diagnostic
from ovread_newton._joint_trees import lineage
from ovread_newton._scene_import import Correction, SceneImport, findings
from ovread_newton._stage import rigid_pose

_FRICTION = 0.5


def use_default_friction(scene: SceneImport) -> Iterator[Diagnostic]:
    """Give colliders without a material the friction that PhysX gives them."""
    scene.builder.default_shape_cfg.mu = _FRICTION
    yield from ()


def report_default_friction(scene: SceneImport) -> Iterator[Diagnostic]:
    """Say that there are such colliders."""
    colliders = scene.view.with_schema("PhysicsCollisionAPI")
    bound = scene.view.targets(_BINDING, colliders)
    if len(bound) < len(colliders):
        message = f"Colliders without a physics material have the friction {_FRICTION:g}, as in PhysX."
        yield Diagnostic("", "default-friction", message)


def set_contact_offsets(scene: SceneImport) -> Iterator[Diagnostic]:
    """Turn PhysX's offsets into Newton's: the margin is the rest offset, margin and gap together the contact offset."""
    if scene.solver == "mujoco":
        return
    builder, view = scene.builder, scene.view
    newton = set(view.with_schema("NewtonCollisionAPI"))
    colliders = [path for path in view.with_schema("PhysxCollisionAPI") if path not in newton]
    rest, contact = (view.floats(f"physxCollision:{name}", colliders) for name in ("restOffset", "contactOffset"))
    changed = set()
    for shape, label in enumerate(map(str, builder.shape_label)):
        path = label if label in rest else label.rpartition("_convex_")[0]
        before = builder.shape_margin[shape], builder.shape_gap[shape]
        if np.isfinite(rest.get(path, np.nan)):
            builder.shape_margin[shape] = rest[path]
        if np.isfinite(contact.get(path, np.nan)):
            builder.shape_gap[shape] = max(contact[path] - builder.shape_margin[shape], 0.0)
        if before != (builder.shape_margin[shape], builder.shape_gap[shape]):
            changed.add(path)
    message = "Its margin and gap are those of the authored rest and contact offset."
    yield from findings("contact-offset", changed, message)


_SHAPES = ("Cube", "Sphere", "Capsule", "Cylinder", "Cone", "Plane", "Mesh")
_CONTAINERS = ("Xform", "Scope", "")
_COLLISION, _MESH_COLLISION = "PhysicsCollisionAPI", "PhysicsMeshCollisionAPI"


def collide_children(scene: SceneImport) -> Iterator[Diagnostic]:
    """Hand the collision schema of a prim without geometry on to the geometry right below it."""
    view = scene.view
    colliders = view.with_schema(_COLLISION)
    kinds = view.tokens("usd-prim-type", colliders)
    containers = {path for path in colliders if next(iter(kinds.get(path, ())), "") in _CONTAINERS}
    if not containers:
        return
    shapes = [path for path in view.of_type(*_SHAPES) if path.rpartition("/")[0] in containers]
    children = {path: path.rpartition("/")[0] for path in shapes if path not in colliders}
    schemas = view.tokens("usd-schemas", [*containers, *children])
    view.write_tokens(
        "usd-schemas",
        {path: [schema for schema in schemas[path] if schema != _COLLISION] for path in containers}
        | {path: [*schemas.get(path, ()), _COLLISION, _MESH_COLLISION] for path in children},
    )
    for parent in set(children.values()):
        _inherit(scene, parent, [path for path, above in children.items() if above == parent])
    message = "PhysicsCollisionAPI of a prim without geometry counts for the geometry right below it, as in PhysX."
    yield from findings("collision-container", containers, message)


def _inherit(scene: SceneImport, parent: str, children: list[str]) -> None:
    view = scene.view
    for token in view.tokens("physics:approximation", [parent]).get(parent, ()):
        view.write_token("physics:approximation", children, token)
    enabled = view.floats("physics:collisionEnabled", [parent])
    if enabled.get(parent) == 0:
        view.write("physics:collisionEnabled", dict.fromkeys(children, 0.0))
    bound = view.targets(_BINDING, children)
    material = view.targets(_BINDING, [parent]).get(parent)
    if material:
        view.write_targets(_BINDING, {path: material for path in children if path not in bound})


_BINDING = "material:binding:physics"
_MATRIX = "omni:fabric:worldMatrix"


def flatten_planes(scene: SceneImport) -> Iterator[Diagnostic]:
    """Show the importer planes as it takes them, and remember how they lie."""
    view = scene.view
    colliders = set(view.with_schema("PhysicsCollisionAPI"))
    planes = [path for path in view.of_type("Plane") if path in colliders]
    bodies = set(view.with_schema("PhysicsRigidBodyAPI"))
    planes = [path for path in planes if not any(above in bodies for above in lineage(path))]
    if not planes:
        return
    axes, matrices = view.tokens("axis", planes), view.column(_MATRIX, planes)
    for path in planes:
        position, rotation, _ = rigid_pose(matrices[path])
        axis = "XYZ".index(next(iter(axes.get(path, ())), "Z"))
        scene.planes[path] = (position, rotation[:, axis])
    view.write_matrix(_MATRIX, planes, np.eye(4))
    view.write_token("axis", planes, "Z")
    yield from ()


def lay_planes(scene: SceneImport) -> Iterator[Diagnostic]:
    """Lay planes where they are authored, whichever way they face."""
    import warp as wp

    builder, up = scene.builder, "XYZ".index(scene.units.up_axis)
    for shape, label in enumerate(map(str, builder.shape_label)):
        if label not in scene.planes:
            continue
        position, normal = scene.planes[label]
        turned = wp.quat_between_vectors(wp.vec3(0.0, 0.0, 1.0), wp.vec3(*normal))
        # The importer's ground plane faces up, and is infinite: where along it the origin lies means nothing.
        if up == 2 and np.allclose(normal, (0, 0, 1)):
            builder.shape_transform[shape] = wp.transform(wp.vec3(0.0, 0.0, position[2]), turned)
            continue
        builder.shape_transform[shape] = wp.transform(wp.vec3(*position), turned)
        message = "The plane lies and faces as authored; the importer would refuse it, or lay it level."
        yield Diagnostic(label, "plane", message)


SHAPE_CORRECTIONS = (
    Correction(
        "collision-container",
        "PhysicsCollisionAPI on a prim without geometry makes the geometry right below it collide, as in PhysX; the "
        "importer ignores it, or refuses the scene.",
        before=collide_children,
    ),
    Correction(
        "plane",
        "A plane lies and faces as authored; the importer takes only planes that face Z, and lays those of a Y-up "
        "stage level.",
        before=flatten_planes,
        after=lay_planes,
    ),
    Correction(
        "default-friction",
        "A collider without a physics material has the friction 0.5 that it has in PhysX; the importer gives it 1.",
        before=use_default_friction,
        after=report_default_friction,
    ),
    Correction(
        "contact-offset",
        "Authored restOffset and contactOffset of PhysxCollisionAPI set margin and gap, but for the mujoco solver; the "
        "importer ignores them.",
        after=set_contact_offsets,
    ),
)
