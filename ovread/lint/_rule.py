"""What a rule is: a pattern, what the schema says of it, and how it is found. Knows no engine and needs no USD."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Sequence
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


def merged(occurrences: Sequence[Occurrence]) -> Occurrence:
    """Make one occurrence of those of one prim, which may have the pattern for several axes."""
    first, *others = occurrences
    if not others:
        return first
    what = "; ".join(dict.fromkeys(each.what for each in occurrences if each.what))
    repairs = [each.repair for each in occurrences if each.repair is not None]

    def repair(editor: Editor) -> None:
        for each in repairs:
            each(editor)

    return Occurrence(first.prim, what, repair if len(repairs) == len(occurrences) else None)


class Shows(enum.Flag):
    """What a pattern shows in, once engines differ about it."""

    MASS = enum.auto()
    MOTION = enum.auto()
    """State, which steps change."""
    JOINT = enum.auto()
    """Properties of joints."""
    TREE = enum.auto()
    """How many links and joints an articulation has, and what follows from that."""
    SURFACE = enum.auto()
    """Properties of shapes and materials."""
    OBJECTS = enum.auto()
    """Which objects there are."""


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
        shows: What differs where it is found.
        only: Of properties of joints, the attributes that differ; empty for all.
        contested: Whether the schema leaves it open.
        also: Other names that deviations have for it.
    """

    name: str
    title: str
    schema: str
    advice: str
    detect: Detector
    shows: Shows
    only: tuple[str, ...] = ()
    contested: bool = False
    also: tuple[str, ...] = ()


def collecting(rules: list[Rule], shows: Shows) -> Callable[..., Callable[[Detector], Rule]]:
    """Return a decorator that makes a rule of a detector and adds it to a list; ``shows`` is what most show in."""

    def collect(name: str, title: str, schema: str, advice: str, **options: Any) -> Callable[[Detector], Rule]:
        def add(detect: Detector) -> Rule:
            rules.append(Rule(name, title, schema, advice, detect, **{"shows": shows, **options}))
            return rules[-1]

        return add

    return collect
