"""Which values a write accepts, and what the refusal of the others says."""

from __future__ import annotations

import numpy as np
import pytest

from ovread import UNLIMITED, ObjectType, catalogue
from ovread.errors import ValueRefusedError
from ovread.values import as_numbers, check_values, spread

PATHS = ("/a", "/b")
ROOT = float(np.sqrt(0.5))
IDENTITY = [1, 0, 0, 0, 1, 0, 0, 0, 1]


def check(kind: str, name: str, given: list[object]) -> np.ndarray:
    row = catalogue.attribute(ObjectType[kind], name)
    values = np.array(given, dtype={"f32": np.float32, "u8": np.uint8, "i32": np.int32}[row.dtype]).reshape(2, -1)
    check_values(row, values, PATHS, None)
    return values


GOOD = {
    "position": [[0, 1, 2], [-1e15, 3, 4]],
    "orientation": [[0, 0, 0, 1], [0, 0, ROOT, -ROOT]],
    "mass": [1e-6, 1e9],
    "inertia": [IDENTITY, [2, 0.5, 0, 0.5, 3, 0.1, 0, 0.1, 4]],
    "restitution": [0, 1],
    "staticFriction": [0, 7],
    "disableGravity": [0, 1],
    "restOffset": [-1, 1],
}


@pytest.mark.parametrize("name", GOOD)
def test_values_that_mean_something_pass(name: str) -> None:
    check("RIGID_BODY", name, GOOD[name])


BAD = [
    ("RIGID_BODY", "position", [[0, 0, 0], [0, np.nan, 0]], "must be finite"),
    ("RIGID_BODY", "position", [[0, 0, 0], [0, 0, np.inf]], "must be finite"),
    ("RIGID_BODY", "position", [[0, 0, 0], [0, 0, -3e38]], "at most 1e\\+15 in size"),
    ("ARTICULATION_JOINT", "jointMaxForce", [0, 1e30], "at most 1e\\+15 in size; unlimited is"),
    ("RIGID_BODY", "orientation", [[0, 0, 0, 1], [0, 0, 0, 0]], "must have length 1, within 0.001"),
    ("RIGID_BODY", "orientation", [[0, 0, 0, 1], [0, 0, 0, 1.002]], "must have length 1"),
    ("RIGID_BODY", "orientation", [[0, 0, 0, 1], [0, 0, np.nan, 1]], "must be finite"),
    ("RIGID_BODY", "mass", [1, 0], "must be more than 0"),
    ("RIGID_BODY", "mass", [1, -1], "must be more than 0"),
    ("RIGID_BODY", "inertia", [IDENTITY, [2, 0.5, 0, 0.1, 3, 0, 0, 0, 4]], "must be symmetric"),
    ("RIGID_BODY", "inertia", [IDENTITY, [1, 0, 0, 0, 1, 0, 0, 0, -1]], "must be positive definite"),
    ("RIGID_BODY", "inertia", [IDENTITY, [1, 0, 0, 0, 1, 0, 0, 0, 0]], "must be positive definite"),
    ("RIGID_BODY", "inertia", [IDENTITY, [1, 2, 0, 2, 1, 0, 0, 0, 1]], "must be positive definite"),
    ("RIGID_BODY", "disableGravity", [1, 2], "must be 0 or 1"),
    ("RIGID_BODY", "restitution", [1, 1.01], "must be 0 to 1"),
    ("RIGID_BODY", "dynamicFriction", [1, -0.1], "must be at least 0"),
    ("ARTICULATION_JOINT", "jointStiffness", [0, -1], "must be at least 0"),
    ("ARTICULATION_JOINT", "jointLimit", [[-1, 1], [1, -1]], "must have the lower bound at most the upper"),
    ("ARTICULATION_JOINT", "jointLimit", [[-1, 1], [-np.inf, 1]], "unlimited is written as 3.4028235e\\+38"),
    ("ARTICULATION_JOINT", "jointDriveType", [2, 3], "must be 0 to 2"),
    ("VEHICLE", "accelerator", [0, 1.5], "must be 0 to 1"),
    ("VEHICLE", "steer", [-1, -1.5], "must be -1 to 1"),
    ("VEHICLE", "requestedGear", [255, 31], "must be -1 to 30 or 255"),
    ("VEHICLE", "requestedGear", [-1, -2], "must be -1 to 30 or 255"),
    ("VEHICLE_WHEEL", "brakeTorque", [0, -1], "must be at least 0"),
    ("DEBUG_RENDER", "cullingBox", [[0, 0, 0, 1, 1, 1], [0, 0, 2, 1, 1, 1]], "lower bound at most the upper"),
    ("DEFORMABLE_MATERIAL", "deformablePoissonsRatio", [0.5, 0.6], "must be 0 to 0.5"),
]


@pytest.mark.parametrize(("kind", "name", "given", "rule"), BAD, ids=[f"{bad[1]}-{n}" for n, bad in enumerate(BAD)])
def test_a_refusal_names_attribute_row_path_and_rule(kind: str, name: str, given: list[object], rule: str) -> None:
    with pytest.raises(ValueRefusedError, match=rf"^'{name}' of /b \(row 1\) cannot be .*{rule}.*Nothing has been"):
        check(kind, name, given)


def test_unlimited_bounds_are_written_as_they_are_read() -> None:
    check("ARTICULATION_JOINT", "jointLimit", [[-UNLIMITED, UNLIMITED], [0, UNLIMITED]])
    check("ARTICULATION_JOINT", "jointMaxVelocity", [UNLIMITED, 0])


def test_a_quaternion_within_the_tolerance_is_normalised() -> None:
    values = check("RIGID_BODY", "orientation", [[0, 0, 0, 1.0005], [0.6, 0, 0, 0.8]])
    assert np.abs(np.linalg.norm(values, axis=1) - 1).max() < 1e-6
    assert values[0].tolist() == [0, 0, 0, 1]


def test_an_element_of_a_joint_is_named_by_its_prim() -> None:
    row = catalogue.attribute(ObjectType.ARTICULATION_JOINT, "jointPosition")
    values = np.array([[0], [1], [2], [np.nan]], dtype=np.float32)
    with pytest.raises(ValueRefusedError, match=r"of /b \(row 1, element 2\) cannot be nan"):
        check_values(row, values, PATHS, np.array([0, 1, 4]))


def test_every_writable_row_of_numbers_refuses_what_is_no_number() -> None:
    for row in catalogue.rows():
        if row.dtype == "f32":
            values = np.full((1, len(row.lanes)), np.nan, dtype=np.float32)
            with pytest.raises(ValueRefusedError, match="must be finite"):
                check_values(row, values, PATHS, None)


FLAG = catalogue.attribute(ObjectType.RIGID_BODY, "disableGravity")
VECTOR = catalogue.attribute(ObjectType.RIGID_BODY, "position")


@pytest.mark.parametrize("given", ["fast", [1, [2, 3]], [object()], [1 + 2j], {"x": 1}, None, [b"1"]])
def test_what_is_no_array_of_numbers_is_refused(given: object) -> None:
    with pytest.raises(ValueRefusedError, match="'position'"):
        as_numbers(VECTOR, given)


@pytest.mark.parametrize("given", [0.5, -1, 256, np.nan, np.inf, 1e300])
def test_whole_numbers_are_not_rounded_into_shape(given: float) -> None:
    with pytest.raises(ValueRefusedError, match=r"takes whole numbers \(u8\)"):
        as_numbers(FLAG, given)


def test_a_flag_is_a_whole_number_of_any_type() -> None:
    assert as_numbers(catalogue.attribute(ObjectType.DEBUG_RENDER, "scope"), True).tolist() == 1


@pytest.mark.parametrize("given", [True, 1, 1.0, np.array([1], np.int64), [True, False]])
def test_numbers_of_any_type_that_fit_are_taken(given: object) -> None:
    assert as_numbers(FLAG, given).dtype == np.uint8


@pytest.mark.parametrize(
    ("given", "expected"),
    [(2, [[2] * 3] * 2), ([1, 2, 3], [[1, 2, 3]] * 2), ([[1, 2, 3], [4, 5, 6]], [[1, 2, 3], [4, 5, 6]])],
)
def test_one_number_one_row_or_all_rows(given: object, expected: list[list[int]]) -> None:
    assert spread(VECTOR, VECTOR.lanes, np.array(given), 2, "rows").tolist() == expected


@pytest.mark.parametrize("shape", [(2,), (1, 3), (3, 3), (2, 4), (3, 2), (2, 3, 1), (0,), (6,)])
def test_any_other_shape_is_refused_with_the_one_expected(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueRefusedError, match=r"pass \(2, 3\), rows x lanes \(x, y, z\)"):
        spread(VECTOR, VECTOR.lanes, np.zeros(shape), 2, "rows")
