"""Single questions to the engine, asked when something is prepared: how many objects, and what values once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
import numpy.typing as npt

from ovread.catalogue import ObjectType

if TYPE_CHECKING:
    from ovread_physx._engine import PhysxEngine


@attrs.frozen(eq=False)
class Inspected:
    """One group of a read, with copies of its values.

    Args:
        attribute: Name of the attribute.
        prims: Interned path of each row.
        values: One array of all rows, or for array attributes one per prim.
    """

    attribute: str
    prims: Sequence[int]
    values: Sequence[npt.NDArray[Any]]


def count(
    engine: PhysxEngine, object_type: ObjectType, prims: Sequence[int] | None = None, *, active: bool = False
) -> int:
    """Return how many objects of a type there are, among some prims or in all."""
    if prims is not None and not len(prims):
        return 0  # An empty list would select everything.
    with _query(engine, object_type, prims, active) as query:
        return query.metadata.total_prim_count if query.metadata else 0


def inspect(
    engine: PhysxEngine,
    object_type: ObjectType,
    names: Sequence[str],
    prims: Sequence[int] | None = None,
    *,
    active: bool = False,
) -> list[Inspected]:
    """Read attributes once, of some prims, of all objects of a type, or of the active ones."""
    found = []
    with _query(engine, object_type, prims, active) as query:
        result = engine.physx.read(query, list(names)).wait()
        try:
            while (group := result.fetch_next().wait()) is not None:
                rows = engine.dictionary.get_paths(group.prim_list)[group.prim_offset :][: group.prim_count]
                values = [np.array(tensor.numpy()) for tensor in group.tensors]
                found.append(Inspected(engine.dictionary.token_to_string(group.attribute), rows, values))
                del group
                result.groups.clear()
        finally:
            result.groups.clear()
            result.close_sync()
    return found


def members(engine: PhysxEngine, object_type: ObjectType, candidates: Sequence[int]) -> list[int]:
    """Return which of some prims are objects of a type, for types that no attribute names.

    A count over a selection tells how many of it are; halving finds them.
    """
    matching = count(engine, object_type, candidates)
    if matching in (0, len(candidates)):
        return list(candidates) if matching else []
    half = len(candidates) // 2
    return members(engine, object_type, candidates[:half]) + members(engine, object_type, candidates[half:])


def _query(engine: PhysxEngine, object_type: ObjectType, prims: Sequence[int] | None, active: bool) -> Any:
    from ovphysx.types import ObjectScope, SimObjectType

    kind = SimObjectType[object_type.name]
    if prims is not None:
        return engine.physx.query(kind, prim_paths=list(prims)).wait()
    return engine.physx.query(kind, scope=ObjectScope.ACTIVE if active else ObjectScope.ALL).wait()
