"""What the rest backend writes: state of bodies and joints, masses, forces, and targets of the kinematic body."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from rest_world import AXES, BODIES, World

from ovread.backend import Column, Omission, OmissionReason, WriteSupport, writes
from ovread.catalogue import ObjectType, Writability
from ovread.errors import ValueRefusedError

Rows = npt.NDArray[np.intp]

BODY, JOINT, SCENE = ObjectType.RIGID_BODY, ObjectType.ARTICULATION_JOINT, ObjectType.SCENE
WRITES = {
    **writes(BODY, "position mass"),
    **writes(BODY, "kinematicTargetPosition", Writability.CONDITIONAL, "Kinematic bodies only."),
    **writes(BODY, "force", Writability.WRITE_ONLY),
    **writes(JOINT, "jointPosition jointVelocity"),
    **writes(SCENE, "gravity"),
}
STUCK = {(JOINT, "jointVelocity"): WriteSupport(Writability.UNCLASSIFIED, "A stuck joint has no rate.")}
HEAVIEST = 100.0


class RestWrite:
    """Scatters values to the arrays of the world."""

    def __init__(self, world: World, object_type: ObjectType, rows: Rows, attributes: Sequence[str]) -> None:
        self._world = world
        self._rows = rows
        self.columns: list[Column] = []
        self.omissions: list[Omission] = []
        self._elements: list[list[Rows]] = []
        for name in attributes:
            self._add(object_type, name)

    def _add(self, object_type: ObjectType, name: str) -> None:
        covered = np.arange(len(self._rows))
        if object_type is JOINT:
            starts = np.cumsum(AXES) - AXES
            self.columns.append(Column(name, covered, AXES[self._rows]))
            self._elements.append([np.arange(starts[row], starts[row] + AXES[row]) for row in self._rows])
            return
        if name == "kinematicTargetPosition":
            self._omit_free_bodies(name)
            covered = covered[self._rows % 3 == 2]
        if object_type is SCENE or len(self._world.scenes) == 1:
            self._add_rows(name, covered, None)
            return
        for number, scene in enumerate(self._world.scenes):
            self._add_rows(name, covered[self._rows[covered] // 3 == number], scene)

    def _add_rows(self, name: str, covered: Rows, scene: str | None) -> None:
        self.columns.append(Column(name, covered, scene=scene))
        self._elements.append([np.array([row]) for row in self._rows[covered]])

    def _omit_free_bodies(self, name: str) -> None:
        free = tuple(BODIES[row % 3] for row in self._rows if row % 3 != 2)
        if free:
            detail = "The body is not kinematic."
            self.omissions.append(Omission(name, OmissionReason.UNSUPPORTED_CONFIGURATION, detail, free))

    def start(self, index: int, values: npt.NDArray[Any]) -> None:
        """Nobody exerts a force before the first write."""
        values[...] = 0

    def commit(self, index: int, values: npt.NDArray[Any], rows: Rows | None) -> None:
        """Scatter the values; masses beyond what the world carries are refused."""
        name, elements = self.columns[index].attribute, self._elements[index]
        chosen = range(len(elements)) if rows is None else rows.tolist()
        if name == "mass":
            for row in chosen:
                if values[row, 0] > HEAVIEST:
                    raise ValueRefusedError(f"'mass' of row {row} is more than {HEAVIEST:g}.")
        starts = np.cumsum([0, *map(len, elements)])
        for done, row in enumerate(chosen):
            if self._world.broken == name and done == 1:
                self._world.broken = ""
                raise RuntimeError("the world shook")
            self._world.values[name][elements[row]] = values[starts[row] : starts[row + 1]]
        self._world.written.append((name, [int(element) for row in chosen for element in elements[row]]))

    def close(self) -> None:
        """Hold nothing."""
