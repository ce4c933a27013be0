"""Contact sensors: what a read delivers, in which order, and what it omits."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from contact_sensors import assert_details_split_by_filter, by_path, sensors, settle
from memory import kept_by
from ovread_physx import _native
from ovread_physx._elements import NativeElements, PublicElements, _Scratch
from ovread_physx._sources import ENVIRONMENT_VARIABLE
from ovread_physx._table import Table

from ovread import ContactSelection, ObjectType, OmissionReason

FILTERED = (
    "normalContactForceMatrix",
    "frictionContactForceMatrix",
    "filteredContactCount",
    "filteredFrictionCount",
    "filteredContactForce",
    "filteredContactPoint",
    "filteredContactNormal",
    "filteredContactSeparation",
    "filteredFrictionForce",
    "filteredFrictionPoint",
)


@pytest.mark.parametrize("kind", ["body", "shape", "static"])
def test_a_filter_may_be_a_body_a_shape_or_scenery(stack, kind):
    """Whatever B's weight is asked of, the answer is the same."""
    settle(stack)
    sensor, other, force = {
        "body": ("/B", "/A", 10),
        "shape": ("/B", "/A/Collider", 10),
        "static": ("/A", "/Ground", 30),
    }[kind]
    query = sensors(stack, ContactSelection([sensor], [other]))
    result = stack.read(query, ["normalContactForceMatrix", "filteredContactCount"])
    np.testing.assert_allclose(result["normalContactForceMatrix"].numpy(), [(0, 0, force)], atol=0.01)
    assert result["filteredContactCount"].lanes == ("f0",)
    assert result["filteredContactCount"].numpy().tolist() == [[4]]


def test_there_are_no_contacts_before_a_step(stack):
    """Until a step has computed contacts everything is NOT_READY, and again after a reset."""
    query = sensors(stack, ContactSelection("/B", ["/A"]))
    reader = stack.reader(query, query.attributes)
    assert {omission.reason for omission in reader.read().omissions} == {OmissionReason.NOT_READY}
    assert len(reader.read()) == 0
    stack.step(1 / 60)
    assert len(reader.read()) == len(query.attributes)
    stack.reset()
    assert len(reader.read()) == 0


def test_without_filters_what_needs_them_says_so(stack):
    """A query without filters omits the filtered attributes and names the remedy; the others read the same."""
    settle(stack)
    plain = sensors(stack)
    assert set(FILTERED).isdisjoint(plain.attributes)
    everything = [*plain.attributes, *FILTERED]
    result = stack.read(plain, everything)
    assert {omission.attribute for omission in result.omissions} == set(FILTERED)
    for omission in result.omissions:
        assert omission.reason is OmissionReason.UNSUPPORTED_CONFIGURATION
        assert "contacts=[ovread.ContactSelection(" in omission.detail
    no_filters = sensors(stack, ContactSelection("/**"))
    assert set(FILTERED).isdisjoint(group.attribute for group in stack.read(no_filters, everything))
    filtered = stack.read(sensors(stack, ContactSelection(list(plain.paths), ["/Ground"])), everything)
    assert not filtered.omissions
    for group in result:
        np.testing.assert_array_equal(filtered[group.attribute].numpy(), group.numpy())


def test_details_split_by_filter(stack):
    """The points of a sensor come filter by filter; each run adds up to that filter's part of the matrix."""
    settle(stack)
    assert_details_split_by_filter(stack, "/A", "/Ground", "/B")


def test_rows_follow_the_query(stack):
    """Rows come in canonical order, or in the order of explicit paths or selections, and keep their values."""
    settle(stack)
    everything = sensors(stack)
    assert everything.paths == ("/A", "/A/Collider", "/B", "/C")
    names = ["netNormalContactForce", "rawContactPoint", "contactEventOtherBody"]
    expected = {name: by_path(stack.read(everything, names)[name]) for name in names}
    order = ["/C", "/B", "/A"]
    for query in (
        sensors(stack, paths=order),
        sensors(stack, *(ContactSelection([path], ["/Ground"]) for path in order)),
    ):
        for group in stack.read(query, names):
            assert group.paths == tuple(order)
            for path, values in by_path(group).items():
                np.testing.assert_array_equal(values, expected[group.attribute][path])


def test_a_path_that_sensors_share_gives_no_wrong_value(stack):
    """Sensors that share a path are omitted by path, and the others are read."""
    settle(stack)
    engine = stack._engine
    table = engine.table(ObjectType.CONTACT_SENSOR)
    row = table.paths.index("/A")
    engine._tables[ObjectType.CONTACT_SENSOR] = Table(
        [*table.paths, "/A"], [*table.prims, table.prims[row]], np.append(table.group_of, 1), ["/First", "/Second"]
    )
    for query in (sensors(stack), sensors(stack, ContactSelection("/**", ["/Ground"]))):
        result = stack.read(query, ["netNormalContactForce", "rawContactForce"])
        assert {omission.paths for omission in result.omissions} == {("/A", "/A")}
        assert result["rawContactForce"].paths == ("/A/Collider", "/B", "/C")
        np.testing.assert_allclose(result["netNormalContactForce"].numpy()[:, 2], (20, 10, 0), atol=0.01)


def test_the_c_api_and_the_python_api_read_the_same(stack, monkeypatch):
    """Every attribute is equal bit by bit, with and without filters, for all sensors and some, in touch and not."""
    selections = (
        {},
        {"paths": ["/B", "/A"]},
        {"contacts": [ContactSelection("/**", ["/Ground"])]},
        {"contacts": [ContactSelection(["/B"], ["/A", "/Ground"]), ContactSelection(["/A"], ["/B", "/C"])]},
    )
    for steps in (0, 1, 30):
        stack.step(1 / 60, count=max(steps, 1)) if steps else None
        for selection in selections:
            read = {}
            for way, source in (("", NativeElements), ("public", PublicElements)):
                monkeypatch.setenv(ENVIRONMENT_VARIABLE, way)
                query = stack.query(ObjectType.CONTACT_SENSOR, **selection)
                reader = stack.reader(query, query.attributes)
                assert type(reader._prepared._binding._source) is source
                result = reader.read()
                groups = [
                    (g.attribute, g.paths, g.lanes, g.numpy().tolist(), g.offsets is not None and list(g.offsets))
                    for g in result
                ]
                read[way] = (groups, result.omissions)
            assert read[""] == read["public"]


def test_events_are_omitted_off_the_cpu(stack, monkeypatch):
    """Where scenes live on a GPU, events are omitted with the reason, and nothing else is."""
    stack.step(1 / 60)
    monkeypatch.setattr(stack._engine, "device", "cuda:0")
    query = sensors(stack, ContactSelection("/B", ["/A"]))
    result = stack.read(query, query.attributes)
    events = {name for name in query.attributes if name.startswith("contactEvent")}
    assert {omission.attribute for omission in result.omissions} == events
    assert {omission.reason for omission in result.omissions} == {OmissionReason.UNSUPPORTED_CONFIGURATION}
    assert len(result) == len(query.attributes) - len(events)


@pytest.mark.parametrize("spacing", [1, 3, None])
def test_scattered_tensors_are_brought_together(spacing):
    """Elements are right wherever the engine keeps them, and however it spaces the shapes."""
    values = np.arange(10, dtype=np.float32)
    counts, starts = [2, 0, 3], [6, 4, 1]
    memory = (ctypes.c_int64 * 32)()
    places = [spacing * index for index in range(3)] if spacing else [9, 0, 20]
    for place, count in zip(places, counts, strict=True):
        memory[place] = count
    tensors = (_native.Tensor * 3)()
    for tensor, start, place in zip(tensors, starts, places, strict=True):
        tensor.data = values.ctypes.data + 4 * (start - 1)
        tensor.byte_offset = 4
        tensor.dtype = _native.dtype_code("f32", 1)
        tensor.shape = ctypes.cast(ctypes.byref(memory, 8 * place), ctypes.POINTER(ctypes.c_int64))
    source = NativeElements.__new__(NativeElements)
    source._tensors, source._shapes, source._values = _Scratch(), _Scratch(), _Scratch()
    found, elements = source._many_tensors(_native.Group(tensors=tensors, tensor_count=3), 4)
    assert found.tolist() == counts
    assert elements.view(np.float32).tolist() == [6, 7, 1, 2, 3]


def test_readers_keep_no_memory(stack):
    """Repeated reads allocate nothing that stays, also where the numbers of elements change."""
    query = sensors(stack, ContactSelection("/**", ["/Ground"]))
    reader = stack.reader(query, query.attributes)

    def read(times):
        for _ in range(times):
            stack.step(1 / 240)
            reader.read()

    assert kept_by(read, warm=30) < 8000
