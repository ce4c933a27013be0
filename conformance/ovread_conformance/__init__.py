"""Conformance checks for ovread backends: closed forms that a backend must meet, and mutants that prove the checks.

Run them on any installed backend::

    pytest --pyargs ovread_conformance --ovread-backend NAME
"""

from __future__ import annotations

from ovread_conformance.checks import CHECKS, Check
from ovread_conformance.mutants import MUTANTS, Mutant, MutatedSimulation

__all__ = ["CHECKS", "MUTANTS", "Check", "Mutant", "MutatedSimulation"]
