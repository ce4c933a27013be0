"""Statements of the write API about materials: a shape that is written gets one of its own, alike in all else."""

from __future__ import annotations

import math

import numpy as np
import pytest
from reading import BODY, LINK, value

import ovread
from ovread import ObjectType
from ovread.errors import NotWritableError
from ovread.stage import sealed_ordinal

DT = 1 / 240
SLOPE = math.radians(30)
"""How far gravity is tilted from the ground's normal, towards +x."""
GRAVITY = 10

HEADER = """#usda 1.0
(
    metersPerUnit = 1
    upAxis = "Z"
)
def PhysicsScene "Scene" (
    prepend apiSchemas = ["PhysxSceneAPI"]
)
{{
    vector3f physics:gravityDirection = ({x}, 0, {z})
    float physics:gravityMagnitude = 10
    bool physxScene:disableSleeping = 1
    float physxScene:bounceThreshold = 0.01
}}
def Material "Shared" (
    prepend apiSchemas = ["PhysicsMaterialAPI", "PhysxMaterialAPI"]
)
{{
    float physics:staticFriction = 0.2
    float physics:dynamicFriction = 0.2
    float physics:restitution = 0
    uniform token physxMaterial:frictionCombineMode = "max"
    uniform token physxMaterial:restitutionCombineMode = "max"
    {compliance}
}}
def Material "Ice" (
    prepend apiSchemas = ["PhysicsMaterialAPI"]
)
{{
    float physics:staticFriction = 0
    float physics:dynamicFriction = 0
    float physics:restitution = 0
}}
def Plane "Ground" (
    prepend apiSchemas = ["PhysicsCollisionAPI", "MaterialBindingAPI", "PhysxCollisionAPI"]
)
{{
    uniform token axis = "Z"
    rel material:binding:physics = </Ice>
    float physxCollision:contactOffset = 0.02
    float physxCollision:restOffset = 0
}}
"""


def box(name, y):
    """A box of 2 kg on the ground, a collider below a body, with a sensor."""
    return f"""
    def Xform "{name}" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI", "PhysxRigidBodyAPI", "PhysxContactReportAPI"]
    )
    {{
        float physics:mass = 2
        float3 physics:diagonalInertia = (1, 1, 1)
        float physxRigidBody:linearDamping = 0
        float physxContactReport:threshold = 0
        double3 xformOp:translate = (0, {y}, 0.5)
        uniform token[] xformOpOrder = ["xformOp:translate"]
        def Cube "Collider" (
            prepend apiSchemas = ["PhysicsCollisionAPI", "MaterialBindingAPI", "PhysxCollisionAPI"]
        )
        {{
            double size = 1
            rel material:binding:physics = </Shared>
            float physxCollision:contactOffset = 0.02
            float physxCollision:restOffset = 0
        }}
    }}"""


def robot(name, y):
    """The same box as the root of an articulation, whose other link weighs next to nothing and is held to it."""
    return f"""
def Xform "{name}" (
    prepend apiSchemas = ["PhysicsArticulationRootAPI"]
)
{{
    {box("Box", y)}
    def Xform "Tip" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
    )
    {{
        float physics:mass = 0.0001
        float3 physics:diagonalInertia = (0.0001, 0.0001, 0.0001)
        double3 xformOp:translate = (0, {y}, 0.5)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }}
    def PhysicsFixedJoint "Held"
    {{
        rel physics:body0 = </{name}/Box>
        rel physics:body1 = </{name}/Tip>
    }}
}}"""


def scene(tilt=0.0, compliance=""):
    header = HEADER.format(x=math.sin(tilt), z=-math.cos(tilt), compliance=compliance)
    return header + box("Box", 0) + box("Sibling", 5) + robot("Robot", 10) + robot("Other", 15)


BOXES = {"body": (BODY, "/Box", "/Sibling"), "link": (LINK, "/Robot/Box", "/Other/Box")}


@pytest.fixture(params=BOXES)
def boxes(request):
    """A type, the path of the box that is written, and that of the other one, which shares its material."""
    return BOXES[request.param]


def put(simulation, kind, path, **values):
    """Write attributes in turn; each must read back as it was written, before any step."""
    query = simulation.query(kind, paths=[path])
    for name, given in values.items():
        simulation.set(query, name, given)
        assert value(simulation, kind, path, name) == pytest.approx([given]), name


def slide(simulation, kind, path):
    """The velocity down the slope."""
    return value(simulation, kind, path, "linearVelocity")[0]


def accelerated(friction):
    return GRAVITY * (math.sin(SLOPE) - friction * math.cos(SLOPE))


@pytest.fixture(scope="module")
def slope():
    with ovread.open(scene(SLOPE), backend="physx") as simulation:
        yield simulation


def test_a_shape_that_is_written_slides_by_itself(slope, boxes):
    """It gains g (sin - friction cos) with its friction, combined as authored; the other does with the shared one."""
    kind, path, other = boxes
    slope.reset()
    slope.step(DT, 20)
    put(slope, kind, path, dynamicFriction=0.4)
    before = slide(slope, kind, path), slide(slope, kind, other)
    slope.step(DT, 60)
    gained = np.subtract((slide(slope, kind, path), slide(slope, kind, other)), before) / (60 * DT)
    np.testing.assert_allclose(gained, (accelerated(0.4), accelerated(0.2)), rtol=2e-2)


SPRING = """float physxMaterial:compliantContactStiffness = 400
    float physxMaterial:compliantContactDamping = 40
    bool physxMaterial:compliantContactAccelerationSpring = 1"""


@pytest.mark.parametrize("name", ["staticFriction", "dynamicFriction"])
def test_a_shape_keeps_all_else_of_its_material(name, boxes):
    """After a write of one coefficient it sinks into the ground as far as the other box, whose material is authored."""
    kind, path, other = boxes
    with ovread.open(scene(compliance=SPRING), backend="physx") as simulation:
        put(simulation, kind, path, **{name: 0.25})
        for rest in {"staticFriction", "dynamicFriction"} - {name}:
            assert value(simulation, kind, path, rest) == value(simulation, kind, other, rest)
        assert value(simulation, kind, other, name) != [0.25]
        simulation.step(DT, 480)
        sunk = [0.5 - value(simulation, kind, each, "position")[2] for each in (path, other)]
        assert sunk[1] > 5e-3
        assert sunk[0] == pytest.approx(sunk[1], rel=1e-3)


def test_a_compliant_contact_has_no_restitution(boxes):
    """The engine keeps its stiffness as a negative one: reads leave it out, and a write, which ends it, is refused."""
    kind, path, _ = boxes
    with ovread.open(scene(compliance=SPRING), backend="physx") as simulation:
        query = simulation.query(kind, paths=[path])
        result = simulation.read(query, ["restitution", "staticFriction"])
        assert [group.attribute for group in result] == ["staticFriction"]
        assert "compliant" in result.omissions[0].detail
        for write in (
            lambda: simulation.set(query, "restitution", 0.25),
            lambda: simulation.writer(query, ["restitution"]),
        ):
            with pytest.raises(NotWritableError, match=r"'restitution' cannot be written.*compliant"):
                write()


DEFAULT = """
def Material "Default" (
    prepend apiSchemas = ["PhysicsMaterialAPI"]
)
{
}
"""


@pytest.mark.parametrize("default", ["", "/Default"])
def test_a_material_of_one_s_own_has_no_name(default):
    """After a write contacts name the scene's default material, or none; those of the other box name the shared one."""
    text = scene()
    if default:
        applied = 'prepend apiSchemas = ["PhysxSceneAPI"%s]\n)\n{%s'
        bound = applied % (', "MaterialBindingAPI"', f"\n    rel material:binding:physics = <{default}>")
        text = text.replace(applied % ("", ""), bound) + DEFAULT
    with ovread.open(text, backend="physx") as simulation:
        simulation.set(simulation.query(BODY, paths=["/Box"]), "dynamicFriction", 0.5)
        simulation.step(DT, 4)
        sensors = simulation.query(ObjectType.CONTACT_SENSOR, paths=["/Box", "/Sibling"])
        group = simulation.read(sensors, ["contactEventPointMaterial"])["contactEventPointMaterial"]
        assert simulation.resolve(group) == [[default] * 4, ["/Shared"] * 4]


def test_a_change_of_the_authored_material_reaches_the_other_shapes_alone(attached):
    """When the owner edits the stage's material, a shape that was written keeps its own value."""
    import ovstage

    simulation, physx, stage = attached(scene())
    simulation.set(simulation.query(BODY, paths=["/Box"]), "dynamicFriction", 0.6)
    dictionary, ordinal = ovstage.PathDictionary(stage), sealed_ordinal(stage) + 1
    with (
        dictionary.create_path_list_from_strings(["/Shared"]) as prims,
        stage.query_from_path_list(prims) as materials,
    ):
        new = np.array([0.35], dtype=np.float32)
        stage.write_attribute(materials, "physics:dynamicFriction", ordinal, new, is_array=False).wait()
    stage.advance_write_floor(ordinal).wait()
    physx.wait_task(physx.update_from_ovstage(ordinal, ordinal))
    read = [value(simulation, BODY, path, "dynamicFriction") for path in ("/Box", "/Sibling")]
    assert read == [pytest.approx([0.6]), pytest.approx([0.35])]
