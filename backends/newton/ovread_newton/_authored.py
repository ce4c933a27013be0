"""What must be known of the authored stage beside the model that is built from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs
import numpy.typing as npt

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
        colliders: Prims that collide.
        contact_reports: Prims whose contacts the stage asks for.
    """

    roots: frozenset[str]
    scenes: tuple[str, ...]
    colliders: frozenset[str]
    contact_reports: frozenset[str]


@attrs.frozen
class Kept:
    """What the model does not keep of bodies and joints, by their index.

    Args:
        reversed_joints: Joints whose authored body0 is Newton's child.
        ball_axes: Authored axis of ball joints: ``X``, ``Y`` or ``Z``.
        principal_axes: Authored rotation from principal axes to body axes, (x, y, z, w), of bodies.
    """

    reversed_joints: frozenset[int] = frozenset()
    ball_axes: Mapping[int, str] = attrs.field(factory=dict)
    principal_axes: Mapping[int, tuple[float, ...]] = attrs.field(factory=dict)


NOTHING_KEPT = Kept()
"""Of a model that no stage says more of."""


def read_authored(stage: ovstage.Stage) -> Authored:
    """Read the articulation roots, the physics scenes, and what collides and reports contacts."""
    import ovstage

    def applied(schema: str) -> ovstage.Predicate:
        return ovstage.Predicate("usd-schemas", ovstage.FilterOp.CONTAINS, [schema])

    scene = ovstage.Predicate("usd-prim-type", ovstage.FilterOp.IN, ["PhysicsScene"])
    with ovstage.PathDictionary(stage) as dictionary:
        roots = [path for schema in _ROOT_SCHEMAS for path in _matching(stage, dictionary, applied(schema))]
        scenes = _matching(stage, dictionary, scene)
        colliders = _matching(stage, dictionary, applied("PhysicsCollisionAPI"))
        contact_reports = _matching(stage, dictionary, applied("PhysxContactReportAPI"))
    return Authored(frozenset(roots), tuple(sorted(scenes)), frozenset(colliders), frozenset(contact_reports))


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
    with ovstage.PathDictionary(stage) as dictionary:
        for prim, found in _values(stage, dictionary, relationship, paths):
            targets[prim] = tuple(dictionary.path_to_string(int(path)) for path in found)
    return targets


def read_tokens(stage: ovstage.Stage, attribute: str, paths: Sequence[str]) -> list[str]:
    """Return the value of a token attribute for each prim; empty where it has none."""
    import ovstage

    tokens = [""] * len(paths)
    with ovstage.PathDictionary(stage) as dictionary:
        for prim, found in _values(stage, dictionary, attribute, paths):
            tokens[prim] = dictionary.token_to_string(int(found[0])) if len(found) else ""
    return tokens


def read_vectors(stage: ovstage.Stage, attribute: str, paths: Sequence[str]) -> dict[int, tuple[float, ...]]:
    """Return the components of an attribute by the position of each prim that has it."""
    import ovstage

    with ovstage.PathDictionary(stage) as dictionary:
        return {prim: tuple(map(float, found)) for prim, found in _values(stage, dictionary, attribute, paths)}


def _values(
    stage: ovstage.Stage, dictionary: ovstage.PathDictionary, attribute: str, paths: Sequence[str]
) -> Iterator[tuple[int, npt.NDArray[Any]]]:
    """Yield the position of each prim that has an attribute, and its values."""
    import ovstage

    if not paths:
        return
    token = dictionary.intern_token(attribute)
    with (
        dictionary.create_path_list_from_strings(list(paths)) as prims,
        stage.query_from_path_list(prims) as query,
        stage.read_attributes(query, [token], ovstage.OrdinalRange.latest(ORDINAL)) as read,
    ):
        read.wait()
        for group in read.groups():
            with group:
                for row in range(group.prim_count if group.tensor_count else 0):
                    data = group.data_row_index(row)
                    found = group.array(data) if group.is_array else group.array(0)[data]
                    yield group.prim_index(row), found.ravel()
