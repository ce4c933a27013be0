"""What arrays were before they were written, so that a reset can restore them."""

from __future__ import annotations

from typing import Any


class Originals:
    """Copies of arrays, each taken once, before the first write."""

    def __init__(self) -> None:
        self._kept: dict[int, tuple[Any, Any]] = {}

    def keep(self, array: Any) -> None:
        """Copy an array, unless it has been."""
        import warp as wp

        if id(array) not in self._kept:
            self._kept[id(array)] = array, wp.clone(array)

    def restore(self) -> None:
        """Give every array its first values back."""
        import warp as wp

        for array, original in self._kept.values():
            wp.copy(array, original)
