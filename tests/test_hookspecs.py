"""The examples of the plugin contract run, and together they are a backend."""

from __future__ import annotations

import inspect
import re
import sys
import textwrap
import types

import numpy as np
import pytest

from ovread import hookspecs
from ovread.backend import BackendInfo, Scene
from ovread.catalogue import ObjectScope, ObjectType
from ovread.plugins import Plugins
from ovread.simulation import Simulation

HOOKS = [name for name in vars(hookspecs) if name.startswith("ovread_")]


class World:
    """What the examples call ``rest.World``: the engine that they are written for."""

    def __init__(self, source: str = "", mass: float = 1.0) -> None:
        self.paths = ("/World/env_10", "/World/env_2")
        self.position = np.array([[1, 2, 3], [4, 5, 6]], dtype=np.float32)
        self.mass = np.full((2, 1), mass, dtype=np.float32)
        self.steps = 0

    def step(self, dt: float) -> None:
        self.steps += 1

    def reset(self) -> None:
        self.steps = 0


def code(docstring: str | None, marker: str) -> str:
    """Return the indented block that follows the marker in a docstring."""
    found = re.search(rf"{marker}::\n\n(?P<code>( {{4}}.*\n|\n)+)", inspect.cleandoc(docstring or "") + "\n")
    return textwrap.dedent(found["code"]) if found else ""


def example(hook: str) -> str:
    """Return the example of a hook."""
    return code(getattr(hookspecs, hook).__doc__, "Example")


@pytest.mark.parametrize("hook", HOOKS)
def test_every_hook_has_an_example_that_compiles_and_implements_it(hook: str) -> None:
    source = example(hook)
    compile(source, hook, "exec")
    assert f"@hookimpl\ndef {hook}(" in source


def test_the_contract_has_these_hooks_and_an_import_list() -> None:
    assert sorted(HOOKS) == [
        "ovread_active_rows",
        "ovread_adopt",
        "ovread_bind_read",
        "ovread_bind_write",
        "ovread_describe_backend",
        "ovread_objects",
        "ovread_open",
        "ovread_prepare_process",
        "ovread_signed_distances",
        "ovread_unreadable_attributes",
        "ovread_usd_schemas",
    ]
    assert "from ovread.hookspecs import hookimpl" in code(hookspecs.__doc__, "starts with")


def test_a_hook_gets_every_argument_of_its_specification_and_may_leave_filters_out() -> None:
    asked = list(inspect.signature(hookspecs.ovread_bind_read).parameters)
    assert asked == ["engine", "object_type", "rows", "attributes", "filters"]
    assert "filters" in (hookspecs.ovread_bind_read.__doc__ or "")
    assert "filters" not in example("ovread_bind_read")
    assert list(inspect.signature(hookspecs.ovread_active_rows).parameters) == ["engine", "object_type"]


@pytest.fixture
def plugins(install, monkeypatch: pytest.MonkeyPatch) -> Plugins:
    """A process where the backend of the examples is installed, and its engine."""
    source = "\n".join([code(hookspecs.__doc__, "starts with"), *map(example, HOOKS)])
    engine = types.ModuleType("rest")
    engine.World = World  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "rest", engine)
    return Plugins([install("rest", "backend_of_the_examples", source, distribution="ovread-rest")])


def test_the_examples_together_are_a_backend_that_reads_values(plugins: Plugins) -> None:
    backend = plugins.get("rest")
    assert isinstance(backend.info, BackendInfo)
    scene = Scene("#usda 1.0", is_text=True)
    engine = backend.hooks.ovread_open(scene=scene, device="cpu", options=backend.options({"mass": 7.0}))
    with Simulation(backend, engine) as sim:
        sim.step(0.5, count=3)
        assert engine.world.steps == 3
        bodies = sim.query(ObjectType.RIGID_BODY)
        assert bodies.paths == ("/World/env_2", "/World/env_10")
        assert bodies.attributes == ("position", "mass")
        result = sim.read(bodies, ["position", "mass", "orientation"])
        assert result["position"].numpy().tolist() == [[4, 5, 6], [1, 2, 3]]
        assert result["mass"].numpy().tolist() == [[7], [7]]
        assert [omission.attribute for omission in result.omissions] == ["orientation"]
        assert len(sim.query(ObjectType.SCENE)) == 0
        assert len(sim.query(ObjectType.RIGID_BODY, scope=ObjectScope.ACTIVE)) == 0, "nothing ever moves"
        sim.reset()
        assert engine.world.steps == 0
    assert engine.world is None


def test_the_examples_adopt_what_is_theirs_and_nothing_else(plugins: Plugins) -> None:
    adopt = plugins.get("rest").hooks.ovread_adopt
    world = World()
    assert adopt(objects=(world,), options={}).world is world
    assert adopt(objects=(), options={}) is None
    assert adopt(objects=("something else",), options={}) is None
    del sys.modules["rest"]
    assert adopt(objects=(world,), options={}) is None


def test_the_examples_name_a_schema_folder_beside_the_plugin(plugins: Plugins) -> None:
    (folder,) = plugins.usd_schemas()
    assert folder.name == "schema"
