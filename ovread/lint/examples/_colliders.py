"""Examples of rules about colliders, materials, scenes, and what is no rigid body."""

from __future__ import annotations

from ovread.lint.examples._usda import (
    BINDING,
    TETRAHEDRON,
    Example,
    body,
    bound,
    cube,
    gravity,
    material,
    prim,
    robot,
    stage,
    world,
)

_FRICTION = "float physics:staticFriction = 0.5\nfloat physics:dynamicFriction = 0.5"
_GROUND_PLACE = 'double3 xformOp:translate = (0, 0, -1)\nuniform token[] xformOpOrder = ["xformOp:translate"]'
_FALLING = "vector3f physics:velocity = (0, 0, -3)"
_SLIDING = "vector3f physics:velocity = (3, 0, -0.1)"


def _resting(*lines: str, box: str = "", schemas: str = "", motion: str = _SLIDING, ground: str = "") -> str:
    """Write a box on the ground, both of a material."""
    return stage(
        gravity(),
        world(
            material("rubber", *(lines or (_FRICTION,)), schemas=schemas),
            cube(bound("rubber"), _GROUND_PLACE, name="ground", schemas=f"{BINDING} {ground}"),
            body("b", motion, cube(bound("rubber"), box, schemas=f"{BINDING} {ground}")),
        ),
    )


def _collider(*lines: str, schemas: str = "") -> str:
    return stage(
        world(material("rubber", _FRICTION), body("b", cube(bound("rubber"), *lines, schemas=f"{BINDING} {schemas}")))
    )


def _mesh(*lines: str, schemas: str = "") -> str:
    applied = f"PhysicsCollisionAPI PhysicsMeshCollisionAPI {BINDING} {schemas}"
    return stage(
        world(
            material("rubber", _FRICTION),
            body("b", prim("Mesh", "mesh", TETRAHEDRON, bound("rubber"), *lines, schemas=applied)),
        )
    )


def _plane(*lines: str) -> str:
    """Write a plane through the middle of a box, which it pushes out."""
    applied = f"PhysicsCollisionAPI {BINDING}"
    plane = prim("Plane", "ground", bound("rubber"), *lines, schemas=applied)
    return stage(world(material("rubber", _FRICTION), plane, body("b", cube(bound("rubber"), schemas=BINDING))))


def _thing(kind: str, name: str, *lines: str, schemas: str = "") -> Example:
    """Make an example of a prim that is not a rigid body's."""
    found = stage(gravity(), world(body("b"), prim(kind, name, *lines, schemas=schemas)))
    return Example(found, stage(gravity(), world(body("b"), prim("Xform", name))), (f"/W/{name}",))


def _spinning(*lines: str) -> str:
    """Write a ball that spins on the ground."""
    applied = f"PhysicsCollisionAPI PhysxCollisionAPI {BINDING}"
    ball = prim("Sphere", "ball", "double radius = 0.5", bound("rubber"), *lines, schemas=applied)
    ground = cube(bound("rubber"), _GROUND_PLACE, name="ground", schemas=BINDING)
    turning = body("b", "vector3f physics:angularVelocity = (0, 0, 500)", ball)
    return stage(gravity(), world(material("rubber", _FRICTION), ground, turning))


def _belt(schemas: str) -> str:
    """Write a box on a belt."""
    velocity = "vector3f physxSurfaceVelocity:surfaceVelocity = (1, 0, 0)" if schemas else ""
    surface = cube(bound("rubber"), schemas=BINDING)
    belt = body("belt", "bool physics:kinematicEnabled = true", velocity, _GROUND_PLACE, surface, schemas=schemas)
    return stage(gravity(), world(material("rubber", _FRICTION), belt, body("b", surface)))


def _standing(kilograms: float) -> str:
    """Write a box of 1 kg on another, in units of so many kilograms."""
    ground = cube(bound("rubber"), _GROUND_PLACE, name="ground", schemas=BINDING)
    moment = 1 / 6 / kilograms
    mass = (
        f"float physics:mass = {1 / kilograms:g}\nfloat3 physics:diagonalInertia = ({moment:g}, {moment:g}, {moment:g})"
    )
    box = body("b", cube(bound("rubber"), schemas=BINDING), mass=mass)
    return stage(gravity(), world(material("rubber", _FRICTION), ground, box), kilograms=kilograms)


def _sheet(z: float) -> str:
    """Write a square of two triangles, with one corner at another height or not, under a box that falls on it."""
    points = f"point3f[] points = [(-9, -9, 0), (9, -9, 0), (9, 9, 0), (-9, 9, {z:g})]"
    faces = "int[] faceVertexCounts = [3, 3]\nint[] faceVertexIndices = [0, 1, 2, 0, 2, 3]"
    applied = f"PhysicsCollisionAPI PhysicsMeshCollisionAPI {BINDING}"
    low = 'double3 xformOp:translate = (0, 0, -0.5)\nuniform token[] xformOpOrder = ["xformOp:translate"]'
    sheet = prim("Mesh", "sheet", points, faces, low, bound("rubber"), schemas=applied)
    box = body("b", cube(bound("rubber"), schemas=BINDING))
    return stage(gravity(), world(material("rubber", _FRICTION), sheet, box))


def _instanced_shape(instanceable: str) -> str:
    """Write a body whose collider is in what may be an instance."""
    instance = prim("Xform", "shapes", metadata=f"instanceable = {instanceable}\nprepend references = </Prototype>")
    return stage(world(body("b", instance)), prim("Xform", "Prototype", cube()).replace("def Xform", "class Xform", 1))


def _grouped(line: str) -> str:
    group = prim("PhysicsCollisionGroup", "group", "rel collection:colliders:includes = </W/b/box>", line)
    return stage(world(material("rubber", _FRICTION), body("b", cube(bound("rubber"), schemas=BINDING)), group))


def _instance(instanceable: str) -> str:
    """Write a body in what may be an instance."""
    instance = prim("Xform", "b", metadata=f"instanceable = {instanceable}\nprepend references = </Prototype>")
    return stage(world(instance), prim("Xform", "Prototype", body("link")).replace("def Xform", "class Xform", 1))


_CONVEX = 'uniform token physics:approximation = "convexHull"'

COLLIDERS = {
    "default-friction": Example(stage(gravity(), world(body("b", cube()))), _collider(), ("/W/b/box",)),
    "static-friction": Example(
        _resting("float physics:staticFriction = 0.9", "float physics:dynamicFriction = 0.2"),
        _resting("float physics:staticFriction = 0.2", "float physics:dynamicFriction = 0.2"),
        ("/W/rubber",),
    ),
    "restitution": Example(
        _resting(_FRICTION, "float physics:restitution = 0.8", motion=_FALLING),
        _resting(motion=_FALLING),
        ("/W/rubber",),
    ),
    "combine-mode": Example(
        _resting(_FRICTION, 'uniform token physxMaterial:frictionCombineMode = "multiply"', schemas="PhysxMaterialAPI"),
        _resting(_FRICTION, schemas="PhysxMaterialAPI"),
        ("/W/rubber",),
    ),
    "compliant-contact": Example(
        _resting(
            _FRICTION,
            "float physxMaterial:compliantContactStiffness = 100",
            "float physxMaterial:compliantContactDamping = 1",
            schemas="PhysxMaterialAPI",
        ),
        _resting(_FRICTION, schemas="PhysxMaterialAPI"),
        ("/W/rubber",),
    ),
    "contact-offset": Example(
        _collider(
            "float physxCollision:contactOffset = 0.05",
            "float physxCollision:restOffset = 0.01",
            schemas="PhysxCollisionAPI",
        ),
        _collider(schemas="PhysxCollisionAPI"),
        ("/W/b/box",),
    ),
    "torsional-patch": Example(
        _spinning(
            "float physxCollision:torsionalPatchRadius = 0.3", "float physxCollision:minTorsionalPatchRadius = 0.2"
        ),
        _spinning(),
        ("/W/b/ball",),
    ),
    "contact-report-settings": Example(
        _collider("float physxContactReport:threshold = 100", schemas="PhysxContactReportAPI"),
        _collider(schemas="PhysxContactReportAPI"),
        ("/W/b/box",),
    ),
    "mirrored-mesh": Example(
        _mesh(_CONVEX, "float3 xformOp:scale = (-1, -1, -1)", 'uniform token[] xformOpOrder = ["xformOp:scale"]'),
        _mesh(_CONVEX, "float3 xformOp:scale = (1, 1, 1)", 'uniform token[] xformOpOrder = ["xformOp:scale"]'),
        ("/W/b/mesh",),
    ),
    "flat-mesh": Example(_sheet(0), _sheet(-1), ("/W/sheet",)),
    "mesh-approximation": Example(_mesh('uniform token physics:approximation = "sdf"'), _mesh(_CONVEX), ("/W/b/mesh",)),
    "collision-container": Example(
        stage(world(body("b", prim("Xform", "hull", prim("Cube", "box"), schemas="PhysicsCollisionAPI")))),
        stage(
            world(
                material("rubber", _FRICTION), body("b", prim("Xform", "hull", cube(bound("rubber"), schemas=BINDING)))
            )
        ),
        ("/W/b/hull",),
    ),
    "unsupported-collider": Example(
        stage(
            world(body("b", prim("Points", "cloud", "point3f[] points = [(0, 0, 0)]", schemas="PhysicsCollisionAPI")))
        ),
        stage(world(body("b", prim("Points", "cloud", "point3f[] points = [(0, 0, 0)]")))),
        ("/W/b/cloud",),
    ),
    "plane": Example(_plane('uniform token axis = "Y"'), _plane(), ("/W/ground",)),
    "body-plane": Example(
        stage(
            world(
                material("rubber", _FRICTION),
                body("b", prim("Plane", "ground", bound("rubber"), schemas=f"PhysicsCollisionAPI {BINDING}")),
            )
        ),
        _plane(),
        ("/W/b/ground",),
    ),
    "unknown-material": Example(
        stage(world(prim("Material", "rubber"), body("b", cube(bound("rubber"), schemas=BINDING)))),
        _collider(),
        ("/W/b/box",),
    ),
    "filtered-pair": Example(
        _collider("rel physics:filteredPairs = </W/rubber>", schemas="PhysicsFilteredPairsAPI"),
        _collider("rel physics:filteredPairs = </W/b>", schemas="PhysicsFilteredPairsAPI"),
        ("/W/b/box",),
    ),
    "unknown-group": Example(_grouped("rel physics:filteredGroups = </W/rubber>"), _grouped(""), ("/W/group",)),
    "site": Example(
        stage(world(body("b"), prim("Sphere", "site", schemas="NewtonSiteAPI"))),
        stage(world(body("b", prim("Sphere", "site", schemas="NewtonSiteAPI")))),
        ("/W/site",),
    ),
    "triggers": Example(
        stage(
            gravity(),
            world(
                material("rubber", _FRICTION),
                cube(bound("rubber"), _GROUND_PLACE, name="ground", schemas=f"{BINDING} PhysxTriggerAPI"),
                body("b", cube(bound("rubber"), schemas=BINDING)),
            ),
        ),
        stage(
            gravity(),
            world(
                material("rubber", _FRICTION),
                cube(bound("rubber"), _GROUND_PLACE, name="ground", schemas=BINDING),
                body("b", cube(bound("rubber"), schemas=BINDING)),
            ),
        ),
        ("/W/ground",),
    ),
    "surface-velocity": Example(_belt("PhysxSurfaceVelocityAPI"), _belt(""), ("/W/belt",)),
    "merged-meshes": Example(
        stage(
            world(
                body(
                    "b",
                    prim(
                        "Xform",
                        "meshes",
                        prim("Mesh", "mesh", TETRAHEDRON),
                        "rel collection:collisionmeshes:includes = </W/b/meshes/mesh>",
                        schemas="PhysicsCollisionAPI PhysxMeshMergeCollisionAPI CollectionAPI:collisionmeshes",
                    ),
                )
            )
        ),
        _mesh(_CONVEX),
        ("/W/b/meshes",),
    ),
    "instancing": Example(_instance("true"), _instance("false"), ("/W/b/link",)),
    "instanced-collider": Example(_instanced_shape("true"), _instanced_shape("false"), ("/W/b/shapes/box",)),
    "instancers": Example(
        stage(
            world(
                prim(
                    "PointInstancer",
                    "many",
                    "rel prototypes = </Prototypes/b>",
                    "int[] protoIndices = [0, 0]",
                    "point3f[] positions = [(0, 0, 0), (5, 0, 0)]",
                )
            ),
            prim("Xform", "Prototypes", body("b")),
        ),
        stage(
            world(
                prim(
                    "PointInstancer",
                    "many",
                    "rel prototypes = </Prototypes/b>",
                    "int[] protoIndices = [0, 0]",
                    "point3f[] positions = [(0, 0, 0), (5, 0, 0)]",
                )
            ),
            prim("Xform", "Prototypes", prim("Cube", "b")),
            body("c"),
        ),
        ("/W/many",),
    ),
}
"""By rule."""

SCENES = {
    "gravity-not-normalised": Example(
        stage(
            gravity("vector3f physics:gravityDirection = (3, 0, -4)", "float physics:gravityMagnitude = 2"),
            world(body("b")),
        ),
        stage(
            gravity("vector3f physics:gravityDirection = (0.6, 0, -0.8)", "float physics:gravityMagnitude = 2"),
            world(body("b")),
        ),
        ("/S",),
    ),
    "newton-scene-gravity": Example(
        stage(gravity("float physics:gravityMagnitude = 5", schemas="NewtonSceneAPI"), world(body("b"))),
        stage(gravity("float physics:gravityMagnitude = 5"), world(body("b"))),
        ("/S",),
    ),
    "several-scenes": Example(
        stage(
            gravity(),
            world(body("b", "rel physics:simulationOwner = </T>")),
            gravity("float physics:gravityMagnitude = 3", name="T"),
        ),
        stage(gravity(), world(body("b"))),
        ("/T",),
    ),
    "contact-scale": Example(_standing(0.001), _standing(1), ("/",)),
}
"""By rule."""

OTHERS = {
    "mujoco-attributes": Example(
        robot(
            prim(
                "PhysicsRevoluteJoint",
                "j",
                "rel physics:body0 = </W/base>",
                "rel physics:body1 = </W/arm>",
                "double mjc:stiffness = 3",
                schemas="MjcJointAPI",
            )
        ),
        robot(
            prim(
                "PhysicsRevoluteJoint",
                "j",
                "rel physics:body0 = </W/base>",
                "rel physics:body1 = </W/arm>",
                schemas="MjcJointAPI",
            )
        ),
        ("/W/j",),
    ),
    "tendons": Example(
        robot(
            prim(
                "PhysicsRevoluteJoint",
                "j",
                "rel physics:body0 = </W/base>",
                "rel physics:body1 = </W/arm>",
                "float physxTendon:t:stiffness = 10",
                schemas="PhysxTendonAxisRootAPI:t PhysxTendonAxisAPI:t",
            )
        ),
        robot(prim("PhysicsRevoluteJoint", "j", "rel physics:body0 = </W/base>", "rel physics:body1 = </W/arm>")),
        ("/W/j",),
    ),
    "particles": _thing("PhysxParticleSystem", "particles"),
    "deformables": _thing("Mesh", "soft", TETRAHEDRON, schemas="OmniPhysicsDeformableBodyAPI"),
    "vehicles": Example(
        stage(gravity(), world(body("car", schemas="PhysxVehicleAPI"))),
        stage(gravity(), world(body("car"))),
        ("/W/car",),
    ),
    "character-controllers": _thing("Capsule", "walker", schemas="PhysxCharacterControllerAPI"),
    "actuators": _thing("MjcActuator", "motor"),
}
"""By rule."""
