"""Matrices say what their rows and columns are, and handles of paths are resolved to the paths."""

from __future__ import annotations

import numpy as np
import pytest
from rest_backend import RestEngine
from rest_world import BODIES, CANONICAL, VELOCITIES

from ovread import ObjectType
from ovread.errors import ClosedError, EngineError, GroupError
from ovread.result import Group
from ovread.simulation import Simulation

ROBOT, BODY, SENSOR = ObjectType.ARTICULATION, ObjectType.RIGID_BODY, ObjectType.CONTACT_SENSOR
FREEDOMS = tuple(
    f"/World/robot/{freedom}" for freedom in ("elbow:twist", "wrist:twist", "wrist:swing1", "wrist:swing2")
)


def robot(sim: Simulation, name: str, **selection: object) -> Group:
    return sim.read(sim.query(ROBOT, **selection), [name])[name]  # type: ignore[arg-type]


def test_labels_name_rows_and_columns_in_the_order_of_the_values(sim: Simulation) -> None:
    group = robot(sim, "jacobian")
    assert group.labels is not None
    (labels,) = group.labels
    assert labels.rows == VELOCITIES
    assert labels.columns == FREEDOMS
    columns = group.matrices()[0, 0]
    assert columns.tolist() == [3, 0, 1, 2], "the elbow is last in the engine's own order"


def test_native_labels_map_between_the_two_orders(sim: Simulation) -> None:
    group = robot(sim, "jacobian")
    assert group.labels is not None
    assert group.native_labels is not None
    native, ours = group.native_labels[0], group.labels[0]
    assert native.rows == ours.rows
    assert sorted(native.columns) == sorted(ours.columns)
    assert native.columns != ours.columns
    to_native = [ours.columns.index(label) for label in native.columns]
    assert np.array_equal(group.matrices()[0][:, to_native], np.arange(24).reshape(6, 4))
    assert [native.columns.index(label) for label in ours.columns] == CANONICAL.tolist()


def test_a_matrix_is_a_view_of_the_values_without_a_copy(sim: Simulation) -> None:
    group = robot(sim, "jacobian")
    matrices = group.matrices()
    assert matrices.shape == (1, 6, 4)
    assert group.numpy().shape == (1, 24)
    matrices[0, 5, 3] = -1
    assert group.numpy()[0, 23] == -1
    assert group.values.numpy()[0, 23] == -1


def test_a_reader_refills_its_matrices(sim: Simulation) -> None:
    reader = sim.reader(sim.query(ROBOT), ["jacobian"])
    matrices = reader.read()["jacobian"].matrices()
    sim._engine.world.values["jacobian"] += 100  # type: ignore[attr-defined]
    reader.read()
    assert matrices[0, 0].tolist() == [103, 100, 101, 102]


def test_a_vector_over_degrees_of_freedom_has_labels_and_is_no_matrix(sim: Simulation) -> None:
    group = robot(sim, "gravityForce")
    assert group.labels is not None
    assert (group.labels[0].rows, group.labels[0].columns) == ((), FREEDOMS)
    assert group.numpy().tolist() == [[3, 0, 1, 2]]
    with pytest.raises(GroupError, match=r"'gravityForce' is no matrix: read it with numpy\(\) or per_prim\(\)"):
        group.matrices()


@pytest.mark.parametrize(("kind", "name"), [(BODY, "mass"), (ROBOT, "dofJointPath"), (ROBOT, "linkCount")])
def test_what_has_no_labels_is_no_matrix(sim: Simulation, kind: ObjectType, name: str) -> None:
    group = sim.read(sim.query(kind), [name])[name]
    assert (group.labels, group.native_labels) == (None, None)
    with pytest.raises(GroupError, match=f"'{name}' is no matrix"):
        group.matrices()


def test_a_matrix_of_no_prims_is_empty_and_no_error(sim: Simulation) -> None:
    assert robot(sim, "jacobian", paths=[]).matrices().shape == (0, 0, 0)


def test_handles_are_resolved_to_one_list_of_paths_per_prim(sim: Simulation) -> None:
    group = robot(sim, "dofJointPath")
    assert group.numpy().dtype == np.uint64
    assert sim.resolve(group) == [[label.split(":")[0] for label in FREEDOMS]]
    assert sim.resolve(robot(sim, "dofJointPath", paths=[])) == []


def test_handles_of_a_dynamic_column_are_resolved_by_sensor_and_0_is_no_path(sim: Simulation) -> None:
    one, two = BODIES[2], BODIES[1]
    sim._engine.world.contacts = [[one, "", two], [], [one]]  # type: ignore[attr-defined]
    group = sim.read(sim.query(SENSOR), ["rawContactOtherBody"])["rawContactOtherBody"]
    assert group.paths == (two, BODIES[0], "/World/floor")
    assert sim.resolve(group) == [[one], [], [one, "", two]]


@pytest.mark.parametrize(("kind", "name"), [(BODY, "mass"), (ROBOT, "jacobian"), (ROBOT, "linkCount")])
def test_only_handles_of_paths_can_be_resolved(sim: Simulation, kind: ObjectType, name: str) -> None:
    group = sim.read(sim.query(kind), [name])[name]
    with pytest.raises(GroupError, match=f"'{name}' has no path handles to resolve"):
        sim.resolve(group)


def test_a_closed_simulation_resolves_nothing_and_a_failing_engine_says_so(
    sim: Simulation, monkeypatch: pytest.MonkeyPatch
) -> None:
    group = robot(sim, "dofJointPath")

    def fail(engine: RestEngine, handles: list[int]) -> list[str]:
        raise KeyError(f"no prim {handles[0]}")

    monkeypatch.setattr(RestEngine, "paths_of", fail)
    with pytest.raises(EngineError, match=r"rest could not resolve paths: .*no prim 5"):
        sim.resolve(group)
    sim.close()
    with pytest.raises(ClosedError):
        sim.resolve(group)
