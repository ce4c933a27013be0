"""What PhysX's importer does with patterns that assets are authored with, as measured. Imports no engine."""

from __future__ import annotations

from ovread.backend import Behaviour, Importing

_MEASURED = "ovphysx 0.7.0"


def _declare(pattern: str, behaviour: Behaviour, does: str) -> Importing:
    return Importing(pattern, behaviour, does, _MEASURED)


def _follows(names: str, does: str) -> tuple[Importing, ...]:
    return tuple(_declare(name, Behaviour.FOLLOWS, does) for name in names.split())


def _differs(pattern: str, does: str) -> Importing:
    return _declare(pattern, Behaviour.DIFFERS, does)


def _loses(pattern: str, does: str) -> Importing:
    return _declare(pattern, Behaviour.LOSES, does)


_FOLLOWED = (
    *_follows("default-density", "Takes 1000 kg/m3 in the stage's units."),
    *_follows("mass-on-collider", "Sums what the colliders say."),
    *_follows("material-density", "Takes the density of PhysicsMassAPI."),
    *_follows("approximation-mass", "Takes the mass of the solid that collides."),
    *_follows("center-of-mass-inertia", "Moves the colliders' inertia to the authored centre of mass."),
    *_follows("no-mass", "Gives it the mass 1, where none is authored, and the inertia of a sphere of 0.1 m."),
    *_follows("planar-inertia inertia-corrected", "Takes the moments as they are."),
    *_follows("initial-velocity-frame", "Takes velocities in world axes, unless customData says otherwise."),
    *_follows("disabled-body", "Takes it for scenery."),
    *_follows("starts-asleep", "Lets it sleep until something touches it."),
    *_follows("kinematic-velocity", "Starts it at rest."),
    *_follows("damping", "Damps and clamps it."),
    *_follows("disable-gravity", "Leaves it out of gravity."),
    *_follows("locked-axis", "Holds it along these axes."),
    *_follows("body-property", "Takes them as authored."),
    *_follows("forces", "Applies the force at each step."),
    *_follows("sheared-hierarchy", "Takes the nearest rotation and scale."),
    *_follows("world-joint-sign", "Takes state, limits and targets as those of body1 against body0."),
    *_follows("world-anchor", "Snaps the body to the frame."),
    *_follows("fixed-base-frame", "Snaps the body to the frame."),
    *_follows("swapped-bodies", "Takes either order, and the authored signs."),
    *_follows("joint-target", "Takes the rigid body above."),
    *_follows("joint-outside-articulation loop-outside-articulation", "Simulates it as a constraint."),
    *_follows("excluded-joint", "Simulates it as a constraint."),
    *_follows("mimic-joint", "Couples the joints rigidly."),
    *_follows("coupled-joints", "Couples the joints."),
    *_follows("fixed-mimic", "Leaves the mimic out, with an error message."),
    *_follows("equal-limits", "Locks the joint there."),
    *_follows("cone-limit", "Limits both angles."),
    *_follows("distance-limit", "Holds the distance within the limits."),
    *_follows("free-axis", "Leaves the axis free."),
    *_follows("successive-turns multi-axis-state", "Takes the angles for the components of a rotation vector."),
    *_follows("soft-limit", "Makes the limit a spring, for joints outside articulations."),
    *_follows("break-force", "Breaks the joint."),
    *_follows("acceleration-drive", "Multiplies the gains by the inertia that moves."),
    *_follows("velocity-target", "Pushes towards both targets."),
    *_follows("target-outside-limits", "Pushes towards the target."),
    *_follows("unapplied-schema", "Ignores the attributes."),
    *_follows("joint-axis-schema", "Takes what PhysxJointAxisAPI says."),
    *_follows("joint-friction", "Takes both frictions."),
    *_follows("velocity-limit", "Clamps the velocity."),
    *_follows("drive-envelope", "Limits the drive by its envelope."),
    *_follows("fixed-root-link", "Lets the robot float, and holds it by the fixed joint as a constraint."),
    *_follows("articulation-disabled", "Simulates the joints one by one."),
    *_follows("self-collision", "Lets the links pass through each other."),
    *_follows("default-friction", "Gives it the friction 0.5."),
    *_follows("static-friction", "Takes both frictions."),
    *_follows("restitution", "Lets it bounce."),
    *_follows("combine-mode", "Combines the coefficients as the mode says."),
    *_follows("compliant-contact", "Makes contacts springs."),
    *_follows("contact-offset", "Takes both offsets."),
    *_follows("torsional-patch", "Slows the spin."),
    *_follows("mirrored-mesh", "Mirrors the mesh."),
    *_follows("flat-mesh", "Lets it collide."),
    *_follows("merged-meshes", "Makes one collider of them."),
    *_follows("mesh-approximation", "Makes the collider that is asked for."),
    *_follows("contact-report-settings", "Reports contacts above the threshold."),
    *_follows("character-controllers", "Makes a character controller of it."),
    *_follows("collision-container", "Lets the geometry right below collide."),
    *_follows("plane", "Lays it as authored."),
    *_follows("unknown-material", "Takes the default material."),
    *_follows("filtered-pair unknown-group site", "Has nothing to do about it."),
    *_follows("triggers", "Lets bodies pass through it."),
    *_follows("surface-velocity", "Carries along what touches the surface."),
    *_follows("instanced-collider", "Lets it collide."),
    *_follows("several-scenes", "Simulates each scene by itself."),
    *_follows("instancers", "Makes a body of each instance."),
    *_follows("contact-scale", "Rests bodies where they do in kilograms."),
    *_follows("tendons", "Simulates the tendon."),
    *_follows("vehicles", "Simulates the vehicle."),
    *_follows("particles deformables", "Simulates it on CUDA; on the CPU it is not simulated."),
)

IMPORTS = (
    *_FOLLOWED,
    _differs("cone-inertia", "Takes the inertia about the prim's origin, and a mass that is less by 2 in 10000."),
    _differs("zero-inertia", "Takes (1, 1, 1) for the moments of links, and 0 for those of single bodies."),
    _differs(
        "default-angular-damping",
        "Takes 5 % of its spin per second from it, and clamps the spin at 100 rad/s.",
    ),
    _differs("world-hinge-welded", "Makes the body a fixed base: the joint is gone, and never moves."),
    _differs("one-sided-limit-locks", "Takes (0, 0) for the limits, and locks the joint at 0."),
    _differs("wide-limit-locks", "Takes (0, 0) for the limits, and locks the axis at 0."),
    _differs("inverted-limit", "Takes (0, 0) for the limits, and locks the joint at 0."),
    _differs("articulation-slides-locked", "Locks the axis."),
    _differs("joint-rate-cap", "Stops the joint at 100 stage lengths per second."),
    _differs("target-wraps", "Takes the target modulo 360 degrees."),
    _differs("undriven-joint", "Takes 0 for the maximal force, and ignores gains that are written."),
    _differs("floating-root", "Takes the link in the middle of the tree for the root."),
    _differs("several-articulations", "Makes an articulation of each tree, all under the path of the one root."),
    _differs("one-link-articulation", "Takes it for a rigid body, unless the schema is on the body itself."),
    _differs("gravity-not-normalised", "Takes direction and magnitude as they are, and zero for no gravity."),
    _differs("newton-scene-gravity", "Ignores the authored gravity: bodies fall as on the earth."),
    _loses("newton-inertia", "Ignores newton:inertia."),
    _loses("shell-mass", "Takes the mass of the solid."),
    _loses("merged-joints", "Keeps one of the joints, and drops the others with an error message."),
    _loses("closed-loop", "Leaves out a joint that closes the loop, with an error message."),
    _loses("link-velocity", "Ignores it."),
    _loses("unmatched-drive", "Ignores the drive."),
    _loses("joint-schema", "Ignores it."),
    _loses("unsupported-collider", "Makes no collider of it."),
    _loses("body-plane", "Makes no collider of it, with an error message."),
    _loses("instancing", "Makes no body of it."),
    _loses("mujoco-attributes", "Ignores them."),
    _loses("actuators", "Does not simulate it."),
)
"""For a pattern that is not here nothing was measured."""
