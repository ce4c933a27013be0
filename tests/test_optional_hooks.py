"""Hooks that a backend may leave out: attributes that a selection lacks, and signed distances."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import rest_backend
import warp as wp
from rest_world import BODIES, SENSORS, World

from ovread import ContactSelection, ObjectType
from ovread.backend import Objects
from ovread.errors import EngineError, ForeignQueryError, OvreadError, SelectionError, UnsupportedOperationError
from ovread.hookspecs import hookimpl
from ovread.plugins import Plugins
from ovread.simulation import Simulation

BODY, SENSOR, SDF = ObjectType.RIGID_BODY, ObjectType.CONTACT_SENSOR, ObjectType.SDF_SHAPE
POINTS = np.arange(12.0).reshape(2, 2, 3)


@pytest.fixture
def extended() -> Callable[..., Simulation]:
    """Open the rest backend with more hooks, or with others."""

    def make(**hooks: Callable[..., Any]) -> Simulation:
        module = types.ModuleType("extended")
        module.__dict__.update(vars(rest_backend))
        for name, hook in hooks.items():
            hook.__name__ = name
            setattr(module, name, hookimpl(hook))
        plugins = Plugins([])
        plugins.add("rest", module, distribution="ovread-rest", version="1")
        return Simulation(plugins.get("rest"), rest_backend.RestEngine(World()))

    return make


def two_shapes(engine: object, object_type: ObjectType) -> Objects:
    return Objects(("/b", "/a") if object_type is SDF else ())


def test_a_query_names_what_its_own_objects_have(extended: Callable[..., Simulation]) -> None:
    asked: list[Any] = []

    def unreadable(engine: object, object_type: ObjectType, rows: Any, filters: Any) -> tuple[str, ...]:
        asked.append((object_type, rows.tolist(), filters))
        return ("mass", "inertia") if rows.tolist() == [0] else ()

    with extended(ovread_unreadable_attributes=unreadable) as sim:
        everything = ("position", "linearAcceleration", "mass", "kinematicTargetPosition")
        assert sim.query(BODY).attributes == everything
        assert sim.query(BODY, paths=[BODIES[0]]).attributes == tuple(name for name in everything if name != "mass")
        sim.query(SENSOR, contacts=[ContactSelection([SENSORS[0]], [[BODIES[2]]])])
        assert asked == [(BODY, [2, 1, 0], ()), (BODY, [0], ()), (SENSOR, [0], ((BODIES[2],),))]
        narrowed = sim.query(BODY, paths=[BODIES[0]])
        assert sim.read(narrowed, ["mass"])["mass"].numpy().tolist() == [[1]], "it may be asked for all the same"


def test_a_failure_to_name_them_is_an_engine_error(extended: Callable[..., Simulation]) -> None:
    def unreadable(engine: object, object_type: ObjectType) -> None:
        raise KeyError("no such shape")

    with (
        extended(ovread_unreadable_attributes=unreadable) as sim,
        pytest.raises(EngineError, match="rest could not query: 'no such shape'"),
    ):
        sim.query(BODY)


def test_signed_distances_come_in_the_order_of_the_query(extended: Callable[..., Simulation]) -> None:
    def distances(engine: object, rows: Any, points: Any) -> wp.array:
        assert points.dtype == np.float32
        assert points.flags.c_contiguous
        values = np.concatenate([points, np.broadcast_to(rows[:, None, None], (*points.shape[:2], 1))], axis=2)
        return wp.array(values.astype(np.float32), device="cpu")

    with extended(ovread_objects=two_shapes, ovread_signed_distances=distances) as sim:
        query = sim.query(SDF)
        assert query.paths == ("/a", "/b")
        found = sim.signed_distances(query, POINTS).numpy()
        assert found.shape == (2, 2, 4)
        assert found[:, :, 3].tolist() == [[1, 1], [0, 0]]
        assert np.array_equal(found[:, :, :3], POINTS)
        assert np.array_equal(sim.signed_distances(query, POINTS.tolist()).numpy(), found)


@pytest.mark.parametrize("points", [np.zeros((1, 2, 3)), np.zeros((2, 3)), np.zeros((2, 2, 4)), np.zeros(3), 0.0])
def test_points_that_do_not_fit_the_query_are_refused(extended: Callable[..., Simulation], points: Any) -> None:
    with (
        extended(ovread_objects=two_shapes) as sim,
        pytest.raises(SelectionError, match=r"pass \(2, points, 3\), one row per shape"),
    ):
        sim.signed_distances(sim.query(SDF), points)


def test_distances_are_of_the_shapes_of_this_simulation(sim: Simulation, extended: Callable[..., Simulation]) -> None:
    with pytest.raises(SelectionError, match="Signed distances are of SDF_SHAPE, not of RIGID_BODY"):
        sim.signed_distances(sim.query(BODY), np.zeros((3, 1, 3)))
    with extended(ovread_objects=two_shapes) as other, pytest.raises(ForeignQueryError):
        sim.signed_distances(other.query(SDF), POINTS)


def test_a_backend_without_the_hook_says_so(extended: Callable[..., Simulation]) -> None:
    with (
        extended(ovread_objects=two_shapes) as sim,
        pytest.raises(UnsupportedOperationError, match="'rest' has no signed distance fields") as caught,
    ):
        sim.signed_distances(sim.query(SDF), POINTS)
    assert isinstance(caught.value, OvreadError)


@pytest.mark.parametrize("points", ["here", [["a"]], [[[0, 0, 0]], [[0, 0]]]])
def test_points_that_are_no_numbers_are_refused(extended: Callable[..., Simulation], points: Any) -> None:
    with extended(ovread_objects=two_shapes) as sim, pytest.raises(SelectionError):
        sim.signed_distances(sim.query(SDF), points)
