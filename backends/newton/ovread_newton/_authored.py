"""What must be known of the authored stage beside the model that is built from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import attrs

from ovread_newton._stage import StageView

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
