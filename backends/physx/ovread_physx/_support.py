"""Which attributes this backend serves, and why it does not serve the others."""

from __future__ import annotations

from collections.abc import Iterator

from ovread.backend import Key, Level, Support, supports
from ovread.catalogue import ObjectType

ON_CUDA_ONLY = {
    ObjectType.DEFORMABLE_VOLUME: "PhysX simulates deformable bodies on CUDA only: open with device='cuda:0'.",
    ObjectType.DEFORMABLE_SURFACE: "PhysX simulates deformable bodies on CUDA only: open with device='cuda:0'.",
    ObjectType.PARTICLE_SET: "PhysX simulates particles on CUDA only: open with device='cuda:0'.",
    ObjectType.PARTICLE_SYSTEM: "PhysX simulates particles on CUDA only: open with device='cuda:0'.",
}
"""Types that the engine has no objects of elsewhere, without saying so."""

_BODY = (
    "position orientation linearVelocity angularVelocity linearAcceleration angularAcceleration mass inverseMass "
    "inertia inverseInertia centerOfMassPosition centerOfMassOrientation disableGravity disableSimulation isSleeping "
    "staticFriction dynamicFriction restitution contactOffset restOffset shapeCount kinematicTargetPosition "
    "kinematicTargetOrientation"
)
_INSTANCER = "positions orientations velocities angularVelocities accelerations angularAccelerations"
_JOINT = (
    "jointPosition jointVelocity jointPositionTarget jointVelocityTarget jointActuationForce jointProjectedForce "
    "jointStiffness jointDamping jointLimit jointMaxVelocity jointMaxForce jointArmature jointStaticFriction "
    "jointDynamicFriction jointViscousFriction jointSpeedEffortGradient jointMaxActuatorVelocity "
    "jointVelocityDependentResistance jointDriveType physxPointer"
)
_ARTICULATION = (
    "rootPosition rootOrientation rootLinearVelocity rootAngularVelocity centerOfMassWorld centerOfMassLocal "
    "staticFriction dynamicFriction restitution contactOffset restOffset shapeCount dofCount linkCount jointCount "
    "fixedTendonCount spatialTendonCount isFixedBase dofJointPath dofAxisIndex jacobian jacobianShape massMatrix "
    "coriolisForce gravityForce centroidalMomentum physxPointer"
)
_VEHICLE = (
    "accelerator brake0 brake1 steer clutch currentGear targetGear engineRotationSpeed automaticTransmission "
    "gearSwitchTime autoboxTimeSinceLastShift"
)
_WHEEL = (
    "position orientation rotationSpeed rotationAngle wheelSteerAngle suspensionJounce suspensionForce tireFriction "
    "tireLongitudinalDirection tireLateralDirection tireLongitudinalSlip tireLateralSlip tireForce isOnGround "
    "groundPlane groundHitPosition groundActorPath groundShapePath groundMaterialPath"
)
_TENDON = "tendonStiffness tendonDamping tendonLimitStiffness tendonOffset"
_MATERIAL = (
    "deformableDynamicFriction deformableYoungsModulus deformablePoissonsRatio deformableElasticityDamping "
    "deformableBendingStiffness deformableThickness deformableBendingDamping"
)
_CONTACT = (
    "netNormalContactForce netFrictionContactForce normalContactForceMatrix frictionContactForceMatrix "
    "filteredContactCount filteredFrictionCount filteredContactForce filteredContactPoint filteredContactNormal "
    "filteredContactSeparation filteredFrictionForce filteredFrictionPoint rawContactForce rawContactPoint "
    "rawContactNormal rawContactSeparation rawContactOtherBody contactEventType contactEventSensorSide "
    "contactEventCollider contactEventOtherBody contactEventOtherCollider contactEventProtoIndex "
    "contactEventOtherProtoIndex contactEventPointCount contactEventAnchorCount contactEventPointPosition "
    "contactEventPointNormal contactEventPointImpulse contactEventPointSeparation contactEventPointFaceIndex "
    "contactEventPointOtherFaceIndex contactEventPointMaterial contactEventPointOtherMaterial "
    "contactEventAnchorPosition contactEventAnchorImpulse"
)
DEBUG_SETTINGS = (
    "enabled scale worldAxes bodyAxes bodyMassAxes bodyLinearVelocity bodyAngularVelocity contactPoint contactNormal "
    "contactError contactImpulse frictionPoint frictionNormal frictionImpulse actorAxes collisionAABBs "
    "collisionShapes collisionAxes collisionCompounds collisionFaceNormals collisionEdges collisionStaticPruner "
    "collisionDynamicPruner jointLocalFrames jointLimits cullBox mbpRegions simulationMesh sdf cullingBox scope"
)
_DRAWN = "pointPosition pointColor linePosition lineColor trianglePosition triangleColor"
POINTERS_ONLY = (
    ObjectType.SCENE,
    ObjectType.PHYSX_MATERIAL,
    ObjectType.SHAPE,
    ObjectType.COMPOUND_SHAPE,
    ObjectType.RIGID_ACTOR,
    ObjectType.JOINT,
    ObjectType.CUSTOM_JOINT,
    ObjectType.PARTICLE_SYSTEM,
    ObjectType.PHYSICS,
)
"""Types of which the engine tells addresses alone."""

_SERVED = {
    ObjectType.RIGID_BODY: f"{_BODY} {_INSTANCER}",
    ObjectType.ARTICULATION_LINK: f"{_BODY} linkIncomingJointForce physxPointer",
    ObjectType.ARTICULATION_JOINT: _JOINT,
    ObjectType.VEHICLE_WHEEL: _WHEEL,
    ObjectType.DEFORMABLE_VOLUME: (
        "points velocities restPoints simElementIndices collisionElementIndices kinematicTarget"
    ),
    ObjectType.DEFORMABLE_SURFACE: "points velocities restPoints simElementIndices",
    ObjectType.PARTICLE_SET: "points velocities physxPointer",
    ObjectType.FIXED_TENDON: f"{_TENDON} tendonLimit tendonRestLength",
    ObjectType.SPATIAL_TENDON: _TENDON,
    ObjectType.ARTICULATION: _ARTICULATION,
    ObjectType.DEFORMABLE_MATERIAL: _MATERIAL,
    ObjectType.CONTACT_SENSOR: _CONTACT,
    ObjectType.VEHICLE: _VEHICLE,
    **dict.fromkeys(POINTERS_ONLY, "physxPointer"),
    ObjectType.DEBUG_RENDER: f"{DEBUG_SETTINGS} {_DRAWN}",
}
_BODIES = (ObjectType.RIGID_BODY, ObjectType.ARTICULATION_LINK)
_UNSERVED = (
    (_BODIES, "body_q", "Newton's own array: read position and orientation."),
    (_BODIES, "body_qd", "Newton's own array: read linearVelocity, angularVelocity."),
    (_BODIES, "friction", "PhysX has no single friction coefficient: read staticFriction and dynamicFriction."),
    ((ObjectType.ARTICULATION_JOINT,), "joint_q", "Newton's own array: read jointPosition (degrees)."),
    ((ObjectType.ARTICULATION_JOINT,), "joint_qd", "Newton's own array: read jointVelocity (deg/s)."),
    (
        (ObjectType.ARTICULATION_JOINT,),
        "jointFriction",
        "PhysX has no single joint friction: read jointStaticFriction, jointDynamicFriction and jointViscousFriction.",
    ),
    ((ObjectType.SCENE,), "gravity", "PhysX does not report the gravity of a scene through its reads."),
)


def _rows() -> Iterator[tuple[Key, Support]]:
    for object_type, names in _SERVED.items():
        yield from supports(object_type, names, reason=ON_CUDA_ONLY.get(object_type, "")).items()
    for object_types, name, reason in _UNSERVED:
        for object_type in object_types:
            yield from supports(object_type, name, Level.UNSUPPORTED, reason).items()


SUPPORT: dict[Key, Support] = dict(_rows())
