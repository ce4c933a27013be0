"""The catalogue holds the vocabulary of the ov read and write API, and what it says of each name is consistent."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from ovread import catalogue, units
from ovread.catalogue import Attribute, Frame, Layout, ObjectScope, ObjectType, Persistence, Point, Role, Writability
from ovread.errors import AttributeOfOtherTypeError, UnknownAttributeError
from ovread.units import StageUnits

REFERENCE = list(
    csv.DictReader((Path(__file__).parent / "data/catalogue.tsv").read_text().splitlines(), delimiter="\t")
)
"""The ov API: every name of every object type; ``-`` where it says nothing, or leaves the number of lanes open."""
KEYS = [(ObjectType[row["object_type"]], row["attribute"]) for row in REFERENCE]
HELD = {row.key: row for row in catalogue.rows()}

OBJECT_TYPES = {
    "RIGID_BODY": 0,
    "ARTICULATION_LINK": 1,
    "ARTICULATION_JOINT": 2,
    "VEHICLE_WHEEL": 3,
    "DEFORMABLE_VOLUME": 4,
    "DEFORMABLE_SURFACE": 5,
    "PARTICLE_SET": 6,
    "FIXED_TENDON": 7,
    "SPATIAL_TENDON": 8,
    "ARTICULATION": 9,
    "DEFORMABLE_MATERIAL": 10,
    "CONTACT_SENSOR": 11,
    "CHARACTER_CONTROLLER": 12,
    "VEHICLE": 13,
    "SCENE": 14,
    "PHYSX_MATERIAL": 15,
    "SHAPE": 16,
    "COMPOUND_SHAPE": 17,
    "RIGID_ACTOR": 18,
    "JOINT": 19,
    "CUSTOM_JOINT": 20,
    "PARTICLE_SYSTEM": 21,
    "PHYSICS": 22,
    "DEBUG_RENDER": 23,
    "SDF_SHAPE": 24,
}
NEWTON = {
    "RIGID_BODY": "body_q body_qd friction",
    "ARTICULATION_LINK": "body_q body_qd friction",
    "ARTICULATION_JOINT": "joint_q joint_qd jointFriction",
    "SCENE": "gravity",
}
"""Names that the catalogue has from Newton, beside those of the ov API."""


def keys_of(names: dict[str, str]) -> set[tuple[ObjectType, str]]:
    return {(ObjectType[kind], name) for kind, listed in names.items() for name in listed.split()}


def by_name(row: Attribute) -> str:
    return f"{row.object_type.name}-{row.name}"


def test_object_types_have_the_numbers_of_the_ov_api() -> None:
    assert {kind.name: kind.value for kind in ObjectType} == OBJECT_TYPES
    assert {scope.name: scope.value for scope in ObjectScope} == {"ALL": 0, "ACTIVE": 1}


def test_keys_are_unique_and_rows_come_by_type() -> None:
    rows = catalogue.rows()
    assert len({row.key for row in rows}) == len(rows)
    assert [row.object_type for row in rows] == sorted(row.object_type for row in rows)
    assert {row for kind in ObjectType for row in catalogue.attributes(kind)} == set(rows)


def test_the_catalogue_has_every_name_of_the_ov_api_and_ten_of_newton_s() -> None:
    assert len(set(KEYS)) == len(KEYS) == 256
    assert set(HELD) - set(KEYS) == keys_of(NEWTON)
    assert set(KEYS) - set(HELD) == set()
    assert len(catalogue.rows()) == 266


def test_two_object_types_have_nothing_to_read() -> None:
    readable = {row.object_type for row in catalogue.rows() if row.readable}
    assert set(ObjectType) - readable == {ObjectType.CHARACTER_CONTROLLER, ObjectType.SDF_SHAPE}


@pytest.mark.parametrize(
    ("key", "reference"),
    list(zip(KEYS, REFERENCE, strict=True)),
    ids=lambda value: f"{value[0].name}-{value[1]}" if isinstance(value, tuple) else "",
)
def test_a_row_agrees_with_the_ov_api(key: tuple[ObjectType, str], reference: dict[str, str]) -> None:
    row = HELD[key]
    assert row.dtype == reference["dtype"]
    assert row.layout.value == reference["layout"]
    assert reference["lanes"] in (str(len(row.lanes)), "-")
    assert (reference["lanes"] == "-") == (row.layout is Layout.MATRIX), "only the size of a matrix is open"
    assert row.readable == (reference["readable"] == "yes")
    assert row.writability.name == reference["writability"]
    assert reference["residency"] in (row.residency, "-")


MOVING = (Role.POINT, Role.VECTOR, Role.AXIAL_VECTOR, Role.QUATERNION, Role.TENSOR, Role.POSE, Role.TWIST)
"""Roles of what turns with the world."""
LANES = {Role.VECTOR: 3, Role.AXIAL_VECTOR: 3, Role.QUATERNION: 4, Role.TENSOR: 9, Role.POSE: 7}
OTHERWISE_FRAMED = {"groundPlane", "cullingBox"}
"""A plane and a box: they name their axes, and no role says how they turn."""


@pytest.mark.parametrize("row", catalogue.rows(), ids=by_name)
def test_what_a_row_says_is_consistent(row: Attribute) -> None:
    assert len(row.lanes) == LANES.get(row.role, len(row.lanes)) == len(set(row.lanes))
    assert row.role is not Role.POINT or len(set(row.lanes) - {"free"}) % 3 == 0, "one point or several"
    assert row.dtype in {"f32", "i32", "u8", "u32", "u64"}
    assert not row.meaning[0].islower()
    assert row.meaning.endswith(".")
    assert row.role is not Role.QUATERNION or row.lanes == ("qx", "qy", "qz", "qw")
    assert row.role is not Role.POINT or row.dimension == units.LENGTH
    assert row.role not in (Role.POSE, Role.TWIST) or row.angular is not None
    bare = (Role.FLAG, Role.ENUM, Role.COUNT, Role.PATH, Role.HANDLE)
    assert row.role not in bare or (row.dimension == units.NONE and row.dtype != "f32")
    assert (row.dtype == "u64") == (row.role in (Role.PATH, Role.HANDLE))
    assert row.name != "physxPointer" or (row.role is Role.HANDLE and row.writability is Writability.READ_ONLY)
    assert row.readable or row.writability is not Writability.READ_ONLY, "of some use"


@pytest.mark.parametrize("row", catalogue.rows(), ids=by_name)
def test_what_turns_names_its_axes(row: Attribute) -> None:
    turns = row.role in (*MOVING, Role.COORDINATE) or row.name in OTHERWISE_FRAMED
    over_freedoms = row.layout is Layout.MATRIX and row.dtype == "f32"
    assert (row.frame is not Frame.NONE) == (turns or over_freedoms)
    of_a_body = row.role is Role.POINT and row.object_type in (
        ObjectType.RIGID_BODY,
        ObjectType.ARTICULATION_LINK,
        ObjectType.ARTICULATION,
    )
    assert not of_a_body or row.point is not Point.NONE, "which point of the body"


@pytest.mark.parametrize("row", catalogue.rows(), ids=by_name)
def test_a_gpu_holds_what_changes_and_the_properties_of_tendons(row: Attribute) -> None:
    tendon = row.object_type in (ObjectType.FIXED_TENDON, ObjectType.SPATIAL_TENDON)
    assert row.residency in ("host", "device")
    assert row.residency == "host" or row.persistence is Persistence.STATE or tendon


def test_joint_rows_hold_one_element_per_axis_and_their_state_is_on_the_device() -> None:
    rows = [row for row in catalogue.attributes(ObjectType.ARTICULATION_JOINT) if row.name.startswith("joint")]
    assert {row.layout for row in rows if "_" not in row.name} == {Layout.PER_DOF}
    state = {row.name for row in rows if row.residency == "device"}
    assert state == {
        "jointPosition",
        "jointVelocity",
        "jointPositionTarget",
        "jointVelocityTarget",
        "jointActuationForce",
        "jointProjectedForce",
        "joint_q",
        "joint_qd",
    }


@pytest.mark.parametrize(
    ("kind", "name", "general", "spelled"),
    [
        ("RIGID_BODY", "position", "length", "cm"),
        ("RIGID_BODY", "orientation", "1", "1"),
        ("RIGID_BODY", "linearVelocity", "length/s", "cm/s"),
        ("RIGID_BODY", "angularVelocity", "rad/s", "rad/s"),
        ("RIGID_BODY", "inertia", "mass·length²", "g·cm²"),
        ("RIGID_BODY", "inverseInertia", "1/(mass·length²)", "1/(g·cm²)"),
        ("RIGID_BODY", "body_q", "length, 1", "cm, 1"),
        ("ARTICULATION_LINK", "body_qd", "length/s, rad/s", "cm/s, rad/s"),
        ("ARTICULATION_LINK", "linkIncomingJointForce", "mass·length/s², mass·length²/s²", "g·cm/s², g·cm²/s²"),
        ("ARTICULATION_JOINT", "jointPosition", "deg or length", "deg or cm"),
        ("ARTICULATION_JOINT", "jointVelocity", "deg/s or length/s", "deg/s or cm/s"),
        ("ARTICULATION_JOINT", "jointStiffness", "mass·length²/(deg·s²) or mass/s²", "g·cm²/(deg·s²) or g/s²"),
        ("ARTICULATION_JOINT", "jointDamping", "mass·length²/(deg·s) or mass/s", "g·cm²/(deg·s) or g/s"),
        ("ARTICULATION_JOINT", "jointArmature", "mass·length² or mass", "g·cm² or g"),
        ("ARTICULATION_JOINT", "jointMaxForce", "mass·length²/s² or mass·length/s²", "g·cm²/s² or g·cm/s²"),
        ("ARTICULATION_JOINT", "joint_q", "rad or length", "rad or cm"),
        ("ARTICULATION_JOINT", "jointDriveType", "1", "1"),
        ("SCENE", "gravity", "length/s²", "cm/s²"),
        ("CONTACT_SENSOR", "netNormalContactForce", "mass·length/s²", "g·cm/s²"),
        ("CONTACT_SENSOR", "contactEventPointImpulse", "mass·length/s", "g·cm/s"),
        ("VEHICLE_WHEEL", "wheelSteerAngle", "rad", "rad"),
        ("DEFORMABLE_MATERIAL", "deformableYoungsModulus", "mass/(length·s²)", "g/(cm·s²)"),
    ],
)
def test_units_are_spelled_in_general_and_for_a_stage(kind: str, name: str, general: str, spelled: str) -> None:
    row = catalogue.attribute(ObjectType[kind], name)
    assert row.units() == general
    assert row.units(StageUnits(0.01, 0.001)) == spelled


def test_an_unknown_attribute_is_an_error_that_suggests_the_nearest_of_its_type() -> None:
    with pytest.raises(UnknownAttributeError, match=r"'postion' for RIGID_BODY\. Did you mean 'position'\?"):
        catalogue.attribute(ObjectType.RIGID_BODY, "postion")
    with pytest.raises(UnknownAttributeError, match="Did you mean 'jointPosition'"):
        catalogue.attribute(ObjectType.ARTICULATION_JOINT, "joint_position")
    with pytest.raises(UnknownAttributeError, match="Unknown attribute 'xyzzy' for SHAPE"):
        catalogue.attribute(ObjectType.SHAPE, "xyzzy")


def test_an_attribute_of_another_type_is_an_error_that_names_that_type() -> None:
    with pytest.raises(
        AttributeOfOtherTypeError, match="RIGID_BODY has no attribute 'jointPosition'; ARTICULATION_JOINT"
    ):
        catalogue.attribute(ObjectType.RIGID_BODY, "jointPosition")
    with pytest.raises(AttributeOfOtherTypeError, match="RIGID_BODY and ARTICULATION_LINK have it"):
        catalogue.attribute(ObjectType.SCENE, "inertia")
