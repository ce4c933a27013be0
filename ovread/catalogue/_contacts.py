"""Rows of contact sensors, all about the last step.

A force is the one that the sensor receives, force and not impulse. What has "filtered" or "matrix" in its name needs a
query with filters. Elements of one sensor lie side by side, sensors in the order of the rows.
"""

from __future__ import annotations

from typing import Any

from ovread import units
from ovread.catalogue._row import VALUE, XYZ, Attribute, Frame, Layout, ObjectType, Persistence, Role
from ovread.units import Dimension

_IMPULSE = Dimension(mass=1, length=1, time=-1)

NO_FILTERS = (
    "It tells contacts apart by the other object: query with contacts=[ovread.ContactSelection(sensors, filters)]."
)
"""Why an attribute that needs filters is not read without them."""


def needs_filters(name: str) -> bool:
    """Whether an attribute of contact sensors tells contacts apart by the other object."""
    return name.startswith("filtered") or name.endswith("Matrix")


def filter_lanes(row: Attribute, filters: int) -> tuple[str, ...] | None:
    """Return the names of the lanes of a matrix over so many filters, such as ``f0.x``; None for other layouts."""
    if row.layout is not Layout.MATRIX:
        return None
    names = [f"f{number}" for number in range(filters)]
    if len(row.lanes) == 1:
        return tuple(names)
    return tuple(f"{name}.{lane}" for name in names for lane in row.lanes)


def _row(name: str, lanes: tuple[str, ...], meaning: str, dtype: str = "f32", **rest: Any) -> Attribute:
    return Attribute(ObjectType.CONTACT_SENSOR, name, dtype, lanes, meaning, persistence=Persistence.STATE,
                     residency="device", **rest)  # fmt: skip


def _vector(name: str, meaning: str, dimension: Dimension, role: Role = Role.VECTOR, **rest: Any) -> Attribute:
    return _row(name, XYZ, meaning, dimension=dimension, frame=Frame.WORLD, role=role, **rest)


def _each(name: str, lanes: tuple[str, ...], meaning: str, dtype: str = "f32", **rest: Any) -> Attribute:
    """Make a row with one element per contact point, friction anchor or event."""
    return _row(name, lanes, meaning, dtype, layout=Layout.ARRAY, **rest)


def _each_vector(name: str, meaning: str, dimension: Dimension, role: Role = Role.VECTOR) -> Attribute:
    return _vector(name, meaning, dimension, role, layout=Layout.ARRAY)


def _each_path(name: str, meaning: str) -> Attribute:
    return _each(name, VALUE, meaning, "u64", role=Role.PATH)


ROWS: tuple[Attribute, ...] = (
    _vector("netNormalContactForce", "Sum of the normal forces on the sensor.", units.FORCE),
    _vector("netFrictionContactForce", "Sum of the friction forces on the sensor.", units.FORCE),
    _vector("normalContactForceMatrix", "Normal force from each filter's object, x y z per filter.", units.FORCE,
            layout=Layout.MATRIX),
    _vector("frictionContactForceMatrix", "Friction force from each filter's object, x y z per filter.", units.FORCE,
            layout=Layout.MATRIX),
    _row("filteredContactCount", VALUE, "Number of contact points with each filter's object.", "i32",
         layout=Layout.MATRIX, role=Role.COUNT),
    _row("filteredFrictionCount", VALUE, "Number of friction anchors with each filter's object.", "i32",
         layout=Layout.MATRIX, role=Role.COUNT),
    _each("filteredContactForce", VALUE, "Normal force of each point, by filter; times the normal, the force on the "
          "sensor.", dimension=units.FORCE),
    _each_vector("filteredContactPoint", "Position of each point, by filter.", units.LENGTH, Role.POINT),
    _each_vector("filteredContactNormal", "Normal of each point, by filter, from side 1 of its pair to side 0.",
                 units.NONE),
    _each("filteredContactSeparation", VALUE, "Separation of each point, by filter.", dimension=units.LENGTH),
    _each_vector("filteredFrictionForce", "Friction force of each anchor, by filter.", units.FORCE),
    _each_vector("filteredFrictionPoint", "Position of each friction anchor, by filter.", units.LENGTH, Role.POINT),
    _each("rawContactForce", VALUE, "Normal force of each point; times the normal, the force on the sensor.",
          dimension=units.FORCE),
    _each_vector("rawContactPoint", "Position of each point.", units.LENGTH, Role.POINT),
    _each_vector("rawContactNormal", "Normal of each point, from side 1 of its pair to side 0.", units.NONE),
    _each("rawContactSeparation", VALUE, "Separation of each point.", dimension=units.LENGTH),
    _each_path("rawContactOtherBody", "The other body of each point."),
    _each("contactEventType", VALUE, "0 found, 1 lost, 2 persists.", "i32", role=Role.ENUM),
    _each("contactEventSensorSide", VALUE, "Which side of the reported pair the sensor is, 0 or 1.", "i32",
          role=Role.ENUM),
    _each_path("contactEventCollider", "The sensor's collider."),
    _each_path("contactEventOtherBody", "The other body."),
    _each_path("contactEventOtherCollider", "The other collider."),
    _each("contactEventProtoIndex", VALUE, "Instance of the sensor's collider; 0xFFFFFFFF where it is none.", "u32",
          role=Role.ENUM),
    _each("contactEventOtherProtoIndex", VALUE, "Instance of the other collider; 0xFFFFFFFF where it is none.", "u32",
          role=Role.ENUM),
    _each("contactEventPointCount", VALUE, "Number of contact points of each event.", "i32", role=Role.COUNT),
    _each("contactEventAnchorCount", VALUE, "Number of friction anchors of each event.", "i32", role=Role.COUNT),
    _each_vector("contactEventPointPosition", "Position of each point, event by event.", units.LENGTH, Role.POINT),
    _each_vector("contactEventPointNormal", "Normal of each point, from side 1 of its pair to side 0.", units.NONE),
    _each_vector("contactEventPointImpulse", "Normal impulse of each point on side 0 of its pair; it is no force.",
                 _IMPULSE),
    _each("contactEventPointSeparation", VALUE, "Separation of each point.", dimension=units.LENGTH),
    _each("contactEventPointFaceIndex", VALUE, "Face of the sensor's mesh.", "u32", role=Role.ENUM),
    _each("contactEventPointOtherFaceIndex", VALUE, "Face of the other mesh.", "u32", role=Role.ENUM),
    _each_path("contactEventPointMaterial", "Material of the sensor's collider."),
    _each_path("contactEventPointOtherMaterial", "Material of the other collider."),
    _each_vector("contactEventAnchorPosition", "Position of each friction anchor, event by event.", units.LENGTH,
                 Role.POINT),
    _each_vector("contactEventAnchorImpulse", "Impulse of each friction anchor on side 0 of its pair.", _IMPULSE),
)  # fmt: skip
