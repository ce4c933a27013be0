"""Writing coordinates, rates and targets of joints: the inverse of :mod:`ovread_newton._joint_reads`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import attrs
import numpy as np
import numpy.typing as npt

from ovread.backend import Key
from ovread.catalogue import ObjectType
from ovread_newton._binding import Values
from ovread_newton._joint_reads import FIELDS, layout_of
from ovread_newton._ragged import Indices
from ovread_newton._rotations import Doubles
from ovread_newton._turned_joints import Turned, are_turned, placed
from ovread_newton._writer import NOTHING, Chosen, Consequences, Maker, Scatter, Sink, Write, refuse_value

if TYPE_CHECKING:
    from ovread_newton._engine import NewtonEngine

_BEYOND = "a rotation vector that says where a joint with several axes stands has at most 180 degrees."
_NO_TURNS = "no turns about the joint's axes make up this rotation."
_LOCKED = (
    "two of the joint's successive turns are about the same axis there, and no rates of them make up a velocity: write "
    "another jointPosition first."
)
_NO_BALL_DRIVE = "The {solver} solver has no drives of ball joints: open the scene with solver='mujoco'."
_WITHOUT_BALL_DRIVES = frozenset({"steel", "featherstone", "xpbd", "vbd"})
_NEARLY_LOCKED = 1e-4
"""Determinant of the axes of a joint's turns below which its rates do not follow from its velocity."""


@attrs.frozen(eq=False)
class _TurnedColumn:
    """The joints of one kind in a column.

    Args:
        kind: The joints.
        rows: Row of each among the joints of the column.
        places: ``(n, k)``: which elements of the column they have.
        factors: ``(n, k)``: sign and angle unit of these elements.
        paths: Their paths.
    """

    name: str
    kind: Turned
    places: Indices
    factors: Doubles
    paths: tuple[str, ...]

    def rows(self, chosen: Chosen) -> Indices:
        """Return which joints are chosen."""
        if isinstance(chosen, slice):
            return np.arange(len(self.places))
        return np.flatnonzero(np.isin(self.places[:, 0], chosen))

    def given(self, values: Values, rows: Indices) -> Doubles:
        """Return what was written for some joints, in radians and in the sense of Newton's joint, ``(n, k)``."""
        return np.asarray(values[self.places[rows], 0] / self.factors[rows])

    def refuse(self, values: Values, rows: Indices, wrong: npt.NDArray[np.bool_], rule: str) -> None:
        """Raise for the first joint that cannot take its values."""
        for row in rows[wrong]:
            refuse_value(self.name, int(self.kind.rows[row]), self.paths[row], values[self.places[row], 0], rule)

    def coordinates(self, values: Values, rows: Indices) -> Doubles:
        """Return the quaternions or turns of some joints.

        Raises:
            ValueRefusedError: There are none.
        """
        components = self.given(values, rows)
        self.refuse(values, rows, np.linalg.norm(components, axis=1) > np.pi * (1 + 1e-6), _BEYOND)
        found = self.kind.take(rows).coordinates_of(components)
        self.refuse(values, rows, np.isnan(found).any(axis=1), _NO_TURNS)
        return found

    def rates(self, values: Values, rows: Indices, velocities: Doubles, coordinates: Doubles) -> Doubles:
        """Return the rates of some joints that make up their velocities.

        Raises:
            ValueRefusedError: There are none.
        """
        matrices = self.kind.take(rows).matrices(coordinates)
        is_locked = np.abs(np.linalg.det(matrices)) < _NEARLY_LOCKED
        self.refuse(values, rows, is_locked & velocities.any(axis=1), _LOCKED)
        matrices[is_locked] = np.eye(matrices.shape[1])
        return np.asarray(np.linalg.solve(matrices, velocities[..., None])[..., 0])


def _turned_columns(engine: NewtonEngine, joints: Indices, name: str, factor: Values) -> list[_TurnedColumn]:
    topology = engine.topology
    return [
        _TurnedColumn(
            name,
            kind,
            places,
            factor[places, 0].astype(float),
            tuple(topology.joint_paths[joint] for joint in joints[kind.rows]),
        )
        for kind, places in placed(engine, joints)
    ]


class _Plain:
    """The elements of a column that a factor converts."""

    def __init__(self, engine: NewtonEngine, joints: Indices, name: str) -> None:
        field = FIELDS[name]
        index, self.factor = layout_of(engine.topology, joints, field)
        is_plain = ~are_turned(engine.topology, joints)
        self._is_plain = None if is_plain.all() else is_plain
        self._scatter = Scatter(Sink(engine, field.part, field.array), index, 1 / self.factor)

    def __call__(self, values: Values, chosen: Chosen) -> None:
        if self._is_plain is not None:
            elements = np.arange(len(values)) if isinstance(chosen, slice) else chosen
            chosen = elements[self._is_plain[elements]]
        self._scatter(values, chosen)


def _joint_position(engine: NewtonEngine, joints: Indices, name: str) -> Write:
    """Set coordinates; the velocities of joints with several axes stay, and so their rates change."""
    plain = _Plain(engine, joints, name)
    turned = _turned_columns(engine, joints, name, plain.factor)
    coordinates, rates = Sink(engine, "joint_state", "joint_q"), Sink(engine, "joint_state", "joint_qd")
    owners = _owners(engine, joints)

    def write(values: Values, chosen: Chosen) -> Consequences:
        engine.refresh_joint_state()
        found = []
        for column in turned:
            rows = column.rows(chosen)
            kind = column.kind.take(rows)
            ends = column.coordinates(values, rows)
            starts = coordinates()[kind.coordinates].astype(float)
            velocities = kind.velocities(starts, rates()[kind.rates].astype(float))
            found.append((kind, ends, column.rates(values, rows, velocities, ends)))
        plain(values, chosen)
        for kind, ends, kept in found:
            coordinates.put(kind.coordinates, ends)
            rates.put(kind.rates, kept)
        return Consequences(bent=owners[chosen], jumps=True)

    return write


def _joint_velocity(engine: NewtonEngine, joints: Indices, name: str) -> Write:
    plain = _Plain(engine, joints, name)
    turned = _turned_columns(engine, joints, name, plain.factor)
    coordinates, rates = Sink(engine, "joint_state", "joint_q"), Sink(engine, "joint_state", "joint_qd")
    owners = _owners(engine, joints)

    def write(values: Values, chosen: Chosen) -> Consequences:
        engine.refresh_joint_state()
        found = []
        for column in turned:
            rows = column.rows(chosen)
            kind = column.kind.take(rows)
            here = coordinates()[kind.coordinates].astype(float)
            found.append((kind, column.rates(values, rows, column.given(values, rows), here)))
        plain(values, chosen)
        for kind, solved in found:
            rates.put(kind.rates, solved)
        return Consequences(bent=owners[chosen])

    return write


def _refuse_target(engine: NewtonEngine, joints: Indices, name: str) -> Mapping[int, str]:
    import newton

    if engine.variant not in _WITHOUT_BALL_DRIVES:
        return {}
    kinds, ball = engine.topology.joint_types, int(newton.JointType.BALL)
    balls = [position for position, joint in enumerate(joints.tolist()) if kinds[joint] == ball]
    return dict.fromkeys(balls, _NO_BALL_DRIVE.format(solver=engine.variant))


def _position_target(engine: NewtonEngine, joints: Indices, name: str) -> Write:
    plain = _Plain(engine, joints, name)
    turned = _turned_columns(engine, joints, name, plain.factor)
    targets = Sink(engine, "control", "joint_target_q")

    def write(values: Values, chosen: Chosen) -> Consequences:
        found = []
        for column in turned:
            rows = column.rows(chosen)
            found.append((column.kind.take(rows), column.coordinates(values, rows)))
        plain(values, chosen)
        for kind, ends in found:
            targets.put(kind.targets, ends)
        return NOTHING

    return write


def _velocity_target(engine: NewtonEngine, joints: Indices, name: str) -> Write:
    plain = _Plain(engine, joints, name)

    def write(values: Values, chosen: Chosen) -> Consequences:
        plain(values, chosen)
        return NOTHING

    return write


def _owners(engine: NewtonEngine, joints: Indices) -> Indices:
    """Return the articulation of each element."""
    topology = engine.topology
    children = np.array(topology.children, np.intp)[joints]
    return np.repeat(topology.owners[children], topology.dofs.rate.counts(joints))


JOINT_STATE_MAKERS: Mapping[Key, Maker] = {
    (ObjectType.ARTICULATION_JOINT, name): maker
    for name, maker in (
        ("jointPosition", Maker(_joint_position)),
        ("jointVelocity", Maker(_joint_velocity)),
        ("jointPositionTarget", Maker(_position_target, _refuse_target)),
        ("jointVelocityTarget", Maker(_velocity_target)),
    )
}
