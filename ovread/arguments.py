"""Checking what users pass, before anything is done with it."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable

from ovread.catalogue import ObjectScope, ObjectType
from ovread.errors import SelectionError, TimeStepError


def attribute_names(given: object) -> tuple[str, ...]:
    """Return a list of names as a tuple; SelectionError where it is none."""
    names = tuple(given) if isinstance(given, Iterable) else (given,)
    for name in names:
        if not isinstance(name, str):
            raise SelectionError(f"attributes={given!r}: pass a list of attribute names, such as ['position'].")
    return names


def checked_object_type(given: object) -> ObjectType:
    """Return an object type; SelectionError where it is none."""
    if isinstance(given, ObjectType):
        return given
    names = ", ".join(kind.name for kind in ObjectType)
    raise SelectionError(f"{given!r} is not an ovread.ObjectType. Types: {names}.")


def checked_scope(given: object) -> ObjectScope:
    """Return a scope; SelectionError where it is none."""
    if isinstance(given, ObjectScope):
        return given
    raise SelectionError(f"scope={given!r} is not an ovread.ObjectScope: take ALL or ACTIVE.")


def checked_time_step(dt: object, count: object = 1) -> tuple[float, int]:
    """Return a time step and a number of steps that are fit for use.

    Raises:
        TimeStepError: They are not.
    """
    try:
        seconds = float(dt) if isinstance(dt, numbers.Real) and not isinstance(dt, bool) else math.nan
    except OverflowError:  # an int beyond all floats
        seconds = math.inf
    if not math.isfinite(seconds) or seconds <= 0:
        raise TimeStepError(f"dt={dt!r}: a time step is a positive finite number of seconds, such as 1/60.")
    if not isinstance(count, numbers.Integral) or isinstance(count, bool) or count < 1:
        raise TimeStepError(f"count={count!r}: the number of steps is a positive integer.")
    return seconds, int(count)
