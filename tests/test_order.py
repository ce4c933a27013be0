"""Natural path order is one total order, the same for everybody."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from ovread.order import natural_key

PATHS = st.lists(st.text("ab_/019٣", max_size=6), max_size=8)


def ordered(paths: list[str]) -> list[str]:
    """Sort as a query does."""
    return sorted(paths, key=lambda path: (natural_key(path), path))


def test_digits_compare_as_numbers() -> None:
    assert ordered(["/env_10", "/env_2", "/env_1"]) == ["/env_1", "/env_2", "/env_10"]
    assert ordered(["/e10/b2", "/e2/b10", "/e2/b9"]) == ["/e2/b9", "/e2/b10", "/e10/b2"]


def test_a_prim_comes_before_its_children_and_a_whole_component_decides() -> None:
    assert ordered(["/a/b", "/ab", "/a"]) == ["/a", "/a/b", "/ab"]
    assert ordered(["/a1/b", "/a/z", "/a1"]) == ["/a/z", "/a1", "/a1/b"]


def test_equal_numbers_of_different_spelling_are_told_apart() -> None:
    assert natural_key("/a01") == natural_key("/a1")
    assert ordered(["/a1", "/a01"]) == ordered(["/a01", "/a1"])


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_two_environments_come_in_the_order_of_their_numbers(first: int, second: int) -> None:
    in_order = natural_key(f"/World/env_{first}/box") < natural_key(f"/World/env_{second}/box")
    assert in_order == (first < second)


@settings(max_examples=200)
@given(PATHS, st.randoms())
def test_the_order_does_not_depend_on_where_the_paths_came_from(paths: list[str], shuffler: random.Random) -> None:
    shuffled = list(paths)
    shuffler.shuffle(shuffled)
    assert ordered(shuffled) == ordered(paths)
    assert ordered(ordered(paths)) == ordered(paths)


@settings(max_examples=200)
@given(st.text("ab_/019", max_size=6), st.text("ab_/019", max_size=6), st.text("ab_/019", max_size=6))
def test_the_order_is_total(first: str, second: str, third: str) -> None:
    a, b, c = ((natural_key(path), path) for path in (first, second, third))
    assert (a < b) + (b < a) + (first == second) == 1
    if a < b < c:
        assert a < c
