"""The Newton backend of ovread, through ``newton`` and ``ovnewton``."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ovread.backend import BackendInfo, Engine, Objects, ReadBinding, Scene, WriteBinding
from ovread.catalogue import ObjectType
from ovread.hookspecs import hookimpl
from ovread_newton._corrections import RULES
from ovread_newton._info import describe

CORRECTIONS = RULES
"""Names of the corrections of the import, for the option ``corrections``."""

_SCHEMAS = (
    ("newton-usd-schemas", "newton_usd_schemas"),
    ("physx-usd-schemas", "physx_usd_schemas/PhysxSchema/resources"),
)


@hookimpl
def ovread_describe_backend() -> BackendInfo:
    """Describe the backend without importing Newton."""
    return describe()


@hookimpl
def ovread_usd_schemas() -> Sequence[Path]:
    """Return the folders of the schemas that ovnewton reads: Newton's own, and PhysX's joint states."""
    return [Path(str(metadata.distribution(name).locate_file(folder))) for name, folder in _SCHEMAS]


@hookimpl
def ovread_open(scene: Scene, device: str, options: Mapping[str, Any]) -> Engine:
    """Build the model, its solver and its state."""
    from ovread_newton._engine import OwnedEngine

    return OwnedEngine(scene, device, **options)


@hookimpl
def ovread_adopt(objects: tuple[Any, ...], options: Mapping[str, Any]) -> Engine | None:
    """Wrap Newton objects that the caller owns."""
    from ovread_newton._adopt import adopt

    return adopt(objects, options)


@hookimpl
def ovread_objects(engine: Any, object_type: ObjectType) -> Objects:
    """List the objects of a type, in Newton's order."""
    from ovread_newton._topology import objects

    if object_type in (ObjectType.CONTACT_SENSOR, ObjectType.SHAPE):
        return Objects(engine.sensing.paths(object_type))
    return objects(engine.topology, object_type)


@hookimpl
def ovread_unreadable_attributes(
    engine: Any, object_type: ObjectType, filters: Sequence[Sequence[str]]
) -> Collection[str]:
    """Return what contact sensors need filters for, where there are none."""
    from ovread_newton._contact_reads import unreadable

    return unreadable(filters) if object_type is ObjectType.CONTACT_SENSOR else ()


@hookimpl
def ovread_bind_read(
    engine: Any,
    object_type: ObjectType,
    rows: npt.NDArray[np.intp],
    attributes: Sequence[str],
    filters: Sequence[Sequence[str]],
) -> ReadBinding:
    """Prepare a read."""
    from ovread_newton._contact_reads import bind_contacts
    from ovread_newton._reads import bind

    if object_type is ObjectType.CONTACT_SENSOR:
        return bind_contacts(engine, rows, attributes, filters)
    return bind(engine, object_type, rows, attributes)


@hookimpl
def ovread_bind_write(
    engine: Any, object_type: ObjectType, rows: npt.NDArray[np.intp], attributes: Sequence[str]
) -> WriteBinding:
    """Prepare a write."""
    from ovread_newton._writes import bind_write

    return bind_write(engine, object_type, rows, attributes)


@hookimpl
def ovread_active_rows(engine: Any, object_type: ObjectType) -> npt.NDArray[np.intp] | None:
    """List the objects that were awake in the last step; None with solvers whose bodies do not sleep."""
    from ovread_newton._body_flags import active_rows

    return active_rows(engine, object_type)
