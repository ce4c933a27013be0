"""What the suite finds of one backend: recorded in a process of its own, judged, and held against its declarations.

Each part is found when it is asked for, once.
"""

from __future__ import annotations

import functools
import math
import os
import time
import traceback
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import attrs

from ovread import ObjectType, catalogue
from ovread.backend import Deviation
from ovread.catalogue import Attribute
from ovread.errors import OptionError
from ovread_conformance import observation, suite, written
from ovread_conformance.declarations import Declared, Scene, Standing
from ovread_conformance.isolation import LIMIT, Answer, Isolated
from ovread_conformance.observation import Observation
from ovread_conformance.oracles import OBJECTS, Oracle
from ovread_conformance.recording import Recording, served
from ovread_conformance.stability import before_loss, loss
from ovread_conformance.suite import Fate, Recordings, Run
from ovread_conformance.verdicts import Verdict

Key = tuple[ObjectType, str]
Progress = Callable[[str], object]

_ROWS_AT_ONCE = 12
"""Rows whose mutants are judged in one call, so that a call is far from its limit."""


@attrs.frozen
class Held:
    """What one kind of evidence says of one attribute in one run.

    Args:
        run: Name of the run.
        kind: Kind of evidence.
        key: The attribute; its name is empty where it is about the objects themselves.
        count: How many values were held.
        failures: The verdicts that do not hold.
    """

    run: str
    kind: str
    key: Key
    count: int
    failures: tuple[Verdict, ...]


@attrs.frozen
class Failure:
    """A verdict that does not hold, and what it was declared as.

    Args:
        held: What it is part of.
        verdict: The verdict.
        declared: The deviation that it was declared as; None where it was not.
    """

    held: Held
    verdict: Verdict
    declared: Deviation | None


@attrs.frozen
class Finding:
    """What all runs say of one attribute, by one kind of evidence.

    Args:
        kind: Kind of evidence.
        key: The attribute.
        count: How many values were held.
        failures: Those that are not as they should be, and not declared.
        deviating: Those that are not as they should be, as declared.
    """

    kind: str
    key: Key
    count: int
    failures: tuple[Failure, ...]
    deviating: tuple[Failure, ...]


def recorded(name: str, label: str, device: str) -> Recording:
    """Record a run, which goes to the process by its name."""
    return suite.runs()[name].record(label, device)


def judged(recordings: Recordings) -> list[Held]:
    """Hold recordings against all kinds of evidence."""
    found = []
    for name, run in suite.runs().items():
        if name in recordings:
            for kind, evidence in suite.EVIDENCE.items():
                verdicts: dict[Key, list[Verdict]] = defaultdict(list)
                for verdict in _verdicts(evidence, run, recordings):
                    verdicts[verdict.object_type, verdict.attribute].append(verdict)
                for key, of in verdicts.items():
                    found.append(Held(name, kind, key, len(of), tuple(one for one in of if not one.holds)))
    return found


def _verdicts(evidence: suite.Evidence, run: Run, recordings: Recordings) -> Iterator[Verdict]:
    """Judge a run; what was read may be such that it cannot be judged, which is a failure of that run."""
    try:
        yield from evidence(run, recordings, None)
    except Exception as error:
        at = traceback.extract_tb(error.__traceback__)[-1]
        words = f"could not be judged: {type(error).__name__}: {error} ({at.name}, line {at.lineno}: {at.line})"
        yield Verdict(ObjectType.SCENE, "", "the whole run", words, "judging", math.inf, 0.0)


def fates(keys: Sequence[Key], recordings: Recordings) -> list[Fate]:
    """Judge the mutants of some rows."""
    return [fate for key in keys for fate in suite.mutants(catalogue.attribute(*key), recordings)]


class Examination:
    """A backend, and what is found of it.

    Args:
        label: Name of the backend, or name and variant as in ``newton:steel``.
        device: ``cpu`` or ``cuda:0``.
        quick: Whether to record fewer ways to write each system down.
        limit: Seconds that a call of the engine may take.
        progress: Is told what is being done.

    Raises:
        BackendError, OptionError: There is no such backend or variant, or it cannot be loaded.
    """

    def __init__(
        self,
        label: str,
        *,
        device: str = "cpu",
        quick: bool = False,
        limit: float = LIMIT,
        progress: Progress = lambda words: None,
    ) -> None:
        self.label, self.device, self.quick = label, device, quick
        self.declared = Declared.of(label)
        self.seconds: dict[str, float] = {}
        self._progress = progress
        self._limit = limit
        self._process = Isolated(limit)
        self._live = Isolated(limit)  # keeps simulations open, beside which others may not be opened
        self._observations: dict[tuple[str, bool], Answer] = {}

    def close(self) -> None:
        """End the processes that the engine runs in."""
        self._process.close()
        self._live.close()

    @functools.cached_property
    def runs(self) -> dict[str, Run]:
        """What is recorded, by name."""
        return {name: run for name, run in suite.runs(quick=self.quick).items() if run.is_for(self.label)}

    @functools.cached_property
    def served(self) -> dict[Key, Attribute]:
        """The attributes that the backend says it reads."""
        return {row.key: row for row in served(self.label)}

    @functools.cached_property
    def answers(self) -> dict[str, Answer]:
        """What became of recording each run.

        Raises:
            OptionError: The first run is refused for an option, as a device that is not there.
        """
        start = time.perf_counter()
        found = {}
        for number, name in enumerate(self.runs, 1):
            self._progress(f"{self.label}: {name} ({number} of {len(self.runs)})")
            found[name] = answer = self._process.call(recorded, name, self.label, self.device)
            refused = answer.failure.removeprefix(f"{OptionError.__name__}: ")
            if number == 1 and refused != answer.failure:
                raise OptionError(refused)
        self.seconds["recording"] = time.perf_counter() - start
        return found

    @functools.cached_property
    def recordings(self) -> Recordings:
        """What was recorded of the runs that came through, until the engine lost the scene."""
        return {name: before_loss(answer.value) for name, answer in self.answers.items() if not answer.failure}

    @functools.cached_property
    def held(self) -> tuple[Held, ...]:
        """Every kind of evidence, for each attribute and run."""
        recordings = self.recordings
        self._progress(f"{self.label}: judging")
        start = time.perf_counter()
        answer = self._process.call(judged, recordings)
        if answer.failure:
            raise RuntimeError(f"The suite could not judge what was recorded of {self.label}: {answer.failure}")
        self.seconds["judging"] = time.perf_counter() - start
        return (*answer.value, *self._never_read(recordings), *self._lost())

    def _lost(self) -> Iterator[Held]:
        """Give the runs whose scene the engine lost."""
        for name, answer in self.answers.items():
            found = None if answer.failure else loss(answer.value)
            if found is not None:
                verdict = found[1]
                yield Held(name, "oracle", (verdict.object_type, verdict.attribute), 1, (verdict,))

    def _never_read(self, recordings: Recordings) -> Iterator[Held]:
        """Give what is declared as served, and known of a system, but was read of no object in no run."""
        plain = {name: of for name, of in recordings.items() if self.runs[name].variant is None}
        read = {key for recording in plain.values() for key in recording.rows}
        for name, recording in plain.items():
            for key in (Oracle(recording.system).rows & set(self.served)) - read:
                words = "expected values of what is declared as served, got none"
                yield Held(name, "oracle", key, 1, (Verdict(*key, "any object", words, "oracle", math.inf, 0.0),))

    @functools.cached_property
    def findings(self) -> dict[tuple[str, Key], Finding]:
        """What all runs together say, by kind of evidence and attribute."""
        grouped: dict[tuple[str, Key], list[Held]] = defaultdict(list)
        for held in self.held:
            grouped[held.kind, held.key].append(held)
        return {
            (kind, key): _finding(kind, key, sum(held.count for held in of), list(self._failures(of)))
            for (kind, key), of in grouped.items()
        }

    def _failures(self, found: Iterable[Held]) -> Iterator[Failure]:
        kinds = {kind for kind, _ in self.served}
        for held in found:
            for verdict in held.failures:
                if verdict.path == OBJECTS and verdict.object_type not in kinds:
                    continue  # of what a backend serves nothing, it need not list the objects
                declared = self.declared.excuse(self.scene(held.run), verdict.object_type.name, verdict.attribute)
                yield Failure(held, verdict, declared)

    def scene(self, name: str) -> Scene:
        """Return a run or a check as a scene that a deviation may show in."""
        return self._scenes[name]

    @functools.cached_property
    def _scenes(self) -> dict[str, Scene]:
        runs = {name: Scene(name, run.deviation) for name, run in suite.runs().items()}
        return runs | {name: Scene(name) for name in observation.CHECKS}

    def observe(self, name: str, *, mutants: bool = False) -> Observation:
        """Return what became of a live check."""
        answer = self.answer_of(name, mutants=mutants)
        return Observation(failure=answer.failure) if answer.failure else answer.value

    def answer_of(self, name: str, *, mutants: bool = False) -> Answer:
        """Run a live check, once."""
        if (name, True) in self._observations:
            return self._observations[name, True]
        if (name, mutants) not in self._observations:
            self._progress(f"{self.label}: {name}")
            call = (observation.observe, name, self.label, self.device, mutants)
            self._observations[name, mutants] = self._live.call(*call)
        return self._observations[name, mutants]

    @functools.cached_property
    def writes(self) -> dict[Key, str]:
        """Why the contract of writes does not hold for an attribute that the backend takes; empty where it does."""
        found: dict[Key, str] = {}
        start = time.perf_counter()
        rows = written.accepted(self.label)
        for kind in written.TYPES:
            keys = [row.key for row in rows if row.object_type is kind]
            if keys:
                self._progress(f"{self.label}: writing {kind.name}")
                answer = self._process.call(observation.observe_writes, keys, self.label, self.device)
                found |= dict.fromkeys(keys, answer.failure) if answer.failure else answer.value
        self.seconds["writing"] = time.perf_counter() - start
        return found

    @functools.cached_property
    def fates(self) -> tuple[Fate, ...]:
        """What became of each mutant of what was recorded."""
        recordings = self.recordings
        self.close()  # two processes judge; the engine's would be a third
        read = set().union(*(recording.rows for recording in recordings.values())) if recordings else set()
        keys = sorted(read & set(self.served), key=lambda key: (int(key[0]), key[1]))
        chunks = [keys[start : start + _ROWS_AT_ONCE] for start in range(0, len(keys), _ROWS_AT_ONCE)]
        start = time.perf_counter()
        workers = min(os.cpu_count() or 1, len(chunks)) or 1
        with ThreadPoolExecutor(workers) as pool:
            shares = pool.map(
                lambda share: self._fates(share, recordings), (chunks[at::workers] for at in range(workers))
            )
            found = [fate for share in shares for fate in share]
        self.seconds["mutants"] = time.perf_counter() - start
        return tuple(
            fate if fate.killed_by else attrs.evolve(fate, deviations=self._deviating(fate.row.key)) for fate in found
        )

    def _deviating(self, key: Key) -> tuple[str, ...]:
        """Return the rules by which an attribute deviates, or objects of its type in each run that holds it."""
        shown: dict[str, set[str]] = defaultdict(set)
        for (_, (kind, name)), finding in self.findings.items():
            for failure in finding.deviating if kind == key[0] else ():
                if failure.declared is not None:
                    shown[failure.held.run].add(failure.declared.rule)
                    if name == key[1]:
                        shown[""].add(failure.declared.rule)
        runs = {held.run for held in self.held if held.key == key}
        if not shown[""] and not runs <= set(shown):
            return ()
        return tuple(sorted(shown[""] or set().union(*(shown[name] for name in runs))))

    def _fates(self, chunks: Sequence[Sequence[Key]], recordings: Recordings) -> list[Fate]:
        found: list[Fate] = []
        with Isolated(self._limit) as process:
            for keys in chunks:
                self._progress(f"{self.label}: mutants of {keys[0][0].name}.{keys[0][1]} and after")
                answer = process.call(fates, keys, recordings)
                if answer.failure:
                    raise RuntimeError(f"The suite could not judge mutants of {self.label}: {answer.failure}")
                found += answer.value
        return found

    @functools.cached_property
    def standings(self) -> list[tuple[Deviation, Standing]]:
        """How each declared deviation stands, after the runs and the checks."""
        declared = [failure.declared for finding in self.findings.values() for failure in finding.deviating]
        declared += [self.excuse_of(name) for name in self.runs if self.answers[name].failure]
        declared += [self.excuse_of(name) for name in observation.CHECKS if self.observe(name).failure]
        ran = [self.scene(name) for name in (*self.runs, *observation.CHECKS)]
        failed = {found for found in declared if found is not None}
        return self.declared.standings(failed, ran, self._scenes.values())

    def excuse_of(self, name: str) -> Deviation | None:
        """Return the deviation that a whole run or check fails as; None where none is declared."""
        return self.declared.excuse(self.scene(name))


def _finding(kind: str, key: Key, count: int, failures: Sequence[Failure]) -> Finding:
    failing = tuple(failure for failure in failures if failure.declared is None)
    return Finding(kind, key, count, failing, tuple(failure for failure in failures if failure.declared is not None))


def examine_together(examinations: Mapping[str, Examination]) -> None:
    """Record and judge several backends at once, each in its own process."""
    with ThreadPoolExecutor(min(os.cpu_count() or 1, len(examinations)) or 1) as pool:
        list(pool.map(lambda one: one.findings, examinations.values()))
