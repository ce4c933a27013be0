"""What is written to a tendon reads back at once, and the next step pulls by it.

How PhysX shares the pull between the joints has no closed form here; that it is proportional to what is written has.
"""

from __future__ import annotations

import re

import numpy as np
import pytest
from reading import JOINT, value
from tendon_arms import GEARING, SCENE

import ovread
from ovread import ObjectType
from ovread.errors import ValueRefusedError

FIXED, SPATIAL = ObjectType.FIXED_TENDON, ObjectType.SPATIAL_TENDON
DT = 1e-3


@pytest.fixture(scope="module")
def arms():
    with ovread.open(SCENE, backend="physx") as simulation:
        yield simulation


@pytest.fixture(scope="module")
def chain(scene):
    """A spatial tendon between links of a chain, without gravity."""
    text = re.sub(r"gravityMagnitude = \S+", "gravityMagnitude = 0", scene("SpatialTendonTest").read_text())
    with ovread.open(text, backend="physx") as simulation:
        yield simulation


@pytest.mark.obeys("FIXED_TENDON", "tendonStiffness tendonOffset tendonRestLength")
@pytest.mark.reads_back("FIXED_TENDON", "tendonStiffness tendonOffset tendonRestLength")
def pull(simulation, kind, state=(), **values):
    """Write to the tendon from the authored state, step, and return what the joints' rates gained."""
    simulation.reset()
    joints, tendon = simulation.query(JOINT), simulation.query(kind)
    for name, given in state:
        simulation.set(joints, name, given)
    for name, given in values.items():
        simulation.set(tendon, name, given)
        np.testing.assert_allclose(value(simulation, kind, tendon.paths[0], name), np.ravel(given), rtol=1e-6)
    before = simulation.read(joints, "jointVelocity")["jointVelocity"].numpy()
    simulation.step(DT)
    return simulation.read(joints, "jointVelocity")["jointVelocity"].numpy() - before


def test_a_fixed_tendon_pulls_by_stiffness_and_length(arms):
    """Twice the stiffness or twice the offset pulls twice; a longer rest length pulls the other way."""
    once = pull(arms, FIXED, tendonStiffness=3.0, tendonOffset=0.5)
    assert once[0] < -0.01
    close = {"rtol": 1e-2, "atol": 1e-6}
    np.testing.assert_allclose(pull(arms, FIXED, tendonStiffness=6.0, tendonOffset=0.5), 2 * once, **close)
    np.testing.assert_allclose(pull(arms, FIXED, tendonStiffness=3.0, tendonOffset=1.0), 2 * once, **close)
    np.testing.assert_allclose(pull(arms, FIXED, tendonStiffness=3.0, tendonRestLength=0.5), -once, **close)


@pytest.mark.obeys("FIXED_TENDON", "tendonLimit tendonLimitStiffness")
@pytest.mark.reads_back("FIXED_TENDON", "tendonLimit tendonLimitStiffness")
@pytest.mark.obeys("FIXED_TENDON", "tendonDamping")
@pytest.mark.reads_back("FIXED_TENDON", "tendonDamping")
@pytest.mark.parametrize("path", GEARING)
def test_the_length_of_a_fixed_tendon_is_of_the_joints(arms, path):
    """A joint that is turned by a degree lengthens it by the joint's gearing, and so does as much offset."""
    turned = [[0.5 / GEARING[path]] if joint == path else [0.0] for joint in arms.query(JOINT).paths]
    by_joint = pull(arms, FIXED, [("jointPosition", turned)], tendonStiffness=3.0)
    np.testing.assert_allclose(by_joint, pull(arms, FIXED, tendonStiffness=3.0, tendonOffset=0.5), rtol=1e-2, atol=1e-5)


def test_a_fixed_tendon_brakes_by_damping(arms):
    """It slows a joint that lengthens it, twice as much at twice the damping."""
    moving = [("jointVelocity", [[0.5], [0.0]])]
    once = pull(arms, FIXED, moving, tendonDamping=0.3)
    assert once[0] < -1e-4
    np.testing.assert_allclose(pull(arms, FIXED, moving, tendonDamping=0.6), 2 * once, rtol=2e-2, atol=1e-6)


def test_a_fixed_tendon_is_held_within_its_limits(arms):
    """Beyond a limit it is pulled back by the limit's stiffness times the excess, and within by nothing."""
    excess = pull(arms, FIXED, tendonStiffness=3.0, tendonOffset=0.4)
    beyond = pull(arms, FIXED, tendonLimitStiffness=3.0, tendonLimit=(-0.1, 0.1), tendonOffset=0.5)
    np.testing.assert_allclose(beyond, excess, rtol=1e-2, atol=1e-6)
    assert not pull(arms, FIXED, tendonLimitStiffness=3.0, tendonLimit=(-0.1, 0.6), tendonOffset=0.5).any()


IDLE = {"tendonStiffness": 0.0, "tendonLimitStiffness": 0.0, "tendonDamping": 0.0}
REST, UPPER = 19, 18
"""Length at rest and upper limit of the chain's tendon, which is longer."""


@pytest.mark.obeys("SPATIAL_TENDON", "tendonStiffness tendonOffset tendonLimitStiffness")
@pytest.mark.reads_back("SPATIAL_TENDON", "tendonStiffness tendonOffset tendonLimitStiffness")
def test_a_spatial_tendon_pulls_by_stiffness_length_and_limit(chain):
    """Its stiffness pulls by the excess over the length at rest, that of the limit by the excess over the limit."""
    once = pull(chain, SPATIAL, **{**IDLE, "tendonStiffness": 1e-4})
    close = {"rtol": 2e-3, "atol": 1e-7}
    np.testing.assert_allclose(pull(chain, SPATIAL, **{**IDLE, "tendonStiffness": 2e-4}), 2 * once, **close)
    longer = pull(chain, SPATIAL, **{**IDLE, "tendonStiffness": 1e-4, "tendonOffset": 107.0}) - once
    assert np.abs(longer).min() > 1e-5
    by_limit = pull(chain, SPATIAL, **{**IDLE, "tendonLimitStiffness": 1e-4})
    np.testing.assert_allclose(by_limit - once, longer * (REST - UPPER) / 100, rtol=2e-2, atol=1e-6)


@pytest.mark.obeys("SPATIAL_TENDON", "tendonDamping")
@pytest.mark.reads_back("SPATIAL_TENDON", "tendonDamping")
def test_a_spatial_tendon_brakes_by_damping(chain):
    """It slows the links that lengthen it, twice as much at twice the damping."""
    moving = [("jointVelocity", [[0.0], [0.0], [0.0], [5.0]])]
    freely = pull(chain, SPATIAL, moving, **IDLE)
    once = pull(chain, SPATIAL, moving, **{**IDLE, "tendonDamping": 0.01}) - freely
    assert np.abs(once).max() > 1e-6
    twice = pull(chain, SPATIAL, moving, **{**IDLE, "tendonDamping": 0.02}) - freely
    np.testing.assert_allclose(twice, 2 * once, rtol=5e-2, atol=1e-7)


@pytest.mark.refuses(
    "FIXED_TENDON", "tendonStiffness tendonDamping tendonLimitStiffness tendonOffset tendonLimit tendonRestLength"
)
@pytest.mark.refuses("SPATIAL_TENDON", "tendonStiffness tendonDamping tendonLimitStiffness tendonOffset")
def test_values_that_no_tendon_has(arms, chain):
    """Stiffness and damping are not negative, limits are ordered, and all are numbers; a refusal changes nothing."""
    for simulation, kind in ((arms, FIXED), (chain, SPATIAL)):
        simulation.reset()
        query = simulation.query(kind)
        for name in query.attributes:
            before = value(simulation, kind, query.paths[0], name)
            is_signed = name in ("tendonOffset", "tendonRestLength")
            for given in ((2.0, 1.0) if name == "tendonLimit" else -1.0 if not is_signed else np.inf, np.nan):
                with pytest.raises(ValueRefusedError, match=name):
                    simulation.set(query, name, given)
            assert value(simulation, kind, query.paths[0], name) == before
