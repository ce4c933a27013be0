"""What is particular to contacts and to what is drawn: filters, events, and that a step has to come first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ovread.backend import Omission, OmissionReason
from ovread.catalogue import Attribute, Layout, ObjectType

if TYPE_CHECKING:
    from ovread_physx._engine import PhysxEngine

_DRAWN = tuple(f"{what}{value}" for what in ("point", "line", "triangle") for value in ("Position", "Color"))
_FILTERED = ("normalContactForceMatrix", "frictionContactForceMatrix")
_NOT_READY = "PhysX computes contacts in a step, and reads 0 or nothing before the first one: step first."
_NOT_DRAWN = "PhysX draws in a step, and reads nothing before the first one: step first."
_NO_FILTERS = (
    "It tells contacts apart by the other object: query with contacts=[ovread.ContactSelection(sensors, filters)]."
)
_NO_EVENTS = "PhysX reports contact events of scenes that it simulates on the CPU only: open with device='cpu'."


def needs_filters(name: str) -> bool:
    """Whether an attribute tells contacts apart by the other object."""
    return name in _FILTERED or name.startswith("filtered")


def why_not(engine: PhysxEngine, name: str, width: int) -> tuple[OmissionReason, str] | None:
    """Say why an attribute is not read, given the number of filters of each sensor; None where it is."""
    if not width and needs_filters(name):
        return OmissionReason.UNSUPPORTED_CONFIGURATION, _NO_FILTERS
    if name.startswith("contactEvent") and engine.device != "cpu":
        return OmissionReason.UNSUPPORTED_CONFIGURATION, _NO_EVENTS
    return None


def lanes_of(row: Attribute, width: int) -> tuple[str, ...] | None:
    """Return the names of the lanes where they follow from the number of filters, such as ``f0.x``."""
    if row.layout is not Layout.MATRIX:
        return None
    filters = [f"f{number}" for number in range(width)]
    if len(row.lanes) == 1:
        return tuple(filters)
    return tuple(f"{name}.{lane}" for name in filters for lane in row.lanes)


def not_ready(row: Attribute) -> Omission | None:
    """Return what stands for an attribute before the first step; None where it has a value."""
    if row.object_type is ObjectType.CONTACT_SENSOR:
        return Omission(row.name, OmissionReason.NOT_READY, _NOT_READY)
    if row.name in _DRAWN:
        return Omission(row.name, OmissionReason.NOT_READY, _NOT_DRAWN)
    return None
