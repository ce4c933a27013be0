"""Two arms in a row on a fixed base, weightless, with a fixed tendon over their hinges that does nothing yet."""

GEARING = {"/R/one": 1.0, "/R/two": 3.0}
"""Length of the tendon per degree of each hinge."""


def _link(name):
    return f"""
    def Xform "{name}" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI", "PhysxRigidBodyAPI"]
    )
    {{
        float physics:mass = 1
        float3 physics:diagonalInertia = (0.8, 0.8, 0.8)
        float physxRigidBody:angularDamping = 0
    }}"""


def _hinge(name, parent, child, schema):
    return f"""
    def PhysicsRevoluteJoint "{name}" (
        prepend apiSchemas = ["PhysxJointAPI", "{schema}:t"]
    )
    {{
        rel physics:body0 = </R/{parent}>
        rel physics:body1 = </R/{child}>
        uniform token physics:axis = "Z"
        float physxJoint:jointFriction = 0
        float[] physxTendon:t:gearing = [{GEARING["/R/" + name]}]
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
    def PhysicsFixedJoint "world"
    {{
        rel physics:body1 = </R/base>
    }}
    {_link("base")}
    {_link("first")}
    {_link("second")}
    {_hinge("one", "base", "first", "PhysxTendonAxisRootAPI")}
    {_hinge("two", "first", "second", "PhysxTendonAxisAPI")}
}}
"""
