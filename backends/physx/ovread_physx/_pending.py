"""Objects before the first step of a scene whose state lives on a GPU (DirectGPU).

The engine sizes its GPU memory in that step. Until then it counts bodies, links, articulations and joints, but answers
no read of them, so no group names them ("Step-first precondition" in its data model). They are looked for on the stage
instead, and counted natively, so nothing is listed that the engine does not have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import attrs
import numpy as np
import numpy.typing as npt

from ovread.backend import FilledColumns, Omission, OmissionReason, ReadBinding
from ovread.catalogue import ObjectType
from ovread_physx import _authored, _inspection
from ovread_physx._authored_joints import read_joints
from ovread_physx._logging import log
from ovread_physx._table import Table, table_of

if TYPE_CHECKING:
    from ovread_physx._engine import PhysxEngine

Rows = npt.NDArray[np.intp]

NOT_READY_BIT = 4
"""``OVPHYSX_READ_OMISSION_NOT_READY``."""

_ASKED = {
    ObjectType.RIGID_BODY: "position",
    ObjectType.ARTICULATION_LINK: "position",
    ObjectType.ARTICULATION_JOINT: "jointPosition",
    ObjectType.ARTICULATION: "rootPosition",
    ObjectType.FIXED_TENDON: "tendonStiffness",
    ObjectType.SPATIAL_TENDON: "tendonStiffness",
    ObjectType.DEFORMABLE_VOLUME: "points",
    ObjectType.DEFORMABLE_SURFACE: "points",
}
"""Types whose state the first step produces, with an attribute that says whether it has."""

_LISTED_WITH = {
    ObjectType.VEHICLE: ObjectType.RIGID_BODY,
    ObjectType.CHARACTER_CONTROLLER: ObjectType.RIGID_BODY,
}
_NOT_READY = "PhysX sizes its GPU memory in the first step and reads nothing of these objects before: step first."


def is_awaited(engine: PhysxEngine, object_type: ObjectType) -> bool:
    """Whether the engine has objects of a type that it reads only once a step was made."""
    if object_type in _LISTED_WITH:
        return is_awaited(engine, _LISTED_WITH[object_type])
    name = _ASKED.get(object_type)
    return name is not None and bool(engine.omission_bits(object_type, name) & NOT_READY_BIT)


def with_unready(engine: PhysxEngine, object_type: ObjectType, table: Table) -> Table:
    """Add the objects that no group names yet; which physics scene has them is not known then."""
    if object_type in _LISTED_WITH or table.fault:
        return table
    total = _inspection.count(engine, object_type)
    found = dict.fromkeys(table.prims)
    for pool in _pools(engine, object_type):
        if len(found) >= total:
            break
        candidates = [prim for prim in dict.fromkeys(pool) if prim not in found]
        found |= dict.fromkeys(_inspection.members(engine, object_type, candidates))
    if len(found) < total and object_type is not ObjectType.ARTICULATION_JOINT:
        log.warning("PhysX has %d objects of type %s, but names only %d yet", total, object_type.name, len(found))
    prims = list(found)
    listed = table_of(engine.path_strings(prims), prims, [len(prims)] if prims else [])
    if object_type is not ObjectType.RIGID_BODY:
        return listed
    instancers = set(_authored.prims_of_type(engine, "PointInstancer"))
    return attrs.evolve(listed, instancers=frozenset(row for row, prim in enumerate(prims) if prim in instancers))


def _pools(engine: PhysxEngine, object_type: ObjectType) -> Iterator[Iterable[int]]:
    """Yield where objects of a type may be found: first where next to nothing else is, which takes few counts."""
    if object_type is ObjectType.RIGID_BODY:
        bodies, actors = _with_schema(engine, "PhysicsRigidBodyAPI"), _actors(engine)
        yield [prim for prim in bodies if prim in actors]
        yield _authored.prims_of_type(engine, "PointInstancer")
        yield _with_schema(engine, "PhysxCharacterControllerAPI")
        yield [*bodies, *actors]  # Clones are not on the stage.
    elif object_type is ObjectType.ARTICULATION_LINK:
        bodies, actors = _with_schema(engine, "PhysicsRigidBodyAPI"), _actors(engine)
        yield [prim for prim in bodies if prim not in actors]
        yield bodies
        yield _pointers(engine, object_type)
    elif object_type is ObjectType.ARTICULATION:
        # A selection keeps an articulation by its links too, so only what can be its path is a candidate.
        yield _with_schema(engine, "PhysicsArticulationRootAPI")
        yield _pointers(engine, object_type)
    elif object_type is ObjectType.ARTICULATION_JOINT:
        yield _free_joints(engine)
    elif object_type is ObjectType.FIXED_TENDON:
        yield engine.table(ObjectType.ARTICULATION_JOINT).prims
        yield _joints(engine)
    elif object_type is ObjectType.SPATIAL_TENDON:
        yield engine.table(ObjectType.ARTICULATION_LINK).prims
    else:
        yield _with_schema(engine, "OmniPhysicsDeformableBodyAPI")


def _with_schema(engine: PhysxEngine, name: str) -> list[int]:
    return _authored.prims_with_schema(engine, name)


def _actors(engine: PhysxEngine) -> dict[int, None]:
    return dict.fromkeys(_pointers(engine, ObjectType.RIGID_ACTOR))


def _pointers(engine: PhysxEngine, object_type: ObjectType) -> list[int]:
    """Return the prims that have an address: a snapshot on the host, for types without state on the GPU at any time."""
    return [prim for group in engine.survey(object_type, ["physxPointer"]) for prim in group.prims]


def _joints(engine: PhysxEngine) -> list[int]:
    kinds = ("PhysicsRevoluteJoint", "PhysicsPrismaticJoint", "PhysicsSphericalJoint", "PhysicsJoint")
    return [prim for kind in kinds for prim in _authored.prims_of_type(engine, kind)]


def _free_joints(engine: PhysxEngine) -> list[int]:
    """Return the joints with a free axis: later no others are listed, as no others have a state."""
    prims = _joints(engine)
    joints = read_joints(engine, engine.path_strings(prims), {})
    return [prim for prim, joint in zip(prims, joints, strict=True) if joint.axes]


def connected_members(engine: PhysxEngine, articulations: Sequence[str]) -> list[list[str]]:
    """Return the paths of the links and joints of each articulation, as the joints on the stage connect them."""
    links = list(engine.table(ObjectType.ARTICULATION_LINK).paths)
    joints = list(engine.table(ObjectType.ARTICULATION_JOINT).paths)
    authored = engine.path_strings([*_joints(engine), *_authored.prims_of_type(engine, "PhysicsFixedJoint")])
    leader = {link: link for link in links}

    def find(path: str) -> str:
        while leader[path] != path:
            leader[path] = path = leader[leader[path]]
        return path

    first_body: dict[str, str] = {}
    for path, joint in zip(authored, read_joints(engine, authored, {}), strict=True):
        bodies = [body for body in joint.bodies if body in leader]
        if bodies:
            first_body[path] = bodies[0]
            leader[find(bodies[-1])] = find(bodies[0])
    parts: dict[str, list[str]] = {}
    for path, body in [*((link, link) for link in links), *((joint, first_body.get(joint)) for joint in joints)]:
        if body is not None:
            parts.setdefault(find(body), []).append(path)
    return [_part_of(articulation, list(parts.values()), first_body, find) for articulation in articulations]


def _part_of(
    articulation: str, parts: Sequence[list[str]], first_body: dict[str, str], find: Callable[[str], str]
) -> list[str]:
    """Return the part that an articulation's path is in: its root link or joint, else whatever is below it."""
    if articulation in first_body:
        articulation = find(first_body[articulation])
    exact = [part for part in parts if articulation in part]
    below = exact or [part for part in parts if any(path.startswith(f"{articulation}/") for path in part)]
    return [path for part in below for path in part]


def renumbered(before: Table, now: Table) -> tuple[Table, Rows]:
    """Keep the numbers of rows that were listed before the first step.

    Returns:
        The table, with what is no longer named at its end, such as disabled bodies; and its row for each listed row:
        those listed before come first, in the order that they had.
    """
    left = {prim: list(rows) for prim, rows in now.rows_of.items()}
    order: list[int] = []
    absent: list[int] = []
    for row, prim in enumerate(before.prims):
        if left.get(prim):
            order.append(left[prim].pop(0))
        else:
            order.append(len(now.paths) + len(absent))
            absent.append(row)
    order += sorted(row for rows in left.values() for row in rows)
    if not absent:
        return now, np.array(order, dtype=np.intp)
    first = len(now.paths)
    table = Table(
        [*now.paths, *(before.paths[row] for row in absent)],
        [*now.prims, *(before.prims[row] for row in absent)],
        np.concatenate([now.group_of, np.zeros(len(absent), dtype=np.intp)]),
        now.scenes or [None],
        now.instancers | {first + place for place, row in enumerate(absent) if row in before.instancers},
        now.fault,
    )
    return table, np.array(order, dtype=np.intp)


def not_ready(names: Sequence[str]) -> ReadBinding:
    """Omit everything until a step was made: the core prepares the read again then."""
    return FilledColumns([], [], [Omission(name, OmissionReason.NOT_READY, _NOT_READY) for name in names])
