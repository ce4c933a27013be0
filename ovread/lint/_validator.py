"""The rules as those of the asset validator of the USD ecosystem, which shows them and applies their repairs.

Its entry-point group ``usd_validation_nvidia`` finds :class:`Plugin`, so that its command lists the rules too.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

from usd_validation_nvidia import BaseRuleChecker, Issue, IssueSeverity, Suggestion, register_rule, unregister_rule

from ovread.errors import BackendError
from ovread.lint import RULES
from ovread.lint._asset import Asset
from ovread.lint._editor import Editor
from ovread.lint._findings import Finding, Severity, findings, importers
from ovread.lint._report import sentences
from ovread.lint._rule import Repair, Rule

CATEGORY = "Physics engines"
"""What the validator lists the rules under."""

_SEVERITIES = {
    Severity.REFUSED: IssueSeverity.FAILURE,
    Severity.LOST: IssueSeverity.FAILURE,
    Severity.DIFFERS: IssueSeverity.FAILURE,
    Severity.CONTESTED: IssueSeverity.WARNING,
    Severity.UNKNOWN: IssueSeverity.WARNING,
}


class Plugin:
    """Registers the rules when the validator starts."""

    def __init__(self) -> None:
        self._checkers = [checker_of(rule) for rule in RULES]

    def on_startup(self) -> None:
        """Register the rules."""
        for checker in self._checkers:
            register_rule(CATEGORY)(checker)

    def on_shutdown(self) -> None:
        """Take the rules back."""
        for checker in self._checkers:
            unregister_rule(checker)


@functools.cache
def checker_of(rule: Rule) -> Any:
    """Return the validator's class of a rule, of which there is one: what is registered twice is listed twice."""
    name = "".join(part.capitalize() for part in rule.name.split("-")) + "Checker"
    text = f"{rule.title.capitalize()}.\n\n{rule.schema}\n\n{rule.advice}"
    members = {"__doc__": text, "__module__": __name__, "CheckStage": _checking(rule), "ResetCaches": _forget}
    return type(name, (BaseRuleChecker,), members)


_assets: list[Asset] = []
"""The last stage that was looked at, which all rules of one run share."""


def _checking(rule: Rule) -> Callable[[Any, Any], None]:
    def check_stage(checker: Any, stage: Any) -> None:
        try:
            engines = importers()
        except BackendError as error:
            checker._AddWarning(message=str(error), at=stage)
            return
        if not _assets or _assets[0].stage != stage:
            _assets[:] = [Asset(stage)]
        for issue in issues(findings(_assets[0], [rule], engines), stage, type(checker)):
            checker._AddIssue(issue)

    return check_stage


def _forget(checker: Any) -> None:
    """Let go of the stage."""
    _assets.clear()


def issues(found: Iterable[Finding], stage: Any, checker: Any = None) -> list[Any]:
    """Return the validator's issues of findings, with a suggestion where there is a repair."""
    return [
        Issue(
            message=sentences(finding),
            severity=_SEVERITIES[finding.severity],
            rule=checker,
            code=finding.rule.name,
            at=stage.GetPrimAtPath(finding.prim),
            suggestion=_suggestion(finding),
        )
        for finding in found
    ]


def _suggestion(finding: Finding) -> Any:
    repair = finding.occurrence.repair
    return Suggestion(_callable(repair), finding.rule.advice) if repair else None


def _callable(repair: Repair) -> Callable[[Any, Any], None]:
    def apply(stage: Any, at: Any) -> None:
        repair(Editor(stage))

    return apply
