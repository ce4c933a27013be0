"""What PhysX takes for an axis of an articulation's joint, beside what the catalogue says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ovread.backend import UNLIMITED
from ovread.catalogue import ObjectType
from ovread_physx._authored_joints import read_tokens
from ovread_physx._inspection import inspect
from ovread_physx._reads import BOUNDLESS
from ovread_physx._write_current import CurrentValues
from ovread_physx._write_rules import Condition, Mask, Values, Written

if TYPE_CHECKING:
    from ovread_physx._engine import PhysxEngine

_JOINT = ObjectType.ARTICULATION_JOINT


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
            path: np.asarray((np.abs(np.reshape(limits, (-1, 2))) < BOUNDLESS).any(axis=1))
            for group in inspect(engine, _JOINT, ["jointLimit"])
            for path, limits in zip(engine.path_strings(group.prims), group.values, strict=True)
        }
    return engine.limited_axes


class _Angles(Condition):
    """An angle that a joint can hold: a hinge without limits holds a full turn, a joint of several axes half a turn.

    A joint of several axes is one that is authored so, also if it leaves but one axis free.
    """

    is_safe: ClassVar[float]
    """Up to this size in degrees no number breaks the rule, whatever the axes are."""

    def __init__(self, written: Written) -> None:
        super().__init__(written)
        self._limits: CurrentValues | None = None

    def broken(self, values: Values) -> Mask | None:
        """Return the angles that are out of range; what the axes are is asked only where a number is large."""
        if values.max(initial=0) <= self.is_safe and values.min(initial=0) >= -self.is_safe:
            return None
        if self._limits is None:
            self._limits = self._ask()
        limits = self._limits.read()
        is_free = (limits[:, 0] <= -UNLIMITED) & (limits[:, 1] >= UNLIMITED)
        angles = np.abs(values[:, 0])
        return np.asarray((self._is_hinge & is_free & (angles > 360)) | (self._is_ball & self._beyond_half(angles)))

    def _ask(self) -> CurrentValues:
        """Read which axes are hinges, and which belong to joints of several."""
        written = self.written
        assert written.column.counts is not None
        self._counts = written.column.counts
        kinds = read_tokens(written.engine, written.paths(), "usd-prim-type")
        each = np.array([kinds.get(position, [""])[0] for position in range(len(self._counts))])
        self._is_hinge = np.repeat(each == "PhysicsRevoluteJoint", self._counts)
        self._is_ball = np.repeat(np.isin(each, ("PhysicsSphericalJoint", "PhysicsJoint")), self._counts)
        return written.current("jointLimit")

    def _beyond_half(self, angles: Values) -> Mask:
        """Return which angles, given as sizes, are beyond what a joint of several axes holds."""
        raise NotImplementedError

    def close(self) -> None:
        """Give the native query back."""
        if self._limits is not None:
            self._limits.close()


class TargetInRange(_Angles):
    """An angle that a drive can pull to; the engine refuses others."""

    rule = "is beyond a full turn of a hinge without limits, or half a turn of a joint with several axes"
    is_safe = 180.0

    def _beyond_half(self, angles: Values) -> Mask:
        return np.asarray(angles > 180)


class PositionInRange(_Angles):
    """An angle that the next step does not wrap. Those of several axes are one rotation, of half a turn at most."""

    rule = (
        "is beyond a full turn of a hinge without limits, or, with the other axes of its joint, beyond half a turn: "
        "PhysX would go on from another angle. Write one that differs by whole turns"
    )
    is_safe = 103.0

    def _beyond_half(self, angles: Values) -> Mask:
        joints = np.repeat(np.arange(len(self._counts)), self._counts)
        sizes = np.sqrt(np.bincount(joints, weights=np.square(angles, dtype=np.float64), minlength=len(self._counts)))
        return np.asarray((sizes > 180.001)[joints])
