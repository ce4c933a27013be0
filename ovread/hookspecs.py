"""The plugin contract: what a backend implements, each hook with one complete example.

A backend is a module with functions of these names, marked with :data:`hookimpl`, and an entry point in the group
``ovread.backends`` whose name is the backend's name::

    [project.entry-points."ovread.backends"]
    rest = "ovread_rest"

Hooks are called when something is prepared, never per step: the per-step path is ``Engine.step`` and
``ReadBinding.fetch``, plain methods of the objects that the hooks return.

The examples below make up one whole backend, for an engine that is called ``rest``. The module starts with::

    import sys
    from pathlib import Path

    import attrs
    import numpy as np

    from ovread.backend import BackendInfo, Column, FilledColumns, Objects, Option, supports
    from ovread.catalogue import ObjectType
    from ovread.hookspecs import hookimpl
    from ovread.units import StageUnits
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pluggy

from ovread.backend import BackendInfo, Engine, Objects, ReadBinding, Scene, WriteBinding
from ovread.catalogue import ObjectType

PROJECT = "ovread"
GROUP = "ovread.backends"

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec(firstresult=True)
def ovread_describe_backend() -> BackendInfo | None:
    """Describe the backend. Called at load; must not import the engine.

    Example::

        @hookimpl
        def ovread_describe_backend():
            return BackendInfo(
                engine="rest 1.0",
                summary="Bodies that never move.",
                support=supports(ObjectType.RIGID_BODY, "position mass"),
                options=(Option("mass", "Mass of every body.", default=1.0),),
            )
    """


@hookspec
def ovread_usd_schemas() -> Sequence[Path] | None:
    """Return folders of USD schemas (with a ``plugInfo.json``) that the engine reads.

    Called once per process for **all** installed plugins, before the first stage is populated: registration is
    process-wide and cannot be repeated once a stage has been read. Must not import the engine.

    Example::

        @hookimpl
        def ovread_usd_schemas():
            return [Path(__file__).parent / "schema"]
    """


@hookspec
def ovread_prepare_process() -> None:
    """Load native libraries that must be in the process before those of another engine.

    Called once per process for **all** installed plugins, before the first stage is populated. Most engines need
    nothing here. One whose libraries break when another engine's are loaded first loads them now.

    Example::

        @hookimpl
        def ovread_prepare_process():
            import array  # stands for a library that has to be the first of its kind
    """


@hookspec(firstresult=True)
def ovread_open(scene: Scene, device: str, options: Mapping[str, Any]) -> Engine | None:
    """Open a scene on the chosen backend.

    ``options`` holds every option that the backend declares, defaults filled in. On failure, give everything back
    and raise :class:`~ovread.errors.SceneRefusedError` with the engine's own message.

    Example::

        @attrs.define(eq=False)
        class RestEngine:
            world: object  # rest.World; its arrays are (bodies, lanes)
            device: str = "cpu"
            units: StageUnits = attrs.Factory(StageUnits)
            variant: str | None = None
            diagnostics: tuple = ()

            def step(self, dt):
                self.world.step(dt)

            def reset(self):
                self.world.reset()

            def close(self):
                self.world = None

        @hookimpl
        def ovread_open(scene, device, options):
            import rest  # only here: describing the backend must not import the engine

            return RestEngine(rest.World(scene.source, mass=options["mass"]), device)
    """


@hookspec(firstresult=True)
def ovread_adopt(objects: tuple[Any, ...], options: Mapping[str, Any]) -> Engine | None:
    """Wrap a simulation that the user already owns, or return None where the objects are not this engine's.

    Called for every plugin, so look before importing: an object of an engine that was never imported cannot exist.
    Objects of this engine with something missing are an :class:`~ovread.errors.OwnershipError` that says what.
    The engine's ``close`` leaves the user's objects as they were.

    Example::

        @hookimpl
        def ovread_adopt(objects, options):
            rest = sys.modules.get("rest")
            worlds = [item for item in objects if rest and isinstance(item, rest.World)]
            return RestEngine(*worlds) if worlds else None
    """


@hookspec(firstresult=True)
def ovread_objects(engine: Engine, object_type: ObjectType) -> Objects | None:
    """List all objects of a type, in native order. Return empty :class:`Objects` for a type that the engine lacks.

    Called when a query is made, and again after a reset, which must not change the order.

    Example::

        @hookimpl
        def ovread_objects(engine, object_type):
            return Objects(paths=engine.world.paths if object_type is ObjectType.RIGID_BODY else ())
    """


@hookspec(firstresult=True)
def ovread_active_rows(engine: Engine, object_type: ObjectType) -> npt.NDArray[np.intp] | None:
    """Return which objects of a type moved in the last step, as indices into the native order.

    Called when a query asks for the scope ``ACTIVE``. An engine that does not know leaves the hook out.

    Example::

        @hookimpl
        def ovread_active_rows(engine, object_type):
            return np.empty(0, dtype=np.intp)  # nothing ever moves
    """


@hookspec(firstresult=True)
def ovread_unreadable_attributes(
    engine: Engine, object_type: ObjectType, rows: npt.NDArray[np.intp], filters: Sequence[Sequence[str]]
) -> Collection[str] | None:
    """Return the attributes that are declared as supported, but that none of the objects ``rows`` can have.

    It narrows ``Query.attributes``. A backend of which every object of a type has the same attributes leaves it out.

    Example::

        @hookimpl
        def ovread_unreadable_attributes(engine, object_type, rows):
            return () if len(rows) else ("mass",)
    """


@hookspec(firstresult=True)
def ovread_signed_distances(engine: Engine, rows: npt.NDArray[np.intp], points: npt.NDArray[np.float32]) -> Any:
    """Evaluate the signed distance fields of the SDF shapes ``rows`` at points in their own mesh frames.

    ``points`` is a NumPy array ``(shapes, points, 3)`` of float32; return a Warp array ``(shapes, points, 4)`` on the
    engine's device: gradient, then distance, negative inside. Raise
    :class:`~ovread.errors.UnsupportedOperationError` where it cannot be done here.

    Example::

        @hookimpl
        def ovread_signed_distances(engine, rows, points):
            return None  # no object has such a field
    """


@hookspec(firstresult=True)
def ovread_bind_read(
    engine: Engine,
    object_type: ObjectType,
    rows: npt.NDArray[np.intp],
    attributes: Sequence[str],
    filters: Sequence[Sequence[str]],
) -> ReadBinding | None:
    """Prepare a read of ``attributes`` for the objects ``rows``, indices into the native order.

    ``filters`` is for contact sensors: for each row, the paths that contacts are told apart by; as many for each row.
    A hook that does not serve them leaves the argument out.

    Values must come in the order of ``rows``. The core has checked that every attribute is in the catalogue, belongs
    to the type and is declared as supported; whatever this scene cannot serve becomes an omission.

    Example::

        @hookimpl
        def ovread_bind_read(engine, object_type, rows, attributes):
            def fill(name):
                source = getattr(engine.world, name)
                return lambda buffer: np.take(source, rows, axis=0, out=buffer.host, mode="clip")

            columns = [Column(name, rows=np.arange(len(rows))) for name in attributes]
            return FilledColumns(columns, [fill(name) for name in attributes])
    """


@hookspec(firstresult=True)
def ovread_bind_write(
    engine: Engine, object_type: ObjectType, rows: npt.NDArray[np.intp], attributes: Sequence[str]
) -> WriteBinding | None:
    """Prepare a write of ``attributes`` for the objects ``rows``, indices into the native order.

    The core has checked that every attribute is declared as writable. What this scene or some of these objects cannot
    take becomes an omission, with the paths where it is not all of them. A backend that writes nothing leaves the hook
    out.

    Example::

        @attrs.define(eq=False)
        class RestWrite:
            world: object
            rows: np.ndarray
            columns: list
            omissions: tuple = ()

            def start(self, index, values):
                values[...] = 0  # only force, which nobody exerts before the first write

            def commit(self, index, values, rows):
                chosen = slice(None) if rows is None else rows
                self.world.set(self.columns[index].attribute, self.rows[chosen], values[chosen])

            def close(self):
                pass

        @hookimpl
        def ovread_bind_write(engine, object_type, rows, attributes):
            columns = [Column(name, rows=np.arange(len(rows))) for name in attributes]
            return RestWrite(engine.world, rows, columns)
    """
