"""Rows of tendons: fixed ones, keyed by the root axis' joint, and spatial ones, keyed by the root attachment's body."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ovread import units
from ovread.catalogue._row import LIMITS, NON_NEGATIVE, VALUE, Attribute, ObjectType, Writability
from ovread.units import Dimension

_FIXED = ObjectType.FIXED_TENDON
_SPATIAL = ObjectType.SPATIAL_TENDON
_STIFFNESS = Dimension(mass=1, time=-2)
_DAMPING = Dimension(mass=1, time=-1)


def _tendon(name: str, meaning: str, dimension: Dimension, types: tuple[ObjectType, ...] = (_FIXED, _SPATIAL),
            lanes: tuple[str, ...] = VALUE, **rest: Any) -> Iterator[Attribute]:  # fmt: skip
    for object_type in types:
        yield Attribute(object_type, name, "f32", lanes, meaning, dimension=dimension, residency="device",
                        writability=Writability.WRITABLE, **rest)  # fmt: skip


ROWS: tuple[Attribute, ...] = (
    *_tendon("tendonStiffness", "Stiffness of the tendon.", _STIFFNESS, accepts=NON_NEGATIVE),
    *_tendon("tendonDamping", "Damping of the tendon.", _DAMPING, accepts=NON_NEGATIVE),
    *_tendon(
        "tendonLimitStiffness", "Stiffness beyond the limits of the tendon's length.", _STIFFNESS, accepts=NON_NEGATIVE
    ),
    *_tendon("tendonOffset", "Offset that is added to the tendon's length.", units.LENGTH),
    *_tendon(
        "tendonLimit",
        "Lower and upper limit of the length; unlimited is -/+FLT_MAX.",
        units.LENGTH,
        (_FIXED,),
        ("low", "high"),
        accepts=LIMITS,
    ),
    *_tendon("tendonRestLength", "Length at rest.", units.LENGTH, (_FIXED,)),
)
