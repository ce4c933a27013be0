"""What a live check is, and what it is given: an open simulation, and as many others like it as it asks for.

Faults (:mod:`ovread_conformance.faults`) are subclasses that pass something on wrongly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import resources
from types import TracebackType
from typing import Any, Self

import attrs
import numpy.typing as npt

import ovread
from ovread import (
    BackendInfo,
    Group,
    ObjectType,
    Query,
    Reader,
    ReadResult,
    Simulation,
    StageUnits,
    Writer,
    WriteSession,
)
from ovread.assignment import set_values
from ovread.backend import Level
from ovread.catalogue import Writability
from ovread.errors import NotWritableError, ValueRefusedError
from ovread_conformance.systems import System, usda

Key = tuple[ObjectType, str]


@attrs.frozen
class Check:
    """One promise, and how it is observed of a running simulation.

    Args:
        name: Short name of the promise.
        convention: The promise, one sentence.
        scene: A system, or a file in ``ovread_conformance/scenes``.
        run: Raises AssertionError where the simulation breaks it.
        faults: Names of the faults (:mod:`ovread_conformance.faults`) that it must notice.
        writes: Attributes that a backend has to declare as written.
        reads: Attributes that it has to declare as exact.
        needs: Attributes that it has to serve, exactly or not.
    """

    name: str
    convention: str
    scene: System | str
    run: Callable[[Live], None]
    faults: tuple[str, ...]
    writes: tuple[Key, ...] = ()
    reads: tuple[Key, ...] = ()
    needs: tuple[Key, ...] = ()

    @property
    def usda(self) -> str:
        """Text of the scene."""
        if isinstance(self.scene, System):
            return usda(self.scene)
        return resources.files("ovread_conformance").joinpath("scenes", self.scene).read_text()


class NotOfferedError(Exception):
    """A backend declares that it does not do, of these objects, what a check needs; the message is its reason."""


class Live:
    """An open simulation, passed on as it is.

    Args:
        simulation: The simulation.
    """

    def __init__(self, simulation: Simulation) -> None:
        self.inner = simulation

    @property
    def backend(self) -> BackendInfo:
        """Description of the backend."""
        return self.inner.backend

    @property
    def variant(self) -> str | None:
        """Which variant of the backend runs."""
        return self.inner.variant

    @property
    def units(self) -> StageUnits:
        """Units of the stage."""
        return self.inner.units

    @property
    def tick(self) -> int:
        """Steps since opening or the last reset."""
        return self.inner.tick

    @property
    def time(self) -> float:
        """Simulated seconds since opening or the last reset."""
        return self.inner.time

    @property
    def closed(self) -> bool:
        """Whether it was closed."""
        return self.inner.closed

    def query(self, object_type: ObjectType, **selected: Any) -> Query:
        """Select objects; as :meth:`ovread.Simulation.query`."""
        return self.inner.query(object_type, **selected)

    def read(self, query: Query, attributes: Sequence[str]) -> ReadResult:
        """Read attributes into fresh memory."""
        return self.inner.read(query, attributes)

    def resolve(self, group: Group) -> list[list[str]]:
        """Return the paths that handles stand for."""
        return self.inner.resolve(group)

    def reader(self, query: Query, attributes: Sequence[str]) -> Reader:
        """Prepare a read."""
        return self.inner.reader(query, attributes)

    def write(self, query: Query, attributes: Sequence[str]) -> WriteSession:
        """Open a write."""
        return self.inner.write(query, attributes)

    def writer(self, query: Query, attributes: Sequence[str]) -> Writer:
        """Prepare a write."""
        return self.inner.writer(query, attributes)

    def set(self, query: Query, attribute: str, values: object, mask: npt.ArrayLike | None = None) -> None:
        """Write one attribute, through :meth:`write`."""
        set_values(self, query, attribute, values, mask)  # type: ignore[arg-type]  # takes what has query and write

    def step(self, dt: float, count: int = 1) -> None:
        """Advance."""
        self.inner.step(dt, count)

    def reset(self) -> None:
        """Return to the authored state."""
        self.inner.reset()

    def close(self) -> None:
        """End the simulation."""
        self.inner.close()

    def another(self, system: System) -> Self:
        """Open a system on the same backend, with the same faults."""
        label = self.backend.name + (f":{self.variant}" if self.variant else "")
        return type(self)(ovread.open(usda(system), backend=label, device=self.inner.device))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@contextmanager
def conditions_of(simulation: Live, key: Key) -> Iterator[None]:
    """Turn the refusal of a conditional write into :class:`NotOfferedError`; that of another is a failure."""
    declared = simulation.backend.writing_of(key, simulation.variant)
    try:
        yield
    except (NotWritableError, ValueRefusedError) as error:
        if declared.writability is not Writability.CONDITIONAL:
            what = f"{key[1]} of {key[0].name} is declared {declared.writability.value}"
            raise AssertionError(f"{what}, and is refused: {error}") from error
        raise NotOfferedError(str(error)) from error


def why_not(check: Check, backend: BackendInfo, variant: str | None) -> str:
    """Return the backend's own reason for not offering what a check is about; empty where it offers all."""
    for key in check.writes:
        declared = backend.writing_of(key, variant)
        if not declared.is_accepted:
            return f"{key[1]} of {key[0].name} is not written: {declared.reason}"
    for key in (*check.reads, *check.needs):
        support = backend.support_of(key, variant)
        if support.level is Level.UNSUPPORTED or (key in check.reads and support.level is not Level.EXACT):
            return f"{key[1]} of {key[0].name} is {support.level.value}: {support.reason}"
    return ""
