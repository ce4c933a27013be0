"""What must be done after a write, so that the next read and the next step obey it.

The engine wakes what gets a pose, a velocity, a target or a force, and lets a sleeping object sleep on when its
properties change: here, every write wakes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import attrs
import numpy as np
import numpy.typing as npt

from ovread.backend import Column
from ovread.catalogue import ObjectType, Persistence, attribute
from ovread_physx._objects import articulation_members
from ovread_physx._sources import KeptQuery
from ovread_physx._write_current import CurrentValues
from ovread_physx._write_plans import Publication, plan_write, publish_from
from ovread_physx._write_sources import WriteSource, open_write_source

if TYPE_CHECKING:
    from ovread_physx._engine import PhysxEngine

Indices = npt.NDArray[np.intp]

_BODY = ObjectType.RIGID_BODY
_LINK = ObjectType.ARTICULATION_LINK
_ROOT = ObjectType.ARTICULATION
_OF_ARTICULATIONS = (_LINK, ObjectType.ARTICULATION_JOINT, ObjectType.FIXED_TENDON, ObjectType.SPATIAL_TENDON)
"""Types of what sleeps with a whole articulation."""

_MOVES_LINKS = {
    (_LINK, "centerOfMassPosition"),
    (ObjectType.ARTICULATION_JOINT, "jointPosition"),
    (ObjectType.ARTICULATION_JOINT, "jointVelocity"),
    (_ROOT, "rootPosition"),
    (_ROOT, "rootOrientation"),
    (_ROOT, "rootLinearVelocity"),
    (_ROOT, "rootAngularVelocity"),
}
"""Attributes on which poses or velocities of links depend; on a GPU the engine has these follow only when told."""


@attrs.frozen(eq=False)
class Sequel:
    """Something to do after each publication of some rows."""

    run: Callable[[], None]
    queries: tuple[KeptQuery, ...] = ()
    """Native queries of its own."""


def sequels_of(engine: PhysxEngine, object_type: ObjectType, name: str, rows: Indices) -> list[Sequel]:
    """Return what follows a write of one attribute to the objects ``rows``."""
    found = []
    if (object_type, name) == (_BODY, "disableSimulation"):
        found.append(Sequel(engine.note_disabling))
    if engine.device != "cpu":
        # Nothing sleeps there; see the engine's DirectGPU mode.
        return [*found, _move_links(engine, object_type, rows)] if (object_type, name) in _MOVES_LINKS else found
    if attribute(object_type, name).persistence is Persistence.PROPERTY:
        if object_type is _BODY:
            found.append(_wake_bodies(engine, rows))
        elif object_type in _OF_ARTICULATIONS:
            found.append(_touch_articulations(engine, object_type, rows))
    return found


def _move_links(engine: PhysxEngine, object_type: ObjectType, rows: Indices) -> Sequel:
    prims = _prims(engine, object_type, rows)
    return Sequel(lambda: engine.physx.update_articulations_kinematic(prim_paths=prims))


def _wake_bodies(engine: PhysxEngine, rows: Indices) -> Sequel:
    source, parts = _publications(engine, _BODY, "wake", rows)
    awake = np.ones((len(rows), 1), dtype=np.uint8)

    def wake() -> None:
        for part in parts:
            part.publish(awake)

    return Sequel(wake, (source,))


def _touch_articulations(engine: PhysxEngine, object_type: ObjectType, rows: Indices) -> Sequel:
    """Write the root's velocity as it is: that wakes an articulation, and renews the velocities of its links.

    They depend on the links' centres of mass, which the engine does not take into account by itself. Its own
    ``update_articulations_kinematic`` would make a step first where none has been made.
    """
    roots = _articulations_of(engine, object_type, rows)
    source, parts = _publications(engine, _ROOT, "rootLinearVelocity", roots)
    current = CurrentValues(engine, _ROOT, "rootLinearVelocity", roots)

    def touch() -> None:
        values = current.read()
        for part in parts:
            part.publish(values)

    return Sequel(touch, (source, current))


def _publications(
    engine: PhysxEngine, object_type: ObjectType, name: str, rows: Indices
) -> tuple[WriteSource, list[Publication]]:
    """Prepare a write of one attribute, whatever the scenes of the objects."""
    source = open_write_source(engine, object_type, _prims(engine, object_type, rows))
    try:
        plan = plan_write(engine, object_type, source, name, rows)
        parts = []
        for column in plan.columns:
            row_of = np.full(len(rows), -1, dtype=np.intp)
            row_of[column.rows] = column.rows
            parts.append(publish_from(plan, source, object_type, Column(name, np.arange(len(rows))), row_of))
    except BaseException:
        source.close()
        raise
    return source, parts


def _prims(engine: PhysxEngine, object_type: ObjectType, rows: Indices) -> list[int]:
    table = engine.table(object_type)
    return list(dict.fromkeys(table.prims[row] for row in rows))


def _articulations_of(engine: PhysxEngine, object_type: ObjectType, rows: Indices) -> Indices:
    """Return the articulations that some links, joints or tendons belong to; all where that is not known."""
    roots: dict[str, list[int]] = {}
    members = articulation_members(engine)
    for root, paths in enumerate(members):
        for path in paths:
            roots.setdefault(path, []).append(root)
    paths = engine.table(object_type).paths
    everyone = list(range(len(members)))
    found = {root for row in rows for root in roots.get(paths[row], everyone)}
    return np.array(sorted(found), dtype=np.intp)
