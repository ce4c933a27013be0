"""Faults of queries, of lifetimes and of stepping."""

from __future__ import annotations

from typing import Any, Self

import numpy.typing as npt

from ovread import ObjectType, Query
from ovread_conformance.live import Live
from ovread_conformance.systems import System

Values = npt.NDArray[Any]
Mask = npt.ArrayLike | None
_Overlay = dict[tuple[ObjectType, str, str], Values]


class _UnsortedRows(Live):
    """Rows come in no natural order."""

    def query(self, object_type: ObjectType, **selected: Any) -> Query:
        found = self.inner.query(object_type, **selected)
        if selected.get("paths") is not None or selected.get("order") is not None:
            return found
        return self.inner.query(object_type, paths=found.paths[::-1])


class _LostOrder(Live):
    """Explicit paths come in natural order."""

    def query(self, object_type: ObjectType, **selected: Any) -> Query:
        found = self.inner.query(object_type, **selected)
        if selected.get("paths") is None:
            return found
        return self.inner.query(
            object_type, paths=[path for path in self.inner.query(object_type).paths if path in found.paths]
        )


class _SharedSimulation(Live):
    """A second simulation is the first one again."""

    def another(self, system: System) -> Self:
        return type(self)(self.inner)


class _ShortStep(Live):
    """A step is two percent short."""

    def step(self, dt: float, count: int = 1) -> None:
        self.inner.step(0.98 * dt, count)


FAULTS: dict[str, type[Live]] = {
    "unsorted rows": _UnsortedRows,
    "lost order": _LostOrder,
    "shared simulation": _SharedSimulation,
    "short step": _ShortStep,
}
