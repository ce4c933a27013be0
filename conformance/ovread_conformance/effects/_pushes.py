"""The forces of the effects: oblique, and beside the centre of mass."""

from __future__ import annotations

import numpy as np

from ovread_conformance.motion import Array

FORCE, TORQUE = np.array([7.0, -4.0, 9.0]), np.array([1.5, 2.5, -2.0])
NONE = np.zeros(3)
"""What acts in most effects: oblique, and large enough to show beside gravity and drives."""


def wrench(place: Array, force: Array, torque: Array) -> tuple[list[float], tuple[Array, Array]]:
    """Return a wrench whose force acts beside the centre of mass, and what it comes to there."""
    point = place + np.array([0.3, -0.2, 0.4])
    return [*force, *torque, *point], (force, torque + np.cross(point - place, force))
