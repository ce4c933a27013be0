"""Bodies whose mass follows from their colliders, and from what these are made of."""

from __future__ import annotations

from ovread_conformance.systems._model import Body, Shape, Stage, System, at
from ovread_conformance.systems._solids import bare, solid


def _solid(name: str, x: float, *shapes: Shape) -> Body:
    return solid(Body(name, pose=at(x, 0.5, 1, about=(1, 2, 3), degrees=20 + 10 * x), shapes=shapes))


_PLACE = at(0.1, -0.2, 0.3, about=(1, 2, -1), degrees=40)

SOLIDS = System(
    "solids",
    bodies=(
        _solid("plain", 0, Shape((0.5, 0.6, 0.8), _PLACE)),
        _solid("box", 2, Shape((0.5, 0.6, 0.8), _PLACE, density=700.0)),
        _solid("sphere", 4, Shape((0.6, 0.6, 0.6), _PLACE, kind="sphere", density=800.0)),
        _solid("capsule", 6, Shape((0.4, 0.4, 1.1), _PLACE, kind="capsule", density=900.0)),
        _solid("cylinder", 8, Shape((0.4, 0.4, 1.1), _PLACE, kind="cylinder", density=1100.0)),
        _solid("mesh", 10, Shape((0.9, 0.7, 1.2), _PLACE, kind="tetrahedron", density=1200.0)),
        _solid("several", 14, Shape((0.5, 0.6, 0.8), _PLACE, density=700.0), Shape((0.3, 0.2, 0.4), at(0.7, 0.1, 0)),
               Shape((0.4, 0.4, 0.4), at(0, 0.8, 0.2), kind="sphere", density=300.0)),
        _solid("material", 16, Shape((0.5, 0.6, 0.8), _PLACE, 0.4, material_density=300.0)),
        _solid("both", 18, Shape((0.5, 0.6, 0.8), _PLACE, 0.4, density=50.0, material_density=300.0)),
        _solid("lying_capsule", -2, Shape((1.1, 0.4, 0.4), _PLACE, kind="capsule", density=900.0, axis="X")),
        _solid("upright_capsule", -4, Shape((0.4, 1.1, 0.4), _PLACE, kind="capsule", density=900.0, axis="Y")),
        _solid("lying_cylinder", -6, Shape((1.1, 0.4, 0.4), _PLACE, kind="cylinder", density=1100.0, axis="X")),
        _solid("boxlike_mesh", -8, Shape((0.5, 1.0, 1.5), _PLACE, kind="hexahedron", density=600.0)),
        _solid("mesh_as_a_sphere", -11, Shape((0.5, 1.0, 1.5), _PLACE, kind="hexahedron", density=100.0,
                                             approximation="boundingSphere")),
        _solid("half_enabled", -14, Shape((0.5, 0.6, 0.8), _PLACE, density=700.0),
               Shape((0.3, 0.2, 0.4), at(0.7, 0.1, 0), density=500.0, is_enabled=False)),
        _solid("weighed", 20, Shape((0.5, 0.6, 0.8), at(1, 0, 0), mass=5.0), Shape((0.3, 0.2, 0.4), at(), mass=3.0)),
    ),
)  # fmt: skip
"""Masses from densities of colliders and materials, and from masses of colliders."""

SCALED = System(
    "scaled solids",
    bodies=(
        _solid("sphere", 1, Shape((0.6, 0.6, 0.6), _PLACE, kind="sphere", density=800.0, scale=(1.0, 2.0, 1.5))),
        _solid("cylinder", 4, Shape((0.4, 0.4, 1.1), _PLACE, kind="cylinder", density=1100.0, scale=(1.2, 0.7, 2.0))),
    ),
)
"""Round colliders, scaled by other factors along each axis."""

MIRRORED_MESH = System(
    "mirrored mesh",
    bodies=(_solid("mirrored", 1, Shape((-0.9, 0.7, 1.2), _PLACE, kind="tetrahedron", density=1200.0)),),
)
"""A mesh that a negative scale turns inside out."""
CONE = System("cone", bodies=(_solid("cone", 1, Shape((0.6, 0.6, 1.2), _PLACE, kind="cone", density=100.0)),))

"""A cone, whose centre of mass is not in the middle of its extents."""


def _bare(name: str, stage: Stage) -> System:
    return System(name, bodies=(bare(Body("bare", pose=at(1, 2, 3)), stage),), stage=stage)


BARE = (
    _bare("body without mass", Stage()),
    _bare("body without mass in centimetres and grams", Stage(0.01, 0.001)),
)
"""A body that has neither mass nor colliders."""
