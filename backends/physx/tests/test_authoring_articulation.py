"""What the authoring contract states of PhysxArticulationAPI, observed on PhysX through what moves and what sleeps."""

from __future__ import annotations

import math

import numpy as np
import pytest
from ovread_conformance.authored_scenes import free_body, ground, prim, sliders, stage, welded_pair
from reading import BODY, LINK, value

import ovread
from ovread import ObjectType
from ovread.authoring import effective

SCHEMA = "PhysxArticulationAPI"
APPLIED = (SCHEMA,)
NEWTON = "NewtonArticulationRootAPI"
DT = 1 / 60
P = "physxArticulation:"
OFF, ON = f"bool {P}enabledSelfCollisions = 0", f"bool {P}enabledSelfCollisions = 1"
NEWTON_OFF, NEWTON_ON = "bool newton:selfCollisionEnabled = 0", "bool newton:selfCollisionEnabled = 1"

observes = pytest.mark.observes


def opened(content, **settings):
    return ovread.open(stage(content, **settings), backend="physx")


def passes(content, kind=LINK):
    """Whether the cubes pass through each other: the first is then where it would be alone."""
    with opened(content) as simulation:
        simulation.step(1 / 240, 240)
        first, second = (value(simulation, kind, f"/W/{name}", "position")[0] for name in "ab")
    assert first == pytest.approx(2, abs=0.01) or second > 2.2
    return second == pytest.approx(2, abs=1e-3)


@observes(SCHEMA, "self-collision-default self-collision-off self-collision-of-newton self-collision-fallback-wins")
@observes(NEWTON, "off who-wins read-by-name")
@pytest.mark.takes("physxArticulation:enabledSelfCollisions newton:selfCollisionEnabled")
@pytest.mark.parametrize(
    ("schemas", "attributes", "expected"),
    [
        ((), "", False),
        (APPLIED, "", False),
        (APPLIED, ON, False),
        (APPLIED, OFF, True),
        ((NEWTON,), NEWTON_OFF, True),
        ((NEWTON,), NEWTON_ON, False),
        ((), NEWTON_OFF, True),
        ((SCHEMA, NEWTON), NEWTON_OFF, False),
        ((SCHEMA, NEWTON), f"{ON}\n{NEWTON_OFF}", False),
        ((SCHEMA, NEWTON), f"{OFF}\n{NEWTON_ON}", True),
    ],
)
def test_links_collide_as_the_effective_attribute_says(schemas, attributes, expected):
    """Two links pass through each other where self-collision is off, and push each other where it is on."""
    scene = sliders(attributes, schemas)
    assert passes(scene) is expected
    found = effective(stage(scene), "/W", "physx")
    told = [each for each in found.properties if each.name.lower().count("selfcollision")]
    assert {each.values[0].value for each in told} <= {not expected}


@observes(SCHEMA, "gated-by-schema")
def test_attributes_without_the_schema_do_not_count():
    """Self-collision that is turned off on a prim without the schema stays on."""
    assert not passes(sliders(OFF))


@observes(SCHEMA, "on-the-root-joint")
def test_the_schema_counts_on_a_root_joint():
    """On the joint that ties the base to the world, beside the articulation root, it counts."""
    assert passes(sliders(OFF, APPLIED, on_joint=True))
    assert not passes(sliders(ON, APPLIED, on_joint=True))


@observes(SCHEMA, "filtered-pairs-of-the-root")
@pytest.mark.parametrize("is_filtered", [False, True])
def test_filtered_pairs_of_the_root_hold_for_all_links(is_filtered):
    """A link passes through a wall that the root prim is filtered from, and stops at it otherwise."""
    pairs = ("PhysicsFilteredPairsAPI",) if is_filtered else ()
    wall = prim("Cube", "Wall", ("PhysicsCollisionAPI",), "double size = 1\ndouble3 xformOp:translate = (1.5, 0, 0)\n"
                'uniform token[] xformOpOrder = ["xformOp:translate"]')  # fmt: skip
    scene = sliders(f"{OFF}\n" + ("rel physics:filteredPairs = </Wall>" if is_filtered else ""), (*APPLIED, *pairs))
    with opened(scene + wall) as simulation:
        simulation.step(1 / 240, 240)
        assert (value(simulation, LINK, "/W/a", "position")[0] == pytest.approx(2, abs=0.01)) is is_filtered


@observes(SCHEMA, "enabled-by-default disabled-is-plain-bodies")
@pytest.mark.takes("physxArticulation:articulationEnabled")
@pytest.mark.parametrize(
    ("schemas", "attributes", "links"),
    [((), "", 3), (APPLIED, "", 3), (APPLIED, f"bool {P}articulationEnabled = 0", 0)],
)
def test_a_disabled_articulation_is_plain_bodies_and_joints(schemas, attributes, links):
    """Links become rigid bodies, and joints constraints that keep them on their axes."""
    moving = "vector3f physics:velocity = (2, 0, 1)\n"
    with opened(sliders(attributes, schemas, velocity=moving)) as simulation:
        counts = [len(simulation.query(kind)) for kind in (ObjectType.ARTICULATION, LINK, BODY)]
        assert counts == [int(links > 0), links, 3 - links]
        simulation.step(1 / 240, 96)
        kind = LINK if links else BODY
        assert value(simulation, kind, "/W/a", "position")[2] == pytest.approx(0, abs=1e-3)
        if not links:
            assert value(simulation, kind, "/W/a", "position")[0] == pytest.approx(0.8, abs=0.01)


@observes(SCHEMA, "disabled-loses-joint-states")
def test_joint_states_of_a_disabled_articulation_do_not_count():
    """The slider that a joint state sets in motion rests."""
    with opened(sliders(f"bool {P}articulationEnabled = 0", APPLIED)) as simulation:
        simulation.step(1 / 240, 24)
        assert value(simulation, BODY, "/W/a", "linearVelocity") == pytest.approx([0, 0, 0], abs=1e-6)


def falls_asleep(speed, attributes="", schemas=APPLIED, *, as_body=False, dt=DT, **settings):
    """Whether a pair, or a body, that drifts in empty space without damping sleeps after four seconds."""
    motion = f"vector3f physics:velocity = ({speed}, 0, 0)"
    if as_body:
        content = free_body(f"{attributes}\n{motion}", schemas)
    else:
        content = welded_pair(attributes, schemas, motion=motion)
    with opened(content, **settings) as simulation:
        simulation.step(dt, 240)
        return bool(value(simulation, BODY if as_body else LINK, "/W/base", "isSleeping")[0])


def critical(threshold):
    """Return the speed below which a body that drifts falls asleep at 60 Hz: the velocities of 12 steps are summed."""
    return math.sqrt(2 * threshold) / 12


@observes(
    SCHEMA,
    "sleep-default-in-stage-units sleep-raw-where-applied sleep-two-ways sleep-energy-of-summed-velocity "
    "tolerances-speed sleep-authored-in-stage-units",
)
@pytest.mark.takes("physxArticulation:sleepThreshold")
@pytest.mark.parametrize("meters", [1.0, 0.01])
@pytest.mark.parametrize(
    ("schemas", "attributes", "threshold"),
    [
        ((), "", lambda meters: 5e-5 * (10 / meters) ** 2),
        (APPLIED, "", lambda meters: 5e-5),
        (APPLIED, f"float {P}sleepThreshold = 2", lambda meters: 2.0),
    ],
    ids=["absent", "unauthored", "authored"],
)
def test_the_sleep_threshold_is_that_of_the_contract(schemas, attributes, threshold, meters):
    """A pair that drifts a little slower than the threshold means falls asleep, a little faster stays awake."""
    limit = threshold(meters)
    slow, fast = (
        falls_asleep(factor * critical(limit), attributes, schemas, meters_per_unit=meters) for factor in (0.98, 1.02)
    )
    assert (slow, fast) == (True, False)
    found = effective(stage(welded_pair(attributes, schemas), meters_per_unit=meters), "/W/base", "physx")
    assert found[f"{P}sleepThreshold"].values[0].value == pytest.approx(limit)


@observes(SCHEMA, "sleep-energy-of-summed-velocity")
@pytest.mark.parametrize("rate", [60, 120, 240])
def test_the_energy_is_that_of_the_velocities_of_a_fifth_of_a_second(rate):
    """The more steps the last 0.2 s have, the slower a pair must be to fall asleep."""
    limit = math.sqrt(2 * 0.5) / (0.2 * rate)
    attributes = f"float {P}sleepThreshold = 0.5"
    slow, fast = (falls_asleep(factor * limit, attributes, dt=1 / rate) for factor in (0.98, 1.02))
    assert (slow, fast) == (True, False)


@observes(SCHEMA, "sleep-zero-never")
@pytest.mark.parametrize("threshold", [0, -1])
def test_without_a_positive_threshold_nothing_sleeps(threshold):
    """An articulation that rests for four seconds is awake."""
    assert not falls_asleep(0, f"float {P}sleepThreshold = {threshold}")
    assert falls_asleep(0)


@observes(SCHEMA, "same-sleep-default-as-bodies")
@observes("PhysxRigidBodyAPI", "thresholds-in-stage-units fallback-authored-literally")
@pytest.mark.takes("physxRigidBody:sleepThreshold")
@pytest.mark.parametrize("meters", [1.0, 0.01])
@pytest.mark.parametrize("schemas", [(), ("PhysxRigidBodyAPI",)], ids=["absent", "applied"])
def test_rigid_bodies_have_the_default_in_stage_units(schemas, meters):
    """A rigid body sleeps below 0.005 m²/s² with and without its schema; the bare fallback, authored, is another."""
    limit = 5e-3 / meters**2
    settings = {"as_body": True, "meters_per_unit": meters}
    asleep = [falls_asleep(factor * critical(limit), "", schemas, **settings) for factor in (0.98, 1.02)]
    assert asleep == [True, False]
    if schemas:
        literal = "float physxRigidBody:sleepThreshold = 0.00005"
        asleep = [falls_asleep(factor * critical(5e-5), literal, schemas, **settings) for factor in (0.98, 1.02)]
        assert asleep == [True, False]


def slid(threshold, solver, *, as_body):
    """Return how far a body slides on ice in two seconds at 0.01, with stabilization and without sleep."""
    prefix = "physxRigidBody:" if as_body else P
    attributes = f"float {prefix}sleepThreshold = 0\nfloat {prefix}stabilizationThreshold = {threshold}"
    bound = "rel material:binding:physics = </M>\n"
    motion = f"vector3f physics:velocity = (0.01, 0, 0)\n{bound}"
    if as_body:
        schemas = ("PhysxRigidBodyAPI", "MaterialBindingAPI")
        content = free_body(f"{attributes}\n{motion}", schemas, height=0.5, collides=True)
    else:
        content = welded_pair(attributes, (SCHEMA, "MaterialBindingAPI"), motion=motion, height=0.5, collides=True)
    scene = f'bool physxScene:enableStabilization = 1\ntoken physxScene:solverType = "{solver}"'
    with opened(content + ground(), gravity=9.81, scene=scene, scene_schemas=["PhysxSceneAPI"]) as simulation:
        simulation.step(DT, 120)
        return value(simulation, BODY if as_body else LINK, "/W/base", "position")[0]


@observes(SCHEMA, "stabilization-without-effect")
@observes("PhysxRigidBodyAPI", "stabilization-slows")
@pytest.mark.takes(
    "physxArticulation:stabilizationThreshold physxRigidBody:stabilizationThreshold physxScene:enableStabilization"
)
@pytest.mark.parametrize("solver", ["TGS", "PGS"])
def test_stabilization_slows_bodies_and_leaves_articulations(solver):
    """Whatever the threshold, an articulation slides on exactly as far; a rigid body below it is held back."""
    assert slid(0, solver, as_body=False) == slid(1e6, solver, as_body=False) == pytest.approx(0.02, rel=1e-3)
    assert slid(0, solver, as_body=True) == pytest.approx(0.02, rel=1e-3)
    assert slid(1e6, solver, as_body=True) < 0.016


def iterations(attributes="", schemas=APPLIED, *, as_body=False, **settings):
    """Return the position iterations n, from the drop (n + 1) / (2 n) g dt² of the first step."""
    content = free_body(attributes, schemas) if as_body else welded_pair(attributes, schemas)
    with opened(content, gravity=9.81, **settings) as simulation:
        simulation.step(DT)
        drop = -value(simulation, BODY if as_body else LINK, "/W/base", "position")[2]
    return 1 / (2 * drop / (9.81 * DT * DT) - 1)


@observes(SCHEMA, "position-iterations-are-substeps position-default position-range")
@pytest.mark.takes("physxArticulation:solverPositionIterationCount")
@pytest.mark.parametrize(
    ("authored", "count"), [(None, 32), (1, 1), (4, 4), (0, 1), (-5, 1), (255, 255), (256, 255), (2**31 - 1, 255)]
)
def test_position_iterations_are_clamped(authored, count):
    """A free fall shows that the iterations are those authored, between 1 and 255."""
    attributes = "" if authored is None else f"int {P}solverPositionIterationCount = {authored}"
    assert iterations(attributes) == pytest.approx(count, rel=1e-3)
    found = effective(stage(welded_pair(attributes, APPLIED)), "/W/base", "physx")
    assert found[f"{P}solverPositionIterationCount"].values[0].value == count


@observes(SCHEMA, "position-narrowed")
@pytest.mark.parametrize(("authored", "count"), [(4, 4), (2**32 + 4, 32)])
def test_a_number_of_64_bits_counts_as_far_as_32_hold_it(authored, count):
    """Narrowing would make 4 of the larger one, clamping 255; it is as if nothing were authored."""
    attributes = f"int64 {P}solverPositionIterationCount = {authored}"
    assert iterations(attributes) == pytest.approx(count, rel=1e-3)


@observes(SCHEMA, "position-default")
def test_position_iterations_are_32_without_the_schema():
    assert iterations(schemas=()) == pytest.approx(32, rel=1e-3)


LOW, HIGH = "uint physxScene:minPositionIterationCount = 64", "uint physxScene:maxPositionIterationCount = 8"


@observes(SCHEMA, "position-bounded-by-scene")
@observes("PhysxSceneAPI", "bounds-gated upper-bound-wins")
@pytest.mark.takes("physxScene:minPositionIterationCount physxScene:maxPositionIterationCount")
@pytest.mark.parametrize("authored", [4, 128])
@pytest.mark.parametrize(
    ("bounds", "is_applied", "clamp"),
    [
        (LOW, True, lambda n: max(n, 64)),
        (HIGH, True, lambda n: min(n, 8)),
        (f"{LOW}\n{HIGH}", True, lambda n: 8),
        (f"{LOW}\n{HIGH}", False, lambda n: n),
    ],
    ids=["low", "high", "crossed", "not applied"],
)
def test_the_scene_bounds_the_position_iterations(authored, bounds, is_applied, clamp):
    """The bounds of the scene count where its schema is applied, the upper one last."""
    scene = {"scene": bounds, "scene_schemas": ["PhysxSceneAPI"] if is_applied else []}
    attributes = f"int {P}solverPositionIterationCount = {authored}"
    assert iterations(attributes, **scene) == pytest.approx(clamp(authored), rel=1e-3)
    found = effective(stage(welded_pair(attributes, APPLIED), **scene), "/W/base", "physx")
    assert found[f"{P}solverPositionIterationCount"].values[0].value == clamp(authored)


def left_over(count, *, heavy=False, **settings):
    """Return the velocity that velocity iterations leave after a step out of a penetration, or of a blow."""
    attributes = "" if count is None else f"int {P}solverVelocityIterationCount = {count}"
    content = welded_pair(attributes, APPLIED, height=0.5 if heavy else 0.4, collides=True) + ground()
    if heavy:
        motion = "vector3f physics:velocity = (0, 0, -1)\ndouble3 xformOp:translate = (0, 0, 1.5)\n"
        cube = prim("Cube", "c", ("PhysicsCollisionAPI",), "double size = 1")
        mass = "float physics:mass = 1e4\nfloat3 physics:diagonalInertia = (1e4, 1e4, 1e4)\n"
        content += prim("Xform", "Heavy", ("PhysicsRigidBodyAPI", "PhysicsMassAPI"),
                        f'{mass}{motion}uniform token[] xformOpOrder = ["xformOp:translate"]\n{cube}')  # fmt: skip
    with opened(content, **settings) as simulation:
        simulation.step(DT)
        return value(simulation, LINK, "/W/base", "linearVelocity")[2]


@observes(SCHEMA, "velocity-default velocity-range")
@pytest.mark.takes("physxArticulation:solverVelocityIterationCount")
def test_velocity_iterations_are_clamped():
    """None leaves the 3 m/s that resolve a penetration, each takes of it; more than 255 are 255, less than 0 none."""
    left = [left_over(count) for count in (0, 1, 2, 4, 8)]
    assert left[0] == pytest.approx(3, rel=1e-4)
    assert np.all(np.diff(left) < 0)
    assert left_over(None) == left[1]
    assert left_over(-1) == left_over(-5) == left[0]
    assert left_over(255, heavy=True) == left_over(256, heavy=True) == left_over(10000, heavy=True)
    assert left_over(254, heavy=True) != left_over(255, heavy=True)


@observes(SCHEMA, "velocity-bounded-by-scene")
@observes("PhysxSceneAPI", "upper-bound-wins")
@pytest.mark.takes("physxScene:minVelocityIterationCount physxScene:maxVelocityIterationCount")
@pytest.mark.parametrize("authored", [0, 3, 8])
@pytest.mark.parametrize(
    ("bounds", "clamp"),
    [
        (["min", 5], lambda n: max(n, 5)),
        (["max", 2], lambda n: min(n, 2)),
        (["min", 5, "max", 2], lambda n: 2),
    ],
    ids=["low", "high", "crossed"],
)
def test_the_scene_bounds_the_velocity_iterations(authored, bounds, clamp):
    """The velocity that is left is that of the clamped number of iterations."""
    pairs = zip(bounds[::2], bounds[1::2], strict=True)
    scene = "\n".join(f"uint physxScene:{end}VelocityIterationCount = {bound}" for end, bound in pairs)
    left = left_over(authored, scene=scene, scene_schemas=["PhysxSceneAPI"])
    assert left == left_over(clamp(authored))
