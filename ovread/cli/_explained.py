"""Why compared backends differ, as far as ``ovread lint`` finds it in the scene."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from ovread.compare import Comparison, Row
from ovread.errors import OptionError

REMEDY = "To learn why they differ: pip install 'ovread[lint]'"


@attrs.frozen
class Explained:
    """The rules that explain what a comparison found.

    Args:
        rows: By row that disagrees; none where nothing explains it.
        refusals: By label of a backend that refuses the scene.
    """

    rows: Mapping[Row, tuple[str, ...]]
    refusals: Mapping[str, tuple[str, ...]]


def explained(scene: str, comparison: Comparison) -> Explained | None:
    """Return what explains the disagreements; None where the extra ``lint`` is not installed."""
    from ovread.lint._explain import explainer

    try:
        found = explainer(scene, comparison.backends)
    except OptionError:
        return None
    refusals = {label: found.refusals(label) for label in comparison.refusals}
    refused = tuple(dict.fromkeys(name for names in refusals.values() for name in names))
    rows = {
        row: refused if refusals and not row.attribute else found.rules(row.object_type, row.attribute, row.path)
        for row in comparison.rows
        if row.verdict.is_disagreement
    }
    return Explained(rows, refusals)
