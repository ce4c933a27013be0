"""Which objects sense contacts, and how the things that touch are named.

As on PhysX, a sensor is a body, a link or a collider that ``PhysxContactReportAPI`` is applied to, and every link of an
articulation whose root has it; the stage asks for contacts on every backend in the same way. A model without a stage
asks for nothing: there, every body with a collider is a sensor.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import attrs
import numpy as np
import numpy.typing as npt

from ovread.catalogue import ObjectType
from ovread_newton._authored import Authored
from ovread_newton._paths import paths_of
from ovread_newton._ragged import Indices, Ragged
from ovread_newton._topology import Topology

if TYPE_CHECKING:
    import newton

_PART = re.compile(r"(.+)_convex_\d+")
"""How the importer labels the second and further convex parts of a mesh, after the collider."""


@attrs.frozen(eq=False)
class Sensing:
    """The colliders of a model and its contact sensors.

    Args:
        collider_paths: Path of every collider: first those of bodies that forces move, then those of kinematic bodies,
            then scenery. A collider is one shape, or several where a mesh was decomposed.
        moving_colliders: Number of colliders of bodies that forces move.
        collider_bodies: Body of every collider; -1 for scenery.
        shape_colliders: Collider of every shape; -1 for shapes that touch nothing.
        topology: Names of joints and bodies.
        sensor_paths: Path of every sensor: bodies first, then colliders.
        sensor_colliders: Colliders of every sensor.
    """

    collider_paths: tuple[str, ...]
    moving_colliders: int
    collider_bodies: Indices
    shape_colliders: Indices
    topology: Topology
    sensor_paths: tuple[str, ...]
    sensor_colliders: Ragged

    @classmethod
    def of(cls, model: newton.Model, topology: Topology, authored: Authored | None) -> Sensing:
        """Find the colliders and sensors of a finalized model; without a stage, ``authored`` is None."""
        bodies = [int(body) for body in model.shape_body.numpy()] if model.shape_count else []
        labels = _collider_labels(model, None if authored is None else authored.colliders)
        shapes = list(zip(bodies, labels, strict=True))
        found = dict.fromkeys((body, label) for body, label in shapes if label is not None)
        kinematic = _kinematic_bodies(model)
        keys = sorted(found, key=lambda key: 2 if key[0] < 0 else key[0] in kinematic)
        colliders: dict[tuple[int, str | None], int] = {shape: number for number, shape in enumerate(keys)}
        collider_bodies = np.array([body for body, _ in keys], dtype=np.intp)
        collider_paths = tuple(label for _, label in keys)
        body_colliders: list[list[int]] = [[] for _ in range(model.body_count)]
        for collider, body in enumerate(collider_bodies):
            if body >= 0:
                body_colliders[body].append(collider)
        sensors = list(_sensors(topology, collider_paths, body_colliders, authored))
        return cls(
            collider_paths,
            sum(body >= 0 and body not in kinematic for body, _ in keys),
            collider_bodies,
            np.array([colliders.get(shape, -1) for shape in shapes], dtype=np.intp),
            topology,
            tuple(path for path, _ in sensors),
            Ragged.of(members for _, members in sensors),
        )

    def paths(self, object_type: ObjectType) -> tuple[str, ...]:
        """Return the paths of the contact sensors, or of the shapes, which may be filters."""
        return self.sensor_paths if object_type is ObjectType.CONTACT_SENSOR else self.collider_paths

    def colliders_at(self, path: str) -> Sequence[int]:
        """Return the colliders of a body, or the one at a path."""
        return self._colliders_by_path.get(path, ())

    @cached_property
    def _colliders_by_path(self) -> dict[str, list[int]]:
        owners = self.topology.body_paths
        by_body: dict[str, list[int]] = {path: [] for path in owners}
        by_collider: dict[str, list[int]] = {}
        for collider, (path, body) in enumerate(zip(self.collider_paths, self.collider_bodies, strict=True)):
            by_collider.setdefault(path, []).append(collider)
            if body >= 0:
                by_body[owners[body]].append(collider)
        return by_collider | by_body

    @property
    def collider_handles(self) -> npt.NDArray[np.uint64]:
        """``(colliders,)``: what stands for the path of each collider."""
        before = 1 + len(self.topology.joint_paths) + len(self.topology.body_paths)
        return np.arange(before, before + len(self.collider_paths), dtype=np.uint64)

    @property
    def owner_handles(self) -> npt.NDArray[np.uint64]:
        """``(colliders,)``: what stands for the path of each collider's body; scenery is its own."""
        of_bodies = (1 + len(self.topology.joint_paths) + self.collider_bodies).astype(np.uint64)
        return np.where(self.collider_bodies < 0, self.collider_handles, of_bodies)

    def paths_of(self, handles: Sequence[int]) -> list[str]:
        """Return the paths that handles stand for: of joints, bodies and colliders; 0 stands for none."""
        paths = ("", *self.topology.joint_paths, *self.topology.body_paths, *self.collider_paths)
        return [paths[handle] for handle in handles]


def _kinematic_bodies(model: newton.Model) -> set[int]:
    import newton

    flags = model.body_flags.numpy() if model.body_count else np.zeros(0, dtype=int)
    return set(np.flatnonzero(flags & int(newton.BodyFlags.KINEMATIC)).tolist())


def _collider_labels(model: newton.Model, authored: frozenset[str] | None) -> list[str | None]:
    """Return the path of each shape's collider; None for shapes that touch nothing."""
    import newton

    flags = model.shape_flags.numpy() if model.shape_count else ()
    labels = paths_of(model, "shape")
    if authored is None:
        colliding = int(newton.ShapeFlags.COLLIDE_SHAPES)
        return [label if flag & colliding else None for label, flag in zip(labels, flags, strict=True)]
    return [next((path for path in _candidates(label) if path in authored), None) for label in labels]


def _candidates(label: str) -> Iterator[str]:
    yield label
    if part := _PART.fullmatch(label):
        yield part[1]


def _sensors(
    topology: Topology,
    collider_paths: Sequence[str],
    body_colliders: Sequence[Sequence[int]],
    authored: Authored | None,
) -> Iterator[tuple[str, Sequence[int]]]:
    if authored is None:
        yield from ((topology.body_paths[body], members) for body, members in enumerate(body_colliders) if members)
        return
    reporting = set(authored.contact_reports)
    for articulation in topology.articulations:
        if topology.articulation_paths[articulation] in reporting:
            joints = topology.members.take(np.array([articulation]))
            reporting.update(topology.body_paths[topology.children[joint]] for joint in joints)
    for body, members in enumerate(body_colliders):
        if topology.body_paths[body] in reporting:
            yield topology.body_paths[body], members
    for collider, path in enumerate(collider_paths):
        if path in reporting and path not in topology.body_paths:
            yield path, [collider]
