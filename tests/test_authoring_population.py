"""What population writes where nothing is authored, against the authoring contract, on real populated stages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from ovread_conformance.authored_scenes import prim, stage

from ovread.authoring import INSTANCE, SCHEMAS, Property, Schema
from ovread.authoring._resolve import is_same
from ovread.stage import open_stage, scene_of, sealed_ordinal, stage_units

KINDS = {"PhysicsScene": "PhysicsScene", "PhysicsJoint": "PhysicsJoint"}
POPULATED = [schema for schema in SCHEMAS.values() if schema.name != "Stage"]


@contextmanager
def populated(text: str) -> Iterator[Any]:
    opened = open_stage(scene_of(text))
    try:
        yield opened
    finally:
        opened.destroy()


def column(opened: Any, path: str, name: str) -> Any:
    """Return what population wrote for one prim; None where it wrote nothing."""
    import ovstage

    with (
        ovstage.PathDictionary(opened) as dictionary,
        dictionary.create_path_list_from_strings([path]) as paths,
        opened.query_from_path_list(paths) as query,
        opened.read_attributes(
            query, [dictionary.intern_token(name)], ovstage.OrdinalRange.latest(sealed_ordinal(opened))
        ) as read,
    ):
        read.wait()
        for group in read.groups():
            with group:
                values = group.array(0).ravel().tolist()
                if values and group.array(0).dtype == "uint64":
                    return dictionary.token_to_string(values[0])
                return tuple(values) if len(values) > 1 else values[0]
    return None


def scene(schema: Schema, *, is_applied: bool, **settings: Any) -> tuple[str, str]:
    """Return a stage with a prim that may have a schema, with nothing authored, and the prim's path."""
    applied = [f"{schema.name}:{_instance(schema)}" if schema.instances else schema.name] if is_applied else []
    kind = KINDS.get(schema.applies_to[-1], "Xform")
    if kind == "PhysicsScene":
        own = [] if schema.is_type else applied
        return stage("", gravity=None, scene_schemas=own, **settings), "/Scene"
    needed = [name for name in schema.requires if name.endswith("API")] or ["PhysicsRigidBodyAPI"]
    return stage(prim(kind, "P", [*(needed if kind == "Xform" else ()), *applied]), **settings), "/P"


def _instance(schema: Schema) -> str:
    return "rotX" if "rotX" in schema.instances else "angular"


def _named(schema: Schema, prop: Property) -> str:
    return prop.name.replace(INSTANCE, _instance(schema))


UNITS = [{"meters_per_unit": 1.0, "up": "Z"}, {"meters_per_unit": 0.01, "up": "Y"}]


@pytest.mark.observes("PhysxArticulationAPI", "population-keeps-fallbacks stabilization-raw-where-applied")
@pytest.mark.observes("PhysxRigidBodyAPI", "created-without-schema")
@pytest.mark.observes("PhysicsScene", "resolved-by-population")
@pytest.mark.observes("PhysicsLimitAPI", "absent-bounds-lock")
@pytest.mark.observes("PhysxSceneAPI", "lower-bound-published")
@pytest.mark.parametrize("units", UNITS, ids=str)
@pytest.mark.parametrize("schema", POPULATED, ids=lambda schema: schema.name)
def test_population_writes_what_the_contract_says(schema: Schema, units: dict[str, Any]) -> None:
    """Where the schema is applied, each property has the fallback, or the value that population writes instead."""
    text, path = scene(schema, is_applied=True, **units)
    with populated(text) as opened:
        found = stage_units(opened)
        for prop in schema.properties:
            wanted = prop.fallback if prop.published is None else prop.published.of(found)
            written = column(opened, path, _named(schema, prop))
            assert written is not None, prop.name
            if prop.type == "bool":
                written = bool(written)
            assert is_same(written, wanted), (prop.name, written, wanted)


@pytest.mark.observes("PhysxRigidBodyAPI", "created-without-schema")
@pytest.mark.parametrize(
    "schema", [schema for schema in POPULATED if not schema.is_type], ids=lambda schema: schema.name
)
def test_population_writes_nothing_else_without_the_schema(schema: Schema) -> None:
    """Where it is not applied, only the properties are there that the contract says are created."""
    text, path = scene(schema, is_applied=False)
    with populated(text) as opened:
        there = {prop.name for prop in schema.properties if column(opened, path, _named(schema, prop)) is not None}
    assert there == {prop.name for prop in schema.properties if prop.is_created}


@pytest.mark.observes("Stage", "unauthored-is-centimetres-y-up")
def test_a_stage_without_metadata_is_in_centimetres_with_y_up() -> None:
    with populated(stage("", meters_per_unit=None, up=None)) as opened:
        found = stage_units(opened)
    told = {prop.name: prop.fallback for prop in SCHEMAS["Stage"].properties}
    assert (found.meters_per_unit, found.kilograms_per_unit, found.up_axis) == tuple(told.values())
    assert list(told) == ["metersPerUnit", "kilogramsPerUnit", "upAxis"]
