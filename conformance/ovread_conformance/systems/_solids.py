"""Bodies whose mass follows from their colliders: closed forms for each kind of shape."""

from __future__ import annotations

import attrs
import numpy as np
import numpy.typing as npt
import pinocchio as pin

from ovread_conformance.systems._model import Body, Shape, Stage, at

Array = npt.NDArray[np.float64]

DENSITY = 1000.0
"""Density of what has none, in kilograms per cubic metre."""
BARE_RADIUS = 0.1
"""Radius, in metres, of the ball that a body without colliders is taken for; its mass is one unit of the stage."""


def solid(body: Body) -> Body:
    """Return the body with the mass, centre and moments that its colliders make up.

    A collider has its own mass, or else its own density, that of its material, or the default.
    """
    whole = pin.Inertia.Zero()
    for shape in body.shapes:
        whole += _inertia(shape).se3Action(shape.frame)
    moments, axes = np.linalg.eigh(whole.inertia)
    axes[:, 2] *= np.linalg.det(axes)
    x, y, z = moments.tolist()
    centre = pin.SE3(axes, np.array(whole.lever))
    return attrs.evolve(body, mass=float(whole.mass), centre=centre, moments=(x, y, z), is_solid=True)


def bare(body: Body, stage: Stage) -> Body:
    """Return the body as it is without colliders and without mass properties."""
    moment = 0.4 * (BARE_RADIUS / stage.meters_per_unit) ** 2
    return attrs.evolve(body, mass=1.0, centre=at(), moments=(moment,) * 3, shapes=(), is_solid=True)


def _inertia(shape: Shape) -> pin.Inertia:
    """Return mass, centre and inertia of a shape in its own frame; of a hexahedron, also as the sphere about it."""
    kind = "sphere" if shape.approximation == "boundingSphere" else shape.kind
    extents = shape.extents
    if kind != shape.kind:
        extents = (float(np.linalg.norm(extents)),) * 3
    volume, centre, per_mass = _KINDS[kind](*extents)
    authored = [density for density in (shape.density, shape.material_density) if density is not None]
    mass = (authored or [DENSITY])[0] * volume if shape.mass is None else shape.mass
    turn = np.roll(np.eye(3), "ZXY".index(shape.axis), axis=1)
    return pin.Inertia(mass, turn.T @ centre, mass * turn.T @ per_mass @ turn)


_Solid = tuple[float, Array, Array]
"""Volume, centre, and inertia about the centre per mass."""


def _box(x: float, y: float, z: float) -> _Solid:
    return x * y * z, np.zeros(3), np.diag([y**2 + z**2, x**2 + z**2, x**2 + y**2]) / 12


def _sphere(x: float, y: float, z: float) -> _Solid:
    radius = x / 2
    return 4 / 3 * np.pi * radius**3, np.zeros(3), 2 / 5 * radius**2 * np.eye(3)


def _cylinder(x: float, y: float, z: float) -> _Solid:
    radius = x / 2
    across = radius**2 / 4 + z**2 / 12
    return np.pi * radius**2 * z, np.zeros(3), np.diag([across, across, radius**2 / 2])


def _cone(x: float, y: float, z: float) -> _Solid:
    radius = x / 2
    across = 3 / 20 * radius**2 + 3 / 80 * z**2
    return np.pi * radius**2 * z / 3, np.array([0, 0, -z / 4]), np.diag([across, across, 3 / 10 * radius**2])


def _capsule(x: float, y: float, z: float) -> _Solid:
    radius, height = x / 2, z - x
    tube, caps = np.pi * radius**2 * height, 4 / 3 * np.pi * radius**3
    across = tube * (radius**2 / 4 + height**2 / 12)
    across += caps * (2 / 5 * radius**2 + height**2 / 4 + 3 / 8 * height * radius)
    along = tube * radius**2 / 2 + caps * 2 / 5 * radius**2
    volume = tube + caps
    return volume, np.zeros(3), np.diag([across, across, along]) / volume


def _tetrahedron(x: float, y: float, z: float) -> _Solid:
    """Return that with a corner at the origin and edges along the axes, which a negative extent mirrors."""
    edges = np.array([x, y, z])
    spread = 3 / 80 * edges**2
    tensor = np.outer(edges, edges) / 80
    np.fill_diagonal(tensor, spread.sum() - spread)
    return abs(x * y * z) / 6, edges / 4, tensor


_KINDS = {
    "box": _box,
    "sphere": _sphere,
    "capsule": _capsule,
    "cylinder": _cylinder,
    "cone": _cone,
    "tetrahedron": _tetrahedron,
    "hexahedron": _box,
}
