"""The authoring contract is complete, true to the schemas' own files and to what population writes, and observed."""

from __future__ import annotations

import importlib.util
import math
import subprocess
import sys
from importlib import resources
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from ovread_conformance.authored_scenes import stage, welded_pair

from ovread import plugins
from ovread.authoring import (
    INSTANCE,
    PROPERTIES,
    SCHEMAS,
    Divergence,
    Kind,
    Origin,
    Property,
    Schema,
    Side,
    Verdict,
    effective,
)
from ovread.backend import Physical, Plain, PropertyUse
from ovread.errors import (
    NotUsdError,
    OptionError,
    SceneNotFoundError,
    UnknownBackendError,
    UnknownPathError,
    UnsupportedOperationError,
)
from ovread.units import StageUnits

DOCS = Path(__file__).parents[1] / "docs"
BACKENDS = [info for info in plugins.backends().values() if info.available]
STATEMENTS = [(schema, statement) for schema in SCHEMAS.values() for statement in schema.statements]


@pytest.fixture
def authored(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The generator of the page, which knows the tests by their markers."""
    monkeypatch.syspath_prepend(DOCS)
    return importlib.import_module("authored")


def test_every_statement_is_observed_or_says_why_it_cannot_be(authored: ModuleType) -> None:
    """No statement has neither a test nor a reason why none can see it."""
    observed = authored.statements()
    blank = [
        f"{schema.name}: {each.name}"
        for schema, each in STATEMENTS
        if (schema.name, each.name) not in observed and not each.unobservable
    ]
    assert blank == []


def test_tests_name_statements_and_properties_that_exist(authored: ModuleType) -> None:
    names = {(schema.name, each.name) for schema, each in STATEMENTS}
    assert sorted(authored.statements().keys() - names) == []
    backends = {info.name for info in BACKENDS} | {"core"}
    taken = {(backend, name) for backend in backends for name in PROPERTIES}
    assert sorted(authored.uses().keys() - taken) == []


@pytest.mark.parametrize("info", BACKENDS, ids=lambda info: info.name)
def test_every_backend_declares_every_property_and_shows_it(authored: ModuleType, info: Any) -> None:
    """What a backend makes of a property is declared, and a test of its own shows it, or it says why none can."""
    assert info.authoring.keys() == PROPERTIES.keys()
    shown = authored.uses()
    blank = [name for name, use in info.authoring.items() if (info.name, name) not in shown and not use.unobserved]
    assert blank == []


def test_names_of_statements_are_unique_in_their_schema() -> None:
    for schema in SCHEMAS.values():
        names = [each.name for each in schema.statements]
        assert len(set(names)) == len(names)


def test_statements_are_about_properties_of_their_schema() -> None:
    for schema, statement in STATEMENTS:
        assert {prop.name for prop in schema.properties}.issuperset(statement.properties), statement.name


def test_the_divergences_of_articulations_name_the_side_at_fault() -> None:
    """The coefficient of the stabilization is the parser's fault, the unscaled threshold that of both."""
    found = {each.name: each for _, each in STATEMENTS if isinstance(each, Divergence)}
    assert (found["stabilization-coefficient"].side, found["sleep-two-ways"].side) == (Side.PARSER, Side.BOTH)
    assert found["sleep-two-ways"].kind is found["stabilization-coefficient"].kind is Kind.DEFECT


@pytest.mark.parametrize(
    ("name", "metres", "centimetres"),
    [
        ("physxArticulation:sleepThreshold", 5e-3, 50),
        ("physxArticulation:stabilizationThreshold", 1.0, 10000),
        ("physxRigidBody:sleepThreshold", 5e-3, 50),
        ("physxRigidBody:stabilizationThreshold", 1e-3, 10),
        ("physxRigidBody:maxDepenetrationVelocity", 3, 300),
    ],
)
def test_defaults_scale_with_the_units(name: str, metres: float, centimetres: float) -> None:
    """The parser defaults are the same quantity on every stage."""
    default = PROPERTIES[name][1].default
    assert default is not None
    assert default.of(StageUnits(1.0)) == pytest.approx(metres)
    assert default.of(StageUnits(0.01)) == pytest.approx(centimetres)


def test_formulas_are_spelled_as_they_are_computed() -> None:
    """The text of a formula is an expression of metersPerUnit and kilogramsPerUnit with the value that it computes."""
    units = StageUnits(0.3, 0.7)
    for _, prop in PROPERTIES.values():
        for formula in (prop.default, prop.published):
            if isinstance(formula, Physical):
                text = formula.text.replace("²", "**2").replace("³", "**3")
                known = {"metersPerUnit": 0.3, "kilogramsPerUnit": 0.7}
                assert eval(text, known) == pytest.approx(formula.of(units))


IN_FILES = [schema for schema in SCHEMAS.values() if schema.name != "Stage"]


def _layers() -> dict[str, Any]:
    from pxr import Plug, Sdf

    usd_physics = Path(Plug.Registry().GetPluginWithName("usdPhysics").resourcePath) / "generatedSchema.usda"
    folders = {
        name: Path(str(importlib.util.find_spec(name).submodule_search_locations[0]))  # type: ignore[union-attr, index]
        for name in ("physx_usd_schemas", "newton_usd_schemas")
    }
    paths = {
        "Physics": usd_physics,
        "Physx": folders["physx_usd_schemas"] / "PhysxSchema/resources/generatedSchema.usda",
        "Newton": folders["newton_usd_schemas"] / "generatedSchema.usda",
    }
    return {prefix: Sdf.Layer.FindOrOpen(str(path)) for prefix, path in paths.items()}


def _plain(value: Any) -> Any:
    if hasattr(value, "GetImaginary"):
        return (*value.GetImaginary(), value.GetReal())
    return tuple(value) if hasattr(value, "__len__") and not isinstance(value, str) else value


@pytest.mark.observes("PhysxArticulationAPI", "self-collision-deprecated")
@pytest.mark.parametrize(
    "schema", [each for each in SCHEMAS.values() if each.name != "Stage"], ids=lambda each: each.name
)
def test_fallbacks_and_types_are_those_of_the_schema_s_file(schema: Schema) -> None:
    """Each property is in the schema's own file, with that type and fallback; deprecations are said there."""
    prefix = next(each for each in ("Physx", "Physics", "Newton") if schema.name.startswith(each))
    layers = _layers()
    spec = layers[prefix].GetPrimAtPath(f"/{schema.name}")
    for prop in schema.properties:
        declared = spec.attributes.get(prop.name.replace(INSTANCE, "__INSTANCE_NAME__"))
        assert declared is not None, prop.name
        assert str(declared.typeName) == prop.type
        fallback = _plain(declared.default)
        assert fallback == pytest.approx(prop.fallback) or fallback == prop.fallback, prop.name
        if prop.name == "physxArticulation:enabledSelfCollisions":
            assert "Deprecated" in declared.customData["userDocBrief"]


def test_importing_the_contract_loads_no_usd_and_no_engine(python: Any) -> None:
    program = (
        "import sys, ovread.authoring; "
        "print([name for name in ('pxr', 'ovstage', 'ovphysx', 'newton', 'ovnewton') if name in sys.modules])"
    )
    assert python(program) == "[]"


ORDERS = ["pxr physx newton pxr", "newton pxr newton physx", "physx pxr physx newton"]
SHARED = """
import sys
from importlib import resources
import ovread
from ovread.authoring import effective

scene = resources.files("ovread").joinpath("scenes", "cartpole.usda")
values = {}
for name in sys.argv[1:]:
    if name == "pxr":
        assert len(effective(scene, "/").properties) == 3
        continue
    with ovread.open(scene, backend=name) as sim:
        sim.step(1 / 240, count=24)
        joints = sim.query(ovread.ObjectType.ARTICULATION_JOINT)
        found = sim.read(joints, ["jointPosition"])["jointPosition"].numpy().tobytes()
    assert values.setdefault(name, found) == found
print(sorted((name, found.hex()) for name, found in values.items()))
"""


def test_pxr_shares_a_process_with_the_engines() -> None:
    """In any order of pxr and the engines, both engines give the same values, bit for bit."""
    printed = set()
    for order in ORDERS:
        command = [sys.executable, "-c", SHARED, *order.split()]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (ran.returncode, ran.stderr) == (0, "")
        printed.add(ran.stdout)
    assert len(printed) == 1


ROBOT = """#usda 1.0
(
    metersPerUnit = 0.01
    upAxis = "Z"
)
def PhysicsScene "S" (prepend apiSchemas = ["PhysxSceneAPI"])
{
    uint physxScene:maxPositionIterationCount = 8
}
def Xform "W" (prepend apiSchemas = ["PhysxArticulationAPI", "NewtonArticulationRootAPI"])
{
    bool newton:selfCollisionEnabled = 0
    int physxArticulation:solverPositionIterationCount = 300
    def Xform "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
    {
    }
    def Xform "off" (active = false)
    {
    }
}
"""


def test_origins_of_effective_values() -> None:
    """Authored, fallback, clamped by the scene, taken from another attribute, and ignored are told apart."""
    found = effective(ROBOT, "/W", ["physx", "newton"])
    origins = {each.name.partition(":")[2]: [value.origin for value in each.values] for each in found.properties}
    assert origins["sleepThreshold"] == [Origin.FALLBACK, Origin.IGNORED]
    assert origins["solverPositionIterationCount"] == [Origin.CLAMP, Origin.IGNORED]
    assert origins["enabledSelfCollisions"] == [Origin.FALLBACK, Origin.OTHER]
    assert origins["selfCollisionEnabled"] == [Origin.OTHER, Origin.AUTHORED]
    iterations = found["physxArticulation:solverPositionIterationCount"]
    assert (iterations.authored, iterations.values[0].value) == (300, 8)
    assert found["newton:selfCollisionEnabled"].verdict is Verdict.DIFFERS
    body = effective(ROBOT, "/W/b", "physx")
    assert body["physxRigidBody:sleepThreshold"].values[0].origin is Origin.POPULATION
    assert body["physxRigidBody:sleepThreshold"].values[0].value == pytest.approx(50)
    assert body["physxRigidBody:angularDamping"].values[0].origin is Origin.DEFAULT
    assert not body["physxRigidBody:angularDamping"].is_applied
    assert (body["physics:mass"].values[0].value, body["physics:mass"].units) == (None, "kg")


def test_divergences_are_told_for_the_prims_that_show_them() -> None:
    """The threshold that is lowered by applying the schema is told where it is not authored, and not where it is."""
    name = "physxArticulation:sleepThreshold"
    schemas = ["PhysxArticulationAPI"]
    unauthored = effective(stage(welded_pair("", schemas)), "/W/base", "physx")[name]
    assert [each.name for each in unauthored.divergences] == ["sleep-two-ways"]
    authored = effective(stage(welded_pair(f"float {name} = 1", schemas)), "/W/base", "physx")[name]
    absent = effective(stage(welded_pair()), "/W/base", "physx")[name]
    assert authored.divergences == absent.divergences == ()


def test_a_backend_that_joins_declares_what_it_makes_of_properties(monkeypatch: Any, plugins: Any) -> None:
    """The declarations of a third backend count; what it does not declare is told as undeclared."""
    import attrs

    from ovread import plugins as host

    loaded = plugins._loaded["rest"]
    use = PropertyUse("It never sleeps.", is_read=False, instead=Plain(0.0))
    info = attrs.evolve(loaded.info, authoring={"physxArticulation:sleepThreshold": use})
    plugins._loaded["rest"] = attrs.evolve(loaded, info=info)
    monkeypatch.setattr(host, "installed", lambda: plugins)
    found = effective(ROBOT, "/W", "rest")
    threshold = found["physxArticulation:sleepThreshold"].values[0]
    assert (threshold.value, threshold.origin, threshold.text) == (0, Origin.IGNORED, "It never sleeps.")
    other = found["physxArticulation:enabledSelfCollisions"]
    assert (other.values[0].origin, other.verdict) == (Origin.UNDECLARED, Verdict.UNDECLARED)


def test_what_cannot_be_told_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "broken.usda"
    broken.write_text("#usda 1.0\ndef {")
    cases = [
        (SceneNotFoundError, "No such file", (tmp_path / "none.usda", "/W")),
        (NotUsdError, "does not parse", (broken, "/W")),
        (UnknownPathError, "Did you mean '/W/b'", (ROBOT, "/W/bb")),
        (UnknownPathError, "is absolute", (ROBOT, "W")),
        (UnknownPathError, "not active", (ROBOT, "/W/off")),
        (UnknownBackendError, "Did you mean 'physx'", (ROBOT, "/W", "phsyx")),
        (OptionError, "has no variant 'stele'", (ROBOT, "/W", "newton:stele")),
        (OptionError, "each backend once", (ROBOT, "/W", ["physx", "physx"])),
    ]
    for error, words, arguments in cases:
        with pytest.raises(error, match=words):
            effective(*arguments)
    monkeypatch.setitem(sys.modules, "pxr", None)
    with pytest.raises(UnsupportedOperationError, match=r"pip install 'ovread\[lint\]'"):
        effective(ROBOT, "/W", "physx")


def test_an_open_stage_and_a_file_are_taken_alike() -> None:
    from pxr import Usd

    path = str(resources.files("ovread").joinpath("scenes", "cartpole.usda"))
    opened = Usd.Stage.Open(path)
    prim = next(str(each.GetPath()) for each in opened.Traverse() if each.GetTypeName() == "PhysicsRevoluteJoint")
    assert effective(opened, prim) == effective(path, prim)


def test_every_unset_value_has_words() -> None:
    for _, prop in PROPERTIES.values():
        assert (prop.unset is None) == (not prop.unset_text)
        assert isinstance(prop, Property)
        assert not isinstance(prop.fallback, float) or not math.isnan(prop.fallback)
