"""Engine against engine: what two backends read of the same systems, where no closed form covers a row."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

import attrs

from ovread import ObjectType
from ovread.catalogue import Role
from ovread_conformance.examination import Examination
from ovread_conformance.recording import Reading, Recording
from ovread_conformance.verdicts import Small, Verdict

Key = tuple[ObjectType, str]

AGREES = 2e-5
"""Relative tolerance: single precision, rounded a few times on the way on either side."""
_PROVEN = ("oracle", "contacts", "consistency")
"""Kinds of evidence that say what a value should be."""


@attrs.frozen
class Agreement:
    """How one attribute reads on two backends.

    Args:
        count: How many prims were compared.
        failures: Those that differ.
    """

    count: int
    failures: tuple[Verdict, ...]


@attrs.frozen
class Parity:
    """Two backends, compared.

    Args:
        backends: Their labels.
        rows: By attribute, how it reads on both.
    """

    backends: tuple[str, str]
    rows: Mapping[Key, Agreement]

    @property
    def holds(self) -> bool:
        """Whether nothing differs."""
        return not any(agreement.failures for agreement in self.rows.values())


def compare(one: Examination, other: Examination) -> Parity:
    """Compare what the file decides, before the first step, of every row that nothing else proves."""
    proven = {key for found in (one, other) for kind, key in found.findings if kind in _PROVEN}
    verdicts: dict[Key, list[Verdict]] = defaultdict(list)
    for name in (name for name, run in one.runs.items() if run.variant is None):
        if name in one.recordings and name in other.recordings:
            theirs = other.recordings[name]
            for (tick, kind, attribute), readings in one.recordings[name].readings.items():
                if tick == 0 and (kind, attribute) not in proven:
                    for reading in readings:
                        verdicts[kind, attribute] += _compared(reading, theirs, f"{name}, against {other.label}")
    rows = {key: Agreement(len(of), tuple(one for one in of if not one.holds)) for key, of in verdicts.items() if of}
    return Parity((one.label, other.label), rows)


def _compared(mine: Reading, theirs: Recording, where: str) -> Iterator[Verdict]:
    if mine.row.role in (Role.PATH, Role.HANDLE, Role.GENERALIZED):
        return
    for path in mine.paths:
        expected = theirs.of(0, *mine.row.key, path)
        if expected is not None and (expected.size or mine.of(path).size):
            small = Small.at(mine.row, theirs.system, path)
            yield Verdict.of(mine.row, path, expected, mine.of(path), where, AGREES, small)
