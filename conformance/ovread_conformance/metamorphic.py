"""Metamorphic checks: a system written down in two ways reads as the catalogue predicts.

One function covers every row of the catalogue that both recordings have.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from ovread import ObjectType
from ovread.catalogue import Role
from ovread_conformance.prediction import Setting, is_predicted, predict, predict_generalized, predict_labels
from ovread_conformance.recording import Reading, Recording
from ovread_conformance.verdicts import Small, Verdict

Array = npt.NDArray[np.float64]

BEFORE = 1e-4
"""Relative tolerance of what stands before a step: single precision, through a change of units and axes."""
AFTER = 1e-2
"""The same after steps, in which errors of single precision grow."""


def metamorphic(
    original: Recording, written: Recording, setting: Setting, only: tuple[ObjectType, str] | None = None
) -> Iterator[Verdict]:
    """Hold what was read of a system, or one attribute, against what the other way to write it down predicts."""
    for kind, paths in original.objects.items():
        expected, got = sorted(map(setting.path, paths)), sorted(written.objects[kind])
        if expected != got:
            yield Verdict(kind, "", "objects", f"expected {expected}, got {got}", setting.variant.name, np.inf, 0)
    for (tick, kind, name), readings in original.readings.items():
        others = written.find(tick, kind, name)
        if only not in (None, (kind, name)):
            continue
        for reading in readings:
            if is_predicted(reading.row) and reading.values.size:
                yield from _hold(reading, others, tick, setting, written)


def _hold(
    reading: Reading, others: tuple[Reading, ...], tick: int, setting: Setting, written: Recording
) -> Iterator[Verdict]:
    row = reading.row
    tolerance = written.tolerance(row.key, AFTER if tick else BEFORE)
    where = f"{setting.variant.name}, tick {tick}"
    for number, path in enumerate(reading.paths):
        there = setting.path(path)
        found = next(((other, other.paths.index(there)) for other in others if there in other.paths), None)
        if found is None:
            yield Verdict(row.object_type, row.name, there, "expected a value, got none", where, np.inf, tolerance)
            continue
        other, at = found
        if row.role is Role.GENERALIZED:
            expected, got = _generalized(reading, number, other, at, setting)
        else:
            expected = predict(row, reading.per_prim()[number], path, setting)
            got = other.per_prim()[at].astype(float)
        small = Small.at(row, written.system, there)
        yield Verdict.of(row, there, expected, got, where, tolerance, small)


def _generalized(reading: Reading, number: int, other: Reading, at: int, setting: Setting) -> tuple[Array, Array]:
    assert reading.labels is not None
    assert other.labels is not None
    labels, others = reading.labels[number], other.labels[at]
    shape = (-1, len(labels.columns)) if labels.rows else (len(labels.columns),)
    values = reading.per_prim()[number].astype(float).reshape(shape)
    expected = predict_generalized(reading.row, values, labels, setting)
    columns = [others.columns.index(label) for label in predict_labels(labels.columns, setting)]
    got = other.per_prim()[at].astype(float).reshape(shape)
    if not labels.rows:
        return expected, got[columns]
    rows = [others.rows.index(label) for label in predict_labels(labels.rows, setting)]
    return expected, got[np.ix_(rows, columns)]
