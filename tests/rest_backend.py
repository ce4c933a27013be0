"""A whole backend on a small engine (:mod:`rest_world`). The tests of the core run on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt
from rest_world import AXES, BODIES, CANONICAL, FREEDOMS, HANDLES, MEMBERS, RATES, SENSORS, VELOCITIES, World
from rest_writes import STUCK, WRITES, RestWrite

from ovread.backend import (
    BackendInfo,
    Buffer,
    Column,
    Diagnostic,
    FilledColumns,
    Level,
    MatrixLabels,
    Objects,
    Omission,
    OmissionReason,
    Option,
    Scene,
    Support,
    supports,
)
from ovread.catalogue import ObjectType
from ovread.hookspecs import hookimpl
from ovread.units import StageUnits

Rows = npt.NDArray[np.intp]
Filters = Sequence[Sequence[str]]
Fill = Callable[[Buffer], None]

BODY, JOINT = ObjectType.RIGID_BODY, ObjectType.ARTICULATION_JOINT
SENSOR, ROBOT = ObjectType.CONTACT_SENSOR, ObjectType.ARTICULATION
CONFIGURATION = OmissionReason.UNSUPPORTED_CONFIGURATION
NOT_STEPPED = Omission("linearAcceleration", OmissionReason.NOT_READY, "It comes with the first step.")
LANES = tuple(f"lane{lane}" for lane in range(24))
NO_AXIS = Diagnostic("/World/robot/locked", "no-axis", "All its axes are locked.")


@attrs.define(eq=False)
class RestEngine:
    world: World
    device: str = "cpu"
    units: StageUnits = attrs.field(factory=lambda: StageUnits(0.01, 1.0, "Z"))
    diagnostics: tuple[Diagnostic, ...] = (NO_AXIS,)
    closed: int = 0

    @property
    def variant(self) -> str:
        return self.world.joints

    def step(self, dt: float) -> None:
        self.world.advance(dt)

    def stepped(self, world: World | None = None) -> None:
        self.world = world or self.world

    def reset(self) -> None:
        self.world.reset()

    def close(self) -> None:
        self.closed += 1

    def paths_of(self, handles: Sequence[int]) -> list[str]:
        return [HANDLES[handle] for handle in handles]


@hookimpl
def ovread_describe_backend() -> BackendInfo:
    return BackendInfo(
        engine="rest 1.0",
        summary="Bodies that never move.",
        support={
            **supports(BODY, "position mass linearAcceleration kinematicTargetPosition"),
            **supports(BODY, "isSleeping", Level.UNSUPPORTED, "Nothing here ever wakes."),
            **supports(JOINT, "jointPosition jointVelocity"),
            **supports(ROBOT, "linkCount jacobian gravityForce dofJointPath"),
            **supports(SENSOR, "rawContactForce rawContactOtherBody filteredContactCount"),
            **supports(ObjectType.SCENE, "gravity"),
        },
        variants={"stuck": {(JOINT, "jointVelocity"): Support(Level.UNSUPPORTED, "A stuck joint has no rate.")}},
        writes=WRITES,
        write_variants={"stuck": STUCK},
        options=(
            Option("joints", "Whether joints turn.", default="turning", choices=("turning", "stuck")),
            Option("scenes", "In how many physics scenes each body is.", default=1, choices=(1, 2)),
        ),
    )


@hookimpl
def ovread_usd_schemas() -> list[Path]:
    return [Path(__file__).parent / "schema"]


@hookimpl
def ovread_open(scene: Scene, device: str, options: Mapping[str, Any]) -> RestEngine:
    if "unrest" in scene.source:
        raise RuntimeError("something in there moves")
    return RestEngine(World(**options), device)


@hookimpl
def ovread_adopt(objects: tuple[Any, ...], options: Mapping[str, Any]) -> RestEngine | None:
    return RestEngine(objects[0]) if objects and isinstance(objects[0], World) else None


@hookimpl
def ovread_objects(engine: RestEngine, object_type: ObjectType) -> Objects:
    scenes = engine.world.scenes
    if object_type is BODY:
        return Objects(BODIES * len(scenes), [scene for scene in scenes for _ in BODIES] if len(scenes) > 1 else None)
    if object_type is ROBOT:
        return Objects(("/World/robot",), members=lambda: [MEMBERS])
    return Objects({JOINT: tuple(RATES), ObjectType.SCENE: scenes, SENSOR: SENSORS}.get(object_type, ()))


@hookimpl
def ovread_active_rows(engine: RestEngine, object_type: ObjectType) -> Rows | None:
    return engine.world.moving if object_type is BODY else None


@hookimpl
def ovread_bind_read(
    engine: RestEngine, object_type: ObjectType, rows: Rows, attributes: Sequence[str], filters: Filters
) -> FilledColumns:
    columns, fills, omissions = list[Column](), list[Fill](), list[Omission]()
    for name in attributes:
        if name == "filteredContactCount" and not filters:
            omissions.append(Omission(name, CONFIGURATION, "The query has no filters."))
            continue
        for column, fill in _columns(engine, object_type, rows, name, filters):
            columns.append(column)
            fills.append(fill)
        if name == "kinematicTargetPosition" and (free := tuple(BODIES[row % 3] for row in rows if row % 3 != 2)):
            omissions.append(Omission(name, CONFIGURATION, "The body is not kinematic.", free))
    return FilledColumns(columns, fills, omissions)


@hookimpl
def ovread_bind_write(engine: RestEngine, object_type: ObjectType, rows: Rows, attributes: Sequence[str]) -> RestWrite:
    return RestWrite(engine.world, object_type, rows, attributes)


def _columns(
    engine: RestEngine, object_type: ObjectType, rows: Rows, name: str, filters: Filters
) -> Iterator[tuple[Column, Fill]]:
    """Give each column, and what fills it."""
    world, covered = engine.world, np.arange(len(rows))
    take = partial(partial, _take, engine, name)
    if object_type is JOINT:
        starts = np.cumsum(AXES) - AXES
        elements = [element for row in rows for element in range(starts[row], starts[row] + AXES[row])]
        yield Column(name, covered, counts=AXES[rows]), take(np.array(elements, dtype=np.intp))
    elif object_type is BODY:
        served = (rows % 3 == 2) | (name != "kinematicTargetPosition")
        for number, scene in enumerate(world.scenes):
            mine = covered[served & (rows // 3 == number)]
            yield Column(name, mine, scene=scene if len(world.scenes) > 1 else None), take(rows[mine])
    elif name == "filteredContactCount":
        yield Column(name, covered, lanes=LANES[: len(filters[0])]), partial(_count_contacts, engine, rows, filters)
    elif object_type is SENSOR:
        yield Column(name, covered, is_dynamic=True), partial(_fill_contacts, engine, rows, name)
    elif name in ("jacobian", "gravityForce"):
        yield _matrix(engine, name, rows)
    elif name == "dofJointPath":
        yield Column(name, covered, counts=np.full(len(rows), len(FREEDOMS))), take(CANONICAL[: 4 * len(rows)])
    else:
        yield Column(name, covered), take(rows)


def _matrix(engine: RestEngine, name: str, rows: Rows) -> tuple[Column, Fill]:
    of_rows = VELOCITIES if name == "jacobian" else ()
    freedoms = [f"/World/robot/{freedom}" for freedom in FREEDOMS]
    native, ordered = (MatrixLabels(of_rows, tuple(freedoms[at] for at in order)) for order in (range(4), CANONICAL))
    source = np.arange(max(len(of_rows), 1) * len(FREEDOMS)).reshape(-1, len(FREEDOMS))[:, CANONICAL].ravel()
    labels, lanes = ((ordered,) * len(rows), (native,) * len(rows)), LANES[: len(source)]
    column = Column(name, np.arange(len(rows)), None, None, lanes, False, *labels)
    return column, lambda buffer: np.take(engine.world.values[name][rows], source, 1, buffer.host, "clip")


def _fill_contacts(engine: RestEngine, rows: Rows, name: str, buffer: Buffer) -> None:
    """Give each contact of sensor n the force 100 n, 100 n + 1, ..., and the handle of what it touches."""
    np.cumsum([len(engine.world.contacts[row]) for row in rows], out=buffer.offsets[1:])
    buffer.resize(int(buffer.offsets[-1]))
    contacts = [(100 * row + at, HANDLES.index(o)) for row in rows for at, o in enumerate(engine.world.contacts[row])]
    buffer.host[:, 0] = [pair[name == "rawContactOtherBody"] for pair in contacts]


def _count_contacts(engine: RestEngine, rows: Rows, filters: Filters, buffer: Buffer) -> None:
    for line, row, paths in zip(buffer.host, rows, filters, strict=True):
        line[:] = [engine.world.contacts[row].count(path) for path in paths]


def _take(engine: RestEngine, name: str, source: Rows, buffer: Buffer) -> None:
    ready = name != "linearAcceleration" or engine.world.steps > 0
    buffer.omission = None if ready else NOT_STEPPED
    if ready:
        np.take(engine.world.values[name], source, axis=0, out=buffer.host, mode="clip")
