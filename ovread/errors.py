"""Every error that ovread raises on purpose.

All derive from :class:`OvreadError`. A message says what was asked, what was found and what to do; nothing has
been changed when it is raised. Where an engine refuses, its own words are in the message.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from types import TracebackType


class OvreadError(Exception):
    """Base of all errors of this library."""


class SceneNotFoundError(OvreadError):
    """The scene's file does not exist."""


class NotUsdError(OvreadError):
    """The file or text is not USD."""


class NoPhysicsError(OvreadError):
    """The stage opened, but nothing in it is physics."""


class SceneRefusedError(OvreadError):
    """An engine cannot load the scene; the message carries the engine's own words."""


class BackendError(OvreadError):
    """Base of the errors about choosing and loading a backend."""


class UnknownBackendError(BackendError):
    """No backend of that name is known."""


class BackendNotInstalledError(BackendError):
    """The backend is known, but its distribution is not installed."""


class BackendBrokenError(BackendError):
    """The backend's plugin could not be loaded or described."""


class BackendConflictError(BackendError):
    """Two distributions provide a backend of the same name."""


class BackendChoiceError(BackendError):
    """No backend was named and there is not exactly one to take."""


class OptionError(OvreadError):
    """A backend does not take that option or that value."""


class UnknownAttributeError(OvreadError):
    """The name is in no row of the catalogue."""


class AttributeOfOtherTypeError(OvreadError):
    """The name is in the catalogue, but not for this object type."""


class NotReadableError(OvreadError):
    """The attribute can be written but not read."""


class NotWritableError(OvreadError):
    """The attribute cannot be written: on this backend, with this solver or device, or for these objects."""


class ValueRefusedError(OvreadError):
    """A value cannot be written; the message names attribute, row, path and rule. Nothing has been changed."""


class WriteSessionError(OvreadError):
    """A group was committed twice, in another session than its own, or after its session or simulation had moved on."""


class DuplicateAttributeError(OvreadError):
    """An attribute was asked for twice in one read or write."""


class PatternError(OvreadError):
    """A path pattern is relative or malformed."""


class UnknownPathError(OvreadError):
    """No object of the queried type has that path."""


class SelectionError(OvreadError):
    """Arguments of a query contradict each other, or ask for what the backend does not offer."""


class UnsupportedOperationError(OvreadError):
    """The backend does not offer this operation, here or at all; the message says why."""


class TimeStepError(OvreadError):
    """A time step or a step count is not a positive finite number."""


class ClosedError(OvreadError):
    """The simulation has been closed."""


class ForeignQueryError(OvreadError):
    """A query was used with a simulation that did not make it."""


class OwnershipError(OvreadError):
    """The simulation belongs to the caller, who steps and resets it, or the other way round."""


class GroupError(OvreadError):
    """The result has not exactly one group of that name: it was not asked for, or several scenes have one each."""


class OmittedError(GroupError):
    """The attribute was omitted; the message gives the recorded reason."""


class LayoutChangedError(OvreadError):
    """The engine's objects are not those that a query or a read was prepared for."""


class EngineError(OvreadError):
    """An engine failed during an operation; the message carries its own words."""


class EngineErrors:
    """A context that turns whatever an engine raises into an :class:`EngineError` with the engine's own words."""

    def __init__(self, backend: str, operation: str) -> None:
        self._what = f"{backend} could not {operation}"

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, Exception) and not isinstance(error, OvreadError):
            words = str(error) or type(error).__name__
            raise EngineError(f"{self._what}: {words}") from error


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return `` Did you mean 'x'?`` for the nearest known name, or an empty string."""
    folded = {candidate.casefold(): candidate for candidate in known}
    close = difflib.get_close_matches(str(name).casefold(), folded, n=1, cutoff=0.6)
    return f" Did you mean {folded[close[0]]!r}?" if close else ""
