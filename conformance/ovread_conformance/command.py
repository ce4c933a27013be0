"""What ``ovread conform`` does: the suite without pytest, and its reports."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

from ovread.errors import BackendError, OptionError
from ovread_conformance import reference, report
from ovread_conformance.examination import Examination, Progress, examine_together
from ovread_conformance.parity import compare
from ovread_conformance.report import Document

_PRINT = {"table": report.print_tables, "json": report.print_json, "csv": report.print_csv}


def conform(
    labels: Sequence[str],
    *,
    device: str = "cpu",
    quick: bool = False,
    mutants: bool = False,
    output: str = "table",
    html: Path | None = None,
    progress: Progress = lambda words: None,
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
        BackendError, OptionError: As :func:`examined`, or there is no folder for the page.
    """
    if html is not None and not html.absolute().parent.is_dir():
        raise OptionError(f"--html {html}: there is no folder {html.parent}.")
    document = examined(labels, device=device, quick=quick, mutants=mutants, progress=progress)
    _PRINT[output](document)
    if html is not None:
        html.write_text(report.page(document), encoding="utf-8")
    return bool(document["holds"])


def examined(
    labels: Sequence[str],
    *,
    device: str = "cpu",
    quick: bool = False,
    mutants: bool = False,
    progress: Progress = lambda words: None,
) -> Document:
    """Examine backends, and return what was found.

    Raises:
        BackendError: There is no such backend, it cannot be loaded, or nothing could be run on it.
        OptionError: There is no such variant or device, a backend is named twice, or options exclude each other.
    """
    if twice := {label for label in labels if labels.count(label) > 1}:
        raise OptionError(f"{', '.join(sorted(twice))} is named more than once: name each backend once.")
    if quick and mutants:
        raise OptionError("Mutants need what quick leaves out, or some survive for want of a run: take one of the two.")
    if reference.NAME in labels:
        reference.add_reference()
    found = {label: Examination(label, device=device, quick=quick, progress=progress) for label in labels}
    try:
        examine_together(found)
        for one in found.values():
            _refuse_idle(one)
        parity = [compare(one, other) for one, other in combinations(found.values(), 2)]
        return report.document(found, parity, mutants=mutants)
    finally:
        for one in found.values():
            one.close()


def _refuse_idle(one: Examination) -> None:
    if not one.recordings:
        name, answer = next(iter(one.answers.items()))
        raise BackendError(f"Nothing could be run on {one.label}. The first of {len(one.answers)} runs, {name!r}: "
                           f"{answer.failure}")  # fmt: skip
