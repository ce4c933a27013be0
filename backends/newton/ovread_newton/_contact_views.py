"""What each contact sensor sees of a step: its points, its points by filter, its events and their points."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from ovread_newton._contacts import Events, Floats, Step, Touches
from ovread_newton._ragged import Indices, Ragged
from ovread_newton._sensors import Sensing

Values = npt.NDArray[Any]


@attrs.frozen(eq=False)
class Selected:
    """The sensors of a read.

    Args:
        sensing: All sensors and colliders.
        count: Number of sensors.
        width: Number of filters of each.
        rows_by_collider: Which sensors each collider is part of.
        filter_keys: ``row * colliders + collider`` for each collider of each row's filters, ascending.
        filter_columns: Number of the filter of each key.
    """

    sensing: Sensing
    count: int
    width: int
    rows_by_collider: Ragged
    filter_keys: Indices
    filter_columns: Indices

    @classmethod
    def of(cls, sensing: Sensing, rows: Indices, filters: Sequence[Sequence[str]]) -> Selected:
        """Select the sensors ``rows``, each with its filters."""
        colliders = len(sensing.collider_paths)
        rows_by_collider: list[list[int]] = [[] for _ in range(colliders)]
        for row, sensor in enumerate(rows):
            for collider in sensing.sensor_colliders.take(np.array([sensor])):
                rows_by_collider[collider].append(row)
        members = {path: sensing.colliders_at(path) for paths in filters for path in paths}
        keys = [
            (row * colliders + collider, column)
            for row, paths in enumerate(filters)
            for column, path in enumerate(paths)
            for collider in members[path]
        ]
        found = np.array(sorted(keys), dtype=np.intp).reshape(-1, 2)
        width = len(filters[0]) if len(filters) else 0
        return cls(sensing, len(rows), width, Ragged.of(rows_by_collider), found[:, 0], found[:, 1])


@attrs.frozen(eq=False)
class Seen:
    """Contact points or events as sensors see them, sensor by sensor.

    Args:
        rows: Sensor of each, ascending.
        items: Which point or event it is.
        sides: Which side of it the sensor is.
        columns: Number of the filter that the other side is; None where filters do not matter.
    """

    rows: Indices
    items: Indices
    sides: Indices
    columns: Indices | None = None

    @property
    def signs(self) -> Values:
        """What turns a force on side 0 into one on the sensor."""
        return 1 - 2 * self.sides


class View:
    """What the selected sensors see of a step, and of its difference from the one before."""

    def __init__(self, selected: Selected, step: Step, before: Step | None) -> None:
        self.selected = selected
        self._step = step
        self._before = before

    @property
    def touches(self) -> Touches:
        """All contact points."""
        return self._step.touches

    @cached_property
    def events(self) -> Events:
        """What became of all pairs."""
        return self._step.events_since(self._before)

    @cached_property
    def points(self) -> Seen:
        """The contact points of each sensor."""
        return self._seen(self.touches.sides)

    @cached_property
    def filtered(self) -> Seen:
        """The contact points of each sensor with each of its filters, filter by filter."""
        seen, selected = self.points, self.selected
        others = self.touches.sides[seen.items, 1 - seen.sides]
        keys = seen.rows * len(selected.sensing.collider_paths) + others
        ends = np.searchsorted(selected.filter_keys, keys, side="right")
        of, places = _spread(np.searchsorted(selected.filter_keys, keys, side="left"), ends)
        columns = selected.filter_columns[places]
        order = np.argsort(seen.rows[of] * selected.width + columns, kind="stable")
        of = of[order]
        return Seen(seen.rows[of], seen.items[of], seen.sides[of], columns[order])

    @cached_property
    def pairs(self) -> Seen:
        """The events of each sensor."""
        return self._seen(self.events.sides)

    @cached_property
    def pair_points(self) -> Seen:
        """The contact points of each sensor's events, event by event."""
        starts = self.events.starts[self.pairs.items]
        of, points = _spread(starts, starts + self.events.counts[self.pairs.items])
        return Seen(self.pairs.rows[of], points, self.pairs.sides[of])

    @cached_property
    def normal_forces(self) -> Floats:
        """``(points, 3)``: on side 0."""
        return self.touches.loads[:, None] * self.touches.normals

    @cached_property
    def friction_forces(self) -> Floats:
        """``(points, 3)``: on side 0."""
        return self.touches.forces - self.normal_forces

    @property
    def colliders(self) -> Values:
        """Handle of each collider."""
        return self.selected.sensing.collider_handles

    @property
    def owners(self) -> Values:
        """Handle of each collider's body."""
        return self.selected.sensing.owner_handles

    def impulses(self, forces: Floats) -> Values:
        """Return forces times the time they acted for."""
        assert self._step.seconds is not None
        return forces * self._step.seconds

    def counts(self, seen: Seen) -> Values:
        """Count the points, per sensor and filter: ``(sensors, cells)``."""
        cells, width = self._cells(seen)
        return np.bincount(cells, minlength=self.selected.count * width).reshape(self.selected.count, width)

    def sums(self, seen: Seen, forces: Floats) -> Values:
        """Add the forces on the sensors up, per sensor and filter: ``(sensors, 3 * cells)``."""
        cells, width = self._cells(seen)
        on_sensor = seen.signs[:, None] * forces[seen.items]
        size = self.selected.count * width
        sums = [np.bincount(cells, weights=on_sensor[:, axis], minlength=size) for axis in range(3)]
        return np.stack(sums, axis=1).reshape(self.selected.count, 3 * width)

    def _cells(self, seen: Seen) -> tuple[Indices, int]:
        if seen.columns is None:
            return seen.rows, 1
        return seen.rows * self.selected.width + seen.columns, self.selected.width

    def _seen(self, sides: Indices) -> Seen:
        """Find the sensors on both sides of each item."""
        rows_by_collider = self.selected.rows_by_collider
        colliders = sides.ravel()
        of, places = _spread(rows_by_collider.offsets[colliders], rows_by_collider.offsets[colliders + 1])
        rows = rows_by_collider.flat[places]
        order = np.argsort(rows, kind="stable")
        items, which = np.divmod(of[order], 2)
        return Seen(rows[order], items, which)


def _spread(starts: Indices, ends: Indices) -> tuple[Indices, Indices]:
    """Return, for each element of some runs, which run it is of and where it lies."""
    counts = ends - starts
    of = np.repeat(np.arange(len(counts)), counts)
    return of, np.arange(len(of)) + np.repeat(starts - (np.cumsum(counts) - counts), counts)
