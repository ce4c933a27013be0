"""An engine that crashes, hangs, fails or prints ends one call, and the next one is answered."""

from __future__ import annotations

import operator
import os
import signal
import time
from collections.abc import Iterator

import pytest
from ovread_conformance.isolation import Isolated


@pytest.fixture(scope="module")
def isolated() -> Iterator[Isolated]:
    with Isolated(limit=1.0) as process:
        yield process


def test_a_call_returns(isolated: Isolated) -> None:
    answer = isolated.call(operator.add, 1, 2)
    assert (answer.value, answer.failure, answer.printed) == (3, "", "")


def test_an_exception_is_the_answer(isolated: Isolated) -> None:
    answer = isolated.call(operator.truediv, 1, 0)
    assert answer.failure == "ZeroDivisionError: division by zero"
    assert isolated.call(operator.add, 1, 2).value == 3


def test_a_crash_names_its_signal_and_the_next_call_is_answered(isolated: Isolated) -> None:
    answer = isolated.call(signal.raise_signal, signal.SIGSEGV)
    assert answer.failure == "the process crashed with SIGSEGV"
    assert "Segmentation fault" in answer.printed
    assert isolated.call(operator.add, 1, 2).value == 3


def test_an_exit_is_a_failure(isolated: Isolated) -> None:
    assert isolated.call(os._exit, 3).failure == "the process ended with status 3"
    assert isolated.call(operator.add, 1, 2).value == 3


def test_a_hang_ends_at_the_limit(isolated: Isolated) -> None:
    assert isolated.call(time.sleep, 60).failure == "no answer within 1 s"
    assert isolated.call(operator.add, 1, 2).value == 3


def test_what_is_printed_belongs_to_its_call(isolated: Isolated) -> None:
    assert isolated.call(print, "by Python").printed == "by Python"
    assert isolated.call(os.write, 2, b"by C").printed == "by C"
    assert isolated.call(operator.add, 1, 2).printed == ""
