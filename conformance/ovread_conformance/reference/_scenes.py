"""Which scenes the reference opens: the suite's own systems, in every way that they are written down."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping

from ovread.backend import Scene
from ovread.errors import SceneRefusedError
from ovread_conformance.systems import PLAIN, RESTING, SYSTEMS, VARIANTS, WRITABLE, System, express, usda

_NAME = re.compile(r'^\s*doc = "(.*)"$', re.MULTILINE)


@functools.cache
def known_systems() -> Mapping[str, System]:
    """Return all systems of the suite by name."""
    written = (
        system if variant is PLAIN else express(system, variant)
        for system in (*SYSTEMS, RESTING, WRITABLE)
        for variant in (PLAIN, *VARIANTS)
    )
    return {system.name: system for system in written}


def system_of(scene: Scene) -> System:
    """Return the system that a scene's text was written from.

    Raises:
        SceneRefusedError: It is not one of the suite's, was changed since, or needs contacts.
    """
    found = _NAME.search(scene.source) if scene.is_text else None
    system = known_systems().get(found[1]) if found else None
    if system is None:
        raise SceneRefusedError(
            f"The reference has no USD reader and opens the suite's own systems only, not {scene.label}: "
            "pass ovread_conformance.systems.usda(system)."
        )
    if usda(system) != scene.source:
        raise SceneRefusedError(f"The text says that it is {system.name!r}, but differs from what the suite writes.")
    if system.scenery:
        raise SceneRefusedError(f"{system.name!r} has something to collide with, and the reference has no contacts.")
    return system
