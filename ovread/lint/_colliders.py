"""Rules about colliders and their materials."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ovread.lint._asset import SHAPES, has_schema, lineage, targets_of, value
from ovread.lint._masses import BINDINGS, WATER, default_density, is_explicit, physics_material
from ovread.lint._meshes import is_flat
from ovread.lint._rule import Occurrence, Rule, Shows, collecting

if TYPE_CHECKING:
    from ovread.lint._asset import Asset
    from ovread.lint._editor import Editor

RULES: list[Rule] = []
rule = collecting(RULES, Shows.MOTION | Shows.SURFACE)

_CONTAINERS = ("Xform", "Scope", "")
_DEFAULT_FRICTION = 0.5


def _geometry(asset: Asset) -> list[Any]:
    return [prim for prim in asset.colliders if str(prim.GetTypeName()) not in _CONTAINERS]


@rule(
    "default-friction",
    "a collider without a physics material",
    "The schema does not say how rough it is; by ovread's conventions its friction is 0.5.",
    "Bind a physics material.",
    contested=True,
)
def _friction(asset: Asset) -> Iterator[Occurrence]:
    for prim in _geometry(asset):
        if value(prim, "physics:collisionEnabled", True) and physics_material(asset, prim) is None:
            path = str(prim.GetPath())
            bound = any(targets_of(prim, name) for name in BINDINGS)
            repair = None if bound or not _may_bind(asset, path) else functools.partial(_bind, path)
            yield Occurrence(path, "", repair)


def _may_bind(asset: Asset, path: str) -> bool:
    """Return whether a material without a density may be bound: with some engines it takes away that of the body."""
    body = asset.body_of(path)
    if body is None or is_explicit(asset.bodies[body]):
        return True
    prims = [asset.bodies[body], *asset.colliders_of(body)]
    return default_density(asset) == WATER and not any(value(prim, "physics:density", 0.0) > 0 for prim in prims)


_MATERIAL = "/ovread_default_material"


def _bind(path: str, editor: Editor) -> None:
    if not editor.stage.GetPrimAtPath(_MATERIAL):
        editor.define(_MATERIAL, "Material")
        editor.apply(_MATERIAL, "PhysicsMaterialAPI")
        for name in ("staticFriction", "dynamicFriction"):
            editor.set(_MATERIAL, f"physics:{name}", "float", _DEFAULT_FRICTION)
    editor.apply(path, "MaterialBindingAPI")
    editor.relate(path, BINDINGS[0], _MATERIAL)


@rule(
    "static-friction",
    "a material whose static friction is another than its dynamic friction",
    "What rests stays until a force exceeds the static friction; what slides is slowed by the dynamic friction.",
    "Author the two alike.",
    also=("friction",),
)
def _static(asset: Asset) -> Iterator[Occurrence]:
    for prim in asset.with_schema("PhysicsMaterialAPI"):
        static, dynamic = (float(value(prim, f"physics:{name}Friction", 0.0)) for name in ("static", "dynamic"))
        if not math.isclose(static, dynamic, rel_tol=1e-6):
            yield Occurrence(str(prim.GetPath()), f"static {static:g} and dynamic {dynamic:g}")


@rule(
    "restitution",
    "a material with a restitution",
    "What falls bounces.",
    "Author 0, or take a solver that bounces.",
)
def _restitution(asset: Asset) -> Iterator[Occurrence]:
    for prim in asset.with_schema("PhysicsMaterialAPI"):
        restitution = float(value(prim, "physics:restitution", 0.0))
        if restitution > 0:
            yield Occurrence(str(prim.GetPath()), f"the restitution is {restitution:g}")


@rule(
    "combine-mode",
    "a material with a combine mode other than average",
    "Where two materials touch, their coefficients are combined as the mode says.",
    "Author both materials alike.",
)
def _combine(asset: Asset) -> Iterator[Occurrence]:
    for prim in asset.with_schema("PhysxMaterialAPI"):
        names = [f"physxMaterial:{name}CombineMode" for name in ("friction", "restitution", "damping")]
        given = [name for name in names if value(prim, name, "average") != "average"]
        if given:
            yield Occurrence(str(prim.GetPath()), ", ".join(f"{name} {value(prim, name, '')}" for name in given))


@rule(
    "compliant-contact",
    "a material with compliant contacts",
    "Contacts are springs.",
    "Author newton:contactStiffness and newton:contactDamping beside, which only one engine takes.",
)
def _compliant(asset: Asset) -> Iterator[Occurrence]:
    for prim in asset.with_schema("PhysxMaterialAPI"):
        stiffness = float(value(prim, "physxMaterial:compliantContactStiffness", 0.0))
        if stiffness > 0:
            yield Occurrence(str(prim.GetPath()), f"the stiffness is {stiffness:g}")


@rule(
    "contact-offset",
    "a collider with a rest or contact offset",
    "Contacts begin at the contact offset, and bodies come to rest at the rest offset.",
    "Leave the offsets to the engine.",
)
def _offsets(asset: Asset) -> Iterator[Occurrence]:
    for prim in asset.with_schema("PhysxCollisionAPI"):
        contact = float(value(prim, "physxCollision:contactOffset", -math.inf))
        rest = float(value(prim, "physxCollision:restOffset", -math.inf))
        if math.isfinite(contact) or (math.isfinite(rest) and rest):
            yield Occurrence(str(prim.GetPath()), f"contact offset {contact:g}, rest offset {rest:g}")


@rule(
    "torsional-patch",
    "a collider with a torsional patch",
    "A body that spins on the spot is slowed by friction.",
    "Author newton:torsionalFriction on the material beside, which only one engine takes.",
)
def _torsional(asset: Asset) -> Iterator[Occurrence]:
    for prim in asset.with_schema("PhysxCollisionAPI"):
        names = [f"physxCollision:{name}" for name in ("torsionalPatchRadius", "minTorsionalPatchRadius")]
        given = [name for name in names if value(prim, name, 0.0) > 0]
        if given:
            yield Occurrence(str(prim.GetPath()), f"authored: {', '.join(given)}")


@rule(
    "contact-report-settings",
    "a contact report with a threshold",
    "Contacts are reported where their force is above the threshold.",
    "Author a threshold of 0, and leave out what is weaker.",
)
def _reports(asset: Asset) -> Iterator[Occurrence]:
    for prim in asset.with_schema("PhysxContactReportAPI"):
        threshold = float(value(prim, "physxContactReport:threshold", 0.0))
        if threshold or targets_of(prim, "physxContactReport:reportPairs"):
            yield Occurrence(str(prim.GetPath()), f"the threshold is {threshold:g}")


@rule(
    "mirrored-mesh",
    "a mesh collider with a negative scale",
    "The mesh is mirrored.",
    "Mirror the points, and author a positive scale.",
)
def _mirrored(asset: Asset) -> Iterator[Occurrence]:
    for prim in asset.colliders:
        path = str(prim.GetPath())
        if str(prim.GetTypeName()) == "Mesh" and np.linalg.det(asset.matrix(path)[:3, :3]) < 0:
            yield Occurrence(path, "an odd number of its axes is mirrored")


@rule(
    "flat-mesh",
    "a mesh collider whose points are all in one plane",
    "A mesh collides whatever its shape.",
    "Author a thin box, or a plane.",
)
def _flat(asset: Asset) -> Iterator[Occurrence]:
    for prim in asset.colliders:
        if str(prim.GetTypeName()) == "Mesh" and is_flat(prim):
            yield Occurrence(str(prim.GetPath()))


@rule(
    "mesh-approximation",
    "a mesh that collides as a signed distance field",
    "The mesh collides as a field of distances, which moving bodies may have.",
    "Author convexDecomposition.",
    also=("mesh-approximation-ignored",),
)
def _distances(asset: Asset) -> Iterator[Occurrence]:
    for prim in asset.colliders:
        if value(prim, "physics:approximation", "none") == "sdf":
            yield Occurrence(str(prim.GetPath()), "physics:approximation is sdf")


@rule(
    "collision-container",
    "PhysicsCollisionAPI on a prim without geometry",
    "The schema is for geometry: here it collides for the geometry right below.",
    "Apply PhysicsCollisionAPI to the geometry.",
    also=("collision-container-ignored",),
    shows=Shows.MOTION | Shows.SURFACE | Shows.MASS,
)
def _containers(asset: Asset) -> Iterator[Occurrence]:
    for prim in asset.colliders:
        if str(prim.GetTypeName()) in _CONTAINERS and not has_schema(prim, "PhysxMeshMergeCollisionAPI"):
            shapes = [child for child in prim.GetChildren() if str(child.GetTypeName()) in SHAPES]
            path = str(prim.GetPath())
            repair = functools.partial(_hand_on, path, [str(child.GetPath()) for child in shapes]) if shapes else None
            yield Occurrence(path, f"it has {len(shapes)} shapes right below", repair)


def _hand_on(path: str, shapes: list[str], editor: Editor) -> None:
    editor.remove(path, "PhysicsCollisionAPI")
    for shape in shapes:
        editor.apply(shape, "PhysicsCollisionAPI")


@rule(
    "unsupported-collider",
    "PhysicsCollisionAPI on geometry that is no solid",
    "The schema lets an engine leave out what it cannot collide with.",
    "Take PhysicsCollisionAPI from the prim, or make it a mesh.",
    shows=Shows.MOTION | Shows.SURFACE | Shows.MASS,
)
def _unsupported(asset: Asset) -> Iterator[Occurrence]:
    for prim in asset.colliders:
        kind = str(prim.GetTypeName())
        soft = any(has_schema(above, "OmniPhysicsDeformableBodyAPI") for above in _above(asset, prim))
        if kind not in (*SHAPES, *_CONTAINERS) and not soft:
            yield Occurrence(str(prim.GetPath()), f"it is a {kind}")


def _above(asset: Asset, prim: Any) -> list[Any]:
    return [asset.stage.GetPrimAtPath(path) for path in lineage(str(prim.GetPath()))]


@rule(
    "plane",
    "a plane that does not face along Z",
    "A plane faces along its axis, wherever that points.",
    "Author a box.",
)
def _planes(asset: Asset) -> Iterator[Occurrence]:
    for prim in asset.colliders:
        path = str(prim.GetPath())
        if str(prim.GetTypeName()) == "Plane" and asset.body_of(path) is None:
            axis = "XYZ".index(str(value(prim, "axis", "Z")))
            normal = asset.matrix(path)[axis, :3]
            if not np.allclose(normal / np.linalg.norm(normal), (0, 0, 1), atol=1e-5) or asset.units.up_axis != "Z":
                yield Occurrence(path, f"it faces along {np.round(normal, 3).tolist()}")


@rule(
    "body-plane",
    "a plane on a moving body",
    "A plane is infinite, so that no body can have its mass.",
    "Author a thin box.",
    shows=Shows.MOTION | Shows.SURFACE | Shows.MASS,
)
def _body_planes(asset: Asset) -> Iterator[Occurrence]:
    for prim in asset.colliders:
        body = asset.body_of(str(prim.GetPath()))
        if str(prim.GetTypeName()) == "Plane" and body is not None:
            yield Occurrence(str(prim.GetPath()), f"it is of {body}")


@rule(
    "unknown-material",
    "a collider with a material for physics that has no PhysicsMaterialAPI",
    "The material says nothing of physics.",
    "Apply PhysicsMaterialAPI to the material.",
)
def _unknown_material(asset: Asset) -> Iterator[Occurrence]:
    for prim in asset.colliders:
        for target in targets_of(prim, BINDINGS[0]):
            material = asset.stage.GetPrimAtPath(target)
            if not material or not has_schema(material, "PhysicsMaterialAPI"):
                yield Occurrence(str(prim.GetPath()), f"it is bound to {target}")


@rule(
    "filtered-pair",
    "a filtered pair of which one side does not collide",
    "What does not collide need not be filtered.",
    "Leave the side out.",
)
def _pairs(asset: Asset) -> Iterator[Occurrence]:
    colliding = {above for prim in asset.colliders for above in lineage(str(prim.GetPath()))}
    for prim in asset.with_schema("PhysicsFilteredPairsAPI"):
        path, targets = str(prim.GetPath()), targets_of(prim, "physics:filteredPairs")
        empty = [each for each in (path, *targets) if each not in colliding]
        if targets and empty:
            kept = [] if path in empty else [each for each in targets if each not in empty]
            yield Occurrence(path, f"without colliders: {', '.join(empty)}", functools.partial(_keep_pairs, path, kept))


def _keep_pairs(path: str, kept: list[str], editor: Editor) -> None:
    if kept:
        editor.relate(path, "physics:filteredPairs", *kept)
    else:
        editor.remove(path, "PhysicsFilteredPairsAPI")


@rule(
    "unknown-group",
    "a collision group that filters what is no collision group",
    "What is no group filters nothing.",
    "Leave the target out.",
)
def _groups(asset: Asset) -> Iterator[Occurrence]:
    groups = {str(prim.GetPath()): prim for prim in asset.of_type("PhysicsCollisionGroup")}
    for path, prim in groups.items():
        targets = targets_of(prim, "physics:filteredGroups")
        unknown = [target for target in targets if target not in groups]
        if unknown:
            kept = [target for target in targets if target in groups]
            repair = functools.partial(_filter_only, path, kept)
            yield Occurrence(path, f"no groups: {', '.join(unknown)}", repair)


def _filter_only(path: str, kept: list[str], editor: Editor) -> None:
    editor.relate(path, "physics:filteredGroups", *kept)


@rule(
    "site",
    "a site that is on no rigid body",
    "A site marks a place on a body.",
    "Take NewtonSiteAPI from the prim.",
)
def _sites(asset: Asset) -> Iterator[Occurrence]:
    for prim in asset.with_schema("NewtonSiteAPI"):
        path = str(prim.GetPath())
        if asset.body_of(path) is None:
            yield Occurrence(path, "", functools.partial(_unmark, path))


def _unmark(path: str, editor: Editor) -> None:
    editor.remove(path, "NewtonSiteAPI")


@rule(
    "merged-meshes",
    "meshes that are merged into one collider",
    "The meshes collide as one.",
    "Apply PhysicsCollisionAPI to each mesh.",
    shows=Shows.MOTION | Shows.SURFACE | Shows.MASS,
)
def _merged(asset: Asset) -> Iterator[Occurrence]:
    for prim in asset.with_schema("PhysxMeshMergeCollisionAPI"):
        yield Occurrence(str(prim.GetPath()))


@rule(
    "triggers",
    "a collider that is a trigger",
    "It reports what enters it, and pushes nothing.",
    "Take PhysicsCollisionAPI from it, and compare positions.",
)
def _triggers(asset: Asset) -> Iterator[Occurrence]:
    for prim in asset.with_schema("PhysxTriggerAPI"):
        yield Occurrence(str(prim.GetPath()))


@rule(
    "surface-velocity",
    "a surface that moves what lies on it",
    "What touches the surface is carried along, as by a conveyor belt.",
    "Move a kinematic body.",
)
def _surfaces(asset: Asset) -> Iterator[Occurrence]:
    for prim in asset.with_schema("PhysxSurfaceVelocityAPI", "PhysxSplinesSurfaceVelocityAPI"):
        if value(prim, "physxSurfaceVelocity:surfaceVelocityEnabled", True):
            yield Occurrence(str(prim.GetPath()))
