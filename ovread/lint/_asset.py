"""A USD stage as the detectors see it: one traversal, then look-ups."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from ovread.units import StageUnits

ROOT_SCHEMAS = ("PhysicsArticulationRootAPI", "NewtonArticulationRootAPI")
AXES = ("transX", "transY", "transZ", "rotX", "rotY", "rotZ")
HINGE, SLIDE, SPHERICAL = "PhysicsRevoluteJoint", "PhysicsPrismaticJoint", "PhysicsSphericalJoint"
FIXED, DISTANCE, GENERIC = "PhysicsFixedJoint", "PhysicsDistanceJoint", "PhysicsJoint"
JOINTS = (HINGE, SLIDE, SPHERICAL, FIXED, DISTANCE, GENERIC)
SHAPES = ("Cube", "Sphere", "Capsule", "Capsule_1", "Cylinder", "Cylinder_1", "Cone", "Plane", "Mesh")

Doubles = npt.NDArray[np.float64]


@attrs.frozen(eq=False)
class Joint:
    """A joint that is enabled.

    Args:
        prim: Its ``Usd.Prim``.
        path: Its path.
        kind: Its type.
        bodies: The rigid bodies that body0 and body1 name, or are below; None for the world.
        targets: What body0 and body1 name; None where they name nothing.
        excluded: Whether it is kept out of articulations.
    """

    prim: Any
    path: str
    kind: str
    bodies: tuple[str | None, str | None]
    targets: tuple[str | None, str | None]
    excluded: bool

    @property
    def moves(self) -> bool:
        """Whether it lets its bodies move against each other."""
        return self.kind != FIXED

    @property
    def instance(self) -> str:
        """Name of the instance that drives, states and axes of a joint with one axis have; empty for others."""
        return {HINGE: "angular", SLIDE: "linear"}.get(self.kind, "")


@attrs.frozen(eq=False)
class Tree:
    """Joints that are connected, leaving out those that are excluded from articulations.

    Args:
        joints: The joints, by path.
        bodies: Their bodies.
        root: Path of the articulation root nearest to them; None where they are in no articulation.
    """

    joints: tuple[Joint, ...]
    bodies: frozenset[str]
    root: str | None

    @property
    def anchors(self) -> tuple[Joint, ...]:
        """The joints to the world."""
        return tuple(joint for joint in self.joints if None in joint.bodies)

    @property
    def is_cyclic(self) -> bool:
        """Whether the joints close a loop, the world counting as one body."""
        nodes = len(self.bodies) + (1 if self.anchors else 0)
        return len({frozenset(joint.bodies) for joint in self.joints}) > nodes - 1


class Asset:
    """Prims of a stage by type and schema, and what follows from several of them."""

    def __init__(self, stage: Any) -> None:
        """Traverse the stage: instances and what is in them, as it is composed now."""
        from pxr import Usd, UsdGeom, UsdPhysics

        self.stage = stage
        self.units = StageUnits(
            UsdGeom.GetStageMetersPerUnit(stage), UsdPhysics.GetStageKilogramsPerUnit(stage), _up_axis(stage)
        )
        self._types: dict[str, list[Any]] = {}
        self._schemas: dict[str, list[tuple[Any, str]]] = {}
        self._transforms = UsdGeom.XformCache()
        for prim in Usd.PrimRange.Stage(stage, Usd.TraverseInstanceProxies(Usd.PrimDefaultPredicate)):
            info = prim.GetPrimTypeInfo()
            self._types.setdefault(str(info.GetTypeName()), []).append(prim)
            for name in info.GetAppliedAPISchemas():
                family, _, instance = str(name).partition(":")
                self._schemas.setdefault(family, []).append((prim, instance))

    # What there is

    def of_type(self, *names: str) -> list[Any]:
        """Return the prims of these types."""
        return [prim for name in names for prim in self._types.get(name, ())]

    def with_schema(self, *families: str) -> list[Any]:
        """Return the prims that any of these schemas is applied to, each once."""
        return list(
            {str(prim.GetPath()): prim for name in families for prim, _ in self._schemas.get(name, ())}.values()
        )

    def instances(self, family: str) -> list[tuple[Any, str]]:
        """Return prims and instance names of a schema that is applied by instance."""
        return self._schemas.get(family, [])

    @property
    def names(self) -> set[str]:
        """Names of all types and schemas that occur."""
        return {*self._types, *self._schemas}

    @functools.cached_property
    def bodies(self) -> dict[str, Any]:
        """The rigid bodies that are enabled, by path."""
        found = self.with_schema("PhysicsRigidBodyAPI")
        return {str(prim.GetPath()): prim for prim in found if value(prim, "physics:rigidBodyEnabled", True)}

    @functools.cached_property
    def dynamic_bodies(self) -> dict[str, Any]:
        """The bodies that forces move."""
        return {path: prim for path, prim in self.bodies.items() if not value(prim, "physics:kinematicEnabled", False)}

    @functools.cached_property
    def colliders(self) -> list[Any]:
        """The prims that collide."""
        return self.with_schema("PhysicsCollisionAPI")

    def body_of(self, path: str) -> str | None:
        """Return the path of the nearest rigid body at or above a path; None for scenery."""
        return next((above for above in lineage(path) if above in self.bodies), None)

    def colliders_of(self, body: str) -> list[Any]:
        """Return the colliders that belong to a body."""
        return self._colliders_by_body.get(body, [])

    @functools.cached_property
    def _colliders_by_body(self) -> dict[str, list[Any]]:
        found: dict[str, list[Any]] = {}
        for prim in self.colliders:
            body = self.body_of(str(prim.GetPath()))
            if body is not None:
                found.setdefault(body, []).append(prim)
        return found

    # Joints

    @functools.cached_property
    def joints(self) -> list[Joint]:
        """The joints that are enabled."""
        return [self._joint(prim) for prim in self.of_type(*JOINTS) if value(prim, "physics:jointEnabled", True)]

    def _joint(self, prim: Any) -> Joint:
        targets = tuple(next(iter(targets_of(prim, f"physics:body{side}")), None) for side in (0, 1))
        bodies = tuple(None if target is None else self.body_of(target) for target in targets)
        excluded = bool(value(prim, "physics:excludeFromArticulation", False))
        return Joint(prim, str(prim.GetPath()), str(prim.GetTypeName()), bodies, targets, excluded)  # type: ignore[arg-type]

    @functools.cached_property
    def roots(self) -> dict[str, Any]:
        """The prims that an articulation root schema is applied to, by path."""
        return {str(prim.GetPath()): prim for prim in self.with_schema(*ROOT_SCHEMAS)}

    @functools.cached_property
    def trees(self) -> list[Tree]:
        """Connected joints, with the articulation root that they belong to."""
        joints = [joint for joint in self.joints if not joint.excluded and any(joint.bodies)]
        return [self._tree(group) for group in _connected(joints)]

    def _tree(self, joints: Sequence[Joint]) -> Tree:
        bodies = frozenset(body for joint in joints for body in joint.bodies if body is not None)
        members = [*bodies, *(joint.path for joint in joints)]
        owners = [root for member in members for root in lineage(member) if root in self.roots]
        return Tree(tuple(joints), bodies, max(owners, key=len, default=None))

    @functools.cached_property
    def articulated(self) -> dict[str, Tree]:
        """The trees in articulations by the path of each of their joints."""
        return {joint.path: tree for tree in self.trees if tree.root for joint in tree.joints}

    # Places

    def matrix(self, path: str) -> Doubles:
        """Return the world matrix of a prim, shape (4, 4), row vectors, in stage lengths."""
        return np.array(self._transforms.GetLocalToWorldTransform(self.stage.GetPrimAtPath(path)), dtype=float)


def _up_axis(stage: Any) -> str:
    from pxr import UsdGeom

    return str(UsdGeom.GetStageUpAxis(stage))


def value(prim: Any, name: str, default: Any) -> Any:
    """Return an attribute's value, or the default where none is authored, neither there nor by the schema."""
    found = prim.GetAttribute(name)
    read = found.Get() if found else None
    return default if read is None else read


def is_authored(prim: Any, name: str) -> bool:
    """Return whether a value is authored for an attribute."""
    found = prim.GetAttribute(name)
    return bool(found) and bool(found.HasAuthoredValue())


def targets_of(prim: Any, name: str) -> list[str]:
    """Return the paths that a relationship names."""
    found = prim.GetRelationship(name)
    return [str(path) for path in found.GetTargets()] if found else []


def has_schema(prim: Any, family: str, instance: str = "") -> bool:
    """Return whether a schema is applied, known to this USD or not."""
    name = f"{family}:{instance}" if instance else family
    return name in map(str, prim.GetPrimTypeInfo().GetAppliedAPISchemas())


def lineage(path: str) -> Iterator[str]:
    """Give a path and those above it, nearest first, the root left out."""
    while path:
        yield path
        path = path.rpartition("/")[0]


def _connected(joints: Sequence[Joint]) -> list[list[Joint]]:
    """Group joints that share bodies; the world connects nothing."""
    parents: dict[str, str] = {}

    def find(body: str) -> str:
        while parents.setdefault(body, body) != body:
            parents[body] = parents[parents[body]]
            body = parents[body]
        return body

    for joint in joints:
        first, *rest = [body for body in joint.bodies if body is not None]
        for other in rest:
            parents[find(first)] = find(other)
    groups: dict[str, list[Joint]] = {}
    for joint in joints:
        groups.setdefault(find(next(body for body in joint.bodies if body is not None)), []).append(joint)
    return list(groups.values())
