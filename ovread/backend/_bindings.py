"""What a backend prepares: lists of objects, and bindings of reads and writes."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import attrs
import numpy as np
import numpy.typing as npt

from ovread.catalogue import Attribute

if TYPE_CHECKING:
    import warp as wp

UNLIMITED = float(np.finfo(np.float32).max)
"""How an unlimited bound is reported, with its sign, whatever an engine's own sentinel."""


@attrs.frozen
class Objects:
    """All objects of one type, in the backend's native order.

    Args:
        paths: Prim path of each row. Paths may repeat where several scenes share a prim.
        scenes: Path of the physics scene of each row, None where the engine has just one or does not say.
        members: For articulations, a function that returns the paths of the links and joints of each row; a path
            pattern selects an articulation by them too. Called only when a pattern needs it.
    """

    paths: Sequence[str] = ()
    scenes: Sequence[str | None] | None = None
    members: Callable[[], Sequence[Sequence[str]]] | None = None


@attrs.frozen
class MatrixLabels:
    """What the rows and columns of one prim's matrix stand for.

    A degree of freedom is ``path:axis`` with the axis of its joint (twist, swing1, swing2, x, y, z); those of a
    floating root are ``path:linear.x`` to ``path:angular.z`` with the path of the root link, whose centre of mass the
    linear ones move. A row of a Jacobian is written in the same way, with the path of a link; the rows of a momentum
    are ``linear.x`` to ``angular.z``, and the column of its bias force is ``bias``.

    Args:
        rows: One label per row; empty where the value is a vector.
        columns: One label per column.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]


@attrs.frozen(eq=False)
class Column:
    """What one attribute of a binding will deliver; it becomes one group of each result.

    Args:
        attribute: Name of the attribute.
        rows: Which of the requested rows it covers, as ascending positions in the ``rows`` argument of
            ``ovread_bind_read``.
        counts: For ragged layouts, elements per covered row; None for the others, and for dynamic columns.
        scene: Path of the physics scene that the rows belong to, None where there is just one.
        lanes: Names of the lanes where the catalogue leaves them open.
        is_dynamic: Whether the number of elements changes from read to read: each fetch sets the offsets of the buffer
            and resizes it.
        labels: For matrices and vectors over degrees of freedom, one per covered row, in the canonical order that the
            values have: links and joints in natural path order, a floating root's degrees of freedom first.
        native_labels: The same in the engine's own order.
    """

    attribute: str
    rows: npt.NDArray[np.intp]
    counts: npt.NDArray[np.intp] | None = None
    scene: str | None = None
    lanes: tuple[str, ...] | None = None
    is_dynamic: bool = False
    labels: tuple[MatrixLabels, ...] | None = None
    native_labels: tuple[MatrixLabels, ...] | None = None


class OmissionReason(enum.StrEnum):
    """Why a known attribute has no group."""

    UNSUPPORTED_ATTRIBUTE = "UNSUPPORTED_ATTRIBUTE"
    """The engine does not have it."""
    UNSUPPORTED_CONFIGURATION = "UNSUPPORTED_CONFIGURATION"
    """This scene, solver, device or selection does not have it."""
    NOT_READY = "NOT_READY"
    """It does not exist yet; step first."""


@attrs.frozen
class Omission:
    """A known attribute that is not in a result, and why.

    Args:
        attribute: Name of the attribute.
        reason: Kind of reason.
        detail: One sentence.
        paths: The rows that it concerns; empty where it concerns all.
    """

    attribute: str
    reason: OmissionReason
    detail: str
    paths: tuple[str, ...] = ()


@attrs.define(eq=False)
class Buffer:
    """Memory that a binding fills, owned by the core.

    Args:
        row: The catalogue row.
        array: Warp array ``(rows, lanes)``; for ragged layouts ``(elements, lanes)``.
        host: NumPy view of the same memory; None on a GPU.
        offsets: For ragged layouts, ``(rows + 1,)``: row i owns elements ``offsets[i]`` to ``offsets[i + 1]``.
        omission: Set by the binding where this read cannot serve the column; None before each fetch.
    """

    row: Attribute
    array: wp.array
    host: npt.NDArray[Any] | None
    offsets: npt.NDArray[np.intp] | None = None
    omission: Omission | None = None
    _whole: wp.array = attrs.field(init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        self._whole = self.array

    def resize(self, elements: int) -> None:
        """Give a dynamic column room for as many elements as this read has; memory grows and is kept."""
        if elements == self.array.shape[0]:
            return
        if elements > self._whole.shape[0]:
            import warp as wp

            shape = (max(elements, 2 * self._whole.shape[0]), self._whole.shape[1])
            self._whole = wp.empty(shape, dtype=self._whole.dtype, device=self._whole.device)
        self.array = self._whole[:elements]
        self.host = self.array.numpy() if self.host is not None else None


class ReadBinding(Protocol):
    """A prepared read: what it will deliver, and the call that delivers it."""

    @property
    def columns(self) -> Sequence[Column]:
        """What it delivers."""

    @property
    def omissions(self) -> Sequence[Omission]:
        """What was asked and is not delivered."""

    def fetch(self, buffers: Sequence[Buffer]) -> None:
        """Fill one buffer per column with the current values, without allocating."""

    def close(self) -> None:
        """Give back native resources; called once, before the engine is closed or reset.

        May be called from the thread that runs the garbage collector.
        """


class WriteBinding(Protocol):
    """A prepared write: what it takes, and the calls that publish it.

    Nothing native is held open between calls, and no memory of the core is kept beyond one.
    """

    @property
    def columns(self) -> Sequence[Column]:
        """What it takes, in the form of a read's columns; ``labels`` are left out."""

    @property
    def omissions(self) -> Sequence[Omission]:
        """What was asked and cannot be written here, or not for some rows, each with its reason."""

    def start(self, index: int, values: npt.NDArray[Any]) -> None:
        """Fill the start values of column ``index``, whose attribute cannot be read.

        They are what stands now: no force, no displacement, the command that was given last. Where that is not known,
        NaN (or the type's largest integer), which :meth:`commit` never gets: each such row must be set first.
        """

    def commit(self, index: int, values: npt.NDArray[Any], rows: npt.NDArray[np.intp] | None) -> None:
        """Publish column ``index``, all of it or some rows.

        Args:
            index: Position of the column.
            values: ``(rows, lanes)`` of the whole column, or ``(elements, lanes)`` for ragged layouts, on the host,
                checked against the catalogue.
            rows: Ascending positions in ``Column.rows`` of the rows to publish; None for all. The others keep what
                they have, and are not touched.

        Raises:
            ValueRefusedError: A row cannot take its value. Nothing has been changed.
        """

    def close(self) -> None:
        """Give back native resources; called once, before the engine is closed or reset.

        May be called from the thread that runs the garbage collector.
        """


class ResizingWriteBinding(WriteBinding, Protocol):
    """A write of columns with a number of elements that the caller chooses."""

    def commit_sized(self, index: int, values: npt.NDArray[Any], offsets: npt.NDArray[np.intp]) -> None:
        """Publish column ``index``, of which ``is_dynamic`` is set, with as many elements as ``offsets`` say."""


@attrs.define(eq=False)
class FilledColumns:
    """The plainest :class:`ReadBinding`: one function per column that fills its buffer.

    >>> import numpy as np
    >>> column = Column("mass", rows=np.arange(2))
    >>> binding = FilledColumns([column], [lambda buffer: buffer.host.fill(1.0)])
    """

    columns: Sequence[Column]
    fills: Sequence[Callable[[Buffer], None]]
    omissions: Sequence[Omission] = ()

    def fetch(self, buffers: Sequence[Buffer]) -> None:
        """Fill each buffer with its function."""
        for fill, buffer in zip(self.fills, buffers, strict=True):
            fill(buffer)

    def close(self) -> None:
        """Hold nothing, so give back nothing."""
