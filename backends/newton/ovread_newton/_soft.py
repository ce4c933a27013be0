"""Surfaces, volumes and particle sets: which there are, and preparing their reads.

Newton has particles in world axes. That is the frame of their meshes, too: ovnewton imports no deformable whose prim
is placed, turned or scaled, and a model that was built in Newton has no prims.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
import numpy.typing as npt

from ovread.backend import Column, Omission, OmissionReason
from ovread.catalogue import ObjectType
from ovread_newton._binding import Binding, Gather, Source, Write, constant, lanes
from ovread_newton._paths import path_in_world, paths_of
from ovread_newton._ragged import EMPTY, Indices, Ragged

if TYPE_CHECKING:
    import newton

    from ovread_newton._engine import NewtonEngine

PARTICLES = {
    "points": ("state", "particle_q"),
    "velocities": ("state", "particle_qd"),
    "restPoints": ("model", "particle_q"),
}
"""Part of the engine and array of each attribute of particles."""

_ELEMENTS = {
    ObjectType.DEFORMABLE_SURFACE: ("tri_indices", "tri_poses", 3),
    ObjectType.DEFORMABLE_VOLUME: ("tet_indices", "tet_poses", 4),
}
"""Nodes of the elements, the inverse of the matrix of their edges at rest, and the number of nodes of each."""

_MOVED = (
    "Its elements are at rest in another shape than that of Model.particle_q, and Newton keeps the positions of nodes "
    "there only."
)
_TOLERANCE = 1e-3
"""On products of the edges of an element, relative to those at rest; single precision gives 1e-5."""


@attrs.frozen(eq=False)
class SoftObjects:
    """All surfaces, all volumes or all particle sets.

    Args:
        paths: Path of each.
        particles: Its particles.
        elements: Its triangles or tetrahedra; none for particle sets.
    """

    paths: tuple[str, ...]
    particles: Ragged
    elements: Ragged


def soft_objects(model: newton.Model) -> dict[ObjectType, SoftObjects]:
    """Find the soft objects of a model, by type and in its order."""
    surfaces = SoftObjects(
        tuple(paths_of(model, "surface")),
        _spans(model.surface_particle_start, model.surface_particle_end),
        _spans(model.surface_tri_start, model.surface_tri_end),
    )
    volumes = SoftObjects(
        tuple(paths_of(model, "volume")),
        _spans(model.volume_particle_start, model.volume_particle_end),
        _spans(model.volume_tet_start, model.volume_tet_end),
    )
    return {
        ObjectType.DEFORMABLE_SURFACE: surfaces,
        ObjectType.DEFORMABLE_VOLUME: volumes,
        ObjectType.PARTICLE_SET: _particle_sets(
            model, np.concatenate([surfaces.particles.flat, volumes.particles.flat])
        ),
    }


def _spans(starts: Any, ends: Any) -> Ragged:
    return Ragged.between(*(EMPTY if array is None else array.numpy() for array in (starts, ends)))


def _particle_sets(model: newton.Model, bound: Indices) -> SoftObjects:
    """Make one set per world of the particles that are of no surface or volume: Newton keeps no groups of them."""
    loose = np.setdiff1d(np.arange(model.particle_count), bound)
    worlds = np.full(len(loose), -1)
    if model.world_count > 1 and len(loose):
        worlds = model.particle_world.numpy()[loose]
    found, counts = np.unique(worlds, return_counts=True)
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.intp)
    paths = tuple("/particles" if world < 0 else path_in_world(int(world), "particles") for world in found)
    return SoftObjects(paths, Ragged(loose[np.argsort(worlds, kind="stable")], offsets), Ragged.of([] for _ in paths))


def bind_soft(engine: NewtonEngine, object_type: ObjectType, rows: Indices, attributes: Sequence[str]) -> Binding:
    """Prepare a read of soft objects of one type."""
    columns: list[Column] = []
    writes: list[Write] = []
    omissions: list[Omission] = []
    for name in attributes:
        covered = np.arange(len(rows))
        if name == "restPoints":
            is_at_rest = _are_at_rest(engine, object_type, rows)
            covered = np.flatnonzero(is_at_rest)
            if not is_at_rest.all():
                paths = engine.topology.soft[object_type].paths
                moved = tuple(paths[row] for row in rows[~is_at_rest])
                omissions.append(Omission(name, OmissionReason.UNSUPPORTED_CONFIGURATION, _MOVED, moved))
                if not len(covered):
                    continue
        write, counts = _bind(engine, object_type, rows[covered], name)
        columns.append(Column(name, covered, counts))
        writes.append(write)
    return Binding(columns, writes, omissions)


def _bind(engine: NewtonEngine, object_type: ObjectType, rows: Indices, name: str) -> tuple[Write, Indices]:
    objects = engine.topology.soft[object_type]
    if name in PARTICLES:
        source = Source(engine, *PARTICLES[name])
        return Gather(source, lanes(objects.particles.take(rows), 3, 0, 3)), objects.particles.counts(rows)
    nodes = [np.zeros((0, _ELEMENTS[object_type][2]), dtype=np.int32)]
    for row in rows:
        particles, _, indices = _parts(engine, object_type, row)
        nodes.append((indices - particles[:1]).astype(np.int32))
    return constant(np.concatenate(nodes)), objects.elements.counts(rows)


def _parts(engine: NewtonEngine, object_type: ObjectType, row: int) -> tuple[Indices, Indices, Indices]:
    """Return the particles of an object, its elements, and the particles of each element."""
    objects = engine.topology.soft[object_type]
    owner = np.array([row])
    particles, elements = objects.particles.take(owner), objects.elements.take(owner)
    name, _, width = _ELEMENTS[object_type]
    indices = getattr(engine.model, name)
    return particles, elements, indices.numpy()[elements] if len(elements) else np.zeros((0, width), dtype=np.intp)


def _are_at_rest(engine: NewtonEngine, object_type: ObjectType, rows: Indices) -> npt.NDArray[np.bool_]:
    """Return for each object whether the model's particles are where its elements are at rest.

    An element knows its shape at rest up to a rotation, as the inverse of the matrix of its edges.
    """
    points = engine.model.particle_q.numpy().astype(np.float64)
    found: list[bool] = []
    for row in rows:
        _, elements, indices = _parts(engine, object_type, row)
        if not len(elements):
            found.append(True)
            continue
        edges = points[indices[:, 1:]] - points[indices[:, :1]]
        inverse = getattr(engine.model, _ELEMENTS[object_type][1]).numpy()[elements].astype(np.float64)
        products = inverse.swapaxes(1, 2) @ edges @ edges.swapaxes(1, 2) @ inverse
        found.append(np.allclose(products, np.eye(edges.shape[1]), atol=_TOLERANCE))
    return np.array(found, dtype=bool)
