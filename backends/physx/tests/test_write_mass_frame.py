"""Mass, inertia and centre of mass are written one by one, in any order, of bodies and links."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from ovread_conformance import rotations
from reading import BODY, LINK, value
from test_write_bodies import AXES, CENTRE, INERTIA, MOMENTS, SCENE
from mechanisms import FIXED

import ovread

NEW_AXES = rotations.quaternion((1, 1, -2), 75)
NEW_INERTIA = rotations.matrix(NEW_AXES) @ np.diag([0.9, 0.6, 0.8]) @ rotations.matrix(NEW_AXES).T
NEW_CENTRE = np.array([-0.3, 0.2, 0.1])
