"""Why an object has no value of an attribute: the engine leaves it out and says nothing, or a single bit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ovread.catalogue import ObjectType, attributes, needs_filters
from ovread_physx._inspection import inspect
from ovread_physx._support import ON_CUDA_ONLY

if TYPE_CHECKING:
    from ovread_physx._engine import PhysxEngine

NOT_HERE = "PhysX has no such value for these objects in this scene."

_DRIVEN = ("accelerator", "brake0", "brake1", "steer")
_SURFACE_ONLY = ("deformableBendingStiffness", "deformableThickness", "deformableBendingDamping")
_OF_SOME: dict[ObjectType, Callable[[str], bool]] = {
    ObjectType.VEHICLE: lambda name: True,
    ObjectType.DEFORMABLE_MATERIAL: _SURFACE_ONLY.__contains__,
}
"""Which attributes only some objects of a type have; the engine tells by leaving them out of a read."""

_INSTANCES = {
    "position": "positions",
    "orientation": "orientations",
    "linearVelocity": "velocities",
    "angularVelocity": "angularVelocities",
    "linearAcceleration": "accelerations",
    "angularAcceleration": "angularAccelerations",
}
"""What a body has, and what the instances of a point instancer have; the engine is asked for the first either way."""

_BODIES = {array: fixed for fixed, array in _INSTANCES.items()}

_COMPUTED_BY_STEPS = (
    "linearAcceleration",
    "angularAcceleration",
    "accelerations",
    "angularAccelerations",
    "linkIncomingJointForce",
    "jointProjectedForce",
)
"""Before the first step the engine reads 0 for these, whatever acts."""


def native_name(object_type: ObjectType, name: str) -> str:
    """Return the name by which the engine is asked for an attribute."""
    return _BODIES.get(name, name) if object_type is ObjectType.RIGID_BODY else name


def is_of_instances(name: str) -> bool:
    """Whether an attribute of RIGID_BODY belongs to point instancers rather than bodies."""
    return name in _BODIES


def why_missing(object_type: ObjectType, name: str) -> str:
    """Say why some objects have no value of an attribute."""
    if object_type is ObjectType.VEHICLE:
        if name in _DRIVEN:
            return "This vehicle has no drive of its own: torques and steering angles are written to its wheels."
        return f"Only vehicles with an engine and a gearbox (PhysxVehicleDriveStandardAPI) have {name}."
    if object_type is ObjectType.DEFORMABLE_MATERIAL and name in _SURFACE_ONLY:
        return "A volume material: only surface materials have it."
    if object_type is ObjectType.DEFORMABLE_VOLUME and name == "kinematicTarget":
        return "No kinematic target drives this body."
    return NOT_HERE


def why_not_a_body(name: str) -> str:
    """Say why a point instancer has no value of an attribute of bodies."""
    if name in _INSTANCES:
        return f"A point instancer: read {_INSTANCES[name]}."
    return f"A point instancer: PhysX does not tell the {name} of its instances."


def why_no_instancer(name: str) -> str:
    """Say why a body has no value of an attribute of point instancers."""
    return f"No point instancer: read {_BODIES[name]}."


def why_not_ready(object_type: ObjectType, name: str) -> str | None:
    """Say why an attribute has no value before the first step; None where it has one."""
    if object_type is ObjectType.VEHICLE_WHEEL:
        return "PhysX places wheels and computes their contacts in a step, and reads 0 before the first: step first."
    if name in _COMPUTED_BY_STEPS:
        return f"PhysX computes {name} in a step and reads 0 before the first one: step first."
    return None


def unreadable(
    engine: PhysxEngine, object_type: ObjectType, rows: npt.NDArray[np.intp], filters: Sequence[Sequence[str]]
) -> list[str]:
    """Return the attributes that none of some objects has."""
    names = [row.name for row in attributes(object_type)]
    if engine.device == "cpu" and object_type in ON_CUDA_ONLY:
        return names
    if object_type is ObjectType.CONTACT_SENSOR and not any(filters):
        return [name for name in names if needs_filters(name)]
    if object_type is ObjectType.RIGID_BODY:
        found = {int(row) in engine.table(object_type).instancers for row in rows}
        if found <= {False}:
            return list(_BODIES)
        if found == {True}:
            return [name for name in names if name not in _BODIES]
    if len(rows) and object_type in _OF_SOME:
        table = engine.table(object_type)
        asked = [row.name for row in attributes(object_type) if row.readable and _OF_SOME[object_type](row.name)]
        groups = inspect(engine, object_type, asked, list(dict.fromkeys(table.prims[row] for row in rows)))
        return [name for name in asked if name not in {group.attribute for group in groups}]
    return []
