"""Where Newton disagrees with the conventions, as measured. Imports no engine."""

from __future__ import annotations

from ovread.backend import Deviation

_OVNEWTON = "ovnewton 0.2.1"
_NEWTON = "newton 1.8.0"

_COORDINATES = ("jointPosition", "jointVelocity", "jointPositionTarget", "jointVelocityTarget")
_POINTS = ("points", "velocities")
_FORCES = ("linearAcceleration", "angularAcceleration", "linkIncomingJointForce", "jointProjectedForce")
_STILL = ("style3d", "implicit_mpm")
_WITHOUT_WEIGHTLESS = ("steel", "xpbd", "featherstone", "semi_implicit", "vbd", "kamino")
_MOVING = ("mujoco", *_WITHOUT_WEIGHTLESS)
_WITH_EXACT_FORCES = ("mujoco", "steel", "kamino")
_DYNAMICS = ("jacobian", "massMatrix", "coriolisForce", "gravityForce")
_ARTICULATION = (
    "rootPosition",
    "rootOrientation",
    "rootLinearVelocity",
    "rootAngularVelocity",
    "centerOfMassWorld",
    "centerOfMassLocal",
    "centroidalMomentum",
)
_TARGETS = ("kinematicTargetPosition", "kinematicTargetOrientation")
_NATIVE = ("body_q", "body_qd", "joint_q", "joint_qd")
_TOUCH = (
    "filteredContactPoint",
    "filteredFrictionPoint",
    "rawContactPoint",
    "rawContactNormal",
    "rawContactOtherBody",
    "contactEventType",
    "contactEventSensorSide",
    "contactEventCollider",
    "contactEventOtherBody",
    "contactEventOtherCollider",
    "contactEventProtoIndex",
    "contactEventOtherProtoIndex",
    "contactEventPointCount",
    "contactEventPointPosition",
    "contactEventPointNormal",
    "contactEventAnchorCount",
    "contactEventAnchorPosition",
)
_CONTACT_FORCES = (
    "netNormalContactForce",
    "netFrictionContactForce",
    "normalContactForceMatrix",
    "frictionContactForceMatrix",
    "rawContactForce",
    "filteredContactForce",
    "filteredFrictionForce",
    "contactEventPointImpulse",
    "contactEventAnchorImpulse",
)
_MOTION = ("position", "orientation", "linearVelocity", "angularVelocity", "jointPosition", "jointVelocity")


def _importer(
    rule: str, attributes: tuple[str, ...], reason: str, solvers: tuple[str, ...] = (), link: str = ""
) -> Deviation:
    return Deviation(rule, attributes, reason, _OVNEWTON, solvers, link=link)


def _solver(
    rule: str,
    attributes: tuple[str, ...],
    reason: str,
    solvers: tuple[str, ...] = (),
    scene: str = "",
    link: str = "",
) -> Deviation:
    return Deviation(rule, attributes, reason, _NEWTON, solvers, scene, link)


def _in_scenes(
    scenes: tuple[str, ...], rule: str, attributes: tuple[str, ...], reason: str, solvers: tuple[str, ...]
) -> tuple[Deviation, ...]:
    """Declare a deviation once for each scene that shows it."""
    return tuple(_solver(rule, attributes, reason, solvers, scene) for scene in scenes)


_APART = (
    "The xpbd, semi_implicit, vbd and kamino solvers pull bodies together: two links of 1 m part by less than a "
    "millimetre (vbd) to a centimetre (kamino, xpbd) at steps of 1/60 s, and the link of a slider turns."
)

DEVIATIONS = (
    _importer(
        "acceleration-drive",
        (*_MOTION, *_FORCES),
        "A drive of type acceleration is imported as a force drive.",
        _WITH_EXACT_FORCES,
    ),
    _importer(
        "acceleration-drive-motion",
        _MOTION,
        "A drive of type acceleration is imported as a force drive; these solvers report no exact force that shows it.",
        ("xpbd", "featherstone", "semi_implicit", "vbd"),
    ),
    _importer(
        "mirrored-mesh",
        ("mass", "centerOfMassPosition", "inertia"),
        "A stage with a mesh collider that is scaled by a negative factor is refused with the mujoco solver.",
        ("mujoco",),
    ),
    _importer(
        "cone-limit", ("jointLimit",), "The cone limits of a spherical joint are dropped: its axes read as unlimited."
    ),
    _solver(
        "successive-turns",
        (*_MOTION, *_COORDINATES, *_FORCES, "jointLimit", "jointArmature"),
        "A D6 joint that rotates about several axes turns about them one after the other: its limits, armature and "
        "drives are about these turns, and with two axes its links can also twist about the third.",
        _WITH_EXACT_FORCES,
    ),
    _solver(
        "successive-turns-unseen",
        (*_COORDINATES, "jointLimit", "jointArmature"),
        "As successive-turns; these solvers report no exact force that shows it.",
        ("xpbd", "featherstone", "semi_implicit", "vbd"),
        link="docs/decisions/index.md",
    ),
    _importer(
        "merged-joints",
        ("jointPosition", "jointVelocity"),
        "Revolute and prismatic joints between the same two bodies become one joint, at the path that sorts first.",
        link="docs/newton-import.md#reports",
    ),
    _importer(
        "swapped-multi-axis",
        (*_MOTION, *_NATIVE, *_TARGETS, *_DYNAMICS, *_ARTICULATION, *_FORCES, "jointLimit"),
        "A joint about several axes whose body0 moves has the values of the reverse motion.",
        _MOVING,
    ),
    _importer(
        "fixed-root-link",
        ("isFixedBase", "jacobianShape", "jacobian"),
        "An articulation whose root schema is on a link that a joint fixes to the world has a fixed base.",
    ),
    _importer(
        "starts-asleep",
        (*_MOTION, "linearAcceleration", "isSleeping"),
        "startsAsleep is ignored: the body starts awake.",
        _MOVING,
    ),
    _importer(
        "friction",
        ("friction", "position", "linearVelocity", "linearAcceleration"),
        "The one coefficient is the authored dynamic friction; static friction and combine modes are dropped.",
        _MOVING,
    ),
    _solver(
        "disable-gravity",
        ("disableGravity", "linearVelocity", "linearAcceleration", "jointVelocity"),
        "Only the mujoco solver leaves single bodies out of gravity.",
        (*_WITHOUT_WEIGHTLESS, *_STILL),
    ),
    _solver(
        "damping",
        ("linearVelocity", "angularVelocity", "linearAcceleration", "angularAcceleration"),
        "Only the steel solver damps and clamps bodies as PhysxRigidBodyAPI says, and of articulations just the root.",
        tuple(solver for solver in _MOVING if solver != "steel"),
    ),
    _solver(
        "default-angular-damping",
        ("angularVelocity", "angularAcceleration"),
        "Bodies lose 5 % of their spin per second unless physxRigidBody:angularDamping is 0, as with PhysX.",
        ("steel",),
    ),
    _solver(
        "velocity-limit",
        ("jointVelocity", "jointMaxVelocity"),
        "Only the steel solver enforces velocity limits.",
        ("mujoco", "xpbd", "featherstone", "vbd", "kamino"),
    ),
    _solver(
        "soft-limits",
        ("jointPosition", "jointVelocity", "jointLimit"),
        "The mujoco, featherstone, semi_implicit, vbd, kamino and xpbd solvers let joints overshoot their limits: "
        "limits are springs, or solved incompletely.",
        ("mujoco", "xpbd", "featherstone", "kamino"),
    ),
    _solver(
        "restitution",
        ("linearVelocity", "restitution", "linearAcceleration"),
        "The mujoco, featherstone, semi_implicit and vbd solvers ignore the coefficient of restitution.",
        ("mujoco", "featherstone", "semi_implicit", "vbd"),
    ),
    *_in_scenes(
        (
            "fixed tree*",
            "floating tree*",
            "rubbing joints*",
            "environments",
            "only a* limit",
            "target beyond a turn",
            "acceleration drive",
            "hinge *",
            "slider *",
            "written efforts*",
            "pendulums",
            "bound of *by file",
            "armature by file",
            "*friction of a joint by file",
            "stop",
            "articulation root above a chain",
            "held root link",
            "anchor elsewhere",
            "cone of a ball joint",
            "loop",
        ),
        "joint-springs",
        (*_MOTION, *_NATIVE, *_TARGETS, *_DYNAMICS, *_ARTICULATION),
        "The semi_implicit solver holds joints by explicit springs whose stiffness and damping are numbers for metres "
        "and kilograms: robots with light links come apart and diverge within 16 steps of 1/240 s.",
        ("semi_implicit",),
    ),
    _solver(
        "soft-limits",
        ("jointPosition", "jointLimit"),
        "A pendulum that falls from 40 degrees onto a limit of 25 degrees passes it and swings on to -168 degrees.",
        ("semi_implicit",),
        "limit of a joint",
    ),
    _solver(
        "penalty-contacts",
        (*_TOUCH, *_MOTION),
        "Contacts of the featherstone and semi_implicit solvers are explicit springs and dampers: boxes tilt, piles "
        "fall, and boxes bounce off what they rest on, with steps of 1/60 s at once.",
        ("featherstone", "semi_implicit"),
        "resting boxes, *",
    ),
    _solver(
        "joint-outside-articulation",
        _MOTION,
        "Joints that close loops, or are kept out of articulations, are left out by featherstone; with mujoco a fixed "
        "one pulls its body to where the articulation has it at zero, whatever its frames say.",
        ("mujoco", "featherstone"),
    ),
    _solver(
        "contact-scale",
        _MOTION,
        "Contact stiffness, margins and thresholds of the solvers are numbers for metres and kilograms, whatever the "
        "stage's units.",
        ("steel", "featherstone", "semi_implicit", "vbd"),
    ),
    _importer(
        "deformables",
        (*_POINTS, "restPoints", "simElementIndices"),
        "Of deformables only surfaces of the schema PhysicsSurfaceDeformableSimAPI are imported, where their prim is "
        "neither placed nor turned and their thickness is constant; volumes and curves of that family are refused, and "
        "deformables and particles of the OmniPhysics and Physx schemas are dropped.",
        link="backends/newton/tests/test_soft.py",
    ),
    _importer(
        "surface-triangles",
        ("simElementIndices",),
        "Polygons are cut into fans of triangles, and the nodes of left-handed ones are in reversed order.",
        link="backends/newton/tests/test_soft.py",
    ),
    _importer(
        "contact-report-settings",
        ("netNormalContactForce", "rawContactForce", "contactEventType"),
        "physxContactReport:threshold and reportPairs are ignored: a sensor reports every contact, however weak.",
        ("mujoco", "steel", "xpbd", "vbd", "kamino"),
    ),
    _solver(
        "unequal-contact-forces",
        ("netNormalContactForce", "normalContactForceMatrix", "rawContactForce"),
        "With the xpbd solver two bodies in touch push each other with different forces where one has more contact "
        "points than the other; what is read is the mean.",
        ("xpbd",),
        link="backends/newton/tests/test_contact_reads.py",
    ),
    _solver(
        "sleeping-contact-forces",
        ("netNormalContactForce", "normalContactForceMatrix", "rawContactForce"),
        "Bodies that the steel solver has put to sleep touch without a force; open without sleeping to read it.",
        ("steel",),
        link="backends/newton/tests/test_contact_reads.py",
    ),
    _solver(
        "ignored-joint-properties",
        (
            "jointMaxForce",
            "jointArmature",
            "jointFriction",
            "jointViscousFriction",
            *_MOTION,
            *_FORCES,
            *_ARTICULATION,
            "body_qd",
        ),
        "The xpbd and vbd solvers ignore effort limits, armature and frictions of joints, featherstone and "
        "semi_implicit the effort limits and friction, and steel, on the CPU, the friction.",
        ("steel", "xpbd", "featherstone", "vbd"),
    ),
    *_in_scenes(
        ("environments", "*fixed tree*", "*floating tree*", "rubbing joints*", "hinge on the world", "target beyond*"),
        "velocity-level-joints",
        (
            "linearAcceleration",
            "angularAcceleration",
            "linearVelocity",
            "angularVelocity",
            "body_qd",
            "jointVelocity",
            "rootLinearVelocity",
            "rootAngularVelocity",
        ),
        "The kamino solver holds joints by the velocities of a step's start: in first steps accelerations of a chain "
        "of spinning links are off by up to a half, and links move by up to three percent otherwise than their joints; "
        "in units that make numbers large the iterations stop far from the solution.",
        ("kamino",),
    ),
    *_in_scenes(
        ("slider with only a lower limit", "cone of a ball joint"),
        "joints-come-apart",
        (*_MOTION, "body_qd"),
        _APART,
        ("xpbd",),
    ),
    *_in_scenes(("stop", "loop"), "joints-come-apart", (*_MOTION, "body_qd"), _APART, ("vbd",)),
    *_in_scenes(
        ("pendulums", "articulation root above a chain", "written efforts*"),
        "joints-come-apart",
        (*_MOTION, *_FORCES, "body_qd"),
        _APART,
        ("kamino",),
    ),
    *_in_scenes(
        ("no gravity", "solids", "free fall", "no authored damping"),
        "velocity-from-positions",
        ("linearVelocity", "angularVelocity", "velocities", "body_qd"),
        "The vbd solver takes velocities from differences of positions, which single precision rounds: the error grows "
        "with the distance from the origin and with smaller steps.",
        ("vbd",),
    ),
    _solver(
        "iterated-contact-forces",
        (*_TOUCH, *_CONTACT_FORCES),
        "Contact forces are as far as the iterations of the vbd solver come: a box of 28.8 N rests on 26.9 N, its "
        "friction is a fifth too small, and with steps of 1/60 s the upper box of a pile bounces.",
        ("vbd",),
        "resting boxes, *",
    ),
    _solver(
        "iterated-contact-forces",
        ("position",),
        "A box that slides with the friction 0.2 has a fifth less of it.",
        ("vbd",),
        "sliding",
    ),
    _solver(
        "style3d-damping",
        _POINTS,
        "The style3d solver takes 0.2 % of each velocity at each step.",
        ("style3d",),
        link="backends/newton/tests/test_soft.py",
    ),
    _solver(
        "surface-without-stiffness",
        _POINTS,
        "The xpbd solver lets surfaces stretch and shear without resistance.",
        ("xpbd",),
        link="backends/newton/tests/test_soft.py",
    ),
)
