"""The reference with something wrong, open without being installed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ovread_conformance import reference
from ovread_conformance.commands import commander
from ovread_conformance.recording import Recording, record_open
from ovread_conformance.reference import READS, Read, World, bind, system_of
from ovread_conformance.suite import EVIDENCE, Run, runs
from ovread_conformance.systems import System, usda

from ovread import ObjectType
from ovread.backend import Buffer, FilledColumns, Scene
from ovread.hookspecs import hookimpl
from ovread.plugins import Plugins
from ovread.simulation import Simulation

Key = tuple[ObjectType, str]


class Faulty:
    """The hooks of the reference, some of them replaced.

    Args:
        world: What moves.
        authored: What is opened in place of a system.
        reads: What is read otherwise.
        aliased: What is not copied: results share the engine's memory.
    """

    def __init__(
        self,
        world: Callable[[System], World] = World,
        authored: Callable[[System], System] = lambda system: system,
        reads: Mapping[Key, Read] | None = None,
        aliased: Key | None = None,
    ) -> None:
        self._world, self._authored, self._aliased = world, authored, aliased
        changed = reads or {}
        self._reads = {
            kind: {**names, **{name: read for (of, name), read in changed.items() if of is kind}}
            for kind, names in READS.items()
        }

    @hookimpl
    def ovread_describe_backend(self) -> Any:
        return reference.declared()

    @hookimpl
    def ovread_open(self, scene: Scene, device: str, options: Mapping[str, Any]) -> Any:
        return reference.ReferenceEngine(self._world(self._authored(system_of(scene))))

    @hookimpl
    def ovread_objects(self, engine: Any, object_type: ObjectType) -> Any:
        return reference.ovread_objects(engine, object_type)

    @hookimpl
    def ovread_bind_read(self, engine: Any, object_type: ObjectType, rows: Any, attributes: Sequence[str]) -> Any:
        bound = bind(engine.world, object_type, rows, attributes, self._reads)
        fills = [
            _shared(engine, fill) if (object_type, column.attribute) == self._aliased else fill
            for column, fill in zip(bound.columns, bound.fills, strict=True)
        ]
        return FilledColumns(bound.columns, fills, bound.omissions)

    @hookimpl
    def ovread_bind_write(self, engine: Any, object_type: ObjectType, rows: Any, attributes: Sequence[str]) -> Any:
        return reference.ovread_bind_write(engine, object_type, rows, attributes)


def _shared(engine: Any, fill: Callable[[Buffer], None]) -> Callable[[Buffer], None]:
    """Hand out the same memory with each read, as an engine's own arrays are."""
    memory: list[Any] = []

    def give(buffer: Buffer) -> None:
        if not memory:
            memory.append(buffer.array)
        buffer.array = memory[0]
        buffer.host = buffer.array.numpy()
        fill(buffer)

    return give


def opened(faulty: Faulty, system: System) -> Simulation:
    """Open a system on a backend that is not installed."""
    plugins = Plugins(entry_points=[])
    plugins.add("faulty", faulty, distribution="tests", version="1")
    backend = plugins.get("faulty")
    scene = Scene(usda(system), is_text=True)
    return Simulation(backend, backend.hooks.ovread_open(scene=scene, device="cpu", options={}))


def recorded(faulty: Faulty, names: Sequence[str]) -> dict[str, Recording]:
    """Record some of the suite's runs."""
    found = {}
    for name in names:
        run = runs()[name]
        with opened(faulty, run.system) as simulation:
            if write := commander(run.system):
                write(simulation)
            found[name] = record_open(simulation, run.system, run.ticks, run.dt)
    return found


def failures(recordings: Mapping[str, Recording]) -> Iterator[tuple[str, Key]]:
    """Return kind of evidence and row of each verdict that does not hold."""
    every: dict[str, Run] = runs()
    for name in recordings:
        for kind, evidence in EVIDENCE.items():
            for verdict in evidence(every[name], recordings, None):
                if not verdict.holds:
                    yield kind, (verdict.object_type, verdict.attribute)
