"""Start values of what can be written but not read."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from ovread_physx._write_rules import Written


def start_values(written: Written, values: npt.NDArray[Any]) -> None:
    """Fill what stands now: no force, and the state of sleep that each body is in."""
    values[...] = 0
    if written.column.attribute == "wake":
        sleeping = written.current("isSleeping")
        try:
            values[...] = 1 - sleeping.read()
        finally:
            sleeping.close()
