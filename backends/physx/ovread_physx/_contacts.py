"""What is particular to contacts and to what is drawn: filters, events, and that a step has to come first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ovread.backend import Omission, OmissionReason
from ovread.catalogue import NO_FILTERS, Attribute, ObjectType, needs_filters

if TYPE_CHECKING:
    from ovread_physx._engine import PhysxEngine

_DRAWN = tuple(f"{what}{value}" for what in ("point", "line", "triangle") for value in ("Position", "Color"))
_NOT_READY = "PhysX computes contacts in a step, and reads 0 or nothing before the first one: step first."
_NOT_DRAWN = "PhysX draws in a step, and reads nothing before the first one: step first."
_NO_EVENTS = "PhysX reports contact events of scenes that it simulates on the CPU only: open with device='cpu'."


def why_not(engine: PhysxEngine, name: str, width: int) -> tuple[OmissionReason, str] | None:
    """Say why an attribute is not read, given the number of filters of each sensor; None where it is."""
    if not width and needs_filters(name):
        return OmissionReason.UNSUPPORTED_CONFIGURATION, NO_FILTERS
    if name.startswith("contactEvent") and engine.device != "cpu":
        return OmissionReason.UNSUPPORTED_CONFIGURATION, _NO_EVENTS
    return None


def not_ready(row: Attribute) -> Omission | None:
    """Return what stands for an attribute before the first step; None where it has a value."""
    if row.object_type is ObjectType.CONTACT_SENSOR:
        return Omission(row.name, OmissionReason.NOT_READY, _NOT_READY)
    if row.name in _DRAWN:
        return Omission(row.name, OmissionReason.NOT_READY, _NOT_DRAWN)
    return None
