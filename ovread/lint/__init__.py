"""Whether an asset means the same on all engines: patterns in it, times what importers declare of them.

A rule finds an authored pattern and knows what the USD Physics schema says of it. Each backend declares what its
importer does with the pattern. A finding is their product, so that no rule names an engine. Reading assets needs
``pip install ovread[lint]``; listing the rules does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from ovread.errors import NotUsdError, OptionError, SelectionError, did_you_mean
from ovread.lint._articulations import RULES as _ARTICULATIONS
from ovread.lint._bodies import RULES as _BODIES
from ovread.lint._colliders import RULES as _COLLIDERS
from ovread.lint._drives import RULES as _DRIVES
from ovread.lint._findings import Finding, Importer, Severity, findings, importers
from ovread.lint._fix import Fixed
from ovread.lint._fix import fix as fix_asset
from ovread.lint._joints import RULES as _JOINTS
from ovread.lint._limits import RULES as _LIMITS
from ovread.lint._masses import RULES as _MASSES
from ovread.lint._rule import Occurrence, Rule
from ovread.lint._scenes import RULES as _SCENES
from ovread.stage import scene_of

if TYPE_CHECKING:
    from ovread.backend import Scene

__all__ = [
    "RULES",
    "Finding",
    "Fixed",
    "Importer",
    "Occurrence",
    "Report",
    "Rule",
    "Severity",
    "fix",
    "importers",
    "lint",
    "rule_named",
]

RULES: tuple[Rule, ...] = (
    *_MASSES,
    *_BODIES,
    *_JOINTS,
    *_LIMITS,
    *_DRIVES,
    *_ARTICULATIONS,
    *_COLLIDERS,
    *_SCENES,
)
"""All rules."""


@attrs.frozen
class Report:
    """What was found in an asset.

    Args:
        asset: What was looked at.
        importers: Which importers were asked.
        findings: What they do not all take as the schema says.
    """

    asset: str
    importers: tuple[Importer, ...]
    findings: tuple[Finding, ...]


def rule_named(name: str) -> Rule:
    """Return the rule of a name, or of another name that a deviation has for it.

    Raises:
        SelectionError: There is none.
    """
    for rule in RULES:
        if name == rule.name or name in rule.also:
            return rule
    names = [rule.name for rule in RULES]
    raise SelectionError(f"There is no rule {name!r}.{did_you_mean(name, names)} Rules: {', '.join(sorted(names))}.")


def lint(source: str | Path, backends: Sequence[str] | None = None) -> Report:
    """Find what importers make of an asset that the schema does not say.

    Args:
        source: Path of a USD file, or USDA text.
        backends: Labels, as in ``newton:mujoco``; None for all installed backends. Their engines need not be.

    Raises:
        SceneNotFoundError, NotUsdError: The asset cannot be read.
        BackendError, OptionError: A backend cannot be asked.
        OptionError: ``usd-core`` is not installed.
    """
    engines = importers(backends)
    scene = scene_of(source)
    stage = open_asset(scene)
    return Report(scene.label, engines, tuple(lint_stage(stage, engines)))


def fix(source: str | Path, out: str | Path, backends: Sequence[str] | None = None) -> Fixed:
    """Write a layer over an asset that authors what the importers agree on, where anything does.

    Args:
        source: Path of a USD file, which is left as it is.
        out: The layer to write; it has the asset for its sublayer.
        backends: As for :func:`lint`.

    Raises:
        SceneNotFoundError, NotUsdError: The asset cannot be read.
        OptionError: The layer cannot be written, or the extra ``lint`` is not installed.
    """
    scene = scene_of(source)
    open_asset(scene)
    return fix_asset(scene, Path(out), RULES, importers(backends))


def lint_stage(stage: Any, engines: Sequence[Importer]) -> list[Finding]:
    """Return the findings in a ``Usd.Stage``, as it is composed."""
    from ovread.lint._asset import Asset

    return list(findings(Asset(stage), RULES, engines))


def open_asset(scene: Scene) -> Any:
    """Open a scene as a ``Usd.Stage``.

    Raises:
        OptionError: ``usd-core`` is not installed.
        NotUsdError: It does not parse.
    """
    try:
        from pxr import Sdf, Tf, Usd
    except ImportError as error:
        raise OptionError("Reading USD needs usd-core: pip install 'ovread[lint]'") from error
    try:
        if not scene.is_text:
            return Usd.Stage.Open(scene.source)
        layer = Sdf.Layer.CreateAnonymous(".usda")
        layer.ImportFromString(scene.source)
        return Usd.Stage.Open(layer)
    except Tf.ErrorException as error:
        raise NotUsdError(f"{scene.label} does not parse as USD: {error}.") from None
