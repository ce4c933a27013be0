"""Live checks, carried out: on simulations that are opened once and reset before each check, with and without faults."""

from __future__ import annotations

import ovread
from ovread import OvreadError, Simulation
from ovread_conformance.checks import Check
from ovread_conformance.faults import FAULTS
from ovread_conformance.live import Live, NotOfferedError, why_not


class Trials:
    """The open simulations of some backends; to be closed."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, str], Simulation] = {}

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
        """Return whether a check notices a fault; raises as :meth:`run` does where it is not offered."""
        simulation = self._simulation(check, backend)
        try:
            check.run(FAULTS[fault](simulation))
        except (AssertionError, OvreadError):
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
