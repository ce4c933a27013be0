"""Preparing the reads of bodies, articulations and scenes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ovread.backend import Column, Omission, OmissionReason
from ovread.catalogue import ObjectType
from ovread.order import natural_key
from ovread_newton._binding import Binding, Gather, Source, Values, Write, constant, lanes
from ovread_newton._body_flags import bind_sleeping, bind_weightless
from ovread_newton._centre_of_mass import centre_of_mass, local_centre_of_mass
from ovread_newton._dynamics import DYNAMICS, bind_dynamics
from ovread_newton._joint_forces import INCOMING, bind_incoming
from ovread_newton._joint_reads import bind_joints
from ovread_newton._kinematic_targets import COLUMNS
from ovread_newton._principal_axes import bind_principal_axes
from ovread_newton._ragged import EMPTY
from ovread_newton._shapes import PER_SHAPE, bind_shapes
from ovread_newton._soft import bind_soft
from ovread_newton._solvers import ACCELERATIONS
from ovread_newton._tendons import bind_tendons
from ovread_newton._topology import Topology

if TYPE_CHECKING:
    from ovread_newton._engine import NewtonEngine

Indices = npt.NDArray[np.intp]
Layout = tuple[str, str, int, int, int]
"""Part of the engine, array, its width, first and last column."""

STATE: dict[str, Layout] = {
    "body_q": ("state", "body_q", 7, 0, 7),
    "body_qd": ("state", "body_qd", 6, 0, 6),
    "position": ("state", "body_q", 7, 0, 3),
    "orientation": ("state", "body_q", 7, 3, 7),
    "linearVelocity": ("state", "body_qd", 6, 0, 3),
    "angularVelocity": ("state", "body_qd", 6, 3, 6),
}
ROOT_STATE = {
    "rootPosition": "position",
    "rootOrientation": "orientation",
    "rootLinearVelocity": "linearVelocity",
    "rootAngularVelocity": "angularVelocity",
}
_ACCELERATION: dict[str, Layout] = {
    "linearAcceleration": ("observables", "body_qdd", 6, 0, 3),
    "angularAcceleration": ("observables", "body_qdd", 6, 3, 6),
}
_PROPERTIES: dict[str, Layout] = {
    "mass": ("model", "body_mass", 1, 0, 1),
    "inverseMass": ("model", "body_inv_mass", 1, 0, 1),
    "inertia": ("model", "body_inertia", 9, 0, 9),
    "inverseInertia": ("model", "body_inv_inertia", 9, 0, 9),
    "centerOfMassPosition": ("model", "body_com", 3, 0, 3),
}
_TENDON_COUNTS = {
    "fixedTendonCount": ObjectType.FIXED_TENDON,
    "spatialTendonCount": ObjectType.SPATIAL_TENDON,
}


def bind(engine: NewtonEngine, object_type: ObjectType, rows: Indices, attributes: Sequence[str]) -> Binding:
    """Prepare a read of some objects of one type."""
    topology = engine.topology
    if object_type is ObjectType.RIGID_BODY:
        return _bind(attributes, rows, lambda name: _bind_body(engine, topology.rigid_bodies[rows], name))
    if object_type is ObjectType.ARTICULATION_LINK:
        return _bind(attributes, rows, lambda name: _bind_body(engine, topology.links[rows], name))
    if object_type is ObjectType.ARTICULATION:
        return _bind_articulations(engine, rows, attributes)
    if object_type is ObjectType.ARTICULATION_JOINT:
        return bind_joints(engine, topology.joints[rows], attributes)
    if object_type in topology.soft:
        return bind_soft(engine, object_type, rows, attributes)
    if object_type in topology.tendons:
        return bind_tendons(engine, object_type, rows, attributes)
    return _bind(attributes, rows, lambda name: (Gather(Source(engine, "model", name), lanes(rows, 3, 0, 3)), None))


def _bind(
    attributes: Sequence[str], rows: Indices, make: Callable[[str], tuple[Write, Indices | None] | Omission]
) -> Binding:
    """Bind attribute by attribute; each function returns how to fill a column and, where ragged, its counts."""
    columns: list[Column] = []
    writes: list[Write] = []
    omissions: list[Omission] = []
    for name in attributes:
        made = make(name)
        if isinstance(made, Omission):
            omissions.append(made)
            continue
        write, counts = made
        columns.append(Column(name, np.arange(len(rows)), counts))
        writes.append(write)
    return Binding(columns, writes, omissions)


def _gather_rows(engine: NewtonEngine, rows: Indices, layout: Layout) -> Write:
    part, array, width, start, end = layout
    return Gather(Source(engine, part, array), lanes(rows, width, start, end))


def _bind_body(engine: NewtonEngine, bodies: Indices, name: str) -> tuple[Write, Indices | None] | Omission:
    shapes = engine.topology.body_shapes
    if name in PER_SHAPE:
        return bind_shapes(engine, shapes.take(bodies), name), shapes.counts(bodies)
    if name == "shapeCount":
        return constant(shapes.counts(bodies)[:, None].astype(np.int32)), None
    if name in _ACCELERATION:
        return _bind_acceleration(engine, bodies, name)
    if name == "isSleeping":
        made = bind_sleeping(engine, bodies)
        return made if isinstance(made, Omission) else (made, None)
    if name == "disableGravity":
        return bind_weightless(engine, bodies), None
    if name == "centerOfMassOrientation":
        return bind_principal_axes(engine, bodies), None
    if name == INCOMING:
        made = bind_incoming(engine, bodies)
        return made if isinstance(made, Omission) else (made, None)
    if name in COLUMNS:
        return _bind_target(engine, bodies, name), None
    layout = STATE.get(name) or _PROPERTIES[name]
    return _gather_rows(engine, bodies, layout), None


def _bind_target(engine: NewtonEngine, bodies: Indices, name: str) -> Write:
    """Read pending targets; the pose of a body that has none."""
    start, end = COLUMNS[name]
    targets = engine.targets
    if targets is None:
        return Gather(Source(engine, "state", "body_q"), lanes(bodies, 7, start, end))
    return partial(targets.read, bodies, start, end)


def _bind_acceleration(engine: NewtonEngine, bodies: Indices, name: str) -> tuple[Write, Indices | None] | Omission:
    if ACCELERATIONS not in engine.reported:
        return Omission(name, OmissionReason.UNSUPPORTED_CONFIGURATION, engine.why_not_reported(ACCELERATIONS))
    write = _gather_rows(engine, bodies, _ACCELERATION[name])
    not_ready = Omission(
        name, OmissionReason.NOT_READY, "There is no acceleration before the first step, nor after a reset: step first."
    )

    def write_if_stepped(out: Values) -> Omission | None:
        return not_ready if engine.observables is None else write(out)

    return write_if_stepped, None


def _bind_articulations(engine: NewtonEngine, rows: Indices, attributes: Sequence[str]) -> Binding:
    articulations = engine.topology.articulations[rows]
    others = [name for name in attributes if name not in DYNAMICS]
    plain = _bind(others, rows, lambda name: _bind_articulation(engine, articulations, name))
    dynamics = [name for name in attributes if name in DYNAMICS]
    if not dynamics:
        return plain
    columns, writes, omissions, evaluation = bind_dynamics(engine, articulations, dynamics)
    return Binding(
        [*plain.columns, *columns], [*plain.writes, *writes], [*plain.omissions, *omissions], prepare=evaluation
    )


def _bind_articulation(engine: NewtonEngine, articulations: Indices, name: str) -> tuple[Write, Indices | None]:
    topology = engine.topology
    if name in ROOT_STATE:
        roots = topology.roots[articulations]
        return _gather_rows(engine, roots, STATE[ROOT_STATE[name]]), None
    if name == "centerOfMassWorld":
        return centre_of_mass(engine, articulations), None
    if name == "centerOfMassLocal":
        return local_centre_of_mass(engine, articulations), None
    if name in PER_SHAPE or name == "shapeCount":
        shapes = [topology.body_shapes.take(topology.links_of(int(owner))) for owner in articulations]
        counts = np.array([len(run) for run in shapes], np.intp)
        if name == "shapeCount":
            return constant(counts[:, None].astype(np.int32)), None
        return bind_shapes(engine, np.concatenate([EMPTY, *shapes]), name), counts
    if name in ("dofJointPath", "dofAxisIndex"):
        return _bind_dofs(topology, articulations, name)
    numbers = [_count(engine, int(articulation), name) for articulation in articulations]
    return constant(np.array(numbers, dtype=np.int32).reshape(-1, 1)), None


def _bind_dofs(topology: Topology, articulations: Indices, name: str) -> tuple[Write, Indices]:
    """List the degrees of freedom of each articulation, joints in natural path order, the axes of each in turn."""
    runs: list[list[tuple[int, int]]] = []
    for owner in articulations.tolist():
        joints = [joint for joint in topology.members.take(np.array([owner])) if joint in topology.joints]
        joints.sort(key=lambda joint: (natural_key(topology.joint_paths[joint]), topology.joint_paths[joint]))
        counts = topology.dofs.rate.counts(np.array(joints, np.intp))
        runs.append([(joint, axis) for joint, count in zip(joints, counts, strict=True) for axis in range(count)])
    pairs = np.array([pair for run in runs for pair in run], np.intp).reshape(-1, 2)
    values = topology.handles_of_joints(pairs[:, 0]) if name == "dofJointPath" else pairs[:, 1].astype(np.int32)
    return constant(values[:, None]), np.array([len(run) for run in runs], np.intp)


def _count(engine: NewtonEngine, articulation: int, name: str) -> int:
    import newton

    topology = engine.topology
    if name in _TENDON_COUNTS:
        return int(np.count_nonzero(topology.tendons[_TENDON_COUNTS[name]].articulations == articulation))
    joints = topology.members.take(np.array([articulation]))
    if name == "linkCount":
        return len(joints)
    if name == "jointCount":
        parents = engine.model.joint_parent.numpy()
        return int((parents[joints] >= 0).sum())
    root_type = topology.joint_types[joints[0]]
    if name == "isFixedBase":
        return int(root_type == int(newton.JointType.FIXED))
    is_floating = root_type == int(newton.JointType.FREE)
    return int(topology.joint_qd.counts(joints[1:] if is_floating else joints).sum())
