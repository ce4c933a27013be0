"""Rows that only say where an engine keeps an object, or how it draws it, and commands of character controllers."""

from __future__ import annotations

from typing import Any

from ovread import units
from ovread.catalogue._row import (
    NON_NEGATIVE,
    ORDERED,
    VALUE,
    XYZ,
    Attribute,
    Frame,
    Layout,
    ObjectType,
    Persistence,
    Role,
    Writability,
)

_DEBUG = ObjectType.DEBUG_RENDER
_W = Writability.WRITABLE

_ADDRESSES = {
    ObjectType.PHYSX_MATERIAL: "PxMaterial",
    ObjectType.SHAPE: "PxShape",
    ObjectType.COMPOUND_SHAPE: "compound shape",
    ObjectType.RIGID_ACTOR: "PxRigidDynamic or PxRigidStatic",
    ObjectType.JOINT: "PxJoint",
    ObjectType.CUSTOM_JOINT: "custom joint",
    ObjectType.PARTICLE_SYSTEM: "particle system",
    ObjectType.PHYSICS: "PxPhysics, one for the process",
}

_SCALES = {
    "scale": "Scale of everything drawn.",
    "worldAxes": "Axes of the world.",
    "bodyAxes": "Axes of bodies.",
    "bodyMassAxes": "Axes of inertia.",
    "bodyLinearVelocity": "Linear velocities.",
    "bodyAngularVelocity": "Angular velocities.",
    "contactPoint": "Contact points.",
    "contactNormal": "Contact normals.",
    "contactError": "Contact errors.",
    "contactImpulse": "Contact impulses.",
    "frictionPoint": "Friction points.",
    "frictionNormal": "Friction normals.",
    "frictionImpulse": "Friction impulses.",
    "actorAxes": "Axes of actors.",
    "collisionAABBs": "Bounds of colliders.",
    "collisionShapes": "Colliders.",
    "collisionAxes": "Axes of colliders.",
    "collisionCompounds": "Bounds of compounds.",
    "collisionFaceNormals": "Normals of mesh faces.",
    "collisionEdges": "Edges of meshes.",
    "collisionStaticPruner": "Tree of static colliders.",
    "collisionDynamicPruner": "Tree of dynamic colliders.",
    "jointLocalFrames": "Frames of joints.",
    "jointLimits": "Limits of joints.",
    "cullBox": "The culling box.",
    "mbpRegions": "Regions of the broad phase.",
    "simulationMesh": "Simulation meshes.",
    "sdf": "Signed distance fields.",
}


def _corners(count: int) -> tuple[str, ...]:
    return tuple(f"{axis}{corner}" for corner in range(count) for axis in XYZ) if count > 1 else XYZ


def _drawn(name: str, count: int) -> tuple[Attribute, Attribute]:
    """Make the rows of the positions and of the colours of one kind of primitive."""
    rest: dict[str, Any] = {"layout": Layout.ARRAY, "persistence": Persistence.STATE}
    colors = tuple(f"color{corner}" for corner in range(count)) if count > 1 else VALUE
    return (
        Attribute(_DEBUG, f"{name}Position", "f32", _corners(count), f"Corners of each {name}.", role=Role.POINT,
                  dimension=units.LENGTH, frame=Frame.WORLD, **rest),
        Attribute(_DEBUG, f"{name}Color", "u32", colors, f"Colours of each {name}, 0xAARRGGBB.", role=Role.ENUM,
                  **rest),
    )  # fmt: skip


ROWS: tuple[Attribute, ...] = (
    *(Attribute(kind, "physxPointer", "u64", VALUE, f"Borrowed address of the {what}.", role=Role.HANDLE)
      for kind, what in _ADDRESSES.items()),
    Attribute(ObjectType.CHARACTER_CONTROLLER, "move", "f32", XYZ, "Displacement to move by.", dimension=units.LENGTH,
              frame=Frame.WORLD, role=Role.VECTOR, readable=False, writability=Writability.CONDITIONAL,
              persistence=Persistence.ONCE),
    Attribute(_DEBUG, "enabled", "u8", VALUE, "1 where debug geometry is made.", role=Role.FLAG, writability=_W),
    *(Attribute(_DEBUG, name, "f32", VALUE, f"Scale of the debug drawing: {meaning}", writability=_W,
                accepts=NON_NEGATIVE)
      for name, meaning in _SCALES.items()),
    Attribute(_DEBUG, "cullingBox", "f32", ("xmin", "ymin", "zmin", "xmax", "ymax", "zmax"),
              "Box outside of which nothing is drawn; no element where there is none.", layout=Layout.ARRAY,
              dimension=units.LENGTH, frame=Frame.WORLD, writability=_W, accepts=ORDERED),
    Attribute(_DEBUG, "scope", "u64", VALUE, "Prims to draw; no element where all are drawn.", layout=Layout.ARRAY,
              role=Role.PATH, writability=_W),
    *_drawn("point", 1),
    *_drawn("line", 2),
    *_drawn("triangle", 3),
)  # fmt: skip
