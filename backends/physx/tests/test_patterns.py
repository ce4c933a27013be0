"""Path patterns select what the engine's own pattern query selects."""

import itertools
from collections.abc import Iterator

import pytest
from ovread_physx._engine import PhysxEngine

import ovread
from ovread import ObjectType
from ovread.errors import PatternError

NAMES = [
    "World",
    "*",
    "**",
    "env_0",
    "env_?",
    "env_[0-9]",
    "Robot",
    "link_0",
    "link_*",
    "base|link_0",
    "(arm|Group)",
    "env.*",
]
BODIES = [
    "env_0/Robot/base",
    "env_0/Robot/arm/link_0",
    "env_0/Robot/arm/sub/link_0/link_0",
    "env_0/Robot/arm/sub/link_1",
    "env_0/Group/Robot/base",
    "env_1/Robot/base",
    "env_1/Robot/arm/link_0",
    "env_A/Robot/base",
    "env_10/link_0",
    "link_0/inner/link_0",
]


def nested(bodies: list[str]) -> str:
    """Return prims, of which those named in full are rigid bodies."""
    text = ""
    for name in dict.fromkeys(body.split("/")[0] for body in bodies):
        inside = [body.partition("/")[2] for body in bodies if body.split("/")[0] == name and "/" in body]
        schemas = ' (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])' if name in bodies else ""
        text += f'def Xform "{name}"{schemas}\n{{\n{nested(inside)}}}\n'
    return text


SCENE = (
    '#usda 1.0\n(\n    upAxis = "Z"\n    metersPerUnit = 1\n)\ndef PhysicsScene "Scene"\n{\n}\n'
    f'def Xform "World"\n{{\n{nested(BODIES)}}}\n'
)


@pytest.fixture(scope="module")
def sim() -> Iterator[ovread.Simulation]:
    with ovread.open(SCENE, backend="physx") as simulation:
        yield simulation


def native(engine: PhysxEngine, pattern: str) -> set[str]:
    """Return what the engine's own query selects."""
    from ovphysx.types import SimObjectType

    found: list[int] = []
    with (
        engine.physx.query(SimObjectType.RIGID_BODY, pattern=pattern).wait() as query,
        engine.physx.read(query, ["mass"]).wait() as result,
    ):
        while (group := result.fetch_next().wait()) is not None:
            found += engine.dictionary.get_paths(group.prim_list)
            del group
            result.groups.clear()
    return set(engine.path_strings(found))


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_pattern_selects_what_the_engine_selects(sim: ovread.Simulation, depth: int) -> None:
    """Every combination of the syntax, over nested and repeated names, selects the same bodies."""
    differing = {}
    for names in itertools.product(NAMES, repeat=depth):
        pattern = "/" + "/".join(names)
        ours = set(sim.query(ObjectType.RIGID_BODY, pattern=pattern).paths)
        theirs = native(sim._engine, pattern)
        if ours != theirs:
            differing[pattern] = (ours, theirs)
    assert differing == {}


def test_a_malformed_pattern_is_refused_where_the_engine_selects_nothing(sim: ovread.Simulation) -> None:
    """What is a typo here is an empty selection there."""
    assert native(sim._engine, "/World/env_[0/Robot/base") == set()
    with pytest.raises(PatternError):
        sim.query(ObjectType.RIGID_BODY, pattern="/World/env_[0/Robot/base")
