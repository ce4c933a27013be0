"""What the vehicles of a scene are made of: which controls each of them has, and which gears."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ovread.catalogue import ObjectType
from ovread_physx import _authored
from ovread_physx._authored_joints import read_column
from ovread_physx._inspection import inspect
from ovread_physx._reasons import why_missing

if TYPE_CHECKING:
    from ovread_physx._engine import PhysxEngine

MOST_GEARS = 30
"""The highest gear that the engine takes a request for."""

_USUAL_GEARS = 5
"""How many forward gears a gearbox has whose ratios are not authored."""

_TANK = "PhysxVehicleTankDifferentialAPI"
_DIFFERENTIALS = ("PhysxVehicleMultiWheelDifferentialAPI", _TANK)
_CHANNELS = {
    "brake0": ("PhysxVehicleBrakesAPI:brakes0",),
    "brake1": ("PhysxVehicleBrakesAPI:brakes1",),
    "steer": ("PhysxVehicleSteeringAPI", "PhysxVehicleAckermannSteeringAPI"),
    "thrust0": (_TANK,),
    "thrust1": (_TANK,),
}
"""The schemas of which a vehicle with a drive needs one to do something with a control.

The engine takes brakes and steering of every vehicle with a drive. Where they act on nothing, nothing happens.
"""
_DRIVE = "physxVehicle:drive"
_DISABLED = "This vehicle is disabled (physxVehicle:vehicleEnabled = 0), and obeys nothing."
_MANAGED = "The drive of its vehicle turns and steers this wheel: write the controls of the vehicle."


class Fleet:
    """The vehicles of a scene.

    The engine tells what has a drive, and a gearbox, by what it reads of it; the rest is on the stage, where every
    vehicle is, since the engine clones none.
    """

    def __init__(self, engine: PhysxEngine) -> None:
        self._engine = engine
        self._vehicles = dict(
            zip(engine.table(ObjectType.VEHICLE).paths, engine.table(ObjectType.VEHICLE).prims, strict=True)
        )
        self._driven: set[int] = set()
        self._geared: set[int] = set()
        told_by = {"accelerator": self._driven, "clutch": self._geared}
        for group in inspect(engine, ObjectType.VEHICLE, list(told_by)):
            told_by[group.attribute].update(group.prims)
        self._applied: dict[str, set[int]] = {}
        enabled = self._authored(list(self._vehicles), "physxVehicle:vehicleEnabled")
        self._disabled = {self._vehicles[path] for path, flag in enabled.items() if not flag[0]}

    def why_not_written(self, object_type: ObjectType, rows: npt.NDArray[np.intp], name: str) -> list[str]:
        """Say of each of some vehicles or wheels why a control cannot be written; empty where it can."""
        table = self._engine.table(object_type)
        if object_type is ObjectType.VEHICLE_WHEEL:
            return [self._why_no_wheel(self._vehicle_of(table.paths[row])) for row in rows]
        return [self._why_not(name, table.prims[row]) for row in rows]

    def _vehicle_of(self, path: str) -> int | None:
        """Return the vehicle that a wheel is below."""
        while path and path not in self._vehicles:
            path = path.rpartition("/")[0]
        return self._vehicles.get(path)

    def _why_no_wheel(self, vehicle: int | None) -> str:
        if vehicle in self._driven:
            return _MANAGED
        return _DISABLED if vehicle in self._disabled else ""

    def _why_not(self, name: str, vehicle: int) -> str:
        if name == "resetToRestState":
            return ""
        if vehicle not in self._driven:
            return why_missing(ObjectType.VEHICLE, "accelerator")
        if vehicle in self._disabled:
            return _DISABLED
        if name == "accelerator" and vehicle not in self._geared and not self._has(vehicle, _DIFFERENTIALS):
            return f"Nothing leads this vehicle's torque to its wheels: apply {_DIFFERENTIALS[0]} to it."
        schemas = _CHANNELS.get(name, ())
        if not schemas or self._has(vehicle, schemas):
            return ""
        if schemas == (_TANK,):
            return f"Only vehicles with tracks ({_TANK}) have thrust."
        return f"This vehicle has nothing that {name} acts on: apply {' or '.join(schemas)} to it."

    def forward_gears(self, paths: Sequence[str]) -> npt.NDArray[np.int32]:
        """Return how many forward gears each vehicle has; a drive without a gearbox takes every number as forward."""
        gearboxes = self._targets(self._targets(paths, _DRIVE), "physxVehicleDriveStandard:gears")
        ratios = self._authored(gearboxes, "physxVehicleGears:ratios")
        # The first ratio is that of the reverse gear.
        numbers = [len(ratios[gearbox]) - 1 if gearbox in ratios else _USUAL_GEARS for gearbox in gearboxes]
        has_gearbox = [self._vehicles[path] in self._geared for path in paths]
        return np.where(has_gearbox, numbers, MOST_GEARS).astype(np.int32)

    def changes_gears(self, paths: Sequence[str]) -> npt.NDArray[np.bool_]:
        """Return which vehicles can change gears by themselves; one without a gearbox takes the request as forward."""
        drives = self._targets(paths, _DRIVE)
        boxes = self._authored(drives, "physxVehicleDriveStandard:autoGearBox")
        applied = set(self._engine.path_strings(list(self._with("PhysxVehicleAutoGearBoxAPI"))))
        can = [
            self._vehicles[path] not in self._geared or drive in boxes or drive in applied
            for path, drive in zip(paths, drives, strict=True)
        ]
        return np.array(can, dtype=bool)

    def _targets(self, paths: Sequence[str], name: str) -> list[str]:
        """Return the prim that a relationship of each of some prims names; the prim itself where it names none."""
        found = {path: int(targets[0]) for path, targets in self._authored(paths, name).items()}
        target_of = dict(zip(found, self._engine.paths_of(list(found.values())), strict=True))
        return [target_of.get(path, path) for path in paths]

    def _authored(self, paths: Sequence[str], name: str) -> dict[str, npt.NDArray[Any]]:
        """Return the values of an attribute by path, of those prims that have any."""
        prims = list(dict.fromkeys(paths))
        return {prims[row]: values for row, values in read_column(self._engine, prims, name).items() if len(values)}

    def _has(self, vehicle: int, schemas: Sequence[str]) -> bool:
        return any(vehicle in self._with(schema) for schema in schemas)

    def _with(self, schema: str) -> set[int]:
        if schema not in self._applied:
            self._applied[schema] = set(_authored.prims_with_schema(self._engine, schema))
        return self._applied[schema]
