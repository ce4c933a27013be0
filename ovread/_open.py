"""Opening a scene, and attaching to a simulation that the caller owns."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ovread.errors import OptionError, OvreadError, OwnershipError, SceneRefusedError
from ovread.plugins import installed
from ovread.simulation import Simulation
from ovread.stage import scene_of


def open(source: str | Path, *, backend: str | None = None, device: str = "cpu", **options: Any) -> Simulation:
    """Open a USD scene on a backend.

    Args:
        source: Path of a ``.usda``, ``.usd``, ``.usdc`` or ``.usdz`` file, or USDA text starting with ``#usda``.
        backend: Name of the backend, or name and variant as in ``newton:steel``; None for ``$OVREAD_BACKEND``, else
            the only one installed.
        device: ``cpu`` or ``cuda:0``.
        options: Options of the backend, such as Newton's ``solver="mujoco"``.

    Returns:
        The simulation at its authored state, tick 0.

    Raises:
        SceneNotFoundError, NotUsdError, NoPhysicsError: The scene cannot be opened by anyone.
        BackendError: The backend cannot be chosen or loaded.
        OptionError: The backend does not take an option.
        SceneRefusedError: The engine refuses the scene; the message carries its own words.
    """
    scene = scene_of(source)
    chosen, variant = installed().labelled(backend)
    filled = chosen.options(_merged(variant, options))
    try:
        engine = chosen.hooks.ovread_open(scene=scene, device=device, options=filled)
        if engine is None:
            raise TypeError("ovread_open returned None")
    except OvreadError:
        raise
    except Exception as error:
        words = str(error) or type(error).__name__
        raise SceneRefusedError(f"{chosen.info.name} refuses {scene.label}: {words}") from error
    return Simulation(chosen, engine)


def _merged(variant: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    for name, value in variant.items():
        if options.get(name, value) != value:
            raise OptionError(f"{name} is given twice: {value!r} by the backend's label, and {options[name]!r}.")
    return {**variant, **options}


def attach(*objects: Any, **options: Any) -> Simulation:
    """Read a simulation that you own: you keep the loop, and call ``sim.stepped(dt)`` after each step.

    Args:
        objects: What the engine's own API gave you. For PhysX the ``PhysX`` instance and its attached stage; for
            Newton the model, its states, its control and its solver.
        options: What the backend that the objects belong to takes when it attaches.

    Raises:
        OwnershipError: No installed backend knows these objects, or one does and lacks something.
        OptionError: The backend takes no such option here.
    """
    failures = ""
    for backend in installed().all():
        try:
            engine = backend.hooks.ovread_adopt(objects=objects, options=dict(options))
        except OvreadError:
            raise
        except Exception as error:  # another backend may know them
            failures += f" {backend.info.name} failed on them: {type(error).__name__}: {error}."
            continue
        if engine is not None:
            return Simulation(backend, engine, owned_by_caller=True)
    kinds = ", ".join(type(item).__name__ for item in objects) or "nothing"
    known = ", ".join(backend.info.name for backend in installed().all()) or "none"
    raise OwnershipError(f"No backend recognises these objects ({kinds}).{failures} Installed backends: {known}.")
