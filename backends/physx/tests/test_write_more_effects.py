"""Effects of writes that the files by subject do not show: where a moved and turned body goes on from."""

from __future__ import annotations

import numpy as np
import pytest
from ovread_conformance import rotations
from reading import BODY, value
from test_write_bodies import CENTRE, SCENE

import ovread

DT = 0.01


@pytest.mark.obeys("RIGID_BODY", "position orientation linearVelocity angularVelocity")
def test_a_body_goes_on_from_the_written_pose():
    """In a step its centre of mass moves on by its velocity, and it turns on about the world's z, from the new pose."""
    turned, place = rotations.quaternion((0, 1, 1), 120), np.array([7.0, 8, 9])
    written = {"position": place, "orientation": turned, "linearVelocity": (1, 2, 3), "angularVelocity": (0, 0, 2)}
    with ovread.open(SCENE, backend="physx") as simulation:
        query = simulation.query(BODY, paths=["/B10"])
        for name, values in {"disableGravity": 1, **written}.items():
            simulation.set(query, name, values)
        simulation.step(DT)
        position, orientation = (
            np.array(value(simulation, BODY, "/B10", name)) for name in ("position", "orientation")
        )
        expected = rotations.product(rotations.quaternion((0, 0, 1), np.rad2deg(2 * DT)), turned)
        assert abs(orientation @ expected) > 1 - 1e-6
        centre = position + rotations.matrix(orientation) @ CENTRE
        start = place + rotations.matrix(turned) @ CENTRE
        np.testing.assert_allclose(centre - start, np.multiply(DT, (1, 2, 3)), atol=1e-5)
