"""The armature that belongs to a mass matrix: PhysX leaves it out of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ovread.catalogue import ObjectType
from ovread_physx._articulations import stage_groups
from ovread_physx._sources import open_source
from ovread_physx._trees import Indices, Tree

if TYPE_CHECKING:
    from ovread_physx._engine import PhysxEngine

_KIND = ObjectType.ARTICULATION_JOINT


class ArmatureSource:
    """The armature of each axis of some joints, read again with each read."""

    def __init__(self, engine: PhysxEngine, joints: Sequence[str]) -> None:
        table = engine.table(_KIND)
        wanted = set(joints)
        prims = [prim for prim, path in zip(table.prims, table.paths, strict=True) if path in wanted]
        self.source = open_source(engine, _KIND, list(dict.fromkeys(prims)))
        try:
            groups, _ = self.source.survey(["jointArmature"])
            self._stages = stage_groups(self.source, _KIND, groups, several_scenes=len(table.scenes) > 1)
            handles = [prim for group in groups for prim in group.prims]
            counts = [count for group in groups for count in group.counts]
            paths = engine.path_strings(handles)
        except BaseException:
            self.source.close()
            raise
        self._start_of = dict(zip(paths, np.cumsum([0, *counts[:-1]]).tolist(), strict=True))
        self.values: npt.NDArray[np.float32] = np.zeros(sum(counts), dtype=np.float32)
        self.refresh()

    def refresh(self) -> None:
        """Read the current values."""
        self.source.fetch(self._stages)
        start = 0
        for stage in self._stages:
            assert stage.host is not None
            self.values[start : start + len(stage.host)] = stage.host[:, 0]
            start += len(stage.host)

    def places(self, tree: Tree) -> Indices:
        """Return where the armature of each degree of freedom of an articulation is, in the engine's order."""
        return np.array([self._start_of[dof.joint] + dof.ordinal for dof in tree.dofs], dtype=np.intp)


class Armature:
    """What is added to the mass matrices of articulations of one size."""

    def __init__(self, source: ArmatureSource, trees: Sequence[Tree]) -> None:
        self._source = source
        first = trees[0].root_dofs
        self._places = np.stack([source.places(tree)[tree.columns()[1][first:] - first] for tree in trees])
        self._values = np.empty(self._places.shape, dtype=np.float32)
        stride = trees[0].size + 1
        self._diagonal = slice(first * stride, None, stride)

    def add_to(self, matrices: npt.NDArray[np.float32]) -> None:
        """Add it to matrices in canonical order, ``(rows, elements)``."""
        np.take(self._source.values, self._places, out=self._values, mode="clip")
        diagonal = matrices[:, self._diagonal]
        np.add(diagonal, self._values, out=diagonal)
