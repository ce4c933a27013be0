"""Which scenes the reference opens: the systems that the suite has written, in whatever way."""

from __future__ import annotations

from ovread.backend import Scene
from ovread.errors import SceneRefusedError
from ovread_conformance import systems
from ovread_conformance.commands import filed
from ovread_conformance.systems import System


def system_of(scene: Scene) -> System:
    """Return the system that a scene's text was written from.

    Raises:
        SceneRefusedError: This process did not write it, it needs contacts, or it has joints outside articulations.
    """
    system = systems.system_of(scene.source) if scene.is_text else None
    if system is None:
        raise SceneRefusedError(
            f"The reference has no USD reader: it opens the text of ovread_conformance.systems.usda(system), as it is "
            f"and in the process that wrote it, and not {scene.label}."
        )
    if system.scenery:
        raise SceneRefusedError(f"{system.name!r} has something to collide with, and the reference has no contacts.")
    if loose := [of.name for of in system.robots if not of.is_articulation or of.held not in ("", of.root.name)]:
        raise SceneRefusedError(f"The reference has no joints outside articulations, and {loose} have some.")
    return filed(system)
