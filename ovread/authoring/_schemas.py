"""The schemas of the contract, by name."""

from __future__ import annotations

from types import MappingProxyType

from ovread.authoring._articulation_root import ARTICULATION_ROOT
from ovread.authoring._contract import INSTANCE, Property, Schema
from ovread.authoring._drive import DRIVE, LIMIT
from ovread.authoring._joint_axis import JOINT_AXIS, NEWTON_JOINT
from ovread.authoring._mass import MASS_PROPERTIES
from ovread.authoring._physx_articulation import PHYSX_ARTICULATION
from ovread.authoring._physx_rigid_body import PHYSX_RIGID_BODY
from ovread.authoring._scene import NEWTON_SCENE, PHYSX_SCENE, SCENE, STAGE_UNITS

SCHEMAS = MappingProxyType(
    {
        schema.name: schema
        for schema in (
            PHYSX_ARTICULATION,
            ARTICULATION_ROOT,
            PHYSX_RIGID_BODY,
            MASS_PROPERTIES,
            DRIVE,
            LIMIT,
            JOINT_AXIS,
            NEWTON_JOINT,
            SCENE,
            NEWTON_SCENE,
            PHYSX_SCENE,
            STAGE_UNITS,
        )
    }
)
"""All schemas."""

PROPERTIES: MappingProxyType[str, tuple[Schema, Property]] = MappingProxyType(
    {prop.name: (schema, prop) for schema in SCHEMAS.values() for prop in schema.properties}
)
"""All properties, with their schemas."""


def spelled(name: str, instance: str) -> str:
    """Return the name of a property for an instance."""
    return name.replace(INSTANCE, instance)
