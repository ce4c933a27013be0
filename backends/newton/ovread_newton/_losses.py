"""What stays lost between the stage and the model, prim by prim."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

import attrs
import numpy as np

from ovread.backend import Diagnostic
from ovread_newton._authored import ROOT_SCHEMAS, AuthoredJoint
from ovread_newton._ignored import IGNORED_ATTRIBUTES, IGNORED_SCHEMAS, INSTANCES, SETTINGS, is_lost
from ovread_newton._joint_trees import Component, components_of
from ovread_newton._refusal_corrections import SHARED_ATTRIBUTES
from ovread_newton._scene_import import SceneImport, findings
from ovread_newton._stage import Column

ATTRIBUTES = tuple(
    dict.fromkeys(
        [
            *(name for ignored in IGNORED_ATTRIBUTES for name in ignored.names()),
            *(f"drive:{instance}:physics:type" for instance in INSTANCES),
            "physics:staticFriction",
            "physxArticulation:enabledSelfCollisions",
            "newton:selfCollisionEnabled",
            *SHARED_ATTRIBUTES,
        ]
    )
)
"""Attributes of which it must be known whether they are authored."""


@attrs.frozen
class Loss:
    """Something of the stage that the model lacks.

    Args:
        rule: Name in diagnostics and in the documentation.
        meaning: One sentence, which each diagnostic says.
        find: Returns the prims that it concerns.
    """

    rule: str
    meaning: str
    find: Callable[[SceneImport], Iterable[str]]


def report_losses(scene: SceneImport) -> Iterator[Diagnostic]:
    """Name what the model lacks of what is authored."""
    yield from _ignored_attributes(scene)
    yield from _ignored_schemas(scene)
    for loss in LOSSES:
        yield from findings(loss.rule, loss.find(scene), loss.meaning)


def _ignored_attributes(scene: SceneImport) -> Iterator[Diagnostic]:
    for ignored in IGNORED_ATTRIBUTES:
        if ignored.correction and scene.applies(ignored.correction) and scene.solver in ignored.solvers:
            continue
        found = [
            (name, path)
            for name, neutral in ignored.names().items()
            for path in _changed(scene.authored.get(name, {}), neutral)
        ]
        yield from _by_names(ignored.rule, f"{ignored.meaning} Authored:", found)


def _by_names(rule: str, meaning: str, found: Iterable[tuple[str, str]]) -> Iterator[Diagnostic]:
    """Report pairs of a name and a prim, each prim once, with all of its names."""
    names: dict[str, list[str]] = {}
    for name, path in found:
        names.setdefault(path, []).append(name)
    prims: dict[tuple[str, ...], list[str]] = {}
    for path, each in names.items():
        prims.setdefault(tuple(each), []).append(path)
    for shared, paths in prims.items():
        yield from findings(rule, paths, f"{meaning} {', '.join(shared)}.")


def _changed(column: Column, neutral: tuple[float, ...]) -> list[str]:
    return [path for path, value in column.items() if not any(np.isclose(float(value[0]), each) for each in neutral)]


def _ignored_schemas(scene: SceneImport) -> Iterator[Diagnostic]:
    taken = {"PhysxMimicJointAPI": scene.followers}
    for rule, (meaning, names) in IGNORED_SCHEMAS.items():
        found = [
            (name, path) for name in names for path in scene.kinds.get(name, ()) if path not in taken.get(name, ())
        ]
        yield from _by_names(rule, f"{meaning} It has", found)
    for name in sorted(scene.kinds):
        if is_lost(name):
            yield from findings("schema-ignored", scene.kinds[name], f"{name} is not read: what it says has no effect.")
    settings = [name for name in SETTINGS if name in scene.kinds]
    if settings:
        message = f"Settings of {', '.join(settings)} have no effect: they tune one solver, or how its meshes are made."
        yield Diagnostic("", "settings-ignored", message)


def _joints(scene: SceneImport, *kinds: str) -> dict[str, AuthoredJoint]:
    return {joint.path: joint for joint in scene.authored_joints() if not kinds or joint.kind in kinds}


def _acceleration_drives(scene: SceneImport) -> Iterator[str]:
    for instance in INSTANCES:
        column = scene.authored.get(f"drive:{instance}:physics:type", {})
        kinds = scene.view.tokens(f"drive:{instance}:physics:type", list(column))
        yield from (path for path, kind in kinds.items() if kind == ["acceleration"])


def _unmatched_drives(scene: SceneImport) -> Iterator[str]:
    matching = {"PhysicsRevoluteJoint": {"angular"}, "PhysicsPrismaticJoint": {"linear"}, "PhysicsJoint": INSTANCES[2:]}
    for path, joint in _joints(scene).items():
        for schema in joint.schemas:
            family, _, instance = schema.partition(":")
            if family == "PhysicsDriveAPI" and instance and instance not in matching.get(joint.kind, ()):
                yield path


def _cone_limits(scene: SceneImport) -> Iterator[str]:
    spherical = list(_joints(scene, "PhysicsSphericalJoint"))
    for name in ("coneAngle0Limit", "coneAngle1Limit"):
        yield from (path for path, value in scene.view.floats(f"physics:{name}", spherical).items() if value >= 0)


def _merged_joints(scene: SceneImport) -> Iterator[str]:
    """Find joints between the same two bodies, which became one."""
    known = scene.joints()
    return (path for path in _joints(scene) if path not in known)


def _static_friction(scene: SceneImport) -> Iterator[str]:
    static = scene.authored.get("physics:staticFriction", {})
    dynamic = scene.view.floats("physics:dynamicFriction", list(static))
    return (path for path, value in static.items() if not np.isclose(float(value[0]), dynamic.get(path, 0.0)))


def _restitution(scene: SceneImport) -> Iterator[str]:
    if scene.solver in ("steel", "xpbd", "kamino"):
        return
    materials = scene.view.with_schema("PhysicsMaterialAPI")
    yield from (path for path, value in scene.view.floats("physics:restitution", materials).items() if value > 0)


def _combine_modes(scene: SceneImport) -> Iterator[str]:
    materials = scene.view.with_schema("PhysxMaterialAPI")
    for name in ("frictionCombineMode", "restitutionCombineMode", "dampingCombineMode"):
        modes = scene.view.tokens(f"physxMaterial:{name}", materials)
        yield from (path for path, mode in modes.items() if mode and mode != ["average"])


def _other_scenes(scene: SceneImport) -> list[str]:
    return scene.view.of_type("PhysicsScene")[1:]


def _link_velocities(scene: SceneImport) -> Iterator[str]:
    """Find links below a joint, whose velocity the joint gives, with a velocity of their own."""
    import newton

    builder, bodies = scene.builder, scene.bodies()
    driven: set[int] = set()
    starts = [*builder.articulation_start, builder.joint_count]
    for label, start, end in zip(builder.articulation_label, starts[:-1], starts[1:], strict=True):
        if label not in scene.wrapped:
            driven.update(
                builder.joint_child[joint]
                for joint in range(start, end)
                if builder.joint_type[joint] != newton.JointType.FREE
            )
    for name in ("velocity", "angularVelocity"):
        column = scene.view.column(f"physics:{name}", list(bodies))
        yield from (path for path, value in column.items() if bodies[path] in driven and np.any(value))


def _articulations(scene: SceneImport) -> list[tuple[str, Component]]:
    """Return the trees of joints below articulation roots, with the roots as they are authored."""
    roots = {root for schema in ROOT_SCHEMAS for root in scene.kinds.get(schema, ())}
    components = components_of(joint for joint in scene.authored_joints() if not joint.is_excluded)
    owners = ((component.owner(roots), component) for component in components)
    return [(owner, component) for owner, component in owners if owner is not None]


def _floating_roots(scene: SceneImport) -> Iterator[str]:
    return (
        root
        for root, component in _articulations(scene)
        if not component.anchored and root not in component.bodies and len(component.bodies) > 1
    )


def _fixed_root_links(scene: SceneImport) -> Iterator[str]:
    return (
        root
        for root, component in _articulations(scene)
        if root in component.bodies
        and any(joint.kind == "PhysicsFixedJoint" and not all(joint.bodies) for joint in component.joints)
    )


def _single_links(scene: SceneImport) -> set[str]:
    roots = {root for schema in ROOT_SCHEMAS for root in scene.kinds.get(schema, ())}
    return (roots & set(map(str, scene.builder.articulation_label))) - {root for root, _ in _articulations(scene)}


def _inverted_limits(scene: SceneImport) -> Iterator[str]:
    joints = list(_joints(scene, "PhysicsRevoluteJoint", "PhysicsPrismaticJoint"))
    low, high = (scene.view.floats(f"physics:{end}Limit", joints) for end in ("lower", "upper"))
    return (path for path in low.keys() & high.keys() if low[path] > high[path])


_UNSUPPORTED_JOINT_PROPERTIES: Mapping[str, tuple[str, ...]] = {
    "joint_armature": ("xpbd", "semi_implicit", "vbd"),
    "joint_friction": ("xpbd", "semi_implicit", "vbd", "featherstone", "steel"),
    "joint_damping": ("xpbd", "vbd"),
    "joint_effort_limit": ("xpbd", "semi_implicit", "vbd", "featherstone"),
    "joint_velocity_limit": ("xpbd", "semi_implicit", "vbd", "featherstone", "mujoco", "kamino"),
}
_UNSET = 1e6


def _unsupported(array: str) -> Callable[[SceneImport], Iterator[str]]:
    def find(scene: SceneImport) -> Iterator[str]:
        if scene.solver not in _UNSUPPORTED_JOINT_PROPERTIES[array]:
            return
        values = getattr(scene.builder, array)
        is_limit = array.endswith("limit")
        for path, joint in scene.joints().items():
            given = [values[dof] for dof in scene.dofs_of(joint)]
            if any(value < _UNSET if is_limit else value > 0 for value in given):
                yield path

    return find


LOSSES = (
    Loss(
        "acceleration-drive",
        "The drive is of type acceleration and is taken for a force drive: its gains are forces, whatever moves.",
        _acceleration_drives,
    ),
    Loss("unmatched-drive", "A drive is for an axis that this type of joint does not have.", _unmatched_drives),
    Loss("cone-limit", "The cone limits are dropped: the joint is unlimited.", _cone_limits),
    Loss(
        "inverted-limit",
        "The lower limit is above the upper one, which locks a joint in PhysX and nowhere else: author a fixed joint.",
        _inverted_limits,
    ),
    Loss(
        "floating-root",
        "The root schema is on no link: the root is the link that is never body1; in PhysX the middle of the tree.",
        _floating_roots,
    ),
    Loss(
        "fixed-root-link",
        "The root link is fixed to the world, so the base is fixed; PhysX lets it float and holds it by a constraint.",
        _fixed_root_links,
    ),
    Loss(
        "one-link-articulation",
        "The articulation has one link and no joint: in PhysX it is a rigid body.",
        _single_links,
    ),
    Loss(
        "merged-joints",
        "The joint is part of another one between the same bodies, at the path that sorts first.",
        _merged_joints,
    ),
    Loss(
        "static-friction",
        "The static friction is dropped: the dynamic friction counts at rest too.",
        _static_friction,
    ),
    Loss("restitution", "The solver ignores the coefficient of restitution: take steel or xpbd.", _restitution),
    Loss("combine-mode", "Combine modes are ignored: the solver combines coefficients in its own way.", _combine_modes),
    Loss(
        "several-scenes",
        "Only the gravity of the first physics scene counts, and all bodies are in one world.",
        _other_scenes,
    ),
    Loss(
        "link-velocity",
        "The velocity of a link follows from its joints: the authored one is ignored.",
        _link_velocities,
    ),
    Loss(
        "armature-ignored",
        "The solver ignores the armature of the joint: take mujoco, steel or featherstone.",
        _unsupported("joint_armature"),
    ),
    Loss(
        "friction-ignored",
        "The solver ignores the friction of the joint: take mujoco.",
        _unsupported("joint_friction"),
    ),
    Loss(
        "viscous-friction-ignored",
        "The solver ignores the viscous friction of the joint: take mujoco, steel or featherstone.",
        _unsupported("joint_damping"),
    ),
    Loss(
        "effort-limit-ignored",
        "The solver ignores the maximal force of the drive: take mujoco or steel.",
        _unsupported("joint_effort_limit"),
    ),
    Loss(
        "velocity-limit",
        "The solver ignores the maximal velocity of the joint: take steel.",
        _unsupported("joint_velocity_limit"),
    ),
)


def reports() -> dict[str, str]:
    """Return what each rule of a loss means."""
    return {
        **{ignored.rule: ignored.meaning for ignored in IGNORED_ATTRIBUTES},
        **{rule: meaning for rule, (meaning, _) in IGNORED_SCHEMAS.items()},
        **{loss.rule: loss.meaning for loss in LOSSES},
        "schema-ignored": "A schema of physics is not read: what it says has no effect.",
        "settings-ignored": "Settings that tune one solver, or how its meshes are made, have no effect.",
    }
