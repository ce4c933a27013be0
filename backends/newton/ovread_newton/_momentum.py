"""The centroidal momentum matrix, from the Jacobian, and its bias, from the Coriolis force on the floating root."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ovread_newton._binding import Source, Values
from ovread_newton._rotations import Doubles, matrices, rotate

if TYPE_CHECKING:
    from ovread_newton._engine import NewtonEngine

Indices = npt.NDArray[np.intp]


class Momentum:
    """Articulations of one size.

    Args:
        engine: The engine.
        links: ``(n, links)``: bodies, in the order of the Jacobian's rows.
        roots: Root body of each.
    """

    def __init__(self, engine: NewtonEngine, links: Sequence[Indices], roots: Indices) -> None:
        self._links = np.stack(links)
        self._roots = np.array([row.tolist().index(root) for row, root in zip(links, roots, strict=True)], np.intp)
        self._poses, self._centres = Source(engine, "state", "body_q"), Source(engine, "model", "body_com")
        self._masses, self._inertia = Source(engine, "model", "body_mass"), Source(engine, "model", "body_inertia")

    def matrix(self, jacobian: Values, coriolis: Values) -> Doubles:
        """Return the matrix with the bias as its last column, ``(n, 6, dofs + 1)``.

        Args:
            jacobian: ``(n, 6 links, dofs)``.
            coriolis: ``(n, dofs)``, the root's degrees of freedom first.
        """
        count, _, dofs = jacobian.shape
        links = self._links
        moving = jacobian.reshape(count, links.shape[1], 6, dofs).astype(float)
        pose = self._poses().reshape(-1, 7)[links].astype(float)
        mass = self._masses()[links].astype(float)
        own = pose[..., :3] + rotate(pose[..., 3:], self._centres().reshape(-1, 3)[links].astype(float))
        centre = np.einsum("nl,nlx->nx", mass, own) / mass.sum(axis=1, keepdims=True)
        turn = matrices(pose[..., 3:])
        inertia = turn @ self._inertia().reshape(-1, 3, 3)[links].astype(float) @ turn.swapaxes(-1, -2)
        linear = mass[..., None, None] * moving[:, :, :3]
        lever = (own - centre[:, None])[..., None]
        angular = inertia @ moving[:, :, 3:] + np.cross(lever, linear, axis=2)
        root = own[np.arange(count), self._roots]
        # The root's Coriolis force is what changes the momentum about the root, where no rate changes.
        force, torque = coriolis[:, :3].astype(float), coriolis[:, 3:6].astype(float)
        bias = np.concatenate([force, torque - np.cross(centre - root, force)], axis=1)
        whole = np.concatenate([linear.sum(axis=1), angular.sum(axis=1)], axis=1)
        return np.concatenate([whole, bias[..., None]], axis=2)
