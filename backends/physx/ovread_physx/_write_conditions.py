"""What only the engine knows of whether a value can be written; checked before anything is changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from ovread.backend import Column
from ovread.catalogue import ObjectType

if TYPE_CHECKING:
    from ovread_physx._engine import PhysxEngine

Indices = npt.NDArray[np.intp]


class Condition(Protocol):
    """A rule that the values of one column must meet."""

    def check(self, values: npt.NDArray[Any], rows: Indices | None) -> None:
        """Check values that are about to be published.

        Args:
            values: Of the whole column.
            rows: Ascending positions of the rows to publish; None for all.

        Raises:
            ValueRefusedError: A row cannot take its value.
        """


def conditions_of(
    engine: PhysxEngine, object_type: ObjectType, column: Column, table_rows: Indices
) -> Sequence[Condition]:
    """Return what the values of a column must meet."""
    return ()
