"""What is found in an asset: the product of the patterns in it and of what importers declare."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import attrs

from ovread.backend import BackendInfo, Behaviour, Importing
from ovread.lint._rule import Occurrence, Rule, merged
from ovread.plugins import installed

if TYPE_CHECKING:
    from ovread.lint._asset import Asset


class Severity(enum.StrEnum):
    """How bad a finding is, worst first."""

    REFUSED = "refused"
    """An engine does not take the asset."""
    LOST = "lost"
    """An engine drops what is authored."""
    DIFFERS = "differs"
    """An engine gives it another meaning than the schema."""
    CONTESTED = "contested"
    """Engines give it different meanings, and the schema leaves it open."""
    UNKNOWN = "unknown"
    """A backend declares nothing about it."""


@attrs.frozen
class Importer:
    """A backend with one of its variants, and what it declares.

    Args:
        label: What the user calls it, as in ``newton:mujoco``.
        info: The backend's description.
        variant: The variant; None where the backend has none.
    """

    label: str
    info: BackendInfo = attrs.field(repr=False)
    variant: str | None = None


@attrs.frozen
class Finding:
    """A pattern on a prim, and what each importer does with it.

    Args:
        rule: The rule that it is found by.
        occurrence: Where, what is authored there, and how to repair it.
        importing: What each importer does, by label.
    """

    rule: Rule
    occurrence: Occurrence
    importing: Mapping[str, Importing]

    @property
    def prim(self) -> str:
        """Path of the prim."""
        return self.occurrence.prim

    @property
    def fixable(self) -> bool:
        """Whether a repair can be authored."""
        return self.occurrence.repair is not None

    @property
    def severity(self) -> Severity:
        """How bad it is with the engines by themselves."""
        return _severity(self.rule, [entry.behaviour for entry in self.importing.values()])

    @property
    def corrected(self) -> tuple[str, ...]:
        """Labels of the backends that put it right when they open a scene."""
        return tuple(label for label, entry in self.importing.items() if entry.corrected)

    @property
    def shows(self) -> bool:
        """Whether it shows in scenes that ``ovread.open`` opened."""
        return any(entry.opened is not Behaviour.FOLLOWS for entry in self.importing.values())


def _severity(rule: Rule, behaviours: Sequence[Behaviour]) -> Severity:
    if Behaviour.REFUSES in behaviours:
        return Severity.REFUSED
    if Behaviour.LOSES in behaviours:
        return Severity.LOST
    if Behaviour.DIFFERS in behaviours:
        return Severity.CONTESTED if rule.contested else Severity.DIFFERS
    return Severity.UNKNOWN


def importers(labels: Sequence[str] | None = None) -> tuple[Importer, ...]:
    """Return the importers that labels name; None for all installed backends, each with its default variant.

    Raises:
        BackendError: A backend is unknown, missing or broken, or none is installed.
        OptionError: A backend has no such variant.
    """
    plugins = installed()
    if labels is None:
        labels = [backend.info.name for backend in plugins.all()] or [plugins.labelled()[0].info.name]
    found = []
    for label in labels:
        backend, options = plugins.labelled(label)
        variant = next((str(value) for value in options.values()), None) or _default_variant(backend.info)
        found.append(Importer(label, backend.info, variant))
    return tuple(found)


def _default_variant(info: BackendInfo) -> str | None:
    return next((option.default for option in info.options if option.default in info.variants), None)


def findings(asset: Asset, rules: Iterable[Rule], engines: Sequence[Importer]) -> Iterator[Finding]:
    """Find what the importers do not all take as the schema says."""
    for rule in rules:
        importing = {engine.label: engine.info.importing_of(rule.name, engine.variant) for engine in engines}
        if all(entry.behaviour is Behaviour.FOLLOWS for entry in importing.values()):
            continue
        found: dict[str, list[Occurrence]] = {}
        for occurrence in rule.detect(asset):
            found.setdefault(occurrence.prim, []).append(occurrence)
        yield from (Finding(rule, merged(several), importing) for several in found.values())
