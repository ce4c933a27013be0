"""What every answer keeps, whatever it is about: types, lanes, identity, order, time, omissions and refusals.

These checks take every attribute that a query lists, so a row that is added to the catalogue is covered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ovread import Group, ObjectType, OmissionReason, Query, ReadResult, catalogue
from ovread.backend import Level
from ovread.catalogue import Role
from ovread.errors import (
    AttributeOfOtherTypeError,
    DuplicateAttributeError,
    ForeignQueryError,
    NotReadableError,
    OmittedError,
    OvreadError,
    SelectionError,
    TimeStepError,
    UnknownAttributeError,
    UnknownPathError,
)
from ovread.order import natural_key
from ovread.values import DTYPES
from ovread_conformance.effects import LOOSE
from ovread_conformance.live import Check, Live
from ovread_conformance.oracles import BODY, Oracle
from ovread_conformance.systems import RUBBING, SYSTEMS, VARIANTS, System, express

DT = 1 / 240

_UNTOUCHED = (ObjectType.DEBUG_RENDER, ObjectType.PHYSICS)
"""Types whose objects are not on the stage."""


def queries(simulation: Live) -> Iterator[Query]:
    """Give a query of all objects of each type of which there are some, and something to read."""
    for kind in ObjectType:
        if kind not in _UNTOUCHED:
            query = simulation.query(kind)
            if len(query) and query.attributes:
                yield query


def groups(simulation: Live) -> Iterator[tuple[Query, Group]]:
    """Read everything."""
    for query in queries(simulation):
        for group in simulation.read(query, query.attributes):
            yield query, group


def refuses(action: Callable[[], object], kind: type[OvreadError], what: str) -> str:
    """Check that an action is refused with an error of one kind, and return its words."""
    try:
        action()
    except kind as error:
        return str(error)
    except Exception as error:
        raise AssertionError(f"{what} raises {kind.__name__}, not {type(error).__name__}: {error}") from error
    raise AssertionError(f"{what} raises {kind.__name__}: it was accepted")


# Types, lanes, layouts.


def _types_and_lanes(simulation: Live) -> None:
    for moment in ("before a step", "after a step"):
        for query, group in groups(simulation):
            _check_form(query, group, moment)
        simulation.step(DT)


def _check_form(query: Query, group: Group, moment: str) -> None:
    row = catalogue.attribute(query.object_type, group.attribute)
    what = f"{row.name} of {query.object_type.name} {moment}"
    values = group.numpy()
    assert values.dtype == DTYPES[row.dtype], f"{what} is of the catalogue's type {row.dtype}: got {values.dtype}"
    assert values.ndim == 2, f"{what} is a table of elements and lanes: got shape {values.shape}"
    assert values.shape[1] == len(group.lanes), f"{what} has one column per lane {group.lanes}: got {values.shape}"
    if row.role is not Role.GENERALIZED:
        assert group.lanes == row.lanes, f"{what} has the catalogue's lanes {row.lanes}: got {group.lanes}"
    assert group.frame == row.frame.value, f"{what} is in the catalogue's frame: got {group.frame}"
    assert np.isfinite(values).all() or values.dtype.kind != "f", f"{what} has only numbers: got {values}"
    assert set(group.paths) <= set(query.paths), f"{what} is of the objects that were asked for: got {group.paths}"
    if row.role is Role.QUATERNION:
        assert np.allclose(np.linalg.norm(values, axis=1), 1, atol=1e-5), f"{what} has length 1: got {values}"
    if row.role is Role.FLAG:
        assert np.isin(values, (0, 1)).all(), f"{what} is 0 or 1: got {values}"
    if group.labels is not None:
        _check_labels(group, what)


def _check_labels(group: Group, what: str) -> None:
    assert group.labels is not None
    assert len(group.labels) == len(group), f"{what} has labels for each row"
    for labels in group.labels:
        size = max(1, len(labels.rows)) * len(labels.columns)
        assert size == group.numpy().shape[1], f"{what} has one number per row and column of its labels"
        assert len(set(labels.columns)) == len(labels.columns), f"{what} has labels that differ: {labels.columns}"


def _offsets(simulation: Live) -> None:
    for query, group in groups(simulation):
        what = f"{group.attribute} of {query.object_type.name}"
        if not group.row.layout.is_ragged:
            assert group.offsets is None, f"{what} has a fixed layout, so no offsets: got {group.offsets}"
            assert len(group.numpy()) == len(group), f"{what} has one row per prim"
            continue
        offsets = group.offsets
        assert offsets is not None, f"{what} has offsets"
        assert len(offsets) == len(group) + 1, f"{what} has one offset more than prims: got {offsets}"
        ends = offsets[0] == 0 and offsets[-1] == len(group.numpy())
        assert ends, f"{what} has offsets from 0 to the number of elements: got {offsets}"
        assert (np.diff(offsets) >= 0).all(), f"{what} has offsets that do not fall: got {offsets}"
    system = RUBBING
    shapes = {f"/World/arm/{link.name}": len(link.shapes) for link in system.robots[0].links}
    links = simulation.query(ObjectType.ARTICULATION_LINK)
    for name in ("restitution", "friction", "dynamicFriction"):
        for group in simulation.read(links, [name]).all(name):
            got = {path: len(values) for path, values in zip(group.paths, group.per_prim(), strict=True)}
            assert got == shapes, f"{name} has one element per shape of its link: expected {shapes}, got {got}"


# Identity and order.


def _identity(simulation: Live) -> None:
    numbered = Oracle(LOOSE).expected((BODY, "mass"))
    query = simulation.query(BODY)
    natural = tuple(sorted(numbered, key=natural_key))
    assert query.paths == natural, f"rows come in natural path order {natural}: got {query.paths}"
    for order in (natural, natural[::-1], natural[2:] + natural[:2], natural[1:2]):
        chosen = simulation.query(BODY, paths=list(order))
        assert chosen.paths == order, f"explicit paths keep the caller's order {order}: got {chosen.paths}"
        _check_masses(simulation, chosen)
    _check_masses(simulation, query)
    native = simulation.query(BODY, order="native")
    assert sorted(native.paths) == sorted(natural), f"the native order has the same objects: got {native.paths}"
    got = native.native_rows.tolist()
    assert got == list(range(len(natural))), f"native_rows of the native order counts from 0: got {got}"
    _check_masses(simulation, native)
    mapped = tuple(native.paths[row] for row in query.native_rows)
    assert mapped == query.paths, f"native_rows leads from canonical rows to native ones: got {mapped}"


def _check_masses(simulation: Live, query: Query) -> None:
    expected = Oracle(LOOSE).expected((BODY, "mass"))
    for name in ("mass", "position"):
        wanted = Oracle(LOOSE).expected((BODY, name)) if name != "mass" else expected
        group = simulation.read(query, [name])[name]
        assert group.paths == query.paths, f"the paths of a group are those of its query: got {group.paths}"
        for path, value in zip(group.paths, group.numpy(), strict=True):
            assert np.allclose(value, np.asarray(wanted[path], dtype=float), rtol=1e-5, atol=1e-5), (
                f"row i holds the value of path i: {name} of {path} is {value}, not {wanted[path]!r}"
            )


_RENAMED = express(LOOSE, next(variant for variant in VARIANTS if variant.name == "renamed"))
_REVERSED = express(LOOSE, next(variant for variant in VARIANTS if variant.name == "written in reverse"))


def _renamed(simulation: Live) -> None:
    for system in (_RENAMED, _REVERSED):
        with simulation.another(system) as other:
            numbered = Oracle(system).expected((BODY, "mass"))
            query = other.query(BODY)
            natural = tuple(sorted(numbered, key=natural_key))
            assert query.paths == natural, (
                f"the order follows the names, not the place in the file: expected {natural}, got {query.paths}"
            )
            for path, value in zip(query.paths, other.read(query, ["mass"])["mass"].numpy(), strict=True):
                assert np.allclose(value, np.asarray(numbered[path]), rtol=1e-5), (
                    f"row i holds the value of path i: {path}"
                )


# Time.


def _time(simulation: Live) -> None:
    query = simulation.query(BODY)

    def check(tick: int, time: float, when: str) -> None:
        result = simulation.read(query, ["position"])
        for what, got in (
            ("the simulation", (simulation.tick, simulation.time)),
            ("a result", (result.tick, result.time)),
        ):
            assert got[0] == tick, f"tick counts steps ({what}, {when}): expected {tick}, got {got[0]}"
            assert abs(got[1] - time) <= 1e-9, f"time is in seconds ({what}, {when}): expected {time}, got {got[1]}"

    check(0, 0.0, "at opening")
    simulation.step(DT)
    check(1, DT, "after a step")
    simulation.step(DT / 2, count=4)
    check(5, 3 * DT, "after four more of half the time")
    simulation.reset()
    check(0, 0.0, "after a reset")


# What is missing.


def _omissions(simulation: Live) -> None:
    for kind in ObjectType:
        if kind in _UNTOUCHED:
            continue
        query = simulation.query(kind)
        if len(query):
            _check_omissions(simulation, query)


def _check_omissions(simulation: Live, query: Query) -> None:
    names = [row.name for row in catalogue.attributes(query.object_type) if row.readable]
    result = simulation.read(query, names)
    for name in names:
        declared = simulation.backend.support_of((query.object_type, name), simulation.variant)
        reasons = [item for item in result.omissions if item.attribute == name]
        covered = {path for group in result.all(name) for path in group.paths}
        missing = set(query.paths) - covered
        what = f"{name} of {query.object_type.name}"
        if declared.level is Level.UNSUPPORTED:
            assert not covered, f"{what} is declared unsupported ({declared.reason}), so it has no values"
        if missing:
            assert reasons, f"{what} is missing for {sorted(missing)}, and an omission says why"
            for item in reasons:
                assert isinstance(item.reason, OmissionReason), f"the omission of {what} has a reason of the list"
                assert len(item.detail.split()) >= 3, f"the omission of {what} says why in words: {item.detail!r}"
                known = set(item.paths) <= set(query.paths)
                assert known, f"the omission of {what} names paths of the query: got {item.paths}"
        if not covered:
            refuses(lambda name=name: result[name], OmittedError, f"taking {what}, which was omitted,")  # type: ignore[misc]


def _unknown_moments(simulation: Live) -> None:
    query = simulation.query(BODY)
    names = [name for name in ("linearAcceleration", "angularAcceleration") if _is_served(simulation, (BODY, name))]

    def check(result: ReadResult, when: str) -> None:
        for name in names:
            reasons = {item.reason for item in result.omissions if item.attribute == name}
            assert not result.all(name), (
                f"{name} belongs to the last step, and before the first there is none ({when}): got "
                f"{result.all(name)[0].numpy()}"
            )
            assert reasons == {OmissionReason.NOT_READY}, f"{name} is NOT_READY before the first step: got {reasons}"

    reader = simulation.reader(query, names)
    check(simulation.read(query, names), "at opening")
    check(reader.read(), "by a reader")
    simulation.step(DT)
    for result in (simulation.read(query, names), reader.read()):
        assert not result.omissions, f"after a step accelerations are known: {result.omissions}"
        for name in names:
            assert np.isfinite(result[name].numpy()).all(), f"{name} has only numbers"
    simulation.reset()
    check(simulation.read(query, names), "after a reset")
    check(reader.read(), "by a reader after a reset")


def _is_served(simulation: Live, key: tuple[ObjectType, str]) -> bool:
    return simulation.backend.support_of(key, simulation.variant).level is not Level.UNSUPPORTED


# Refusals.


def _names(simulation: Live) -> None:
    query = simulation.query(BODY)
    words = refuses(lambda: simulation.read(query, ["position", "positoin"]), UnknownAttributeError, "a misspelt name")
    assert "position" in words, f"the refusal of a misspelt name suggests the right one: {words}"
    refuses(lambda: simulation.reader(query, ["nothing"]), UnknownAttributeError, "a name outside the catalogue")
    refuses(lambda: simulation.read(query, ["jointPosition"]), AttributeOfOtherTypeError, "a name of other objects")
    refuses(lambda: simulation.read(query, ["force"]), NotReadableError, "a name that can only be written")
    refuses(lambda: simulation.read(query, ["mass", "mass"]), DuplicateAttributeError, "a name given twice")
    refuses(lambda: simulation.query(BODY, paths=["/World/nothing"]), UnknownPathError, "a path of nothing")
    refuses(
        lambda: simulation.query(BODY, paths=["/World/env_1"], pattern="/World/*"),
        SelectionError,
        "paths and a pattern",
    )
    for dt in (0.0, -1.0, float("nan")):
        refuses(lambda dt=dt: simulation.step(dt), TimeStepError, f"a step of {dt} seconds")  # type: ignore[misc]
    assert simulation.tick == 0, "a refused step is none"


def _foreign_queries(simulation: Live) -> None:
    with simulation.another(LOOSE) as other:
        foreign = other.query(BODY)
        refuses(lambda: simulation.read(foreign, ["mass"]), ForeignQueryError, "a query of another simulation")
        refuses(lambda: simulation.reader(foreign, ["mass"]), ForeignQueryError, "a query of another simulation")


def _every(check: Callable[[Live], None]) -> Callable[[Live], None]:
    """Carry a check out on every system."""

    def run(simulation: Live) -> None:
        check(simulation)
        for system in SYSTEMS[1:]:
            with simulation.another(system) as other:
                check(other)

    return run


_BODIES: System = SYSTEMS[0]

CHECKS = (
    Check("types and lanes", "Each row has the type, lanes, frame and layout of the catalogue.", _BODIES,
          _every(_types_and_lanes), ("other type", "other lanes")),
    Check("offsets", "Row i of a ragged layout owns elements offsets[i] to offsets[i + 1].", RUBBING, _offsets,
          ("shifted offsets",)),
    Check("identity and order", "Row i is path i: in natural order, the caller's, or the engine's own.", LOOSE,
          _identity, ("unsorted rows", "lost order", "native rows"), needs=((BODY, "position"),)),
    Check("order under renaming", "The order follows the names.", LOOSE, _renamed, ("unsorted rows", "native rows")),
    Check("tick and time", "A tick is a step, time is in seconds, and results carry both.", LOOSE, _time,
          ("standing tick", "time in ticks")),
    Check("omissions", "What is missing is named with its reason, and has no value.", _BODIES, _every(_omissions),
          ("zeros for omissions", "NaN for omissions", "silent omissions")),
    Check("unknown moments", "What belongs to a step is not ready before the first.", LOOSE, _unknown_moments,
          ("zeros for omissions", "NaN for omissions"), reads=((BODY, "linearAcceleration"),)),
    Check("names", "A name or number that means nothing is refused, with the right one where it is misspelt.", LOOSE,
          _names, ("accepted name", "accepted duplicate")),
    Check("foreign queries", "A query belongs to the simulation that made it.", LOOSE, _foreign_queries,
          ("foreign query",)),
)  # fmt: skip
"""What every answer keeps."""
