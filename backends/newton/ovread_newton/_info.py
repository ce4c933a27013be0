"""What the backend says of itself: support per attribute, options, known deviations. Imports no engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import metadata

from ovread.backend import BackendInfo, Key, Level, Option, Support, supports
from ovread.catalogue import ObjectType, Persistence, attribute, attributes
from ovread_newton._authoring import AUTHORING
from ovread_newton._deviations import DEVIATIONS
from ovread_newton._imports import IMPORTS
from ovread_newton._solvers import (
    ACCELERATIONS,
    CONTACT_FORCES,
    DEFAULT_SOLVER,
    JOINT_FORCES,
    SOLVERS,
    why_not_moved,
    why_not_reported,
)
from ovread_newton._writable import declare_write_variant, declare_writes

_BODY = ObjectType.RIGID_BODY
_LINK = ObjectType.ARTICULATION_LINK
_JOINT = ObjectType.ARTICULATION_JOINT
_ARTICULATION = ObjectType.ARTICULATION
_SCENE = ObjectType.SCENE
_SURFACE = ObjectType.DEFORMABLE_SURFACE
_VOLUME = ObjectType.DEFORMABLE_VOLUME
_PARTICLES = ObjectType.PARTICLE_SET
_FIXED_TENDON = ObjectType.FIXED_TENDON
_SPATIAL_TENDON = ObjectType.SPATIAL_TENDON
_SENSOR = ObjectType.CONTACT_SENSOR

_ACCELERATION_NAMES = "linearAcceleration angularAcceleration"
_BODY_NAMES = (
    "position orientation linearVelocity angularVelocity mass inverseMass inertia inverseInertia centerOfMassPosition "
    f"centerOfMassOrientation restitution shapeCount friction contactOffset restOffset isSleeping "
    f"disableGravity kinematicTargetPosition kinematicTargetOrientation body_q body_qd {_ACCELERATION_NAMES}"
)
_JOINT_NAMES = (
    "jointPosition jointVelocity jointPositionTarget jointVelocityTarget jointActuationForce jointStiffness "
    "jointDamping jointLimit jointMaxVelocity jointMaxForce jointArmature jointFriction jointViscousFriction joint_q "
    "joint_qd"
)
_JOINT_FORCES = ((_LINK, "linkIncomingJointForce"), (_JOINT, "jointProjectedForce"))
_VELOCITIES = (
    (_BODY, "linearVelocity angularVelocity body_qd"),
    (_LINK, "linearVelocity angularVelocity body_qd"),
    (_ARTICULATION, "rootLinearVelocity rootAngularVelocity"),
    (_SURFACE, "velocities"),
    (_VOLUME, "velocities"),
    (_PARTICLES, "velocities"),
)
_DYNAMICS = "jacobian massMatrix coriolisForce gravityForce centroidalMomentum"
_ARTICULATION_NAMES = (
    "rootPosition rootOrientation rootLinearVelocity rootAngularVelocity dofCount linkCount jointCount isFixedBase "
    "dofJointPath dofAxisIndex restitution contactOffset restOffset shapeCount "
    f"centerOfMassWorld centerOfMassLocal jacobianShape fixedTendonCount spatialTendonCount {_DYNAMICS}"
)

_POINT_NAMES = "points velocities"
_SOFT_NAMES = f"{_POINT_NAMES} restPoints simElementIndices"
_TENDON_NAMES = "tendonStiffness tendonDamping"
CONTACT_FORCE_NAMES = (
    "netNormalContactForce netFrictionContactForce normalContactForceMatrix frictionContactForceMatrix "
    "filteredContactForce filteredFrictionForce rawContactForce contactEventPointImpulse contactEventAnchorImpulse"
)
"""What follows from contact forces; everything else of contacts follows from where shapes touch."""

CONTACT_NAMES = (
    f"{CONTACT_FORCE_NAMES} filteredContactCount filteredContactPoint filteredContactNormal filteredContactSeparation "
    "filteredFrictionCount filteredFrictionPoint rawContactPoint rawContactNormal rawContactSeparation "
    "rawContactOtherBody contactEventType contactEventSensorSide contactEventCollider contactEventOtherBody "
    "contactEventOtherCollider contactEventProtoIndex contactEventOtherProtoIndex contactEventPointCount "
    "contactEventAnchorCount contactEventPointPosition contactEventPointNormal contactEventPointSeparation "
    "contactEventAnchorPosition"
)

_ONE_FRICTION = "Newton has one friction coefficient per shape: read friction."
_ONE_JOINT_FRICTION = "Newton has one friction effort per axis: read jointFriction."
_NO_ENVELOPE = "Newton has no drive envelope."
_NO_HANDLE = "Newton has no PhysX objects."
_AWAKE = "Only the steel solver lets bodies sleep, where the scene is opened with sleeping=True."
_OWN_CONTACTS = "The mujoco solver finds contacts itself and sets the margins of shapes to zero."
_POSITIONS_FORCE = (
    "The xpbd solver derives forces from the corrections of positions that its iterations made, which had not "
    "converged: in the first steps of a moving robot some are off by ten to twenty times their size."
)
_POSITIONS_FORCE_TOLERANCE = 20.0
_RATES = " Rates are those of the links along the joint's axes; in first steps links also move across them, as fast."
_POSITIONS_TOLERANCE = 0.01
_RATES_TOLERANCE = 1.5
_DIFFERENCES = (
    "The vbd solver takes velocities from differences of positions, which single precision rounds: by about 1e-7 of "
    "the distance from the origin per time step."
)
_APPROXIMATE_CONTACTS = {
    "xpbd": (
        "The xpbd solver divides each contact's push by the number of contacts of either body, and reports the mean: "
        "right between a body and scenery, but not between two bodies with different numbers of contact points. The "
        "upper of two stacked boxes reads two thirds of its weight.",
        0.4,
    ),
    "vbd": (
        "The vbd solver stops before contacts have converged: forces on a box on scenery are off by a twentieth, "
        "between two boxes by a sixth with steps of 1/60 s; steps of 1/240 s are better: take substeps.",
        0.2,
    ),
}

_UNSUPPORTED: tuple[tuple[tuple[ObjectType, ...], str, str], ...] = (
    ((_BODY, _LINK), "disableSimulation", "Newton cannot leave a body out of the simulation."),
    ((_BODY, _LINK, _ARTICULATION), "staticFriction dynamicFriction", _ONE_FRICTION),
    ((_LINK, _JOINT, _ARTICULATION, _SCENE, _PARTICLES), "physxPointer", _NO_HANDLE),
    ((_JOINT,), "jointStaticFriction jointDynamicFriction", _ONE_JOINT_FRICTION),
    (
        (_JOINT,),
        "jointSpeedEffortGradient jointMaxActuatorVelocity jointVelocityDependentResistance",
        _NO_ENVELOPE,
    ),
    ((_JOINT,), "jointDriveType", "ovnewton imports acceleration drives as force drives, so Newton cannot tell."),
    (
        (_VOLUME,),
        "collisionElementIndices",
        "Newton has no collision mesh of tetrahedra: the outer triangles of the simulation mesh collide.",
    ),
    ((_VOLUME,), "kinematicTarget", "Newton has no targets of nodes: give particles no mass, and set their positions."),
    (
        (_FIXED_TENDON, _SPATIAL_TENDON),
        "tendonOffset",
        "MuJoCo's tendons have no offset: it is part of their rest length and limits.",
    ),
    (
        (_FIXED_TENDON, _SPATIAL_TENDON),
        "tendonLimitStiffness",
        "MuJoCo's limits have a time constant and a damping ratio, not a stiffness.",
    ),
    (
        (_BODY,),
        "positions orientations velocities angularVelocities accelerations angularAccelerations",
        "ovnewton refuses stages with point instancers of bodies.",
    ),
    (
        (_SENSOR,),
        "contactEventPointFaceIndex contactEventPointOtherFaceIndex",
        "Newton does not report which faces of a mesh touch.",
    ),
    (
        (_SENSOR,),
        "contactEventPointMaterial contactEventPointOtherMaterial",
        "ovnewton keeps the coefficients of a collider's material, not its path: read friction and restitution.",
    ),
)

_UNSUPPORTED_TYPES: tuple[tuple[tuple[ObjectType, ...], str], ...] = (
    ((ObjectType.VEHICLE, ObjectType.VEHICLE_WHEEL), "Newton has no vehicles."),
    ((ObjectType.CHARACTER_CONTROLLER,), "Newton has no character controllers."),
    (
        (ObjectType.DEFORMABLE_MATERIAL,),
        "Newton keeps no deformable materials: each triangle, tetrahedron and edge has coefficients of its own.",
    ),
    ((ObjectType.DEBUG_RENDER,), "Newton makes no debug geometry of this kind."),
    (
        (
            ObjectType.PHYSX_MATERIAL,
            ObjectType.SHAPE,
            ObjectType.COMPOUND_SHAPE,
            ObjectType.RIGID_ACTOR,
            ObjectType.JOINT,
            ObjectType.CUSTOM_JOINT,
            ObjectType.PARTICLE_SYSTEM,
            ObjectType.PHYSICS,
        ),
        _NO_HANDLE,
    ),
)


def describe() -> BackendInfo:
    """Return the description."""
    versions = [f"{name} {metadata.version(name)}" for name in ("newton", "ovnewton")]
    return BackendInfo(
        engine=", ".join(versions),
        summary="Newton on a USD stage imported by ovnewton, with a choice of solvers.",
        support=_support(),
        variants={name: _variant(name) for name in SOLVERS},
        writes=declare_writes(),
        write_variants={name: declare_write_variant(name) for name in SOLVERS},
        options=(
            Option("solver", "The solver that advances the simulation.", DEFAULT_SOLVER, tuple(SOLVERS)),
            Option(
                "corrections",
                "Which corrections of the import apply: True for all, False for none, or their names.",
                True,
            ),
            Option("sleeping", "Whether bodies at rest may sleep; the steel solver only.", False),
            Option("substeps", "Solver steps per step, each of dt / substeps.", 1),
        ),
        deviations=DEVIATIONS,
        authoring=AUTHORING,
        imports=IMPORTS,
    )


def _support() -> Mapping[Key, Support]:
    table: dict[Key, Support] = {}
    for types, names, reason in _UNSUPPORTED:
        for object_type in types:
            table |= supports(object_type, names, Level.UNSUPPORTED, reason)
    for types, reason in _UNSUPPORTED_TYPES:
        for object_type in types:
            names = " ".join(row.name for row in attributes(object_type))
            table |= supports(object_type, names, Level.UNSUPPORTED, reason)
    for object_type, names in (
        (_BODY, _BODY_NAMES),
        (_LINK, f"{_BODY_NAMES} linkIncomingJointForce"),
        (_JOINT, f"{_JOINT_NAMES} jointProjectedForce"),
        (_ARTICULATION, _ARTICULATION_NAMES),
        (_SCENE, "gravity"),
        (_SURFACE, _SOFT_NAMES),
        (_VOLUME, _SOFT_NAMES),
        (_PARTICLES, _POINT_NAMES),
        (_FIXED_TENDON, f"{_TENDON_NAMES} tendonLimit tendonRestLength"),
        (_SPATIAL_TENDON, _TENDON_NAMES),
        (_SENSOR, CONTACT_NAMES),
    ):
        table |= supports(object_type, names)
    return table


def _variant(name: str) -> Mapping[Key, Support]:
    kind = SOLVERS[name]
    table: dict[Key, Support] = {}
    if ACCELERATIONS not in kind.observables:
        reason = why_not_reported(name, ACCELERATIONS)
        for object_type in (_BODY, _LINK):
            table |= supports(object_type, _ACCELERATION_NAMES, Level.UNSUPPORTED, reason)
    if name != "steel":
        for object_type in (_BODY, _LINK):
            table |= supports(object_type, "isSleeping", Level.UNSUPPORTED, _AWAKE)
    if name == "mujoco":
        for object_type in (_BODY, _LINK, _ARTICULATION):
            table |= supports(object_type, "contactOffset restOffset", Level.UNSUPPORTED, _OWN_CONTACTS)
    for object_type, forces in _JOINT_FORCES:
        if JOINT_FORCES not in kind.observables:
            table |= supports(object_type, forces, Level.UNSUPPORTED, why_not_reported(name, JOINT_FORCES))
        elif name == "xpbd":
            table |= supports(object_type, forces, Level.APPROXIMATE, _POSITIONS_FORCE, _POSITIONS_FORCE_TOLERANCE)
    if not kind.moves_bodies:
        reason = f"The {name} solver does not move bodies, so they do not push each other: take another solver."
        table |= supports(_SENSOR, CONTACT_NAMES, Level.UNSUPPORTED, reason)
    elif CONTACT_FORCES not in kind.observables:
        table |= supports(_SENSOR, CONTACT_FORCE_NAMES, Level.UNSUPPORTED, why_not_reported(name, CONTACT_FORCES))
    elif name in _APPROXIMATE_CONTACTS:
        reason, tolerance = _APPROXIMATE_CONTACTS[name]
        table |= supports(_SENSOR, CONTACT_FORCE_NAMES, Level.APPROXIMATE, reason, tolerance)
    if not kind.keeps_joint_state:
        reason = (
            f"The {name} solver moves bodies, not joints: joint coordinates are computed from the poses of the links "
            "when they are read, so an angle is between -180 and 180 degrees, whole turns being lost."
        )
        table |= supports(_JOINT, "jointPosition joint_q", Level.APPROXIMATE, reason, _POSITIONS_TOLERANCE)
        table |= supports(_JOINT, "jointVelocity joint_qd", Level.APPROXIMATE, reason + _RATES, _RATES_TOLERANCE)
    if name == "vbd":
        for object_type, velocities in _VELOCITIES:
            table |= supports(object_type, velocities, Level.APPROXIMATE, _DIFFERENCES)
    if not kind.is_reduced:
        reason = (
            f"The {name} solver moves bodies, not joints, and lets joints come slightly apart: values are those of the "
            "links where they are, and agree with a tree of rigid joints to a hundredth or two."
        )
        table |= supports(_ARTICULATION, _DYNAMICS, Level.APPROXIMATE, reason, 0.02)
    if not kind.moves_bodies:
        table |= _state_unsupported((_BODY, _LINK, _JOINT, _ARTICULATION), why_not_moved(name, "bodies"))
    if not kind.moves_particles:
        table |= _state_unsupported((_SURFACE, _VOLUME, _PARTICLES), why_not_moved(name, "particles"))
    if name != "mujoco":
        table |= _unsupported((_FIXED_TENDON, _SPATIAL_TENDON), "Only the mujoco solver simulates tendons.")
    return table


def _state_unsupported(types: Sequence[ObjectType], reason: str) -> Mapping[Key, Support]:
    """Withdraw what changes with time, which would tell of motion where there is none."""
    return {
        key: support
        for key, support in _unsupported(types, reason).items()
        if attribute(*key).persistence is not Persistence.PROPERTY
    }


def _unsupported(types: Sequence[ObjectType], reason: str) -> Mapping[Key, Support]:
    """Withdraw what other solvers serve."""
    served = (key for key, support in _support().items() if support.level is not Level.UNSUPPORTED)
    return {key: Support(Level.UNSUPPORTED, reason) for key in served if key[0] in types}
