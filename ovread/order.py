"""Natural path order: ``/env_2`` before ``/env_10``, the same on every backend."""

from __future__ import annotations

import functools
import re

_NUMBER = re.compile(r"(\d+)")


def natural_key(path: str) -> tuple[tuple[tuple[str, int], ...], ...]:
    """Return a sort key that compares paths component by component and digits as numbers.

    Equal numbers of different spelling (``a1``, ``a01``) are told apart by the path itself, so the order is total as
    long as the caller sorts by ``(natural_key(path), path)``.
    """
    return tuple(map(_component_key, path.split("/")))


@functools.lru_cache(maxsize=1 << 16)
def _component_key(component: str) -> tuple[tuple[str, int], ...]:
    parts = _NUMBER.split(component)
    return tuple(("", int(part)) if index % 2 else (part, -1) for index, part in enumerate(parts))
