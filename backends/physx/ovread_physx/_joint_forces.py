"""The force of the joint that leads to a link, where the engine means another body by it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ovread.backend import Omission, OmissionReason, ReadBinding
from ovread.catalogue import ObjectType
from ovread_physx._articulations import read_trees
from ovread_physx._parts import Joined, Part

if TYPE_CHECKING:
    from ovread_physx._engine import PhysxEngine

NAME = "linkIncomingJointForce"

_REVERSED = (
    "The joint that leads to this link is authored with the link as body0: PhysX then gives the force on the other "
    "body, in that body's joint frame. Author the link as body1."
)
_UNKNOWN = (
    "Which body of its inbound joint this link is decides what PhysX means by the force, and that could not be "
    "established from the stage."
)


def bind_links(
    rows: npt.NDArray[np.intp],
    names: Sequence[str],
    engine: PhysxEngine,
    bind: Callable[[npt.NDArray[np.intp], Sequence[str]], ReadBinding],
) -> ReadBinding:
    """Prepare a read of links; the force only of those that are body1 of their inbound joint."""
    paths = [engine.table(ObjectType.ARTICULATION_LINK).paths[row] for row in rows]
    wrong = _misread(engine) if NAME in names else {}
    left_out = np.array([path in wrong for path in paths], dtype=bool)
    if not left_out.any():
        return bind(rows, names)
    omissions = [
        Omission(
            NAME, OmissionReason.UNSUPPORTED_CONFIGURATION, why, tuple(path for path in paths if wrong.get(path) == why)
        )
        for why in dict.fromkeys(wrong[path] for path in paths if path in wrong)
    ]
    parts = [Part(bind(rows, [name for name in names if name != NAME]), np.arange(len(rows)))]
    if not left_out.all():
        parts.append(Part(bind(rows[~left_out], [NAME]), np.flatnonzero(~left_out)))
    return Joined(parts, omissions)


def _misread(engine: PhysxEngine) -> dict[str, str]:
    """Return the links whose force has another meaning or may have, and why."""
    articulations = np.arange(len(engine.table(ObjectType.ARTICULATION).paths))
    trees = read_trees(engine, articulations)
    known = {path for tree in trees for path in tree.link_paths}
    wrong = {path: _UNKNOWN for path in engine.table(ObjectType.ARTICULATION_LINK).paths if path not in known}
    return wrong | {path: _REVERSED for tree in trees for path in tree.reversed_links}
