"""What a read delivers."""

from __future__ import annotations

import ctypes
from types import SimpleNamespace

import numpy as np
import pytest
from memory import kept_by
from ovread_physx import _native, _objects
from ovread_physx._layout import Copy, GroupPlan, RawGroup, plan_read
from ovread_physx._sources import ENVIRONMENT_VARIABLE, NativeSource, PublicSource, _Target, open_source
from ovread_physx._table import Table

import ovread
from ovread import ObjectType, OmissionReason
from ovread.catalogue import attribute

TYPES = (
    ObjectType.RIGID_BODY,
    ObjectType.ARTICULATION_LINK,
    ObjectType.ARTICULATION_JOINT,
    ObjectType.ARTICULATION,
    ObjectType.SCENE,
)
SCENES = (
    "Ant",
    "FixedTendonTest",
    "MultiCartPoleSpaced",
    "boxes_falling_on_groundplane",
    "compound_shapes",
    "d6_joints",
    "kinematic_sleeping_disabled",
    "limit_sentinels",
    "materials",
    "mixed_link_count_articulations",
    "nested_articulations",
    "no_collider",
    "ovstage_output_instancer",
    "shared_root_multiscene",
    "three_shapes",
    "vehicle_read_write",
)


def snapshot(simulation, query):
    """Read everything that is served, as plain data."""
    if not query.attributes:
        return []
    result = simulation.read(query, query.attributes)
    groups = [
        (
            group.attribute,
            group.scene,
            group.paths,
            group.numpy().tolist(),
            None if group.offsets is None else list(group.offsets),
        )
        for group in result
    ]
    return [*groups, *result.omissions]


@pytest.mark.parametrize("name", SCENES)
def test_the_c_api_and_the_python_api_read_the_same(name, scene, monkeypatch):
    """Each served attribute of each type is equal bit by bit, before and after steps, for all rows and for some."""
    with ovread.open(scene(name), backend="physx") as simulation:
        for steps in (0, 3):
            for _ in range(steps):
                simulation.step(1 / 240)
            for object_type in TYPES:
                everything = simulation.query(object_type)
                some = list(dict.fromkeys(everything.paths))[::-2]
                selections = [{}, {"order": "native"}, {"paths": some}]
                for selection in selections:
                    monkeypatch.delenv(ENVIRONMENT_VARIABLE, raising=False)
                    fast = snapshot(simulation, simulation.query(object_type, **selection))
                    monkeypatch.setenv(ENVIRONMENT_VARIABLE, "public")
                    assert isinstance(open_source(simulation._engine, object_type, None), PublicSource)
                    assert snapshot(simulation, simulation.query(object_type, **selection)) == fast


@pytest.mark.parametrize("name", SCENES)
def test_values_are_finite_numbers(name, scene):
    """No read delivers NaN or infinity."""
    with ovread.open(scene(name), backend="physx") as simulation:
        simulation.step(1 / 240)
        for object_type in TYPES:
            query = simulation.query(object_type)
            for group in simulation.read(query, query.attributes):
                assert np.isfinite(group.numpy()).all(), group.attribute


@pytest.mark.parametrize(
    ("name", "object_type"), [("Ant", t) for t in TYPES] + [("boxes_falling_on_groundplane", TYPES[0])]
)
def test_rows_follow_the_caller(name, object_type, scene):
    """Explicit paths keep their order, and each row is that of its path."""
    with ovread.open(scene(name), backend="physx") as simulation:
        everything = simulation.query(object_type)
        whole = simulation.read(everything, everything.attributes)
        paths = list(everything.paths[::-1][: max(1, len(everything) - 1)])
        for group in simulation.read(simulation.query(object_type, paths=paths), everything.attributes):
            assert group.paths == tuple(paths)
            of_path = dict(zip(everything.paths, whole[group.attribute].per_prim(), strict=True))
            for path, values in zip(paths, group.per_prim(), strict=True):
                np.testing.assert_array_equal(values, of_path[path])


def test_shapes_are_not_padded(scene):
    """A per-shape group holds as many elements as each body has shapes."""
    with ovread.open(scene("materials"), backend="physx") as simulation:
        bodies = simulation.query(ObjectType.RIGID_BODY)
        result = simulation.read(bodies, ["shapeCount", "staticFriction"])
        counts = result["shapeCount"].numpy().ravel()
        assert counts.max() > counts.min()
        assert np.diff(result["staticFriction"].offsets).tolist() == counts.tolist()


def test_no_shapes_are_no_elements(scene):
    """Bodies without any collider have empty runs, not an omission."""
    with ovread.open(scene("no_collider"), backend="physx") as simulation:
        result = simulation.read(simulation.query(ObjectType.RIGID_BODY), ["staticFriction"])
        assert result["staticFriction"].offsets.tolist() == [0, 0]
        assert not result.omissions


def test_unlimited_is_the_largest_float(scene):
    """A limit authored as FLT_MAX reads FLT_MAX, although the engine brings it back as another number."""
    with ovread.open(scene("limit_sentinels"), backend="physx") as simulation:
        limits = simulation.read(simulation.query(ObjectType.ARTICULATION_JOINT), ["jointLimit"])["jointLimit"].numpy()
        huge = np.abs(limits[np.abs(limits) > 1e30])
        assert len(huge)
        assert (huge == np.finfo(np.float32).max).all()


def test_inertia_is_symmetric(scene):
    """Inertia tensors are symmetric matrices, so their element order cannot matter."""
    with ovread.open(scene("materials"), backend="physx") as simulation:
        query = simulation.query(ObjectType.RIGID_BODY)
        inertia = simulation.read(query, ["inertia"])["inertia"].numpy().reshape(-1, 3, 3)
        np.testing.assert_allclose(inertia, inertia.transpose(0, 2, 1), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("object_type", "name"),
    [
        (ObjectType.ARTICULATION_LINK, "linearAcceleration"),
        (ObjectType.ARTICULATION_LINK, "angularAcceleration"),
        (ObjectType.ARTICULATION_LINK, "linkIncomingJointForce"),
        (ObjectType.ARTICULATION_JOINT, "jointProjectedForce"),
    ],
)
def test_what_a_step_computes_is_not_there_before(object_type, name, scene):
    """Accelerations and joint forces are omitted as NOT_READY until a step, and again after a reset."""
    with ovread.open(scene("pendulum"), backend="physx") as simulation:
        reader = simulation.reader(simulation.query(object_type), [name])
        assert [omission.reason for omission in reader.read().omissions] == [OmissionReason.NOT_READY]
        simulation.step(1 / 240)
        assert np.abs(reader.read()[name].numpy()).max() > 0
        simulation.reset()
        assert name not in reader.read()


def test_two_physics_scenes_are_two_groups(scene):
    """Rows of different physics scenes come in groups that name their scene."""
    with ovread.open(scene("shared_root_multiscene"), backend="physx") as simulation:
        links = simulation.query(ObjectType.ARTICULATION_LINK)
        groups = simulation.read(links, ["position", "physxPointer"]).all("position")
        assert {group.scene: [path.split("/")[3] for path in group.paths] for group in groups} == {
            "/World/sceneA": ["robot_0", "robot_0", "robot_1", "robot_1"],
            "/World/sceneB": ["robot_2", "robot_2"],
        }
        for group in groups:
            starts = {"robot_0": 0.0, "robot_1": 10.0, "robot_2": 20.0}
            expected = [starts[path.split("/")[3]] + path.endswith("tip") for path in group.paths]
            assert group.numpy()[:, 0].tolist() == expected


def test_a_path_that_articulations_share_gives_no_wrong_pointer(scene):
    """Where the engine does not say whose a value is, the value is omitted."""
    with ovread.open(scene("nested_articulations"), backend="physx") as simulation:
        query = simulation.query(ObjectType.ARTICULATION)
        result = simulation.read(query, ["rootPosition", "physxPointer"])
        assert len(query) == 2
        assert result["rootPosition"].numpy()[:, 0].tolist() == [0.0, 3.0]
        assert [omission.attribute for omission in result.omissions] == ["physxPointer"]
        assert "physxPointer" not in result


def test_a_group_that_mixes_scenes_gives_no_row_of_a_shared_path():
    """Where one group holds the rows of two scenes, those that share a path are omitted and the others are not."""
    table = Table(["/a", "/b", "/a"], [1, 2, 1], np.array([0, 0, 1]), ["/A", "/B"])
    group = RawGroup("physxPointer", [2, 1, 1], [3], 1, is_array=False)
    plan = plan_read(ObjectType.ARTICULATION, table, np.arange(3), ["physxPointer"], [group], {})
    assert [(column.scene, column.rows.tolist()) for column in plan.columns] == [("/A", [1])]
    assert [omission.paths for omission in plan.omissions] == [("/a", "/a")]


def test_bodies_without_an_owner_are_in_the_scene_that_is_left():
    """A body that names no physics scene is labelled with the one that PhysX put it in."""
    body = 'def Sphere "{0}" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"])\n{{\n{1}}}\n'
    text = (
        '#usda 1.0\ndef PhysicsScene "First"\n{\n}\ndef PhysicsScene "Second"\n{\n}\n'
        + body.format("owned", "rel physics:simulationOwner = </Second>\n")
        + body.format("free", "")
    )
    with ovread.open(text, backend="physx") as simulation:
        result = simulation.read(simulation.query(ObjectType.RIGID_BODY), ["position"])
        assert {group.scene: group.paths for group in result} == {"/First": ("/free",), "/Second": ("/owned",)}


def test_a_point_instancer_does_not_disturb_bodies(scene):
    """A point instancer beside a body takes nothing from the read of the body."""
    with ovread.open(scene("ovstage_output_instancer"), backend="physx") as simulation:
        query = simulation.query(ObjectType.RIGID_BODY)
        result = simulation.read(query, ["position", "shapeCount"])
        assert query.paths == ("/World/Fixed", "/World/Instances")
        assert result["position"].paths == result["shapeCount"].paths == ("/World/Fixed",)
        assert result["position"].numpy().tolist() == [[0.0, 0.0, 20.0]]
        assert result["shapeCount"].numpy().tolist() == [[1]]


def test_an_empty_query_reads_empty_groups(scene):
    """A type that the scene has no objects of gives groups of no rows."""
    with ovread.open(scene("pendulum"), backend="physx") as simulation:
        query = simulation.query(ObjectType.RIGID_BODY)
        result = simulation.read(query, query.attributes)
        assert len(query) == 0
        assert {len(group) for group in result} == {0}
        assert len(result) == len(query.attributes)


@pytest.mark.parametrize(
    "name", ["Ant", "MultiCartPoleSpaced", "mixed_link_count_articulations", "nested_articulations"]
)
def test_members_are_those_that_the_engine_finds(name, scene):
    """Links and joints are assigned to the articulation that a native query by their path finds."""
    with ovread.open(scene(name), backend="physx") as simulation:
        engine = simulation._engine
        table = engine.table(ObjectType.ARTICULATION)
        members = _objects.articulation_members(engine)
        assert sum(map(len, members)) > 0
        for path, row in zip(table.paths, members, strict=True):
            for member in row:
                prim = engine.dictionary.intern_path(member)
                source = NativeSource(engine, ObjectType.ARTICULATION, [prim])
                groups, _ = source.survey(["linkCount"])
                source.close()
                assert path in engine.path_strings([prim for group in groups for prim in group.prims])


def test_a_link_path_selects_its_articulation(scene):
    """A pattern selects an articulation by its links."""
    with ovread.open(scene("mixed_link_count_articulations"), backend="physx") as simulation:
        links = simulation.query(ObjectType.ARTICULATION_LINK).paths
        long = next(path for path in links if "long" in path)
        assert simulation.query(ObjectType.ARTICULATION, pattern=long).paths == ("/World/articulation_long",)


def test_every_type_can_be_listed(scene):
    """Each object type can be queried, whether this scene has it or not."""
    for name in ("vehicle_read_write", "character_controller", "FixedTendonTest"):
        with ovread.open(scene(name), backend="physx") as simulation:
            found = {object_type.name: len(simulation.query(object_type)) for object_type in ObjectType}
            assert found["SCENE"] == 1


def test_readers_keep_no_memory(scene):
    """Repeated reads allocate nothing that stays."""
    with ovread.open(scene("Ant"), backend="physx") as simulation:
        readers = [
            simulation.reader(query, query.attributes) for query in map(simulation.query, TYPES) if query.attributes
        ]
        simulation.step(1 / 240)

        def read(times):
            for _ in range(times):
                for reader in readers:
                    reader.read()

        assert kept_by(read, warm=10) < 2000  # what the measurement itself keeps


def test_scattered_tensors_are_brought_together(scene):
    """Joint values are right also where the engine does not store them one after another."""
    values = np.arange(7, dtype=np.float32)
    row = attribute(ObjectType.ARTICULATION_JOINT, "jointPosition")
    target = _Target(GroupPlan("jointPosition", row, [1, 2, 3], [1, 2, 1], 1, [Copy(0, None)]), token=9)
    shapes = [(ctypes.c_int64 * 1)(count) for count in (1, 2, 1)]
    starts = [values.ctypes.data + 4 * offset for offset in (6, 2, 0)]
    tensors = (_native.Tensor * 3)(
        *[
            _native.Tensor(data=start, device_type=1, ndim=1, dtype=target.dtype, shape=shape)
            for start, shape in zip(starts, shapes, strict=True)
        ]
    )
    group = _native.Group(attribute=9, is_array=True, prim_count=3, tensors=tensors, tensor_count=3)
    output = np.empty((4, 1), dtype=np.float32)
    source = NativeSource.__new__(NativeSource)
    source._several_scenes = False
    buffer = SimpleNamespace(array=SimpleNamespace(ptr=output.ctypes.data), host=output)
    source._fill(group, target, [buffer])
    assert output.ravel().tolist() == [6.0, 2.0, 3.0, 0.0]


def test_another_library_falls_back_loudly(scene, monkeypatch):
    """A library of another version is read through its Python API, with a warning."""

    def refuse():
        raise _native.UnsupportedLibraryError("ovphysx 0.8.0 is not one of the supported versions")

    with ovread.open(scene("pendulum"), backend="physx") as simulation:
        query = simulation.query(ObjectType.ARTICULATION_JOINT)
        expected = simulation.read(query, ["jointPosition"])["jointPosition"].numpy()
        monkeypatch.setattr(_native, "load", refuse)
        with pytest.warns(RuntimeWarning, match=r"several times slower.*0\.8\.0"):
            reader = simulation.reader(query, ["jointPosition"])
        assert reader.read()["jointPosition"].numpy().tolist() == expected.tolist()
