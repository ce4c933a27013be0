"""What is populated of a stage, so that ovnewton finds all that it can import."""

from __future__ import annotations

from typing import Any

_DEFORMABLE = (
    "points",
    "velocities",
    "orientation",
    "faceVertexCounts",
    "faceVertexIndices",
    "tetVertexIndices",
    "curveVertexCounts",
    "normals",
    "type",
    "wrap",
    "material:binding:physics",
    "physics:bodyEnabled",
    "physics:kinematicEnabled",
    "physics:mass",
    "physics:density",
    "physics:masses",
    "physics:masses:elementType",
    "physics:thicknesses",
    "physics:thicknesses:elementType",
    "physics:youngsModulus",
    "physics:poissonsRatio",
    "physics:surfaceStretchStiffness",
    "physics:surfaceShearStiffness",
    "physics:surfaceBendStiffness",
    "physics:curvesStretchStiffness",
    "physics:curvesShearStiffness",
    "physics:curvesBendStiffness",
    "physics:curvesTwistStiffness",
)


def population_descs() -> list[Any]:
    """Return the ``ovstage.population.Desc`` s to open a stage with.

    ovnewton's own leaves out what deformables are made of: their schemas are a draft that no installed package
    registers, so that only the names of their properties tell.
    """
    import ovnewton
    from ovstage import population

    deformables = population.Selector(
        prim_predicate=population.PrimPredicate.has_metadata("apiSchemas"),
        property_predicate=population.PropertyPredicate.has_name(*_DEFORMABLE),
    )
    return [ovnewton.population_desc(), population.Desc(selectors=(deformables,))]
