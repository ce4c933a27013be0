"""Path patterns, with the semantics of ovphysx's for every backend alike.

A pattern is absolute and is matched one path level per component. ``*`` and ``?`` match within a name, ``[0-9]`` a
character of a class, ``(a|b)`` or ``a|b`` either name, ``**`` any number of levels. The last component is searched at
any depth below what the earlier ones matched, unless it is a bare ``*`` or the pattern contains ``**``; below a prim
that it matched, it is not searched again. A pattern without any such character is first looked up as a path.

One thing differs from ovphysx on purpose: a malformed component is an error here and matches nothing there.
"""

from __future__ import annotations

import functools
import re
import warnings
from collections.abc import Iterable, Sequence

from ovread.errors import PatternError

_SPECIAL = re.compile(r"[*?()|\[\]{}\s]")
_CHARACTER_CLASSES = {
    "[:digit:]": "0-9",
    "[:alpha:]": "A-Za-z",
    "[:alnum:]": "A-Za-z0-9",
    "[:upper:]": "A-Z",
    "[:lower:]": "a-z",
    "[:xdigit:]": "0-9A-Fa-f",
    "[:space:]": r"\s",
}


def select(pattern: str, paths: Iterable[str]) -> set[str]:
    """Return those of ``paths`` that the pattern selects.

    Raises:
        PatternError: The pattern is relative or malformed.
    """
    components = _split(pattern)
    wanted = set(paths)
    prims = _with_ancestors(wanted)
    literal = "/" + "/".join(components)
    if not _SPECIAL.search(pattern) and literal in prims:
        return {literal} & wanted
    matchers = [None if component == "**" else _compile(component, pattern) for component in components]
    if components[-1] == "*" or "**" in components:
        return {prim for prim in wanted if _matches(prim.split("/")[1:], matchers)}
    return _searched(prims, matchers) & wanted


def _searched(prims: Iterable[str], matchers: Sequence[re.Pattern[str] | None]) -> set[str]:
    """Return the prims whose first names match all matchers but the last, and whose own name matches the last."""
    depth = len(matchers)

    @functools.cache
    def is_head(names: tuple[str, ...]) -> bool:
        return _matches(names, matchers[:-1])

    last = matchers[-1]
    assert last is not None
    matched: set[str] = set()
    below: list[str] = []
    for prim in prims:
        names = prim.split("/")
        if len(names) > depth and last.fullmatch(names[-1]) and is_head(tuple(names[1:depth])):
            matched.add(prim)
            if len(names) > depth + 1:
                below.append(prim)
    return matched.difference([prim for prim in below if _is_hidden(prim, matched, depth)])


def _split(pattern: str) -> list[str]:
    if not isinstance(pattern, str) or not pattern.startswith("/"):
        raise PatternError(f"Pattern {pattern!r} is not absolute: start it with '/', as in '/World/*/arm'.")
    components: list[str] = []
    current, depth = "", 0
    for character in pattern[1:]:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "/" and depth <= 0:
            components.append(current)
            current = ""
        else:
            current += character
    if current:
        components.append(current)
    if not components or "" in components:
        raise PatternError(f"Pattern {pattern!r} has an empty component: write one name between two slashes.")
    return components


def _compile(component: str, pattern: str) -> re.Pattern[str]:
    """Translate a component: a glob whose other syntax is that of POSIX extended regular expressions."""
    translated, in_class = "", False
    for character in _expand_classes(component):
        if in_class:
            translated += character
            in_class = character != "]" or translated.endswith(("[]", "[^]"))
        elif character == "[":
            translated += character
            in_class = True
        else:
            translated += {"*": "[^/]*", "?": "[^/]", ".": r"\."}.get(character, character)
    try:
        _check_posix(component)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # "[[" is a class that holds a bracket
            return re.compile(translated)
    except (re.error, OverflowError, RecursionError) as error:
        raise PatternError(f"Pattern {pattern!r}: component {component!r} is malformed: {error}.") from None


def _check_posix(component: str) -> None:
    """Refuse what Python's regular expressions take for something else than POSIX ones do."""
    outside_classes = re.sub(r"\[\^?\]?[^\]]*\]", "x", component)
    if re.search(r"\{(?!\d+(,\d*)?\})", outside_classes):
        raise re.error("{} repeats what is before it, as in {2} or {1,3}; write (a|b) for alternatives")
    if re.search(r"[*+}]\+", outside_classes):
        raise re.error("a repetition is repeated")


def _expand_classes(component: str) -> str:
    for name, characters in _CHARACTER_CLASSES.items():
        component = component.replace(name, characters)
    return component


def _matches(names: Sequence[str], matchers: Sequence[re.Pattern[str] | None]) -> bool:
    """Say whether the names of a path match, one matcher per level; None stands for any number of levels."""
    if not matchers:
        return not names
    first, rest = matchers[0], matchers[1:]
    if first is None:
        return any(_matches(names[skipped:], rest) for skipped in range(len(names) + 1))
    return bool(names) and first.fullmatch(names[0]) is not None and _matches(names[1:], rest)


def _is_hidden(prim: str, matched: set[str], components: int) -> bool:
    """Say whether the prim lies below another match of the same pattern."""
    names = prim.split("/")
    return any("/".join(names[:end]) in matched for end in range(components + 1, len(names)))


def _with_ancestors(paths: Iterable[str]) -> set[str]:
    prims: set[str] = set()
    for path in paths:
        while path and path not in prims:
            prims.add(path)
            path = path.rpartition("/")[0]
    return prims
