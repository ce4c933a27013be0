"""What checks of values before a write have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import attrs
import numpy as np
import numpy.typing as npt

from ovread.backend import Column
from ovread.catalogue import ObjectType
from ovread.errors import ValueRefusedError
from ovread_physx._layout import elements_of
from ovread_physx._write_current import CurrentValues

if TYPE_CHECKING:
    from ovread_physx._engine import PhysxEngine

Indices = npt.NDArray[np.intp]
Values = npt.NDArray[Any]
Mask = npt.NDArray[np.bool_]


@attrs.frozen(eq=False)
class Written:
    """A column that is written.

    Args:
        engine: The engine.
        object_type: Type of the objects.
        column: The column.
        rows: The objects of its rows, as rows of the engine's table.
    """

    engine: PhysxEngine
    object_type: ObjectType
    column: Column
    rows: Indices

    def current(self, name: str) -> CurrentValues:
        """Prepare a read of another attribute of the same rows and elements."""
        return CurrentValues(self.engine, self.object_type, name, self.rows, self.column.counts)

    def paths(self) -> list[str]:
        """Return the path of each row."""
        paths = self.engine.table(self.object_type).paths
        return [paths[row] for row in self.rows]

    def row_of(self, element: int) -> int:
        """Return the row that an element belongs to."""
        counts = self.column.counts
        return element if counts is None else int(np.searchsorted(np.cumsum(counts), element, side="right"))


class Condition:
    """A rule that the values of a column must meet; a subclass says which elements break it."""

    rule: ClassVar[str] = ""
    """How a value breaks it, after "it"."""

    def __init__(self, written: Written) -> None:
        self.written = written

    def broken(self, values: Values) -> Mask | None:
        """Return which elements break the rule; None for none."""
        raise NotImplementedError

    def check(self, values: Values, rows: Indices | None) -> None:
        """Check values that are about to be published.

        Args:
            values: Of the whole column.
            rows: Ascending positions of the rows to publish; None for all.

        Raises:
            ValueRefusedError: A row cannot take its value.
        """
        broken = self.broken(values)
        if broken is None:
            return
        if rows is not None:
            published = np.zeros(len(broken), dtype=bool)
            published[elements_of(rows, self.written.column.counts)] = True
            broken = broken & published
        if broken.any():
            self._refuse(values, int(np.argmax(broken)))

    def _refuse(self, values: Values, element: int) -> None:
        written = self.written
        row = written.row_of(element)
        where = ""
        if written.column.counts is not None:
            where = f", element {element - int(written.column.counts[:row].sum())}"
        shown = values[element].tolist()
        raise ValueRefusedError(
            f"{written.column.attribute!r} of {written.paths()[row]} (row {row}{where}) cannot be "
            f"{shown[0] if len(shown) == 1 else shown}: it {self.rule}. Nothing has been changed."
        )

    def close(self) -> None:
        """Give native queries back."""
