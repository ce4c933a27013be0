"""What PhysX takes for an axis of an articulation's joint, beside what the catalogue says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from ovread.backend import UNLIMITED
from ovread.catalogue import ObjectType
from ovread_physx._authored_joints import read_joints
from ovread_physx._inspection import inspect
from ovread_physx._reads import BOUNDLESS
from ovread_physx._write_current import CurrentValues
from ovread_physx._write_rules import Condition, Mask, Values, Written

if TYPE_CHECKING:
    from ovread_physx._engine import PhysxEngine

_JOINT = ObjectType.ARTICULATION_JOINT
_LINEAR = ("x", "y", "z")


class LimitedAxis(Condition):
    """Only an axis that was authored with a limit has one; the engine remembers that it had, freed or not."""

    rule = "is a limit on an axis that was authored without: PhysX does not limit a free axis later"

    def __init__(self, written: Written) -> None:
        super().__init__(written)
        limited = limited_axes(written.engine)
        self._is_free = np.concatenate([~limited[path] for path in written.paths()])

    def broken(self, values: Values) -> Mask | None:
        """Return the free axes that are to be limited."""
        limits = (values[:, 0] > -UNLIMITED) | (values[:, 1] < UNLIMITED)
        return np.asarray(self._is_free & limits)


def limited_axes(engine: PhysxEngine) -> Mapping[str, Mask]:
    """Return which axes of each joint had a limit when this was first asked: before any limit was written."""
    if engine.limited_axes is None:
        engine.limited_axes = {
            path: (np.abs(np.reshape(limits, (-1, 2))) < BOUNDLESS).any(axis=1)
            for group in inspect(engine, _JOINT, ["jointLimit"])
            for path, limits in zip(engine.path_strings(group.prims), group.values, strict=True)
        }
    return engine.limited_axes


class TargetInRange(Condition):
    """An angle that a drive is to reach is at most a full turn of a hinge, and half a turn of an axis among several."""

    rule = "is beyond a full turn of a hinge without limits, or half a turn of a joint with several axes"

    def __init__(self, written: Written) -> None:
        super().__init__(written)
        self._limits: CurrentValues | None = None

    def broken(self, values: Values) -> Mask | None:
        """Return the angles that are out of range; what axes are is asked only where a number is large."""
        if values.max(initial=0) <= 180 and values.min(initial=0) >= -180:
            return None
        written = self.written
        counts = written.column.counts
        assert counts is not None
        if self._limits is None:
            self._limits = written.current("jointLimit")
            authored = read_joints(written.engine, written.paths(), {})
            axes = [
                joint.axis(ordinal, count)
                for joint, count in zip(authored, counts.tolist(), strict=True)
                for ordinal in range(count)
            ]
            self._is_angle = ~np.isin(axes, _LINEAR)
            self._is_one_of_several = np.repeat(counts > 1, counts)
        limits = self._limits.read()
        is_free = (limits[:, 0] <= -UNLIMITED) & (limits[:, 1] >= UNLIMITED)
        size = np.abs(values[:, 0])
        return np.asarray(self._is_angle & (((size > 180) & self._is_one_of_several) | ((size > 360) & is_free)))

    def close(self) -> None:
        """Give the native query back."""
        if self._limits is not None:
            self._limits.close()
