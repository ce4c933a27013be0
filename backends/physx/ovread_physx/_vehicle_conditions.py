"""What the values of vehicles must meet, beyond the ranges of the catalogue."""

from __future__ import annotations

import numpy as np

from ovread.catalogue import ObjectType
from ovread_physx._commands import AUTOMATIC
from ovread_physx._vehicles import Fleet
from ovread_physx._write_current import CurrentValues
from ovread_physx._write_rules import Condition, Mask, Values, Written


class ExistingGear(Condition):
    """A requested gear is one that the gearbox has: the engine takes others too, and stays in its gear."""

    rule = "is more than the number of forward gears of this vehicle's gearbox"

    def __init__(self, written: Written) -> None:
        super().__init__(written)
        self._forward = Fleet(written.engine).forward_gears(written.paths())

    def broken(self, values: Values) -> Mask | None:
        """Return the gears that are not there."""
        return np.asarray((values[:, 0] > self._forward) & (values[:, 0] != AUTOMATIC))


class AutomaticGears(Condition):
    """Only a vehicle that has an automatic gearbox changes gears by itself: the engine takes the request of all."""

    rule = "asks for automatic gears, and this vehicle has no automatic gearbox (PhysxVehicleAutoGearBoxAPI)"

    def __init__(self, written: Written) -> None:
        super().__init__(written)
        self._can_change = Fleet(written.engine).changes_gears(written.paths())

    def broken(self, values: Values) -> Mask | None:
        """Return the requests that nothing follows."""
        return np.asarray((values[:, 0] == AUTOMATIC) & ~self._can_change)


class SimulatedChassis(Condition):
    """A vehicle is brought to rest only while its chassis is simulated."""

    rule = "needs a chassis that is simulated; write disableSimulation 0 of the RIGID_BODY first, or leave it out"

    def __init__(self, written: Written) -> None:
        super().__init__(written)
        prims = written.engine.table(written.object_type).prims
        bodies = written.engine.table(ObjectType.RIGID_BODY).rows_of
        chassis = np.array([bodies[prims[row]][0] for row in written.rows], dtype=np.intp)
        self._flags = CurrentValues(written.engine, ObjectType.RIGID_BODY, "disableSimulation", chassis)

    def broken(self, values: Values) -> Mask | None:
        """Return the vehicles that are told to reset and cannot."""
        told = values[:, 0] != 0
        return told & (self._flags.read()[:, 0] != 0) if told.any() else None

    def close(self) -> None:
        """Give the native query back."""
        self._flags.close()
