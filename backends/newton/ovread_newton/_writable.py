"""What the backend says of writes, per attribute and per solver. Imports no engine."""

from __future__ import annotations

from collections.abc import Mapping

from ovread.backend import Key, WriteSupport, writes
from ovread.catalogue import ObjectType

_BODY = ObjectType.RIGID_BODY

_BODY_STATE = "position orientation linearVelocity angularVelocity"


def declare_writes() -> Mapping[Key, WriteSupport]:
    """Declare what can be written with every solver."""
    table: dict[Key, WriteSupport] = {}
    table |= writes(_BODY, _BODY_STATE)
    return table


def declare_write_variant(name: str) -> Mapping[Key, WriteSupport]:
    """Declare what differs with one solver."""
    table: dict[Key, WriteSupport] = {}
    return table
