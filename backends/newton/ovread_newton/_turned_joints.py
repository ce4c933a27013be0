"""Reading joints that rotate about several axes, and the rates that Newton's matrices of them are about."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import attrs
import numpy as np
import numpy.typing as npt

from ovread_newton._binding import Source, Values, Write
from ovread_newton._rotations import (
    Doubles,
    composed,
    conjugate,
    exponential,
    moved_axes,
    rotate,
    rotation_vector,
    solved_turns,
    turns_of,
)

if TYPE_CHECKING:
    from ovread_newton._engine import NewtonEngine
    from ovread_newton._topology import Topology

Indices = npt.NDArray[np.intp]
Evaluate = Callable[[], Doubles]


@attrs.frozen(eq=False)
class Turned:
    """Some joints of one kind.

    Args:
        rows: Position of each among the joints that were asked for.
        axes: ``(n, k, 3)``: see :class:`Rotations`.
        turns: The same, in Newton's order; None for ball joints.
        coordinates: ``(n, 4)`` or ``(n, k)``: their quaternions or turns in ``joint_q``.
        targets: The same in ``joint_target_q``.
        rates: ``(n, 3)`` or ``(n, k)``: their rates in ``joint_qd``.
    """

    rows: Indices
    axes: Doubles
    turns: Doubles | None
    coordinates: Indices
    targets: Indices
    rates: Indices

    def positions(self, coordinates: Doubles) -> Doubles:
        """Return the components of the rotation vectors along the axes, ``(n, k)``."""
        turned = coordinates if self.turns is None else composed(coordinates, self.turns)
        return along(self.axes, rotation_vector(turned))

    def velocities(self, coordinates: Doubles, rates: Doubles) -> Doubles:
        """Return the components of the angular velocities along the axes, ``(n, k)``."""
        return np.asarray(np.einsum("nij,nj->ni", self.matrices(coordinates), rates))

    def efforts(self, coordinates: Doubles, efforts: Doubles) -> Doubles:
        """Return the efforts about the axes that do the same work as Newton's, ``(n, k)``."""
        matrices = self.matrices(coordinates).swapaxes(1, 2)
        return np.asarray(np.linalg.solve(matrices, efforts[..., None])[..., 0])

    def coordinates_of(self, components: Doubles) -> Doubles:
        """Return the coordinates of rotation vectors with these components; NaN where there are none."""
        if self.turns is not None and self.turns.shape[1] == 2:
            return solved_turns(components, self.axes, self.turns)
        turned = exponential(np.einsum("nix,ni->nx", self.axes, components))
        return turned if self.turns is None else turns_of(turned, self.turns)

    def take(self, places: Indices) -> Turned:
        """Return some of the joints."""
        return Turned(
            self.rows[places],
            self.axes[places],
            None if self.turns is None else self.turns[places],
            self.coordinates[places],
            self.targets[places],
            self.rates[places],
        )

    def matrices(self, coordinates: Doubles) -> Doubles:
        """Return what makes velocities of Newton's rates, ``(n, k, k)``."""
        if self.turns is None:
            columns = np.stack([rotate(conjugate(coordinates), unit) for unit in np.eye(3)], axis=1)
        else:
            columns = moved_axes(coordinates, self.turns)
        return np.asarray(np.einsum("nix,njx->nij", self.axes, columns))


def along(axes: Doubles, vectors: Doubles) -> Doubles:
    """Return components of vectors, ``(n, k)``."""
    return np.asarray(np.einsum("nix,nx->ni", axes, vectors))


def turned_joints(engine: NewtonEngine, joints: Sequence[int]) -> Iterator[Turned]:
    """Group those joints that rotate about several axes."""
    topology, model = engine.topology, engine.model
    kinds: dict[tuple[bool, int], list[int]] = {}
    for row, joint in enumerate(joints):
        known = topology.dofs.rotations.get(int(joint))
        if known is not None:
            kinds.setdefault((known.turns is None, len(known.axes)), []).append(row)
    if not kinds:
        return
    q_ends, target_starts, qd_ends = (
        array.numpy().astype(np.intp)
        for array in (model.joint_q_start, model.joint_target_q_start, model.joint_qd_start)
    )
    for (is_ball, count), rows in kinds.items():
        owners = np.array([joints[row] for row in rows], np.intp)
        found = [topology.dofs.rotations[int(owner)] for owner in owners]
        # Rotations come last in Newton's order, after the translations of the same joint.
        last = np.arange(-(4 if is_ball else count), 0)
        coordinates = q_ends[owners + 1][:, None] + last
        yield Turned(
            np.array(rows, np.intp),
            np.stack([rotations.axes for rotations in found]),
            None if is_ball else np.stack([rotations.turns for rotations in found if rotations.turns is not None]),
            coordinates,
            coordinates - (q_ends[owners] - target_starts[owners])[:, None],
            qd_ends[owners + 1][:, None] + np.arange(-count, 0),
        )


def placed(engine: NewtonEngine, joints: Indices) -> list[tuple[Turned, Indices]]:
    """Return those of some joints that rotate about several axes, and which elements of a column they have, ``(n, k)``.

    Rotations come first in the canonical order.
    """
    starts = np.cumsum([0, *engine.topology.dofs.rate.counts(joints)])[:-1]
    kinds = turned_joints(engine, joints.tolist())
    return [(kind, starts[kind.rows][:, None] + np.arange(kind.axes.shape[1])) for kind in kinds]


def are_turned(topology: Topology, joints: Indices) -> npt.NDArray[np.bool_]:
    """Return which elements of a column are rotations of joints that have several."""
    counts = [len(known.axes) if known else 0 for known in map(topology.dofs.rotations.get, joints.tolist())]
    ordinals = [np.arange(count) for count in topology.dofs.rate.counts(joints)]
    runs = [ordinal < count for ordinal, count in zip(ordinals, counts, strict=True)]
    return np.concatenate([np.zeros(0, bool), *runs])


def overlaid(engine: NewtonEngine, joints: Indices, name: str, plain: Write, factors: Values) -> Write:
    """Fill a column as ``plain`` does, then the rotations about several axes.

    Args:
        engine: The engine.
        joints: Joints of the column.
        name: ``jointPosition``, ``jointVelocity``, ``jointPositionTarget`` or ``jointActuationForce``.
        plain: Fills what a factor converts.
        factors: ``(elements, 1)``: sign and angle unit of each element.
    """
    kinds = placed(engine, joints)
    if not kinds:
        return plain
    values = [(places, _values(engine, kind, name)) for kind, places in kinds]

    def write(out: Values) -> None:
        plain(out)
        for places, evaluate in values:
            out[places, 0] = evaluate() * factors[places, 0]

    return write


def _values(engine: NewtonEngine, kind: Turned, name: str) -> Evaluate:
    if name == "jointPositionTarget":
        targets = Source(engine, "control", "joint_target_q")
        return lambda: kind.positions(targets()[kind.targets].astype(float))
    coordinates, rates = (Source(engine, "joint_state", array) for array in ("joint_q", "joint_qd"))
    if name == "jointPosition":
        return lambda: kind.positions(coordinates()[kind.coordinates].astype(float))
    if name == "jointActuationForce":
        efforts = Source(engine, "control", "joint_f")
        return lambda: kind.efforts(coordinates()[kind.coordinates].astype(float), efforts()[kind.rates].astype(float))
    return lambda: kind.velocities(coordinates()[kind.coordinates].astype(float), rates()[kind.rates].astype(float))
