"""What is authored on the stage, where the engine does not say it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ovread.stage import sealed_ordinal

if TYPE_CHECKING:
    import ovstage

    from ovread_physx._engine import PhysxEngine


def values(engine: PhysxEngine, prims: Sequence[int], name: str) -> npt.NDArray[Any]:
    """Return the values of an attribute, or the targets of a relationship, of those prims that have one."""
    import ovstage

    found = [np.empty(0, dtype=np.uint64)]
    dictionary, stage = engine.dictionary, engine.stage
    with (
        dictionary.create_path_list(prims) as paths,
        stage.query_from_path_list(paths) as query,
        stage.read_attributes(
            query, [dictionary.intern_token(name)], ovstage.OrdinalRange.latest(sealed_ordinal(stage))
        ) as read,
    ):
        read.wait()
        for group in read.groups():
            with group:
                found += [group.array(index).ravel().copy() for index in range(group.tensor_count)]
    return np.concatenate(found)


def is_authored(engine: PhysxEngine, prims: Sequence[int]) -> bool:
    """Whether any of the prims is on the stage."""
    return bool(prims) and len(values(engine, prims, "usd-metadata:typeName")) > 0


def scene_owner(engine: PhysxEngine, prims: Sequence[int]) -> str | None:
    """Return the physics scene that one of the prims names as its owner."""
    if not prims:
        return None
    owners = values(engine, prims, "physics:simulationOwner")
    return engine.dictionary.path_to_string(int(owners[0])) if len(owners) else None


def prims_of_type(engine: PhysxEngine, name: str) -> list[int]:
    """Return the interned paths of all prims of a type."""
    import ovstage

    return _matching(engine, ovstage.Predicate("usd-prim-type", ovstage.FilterOp.IN, [name]))


def prims_with_schema(engine: PhysxEngine, name: str) -> list[int]:
    """Return the interned paths of all prims that a schema is applied to."""
    import ovstage

    return _matching(engine, ovstage.Predicate("usd-schemas", ovstage.FilterOp.CONTAINS, [name]))


def _matching(engine: PhysxEngine, predicate: ovstage.Predicate) -> list[int]:
    import ovstage

    stage = engine.stage
    token = engine.dictionary.intern_token("usd-path")
    prims: list[int] = []
    with stage.query(filter=ovstage.Filter([predicate])) as query:
        query.wait()
        if not stage.fetch_query_result(query).total_prim_count:
            return prims
        with stage.read_attributes(query, [token], ovstage.OrdinalRange.latest(sealed_ordinal(stage))) as read:
            read.wait()
            for group in read.groups():
                with group:
                    column = group.array(0).ravel().tolist()
                    prims += [column[group.data_row_index(row)] for row in range(group.prim_count)]
    return prims
