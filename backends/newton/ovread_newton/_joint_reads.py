"""Preparing the reads of articulation joints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import attrs
import numpy as np
import numpy.typing as npt

from ovread.backend import UNLIMITED, Column, Omission, OmissionReason
from ovread_newton._binding import Binding, Gather, Source, Values, Write
from ovread_newton._efforts import EFFORT, bind_effort
from ovread_newton._joint_forces import PROJECTED, bind_projected
from ovread_newton._turned_joints import overlaid

if TYPE_CHECKING:
    from ovread_newton._engine import NewtonEngine
    from ovread_newton._topology import Topology

Indices = npt.NDArray[np.intp]

_DEGREE = 180.0 / np.pi

_SKEWED = (
    "Joints that rotate about axes that are not at right angles are left out: components along such axes do not say "
    "what a rotation is. joint_q and joint_qd return Newton's own."
)
_TURNED_RATE = (
    "Joints that rotate about several axes are left out: what a target of such rates is about differs between Newton's "
    "solvers, and changes with the joint's position."
)
_REVERSED = (
    "Joints to the world whose body0 is the moving body are left out where they rotate and have further axes: the "
    "importer leaves their values as authored, and the inverse of such a motion is not its negative. joint_q and "
    "joint_qd return Newton's own."
)
_OTHER = "Distance and rod joints have no coordinates about joint axes. joint_q and joint_qd return Newton's own."
_NO_CONTROL = (
    "Targets and efforts are in the newton.Control, and none was attached that has them: pass it to ovread.attach."
)


@attrs.frozen
class Field:
    """Where an attribute lies, and how it converts.

    Args:
        part: Part of the engine.
        array: Name of the array.
        angular: Factor on rotational axes.
        is_motion: Whether it is a coordinate or a rate: its sign depends on the order of the bodies, and not every
            type of joint has it.
        is_coordinate: Whether it is indexed as ``joint_q``, instead of by degree of freedom.
    """

    part: str
    array: str
    angular: float = 1.0
    is_motion: bool = False
    is_coordinate: bool = False


FIELDS = {
    "jointPosition": Field("joint_state", "joint_q", _DEGREE, is_motion=True, is_coordinate=True),
    "jointVelocity": Field("joint_state", "joint_qd", _DEGREE, is_motion=True),
    "jointPositionTarget": Field("control", "joint_target_q", _DEGREE, is_motion=True, is_coordinate=True),
    "jointVelocityTarget": Field("control", "joint_target_qd", _DEGREE, is_motion=True),
    EFFORT: Field("control", "joint_f", is_motion=True),
    "jointStiffness": Field("model", "joint_target_ke", 1 / _DEGREE),
    "jointDamping": Field("model", "joint_target_kd", 1 / _DEGREE),
    "jointArmature": Field("model", "joint_armature"),
    "jointFriction": Field("model", "joint_friction"),
    "jointViscousFriction": Field("model", "joint_damping", 1 / _DEGREE),
    "jointMaxVelocity": Field("model", "joint_velocity_limit", _DEGREE),
    "jointMaxForce": Field("model", "joint_effort_limit"),
}
_NATIVE = ("joint_q", "joint_qd")

DEFAULT_BOUND = 1e6
"""What ``ModelBuilder.JointDofConfig`` bounds velocity and effort by where nothing was given."""


def bind_joints(engine: NewtonEngine, joints: Indices, attributes: Sequence[str]) -> Binding:
    """Prepare a read of joints."""
    columns: list[Column] = []
    writes: list[Write] = []
    omissions: list[Omission] = []
    for name in attributes:
        covered = np.arange(len(joints))
        if name == PROJECTED:
            made = bind_projected(engine, joints)
            if isinstance(made, Omission):
                omissions.append(made)
            else:
                columns.append(Column(name, covered, engine.topology.dofs.rate.counts(joints)))
                writes.append(made)
            continue
        if name in FIELDS and FIELDS[name].is_motion:
            field = FIELDS[name]
            if field.part == "control" and getattr(engine.control, field.array, None) is None:
                omissions.append(Omission(name, OmissionReason.UNSUPPORTED_CONFIGURATION, _NO_CONTROL))
                continue
            covered, left_out = _split(engine.topology, joints, name)
            omissions.extend(left_out)
            if left_out and not len(covered):
                continue
        write, counts = _bind_joint(engine, joints[covered], name)
        columns.append(Column(name, covered, counts))
        writes.append(write)
    return Binding(columns, writes, omissions, engine.refresh_joint_state if _needs_state(attributes) else None)


def _needs_state(attributes: Sequence[str]) -> bool:
    return any(name in _NATIVE or (name in FIELDS and FIELDS[name].part == "joint_state") for name in attributes)


def _split(topology: Topology, joints: Indices, name: str) -> tuple[Indices, list[Omission]]:
    """Separate the joints that have this coordinate or rate from those that do not, and say why."""
    covered: list[int] = []
    left_out: dict[str, list[str]] = {}
    for row, joint in enumerate(joints):
        reason = reason_against(topology, int(joint), name)
        if reason is None:
            covered.append(row)
        else:
            left_out.setdefault(reason, []).append(topology.joint_paths[joint])
    omissions = [
        Omission(name, OmissionReason.UNSUPPORTED_CONFIGURATION, reason, tuple(paths))
        for reason, paths in left_out.items()
    ]
    return np.array(covered, dtype=np.intp), omissions


def reason_against(topology: Topology, joint: int, name: str) -> str | None:
    """Return why a joint's coordinate or rate is left out; None where it is read."""
    import newton

    kind = topology.joint_types[joint]
    rotations = topology.dofs.rotations.get(joint)
    if rotations is not None and name == "jointVelocityTarget":
        return _TURNED_RATE
    if kind == int(newton.JointType.BALL):
        return None
    if kind not in (int(newton.JointType.REVOLUTE), int(newton.JointType.PRISMATIC), int(newton.JointType.D6)):
        return _OTHER
    if rotations is not None and not rotations.is_orthogonal:
        return _SKEWED
    angular = topology.dofs.is_angular[topology.dofs.rate.positions(np.array([joint]))]
    if joint in topology.reversed_joints and angular.any() and len(angular) > 1:
        return _REVERSED
    return None


def _bind_joint(engine: NewtonEngine, joints: Indices, name: str) -> tuple[Write, Indices]:
    topology = engine.topology
    if name in _NATIVE:
        runs = topology.joint_q if name == "joint_q" else topology.joint_qd
        return Gather(Source(engine, "joint_state", name), runs.take(joints)[:, None]), runs.counts(joints)
    dofs = topology.dofs
    positions = dofs.rate.positions(joints)
    counts = dofs.rate.counts(joints)
    if name == EFFORT:
        return bind_effort(engine, joints), counts
    rate = dofs.rate.flat[positions][:, None]
    if name == "jointLimit":
        is_angular, is_reversed = dofs.is_angular[positions][:, None], dofs.sign[positions][:, None] < 0
        return _limits(engine, rate, np.where(is_angular, _DEGREE, 1.0).astype(np.float32), is_reversed), counts
    field = FIELDS[name]
    source = Source(engine, field.part, field.array)
    index, factor = layout_of(topology, joints, field)
    if name in ("jointMaxVelocity", "jointMaxForce"):
        return _bound(source, index, factor, _defaults_of(engine, index, name)), counts
    plain = Gather(source, index, factor)
    return overlaid(engine, joints, name, plain, factor) if field.is_motion else plain, counts


def layout_of(topology: Topology, joints: Indices, field: Field) -> tuple[Indices, Values]:
    """Return which elements of its array a field has for joints, and what each is multiplied by, both ``(axes, 1)``.

    The index is -1 for the coordinates of joints that have more or fewer of them than axes.
    """
    dofs = topology.dofs
    positions = dofs.rate.positions(joints)
    factor = np.where(dofs.is_angular[positions], field.angular, 1.0)
    if field.is_motion:
        factor = factor * dofs.sign[positions]
    index = dofs.rate.flat[positions]
    if field.is_coordinate:
        index = (dofs.target if field.array == "joint_target_q" else dofs.coordinate)[positions]
    return index[:, None], factor[:, None].astype(np.float32)


def _defaults_of(engine: NewtonEngine, rate: Indices, name: str) -> npt.NDArray[np.bool_]:
    """Return where the builder's default bound means that none was authored.

    In a model from a stage, an axis with a drive has its effort bounded by the drive alone, by infinity where the
    drive authors none: a bound of just a million is an authored one there.
    """
    if name == "jointMaxVelocity" or not engine.topology.is_from_stage:
        return np.ones(rate.shape, dtype=bool)
    modes = engine.model.joint_target_mode.numpy() if len(rate) else np.zeros(0, np.int32)
    return np.asarray(modes[rate] == 0)


def _bound(source: Source, index: Indices, factor: Values, is_default: npt.NDArray[np.bool_]) -> Write:
    """Read a bound; unlimited are infinity, numbers beyond Newton's largest, and the builder's default."""
    import newton

    is_unlimited, mask = np.empty(index.shape, dtype=bool), np.empty(index.shape, dtype=bool)

    def write(out: Values) -> None:
        np.take(source(), index, out=out, mode="clip")
        np.equal(out, DEFAULT_BOUND, out=is_unlimited)
        np.logical_and(is_unlimited, is_default, out=is_unlimited)
        np.greater_equal(out, newton.MAXVAL, out=mask)
        np.logical_or(is_unlimited, mask, out=is_unlimited)
        np.logical_not(is_unlimited, out=mask)
        np.multiply(out, factor, out=out, where=mask)
        np.copyto(out, UNLIMITED, where=is_unlimited)

    return write


def _limits(engine: NewtonEngine, index: Indices, factor: Values, is_reversed: npt.NDArray[np.bool_]) -> Write:
    """Read limits; a reversed joint's are the negative of each other, as its coordinate is."""
    import newton

    lower, upper = Source(engine, "model", "joint_limit_lower"), Source(engine, "model", "joint_limit_upper")
    low, high, negated = (np.empty(index.shape, dtype=np.float32) for _ in range(3))
    is_limited, is_unlimited = np.empty(index.shape, dtype=bool), np.empty(index.shape, dtype=bool)

    def convert(bound: Values, out: Values, unlimited: float) -> None:
        np.less(np.abs(bound, out=negated), newton.MAXVAL, out=is_limited)
        np.multiply(bound, factor, out=out, where=is_limited)
        np.copyto(out, unlimited, where=np.logical_not(is_limited, out=is_unlimited))

    def write(out: Values) -> None:
        np.take(lower(), index, out=low, mode="clip")
        np.take(upper(), index, out=high, mode="clip")
        np.negative(low, out=negated)
        np.negative(high, out=low, where=is_reversed)
        np.copyto(high, negated, where=is_reversed)
        convert(low, out[:, :1], -UNLIMITED)
        convert(high, out[:, 1:], UNLIMITED)

    return write
