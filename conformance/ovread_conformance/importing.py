"""Whether a backend's declarations about its importer hold: what two scenes, with a pattern and without, read."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

import ovread
from ovread import ObjectType, catalogue
from ovread.catalogue import Role

Readings = dict[str, npt.NDArray[np.float64]]
"""Values, flat, by object type, path and attribute, as in ``RIGID_BODY /W/b mass``."""

DT = 1 / 240
_TOLERANCE = 1e-4
_WITHOUT_NUMBERS = (Role.HANDLE, Role.PATH)
_TYPES = (
    ObjectType.RIGID_BODY,
    ObjectType.ARTICULATION_LINK,
    ObjectType.ARTICULATION_JOINT,
    ObjectType.ARTICULATION,
    ObjectType.FIXED_TENDON,
    ObjectType.SDF_SHAPE,
)


def readings(scene: str, backend: str, steps: int = 0, **options: Any) -> Readings:
    """Open a scene, step it, and read whatever has numbers of its bodies, joints and articulations.

    Args:
        scene: USDA text.
        backend: Label of the backend.
        steps: Steps of 1/240 s.
        options: Options of the backend.
    """
    found: Readings = {}
    with ovread.open(scene, backend=backend, **options) as simulation:
        if steps:
            simulation.step(DT, steps)
        for object_type in _TYPES:
            query = simulation.query(object_type)
            names = [row.name for row in catalogue.attributes(object_type) if row.readable and _is_number(row)]
            for group in simulation.read(query, names) if names else ():
                for path, value in zip(group.paths, group.per_prim(), strict=True):
                    found[f"{object_type.name} {path} {group.attribute}"] = np.ravel(value).astype(float)
            found.update({f"{object_type.name} {path}": np.zeros(0) for path in query.paths})
    return found


def _is_number(row: catalogue.Attribute) -> bool:
    return row.role not in _WITHOUT_NUMBERS


def differences(first: Readings, second: Readings) -> list[str]:
    """Return the names of what one has and the other has not, or has otherwise."""
    return sorted(name for name in first.keys() | second.keys() if not _is_same(first.get(name), second.get(name)))


def _is_same(first: npt.NDArray[np.float64] | None, second: npt.NDArray[np.float64] | None) -> bool:
    if first is None or second is None or first.shape != second.shape:
        return False
    size = max(1.0, float(np.abs(first[np.isfinite(first)]).max(initial=0.0)))
    return bool(np.allclose(first, second, rtol=_TOLERANCE, atol=_TOLERANCE * min(size, 1e3), equal_nan=True))
