"""The projected force of spherical joints: by the axes that their coordinates have.

PhysX gives the coordinates of a spherical joint by its authored axis first, and this force by x, y and z of the joint's
frame, whichever that axis is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ovread.backend import Buffer, Column, Omission, ReadBinding
from ovread.catalogue import ObjectType
from ovread_physx._authored_joints import read_axes
from ovread_physx._joint_forces import Bind

if TYPE_CHECKING:
    from ovread_physx._engine import PhysxEngine

Indices = npt.NDArray[np.intp]

NAME = "jointProjectedForce"

_ORDERS = {"Y": ((1, 2, 0), (1.0, 1.0, 1.0)), "Z": ((2, 0, 1), (1.0, -1.0, -1.0))}
"""Component of the joint's frame, and its sign, that twist, swing1 and swing2 have, by the authored axis."""


def bind_joints(engine: PhysxEngine, rows: Indices, names: Sequence[str], bind: Bind) -> ReadBinding:
    """Prepare a read of joints whose projected forces are by the joints' axes."""
    if NAME not in names:
        return bind(rows, names)
    paths = engine.table(ObjectType.ARTICULATION_JOINT).paths
    axes = read_axes(engine, "PhysicsSphericalJoint", [paths[row] for row in rows])
    turned = {row: axis for row, axis in axes.items() if axis in _ORDERS}
    binding = bind(rows, names)
    return _ByAxes(binding, turned) if turned else binding


class _ByAxes:
    """Reorders what another binding reads; see :class:`ovread.backend.ReadBinding`."""

    def __init__(self, inner: ReadBinding, axes: dict[int, str]) -> None:
        self._inner = inner
        self.columns: Sequence[Column] = inner.columns
        self.omissions: Sequence[Omission] = inner.omissions
        self._moves = [
            (position, *_moves(column, axes))
            for position, column in enumerate(inner.columns)
            if column.attribute == NAME and column.counts is not None
        ]

    def fetch(self, buffers: Sequence[Buffer]) -> None:
        """Fill the buffers with the current values."""
        self._inner.fetch(buffers)
        for position, places, sources, signs in self._moves:
            buffer = buffers[position]
            if buffer.omission is not None or not len(places):
                continue
            host = buffer.array.numpy() if buffer.host is None else buffer.host
            host[places] = host[sources] * signs
            if buffer.host is None:
                buffer.array.assign(host)

    def close(self) -> None:
        """Give the native query back."""
        self._inner.close()


def _moves(column: Column, axes: dict[int, str]) -> tuple[Indices, Indices, npt.NDArray[np.float32]]:
    """Return which elements of a column come from which, and their signs."""
    assert column.counts is not None
    starts = np.cumsum([0, *column.counts.tolist()])
    places: list[int] = []
    sources: list[int] = []
    signs: list[float] = []
    for row, start, count in zip(column.rows.tolist(), starts.tolist(), column.counts.tolist(), strict=False):
        if count != 3 or row not in axes:
            continue
        order, sign = _ORDERS[axes[row]]
        places += [start, start + 1, start + 2]
        sources += [start + component for component in order]
        signs += sign
    return np.array(places, np.intp), np.array(sources, np.intp), np.array(signs, np.float32)[:, None]
