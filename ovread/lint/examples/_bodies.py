"""Examples of rules about bodies and their mass."""

from __future__ import annotations

from ovread.lint.examples._usda import (
    BINDING,
    MASS,
    TETRAHEDRON,
    Example,
    body,
    bound,
    cube,
    gravity,
    material,
    prim,
    stage,
    world,
)

_TURNED = 'float xformOp:rotateZ = 90\nuniform token[] xformOpOrder = ["xformOp:rotateZ"]'
_MOVING = "vector3f physics:velocity = (1, 0, 0)"
_TUMBLING = "vector3f physics:angularVelocity = (90, 200, 45)"
_DENSITY = "float physics:density = 100"


def _alone(*lines: str, mass: str = MASS, schemas: str = "", meters: float = 1, kilograms: float = 1) -> str:
    return stage(world(body("b", *lines, mass=mass, schemas=schemas)), meters=meters, kilograms=kilograms)


def _falling(*lines: str, mass: str = MASS, schemas: str = "") -> str:
    return stage(gravity(), world(body("b", *lines, mass=mass, schemas=schemas)))


def _tensor(numbers: str) -> str:
    return _alone(f"double[] newton:inertia = {numbers}", schemas="NewtonMassAPI")


def _shell(model: str) -> str:
    lines = (f'uniform token newton:massModel = "{model}"', "float newton:shellThickness = 0.01")
    return _alone(cube(*lines, schemas="NewtonMassAPI"), mass=_DENSITY)


def _scaled(factors: str) -> str:
    """Write a body that is turned below a scale."""
    scale = f'float3 xformOp:scale = {factors}\nuniform token[] xformOpOrder = ["xformOp:scale"]'
    turn = 'float xformOp:rotateZ = 30\nuniform token[] xformOpOrder = ["xformOp:rotateZ"]'
    return stage(world(prim("Xform", "wide", scale, body("b", turn))))


def _sized(*lines: str) -> str:
    """Write a cube of density 100, with a physics material that has none."""
    return stage(world(material("rubber", *lines), body("b", cube(bound("rubber"), schemas=BINDING), mass=_DENSITY)))


def _mesh(approximation: str, *lines: str) -> str:
    token = f'uniform token physics:approximation = "{approximation}"'
    return prim("Mesh", "mesh", TETRAHEDRON, token, *lines, schemas="PhysicsCollisionAPI PhysicsMeshCollisionAPI")


MASSES = {
    "default-density": Example(
        _alone(cube(), mass="", meters=0.01),
        _alone(cube(), mass="float physics:density = 0.001", meters=0.01),
        ("/W/b",),
    ),
    "mass-on-collider": Example(
        _alone(cube("float physics:mass = 3", schemas="PhysicsMassAPI"), mass=""),
        _alone(cube(), mass="float physics:mass = 3"),
        ("/W/b",),
    ),
    "material-density": Example(_sized(), _sized("float physics:density = 100"), ("/W/b",)),
    "approximation-mass": Example(
        _alone(_mesh("boundingCube"), mass=""), _alone(_mesh("convexHull"), mass=""), ("/W/b",)
    ),
    "center-of-mass-inertia": Example(
        _alone(cube(), mass="float physics:mass = 2\npoint3f physics:centerOfMass = (0.5, 0, 0)"),
        _alone(cube(), mass="float physics:mass = 2"),
        ("/W/b",),
    ),
    "no-mass": Example(_alone(mass="float physics:mass = 2"), _alone(), ("/W/b",)),
    "cone-inertia": Example(
        _alone(prim("Cone", "cone", "double height = 2", "double radius = 1", schemas="PhysicsCollisionAPI"), mass=""),
        _alone(prim("Cone", "cone", "double height = 2", "double radius = 1", schemas="PhysicsCollisionAPI")),
        ("/W/b",),
    ),
    "zero-inertia": Example(
        stage(
            world(
                body(
                    "b",
                    mass="float physics:mass = 1\nfloat3 physics:diagonalInertia = (0.1, 0.1, 0)",
                    schemas="PhysicsArticulationRootAPI",
                ),
                body("c"),
                prim("PhysicsRevoluteJoint", "j", "rel physics:body0 = </W/b>", "rel physics:body1 = </W/c>"),
            )
        ),
        stage(
            world(
                body("b", schemas="PhysicsArticulationRootAPI"),
                body("c"),
                prim("PhysicsRevoluteJoint", "j", "rel physics:body0 = </W/b>", "rel physics:body1 = </W/c>"),
            )
        ),
        ("/W/b",),
    ),
    "planar-inertia": Example(
        _alone(mass="float physics:mass = 1\nfloat3 physics:diagonalInertia = (0.1, 0.2, 0.3)"),
        _alone(mass="float physics:mass = 1\nfloat3 physics:diagonalInertia = (0.1, 0.2, 0.29)"),
        ("/W/b",),
    ),
    "newton-inertia": Example(_tensor("[0.1, 0.2, 0.25, 0.03, 0, 0]"), _tensor("[0.1, 0.2, 0.25, 0, 0, 0]"), ("/W/b",)),
    "shell-mass": Example(_shell("shell"), _shell("solid"), ("/W/b",)),
    "inertia-corrected": Example(
        _alone(mass="float physics:mass = 1\nfloat3 physics:diagonalInertia = (0.1, 0.2, 0.5)"),
        _alone(mass="float physics:mass = 1\nfloat3 physics:diagonalInertia = (0.1, 0.2, 0.25)"),
        ("/W/b",),
    ),
}
"""By rule."""

BODIES = {
    "initial-velocity-frame": Example(_alone(_TURNED, _MOVING), _alone(_MOVING), ("/W/b",)),
    "disabled-body": Example(
        _falling("bool physics:rigidBodyEnabled = false"), _falling("bool physics:rigidBodyEnabled = true"), ("/W/b",)
    ),
    "starts-asleep": Example(
        _falling("uniform bool physics:startsAsleep = true"),
        _falling("uniform bool physics:startsAsleep = false"),
        ("/W/b",),
    ),
    "disable-gravity": Example(
        _falling("bool physxRigidBody:disableGravity = true"),
        _falling("bool physxRigidBody:disableGravity = false"),
        ("/W/b",),
    ),
    "kinematic-velocity": Example(
        _alone("bool physics:kinematicEnabled = true", _MOVING),
        _alone("bool physics:kinematicEnabled = true"),
        ("/W/b",),
    ),
    "default-angular-damping": Example(
        _alone("vector3f physics:angularVelocity = (0, 0, 90)").replace("float physxRigidBody:angularDamping = 0", ""),
        _alone("vector3f physics:angularVelocity = (0, 0, 90)"),
        ("/W/b",),
    ),
    "damping": Example(_alone(_MOVING, "float physxRigidBody:linearDamping = 2"), _alone(_MOVING), ("/W/b",)),
    "locked-axis": Example(_alone(_MOVING, "int physxRigidBody:lockedPosAxis = 1"), _alone(_MOVING), ("/W/b",)),
    "body-property": Example(
        _alone(_TUMBLING, "bool physxRigidBody:enableGyroscopicForces = false"),
        _alone(_TUMBLING),
        ("/W/b",),
    ),
    "forces": Example(_alone("vector3f physxForce:force = (1, 0, 0)", schemas="PhysxForceAPI"), _alone(), ("/W/b",)),
    "sheared-hierarchy": Example(_scaled("(2, 1, 1)"), _scaled("(2, 2, 2)"), ("/W/wide/b",)),
}
"""By rule."""
