"""A scene on its way from the stage to the model, and what a correction of the import is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import attrs
import numpy as np
import numpy.typing as npt

from ovread.backend import Diagnostic
from ovread.units import StageUnits
from ovread_newton._authored import AuthoredJoint, paths_of_joints, read_joints
from ovread_newton._stage import Column, StageView

if TYPE_CHECKING:
    import newton

Vector = npt.NDArray[np.float64]

_MOST_PRIMS = 8


@attrs.define(eq=False)
class SceneImport:
    """What a correction reads and changes.

    Args:
        view: The stage.
        builder: What the importer fills; empty before the import, but for its defaults.
        units: Units of the stage.
        solver: Name of the solver that the model is for.
        rules: The corrections that apply.
        authored: What is authored of the attributes that may be lost, before any edit.
        kinds: Prims of every type and with every schema, before any edit.
        planes: Position and normal of collision planes.
        reversed_joints: Paths of joints whose authored body0 is Newton's child, as their bodies were swapped.
        followers: Joints whose PhysxMimicJointAPI counts.
        wrapped: Joints that a root schema was given to, so that trees outside articulations are simulated.
        articulation_names: Names of articulations, by joints that a root schema was moved to; empty until there are
            bodies to name them after.
    """

    view: StageView
    builder: newton.ModelBuilder
    units: StageUnits
    solver: str
    rules: frozenset[str]
    authored: Mapping[str, Column] = attrs.field(factory=dict)
    kinds: Mapping[str, Sequence[str]] = attrs.field(factory=dict)
    planes: dict[str, tuple[Vector, Vector]] = attrs.field(factory=dict)
    reversed_joints: set[str] = attrs.field(factory=set)
    followers: set[str] = attrs.field(factory=set)
    wrapped: set[str] = attrs.field(factory=set)
    articulation_names: dict[str, str] = attrs.field(factory=dict)
    _joints: tuple[int, list[AuthoredJoint]] | None = attrs.field(default=None, init=False)

    def applies(self, rule: str) -> bool:
        """Return whether a correction applies."""
        return rule in self.rules

    def bodies(self) -> dict[str, int]:
        """Return the index of every body by its path."""
        return {str(label): body for body, label in enumerate(self.builder.body_label)}

    def joints(self) -> dict[str, int]:
        """Return the index of every authored joint by its path."""
        return paths_of_joints(self.builder)

    def authored_joints(self) -> list[AuthoredJoint]:
        """Return the joints of the stage as it is now, edits included."""
        ordinal = self.view.ordinal
        if self._joints is None or self._joints[0] != ordinal:
            self._joints = ordinal, read_joints(self.view)
        return self._joints[1]

    def dofs_of(self, joint: int) -> range:
        """Return the degrees of freedom of a joint."""
        starts = self.builder.joint_qd_start
        return range(starts[joint], starts[joint + 1] if joint + 1 < len(starts) else self.builder.joint_dof_count)


Step = Callable[[SceneImport], Iterable[Diagnostic]]


@attrs.frozen
class Correction:
    """Something that the importer gets wrong and a public parameter, an array or the stage puts right.

    Args:
        rule: Name in diagnostics, in the option ``corrections`` and in the documentation.
        meaning: One sentence.
        before: Changes the stage, or the builder's defaults.
        after: Changes the filled builder. A function that several corrections name runs once.
    """

    rule: str
    meaning: str
    before: Step | None = None
    after: Step | None = None


def findings(rule: str, prims: Iterable[str], message: str) -> Iterator[Diagnostic]:
    """Report the same of several prims: one by one, or together where they are many."""
    paths = sorted(set(prims))
    if len(paths) <= _MOST_PRIMS:
        yield from (Diagnostic(path, rule, message) for path in paths)
        return
    shown = ", ".join(paths[:_MOST_PRIMS])
    yield Diagnostic("", rule, f"{message} This concerns {len(paths)} prims: {shown} and others.")
