"""What a read returns: groups of values, and omissions with reasons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
import numpy.typing as npt

from ovread.backend import Buffer, Column, MatrixLabels, Omission
from ovread.catalogue import Attribute, attribute
from ovread.errors import GroupError, OmittedError, did_you_mean
from ovread.groups import Groups, split_by_prim
from ovread.query import Selection
from ovread.quiet import start_warp
from ovread.units import StageUnits
from ovread.values import DTYPES

if TYPE_CHECKING:
    import warp as wp


def allocate(row: Attribute, column: Column, device: str) -> Buffer:
    """Allocate the memory of one group, as a Warp array with a NumPy view where it is on the CPU."""
    import warp as wp

    start_warp()
    elements = len(column.rows) if column.counts is None else int(column.counts.sum())
    elements = 0 if column.is_dynamic else elements
    lanes = column.lanes or row.lanes
    dtype = wp.dtype_from_numpy(DTYPES[row.dtype])
    where = device if row.residency == "device" else "cpu"
    array = wp.empty((elements, len(lanes)), dtype=dtype, device=where)
    offsets = None
    if column.is_dynamic:
        offsets = np.zeros(len(column.rows) + 1, dtype=np.intp)
    elif column.counts is not None:
        offsets = np.concatenate(([0], np.cumsum(column.counts))).astype(np.intp)
    return Buffer(row, array, array.numpy() if array.device.is_cpu else None, offsets)


@attrs.frozen(eq=False)
class Group:
    """The values of one attribute: one layout, one device, one physics scene.

    Args:
        row: The catalogue row, with everything that is known of the attribute.
        paths: Prim path of each row.
        lanes: Names of the components of a row.
        units: The units in the stage's own names, such as ``cm/s``.
        scene: Path of the physics scene, None where there is just one.
        labels: For matrices and vectors over degrees of freedom, what the rows and columns of each prim's stand for.
        native_labels: The same in the engine's own order: the mapping between the two.
    """

    row: Attribute
    paths: tuple[str, ...] = attrs.field(repr=False)
    lanes: tuple[str, ...] = attrs.field(repr=False)
    units: str
    scene: str | None
    labels: tuple[MatrixLabels, ...] | None = attrs.field(repr=False)
    native_labels: tuple[MatrixLabels, ...] | None = attrs.field(repr=False)
    _buffer: Buffer = attrs.field(repr=False)
    _origin: object = attrs.field(default=None, repr=False)

    @property
    def attribute(self) -> str:
        """Name of the attribute."""
        return self.row.name

    @property
    def frame(self) -> str:
        """Axes that the components are expressed in: ``world``, ``body``, ``joint``, ..."""
        return self.row.frame.value

    @property
    def values(self) -> wp.array:
        """Warp array ``(rows, lanes)``, or ``(elements, lanes)`` where the group has offsets."""
        return self._buffer.array

    @property
    def offsets(self) -> npt.NDArray[np.intp] | None:
        """``(rows + 1,)``: row i owns elements ``offsets[i]`` to ``offsets[i + 1]``; None for fixed layouts."""
        return self._buffer.offsets

    def numpy(self) -> npt.NDArray[Any]:
        """Return the values as a NumPy array of the same shape; no copy on the CPU."""
        host = self._buffer.host
        return self._buffer.array.numpy() if host is None else host

    def per_prim(self) -> list[npt.NDArray[Any]]:
        """Return one array ``(elements, lanes)`` per path; ``(lanes,)`` for fixed layouts."""
        return split_by_prim(self.numpy(), self.offsets)

    def matrices(self) -> npt.NDArray[Any]:
        """Return the values as ``(prims, rows, columns)``; no copy on the CPU. Without prims the sizes are 0.

        Raises:
            GroupError: The attribute is no matrix.
        """
        if self.labels == ():
            return self.numpy().reshape(0, 0, 0)
        if self.labels is None or not self.labels[0].rows:
            raise GroupError(f"{self.attribute!r} is no matrix: read it with numpy() or per_prim().")
        first = self.labels[0]
        return self.numpy().reshape(len(self.paths), len(first.rows), len(first.columns))

    def __len__(self) -> int:
        return len(self.paths)


class ReadResult(Groups[Group]):
    """A snapshot: groups in the order that attributes were asked for, and what is missing with its reason.

    Iterate over the groups, or take one by name: ``result["position"]``. ``tick`` and ``time`` say what the
    simulation had reached. The values belong to the result: steps, writes and closing do not touch them; only a
    reader refills its own result.
    """

    _called = "result"

    def __init__(
        self,
        groups: Sequence[Group],
        omissions: Sequence[Omission],
        requested: Sequence[str],
    ) -> None:
        self._all = tuple(groups)
        self._prepared_omissions = tuple(omissions)
        self._requested = tuple(requested)
        self._reported: list[Omission | None] = []
        self.groups: tuple[Group, ...] = ()
        self.omissions: tuple[Omission, ...] = tuple(omissions)
        self.tick = 0
        self.time = 0.0

    def _refresh(self, tick: int, time: float) -> None:
        """Take over what a fetch reported: for the core, after the buffers were filled."""
        self.tick = tick
        self.time = time
        reported = [group._buffer.omission for group in self._all]
        if reported == self._reported:
            return
        self._reported = reported
        self.groups = tuple(group for group, omission in zip(self._all, reported, strict=True) if omission is None)
        unique = dict.fromkeys(omission for omission in reported if omission is not None)
        self.omissions = (*self._prepared_omissions, *unique)

    def _missing(self, name: str) -> GroupError:
        reasons = [omission for omission in self.omissions if omission.attribute == name]
        if reasons:
            return OmittedError(f"{name!r} was omitted: {reasons[0].reason.value}: {reasons[0].detail}")
        hint = did_you_mean(name, self._requested)
        return GroupError(f"{name!r} is not in this result, which was asked for {', '.join(self._requested)}.{hint}")

    def __repr__(self) -> str:
        names = ", ".join(group.attribute for group in self.groups)
        return f"<ReadResult tick={self.tick} groups=[{names}] omissions={len(self.omissions)}>"


def make_result(
    columns: Sequence[Column],
    omissions: Sequence[Omission],
    selection: Selection,
    names: Sequence[str],
    units: StageUnits,
    device: str,
    origin: object,
) -> tuple[ReadResult, tuple[Buffer, ...]]:
    """Allocate the result of a prepared read, and the buffers that its binding fills, one per column.

    ``origin`` stands for the simulation, by which a group is known again without keeping the simulation alive.
    """
    rows = [attribute(selection.object_type, column.attribute) for column in columns]
    buffers = tuple(allocate(row, column, device) for row, column in zip(rows, columns, strict=True))
    groups = [
        Group(
            row,
            _paths_of(column, selection),
            column.lanes or row.lanes,
            row.units(units),
            column.scene,
            column.labels,
            column.native_labels,
            buffer,
            origin,
        )
        for row, column, buffer in zip(rows, columns, buffers, strict=True)
    ]
    groups.sort(key=lambda group: names.index(group.attribute))
    return ReadResult(groups, omissions, names), buffers


def _paths_of(column: Column, selection: Selection) -> tuple[str, ...]:
    if len(column.rows) == len(selection.paths):
        return selection.paths
    return tuple(selection.paths[index] for index in column.rows)
