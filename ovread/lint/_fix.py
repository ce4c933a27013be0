"""Writing a layer over an asset that authors what engines agree on."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs

from ovread.backend import Scene
from ovread.errors import OptionError
from ovread.lint._asset import Asset
from ovread.lint._findings import Finding, Importer, findings
from ovread.lint._rule import Rule

_ROUNDS = 4
"""A repair may make another one possible, as a mass makes that of a friction."""
_METADATA = (
    "defaultPrim", "metersPerUnit", "kilogramsPerUnit", "upAxis", "startTimeCode", "endTimeCode", "timeCodesPerSecond",
    "framesPerSecond",
)  # fmt: skip
_SUFFIXES = (".usda", ".usd", ".usdc")


@attrs.frozen
class Fixed:
    """What a fix did.

    Args:
        path: The layer that was written, which has the asset for its sublayer.
        repaired: What is no longer found.
        left: What is found with the layer.
    """

    path: Path
    repaired: tuple[Finding, ...]
    left: tuple[Finding, ...]


def fix(scene: Scene, out: Path, rules: Sequence[Rule], engines: Sequence[Importer]) -> Fixed:
    """Write a layer over an asset that repairs what can be, and never touch the asset itself.

    Raises:
        OptionError: The asset is no file, the layer would be one that the asset consists of, or it cannot be written.
    """
    stage, layer = _over(scene, out)
    before = list(findings(Asset(stage), rules, engines))
    found, done = before, set[tuple[str, str]]()
    for _ in range(_ROUNDS):
        due = [finding for finding in found if finding.fixable and _key(finding) not in done]
        if not due:
            break
        _apply(due, stage, layer)
        done.update(map(_key, due))
        found = list(findings(Asset(stage), rules, engines))
    left = set(map(_key, found))
    layer.Save()
    return Fixed(out, tuple(each for each in before if _key(each) not in left), tuple(found))


def _key(finding: Finding) -> tuple[str, str]:
    return finding.rule.name, finding.prim


def _over(scene: Scene, out: Path) -> tuple[Any, Any]:
    """Return a stage with a new layer over an asset, and the layer, which is its edit target."""
    from pxr import Sdf, Usd

    if scene.is_text:
        raise OptionError("--fix writes a layer over a file: save the USDA text first.")
    if out.suffix not in _SUFFIXES:
        raise OptionError(f"--fix {out}: name a {', '.join(_SUFFIXES)} file.")
    asset = Usd.Stage.Open(scene.source)
    used = {Path(layer.realPath) for layer in asset.GetUsedLayers() if layer.realPath}
    if out.resolve() in used:
        raise OptionError(f"--fix {out}: the asset consists of that file; name another one.")
    if not out.resolve().parent.is_dir():
        raise OptionError(f"--fix {out}: there is no folder {out.resolve().parent}.")
    out.unlink(missing_ok=True)
    layer = Sdf.Layer.CreateNew(str(out.resolve()))
    layer.subLayerPaths.append(Path(os.path.relpath(scene.source, out.resolve().parent)).as_posix())
    root = asset.GetRootLayer().pseudoRoot
    for name in _METADATA:
        if root.HasInfo(name):
            layer.pseudoRoot.SetInfo(name, root.GetInfo(name))
    stage = Usd.Stage.Open(layer)
    stage.SetEditTarget(layer)
    return stage, layer


def _apply(due: Sequence[Finding], stage: Any, layer: Any) -> None:
    try:
        from usd_validation_nvidia import FixStatus, IssueFixer
    except ImportError as error:
        raise OptionError("--fix needs usd-validation-nvidia: pip install 'ovread[lint]'") from error
    from ovread.lint._validator import issues

    fixer = IssueFixer(stage)
    for result in fixer.fix_at(issues(due, stage), layer):
        if result.status is not FixStatus.SUCCESS:
            raise OptionError(f"--fix: {result.issue.code} at {result.issue.at}: {result.status.name}.") from (
                result.exception
            )
