"""What only the engine knows of whether a value can be written; checked before anything is changed.

The engine would ignore such a value, refuse it for all rows or for some of them, or read back another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from ovread.catalogue import ObjectType
from ovread_physx._inspection import inspect
from ovread_physx._vehicle_conditions import AutomaticGears, ExistingGear, SimulatedChassis
from ovread_physx._write_current import CurrentValues
from ovread_physx._write_joint_conditions import LimitedAxis, TargetInRange
from ovread_physx._write_rules import Condition, Mask, Values, Written

_BODY = ObjectType.RIGID_BODY
_LINK = ObjectType.ARTICULATION_LINK
_JOINT = ObjectType.ARTICULATION_JOINT
_LEAST = 1e-30


class Simulated(Condition):
    """The body is simulated: a disabled one has no motion, and takes none."""

    rule = "has its simulation disabled, and takes none then; write disableSimulation 0 first, or leave it out"

    def __init__(self, written: Written) -> None:
        super().__init__(written)
        self._flags = written.current("disableSimulation")
        self._disabled: Mask | None = None
        self._known_at = -1

    def broken(self, values: Values) -> Mask | None:
        """Return the disabled rows."""
        engine = self.written.engine
        if self._known_at != engine.times_disabled or not engine.owned:
            disabled = self._flags.read()[:, 0] != 0
            self._disabled = disabled if disabled.any() else None
            self._known_at = engine.times_disabled
        if self._disabled is None or self.written.column.attribute != "wake":
            return self._disabled
        return self._disabled & (values[:, 0] != 0)

    def close(self) -> None:
        """Give the native query back."""
        self._flags.close()


class Invertible(Condition):
    """The engine keeps one over the mass, and takes what has no such number for infinitely heavy."""

    rule = f"is less than {_LEAST:g}, of which PhysX cannot keep the inverse"

    def broken(self, values: Values) -> Mask | None:
        """Return the masses, or the tensors by their traces, that are too small."""
        sizes = values[:, 0] if values.shape[1] == 1 else values[:, 0] + values[:, 4] + values[:, 8]
        return np.asarray(sizes < _LEAST)


class _Compared(Condition):
    """The value stands in a relation to another attribute as that is now."""

    other: ClassVar[str]

    def __init__(self, written: Written) -> None:
        super().__init__(written)
        self._other: CurrentValues = written.current(self.other)

    def close(self) -> None:
        """Give the native query back."""
        self._other.close()


class BelowContactOffset(_Compared):
    """A rest offset is less than the contact offset."""

    rule = "is not less than the shape's contactOffset, which must be written first"
    other = "contactOffset"

    def broken(self, values: Values) -> Mask | None:
        """Return the elements that are not less."""
        return np.asarray(values[:, 0] >= self._other.read()[:, 0])


class AboveRestOffset(_Compared):
    """A contact offset is more than the rest offset."""

    rule = "is not more than the shape's restOffset, which must be written first"
    other = "restOffset"

    def broken(self, values: Values) -> Mask | None:
        """Return the elements that are not more."""
        return np.asarray(values[:, 0] <= self._other.read()[:, 0])


class AboveDynamicFriction(_Compared):
    """The effort to break away is at least that of sliding."""

    rule = "is less than the axis' jointDynamicFriction, which must be written first"
    other = "jointDynamicFriction"

    def broken(self, values: Values) -> Mask | None:
        """Return the elements that are less."""
        return np.asarray(values[:, 0] < self._other.read()[:, 0])


class BelowStaticFriction(_Compared):
    """The effort of sliding is at most that to break away."""

    rule = "is more than the axis' jointStaticFriction, which must be written first"
    other = "jointStaticFriction"

    def broken(self, values: Values) -> Mask | None:
        """Return the elements that are more."""
        return np.asarray(values[:, 0] > self._other.read()[:, 0])


class CompressibleSurface(Condition):
    """Poisson's ratio of a surface material is less than 0.5; that of a volume material may be 0.5."""

    rule = "is not less than 0.5, which PhysX demands of a surface material"

    def __init__(self, written: Written) -> None:
        super().__init__(written)
        found = inspect(written.engine, written.object_type, ["deformableThickness"])
        surfaces = {prim for group in found for prim in group.prims}
        prims = written.engine.table(written.object_type).prims
        self._is_surface = np.array([prims[row] in surfaces for row in written.rows], dtype=bool)

    def broken(self, values: Values) -> Mask | None:
        """Return the surface materials that have more."""
        return self._is_surface & (values[:, 0] >= 0.5)


_CONDITIONS: Mapping[tuple[ObjectType, str], Sequence[type[Condition]]] = {
    **{
        (_BODY, name): (Simulated,)
        for name in (
            "linearVelocity",
            "angularVelocity",
            "force",
            "wrench",
            "wake",
            "kinematicTargetPosition",
            "kinematicTargetOrientation",
        )
    },
    **{(kind, name): (Invertible,) for kind in (_BODY, _LINK) for name in ("mass", "inertia")},
    **{(kind, "restOffset"): (BelowContactOffset,) for kind in (_BODY, _LINK)},
    **{(kind, "contactOffset"): (AboveRestOffset,) for kind in (_BODY, _LINK)},
    (_JOINT, "jointStaticFriction"): (AboveDynamicFriction,),
    (_JOINT, "jointDynamicFriction"): (BelowStaticFriction,),
    (_JOINT, "jointLimit"): (LimitedAxis,),
    (_JOINT, "jointPositionTarget"): (TargetInRange,),
    (ObjectType.VEHICLE, "requestedGear"): (ExistingGear, AutomaticGears),
    (ObjectType.VEHICLE, "resetToRestState"): (SimulatedChassis,),
    (ObjectType.DEFORMABLE_MATERIAL, "deformablePoissonsRatio"): (CompressibleSurface,),
}


def conditions_of(written: Written) -> list[Condition]:
    """Return what the values of a column must meet."""
    if not len(written.rows):
        return []
    return [kind(written) for kind in _CONDITIONS.get((written.object_type, written.column.attribute), ())]
