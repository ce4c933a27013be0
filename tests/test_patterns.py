"""Path patterns mean on every backend what ovphysx's documentation says, and a typo is an error."""

from __future__ import annotations

import contextlib
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ovread.errors import PatternError
from ovread.patterns import select

TREE = (
    "/envs/env0/Robot/base_link",
    "/envs/env0/Robot/arm/link_0",
    "/envs/env0/Group/Robot/base_link",
    "/envs/env1/Robot/base_link",
    "/envs/env1/Robot/arm/link_0",
    "/envs/envA/Robot/base_link",
)
BASES = {"/envs/env0/Robot/base_link", "/envs/env1/Robot/base_link", "/envs/envA/Robot/base_link"}
LINKS = {"/envs/env0/Robot/arm/link_0", "/envs/env1/Robot/arm/link_0"}

DOCUMENTED = {
    "/envs/*/Robot/base_link": BASES,
    "/envs/*/**/Robot/base_link": BASES | {"/envs/env0/Group/Robot/base_link"},
    "/envs/*/Robot/link_0": LINKS,
    "/envs/*/Robot/*": BASES,
    "/envs/*/Robot/**": BASES | LINKS,
    "/envs/env[0-9]/Robot/base_link": BASES - {"/envs/envA/Robot/base_link"},
    "/envs/env?/Robot/base_link": BASES,
    "/envs/env0/Robot/base_link|link_0": {"/envs/env0/Robot/base_link", "/envs/env0/Robot/arm/link_0"},
    "/envs/env0/Robot/base|link_0": {"/envs/env0/Robot/arm/link_0"},
    "/envs/env.*/Robot/base_link": set(),
    "/envs/env0/link_0": {"/envs/env0/Robot/arm/link_0"},
    "/envs/env0/Robot/(base_link|arm/link_0)": {"/envs/env0/Robot/base_link"},
}
"""The table of examples of the documentation, all but the row of an unclosed class, which is an error here."""


@pytest.mark.parametrize(("pattern", "expected"), DOCUMENTED.items(), ids=DOCUMENTED)
def test_each_documented_example_selects_what_is_documented(pattern: str, expected: set[str]) -> None:
    assert select(pattern, TREE) == expected


EDGES = {
    "an absolute path selects itself alone": ("/a/b", ["/a/b", "/a/c/b"], {"/a/b"}),
    "a trailing slash is ignored": ("/a/b/", ["/a/b", "/a/c"], {"/a/b"}),
    "the path of a prim that is no object selects nothing": ("/a/b", ["/a/b/c", "/a/x/b"], set()),
    "a path that does not exist is searched below": ("/a/c", ["/a/b/c"], {"/a/b/c"}),
    "a literal path is found among its ancestors' names": ("/a", ["/a", "/a/a"], {"/a"}),
    "a bare * takes direct children only": ("/a/*", ["/a/b", "/a/b/c", "/b"], {"/a/b"}),
    "/* takes the top level": ("/*", ["/a", "/a/b"], {"/a"}),
    "a glob last component is searched at any depth": ("/a/l*", ["/a/l1", "/a/b/l2", "/b/l3"], {"/a/l1", "/a/b/l2"}),
    "an earlier component is one level": ("/a/*/c", ["/a/b/c", "/a/b/x/c", "/a/c"], {"/a/b/c", "/a/b/x/c"}),
    "a match hides matches below it": ("/a/*/b", ["/a/x/b", "/a/x/b/c/b"], {"/a/x/b"}),
    "a prim that is no object hides too": ("/a/l?", ["/a/l1/x", "/a/l1/l2"], set()),
    "** shows what a match would hide": ("/a/**/b", ["/a/b", "/a/b/b", "/a/x/b"], {"/a/b", "/a/b/b", "/a/x/b"}),
    "** is zero levels or more": ("/a/**", ["/a", "/a/b", "/a/b/c", "/ab"], {"/a", "/a/b", "/a/b/c"}),
    "with ** the last component is a direct child": ("/**/r/b", ["/r/b", "/x/r/b", "/r/c/b"], {"/r/b", "/x/r/b"}),
    "/** takes all": ("/**", ["/a", "/b/c"], {"/a", "/b/c"}),
    "two ** in one pattern": ("/**/r/**/b", ["/r/b", "/x/r/y/z/b", "/b"], {"/r/b", "/x/r/y/z/b"}),
    "** inside a name is two *": ("/a/x**y", ["/a/xy", "/a/x_y", "/a/x/y"], {"/a/xy", "/a/x_y"}),
    "* never crosses a level": ("/a/*/d", ["/a/b/c/d"], {"/a/b/c/d"}),
    "* may be empty": ("/a/l*", ["/a/l"], {"/a/l"}),
    "? is exactly one": ("/a/l?", ["/a/l", "/a/l1", "/a/l12"], {"/a/l1"}),
    "a . is a dot": ("/a/l.", ["/a/l1", "/a/l."], {"/a/l."}),
    "classes in a row": ("/e[1-2][1-5]/b", ["/e11/b", "/e25/b", "/e26/b", "/e31/b"], {"/e11/b", "/e25/b"}),
    "a negated class": ("/a/l[^0-9]", ["/a/l1", "/a/lx"], {"/a/lx"}),
    "[N] is the letter N": ("/a/env[N]", ["/a/env0", "/a/envN"], {"/a/envN"}),
    "glob characters in a class are themselves": ("/a/l[*?.]", ["/a/l1", "/a/lx"], set()),
    "a ] that comes first in a class is a member": ("/a/l[]1]", ["/a/l1", "/a/l2"], {"/a/l1"}),
    "a [ in a class is a member": ("/a/l[[1]", ["/a/l1", "/a/l2"], {"/a/l1"}),
    "a POSIX class": ("/a/l[[:digit:]]", ["/a/l1", "/a/lx"], {"/a/l1"}),
    "alternation in a group": ("/a/(left|right)_arm", ["/a/left_arm", "/a/right_arm", "/a/arm"], 2),
    "alternation in the middle": ("/a/(x|y)/b", ["/a/x/b", "/a/y/b", "/a/z/b"], {"/a/x/b", "/a/y/b"}),
    "+ repeats what is before it": ("/a/b1+", ["/a/b", "/a/b1", "/a/b11"], {"/a/b1", "/a/b11"}),
    "{m} repeats": ("/a/b1{2}", ["/a/b1", "/a/b11", "/a/b111"], {"/a/b11"}),
    "{m,n} repeats": ("/a/b[0-9]{1,2}", ["/a/b", "/a/b1", "/a/b12", "/a/b123"], {"/a/b1", "/a/b12"}),
    "{m,} repeats": ("/a/b1{2,}", ["/a/b1", "/a/b11", "/a/b111"], {"/a/b11", "/a/b111"}),
    "names are matched whole": ("/a/arm", ["/a/forearm", "/a/arm_1"], set()),
    "case matters": ("/a/Arm*", ["/a/arm"], set()),
    "no paths, no match": ("/a/*", [], set()),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("pattern", "paths", "expected"), EDGES.values(), ids=EDGES)
def test_edge(pattern: str, paths: list[str], expected: set[str] | int) -> None:
    selected = select(pattern, paths)
    assert (len(selected) if isinstance(expected, int) else selected) == expected


MALFORMED = {
    "relative": ("World/arm", "not absolute"),
    "empty": ("", "not absolute"),
    "not a string": (7, "not absolute"),
    "the root alone": ("/", "empty component"),
    "an empty component in front": ("//arm", "empty component"),
    "an empty component within": ("/World//arm", "empty component"),
    "an unclosed class": ("/envs/env[0/Robot/base_link", r"'env\[0' is malformed"),
    "an unclosed group": ("/World/(left|right", r"'\(left\|right' is malformed"),
    "an unopened group": ("/World/left|right)", "malformed"),
    "a reversed range": ("/World/[9-0]", "malformed"),
    "nothing to repeat": ("/World/+", "malformed"),
    "braces as a shell's alternatives": ("/World/{left,right}_arm", r"write \(a\|b\)"),
    "an unclosed brace": ("/World/a{2", "malformed"),
    "a repetition too large to count": ("/World/a{99999999999}", "malformed"),
    "a repetition of a repetition": ("/World/*+", "repetition is repeated"),
    "nested too deep": ("/World/" + "(" * 5000 + ")" * 5000, "malformed"),
}


@pytest.mark.parametrize(("pattern", "words"), MALFORMED.values(), ids=MALFORMED)
def test_a_malformed_pattern_is_an_error_even_where_there_is_nothing_to_match(pattern: str, words: str) -> None:
    for paths in ([], ["/World/arm"]):
        with pytest.raises(PatternError, match=words):
            select(pattern, paths)


@settings(max_examples=300, deadline=None)
@given(
    st.text("/ab*?[](){}|+.^$-\\:,12", max_size=14).map(lambda text: "/" + text) | st.text(max_size=8),
    st.lists(st.lists(st.text("ab12", min_size=1, max_size=3), min_size=1, max_size=4).map("/".join), max_size=6),
)
def test_any_text_selects_a_subset_or_is_a_pattern_error(pattern: str, paths: list[str]) -> None:
    paths = ["/" + path for path in paths]
    with warnings.catch_warnings(), contextlib.suppress(PatternError):
        warnings.simplefilter("error")
        assert select(pattern, paths) <= set(paths)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map("/".join), min_size=1, max_size=8))
def test_a_path_selects_itself_and_two_stars_select_everything(paths: list[str]) -> None:
    paths = ["/" + path for path in paths]
    assert select("/**", paths) == set(paths)
    assert all(select(path, paths) == {path} for path in paths)
