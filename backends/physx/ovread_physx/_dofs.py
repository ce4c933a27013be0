"""Degrees of freedom of articulations, in canonical order: joints in natural path order, each with its axes in turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import attrs
import numpy as np
import numpy.typing as npt

from ovread.catalogue import ObjectType
from ovread.order import natural_key
from ovread_physx._inspection import inspect
from ovread_physx._layout import PER_ARTICULATION_DOF, RawGroup

if TYPE_CHECKING:
    from ovread_physx._engine import PhysxEngine


def with_orders(engine: PhysxEngine, groups: Sequence[RawGroup], prims: Sequence[int] | None) -> list[RawGroup]:
    """Give each group of :data:`PER_ARTICULATION_DOF` the order of its elements.

    Args:
        engine: The engine.
        groups: What a read of ``prims`` answered.
        prims: Interned paths of the articulations; None for all.
    """
    described = inspect(engine, ObjectType.ARTICULATION, PER_ARTICULATION_DOF, prims)
    columns = [[group.values[0] for group in described if group.attribute == name] for name in PER_ARTICULATION_DOF]
    orders = [
        [_order(engine, *row) for row in zip(joints.reshape(len(joints), -1), axes.reshape(len(axes), -1), strict=True)]
        for joints, axes in zip(*columns, strict=True)
    ]
    left = {name: iter(orders) for name in PER_ARTICULATION_DOF}
    return [
        attrs.evolve(group, orders=next(left[group.attribute])) if group.attribute in left else group
        for group in groups
    ]


def _order(engine: PhysxEngine, joints: npt.NDArray[np.uint64], axes: npt.NDArray[np.int32]) -> npt.NDArray[np.intp]:
    """Return the elements of one articulation in canonical order, without those that only fill up the row."""
    paths = engine.paths_of(joints.tolist())
    elements = [element for element, path in enumerate(paths) if path]
    elements.sort(key=lambda element: (natural_key(paths[element]), paths[element], axes[element]))
    return np.array(elements, dtype=np.intp)
