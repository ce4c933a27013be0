"""The catalogue: one row per (object type, attribute), from which everything else is computed.

Shape, unit, frame and meaning of a quantity are written here and nowhere else. Names and numbers of the object
types, and the names of the attributes, are those of the ov read API that both engines share; Newton's own columns
keep their Newton names.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ovread.catalogue._articulations import ROWS as _ARTICULATIONS
from ovread.catalogue._bodies import ROWS as _BODIES
from ovread.catalogue._contacts import NO_FILTERS, filter_lanes, needs_filters
from ovread.catalogue._contacts import ROWS as _CONTACTS
from ovread.catalogue._joints import ROWS as _JOINTS
from ovread.catalogue._native import ROWS as _NATIVE
from ovread.catalogue._row import (
    Accepts,
    Attribute,
    Frame,
    Layout,
    ObjectScope,
    ObjectType,
    Persistence,
    Point,
    Role,
    Writability,
)
from ovread.catalogue._scenes import ROWS as _SCENES
from ovread.catalogue._soft import ROWS as _SOFT
from ovread.catalogue._tendons import ROWS as _TENDONS
from ovread.catalogue._vehicles import ROWS as _VEHICLES
from ovread.errors import AttributeOfOtherTypeError, UnknownAttributeError, did_you_mean

__all__ = [
    "NO_FILTERS",
    "Accepts",
    "Attribute",
    "Frame",
    "Layout",
    "ObjectScope",
    "ObjectType",
    "Persistence",
    "Point",
    "Role",
    "Writability",
    "attribute",
    "attributes",
    "filter_lanes",
    "needs_filters",
    "rows",
]


def _index() -> Mapping[tuple[ObjectType, str], Attribute]:
    table: dict[tuple[ObjectType, str], Attribute] = {}
    for row in (*_BODIES, *_JOINTS, *_ARTICULATIONS, *_SCENES, *_VEHICLES, *_SOFT, *_TENDONS, *_CONTACTS, *_NATIVE):
        if row.key in table:
            raise AssertionError(f"the catalogue has two rows {row.key}")
        table[row.key] = row
    return MappingProxyType(table)


_TABLE = _index()


def rows() -> tuple[Attribute, ...]:
    """Return all rows, by object type in the order of their numbers."""
    return tuple(sorted(_TABLE.values(), key=lambda row: row.object_type))


def attributes(object_type: ObjectType) -> tuple[Attribute, ...]:
    """Return the rows of one object type."""
    return tuple(row for row in _TABLE.values() if row.object_type is object_type)


def attribute(object_type: ObjectType, name: str) -> Attribute:
    """Return one row.

    Raises:
        AttributeOfOtherTypeError: The catalogue has the name, but for other object types.
        UnknownAttributeError: The catalogue does not have the name.
    """
    row = _TABLE.get((object_type, name))
    if row is not None:
        return row
    others = [kind.name for kind, known in _TABLE if known == name]
    known = [known for kind, known in _TABLE if kind is object_type]
    if others:
        raise AttributeOfOtherTypeError(
            f"{object_type.name} has no attribute {name!r}; {' and '.join(others)} "
            f"{'has' if len(others) == 1 else 'have'} it. Query that type, or ask for one of: {', '.join(known)}."
        )
    hint = did_you_mean(name, known)
    raise UnknownAttributeError(
        f"Unknown attribute {name!r} for {object_type.name}.{hint} "
        f"`ovread catalogue --type {object_type.name}` lists the names."
    )
