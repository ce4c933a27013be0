"""The suite: what is recorded of a backend, and every kind of evidence that the recordings are held against."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping

import attrs
import numpy as np

from ovread import ObjectType, StageUnits, catalogue
from ovread.catalogue import Attribute
from ovread_conformance.commands import commander, commands
from ovread_conformance.consistency import consistency
from ovread_conformance.contact_events import contact_events
from ovread_conformance.contacts import contacts
from ovread_conformance.corruptions import Corruption, corruptions
from ovread_conformance.declarations import Declared
from ovread_conformance.explained import explanation
from ovread_conformance.metamorphic import metamorphic
from ovread_conformance.oracles import Oracle
from ovread_conformance.prediction import Setting, is_predicted
from ovread_conformance.recording import DT, TICKS, Reading, Recording, record, served
from ovread_conformance.systems import (
    ACTUATED,
    BODIES,
    CARRIED,
    CASES,
    FLOATING_TREE,
    KINEMATIC,
    RESTING,
    SYSTEMS,
    VARIANTS,
    System,
    Variant,
    express,
)
from ovread_conformance.verdicts import Verdict

Key = tuple[ObjectType, str]

RESTS = {
    "steps of 1/240 s": (1 / 240, (0, 1, 2, 3, 12, 13, 14, 15, 16, 17, 18, 240)),
    "steps of 1/60 s": (1 / 60, (0, 1, 2, 3, 4, 5, 6, 90)),
}
"""How long boxes come to rest before their contacts are read: time step, and ticks at which all is read."""
RATE_CAP = "joint-rate-cap"
"""The rule for robots on stages with small units: an engine may bound rates by a number without a unit."""
LOST_CONTACT = "acceleration-of-lost-contact"
"""The rule for a body that flies off: its acceleration is that of its velocity in this step too."""
UNTRANSMITTED = "effort-not-transmitted"
"""The rule for written efforts: each joint nearer to the root feels them too."""
HALVED = (BODIES, FLOATING_TREE)
"""What also runs at half the time step: rates are the same, and changes in a step half."""
_SOLID_VARIANTS = ("centimetres", "feet", "grams", "under a scaled prim")
_ACTUATED_VARIANTS = ("centimetres and grams, Y up", "mirrored")
_RESTING_VARIANTS = ("centimetres", "Y up", "turned")
_QUICK_VARIANTS = ("centimetres and grams, Y up", "turned", "swapped bodies", "renamed")
"""Few ways to write a system down that differ in all that others differ in, but for mirroring and order."""


@attrs.frozen
class Run:
    """One simulation that the suite records.

    Args:
        name: Name of the run.
        system: What is opened.
        original: The system before it was written down in another way; None where it was not.
        variant: How it was written down.
        dt: Seconds per step.
        ticks: When everything is read.
        deviation: The rule that a backend declares where it is known to fail here; empty for none.
        needs: Attributes without which there is nothing to see.
    """

    name: str
    system: System = attrs.field(repr=False)
    original: str | None = None
    variant: Variant | None = attrs.field(default=None, repr=False)
    dt: float = DT
    ticks: tuple[int, ...] = TICKS
    deviation: str = ""
    needs: frozenset[Key] = frozenset()

    def is_for(self, backend: str) -> bool:
        """Whether a backend serves what the run is for, and takes what is written in it."""
        declared = Declared.of(backend)
        takes = all(declared.writing(key).is_accepted for key in commands(self.system))
        return takes and self.needs <= {row.key for row in served(backend)}

    def record(self, backend: str, device: str = "cpu") -> Recording:
        """Run it on a backend."""
        return record(self.system, backend, device=device, ticks=self.ticks, dt=self.dt, prepare=commander(self.system))


@functools.cache
def runs(*, quick: bool = False) -> dict[str, Run]:
    """Return all runs by name; with ``quick`` fewer ways to write each system down."""
    every = {run.name: run for run in _every_run()}
    if not quick:
        return every
    return {
        name: run
        for name, run in every.items()
        if run.variant is None or (run.original is not None and run.variant.name in _QUICK_VARIANTS)
    }


def _ticks(system: System) -> tuple[int, ...]:
    """Return when all is read of a system: early, and when something is known of it."""
    return tuple(sorted({0, 1, 2, 16} | {outcome.tick for outcome in system.outcomes}))


def _every_run() -> list[Run]:
    found = [Run(system.name, system) for system in SYSTEMS]
    found += [
        Run(
            f"{system.name}, {variant.name}",
            express(system, variant),
            system.name,
            variant,
            deviation=RATE_CAP if system.robots and variant.meters_per_unit < 0.01 else "",
        )
        for system in SYSTEMS
        for variant in VARIANTS
    ]
    found += [
        Run(system.name, system, ticks=_ticks(system), deviation=rule)
        for rule, systems in CASES.items()
        for system in systems
    ]
    found += [Run(f"{system.name}, half the time step", system, dt=1 / 480) for system in HALVED]
    needs = frozenset({(ObjectType.RIGID_BODY, "kinematicTargetPosition")})
    # A kinematic body that has come to its target may sleep, or not: it is as the engine likes.
    found += [Run(KINEMATIC.name, KINEMATIC, needs=needs), Run(CARRIED.name, CARRIED, ticks=(0, 1, 2), needs=needs)]
    needs = frozenset({(ObjectType.ARTICULATION_JOINT, "jointActuationForce")})
    found.append(Run(ACTUATED.name, ACTUATED, deviation=UNTRANSMITTED, needs=needs))
    found += [
        Run(
            f"{ACTUATED.name}, {variant.name}",
            express(ACTUATED, variant),
            None,
            variant,
            DT,
            TICKS,
            UNTRANSMITTED,
            needs,
        )
        for variant in VARIANTS
        if variant.name in _ACTUATED_VARIANTS
    ]
    solids = CASES[""][0]
    found += [
        Run(f"{solids.name}, {variant.name}", express(solids, variant), None, variant, ticks=(0,))
        for variant in VARIANTS
        if variant.name in _SOLID_VARIANTS
    ]
    for name, (dt, ticks) in RESTS.items():
        found.append(Run(f"{RESTING.name}, {name}", RESTING, dt=dt, ticks=ticks, deviation=LOST_CONTACT))
    dt, ticks = RESTS["steps of 1/240 s"]
    found += [
        Run(f"{RESTING.name}, {variant.name}", express(RESTING, variant), None, variant, dt, ticks, LOST_CONTACT)
        for variant in VARIANTS
        if variant.name in _RESTING_VARIANTS
    ]
    return found


SEEN = 1e-3
"""How much of its size a value changes where it does; less is the rounding of engines."""

Recordings = Mapping[str, Recording]
"""What was recorded, by run."""


def oracle_evidence(run: Run, recordings: Recordings, only: Key | None = None) -> Iterator[Verdict]:
    """Hold a run against closed forms and Pinocchio; of a variant its units, and what it is not predicted for."""
    if only is None:
        yield _units(recordings[run.name])
    if RESTING.name in run.name:
        return
    if run.original is None or (only is not None and not is_predicted(catalogue.attribute(*only))):
        yield from _oracle(run.system).verdicts(recordings[run.name], only)


def _units(recording: Recording) -> Verdict:
    stage, got = recording.system.stage, recording.units
    expected = StageUnits(stage.meters_per_unit, stage.kilograms_per_unit, stage.up_axis)
    spelt = [f"{of.meters_per_unit:g} m, {of.kilograms_per_unit:g} kg, {of.up_axis} up" for of in (expected, got)]
    words = "expected {}, got {}".format(*spelt)
    return Verdict(ObjectType.SCENE, "", "stage", words, "units", 0.0 if got == expected else np.inf, 0.0)


@functools.lru_cache(maxsize=128)
def _oracle(system: System) -> Oracle:
    return Oracle(system)


def consistency_evidence(run: Run, recordings: Recordings, only: Key | None = None) -> Iterator[Verdict]:
    """Hold the readings of a run against each other."""
    yield from consistency(recordings[run.name], only)


def metamorphic_evidence(run: Run, recordings: Recordings, only: Key | None = None) -> Iterator[Verdict]:
    """Hold a run of a system written down in another way against the one as it is."""
    if run.original is not None and run.original in recordings and run.variant is not None:
        original = recordings[run.original]
        yield from metamorphic(original, recordings[run.name], Setting(original.system, run.variant), only)


def contact_evidence(run: Run, recordings: Recordings, only: Key | None = None) -> Iterator[Verdict]:
    """Hold contacts against statics, and contact events against each other."""
    if RESTING.name in run.name:
        yield from contacts(recordings[run.name], only)
        yield from contact_events(recordings[run.name], only)


def snapshot_evidence(run: Run, recordings: Recordings, only: Key | None = None) -> Iterator[Verdict]:
    """Say what was read, kept and overwritten."""
    for tick, kind, name in recordings[run.name].overwritten:
        if only in (None, (kind, name)):
            words = f"a kept result of tick {tick} had other values at the end of the run"
            yield Verdict(kind, name, "all objects", words, f"tick {tick}", np.inf, 0.0)


Evidence = Callable[[Run, Recordings, Key | None], Iterator[Verdict]]

EVIDENCE: Mapping[str, Evidence] = {
    "oracle": oracle_evidence,
    "consistency": consistency_evidence,
    "contacts": contact_evidence,
    "metamorphic": metamorphic_evidence,
    "snapshots": snapshot_evidence,
}
"""Every kind of evidence, the most trusted first."""


@attrs.frozen
class Fate:
    """What became of a mutant.

    Args:
        row: The row that it corrupts.
        corruption: How.
        killed_by: Kind of evidence and run that caught it; empty where it survived.
        is_visible: Whether it changed any value that was read.
        tolerance: How far the backend declares that an approximate attribute may be off; 0 of others.
        deviations: Rules of declared deviations that show in the runs which would tell.
    """

    row: Attribute
    corruption: Corruption
    killed_by: str
    is_visible: bool
    tolerance: float = 0.0
    deviations: tuple[str, ...] = ()

    @property
    def explanation(self) -> str:
        """Why it may survive; empty where it may not. What changes an exact value has no excuse."""
        if self.killed_by:
            return ""
        if self.tolerance >= 1:
            return f"Declared to be off by up to {self.tolerance:g} times its size, which covers this."
        if self.is_visible and self.deviations:
            return f"What would tell deviates without it, as declared: {', '.join(self.deviations)}."
        if self.is_visible:
            return ""
        return explanation(*self.row.key, self.corruption.name)

    @property
    def name(self) -> str:
        """Row and corruption."""
        return f"{self.row.object_type.name}.{self.row.name}: {self.corruption.name}"


def mutants(row: Attribute, recordings: Recordings) -> Iterator[Fate]:
    """Corrupt a row in every way that applies, and judge again."""
    known = {name: run for name, run in runs().items() if name in recordings and row.key in recordings[name].rows}

    @functools.cache
    def failing(kind: str, name: str) -> frozenset[tuple[str, str, str]]:
        """Name the verdicts that fail without a mutant: they catch none."""
        verdicts = EVIDENCE[kind](known[name], recordings, row.key)
        return frozenset(verdict.subject for verdict in verdicts if not verdict.holds)

    for corruption in corruptions(row):
        fate = _fate(row, corruption, known, recordings, failing)
        if fate is not None:
            yield fate


def _fate(
    row: Attribute,
    corruption: Corruption,
    known: Mapping[str, Run],
    recordings: Recordings,
    failing: Callable[[str, str], frozenset[tuple[str, str, str]]],
) -> Fate | None:
    corrupted: dict[str, Recording] = {}
    is_visible = False
    for kind, evidence in EVIDENCE.items():
        for name, run in known.items():
            for needed in (name, run.original):
                if needed is not None and needed not in corrupted and needed in recordings:
                    corrupted[needed] = recordings[needed].changed(*row.key, corruption.apply)
                    is_visible |= _differs(recordings[needed], corrupted[needed], row)
            verdicts = evidence(run, corrupted, row.key)
            if any(not verdict.holds and verdict.subject not in failing(kind, name) for verdict in verdicts):
                return Fate(row, corruption, f"{kind}: {name}", True)
    if corruption.is_no_fault_unseen and not is_visible:
        return None
    tolerance = max((recordings[name].tolerance(row.key, 0.0) for name in known), default=0.0)
    return Fate(row, corruption, "", is_visible, tolerance)


def _are_different(one: Reading, other: Reading) -> bool:
    if one.values.shape != other.values.shape or one.names != other.names:
        return True
    if one.offsets is not None and other.offsets is not None and (one.offsets != other.offsets).any():
        return True
    size = float(np.abs(one.values).max(initial=0))
    return bool((np.abs(one.values.astype(float) - other.values) > SEEN * size).any())


def _differs(one: Recording, other: Recording, row: Attribute) -> bool:
    return any(
        _are_different(before, after)
        for key in one.readings
        if key[1:] == row.key
        for before, after in zip(one.readings[key], other.readings[key], strict=True)
    )
