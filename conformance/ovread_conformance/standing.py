"""How a box stands: on what, what it presses with, and where its faces are."""

from __future__ import annotations

import functools

import numpy as np
import numpy.typing as npt

from ovread import ObjectType
from ovread_conformance.recording import Recording
from ovread_conformance.systems import Body, Shape, System

Array = npt.NDArray[np.float64]


class Standing:
    """A box over scenery: one that stands on it, in a pile of two, or one that flies off.

    Args:
        system: The system, of boxes with equal edges and scenery below them.
        body: One of its bodies.
    """

    def __init__(self, system: System, body: Body) -> None:
        self._system = system
        self.body = body
        self.path = system.body_path(body)
        self.edge = body.shapes[0].size[0]
        self._floor_name, floor = _below(system, body)
        self.up = np.array(floor.frame.rotation[:, 2])
        self.surface = floor.frame.translation + self.up * floor.size[2] / 2
        self.flies = bool(np.any(body.velocity))
        weight = body.mass * np.array(system.gravity)
        self.size = float(np.linalg.norm(weight))
        self.pushed, self.held = self._split(0.0 if self.flies else body.mass)
        carried = sum(other.mass for other in (body, *self.above))
        self.pushed_by_scenery, self.held_by_scenery = self._split(0.0 if self.under or self.flies else carried)

    def _split(self, mass: float) -> tuple[Array, Array]:
        """Return the forces that hold a mass: along the normal, and across it."""
        weight = mass * np.array(self._system.gravity)
        pushed = -self.up * (weight @ self.up)
        return pushed, -weight - pushed

    @functools.cached_property
    def above(self) -> tuple[Body, ...]:
        """The bodies that stand on this."""
        return tuple(other for other in self._system.bodies if _is_on(other, self.body, self.up))

    @functools.cached_property
    def under(self) -> tuple[Body, ...]:
        """The bodies that this stands on."""
        return tuple(other for other in self._system.bodies if _is_on(self.body, other, self.up))

    @property
    def lands(self) -> bool:
        """Whether it is dropped on scenery, flat."""
        return not self.flies and not self.under and not self.above

    @property
    def others(self) -> set[str]:
        """Paths of what it touches at rest."""
        if self.flies:
            return set()
        bodies = {self._system.body_path(other) for other in (*self.above, *self.under)}
        return bodies if self.under else {*bodies, f"/World/{self._floor_name}"}

    def is_body(self, path: str) -> bool:
        """Whether a path is that of a body, not of scenery."""
        return path in {self._system.body_path(body) for body in self._system.bodies}

    def is_below(self, other: str) -> bool:
        """Whether another body, by path, is below this."""
        return other not in {self._system.body_path(body) for body in self.above}

    def _place(self, recording: Recording, tick: int) -> Array | None:
        place = recording.of(tick, ObjectType.RIGID_BODY, "position", self.path)
        return None if place is None else place.ravel().astype(float)

    def tolerance(self, recording: Recording, key: tuple[ObjectType, str], exact: float) -> float:
        """Return the tolerance of an attribute: that of an approximate one counts in piles, which share their load."""
        return recording.tolerance(key, exact) if self.above or self.under else exact

    def gap(self, recording: Recording, tick: int) -> float | None:
        """Return how far the lower face is above the scenery."""
        place = self._place(recording, tick)
        return None if place is None else float((place - self.surface) @ self.up) - self.edge / 2

    def falls(self, recording: Recording, tick: int) -> bool:
        """Whether it is as fast as if it had touched nothing so far."""
        velocity = recording.of(tick, ObjectType.RIGID_BODY, "linearVelocity", self.path)
        free = np.array(self._system.gravity) * tick * recording.dt
        return velocity is not None and bool(np.abs(velocity.ravel() - free).max() <= 1e-3 * np.linalg.norm(free))

    def below(self, points: Array, recording: Recording, tick: int) -> Array:
        """Return 1 for points on the lower face, -1 for points on the upper."""
        place = self._place(recording, tick)
        assert place is not None
        return np.where((points - place) @ self.up < 0, 1.0, -1.0)[:, None]

    def on_faces(
        self, points: Array, recording: Recording, tick: int, tolerance: float, *, by_scenery: bool = False
    ) -> tuple[float, str]:
        """Tell how far points are from the lower and upper face, as a part of what is tolerated; and in words."""
        words = f"expected points on the faces of the box, got {points}"
        place = self._place(recording, tick)
        touches = not self.flies and not (by_scenery and self.under)
        if place is None or bool(len(points)) != touches:
            return np.inf, words
        if not len(points):
            return 0.0, words
        heights = (points - place) @ self.up
        across = points - place - np.outer(heights, self.up)
        outside = np.linalg.norm(across, axis=1).max() > self.edge * 0.75
        distances = np.linalg.norm(across[:, None] - across[None, :], axis=2)
        is_wide = len(points) < 3 or distances.max() > self.edge * 0.4
        height = float(np.abs(np.abs(heights) - self.edge / 2).max()) / (self.edge * tolerance)
        return (height if is_wide and not outside else np.inf), words


def _below(system: System, body: Body) -> tuple[str, Shape]:
    """Return the scenery that a body is over."""

    def distance(shape: Shape) -> float:
        local = np.abs(shape.frame.actInv(body.pose.translation)) - np.array(shape.size) / 2
        return float(np.linalg.norm(np.maximum(local, 0.0)))

    return min(system.scenery.items(), key=lambda item: distance(item[1]))


def _is_on(upper: Body, lower: Body, up: Array) -> bool:
    apart = upper.pose.translation - lower.pose.translation
    height = float(apart @ up)
    return height > 0 and float(np.linalg.norm(apart - height * up)) < lower.shapes[0].size[0] / 2
