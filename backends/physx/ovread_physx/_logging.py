"""The engine's log: kept off the terminal, sent to the logger ``ovread.physx``, and heard while a scene opens.

The engine writes warnings to stdout and errors to stderr, and reports some failures of a scene in its log alone.
"""

from __future__ import annotations

import contextlib
import logging
import re
from collections.abc import Iterator

import attrs

from ovread.backend import Diagnostic

log = logging.getLogger("ovread.physx")
log.addHandler(logging.NullHandler())

# The engine's only log callback leads to this logger, whose level nobody else sets: what is heard while a scene opens
# must not depend on how the application configures logging.
_bridge = logging.getLogger("ovread.physx.engine")
_bridge.setLevel(logging.DEBUG)
_bridge.propagate = False

_SOURCE_LOCATION = re.compile(r",? FILE .*, LINE \d+\s*$", re.DOTALL)
_PRIM = re.compile(r"(?<![\w.:/])/[A-Za-z_]\w*(?:/\w+)*")
_HARMLESS = ("GPU broadphase requires a CUDA context manager",)
"""Warnings that change no value: without a GPU, another broad phase finds the same pairs."""


@attrs.frozen
class Message:
    """One line of the engine's log."""

    level: int
    text: str


class _Forward(logging.Handler):
    """Pass records on to ``ovread.physx``, and to whoever listens."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[list[Message]] = []

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage().strip()
        for messages in self.heard:
            messages.append(Message(record.levelno, text))
        unimportant = record.levelno < logging.WARNING or text.startswith(_HARMLESS)
        log.log(logging.DEBUG if unimportant else record.levelno, "%s", text)


_forward = _Forward()
_bridge.addHandler(_forward)


@contextlib.contextmanager
def engine_messages() -> Iterator[list[Message]]:
    """Take the engine's log over and collect what it says inside the block.

    The engine drops its log callback with its last instance, so this is done at each opening.
    """
    import ovphysx

    ovphysx.enable_default_log_output(False)
    verbose = log.isEnabledFor(logging.DEBUG)
    severity = ovphysx.LogLevel.VERBOSE if verbose else ovphysx.LogLevel.WARNING
    ovphysx.enable_python_logging(_bridge.name, min_severity=severity)
    messages: list[Message] = []
    _forward.heard.append(messages)
    try:
        yield messages
    finally:
        with contextlib.suppress(RuntimeError):
            ovphysx.flush_log()
        _forward.heard.remove(messages)


def as_diagnostics(messages: list[Message]) -> list[Diagnostic]:
    """Return one diagnostic for each different warning and error."""
    found = {}
    for message in messages:
        if message.level < logging.WARNING or message.text.startswith(_HARMLESS):
            continue
        rule = "engine-error" if message.level >= logging.ERROR else "engine-warning"
        text = _SOURCE_LOCATION.sub("", message.text)
        prim = _PRIM.search(text)
        found[(rule, text)] = Diagnostic(prim.group() if prim else "", rule, text)
    return list(found.values())


def errors(messages: list[Message]) -> str:
    """Return the error messages as one text."""
    texts = (_SOURCE_LOCATION.sub("", message.text) for message in messages if message.level >= logging.ERROR)
    return " ".join(dict.fromkeys(texts))
