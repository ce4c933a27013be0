"""How declared deviations stand."""

from __future__ import annotations

from ovread_conformance.declarations import Declared, Scene, Standing

from ovread.backend import BackendInfo, Deviation


def test_each_scene_of_a_rule_must_show() -> None:
    """A rule that is declared for two scenes and shows in one is stale in the other."""
    scenes = [Scene("bodies"), Scene("bodies, turned")]
    shown, stale = (Deviation("heavy", ("mass",), "It is doubled.", "scale 1.2.3", scene=each.name) for each in scenes)
    info = BackendInfo(engine="scale 1.2.3", summary="A scale.", support={}, deviations=(shown, stale))
    declared = Declared("scratch", info, "")
    assert declared.excuse(scenes[0], "RIGID_BODY", "mass") == shown
    assert declared.standings({shown}, scenes, scenes) == [(shown, Standing.SHOWN), (stale, Standing.STALE)]
