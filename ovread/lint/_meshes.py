"""Shapes of meshes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ovread.lint._asset import value

_MOST = 2000
"""Meshes with more points are taken for concave: few of them are convex, and finding out is slow."""


def is_convex(prim: Any) -> bool:
    """Return whether a mesh is its own convex hull: no point is outside of the plane of a face."""
    points = np.array(value(prim, "points", []), dtype=float).reshape(-1, 3)
    counts = np.array(value(prim, "faceVertexCounts", []), dtype=int)
    indices = np.array(value(prim, "faceVertexIndices", []), dtype=int)
    if not 4 <= len(points) <= _MOST or not len(counts) or indices.size < counts.sum():
        return False
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    corners = points[indices[starts[:, None] + np.arange(3)]]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    sizes = np.linalg.norm(normals, axis=1)
    kept = sizes > 0
    heights = (points @ (normals[kept] / sizes[kept, None]).T) - np.sum(
        corners[kept, 0] * normals[kept] / sizes[kept, None], axis=1
    )
    slack = 1e-4 * float(np.ptp(points, axis=0).max())
    return bool(np.all(heights <= slack) or np.all(heights >= -slack))


def is_flat(prim: Any) -> bool:
    """Return whether all points of a mesh are in one plane."""
    points = np.array(value(prim, "points", []), dtype=float).reshape(-1, 3)
    if len(points) < 3:
        return False
    extents = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    return bool(extents[2] <= 1e-6 * extents[0])
