"""What a rule is: a pattern, what the schema says of it, and how it is found. Knows no engine and needs no USD."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import attrs

if TYPE_CHECKING:
    from ovread.lint._asset import Asset
    from ovread.lint._editor import Editor

Repair = Callable[["Editor"], None]
"""Authors what the engines agree on. It is called with a stage that composes as the one that was looked at."""


@attrs.frozen
class Occurrence:
    """A prim on which a pattern was found.

    Args:
        prim: Its path; ``/`` for what concerns the stage.
        what: What is authored there, a phrase without a full stop.
        repair: Authors something that the engines agree on; None where nothing says the same.
    """

    prim: str
    what: str = ""
    repair: Repair | None = None


Detector = Callable[["Asset"], Iterable[Occurrence]]


@attrs.frozen
class Rule:
    """A pattern that importers may give different meanings.

    Args:
        name: Its name, which is that of the deviation or diagnostic that it explains.
        title: The pattern, a phrase.
        schema: What the schema says of it; where that leaves it open, what ovread's conventions say.
        advice: What to author instead, one sentence.
        detect: Finds its occurrences.
        contested: Whether the schema leaves it open.
        also: Other names that deviations have for it.
    """

    name: str
    title: str
    schema: str
    advice: str
    detect: Detector
    contested: bool = False
    also: tuple[str, ...] = ()


def collecting(rules: list[Rule]) -> Callable[..., Callable[[Detector], Rule]]:
    """Return a decorator that makes a rule of a detector and adds it to a list."""

    def collect(name: str, title: str, schema: str, advice: str, **options: bool | tuple[str, ...]) -> Any:
        def add(detect: Detector) -> Rule:
            rules.append(Rule(name, title, schema, advice, detect, **options))  # type: ignore[arg-type]
            return rules[-1]

        return add

    return collect
