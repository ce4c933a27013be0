"""What the surfaces that ovnewton imports lack, or have too much."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ovread.backend import Diagnostic

if TYPE_CHECKING:
    import newton

Values = npt.NDArray[np.float64]


def release_surfaces(builder: newton.ModelBuilder) -> list[Diagnostic]:
    """Take the colliders out that stand where surfaces begin.

    A surface collides with its particles. ovnewton makes a static mesh of a collider prim as well, which the surface
    would be caught in.
    """
    import newton

    colliding = int(newton.ShapeFlags.COLLIDE_SHAPES) | int(newton.ShapeFlags.COLLIDE_PARTICLES)
    surfaces = set(builder.surface_label)
    diagnostics: list[Diagnostic] = []
    for shape, label in enumerate(builder.shape_label):
        if label in surfaces and builder.shape_body[shape] < 0:
            builder.shape_flags[shape] &= ~colliding
            message = (
                "The mesh was imported as a surface and as a collider that stands still: the collider was taken out."
            )
            diagnostics.append(Diagnostic(str(label), "surface-collider", message))
    return diagnostics


def relax_triangles(builder: newton.ModelBuilder) -> None:
    """Give triangles the energy that they have with the other solvers, for semi_implicit and featherstone.

    These two take the area coefficient for the sum of both coefficients of Lamé, the others for the first. ovnewton
    makes it 0, and so leaves triangles that pull themselves together.
    """
    builder.tri_materials[:] = [(ke, ke + ka, *rest) for ke, ka, *rest in builder.tri_materials]


def add_style3d_attributes(builder: newton.ModelBuilder) -> None:
    """Give the triangles and edges of a filled builder what ``newton.solvers.style3d`` gives those that it makes.

    The builder's triangles have Lamé's second coefficient k, which resists a stretch with 2 k and a shear with k in
    whichever directions; edges are two opposite nodes, -1 where there is none, then the edge's own two.
    """
    import newton

    newton.solvers.SolverStyle3D.register_custom_attributes(builder)
    if not builder.tri_count:
        return
    stiffness = np.array(builder.tri_materials, dtype=np.float64)[:, :1]
    _fill(builder, "tri_aniso_ke", stiffness * (2, 2, 1))  # weft, warp, shear
    edges = np.array(builder.edge_indices, dtype=np.intp).reshape(-1, 4)
    areas, cotangents = _at_rest(np.array(builder.particle_q, dtype=np.float64), edges)
    _fill(builder, "edge_rest_area", areas)
    _fill(builder, "edge_bending_cot", cotangents)


def _fill(builder: newton.ModelBuilder, name: str, values: Values) -> None:
    attribute: Any = builder.custom_attributes[f"style3d:{name}"]
    attribute.values = dict(enumerate(values.tolist()))


def _at_rest(points: Values, edges: npt.NDArray[np.intp]) -> tuple[Values, Values]:
    """Return the area of the two triangles at each edge, and the cotangents of their angles at its two nodes."""
    areas, cotangents = np.zeros(len(edges)), np.zeros((len(edges), 4))
    for side in (0, 1):
        rows = np.flatnonzero(edges[:, side] >= 0)
        opposite, first, second = (points[edges[rows, column]] for column in (side, 2, 3))
        twice_area = np.linalg.norm(np.cross(second - first, opposite - first), axis=1)
        areas[rows] += twice_area / 2
        for end, (node, other) in enumerate(((first, second), (second, first))):
            cotangents[rows, 2 * end + side] = np.sum((other - node) * (opposite - node), axis=1) / twice_area
    return areas, cotangents
