"""Writing what stays until it is written again: mass, materials, joints, gravity."""

from __future__ import annotations

from collections.abc import Mapping

from ovread.backend import Key
from ovread_newton._writer import Maker

PROPERTY_MAKERS: Mapping[Key, Maker] = {}
