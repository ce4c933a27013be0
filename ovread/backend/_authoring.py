"""What a backend declares of the attributes that a stage authors: which of them it takes, and as which value.

A *property* is an attribute of a physics schema, named as in USD with ``<instance>`` for the instance of a
multiple-apply schema. What properties mean is in :mod:`ovread.authoring`; here a backend says what it makes of them.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from typing import Protocol

import attrs

from ovread.units import Dimension, StageUnits

Value = bool | int | float | str | tuple[float, ...]
"""Value of a property. Quaternions are x, y, z, w."""

_SI = StageUnits()
_POWERS = {1: "", 2: "²", 3: "³"}


class Default(Protocol):
    """A value that nobody authored, as a formula of the stage's units."""

    @property
    def text(self) -> str:
        """The formula."""

    def of(self, units: StageUnits) -> Value:
        """Return the value on a stage with these units."""


@attrs.frozen
class Plain:
    """The same number on every stage."""

    value: Value

    @property
    def text(self) -> str:
        """The value, with USD's spelling of flags."""
        return str(self.value).lower() if isinstance(self.value, bool) else str(self.value)

    def of(self, units: StageUnits) -> Value:
        """Return the value."""
        return self.value


@attrs.frozen
class Physical:
    """A quantity in SI units, converted to those of the stage.

    Args:
        value: In metres, kilograms and seconds.
        dimension: Its dimension.
    """

    value: float
    dimension: Dimension

    @property
    def text(self) -> str:
        """The formula, such as ``9.81 / metersPerUnit``."""
        powers = (("metersPerUnit", -self.dimension.length), ("kilogramsPerUnit", -self.dimension.mass))
        above = "".join(f" * {name}{_POWERS[power]}" for name, power in powers if power > 0)
        below = "".join(f" / {name}{_POWERS[-power]}" for name, power in powers if power < 0)
        return f"{self.value:g}{above}{below}"

    def of(self, units: StageUnits) -> Value:
        """Return the value in stage units."""
        return self.value * self.dimension.factor(_SI, units)


@attrs.frozen
class Downwards:
    """The unit vector against the stage's up axis."""

    text: str = "against upAxis"

    def of(self, units: StageUnits) -> Value:
        """Return the vector."""
        return tuple(-1.0 if axis == units.up_axis else 0.0 for axis in "XYZ")


class Condition(enum.StrEnum):
    """What may hold of a property on a prim."""

    APPLIED = "its schema is applied"
    AUTHORED = "it is authored"
    POSITIVE = "it is positive"
    FINITE = "it is finite"
    OFF = "it is false"


@attrs.frozen
class YieldsTo:
    """Another property of the prim that counts instead.

    Args:
        name: Its name; of one with instances, that of the same instance, or any where the own property has none.
        when: What must hold of the other.
        unless: What keeps the own property in force; None for nothing.
        together: Properties of which it suffices that ``unless`` holds, or ``when`` where there is no ``unless``.
        value: What counts then; None for the other's value.
    """

    name: str
    when: Condition
    unless: Condition | None = None
    together: tuple[str, ...] = ()
    value: Default | None = None


@attrs.frozen
class Clamp:
    """Bounds that a value is moved into.

    Args:
        low: Lower bound; None for none.
        high: Upper bound; None for none.
        scene_low: Property of the physics scene that raises the value further; empty for none.
        scene_high: Property of the physics scene that lowers the value further, and has the last word.
    """

    low: float | None = None
    high: float | None = None
    scene_low: str = ""
    scene_high: str = ""

    @property
    def text(self) -> str:
        """The bounds in words."""
        own = f"[{'-inf' if self.low is None else f'{self.low:g}'}, {'inf' if self.high is None else f'{self.high:g}'}]"
        scene = " and ".join(f"`{name}`" for name in (self.scene_low, self.scene_high) if name)
        return f"{own}, then {scene} of the scene" if scene else own


@attrs.frozen
class Conversion:
    """A value that is replaced by another.

    Args:
        text: Which, and by what.
        apply: Returns the value in force of an authored or published one.
    """

    text: str
    apply: Callable[[Value, StageUnits], Value] = attrs.field(repr=False)


@attrs.frozen
class PropertyUse:
    """What a backend makes of one property.

    Args:
        text: What it does with it, where that is not what the property says; one sentence.
        is_read: Whether it counts at all.
        is_gated: Whether it is read only where its schema is applied.
        default: Taken where the schema is not applied; None for the property's own parser default.
        instead: In force where the property is not read; None where the engine has nothing of the kind.
        ignored_with: Schemas that make the backend ignore the property where they are applied to the same prim.
        yields_to: Properties that count instead, the first that applies.
        clamp: Bounds of this backend.
        conversion: A value that this backend replaces.
        variants: Changes by variant, such as a solver's name.
        unobserved: Why no test shows it on the engine; empty where one does.
    """

    text: str = ""
    is_read: bool = True
    is_gated: bool = True
    default: Default | None = None
    instead: Default | None = None
    ignored_with: tuple[str, ...] = ()
    yields_to: tuple[YieldsTo, ...] = ()
    clamp: Clamp | None = None
    conversion: Conversion | None = None
    variants: Mapping[str, PropertyUse] = attrs.field(factory=dict, repr=False)
    unobserved: str = ""

    def of(self, variant: str | None) -> PropertyUse:
        """Return the use as a variant changes it."""
        return self.variants.get(variant, self) if variant else self


def property_uses(prefix: str, names: str, use: PropertyUse) -> dict[str, PropertyUse]:
    """Declare the same of several properties, named in one string.

    >>> sorted(property_uses("physics:", "mass density", PropertyUse()))
    ['physics:density', 'physics:mass']
    """
    return {f"{prefix}{name}": use for name in names.split()}
