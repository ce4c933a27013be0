"""Writes of the settings of debug rendering: numbers, a box of which there is one or none, and a list of prims."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ovread.backend import Column, Omission, WriteBinding
from ovread.catalogue import ObjectType, attribute
from ovread.errors import ValueRefusedError
from ovread_physx._elements import Elements, Format, Selected, open_elements
from ovread_physx._layout import GroupPlan
from ovread_physx._sources import DTYPES
from ovread_physx._write_sources import Filling, WriteTarget, open_write_source

if TYPE_CHECKING:
    from ovread_physx._engine import PhysxEngine

Indices = npt.NDArray[np.intp]

_TYPE = ObjectType.DEBUG_RENDER
_CAPACITY = {"cullingBox": 1, "scope": 4096}
"""How many elements a list takes at most. The engine takes it as an array: how many there are, then all of them."""

_DRAWN = (
    ObjectType.RIGID_ACTOR,
    ObjectType.ARTICULATION_LINK,
    ObjectType.CHARACTER_CONTROLLER,
    ObjectType.SHAPE,
    ObjectType.COMPOUND_SHAPE,
    ObjectType.DEFORMABLE_VOLUME,
    ObjectType.DEFORMABLE_SURFACE,
)
"""What can be drawn by itself."""


def bind_debug(engine: PhysxEngine, rows: Indices, names: Sequence[str]) -> WriteBinding:
    """Prepare a write of settings."""
    if engine.owned:
        _keep_initial(engine, [name for name in names if name not in engine.debug_settings])
    return DebugWrite(engine, rows, names)


def restore(engine: PhysxEngine) -> None:
    """Bring back what was set when the simulation was opened: the engine's instance keeps its settings at a reset."""
    if not engine.debug_settings:
        return
    write = DebugWrite(engine, np.zeros(1, dtype=np.intp), list(engine.debug_settings))
    try:
        for index, values in enumerate(engine.debug_settings.values()):
            write.publish(index, values)
    finally:
        write.close()


class DebugWrite:
    """A prepared write; see :class:`ovread.backend.ResizingWriteBinding`."""

    omissions: Sequence[Omission] = ()

    def __init__(self, engine: PhysxEngine, rows: Indices, names: Sequence[str]) -> None:
        self._engine = engine
        self.columns = [Column(name, np.arange(len(rows)), is_dynamic=name in _CAPACITY) for name in names]
        self._memory = [_memory(name) for name in names]
        self._targets = [_target(name, memory) for name, memory in zip(names, self._memory, strict=True)]
        self._source = open_write_source(engine, _TYPE, None)

    def start(self, index: int, values: npt.NDArray[Any]) -> None:
        """Do nothing: all settings can be read."""

    def commit(self, index: int, values: npt.NDArray[Any], rows: Indices | None) -> None:
        """Publish a number."""
        if len(values) and (rows is None or len(rows)):
            self.publish(index, values)

    def commit_sized(self, index: int, values: npt.NDArray[Any], offsets: Indices) -> None:
        """Publish a list."""
        if len(offsets) < 2:
            return
        name = self.columns[index].attribute
        if len(values) > _CAPACITY[name]:
            raise ValueRefusedError(
                f"{name!r} cannot have {len(values)} elements: PhysX takes at most {_CAPACITY[name]}. Nothing has been "
                "changed."
            )
        if name == "scope":
            self._check_drawn(values[:, 0].tolist())
        self.publish(index, values)

    def publish(self, index: int, values: npt.NDArray[Any]) -> None:
        """Publish a number, or a list, which has been checked."""
        memory = self._memory[index]
        if self.columns[index].is_dynamic:
            memory[0] = len(values)
            memory[1 : 1 + values.size, 0] = values.ravel()
            memory[1 + values.size :] = 0
        else:
            memory[:] = values
        self._source.publish(self.columns[index].attribute, [self._targets[index]], memory)

    def _check_drawn(self, handles: Sequence[int]) -> None:
        """Refuse what draws nothing: the engine takes the path of every prim, and of none."""
        drawn = {prim for kind in _DRAWN for prim in self._engine.refreshed_table(kind).prims}
        for position, handle in enumerate(handles):
            if handle not in drawn:
                raise ValueRefusedError(
                    f"'scope' (element {position}) cannot be {self._name(handle)}: PhysX draws bodies and colliders, "
                    "each by its own path, and that is neither. Nothing has been changed."
                )

    def _name(self, handle: int) -> str:
        try:
            return self._engine.paths_of([handle])[0] or "0"
        except Exception:  # The dictionary has an error class of its own.
            return f"{handle}, which is no handle of this simulation"

    def close(self) -> None:
        """Give the native query back."""
        self._engine.retire(self._source)


def _memory(name: str) -> npt.NDArray[Any]:
    row = attribute(_TYPE, name)
    elements = 1 + _CAPACITY[name] * len(row.lanes) if name in _CAPACITY else 1
    return np.zeros((elements, 1), dtype=DTYPES[row.dtype])


def _target(name: str, memory: npt.NDArray[Any]) -> WriteTarget:
    plan = GroupPlan(name, attribute(_TYPE, name), prims=(), counts=(len(memory),), lanes=1, copies=())
    return WriteTarget(plan, Filling(None, None))


def _keep_initial(engine: PhysxEngine, names: Sequence[str]) -> None:
    """Take note of settings before they are written for the first time."""
    token_of = {name: engine.dictionary.intern_token(name) for name in names}
    found: dict[int, npt.NDArray[Any]] = {}

    def take(elements: Elements) -> None:
        found[elements.token] = elements.values.copy()

    rows = [attribute(_TYPE, name) for name in names]
    formats = [Format(token_of[row.name], row.dtype, len(row.lanes)) for row in rows]
    source = open_elements(engine, Selected(_TYPE, None, 1), formats)
    try:
        source.each(take)
    finally:
        source.close()
    for row in rows:
        nothing = np.empty((0, len(row.lanes)), dtype=DTYPES[row.dtype])
        engine.debug_settings[row.name] = found.get(token_of[row.name], nothing)
