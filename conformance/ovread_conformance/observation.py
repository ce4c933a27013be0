"""The live checks: which there are, and what became of one on a backend."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from typing import Any

import attrs

import ovread
from ovread import ObjectType, OvreadError, Query, ReadResult, Simulation, catalogue
from ovread.backend import Level
from ovread_conformance import bounds, contract, dynamics, effects, lifetimes, sessions, written
from ovread_conformance.checks import CHECKS, Check
from ovread_conformance.declarations import Declared
from ovread_conformance.faults import FAULTS
from ovread_conformance.live import Live, NotOfferedError, why_not
from ovread_conformance.mutants import MUTANTS, MutatedSimulation
from ovread_conformance.systems import WRITABLE, usda

Key = tuple[ObjectType, str]

LIVE = (*contract.CHECKS, *lifetimes.CHECKS, *sessions.CHECKS, *effects.CHECKS, *bounds.CHECKS, *dynamics.CHECKS)
"""The checks of running simulations; those that have the same scene share one, which is reset before each."""
EVERY: dict[str, Check] = {check.name: check for check in (*CHECKS, *LIVE)}
"""All checks by name."""

_shared: dict[tuple[str, str, str], Simulation] = {}
"""Open simulations of this process, by scene, backend and device."""


@attrs.frozen
class Observation:
    """What became of a check.

    Args:
        failure: What was expected and what was got; empty where it passed.
        skipped: Why the backend cannot have it checked, as declared; empty where it can.
        survivors: Names of the mutants that it did not notice.
    """

    failure: str = ""
    skipped: str = ""
    survivors: tuple[str, ...] = ()


def is_live(name: str) -> bool:
    """Whether a check is one of those that share simulations."""
    return name not in {check.name for check in CHECKS}


def fault_of(mutant: str) -> str:
    """Return what is wrong with a mutant, one sentence."""
    return MUTANTS[mutant].fault if mutant in MUTANTS else (FAULTS[mutant].__doc__ or "").partition("\n")[0]


def observe(name: str, backend: str, device: str, mutants: bool = False) -> Observation:
    """Run a check on a backend, and on its mutants too."""
    check = EVERY[name]
    failure_of = _failure_live if is_live(name) else _failure
    declared = Declared.of(backend)
    # Before a scene is opened that has what the backend says it does not offer.
    if reason := why_not(check, declared.info, declared.variant or None):
        return Observation(skipped=reason)
    try:
        failure = failure_of(check, backend, device)
        if failure or not mutants:
            return Observation(failure)
        return Observation(
            survivors=tuple(mutant for mutant in check.mutants if not failure_of(check, backend, device, mutant))
        )
    except NotOfferedError as error:
        return Observation(skipped=str(error))


class _Serving:
    """A simulation that says so where something is read that its backend does not serve."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation

    def __getattr__(self, name: str) -> Any:
        return getattr(self._simulation, name)

    def query(self, object_type: ObjectType, **selected: Any) -> Query:
        kinds = {kind for kind, _ in (*self._simulation.backend.support, *self._simulation.backend.writes)}
        if object_type not in kinds:
            raise NotOfferedError(f"The backend serves nothing of {object_type.name}.")
        return self._simulation.query(object_type, **selected)

    def read(self, query: Query, attributes: Sequence[str]) -> ReadResult:
        for name in attributes:
            support = self._simulation.backend.support_of((query.object_type, name), self._simulation.variant)
            if support.level is Level.UNSUPPORTED:
                raise NotOfferedError(f"{query.object_type.name}.{name}: {support.reason}")
        return self._simulation.read(query, attributes)


def _failure(check: Check, backend: str, device: str, mutant: str = "") -> str:
    with ovread.open(check.usda, backend=backend, device=device) as simulation:
        seen: Any = _Serving(simulation)
        try:
            check.run(MutatedSimulation(seen, MUTANTS[mutant]) if mutant else seen)
        except AssertionError as error:
            return _words(error)
    return ""


def _failure_live(check: Check, backend: str, device: str, fault: str = "") -> str:
    key = check.usda, backend, device
    simulation = _shared.get(key)
    if simulation is None or simulation.closed:
        simulation = _shared[key] = ovread.open(check.usda, backend=backend, device=device)
    else:
        simulation.reset()
    try:
        check.run(FAULTS[fault](simulation) if fault else Live(simulation))
    except (AssertionError, OvreadError) as error:
        return _words(error)
    return ""


def observe_writes(keys: Sequence[Key], backend: str, device: str) -> dict[Key, str]:
    """Check what a backend says it writes; return why an attribute fails, nothing where it does not."""
    found = {}
    with ovread.open(usda(WRITABLE), backend=backend, device=device) as simulation:
        for key in keys:
            found[key] = ""
            try:
                written.check_written(simulation, catalogue.attribute(*key))
            except Exception as error:
                found[key] = _words(error)
                simulation.reset()
    return found


def _words(error: Exception) -> str:
    """Return what an error says; of an assertion without words, the line that asserts."""
    if not isinstance(error, AssertionError):
        return f"{type(error).__name__}: {error}"
    return str(error) or str(traceback.extract_tb(error.__traceback__)[-1].line)
