"""Schemas and attributes that the importer does not read, and what is lost with each."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import attrs
import numpy as np

from ovread_newton._authored import AXES
from ovread_newton._solvers import SOLVERS

INSTANCES = ("linear", "angular", *AXES)
"""Instances that drives, limits and states of a joint may have."""


@attrs.frozen
class Ignored:
    """Attributes that are ignored together.

    Args:
        rule: Name in diagnostics and documentation.
        meaning: What is lost, one sentence.
        attributes: Names, and the values that change nothing; ``*`` stands for an instance of a joint's schema.
        solvers: Solvers that take them after all, as a correction fills them.
        correction: The correction that does.
    """

    rule: str
    meaning: str
    attributes: Mapping[str, tuple[float, ...]]
    solvers: tuple[str, ...] = ()
    correction: str = ""

    def names(self) -> dict[str, tuple[float, ...]]:
        """Return the names with their instances spelled out, and the values that change nothing."""
        return {
            name.replace("*", instance): neutral
            for name, neutral in self.attributes.items()
            for instance in (INSTANCES if "*" in name else ("",))
        }


_OFF = (0.0,)
_NO_LIMIT = (np.inf, float(np.finfo(np.float32).max))

IGNORED_ATTRIBUTES = (
    Ignored(
        "damping",
        "Damping and maximal velocities of PhysxRigidBodyAPI are ignored: nothing is damped or clamped.",
        {
            "physxRigidBody:linearDamping": _OFF,
            "physxRigidBody:angularDamping": _OFF,
            "physxRigidBody:maxLinearVelocity": _NO_LIMIT,
            "physxRigidBody:maxAngularVelocity": _NO_LIMIT,
            "physxRigidBody:maxDepenetrationVelocity": _NO_LIMIT,
        },
        solvers=("steel",),
        correction="damping",
    ),
    Ignored(
        "disable-gravity",
        "disableGravity is ignored: the body falls.",
        {"physxRigidBody:disableGravity": _OFF},
        solvers=("mujoco",),
        correction="disable-gravity",
    ),
    Ignored(
        "locked-axis",
        "Locked axes of PhysxRigidBodyAPI are ignored: the body moves along them.",
        {"physxRigidBody:lockedPosAxis": _OFF, "physxRigidBody:lockedRotAxis": _OFF},
    ),
    Ignored(
        "body-property",
        "These properties of PhysxRigidBodyAPI are ignored.",
        {
            "physxRigidBody:enableGyroscopicForces": (1.0,),
            "physxRigidBody:retainAccelerations": _OFF,
            "physxRigidBody:solveContact": (1.0,),
            "physxRigidBody:maxContactImpulse": _NO_LIMIT,
            "physxRigidBody:enableCCD": _OFF,
            "physxRigidBody:enableSpeculativeCCD": _OFF,
        },
    ),
    Ignored(
        "contact-offset",
        "Rest and contact offsets are ignored: the mujoco solver sets the margins of shapes to zero.",
        {"physxCollision:restOffset": (0.0, -np.inf), "physxCollision:contactOffset": (-np.inf,)},
        solvers=tuple(name for name in SOLVERS if name != "mujoco"),
        correction="contact-offset",
    ),
    Ignored(
        "torsional-patch",
        "Torsional patch radii are ignored: author newton:torsionalFriction on the material.",
        {"physxCollision:torsionalPatchRadius": _OFF, "physxCollision:minTorsionalPatchRadius": _OFF},
    ),
    Ignored(
        "compliant-contact",
        "Compliant contacts of PhysxMaterialAPI are ignored: author newton:contactStiffness and contactDamping.",
        {"physxMaterial:compliantContactStiffness": _OFF, "physxMaterial:compliantContactDamping": _OFF},
    ),
    Ignored(
        "soft-limit",
        "PhysxLimitAPI is ignored: the limit has the solver's own stiffness, and no restitution.",
        {"physxLimit:*:stiffness": _OFF, "physxLimit:*:restitution": _OFF},
    ),
    Ignored(
        "joint-friction",
        "Static friction of PhysxJointAxisAPI is ignored: its dynamic friction counts.",
        {"physxJointAxis:*:staticFrictionEffort": _OFF},
    ),
    Ignored(
        "joint-axis-schema",
        "PhysxJointAxisAPI is ignored: author NewtonJointAPI.",
        {
            "physxJointAxis:*:armature": _OFF,
            "physxJointAxis:*:dynamicFrictionEffort": _OFF,
            "physxJointAxis:*:viscousFrictionCoefficient": _OFF,
            "physxJointAxis:*:maxJointVelocity": _NO_LIMIT,
        },
        solvers=tuple(SOLVERS),
        correction="joint-axis-schema",
    ),
    Ignored(
        "joint-schema",
        "Attributes of PhysxJointAPI are ignored, as PhysX ignores them too: author NewtonJointAPI.",
        {
            "physxJoint:armature": _OFF,
            "physxJoint:jointFriction": _OFF,
            "physxJoint:maxJointVelocity": _NO_LIMIT,
        },
    ),
    Ignored(
        "drive-envelope",
        "The performance envelope of the drive is ignored: only maxForce limits it.",
        {
            "physxDrivePerformanceEnvelope:*:maxActuatorVelocity": _NO_LIMIT,
            "physxDrivePerformanceEnvelope:*:speedEffortGradient": _OFF,
            "physxDrivePerformanceEnvelope:*:velocityDependentResistance": _OFF,
        },
    ),
    Ignored(
        "contact-report-settings",
        "Threshold and pairs of PhysxContactReportAPI are ignored: a sensor reports every contact, however weak.",
        {"physxContactReport:threshold": _OFF, "physxContactReport:reportPairs": ()},
    ),
    Ignored(
        "articulation-disabled",
        "articulationEnabled = false is ignored: the joints stay an articulation.",
        {"physxArticulation:articulationEnabled": (1.0,)},
    ),
    Ignored(
        "distance-limit",
        "The distance limit of the joint is ignored: limit its translations.",
        {"limit:distance:physics:low": (-np.inf,), "limit:distance:physics:high": _NO_LIMIT},
    ),
)

IGNORED_SCHEMAS = MappingProxyType(
    {
        "tendons": (
            "Tendons are not simulated.",
            ("PhysxTendonAxisRootAPI", "PhysxTendonAttachmentRootAPI", "MjcTendon"),
        ),
        "particles": (
            "Particles are not simulated.",
            ("PhysxParticleSystem", "PhysxParticleSetAPI", "PhysxParticleSamplingAPI"),
        ),
        "deformables": (
            "The deformable body is not simulated.",
            (
                "OmniPhysicsDeformableBodyAPI",
                "OmniPhysicsVolumeDeformableSimAPI",
                "OmniPhysicsSurfaceDeformableSimAPI",
                "OmniPhysicsCurvesDeformableSimAPI",
                "PhysxAutoDeformableBodyAPI",
            ),
        ),
        "vehicles": ("The vehicle is not simulated: it is a rigid body.", ("PhysxVehicleAPI",)),
        "character-controllers": ("The character controller is not simulated.", ("PhysxCharacterControllerAPI",)),
        "coupled-joints": (
            "The coupling of joints is not simulated: author NewtonMimicAPI.",
            ("PhysxPhysicsGearJoint", "PhysxPhysicsRackAndPinionJoint", "PhysxMimicJointAPI"),
        ),
        "actuators": ("The actuator is not simulated: author PhysicsDriveAPI.", ("NewtonActuator", "MjcActuator")),
        "forces": ("Forces of PhysxForceAPI are not applied.", ("PhysxForceAPI",)),
        "surface-velocity": (
            "The surface velocity is not simulated: the surface stands still.",
            ("PhysxSurfaceVelocityAPI", "PhysxSplinesSurfaceVelocityAPI"),
        ),
        "triggers": ("The trigger is a collider like others: it pushes bodies.", ("PhysxTriggerAPI",)),
        "merged-meshes": (
            "Merged meshes are no collider: apply PhysicsCollisionAPI to each mesh.",
            ("PhysxMeshMergeCollisionAPI",),
        ),
        "instancers": (
            "Instances of bodies and joints are not simulated.",
            ("PhysxPhysicsInstancer", "PhysxPhysicsJointInstancer"),
        ),
    }
)
"""By rule, what is lost and the prim types and schemas that it is lost with."""

SETTINGS = (
    "PhysxSceneAPI",
    "PhysxSceneQuasistaticAPI",
    "PhysxConvexHullCollisionAPI",
    "PhysxConvexDecompositionCollisionAPI",
    "PhysxSphereFillCollisionAPI",
    "PhysxTriangleMeshSimplificationCollisionAPI",
    "PhysxTriangleMeshCollisionAPI",
    "PhysxSDFMeshCollisionAPI",
    "NewtonXpbdSceneAPI",
    "NewtonKaminoSceneAPI",
    "NewtonMPMSceneAPI",
)
"""Schemas that tune one engine's solver or the cooking of its meshes."""

READ_SCHEMAS = frozenset(
    {
        "PhysicsScene",
        "PhysicsRigidBodyAPI",
        "PhysicsMassAPI",
        "PhysicsCollisionAPI",
        "PhysicsMeshCollisionAPI",
        "PhysicsMaterialAPI",
        "PhysicsCollisionGroup",
        "PhysicsFilteredPairsAPI",
        "PhysicsArticulationRootAPI",
        "PhysicsLimitAPI",
        "PhysicsDriveAPI",
        "PhysicsJointStateAPI",
        "PhysicsJoint",
        "PhysicsFixedJoint",
        "PhysicsRevoluteJoint",
        "PhysicsPrismaticJoint",
        "PhysicsSphericalJoint",
        "PhysicsDistanceJoint",
        "PhysicsDeformableBodyAPI",
        "PhysicsCurvesDeformableMaterialAPI",
        "PhysicsSurfaceDeformableMaterialAPI",
        "PhysicsVolumeDeformableMaterialAPI",
        "PhysicsSurfaceDeformableSimAPI",
        "PhysicsVolumeDeformableSimAPI",
        "PhysicsCurvesDeformableSimAPI",
        "NewtonSceneAPI",
        "NewtonArticulationRootAPI",
        "NewtonJointAPI",
        "NewtonMassAPI",
        "NewtonCollisionAPI",
        "NewtonMeshCollisionAPI",
        "NewtonSDFCollisionAPI",
        "NewtonSiteAPI",
        "NewtonMaterialAPI",
        "NewtonMimicAPI",
        "MjcJointAPI",
        "MjcEqualityConnectAPI",
        "MjcEqualityWeldAPI",
        "MjcEqualityJointAPI",
    }
)
"""Prim types and schemas that the importer reads."""

HARMLESS = frozenset(
    {
        "PhysxRigidBodyAPI",
        "PhysxCollisionAPI",
        "PhysxMaterialAPI",
        "PhysxLimitAPI",
        "PhysxJointAxisAPI",
        "PhysxJointAPI",
        "PhysxDrivePerformanceEnvelopeAPI",
        "PhysxContactReportAPI",
        "PhysxArticulationAPI",
        "PhysxCookedDataAPI",
        "PhysxTriggerStateAPI",
        "PhysxTendonAxisAPI",
        "PhysxTendonAttachmentAPI",
        "PhysxTendonAttachmentLeafAPI",
    }
)
"""Schemas whose attributes are looked at one by one, or that change nothing by themselves."""

PREFIXES = ("Physics", "Physx", "OmniPhysics", "Newton", "Mjc")
"""How names of physics types and schemas start."""

_PARTS = (
    "OmniPhysics",
    "PhysxAutoDeformable",
    "PhysxBaseDeformable",
    "PhysxCamera",
    "PhysxDeformable",
    "PhysxDiffuse",
    "PhysxParticle",
    "PhysxPBD",
    "PhysxSurfaceDeformable",
    "PhysxVehicle",
)
"""How names of schemas start that only go with those of ``IGNORED_SCHEMAS``, or concern no physics."""


def is_lost(name: str) -> bool:
    """Return whether a type or schema is one of physics that nothing here knows."""
    known = {schema for _, schemas in IGNORED_SCHEMAS.values() for schema in schemas}
    if not name.startswith(PREFIXES) or name.startswith(_PARTS):
        return False
    return name not in {*READ_SCHEMAS, *HARMLESS, *SETTINGS, *known}
