"""Writes of vehicles and of their wheels.

The engine takes a control of a selection only where all of its vehicles have it. Here each attribute covers the
vehicles that do, and says of the others why they do not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ovread.backend import WriteBinding
from ovread.catalogue import ObjectType
from ovread_physx._vehicles import Fleet
from ovread_physx._writes import PhysxWrite

if TYPE_CHECKING:
    from ovread_physx._engine import PhysxEngine

Indices = npt.NDArray[np.intp]

TYPES = (ObjectType.VEHICLE, ObjectType.VEHICLE_WHEEL)
"""Types whose writes are prepared here."""

_RESET = "resetToRestState"
_ON_CPU_ONLY = "PhysX simulates vehicles on the CPU only: open with device='cpu'."


def bind_vehicles(engine: PhysxEngine, object_type: ObjectType, rows: Indices, names: Sequence[str]) -> WriteBinding:
    """Prepare a write of ``names`` for the vehicles or wheels ``rows``."""
    write = VehicleWrite(engine, object_type)
    try:
        for name in names:
            if engine.device == "cpu":
                write.add(name, rows)
            else:
                write.omit(name, _ON_CPU_ONLY)
    except BaseException:
        write.close()
        raise
    return write


class VehicleWrite(PhysxWrite):
    """A prepared write that keeps commands in mind; see :class:`ovread.backend.WriteBinding`."""

    def __init__(self, engine: PhysxEngine, object_type: ObjectType) -> None:
        super().__init__(engine, object_type)
        self._fleet: Fleet | None = None

    def add(self, name: str, rows: Indices) -> None:
        """Plan one attribute for those of the rows that have it."""
        if not len(rows):
            self._add_empty(name)
            return
        if self._fleet is None:
            self._fleet = Fleet(self._engine)
        reasons = np.array(self._fleet.why_not_written(self._object_type, rows, name))
        for reason in dict.fromkeys(reasons[reasons != ""].tolist()):
            concerned = reasons == reason
            self.omit(name, reason, () if concerned.all() else rows[concerned])
        if (reasons == "").any():
            self._plan(name, rows, np.flatnonzero(reasons == ""))

    def start(self, index: int, values: npt.NDArray[Any]) -> None:
        """Fill what stands of a command that cannot be read."""
        if self.columns[index].attribute == _RESET:
            values[...] = 0
        else:
            self._engine.commands.start(self._writes[index].written, values)

    def commit(self, index: int, values: npt.NDArray[Any], rows: Indices | None) -> None:
        """Publish a column, or some of its rows, and keep commands in mind."""
        if self.columns[index].attribute == _RESET:
            # A row of 0 changes nothing, but the engine refuses it of a chassis that is disabled.
            told = np.flatnonzero(values[:, 0])
            rows = told if rows is None else rows[np.isin(rows, told)]
        super().commit(index, values, rows)
        self._engine.commands.remember(self._writes[index].written, values, rows)
