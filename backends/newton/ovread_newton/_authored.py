"""What must be known of the authored stage beside the model that is built from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from ovread_newton._stage import StageView

if TYPE_CHECKING:
    import newton

ROOT_SCHEMAS = ("PhysicsArticulationRootAPI", "NewtonArticulationRootAPI")

JOINT_TYPES = (
    "PhysicsRevoluteJoint",
    "PhysicsPrismaticJoint",
    "PhysicsSphericalJoint",
    "PhysicsFixedJoint",
    "PhysicsDistanceJoint",
    "PhysicsJoint",
)
"""Joint types that the importer takes."""

AXES = ("transX", "transY", "transZ", "rotX", "rotY", "rotZ")
"""Instances of PhysicsLimitAPI on a D6 joint, in the order that the importer gives its degrees of freedom."""


@attrs.frozen
class Authored:
    """Facts that the model does not keep.

    Args:
        roots: Prims that an articulation-root schema is applied to.
        scenes: Physics scenes, the effective one first.
        colliders: Prims that collide.
        contact_reports: Prims whose contacts the stage asks for.
    """

    roots: frozenset[str]
    scenes: tuple[str, ...]
    colliders: frozenset[str]
    contact_reports: frozenset[str]


@attrs.frozen
class Kept:
    """What the model does not keep of bodies and joints, by their index.

    Args:
        reversed_joints: Joints whose authored body0 is Newton's child.
        ball_axes: Authored axis of ball joints: ``X``, ``Y`` or ``Z``.
        principal_axes: Authored rotation from principal axes to body axes, (x, y, z, w), of bodies.
    """

    reversed_joints: frozenset[int] = frozenset()
    ball_axes: Mapping[int, str] = attrs.field(factory=dict)
    principal_axes: Mapping[int, tuple[float, ...]] = attrs.field(factory=dict)


NOTHING_KEPT = Kept()
"""Of a model that no stage says more of."""


def read_authored(view: StageView) -> Authored:
    """Read what is authored of articulations, scenes, colliders and contacts."""
    return Authored(
        frozenset(view.with_schema(*ROOT_SCHEMAS)),
        tuple(view.of_type("PhysicsScene")),
        frozenset(view.with_schema("PhysicsCollisionAPI")),
        frozenset(view.with_schema("PhysxContactReportAPI")),
    )


def read_kept(view: StageView, model: newton.ModelBuilder | newton.Model, swapped: Iterable[str] = ()) -> Kept:
    """Read what is authored of bodies and joints, and the model does not keep.

    Args:
        view: The stage that the model was imported from.
        model: The model, finalized or not.
        swapped: Joints whose bodies were swapped for the import.
    """
    import newton

    joints = paths_of_joints(model)
    types = _numbers(model.joint_type)
    balls = [path for path, joint in joints.items() if types[joint] == newton.JointType.BALL]
    bodies = {str(label): body for body, label in enumerate(model.body_label)}
    principal = view.column("physics:principalAxes", list(bodies))
    turned = {*swapped, *reversed_at_the_world(view, model)}
    return Kept(
        frozenset(joints[path] for path in turned if path in joints),
        {joints[path]: axis[0] for path, axis in view.tokens("physics:axis", balls).items() if axis},
        # All zeros stand for none.
        {bodies[path]: tuple(map(float, axes)) for path, axes in principal.items() if axes.any()},
    )


def paths_of_joints(model: newton.ModelBuilder | newton.Model) -> dict[str, int]:
    """Return the index of every authored joint by its path."""
    labels = enumerate(map(str, model.joint_label))
    return {label: joint for joint, label in labels if label.startswith("/")}


def reversed_at_the_world(view: StageView, model: newton.ModelBuilder | newton.Model) -> set[str]:
    """Find the joints to the world that are authored with the body as body0.

    The importer makes the world the parent of such a joint, so that Newton's coordinate is the negative of the
    authored one, the motion of body1 relative to body0.
    """
    parents, children = _numbers(model.joint_parent), _numbers(model.joint_child)
    attached = {path: joint for path, joint in paths_of_joints(model).items() if parents[joint] == -1}
    targets = view.targets("physics:body0", list(attached))
    return {path for path, joint in attached.items() if model.body_label[children[joint]] in targets.get(path, ())}


def _numbers(values: Any) -> list[int]:
    """Return the numbers of a builder's list or of a model's array; a model without any has no array."""
    return [] if values is None else [int(value) for value in (values.numpy() if hasattr(values, "numpy") else values)]


@attrs.frozen
class AuthoredJoint:
    """A joint prim that the importer takes.

    Args:
        path: Path of the prim.
        kind: Type of the prim.
        bodies: Rigid bodies on its sides, None for the world.
        anchors: Prims that the sides name, rigid bodies or not; None where a side is empty.
        schemas: Schemas that are applied to it, with their instances.
        is_excluded: Whether it is kept out of articulations.
    """

    path: str
    kind: str
    bodies: tuple[str | None, str | None]
    anchors: tuple[str | None, str | None]
    schemas: frozenset[str]
    is_excluded: bool

    def has(self, schema: str, instance: str) -> bool:
        """Return whether a multiple-apply schema is applied for an instance."""
        return f"{schema}:{instance}" in self.schemas


def read_joints(view: StageView) -> list[AuthoredJoint]:
    """Read the enabled joints, in the order of their paths."""
    paths = view.of_type(*JOINT_TYPES)
    rigid = set(view.with_schema("PhysicsRigidBodyAPI"))
    kinds, schemas = view.tokens("usd-prim-type", paths), view.tokens("usd-schemas", paths)
    sides = [view.targets(f"physics:body{side}", paths) for side in (0, 1)]
    enabled, excluded = (view.floats(f"physics:{name}", paths) for name in ("jointEnabled", "excludeFromArticulation"))

    def read(path: str) -> AuthoredJoint:
        first, second = (next(iter(targets.get(path, ())), None) for targets in sides)
        return AuthoredJoint(
            path,
            kinds[path][0],
            (first if first in rigid else None, second if second in rigid else None),
            (first, second),
            frozenset(schemas.get(path, ())),
            bool(excluded.get(path, 0.0)),
        )

    return [read(path) for path in paths if enabled.get(path, 1.0)]


def free_axes(view: StageView, paths: Sequence[str]) -> dict[str, list[str]]:
    """Return the axes that each D6 joint is imported with, in the order of its degrees of freedom."""
    limits = {axis: [view.floats(f"limit:{axis}:physics:{end}", paths) for end in ("low", "high")] for axis in AXES}
    return {
        path: [axis for axis, (low, high) in limits.items() if path in low and path in high and low[path] < high[path]]
        for path in paths
    }
