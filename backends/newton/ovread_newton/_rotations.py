"""Joints that rotate about several axes: between Newton's coordinates and the components of a rotation vector.

A coordinate is the component along its axis of the rotation vector that takes the inner link's joint frame to the outer
link's; a rate is the component of the outer link's angular velocity relative to the inner link, in the outer link's
joint frame. Newton has a quaternion and a rate in the inner frame for a ball joint, and successive turns and their
rates for a D6 joint.

All functions work on many joints of one kind at once, in radians and double precision: quaternions ``(n, 4)``, vectors
``(n, 3)``, turns ``(n, k)`` about axes ``(n, k, 3)``.
"""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

Doubles = npt.NDArray[np.float64]

BALL_AXES = {
    "X": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "Y": ((0, 1, 0), (0, 0, 1), (1, 0, 0)),
    "Z": ((0, 0, 1), (-1, 0, 0), (0, -1, 0)),
}
"""Axes of twist, swing1 and swing2 in the joint's frame, by the authored axis: what PhysX makes of it, as measured."""


def multiply(p: Doubles, q: Doubles) -> Doubles:
    """Return products of quaternions, (x, y, z, w)."""
    vector = p[..., 3:] * q[..., :3] + q[..., 3:] * p[..., :3] + np.cross(p[..., :3], q[..., :3])
    scalar = p[..., 3:] * q[..., 3:] - np.sum(p[..., :3] * q[..., :3], axis=-1, keepdims=True)
    return np.concatenate([vector, scalar], axis=-1)


def rotate(q: Doubles, vectors: Doubles) -> Doubles:
    """Turn vectors by quaternions."""
    turned = 2 * np.cross(q[..., :3], vectors)
    return vectors + q[..., 3:] * turned + np.cross(q[..., :3], turned)


def matrices(q: Doubles) -> Doubles:
    """Return the rotation matrix of each quaternion, ``(n, 3, 3)``."""
    return np.stack([rotate(q, unit) for unit in np.eye(3)], axis=-1)


def rotation_matrix(quaternion: npt.NDArray[Any]) -> Doubles:
    """Return the rotation matrix of one quaternion, of any length."""
    turn = np.array(quaternion, dtype=np.float64)
    return matrices(turn / np.linalg.norm(turn))


def conjugate(q: Doubles) -> Doubles:
    """Return the inverses of unit quaternions."""
    return q * (-1.0, -1.0, -1.0, 1.0)


def rotation_vector(q: Doubles) -> Doubles:
    """Return the rotation vector of each quaternion, of at most half a turn."""
    q = np.where(q[..., 3:] < 0, -q, q)
    sine = np.linalg.norm(q[..., :3], axis=-1, keepdims=True)
    small = sine < 1e-12
    ratio = 2 * np.arctan2(sine, q[..., 3:]) / np.where(small, 1.0, sine)
    return np.where(small, 2.0, ratio) * q[..., :3]


def exponential(vectors: Doubles) -> Doubles:
    """Return the quaternion of each rotation vector."""
    angle = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.concatenate([np.sinc(angle / (2 * np.pi)) / 2 * vectors, np.cos(angle / 2)], axis=-1)


def composed(turns: Doubles, axes: Doubles) -> Doubles:
    """Return the quaternion of successive turns, each about an axis that the ones before it have turned."""
    whole = np.zeros((len(turns), 4))
    whole[:, 3] = 1.0
    for place in range(turns.shape[1]):
        whole = multiply(whole, exponential(turns[:, place, None] * axes[:, place]))
    return whole


def moved_axes(turns: Doubles, axes: Doubles) -> Doubles:
    """Return the axes of successive turns in the outer frame, ``(n, k, 3)``: what each turn's rate multiplies."""
    moved = np.array(axes)
    after = np.zeros((len(turns), 4))
    after[:, 3] = 1.0
    for place in reversed(range(turns.shape[1])):
        moved[:, place] = rotate(conjugate(after), axes[:, place])
        after = multiply(exponential(turns[:, place, None] * axes[:, place]), after)
    return moved


def bias(rates: Doubles, moved: Doubles) -> Doubles:
    """Return the outer frame's angular acceleration, in that frame, where the rates of the turns stay constant."""
    total, later = np.zeros((len(rates), 3)), np.zeros((len(rates), 3))
    for place in reversed(range(rates.shape[1])):
        spin = rates[:, place, None] * moved[:, place]
        total -= np.cross(later, spin)
        later += spin
    return total


def turns_of(q: Doubles, axes: Doubles) -> Doubles:
    """Return the successive turns that make up quaternions, about three axes each at right angles, ``(n, 3)``."""
    third = np.cross(axes[:, 0], axes[:, 1])
    handedness = np.sign(np.einsum("nx,nx->n", third, axes[:, 2]))
    basis = np.stack([axes[:, 0], axes[:, 1], third], axis=-1)
    seen = basis.swapaxes(1, 2) @ matrices(q) @ basis
    middle = np.arcsin(np.clip(seen[:, 0, 2], -1, 1))
    first, last = np.arctan2(-seen[:, 1, 2], seen[:, 2, 2]), np.arctan2(-seen[:, 0, 1], seen[:, 0, 0])
    # Where the first and the last turn are about the same axis, only their sum is known.
    is_locked = np.abs(seen[:, 0, 2]) > 1 - 1e-12
    first = np.where(is_locked, np.arctan2(seen[:, 2, 1], seen[:, 1, 1]), first)
    return np.stack([first, middle, np.where(is_locked, 0.0, last) * handedness], axis=1)


def solved_turns(components: Doubles, axes: Doubles, turned: Doubles) -> Doubles:
    """Return the turns whose rotation vectors have these components along some axes, ``(n, k)``.

    With two axes the vector has a component along neither. NaN for joints that have no solution nearby.

    Args:
        components: ``(n, k)``.
        axes: ``(n, k, 3)``: what the components are along.
        turned: ``(n, k, 3)``: axes of the successive turns, the same in another order.
    """
    # A turn is near the component along its axis.
    turns = np.einsum("njx,nix,ni->nj", turned, axes, components)
    residual = np.zeros_like(turns)
    for _ in range(50):
        vectors = rotation_vector(composed(turns, turned))
        residual = np.einsum("nix,nx->ni", axes, vectors) - components
        if np.abs(residual).max(initial=0.0) < 1e-12:
            break
        steps = 1e-6 * np.eye(components.shape[1])
        shifted = np.stack([rotation_vector(composed(turns + step, turned)) for step in steps], axis=1)
        slope = np.einsum("nix,njx->nij", axes, shifted - vectors[:, None]) / 1e-6
        turns = turns - np.einsum("nij,nj->ni", np.linalg.pinv(slope), residual)
    return np.where(np.abs(residual).max(axis=1, keepdims=True, initial=0.0) < 1e-9, turns, np.nan)


@attrs.frozen(eq=False)
class Rotations:
    """What the rotational degrees of freedom of one joint are about.

    Args:
        axes: ``(k, 3)``: axis of each canonical coordinate, in the joint's frame.
        turns: ``(k, 3)``: Newton's successive axes, in its own order; None for a ball joint, which has a quaternion.
    """

    axes: Doubles
    turns: Doubles | None

    @classmethod
    def of_ball(cls, axis: str) -> Rotations:
        """Return those of a ball joint with an authored axis."""
        return cls(np.array(BALL_AXES[axis], float), None)

    @property
    def is_orthogonal(self) -> bool:
        """Whether components along the axes say what a vector is."""
        return bool(np.allclose(self.axes @ self.axes.T, np.eye(len(self.axes)), atol=1e-5))
