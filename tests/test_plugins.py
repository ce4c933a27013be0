"""Backends are found, loaded in isolation, chosen, and explained where they cannot be had."""

from __future__ import annotations

import types
from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path

import pluggy
import pytest

import ovread
from ovread.errors import (
    BackendBrokenError,
    BackendChoiceError,
    BackendConflictError,
    BackendError,
    BackendNotInstalledError,
    OptionError,
    OvreadError,
    OwnershipError,
    SceneRefusedError,
    UnknownBackendError,
)
from ovread.plugins import PUBLISHED, Backend, Plugins

Install = Callable[..., EntryPoint]

GOOD = """
from ovread.backend import BackendInfo, Objects
from ovread.hookspecs import hookimpl

@hookimpl
def ovread_describe_backend():
    return BackendInfo(engine="good 2.0", summary="Good.")

@hookimpl
def ovread_usd_schemas():
    return ["schemas/shared", "schemas/good"]

@hookimpl
def ovread_open(scene, device, options):
    return None

@hookimpl
def ovread_objects(engine, object_type):
    return Objects()

@hookimpl
def ovread_bind_read(engine, object_type, rows, attributes):
    return None
"""
BROKEN = {
    "import error": ("import an_engine_that_is_not_there", "ModuleNotFoundError", "an_engine_that_is_not_there"),
    "wrong hook name": (GOOD.replace("def ovread_open", "def ovread_opne"), "PluginValidationError", "ovread_opne"),
    "wrong argument": (GOOD.replace("(scene, device, options)", "(secne)"), "PluginValidationError", "secne"),
    "describe raises": (
        GOOD.replace("return BackendInfo", "raise KeyError('why')\n    BackendInfo"),
        "KeyError",
        "why",
    ),
    "describe returns a dict": (GOOD.replace("return BackendInfo", "return dict"), "TypeError", "dict"),
    "a hook is missing": (GOOD.replace("def ovread_open", "def _open"), "TypeError", "not implement ovread_open"),
    "no hook at all": ("", "TypeError", "not implement ovread_describe_backend, ovread_open"),
    "exits on import": ("raise SystemExit('no GPU')", "SystemExit", "no GPU"),
    "syntax error": ("def", "SyntaxError", "invalid syntax"),
}


def test_an_installed_backend_names_its_distribution_and_version(plugins: Plugins) -> None:
    info = plugins.infos()["rest"]
    assert (info.name, info.distribution, info.version) == ("rest", "ovread-rest", "1.2.3")
    assert info.available
    assert info.reason == ""
    assert info.engine == "rest 1.0"


def test_a_published_backend_that_is_missing_is_listed_with_the_command_that_installs_it(plugins: Plugins) -> None:
    for name, distribution in PUBLISHED.items():
        info = plugins.infos()[name]
        assert not info.available
        assert f"pip install {distribution}" in info.reason
        with pytest.raises(BackendNotInstalledError, match=f"pip install {distribution}"):
            plugins.get(name)
    assert dict(PUBLISHED) == {"physx": "ovread-physx", "newton": "ovread-newton"}


@pytest.mark.parametrize(("source", "kind", "words"), BROKEN.values(), ids=BROKEN)
def test_a_broken_backend_breaks_only_itself_and_names_distribution_version_and_cause(
    install: Install, source: str, kind: str, words: str
) -> None:
    bad = install("bad", "bad_backend", source, distribution="ovread-bad", version="0.3")
    good = install("good", "good_backend", GOOD, distribution="ovread-good")
    last = install("zest", "rest_backend", distribution="ovread-rest")
    plugins = Plugins([bad, good, last])
    for said in (plugins.infos()["bad"].reason, _error(plugins, "bad", BackendBrokenError)):
        for part in ("ovread-bad", "0.3", kind, words):
            assert part in said
    assert not plugins.infos()["bad"].available
    assert [backend.info.name for backend in plugins.all()] == ["good", "zest"]
    assert plugins.get("zest").hooks.ovread_describe_backend().engine == "rest 1.0"
    assert len(plugins.usd_schemas()) == 3


def test_a_backend_at_hand_is_added_and_one_that_fails_leaves_no_trace(plugins: Plugins) -> None:
    source = GOOD.replace("def ovread_open", "def ovread_opne")
    wrong, good = types.ModuleType("wrong"), types.ModuleType("good")
    exec(source, vars(wrong))
    exec(GOOD, vars(good))
    with pytest.raises(pluggy.PluginValidationError, match="ovread_opne"):
        plugins.add("extra", wrong, distribution="at-hand", version="1")
    assert "extra" not in plugins.infos()
    plugins.add("extra", good, distribution="at-hand", version="1")
    assert plugins.get("extra").info.distribution == "at-hand"
    with pytest.raises(BackendConflictError, match=r"ovread-rest.*at-hand"):
        plugins.add("rest", good, distribution="at-hand", version="1")
    assert plugins.get("rest").info.distribution == "ovread-rest"


def test_two_backends_of_one_name_are_an_error_that_names_both(install: Install) -> None:
    first = install("twin", "first_twin", GOOD, distribution="ovread-first")
    second = install("twin", "second_twin", GOOD, distribution="ovread-second")
    good = install("good", "good_backend", GOOD, distribution="ovread-good")
    plugins = Plugins([first, good, second])
    said = _error(plugins, "twin", BackendConflictError)
    assert "ovread-first" in said
    assert "ovread-second" in said
    assert plugins.labelled()[0].info.name == "good", "neither twin can be taken by accident"
    third = install("twin", "third_twin", GOOD, distribution="ovread-third")
    said = _error(Plugins([first, second, third]), "twin", BackendConflictError)
    assert all(name in said for name in ("ovread-first", "ovread-second", "ovread-third"))


def test_a_name_clash_with_a_broken_backend_is_still_a_clash(install: Install) -> None:
    broken = install("twin", "broken_twin", "1 / 0", distribution="ovread-first")
    whole = install("twin", "whole_twin", GOOD, distribution="ovread-second")
    for order in ([broken, whole], [whole, broken]):
        said = _error(Plugins(order), "twin", BackendConflictError)
        assert "ovread-first" in said
        assert "ovread-second" in said


def test_an_unknown_backend_lists_the_known_ones_and_suggests_the_nearest(plugins: Plugins) -> None:
    said = _error(plugins, "Newtn", UnknownBackendError)
    assert "Did you mean 'newton'?" in said
    assert "newton, physx, rest" in said


def test_the_backend_is_the_argument_then_the_variable_then_the_only_one(
    install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    rest = install("rest", "rest_backend", distribution="ovread-rest")
    good = install("good", "good_backend", GOOD, distribution="ovread-good")
    assert Plugins([good]).labelled()[0].info.name == "good"
    plugins = Plugins([rest, good])
    with pytest.raises(BackendChoiceError, match=r"good, rest.*\$OVREAD_BACKEND"):
        plugins.labelled()
    with pytest.raises(BackendChoiceError, match=r"pip install ovread-physx or pip install ovread-newton"):
        Plugins([]).labelled()
    monkeypatch.setenv("OVREAD_BACKEND", "rest")
    assert plugins.labelled()[0].info.name == "rest"
    assert plugins.get("good").info.name == "good"
    monkeypatch.setenv("OVREAD_BACKEND", "nest")
    with pytest.raises(UnknownBackendError, match="Did you mean 'rest'"):
        plugins.labelled()


def test_every_backend_error_is_an_ovread_error() -> None:
    for kind in (UnknownBackendError, BackendNotInstalledError, BackendBrokenError, BackendConflictError):
        assert issubclass(kind, BackendError)
        assert issubclass(kind, OvreadError)


def test_options_are_filled_with_defaults_and_refused_where_unknown_or_out_of_range(rest: Backend) -> None:
    assert rest.options({}) == {"joints": "turning", "scenes": 1}
    assert rest.options({"scenes": 2}) == {"joints": "turning", "scenes": 2}
    with pytest.raises(OptionError, match=r"no option 'joint'\. Did you mean 'joints'\? Options: joints, scenes"):
        rest.options({"joint": "stuck"})
    with pytest.raises(OptionError, match=r"joints='loose'.*'turning' or 'stuck'"):
        rest.options({"joints": "loose"})


def test_a_backend_without_options_says_so(install: Install) -> None:
    backend = Plugins([install("good", "good_backend", GOOD, distribution="ovread-good")]).labelled()[0]
    with pytest.raises(OptionError, match="Options: none"):
        backend.options({"solver": "any"})


def test_the_usd_schemas_are_those_of_all_plugins_each_once(install: Install) -> None:
    good = install("good", "good_backend", GOOD, distribution="ovread-good")
    better = install("better", "better_backend", GOOD.replace("/good", "/better"), distribution="ovread-better")
    silent = install("silent", "silent_backend", GOOD.replace('["schemas', 'None and ["'), distribution="ovread-silent")
    folders = Plugins([good, better, silent]).usd_schemas()
    assert sorted(folders) == [Path("schemas/better"), Path("schemas/good"), Path("schemas/shared")]


def test_a_call_reaches_the_chosen_backend_alone(install: Install) -> None:
    rest = install("rest", "rest_backend", distribution="ovread-rest")
    good = install("good", "good_backend", GOOD, distribution="ovread-good")
    plugins = Plugins([rest, good])
    described = {name: plugins.get(name).hooks.ovread_describe_backend().engine for name in ("good", "rest")}
    assert described == {"good": "good 2.0", "rest": "rest 1.0"}


def test_open_goes_from_text_to_values_and_carries_the_words_of_a_refusal(
    plugins: Plugins, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ovread._open.installed", lambda: plugins)
    with ovread.open("#usda 1.0\n", joints="stuck") as sim:
        assert sim.variant == "stuck"
        assert sim.backend.name == "rest"
    with pytest.raises(SceneRefusedError, match="rest refuses <USDA text>: something in there moves"):
        ovread.open("#usda 1.0\n# unrest\n")
    with pytest.raises(OptionError):
        ovread.open("#usda 1.0\n", gravity=0)


def test_attach_asks_every_backend_and_names_what_none_knows(plugins: Plugins, monkeypatch: pytest.MonkeyPatch) -> None:
    from rest_world import World

    monkeypatch.setattr("ovread._open.installed", lambda: plugins)
    assert ovread.attach(World()).backend.name == "rest"
    with pytest.raises(OwnershipError, match=r"\(int, str\).*Installed backends: rest"):
        ovread.attach(1, "two")
    with pytest.raises(OwnershipError, match="nothing"):
        ovread.attach()


HEAVY = ("ovread_physx", "ovread_newton", "ovphysx", "ovnewton", "newton", "mujoco", "warp", "ovstage", "pxr")


def test_importing_ovread_loads_no_plugin_no_engine_and_no_warp(python: Callable[..., str]) -> None:
    program = f"import sys, ovread, numpy; print([name for name in {HEAVY} if name in sys.modules])"
    assert python(program) == "[]"


def test_listing_backends_imports_no_engine(python: Callable[..., str]) -> None:
    program = (
        "import sys, ovread; names = sorted(ovread.backends());"
        f"print([name for name in {HEAVY[2:]} if name in sys.modules], {{'newton', 'physx'}} <= set(names))"
    )
    assert python(program) == "[] True"


def test_an_installed_distribution_is_found_and_opened_by_a_fresh_process(
    python: Callable[..., str], install: Install, tmp_path: Path
) -> None:
    install("rest", "rest_backend", distribution="ovread-rest", version="1.2.3")
    program = (
        "import ovread, rest_backend\n"
        "info = ovread.backends()['rest']\n"
        "with ovread.open('#usda 1.0') as sim:\n"
        "    gravity = sim.read(sim.query(ovread.ObjectType.SCENE), ['gravity'])['gravity']\n"
        "print(info.distribution, info.version, info.available, *gravity.numpy()[0], gravity.units)"
    )
    path = f"{tmp_path}:{Path(__file__).parent}"
    printed = python(program, PYTHONPATH=path, OVREAD_BACKEND="rest")
    assert printed.splitlines()[-1] == "ovread-rest 1.2.3 True 0.0 0.0 -981.0 cm/s²"


def _error(plugins: Plugins, name: str, kind: type[Exception]) -> str:
    with pytest.raises(kind) as caught:
        plugins.get(name)
    return str(caught.value)


def test_a_label_names_a_backend_and_its_variant(install: Install) -> None:
    plugins = Plugins([install("rest", "rest_backend", distribution="ovread-rest")])
    choices = next(option for option in plugins.get("rest").info.options if option.choices)
    backend, options = plugins.labelled(f"rest:{choices.choices[0]}")
    assert (backend.info.name, options) == ("rest", {choices.name: choices.choices[0]})
    with pytest.raises(OptionError, match=f"no variant 'nothing'.*{choices.choices[0]}"):
        plugins.labelled("rest:nothing")
