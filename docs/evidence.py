"""Write ``evidence.json``: what the conformance suite shows of each attribute, on each backend and solver.

``make conform`` runs it; it takes some minutes. ``docs/generate.py`` puts its letters on the support matrix.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ovread import plugins

FILE = Path(__file__).parent / "evidence.json"

LETTERS = {"oracle": "o", "contacts": "o", "consistency": "c", "metamorphic": "m", "writes": "w"}
LEGEND = (
    "Letters are what the [conformance suite](conformance.md) shows on the real engine: **o** a closed form, Pinocchio "
    "or statics, **c** consistency with other values, **m** the same read of the scene written down in other ways, "
    "**w** the contract of writes."
)


def labels() -> list[str]:
    """Return every installed backend with every variant."""
    return [
        f"{name}:{variant}" if variant else name
        for name, info in plugins.backends().items()
        if info.available
        for variant in info.variants or [""]
    ]


def shown() -> dict[str, dict[str, str]]:
    """Return letters by label and attribute, of what was shown on the engines that are installed."""
    found: Mapping[str, Any] = json.loads(FILE.read_text()) if FILE.is_file() else {}
    engines = {name: info.engine for name, info in plugins.backends().items()}
    return {label: one["rows"] for label, one in found.items() if one["engine"] == engines.get(label.partition(":")[0])}


def letters(row: Mapping[str, Any]) -> str:
    """Return the letters of one row of the suite's document; none for evidence that fails."""
    return "".join(
        dict.fromkeys(
            LETTERS[kind] for kind, finding in row["evidence"].items() if finding["verdict"] in ("holds", "deviates")
        )
    )


def measured(label: str) -> dict[str, Any]:
    """Examine one backend."""
    from ovread_conformance import report
    from ovread_conformance.examination import Examination

    examination = Examination(label, quick=True, progress=lambda words: print(words, file=sys.stderr))
    try:
        (found,) = report.document({label: examination})["backends"]
    finally:
        examination.close()
    return {"engine": found["engine"], "rows": {row["name"]: letters(row) for row in found["rows"] if letters(row)}}


def main() -> None:
    """Examine what is named, by default everything, and keep what is known of the rest."""
    known = json.loads(FILE.read_text()) if FILE.is_file() else {}
    for label in sys.argv[1:] or labels():
        known[label] = measured(label)
        FILE.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
