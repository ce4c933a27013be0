"""Writes of character controllers, and of what is deformable."""

from __future__ import annotations

import numpy as np
import pytest
from ovread_physx._sources import ENVIRONMENT_VARIABLE
from reading import BODY

import ovread
from ovread import ObjectType, Writability
from ovread.errors import NotWritableError, ValueRefusedError

DT = 1 / 60
CONTROLLER, MATERIAL = ObjectType.CHARACTER_CONTROLLER, ObjectType.DEFORMABLE_MATERIAL
WAYS = pytest.mark.parametrize("way", ["", "public"])


def values(simulation, kind, name):
    """Read one attribute; gives its elements by path."""
    group = simulation.read(simulation.query(kind), [name])[name]
    return {path: np.asarray(each).tolist() for path, each in zip(group.paths, group.per_prim(), strict=True)}


# Character controllers


@pytest.fixture(scope="module")
def opened_walkers(scene):
    with ovread.open(scene("walkers"), backend="physx") as simulation:
        yield simulation


@pytest.fixture
def walkers(opened_walkers):
    """Two character controllers below a turned prim, one of them 3 before a wall."""
    opened_walkers.reset()
    return opened_walkers


WALKER, OTHER = "/Turned/Walker", "/Turned/Other"


def place(simulation, path=WALKER):
    return simulation.read(simulation.query(BODY, paths=[path]), ["position"])["position"].numpy()[0]


@pytest.mark.obeys("CHARACTER_CONTROLLER", "move")
@WAYS
def test_a_controller_moves_by_so_much(way, walkers, monkeypatch):
    """The next step shows each one displaced by its own row, along the axes of the world, and no later step repeats it.

    Mutants: rows in the engine's order, axes of the parent, a move of the others.
    """
    monkeypatch.setenv(ENVIRONMENT_VARIABLE, way)
    controllers = walkers.query(CONTROLLER, paths=[WALKER, OTHER])
    before = [place(walkers, path) for path in controllers.paths]
    moves = np.array([[0.5, 0.25, -0.125], [-1, 2, 0.5]], dtype=np.float32)
    walkers.set(controllers, "move", moves)
    for _ in range(3):
        walkers.step(DT)
        now = [place(walkers, path) for path in controllers.paths]
        np.testing.assert_allclose(now, before + moves, atol=1e-5)


def test_moves_before_one_step_add_up(walkers):
    """Each is carried out when it is written, the pose follows with the step."""
    one = walkers.query(CONTROLLER, paths=[WALKER])
    start, other = place(walkers), place(walkers, OTHER)
    for move in ([0.5, 0, 0], [0.25, -1, 0]):
        walkers.set(one, "move", move)
        np.testing.assert_array_equal(place(walkers), start)
    walkers.step(DT)
    np.testing.assert_allclose(place(walkers) - start, [0.75, -1, 0], atol=1e-5)
    np.testing.assert_array_equal(place(walkers, OTHER), other)


def test_a_controller_stops_at_a_wall(walkers):
    """It ends where its radius and its contact offset of 0.1 touch the wall's side at 2.5."""
    walkers.set(walkers.query(CONTROLLER, paths=[WALKER]), "move", [5, 0, 0])
    walkers.step(DT)
    np.testing.assert_allclose(place(walkers), [1.9, 0, 5], atol=1e-4)


def test_a_move_starts_at_zero(walkers):
    """A displacement is given once: a session starts with none, and a mask leaves the others where they are."""
    everyone = walkers.query(CONTROLLER)
    start = {path: place(walkers, path) for path in everyone.paths}
    for _ in range(2):
        with walkers.write(everyone, ["move"]) as session:
            assert not session["move"].values.any()
            session["move"].values[:] = [0, 0, 1]
            session.commit(session["move"], [path == OTHER for path in session["move"].paths])
        walkers.step(DT)
    np.testing.assert_allclose(place(walkers, OTHER) - start[OTHER], [0, 0, 2], atol=1e-5)
    np.testing.assert_array_equal(place(walkers), start[WALKER])


@pytest.mark.refuses("CHARACTER_CONTROLLER", "move")
def test_a_bad_move_moves_nobody(walkers):
    """One row that is no number refuses all."""
    everyone = walkers.query(CONTROLLER)
    start = [place(walkers, path) for path in everyone.paths]
    with pytest.raises(ValueRefusedError, match=r"move.*finite"):
        walkers.set(everyone, "move", [[1, 0, 0], [0, np.nan, 0]])
    walkers.step(DT)
    np.testing.assert_array_equal([place(walkers, path) for path in everyone.paths], start)


def test_reset_puts_controllers_back(walkers):
    """Each time, to where they are authored; a move that was given and not stepped is gone."""
    start = place(walkers)
    for _ in range(2):
        walkers.set(walkers.query(CONTROLLER), "move", [0, -1, 0])
        walkers.step(DT)
        walkers.set(walkers.query(CONTROLLER), "move", [0, -1, 0])
        walkers.reset()
        walkers.step(DT)
        np.testing.assert_array_equal(place(walkers), start)


# Deformable materials, bodies and particles


@pytest.fixture(scope="module")
def opened_materials(scene):
    with ovread.open(scene("deformable_materials"), backend="physx") as simulation:
        yield simulation


@pytest.fixture
def materials(opened_materials):
    """A material of surfaces and one of volumes."""
    opened_materials.reset()
    return opened_materials


CLOTH, RUBBER = "/Cloth", "/Rubber"
OF_BOTH = ["deformableDynamicFriction", "deformableYoungsModulus", "deformablePoissonsRatio"]
OF_BOTH += ["deformableElasticityDamping"]
OF_SURFACES = ["deformableBendingStiffness", "deformableThickness", "deformableBendingDamping"]


@pytest.mark.reads_back(
    "DEFORMABLE_MATERIAL",
    "deformableDynamicFriction deformableYoungsModulus deformablePoissonsRatio deformableElasticityDamping "
    "deformableBendingStiffness deformableThickness deformableBendingDamping",
)
@WAYS
@pytest.mark.parametrize("name", [*OF_BOTH, *OF_SURFACES])
def test_a_material_reads_what_was_set(name, way, materials, monkeypatch):
    """At once, of each material its own, and nothing else changes; a step leaves it, and a reset restores it."""
    monkeypatch.setenv(ENVIRONMENT_VARIABLE, way)
    names = [*OF_BOTH, *OF_SURFACES]
    before = {each: values(materials, MATERIAL, each) for each in names}
    with materials.write(materials.query(MATERIAL), [name]) as session:
        group = session[name]
        assert dict(zip(group.paths, group.values.tolist(), strict=True)) == before[name]
        group.values[:, 0] = [0.125, 0.4375][: len(group.paths)]
        wanted = dict(zip(group.paths, group.values.tolist(), strict=True))
        session.commit(group)
    assert {each: values(materials, MATERIAL, each) for each in names} == before | {name: wanted}
    materials.step(DT)
    assert values(materials, MATERIAL, name) == wanted
    materials.reset()
    assert {each: values(materials, MATERIAL, each) for each in names} == before


def test_volume_materials_do_not_bend(materials):
    """Attributes of surface materials cover those, and name the others."""
    with materials.write(materials.query(MATERIAL), [*OF_BOTH, *OF_SURFACES]) as session:
        covered = {group.attribute: group.paths for group in session}
        omitted = {each.attribute: (each.paths, each.detail) for each in session.omissions}
    assert covered == dict.fromkeys(OF_BOTH, (CLOTH, RUBBER)) | dict.fromkeys(OF_SURFACES, (CLOTH,))
    assert set(omitted) == set(OF_SURFACES)
    for paths, detail in omitted.values():
        assert paths == (RUBBER,)
        assert "surface" in detail
    with pytest.raises(NotWritableError, match="surface"):
        materials.set(materials.query(MATERIAL, paths=[RUBBER]), "deformableThickness", 0.1)


@pytest.mark.refuses(
    "DEFORMABLE_MATERIAL",
    "deformableDynamicFriction deformableYoungsModulus deformablePoissonsRatio deformableElasticityDamping "
    "deformableBendingStiffness deformableThickness deformableBendingDamping",
)
@pytest.mark.parametrize(
    ("name", "bad"),
    [
        ("deformableYoungsModulus", -1),
        ("deformableDynamicFriction", -0.5),
        ("deformableElasticityDamping", np.nan),
        ("deformableBendingStiffness", -1),
        ("deformableThickness", -0.1),
        ("deformableBendingDamping", np.inf),
        ("deformablePoissonsRatio", 0.51),
        ("deformablePoissonsRatio", 0.5),
    ],
)
def test_a_bad_property_of_a_material_changes_nothing(name, bad, materials):
    """The other row would be fine, and keeps what it has: PhysX takes a negative modulus, and half of such a group."""
    before = values(materials, MATERIAL, name)
    query = materials.query(MATERIAL, paths=[path for path in (RUBBER, CLOTH) if path in before])
    with pytest.raises(ValueRefusedError, match=f"{name}.*/Cloth"):
        materials.set(query, name, [0.25, bad][-len(query) :])
    assert values(materials, MATERIAL, name) == before


def test_a_volume_material_may_be_incompressible(materials):
    """A ratio of 0.5 is refused of surface materials alone."""
    materials.set(materials.query(MATERIAL, paths=[RUBBER]), "deformablePoissonsRatio", 0.5)
    assert values(materials, MATERIAL, "deformablePoissonsRatio")[RUBBER] == [0.5]


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (ObjectType.DEFORMABLE_VOLUME, "points"),
        (ObjectType.DEFORMABLE_VOLUME, "velocities"),
        (ObjectType.DEFORMABLE_VOLUME, "kinematicTarget"),
        (ObjectType.DEFORMABLE_SURFACE, "points"),
        (ObjectType.DEFORMABLE_SURFACE, "velocities"),
        (ObjectType.PARTICLE_SET, "points"),
        (ObjectType.PARTICLE_SET, "velocities"),
    ],
)
def test_deformables_are_written_on_cuda(kind, name, materials):
    """There are none on the CPU, and a write says so; PhysX opens one of nothing."""
    with pytest.raises(NotWritableError, match="CUDA only"):
        materials.write(materials.query(kind), [name])


def test_classes_and_conditions_are_declared():
    """What stands under a condition says which."""
    info = ovread.backends()["physx"]
    for kind, name, expected in (
        (CONTROLLER, "move", Writability.CONDITIONAL),
        (MATERIAL, "deformableThickness", Writability.CONDITIONAL),
        (MATERIAL, "deformableYoungsModulus", Writability.WRITABLE),
        (ObjectType.PARTICLE_SET, "points", Writability.CONDITIONAL),
    ):
        declared = info.writing_of((kind, name))
        assert declared.writability is expected, name
        assert declared.reason or expected is Writability.WRITABLE, name
