"""Matrices and generalized forces by the rates of this API, where Newton has them by the rates of successive turns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ovread_newton._binding import Source, Values
from ovread_newton._rotations import Doubles, bias, moved_axes
from ovread_newton._turned_joints import Indices, Turned, along, turned_joints

if TYPE_CHECKING:
    from ovread_newton._engine import NewtonEngine

_LOCKED = 1e-4
"""Below this determinant the axes of a joint's turns lie in one plane, and its rates do not follow from its motion."""


class TurnedRates:
    """The joints of some articulations that rotate about several axes.

    Args:
        engine: The engine.
        articulations: Newton's index of each.
    """

    def __init__(self, engine: NewtonEngine, articulations: Sequence[int]) -> None:
        model = engine.model
        starts, ends = (
            array.numpy().astype(np.intp) if len(articulations) else np.zeros(0, np.intp)
            for array in (model.articulation_start, model.articulation_end)
        )
        joints = [joint for owner in articulations for joint in range(int(starts[owner]), int(ends[owner]))]
        owners = np.repeat(np.array(articulations, np.intp), ends[articulations] - starts[articulations])
        first = engine.topology.joint_qd.offsets
        self._coordinates, self._rates = (Source(engine, "joint_state", name) for name in ("joint_q", "joint_qd"))
        self._kinds = [
            _Kind(kind, owners[kind.rows], first[starts[owners[kind.rows]]], _canonical(engine, joints, kind))
            for kind in turned_joints(engine, joints)
        ]

    def __bool__(self) -> bool:
        return bool(self._kinds)

    def solve(self) -> bool:
        """Relate the rates at the present coordinates; return whether they can be."""
        coordinates = self._coordinates()
        return all(kind.solve(coordinates) for kind in self._kinds)

    def unbias(self, coriolis: Values, mass: Values) -> None:
        """Take from Coriolis forces what belongs to constant turning rates; ``mass`` is not converted yet."""
        coordinates, rates = self._coordinates(), self._rates()
        for kind in self._kinds:
            kind.unbias(coriolis, mass, coordinates, rates)

    def convert_force(self, force: Values) -> None:
        """Convert generalized forces, ``(dofs,)``, in place."""
        for kind in self._kinds:
            force[kind.first[:, None] + kind.canonical] = np.einsum(
                "nij,ni->nj", kind.from_canonical, force[kind.first[:, None] + kind.native]
            )

    def convert_columns(self, matrices: Values) -> None:
        """Convert the columns of matrices, ``(articulations, rows, dofs)``, in place."""
        for kind in self._kinds:
            owner = kind.owners[:, None]
            columns = matrices[owner, :, kind.native]
            matrices[owner, :, kind.canonical] = np.einsum("nij,nir->njr", kind.from_canonical, columns)

    def convert_mass(self, mass: Values) -> None:
        """Convert mass matrices, ``(articulations, dofs, dofs)``, in place."""
        self.convert_columns(mass)
        self.convert_columns(mass.swapaxes(1, 2))


def _canonical(engine: NewtonEngine, joints: Sequence[int], kind: Turned) -> Indices:
    """Return the degrees of freedom of the canonical axes, ``(n, k)``; rotations come first."""
    dofs = engine.topology.dofs.rate
    starts = dofs.offsets[np.array([joints[row] for row in kind.rows], np.intp)]
    return np.asarray(dofs.flat[starts[:, None] + np.arange(kind.axes.shape[1])])


class _Kind:
    """Joints of one kind; their degrees of freedom count from the first of their articulation."""

    def __init__(self, kind: Turned, owners: Indices, first: Indices, canonical: Indices) -> None:
        self._kind = kind
        self.owners = owners
        self.first = first
        self.native = kind.rates - first[:, None]
        self.canonical = canonical - first[:, None]
        self.from_canonical: Doubles = np.zeros(0)

    def solve(self, coordinates: Values) -> bool:
        matrices = self._kind.matrices(coordinates[self._kind.coordinates].astype(float))
        if np.abs(np.linalg.det(matrices)).min() < _LOCKED:
            return False
        self.from_canonical = np.linalg.inv(matrices).astype(float)
        return True

    def unbias(self, coriolis: Values, mass: Values, coordinates: Values, rates: Values) -> None:
        kind = self._kind
        if kind.turns is None:
            return  # a ball's rate in the outer frame is constant while that in the inner frame is
        moved = moved_axes(coordinates[kind.coordinates].astype(float), kind.turns)
        acceleration = along(kind.axes, bias(rates[kind.rates].astype(float), moved))
        native = np.einsum("nij,nj->ni", self.from_canonical, acceleration)
        forces = np.einsum("nij,ni->nj", mass[self.owners[:, None], self.native], native)
        # Beyond the degrees of freedom of an articulation the forces are zero, wherever they go.
        where = np.minimum(self.first[:, None] + np.arange(mass.shape[1]), len(coriolis) - 1)
        np.subtract.at(coriolis, where, forces.astype(coriolis.dtype))
