"""A dimension says how a value scales with the stage's units, and what those are called."""

from __future__ import annotations

import pytest

from ovread import units
from ovread.units import Dimension, StageUnits

CM_G = StageUnits(0.01, 0.001, "Y")
SI = StageUnits(1.0, 1.0, "Z")


@pytest.mark.parametrize(
    ("size", "name"),
    [(1.0, "m"), (0.01, "cm"), (0.001, "mm"), (0.0254, "in"), (0.3048, "ft"), (1000.0, "km"), (0.5, "(0.5 m)")],
)
def test_a_length_unit_has_its_usual_name_or_its_size(size: float, name: str) -> None:
    assert StageUnits(size).length == name
    assert units.LENGTH.in_units(StageUnits(size)) == name


@pytest.mark.parametrize(
    ("size", "name"), [(1.0, "kg"), (0.001, "g"), (1000.0, "t"), (0.45359237, "lb"), (2.0, "(2 kg)")]
)
def test_a_mass_unit_has_its_usual_name_or_its_size(size: float, name: str) -> None:
    assert StageUnits(1.0, size).mass == name


def test_single_precision_does_not_cost_a_unit_its_name() -> None:
    assert StageUnits(0.009999999776482582).length == "cm"
    assert StageUnits(0.0100001).length != "cm"


@pytest.mark.parametrize(
    ("dimension", "general", "centimetres_and_grams"),
    [
        (units.NONE, "1", "1"),
        (units.LENGTH, "length", "cm"),
        (units.VELOCITY, "length/s", "cm/s"),
        (units.ACCELERATION, "length/s²", "cm/s²"),
        (units.INVERSE_MASS, "1/mass", "1/g"),
        (units.INERTIA, "mass·length²", "g·cm²"),
        (units.INVERSE_INERTIA, "1/(mass·length²)", "1/(g·cm²)"),
        (units.FORCE, "mass·length/s²", "g·cm/s²"),
        (units.TORQUE, "mass·length²/s²", "g·cm²/s²"),
        (units.ANGULAR_VELOCITY, "rad/s", "rad/s"),
        (units.DEGREES_PER_SECOND, "deg/s", "deg/s"),
        (units.Dimension(mass=1, time=-1, angle=-1, angle_unit="deg"), "mass/(deg·s)", "g/(deg·s)"),
        (Dimension(length=5), "length^5", "cm^5"),
    ],
    ids=str,
)
def test_a_dimension_is_spelled_in_general_and_in_the_stage_s_units(
    dimension: Dimension, general: str, centimetres_and_grams: str
) -> None:
    assert str(dimension) == general
    assert dimension.in_units(CM_G) == centimetres_and_grams


@pytest.mark.parametrize(
    ("dimension", "factor"),
    [
        (units.NONE, 1.0),
        (units.LENGTH, 0.01),
        (units.MASS, 0.001),
        (units.INVERSE_MASS, 1000.0),
        (units.INERTIA, 1e-7),
        (units.FORCE, 1e-5),
        (units.TORQUE, 1e-7),
        (units.ANGULAR_VELOCITY, 1.0),
        (units.DEGREES, 1.0),
    ],
    ids=str,
)
def test_a_value_in_centimetres_and_grams_becomes_si_by_its_factor(dimension: Dimension, factor: float) -> None:
    assert dimension.factor(CM_G, SI) == pytest.approx(factor, rel=1e-12)
    assert dimension.factor(SI, CM_G) == pytest.approx(1 / factor, rel=1e-12)
    assert dimension.factor(CM_G, CM_G) == 1.0
