"""Each rule finds what its example shows, and passes what is nearly the same."""

from __future__ import annotations

import pytest

from ovread import lint
from ovread.backend import Scene
from ovread.lint._asset import Asset
from ovread.lint.examples import EXAMPLES


def asset(text: str) -> Asset:
    return Asset(lint.open_asset(Scene(text, is_text=True)))


def prims(name: str, text: str) -> list[str]:
    return [found.prim for found in lint.rule_named(name).detect(asset(text))]


def test_every_rule_has_an_example() -> None:
    assert {rule.name for rule in lint.RULES} == set(EXAMPLES)
    assert len({rule.name for rule in lint.RULES}) == len(lint.RULES)


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_rule_finds_the_prims_of_its_example(name: str) -> None:
    assert sorted(prims(name, EXAMPLES[name].found)) == sorted(EXAMPLES[name].prims)


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_rule_passes_what_is_nearly_the_same(name: str) -> None:
    assert prims(name, EXAMPLES[name].spared) == []
