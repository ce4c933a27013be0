"""What a stage authors, read with ``pxr`` of the distribution ``usd-core``.

``pxr`` is imported when a stage is read, and only here. In one process with the engines it is safe: opening scenes
before and after it, in every order, on ovphysx 0.7.0 and ovnewton 0.2.1 beside usd-core 26.8, gives the same values
bit for bit, as ovstage carries a USD of its own under other names. A test repeats that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from ovread.authoring._scene import STAGE
from ovread.backend import Value
from ovread.errors import NotUsdError, UnknownPathError, UnsupportedOperationError, did_you_mean
from ovread.stage import scene_of
from ovread.units import StageUnits

if TYPE_CHECKING:
    from pxr import Usd

_METADATA = ("metersPerUnit", "kilogramsPerUnit", "upAxis")


@attrs.frozen
class AuthoredPrim:
    """What is authored on one prim, over all layers.

    Args:
        path: Its path.
        type: Its type; empty where it has none.
        schemas: Schemas applied to it, with their instances, also those that ``pxr`` does not know.
        values: Authored values by name, at the default time.
    """

    path: str
    type: str
    schemas: tuple[str, ...]
    values: Mapping[str, Value]


NO_PRIM = AuthoredPrim("", "", (), {})
"""Where there is none."""


@attrs.frozen
class AuthoredStage:
    """What must be known of a stage to tell which values are in force on a prim.

    Args:
        units: The stage's units.
        prim: The prim.
        scene: The physics scene that it is simulated in; NO_PRIM where the stage has none.
    """

    units: StageUnits
    prim: AuthoredPrim
    scene: AuthoredPrim


def read_authored(source: str | Path | Any, path: str) -> AuthoredStage:
    """Read what a stage authors on a prim.

    Args:
        source: A file, USDA text, or an open ``Usd.Stage``.
        path: Path of the prim; ``/`` for the stage's own metadata.

    Raises:
        SceneNotFoundError: There is no such file.
        NotUsdError: It is not USD.
        UnknownPathError: There is no such prim, or it is inactive.
        UnsupportedOperationError: ``usd-core`` is not installed.
    """
    stage = _open(source)
    units = _units(stage)
    if path == "/":
        authored = {name: stage.GetMetadata(name) for name in _METADATA if stage.HasAuthoredMetadata(name)}
        return AuthoredStage(units, AuthoredPrim("/", STAGE, (), authored), NO_PRIM)
    prim = _prim(stage, path)
    scene = next(_scenes(stage, prim), None)
    return AuthoredStage(units, _read(prim), NO_PRIM if scene is None else _read(scene))


def _open(source: str | Path | Any) -> Usd.Stage:
    try:
        from pxr import Sdf, Tf, Usd
    except ImportError as error:
        raise UnsupportedOperationError(
            f"Reading what a stage authors needs usd-core: pip install 'ovread[lint]' ({error})."
        ) from None
    if isinstance(source, Usd.Stage):
        return source
    scene = scene_of(source)
    try:
        if not scene.is_text:
            return Usd.Stage.Open(scene.source)
        layer = Sdf.Layer.CreateAnonymous(".usda")
        layer.ImportFromString(scene.source)
        return Usd.Stage.Open(layer)
    except Tf.ErrorException as error:
        raise NotUsdError(f"{scene.label} does not parse as USD: {str(error).strip()}") from None


def _units(stage: Usd.Stage) -> StageUnits:
    from pxr import UsdGeom, UsdPhysics

    return StageUnits(
        UsdGeom.GetStageMetersPerUnit(stage),
        UsdPhysics.GetStageKilogramsPerUnit(stage),
        str(UsdGeom.GetStageUpAxis(stage)),
    )


def _prim(stage: Usd.Stage, path: str) -> Usd.Prim:
    from pxr import Sdf

    if not path.startswith("/") or not Sdf.Path.IsValidPathString(path):
        raise UnknownPathError(f"{path!r} is not the path of a prim, which is absolute, as /World/robot.")
    prim = stage.GetPrimAtPath(path)
    if not prim:
        known = [str(each.GetPath()) for each in stage.Traverse()]
        raise UnknownPathError(f"The stage has no prim {path}.{did_you_mean(path, known)}")
    if not prim.IsActive():
        raise UnknownPathError(f"{path} is not active: no engine sees it.")
    return prim


def _scenes(stage: Usd.Stage, prim: Usd.Prim) -> Iterator[Usd.Prim]:
    """Give the scene that the prim, or one above it, names as its owner; then the scenes by path."""
    above = prim
    while above:
        for target in above.GetRelationship("physics:simulationOwner").GetTargets():
            yield from filter(None, [stage.GetPrimAtPath(target)])
        above = above.GetParent()
    scenes = (each for each in stage.Traverse() if each.GetTypeName() == "PhysicsScene")
    yield from sorted(scenes, key=lambda each: str(each.GetPath()))


def _read(prim: Usd.Prim) -> AuthoredPrim:
    values = {}
    for attribute in prim.GetAuthoredAttributes():
        value = _value(attribute.Get()) if attribute.HasAuthoredValue() else None
        if value is not None:
            values[attribute.GetName()] = value
    schemas = map(str, prim.GetPrimTypeInfo().GetAppliedAPISchemas())
    return AuthoredPrim(str(prim.GetPath()), str(prim.GetTypeName()), tuple(schemas), values)


def _value(value: Any) -> Value | None:
    """Return a number, a text or a vector of numbers as Python has them; None for anything else."""
    if isinstance(value, bool | int | float | str):
        return value
    if hasattr(value, "GetImaginary"):
        return (*map(float, value.GetImaginary()), float(value.GetReal()))
    try:
        return tuple(map(float, value))
    except (TypeError, ValueError):
        return None
