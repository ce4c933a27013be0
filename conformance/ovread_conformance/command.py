"""What ``ovread conform`` does: the suite without pytest, and its reports."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path

from ovread.errors import OptionError
from ovread_conformance import reference, report
from ovread_conformance.examination import Examination, examine_together
from ovread_conformance.parity import compare

_PRINT = {"table": report.print_tables, "json": report.print_json, "csv": report.print_csv}


def conform(
    labels: Sequence[str],
    *,
    device: str = "cpu",
    quick: bool = False,
    mutants: bool = False,
    output: str = "table",
    html: Path | None = None,
    progress: Callable[[str], object] = lambda words: None,
) -> bool:
    """Examine backends, print what was found, and say whether all of them conform.

    Args:
        labels: Backends, or backends and variants as in ``newton:steel``.
        device: ``cpu`` or ``cuda:0``.
        quick: Whether to record fewer ways to write each system down.
        mutants: Whether to corrupt what was recorded in every way, and judge it again.
        output: ``table``, ``json`` or ``csv``, on standard output.
        html: Where to write the page; None for none.
        progress: Is told what is being done.

    Raises:
        BackendError, OptionError: There is no such backend or variant, it cannot be loaded, or one is named twice.
    """
    if twice := {label for label in labels if labels.count(label) > 1}:
        raise OptionError(f"{', '.join(sorted(twice))} is named more than once: name each backend once.")
    if reference.NAME in labels:
        reference.add_reference()
    found = {label: Examination(label, device=device, quick=quick, progress=progress) for label in labels}
    try:
        examine_together(found)
        parity = [compare(one, other) for one, other in combinations(found.values(), 2)]
        document = report.document(found, parity, mutants=mutants)
    finally:
        for one in found.values():
            one.close()
    _PRINT[output](document)
    if html is not None:
        html.write_text(report.page(document), encoding="utf-8")
    return bool(document["holds"])
