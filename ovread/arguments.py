"""Checking what users pass, before anything is done with it."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable

from ovread import catalogue
from ovread.backend import BackendInfo
from ovread.catalogue import ObjectScope, ObjectType
from ovread.errors import (
    DuplicateAttributeError,
    NotReadableError,
    NotWritableError,
    SelectionError,
    TimeStepError,
)


def checked_reads(object_type: ObjectType, given: object) -> tuple[str, ...]:
    """Return the names of attributes to read.

    Raises:
        SelectionError: They are no list of names.
        UnknownAttributeError, AttributeOfOtherTypeError: A name is not one of this type's.
        NotReadableError: An attribute can only be written.
        DuplicateAttributeError: A name is given twice.
    """
    names = _attribute_names(given)
    for position, name in enumerate(names):
        if not catalogue.attribute(object_type, name).readable:
            raise NotReadableError(f"{name!r} of {object_type.name} can be written but not read.")
        if name in names[:position]:
            raise DuplicateAttributeError(f"{name!r} is asked for twice: each attribute once.")
    return names


def checked_writes(info: BackendInfo, variant: str | None, object_type: ObjectType, given: object) -> tuple[str, ...]:
    """Return the names of attributes to write.

    Raises:
        SelectionError: They are no list of names, or an empty one.
        UnknownAttributeError, AttributeOfOtherTypeError: A name is not one of this type's.
        NotWritableError: The backend does not write an attribute.
        DuplicateAttributeError: A name is given twice.
    """
    names = _attribute_names(given)
    if not names:
        raise SelectionError("A write names its attributes, as in sim.write(query, ['position']).")
    for position, name in enumerate(names):
        declared = info.writing_of(catalogue.attribute(object_type, name).key, variant)
        if not declared.is_accepted:
            where = info.name + (f" with {variant}" if variant else "")
            raise NotWritableError(f"{name!r} of {object_type.name} cannot be written on {where}: {declared.reason}")
        if name in names[:position]:
            raise DuplicateAttributeError(f"{name!r} is to be written twice: each attribute once.")
    return names


def _attribute_names(given: object) -> tuple[str, ...]:
    if isinstance(given, str):
        return (given,)
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
