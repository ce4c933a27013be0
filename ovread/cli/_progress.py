"""Showing on the terminal what a backend is doing: opening a scene may compile kernels for a minute."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Iterator

from rich.console import Console


class _Reporter(logging.Handler):
    """Pass on what backends log at level INFO, which is what they are doing; warnings have their own place."""

    def __init__(self, report: Callable[[str], None]) -> None:
        super().__init__(logging.INFO)
        self._report = report

    def emit(self, record: logging.LogRecord) -> None:
        if record.levelno == logging.INFO:
            self._report(f"{record.name.rpartition('.')[2]}: {record.getMessage()}")


@contextlib.contextmanager
def shown() -> Iterator[Callable[[str], None]]:
    """Show progress on standard error while the block runs: one live line on a terminal, lines elsewhere."""
    console = Console(stderr=True, highlight=False)
    status = console.status("opening") if console.is_terminal else contextlib.nullcontext()
    with status as live:

        def report(message: str) -> None:
            if live is not None:
                live.update(message)
            else:
                console.print(message, markup=False, soft_wrap=True)

        logger = logging.getLogger("ovread")
        handler, level = _Reporter(report), logger.level
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
        try:
            yield report
        finally:
            logger.removeHandler(handler)
            logger.setLevel(level)
