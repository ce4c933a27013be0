"""Live checks, carried out on simulations that are opened once and reset before each check, with and without faults."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import ovread
from ovread import Simulation
from ovread_conformance.checks import Check
from ovread_conformance.faults import FAULTS
from ovread_conformance.live import Live, NotOfferedError, why_not


class Trials:
    """The open simulations of some backends; to be closed."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, str], Simulation] = {}

    def passes(self, check: Check, backend: str) -> None:
        """Carry out a check in a test, which is skipped with the backend's own reason where that does not offer it."""
        try:
            self.run(check, backend)
        except NotOfferedError as reason:
            pytest.skip(str(reason))

    def run(self, check: Check, backend: str) -> None:
        """Carry out a check.

        Args:
            check: The check.
            backend: Name of the backend, or backend and variant.

        Raises:
            NotOfferedError: The backend declares that it does not do what the check is about.
            AssertionError: The backend breaks the convention.
        """
        check.run(Live(self._simulation(check, backend)))

    def catches(self, check: Check, backend: str, fault: str) -> bool:
        """Return whether a check notices a fault; the test is skipped where a backend does not offer it."""
        try:
            check.run(FAULTS[fault](self._simulation(check, backend)))
        except NotOfferedError as reason:
            pytest.skip(str(reason))
        except AssertionError:
            return True
        return False

    def _simulation(self, check: Check, backend: str) -> Simulation:
        key = (backend, check.usda)
        simulation = self._open.get(key)
        if simulation is None or simulation.closed:
            simulation = self._open[key] = ovread.open(check.usda, backend=backend)
        else:
            simulation.reset()
        reason = why_not(check, simulation.backend, simulation.variant)
        if reason:
            raise NotOfferedError(reason)
        return simulation

    def close(self) -> None:
        """Close all simulations."""
        for simulation in self._open.values():
            simulation.close()
        self._open = {}


def each_fault(checks: Sequence[Check]) -> list[tuple[Check, str]]:
    """Return each check with each fault that it must notice."""
    return [(check, fault) for check in checks for fault in check.mutants]


def name_of(what: Check | str) -> str:
    """Return the name of a check, or of a fault, as the name of a test."""
    return what if isinstance(what, str) else what.name
