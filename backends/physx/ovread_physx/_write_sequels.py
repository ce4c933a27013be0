"""What must be done after a write, so that the next read and the next step obey it.

The engine wakes what gets a pose, a velocity, a target or a force, and lets a sleeping object sleep on when its
properties change: here, every write wakes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
import numpy.typing as npt

from ovread.backend import Column
from ovread.catalogue import ObjectType, Persistence, attribute
from ovread_physx._objects import articulation_members
from ovread_physx._write_plans import Publication, plan_write, publish_from
from ovread_physx._write_sources import WriteSource, open_write_source

if TYPE_CHECKING:
    from ovread_physx._engine import PhysxEngine

Indices = npt.NDArray[np.intp]

_BODY = ObjectType.RIGID_BODY
_LINK = ObjectType.ARTICULATION_LINK
_SLEEPING = (
    _BODY,
    _LINK,
    ObjectType.ARTICULATION_JOINT,
    ObjectType.FIXED_TENDON,
    ObjectType.SPATIAL_TENDON,
)
"""Types of what may sleep, whose properties the engine changes without waking it."""

_MOVES_LINKS = {(_LINK, "centerOfMassPosition")}
"""Attributes on which the velocities of links depend; the engine has them follow only when told."""

_MOVES_LINKS_ON_CUDA = _MOVES_LINKS | {
    (ObjectType.ARTICULATION_JOINT, "jointPosition"),
    (ObjectType.ARTICULATION_JOINT, "jointVelocity"),
    (ObjectType.ARTICULATION, "rootPosition"),
    (ObjectType.ARTICULATION, "rootOrientation"),
    (ObjectType.ARTICULATION, "rootLinearVelocity"),
    (ObjectType.ARTICULATION, "rootAngularVelocity"),
}


@attrs.frozen(eq=False)
class Sequel:
    """Something to do after each publication of some rows."""

    run: Callable[[], None]
    source: WriteSource | None = None
    """A native query of its own."""


def sequels_of(engine: PhysxEngine, object_type: ObjectType, name: str, rows: Indices) -> list[Sequel]:
    """Return what follows a write of one attribute to the objects ``rows``."""
    found = []
    is_on_cpu = engine.device == "cpu"
    if (object_type, name) in (_MOVES_LINKS if is_on_cpu else _MOVES_LINKS_ON_CUDA):
        found.append(_move_links(engine, object_type, rows))
    if (object_type, name) == (_BODY, "disableSimulation"):
        found.append(Sequel(engine.note_disabling))
    is_property = attribute(object_type, name).persistence is Persistence.PROPERTY
    # Nothing sleeps where PhysX runs on a GPU without reading back.
    if is_on_cpu and object_type in _SLEEPING and is_property:
        found.append(_wake(engine, object_type, rows))
    return found


def _move_links(engine: PhysxEngine, object_type: ObjectType, rows: Indices) -> Sequel:
    table = engine.table(object_type)
    prims = list(dict.fromkeys(table.prims[row] for row in rows))
    return Sequel(lambda: engine.physx.update_articulations_kinematic(prim_paths=prims))


def _wake(engine: PhysxEngine, object_type: ObjectType, rows: Indices) -> Sequel:
    """Wake bodies by the command that wakes; articulations, which have none, by a force of zero on a link."""
    if object_type is _BODY:
        return _publishing(engine, _BODY, "wake", rows, np.ones((len(rows), 1), dtype=np.uint8))
    links = rows if object_type is _LINK else _links_of(engine, object_type, rows)
    return _publishing(engine, _LINK, "force", links, np.zeros((len(links), 3), dtype=np.float32))


def _publishing(
    engine: PhysxEngine, object_type: ObjectType, name: str, rows: Indices, values: npt.NDArray[Any]
) -> Sequel:
    table = engine.table(object_type)
    source = open_write_source(engine, object_type, list(dict.fromkeys(table.prims[row] for row in rows)))
    try:
        plan = plan_write(engine, object_type, source, name, rows)
        parts: list[Publication] = []
        for column in plan.columns:
            row_of = np.full(len(rows), -1, dtype=np.intp)
            row_of[column.rows] = column.rows
            whole = Column(name, np.arange(len(rows)))
            parts.append(publish_from(plan, source, object_type, whole, row_of))
    except BaseException:
        source.close()
        raise

    def publish() -> None:
        for part in parts:
            part.publish(values)

    return Sequel(publish, source)


def _links_of(engine: PhysxEngine, object_type: ObjectType, rows: Indices) -> Indices:
    """Return one link of each articulation that some joints or tendons belong to."""
    links = {path: row for row, path in enumerate(engine.table(_LINK).paths)}
    link_of = {}
    for paths in articulation_members(engine):
        first = next((links[path] for path in paths if path in links), None)
        link_of.update(dict.fromkeys(paths, first))
    paths = engine.table(object_type).paths
    found = {link for row in rows if (link := link_of.get(paths[row])) is not None}
    return np.array(sorted(found), dtype=np.intp)
