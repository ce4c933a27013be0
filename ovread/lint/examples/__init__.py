"""A scene that shows each rule, and one that is nearly the same and that the rule passes."""

from __future__ import annotations

from ovread.lint.examples._articulations import ARTICULATIONS
from ovread.lint.examples._bodies import BODIES, MASSES
from ovread.lint.examples._colliders import COLLIDERS, OTHERS, SCENES
from ovread.lint.examples._joints import JOINTS
from ovread.lint.examples._usda import Example

EXAMPLES: dict[str, Example] = {**JOINTS, **ARTICULATIONS, **MASSES, **BODIES, **COLLIDERS, **SCENES, **OTHERS}

__all__ = ["EXAMPLES", "Example"]
