"""Keeping the engine's chatter off the caller's terminal.

Warp prints banners and module loads, MuJoCo and Newton warn, CoACD logs from C++. Everything useful goes to the
logger ``ovread.newton``, which is silent unless the application configures logging.
"""

from __future__ import annotations

import contextlib
import functools
import logging
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

from ovread.backend import Diagnostic
from ovread.errors import EngineError
from ovread.quiet import start_warp

log = logging.getLogger("ovread.newton")

_ENGINE_LOGGERS = ("ovnewton", "newton")


class _WarpLog:
    """Warp's logger protocol, on :mod:`logging`."""

    def debug(self, message: str) -> None:
        log.debug("%s", message)

    def info(self, message: str) -> None:
        log.debug("%s", message)

    def warning(self, message: str, category: type[Warning] | None = None, stacklevel: int = 1) -> None:
        log.warning("%s", message)

    def error(self, message: str) -> None:
        log.error("%s", message)


_WARP_LOG = _WarpLog()


class _DiagnosticHandler(logging.Handler):
    """Turns what an engine logs while it imports a scene into diagnostics."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.found: list[Diagnostic] = []

    def emit(self, record: logging.LogRecord) -> None:
        rule = getattr(record, "diagnostic_code", None)
        prim = getattr(record, "prim_path", None) or ""
        message = record.getMessage()
        if rule is not None:
            message = message.partition(": ")[2] or message
        elif record.levelno < logging.WARNING:
            return
        self.found.append(Diagnostic(prim, rule or "engine-warning", message))


@functools.cache
def start_engine() -> None:
    """Prepare the process for a silent engine; the first call does it."""
    start_warp()
    for name in _ENGINE_LOGGERS:
        # Without a handler, logging writes warnings to stderr.
        logging.getLogger(name).addHandler(logging.NullHandler())


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Send what Warp prints and what Python warns about to the log, while an engine is at work."""
    with _caught() as caught:
        yield
    for warning in caught:
        log.log(logging.DEBUG if _is_deprecation(warning) else logging.WARNING, "%s", warning.message)


@contextlib.contextmanager
def _caught() -> Iterator[list[warnings.WarningMessage]]:
    with _warp_to_log(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield caught


@contextlib.contextmanager
def mujoco_watched() -> Iterator[None]:
    """Log what MuJoCo warns about, which it would write to the terminal and to a file in the working directory.

    Raises:
        EngineError: The simulation became unstable: MuJoCo then restarts from its default pose and goes on.
    """
    import mujoco  # type: ignore[import-untyped]

    messages: list[str] = []
    previous = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(messages.append)
    try:
        yield
    finally:
        mujoco.set_mju_user_warning(previous)
    for message in messages:
        log.warning("%s", message)
        if "unstable" in message:
            raise EngineError(f"The mujoco solver reports: {message} Take a smaller dt, or more substeps.")


@contextlib.contextmanager
def collected_diagnostics() -> Iterator[list[Diagnostic]]:
    """Collect what the engine logs and warns about; complete when the context ends."""
    handler = _DiagnosticHandler()
    found: list[Diagnostic] = []
    loggers = [logging.getLogger(name) for name in _ENGINE_LOGGERS]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
    try:
        with _caught() as caught:
            yield found
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.removeHandler(handler)
            logger.setLevel(level)
        found.extend(handler.found)
        found.extend(_from_warnings(caught))


def _from_warnings(caught: Sequence[warnings.WarningMessage]) -> Iterator[Diagnostic]:
    """Drop deprecations, which concern the engines' authors and not the scene; keep each message once."""
    for message in dict.fromkeys(str(warning.message) for warning in caught if not _is_deprecation(warning)):
        yield Diagnostic("", "engine-warning", message)


def _is_deprecation(warning: warnings.WarningMessage) -> bool:
    # Newton's own category derives from UserWarning.
    return issubclass(warning.category, DeprecationWarning) or "Deprecation" in warning.category.__name__


@contextlib.contextmanager
def _warp_to_log() -> Iterator[None]:
    import warp as wp

    previous: Any = wp.get_logger()
    wp.set_logger(_WARP_LOG)
    try:
        yield
    finally:
        wp.set_logger(previous)
