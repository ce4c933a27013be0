"""The reference: an ovread backend without an engine, which moves the suite's systems in double precision.

It shows that the suite can be passed, and broken copies of it show what the suite catches. Installing the suite does
not make it a backend of anybody's process: :func:`add_reference` does.
"""

from __future__ import annotations

import importlib.metadata
from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from ovread import ObjectType, StageUnits
from ovread.backend import (
    BackendInfo,
    Deviation,
    Diagnostic,
    FilledColumns,
    Level,
    Objects,
    Scene,
    Support,
    WriteSupport,
    supports,
    writes,
)
from ovread.catalogue import Writability, attribute, attributes
from ovread.errors import SceneRefusedError
from ovread.hookspecs import hookimpl
from ovread.plugins import Plugins, installed
from ovread_conformance.reference._readings import READS, Read, bind, handles, paths_of
from ovread_conformance.reference._scenes import system_of
from ovread_conformance.reference._world import World
from ovread_conformance.reference._writings import WRITES, ReferenceWrite

__all__ = ["NAME", "READS", "Read", "ReferenceEngine", "World", "add_reference", "bind", "declared", "system_of"]

NAME = "reference"
Key = tuple[ObjectType, str]

_NO_CONTACTS = "The reference simulates no contacts, and refuses systems that need them."
_NO_READER = "The reference opens systems that the suite has as data, and this check has a file."
_TOUCHING = ("resting boxes*", "sliding", "static friction", "bouncing", "box at rest*", "contacts below*")
_NO_LOOSE_JOINTS = "The reference has no joints outside articulations, and refuses systems that need them."
_CREEPS = "A joint at rest creeps: friction acts against motion only."


def add_reference(plugins: Plugins | None = None) -> None:
    """Make the reference one of the backends of this process, if it is not one yet."""
    import ovread_conformance.reference as module

    plugins = plugins or installed()
    if NAME not in plugins.infos():
        plugins.add(NAME, module, distribution="ovread-conformance", version="0.1.0")


@attrs.define(eq=False)
class ReferenceEngine:
    """An open system.

    Args:
        world: The system, as it moves.
    """

    world: World
    device: str = "cpu"
    variant: str | None = None
    diagnostics: Sequence[Diagnostic] = ()

    @property
    def units(self) -> StageUnits:
        """Units and up axis of the stage."""
        stage = self.world.authored.stage
        return StageUnits(stage.meters_per_unit, stage.kilograms_per_unit, stage.up_axis)

    def step(self, dt: float) -> None:
        """Advance by ``dt`` seconds."""
        self.world.step(dt)

    def reset(self) -> None:
        """Return to the authored state."""
        self.world.restart()

    def close(self) -> None:
        """Hold nothing native, so give back nothing."""

    def paths_of(self, given: Sequence[int]) -> Sequence[str]:
        """Return the path of each handle; an empty string for 0."""
        names = {handle: path for path, handle in handles(self.world.system).items()}
        return [names.get(handle, "") for handle in given]

    def handles_of(self, paths: Sequence[str]) -> Sequence[int]:
        """Return the handle of each path."""
        known = handles(self.world.system)
        return [known[path] for path in paths]


def declared() -> BackendInfo:
    """Return what the reference says of itself."""
    reads = {key: of for kind, names in READS.items() for key, of in supports(kind, " ".join(names)).items()}
    joints = ObjectType.ARTICULATION_JOINT
    frictions = "jointFriction jointStaticFriction jointDynamicFriction"
    written: dict[Key, WriteSupport] = {}
    for kind, names in WRITES.items():
        for name in names:
            row = attribute(kind, name)
            reason = "Some objects only: the omission says why." if row.writability is Writability.CONDITIONAL else ""
            written |= writes(kind, name, row.writability, reason)
    return BackendInfo(
        engine=f"pin {importlib.metadata.version('pin')}",
        summary="The suite's own systems in double precision, without contacts.",
        support={
            **{row.key: Support(Level.UNSUPPORTED, _NO_CONTACTS) for row in attributes(ObjectType.CONTACT_SENSOR)},
            **reads,
            **supports(joints, frictions, Level.APPROXIMATE, _CREEPS),
        },
        writes=written,
        deviations=(
            *(Deviation("no-contacts", (), _NO_CONTACTS, "pin 4", scene=scene) for scene in _TOUCHING),
            *(
                Deviation("no-loose-joints", (), _NO_LOOSE_JOINTS, "pin 4", scene=scene)
                for scene in ("hinge without an articulation", "loop")
            ),
            Deviation("no-usd-reader", (), _NO_READER, "pin 4", scene="hinge to the world"),
        ),
    )


@hookimpl
def ovread_describe_backend() -> BackendInfo:
    """Declare what is served."""
    return declared()


@hookimpl
def ovread_open(scene: Scene, device: str, options: Mapping[str, Any]) -> ReferenceEngine:
    """Open one of the suite's systems."""
    if device != "cpu":
        raise SceneRefusedError(f"The reference runs on the CPU only, not on {device!r}.")
    return ReferenceEngine(World(system_of(scene)))


@hookimpl
def ovread_objects(engine: ReferenceEngine, object_type: ObjectType) -> Objects:
    """List bodies, links, joints, articulations and the scene."""
    return Objects(paths_of(engine.world, object_type))


@hookimpl
def ovread_bind_read(
    engine: ReferenceEngine, object_type: ObjectType, rows: npt.NDArray[np.intp], attributes: Sequence[str]
) -> FilledColumns:
    """Prepare a read."""
    return bind(engine.world, object_type, rows, attributes)


@hookimpl
def ovread_bind_write(
    engine: ReferenceEngine, object_type: ObjectType, rows: npt.NDArray[np.intp], attributes: Sequence[str]
) -> ReferenceWrite:
    """Prepare a write."""
    return ReferenceWrite(engine.world, object_type, rows, attributes)
