"""What this backend says of itself, without loading the engine."""

from __future__ import annotations

import importlib.metadata

from ovread.backend import BackendInfo, Deviation, Option
from ovread_physx._authoring import AUTHORING
from ovread_physx._imports import IMPORTS
from ovread_physx._support import SUPPORT
from ovread_physx._writable import WRITES

_MEASURED = "ovphysx 0.7.0"
_DOFS = "dofCount dofJointPath dofAxisIndex jacobianShape"
_MATRICES = "massMatrix jacobian gravityForce coriolisForce centroidalMomentum"


def _deviation(rule: str, attributes: str, reason: str, link: str = "") -> Deviation:
    return Deviation(rule, tuple(attributes.split()), reason, _MEASURED, link=link)


_DEVIATIONS = (
    _deviation(
        "world-hinge-welded",
        "jointPosition jointVelocity jointPositionTarget jointVelocityTarget jointLimit jointMaxVelocity "
        "jointStiffness jointDamping jointArmature jointStaticFriction jointDynamicFriction jointViscousFriction "
        "jointActuationForce jointProjectedForce linearVelocity angularVelocity linearAcceleration angularAcceleration "
        "linkIncomingJointForce rootLinearVelocity rootAngularVelocity dofCount dofJointPath dofAxisIndex isFixedBase "
        "jacobianShape coriolisForce",
        "A hinge or slider with one empty body under an articulation root becomes a fixed base: the joint has no row "
        "and its link never moves. Author a base link, fixed to the world, and hang the joint on it.",
    ),
    _deviation(
        "one-sided-limit-locks",
        "jointLimit jointPosition jointVelocity position orientation linearVelocity angularVelocity linearAcceleration "
        "angularAcceleration linkIncomingJointForce jointProjectedForce",
        "A joint with only a lower or only an upper limit reads the limit (0, 0) and is locked at 0. Author a large "
        "finite number for the other side.",
    ),
    _deviation(
        "articulation-slides-locked",
        f"{_DOFS} jointPosition jointVelocity jointPositionTarget jointVelocityTarget jointLimit jointMaxVelocity "
        "jointStiffness jointDamping jointArmature jointStaticFriction jointDynamicFriction jointViscousFriction "
        "jointActuationForce jointMaxForce jointDriveType jointProjectedForce position kinematicTargetPosition "
        "linearVelocity linearAcceleration angularAcceleration linkIncomingJointForce centerOfMassWorld "
        "centerOfMassLocal",
        "A D6 joint in an articulation loses its translational axes: PhysX locks them.",
    ),
    _deviation(
        "joint-rate-cap",
        "position orientation linearVelocity angularVelocity linearAcceleration angularAcceleration jointPosition "
        "jointVelocity linkIncomingJointForce jointProjectedForce rootPosition rootOrientation rootLinearVelocity "
        "rootAngularVelocity centerOfMassWorld centerOfMassLocal coriolisForce gravityForce massMatrix jacobian "
        "centroidalMomentum kinematicTargetPosition kinematicTargetOrientation",
        "Joints in articulations move at 100 stage lengths, or 100 rad, per second at most, whatever jointMaxVelocity "
        "reads or is authored; where one is faster, the rates of the whole robot are scaled down, for coriolisForce "
        "too. On a stage in millimetres a slider stops at 0.1 m/s: use metres or centimetres.",
    ),
    _deviation(
        "acceleration-of-lost-contact",
        "linearAcceleration angularAcceleration",
        "In the step in which a body loses its last contact, its accelerations read 0, though its velocity changes.",
    ),
    _deviation(
        "target-wraps",
        "jointPositionTarget linearAcceleration angularAcceleration linkIncomingJointForce jointProjectedForce",
        "Position targets of an unlimited hinge beyond a full turn read, and act, modulo 360 degrees.",
    ),
    _deviation(
        "effort-not-transmitted",
        "linkIncomingJointForce jointProjectedForce",
        "What jointActuationForce exerts on a joint is missing in the forces of the joints between it and the root: "
        "these read as if nothing had been written. Drives are in them.",
    ),
    _deviation(
        "effort-not-transmitted",
        "linkIncomingJointForce jointProjectedForce",
        "What jointActuationForce exerts on a joint is missing in the forces of the joints between it and the root: "
        "these read as if nothing had been written. Drives are in them.",
    ),
    _deviation(
        "floating-root-choice",
        f"{_MATRICES} rootPosition rootOrientation rootLinearVelocity rootAngularVelocity centerOfMassLocal "
        "centerOfMassWorld position orientation linearVelocity angularVelocity linearAcceleration angularAcceleration "
        "linkIncomingJointForce",
        "Where the articulation root is authored on an ancestor of a floating chain, the root link is the one in the "
        "middle of the tree. Author PhysicsArticulationRootAPI on the link itself.",
    ),
    _deviation(
        "single-link-articulation",
        "rootPosition linkCount",
        "An articulation of one link whose root is authored on an ancestor is a RIGID_BODY and nothing else. Author "
        "PhysicsArticulationRootAPI on the body.",
    ),
    _deviation(
        "cone-inertia",
        "inertia inverseInertia mass inverseMass centerOfMassPosition",
        "The inertia that a cone collider gives is about the prim's origin, not the centre of mass; its mass is that "
        "of a cone with flat sides, less by 2 in 10000.",
    ),
    _deviation(
        "gravity-not-normalised",
        "linearAcceleration linearVelocity",
        "gravityDirection is used as authored, its length included; a zero direction means no gravity, and a negative "
        "magnitude is taken literally.",
    ),
    _deviation(
        "default-angular-damping",
        "angularVelocity angularAcceleration",
        "Bodies lose 5 % of their spin per second unless physxRigidBody:angularDamping is 0, and spin at 100 rad/s at "
        "most.",
    ),
    _deviation(
        "force-counts-when-written",
        "force wrench mass inertia centerOfMassPosition position orientation",
        "A force or wrench on a RIGID_BODY gives the acceleration that it gives the mass, centre of mass and pose of "
        "the moment when it is written, and is lost when the body is put to sleep or disabled before the step. Write "
        "these first, and forces last.",
        "backends/physx/tests/test_write_bodies.py",
    ),
    _deviation(
        "instancer-holes",
        "positions orientations velocities angularVelocities accelerations angularAccelerations",
        "Instances of a point instancer that are no rigid bodies read zeros, a quaternion of zeros included, and those "
        "after the last rigid body are left out. Opening names such instancers.",
        "backends/physx/tests/test_object_types.py",
    ),
    _deviation(
        "instancer-in-several-scenes",
        "position positions",
        "While the instances of one point instancer are in several physics scenes, no rigid body can be read at all.",
        "backends/physx/tests/test_object_types.py",
    ),
    _deviation(
        "wheels-of-an-idle-vehicle",
        "position",
        "The wheels of a vehicle that was never updated, as one that is disabled from the start, are at the chassis' "
        "centre of mass.",
        "backends/physx/tests/test_readable_vehicles.py",
    ),
    _deviation(
        "first-material-only",
        "staticFriction dynamicFriction restitution",
        "A shape with several materials reports the first.",
        "backends/physx/tests/test_readable_bodies.py",
    ),
)


def describe() -> BackendInfo:
    """Describe the backend."""
    try:
        engine = f"ovphysx {importlib.metadata.version('ovphysx')}"
        reason = ""
    except importlib.metadata.PackageNotFoundError:
        engine, reason = "ovphysx", "ovphysx is not installed: pip install ovphysx"
    return BackendInfo(
        engine=engine,
        summary="NVIDIA PhysX, through ovphysx.",
        support=SUPPORT,
        writes=WRITES,
        options=(
            Option(
                "num_threads",
                "Worker threads of PhysX, 0 to 255, for the whole process; 0 steps on the calling thread, which is "
                "fastest for all but the largest scenes, and gives the same results.",
                default=0,
            ),
        ),
        deviations=_DEVIATIONS,
        imports=IMPORTS,
        available=not reason,
        reason=reason,
        authoring=AUTHORING,
    )
