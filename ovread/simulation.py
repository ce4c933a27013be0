"""An open simulation: queries, reads, writes, steps."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from ovread.arguments import (
    checked_object_type,
    checked_reads,
    checked_scope,
    checked_time_step,
    checked_writes,
)
from ovread.assignment import set_values
from ovread.backend import (
    AdoptedEngine,
    BackendInfo,
    Diagnostic,
    Engine,
    NamingEngine,
    ReadBinding,
    WriteBinding,
)
from ovread.catalogue import ObjectScope, ObjectType, Role
from ovread.errors import (
    ClosedError,
    EngineErrors,
    ForeignQueryError,
    GroupError,
    OwnershipError,
    SelectionError,
    UnsupportedOperationError,
)
from ovread.plugins import Backend
from ovread.prepared_write import PreparedWrite
from ovread.preparing import Preparer
from ovread.query import CANONICAL, ContactSelection, Query, Selection, select_contacts, select_rows
from ovread.reader import OpenBindings, PreparedRead, Reader
from ovread.result import Group, ReadResult
from ovread.units import StageUnits
from ovread.write import Writer, WriteSession

if TYPE_CHECKING:
    import warp as wp


class Simulation:
    """A stage running on one backend; made by :func:`ovread.open` or :func:`ovread.attach`.

    Use it as a context manager, or call :meth:`close`. Not to be shared between threads without a lock.
    """

    def __init__(self, backend: Backend, engine: Engine, *, owned_by_caller: bool = False) -> None:
        self._backend = backend
        self._engine = engine
        self._owned_by_caller = owned_by_caller
        self._tick = 0
        self._time = 0.0
        self._generation = 0
        self._closed = False
        self._commits = 0
        self._bindings = OpenBindings()
        self._preparer = Preparer(backend, engine)
        self._origin = object()
        # Taken once: a closed engine is not asked any more.
        self._units = engine.units
        self._device = engine.device
        self._variant = engine.variant
        # Also runs at interpreter exit: an engine that is torn down by the interpreter instead may crash.
        self._finalizer = weakref.finalize(self, _close, self._bindings, engine)

    @property
    def backend(self) -> BackendInfo:
        """Description of the backend."""
        return self._backend.info

    @property
    def variant(self) -> str | None:
        """Which variant of the backend runs, such as the solver's name; None where it has none."""
        return self._variant

    @property
    def device(self) -> str:
        """Where state lives: ``cpu`` or ``cuda:0``."""
        return self._device

    @property
    def units(self) -> StageUnits:
        """Units and up axis of the stage, which all values are in."""
        return self._units

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What opening and stepping found, and what was done about it: ``prim``, ``rule``, ``message``."""
        return tuple(self._engine.diagnostics)

    @property
    def tick(self) -> int:
        """Steps since opening or the last reset."""
        return self._tick

    @property
    def time(self) -> float:
        """Simulated seconds since opening or the last reset."""
        return self._time

    @property
    def closed(self) -> bool:
        """Whether :meth:`close` was called."""
        return self._closed

    def query(
        self,
        object_type: ObjectType,
        *,
        paths: Sequence[str] | None = None,
        pattern: str | None = None,
        contacts: Sequence[ContactSelection] | None = None,
        scope: ObjectScope = ObjectScope.ALL,
        order: str = CANONICAL,
    ) -> Query:
        """Select objects of one type: by paths, by a path pattern, or all.

        Args:
            object_type: The type.
            paths: Prim paths; the rows keep their order.
            pattern: A path pattern such as ``/World/*/arm``; see :mod:`ovread.patterns`.
            contacts: For contact sensors, sensors with the objects that their contacts are told apart by.
            scope: ``ALL``, or ``ACTIVE``: the objects that moved in the last step before this call, where the backend
                knows them.
            order: ``canonical`` (natural path order, the same on every backend) or ``native`` (the backend's own).

        Raises:
            UnknownPathError: A path is not an object of the type.
            PatternError: The pattern is relative or malformed.
            SelectionError: The arguments contradict each other, or the backend does not offer them.
        """
        self._check_open()
        object_type, scope = checked_object_type(object_type), checked_scope(scope)
        objects = self._preparer.objects(object_type)
        filters: tuple[tuple[str, ...], ...] = ()
        if contacts is not None:
            if object_type is not ObjectType.CONTACT_SENSOR or paths is not None or pattern is not None:
                raise SelectionError("contacts= selects contact sensors, without paths= and pattern=.")
            if order != CANONICAL:
                raise SelectionError("contacts= keeps the order of its selections: leave out order=.")
            rows, filters = select_contacts(objects, contacts, self._preparer.filterable_paths())
        else:
            rows = select_rows(objects, object_type, paths, pattern, order)
        if scope is not ObjectScope.ALL:
            if paths is not None or pattern is not None or contacts is not None:
                raise SelectionError(
                    "scope=ACTIVE covers all objects of a type: leave out paths=, pattern= and contacts=."
                )
            rows = self._preparer.active(object_type, rows)
        rows.setflags(write=False)
        selected = tuple(objects.paths[row] for row in rows)
        selection = Selection(object_type, selected, rows, filters)
        return Query(selection, self._preparer.readable(selection), scope, self)

    def signed_distances(self, query: Query, points: npt.ArrayLike) -> wp.array:
        """Evaluate the signed distance fields of SDF shapes.

        Args:
            query: A query of ``SDF_SHAPE``.
            points: ``(shapes, points, 3)``: points in each shape's own mesh frame, unscaled.

        Returns:
            Warp array ``(shapes, points, 4)``: gradient in the mesh frame, then distance, negative inside.

        Raises:
            UnsupportedOperationError: The backend cannot evaluate them, on this device or at all.
            SelectionError: The query is of another type, or the points do not fit it.
        """
        self._check_query(query)
        if query.object_type is not ObjectType.SDF_SHAPE:
            raise SelectionError(f"Signed distances are of SDF_SHAPE, not of {query.object_type.name}.")
        try:
            at = np.ascontiguousarray(points, dtype=np.float32)
        except (TypeError, ValueError) as error:
            raise SelectionError(f"points are no array of numbers: {error}.") from None
        if at.ndim != 3 or at.shape[0] != len(query) or at.shape[2] != 3:
            raise SelectionError(f"points have shape {at.shape}: pass ({len(query)}, points, 3), one row per shape.")
        with EngineErrors(self.backend.name, "evaluate signed distances"):
            distances = self._backend.hooks.ovread_signed_distances(
                engine=self._engine, rows=query.native_rows, points=at
            )
        if distances is None:
            raise UnsupportedOperationError(f"Backend {self.backend.name!r} has no signed distance fields.")
        return distances

    def resolve(self, group: Group) -> list[list[str]]:
        """Return the prim paths that the handles of a group stand for, one list per prim of the group.

        Args:
            group: A group of path handles, such as ``dofJointPath``; handle 0 becomes an empty string.

        Raises:
            GroupError: The attribute has no path handles.
            ForeignQueryError: The group was read from another simulation, whose handles mean other paths.
        """
        self._check_open()
        if group._origin is not self._origin:
            raise ForeignQueryError(
                "That group was not read from this simulation, and its handles mean other paths here."
            )
        if group.row.role is not Role.PATH:
            raise GroupError(f"{group.attribute!r} has no path handles to resolve.")
        with EngineErrors(self.backend.name, "resolve paths"):
            engine = cast(NamingEngine, self._engine)
            return [list(engine.paths_of([int(handle) for handle in run.ravel()])) for run in group.per_prim()]

    def read(self, query: Query, attributes: Sequence[str]) -> ReadResult:
        """Read attributes into fresh memory: a kept result never changes.

        Raises:
            UnknownAttributeError: A name is not in the catalogue; the message suggests one.
            AttributeOfOtherTypeError: A name belongs to other object types.
            ForeignQueryError: The query was made by another simulation.
        """
        names = self._check_read(query, attributes)
        prepared = query._prepared.get(names)
        if prepared is None:
            prepared = query._prepared[names] = PreparedRead(self, query.selection, names)
        result, buffers = prepared.allocate(self)
        prepared.fetch(self, result, buffers)
        return result

    def reader(self, query: Query, attributes: Sequence[str]) -> Reader:
        """Prepare a read to repeat every step: no lookup and no allocation. Raises as :meth:`read` does."""
        return Reader(self, query, self._check_read(query, attributes))

    def write(self, query: Query, attributes: Sequence[str]) -> WriteSession:
        """Open a write of some attributes: groups that start with the current values, to be filled and committed.

        >>> with sim.write(joints, ["jointPositionTarget"]) as write:  # doctest: +SKIP
        ...     for group in write:
        ...         group.values[...] = 0
        ...         write.commit(group)

        All is checked before anything is opened, and a refusal has changed nothing. Rows that an attribute cannot be
        written of are left out of its group; ``write.omissions`` names them.

        Raises:
            UnknownAttributeError: A name is not in the catalogue; the message suggests one.
            AttributeOfOtherTypeError: A name belongs to other object types.
            DuplicateAttributeError: A name is given twice.
            NotWritableError: An attribute cannot be written, on this backend or of these objects.
            SelectionError: No attribute was named.
            ForeignQueryError: The query was made by another simulation.
        """
        names = self._check_write(query, attributes)
        prepared = query._prepared_writes.get(names)
        if prepared is None or not prepared.is_current(self):
            prepared = query._prepared_writes[names] = PreparedWrite(self, query.selection, names)
        return WriteSession(self, prepared)

    def writer(self, query: Query, attributes: Sequence[str]) -> Writer:
        """Prepare a write to repeat every step: no lookup and no allocation. Raises as :meth:`write` does."""
        return Writer(self, PreparedWrite(self, query.selection, self._check_write(query, attributes)))

    def set(self, query: Query, attribute: str, values: object, mask: npt.ArrayLike | None = None) -> None:
        """Write one attribute of all objects of a query, in one line.

        Args:
            query: The objects.
            attribute: The attribute.
            values: One number for all; ``(lanes,)`` for the same in all rows; ``(rows, lanes)``; or for ragged layouts
                ``(elements, lanes)`` or a list with the elements of each prim.
            mask: ``(rows,)`` of bool: the rows to write; the others keep what they have. None for all.

        Raises:
            ValueRefusedError: The values do not fit, or break a rule.
            NotWritableError: The attribute cannot be written of one of the objects.
            OvreadError: As :meth:`write` and :meth:`WriteSession.commit`.
        """
        set_values(self, query, attribute, values, mask)

    def step(self, dt: float, count: int = 1) -> None:
        """Advance ``count`` times by ``dt`` seconds.

        Raises:
            TimeStepError: ``dt`` is not a positive finite number, or ``count`` not a positive integer.
            OwnershipError: The simulation is yours (:func:`ovread.attach`): step it, then call :meth:`stepped`.
        """
        self._check_open()
        dt, count = checked_time_step(dt, count)
        if self._owned_by_caller:
            raise OwnershipError("This simulation is yours to step: step it, then call sim.stepped(dt).")
        with EngineErrors(self.backend.name, "step"):
            started = self._time
            for done in range(1, count + 1):
                self._engine.step(dt)
                self._tick += 1
                self._time = started + dt * done

    def stepped(self, dt: float, count: int = 1, **current: Any) -> None:
        """Say that you stepped an attached simulation, so that ``tick`` and ``time`` follow.

        Args:
            dt: Seconds per step.
            count: Number of steps.
            current: What the engine must know about where the state is now, such as Newton's ``state=state_0``.
        """
        self._check_open()
        dt, count = checked_time_step(dt, count)
        if not self._owned_by_caller:
            raise OwnershipError("This simulation is ovread's to step: call sim.step(dt).")
        with EngineErrors(self.backend.name, "take over the current state"):
            cast(AdoptedEngine, self._engine).stepped(**current)
        self._tick += count
        self._time += dt * count

    def reset(self) -> None:
        """Return to the authored state, tick 0 and time 0. Queries and readers stay valid.

        Raises:
            OwnershipError: The simulation is yours (:func:`ovread.attach`).
        """
        self._check_open()
        if self._owned_by_caller:
            raise OwnershipError("This simulation is yours to reset.")
        self._bindings.close_all()
        self._generation += 1
        with EngineErrors(self.backend.name, "reset"):
            self._engine.reset()
        self._tick = 0
        self._time = 0.0

    def close(self) -> None:
        """End the simulation and give everything back. Results stay valid. Closing twice is harmless."""
        self._closed = True
        with EngineErrors(self.backend.name, "close"):
            self._finalizer()

    def __enter__(self) -> Simulation:
        self._check_open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        state = "closed" if self._closed else f"tick={self._tick}"
        variant = f":{self.variant}" if self.variant else ""
        return f"<Simulation {self.backend.name}{variant} {state}>"

    def _check_query(self, query: Query) -> None:
        self._check_open()
        if not isinstance(query, Query) or query._simulation is not self:
            raise ForeignQueryError("That query was not made by this simulation: make one with sim.query.")

    def _check_read(self, query: Query, attributes: Sequence[str]) -> tuple[str, ...]:
        self._check_query(query)
        return checked_reads(query.object_type, attributes)

    def _check_write(self, query: Query, attributes: Sequence[str]) -> tuple[str, ...]:
        self._check_query(query)
        return checked_writes(self.backend, self._variant, query.object_type, attributes)

    def _check_open(self) -> None:
        """Raise ClosedError after :meth:`close`."""
        if self._closed:
            raise ClosedError("This simulation is closed: open it again with ovread.open.")

    def _bind_read(self, selection: Selection, names: Sequence[str]) -> ReadBinding:
        """Prepare a native read."""
        self._check_rows(selection)
        return self._preparer.bind_read(selection, names)

    def _bind_write(self, selection: Selection, names: Sequence[str]) -> WriteBinding:
        """Prepare a native write."""
        self._check_rows(selection)
        return self._preparer.bind_write(selection, names)

    def _check_rows(self, selection: Selection) -> None:
        """Check that rows are still what they were when the query was made, where that can have changed."""
        if self._owned_by_caller or self._generation:
            self._preparer.check_rows(selection)


def _close(bindings: OpenBindings, engine: Engine) -> None:
    try:
        bindings.close_all()
    finally:
        engine.close()
