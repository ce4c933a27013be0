"""Every value is the one that ovnewton reads, wherever the conventions agree."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import ovnewton
import ovstage
import pytest
from ovread_newton._dynamics import EVALUATED

from ovread import ObjectType, Simulation
from ovread.stage import open_stage, scene_of

Opened = Callable[..., Simulation]

NATIVE_TYPES = {
    ObjectType.RIGID_BODY: ovnewton.SimObjectType.RIGID_BODY,
    ObjectType.ARTICULATION_LINK: ovnewton.SimObjectType.ARTICULATION_LINK,
    ObjectType.ARTICULATION_JOINT: ovnewton.SimObjectType.ARTICULATION_JOINT,
    ObjectType.ARTICULATION: ovnewton.SimObjectType.ARTICULATION,
    ObjectType.SCENE: ovnewton.SimObjectType.PHYSICS_SCENE,
}
SCENE_NAMES = (
    "revolute_axes",
    "prismatic_axes",
    "spherical",
    "world_joints",
    "d6",
    "d6_linear",
    "drives",
    "joint_properties",
    "unlimited",
    "materials",
    "centimetres",
    "y_up",
    "principal_axes",
    "centre_of_mass",
    "kinematic",
    "pendulum",
    "single_link",
    "floating_chain",
    "mesh_approximations",
)
OWN_SENTINELS = ("jointMaxVelocity", "jointMaxForce")
"""Attributes whose unlimited value ovnewton leaves at Newton's own sentinel."""

CONVERTED = ("jointPosition", "jointVelocity", "jointPositionTarget")
"""Attributes of joints about several axes that have another meaning in ovnewton: successive turns."""


class Native:
    """ovnewton's reading of the same model and state.

    Args:
        simulation: The simulation.
        scene: Its scene.
    """

    def __init__(self, simulation: Simulation, scene: Path) -> None:
        self.engine = simulation._engine
        self.stage = open_stage(scene_of(scene))
        self.binding = ovnewton.attach_ovstage(self.stage, model=self.engine.model)

    def read(self, object_type: ObjectType) -> dict[str, dict[str, np.ndarray]]:
        """Return all attributes of a type by name, then by path."""
        query = self.binding.query(object_type=NATIVE_TYPES[object_type])
        found: dict[str, dict[str, np.ndarray]] = {}
        with ovstage.PathDictionary(self.stage) as dictionary:
            names = [dictionary.token_to_string(token) for token in query.attributes]
            names = [name for name in names if not name.endswith("Acceleration")]
            result = self.binding.read(self.engine.state, control=self.engine.control, query=query, attributes=names)
            for group in result.groups:
                rows = np.array(group.array(0)).reshape(-1, group.tensor(0).dtype.lanes)
                paths = dictionary.get_path_strings(group.prim_list)
                values = found.setdefault(dictionary.token_to_string(group.attribute), {})
                values.update({path: rows[group.data_row_index(row)] for row, path in enumerate(paths)})
        return found


@pytest.fixture(params=SCENE_NAMES)
def pair(request: pytest.FixtureRequest, opened: Opened, scenes: Path) -> Iterator[tuple[Simulation, Native]]:
    """A simulation one step after opening, and ovnewton's view of it."""
    simulation = opened(request.param)
    simulation.step(1 / 240)
    native = Native(simulation, scenes / f"{request.param}.usda")
    yield simulation, native
    native.stage.destroy()


def test_values_are_those_of_ovnewton(pair: tuple[Simulation, Native]) -> None:
    """Objects and values of every type are those of ovnewton."""
    simulation, native = pair
    topology = simulation._engine.topology
    turned = {topology.joint_paths[joint] for joint in topology.dofs.rotations}
    compared = 0
    for object_type in NATIVE_TYPES:
        query = simulation.query(object_type)
        expected = native.read(object_type)
        names = [name for name in query.attributes if name in expected]
        result = simulation.read(query, names)
        for group in result:
            by_path = expected[group.attribute]
            assert set(group.paths) <= set(by_path)
            for path, rows in zip(group.paths, group.per_prim(), strict=True):
                if group.attribute in CONVERTED and path in turned:
                    continue
                _check(group.attribute, rows, by_path[path])
                compared += 1
        omitted = {path for omission in result.omissions for path in omission.paths}
        assert set(query.paths) == omitted.union(*(group.paths for group in result), ())
    assert compared


def _check(attribute: str, rows: np.ndarray, expected: np.ndarray) -> None:
    given = rows.ravel()
    if attribute in ("friction", "restitution"):
        expected = expected[: len(given)]  # ovnewton pads with zeros
    if attribute in OWN_SENTINELS:
        unlimited = given == np.finfo(np.float32).max
        assert np.all(expected[unlimited] >= 1e6)
        given, expected = given[~unlimited], expected[~unlimited]
    np.testing.assert_allclose(given, expected, rtol=1e-6, atol=1e-7)


def test_membership_is_that_of_ovnewton(pair: tuple[Simulation, Native]) -> None:
    """The same prims are of the same types."""
    simulation, native = pair
    for object_type in NATIVE_TYPES:
        count = native.binding.query(object_type=NATIVE_TYPES[object_type]).prim_count
        assert len(simulation.query(object_type)) == count


def test_joint_rows_are_rotations_before_translations(opened: Opened) -> None:
    """The rows of a joint are twist, swing1, swing2, x, y, z, although Newton stores translations first."""
    simulation = opened("mixed_d6")
    joints = simulation.query(ObjectType.ARTICULATION_JOINT)
    read = simulation.read(joints, ["jointPosition", "jointLimit", "joint_q"])
    np.testing.assert_allclose(read["jointPosition"].numpy().ravel(), [10, 0.5, 0.25], rtol=1e-6)
    np.testing.assert_allclose(read["jointLimit"].numpy(), [[-80, 80], [-1, 2], [-3, 4]], rtol=1e-6)
    np.testing.assert_allclose(read["joint_q"].numpy().ravel(), [0.5, 0.25, np.radians(10)], rtol=1e-6)


def test_reads_launch_no_kernel(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    """A prepared read of a solver that keeps its joints launches nothing, but for what Newton evaluates on demand."""
    import warp as wp

    simulation = opened("pendulum")
    readers = [
        simulation.reader(query, [name for name in query.attributes if name not in EVALUATED])
        for query in map(simulation.query, NATIVE_TYPES)
        if len(query)
    ]
    simulation.step(1 / 240)
    monkeypatch.setattr(wp, "launch", lambda *args, **kwargs: pytest.fail("a kernel was launched"))
    for reader in readers:
        reader.read()


def test_counts_of_articulations(opened: Opened) -> None:
    """Counts leave out what floats or fixes the root."""
    for name, expected in (("pendulum", (1, 2, 1, 1)), ("floating_chain", (1, 2, 1, 0)), ("single_link", (0, 1, 0, 0))):
        simulation = opened(name)
        counts = simulation.read(
            simulation.query(ObjectType.ARTICULATION), ["dofCount", "linkCount", "jointCount", "isFixedBase"]
        )
        assert tuple(int(group.numpy()[0, 0]) for group in counts) == expected


def test_a_stage_without_a_scene_has_no_row_for_it(opened: Opened, scenes: Path) -> None:
    """Bodies fall all the same, by Newton's default gravity; with a scene there is one row."""
    text = (scenes / "free_fall.usda").read_text()
    start = text.index("def PhysicsScene")
    end = text.index("}", start) + 1
    assert [len(opened(usda).query(ObjectType.SCENE)) for usda in (text, text[:start] + text[end:])] == [1, 0]


def test_a_prepared_read_allocates_nothing(opened: Opened) -> None:
    """A reader of plain columns fills its memory: what Python allocates on the way is small, and nothing stays."""
    simulation = opened("pendulum")
    evaluated = EVALUATED | {"centerOfMassWorld", "centerOfMassLocal", "centerOfMassOrientation"}
    evaluated |= {"linkIncomingJointForce", "jointProjectedForce"}
    readers = [
        simulation.reader(query, [name for name in query.attributes if name not in evaluated])
        for query in map(simulation.query, NATIVE_TYPES)
        if len(query)
    ]
    assert len(readers) > 2

    def read(times: int) -> None:
        for _ in range(times):
            for reader in readers:
                reader.read()

    simulation.step(1 / 240)
    read(10)
    tracemalloc.start()
    read(1)
    tracemalloc.reset_peak()
    before, _ = tracemalloc.get_traced_memory()
    read(100)
    after, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert after - before < 1000
    assert peak - before < 4000
