"""Start values of what can be written but not read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ovread.catalogue import ObjectType
from ovread_physx._inspection import inspect

if TYPE_CHECKING:
    from ovread_physx._engine import PhysxEngine


def start_values(
    engine: PhysxEngine,
    object_type: ObjectType,
    name: str,
    rows: npt.NDArray[np.intp],
    values: npt.NDArray[Any],
) -> None:
    """Fill what stands now for the objects ``rows``: no force, and the state of sleep that a body is in."""
    values[...] = 0
    if name == "wake":
        values[:, 0] = 1 - _sleeping(engine, object_type, rows)


def _sleeping(engine: PhysxEngine, object_type: ObjectType, rows: npt.NDArray[np.intp]) -> npt.NDArray[np.uint8]:
    table = engine.table(object_type)
    prims = [table.prims[row] for row in rows]
    found: dict[int, int] = {}
    for group in inspect(engine, object_type, ["isSleeping"], list(dict.fromkeys(prims))):
        found.update(zip(group.prims, np.ravel(group.values[0]).tolist(), strict=True))
    return np.array([found.get(prim, 0) for prim in prims], dtype=np.uint8)
