"""Which value is in force on a prim, on each backend, and where it comes from."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import attrs

from ovread import plugins
from ovread.authoring._contract import Divergence, Property, Schema, When
from ovread.authoring._resolve import EffectiveValue, Origin, Reader, is_same
from ovread.authoring._schemas import SCHEMAS, spelled
from ovread.authoring._stage import AuthoredPrim, AuthoredStage, read_authored
from ovread.backend import BackendInfo, Value
from ovread.errors import OptionError
from ovread.units import StageUnits


class Verdict(enum.StrEnum):
    """How backends compare."""

    AGREES = "agrees"
    DIFFERS = "differs"
    ONE_SIDED = "one-sided"
    """A backend has nothing of the kind."""
    UNDECLARED = "undeclared"
    """A backend does not say what it makes of it."""


@attrs.frozen
class EffectiveProperty:
    """One property of a prim, on each backend.

    Args:
        schema: The schema that it belongs to.
        name: Its name, with the instance filled in.
        is_applied: Whether the schema is applied, or is the prim's type.
        units: Units of the value, those of the stage.
        authored: The authored value; None where there is none.
        values: The value in force on each backend, in the order that was asked for.
        divergences: Known divergences that show on this prim.
    """

    schema: str
    name: str
    is_applied: bool
    units: str
    authored: Value | None
    values: tuple[EffectiveValue, ...]
    divergences: tuple[Divergence, ...]

    @property
    def verdict(self) -> Verdict:
        """Whether the backends have the same value in force."""
        if any(value.origin is Origin.UNDECLARED for value in self.values):
            return Verdict.UNDECLARED
        held = [value.value for value in self.values]
        if all(is_same(held[0], value) for value in held):
            return Verdict.AGREES
        return Verdict.ONE_SIDED if None in held else Verdict.DIFFERS


@attrs.frozen
class Effective:
    """What is in force on a prim.

    Args:
        prim: Its path.
        units: The stage's units.
        backends: Names, or names and variants, in the order that was asked for.
        properties: Its properties, by schema.
    """

    prim: str
    units: StageUnits
    backends: tuple[str, ...]
    properties: tuple[EffectiveProperty, ...]

    def __getitem__(self, name: str) -> EffectiveProperty:
        """Return one property by its name."""
        found = [each for each in self.properties if each.name == name]
        if not found:
            raise KeyError(f"{name}: {self.prim} has {', '.join(each.name for each in self.properties) or 'nothing'}")
        return found[0]


def effective(source: str | Path | Any, prim: str, backend: str | Sequence[str] | None = None) -> Effective:
    """Tell which value of each physics attribute is in force on a prim.

    Covered are the schemas that are applied to the prim, and those that it could have and that count with their
    defaults where they are not. No engine is imported; ``usd-core`` is, from the extra ``ovread[lint]``, and can be
    in one process with the engines.

    Args:
        source: A file, USDA text, or an open ``Usd.Stage``.
        prim: Path of the prim; ``/`` for the stage's units.
        backend: A backend, or backend and variant as in ``newton:steel``, or several; None for all that are installed.

    Raises:
        SceneNotFoundError: There is no such file.
        NotUsdError: It is not USD.
        UnknownPathError: There is no such prim, or it is inactive.
        BackendError: There is no such backend.
        OptionError: A backend is named twice, or has no such variant.
        UnsupportedOperationError: ``usd-core`` is not installed.
    """
    labels = _labels(backend)
    stage = read_authored(source, prim)
    readers = [_reader(label, stage.prim, stage.scene, stage.units) for label in labels]
    properties = tuple(
        _property(schema, prop, instance, is_applied, readers, stage)
        for schema, instance, is_applied in _schemas_of(stage.prim)
        for prop in schema.properties
    )
    return Effective(prim, stage.units, tuple(labels), properties)


def _labels(backend: str | Sequence[str] | None) -> list[str]:
    if backend is None:
        return [name for name, info in plugins.backends().items() if info.available]
    labels = [backend] if isinstance(backend, str) else list(backend)
    if len(set(labels)) < len(labels) or not labels:
        raise OptionError(f"backend={backend!r}: name each backend once, and one at least.")
    return labels


def _reader(label: str, prim: AuthoredPrim, scene: AuthoredPrim, units: StageUnits) -> Reader:
    found, _ = plugins.installed().labelled(label)
    variant = label.partition(":")[2] or _default_variant(found.info)
    return Reader(label, {name: use.of(variant) for name, use in found.info.authoring.items()}, prim, scene, units)


def _default_variant(info: BackendInfo) -> str:
    """Return the choice of the option that names variants, where none is given."""
    defaults = [option.default for option in info.options if option.default in info.variants]
    return str(defaults[0]) if defaults else ""


def _schemas_of(prim: AuthoredPrim) -> Iterator[tuple[Schema, str, bool]]:
    """Give the schemas of a prim, with their instances and whether they are applied."""
    held = applied_schemas(prim)
    for schema in SCHEMAS.values():
        if schema.instances:
            for instance in schema.instances:
                is_applied = f"{schema.name}:{instance}" in prim.schemas
                if is_applied or any(spelled(prop.name, instance) in prim.values for prop in schema.properties):
                    yield schema, instance, is_applied
        elif schema.name in held:
            yield schema, "", True
        elif (schema.requires and set(schema.requires) <= held) or any(
            prop.name in prim.values for prop in schema.properties
        ):
            yield schema, "", False


def applied_schemas(prim: AuthoredPrim) -> frozenset[str]:
    """Return the names of a prim's schemas without instances, those that others include and its type."""
    held = {each.partition(":")[0] for each in prim.schemas} | {prim.type}
    return frozenset(held | {name for schema in held & SCHEMAS.keys() for name in SCHEMAS[schema].includes})


_AXIS_OF = {"PhysicsRevoluteJoint": "angular", "PhysicsPrismaticJoint": "linear"}
"""The one axis that joints of a type have."""


def _property(
    schema: Schema, prop: Property, instance: str, is_applied: bool, readers: Sequence[Reader], stage: AuthoredStage
) -> EffectiveProperty:
    name, prim = spelled(prop.name, instance), stage.prim
    authored = prim.values.get(name)
    return EffectiveProperty(
        schema.name,
        name,
        is_applied,
        prop.units(instance or _AXIS_OF.get(prim.type, ""), stage.units),
        authored,
        tuple(reader.value_of(prop, instance, is_applied) for reader in readers),
        tuple(_shown(schema, prop, authored, is_applied, prim)),
    )


def _shown(
    schema: Schema, prop: Property, authored: Value | None, is_applied: bool, prim: AuthoredPrim
) -> Iterator[Divergence]:
    """Give the known divergences that show on a prim."""
    held = applied_schemas(prim) | prim.values.keys()
    if authored is None:
        states = {When.UNAUTHORED if is_applied else When.ABSENT}
    else:
        states = {When.AUTHORED, When.FALLBACK} if is_same(authored, prop.fallback) else {When.AUTHORED}
    for each in schema.divergences(prop.name):
        if each.when in states and held.issuperset(each.needs):
            yield each
