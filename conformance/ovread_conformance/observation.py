"""The live checks: which there are, and what became of one on a backend."""

from __future__ import annotations

import traceback
from collections.abc import Sequence

import attrs

import ovread
from ovread import ObjectType, OvreadError, Simulation, catalogue
from ovread_conformance import bounds, contract, dynamics, effects, lifetimes, sessions, written
from ovread_conformance.declarations import Declared
from ovread_conformance.faults import FAULTS
from ovread_conformance.live import Check, Live, NotOfferedError, why_not
from ovread_conformance.systems import WRITABLE, usda

Key = tuple[ObjectType, str]

CHECKS: dict[str, Check] = {
    check.name: check for part in (contract, lifetimes, sessions, effects, bounds, dynamics) for check in part.CHECKS
}
"""All live checks by name; those that have the same scene share a simulation, which is reset before each."""

_shared: dict[tuple[str, str, str], Simulation] = {}
"""Open simulations of this process, by scene, backend and device."""


@attrs.frozen
class Observation:
    """What became of a check.

    Args:
        failure: What was expected and what was got; empty where it passed.
        skipped: Why the backend cannot have it checked, as declared; empty where it can.
        survivors: Names of the faults that it did not notice.
    """

    failure: str = ""
    skipped: str = ""
    survivors: tuple[str, ...] = ()


def fault_of(name: str) -> str:
    """Return what is wrong with a fault, one sentence."""
    return (FAULTS[name].__doc__ or "").partition("\n")[0]


def observe(name: str, backend: str, device: str, faults: bool = False) -> Observation:
    """Run a check on a backend, and with its faults too."""
    check = CHECKS[name]
    declared = Declared.of(backend)
    # Before a scene is opened that has what the backend says it does not offer.
    if reason := why_not(check, declared.info, declared.variant or None):
        return Observation(skipped=reason)
    try:
        failure = _failure(check, backend, device)
        if failure or not faults:
            return Observation(failure)
        survivors = tuple(fault for fault in check.faults if not _failure(check, backend, device, fault))
        return Observation(survivors=survivors)
    except NotOfferedError as error:
        return Observation(skipped=str(error))


def _failure(check: Check, backend: str, device: str, fault: str = "") -> str:
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
