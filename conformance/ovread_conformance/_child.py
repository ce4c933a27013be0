"""The child's side of :mod:`ovread_conformance.isolation`: does what it is asked, until nobody asks any more."""

from __future__ import annotations

import ctypes
import os
import sys
import time
from multiprocessing.connection import Connection

from ovread_conformance.reference import add_reference


def serve(connection: Connection) -> None:
    """Say that there is somebody, and answer calls."""
    connection.send("ready")
    while True:
        try:
            function, arguments = connection.recv()
        except EOFError:
            return
        start = time.perf_counter()
        value, failure = None, ""
        try:
            value = function(*arguments)
        except Exception as error:  # whatever an engine or its plugin raises is the answer
            failure = f"{type(error).__name__}: {error}"
        _flush()
        connection.send((value, failure, time.perf_counter() - start))


def _flush() -> None:
    """Let what was printed reach the file before the answer, that of C code too."""
    sys.stdout.flush()
    sys.stderr.flush()
    ctypes.CDLL(None).fflush(None)


if __name__ == "__main__":
    add_reference()
    serve(Connection(int(sys.argv[1])))
    os._exit(0)  # what an engine does while Python ends is not what is asked about
