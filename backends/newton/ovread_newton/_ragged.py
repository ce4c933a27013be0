"""Runs of indices of different lengths."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import attrs
import numpy as np
import numpy.typing as npt

Indices = npt.NDArray[np.intp]
EMPTY: Indices = np.zeros(0, dtype=np.intp)


@attrs.frozen(eq=False)
class Ragged:
    """Runs of indices, one per owner, in one flat array.

    Args:
        flat: All runs, one after another.
        offsets: ``(owners + 1,)``: run i is ``flat[offsets[i]:offsets[i + 1]]``.
    """

    flat: Indices
    offsets: Indices

    @classmethod
    def of(cls, runs: Iterable[Sequence[int]]) -> Ragged:
        """Store runs."""
        runs = [list(run) for run in runs]
        offsets = np.cumsum([0, *map(len, runs)]).astype(np.intp)
        return cls(np.array([index for run in runs for index in run], dtype=np.intp), offsets)

    @classmethod
    def between(cls, starts: Indices, ends: Indices) -> Ragged:
        """Store runs of consecutive indices, each from a start to before an end."""
        runs = [np.arange(start, end, dtype=np.intp) for start, end in zip(starts, ends, strict=True)]
        return cls(np.concatenate([EMPTY, *runs]), np.cumsum([0, *map(len, runs)]).astype(np.intp))

    def counts(self, owners: Indices) -> Indices:
        """Return the lengths of some runs."""
        return self.offsets[owners + 1] - self.offsets[owners]

    def positions(self, owners: Indices) -> Indices:
        """Return where the elements of some runs lie in ``flat``."""
        if not len(owners):
            return EMPTY
        return np.concatenate([np.arange(self.offsets[owner], self.offsets[owner + 1]) for owner in owners])

    def take(self, owners: Indices) -> Indices:
        """Return the elements of some runs, one after another."""
        return self.flat[self.positions(owners)]
