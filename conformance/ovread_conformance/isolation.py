"""Calls in a process of their own: an engine that crashes, hangs or prints ends one call, not the suite."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from multiprocessing import Pipe
from typing import Any

import attrs

LIMIT = 300.0
"""Seconds that a call may take; the first one of an engine may compile kernels for a minute."""
_STARTS = 60.0
"""Seconds that a process may take to start."""
_SHOWN = 2000
"""How many of the last characters that an engine printed are kept."""


@attrs.frozen
class Answer:
    """What became of a call.

    Args:
        value: What it returned; None where it did not.
        failure: Why it did not, in words; empty where it did.
        printed: The end of what was printed meanwhile, by Python or by an engine.
        seconds: How long it took.
    """

    value: Any = attrs.field(default=None, repr=False)
    failure: str = ""
    printed: str = ""
    seconds: float = 0.0


class Isolated:
    """A child process that is told what to call, one after the other; another takes over where it breaks.

    Args:
        limit: Seconds that a call may take.
    """

    def __init__(self, limit: float = LIMIT) -> None:
        self._limit = limit
        self._child: _Child | None = None

    def __enter__(self) -> Isolated:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()

    def call(self, function: Callable[..., Any], *arguments: Any) -> Answer:
        """Call a function that can be imported, with arguments that can be pickled."""
        child = self._child = self._child or _Child()
        answer, is_alive = child.call(function, arguments, self._limit)
        if not is_alive:
            self.close()
        return answer

    def close(self) -> None:
        """End the process."""
        if self._child is not None:
            self._child.close()
            self._child = None


class _Child:
    def __init__(self) -> None:
        self._connection, theirs = Pipe()
        self._output = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        self._read = 0
        command = [sys.executable, "-X", "faulthandler", "-m", "ovread_conformance._child", str(theirs.fileno())]
        # What can be imported here can be imported there, in whatever way it came to be.
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path)}  # noqa: PTH109
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=self._output,
            stderr=subprocess.STDOUT,
            env=environment,
            pass_fds=[theirs.fileno()],
        )
        theirs.close()
        if not self._connection.poll(_STARTS) or self._process.poll() is not None:
            self._process.kill()
            raise RuntimeError(f"A process for the engine could not be started: {self._printed()}")
        self._connection.recv()

    def call(self, function: Callable[..., Any], arguments: tuple[Any, ...], limit: float) -> tuple[Answer, bool]:
        """Return the answer, and whether the process can be asked again."""
        try:
            self._connection.send((function, arguments))
            if not self._connection.poll(limit):
                return Answer(failure=f"no answer within {limit:g} s", printed=self._printed(), seconds=limit), False
            value, failure, seconds = self._connection.recv()
        except (EOFError, OSError):
            return Answer(failure=f"the process {_ending(self._process.wait())}", printed=self._printed()), False
        return Answer(value, failure, self._printed(), seconds), True

    def _printed(self) -> str:
        end = self._output.seek(0, os.SEEK_END)
        self._output.seek(max(self._read, end - _SHOWN))
        self._read = end
        return self._output.read().decode(errors="replace").strip()

    def close(self) -> None:
        self._connection.close()
        self._process.kill()
        self._process.wait()
        self._output.close()


def _ending(status: int) -> str:
    if status >= 0:
        return f"ended with status {status}"
    return f"crashed with {signal.Signals(-status).name}"
