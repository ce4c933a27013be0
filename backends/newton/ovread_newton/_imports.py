"""What Newton's importer and solvers do with patterns that assets are authored with, as measured. Imports no engine.

``corrected`` says that a correction of this backend puts it right, which ``corrections=False`` turns off.
"""

from __future__ import annotations

from ovread.backend import Behaviour, Importing
from ovread_newton._solvers import SOLVERS

_OVNEWTON = "ovnewton 0.2.1"
_NEWTON = "newton 1.8.0"

_MUJOCO = ("mujoco",)
_STEEL = ("steel",)
_LOOSE = ("xpbd", "semi_implicit", "vbd", "kamino")
"""Solvers that simulate joints outside articulations."""


def _importer(pattern: str, behaviour: Behaviour, does: str, solvers: tuple[str, ...] = ()) -> Importing:
    return Importing(pattern, behaviour, does, _OVNEWTON, solvers)


def _corrected(
    pattern: str, does: str, behaviour: Behaviour = Behaviour.DIFFERS, solvers: tuple[str, ...] = ()
) -> Importing:
    return Importing(pattern, behaviour, does, _OVNEWTON, solvers, corrected=True)


def _solver(pattern: str, behaviour: Behaviour, does: str, solvers: tuple[str, ...]) -> Importing:
    return Importing(pattern, behaviour, does, _NEWTON, solvers)


def _follows(pattern: str, does: str) -> Importing:
    return _importer(pattern, Behaviour.FOLLOWS, does)


def _differs(pattern: str, does: str) -> Importing:
    return _importer(pattern, Behaviour.DIFFERS, does)


def _loses(pattern: str, does: str) -> Importing:
    return _importer(pattern, Behaviour.LOSES, does)


def _refuses(pattern: str, does: str) -> Importing:
    return _importer(pattern, Behaviour.REFUSES, does)


def _all_but(*names: str) -> tuple[str, ...]:
    return tuple(name for name in SOLVERS if name not in names)


_MASSES = (
    _corrected("default-density", "Takes 1000 in the stage's own units: a million times too much in centimetres."),
    _corrected("mass-on-collider", "Ignores what colliders below a body say.", Behaviour.LOSES),
    _corrected("material-density", "Takes the material's density, or 1000 where that has none."),
    _differs(
        "approximation-mass",
        "Takes the mass of the mesh; opened by ovread that of the solid, whose size Newton has slightly else.",
    ),
    _corrected("center-of-mass-inertia", "Leaves the colliders' inertia as it is."),
    _corrected("no-mass", "Gives it no mass where none is authored, and an inertia of 1e-6."),
    _follows("cone-inertia", "Takes the inertia about the centre of mass."),
    _differs("zero-inertia", "Raises the moments, so that none is 0."),
    _importer("planar-inertia", Behaviour.REFUSES, "Refuses moments that single precision has above the sum.", _MUJOCO),
    _follows("planar-inertia", "Takes the moments as they are."),
    _follows("newton-inertia", "Takes newton:inertia, and raises one of zeros to 1e-6."),
    _follows("shell-mass", "Takes the mass of the shell."),
    _differs("inertia-corrected", "Adds to all moments what makes them possible."),
)

_BODIES = (
    _corrected("initial-velocity-frame", "Takes velocities in the body's own axes."),
    _corrected("disabled-body", "Lets it fall."),
    _loses("starts-asleep", "Starts it awake."),
    _corrected("kinematic-velocity", "Keeps the velocity, which never moves it."),
    _follows("default-angular-damping", "Damps nothing."),
    _corrected("damping", "Ignores PhysxRigidBodyAPI.", Behaviour.LOSES, _STEEL),
    _loses("damping", "Neither damps nor clamps."),
    _corrected("disable-gravity", "Ignores it: the body falls.", Behaviour.LOSES, _MUJOCO),
    _loses("disable-gravity", "Ignores it: the body falls."),
    _loses("locked-axis", "Lets it move along these axes."),
    _loses("body-property", "Ignores them."),
    _loses("forces", "Ignores the force."),
    _refuses("sheared-hierarchy", "Refuses the asset."),
)

_JOINTS = (
    _follows("world-hinge-welded", "Makes a joint of it that moves."),
    _corrected("world-joint-sign", "Moves body0 by state, limits and targets, the wrong way."),
    _corrected("world-anchor", "Puts the world's frame where the body is."),
    _differs("fixed-base-frame", "Leaves the body where it is."),
    _corrected("swapped-bodies", "Refuses it, or takes another body for the root.", Behaviour.REFUSES),
    _differs("merged-joints", "Makes one joint of them, whose axes are in the order of their paths."),
    _refuses("joint-target", "Refuses the asset."),
    _corrected("joint-outside-articulation", "Refuses bodies that hang on such joints.", Behaviour.REFUSES, _MUJOCO),
    Importing("joint-outside-articulation", Behaviour.FOLLOWS, "Simulates the joint.", _NEWTON, _LOOSE),
    _corrected("joint-outside-articulation", "Lets the bodies stand still.", Behaviour.LOSES),
    _importer("loop-outside-articulation", Behaviour.REFUSES, "Refuses bodies that hang on such joints.", _MUJOCO),
    Importing("loop-outside-articulation", Behaviour.FOLLOWS, "Simulates the joints.", _NEWTON, _LOOSE),
    _loses("loop-outside-articulation", "Lets the bodies stand still."),
    Importing("excluded-joint", Behaviour.FOLLOWS, "Simulates the joint.", _NEWTON, (*_LOOSE, "steel")),
    _loses("excluded-joint", "Ignores the joint."),
    _refuses("closed-loop", "Refuses the asset."),
    _corrected("mimic-joint", "Ignores PhysxMimicJointAPI.", Behaviour.LOSES),
    _loses("coupled-joints", "Does not couple the joints."),
    _corrected("fixed-mimic", "Refuses the asset.", Behaviour.REFUSES),
    _loses("link-velocity", "Ignores it."),
    _follows("one-sided-limit-locks", "Leaves the joint free on that side."),
    _follows("wide-limit-locks", "Takes the limits as they are."),
    _importer("inverted-limit", Behaviour.REFUSES, "Refuses the asset.", _MUJOCO),
    _differs("inverted-limit", "Takes the limits as they are."),
    _importer("equal-limits", Behaviour.REFUSES, "Refuses the asset.", _MUJOCO),
    _follows("equal-limits", "Locks the joint there."),
    _loses("cone-limit", "Leaves the joint free."),
    _importer("distance-limit", Behaviour.REFUSES, "Refuses bodies that hang on such joints.", _MUJOCO),
    _corrected("free-axis", "Locks the axis."),
    _follows("articulation-slides-locked", "Lets the axis move."),
    _differs("successive-turns", "Turns about one axis after the other, for limits and armature too."),
    _corrected("multi-axis-state", "Turns about one axis after the other."),
    _loses("soft-limit", "Gives the limit the solver's own stiffness."),
    _follows("joint-rate-cap", "Lets the joint move as fast as it will."),
    _loses("break-force", "Never breaks the joint."),
    _differs("acceleration-drive", "Takes the gains for those of a force."),
    _corrected("velocity-target", "Ignores the velocity target.", solvers=_MUJOCO),
    _follows("target-wraps", "Turns the joint to the target."),
    _differs("target-outside-limits", "Takes the middle of the limits for the target, at which the drive pulls then."),
    _differs("unapplied-schema", "Takes the attributes as if the schema was applied."),
    _follows("undriven-joint", "Limits no force, and obeys gains that are written."),
    _loses("unmatched-drive", "Ignores the drive."),
    _corrected("joint-axis-schema", "Ignores PhysxJointAxisAPI.", Behaviour.LOSES),
    _loses("joint-schema", "Ignores it."),
    _loses("joint-friction", "Ignores the static friction."),
    _solver("velocity-limit", Behaviour.FOLLOWS, "Clamps the velocity.", _STEEL),
    _solver("velocity-limit", Behaviour.LOSES, "Lets the joint move faster.", _all_but("steel")),
    _loses("drive-envelope", "Ignores the envelope."),
)

_ARTICULATIONS = (
    _differs("floating-root", "Takes the link that is never body1 for the root."),
    _differs("fixed-root-link", "Fixes the base."),
    _differs("one-link-articulation", "Makes an articulation of one link of it."),
    _corrected("several-articulations", "Refuses the asset.", Behaviour.REFUSES),
    _loses("articulation-disabled", "Makes an articulation of it all the same."),
    _corrected("self-collision", "Lets the links collide.", Behaviour.LOSES),
)

_COLLIDERS = (
    _corrected("default-friction", "Gives it the friction 1."),
    _loses("static-friction", "Takes the dynamic friction for both."),
    _solver(
        "restitution", Behaviour.LOSES, "Does not let it bounce.", ("mujoco", "featherstone", "semi_implicit", "vbd")
    ),
    Importing("restitution", Behaviour.LOSES, "Does not let it bounce by default.", _NEWTON, ("xpbd",), corrected=True),
    _solver("restitution", Behaviour.FOLLOWS, "Lets it bounce.", ("steel",)),
    _loses("combine-mode", "Combines coefficients in the solver's own way."),
    _loses("compliant-contact", "Makes contacts as stiff as others."),
    _importer("contact-offset", Behaviour.LOSES, "Ignores the offsets.", _MUJOCO),
    _corrected("contact-offset", "Ignores the offsets.", Behaviour.LOSES),
    _loses("torsional-patch", "Ignores the patch."),
    _loses("contact-report-settings", "Reports every contact."),
    _importer("mirrored-mesh", Behaviour.REFUSES, "Refuses the asset.", _MUJOCO),
    _follows("mirrored-mesh", "Mirrors the mesh."),
    _importer("flat-mesh", Behaviour.REFUSES, "Refuses the asset.", _MUJOCO),
    _solver("flat-mesh", Behaviour.FOLLOWS, "Lets it collide.", ("xpbd", "steel")),
    _loses("mesh-approximation", "Lets the mesh collide as it is."),
    _corrected("collision-container", "Ignores it.", Behaviour.LOSES),
    _refuses("unsupported-collider", "Refuses the asset."),
    _corrected("plane", "Refuses the asset, or lays the plane level.", Behaviour.REFUSES),
    _refuses("body-plane", "Refuses the asset."),
    _refuses("unknown-material", "Refuses the asset."),
    _corrected("filtered-pair", "Refuses the asset.", Behaviour.REFUSES),
    _refuses("unknown-group", "Refuses the asset."),
    _corrected("site", "Refuses the asset.", Behaviour.REFUSES),
    _loses("merged-meshes", "Makes no collider of them."),
    _loses("triggers", "Lets it push bodies as other colliders do."),
    _loses("surface-velocity", "Lets the surface stand still."),
)

_SCENES = (
    _follows("gravity-not-normalised", "Normalises the direction, and takes the schema's defaults."),
    _follows("newton-scene-gravity", "Takes the authored gravity."),
    _loses("several-scenes", "Puts all bodies in one scene, with the gravity of the first."),
    _solver(
        "contact-scale",
        Behaviour.DIFFERS,
        "Takes the stiffness of contacts for a number in kilograms: in grams bodies sink in.",
        ("featherstone", "semi_implicit", "vbd"),
    ),
    _solver(
        "contact-scale", Behaviour.FOLLOWS, "Rests bodies where they do in kilograms.", ("mujoco", "steel", "xpbd")
    ),
    _refuses("instanced-collider", "Refuses the asset."),
    _refuses("instancing", "Refuses the asset."),
    _importer("instancers", Behaviour.REFUSES, "Refuses the asset.", _MUJOCO),
    _loses("instancers", "Makes bodies of the prototypes, and none of the instances."),
    _corrected("mujoco-attributes", "Refuses the asset.", Behaviour.REFUSES),
    _loses("tendons", "Does not simulate it."),
    _loses("particles", "Does not simulate them."),
    _loses("deformables", "Does not simulate it."),
    _loses("vehicles", "Makes a rigid body of it."),
    _loses("character-controllers", "Does not simulate it."),
    _loses("actuators", "Does not simulate it."),
)

IMPORTS = (*_MASSES, *_BODIES, *_JOINTS, *_ARTICULATIONS, *_COLLIDERS, *_SCENES)
"""For a pattern that is not here nothing was measured."""
