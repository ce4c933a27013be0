"""Prepared reads of an articulation's matrices: brought into canonical order, and labelled."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import attrs
import numpy as np
import numpy.typing as npt

from ovread.backend import Buffer, Column, Omission, OmissionReason, ReadBinding
from ovread.catalogue import ObjectType
from ovread_physx._armature import Armature, ArmatureSource
from ovread_physx._articulations import read_centres, read_trees, stage_groups
from ovread_physx._layout import RawGroup
from ovread_physx._parts import Gathered, Joined, Part
from ovread_physx._sources import ReadSource, open_source
from ovread_physx._trees import Arrangement, Indices, Tree, arrange, disagreement

if TYPE_CHECKING:
    from ovread_physx._engine import PhysxEngine

MATRICES = frozenset({"jacobian", "massMatrix", "coriolisForce", "gravityForce", "centroidalMomentum"})
"""Attributes of whole articulations that are arranged here."""

IN_COHORTS = MATRICES | {"jacobianShape"}
"""Attributes that the engine gives in one group per size of articulation; reads with them are prepared here."""

_KIND = ObjectType.ARTICULATION
_WIDEST = 65_535
_TOO_WIDE = f"PhysX leaves out matrices of more than {_WIDEST} elements, and this has more."
_FIXED_ROOT = "Only articulations whose root floats have a centroidal momentum matrix."
_OTHER_SIZE = "Its size is not that of the degrees of freedom that PhysX lists for the articulation at this path."
_RIGID = "The articulation has no degrees of freedom."
_SHARED_PATH = "Several articulations share this path, and PhysX does not say which of them the value belongs to."
_NONE = "PhysX has no such value for these articulations."
_REASONS = (
    (4, OmissionReason.NOT_READY, "PhysX has no value yet: step, then make a new query."),
    (1, OmissionReason.UNSUPPORTED_ATTRIBUTE, "PhysX does not have this attribute."),
)


def bind_matrices(
    engine: PhysxEngine,
    rows: Indices,
    names: Sequence[str],
    bind_others: Callable[[Sequence[str]], ReadBinding],
) -> ReadBinding:
    """Prepare a read of articulations, some of whose attributes are :data:`IN_COHORTS`."""
    others = [name for name in names if name not in MATRICES]
    if len(others) == len(names):
        return Gathered(bind_others(others))
    matrices = _Planner(engine, rows, [name for name in names if name in MATRICES]).bind()
    if not others:
        return matrices
    try:
        everything = np.arange(len(rows))
        return Joined([Part(matrices, everything), Part(Gathered(bind_others(others)), everything)], [])
    except BaseException:
        matrices.close()
        raise


@attrs.frozen(eq=False)
class _Fill:
    """How a column comes from what the engine gives.

    Args:
        column: The column.
        stage: Where the elements are as the engine has them, ``(rows, lanes)``.
        order: Lane of ``stage`` for each lane where that is the same for all rows and there are no others; else
            element of ``stage`` for each element, ``(rows, lanes)``.
        armature: What is added to a mass matrix.
    """

    column: Column
    stage: npt.NDArray[np.float32]
    order: Indices
    armature: Armature | None

    def __call__(self, buffer: Buffer) -> None:
        """Fill the buffer of the column."""
        shape = (len(self.column.rows), len(self.column.lanes or ()))
        out = np.empty(shape, dtype=np.float32) if buffer.host is None else buffer.host
        if self.order.ndim == 1:
            np.take(self.stage, self.order, axis=1, out=out, mode="clip")
        else:
            np.take(self.stage.reshape(-1), self.order, out=out, mode="clip")
        if self.armature is not None:
            self.armature.add_to(out)
        if buffer.host is None:
            buffer.array.assign(out)


class _Planner:
    def __init__(self, engine: PhysxEngine, rows: Indices, names: Sequence[str]) -> None:
        self._engine = engine
        self._table = engine.table(_KIND)
        self._rows = rows
        self._names = names
        self._trees = dict(zip(rows.tolist(), read_trees(engine, rows), strict=True))
        self._position_of = {row: position for position, row in enumerate(rows.tolist())}
        self._fills: list[_Fill] = []
        self._problems: dict[str, dict[int, str]] = {name: {} for name in names}
        self._armatures: ArmatureSource | None = None

    def bind(self) -> MatricesBinding:
        """Prepare the read."""
        everything = len(self._rows) == len(self._table.paths)
        prims = None if everything else list(dict.fromkeys(self._table.prims[row] for row in self._rows))
        source = open_source(self._engine, _KIND, prims)
        try:
            groups, bits = source.survey(self._names)
            stages = stage_groups(source, _KIND, groups, several_scenes=len(self._table.scenes) > 1)
            for group, stage, found in zip(groups, stages, self._located(groups), strict=True):
                assert stage.host is not None
                self._add_columns(group, stage.host, found)
        except BaseException:
            source.close()
            if self._armatures is not None:
                self._armatures.source.close()
            raise
        omissions = [omission for name in self._names for omission in self._omissions(name, bits.get(name, 0))]
        return MatricesBinding(self._engine, source, stages, self._fills, omissions, self._armatures)

    def _located(self, groups: Sequence[RawGroup]) -> Iterator[list[int]]:
        """Yield the articulation of each row of each group, -1 where it is not known.

        Articulations that share a path come in the order in which they are listed.
        """
        given = Counter((group.attribute, prim) for group in groups for prim in group.prims)
        seen: Counter[tuple[str, int]] = Counter()
        for group in groups:
            found = []
            for prim in group.prims:
                key = group.attribute, prim
                rows = self._table.rows_of.get(prim, ())
                found.append(rows[seen[key]] if len(rows) == given[key] else -1)
                seen[key] += 1
            yield found

    def _add_columns(self, group: RawGroup, values: npt.NDArray[np.float32], found: Sequence[int]) -> None:
        by_scene: dict[int, list[tuple[int, int, Arrangement]]] = {}
        for element, row in enumerate(found):
            if row not in self._trees:
                continue
            arrangement, problem = self._arranged(group, row, values[element])
            if arrangement is None:
                self._problems[group.attribute][self._position_of[row]] = problem
            else:
                members = by_scene.setdefault(int(self._table.group_of[row]), [])
                members.append((self._position_of[row], element, arrangement))
        for scene, members in by_scene.items():
            members.sort(key=lambda member: member[0])
            self._add_column(group, values, scene, members)

    def _arranged(self, group: RawGroup, row: int, values: npt.NDArray[np.float32]) -> tuple[Arrangement | None, str]:
        """Return what the elements of one articulation stand for; None and why where that is not known."""
        tree = self._trees[row]
        is_jacobian = group.attribute == "jacobian"
        if is_jacobian and tree.problem:
            return None, tree.problem
        arrangement = arrange(tree, group.attribute)
        if len(arrangement.order) != group.lanes:
            return None, _OTHER_SIZE
        problem = disagreement(tree, values, self._centres[tree.links]) if is_jacobian else ""
        return (None, problem) if problem else (arrangement, "")

    @functools.cached_property
    def _centres(self) -> npt.NDArray[np.float64]:
        return read_centres(self._engine)

    def _add_column(
        self,
        group: RawGroup,
        values: npt.NDArray[np.float32],
        scene: int,
        members: Sequence[tuple[int, int, Arrangement]],
    ) -> None:
        positions, elements = (
            np.array(part, np.intp) for part in zip(*(member[:2] for member in members), strict=True)
        )
        arrangements = [arrangement for _, _, arrangement in members]
        order = arrangements[0].order
        is_plain = np.array_equal(elements, np.arange(len(values)))
        if not is_plain or any(not np.array_equal(order, each.order) for each in arrangements):
            order = elements[:, None] * group.lanes + np.stack([each.order for each in arrangements])
        column = Column(
            group.attribute,
            positions,
            scene=self._table.scene_of(scene),
            lanes=arrangements[0].lanes,
            labels=tuple(each.labels for each in arrangements),
            native_labels=tuple(each.native_labels for each in arrangements),
        )
        trees = [self._trees[int(self._rows[position])] for position in positions]
        has_armature = group.attribute == "massMatrix" and bool(trees[0].dofs)
        self._fills.append(_Fill(column, values, order, self._armature_of(trees) if has_armature else None))

    def _armature_of(self, trees: Sequence[Tree]) -> Armature:
        if self._armatures is None:
            joints = (dof.joint for tree in self._trees.values() for dof in tree.dofs)
            self._armatures = ArmatureSource(self._engine, list(dict.fromkeys(joints)))
        return Armature(self._armatures, trees)

    def _omissions(self, name: str, bits: int) -> Iterator[Omission]:
        """Yield what was not planned of an attribute, once per reason."""
        planned = {int(row) for fill in self._fills if fill.column.attribute == name for row in fill.column.rows}
        paths: dict[tuple[OmissionReason, str], list[str]] = {}
        for position, row in enumerate(self._rows.tolist()):
            if position not in planned:
                problem = self._problems[name].get(position)
                known = (OmissionReason.UNSUPPORTED_CONFIGURATION, problem) if problem else None
                why = known or self._why(name, row, bits)
                paths.setdefault(why, []).append(self._table.paths[row])
        for (reason, detail), missing in paths.items():
            yield Omission(name, reason, detail, tuple(missing) if len(missing) < len(self._rows) else ())

    def _why(self, name: str, row: int, bits: int) -> tuple[OmissionReason, str]:
        tree = self._trees[row]
        if name == "centroidalMomentum" and tree.is_fixed:
            return OmissionReason.UNSUPPORTED_CONFIGURATION, _FIXED_ROOT
        if tree.size == 0:
            return OmissionReason.UNSUPPORTED_CONFIGURATION, _RIGID
        if len(arrange(tree, name).order) > _WIDEST:
            return OmissionReason.UNSUPPORTED_CONFIGURATION, _TOO_WIDE
        if len(self._table.rows_of[self._table.prims[row]]) > 1:
            return OmissionReason.UNSUPPORTED_CONFIGURATION, _SHARED_PATH
        for bit, reason, sentence in _REASONS:
            if bits & bit:
                return reason, sentence
        return OmissionReason.UNSUPPORTED_CONFIGURATION, _NONE


class MatricesBinding:
    """A prepared read of matrices; see :class:`ovread.backend.ReadBinding`."""

    def __init__(
        self,
        engine: PhysxEngine,
        source: ReadSource,
        stages: Sequence[Buffer],
        fills: Sequence[_Fill],
        omissions: Sequence[Omission],
        armatures: ArmatureSource | None,
    ) -> None:
        self.columns: Sequence[Column] = [fill.column for fill in fills]
        self.omissions = omissions
        self._engine = engine
        self._source = source
        self._stages = stages
        self._fills = fills
        self._armatures = armatures

    def fetch(self, buffers: Sequence[Buffer]) -> None:
        """Fill the buffers with the current values."""
        if not self._fills:
            return
        self._source.fetch(self._stages)
        if self._armatures is not None:
            self._armatures.refresh()
        for fill, buffer in zip(self._fills, buffers, strict=True):
            fill(buffer)

    def close(self) -> None:
        """Give the native queries back."""
        self._engine.retire(self._source)
        if self._armatures is not None:
            self._engine.retire(self._armatures.source)
