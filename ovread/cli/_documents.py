"""What the commands print, as plain data with stable keys; ``--format json`` prints it as it is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ovread import catalogue as table
from ovread import plugins
from ovread.authoring import Effective, EffectiveProperty
from ovread.backend import Level, Value
from ovread.catalogue import ObjectType, Role
from ovread.cli._explained import Explained
from ovread.compare import TYPES, Comparison
from ovread.result import Group
from ovread.simulation import Simulation
from ovread.units import StageUnits


def backends() -> list[dict[str, Any]]:
    """Describe every known backend."""
    keys = ("name", "available", "reason", "distribution", "version", "engine")
    return [{key: getattr(info, key) for key in keys} for info in plugins.backends().values()]


def catalogue(object_types: Sequence[ObjectType]) -> list[dict[str, Any]]:
    """Describe every attribute of the types."""
    infos = {name: info for name, info in plugins.backends().items() if info.available}
    return [
        {
            "object_type": row.object_type.name,
            "attribute": row.name,
            "dtype": row.dtype,
            "lanes": list(row.lanes),
            "layout": row.layout.value,
            "dimension": {
                "length": row.dimension.length,
                "mass": row.dimension.mass,
                "time": row.dimension.time,
                "angle": row.dimension.angle,
            },
            "units": row.units(),
            "frame": row.frame.value,
            "point": row.point.value,
            "residency": row.residency,
            "readable": row.readable,
            "writability": row.writability.value,
            "accepts": row.accepted,
            "persistence": row.persistence.value,
            "meaning": row.meaning,
            "backends": {name: info.support_of(row.key).level.value for name, info in infos.items()},
            "writes": {
                name: {"writability": writing.writability.value, "reason": writing.reason}
                for name, info in infos.items()
                for writing in (info.writing_of(row.key),)
            },
        }
        for kind in object_types
        for row in table.attributes(kind)
    ]


def inspect(simulation: Simulation) -> dict[str, Any]:
    """Describe an open scene."""
    objects = {kind: simulation.query(kind) for kind in TYPES}
    return {
        "backend": _label(simulation),
        "units": units(simulation.units),
        "objects": {kind.name: list(query.paths) for kind, query in objects.items()},
        "attributes": {kind.name: list(query.attributes) for kind, query in objects.items() if len(query)},
        "diagnostics": [
            {"prim": found.prim, "rule": found.rule, "message": found.message} for found in simulation.diagnostics
        ],
    }


def read(
    simulation: Simulation, object_types: Sequence[ObjectType], names: Sequence[str] | None, pattern: str | None
) -> dict[str, Any]:
    """Read a scene: the named attributes, or all that the backend serves."""
    groups: list[dict[str, Any]] = []
    omissions: list[dict[str, Any]] = []
    for kind in object_types:
        query = simulation.query(kind, pattern=pattern)
        known = {row.name for row in table.attributes(kind)}
        wanted = query.attributes if names is None else [name for name in names if name in known]
        if not len(query) or not wanted:
            continue
        result = simulation.read(query, wanted)
        groups.extend(_group(simulation, kind, group) for group in result)
        omissions.extend(
            {
                "object_type": kind.name,
                "attribute": omission.attribute,
                "reason": omission.reason.value,
                "detail": omission.detail,
                "paths": list(omission.paths),
            }
            for omission in result.omissions
        )
    return {
        "backend": _label(simulation),
        "units": units(simulation.units),
        "tick": simulation.tick,
        "time": simulation.time,
        "groups": groups,
        "omissions": omissions,
    }


def compare(comparison: Comparison, explained: Explained | None) -> dict[str, Any]:
    """Describe a comparison; ``explained`` is None where nobody looked for what explains it."""
    rows = [
        {
            "object_type": row.object_type,
            "attribute": row.attribute,
            "path": row.path,
            "verdict": row.verdict.value,
            "max_abs": _number(row.max_abs),
            "max_rel": _number(row.max_rel),
            "tolerance": row.tolerance,
            "units": row.units,
            "frame": row.frame,
            "detail": row.detail,
            "explained_by": list(explained.rows[row]) if explained and row in explained.rows else None,
        }
        for row in comparison.rows
    ]
    return {"backends": list(comparison.backends), "rows": rows, "summary": comparison.summary()}


def effective(found: Effective) -> dict[str, Any]:
    """Describe what is in force on a prim."""
    return {
        "prim": found.prim,
        "units": units(found.units),
        "backends": list(found.backends),
        "properties": [_property(each) for each in found.properties],
    }


def _property(found: EffectiveProperty) -> dict[str, Any]:
    return {
        "schema": found.schema,
        "property": found.name,
        "applied": found.is_applied,
        "units": found.units,
        "authored": _authored(found.authored),
        "verdict": found.verdict.value,
        "values": [
            {
                "backend": each.backend,
                "value": _authored(each.value),
                "origin": each.origin.value,
                "source": each.source,
                "detail": each.text,
            }
            for each in found.values
        ],
        "divergences": [
            {"name": each.name, "side": each.side.value, "kind": each.kind.value, "text": each.text}
            for each in found.divergences
        ],
    }


def _authored(value: Value | None) -> Any:
    if isinstance(value, tuple):
        return [_number(each) for each in value]
    return _number(value) if isinstance(value, float) else value


def units(stage: StageUnits) -> dict[str, Any]:
    """Describe the units of a stage."""
    return {
        "meters_per_unit": stage.meters_per_unit,
        "kilograms_per_unit": stage.kilograms_per_unit,
        "up_axis": stage.up_axis,
    }


def _label(simulation: Simulation) -> str:
    name = simulation.backend.name
    return f"{name}:{simulation.variant}" if simulation.variant else name


def _group(simulation: Simulation, kind: ObjectType, group: Group) -> dict[str, Any]:
    return {
        "object_type": kind.name,
        "attribute": group.attribute,
        "paths": list(group.paths),
        "lanes": list(group.lanes),
        "units": group.units,
        "frame": group.frame,
        "values": _values(simulation, group),
        "offsets": None if group.offsets is None else group.offsets.tolist(),
        "scene": group.scene,
    }


def _values(simulation: Simulation, group: Group) -> list[list[Any]]:
    """Return the values; of path handles the paths, as a handle means nothing outside the process."""
    if group.row.role is Role.PATH:
        return [[path] for run in simulation.resolve(group) for path in run]
    return _numbers(group.numpy())


def _numbers(values: npt.NDArray[Any]) -> list[list[Any]]:
    rows: list[list[Any]] = values.tolist()
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        return [[_number(number) for number in row] for row in rows]
    return rows


def _number(value: float | None) -> float | str | None:
    """Spell what JSON has no number for, as protobuf's JSON does."""
    if value is None or math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")


def served_somewhere(levels: dict[str, str]) -> list[str]:
    """Return the names of the backends that serve an attribute."""
    return [name for name, level in levels.items() if level != Level.UNSUPPORTED.value]
