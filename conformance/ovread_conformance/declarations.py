"""What a backend declares, held against what the suite finds: what is skipped, what is approximate, what deviates.

A failing verdict that a declared deviation is about is as declared. A deviation that does not show in its scenes, that
names scenes the suite does not have, or that was measured on another engine, is an error.
"""

from __future__ import annotations

import enum
import functools
from collections.abc import Collection, Iterable
from fnmatch import fnmatchcase

import attrs

from ovread import plugins
from ovread.backend import BackendInfo, Deviation, Support, WriteSupport

Key = tuple[object, str]


@attrs.frozen
class Scene:
    """What a deviation may show in: a run, or a check.

    Args:
        name: Its name.
        rule: The deviation that it was made for; empty where it was made for none.
    """

    name: str
    rule: str = ""


class Standing(enum.StrEnum):
    """How a declared deviation stands."""

    SHOWN = "shown"
    STALE = "stale"
    UNMATCHED = "unmatched"
    OTHER_ENGINE = "other engine"
    WITHOUT_SCENE = "without scene"

    @property
    def is_error(self) -> bool:
        """Whether the declaration is wrong."""
        return self not in (Standing.SHOWN, Standing.WITHOUT_SCENE)


@attrs.frozen
class Declared:
    """What one backend, with one variant, says of itself.

    Args:
        label: Name, or name and variant.
        info: Its declarations.
        variant: The variant, by default where none is named; empty where there are none.
    """

    label: str
    info: BackendInfo
    variant: str

    @classmethod
    def of(cls, label: str) -> Declared:
        """Look a label up.

        Raises:
            BackendError: There is no such backend, or it cannot be loaded.
            OptionError: The backend has no such variant.
        """
        backend, options = plugins.installed().labelled(label)
        defaults = [str(option.default) for option in backend.info.options if option.default in backend.info.variants]
        return cls(label, backend.info, "".join(map(str, options.values())) or "".join(defaults[:1]))

    def support(self, key: Key) -> Support:
        """Return the declaration about an attribute."""
        return self.info.support_of(key, self.variant or None)  # type: ignore[arg-type]

    def writing(self, key: Key) -> WriteSupport:
        """Return the declaration about writing an attribute."""
        return self.info.writing_of(key, self.variant or None)  # type: ignore[arg-type]

    @functools.cached_property
    def deviations(self) -> tuple[Deviation, ...]:
        """The deviations that concern the variant."""
        return tuple(item for item in self.info.deviations if not item.variants or self.variant in item.variants)

    def is_of_this_engine(self, deviation: Deviation) -> bool:
        """Whether a deviation was measured on the engine that is installed."""
        name, _, version = deviation.engine.partition(" ")
        installed = dict(part.strip().rpartition(" ")[::2] for part in self.info.engine.split(","))
        return f"{installed.get(name)}.".startswith(f"{version}.")

    def excuse(self, scene: Scene, object_type: str = "", attribute: str = "") -> Deviation | None:
        """Return the deviation that a failure in a scene is declared as; None where it is not.

        Args:
            scene: Where it failed.
            object_type: Type of the object that it failed of.
            attribute: What failed; empty where it is about the objects themselves, or about a whole check.
        """
        names = {attribute, f"{object_type}.{attribute}"}
        return next(
            (
                item
                for item in self.deviations
                if is_about(item, scene)
                and (not attribute or names & set(item.attributes))
                and self.is_of_this_engine(item)
            ),
            None,
        )

    def standings(
        self, failed: Collection[Deviation], ran: Iterable[Scene], every: Iterable[Scene]
    ) -> list[tuple[Deviation, Standing]]:
        """Return how each deviation stands.

        Args:
            failed: The deviations that some failure was declared as.
            ran: The scenes that ran.
            every: All scenes of the suite.
        """
        return [(item, self._standing(item, failed, ran, every)) for item in self.deviations]

    def _standing(
        self, deviation: Deviation, failed: Collection[Deviation], ran: Iterable[Scene], every: Iterable[Scene]
    ) -> Standing:
        if not self.is_of_this_engine(deviation):
            return Standing.OTHER_ENGINE
        if deviation in failed:
            return Standing.SHOWN
        if any(is_about(deviation, scene) for scene in ran):
            return Standing.STALE
        is_known = any(is_about(deviation, scene) for scene in every)
        return Standing.UNMATCHED if deviation.scene and not is_known else Standing.WITHOUT_SCENE


def is_about(deviation: Deviation, scene: Scene) -> bool:
    """Whether a scene is one that a deviation shows in."""
    if deviation.scene:
        return fnmatchcase(scene.name, deviation.scene)
    return deviation.rule in (scene.name, scene.rule)
