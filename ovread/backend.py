"""What a backend author writes against: records to fill, protocols to meet.

A backend describes itself with a :class:`BackendInfo`, opens scenes as an :class:`Engine`, lists objects as
:class:`Objects`, and prepares reads as a :class:`ReadBinding`, whose :class:`Column` s say what it will fill, and
writes as a :class:`WriteBinding`. The core selects, orders, allocates, checks, names and explains; a backend only
fills buffers and publishes them.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import attrs
import numpy as np
import numpy.typing as npt

from ovread.catalogue import Attribute, ObjectType, Writability, attribute
from ovread.units import StageUnits

if TYPE_CHECKING:
    import warp as wp

Key = tuple[ObjectType, str]
"""Object type and attribute name."""

UNLIMITED = float(np.finfo(np.float32).max)
"""How an unlimited bound is reported, with its sign, whatever an engine's own sentinel."""


class Level(enum.StrEnum):
    """How well a backend serves an attribute."""

    EXACT = "exact"
    APPROXIMATE = "approximate"
    UNSUPPORTED = "unsupported"


@attrs.frozen
class Support:
    """A backend's declaration about one attribute.

    Args:
        level: How well it is served.
        reason: Why it is not served, or not exactly; one sentence that a user can act on.
    """

    level: Level = Level.EXACT
    reason: str = ""


@attrs.frozen
class WriteSupport:
    """A backend's declaration about writing one attribute.

    Args:
        writability: The class. ``CONDITIONAL`` where objects, solvers or devices differ in whether they take it.
        reason: Under which condition it can be written, or why it cannot; one sentence that a user can act on.
    """

    writability: Writability = Writability.WRITABLE
    reason: str = ""

    @property
    def is_accepted(self) -> bool:
        """Whether a write session takes the attribute."""
        return self.writability not in (Writability.UNCLASSIFIED, Writability.READ_ONLY)


@attrs.frozen
class Option:
    """A keyword that ``ovread.open`` passes to a backend.

    Args:
        name: The keyword.
        meaning: One sentence.
        default: Value where the keyword is not given.
        choices: Allowed values; empty where they are not a list.
    """

    name: str
    meaning: str
    default: Any = None
    choices: tuple[Any, ...] = ()


@attrs.frozen
class Deviation:
    """A known disagreement between an engine and the conventions, which the backend cannot convert.

    Args:
        rule: Short name, the same in diagnostics and documentation.
        attributes: Names of the attributes that it shows in.
        reason: What happens, one sentence.
        engine: Distribution and version on which it was measured.
    """

    rule: str
    attributes: tuple[str, ...]
    reason: str
    engine: str


@attrs.frozen
class BackendInfo:
    """What is known of a backend without importing its engine.

    A plugin fills ``engine``, ``summary``, ``support``, ``writes``, ``variants``, ``write_variants``, ``options`` and
    ``deviations``; the host fills the rest from the installed distribution.

    Args:
        engine: Names and versions of the engine's distributions, such as ``ovphysx 0.7.0``.
        summary: One sentence.
        support: Declaration per attribute. A catalogue row that it lacks is unsupported.
        variants: Changes to ``support`` by variant, such as a solver's name.
        writes: Declaration about writing per attribute. A row that it lacks cannot be written.
        write_variants: Changes to ``writes`` by variant.
        options: Keywords that ``ovread.open`` passes on.
        deviations: Known disagreements.
        name: Name of the backend.
        distribution: Distribution that provides it.
        version: That distribution's version.
        available: Whether it can be opened.
        reason: Why it cannot.
    """

    engine: str = ""
    summary: str = ""
    support: Mapping[Key, Support] = attrs.field(factory=dict, repr=False)
    variants: Mapping[str, Mapping[Key, Support]] = attrs.field(factory=dict, repr=False)
    writes: Mapping[Key, WriteSupport] = attrs.field(factory=dict, repr=False)
    write_variants: Mapping[str, Mapping[Key, WriteSupport]] = attrs.field(factory=dict, repr=False)
    options: tuple[Option, ...] = attrs.field(default=(), repr=False)
    deviations: tuple[Deviation, ...] = attrs.field(default=(), repr=False)
    name: str = ""
    distribution: str = ""
    version: str = ""
    available: bool = True
    reason: str = ""

    def support_of(self, key: Key, variant: str | None = None) -> Support:
        """Return the declaration for one attribute, as a variant changes it."""
        override = self.variants.get(variant, {}).get(key) if variant else None
        if override is not None:
            return override
        return self.support.get(key, Support(Level.UNSUPPORTED, f"The {self.name} backend does not serve it."))

    def writing_of(self, key: Key, variant: str | None = None) -> WriteSupport:
        """Return the declaration about writing one attribute, as a variant changes it."""
        override = self.write_variants.get(variant, {}).get(key) if variant else None
        declared = override or self.writes.get(key)
        if declared is not None:
            return declared
        support = self.support_of(key, variant)
        if support.level is Level.UNSUPPORTED:
            return WriteSupport(Writability.UNCLASSIFIED, support.reason)
        if attribute(*key).writability is Writability.READ_ONLY:
            return WriteSupport(
                Writability.READ_ONLY, "It follows from other attributes, or is what the step computes."
            )
        return WriteSupport(Writability.READ_ONLY, f"The {self.name} backend does not write it.")


@attrs.frozen
class Scene:
    """What a backend is asked to open.

    Args:
        source: Path of a USD file, or USDA text.
        is_text: Whether ``source`` is the text itself.
    """

    source: str
    is_text: bool = False

    @property
    def label(self) -> str:
        """The path, or a placeholder for text."""
        return "<USDA text>" if self.is_text else self.source


@attrs.frozen
class Diagnostic:
    """Something that opening a scene found, which changes what values mean.

    Args:
        prim: Path of the prim; empty where it is about the whole scene.
        rule: Short name of the finding.
        message: What was found and what the backend did about it.
    """

    prim: str
    rule: str
    message: str


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


class Engine(Protocol):
    """A running simulation of a backend."""

    @property
    def units(self) -> StageUnits:
        """Units and up axis of the stage."""

    @property
    def device(self) -> str:
        """Where state lives: ``cpu`` or ``cuda:0``."""

    @property
    def variant(self) -> str | None:
        """Which variant of the backend this is, such as the solver's name."""

    @property
    def diagnostics(self) -> Sequence[Diagnostic]:
        """What opening and stepping found; kept after :meth:`close`."""

    def step(self, dt: float) -> None:
        """Advance by ``dt`` seconds."""

    def reset(self) -> None:
        """Return to the authored state. Bindings made before are not used again."""

    def close(self) -> None:
        """Give everything back; called once, also when opening succeeded but the caller failed."""


class NamingEngine(Engine, Protocol):
    """An engine whose attributes have prim-path handles among their values."""

    def paths_of(self, handles: Sequence[int]) -> Sequence[str]:
        """Return the path of each handle; an empty string for 0."""

    def handles_of(self, paths: Sequence[str]) -> Sequence[int]:
        """Return the handle of each path; only where an attribute of handles can be written."""


class AdoptedEngine(Engine, Protocol):
    """An engine around objects that the user owns and steps; ``step`` and ``reset`` are not called."""

    def stepped(self, **current: Any) -> None:
        """Take note that the user has stepped, and of where the state is now.

        Raises:
            OptionError: The engine does not take such a keyword.
        """


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


def supports(object_type: ObjectType, names: str, level: Level = Level.EXACT, reason: str = "") -> dict[Key, Support]:
    """Declare the same support for several attributes, named in one string.

    >>> sorted(name for _, name in supports(ObjectType.RIGID_BODY, "position mass"))
    ['mass', 'position']
    """
    return {attribute(object_type, name).key: Support(level, reason) for name in names.split()}


def writes(
    object_type: ObjectType, names: str, writability: Writability = Writability.WRITABLE, reason: str = ""
) -> dict[Key, WriteSupport]:
    """Declare the same about writing several attributes, named in one string.

    >>> sorted(name for _, name in writes(ObjectType.RIGID_BODY, "position mass"))
    ['mass', 'position']
    """
    return {attribute(object_type, name).key: WriteSupport(writability, reason) for name in names.split()}
