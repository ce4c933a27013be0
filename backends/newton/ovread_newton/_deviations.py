"""Where Newton disagrees with the conventions, as measured. Imports no engine."""

from __future__ import annotations

from ovread.backend import Deviation

_OVNEWTON = "ovnewton 0.2.1"
_NEWTON = "newton 1.8.0"

_MASS = ("mass", "inverseMass", "inertia", "inverseInertia", "centerOfMassPosition")
_COORDINATES = ("jointPosition", "jointVelocity", "jointPositionTarget", "jointVelocityTarget")
_POINTS = ("points", "velocities")
_MOTION = ("position", "orientation", "linearVelocity", "angularVelocity", "jointPosition", "jointVelocity")


def _importer(rule: str, attributes: tuple[str, ...], reason: str) -> Deviation:
    return Deviation(rule, attributes, reason, _OVNEWTON)


def _solver(rule: str, attributes: tuple[str, ...], reason: str) -> Deviation:
    return Deviation(rule, attributes, reason, _NEWTON)


DEVIATIONS = (
    _importer(
        "default-density",
        _MASS,
        "A body without mass and density gets 1000 stage mass units per cubic stage length unit, whatever the stage's "
        "units, instead of 1000 kg/m3.",
    ),
    _importer(
        "initial-velocity-frame",
        ("linearVelocity", "angularVelocity", "rootLinearVelocity", "rootAngularVelocity", "body_qd"),
        "Authored velocities are taken in the body's axes instead of world axes.",
    ),
    _importer(
        "mass-on-collider", _MASS, "PhysicsMassAPI on a collider below the body is ignored; the density counts instead."
    ),
    _importer(
        "material-density", _MASS, "A bound physics material hides PhysicsMassAPI.density, instead of yielding to it."
    ),
    _importer(
        "no-mass",
        _MASS,
        "A body with neither collider nor mass has mass 0, instead of 1, and most solvers refuse it; one with mass "
        "alone has an inertia of 1e-6.",
    ),
    _importer(
        "bounding-sphere-mass", _MASS, "The approximation boundingSphere leaves mass and inertia those of the mesh."
    ),
    _importer(
        "center-of-mass-without-inertia",
        ("inertia", "inverseInertia"),
        "An authored centre of mass moves the colliders' inertia along, without the parallel-axis term.",
    ),
    _importer("acceleration-drive", _MOTION, "A drive of type acceleration is imported as a force drive."),
    _importer(
        "locked-free-axis",
        ("jointPosition", "jointVelocity"),
        "An axis of a D6 joint without PhysicsLimitAPI is locked instead of free, and has no row: author wide limits.",
    ),
    _importer(
        "joint-axis-schema",
        ("jointArmature", "jointFriction", "jointMaxVelocity"),
        "PhysxJointAxisAPI is ignored: author NewtonJointAPI.",
    ),
    _importer(
        "cone-limit", ("jointLimit",), "The cone limits of a spherical joint are dropped: its axes read as unlimited."
    ),
    _importer(
        "world-anchor",
        ("position", "orientation", "jointPosition", "jointLimit"),
        "The world side of a joint's frame is ignored: the joint is at zero where the body is authored.",
    ),
    _solver(
        "successive-turns",
        (*_COORDINATES, "jointLimit", "jointArmature"),
        "A D6 joint that rotates about several axes turns about them one after the other: its limits and armature are "
        "about these turns, and with two axes its links can also twist about the third.",
    ),
    _importer(
        "merged-joints",
        ("jointPosition", "jointVelocity"),
        "Revolute and prismatic joints between the same two bodies become one joint, at the path that sorts first.",
    ),
    _importer("swapped-bodies", _COORDINATES, "A joint whose body1 is nearer to the root than body0 is refused."),
    _importer(
        "one-link-articulation",
        ("rootPosition", "rootOrientation"),
        "An articulation root on a body without joints is an articulation with one link, not a rigid body.",
    ),
    _importer(
        "floating-root",
        ("rootPosition", "rootOrientation", "rootLinearVelocity", "rootAngularVelocity"),
        "The root of a floating articulation is the link that is never body1, whichever prim has the root schema.",
    ),
    _importer(
        "disabled-body", _MOTION, "rigidBodyEnabled=false, startsAsleep and disableGravity are ignored: the body falls."
    ),
    _importer(
        "friction",
        ("friction",),
        "The one coefficient is the authored dynamic friction, 1.0 where none is authored; static friction is dropped.",
    ),
    _importer(
        "damping",
        ("linearVelocity", "angularVelocity", "linearAcceleration", "angularAcceleration"),
        "Damping and maximal velocities of PhysxRigidBodyAPI are ignored: nothing is damped or clamped.",
    ),
    _importer(
        "deformables",
        (*_POINTS, "restPoints", "simElementIndices"),
        "Of deformables only surfaces of the schema PhysicsSurfaceDeformableSimAPI are imported, where their prim is "
        "neither placed nor turned and their thickness is constant; volumes and curves of that family are refused, and "
        "deformables and particles of the OmniPhysics and Physx schemas are dropped.",
    ),
    _importer(
        "surface-triangles",
        ("simElementIndices",),
        "Polygons are cut into fans of triangles, and the nodes of left-handed ones are in reversed order.",
    ),
    _importer(
        "contact-report-settings",
        ("netNormalContactForce", "rawContactForce", "contactEventType"),
        "physxContactReport:threshold and reportPairs are ignored: a sensor reports every contact, however weak.",
    ),
    _solver(
        "velocity-target",
        _MOTION,
        "The mujoco solver ignores the velocity target of a drive that has stiffness too.",
    ),
    _solver("velocity-limit", ("jointVelocity", "jointMaxVelocity"), "Only the steel solver enforces velocity limits."),
    _solver(
        "soft-limits",
        ("jointPosition", "jointLimit"),
        "The mujoco, featherstone, semi_implicit, vbd and xpbd solvers let joints overshoot their limits: limits are "
        "springs, or solved incompletely.",
    ),
    _solver(
        "restitution",
        ("linearVelocity", "restitution"),
        "The mujoco, featherstone, semi_implicit and vbd solvers ignore the coefficient of restitution.",
    ),
    _solver(
        "featherstone-body-order",
        _MOTION,
        "The featherstone solver computes a wrong mass matrix where bodies are in another order than their joints.",
    ),
    _solver(
        "joint-outside-articulation",
        _MOTION,
        "Joints outside articulations are simulated by xpbd, semi_implicit, vbd and kamino; with the others the bodies "
        "stand still or fall.",
    ),
    _solver(
        "unequal-contact-forces",
        ("netNormalContactForce", "normalContactForceMatrix", "rawContactForce"),
        "With the xpbd solver two bodies in touch push each other with different forces where one has more contact "
        "points than the other; what is read is the mean.",
    ),
    _solver(
        "sleeping-contact-forces",
        ("netNormalContactForce", "normalContactForceMatrix", "rawContactForce"),
        "Bodies that the steel solver has put to sleep touch without a force; open without sleeping to read it.",
    ),
    _solver(
        "contact-scale",
        _MOTION,
        "Contact stiffness, margins and thresholds of the solvers are numbers for metres and kilograms, whatever the "
        "stage's units.",
    ),
    _solver(
        "ignored-joint-properties",
        ("jointMaxForce", "jointArmature", "jointFriction"),
        "The xpbd and vbd solvers ignore effort limits, armature and joint friction; on the CPU, joint friction has "
        "an effect with mujoco and kamino only.",
    ),
    _solver(
        "joints-come-apart",
        _MOTION,
        "The xpbd, semi_implicit, vbd and kamino solvers pull bodies together: two links of 1 m part by less than a "
        "millimetre (vbd) to a centimetre (kamino, xpbd) at steps of 1/60 s.",
    ),
    _solver(
        "velocity-from-positions",
        ("linearVelocity", "angularVelocity", "velocities", "body_qd"),
        "The vbd solver takes velocities from differences of positions, which single precision rounds: the error grows "
        "with the distance from the origin and with smaller steps.",
    ),
    _solver("style3d-damping", _POINTS, "The style3d solver takes 0.2 % of each velocity at each step."),
    _solver(
        "surface-without-stiffness",
        _POINTS,
        "The xpbd solver lets surfaces stretch and shear without resistance.",
    ),
)
