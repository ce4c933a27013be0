"""What stands of the commands that last until they are written again, and that the engine does not read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ovread.backend import Key
from ovread.catalogue import ObjectType, attribute
from ovread_physx import _authored
from ovread_physx._authored_joints import read_column
from ovread_physx._sources import DTYPES
from ovread_physx._write_rules import Written

if TYPE_CHECKING:
    from ovread_physx._engine import PhysxEngine

Indices = npt.NDArray[np.intp]

AUTOMATIC = 255
"""The gear that stands for a gearbox that changes gears by itself."""

_AUTHORED: dict[str, tuple[str, str, float]] = {
    "requestedGear": ("PhysxVehicleControllerAPI", "physxVehicleController:targetGear", AUTOMATIC),
    "thrust0": ("PhysxVehicleTankControllerAPI", "physxVehicleTankController:thrust0", 0),
    "thrust1": ("PhysxVehicleTankControllerAPI", "physxVehicleTankController:thrust1", 0),
    "driveTorque": ("PhysxVehicleWheelControllerAPI", "physxVehicleWheelController:driveTorque", 0),
    "brakeTorque": ("PhysxVehicleWheelControllerAPI", "physxVehicleWheelController:brakeTorque", 0),
    "steerAngle": ("PhysxVehicleWheelControllerAPI", "physxVehicleWheelController:steerAngle", 0),
}
"""Where the engine takes the first value from: a schema, its attribute, and the value where it is not applied."""


class Commands:
    """The commands of a simulation: those that were written last, and before that those that are authored.

    Of an adopted simulation they are not known, since its owner writes too.
    """

    def __init__(self, engine: PhysxEngine, *, are_known: bool) -> None:
        self._engine = engine
        self._are_known = are_known
        self._standing: dict[Key, npt.NDArray[Any]] = {}

    def start(self, written: Written, values: npt.NDArray[Any]) -> None:
        """Fill what stands for the rows of a column; NaN or the largest integer where it is not known."""
        if not self._are_known:
            values[...] = np.nan if values.dtype.kind == "f" else np.iinfo(values.dtype).max
        else:
            values[...] = self._of(written)[written.rows]

    def remember(self, written: Written, values: npt.NDArray[Any], rows: Indices | None) -> None:
        """Take note of what was written to a column, or to some of its rows."""
        if not self._are_known or written.column.attribute not in _AUTHORED:
            return
        if rows is None:
            self._of(written)[written.rows] = values
        else:
            self._of(written)[written.rows[rows]] = values[rows]

    def forget(self) -> None:
        """Return to what is authored."""
        self._standing.clear()

    def _of(self, written: Written) -> npt.NDArray[Any]:
        """Return what stands of a command, for all rows of the engine's table."""
        key = (written.object_type, written.column.attribute)
        if key not in self._standing:
            self._standing[key] = self._authored(*key)
        return self._standing[key]

    def _authored(self, object_type: ObjectType, name: str) -> npt.NDArray[Any]:
        schema, authored, unapplied = _AUTHORED[name]
        table = self._engine.table(object_type)
        applied = set(_authored.prims_with_schema(self._engine, schema))
        values = np.full((len(table.paths), 1), unapplied, dtype=DTYPES[attribute(object_type, name).dtype])
        for row, found in read_column(self._engine, table.paths, authored).items():
            if table.prims[row] in applied:
                values[row] = found
        return values
