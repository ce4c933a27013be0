"""Writing what stays until it is written again: how each such attribute is."""

from __future__ import annotations

from collections.abc import Mapping

from ovread.backend import Key
from ovread_newton._gravity_writes import GRAVITY_MAKERS
from ovread_newton._joint_property_writes import JOINT_PROPERTY_MAKERS
from ovread_newton._mass_writes import MASS_MAKERS
from ovread_newton._shape_writes import SHAPE_MAKERS
from ovread_newton._tendon_writes import TENDON_MAKERS
from ovread_newton._writer import Maker

PROPERTY_MAKERS: Mapping[Key, Maker] = {
    **MASS_MAKERS,
    **SHAPE_MAKERS,
    **JOINT_PROPERTY_MAKERS,
    **GRAVITY_MAKERS,
    **TENDON_MAKERS,
}
