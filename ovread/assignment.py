"""Writing one attribute in one line: what callers pass, spread over the rows of a query."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from ovread.backend import NamingEngine
from ovread.catalogue import Attribute, Role
from ovread.errors import EngineErrors, NotWritableError, ValueRefusedError
from ovread.query import Query
from ovread.values import as_numbers, spread
from ovread.write import WriteSession
from ovread.write_group import WriteGroup, as_mask

if TYPE_CHECKING:
    from ovread.simulation import Simulation

_Mask = npt.NDArray[np.bool_]


def set_values(simulation: Simulation, query: Query, name: str, values: object, mask: npt.ArrayLike | None) -> None:
    """Write one attribute of all rows of a query; see :meth:`Simulation.set`."""
    with simulation.write(query, [name]) as session:
        chosen = _query_mask(query, name, mask)
        _refuse_omitted(session, query, chosen)
        for group in session:
            _fill(simulation, session, group, query, values)
        for group in session:
            session.commit(group, None if chosen is None else chosen[group._rows])


def _fill(simulation: Simulation, session: WriteSession, group: WriteGroup, query: Query, values: object) -> None:
    """Fill a group from what a caller passed for all rows of the query."""
    if group._is_dynamic:
        elements = as_numbers(group.row, _as_handles(simulation, group.row, values))
        whole = sized(group, elements)
        group.resize([len(whole)] * len(group))
        group.values[...] = np.tile(whole, (len(group), 1))
        return
    if group.offsets is not None and isinstance(values, (list, tuple)) and _is_per_prim(values, query):
        for position, target in zip(group._rows, group.per_prim(), strict=True):
            given = as_numbers(group.row, values[position])
            target[...] = spread(group.row, group.lanes, given, len(target), f"elements of {query.paths[position]}")
        return
    given = as_numbers(group.row, values)
    if group.offsets is None:
        group.values[...] = spread(group.row, group.lanes, given, len(query), "rows")[group._rows]
        return
    if len(session.groups) > 1 and given.ndim > 0:
        raise ValueRefusedError(f"{group.attribute!r} is in several scenes: pass a list with the values of each prim.")
    group.values[...] = spread(group.row, group.lanes, given, len(group.values), "elements")


def sized(group: WriteGroup, given: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return elements for an attribute of which there are as many as one likes: ``(elements, lanes)``."""
    width = len(group.lanes)
    whole = given.reshape(-1, width) if given.ndim < 2 and given.size % width == 0 else given
    if whole.ndim != 2 or whole.shape[1] != width:
        raise ValueRefusedError(
            f"{group.attribute!r} got values of shape {given.shape}: pass (elements, {width}), with no element for "
            "none. Nothing has been changed."
        )
    return whole


def _as_handles(simulation: Simulation, row: Attribute, values: object) -> object:
    """Return the handles of paths where an attribute takes such; other values as they are."""
    if row.role is not Role.PATH or not isinstance(values, (list, tuple)):
        return values
    paths = [item for item in values if isinstance(item, str)]
    if len(paths) != len(values):
        return values
    with EngineErrors(simulation.backend.name, "find paths"):
        return list(cast(NamingEngine, simulation._engine).handles_of(paths))


def _is_per_prim(values: Sequence[Any], query: Query) -> bool:
    return len(values) == len(query) and all(np.ndim(item) > 0 for item in values)


def _refuse_omitted(session: WriteSession, query: Query, chosen: _Mask | None) -> None:
    asked = set(query.paths) if chosen is None else {path for path, on in zip(query.paths, chosen, strict=True) if on}
    for omission in session.omissions:
        lacking = [path for path in omission.paths if path in asked]
        if lacking:
            more = f" and {len(lacking) - 1} more" if len(lacking) > 1 else ""
            raise NotWritableError(
                f"{omission.attribute!r} of {lacking[0]}{more} cannot be written: {omission.detail} Query the others, "
                "or leave these out with mask=. Nothing has been changed."
            )


def _query_mask(query: Query, name: str, mask: npt.ArrayLike | None) -> _Mask | None:
    return None if mask is None else as_mask(mask, len(query), f"{name!r}: the query")
