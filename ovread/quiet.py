"""Keeping native chatter off the caller's terminal.

Libraries in C++ write to the file descriptors of standard output and error, past Python. :func:`captured` sends what
they write to a logger instead; loggers of ovread are silent unless the application configures logging.
"""

from __future__ import annotations

import contextlib
import functools
import logging
import os
import sys
import tempfile
from collections.abc import Iterator

STANDARD_OUTPUT, STANDARD_ERROR = 1, 2

logging.getLogger("ovread").addHandler(logging.NullHandler())


@contextlib.contextmanager
def captured(logger: logging.Logger, *descriptors: int) -> Iterator[None]:
    """Log, line by line at debug level, what is written to file descriptors while the block runs.

    Args:
        logger: Where lines go.
        descriptors: :data:`STANDARD_OUTPUT`, :data:`STANDARD_ERROR`; both where none is named. Whatever Python has
            buffered is written first, so that it goes where it was meant to.
    """
    with contextlib.ExitStack() as stack:
        for descriptor in descriptors or (STANDARD_OUTPUT, STANDARD_ERROR):
            stack.enter_context(_captured(logger, descriptor))
        yield


@contextlib.contextmanager
def _captured(logger: logging.Logger, descriptor: int) -> Iterator[None]:
    stream = sys.stdout if descriptor == STANDARD_OUTPUT else sys.stderr
    try:
        with contextlib.suppress(AttributeError, ValueError):  # no stream, or a closed one
            stream.flush()
        kept = os.dup(descriptor)
    except OSError:  # the process has closed it, so nothing can be written to it
        yield
        return
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), descriptor)
        try:
            yield
        finally:
            with contextlib.suppress(AttributeError, ValueError):
                stream.flush()
            os.dup2(kept, descriptor)
            os.close(kept)
            file.seek(0)
            for line in file.read().decode(errors="replace").splitlines():
                logger.debug("%s", line)


@functools.cache
def start_warp() -> None:
    """Initialise Warp without its banner; the first call of the process does it."""
    import warp as wp

    level = wp.config.log_level
    wp.config.log_level = wp.LOG_ERROR
    try:
        with captured(logging.getLogger("ovread.warp")):
            wp.init()
    finally:
        wp.config.log_level = level
