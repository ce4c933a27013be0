"""Signed distance fields, which the engine evaluates on a GPU only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ovread.catalogue import ObjectType
from ovread.errors import UnsupportedOperationError

if TYPE_CHECKING:
    from ovread_physx._engine import PhysxEngine


def signed_distances(engine: PhysxEngine, rows: npt.NDArray[np.intp], points: npt.NDArray[np.float32]) -> Any:
    """Evaluate the fields of some SDF shapes.

    Raises:
        UnsupportedOperationError: The simulation runs on the CPU.
    """
    if engine.device == "cpu":
        raise UnsupportedOperationError(
            "PhysX evaluates signed distance fields on CUDA only: open the scene with device='cuda:0'."
        )
    import warp as wp

    prims = [engine.table(ObjectType.SDF_SHAPE).prims[row] for row in rows]
    at = wp.array(points, dtype=wp.float32, device=engine.device)
    distances = wp.empty((*points.shape[:2], 4), dtype=wp.float32, device=engine.device)
    engine.physx.evaluate_sdf_shapes(at, distances, prim_paths=prims)
    return distances
