"""A PhysX simulation: one PhysX instance with one ovstage stage attached, opened here or adopted from the caller."""

from __future__ import annotations

import sys
import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ovread.backend import Diagnostic, Scene
from ovread.catalogue import ObjectType
from ovread.errors import NoPhysicsError, OptionError, OwnershipError, SceneRefusedError
from ovread.quiet import start_warp
from ovread.stage import ORDINAL, open_stage, stage_units
from ovread_physx import _debug_writes, _logging, _pending, _process
from ovread_physx._commands import Commands
from ovread_physx._findings import findings
from ovread_physx._inspection import count
from ovread_physx._layout import RawGroup
from ovread_physx._objects import make_table
from ovread_physx._sources import KeptQuery, open_source
from ovread_physx._table import Table

if TYPE_CHECKING:
    import ovphysx
    import ovstage

_NOT_PHYSICS = (ObjectType.SCENE, ObjectType.PHYSICS, ObjectType.DEBUG_RENDER)
"""Types that the engine has objects of whatever the stage holds."""

_STATE = {
    ObjectType.RIGID_BODY: "position",
    ObjectType.ARTICULATION_LINK: "position",
    ObjectType.DEFORMABLE_VOLUME: "points",
    ObjectType.DEFORMABLE_SURFACE: "points",
    ObjectType.PARTICLE_SET: "points",
}
"""What tells where a simulation's state lives."""


class PhysxEngine:
    """The engine object of this backend; see :class:`ovread.backend.Engine`."""

    variant: str | None = None

    def __init__(self, physx: ovphysx.PhysX, stage: ovstage.Stage, device: str, *, owned: bool) -> None:
        import ovstage

        self.physx = physx
        self.stage = stage
        self.device = device
        self.units = stage_units(stage)
        self.diagnostics: Sequence[Diagnostic] = ()
        self.dictionary = ovstage.PathDictionary(stage)
        self.has_stepped = not owned
        """Whether what a step computes exists; of an adopted simulation it is not known, and taken to be so."""
        self.owned = owned
        """Whether nobody else steps and writes: the scene was opened here."""
        self.commands = Commands(self, are_known=owned)
        self.debug_settings: dict[str, npt.NDArray[Any]] = {}
        """Settings of debug rendering that have been prepared to be written, as they were before."""
        self.times_disabled = 0
        """How often ``disableSimulation`` was written: what is known of it holds until then."""
        self.limited_axes: Mapping[str, npt.NDArray[np.bool_]] | None = None
        """Which axes of each joint had a limit before any was written; None until somebody asks."""
        self._thread = threading.get_ident()
        self._retired: list[KeptQuery] = []
        self._tables: dict[ObjectType, Table] = {}
        self._awaiting: set[ObjectType] = set()
        """Types of which the engine names objects only once a step was made."""
        self._before: dict[ObjectType, Table] = {}
        """Those types as they were first listed: numbers of rows that the core got then stay valid."""
        self._listed: dict[ObjectType, _pending.Rows] = {}
        """Row of the table for each row that the core knows, where these differ."""
        self.scene_paths: Sequence[str] = self.table(ObjectType.SCENE).paths

    @classmethod
    def open(cls, scene: Scene, device: str, options: Mapping[str, Any]) -> PhysxEngine:
        """Open a scene.

        Raises:
            OptionError: The device is not there, or a process-wide setting cannot be changed any more.
            NoPhysicsError: There is no physics on the stage.
            SceneRefusedError: The engine cannot load it.
        """
        _process.check_device(device)
        stage = open_stage(scene)
        physx = None
        try:
            import ovphysx

            with _logging.engine_messages() as messages:
                _process.configure(device, options["num_threads"])
                start_warp()
                physx = ovphysx.PhysX() if device == "cpu" else _process.on_gpu(device)
                _attach(physx, stage, scene.label)
                engine = cls(physx, stage, device, owned=True)
                has_physics = engine._has_physics()
            if not has_physics:
                _refuse_without_physics(scene.label, _logging.errors(messages))
            engine.diagnostics = [*_logging.as_diagnostics(messages), *findings(engine)]
        except BaseException:
            _tear_down(physx, stage)
            raise
        return engine

    @classmethod
    def adopt(cls, objects: Sequence[Any], options: Mapping[str, Any]) -> PhysxEngine | None:
        """Wrap the caller's PhysX instance and stage; None where the first object is no PhysX instance.

        Raises:
            OwnershipError: The stage is missing, or is not the one that is attached.
            OptionError: There are options: all is as the caller has set it.
        """
        # The module defines PhysX only once somebody asked for it; asking here would load the engine.
        module = sys.modules.get("ovphysx")
        known = vars(module).get("PhysX") if module else None
        if known is None or not objects or not isinstance(objects[0], known):
            return None
        physx, rest = objects[0], objects[1:]
        import ovstage

        if options:
            raise OptionError(f"Attaching to PhysX takes no options, not {', '.join(options)}: set them yourself.")
        if len(rest) != 1 or not isinstance(rest[0], ovstage.Stage):
            raise OwnershipError(
                "A PhysX instance does not give its stage away: pass the ovstage.Stage too, as in "
                "ovread.attach(physx, stage), and nothing else."
            )
        if not is_alive(physx):
            raise OwnershipError("The PhysX instance has been destroyed.")
        if not physx.is_stage_attached():
            raise OwnershipError("The PhysX instance has no stage attached: call physx.attach_ovstage(stage) first.")
        if not physx.is_stage_attached(rest[0]):
            raise OwnershipError("The PhysX instance has another stage attached than the one passed.")
        start_warp()
        return cls(physx, rest[0], _device_of(physx), owned=False)

    def step(self, dt: float) -> None:
        """Advance by ``dt`` seconds."""
        if self._retired:
            self._close_retired()
        self.physx.step_sync(dt)
        self._take_note_of_step()

    def stepped(self, **current: Any) -> None:
        """Take note that the owner has stepped; the engine's state is where it always is."""
        if current:
            raise OptionError(f"PhysX takes no {', '.join(current)}: call sim.stepped(dt).")
        self._take_note_of_step()

    def _take_note_of_step(self) -> None:
        self.has_stepped = True
        for object_type in self._awaiting:
            self._tables.pop(object_type, None)

    def reset(self) -> None:
        """Attach the same stage again, which brings the authored state back."""
        self._close_retired()
        self.physx.wait_task(self.physx.detach_ovstage())
        self._tables.clear()
        self.commands.forget()
        self.limited_axes = None
        self.has_stepped = False
        with _logging.engine_messages():
            self.physx.wait_task(self.physx.attach_ovstage(self.stage, read_ordinal=ORDINAL))
        _debug_writes.restore(self)

    def close(self) -> None:
        """Give back what opening took; leave an adopted simulation as it is."""
        try:
            self._close_retired()
        finally:
            self._tables.clear()
            self.dictionary.destroy()
            if self.owned:
                _tear_down(self.physx, self.stage)

    def retire(self, source: KeptQuery) -> None:
        """Close a source of reads, now or when the thread that owns the simulation comes by.

        The garbage collector may drop a reader on any thread; the engine must be called on one at a time.
        """
        self._retired.append(source)
        if threading.get_ident() == self._thread:
            self._close_retired()

    def _close_retired(self) -> None:
        while self._retired:
            source = self._retired.pop()
            if is_alive(self.physx):
                source.close()

    def table(self, object_type: ObjectType) -> Table:
        """Return all objects of a type, as they were listed last."""
        if object_type not in self._tables:
            self._tables[object_type] = self._list(object_type)
        return self._tables[object_type]

    def _list(self, object_type: ObjectType) -> Table:
        table = make_table(self, object_type)
        if self.device == "cpu":
            return table
        self._awaiting.discard(object_type)
        if _pending.is_awaited(self, object_type):
            table = _pending.with_unready(self, object_type, table)
            self._awaiting.add(object_type)
            self._before.setdefault(object_type, table)
        if object_type in self._before:
            table, self._listed[object_type] = _pending.renumbered(self._before[object_type], table)
        return table

    def refreshed_table(self, object_type: ObjectType) -> Table:
        """Return all objects of a type as they are now: the owner of an adopted simulation may add some."""
        if not self.owned:
            self._tables.pop(object_type, None)
        return self.table(object_type)

    def awaits_step(self, object_type: ObjectType) -> bool:
        """Whether objects of a type, as they were listed last, can be read only once a step was made."""
        return object_type in self._awaiting

    def listed_rows(self, object_type: ObjectType) -> _pending.Rows:
        """Return the row of the table for each row that the core knows."""
        table = self.table(object_type)
        listed = self._listed.get(object_type)
        return np.arange(len(table.paths)) if listed is None else listed

    def note_disabling(self) -> None:
        """Take note that the simulation of bodies was disabled or enabled."""
        self.times_disabled += 1

    def survey(self, object_type: ObjectType, names: Sequence[str]) -> list[RawGroup]:
        """Read attributes of all objects of a type once, for what the groups look like."""
        source = open_source(self, object_type, None)
        try:
            return source.survey(names)[0]
        finally:
            source.close()

    def omission_bits(self, object_type: ObjectType, name: str) -> int:
        """Return the engine's bits for why some objects have no value of an attribute."""
        source = open_source(self, object_type, None)
        try:
            return source.survey([name])[1][name]
        finally:
            source.close()

    def path_strings(self, prims: Sequence[int]) -> list[str]:
        """Return the paths of interned prims."""
        if not prims:
            return []
        with self.dictionary.create_path_list(prims) as paths:
            return list(self.dictionary.get_path_strings(paths))

    def paths_of(self, handles: Sequence[int]) -> list[str]:
        """Return the path of each handle; an empty string for 0."""
        known = list({handle for handle in handles if handle})
        paths = dict(zip(known, self.path_strings(known), strict=True))
        return [paths.get(handle, "") for handle in handles]

    def handles_of(self, paths: Sequence[str]) -> list[int]:
        """Return the handle of each path."""
        return [self.dictionary.intern_path(path) for path in paths]

    def _has_physics(self) -> bool:
        """Whether the stage has anything that the engine simulates, or at least a physics scene of its own."""
        return bool(self.scene_paths) or any(count(self, kind) for kind in ObjectType if kind not in _NOT_PHYSICS)


def is_alive(physx: ovphysx.PhysX) -> bool:
    """Whether the instance has not been destroyed, by the caller or at the interpreter's exit."""
    try:
        return bool(physx.handle)
    except RuntimeError:
        return False


def _attach(physx: ovphysx.PhysX, stage: ovstage.Stage, label: str) -> None:
    try:
        physx.wait_task(physx.attach_ovstage(stage, read_ordinal=ORDINAL))
    except RuntimeError as error:
        hint = " Was coacd imported before ovread? Import ovphysx first." if "std::bad_cast" in str(error) else ""
        raise SceneRefusedError(f"physx refuses {label}: {error}{hint}") from error


def _refuse_without_physics(label: str, errors: str) -> None:
    if errors:
        raise SceneRefusedError(f"physx loaded nothing of {label}: {errors}")
    raise NoPhysicsError(
        f"{label} has no physics: no body, joint, collider or PhysicsScene. Apply UsdPhysics schemas, such as "
        "PhysicsRigidBodyAPI and PhysicsCollisionAPI, to the prims that move."
    )


def _tear_down(physx: ovphysx.PhysX | None, stage: ovstage.Stage) -> None:
    """Take a simulation down in the only order that does not crash: the stage last, once nothing is attached to it."""
    if physx is not None and is_alive(physx):
        try:
            if physx.is_stage_attached():
                physx.wait_task(physx.detach_ovstage())
        finally:
            physx.destroy()
    stage.destroy()


def _device_of(physx: ovphysx.PhysX) -> str:
    """Return where the state of an adopted simulation lives: on a GPU if any of it does."""
    from ovphysx.types import SimObjectType

    if not _process.cuda_device_count():
        return "cpu"
    awaits_step = False
    for kind, name in _STATE.items():
        with physx.read_sync(SimObjectType[kind.name], [name], metadata=True) as result:
            devices = {str(tensor.device) for group in result.groups for tensor in group.tensors[:1]}
            result.groups.clear()
            bits = [int(row.omission_reasons) for row in result.metadata.attributes] if result.metadata else []
        on_gpu = sorted(devices - {"cpu"})
        if on_gpu:
            return on_gpu[0]
        awaits_step |= not devices and any(bit & _pending.NOT_READY_BIT for bit in bits)
    # Only scenes that live on a GPU need a step first, and say nothing else of where they are.
    return _process.chosen_gpu(physx) if awaits_step else "cpu"
