"""A query: which objects, in which order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import attrs
import numpy as np
import numpy.typing as npt

from ovread import patterns
from ovread.backend import Objects
from ovread.catalogue import ObjectScope, ObjectType
from ovread.errors import SelectionError, UnknownPathError, did_you_mean
from ovread.order import natural_key

if TYPE_CHECKING:
    from ovread.prepared_write import PreparedWrite
    from ovread.reader import PreparedRead
    from ovread.simulation import Simulation

CANONICAL = "canonical"
NATIVE = "native"


@attrs.frozen
class ContactSelection:
    """Contact sensors, and the objects that their contacts are told apart by.

    Args:
        sensors: A path pattern, or a list of paths.
        filters: For each filter a path pattern or a list of paths, which names one object for all sensors of this
            selection, or one object per sensor in their order.
    """

    sensors: str | Sequence[str]
    filters: Sequence[str | Sequence[str]] = ()


@attrs.frozen(eq=False)
class Selection:
    """Which objects, in which order.

    Args:
        object_type: Their type.
        paths: Prim path of each row, in row order.
        native_rows: ``(rows,)``: index of each row in the backend's own order; the mapping between the two orders.
        filters: For contact sensors, the paths of each row's filters; as many for each row.
    """

    object_type: ObjectType
    paths: tuple[str, ...]
    native_rows: npt.NDArray[np.intp] = attrs.field(repr=False)
    filters: tuple[tuple[str, ...], ...] = attrs.field(default=(), repr=False)


@attrs.frozen(eq=False)
class Query:
    """A selection of objects of one type, made by :meth:`Simulation.query`; row i is ``paths[i]``.

    Args:
        selection: The objects.
        attributes: Names of the attributes that this backend can read for this type.
        scope: ``ALL`` or ``ACTIVE``.
    """

    selection: Selection
    attributes: tuple[str, ...]
    scope: ObjectScope
    _simulation: Simulation = attrs.field(repr=False)
    _prepared: dict[tuple[str, ...], PreparedRead] = attrs.field(factory=dict, init=False, repr=False)
    _prepared_writes: dict[tuple[str, ...], PreparedWrite] = attrs.field(factory=dict, init=False, repr=False)

    @property
    def object_type(self) -> ObjectType:
        """Type of the objects."""
        return self.selection.object_type

    @property
    def paths(self) -> tuple[str, ...]:
        """Prim path of each row, in row order."""
        return self.selection.paths

    @property
    def native_rows(self) -> npt.NDArray[np.intp]:
        """``(rows,)``: index of each row in the backend's own order; the mapping between the two orders."""
        return self.selection.native_rows

    @property
    def filters(self) -> tuple[tuple[str, ...], ...]:
        """For a query of contact sensors with filters, the paths of each row's filters."""
        return self.selection.filters

    def __len__(self) -> int:
        return len(self.paths)


def select_rows(
    objects: Objects, object_type: ObjectType, paths: Sequence[str] | None, pattern: str | None, order: str
) -> npt.NDArray[np.intp]:
    """Return indices into the native order: those selected, in the order asked for.

    Explicit paths keep the caller's order; otherwise ``canonical`` is natural path order and ``native`` the
    backend's own.
    """
    if paths is not None and pattern is not None:
        raise SelectionError("Give either paths= or pattern=, not both.")
    if order not in (CANONICAL, NATIVE):
        raise SelectionError(f"order={order!r}: take {CANONICAL!r} or {NATIVE!r}; paths= keeps the order of its list.")
    if paths is not None:
        return _rows_of_paths(objects, object_type, paths)
    rows = np.arange(len(objects.paths))
    if pattern is not None:
        rows = rows[_rows_of_pattern(objects, pattern)]
    if order == CANONICAL:
        keys = _canonical_keys(objects)
        rows = np.array(sorted(rows.tolist(), key=keys.__getitem__), dtype=np.intp)
    return rows.astype(np.intp)


def select_contacts(
    sensors: Objects, contacts: Sequence[ContactSelection], filterable: Sequence[str]
) -> tuple[npt.NDArray[np.intp], tuple[tuple[str, ...], ...]]:
    """Return indices into the native order of contact sensors, and the filters of each.

    Rows come selection by selection; a sensor that an earlier selection has is not repeated.

    Args:
        sensors: All contact sensors.
        contacts: What to select.
        filterable: Paths of everything that may be a filter.

    Raises:
        SelectionError: A filter names neither one object nor one per sensor, or selections differ in their number of
            filters.
    """
    rows: list[int] = []
    filters: list[tuple[str, ...]] = []
    if not isinstance(contacts, Iterable):
        raise SelectionError(f"contacts={contacts!r}: pass a list of ovread.ContactSelection.")
    for selection in contacts:
        if not isinstance(selection, ContactSelection):
            raise SelectionError(f"contacts={contacts!r}: pass a list of ovread.ContactSelection.")
        if isinstance(selection.filters, str):
            raise SelectionError(
                f"filters={selection.filters!r} is not a list of filters: pass [{selection.filters!r}]."
            )
        found = _rows_by(sensors, selection.sensors, ObjectType.CONTACT_SENSOR)
        columns = [_paired(each, filterable, [sensors.paths[row] for row in found]) for each in selection.filters]
        for position, row in enumerate(found):
            if row not in rows:
                rows.append(row)
                filters.append(_checked(tuple(column[position] for column in columns), sensors.paths[row]))
    if len({len(each) for each in filters}) > 1:
        raise SelectionError("Every selection of one query must have the same number of filters.")
    return np.array(rows, dtype=np.intp), tuple(filters)


def _checked(filters: tuple[str, ...], sensor: str) -> tuple[str, ...]:
    """Refuse filters that an engine would count wrongly or not at all."""
    if sensor in filters:
        raise SelectionError(f"{sensor} is filtered by itself: name the objects that touch it.")
    if len(set(filters)) < len(filters):
        raise SelectionError(f"{sensor} has one filter twice ({', '.join(filters)}): name each object once.")
    return filters


def _rows_by(objects: Objects, wanted: str | Sequence[str], object_type: ObjectType) -> list[int]:
    """Return native rows by a pattern, in canonical order, or by a list of paths, in its order."""
    by_pattern = isinstance(wanted, str)
    paths, pattern = (None, wanted) if by_pattern else (wanted, None)
    return [int(row) for row in select_rows(objects, object_type, paths, pattern, CANONICAL)]  # type: ignore[arg-type]


def _paired(wanted: str | Sequence[str], known: Sequence[str], sensors: Sequence[str]) -> list[str]:
    """Return the filter object of each sensor."""
    objects = Objects(known)
    found = [known[row] for row in _rows_by(objects, wanted, ObjectType.RIGID_ACTOR)]
    if len(found) == 1:
        return found * len(sensors)
    if len(found) != len(sensors):
        raise SelectionError(
            f"Filter {wanted!r} selects {len(found)} objects for {len(sensors)} sensors: it must select one, or one "
            "for each sensor."
        )
    return found


def _canonical_keys(objects: Objects) -> list[tuple[object, ...]]:
    """Return what each row is sorted by: its path, and where several scenes share that, its scene."""
    if objects.scenes is None:
        return [(natural_key(path), path) for path in objects.paths]
    return [(natural_key(path), path, scene or "") for path, scene in zip(objects.paths, objects.scenes, strict=True)]


def _rows_of_pattern(objects: Objects, pattern: str) -> npt.NDArray[np.bool_]:
    if objects.members is None:
        selected = patterns.select(pattern, objects.paths)
        return np.array([path in selected for path in objects.paths], dtype=bool)
    members = [list(row) for row in objects.members()]
    candidates = [[path, *others] for path, others in zip(objects.paths, members, strict=True)]
    selected = patterns.select(pattern, {path for row in candidates for path in row})
    return np.array([not selected.isdisjoint(row) for row in candidates], dtype=bool)


def _rows_of_paths(objects: Objects, object_type: ObjectType, paths: Sequence[str]) -> npt.NDArray[np.intp]:
    if isinstance(paths, str) or not isinstance(paths, Iterable):
        raise SelectionError(f"paths={paths!r} is not a list of paths: pass one, or pattern=.")
    rows_by_path: dict[str, list[int]] = {}
    for row, path in enumerate(objects.paths):
        rows_by_path.setdefault(path, []).append(row)
    seen: set[str] = set()
    rows: list[int] = []
    for path in paths:
        if path not in rows_by_path:
            raise UnknownPathError(_unknown_path(path, object_type, rows_by_path))
        if path in seen:
            raise SelectionError(f"{path} is named twice: each path once, as each row has one place in a result.")
        seen.add(path)
        rows.extend(rows_by_path[path])
    return np.array(rows, dtype=np.intp)


def _unknown_path(path: str, object_type: ObjectType, known: dict[str, list[int]]) -> str:
    if not known:
        return f"No {object_type.name} has the path {path!r}: the scene has no object of this type."
    some = ", ".join(sorted(known, key=natural_key)[:5]) + (", ..." if len(known) > 5 else "")
    return (
        f"No {object_type.name} has the path {path!r}.{did_you_mean(str(path), known)} "
        f"The scene has {len(known)} of this type: {some}"
    )
