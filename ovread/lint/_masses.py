"""Rules about mass, centre of mass and inertia."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ovread.lint._asset import targets_of, value
from ovread.lint._frames import axes_of
from ovread.lint._meshes import is_convex
from ovread.lint._rule import Occurrence, Repair, Rule, Shows, collecting
from ovread.lint._solids import SOLIDS, author_mass

if TYPE_CHECKING:
    from ovread.lint._asset import Asset
    from ovread.lint._editor import Editor

RULES: list[Rule] = []
rule = collecting(RULES, Shows.MASS | Shows.MOTION)

BINDINGS = ("material:binding:physics", "material:binding")
WATER = 1000.0
"""Density in kg/m3 of what says nothing of its own."""
_POINT_RADIUS = 0.1
"""In metres, of the sphere that stands for a body without colliders."""


def _mass(prim: Any) -> float:
    return max(float(value(prim, "physics:mass", 0.0)), 0.0)


def _density(prim: Any) -> float:
    return max(float(value(prim, "physics:density", 0.0)), 0.0)


def _has_center(prim: Any) -> bool:
    return bool(np.isfinite(value(prim, "physics:centerOfMass", np.full(3, -np.inf))).all())


def _moments(prim: Any) -> Any:
    return np.array(value(prim, "physics:diagonalInertia", (0, 0, 0)), dtype=float)


def _has_inertia(prim: Any) -> bool:
    return bool(np.any(_moments(prim))) or np.any(_tensor(prim)).item()


def _tensor(prim: Any) -> Any:
    """Return what ``newton:inertia`` says, shape (3, 3); None where it says nothing."""
    numbers = value(prim, "newton:inertia", ())
    if len(numbers) != 6:
        return None
    xx, yy, zz, xy, xz, yz = map(float, numbers)
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def is_explicit(prim: Any) -> bool:
    """Return whether mass, centre of mass and inertia of a body are all authored."""
    return bool(_mass(prim)) and _has_center(prim) and _has_inertia(prim)


def _open_bodies(asset: Asset) -> Iterator[tuple[str, Any, list[Any]]]:
    """Give dynamic bodies whose colliders matter for their mass, with these."""
    for path, prim in asset.dynamic_bodies.items():
        colliders = asset.colliders_of(path)
        if colliders and not is_explicit(prim):
            yield path, prim, colliders


def _in_full(path: str, colliders: list[Any]) -> Repair | None:
    known = all(str(prim.GetTypeName()) in SOLIDS for prim in colliders)
    return functools.partial(author_mass, path) if known else None


def physics_material(asset: Asset, collider: Any) -> Any:
    """Return the physics material of a collider, bound to it or to a prim above; None where there is none."""
    prim = collider
    while prim:
        for name in BINDINGS:
            for target in targets_of(prim, name):
                found = asset.stage.GetPrimAtPath(target)
                if found and "PhysicsMaterialAPI" in map(str, found.GetPrimTypeInfo().GetAppliedAPISchemas()):
                    return found
        prim = prim.GetParent()
    return None


def default_density(asset: Asset) -> float:
    """Return the density of what says nothing of its own, in the stage's units."""
    units = asset.units
    return WATER * units.meters_per_unit**3 / units.kilograms_per_unit


@rule(
    "default-density",
    "colliders without a density on a stage that is not in metres and kilograms",
    "A collider without a density has 1000 kg/m3, in the stage's units.",
    "Author the mass, or the density in the stage's units.",
)
def _default(asset: Asset) -> Iterator[Occurrence]:
    density = default_density(asset)
    if np.isclose(density, WATER):
        return
    for path, prim, colliders in _open_bodies(asset):
        unknown = [each for each in colliders if not (_mass(each) or _density(each)) and not _of_material(asset, each)]
        if unknown and not _mass(prim) and not _density(prim):
            repair = functools.partial(_author_density, path, density)
            yield Occurrence(path, f"the default is {density:g} in the stage's units", repair)


def _of_material(asset: Asset, collider: Any) -> float:
    material = physics_material(asset, collider)
    return _density(material) if material else 0.0


def _author_density(path: str, density: float, editor: Editor) -> None:
    editor.apply(path, "PhysicsMassAPI")
    editor.set(path, "physics:density", "float", density)


@rule(
    "mass-on-collider",
    "mass properties on a collider below a body",
    "The mass of a body is the sum of what its colliders say, where the body itself says nothing.",
    "Author mass, centre of mass and inertia of the body.",
)
def _on_collider(asset: Asset) -> Iterator[Occurrence]:
    for path, _, colliders in _open_bodies(asset):
        own = [each for each in colliders if str(each.GetPath()) != path]
        given = [each for each in own if _mass(each) or _density(each) or _has_center(each) or _has_inertia(each)]
        if given:
            yield Occurrence(path, f"authored on {given[0].GetPath()}", _in_full(path, colliders))


@rule(
    "material-density",
    "a density of PhysicsMassAPI beside a physics material",
    "The density of PhysicsMassAPI has precedence over that of a material.",
    "Author the mass of the body.",
)
def _material(asset: Asset) -> Iterator[Occurrence]:
    for path, prim, colliders in _open_bodies(asset):
        if _mass(prim):
            continue
        for collider in colliders:
            density = _density(collider) or _density(prim)
            material = physics_material(asset, collider) if density else None
            if material and not np.isclose(density, _density(material)):
                what = f"density {density:g}, and {_density(material):g} of {material.GetPath()}"
                yield Occurrence(path, what, _in_full(path, colliders))


_APPROXIMATIONS = ("boundingSphere", "boundingCube", "convexHull", "convexDecomposition")


@rule(
    "approximation-mass",
    "a mesh that collides as another solid, on a body whose mass is not authored in full",
    "The schema does not say whether the mass is the mesh's or the solid's; by ovread's conventions it is that of what "
    "collides.",
    "Author mass, centre of mass and inertia of the body.",
    contested=True,
    shows=Shows.MASS | Shows.MOTION | Shows.SURFACE,
)
def _approximation(asset: Asset) -> Iterator[Occurrence]:
    for path, _, colliders in _open_bodies(asset):
        for collider in colliders:
            token = str(value(collider, "physics:approximation", "none"))
            changes = token in _APPROXIMATIONS and not (token.startswith("convex") and is_convex(collider))
            if str(collider.GetTypeName()) == "Mesh" and changes:
                yield Occurrence(path, f"{collider.GetPath()} collides as {token}")


@rule(
    "center-of-mass-inertia",
    "a centre of mass without an inertia",
    "The schema does not say about which point the colliders' inertia is; by ovread's conventions it is moved to the "
    "authored centre of mass.",
    "Author the inertia too.",
    contested=True,
)
def _center(asset: Asset) -> Iterator[Occurrence]:
    for path, prim, colliders in _open_bodies(asset):
        if _has_center(prim) and not _has_inertia(prim):
            yield Occurrence(path, "centerOfMass is authored, diagonalInertia is not", _in_full(path, colliders))


@rule(
    "no-mass",
    "a body without colliders whose mass or inertia is not authored",
    "The schema does not say what such a body weighs; by ovread's conventions its mass is 1, and its inertia that of a "
    "sphere of 0.1 m.",
    "Author mass and inertia.",
    contested=True,
    also=("no-collider-defaults",),
)
def _nothing(asset: Asset) -> Iterator[Occurrence]:
    radius = _POINT_RADIUS / asset.units.meters_per_unit
    for path, prim in asset.dynamic_bodies.items():
        if not asset.colliders_of(path) and not (_mass(prim) and _has_inertia(prim)):
            mass = _mass(prim) or 1.0
            moments = None if _has_inertia(prim) else 0.4 * mass * radius**2
            yield Occurrence(path, "it has no colliders", functools.partial(_author_point, path, mass, moments))


def _author_point(path: str, mass: float, moment: float | None, editor: Editor) -> None:
    editor.apply(path, "PhysicsMassAPI")
    editor.set(path, "physics:mass", "float", mass)
    if moment is not None:
        editor.set(path, "physics:diagonalInertia", "float3", (moment, moment, moment))


@rule(
    "cone-inertia",
    "a cone on a body whose inertia is not authored",
    "The inertia is about the centre of mass.",
    "Author mass, centre of mass and inertia of the body.",
)
def _cones(asset: Asset) -> Iterator[Occurrence]:
    for path, prim, colliders in _open_bodies(asset):
        cones = [each for each in colliders if str(each.GetTypeName()) == "Cone"]
        if cones and not (_mass(prim) and _has_inertia(prim)):
            yield Occurrence(path, f"{cones[0].GetPath()} is a cone", _in_full(path, colliders))


@rule(
    "zero-inertia",
    "a body with a principal moment of inertia of 0",
    "The moments are as authored, unless all are 0.",
    "Author moments that a body can have: none is 0, and none is more than the sum of the others.",
)
def _zero(asset: Asset) -> Iterator[Occurrence]:
    for path, prim in asset.dynamic_bodies.items():
        moments = _moments(prim)
        if np.any(moments) and not np.all(moments):
            yield Occurrence(path, f"diagonalInertia is {moments.tolist()}")


@rule(
    "planar-inertia",
    "an inertia of which one moment is the sum of the others, as a flat body has it",
    "The moments are as authored.",
    "Author the largest moment less by a hundred-thousandth: single precision may have it above the sum.",
)
def _planar(asset: Asset) -> Iterator[Occurrence]:
    for path, prim in asset.dynamic_bodies.items():
        moments = _moments(prim)
        if np.all(moments > 0) and abs(_excess(moments)) <= _ROUNDING:
            yield Occurrence(path, f"diagonalInertia is {moments.tolist()}", functools.partial(_thicken, path, moments))


_ROUNDING = 5e-6
"""Of the sum of all moments: single precision, where axes were found from a tensor too."""


def _excess(moments: Any) -> float:
    """Return by how much the largest moment is above the sum of the others, relative to the sum of all."""
    return float((2 * moments.max() - moments.sum()) / moments.sum())


def _thicken(path: str, moments: Any, editor: Editor) -> None:
    largest = int(np.argmax(moments))
    moments = moments.copy()
    moments[largest] = (moments.sum() - moments[largest]) * (1 - 4 * _ROUNDING)
    editor.set(path, "physics:diagonalInertia", "float3", tuple(map(float, moments)))
    if _tensor(editor.stage.GetPrimAtPath(path)) is not None:
        _say_nothing(path, editor)


@rule(
    "inertia-corrected",
    "an inertia that no body has",
    "The moments are as authored.",
    "Author moments that a body can have: none is more than the sum of the others.",
)
def _unphysical(asset: Asset) -> Iterator[Occurrence]:
    for path, prim in asset.dynamic_bodies.items():
        moments = _moments(prim)
        if np.any(moments < 0) or (np.all(moments) and _excess(moments) > _ROUNDING):
            yield Occurrence(path, f"diagonalInertia is {moments.tolist()}")


@rule(
    "newton-inertia",
    "an inertia of NewtonMassAPI that says otherwise than diagonalInertia and principalAxes",
    "It overrides diagonalInertia and principalAxes; an empty one says nothing.",
    "Author diagonalInertia and principalAxes alike, and no inertia of zeros.",
)
def _newton_inertia(asset: Asset) -> Iterator[Occurrence]:
    for path, prim in asset.dynamic_bodies.items():
        tensor = _tensor(prim)
        if tensor is not None and not np.allclose(
            tensor, _authored(prim), atol=1e-4 * max(np.abs(tensor).max(), 1e-12)
        ):
            if np.any(tensor):
                yield Occurrence(path, "newton:inertia is another", functools.partial(_author_axes, path, tensor))
            else:
                yield Occurrence(path, "newton:inertia is zero", functools.partial(_say_nothing, path))
        elif tensor is not None and not np.any(tensor) and asset.colliders_of(path):
            yield Occurrence(path, "newton:inertia is zero", functools.partial(_say_nothing, path))


def _authored(prim: Any) -> Any:
    quaternion = value(prim, "physics:principalAxes", None)
    axes = np.eye(3) if quaternion is None else axes_of(quaternion)
    return axes.T @ np.diag(_moments(prim)) @ axes


def _say_nothing(path: str, editor: Editor) -> None:
    editor.set(path, "newton:inertia", "double[]", [])


def _author_axes(path: str, tensor: Any, editor: Editor) -> None:
    from pxr import Gf

    moments, axes = np.linalg.eigh(tensor)
    if np.linalg.det(axes) < 0:
        axes[:, 0] = -axes[:, 0]
    editor.set(path, "physics:diagonalInertia", "float3", tuple(map(float, moments)))
    turned = Gf.Matrix3d(*axes.T.ravel().tolist()).ExtractRotation().GetQuat()
    editor.set(path, "physics:principalAxes", "quatf", Gf.Quatf(turned))


@rule(
    "shell-mass",
    "a collider that is a shell",
    "Its mass is that of a shell of the given thickness.",
    "Author mass, centre of mass and inertia of the body.",
)
def _shells(asset: Asset) -> Iterator[Occurrence]:
    for path, _, colliders in _open_bodies(asset):
        if any(value(each, "newton:massModel", "solid") == "shell" for each in colliders):
            yield Occurrence(path, "newton:massModel is shell")
