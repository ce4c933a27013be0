"""Checking the values of a write against the catalogue, and bringing what callers pass into shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ovread.backend import UNLIMITED
from ovread.catalogue import Attribute, Role
from ovread.errors import ValueRefusedError

DTYPES = {"f32": np.float32, "i32": np.int32, "u8": np.uint8, "u32": np.uint32, "u64": np.uint64}
"""NumPy type of each type name of the catalogue."""

LARGEST = 1e15
"""How large a number may be: single precision does not carry the products that dynamics takes of larger ones."""

UNIT_TOLERANCE = 1e-3
"""How far the length of a quaternion may be from 1; it is normalised then. Farther off is an error, not a rotation."""

SYMMETRY_TOLERANCE = 1e-4
"""How far a tensor may be from its transpose, as a part of its largest component."""

_FINITE = f"must be finite, and at most {LARGEST:g} in size"
_FINITE_BOUND = f"{_FINITE}; unlimited is written as {UNLIMITED:.8g}, with its sign"

_Mask = npt.NDArray[np.bool_]


def check_values(
    row: Attribute,
    values: npt.NDArray[Any],
    paths: Sequence[str],
    offsets: npt.NDArray[np.intp] | None,
    elements: _Mask | None = None,
) -> None:
    """Check values against the catalogue, and give quaternions unit length, in place.

    Args:
        row: The catalogue row.
        values: ``(elements, lanes)``.
        paths: Prim path of each row.
        offsets: Which elements each row owns; None where it is one each.
        elements: ``(elements,)``: which to check; None for all.

    Raises:
        ValueRefusedError: A value breaks a rule; the message names attribute, row, path, value and rule.
    """
    chosen = values if elements is None else values[elements]
    for found, rule in _broken_rules(row, chosen):
        if found.any():
            element = int(np.flatnonzero(found)[0])
            if elements is not None:
                element = int(np.flatnonzero(elements)[element])
            raise ValueRefusedError(_refusal(row, values, paths, offsets, element, rule))
    if row.role is Role.QUATERNION and len(chosen):
        lengths = np.sqrt(np.einsum("ij,ij->i", chosen, chosen, dtype=np.float64))[:, None]
        if elements is None:
            np.divide(values, lengths, out=values, casting="same_kind")
        else:
            values[elements] = chosen / lengths


def _broken_rules(row: Attribute, values: npt.NDArray[Any]) -> list[tuple[_Mask, str]]:
    """Return each rule with the elements that break it; later ones may take the earlier ones as kept."""
    rules: list[tuple[_Mask, str]] = []
    if row.dtype == "f32":
        usable = np.abs(values) <= LARGEST
        if row.accepts.is_bound:
            usable |= np.abs(values) == np.float32(UNLIMITED)
        if not usable.all():
            return [(~usable.all(axis=1), _FINITE_BOUND if row.accepts.is_bound else _FINITE)]
    if row.role is Role.QUATERNION:
        rules.append((_is_no_rotation(values), f"must have length 1, within {UNIT_TOLERANCE:g}"))
    elif row.role is Role.TENSOR:
        rules.append((_is_asymmetric(values), "must be symmetric (row-major)"))
        rules.append((_is_indefinite(values), "must be positive definite: each principal moment more than 0"))
    elif row.role is Role.FLAG:
        rules.append((np.asarray((values > 1).any(axis=1)), "must be 0 or 1"))
    accepts = row.accepts
    outside = np.zeros(len(values), dtype=bool)
    if accepts.minimum is not None:
        below = values <= accepts.minimum if accepts.is_open else values < accepts.minimum
        np.logical_or(outside, below.any(axis=1), out=outside)
    if accepts.maximum is not None:
        above = values > accepts.maximum
        for other in accepts.others:
            above &= values != other
        np.logical_or(outside, above.any(axis=1), out=outside)
    if accepts.is_ordered:
        half = values.shape[1] // 2
        np.logical_or(outside, (values[:, :half] > values[:, half:]).any(axis=1), out=outside)
    if str(accepts):
        rules.append((outside, f"must be {accepts}" if not accepts.is_ordered else f"must have {accepts}"))
    return rules


def _is_no_rotation(values: npt.NDArray[Any]) -> _Mask:
    lengths = np.sqrt(np.einsum("ij,ij->i", values, values, dtype=np.float64))
    return np.asarray(np.abs(lengths - 1) > UNIT_TOLERANCE)


def _is_asymmetric(values: npt.NDArray[Any]) -> _Mask:
    tensors = values.reshape(-1, 3, 3)
    difference = np.abs(tensors - tensors.transpose(0, 2, 1)).max(axis=(1, 2), initial=0)
    return np.asarray(difference > SYMMETRY_TOLERANCE * np.abs(tensors).max(axis=(1, 2), initial=0))


def _is_indefinite(values: npt.NDArray[Any]) -> _Mask:
    tensors = values.reshape(-1, 3, 3).astype(np.float64)
    moments = np.linalg.eigvalsh((tensors + tensors.transpose(0, 2, 1)) / 2)
    # What float32 leaves of a zero moment is no more than that.
    return np.asarray(moments[:, 0] <= 1e-7 * moments[:, 2])


def _refusal(
    row: Attribute,
    values: npt.NDArray[Any],
    paths: Sequence[str],
    offsets: npt.NDArray[np.intp] | None,
    element: int,
    rule: str,
) -> str:
    at, where = element, ""
    if offsets is not None:
        at = int(np.searchsorted(offsets, element, side="right")) - 1
        where = f", element {element - int(offsets[at])}"
    shown = values[element].tolist()
    value = shown[0] if len(shown) == 1 else shown
    return f"{row.name!r} of {paths[at]} (row {at}{where}) cannot be {value}: it {rule}. Nothing has been changed."


def as_numbers(row: Attribute, given: object) -> npt.NDArray[Any]:
    """Return what a caller passed as an array of the attribute's type.

    Raises:
        ValueRefusedError: It is no array of numbers, or its numbers do not fit the type.
    """
    dtype: Any = DTYPES[row.dtype]
    source: Any = given.numpy() if hasattr(given, "numpy") and hasattr(given, "device") else given
    try:
        array = np.asarray(source)
    except Exception as error:
        raise ValueRefusedError(f"{row.name!r}: {type(given).__name__} is no array of numbers: {error}.") from None
    if array.dtype.kind not in "biuf":
        raise ValueRefusedError(f"{row.name!r} takes numbers ({row.dtype}), not {array.dtype} as in {given!r:.80}.")
    if row.dtype == "f32":
        with np.errstate(over="ignore"):
            return np.asarray(array, dtype=dtype)
    if array.dtype.kind == "b":
        return array.astype(dtype)
    bounds = np.iinfo(dtype)
    with np.errstate(invalid="ignore"):
        whole = np.isfinite(array) & (array == np.floor(array)) & (array >= bounds.min) & (array <= bounds.max)
    if not whole.all():
        raise ValueRefusedError(
            f"{row.name!r} takes whole numbers ({row.dtype}), not {array[~whole].ravel()[0]}. Nothing has been changed."
        )
    return array.astype(dtype)


def spread(row: Attribute, lanes: Sequence[str], given: npt.NDArray[Any], count: int, what: str) -> npt.NDArray[Any]:
    """Return values as ``(count, lanes)``: one for all, one row for all, or one per row.

    Args:
        row: The catalogue row.
        lanes: Names of the lanes.
        given: What the caller passed.
        count: Number of rows or elements.
        what: What they are called in messages: ``rows`` or ``elements``.

    Raises:
        ValueRefusedError: The shape is another.
    """
    width = len(lanes)
    if given.ndim == 0:
        return np.broadcast_to(given, (count, width))
    if given.ndim == 1 and (len(given) == width) and (width > 1 or count == 1):
        return np.broadcast_to(given, (count, width))
    if given.ndim == 1 and width == 1 and len(given) == count:
        return given[:, None]
    if given.shape == (count, width):
        return given
    one_each = f"({count},) or " if width == 1 else ""
    for_all = f" or ({width},) for the same in all {what}" if width > 1 else ", or one number for all"
    raise ValueRefusedError(
        f"{row.name!r} got values of shape {given.shape}: pass {one_each}({count}, {width}), {what} x lanes "
        f"({', '.join(lanes) if width <= 9 else width}){for_all}. Nothing has been changed."
    )
