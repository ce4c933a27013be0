"""How commands print."""

from __future__ import annotations

import enum


class LintFormat(enum.StrEnum):
    """How to print findings."""

    TABLE = "table"
    JSON = "json"
    SARIF = "sarif"
