"""A whole backend, in under 150 lines, on a small engine (:mod:`rest_world`). The tests of the core run on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt
from rest_world import AXES, BODIES, MEMBERS, RATES, World

from ovread.backend import (
    BackendInfo,
    Buffer,
    Column,
    Diagnostic,
    FilledColumns,
    Level,
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

BODY, JOINT = ObjectType.RIGID_BODY, ObjectType.ARTICULATION_JOINT
CONFIGURATION = OmissionReason.UNSUPPORTED_CONFIGURATION
STUCK = Support(Level.UNSUPPORTED, "A stuck joint has no rate.")
NOT_STEPPED = Omission("linearAcceleration", OmissionReason.NOT_READY, "It comes with the first step.")
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


@hookimpl
def ovread_describe_backend() -> BackendInfo:
    return BackendInfo(
        engine="rest 1.0",
        summary="Bodies that never move.",
        support={
            **supports(BODY, "position mass linearAcceleration kinematicTargetPosition"),
            **supports(BODY, "isSleeping", Level.UNSUPPORTED, "Nothing here ever wakes."),
            **supports(JOINT, "jointPosition jointVelocity"),
            **supports(ObjectType.ARTICULATION, "linkCount"),
            **supports(ObjectType.SCENE, "gravity"),
        },
        variants={"stuck": {(JOINT, "jointVelocity"): STUCK}},
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
    if object_type is ObjectType.ARTICULATION:
        return Objects(("/World/robot",), members=lambda: [MEMBERS])
    return Objects({JOINT: tuple(RATES), ObjectType.SCENE: scenes}.get(object_type, ()))


@hookimpl
def ovread_bind_read(
    engine: RestEngine, object_type: ObjectType, rows: npt.NDArray[np.intp], attributes: Sequence[str]
) -> FilledColumns:
    columns, fills, omissions = list[Column](), list[Callable[[Buffer], None]](), list[Omission]()
    for name in attributes:
        for column, source in _columns(engine.world, object_type, rows, name):
            columns.append(column)
            fills.append(partial(_fill, engine, name, source))
        if name == "kinematicTargetPosition" and (free := tuple(BODIES[row % 3] for row in rows if row % 3 != 2)):
            omissions.append(Omission(name, CONFIGURATION, "The body is not kinematic.", free))
    return FilledColumns(columns, fills, omissions)


def _columns(
    world: World, object_type: ObjectType, rows: npt.NDArray[np.intp], name: str
) -> Iterator[tuple[Column, npt.NDArray[np.intp]]]:
    """Give each column, and where its elements are in the world's array."""
    covered = np.arange(len(rows))
    if object_type is JOINT:
        starts = np.cumsum(AXES) - AXES
        elements = [element for row in rows for element in range(starts[row], starts[row] + AXES[row])]
        yield Column(name, covered, counts=AXES[rows]), np.array(elements, dtype=np.intp)
    elif object_type is BODY:
        served = (rows % 3 == 2) | (name != "kinematicTargetPosition")
        for number, scene in enumerate(world.scenes):
            mine = covered[served & (rows // 3 == number)]
            yield Column(name, mine, scene=scene if len(world.scenes) > 1 else None), rows[mine]
    else:
        yield Column(name, covered), rows


def _fill(engine: RestEngine, name: str, source: npt.NDArray[np.intp], buffer: Buffer) -> None:
    ready = name != "linearAcceleration" or engine.world.steps > 0
    buffer.omission = None if ready else NOT_STEPPED
    if ready:
        np.take(engine.world.values[name], source, axis=0, out=buffer.host, mode="clip")
