"""Which attributes this backend writes, under which conditions, and why it does not write the others."""

from __future__ import annotations

from collections.abc import Iterator

from ovread.backend import Key, WriteSupport, writes
from ovread.catalogue import ObjectType, Writability
from ovread_physx._support import DEBUG_SETTINGS, ON_CUDA_ONLY

_WRITABLE = {
    ObjectType.RIGID_BODY: (
        "position orientation mass inertia centerOfMassPosition centerOfMassOrientation disableGravity "
        "disableSimulation staticFriction dynamicFriction restitution"
    ),
    ObjectType.ARTICULATION_LINK: (
        "mass inertia centerOfMassPosition centerOfMassOrientation disableGravity staticFriction dynamicFriction "
        "restitution"
    ),
    ObjectType.ARTICULATION_JOINT: (
        "jointPosition jointVelocity jointPositionTarget jointVelocityTarget jointActuationForce jointStiffness "
        "jointDamping jointMaxVelocity jointMaxForce jointArmature jointViscousFriction jointSpeedEffortGradient "
        "jointMaxActuatorVelocity jointVelocityDependentResistance jointDriveType"
    ),
    ObjectType.ARTICULATION: "rootPosition rootOrientation",
    ObjectType.FIXED_TENDON: (
        "tendonStiffness tendonDamping tendonLimitStiffness tendonOffset tendonLimit tendonRestLength"
    ),
    ObjectType.SPATIAL_TENDON: "tendonStiffness tendonDamping tendonLimitStiffness tendonOffset",
    ObjectType.DEFORMABLE_MATERIAL: (
        "deformableDynamicFriction deformableYoungsModulus deformablePoissonsRatio deformableElasticityDamping"
    ),
    ObjectType.DEBUG_RENDER: DEBUG_SETTINGS,
}

_BODIES = (ObjectType.RIGID_BODY, ObjectType.ARTICULATION_LINK)
_BODY = (ObjectType.RIGID_BODY,)
_LINK = (ObjectType.ARTICULATION_LINK,)
_JOINT = (ObjectType.ARTICULATION_JOINT,)
_ROOT = (ObjectType.ARTICULATION,)
_MATERIAL = (ObjectType.DEFORMABLE_MATERIAL,)
_VEHICLE = (ObjectType.VEHICLE,)
_CONDITIONAL = (
    (
        _BODY,
        "linearVelocity angularVelocity",
        "Of dynamic bodies: a kinematic body moves as its target says, so write kinematicTargetPosition.",
    ),
    (
        _BODY,
        "kinematicTargetPosition kinematicTargetOrientation",
        "Of kinematic bodies that are simulated, and not while PhysX runs without reading back from the GPU.",
    ),
    (_BODIES, "contactOffset restOffset", "Only so that the rest offset stays less than the contact offset."),
    (
        _JOINT,
        "jointLimit",
        "A finite limit only on an axis that was authored with one: PhysX does not limit a free axis later.",
    ),
    (
        _JOINT,
        "jointStaticFriction jointDynamicFriction",
        "Only so that the static friction stays at least the dynamic friction.",
    ),
    (
        _ROOT,
        "rootLinearVelocity rootAngularVelocity",
        "Of articulations with a floating base: a fixed base does not move.",
    ),
    (_VEHICLE, "accelerator", "Of vehicles that are enabled, with a drive that reaches the wheels."),
    (
        _VEHICLE,
        "brake0 brake1 steer",
        "Of enabled vehicles with a drive, and with brakes of that number, or a steering.",
    ),
    (
        _VEHICLE,
        "requestedGear",
        "Of enabled vehicles with a drive. A gear that the gearbox has; 255 where it can change gears by itself. "
        "Without a gearbox, every positive number is forward.",
    ),
    (_VEHICLE, "thrust0 thrust1", "Of enabled vehicles with tracks."),
    (_VEHICLE, "resetToRestState", "Only while the chassis is simulated: its disableSimulation is 0."),
    (
        (ObjectType.CHARACTER_CONTROLLER,),
        "move",
        "Not while PhysX runs without reading back from the GPU. Two writes before one step add up.",
    ),
    (
        _MATERIAL,
        "deformableBendingStiffness deformableThickness deformableBendingDamping",
        "Of surface materials. It acts on deformable bodies, which PhysX simulates on CUDA only.",
    ),
)
_WITHOUT_EFFECT_HERE = (
    (
        _MATERIAL,
        "deformableDynamicFriction deformableYoungsModulus deformablePoissonsRatio deformableElasticityDamping",
        "It acts on deformable bodies, which PhysX simulates on CUDA only.",
    ),
    ((ObjectType.DEBUG_RENDER,), "mbpRegions", "PhysX has no such regions here, and so draws none."),
    ((ObjectType.DEBUG_RENDER,), "simulationMesh", "Of deformable bodies, which PhysX simulates on CUDA only."),
)
"""What is taken and read back, and does nothing on the CPU."""
_WRITE_ONLY = (
    (
        _BODY,
        "force wrench",
        "It acts in the next step only. Two writes before one step add up. Dynamic bodies take it.",
    ),
    (_LINK, "force wrench", "It acts in the next step only. Two writes before one step add up."),
    (
        (ObjectType.VEHICLE_WHEEL,),
        "driveTorque brakeTorque steerAngle",
        "It acts until it is written again. Wheels of enabled vehicles without a drive take it.",
    ),
    (_BODY, "wake", "1 wakes a body, 0 puts it to sleep. Dynamic bodies that are simulated take it."),
)
_NOT_HERE = (
    (_BODIES, "friction", "PhysX has no single friction coefficient: write staticFriction and dynamicFriction."),
    (
        _JOINT,
        "jointFriction",
        "PhysX has no single joint friction: write jointStaticFriction, jointDynamicFriction and jointViscousFriction.",
    ),
    ((ObjectType.SCENE,), "gravity", "PhysX does not take the gravity of a scene once it is open: author it."),
)
_ON_CUDA = {
    ObjectType.DEFORMABLE_VOLUME: "points velocities kinematicTarget",
    ObjectType.DEFORMABLE_SURFACE: "points velocities",
    ObjectType.PARTICLE_SET: "points velocities",
}


def _rows() -> Iterator[tuple[Key, WriteSupport]]:
    for object_type, names in _WRITABLE.items():
        yield from writes(object_type, names).items()
    for object_type, names in _ON_CUDA.items():
        yield from writes(object_type, names, Writability.CONDITIONAL, ON_CUDA_ONLY[object_type]).items()
    for declared, writability in (
        (_WITHOUT_EFFECT_HERE, Writability.WRITABLE),
        (_CONDITIONAL, Writability.CONDITIONAL),
        (_WRITE_ONLY, Writability.WRITE_ONLY),
        (_NOT_HERE, Writability.UNCLASSIFIED),
    ):
        for object_types, names, reason in declared:
            for object_type in object_types:
                yield from writes(object_type, names, writability, reason).items()


WRITES: dict[Key, WriteSupport] = dict(_rows())
