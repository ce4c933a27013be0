"""What the documentation of the ov read API states of controllers, sensors and debug geometry, observed on PhysX."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from reading import BODY, value

import ovread
from ovread import ObjectScope, ObjectType

DATA = Path(__file__).parent / "scenes"


def test_a_character_controller_is_a_kinematic_body_that_moves_with_the_next_step() -> None:
    spec = importlib.util.find_spec("ovphysx")
    assert spec is not None
    assert spec.origin is not None
    scene = Path(spec.origin).parent / "samples/data/character_controller.usda"
    with ovread.open(scene, backend="physx") as simulation:
        from ovphysx.types import SimObjectType

        controllers = simulation.query(ObjectType.CHARACTER_CONTROLLER)
        assert controllers.attributes == ()
        with pytest.raises(ovread.OvreadError, match="can be written but not read"):
            simulation.read(controllers, ["move"])
        path = controllers.paths[0]
        simulation.step(1 / 60)
        start = np.array(value(simulation, BODY, path, "position"))
        engine: Any = simulation._engine
        with engine.physx.write_sync(SimObjectType.CHARACTER_CONTROLLER, ["move"], pattern=path) as session:
            (group,) = session.groups
            group.tensors[0].numpy()[:] = [[0.25, 0.25, 0.25]]
            session.commit_sync(group)
            del group
        target = np.array(value(simulation, BODY, path, "kinematicTargetPosition"))
        assert np.abs(target - start).max() > 0.1
        np.testing.assert_allclose(value(simulation, BODY, path, "position"), start, atol=1e-6)
        simulation.step(1 / 60)
        np.testing.assert_allclose(value(simulation, BODY, path, "position"), target, atol=1e-5)


def resting_box(body: str = "", collider: str = "", ground: str = "") -> str:
    """A box of 2 kg on the ground, with the contact report schema on those of the three that are named."""
    schema = {True: ', "PhysxContactReportAPI"', False: ""}
    cube = '"PhysicsCollisionAPI"'
    report = "        float physxContactReport:threshold = 0\n"
    return f"""#usda 1.0
    (
        metersPerUnit = 1
        upAxis = "Z"
    )
    def PhysicsScene "Scene" (prepend apiSchemas = ["PhysxSceneAPI"])
    {{
        bool physxScene:disableSleeping = 1
        vector3f physics:gravityDirection = (0, 0, -1)
        float physics:gravityMagnitude = 10
    }}
    def Cube "Ground" (prepend apiSchemas = [{cube}{schema[bool(ground)]}])
    {{
        double size = 20
        double3 xformOp:translate = (0, 0, -10)
        uniform token[] xformOpOrder = ["xformOp:translate"]
{report * bool(ground)}
    }}
    def Xform "Body" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"{schema[bool(body)]}])
    {{
        float physics:mass = 2
        double3 xformOp:translate = (0, 0, 0.5)
        uniform token[] xformOpOrder = ["xformOp:translate"]
{report * bool(body)}
        def Cube "Collider" (prepend apiSchemas = [{cube}{schema[bool(collider)]}])
        {{
            double size = 1
        }}
    }}"""


@pytest.mark.parametrize(
    ("reporting", "forces"),
    [
        ({"body": "x"}, {"/Body": 20}),
        ({"collider": "x"}, {"/Body/Collider": 0}),
        ({"body": "x", "collider": "x"}, {"/Body": 20, "/Body/Collider": 20}),
        ({"ground": "x"}, {"/Ground": -20}),
        ({"collider": "x", "ground": "x"}, {"/Body/Collider": 20, "/Ground": -20}),
    ],
    ids=lambda value: "-".join(value),
)
def test_a_collider_is_a_sensor_and_a_body_reports(reporting: dict[str, str], forces: dict[str, float]) -> None:
    """What carries the schema is a sensor; one that is only a collider needs a side of the pair that reports."""
    with ovread.open(resting_box(**reporting), backend="physx") as simulation:
        simulation.step(1 / 60, count=60)
        sensors = simulation.query(ObjectType.CONTACT_SENSOR)
        assert sensors.paths == tuple(forces)
        net = simulation.read(sensors, ["netNormalContactForce"])["netNormalContactForce"]
        np.testing.assert_allclose(net.numpy()[:, 2], list(forces.values()), atol=0.02)
        active = simulation.query(ObjectType.CONTACT_SENSOR, scope=ObjectScope.ACTIVE)
        assert active.paths == sensors.paths, "ACTIVE is ALL"


def test_debug_geometry_trails_the_body_by_one_step() -> None:
    """What is drawn of a falling box is where it was before the last step; each simulation draws its own."""
    from ovphysx.types import SimObjectType

    text = resting_box().replace("(0, 0, 0.5)", "(0, 0, 9)")
    with ovread.open(text, backend="physx") as simulation, ovread.open(text, backend="physx") as other:
        engine: Any = simulation._engine
        for name in ("enabled", "scale", "collisionShapes"):
            with engine.physx.write_sync(SimObjectType.DEBUG_RENDER, [name]) as session:
                (group,) = session.groups
                group.tensors[0].numpy()[:] = 1
                session.commit_sync(group)
                del group
        simulation.step(1 / 60, count=30)
        before = value(simulation, BODY, "/Body", "position")[2]
        simulation.step(1 / 60)
        other.step(1 / 60)
        query = simulation.query(ObjectType.DEBUG_RENDER)
        heights = simulation.read(query, ["linePosition"])["linePosition"].numpy().reshape(-1, 3)[:, 2]
        drawn = heights[heights > 0.1].mean()
        assert drawn == pytest.approx(before, abs=1e-4)
        assert value(simulation, BODY, "/Body", "position")[2] < before - 0.05
        assert len(other.read(other.query(ObjectType.DEBUG_RENDER), ["linePosition"])["linePosition"].numpy()) == 0
