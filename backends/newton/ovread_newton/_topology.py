"""Names and indices: which bodies, joints, soft objects and tendons there are, and where their numbers lie."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
import numpy.typing as npt

from ovread.backend import Objects
from ovread.catalogue import ObjectType
from ovread.order import natural_key
from ovread_newton._authored import NOTHING_KEPT, Authored, Kept
from ovread_newton._joint_corrections import is_negatable
from ovread_newton._paths import paths_in_worlds, paths_of
from ovread_newton._ragged import Indices, Ragged
from ovread_newton._rotations import Rotations
from ovread_newton._soft import SoftObjects, soft_objects
from ovread_newton._tendons import Tendons, tendons_of

if TYPE_CHECKING:
    import newton


@attrs.frozen(eq=False)
class Dofs:
    """The degrees of freedom of all joints, each joint's in the order twist, swing1, swing2, x, y, z.

    Args:
        rate: Index into arrays over degrees of freedom, one run per joint.
        coordinate: Index into ``joint_q``, for joints with as many coordinates as degrees of freedom; else -1.
        target: The same, into ``joint_target_q``.
        is_angular: Whether each is a rotation.
        sign: -1 where Newton's child is the authored body0.
        rotations: Axes of the joints that rotate about several, by joint.
    """

    rate: Ragged
    coordinate: Indices
    target: Indices
    is_angular: npt.NDArray[np.bool_]
    sign: npt.NDArray[np.float32]
    rotations: Mapping[int, Rotations]


@attrs.frozen(eq=False)
class Topology:
    """Everything readable of a model, by type, in Newton's order.

    Args:
        body_paths: Path of every body.
        joint_paths: Path of every joint.
        articulation_paths: Path of every articulation.
        scene_paths: Path of the physics scene, if there is one; of a model that the caller built, one per world.
        rigid_bodies: Bodies outside articulations.
        links: Bodies of articulations.
        joints: Joints of articulations with degrees of freedom; not those that only float a root.
        articulations: Articulations, without those that Newton makes for single bodies.
        roots: Root body of every articulation.
        owners: Articulation of every body, also of those that Newton makes for single bodies; -1 where it has none.
        members: Joints of every articulation.
        children: Child body of every joint.
        body_shapes: Shapes of every body.
        soft: Surfaces, volumes and particle sets.
        tendons: Fixed and spatial tendons.
        dofs: Degrees of freedom.
        joint_q: Indices of every joint's coordinates.
        joint_qd: Indices of every joint's rates.
        joint_types: Value of ``newton.JointType`` of every joint.
        reversed_joints: Joints whose authored body0 is Newton's child.
        principal_axes: Authored rotation from principal axes to body axes, (x, y, z, w), of bodies that have one.
        is_from_stage: Whether the model was built from a stage, so that defaults can be told from authored values.
    """

    body_paths: tuple[str, ...]
    joint_paths: tuple[str, ...]
    articulation_paths: tuple[str, ...]
    scene_paths: tuple[str, ...]
    rigid_bodies: Indices
    links: Indices
    joints: Indices
    articulations: Indices
    roots: Indices
    owners: Indices
    members: Ragged
    children: tuple[int, ...]
    body_shapes: Ragged
    soft: Mapping[ObjectType, SoftObjects]
    tendons: Mapping[ObjectType, Tendons]
    dofs: Dofs
    joint_q: Ragged
    joint_qd: Ragged
    joint_types: tuple[int, ...]
    reversed_joints: frozenset[int]
    principal_axes: Mapping[int, tuple[float, ...]]
    is_from_stage: bool

    @classmethod
    def of(cls, model: newton.Model, authored: Authored | None = None, kept: Kept = NOTHING_KEPT) -> Topology:
        """Read the topology of a finalized model.

        Args:
            model: The model.
            authored: What its stage says; None for a model that the caller built, whose labels are the paths.
            kept: What its stage says of bodies and joints.
        """
        types = _ints(model.joint_type)
        children = _ints(model.joint_child)
        owners = _ints(model.joint_articulation)
        labels = paths_of(model, "articulation")
        articulations = _articulations(types, owners, labels, authored)
        links = {children[joint] for joint, owner in enumerate(owners) if owner in articulations}
        members = Ragged.of(_grouped(owners, model.articulation_count))
        return cls(
            body_paths=tuple(paths_of(model, "body")),
            joint_paths=tuple(paths_of(model, "joint")),
            articulation_paths=tuple(labels),
            scene_paths=authored.scenes[:1] if authored else tuple(paths_in_worlds(model, "scene")),
            rigid_bodies=_indices(body for body in range(model.body_count) if body not in links),
            links=_indices(sorted(links)),
            joints=_indices(_readable_joints(model, types, owners, articulations)),
            articulations=_indices(sorted(articulations)),
            roots=_indices(children[members.flat[start]] for start in members.offsets[:-1]),
            owners=_owners(model.body_count, children, owners),
            members=members,
            children=tuple(children),
            body_shapes=Ragged.of(_shapes_by_body(model, every=authored is not None)),
            soft=soft_objects(model),
            tendons=tendons_of(model),
            dofs=_dofs(model, types, kept),
            joint_q=_runs(model.joint_q_start, model.joint_count),
            joint_qd=_runs(model.joint_qd_start, model.joint_count),
            joint_types=tuple(types),
            reversed_joints=kept.reversed_joints,
            principal_axes=kept.principal_axes,
            is_from_stage=authored is not None,
        )

    def links_of(self, articulation: int) -> Indices:
        """Return the links of an articulation, in natural path order."""
        children = {self.children[joint] for joint in self.members.take(np.array([articulation]))}
        return _indices(sorted(children, key=lambda body: (natural_key(self.body_paths[body]), self.body_paths[body])))

    def root_joints(self, articulations: Indices) -> Indices:
        """Return the joint between the world and the root of each articulation."""
        return self.members.flat[self.members.offsets[articulations]]

    def are_free(self, bodies: Indices) -> npt.NDArray[np.bool_]:
        """Return which bodies no joint holds."""
        return self._are_free[bodies]

    @cached_property
    def _are_free(self) -> npt.NDArray[np.bool_]:
        import newton

        free = int(newton.JointType.FREE)
        is_free = np.zeros(len(self.body_paths), bool)
        for owner, start in enumerate(self.members.offsets[:-1]):
            is_alone = self.members.offsets[owner + 1] == start + 1
            is_free[self.roots[owner]] = is_alone and self.joint_types[self.members.flat[start]] == free
        return is_free

    def handles_of_joints(self, joints: Indices) -> npt.NDArray[np.uint64]:
        """Return what stands for the paths of joints in values."""
        return joints.astype(np.uint64) + np.uint64(1)


def _ints(array: object) -> list[int]:
    return [] if array is None else [int(value) for value in array.numpy()]  # type: ignore[attr-defined]


def _indices(values: Iterable[int]) -> Indices:
    return np.array(list(values), dtype=np.intp)


def _grouped(owners: Sequence[int], count: int) -> list[list[int]]:
    groups: list[list[int]] = [[] for _ in range(count)]
    for item, owner in enumerate(owners):
        if owner >= 0:
            groups[owner].append(item)
    return groups


def _owners(bodies: int, children: Sequence[int], owners: Sequence[int]) -> Indices:
    found = np.full(bodies, -1, np.intp)
    found[np.array(children, np.intp)] = owners
    return found


def _runs(starts: object, count: int) -> Ragged:
    bounds = _ints(starts) if count else [0]
    return Ragged(np.arange(bounds[-1], dtype=np.intp), _indices(bounds))


def _articulations(
    types: Sequence[int], owners: Sequence[int], labels: Sequence[str], authored: Authored | None
) -> set[int]:
    """Leave out the articulations that hold single bodies, or joints outside articulations, for the solver's sake.

    In a model that the caller built they show as one free joint alone.
    """
    import newton

    if authored is not None:
        return {articulation for articulation, label in enumerate(labels) if label in authored.roots}
    free = int(newton.JointType.FREE)
    sizes = Counter(owners)
    return {
        owner for owner, kind in zip(owners, types, strict=True) if owner >= 0 and (sizes[owner] > 1 or kind != free)
    }


def _readable_joints(
    model: newton.Model, types: Sequence[int], owners: Sequence[int], articulations: Container[int]
) -> Iterable[int]:
    import newton

    bodies = set(model.body_label)
    excluded = (int(newton.JointType.FREE), int(newton.JointType.FIXED))
    bounds = _ints(model.joint_qd_start)
    for joint, (kind, owner) in enumerate(zip(types, owners, strict=True)):
        has_dofs = bounds[joint + 1] > bounds[joint]
        if owner in articulations and kind not in excluded and has_dofs and model.joint_label[joint] not in bodies:
            yield joint


def _shapes_by_body(model: newton.Model, *, every: bool) -> list[list[int]]:
    """Collect collision shapes; ``every`` counts those whose collisions are disabled too, as USD colliders are."""
    import newton

    site = int(newton.ShapeFlags.SITE)
    colliding = int(newton.ShapeFlags.COLLIDE_SHAPES) | int(newton.ShapeFlags.COLLIDE_PARTICLES)
    shapes: list[list[int]] = [[] for _ in range(model.body_count)]
    for shape, (body, flags) in enumerate(zip(_ints(model.shape_body), _ints(model.shape_flags), strict=True)):
        if body >= 0 and not flags & site and (every or flags & colliding):
            shapes[body].append(shape)
    return shapes


def _dofs(model: newton.Model, types: Sequence[int], kept: Kept) -> Dofs:
    import newton

    ball = int(newton.JointType.BALL)
    dimensions = model.joint_dof_dim.numpy() if model.joint_count else ()
    axes = model.joint_axis.numpy() if model.joint_dof_count else np.zeros((0, 3))
    q_starts, qd_starts = _ints(model.joint_q_start), _ints(model.joint_qd_start)
    target_starts = _ints(model.joint_target_q_start)
    runs: list[list[int]] = []
    coordinate: list[int] = []
    target: list[int] = []
    is_angular: list[bool] = []
    sign: list[float] = []
    rotations: dict[int, Rotations] = {}
    for joint, kind in enumerate(types):
        linear, angular = (int(count) for count in dimensions[joint])
        start, end = qd_starts[joint], qd_starts[joint + 1]
        own = axes[start:end]
        # A rod's two degrees of freedom are no translations or rotations about its axes.
        order = _canonical_order(own, linear) if end - start == linear + angular else list(range(end - start))
        if kind == ball:
            rotations[joint] = Rotations.of_ball(kept.ball_axes.get(joint, "X"))
            order = np.abs(rotations[joint].axes).argmax(axis=1).tolist()
        elif kind == int(newton.JointType.D6) and angular > 1:
            rotations[joint] = Rotations(own[order[:angular]].astype(float), own[linear:].astype(float))
        runs.append([start + dof for dof in order])
        is_scalar = q_starts[joint + 1] - q_starts[joint] == end - start
        coordinate.extend(q_starts[joint] + dof if is_scalar else -1 for dof in order)
        target.extend(target_starts[joint] + dof if is_scalar else -1 for dof in order)
        is_angular.extend(dof >= linear for dof in order)
        is_negated = joint in kept.reversed_joints and (kind == ball or is_negatable(kind, linear, angular))
        sign.extend(-1.0 if is_negated else 1.0 for _ in order)
    return Dofs(
        Ragged.of(runs),
        _indices(coordinate),
        _indices(target),
        np.array(is_angular, bool),
        np.array(sign, np.float32),
        rotations,
    )


def _canonical_order(axes: npt.NDArray[np.floating[Any]], linear: int) -> list[int]:
    """Order rotations before translations, and each by the axis of the joint's frame that it is nearest to."""
    nearest = np.abs(axes).argmax(axis=1)
    return sorted(range(len(axes)), key=lambda dof: (dof < linear, nearest[dof]))


def objects(topology: Topology, object_type: ObjectType) -> Objects:
    """List the objects of one type; none for the types that Newton lacks."""
    bodies, joints = topology.body_paths, topology.joint_paths
    if object_type is ObjectType.RIGID_BODY:
        return Objects([bodies[body] for body in topology.rigid_bodies])
    if object_type is ObjectType.ARTICULATION_LINK:
        return Objects([bodies[body] for body in topology.links])
    if object_type is ObjectType.ARTICULATION_JOINT:
        return Objects([joints[joint] for joint in topology.joints])
    if object_type is ObjectType.SCENE:
        return Objects(topology.scene_paths)
    if object_type in topology.soft:
        return Objects(topology.soft[object_type].paths)
    if object_type in topology.tendons:
        return Objects(topology.tendons[object_type].paths)
    if object_type is ObjectType.ARTICULATION:
        paths = [topology.articulation_paths[articulation] for articulation in topology.articulations]
        return Objects(paths, members=lambda: _members(topology))
    return Objects()


def _members(topology: Topology) -> list[list[str]]:
    """Return the paths of the links and joints of each articulation; a joint that floats its root has none."""
    import newton

    free = int(newton.JointType.FREE)
    return [
        [topology.body_paths[topology.children[joint]] for joint in joints]
        + [topology.joint_paths[joint] for joint in joints if topology.joint_types[joint] != free]
        for joints in (topology.members.take(_indices([articulation])) for articulation in topology.articulations)
    ]
