"""The PhysX backend of ovread; see :mod:`ovread.hookspecs` for what its hooks do.

Importing it loads neither ``ovphysx`` nor ``ovstage``: that happens when a scene is opened.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ovread.backend import BackendInfo, Engine, Objects, ReadBinding, Scene, WriteBinding
from ovread.catalogue import ObjectType
from ovread.hookspecs import hookimpl
from ovread_physx import (
    _active,
    _debug_writes,
    _engine,
    _info,
    _objects,
    _pending,
    _reads,
    _reasons,
    _sdf,
    _vehicle_writes,
    _writes,
)


@hookimpl
def ovread_describe_backend() -> BackendInfo:
    """Describe the backend."""
    return _info.describe()


@hookimpl
def ovread_usd_schemas() -> list[Path]:
    """Return the schemas of PhysX, and those of Newton, whose joint attributes PhysX reads too."""
    physx = [
        plugin.parent
        for root in _package_folders("physx_usd_schemas")
        for plugin in root.glob("*/resources/plugInfo.json")
    ]
    newton = [root for root in _package_folders("newton_usd_schemas") if (root / "plugInfo.json").is_file()]
    return [*sorted(physx), *newton]


@hookimpl
def ovread_prepare_process() -> None:
    """Load PhysX's library before ``coacd``, which other engines decompose meshes with.

    That library carries a C++ runtime of its own and shares it with those loaded later: PhysX then throws
    ``std::bad_cast`` whenever it writes an error message.
    """
    import ovphysx

    _ = ovphysx.PhysX


@hookimpl
def ovread_open(scene: Scene, device: str, options: Mapping[str, Any]) -> Engine:
    """Open a scene."""
    return _engine.PhysxEngine.open(scene, device, options)


@hookimpl
def ovread_adopt(objects: tuple[Any, ...], options: Mapping[str, Any]) -> Engine | None:
    """Wrap the caller's ``PhysX`` instance and its attached ``Stage``."""
    return _engine.PhysxEngine.adopt(objects, options)


@hookimpl
def ovread_objects(engine: _engine.PhysxEngine, object_type: ObjectType) -> Objects:
    """List all objects of a type."""
    return _objects.list_objects(engine, object_type)


@hookimpl
def ovread_active_rows(engine: _engine.PhysxEngine, object_type: ObjectType) -> npt.NDArray[np.intp] | None:
    """Return which objects of a type moved in the last step."""
    rows = _active.active_rows(engine, object_type)
    return None if rows is None else np.flatnonzero(np.isin(engine.listed_rows(object_type), rows))


@hookimpl
def ovread_unreadable_attributes(
    engine: _engine.PhysxEngine, object_type: ObjectType, rows: npt.NDArray[np.intp], filters: Sequence[Sequence[str]]
) -> Collection[str]:
    """Return the attributes that none of the objects has."""
    return _reasons.unreadable(engine, object_type, engine.listed_rows(object_type)[rows], filters)


@hookimpl
def ovread_signed_distances(
    engine: _engine.PhysxEngine, rows: npt.NDArray[np.intp], points: npt.NDArray[np.float32]
) -> Any:
    """Evaluate signed distance fields."""
    return _sdf.signed_distances(engine, engine.listed_rows(ObjectType.SDF_SHAPE)[rows], points)


@hookimpl
def ovread_bind_read(
    engine: _engine.PhysxEngine,
    object_type: ObjectType,
    rows: npt.NDArray[np.intp],
    attributes: Sequence[str],
    filters: Sequence[Sequence[str]],
) -> ReadBinding:
    """Prepare a read."""
    rows = engine.listed_rows(object_type)[rows]
    if len(rows) and engine.awaits_step(object_type):
        return _pending.not_ready(attributes)
    return _reads.bind_read(engine, object_type, rows, attributes, filters)


@hookimpl
def ovread_bind_write(
    engine: _engine.PhysxEngine, object_type: ObjectType, rows: npt.NDArray[np.intp], attributes: Sequence[str]
) -> WriteBinding:
    """Prepare a write."""
    rows = engine.listed_rows(object_type)[rows]
    if object_type in _vehicle_writes.TYPES:
        return _vehicle_writes.bind_vehicles(engine, object_type, rows, attributes)
    if object_type is ObjectType.DEBUG_RENDER:
        return _debug_writes.bind_debug(engine, rows, attributes)
    return _writes.bind_write(engine, object_type, rows, attributes)


def _package_folders(name: str) -> list[Path]:
    """Return the folders of a package without importing it: both schema packages would load another USD."""
    spec = importlib.util.find_spec(name)
    return [Path(folder) for folder in (spec.submodule_search_locations or ())] if spec else []
