"""Faults of a running simulation: each breaks one promise of the contract or of a write, and a check must notice.

A fault is a :class:`~ovread_conformance.live.Live` that passes something on wrongly; the simulation below it is real.
"""

from __future__ import annotations

from collections.abc import Mapping

from ovread_conformance.faults import _others, _reads, _writes
from ovread_conformance.live import Live

FAULTS: Mapping[str, type[Live]] = {**_writes.FAULTS, **_reads.FAULTS, **_others.FAULTS}
"""Every fault by name."""

__all__ = ["FAULTS"]
