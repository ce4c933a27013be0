"""Writes of vehicles and of their wheels.

The engine takes a control of a selection only where all of its vehicles have it. Here each attribute covers the
vehicles that do, and says of the others why they do not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ovread.backend import Column, Omission, WriteBinding
from ovread.catalogue import ObjectType
from ovread.errors import ValueRefusedError
from ovread_physx._commands import AUTOMATIC
from ovread_physx._inspection import inspect
from ovread_physx._vehicles import Fleet
from ovread_physx._write_conditions import Condition
from ovread_physx._writes import PhysxWrite

if TYPE_CHECKING:
    from ovread_physx._engine import PhysxEngine

Indices = npt.NDArray[np.intp]

TYPES = (ObjectType.VEHICLE, ObjectType.VEHICLE_WHEEL)
"""Types whose writes are prepared here."""

_GEAR = "requestedGear"
_RESET = "resetToRestState"
_ON_CPU_ONLY = "PhysX simulates vehicles on the CPU only: open with device='cpu'."


def bind_vehicles(engine: PhysxEngine, object_type: ObjectType, rows: Indices, names: Sequence[str]) -> WriteBinding:
    """Prepare a write of ``names`` for the vehicles or wheels ``rows``."""
    write = PhysxWrite(engine, object_type)
    try:
        if engine.device != "cpu":
            for name in names:
                write.omit(name, _ON_CPU_ONLY)
            return write
        fleet = Fleet(engine)
        for name in names:
            _add(write, name, rows, fleet.why_not_written(object_type, rows, name))
        return VehicleWrite(engine, object_type, rows, write, fleet)
    except BaseException:
        write.close()
        raise


def _add(write: PhysxWrite, name: str, rows: Indices, reasons: Sequence[str]) -> None:
    """Take an attribute of the rows that there is no reason against."""
    if not len(rows):
        write.add_empty(name)
        return
    why = np.array(reasons)
    if (why == "").any():
        write.add(name, rows, np.flatnonzero(why == ""))
    for reason in dict.fromkeys(each for each in reasons if each):
        concerned = why == reason
        write.omit(name, reason, () if concerned.all() else rows[concerned])


class VehicleWrite:
    """A prepared write that keeps commands in mind; see :class:`ovread.backend.WriteBinding`."""

    def __init__(
        self, engine: PhysxEngine, object_type: ObjectType, rows: Indices, write: PhysxWrite, fleet: Fleet
    ) -> None:
        self._engine = engine
        self._object_type = object_type
        self._write = write
        self.columns: Sequence[Column] = write.columns
        self.omissions: Sequence[Omission] = write.omissions
        self._table_rows = [rows[column.rows] for column in self.columns]
        self._conditions = [
            _condition(engine, column.attribute, chosen, fleet)
            for column, chosen in zip(self.columns, self._table_rows, strict=True)
        ]

    def start(self, index: int, values: npt.NDArray[Any]) -> None:
        """Fill what stands of a command that cannot be read."""
        name = self.columns[index].attribute
        if name == _RESET:
            values[...] = 0
        else:
            self._engine.commands.start(self._object_type, name, self._table_rows[index], values)

    def commit(self, index: int, values: npt.NDArray[Any], rows: Indices | None) -> None:
        """Check the values, publish them, and keep them in mind."""
        name = self.columns[index].attribute
        condition = self._conditions[index]
        if condition is not None:
            condition.check(values, rows)
        if name == _RESET:
            # A row of 0 changes nothing, but the engine refuses it of a chassis that is disabled.
            rows = _told(values, rows)
        self._write.commit(index, values, rows)
        table_rows = self._table_rows[index]
        if rows is None:
            self._engine.commands.remember(self._object_type, name, table_rows, values)
        else:
            self._engine.commands.remember(self._object_type, name, table_rows[rows], values[rows])

    def close(self) -> None:
        """Give the native queries back."""
        self._write.close()


def _condition(engine: PhysxEngine, name: str, table_rows: Indices, fleet: Fleet) -> Condition | None:
    paths = [engine.table(ObjectType.VEHICLE).paths[row] for row in table_rows] if name in (_RESET, _GEAR) else ()
    if name == _GEAR:
        return GearCondition(paths, fleet.forward_gears(paths), fleet.changes_gears(paths))
    if name == _RESET:
        return ChassisCondition(engine, paths)
    return None


def _told(values: npt.NDArray[Any], rows: Indices | None) -> Indices:
    """Return which rows have a value other than 0."""
    return np.flatnonzero(values[:, 0]) if rows is None else rows[values[rows, 0] != 0]


class GearCondition:
    """A requested gear is one that the gearbox has: the engine takes others, and stays in the gear that it is in."""

    def __init__(
        self, paths: Sequence[str], forward: npt.NDArray[np.int32], changes_gears: npt.NDArray[np.bool_]
    ) -> None:
        self._paths = paths
        self._forward = forward[:, None]
        self._changes_gears = changes_gears[:, None]

    def check(self, values: npt.NDArray[Any], rows: Indices | None) -> None:
        """See :class:`~ovread_physx._write_conditions.Condition`."""
        is_automatic = values == AUTOMATIC
        wrong = (is_automatic & ~self._changes_gears) | (~is_automatic & (values > self._forward))
        found = _first(wrong, rows)
        if found is None:
            return
        if is_automatic[found, 0]:
            why = "it has no automatic gearbox (PhysxVehicleAutoGearBoxAPI)"
        else:
            why = f"it has {self._forward[found, 0]} forward gears"
        raise _refusal(_GEAR, self._paths[found], found, values, why)


class ChassisCondition:
    """A vehicle is reset only while its chassis is simulated."""

    def __init__(self, engine: PhysxEngine, paths: Sequence[str]) -> None:
        self._engine = engine
        self._paths = paths

    def check(self, values: npt.NDArray[Any], rows: Indices | None) -> None:
        """See :class:`~ovread_physx._write_conditions.Condition`."""
        told = _told(values, rows)
        if not len(told):
            return
        chassis = [self._engine.dictionary.intern_path(self._paths[row]) for row in told]
        disabled: set[int] = set()
        for group in inspect(self._engine, ObjectType.RIGID_BODY, ["disableSimulation"], chassis):
            disabled.update(np.asarray(group.prims)[np.ravel(group.values[0]) != 0].tolist())
        for row, prim in zip(told.tolist(), chassis, strict=True):
            if prim in disabled:
                why = "the simulation of its chassis is disabled (write disableSimulation of the RIGID_BODY first)"
                raise _refusal(_RESET, self._paths[row], row, values, why)


def _first(wrong: npt.NDArray[np.bool_], rows: Indices | None) -> int | None:
    """Return the first row that is wrong and to be published."""
    found = np.flatnonzero(wrong[:, 0]) if rows is None else rows[wrong[rows, 0]]
    return int(found[0]) if len(found) else None


def _refusal(name: str, path: str, row: int, values: npt.NDArray[Any], why: str) -> ValueRefusedError:
    value = values[row, 0]
    return ValueRefusedError(f"{name!r} of {path} (row {row}) cannot be {value}: {why}. Nothing has been changed.")
