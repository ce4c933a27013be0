"""Arms on one fixed base, each with one axis, a drive that does nothing yet, and limits; no gravity.

The axes do not disturb each other, so the effort on one gives its rate over the inertia about it.
"""

MASS, ARM, MOMENT = 2.0, 0.5, 0.3
"""Of each arm: its mass, how far its centre is from the axis, and its moment of inertia about an axis through that."""
INERTIA = MOMENT + MASS * ARM**2
ARMS = {"/R/hinge": INERTIA, "/R/reversed": INERTIA, "/R/slide": MASS}
"""The joints, and what an effort moves: a hinge, one whose body0 is the arm, and a slider."""
LIMIT = {"/R/hinge": 40.0, "/R/reversed": 40.0, "/R/slide": 0.5}
IS_ANGLE = {path: path != "/R/slide" for path in ARMS}


def _arm(name, place, kind, instance, bound, is_reversed):
    bodies = ("/R/of_" + name, "/R/base") if is_reversed else ("/R/base", "/R/of_" + name)
    places = ((0, 0, 0), place) if is_reversed else (place, (0, 0, 0))
    return f"""
    def Xform "of_{name}" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI", "PhysxRigidBodyAPI"]
    )
    {{
        double3 xformOp:translate = {place}
        uniform token[] xformOpOrder = ["xformOp:translate"]
        float physics:mass = {MASS}
        point3f physics:centerOfMass = ({ARM}, 0, 0)
        float3 physics:diagonalInertia = ({MOMENT}, {MOMENT}, {MOMENT})
        float physxRigidBody:angularDamping = 0
        float physxRigidBody:linearDamping = 0
        float physxRigidBody:maxAngularVelocity = 100000
    }}
    def {kind} "{name}" (
        prepend apiSchemas = ["PhysicsDriveAPI:{instance}", "PhysxJointAPI"]
    )
    {{
        rel physics:body0 = <{bodies[0]}>
        rel physics:body1 = <{bodies[1]}>
        point3f physics:localPos0 = {places[0]}
        point3f physics:localPos1 = {places[1]}
        uniform token physics:axis = "Z"
        float physics:lowerLimit = {-bound}
        float physics:upperLimit = {bound}
        float physxJoint:jointFriction = 0
        float drive:{instance}:physics:stiffness = 0
        float drive:{instance}:physics:damping = 0
    }}"""


SCENE = f"""#usda 1.0
(
    metersPerUnit = 1
    upAxis = "Z"
)
def PhysicsScene "Scene"
{{
    float physics:gravityMagnitude = 0
}}
def Xform "R" (
    prepend apiSchemas = ["PhysicsArticulationRootAPI"]
)
{{
    def Xform "base" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
    )
    {{
        float physics:mass = 1
        float3 physics:diagonalInertia = (1, 1, 1)
    }}
    def PhysicsFixedJoint "world"
    {{
        rel physics:body1 = </R/base>
    }}
    {_arm("hinge", (0, 0, 0), "PhysicsRevoluteJoint", "angular", 40, False)}
    {_arm("reversed", (0, 5, 0), "PhysicsRevoluteJoint", "angular", 40, True)}
    {_arm("slide", (0, 10, 0), "PhysicsPrismaticJoint", "linear", 0.5, False)}
}}
"""
