"""Writing gains, limits, bounds, armature and friction of joints: the inverse of :mod:`ovread_newton._joint_reads`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ovread.backend import UNLIMITED, Key
from ovread.catalogue import ObjectType
from ovread_newton._binding import Values
from ovread_newton._joint_reads import DEFAULT_BOUND, FIELDS, layout_of
from ovread_newton._ragged import Indices
from ovread_newton._solvers import LEAST_BOUND
from ovread_newton._writer import (
    Chosen,
    Consequences,
    Maker,
    Sink,
    Write,
    publish,
    refuse_unheard,
    refuse_value,
)

if TYPE_CHECKING:
    from ovread_newton._engine import NewtonEngine

Flags = npt.NDArray[np.bool_]

_OF_BALLS: Mapping[str, tuple[str, ...]] = {
    "jointStiffness": ("mujoco",),
    "jointDamping": ("mujoco",),
    "jointArmature": ("mujoco", "steel", "featherstone"),
    "jointFriction": ("mujoco",),
    "jointViscousFriction": ("mujoco", "steel", "featherstone", "semi_implicit"),
}
"""Which solvers obey what of ball joints; none obeys their limits and bounds."""

_OTHER = "Distance and rod joints have no axes that this could be about."
_UNDRIVEN = (
    "the axis has no drive with this gain, and the solver settles when it is made which axes have: author "
    "PhysicsDriveAPI with a gain above zero, or give the model another joint_target_mode."
)
_UNLIMITED_AXIS = (
    "the axis has no limits, and on a GPU the mujoco solver settles when it is made which axes have. Author limits, "
    "however wide."
)
_BEYOND = f"Newton takes so large a number for no bound. Write {UNLIMITED!r} for none."


def _refuse_kinds(engine: NewtonEngine, joints: Indices, name: str) -> Mapping[int, str]:
    """Take no joint of a kind that the solver would ignore the write of."""
    import newton

    unheard = refuse_unheard(engine, joints, name)
    if unheard:
        return unheard
    kind = newton.JointType
    types = [engine.topology.joint_types[joint] for joint in joints.tolist()]
    refused = {row: _OTHER for row, found in enumerate(types) if found in (kind.DISTANCE, kind.ROD)}
    obeying = _OF_BALLS.get(name, ())
    if engine.variant not in obeying:
        others = " or ".join(f"solver={solver!r}" for solver in obeying)
        advice = f": open the scene with {others}." if others else ", nor does any other."
        reason = f"The {engine.variant} solver does not take it for ball joints{advice}"
        refused |= {row: reason for row, found in enumerate(types) if found == kind.BALL}
    return refused


class _Axes:
    """The degrees of freedom of some joints, element by element of a column.

    Args:
        engine: The engine.
        joints: The joints.
        name: Name of the attribute.
    """

    def __init__(self, engine: NewtonEngine, joints: Indices, name: str) -> None:
        topology = engine.topology
        index, factor = layout_of(topology, joints, FIELDS["jointVelocity" if name == "jointLimit" else name])
        self.index, self.factor = index[:, 0], np.abs(factor[:, 0])
        self.is_reversed = topology.dofs.sign[topology.dofs.rate.positions(joints)] < 0
        self._name = name
        self._paths = [topology.joint_paths[joint] for joint in joints.tolist()]
        self._rows = np.repeat(np.arange(len(joints)), topology.dofs.rate.counts(joints))

    def refuse(self, values: Values, chosen: Chosen, wrong: Flags, rule: str) -> None:
        """Raise for the first of the chosen elements that is wrong."""
        for place in np.flatnonzero(wrong)[:1]:
            row = int(self._rows[chosen][place])
            refuse_value(self._name, row, self._paths[row], values[chosen][place], rule)


def _flags(name: str) -> int:
    import newton

    flags = newton.ModelFlags
    inertial = name == "jointArmature"
    return int(flags.JOINT_DOF_INERTIAL_PROPERTIES if inertial else flags.JOINT_DOF_FORCE_PROPERTIES)


def _plain(engine: NewtonEngine, joints: Indices, name: str) -> Write:
    axes, sink, flags = _Axes(engine, joints, name), Sink(engine, "model", FIELDS[name].array), _flags(name)
    is_undriven = _undriven(engine, axes.index, name)

    def write(values: Values, chosen: Chosen) -> Consequences:
        index, given = axes.index[chosen], values[chosen, 0] / axes.factor[chosen]
        if is_undriven is not None:
            is_new = ~np.isclose(given, sink()[index], rtol=1e-6, atol=0)
            axes.refuse(values, chosen, is_undriven[chosen] & is_new, _UNDRIVEN)
        return publish([(sink, index, given)], flags)

    return write


def _undriven(engine: NewtonEngine, dofs: Indices, name: str) -> Flags | None:
    """Return which axes have no drive that the gain ``name`` could be of, where the solver gives them none later."""
    import newton

    if engine.variant not in ("mujoco", "kamino") or name not in ("jointStiffness", "jointDamping"):
        return None
    mode = newton.JointTargetMode
    having = [mode.POSITION, mode.POSITION_VELOCITY, *([mode.VELOCITY] if name == "jointDamping" else [])]
    is_undriven = ~np.isin(engine.model.joint_target_mode.numpy()[dofs], having)
    return is_undriven if is_undriven.any() else None


def _bound(engine: NewtonEngine, joints: Indices, name: str) -> Write:
    """Write a bound; where a number means no bound to Newton, or zero does to Steel, take the one beside it."""
    import newton

    axes, sink, flags = _Axes(engine, joints, name), Sink(engine, "model", FIELDS[name].array), _flags(name)
    unlimited = DEFAULT_BOUND if name == "jointMaxVelocity" else np.inf
    beside = np.nextafter(np.float32(DEFAULT_BOUND), np.float32(np.inf))
    least = LEAST_BOUND if engine.variant == "steel" else 0.0

    def write(values: Values, chosen: Chosen) -> Consequences:
        bounds = values[chosen, 0] / axes.factor[chosen]
        is_free = values[chosen, 0] >= UNLIMITED
        axes.refuse(values, chosen, (bounds >= newton.MAXVAL) & ~is_free, _BEYOND)
        bounds[bounds == DEFAULT_BOUND] = beside
        np.maximum(bounds, least, out=bounds)
        bounds[is_free] = unlimited
        return publish([(sink, axes.index[chosen], bounds)], flags)

    return write


def _limit(engine: NewtonEngine, joints: Indices, name: str) -> Write:
    """Write limits; those of a reversed joint are the negative of each other, as its coordinate is."""
    import newton

    axes, flags = _Axes(engine, joints, name), _flags(name)
    lower, upper = Sink(engine, "model", "joint_limit_lower"), Sink(engine, "model", "joint_limit_upper")
    unlimited = np.inf if engine.variant == "steel" else newton.MAXVAL
    is_settled = engine.variant == "mujoco" and not engine.solver.use_mujoco_cpu

    def write(values: Values, chosen: Chosen) -> Consequences:
        index, given = axes.index[chosen], values[chosen]
        bounds, is_free = given / axes.factor[chosen, None], np.abs(given) >= UNLIMITED
        axes.refuse(values, chosen, ((np.abs(bounds) >= newton.MAXVAL) & ~is_free).any(axis=1), _BEYOND)
        if is_settled:
            was_free = (lower()[index] <= -newton.MAXVAL) & (upper()[index] >= newton.MAXVAL)
            axes.refuse(values, chosen, was_free & ~is_free.all(axis=1), _UNLIMITED_AXIS)
        bounds = np.where(is_free, (-unlimited, unlimited), bounds)
        is_reversed = axes.is_reversed[chosen]
        bounds[is_reversed] = -bounds[is_reversed, ::-1]
        return publish([(lower, index, bounds[:, 0]), (upper, index, bounds[:, 1])], flags)

    return write


_MAKE: Mapping[str, Any] = {
    "jointStiffness": _plain,
    "jointDamping": _plain,
    "jointArmature": _plain,
    "jointFriction": _plain,
    "jointViscousFriction": _plain,
    "jointMaxVelocity": _bound,
    "jointMaxForce": _bound,
    "jointLimit": _limit,
}

JOINT_PROPERTY_MAKERS: Mapping[Key, Maker] = {
    (ObjectType.ARTICULATION_JOINT, name): Maker(make, _refuse_kinds) for name, make in _MAKE.items()
}
