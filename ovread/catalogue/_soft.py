"""Rows of deformable bodies, their materials, and particle sets."""

from __future__ import annotations

from typing import Any

from ovread import units
from ovread.catalogue._row import (
    NON_NEGATIVE,
    VALUE,
    XYZ,
    Accepts,
    Attribute,
    Frame,
    Layout,
    ObjectType,
    Persistence,
    Point,
    Role,
    Writability,
)
from ovread.units import Dimension

_VOLUME = ObjectType.DEFORMABLE_VOLUME
_SURFACE = ObjectType.DEFORMABLE_SURFACE
_PARTICLES = ObjectType.PARTICLE_SET
_W = Writability.WRITABLE
_TRIANGLE = ("a", "b", "c")
_TETRAHEDRON = (*_TRIANGLE, "d")
_POINT: dict[str, Any] = {"layout": Layout.ARRAY, "dimension": units.LENGTH, "frame": Frame.MESH_LOCAL,
                          "point": Point.ORIGIN, "role": Role.POINT}  # fmt: skip
_STATE: dict[str, Any] = {"persistence": Persistence.STATE, "residency": "device"}
_STRESS = Dimension(mass=1, length=-1, time=-2)


def _points(object_type: ObjectType, what: str) -> Attribute:
    return Attribute(object_type, "points", "f32", XYZ, f"Position of each {what}.", writability=_W, **_POINT, **_STATE)


def _velocities(object_type: ObjectType, what: str) -> Attribute:
    return Attribute(object_type, "velocities", "f32", XYZ, f"Velocity of each {what}.", layout=Layout.ARRAY,
                     dimension=units.VELOCITY, frame=Frame.WORLD, role=Role.VECTOR, writability=_W,
                     **_STATE)  # fmt: skip


def _rest(object_type: ObjectType) -> Attribute:
    return Attribute(object_type, "restPoints", "f32", XYZ, "Rest position of each node.", **_POINT)


def _elements(object_type: ObjectType, name: str, lanes: tuple[str, ...], meaning: str) -> Attribute:
    return Attribute(object_type, name, "i32", lanes, meaning, layout=Layout.ARRAY, role=Role.COUNT)


def _material(name: str, meaning: str, dimension: Dimension = units.NONE, accepts: Accepts = NON_NEGATIVE) -> Attribute:
    return Attribute(ObjectType.DEFORMABLE_MATERIAL, name, "f32", VALUE, meaning, dimension=dimension, writability=_W,
                     accepts=accepts)  # fmt: skip


ROWS: tuple[Attribute, ...] = (
    _points(_VOLUME, "node"),
    _velocities(_VOLUME, "node"),
    _rest(_VOLUME),
    _elements(_VOLUME, "simElementIndices", _TETRAHEDRON, "Nodes of each tetrahedron of the simulation mesh."),
    _elements(_VOLUME, "collisionElementIndices", _TETRAHEDRON, "Nodes of each tetrahedron of the collision mesh."),
    Attribute(_VOLUME, "kinematicTarget", "f32", (*XYZ, "free"),
              "Pending target of each node, and 0 where it drives the node.", writability=Writability.CONDITIONAL,
              **_POINT, **_STATE),
    _points(_SURFACE, "node"),
    _velocities(_SURFACE, "node"),
    _rest(_SURFACE),
    _elements(_SURFACE, "simElementIndices", _TRIANGLE, "Nodes of each triangle."),
    _points(_PARTICLES, "particle"),
    _velocities(_PARTICLES, "particle"),
    Attribute(_PARTICLES, "physxPointer", "u64", VALUE, "Borrowed address of the particle set.", role=Role.HANDLE),
    _material("deformableDynamicFriction", "Dynamic friction coefficient."),
    _material("deformableYoungsModulus", "Young's modulus.", _STRESS),
    _material("deformablePoissonsRatio", "Poisson's ratio.", accepts=Accepts(0.0, 0.5)),
    _material("deformableElasticityDamping", "Damping of the elastic response.", units.TIME),
    _material("deformableBendingStiffness", "Bending stiffness; surface materials only."),
    _material("deformableThickness", "Thickness of the shell; surface materials only.", units.LENGTH),
    _material("deformableBendingDamping", "Damping of bending; surface materials only."),
)  # fmt: skip
