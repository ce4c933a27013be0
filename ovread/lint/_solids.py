"""Mass properties of bodies whose colliders are simple solids, as USD's own resolution of PhysicsMassAPI has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs
import numpy as np

from ovread.lint._asset import Doubles, has_schema, value

if TYPE_CHECKING:
    from ovread.lint._editor import Editor

SOLIDS = ("Cube", "Sphere", "Capsule", "Cylinder", "Cone")
"""Colliders whose volume and inertia are known in closed form."""


@attrs.frozen(eq=False)
class Solid:
    """A solid of density 1.

    Args:
        volume: In cubic stage lengths.
        inertia: Principal moments about the centre of mass, shape (3,).
        center: Centre of mass in the collider's axes, shape (3,), in stage lengths.
    """

    volume: float
    inertia: Doubles
    center: Doubles


def author_mass(path: str, editor: Editor) -> None:
    """Author mass, centre of mass and inertia of a body, all in full."""
    mass, inertia, center, axes = _properties(editor.stage.GetPrimAtPath(path))
    if not has_schema(editor.stage.GetPrimAtPath(path), "PhysicsMassAPI"):
        editor.apply(path, "PhysicsMassAPI")
    editor.set(path, "physics:mass", "float", mass)
    editor.set(path, "physics:diagonalInertia", "float3", tuple(inertia))
    editor.set(path, "physics:centerOfMass", "point3f", tuple(center))
    editor.set(path, "physics:principalAxes", "quatf", axes)


def _properties(body: Any) -> tuple[float, Any, Any, Any]:
    """Return mass, principal moments, centre of mass in the body's own units, and principal axes."""
    from pxr import Gf, UsdGeom, UsdPhysics

    cache = UsdGeom.XformCache()
    origin, axes, scale = _split(cache.GetLocalToWorldTransform(body))

    def information(collider: Any) -> Any:
        place, turned, size = _split(cache.GetLocalToWorldTransform(collider))
        solid = solid_of(collider, size)
        info = UsdPhysics.RigidBodyAPI.MassInformation()
        info.volume = solid.volume
        info.inertia = Gf.Matrix3f(*np.diag(solid.inertia).ravel().tolist())
        info.centerOfMass = Gf.Vec3f(*solid.center.tolist())
        info.localPos = Gf.Vec3f(*((place - origin) @ axes.T).tolist())
        info.localRot = Gf.Quatf(Gf.Matrix3d(*(turned @ axes.T).ravel().tolist()).ExtractRotation().GetQuat())
        return info

    mass, inertia, center, principal = UsdPhysics.RigidBodyAPI(body).ComputeMassProperties(information)
    return mass, inertia, np.array(center) / scale, principal


def _split(matrix: Any) -> tuple[Doubles, Doubles, Doubles]:
    """Return the origin, the axes as rows, and the scale of a transform."""
    rows = np.array(matrix, dtype=float)
    scale = np.linalg.norm(rows[:3, :3], axis=1)
    axes = rows[:3, :3] / scale[:, None]
    if np.linalg.det(axes) < 0:
        axes, scale = -axes, -scale
    return rows[3, :3], axes, scale


def solid_of(prim: Any, scale: Doubles) -> Solid:
    """Return the solid that a collider is, with a scale along its axes."""
    kind, size = str(prim.GetTypeName()), np.abs(scale)
    if kind == "Cube":
        return _box(size * float(value(prim, "size", 2.0)))
    if kind == "Sphere":
        return _ball(float(size.max()) * float(value(prim, "radius", 1.0)))
    along = "XYZ".index(str(value(prim, "axis", "Z")))
    across = [index for index in range(3) if index != along]
    radius = float(size[across].max()) * float(value(prim, "radius", {"Capsule": 0.5}.get(kind, 1.0)))
    height = float(size[along]) * float(value(prim, "height", {"Capsule": 1.0}.get(kind, 2.0)))
    volume, axial, transverse, shift = {"Capsule": _capsule, "Cylinder": _cylinder, "Cone": _cone}[kind](radius, height)
    inertia, center = np.full(3, transverse), np.zeros(3)
    inertia[along], center[along] = axial, shift * np.sign(scale[along])
    return Solid(volume, inertia, center)


def _box(sides: Doubles) -> Solid:
    volume, squares = float(np.prod(sides)), sides**2
    return Solid(volume, volume / 12 * (squares.sum() - squares), np.zeros(3))


def _ball(radius: float) -> Solid:
    volume = 4 / 3 * np.pi * radius**3
    return Solid(volume, np.full(3, 0.4 * volume * radius**2), np.zeros(3))


def _cylinder(radius: float, height: float) -> tuple[float, float, float, float]:
    """Return volume, axial and transverse moment, and how far the centre is along the axis."""
    volume = np.pi * radius**2 * height
    return volume, volume * radius**2 / 2, volume * (3 * radius**2 + height**2) / 12, 0.0


def _cone(radius: float, height: float) -> tuple[float, float, float, float]:
    volume = np.pi * radius**2 * height / 3
    return volume, 0.3 * volume * radius**2, volume * (12 * radius**2 + 3 * height**2) / 80, -height / 4


def _capsule(radius: float, height: float) -> tuple[float, float, float, float]:
    volume, axial, transverse, _ = _cylinder(radius, height)
    ball = 4 / 3 * np.pi * radius**3
    ends = ball * (0.4 * radius**2 + height**2 / 4 + 3 * height * radius / 8)
    return volume + ball, axial + 0.4 * ball * radius**2, transverse + ends, 0.0
