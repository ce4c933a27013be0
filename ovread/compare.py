"""Comparing one scene on several backends: per prim and attribute, agree or differ, with the tolerance used.

Every attribute that at least two backends serve is read on each, before or after stepping, and compared row by row
against the first backend that has the row. What a backend declares that it cannot serve is listed, not counted: an
omission with a reason is no disagreement.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import repeat
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from ovread import catalogue
from ovread._open import open as open_scene
from ovread.arguments import checked_time_step
from ovread.backend import Key, Level, MatrixLabels
from ovread.catalogue import Attribute, ObjectType, Persistence, Role
from ovread.errors import EngineError, NoPhysicsError, SceneRefusedError
from ovread.result import Group
from ovread.simulation import Simulation
from ovread.stage import scene_of
from ovread.units import StageUnits

_SI = StageUnits()
TYPES = tuple(kind for kind in ObjectType if catalogue.attributes(kind))

TOLERANCE = 1e-5
"""Relative, for whatever the file decides, properties and state before the first step: single precision, rounded a
few times."""
DRIFT = 5.0
"""Per second squared: what state may part by, relatively, is ``DRIFT * dt * time``. Integrators of first order differ
by about half an acceleration (10 in SI units) times dt times time; closer agreement would be luck."""


class Verdict(enum.StrEnum):
    """What a comparison of one row found."""

    AGREES = "agrees"
    DIFFERS = "differs"
    ABSENT = "absent"
    """One backend has the object and another has not, or its elements stand for something else."""
    OMITTED = "omitted"
    """A backend does not serve it, and says why."""

    @property
    def is_disagreement(self) -> bool:
        """Whether it makes the scene mean different things."""
        return self in (Verdict.DIFFERS, Verdict.ABSENT)


@attrs.frozen
class Row:
    """One prim and attribute.

    Args:
        object_type: Type of the object.
        attribute: Name of the attribute.
        path: Prim path; empty where it is about all prims of the type.
        verdict: What was found.
        units: Units of the values.
        frame: Frame of the values.
        max_abs: Largest absolute difference; None where nothing could be compared.
        max_rel: The same over the scale of the attribute in this scene.
        tolerance: What ``max_rel`` was held against.
        detail: Values of each backend where they differ, or the reason of an omission.
    """

    object_type: str
    attribute: str
    path: str
    verdict: Verdict
    units: str = ""
    frame: str = ""
    max_abs: float | None = None
    max_rel: float | None = None
    tolerance: float | None = None
    detail: str = ""


@attrs.frozen
class Comparison:
    """The outcome of :func:`compare`.

    Args:
        backends: Labels of the backends asked for.
        rows: One per prim and attribute.
        refusals: By label, why a backend could not run the scene.
        ticks: Steps taken before comparing.
        dt: Seconds per step.
    """

    backends: tuple[str, ...]
    rows: tuple[Row, ...]
    refusals: Mapping[str, str]
    ticks: int
    dt: float

    @property
    def ran(self) -> tuple[str, ...]:
        """Labels of the backends that ran."""
        return tuple(label for label in self.backends if label not in self.refusals)

    @property
    def agrees(self) -> bool:
        """Whether all backends ran and no row disagrees."""
        return not self.refusals and not any(row.verdict.is_disagreement for row in self.rows)

    def summary(self) -> dict[str, Any]:
        """Count the rows by verdict and give the refusals."""
        counts = {verdict.value: sum(row.verdict is verdict for row in self.rows) for verdict in Verdict}
        return {**counts, "refused": dict(self.refusals), "steps": self.ticks, "dt": self.dt}


def compare(
    source: str | Path,
    backends: Sequence[str],
    *,
    steps: int = 0,
    dt: float = 1 / 240,
    tolerance: float | None = None,
    progress: Callable[[str], None] = lambda message: None,
) -> Comparison:
    """Run a scene on several backends and compare every attribute that two of them serve.

    Args:
        source: Path of a USD file, or USDA text.
        backends: Labels: a backend's name, or name and variant as in ``newton:steel``.
        steps: Steps to take before comparing.
        dt: Seconds per step.
        tolerance: Relative tolerance for all rows; None for the ones of this module.
        progress: Called with what is being done.

    Raises:
        SceneRefusedError: No backend can run the scene; the message gives each one's words.
    """
    scene_of(source)
    checked_time_step(dt)
    readings: dict[str, _Reading] = {}
    refusals: dict[str, str] = {}
    for label in backends:
        progress(f"{label}: opening")
        try:
            readings[label] = _run(label, source, steps, dt, progress)
        except (SceneRefusedError, NoPhysicsError, EngineError) as error:
            refusals[label] = str(error)
    if not readings:
        raise SceneRefusedError("No backend can run it. " + " ".join(dict.fromkeys(refusals.values())))
    allowed = _Tolerance(tolerance, DRIFT * dt * dt * steps)
    rows = [row for object_type in TYPES for row in _compare_type(object_type, readings, list(refusals), allowed)]
    return Comparison(tuple(backends), tuple(rows), refusals, steps, dt)


@attrs.frozen
class _Reading:
    """What one backend answered: values by attribute and path, and reasons by attribute.

    ``types`` are those of which the backend serves anything that can be compared.
    """

    stage: StageUnits
    types: set[ObjectType] = attrs.field(factory=set)
    paths: dict[ObjectType, dict[str, None]] = attrs.field(factory=dict)
    values: dict[Key, dict[str, npt.NDArray[Any]]] = attrs.field(factory=dict)
    labels: dict[Key, dict[str, MatrixLabels]] = attrs.field(factory=dict)
    units: dict[Key, str] = attrs.field(factory=dict)
    reasons: dict[Key, dict[str, str]] = attrs.field(factory=dict)


def _run(label: str, source: str | Path, steps: int, dt: float, progress: Callable[[str], None]) -> _Reading:
    with open_scene(source, backend=label) as simulation:
        if steps:
            progress(f"{label}: stepping")
            simulation.step(dt, steps)
        progress(f"{label}: reading")
        return _read_all(simulation)


def _read_all(simulation: Simulation) -> _Reading:
    reading = _Reading(simulation.units)
    for object_type in TYPES:
        query = simulation.query(object_type)
        reading.paths[object_type] = dict.fromkeys(query.paths)
        rows = [row for row in catalogue.attributes(object_type) if row.readable and row.role not in _INCOMPARABLE]
        info = simulation.backend
        if any(info.support_of(row.key, simulation.variant).level is not Level.UNSUPPORTED for row in rows):
            reading.types.add(object_type)
        result = simulation.read(query, [row.name for row in rows])
        for row in rows:
            found = list(_by_path(result.all(row.name)))
            if found:
                reading.values[row.key] = {path: value for path, value, _ in found}
                reading.labels[row.key] = {path: labels for path, _, labels in found if labels is not None}
                reading.units[row.key] = row.units(simulation.units)
        for omission in result.omissions:
            key = (object_type, omission.attribute)
            reasons = reading.reasons.setdefault(key, {})
            reasons.update(dict.fromkeys(omission.paths or ("",), omission.detail))
    return reading


def _by_path(groups: Sequence[Group]) -> Iterable[tuple[str, npt.NDArray[Any], MatrixLabels | None]]:
    """Give path, value and labels; a path that several scenes share is told apart by its place."""
    seen: dict[str, int] = {}
    for group in groups:
        for path, value, labels in zip(
            group.paths, group.per_prim(), group.labels or repeat(None, len(group.paths)), strict=True
        ):
            seen[path] = seen.get(path, 0) + 1
            yield (path if seen[path] == 1 else f"{path}#{seen[path]}"), value, labels


@attrs.frozen
class _Tolerance:
    """What relative difference passes: the caller's choice, or that of this module."""

    given: float | None
    drift: float

    def of(self, row: Attribute) -> float:
        if self.given is not None:
            return self.given
        if row.role in (Role.FLAG, Role.ENUM, Role.COUNT):
            return 0.0
        return TOLERANCE + (self.drift if row.persistence is Persistence.STATE else 0.0)


def _compare_type(
    object_type: ObjectType, readings: Mapping[str, _Reading], refused: Sequence[str], tolerance: _Tolerance
) -> Iterable[Row]:
    """Compare the objects of a type among the backends that serve anything of it."""
    serving = {label: reading for label, reading in readings.items() if object_type in reading.types}
    if not serving:
        return
    yield from _absent_objects(object_type, serving, refused if len(readings) == 1 else ())
    shared = [path for path in _all_paths(object_type, serving) if _has_all(path, object_type, serving)]
    for row in catalogue.attributes(object_type) if shared else ():
        answering = {label: reading for label, reading in serving.items() if row.key in reading.values}
        if answering and row.readable:
            yield from _omissions(row, serving)
            yield from _compare_attribute(row, answering, shared, tolerance.of(row))


def _all_paths(object_type: ObjectType, readings: Mapping[str, _Reading]) -> list[str]:
    """Return the paths that any backend has, in canonical order as far as one has them all."""
    return list(dict.fromkeys(path for reading in readings.values() for path in reading.paths[object_type]))


def _has_all(path: str, object_type: ObjectType, readings: Mapping[str, _Reading]) -> bool:
    return all(path in reading.paths[object_type] for reading in readings.values())


def _absent_objects(object_type: ObjectType, readings: Mapping[str, _Reading], refused: Sequence[str]) -> Iterable[Row]:
    """List what not all backends have; ``refused`` are those that have nothing."""
    for path in _all_paths(object_type, readings):
        having = [label for label, reading in readings.items() if path in reading.paths[object_type]]
        lacking = [*(label for label in readings if label not in having), *refused]
        if lacking:
            detail = f"{object_type.name} in {', '.join(having)}; not in {', '.join(lacking)}"
            yield Row(object_type.name, "", path, Verdict.ABSENT, detail=detail)


def _omissions(row: Attribute, readings: Mapping[str, _Reading]) -> Iterable[Row]:
    for label, reading in readings.items():
        for path, reason in reading.reasons.get(row.key, {}).items():
            yield Row(row.object_type.name, row.name, path, Verdict.OMITTED, detail=f"{label}: {reason}")


def _compare_attribute(
    row: Attribute, readings: Mapping[str, _Reading], paths: Sequence[str], tolerance: float
) -> Iterable[Row]:
    (reference_label, first), *others = readings.items()
    for path in paths:
        for label, other in others:
            reference, value = first.values[row.key].get(path), other.values[row.key].get(path)
            if reference is None or value is None:
                continue  # omitted for this path, with a reason that has its own row
            units = first.units[row.key]
            head = (row.object_type.name, row.name, path)
            if reference.shape != value.shape:
                detail = f"{reference_label} has {len(reference)} elements, {label} has {len(value)}"
                yield Row(*head, Verdict.ABSENT, units, row.frame.value, detail=detail)
                continue
            mismatch = _label_mismatch(first.labels[row.key].get(path), other.labels[row.key].get(path))
            if mismatch is not None:
                detail = f"{reference_label} has {mismatch[0]} where {label} has {mismatch[1]}"
                yield Row(*head, Verdict.ABSENT, units, row.frame.value, detail=detail)
                continue
            max_abs, max_rel = _distance(row, reference, value, first.stage)
            agrees = max_rel <= tolerance
            detail = "" if agrees else f"{reference_label} {_text(reference)}; {label} {_text(value)}"
            verdict = Verdict.AGREES if agrees else Verdict.DIFFERS
            yield Row(*head, verdict, units, row.frame.value, max_abs, max_rel, tolerance, detail)


def _label_mismatch(reference: MatrixLabels | None, value: MatrixLabels | None) -> tuple[str, str] | None:
    """Return the first row or column that stands for something else: equal numbers would then mean different things."""
    if reference is None or value is None:
        return None
    pairs = zip((*reference.rows, *reference.columns), (*value.rows, *value.columns), strict=True)
    return next((pair for pair in pairs if pair[0] != pair[1]), None)


_INCOMPARABLE = (Role.HANDLE, Role.PATH)
_BY_COMPONENT = (Role.SCALAR, Role.COORDINATE, Role.FLAG, Role.ENUM, Role.COUNT)


def _distance(
    row: Attribute, reference: npt.NDArray[Any], value: npt.NDArray[Any], stage: StageUnits
) -> tuple[float, float]:
    """Return the largest difference of a component, absolute and relative.

    Components of a vector are relative to its largest one, other values to themselves. State, which may be zero, is
    relative to at least 1 in SI units. q and -q are the same rotation, and two NaN are no difference.
    """
    left, right = reference.astype(float), value.astype(float)
    if not left.size:
        return 0.0, 0.0
    if row.role is Role.QUATERNION and float(np.sum(left * right)) < 0:
        right = -right
    difference = np.where(np.isnan(left) & np.isnan(right), 0.0, np.abs(left - right))
    difference = np.where(np.isnan(difference), np.inf, difference)
    scale = np.maximum(np.abs(left), np.abs(right))
    if row.role not in _BY_COMPONENT:
        scale = np.full_like(scale, np.nanmax(scale))
    scale = np.maximum(np.nan_to_num(scale, nan=1.0), _floor(row, stage))
    return float(difference.max()), float((difference / scale).max())


def _floor(row: Attribute, stage: StageUnits) -> float:
    """Return the smallest scale: 1 in SI units for state and points, next to nothing for other properties."""
    if row.persistence is not Persistence.STATE and row.role is not Role.POINT:
        return float(np.finfo(np.float32).tiny)
    return row.dimension.factor(_SI, stage)


def _text(value: npt.NDArray[Any]) -> str:
    return "[" + " ".join(f"{number:.6g}" for number in np.ravel(value)) + "]"
