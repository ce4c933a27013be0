"""What must be known of articulations to read their matrices: links, joints and degrees of freedom."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ovread.backend import Buffer
from ovread.catalogue import ObjectType, attribute
from ovread_physx._authored_joints import read_joints
from ovread_physx._inspection import inspect
from ovread_physx._layout import Copy, GroupPlan, RawGroup
from ovread_physx._objects import articulation_members
from ovread_physx._sources import ReadSource
from ovread_physx._trees import Indices, Tree, build_tree

if TYPE_CHECKING:
    from ovread_physx._engine import PhysxEngine

_DESCRIPTORS = ("dofJointPath", "dofAxisIndex")


def read_trees(engine: PhysxEngine, rows: Indices) -> list[Tree]:
    """Work out some articulations, given as rows of the table of all."""
    is_fixed, dofs = _read_dofs(engine)
    links, joints = engine.table(ObjectType.ARTICULATION_LINK), engine.table(ObjectType.ARTICULATION_JOINT)
    link_of = dict(zip(links.prims, links.paths, strict=True))
    path_of = dict(zip(joints.prims, joints.paths, strict=True))
    own_links, own_joints = _members(engine, set(links.paths))
    starts = np.cumsum([0, *map(len, own_links)])
    paths = {path_of[handle]: None for row in rows for handle, _ in dofs[row]}
    paths |= dict.fromkeys(path for row in rows for path in own_joints[row])
    authored = dict(zip(paths, read_joints(engine, list(paths), link_of), strict=True))
    return [
        build_tree(
            bool(is_fixed[row]),
            [(path_of[handle], ordinal) for handle, ordinal in dofs[row]],
            dict(zip(own_links[row], range(starts[row], starts[row + 1]), strict=True)),
            own_joints[row] if own_joints[row] or len(own_links[row]) == 1 else None,
            authored,
        )
        for row in rows
    ]


def _members(engine: PhysxEngine, links: set[str]) -> tuple[list[list[str]], list[list[str]]]:
    """Return the links of each articulation, and its joints where the engine tells which these are."""
    members = articulation_members(engine)
    return (
        [[path for path in paths if path in links] for paths in members],
        [[path for path in paths if path not in links] for paths in members],
    )


def _read_dofs(engine: PhysxEngine) -> tuple[list[bool], list[list[tuple[int, int]]]]:
    """Return of each articulation whether its root is fixed, and joint and axis ordinal of its degrees of freedom."""
    is_fixed: list[bool] = []
    counts: list[int] = []
    joints: list[list[int]] = []
    axes: list[list[int]] = []
    # One group of each attribute per scene, scene after scene; a scene without any such joint has none of the last two.
    for group in inspect(engine, ObjectType.ARTICULATION, ["isFixedBase", "dofCount", *_DESCRIPTORS]):
        values = group.values[0].reshape(len(group.prims), -1).tolist()
        if group.attribute == "isFixedBase":
            is_fixed += [bool(value) for (value,) in values]
        elif group.attribute == "dofCount":
            counts += [value for (value,) in values]
        else:
            found = joints if group.attribute == "dofJointPath" else axes
            found += [[]] * (len(is_fixed) - len(values) - len(found))
            found += values
    for found in (joints, axes):
        found += [[]] * (len(is_fixed) - len(found))
    return is_fixed, [
        list(zip(row_joints[:count], row_axes[:count], strict=True))
        for row_joints, row_axes, count in zip(joints, axes, counts, strict=True)
    ]


def read_centres(engine: PhysxEngine) -> npt.NDArray[np.float64]:
    """Return the centre of mass of each articulation link, in world axes."""
    names = ("position", "orientation", "centerOfMassPosition")
    runs = inspect(engine, ObjectType.ARTICULATION_LINK, names)
    position, orientation, offset = (
        np.concatenate([group.values[0] for group in runs if group.attribute == name]).astype(np.float64)
        for name in names
    )
    axis, real = orientation[:, :3], orientation[:, 3:]
    turned = 2.0 * np.cross(axis, offset)
    return np.asarray(position + offset + real * turned + np.cross(axis, turned))


def stage_groups(
    source: ReadSource, object_type: ObjectType, groups: Sequence[RawGroup], *, several_scenes: bool
) -> list[Buffer]:
    """Prepare a source to read whole groups of f32, in its own order; return its values, which it can fetch again.

    The memory is this backend's own: no reader ever sees it.
    """
    import warp as wp

    rows = [attribute(object_type, group.attribute) for group in groups]
    plans = [
        GroupPlan(group.attribute, row, group.prims, group.counts, group.lanes, [Copy(position, None)])
        for position, (row, group) in enumerate(zip(rows, groups, strict=True))
    ]
    arrays = [wp.zeros((sum(group.counts), group.lanes), dtype=wp.float32, device="cpu") for group in groups]
    stages = [Buffer(row, array, array.numpy()) for row, array in zip(rows, arrays, strict=True)]
    if plans:
        served = list(dict.fromkeys(group.attribute for group in groups))
        source.prepare(plans, served, several_scenes=several_scenes)
        source.fetch(stages)
    return stages
