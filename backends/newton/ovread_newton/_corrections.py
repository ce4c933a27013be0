"""What the backend puts right of what the importer gets wrong, and how to turn it off."""

from __future__ import annotations

from collections.abc import Iterable

from ovread.backend import Diagnostic
from ovread.errors import OptionError, did_you_mean
from ovread_newton._articulation_corrections import ARTICULATION_CORRECTIONS
from ovread_newton._body_corrections import BODY_CORRECTIONS
from ovread_newton._body_order import BODY_ORDER_CORRECTIONS
from ovread_newton._joint_corrections import JOINT_CORRECTIONS
from ovread_newton._mass_corrections import MASS_CORRECTIONS
from ovread_newton._refusal_corrections import REFUSAL_CORRECTIONS
from ovread_newton._scene_import import SceneImport, Step
from ovread_newton._shape_corrections import SHAPE_CORRECTIONS
from ovread_newton._turned_states import TURNED_STATE_CORRECTIONS

CORRECTIONS = (
    *BODY_CORRECTIONS,
    *REFUSAL_CORRECTIONS,
    *MASS_CORRECTIONS,
    *ARTICULATION_CORRECTIONS,
    *JOINT_CORRECTIONS,
    *TURNED_STATE_CORRECTIONS,
    *SHAPE_CORRECTIONS,
    *BODY_ORDER_CORRECTIONS,
)
"""In the order that they apply in."""

RULES = tuple(correction.rule for correction in CORRECTIONS)


def selected_rules(option: object) -> frozenset[str]:
    """Return the rules that the option ``corrections`` selects.

    Args:
        option: True for all, False for none, or the rules that apply.

    Raises:
        OptionError: It is something else, or names an unknown rule.
    """
    if isinstance(option, bool):
        return frozenset(RULES if option else ())
    if isinstance(option, str) or not isinstance(option, Iterable):
        raise OptionError(
            f"corrections={option!r}: give True for all, False for none, or the names of those that apply."
        )
    chosen = list(option)
    for rule in chosen:
        if rule not in RULES:
            raise OptionError(
                f"corrections: there is no {rule!r}.{did_you_mean(str(rule), RULES)} Corrections: {', '.join(RULES)}."
            )
    return frozenset(chosen)


def correct_before(scene: SceneImport) -> list[Diagnostic]:
    """Apply the corrections of the stage and of the builder's defaults."""
    return _apply(scene, [correction.before for correction in CORRECTIONS if scene.applies(correction.rule)])


def correct_after(scene: SceneImport) -> list[Diagnostic]:
    """Apply the corrections of the filled builder."""
    return _apply(scene, [correction.after for correction in CORRECTIONS if scene.applies(correction.rule)])


def _apply(scene: SceneImport, steps: Iterable[Step | None]) -> list[Diagnostic]:
    once = dict.fromkeys(step for step in steps if step is not None)
    return [diagnostic for step in once for diagnostic in step(scene)]
