"""ACTIVE: the objects that moved in the last step."""

from __future__ import annotations

import pytest

import ovread
from ovread import ObjectScope, ObjectType
from ovread.errors import SelectionError


def active(simulation, object_type):
    return simulation.query(object_type, scope=ObjectScope.ACTIVE).paths


def test_active_leaves_out_kinematic_and_sleeping_bodies(scene):
    """A falling body is active, a kinematic or sleeping one is not; nothing has moved before the first step."""
    with ovread.open(scene("point_instancers"), backend="physx") as simulation:
        assert active(simulation, ObjectType.RIGID_BODY) == ()
        simulation.step(1 / 240)
        expected = ("/World/Falling", "/World/Instances_2", "/World/Instances_10")
        assert active(simulation, ObjectType.RIGID_BODY) == expected
        query = simulation.query(ObjectType.RIGID_BODY, scope=ObjectScope.ACTIVE)
        assert simulation.read(query, ["position"])["position"].paths == expected[:1]


def test_active_bodies_of_several_scenes(scene):
    """Rows are found in whichever scene they are."""
    with ovread.open(scene("two_scenes"), backend="physx") as simulation:
        simulation.step(1 / 240)
        expected = ("/World/A", "/World/B", "/World/OfFirst", "/World/OfSecond")
        assert active(simulation, ObjectType.RIGID_BODY) == expected


def test_active_articulations_that_share_a_path(scene):
    """All articulations of a shared path that moved are rows."""
    with ovread.open(scene("shared_root_multiscene"), backend="physx") as simulation:
        simulation.step(1 / 240)
        for object_type in (ObjectType.ARTICULATION, ObjectType.ARTICULATION_LINK, ObjectType.ARTICULATION_JOINT):
            assert active(simulation, object_type) == simulation.query(object_type).paths


def test_active_is_refused_where_it_is_not_known(scene):
    """Where the engine cannot read bodies, it does not say which of them moved."""
    with ovread.open(scene("instancer_in_two_scenes"), backend="physx") as simulation:
        simulation.step(1 / 240)
        with pytest.raises(SelectionError, match="does not know"):
            active(simulation, ObjectType.RIGID_BODY)


def test_vehicles_are_active_with_their_chassis(scene):
    """Vehicles without controls count too, and wheels follow their vehicle."""
    with ovread.open(scene("vehicle_read_write"), backend="physx") as simulation:
        assert active(simulation, ObjectType.VEHICLE) == ()
        simulation.step(1 / 240)
        for object_type in (ObjectType.VEHICLE, ObjectType.VEHICLE_WHEEL):
            assert active(simulation, object_type) == simulation.query(object_type).paths


@pytest.mark.parametrize(
    ("name", "object_type"),
    [
        ("FixedTendonTest", ObjectType.FIXED_TENDON),
        ("Ant", ObjectType.SHAPE),
        ("Ant", ObjectType.ARTICULATION_JOINT),
        ("Ant", ObjectType.PHYSICS),
        ("sdf_cube", ObjectType.SDF_SHAPE),
        ("volume_deformable_simple", ObjectType.DEFORMABLE_MATERIAL),
    ],
)
def test_types_without_activity_are_always_active(name, object_type, scene):
    """Where the engine has no notion of activity, ACTIVE is ALL."""
    with ovread.open(scene(name), backend="physx") as simulation:
        assert active(simulation, object_type) == simulation.query(object_type).paths != ()


def test_active_is_a_set_of_its_own(scene):
    """A selection of paths has no scope."""
    with ovread.open(scene("Ant"), backend="physx") as simulation, pytest.raises(SelectionError, match="ACTIVE"):
        simulation.query(ObjectType.ARTICULATION, pattern="/ant", scope=ObjectScope.ACTIVE)
