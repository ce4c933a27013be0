"""All objects of one type, as one thing that rows are numbered in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import attrs
import numpy as np
import numpy.typing as npt


@attrs.frozen(eq=False)
class Table:
    """All objects of a type, in native order.

    Args:
        paths: Prim path of each row.
        prims: Interned path of each row.
        group_of: Number of the native group of each row: one per physics scene.
        scenes: Path of the physics scene of each group; None where there is one scene, or it is not known.
        instancers: Rows that are point instancers, which stand for several bodies.
        fault: Why the engine cannot read these objects; empty where it can.
    """

    paths: Sequence[str] = ()
    prims: Sequence[int] = ()
    group_of: npt.NDArray[np.intp] = attrs.field(factory=lambda: np.empty(0, dtype=np.intp))
    scenes: Sequence[str | None] = ()
    instancers: frozenset[int] = frozenset()
    fault: str = ""
    rows_of: dict[int, list[int]] = attrs.field(init=False, factory=dict)

    def __attrs_post_init__(self) -> None:
        for row, prim in enumerate(self.prims):
            self.rows_of.setdefault(prim, []).append(row)

    def scene_of(self, group: int) -> str | None:
        """Return the path of the physics scene of a group."""
        return self.scenes[group]

    def prims_by_group(self) -> list[list[int]]:
        """Return the interned paths of the rows of each group."""
        prims = np.asarray(self.prims, dtype=np.uint64)
        return [prims[self.group_of == group].tolist() for group in range(len(self.scenes))]

    def only(self, prims: Iterable[int]) -> Table:
        """Return the rows of some prims."""
        rows = sorted(row for prim in prims for row in self.rows_of[prim])
        paths = [self.paths[row] for row in rows]
        return Table(paths, [self.prims[row] for row in rows], self.group_of[rows], self.scenes)


def table_of(paths: Sequence[str], prims: Sequence[int], sizes: Sequence[int]) -> Table:
    """Return the objects of groups of these sizes, whose scenes are not known yet."""
    return Table(paths, prims, np.repeat(np.arange(len(sizes)), sizes), [None] * len(sizes))
