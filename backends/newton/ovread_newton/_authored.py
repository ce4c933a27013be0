"""What must be known of the authored stage beside the model that is built from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import attrs

from ovread.stage import ORDINAL

if TYPE_CHECKING:
    import ovstage

_ROOT_SCHEMAS = ("PhysicsArticulationRootAPI", "NewtonArticulationRootAPI")


@attrs.frozen
class Authored:
    """Facts that the model does not keep.

    Args:
        roots: Prims that an articulation-root schema is applied to.
        scenes: Physics scenes, the effective one first.
    """

    roots: frozenset[str]
    scenes: tuple[str, ...]


def read_authored(stage: ovstage.Stage) -> Authored:
    """Read the articulation roots and the physics scenes."""
    import ovstage

    def applied(schema: str) -> ovstage.Predicate:
        return ovstage.Predicate("usd-schemas", ovstage.FilterOp.CONTAINS, [schema])

    scene = ovstage.Predicate("usd-prim-type", ovstage.FilterOp.IN, ["PhysicsScene"])
    with ovstage.PathDictionary(stage) as dictionary:
        roots = [path for schema in _ROOT_SCHEMAS for path in _matching(stage, dictionary, applied(schema))]
        scenes = _matching(stage, dictionary, scene)
    return Authored(frozenset(roots), tuple(sorted(scenes)))


def _matching(stage: ovstage.Stage, dictionary: ovstage.PathDictionary, predicate: ovstage.Predicate) -> list[str]:
    import ovstage

    token = dictionary.intern_token("usd-path")
    paths: list[str] = []
    with stage.query(filter=ovstage.Filter([predicate])) as query:
        query.wait()
        if not stage.fetch_query_result(query).total_prim_count:
            return paths
        with stage.read_attributes(query, [token], ovstage.OrdinalRange.latest(ORDINAL)) as read:
            read.wait()
            for group in read.groups():
                with group:
                    values = group.array(0)
                    rows = (values[group.data_row_index(row)] for row in range(group.prim_count))
                    paths.extend(dictionary.path_to_string(int(value.item())) for value in rows)
    return paths


def read_targets(stage: ovstage.Stage, relationship: str, paths: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the targets of a relationship for each prim."""
    import ovstage

    targets: list[tuple[str, ...]] = [()] * len(paths)
    if not paths:
        return targets
    with ovstage.PathDictionary(stage) as dictionary:
        token = dictionary.intern_token(relationship)
        with (
            dictionary.create_path_list_from_strings(list(paths)) as prims,
            stage.query_from_path_list(prims) as query,
            stage.read_attributes(query, [token], ovstage.OrdinalRange.latest(ORDINAL)) as read,
        ):
            read.wait()
            for group in read.groups():
                with group:
                    for row in range(group.prim_count if group.tensor_count else 0):
                        found = group.array(group.data_row_index(row)).ravel()
                        targets[group.prim_index(row)] = tuple(dictionary.path_to_string(int(path)) for path in found)
    return targets
