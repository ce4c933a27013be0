"""Opening a USD stage through ``ovstage``, the way both engines need it.

For backend authors: a backend whose engine is fed by ovstage opens its stages here, so that schemas are registered
once for all plugins, physics data is always populated, and the stage's units are read in one place. This is the only
module of the core that imports ``ovstage``, and only when a stage is opened.
"""

from __future__ import annotations

import functools
import logging
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ovread import plugins
from ovread.backend import Scene
from ovread.errors import NotUsdError, OvreadError, SceneNotFoundError
from ovread.units import StageUnits

if TYPE_CHECKING:
    import ovstage

ORDINAL = 1
"""Ordinal that a stage is populated at and read at."""

_log = logging.getLogger("ovread.stage")
_BINARY_MAGIC = b"PXR-USDC"
_TEXT_MAGIC = b"#usda"


def scene_of(source: str | Path) -> Scene:
    """Return the scene that a path, or USDA text (which starts with ``#usda``), names.

    Raises:
        SceneNotFoundError: There is no such file.
        NotUsdError: The file is not USD.
    """
    if isinstance(source, str) and source.lstrip().startswith("#usda"):
        return Scene(source.lstrip(), is_text=True)
    if isinstance(source, str) and "\n" in source:
        raise NotUsdError("The text is not USDA: it does not start with '#usda 1.0'.")
    try:
        path = Path(source).expanduser()
        exists = path.exists()
    except (TypeError, ValueError, OSError, RuntimeError) as error:
        raise SceneNotFoundError(f"{source!r} is not a path of a scene: {error}.") from None
    if not exists:
        raise SceneNotFoundError(f"No such file: {path} (looked in {Path.cwd()}).")
    if path.is_dir():
        raise NotUsdError(f"{path} is a directory: name a .usda, .usd, .usdc or .usdz file in it.")
    if not _looks_like_usd(path):
        raise NotUsdError(f"{path} is not USD: it is neither USDA text, nor a USD crate, nor a USDZ package.")
    return Scene(str(path.resolve()))


def _looks_like_usd(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            head = file.read(64).lstrip()
    except OSError as error:
        raise SceneNotFoundError(f"{path} cannot be read: {error.strerror}.") from None
    if head.startswith((_TEXT_MAGIC, _BINARY_MAGIC)):
        return True
    return path.suffix.lower() == ".usdz" and zipfile.is_zipfile(path)


@functools.cache
def prepare_process() -> None:
    """Prepare the process for the engines of all installed backends; the first call of the process does it.

    Native libraries have an order, and a schema must be registered before the first stage of the process is populated,
    whichever backend opens it. So all plugins are asked, not only the one in use.
    """
    from ovstage import population

    backends = plugins.installed()
    backends.prepare_process()
    folders = backends.usd_schemas()
    _log.debug("registering USD schemas: %s", ", ".join(map(str, folders)))
    population.register_usd_schemas([str(folder) for folder in folders])


def open_stage(scene: Scene, descriptions: Sequence[Any] = ()) -> ovstage.Stage:
    """Open and populate a stage with physics data; the caller destroys it.

    Args:
        scene: The scene.
        descriptions: ``ovstage.population.Desc`` s of what an engine needs beside the physics domain.

    Raises:
        NotUsdError: The text or file does not parse.
    """
    import ovstage
    from ovstage import population

    prepare_process()
    stage = ovstage.Stage("ovread")
    open_source = population.open_usd_from_string_with_desc if scene.is_text else population.open_usd_with_desc
    try:
        open_source(stage, scene.source, ORDINAL, population.DEFAULT_TIME, [_physics(), *descriptions])
        stage.advance_write_floor(ordinal=ORDINAL).wait()
    except ovstage.OvstageError as error:
        stage.destroy()
        raise NotUsdError(f"{scene.label} does not parse as USD: {error}.") from None
    except BaseException:
        stage.destroy()
        raise
    return stage


def _physics() -> Any:
    """Describe what to populate for any engine.

    Without the physics domain the engines simulate with default masses and gravity, without saying so; without the
    rendering domain meshes have no points.
    """
    from ovstage import PopulationDomain, population

    return population.Desc(domains=PopulationDomain.PHYSICS | PopulationDomain.RENDERING)


def sealed_ordinal(stage: ovstage.Stage) -> int:
    """Return the ordinal up to which a stage's values are final."""
    with stage.get_attribute_write_floor() as query:
        return int(query.fetch())


def stage_units(stage: ovstage.Stage) -> StageUnits:
    """Return the units and up axis of a populated stage; USD's fallbacks where they are not authored."""
    import ovstage

    found: dict[str, Any] = {}
    with ovstage.PathDictionary(stage) as dictionary:
        names = ("metersPerUnit", "kilogramsPerUnit", "upAxis")
        tokens = [dictionary.intern_token(f"usd-metadata:{name}") for name in names]
        with (
            dictionary.create_path_list_from_strings(["/"]) as root,
            stage.query_from_path_list(root) as query,
            stage.read_attributes(query, tokens, ovstage.OrdinalRange.latest(sealed_ordinal(stage))) as read,
        ):
            read.wait()
            for group in read.groups():
                with group:
                    value = group.array(0).ravel()[0].item()
                    found[dictionary.token_to_string(group.attribute).removeprefix("usd-metadata:")] = value
        if "metersPerUnit" not in found:
            raise OvreadError("The stage has no metadata: it was not populated with physics data.")
        return StageUnits(
            found["metersPerUnit"], found["kilogramsPerUnit"], dictionary.token_to_string(found["upAxis"])
        )
