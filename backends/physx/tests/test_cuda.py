"""Scenes that live on a GPU; and, on any machine, the code that only they need.

Whether a process may use CUDA is settled once (``_process.configure``), so each check of a GPU has a process of its
own, which calls one of the functions ``check_*`` below.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import attrs
import numpy as np
import pytest
import warp as wp
from ovread_physx import _device, _engine, _objects, _pending, _process
from ovread_physx._layout import Copy, GroupPlan
from ovread_physx._sources import ENVIRONMENT_VARIABLE, NativeSource, PublicSource, _Target, open_source, uses_c_api
from ovread_physx._table import Table, table_of

import ovread
from ovread import ObjectType, OmissionReason
from ovread.backend import Buffer
from ovread.catalogue import attribute
from ovread.errors import LayoutChangedError, OptionError

needs_cuda = pytest.mark.skipif(not _process.cuda_device_count(), reason="no CUDA device")
HERE = Path(__file__).parent
POSITION = attribute(ObjectType.RIGID_BODY, "position")
DT = 1 / 240
STATE = {
    ObjectType.RIGID_BODY: ("position", "linearVelocity", "mass"),
    ObjectType.ARTICULATION_LINK: ("position", "orientation", "mass"),
    ObjectType.ARTICULATION_JOINT: ("jointPosition", "jointVelocity", "jointStiffness"),
    ObjectType.ARTICULATION: ("rootPosition", "dofCount", "massMatrix"),
}


# --- In processes of their own, on a GPU -----------------------------------------------------------------------------


def check_readiness(path: str) -> None:
    """Objects are listed before the first step; state comes with it, in the same rows."""
    with ovread.open(path, backend="physx", device="cuda:0") as sim:
        queries = {kind: sim.query(kind) for kind in STATE}
        queries = {kind: query for kind, query in queries.items() if query.paths}
        assert queries
        readers = {kind: sim.reader(query, STATE[kind]) for kind, query in queries.items()}
        for reader in readers.values():
            reasons = {omission.reason for omission in reader.read().omissions}
            assert reasons == {OmissionReason.NOT_READY}
        sim.step(DT)
        for kind, reader in readers.items():
            result = reader.read()
            assert not result.omissions, (kind, result.omissions)
            assert sim.query(kind).paths == queries[kind].paths
            for group in result:
                assert group.paths == queries[kind].paths
                assert str(group.values.device) == ("cuda:0" if group.row.residency == "device" else "cpu")


def check_values(path: str, expected: str, steps: str) -> None:
    """Values are those of the CPU run, and a reader keeps its memory."""
    with ovread.open(path, backend="physx", device="cuda:0") as sim, np.load(expected) as known:
        readers = {kind: sim.reader(sim.query(kind), names) for kind, names in STATE.items() if sim.query(kind).paths}
        addresses: dict[tuple[ObjectType, str], int] = {}
        for _ in range(int(steps)):
            sim.step(DT)
            for kind, reader in readers.items():
                for group in reader.read():
                    key = (kind, group.attribute)
                    assert addresses.setdefault(key, group.values.ptr) == group.values.ptr
        for kind, reader in readers.items():
            for group in reader.read():
                values = dict(zip(group.paths, group.per_prim(), strict=True))
                for prim, value in values.items():
                    there = known[f"{kind.name} {group.attribute} {prim}"]
                    np.testing.assert_allclose(
                        value, there, rtol=1e-4, atol=1e-4, err_msg=f"{kind.name} {group.attribute}"
                    )


def check_contacts(path: str) -> None:
    """Net forces are served as zeros at first; of a stack at rest they carry its weight. There are no events."""
    with ovread.open(path, backend="physx", device="cuda:0") as sim:
        query = sim.query(ObjectType.CONTACT_SENSOR)
        assert query.paths
        sim.step(DT, count=240)
        result = sim.read(query, ["netNormalContactForce", "contactEventType"])
        force = result["netNormalContactForce"]
        assert str(force.values.device) == "cuda:0"
        assert np.abs(force.numpy()).max() > 0
        assert [omission.attribute for omission in result.omissions] == ["contactEventType"]


def check_deformable(path: str) -> None:
    """Points of a deformable body are served on the GPU; what never changes, on the CPU."""
    with ovread.open(path, backend="physx", device="cuda:0") as sim:
        query = sim.query(ObjectType.DEFORMABLE_VOLUME)
        assert query.paths
        sim.step(DT)
        result = sim.read(query, ["points", "restPoints"])
        assert str(result["points"].values.device) == "cuda:0"
        assert result["restPoints"].values.device.is_cpu
        assert all(len(points) and np.isfinite(points).all() for points in result["points"].per_prim())


def check_cpu_scene(path: str) -> None:
    """A scene that is authored to compute on the CPU is ready at once; its state is brought to the GPU."""
    with ovread.open(path, backend="physx", device="cuda:0") as sim:
        position = sim.read(sim.query(ObjectType.RIGID_BODY), ["position"])["position"]
        assert str(position.values.device) == "cuda:0"
        assert position.paths


@pytest.fixture
def on_gpu(run_python):
    """Run one of the checks in a process of its own."""

    def run(check, *arguments):
        code = (
            "import sys; sys.path.insert(0, sys.argv[1]); import test_cuda as t; getattr(t, sys.argv[2])(*sys.argv[3:])"
        )
        done = run_python(code, HERE, check.__name__, *arguments)
        assert done.returncode == 0, done.stdout + done.stderr

    return run


@needs_cuda
@pytest.mark.parametrize("name", ["boxes_falling_on_groundplane_gpu", "two_articulations_gpu", "Ant"])
def test_objects_are_listed_before_the_first_step(on_gpu, scene, name):
    """They are not ready then, and are after it."""
    on_gpu(check_readiness, scene(name))


@needs_cuda
@pytest.mark.parametrize("name", ["boxes_falling_on_groundplane_gpu", "two_articulations_gpu", "Ant"])
def test_values_are_those_of_the_cpu(on_gpu, scene, tmp_path, name):
    """A few steps, before solvers drift apart."""
    steps, values = 5, {}
    with ovread.open(scene(name), backend="physx") as sim:
        sim.step(DT, count=steps)
        for kind, names in STATE.items():
            for group in sim.read(sim.query(kind), names) if sim.query(kind).paths else ():
                for prim, value in zip(group.paths, group.per_prim(), strict=True):
                    values[f"{kind.name} {group.attribute} {prim}"] = value
    np.savez(tmp_path / "cpu.npz", **values)
    on_gpu(check_values, scene(name), tmp_path / "cpu.npz", steps)


@needs_cuda
def test_contacts_are_served_on_a_gpu(on_gpu, scene):
    """Net forces are, events are not."""
    on_gpu(check_contacts, scene("contact_stack"))


@needs_cuda
def test_deformable_bodies_are_served_on_a_gpu(on_gpu, scene):
    """Only there do they exist."""
    on_gpu(check_deformable, scene("volume_deformable_simple"))


@needs_cuda
def test_scenes_that_compute_on_the_cpu_are_served_on_a_gpu(on_gpu, scene):
    """Where values go does not depend on where they come from."""
    on_gpu(check_cpu_scene, scene("ovstage_output_bodies"))


# --- On any machine --------------------------------------------------------------------------------------------------


@pytest.mark.skipif(bool(_process.cuda_device_count()), reason="this machine has a CUDA device")
def test_without_a_driver_a_gpu_is_refused(scene):
    """The error says what the machine has."""
    with pytest.raises(OptionError, match=r"no CUDA device.*device='cpu'"):
        ovread.open(scene("pendulum"), backend="physx", device="cuda:0")


def on_device(values):
    """Return a buffer as of a GPU: without a view on the host."""
    return Buffer(POSITION, wp.zeros(values.shape, dtype=wp.dtype_from_numpy(values.dtype), device="cpu"), None)


def views(arena, sizes):
    """Return tensors that lie one after another, as the engine gives them."""
    ends = np.cumsum(sizes)
    return [arena[end - size : end] for end, size in zip(ends.tolist(), sizes, strict=True)]


@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.uint8, np.uint32, np.uint64])
@pytest.mark.parametrize("scattered", [False, True])
@pytest.mark.parametrize("index", [None, [6, 0, 3, 3], []])
def test_buffers_are_filled_where_they_are(dtype, scattered, index):
    """Copies and permutations are those of NumPy, from one arena and from scattered tensors, empty ones among them."""
    rng = np.random.default_rng(7)
    values = rng.integers(0, 200, (7, 3)).astype(dtype)
    arena = wp.array(values, device="cpu")
    tensors = views(arena, [2, 0, 4, 1])
    if scattered:
        tensors = [wp.clone(tensor) for tensor in tensors]
    rows = None if index is None else np.array(index, dtype=np.intp)
    expected = values if rows is None else values[rows]
    buffers = [on_device(values), on_device(expected)]
    fill = _device.DeviceFill((7, 3), dtype, [Copy(0, None), Copy(1, rows)], ValueError)
    for _ in range(2):
        assert fill(tensors, buffers) == set()
        assert np.array_equal(buffers[0].array.numpy(), values)
        assert np.array_equal(buffers[1].array.numpy(), expected)


def test_one_arena_is_taken_as_one():
    """Tensors are an arena only where each begins at the end of the one before, in memory without gaps."""
    arena = wp.array(np.arange(24, dtype=np.float32).reshape(8, 3), device="cpu")
    first, second, third = views(arena, [2, 3, 3])
    assert _device.is_arena([arena])
    assert _device.is_arena([first, second, third])
    assert not _device.is_arena([first, third])
    assert not _device.is_arena([second, first])
    assert not _device.is_arena([arena[:, :2]])


@pytest.mark.parametrize("wrong", ["dtype", "size", "buffer"])
def test_other_tensors_are_refused(wrong):
    """Memory is copied only where dtype and size are the planned ones."""
    plan = GroupPlan("position", POSITION, [1, 2], [2], 3, [Copy(0, None)])
    fill = _Target(plan, token=1).device_fill()
    tensor = wp.zeros(
        (2, 4 if wrong == "size" else 3), dtype=wp.int32 if wrong == "dtype" else wp.float32, device="cpu"
    )
    buffer = on_device(np.zeros((1 if wrong == "buffer" else 2, 3), dtype=np.float32))
    with pytest.raises(LayoutChangedError, match="other shapes"):
        fill([tensor], [buffer])


@pytest.mark.parametrize("name", ["Ant", "three_shapes", "two_scenes", "FixedTendonTest", "point_instancers"])
def test_whole_reads_fill_buffers_without_a_host(scene, monkeypatch, name):
    """All attributes that a scene has arrive the same where buffers have no view on the host."""
    monkeypatch.setenv(ENVIRONMENT_VARIABLE, "public")
    with ovread.open(scene(name), backend="physx") as sim:
        sim.step(DT)
        kinds = (*STATE, ObjectType.FIXED_TENDON)
        for query in filter(None, map(sim.query, kinds)):
            names = [row for row in query.attributes if row != "physxPointer"]
            expected = {(g.attribute, g.scene): g.numpy().tolist() for g in sim.read(query, names)}
            reader = sim.reader(query, names)
            for buffer in reader._buffers:
                buffer.host = None
                buffer.array.zero_()
            found = {(g.attribute, g.scene): g.values.numpy().tolist() for g in reader.read() if g.attribute in names}
            bounds = {"jointLimit", "jointMaxVelocity", "jointMaxForce", "jointMaxActuatorVelocity"}
            assert found.keys() == expected.keys()
            assert [k for k, values in found.items() if values != expected[k] and k[0] not in bounds] == []


def test_bounds_are_on_the_host():
    """What unlimited bounds are written into is never on a GPU."""
    for name in ("jointLimit", "jointMaxVelocity", "jointMaxForce", "jointMaxActuatorVelocity"):
        assert attribute(ObjectType.ARTICULATION_JOINT, name).residency == "host"


def test_off_the_cpu_reads_go_through_the_public_api(scene, monkeypatch):
    """The C API is called for host memory only."""
    with ovread.open(scene("pendulum"), backend="physx") as sim:
        assert uses_c_api(sim._engine)
        source = open_source(sim._engine, ObjectType.ARTICULATION, None)
        assert isinstance(source, NativeSource)
        source.close()
        monkeypatch.setattr(sim._engine, "device", "cuda:0")
        assert not uses_c_api(sim._engine)
        source = open_source(sim._engine, ObjectType.ARTICULATION, None)
        assert isinstance(source, PublicSource)
        source.close()


SCENES = ["Ant", "two_articulations", "mixed_base_articulations", "d6_joints", "point_instancers", "FixedTendonTest"]
SCENES += ["SpatialTendonTest", "basic_simulation", "ovstage_output_bodies", "character_controller", "materials"]
AWAITED = (*STATE, ObjectType.FIXED_TENDON, ObjectType.SPATIAL_TENDON)


@pytest.mark.parametrize("name", SCENES)
def test_the_stage_names_what_no_group_does(scene, name):
    """Looked for on the stage and counted, the objects are those that groups name."""
    with ovread.open(scene(name), backend="physx") as sim:
        engine = sim._engine
        for kind in AWAITED:
            table = engine.table(kind)
            found = _pending.with_unready(engine, kind, Table())
            assert sorted(found.paths) == sorted(table.paths), kind
            assert {found.paths[row] for row in found.instancers} == {table.paths[row] for row in table.instancers}
        articulations = engine.table(ObjectType.ARTICULATION).paths
        joints = set(engine.table(ObjectType.ARTICULATION_JOINT).paths)
        links = set(engine.table(ObjectType.ARTICULATION_LINK).paths)
        known = [sorted(links.union(joints).intersection(run)) for run in _objects.articulation_members(engine)]
        assert [sorted(run) for run in _pending.connected_members(engine, articulations)] == known


@pytest.fixture
def unready(monkeypatch):
    """Make a scene on the CPU behave as one on a GPU: no group before the first step."""

    def patch(engine):
        real = _engine.make_table

        def make_table(engine, kind):
            return Table() if kind in AWAITED and not engine.has_stepped else real(engine, kind)

        monkeypatch.setattr(engine, "device", "cuda:0")
        monkeypatch.setattr(_engine, "make_table", make_table)
        monkeypatch.setattr(_pending, "is_awaited", lambda engine, kind: kind in AWAITED and not engine.has_stepped)
        engine._tables.clear()

    return patch


def test_rows_stay_what_they_were(scene, unready):
    """A query and a reader from before the first step are good after it, and after a reset; the order may differ."""
    with ovread.open(scene("two_articulations"), backend="physx") as sim:
        masses = dict(zip(*by_path(sim, ObjectType.ARTICULATION_LINK, "mass"), strict=True))
        unready(sim._engine)
        links = sim.query(ObjectType.ARTICULATION_LINK)
        one = sim.query(ObjectType.ARTICULATION, pattern="/World/articulation2/**")
        assert one.paths == ("/World/articulation2",)
        readers = [sim.reader(links, ["mass"]), sim.reader(one, ["dofCount", "isFixedBase"])]
        for _ in range(2):
            for reader in readers:
                assert {omission.reason for omission in reader.read().omissions} == {OmissionReason.NOT_READY}
            sim.step(DT)
            mass = readers[0].read()["mass"]
            assert dict(zip(mass.paths, mass.numpy().ravel().tolist(), strict=True)) == masses
            assert mass.paths == links.paths == sim.query(ObjectType.ARTICULATION_LINK).paths
            assert readers[1].read()["dofCount"].paths == one.paths
            sim.reset()


def by_path(sim, kind, name):
    """Return paths and first components."""
    group = sim.read(sim.query(kind), [name])[name]
    return group.paths, group.numpy()[:, 0].tolist()


def test_what_is_no_longer_named_keeps_its_row():
    """Rows of before come first; those that are gone are at the end of the table, new ones at the end of the list."""
    before = table_of(["/a", "/b", "/c"], [1, 2, 3], [3])
    now = table_of(["/d", "/c", "/a", "/a"], [4, 3, 1, 1], [2, 2])
    table, rows = _pending.renumbered(before, now)
    assert [table.paths[row] for row in rows] == ["/a", "/b", "/c", "/d", "/a"]
    assert rows.tolist() == [2, 4, 1, 0, 3]
    assert table.group_of.tolist() == [0, 0, 1, 1, 0]
    again, rows = _pending.renumbered(before, attrs.evolve(before))
    assert (again.paths, rows.tolist()) == (before.paths, [0, 1, 2])


def test_an_adopted_scene_says_where_it_will_live(monkeypatch):
    """Before the first step no tensor tells the device, but that a step is needed does."""
    monkeypatch.setattr(_process, "cuda_device_count", lambda: 2)
    for bits, chosen, expected in ((4, "1,0", "cuda:1"), (4, None, "cuda:0"), (4, "-1", "cuda:0"), (0, "1", "cpu")):
        assert _engine._device_of(FakePhysx([], bits, chosen)) == expected
    assert _engine._device_of(FakePhysx(["cuda:1"], 0, None)) == "cuda:1"
    assert _engine._device_of(FakePhysx(["cpu"], 0, "0")) == "cpu"


class FakePhysx:
    """Answers as an instance does whose groups are on these devices."""

    def __init__(self, devices, bits, chosen):
        self._groups = [SimpleNamespace(tensors=[SimpleNamespace(device=device)]) for device in devices]
        self._bits = bits
        self._chosen = chosen

    def read_sync(self, kind, names, *, metadata):
        assert metadata
        return self

    def get_config(self, key):
        return self._chosen

    @property
    def groups(self):
        return list(self._groups)

    @property
    def metadata(self):
        return SimpleNamespace(attributes=[SimpleNamespace(omission_reasons=self._bits)])

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
