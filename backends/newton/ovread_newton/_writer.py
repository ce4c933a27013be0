"""What writing one column takes: where values go, which rows cannot take any, and what must follow.

A writer is a function ``write(values, chosen) -> Consequences``. ``values`` is the whole column on the host, as
``(elements, lanes)``; ``chosen`` are the elements to write, and no other may be touched. It checks first, and raises
:class:`~ovread.errors.ValueRefusedError` while nothing has been changed; then it scatters, and returns what must
follow, which :meth:`NewtonEngine.written` does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import attrs
import numpy as np
import numpy.typing as npt

from ovread.errors import ValueRefusedError
from ovread_newton._binding import Source, Values
from ovread_newton._ragged import EMPTY, Indices

if TYPE_CHECKING:
    from ovread_newton._engine import NewtonEngine

Chosen = Indices | slice
"""Which elements of a column: ascending positions, or all of them as ``slice(None)``."""


@attrs.frozen(eq=False)
class Consequences:
    """What must follow a write before anybody reads or steps.

    Args:
        moved: Articulations whose bodies got poses or velocities: their joint coordinates and rates follow.
        bent: Articulations whose joints got coordinates or rates, or whose bodies hang differently on their joints:
            their bodies' poses and velocities follow.
        hung: Articulations whose links got other centres of mass: the velocities of these follow from the joints.
        jumps: Whether poses changed, which is no motion that a solver may infer a velocity from.
        flags: ``newton.ModelFlags`` that the solver is notified with.
        undo: Takes the write back, where the solver does not take it.
    """

    moved: Indices = EMPTY
    bent: Indices = EMPTY
    hung: Indices = EMPTY
    jumps: bool = False
    flags: int = 0
    undo: Callable[[], None] | None = None

    @property
    def has_followers(self) -> bool:
        """Whether anything follows but that the solver forgets a motion."""
        return bool(self.flags or len(self.moved) or len(self.bent) or len(self.hung))


NOTHING = Consequences()
Write = Callable[[Values, Chosen], Consequences]


class Sink(Source):
    """A :class:`Source` that can be written. What a write changes of the model, a reset restores."""

    def put(self, index: Indices, values: npt.NDArray[Any] | float) -> None:
        """Set elements of the flat array."""
        array = self.array
        if self._part.startswith("model"):
            self._engine.originals.keep(array)
        elif self._part == "state":
            self._engine.keep_stepped_poses()
        if array.device.is_cpu:
            self()[index] = values
            return
        on_host = array.numpy()
        on_host.reshape(-1)[index] = values
        array.assign(on_host)


@attrs.frozen(eq=False)
class Scatter:
    """Writes elements, times a factor: the inverse of a :class:`Gather`.

    Args:
        sink: Where to.
        index: Which; it has the shape of the column.
        factor: What each value is multiplied by, ``(elements, 1)``.
        consequences: What must follow, whichever elements were written.
    """

    sink: Sink
    index: Indices
    factor: Values | None = None
    consequences: Consequences = NOTHING

    def __call__(self, values: Values, chosen: Chosen) -> Consequences:
        """Write the chosen elements."""
        scaled = values[chosen] if self.factor is None else values[chosen] * self.factor[chosen]
        self.sink.put(self.index[chosen], scaled)
        return self.consequences


def publish(puts: Sequence[tuple[Sink, Indices, npt.NDArray[Any]]], flags: int) -> Consequences:
    """Set elements of several arrays of the model, so that they can be set back where the solver refuses them."""
    before = [(sink, index, sink()[index]) for sink, index, _ in puts]
    for sink, index, values in puts:
        sink.put(index, values)

    def undo() -> None:
        for sink, index, values in before:
            sink.put(index, values)

    return Consequences(flags=flags, undo=undo)


def refuse_value(name: str, row: int, path: str, value: Any, rule: str) -> NoReturn:
    """Raise that one row cannot take its value.

    Raises:
        ValueRefusedError: Always.
    """
    raise ValueRefusedError(f"{name}[{row}] of {path}: {np.asarray(value).tolist()} is refused: {rule}")


def refuse_none(engine: NewtonEngine, objects: Indices, name: str) -> Mapping[int, str]:
    """Take every object."""
    return {}


def refuse_unheard(engine: NewtonEngine, objects: Indices, name: str) -> Mapping[int, str]:
    """Take no object of a simulation whose solver could not be told of the change."""
    return dict.fromkeys(range(len(objects)), engine.why_not_written) if engine.why_not_written else {}


def start_at_zero(values: Values) -> None:
    """Start from nothing."""
    values[...] = np.zeros((), values.dtype)


@attrs.frozen(eq=False)
class Maker:
    """How writes of one attribute are prepared.

    Args:
        make: Returns the writer of a column for some objects: bodies, joints or articulations by Newton's index;
            objects of other types by their row.
        refuse: Returns why objects cannot be written in this scene, by position among those given.
        start: Fills the start values of a column that cannot be read.
    """

    make: Callable[[NewtonEngine, Indices, str], Write]
    refuse: Callable[[NewtonEngine, Indices, str], Mapping[int, str]] = refuse_none
    start: Callable[[Values], None] = start_at_zero
