"""What a backend declares of its importer: what it makes of patterns that assets are authored with."""

from __future__ import annotations

import enum

import attrs


class Behaviour(enum.StrEnum):
    """What an importer does with a pattern, against what the schema says of it."""

    FOLLOWS = "follows"
    DIFFERS = "differs"
    """It gives the pattern another meaning."""
    LOSES = "loses"
    """It drops what is authored, silently or with a log message."""
    REFUSES = "refuses"
    """It does not take the asset."""
    UNKNOWN = "unknown"
    """Nothing is declared."""


@attrs.frozen
class Importing:
    """What an importer, or the solver behind it, does with one pattern.

    Args:
        pattern: Name of the pattern, which is that of a rule of ``ovread lint``.
        behaviour: What the engine does by itself.
        does: One sentence about it, in the present tense.
        engine: Distribution and version that it was measured on, such as ``ovphysx 0.7.0``.
        variants: Variants that it concerns; empty for all.
        corrected: Whether the backend puts it right, so that a scene opened by ``ovread.open`` follows the schema
            though the engine by itself does not.
    """

    pattern: str
    behaviour: Behaviour
    does: str
    engine: str
    variants: tuple[str, ...] = ()
    corrected: bool = False

    @property
    def opened(self) -> Behaviour:
        """What a scene shows that ``ovread.open`` opened."""
        return Behaviour.FOLLOWS if self.corrected else self.behaviour


def unknown(pattern: str) -> Importing:
    """Return what stands for a pattern that a backend declares nothing about."""
    return Importing(pattern, Behaviour.UNKNOWN, "Nothing is declared about it.", "")
