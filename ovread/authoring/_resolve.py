"""How one backend arrives at the value of one property of a prim."""

from __future__ import annotations

import enum
import math
from collections.abc import Mapping, Sequence

import attrs

from ovread.authoring._contract import INSTANCE, Property, Schema
from ovread.authoring._schemas import PROPERTIES, spelled
from ovread.authoring._stage import AuthoredPrim
from ovread.backend import Clamp, Condition, PropertyUse, Value, YieldsTo
from ovread.units import StageUnits

_FLT_MAX = 3.4028234663852886e38


class Origin(enum.StrEnum):
    """Where a value comes from."""

    AUTHORED = "authored"
    FALLBACK = "fallback"
    """The schema's, which population publishes where nothing is authored."""
    POPULATION = "population"
    """What population writes instead of the fallback."""
    DEFAULT = "parser default"
    """What the engine takes where the property was not populated."""
    CLAMP = "clamp"
    CONVERTED = "converted"
    OTHER = "other attribute"
    IGNORED = "ignored"
    UNDECLARED = "undeclared"


@attrs.frozen
class EffectiveValue:
    """The value of a property on one backend.

    Args:
        backend: Name, or name and variant.
        value: The value; None where it is unset, or the engine has nothing of the kind, or does not say.
        origin: Where it comes from.
        source: The attribute, bounds or formula that it comes from; empty where that is the property itself.
        text: What the backend does with it, or what stands for an unset value; empty where nothing is to be said.
    """

    backend: str
    value: Value | None
    origin: Origin
    source: str = ""
    text: str = ""


@attrs.frozen
class Reader:
    """One backend in front of one prim.

    Args:
        label: Name, or name and variant, of the backend.
        uses: What it makes of properties, by name.
        prim: The prim.
        scene: The scene that the prim is simulated in.
        units: The stage's units.
    """

    label: str
    uses: Mapping[str, PropertyUse]
    prim: AuthoredPrim
    scene: AuthoredPrim
    units: StageUnits

    def value_of(self, prop: Property, instance: str, is_applied: bool) -> EffectiveValue:
        """Return the value of a property that is in force."""
        use = self.uses.get(prop.name)
        if use is None:
            return EffectiveValue(self.label, None, Origin.UNDECLARED, text="The backend does not declare it.")
        blocking = next((name for name in use.ignored_with if name in self._schemas), "")
        if not use.is_read or blocking:
            value = None if use.instead is None else use.instead.of(self.units)
            return EffectiveValue(self.label, value, Origin.IGNORED, blocking, use.text)
        for other in use.yields_to:
            source = self._yielded(prop, instance, other)
            if source is not None:
                return self._taken(source, use, other)
        found = self._own(prop, use, instance, is_applied)
        return self._moved(prop, use, found)

    @property
    def _schemas(self) -> frozenset[str]:
        return frozenset(each.partition(":")[0] for each in self.prim.schemas) | {self.prim.type}

    def _own(self, prop: Property, use: PropertyUse, instance: str, is_applied: bool) -> EffectiveValue:
        """Return the property's own value, before it is clamped or converted."""
        authored = self.prim.values.get(spelled(prop.name, instance))
        if authored is not None and (is_applied or not use.is_gated):
            return EffectiveValue(self.label, authored, Origin.AUTHORED, text=use.text)
        if is_applied or prop.is_created:
            if prop.published is not None:
                value = prop.published.of(self.units)
                return EffectiveValue(self.label, value, Origin.POPULATION, prop.published.text, use.text)
            return EffectiveValue(self.label, prop.fallback, Origin.FALLBACK, text=use.text)
        default = use.default or prop.default
        if default is None:
            return EffectiveValue(self.label, prop.fallback, Origin.FALLBACK, text=use.text)
        return EffectiveValue(self.label, default.of(self.units), Origin.DEFAULT, default.text, use.text)

    def _moved(self, prop: Property, use: PropertyUse, found: EffectiveValue) -> EffectiveValue:
        """Clamp and convert a value, and say what an unset one stands for."""
        value = found.value
        if prop.unset is not None and found.origin is not Origin.DEFAULT and is_same(value, prop.unset):
            return attrs.evolve(found, value=None, text=prop.unset_text)
        if use.conversion is not None and value is not None:
            converted = use.conversion.apply(value, self.units)
            if not is_same(converted, value):
                return attrs.evolve(found, value=converted, origin=Origin.CONVERTED, source=use.conversion.text)
        clamp = use.clamp or prop.clamp
        if clamp is not None and isinstance(value, int | float):
            clamped = self._clamped(clamp, value)
            if clamped != value:
                return attrs.evolve(found, value=clamped, origin=Origin.CLAMP, source=clamp.text)
        return found

    def _clamped(self, clamp: Clamp, value: float) -> float:
        if clamp.low is not None:
            value = max(value, type(value)(clamp.low))
        if clamp.high is not None:
            value = min(value, type(value)(clamp.high))
        low, high = (self._bound(name) for name in (clamp.scene_low, clamp.scene_high))
        if low is not None:
            value = max(value, low)
        return value if high is None else min(value, high)

    def _bound(self, name: str) -> float | None:
        """Return a bound that the scene gives."""
        if not name or PROPERTIES[name][0].name not in self.scene.schemas:
            return None
        value = self.scene.values.get(name, PROPERTIES[name][1].fallback)
        return value if isinstance(value, int | float) else None

    def _yielded(self, prop: Property, instance: str, other: YieldsTo) -> str | None:
        """Return the property that counts instead, with its instance; None where the own one does."""
        if other.unless is not None and self._any(other.unless, (prop.name, *other.together), instance):
            return None
        instances = [instance] if instance or INSTANCE not in other.name else self._instances(PROPERTIES[other.name][0])
        names = (other.name, *other.together) if other.unless is None else (other.name,)
        found = next((each for each in instances if self._any(other.when, names, each)), None)
        return None if found is None else spelled(other.name, found)

    def _any(self, condition: Condition, names: Sequence[str], instance: str) -> bool:
        return any(self._holds(condition, PROPERTIES[name][1], spelled(name, instance)) for name in names)

    def _instances(self, schema: Schema) -> Sequence[str]:
        return [each.partition(":")[2] for each in self.prim.schemas if each.startswith(f"{schema.name}:")]

    def _holds(self, condition: Condition, prop: Property, name: str) -> bool:
        """Whether a condition holds of a property on the prim."""
        owner = PROPERTIES[prop.name][0]
        authored = self.prim.values.get(name)
        is_applied = owner.name in self._schemas
        if condition is Condition.APPLIED:
            return is_applied
        use = self.uses.get(prop.name)
        counts = authored is not None and (is_applied or (use is not None and not use.is_gated))
        if condition is Condition.AUTHORED:
            return counts
        value = authored if counts and authored is not None else prop.fallback
        if isinstance(value, str | tuple):
            return False
        if condition is Condition.OFF:
            return not value
        return value > 0 if condition is Condition.POSITIVE else value < _FLT_MAX

    def _taken(self, name: str, use: PropertyUse, other: YieldsTo) -> EffectiveValue:
        """Return the value of another property of the prim, or what counts because of it."""
        if other.value is not None:
            return EffectiveValue(self.label, other.value.of(self.units), Origin.OTHER, name, use.text)
        found = next(prop for _, prop in PROPERTIES.values() if _is_spelled(name, prop.name))
        value = self.prim.values.get(name, found.fallback)
        return EffectiveValue(self.label, value, Origin.OTHER, name, use.text)


def _is_spelled(name: str, pattern: str) -> bool:
    head, _, tail = pattern.partition(INSTANCE)
    return name == pattern or (bool(tail) and name.startswith(head) and name.endswith(tail))


def is_same(first: Value | None, second: Value | None) -> bool:
    """Whether two values are equal to single precision; all unlimited values of a sign are."""
    if isinstance(first, tuple) and isinstance(second, tuple):
        return len(first) == len(second) and all(map(is_same, first, second))
    if isinstance(first, int | float) and isinstance(second, int | float):
        first, second = (max(-_FLT_MAX, min(_FLT_MAX, value)) for value in (first, second))
        return first == second or math.isclose(first, second, rel_tol=1e-6)
    return first == second
