"""Which objects cannot take an attribute at all, whatever the value: the engine ignores or refuses it then."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ovread.catalogue import ObjectType
from ovread_physx._authored_joints import read_column
from ovread_physx._write_current import read_once

if TYPE_CHECKING:
    from ovread_physx._engine import PhysxEngine

Indices = npt.NDArray[np.intp]
Mask = npt.NDArray[np.bool_]

_BODY = ObjectType.RIGID_BODY
_DYNAMIC_ONLY = ("linearVelocity", "angularVelocity", "force", "wrench", "wake")
_TARGETS = ("kinematicTargetPosition", "kinematicTargetOrientation")


def who_cannot(engine: PhysxEngine, object_type: ObjectType, name: str, rows: Indices) -> list[tuple[Mask, str]]:
    """Return which of the objects ``rows`` cannot take an attribute, in as many parts as there are reasons."""
    found: list[tuple[Mask, str]] = []
    rest = np.arange(len(rows))
    for names, why, which in _RULES.get(object_type, ()):
        if len(rest) and (names is None or name in names):
            cannot = which(engine, rows[rest])
            if cannot.any():
                mask = np.zeros(len(rows), dtype=bool)
                mask[rest[cannot]] = True
                found.append((mask, why))
                rest = rest[~cannot]
    return found


def kinematic(engine: PhysxEngine, rows: Indices) -> Mask:
    """Return which rigid bodies are authored as kinematic; the engine does not say, and no write changes it."""
    paths = engine.table(_BODY).paths
    flags = read_column(engine, [paths[row] for row in rows], "physics:kinematicEnabled")
    return np.array([bool(flags.get(position, (False,))[0]) for position in range(len(rows))], dtype=bool)


def _dynamic(engine: PhysxEngine, rows: Indices) -> Mask:
    return ~kinematic(engine, rows)


def _controllers(engine: PhysxEngine, rows: Indices) -> Mask:
    """Return which rigid bodies are the actors of character controllers."""
    controllers = engine.table(ObjectType.CHARACTER_CONTROLLER).rows_of
    prims = engine.table(_BODY).prims
    return np.array([prims[row] in controllers for row in rows], dtype=bool)


def _on_cuda(engine: PhysxEngine, rows: Indices) -> Mask:
    return np.full(len(rows), engine.device != "cpu")


def _instancers(engine: PhysxEngine, rows: Indices) -> Mask:
    return np.array([int(row) in engine.table(_BODY).instancers for row in rows], dtype=bool)


def _fixed(engine: PhysxEngine, rows: Indices) -> Mask:
    return read_once(engine, ObjectType.ARTICULATION, "isFixedBase", rows)[:, 0] != 0


Rule = tuple[tuple[str, ...] | None, str, Callable[["PhysxEngine", Indices], Mask]]
"""Attributes, None for all of the type; why; and which objects."""

_RULES: Mapping[ObjectType, tuple[Rule, ...]] = {
    _BODY: (
        (None, "A point instancer: its instances are not written. Author bodies of their own.", _instancers),
        (None, "A character controller: it is moved with CHARACTER_CONTROLLER move alone.", _controllers),
        (
            _DYNAMIC_ONLY,
            "A kinematic body, which nothing but its target moves: write kinematicTargetPosition.",
            kinematic,
        ),
        (_TARGETS, "No kinematic body: only those are driven by a target.", _dynamic),
    ),
    ObjectType.CHARACTER_CONTROLLER: (
        (None, "PhysX moves character controllers on the CPU only: open with device='cpu'.", _on_cuda),
    ),
    ObjectType.ARTICULATION: (
        (("rootLinearVelocity", "rootAngularVelocity"), "Its base is fixed, and does not move.", _fixed),
    ),
}
