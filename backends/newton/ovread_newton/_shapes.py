"""Reading what each collision shape of a body has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ovread_newton._binding import Gather, Source, Values, Write

if TYPE_CHECKING:
    from ovread_newton._engine import NewtonEngine

Indices = npt.NDArray[np.intp]

ARRAYS = {
    "friction": "shape_material_mu",
    "restitution": "shape_material_restitution",
    "restOffset": "shape_margin",
}
PER_SHAPE = (*ARRAYS, "contactOffset")


def bind_shapes(engine: NewtonEngine, shapes: Indices, name: str) -> Write:
    """Prepare reading ``(shapes, 1)``."""
    if name in ARRAYS:
        return Gather(Source(engine, "model", ARRAYS[name]), shapes[:, None])
    # Shapes come to rest at their margins, and Newton makes contacts where they are closer by the gap beyond.
    margin, gap = Source(engine, "model", "shape_margin"), Source(engine, "model", "shape_gap")
    scratch = np.empty(len(shapes), np.float32)

    def write(out: Values) -> None:
        np.take(margin(), shapes, out=out[:, 0], mode="clip")
        np.take(gap(), shapes, out=scratch, mode="clip")
        np.add(out[:, 0], scratch, out=out[:, 0])

    return write
