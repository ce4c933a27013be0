"""The form of the authoring contract: what each attribute of a physics schema means, as data."""

from __future__ import annotations

import enum
from collections.abc import Iterator

import attrs

from ovread import units
from ovread.backend import Clamp, Default, Value
from ovread.units import Dimension, StageUnits

INSTANCE = "<instance>"
"""Stands in the name of a property for the instance of a multiple-apply schema."""


class Aspect(enum.StrEnum):
    """What a statement is about."""

    DEFAULT = "default"
    """What counts where nothing is authored."""
    ABSENCE = "absence"
    """What the schema's not being applied means."""
    RANGE = "range"
    EFFECT = "effect"
    INTERACTION = "interaction"
    NOTE = "note"


class Side(enum.StrEnum):
    """Who is at fault for a divergence."""

    POPULATION = "population"
    """What copies the stage into the columns that engines read."""
    PARSER = "parser"
    """What an engine makes of these columns."""
    BOTH = "population and parser"
    NOBODY = "nobody"
    """It follows from the schema."""


class Kind(enum.StrEnum):
    """How serious a divergence is."""

    DEFECT = "defect"
    FRAGILE = "fragile"
    NOTE = "note"


class When(enum.StrEnum):
    """For which prims a divergence shows."""

    UNAUTHORED = "the schema is applied, and it is not authored"
    AUTHORED = "it is authored"
    FALLBACK = "the fallback is authored"
    ABSENT = "the schema is not applied"
    NEVER = "only where a stage was populated by hand"


@attrs.frozen
class Statement:
    """One sentence of the contract, which a test observes on an engine.

    Args:
        name: Short name, unique in its schema; tests say by it what they observe.
        text: The sentence.
        aspect: What it is about.
        properties: Properties that it is about; empty for the schema as a whole.
        measured: What the engines were measured to do where it is not this, with the version.
        unobservable: Why no test can observe it; empty where one does.
    """

    name: str
    text: str
    aspect: Aspect = Aspect.EFFECT
    properties: tuple[str, ...] = ()
    measured: str = ""
    unobservable: str = ""


@attrs.frozen
class Divergence(Statement):
    """A statement about two readers of the same file that differ.

    Args:
        side: Who is at fault.
        kind: How serious it is.
        when: For which prims it shows.
        needs: Schemas and attributes that the prim must have besides, applied or authored.
    """

    side: Side = attrs.field(default=Side.PARSER, kw_only=True)
    kind: Kind = attrs.field(default=Kind.DEFECT, kw_only=True)
    when: When = attrs.field(default=When.UNAUTHORED, kw_only=True)
    needs: tuple[str, ...] = attrs.field(default=(), kw_only=True)


@attrs.frozen
class Property:
    """An attribute of a physics schema.

    Args:
        name: Its name in USD, with ``<instance>`` where the schema is applied several times.
        type: Its type in USD.
        fallback: What the schema gives where it is not authored.
        meaning: One sentence.
        dimension: Physical dimension; for the instances of joints that of a translational axis.
        angular: Dimension for a rotational axis; None where there is none.
        published: What population writes where it is not authored; None for the fallback.
        is_created: Whether population writes that also where the schema is not applied.
        default: What a parser takes where the property was not populated; None where that is no number.
        unset: Value that stands for none.
        unset_text: What counts instead of that value.
        clamp: Bounds that every engine keeps.
    """

    name: str
    type: str
    fallback: Value
    meaning: str
    dimension: Dimension = units.NONE
    angular: Dimension | None = None
    published: Default | None = None
    is_created: bool = False
    default: Default | None = None
    unset: Value | None = None
    unset_text: str = ""
    clamp: Clamp | None = None

    def units(self, instance: str = "", stage: StageUnits | None = None) -> str:
        """Spell the units: of an instance, and of a stage; without them in general."""
        spell = str if stage is None else (lambda dimension: dimension.in_units(stage))
        if self.angular is None:
            return spell(self.dimension)
        if instance:
            return spell(self.angular if is_rotational(instance) else self.dimension)
        return f"{spell(self.angular)} or {spell(self.dimension)}"


@attrs.frozen
class Schema:
    """A physics schema.

    Args:
        name: Its name in USD.
        meaning: What it is for, one sentence.
        applies_to: Types of prims that it may be on.
        properties: Its properties.
        statements: What holds of them.
        requires: Schemas, or types, that the prim must have for it to count.
        includes: Schemas that it applies too.
        is_type: Whether it is the type of the prim, and not applied to it.
        instances: Names of the instances of a multiple-apply schema.
        derived: Quantities that follow from the stage, by name, as formulas.
    """

    name: str
    meaning: str
    applies_to: tuple[str, ...]
    properties: tuple[Property, ...]
    statements: tuple[Statement, ...] = ()
    requires: tuple[str, ...] = ()
    includes: tuple[str, ...] = ()
    is_type: bool = False
    instances: tuple[str, ...] = ()
    derived: tuple[tuple[str, Default], ...] = ()

    def divergences(self, name: str) -> Iterator[Divergence]:
        """Give the known divergences about a property."""
        for statement in self.statements:
            if isinstance(statement, Divergence) and name in statement.properties:
                yield statement


def is_rotational(instance: str) -> bool:
    """Whether an instance of a joint's schema names a rotation."""
    return instance == "angular" or instance.startswith("rot")
