"""What a backend declares of itself."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any

import attrs

from ovread.backend._authoring import PropertyUse
from ovread.backend._importing import Importing, unknown
from ovread.catalogue import ObjectType, Writability, attribute

Key = tuple[ObjectType, str]
"""Object type and attribute name."""


class Level(enum.StrEnum):
    """How well a backend serves an attribute."""

    EXACT = "exact"
    APPROXIMATE = "approximate"
    UNSUPPORTED = "unsupported"


@attrs.frozen
class Support:
    """A backend's declaration about one attribute.

    Args:
        level: How well it is served.
        reason: Why it is not served, or not exactly; one sentence that a user can act on.
        tolerance: How far an approximate value may be off, relative to its size; None where that is not known.
    """

    level: Level = Level.EXACT
    reason: str = ""
    tolerance: float | None = None


@attrs.frozen
class WriteSupport:
    """A backend's declaration about writing one attribute.

    Args:
        writability: The class. ``CONDITIONAL`` where objects, solvers or devices differ in whether they take it.
        reason: Under which condition it can be written, or why it cannot; one sentence that a user can act on.
    """

    writability: Writability = Writability.WRITABLE
    reason: str = ""

    @property
    def is_accepted(self) -> bool:
        """Whether a write session takes the attribute."""
        return self.writability not in (Writability.UNCLASSIFIED, Writability.READ_ONLY)


@attrs.frozen
class Option:
    """A keyword that ``ovread.open`` passes to a backend.

    Args:
        name: The keyword.
        meaning: One sentence.
        default: Value where the keyword is not given.
        choices: Allowed values; empty where they are not a list.
    """

    name: str
    meaning: str
    default: Any = None
    choices: tuple[Any, ...] = ()


@attrs.frozen
class Deviation:
    """A known disagreement between an engine and the conventions, which the backend cannot convert.

    Args:
        rule: Short name, the same in diagnostics and documentation.
        attributes: Names of the attributes that it shows in, with the type before a dot where others have the name too.
        reason: What happens, one sentence.
        engine: Distribution and version on which it was measured.
        variants: Variants that it concerns; empty for all.
        scene: Which runs and checks of the conformance suite show it, as a pattern such as ``*, millimetres``; empty
            for those that name the rule.
        link: Where more is to be read, such as a report to the engine's makers.
    """

    rule: str
    attributes: tuple[str, ...]
    reason: str
    engine: str
    variants: tuple[str, ...] = ()
    scene: str = ""
    link: str = ""


@attrs.frozen
class BackendInfo:
    """What is known of a backend without importing its engine.

    A plugin fills ``engine``, ``summary``, ``support``, ``writes``, ``variants``, ``write_variants``, ``options``,
    ``deviations``, ``authoring`` and ``imports``; the host fills the rest from the installed distribution.

    Args:
        engine: Names and versions of the engine's distributions, such as ``ovphysx 0.7.0``.
        summary: One sentence.
        support: Declaration per attribute. A catalogue row that it lacks is unsupported.
        variants: Changes to ``support`` by variant, such as a solver's name.
        writes: Declaration about writing per attribute. A row that it lacks cannot be written.
        write_variants: Changes to ``writes`` by variant.
        options: Keywords that ``ovread.open`` passes on.
        deviations: Known disagreements.
        name: Name of the backend.
        distribution: Distribution that provides it.
        version: That distribution's version.
        available: Whether it can be opened.
        reason: Why it cannot.
        authoring: What it makes of the properties of physics schemas, by name.
        imports: What the importer does with patterns that assets are authored with; for a pattern the first entry
            that concerns a variant counts.
    """

    engine: str = ""
    summary: str = ""
    support: Mapping[Key, Support] = attrs.field(factory=dict, repr=False)
    variants: Mapping[str, Mapping[Key, Support]] = attrs.field(factory=dict, repr=False)
    writes: Mapping[Key, WriteSupport] = attrs.field(factory=dict, repr=False)
    write_variants: Mapping[str, Mapping[Key, WriteSupport]] = attrs.field(factory=dict, repr=False)
    options: tuple[Option, ...] = attrs.field(default=(), repr=False)
    deviations: tuple[Deviation, ...] = attrs.field(default=(), repr=False)
    name: str = ""
    distribution: str = ""
    version: str = ""
    available: bool = True
    reason: str = ""
    authoring: Mapping[str, PropertyUse] = attrs.field(factory=dict, repr=False)
    imports: tuple[Importing, ...] = attrs.field(default=(), repr=False)

    def support_of(self, key: Key, variant: str | None = None) -> Support:
        """Return the declaration for one attribute, as a variant changes it."""
        override = self.variants.get(variant, {}).get(key) if variant else None
        if override is not None:
            return override
        return self.support.get(key, Support(Level.UNSUPPORTED, f"The {self.name} backend does not serve it."))

    def writing_of(self, key: Key, variant: str | None = None) -> WriteSupport:
        """Return the declaration about writing one attribute, as a variant changes it."""
        override = self.write_variants.get(variant, {}).get(key) if variant else None
        declared = override or self.writes.get(key)
        if declared is not None:
            return declared
        support = self.support_of(key, variant)
        if support.level is Level.UNSUPPORTED:
            return WriteSupport(Writability.UNCLASSIFIED, support.reason)
        if attribute(*key).writability is Writability.READ_ONLY:
            return WriteSupport(
                Writability.READ_ONLY, "It follows from other attributes, or is what the step computes."
            )
        return WriteSupport(Writability.READ_ONLY, f"The {self.name} backend does not write it.")

    def importing_of(self, pattern: str, variant: str | None = None) -> Importing:
        """Return what the importer does with a pattern; ``Behaviour.UNKNOWN`` where nothing is declared."""
        declared = (entry for entry in self.imports if entry.pattern == pattern)
        return next((entry for entry in declared if not entry.variants or variant in entry.variants), unknown(pattern))


def supports(
    object_type: ObjectType,
    names: str,
    level: Level = Level.EXACT,
    reason: str = "",
    tolerance: float | None = None,
) -> dict[Key, Support]:
    """Declare the same support for several attributes, named in one string.

    >>> sorted(name for _, name in supports(ObjectType.RIGID_BODY, "position mass"))
    ['mass', 'position']
    """
    return {attribute(object_type, name).key: Support(level, reason, tolerance) for name in names.split()}


def writes(
    object_type: ObjectType, names: str, writability: Writability = Writability.WRITABLE, reason: str = ""
) -> dict[Key, WriteSupport]:
    """Declare the same about writing several attributes, named in one string.

    >>> sorted(name for _, name in writes(ObjectType.RIGID_BODY, "position mass"))
    ['mass', 'position']
    """
    return {attribute(object_type, name).key: WriteSupport(writability, reason) for name in names.split()}
