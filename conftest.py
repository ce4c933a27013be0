"""Which tests stay together where several processes share them: those of a file, and those of the conformance suite."""

from __future__ import annotations

import pytest

SUITE = "ovread_conformance"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep what has open simulations, or recordings, in common in one process."""
    if not config.pluginmanager.hasplugin("xdist"):
        return
    for item in items:
        is_of_suite = item.path.parent.name == SUITE
        item.add_marker(pytest.mark.xdist_group(SUITE if is_of_suite else str(item.path)))
