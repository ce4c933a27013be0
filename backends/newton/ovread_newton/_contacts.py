"""What touches: the contact points of the last step, and how its pairs differ from those of the step before.

Newton keeps points of all shapes that are closer than a gap, 0.1 units each by default. Here a point counts where the
shapes touch or push each other: its separation is at most 0, or a force acts there.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
import numpy.typing as npt

from ovread_newton._ragged import EMPTY, Indices
from ovread_newton._rotations import rotate
from ovread_newton._sensors import Sensing

if TYPE_CHECKING:
    import newton

Floats = npt.NDArray[np.floating[Any]]
FOUND, LOST, PERSISTS = 0, 1, 2

_WORLD = (0, 0, 0, 0, 0, 0, 1)
"""Pose of body -1."""


@attrs.frozen(eq=False)
class Touches:
    """Contact points, pair by pair. Side 0 of a pair is the collider that comes first, so scenery is side 1.

    Args:
        sides: ``(points, 2)``: the colliders.
        positions: ``(points, 3)``: between the two surfaces, in world axes.
        normals: ``(points, 3)``: unit, from side 1 to side 0, in world axes.
        separations: ``(points,)``: distance of the surfaces along the normal; negative where they overlap.
        forces: ``(points, 3)``: on side 0, in world axes; zeros where the solver reports none.
    """

    sides: Indices
    positions: Floats
    normals: Floats
    separations: Floats
    forces: Floats

    @property
    def loads(self) -> Floats:
        """``(points,)``: part of the force along the normal; positive where side 0 is pushed away."""
        return np.asarray(np.einsum("pi,pi->p", self.forces, self.normals))


@attrs.frozen(eq=False)
class Events:
    """What became of each pair of colliders in the last step.

    Args:
        sides: ``(events, 2)``: the colliders.
        kinds: ``(events,)``: found, lost or persists.
        starts: ``(events,)``: index of each pair's first contact point.
        counts: ``(events,)``: number of its contact points; 0 for a pair that was lost.
    """

    sides: Indices
    kinds: Indices
    starts: Indices
    counts: Indices


class Step:
    """What one step found, copied to host memory as it is; the rest is computed where somebody reads.

    Args:
        sensing: The colliders.
        shape_bodies: Body of every shape.
        poses: ``(bodies, 7)``: where the bodies were when contacts were found.
        contacts: What the step filled; None where nothing can touch.
        contact_f: The forces; None where the solver reports none.
        seconds: How long the forces acted: those of one solver step. None where that is not known.
    """

    def __init__(
        self,
        sensing: Sensing,
        shape_bodies: Indices,
        poses: Floats,
        contacts: newton.Contacts | None,
        contact_f: Any,
        seconds: float | None,
    ) -> None:
        self._sensing = sensing
        self._shape_bodies = shape_bodies
        self._poses = poses
        self.seconds = seconds
        found = 0 if contacts is None else int(contacts.rigid_contact_count.numpy()[0])
        room = 0 if contacts is None else contacts.rigid_contact_max
        self.is_full = found >= room > 0
        self._count = min(found, room)
        if contacts is None or not found:
            return

        def take(array: Any) -> npt.NDArray[Any]:
            return np.array(array.numpy()[: self._count] if array.device.is_cpu else array[: self._count].numpy())

        self._shapes = np.stack([take(contacts.rigid_contact_shape0), take(contacts.rigid_contact_shape1)], axis=1)
        self._points = [take(contacts.rigid_contact_point0), take(contacts.rigid_contact_point1)]
        self._offsets = [take(contacts.rigid_contact_offset0), take(contacts.rigid_contact_offset1)]
        self._normals = take(contacts.rigid_contact_normal)
        self._forces = None if contact_f is None else take(contact_f)[:, :3]

    @cached_property
    def touches(self) -> Touches:
        """The points where something touches."""
        if not self._count:
            none = np.zeros((0, 3))
            return Touches(EMPTY.reshape(0, 2), none, none, none[:, 0], none)
        surfaces = self._surfaces()
        normals = self._normals.astype(float)  # from shape 0 to shape 1
        forces = np.zeros((self._count, 3)) if self._forces is None else self._forces.astype(float)
        separations = np.einsum("pi,pi->p", normals, surfaces[:, 1] - surfaces[:, 0])
        colliders = self._sensing.shape_colliders[self._shapes]
        sides = np.sort(colliders, axis=1)
        # Things that no force moves do not touch, as on PhysX.
        can_push = (sides[:, 0] >= 0) & (sides[:, 0] < self._sensing.moving_colliders)
        kept = np.flatnonzero(can_push & ((separations <= 0) | forces.any(axis=1)))
        order = kept[np.argsort(self._pairs(sides[kept]), kind="stable")]
        turned = np.where(colliders[:, :1] == sides[:, :1], 1.0, -1.0)
        return Touches(
            sides[order],
            surfaces.mean(axis=1)[order],
            (-turned * normals)[order],
            separations[order],
            (turned * forces)[order],
        )

    def _surfaces(self) -> Floats:
        """Return the point on the surface of each of the two shapes in world axes, ``(points, 2, 3)``."""
        points = np.stack(self._points, axis=1).astype(float) + np.stack(self._offsets, axis=1)
        poses = np.vstack([self._poses, _WORLD])[self._shape_bodies[self._shapes]]
        return np.asarray(poses[..., :3] + rotate(poses[..., 3:], points))

    def events_since(self, before: Step | None) -> Events:
        """Compare with the pairs of the step before: first those that touch, then those that no longer do."""
        pairs, starts, counts = np.unique(self._pairs(self.touches.sides), return_index=True, return_counts=True)
        former = EMPTY if before is None else np.unique(self._pairs(before.touches.sides))
        lost = np.setdiff1d(former, pairs, assume_unique=True)
        none = np.zeros(len(lost), dtype=np.intp)
        return Events(
            np.stack(np.divmod(np.concatenate([pairs, lost]), max(len(self._sensing.collider_paths), 1)), axis=1),
            np.concatenate([np.where(np.isin(pairs, former), PERSISTS, FOUND), none + LOST]),
            np.concatenate([starts, none]),
            np.concatenate([counts, none]),
        )

    def _pairs(self, sides: Indices) -> Indices:
        """Return a number for each pair of colliders."""
        return np.asarray(sides @ np.array([len(self._sensing.collider_paths), 1]))


class ContactLog:
    """Takes down what each step finds.

    Args:
        model: The model.
        sensing: Its colliders.
    """

    def __init__(self, model: newton.Model, sensing: Sensing) -> None:
        import warp as wp

        self._sensing = sensing
        self._shape_bodies = model.shape_body.numpy() if model.shape_count else EMPTY
        self._poses = wp.zeros(model.body_count, dtype=wp.transform, device=model.device)
        self.clear()

    def clear(self) -> None:
        """Forget all steps."""
        self.last: Step | None = None
        self.before: Step | None = None

    def begin(self, state: newton.State) -> None:
        """Keep where the bodies are before a solver step; solvers may use the memory of their input."""
        import warp as wp

        if state.body_q is not None:
            wp.copy(self._poses, state.body_q)

    def end(self, contacts: newton.Contacts | None, contact_f: Any, seconds: float | None) -> None:
        """Take down what the solver step that began last has found; see :class:`Step`."""
        poses = np.array(self._poses.numpy()).reshape(-1, 7)
        step = Step(self._sensing, self._shape_bodies, poses, contacts, contact_f, seconds)
        self.before, self.last = self.last, step
