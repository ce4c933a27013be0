"""What a backend opens: an engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import attrs

from ovread.units import StageUnits


@attrs.frozen
class Scene:
    """What a backend is asked to open.

    Args:
        source: Path of a USD file, or USDA text.
        is_text: Whether ``source`` is the text itself.
    """

    source: str
    is_text: bool = False

    @property
    def label(self) -> str:
        """The path, or a placeholder for text."""
        return "<USDA text>" if self.is_text else self.source


@attrs.frozen
class Diagnostic:
    """Something that opening a scene found, which changes what values mean.

    Args:
        prim: Path of the prim; empty where it is about the whole scene.
        rule: Short name of the finding.
        message: What was found and what the backend did about it.
    """

    prim: str
    rule: str
    message: str


class Engine(Protocol):
    """A running simulation of a backend."""

    @property
    def units(self) -> StageUnits:
        """Units and up axis of the stage."""

    @property
    def device(self) -> str:
        """Where state lives: ``cpu`` or ``cuda:0``."""

    @property
    def variant(self) -> str | None:
        """Which variant of the backend this is, such as the solver's name."""

    @property
    def diagnostics(self) -> Sequence[Diagnostic]:
        """What opening and stepping found; kept after :meth:`close`."""

    def step(self, dt: float) -> None:
        """Advance by ``dt`` seconds."""

    def reset(self) -> None:
        """Return to the authored state. Bindings made before are not used again."""

    def close(self) -> None:
        """Give everything back; called once, also when opening succeeded but the caller failed."""


class NamingEngine(Engine, Protocol):
    """An engine whose attributes have prim-path handles among their values."""

    def paths_of(self, handles: Sequence[int]) -> Sequence[str]:
        """Return the path of each handle; an empty string for 0."""

    def handles_of(self, paths: Sequence[str]) -> Sequence[int]:
        """Return the handle of each path; only where an attribute of handles can be written."""


class AdoptedEngine(Engine, Protocol):
    """An engine around objects that the user owns and steps; ``step`` and ``reset`` are not called."""

    def stepped(self, **current: Any) -> None:
        """Take note that the user has stepped, and of where the state is now.

        Raises:
            OptionError: The engine does not take such a keyword.
        """
