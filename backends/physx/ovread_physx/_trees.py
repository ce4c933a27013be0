"""What the rows and columns of an articulation's matrices stand for, in the engine's order and in the canonical one.

The engine publishes the order of the degrees of freedom, but not that of the links: its Jacobian has them breadth
first, children of one link in the order in which the links are listed. That follows from the joints of the stage; it
must agree with the published degrees of freedom, and with the numbers in the Jacobian itself (:func:`disagreement`).
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from ovread.backend import MatrixLabels
from ovread.order import natural_key
from ovread_physx._authored_joints import AuthoredJoint

Indices = npt.NDArray[np.intp]

SPATIAL = tuple(f"{kind}.{axis}" for kind in ("linear", "angular") for axis in "xyz")
"""Components of a motion, as the engine orders them."""

_NOT_ESTABLISHED = "PhysX does not publish the order of links in a Jacobian, and it could not be established: "


@attrs.frozen
class Dof:
    """A degree of freedom of a joint.

    Args:
        joint: Path of the joint.
        ordinal: Its place among the free axes of the joint.
        axis: The name of its axis.
    """

    joint: str
    ordinal: int
    axis: str

    @property
    def label(self) -> str:
        """Joint and axis."""
        return f"{self.joint}:{self.axis}"

    @property
    def canonical(self) -> tuple[Any, str, int]:
        """Sort key of the canonical order."""
        return natural_key(self.joint), self.joint, self.ordinal


@attrs.frozen(eq=False)
class Tree:
    """One articulation.

    Args:
        root: Path of the root link.
        is_fixed: Whether the root is fixed to the world.
        dofs: Degrees of freedom of the joints, in the engine's order.
        links: Row of each link in the list of all links, breadth first; empty where ``problem`` says why.
        link_paths: Path of each of them.
        parents: Place of each link's parent among ``links``, -1 for the root.
        movers: For each degree of freedom, the place of the link that its joint leads to.
        reversed_joints: By the place of each link that is body0 of the joint that leads to it, that joint.
        problem: Why the order of the links is not known.
    """

    root: str
    is_fixed: bool
    dofs: tuple[Dof, ...]
    links: Indices = attrs.field(factory=lambda: np.empty(0, dtype=np.intp))
    link_paths: tuple[str, ...] = ()
    parents: tuple[int, ...] = ()
    movers: tuple[int, ...] = ()
    reversed_joints: Mapping[int, str] = attrs.field(factory=dict)
    problem: str = ""

    @property
    def root_dofs(self) -> int:
        """Degrees of freedom of the root."""
        return 0 if self.is_fixed else 6

    @property
    def size(self) -> int:
        """Degrees of freedom, those of the root included."""
        return self.root_dofs + len(self.dofs)

    def columns(self) -> tuple[tuple[str, ...], Indices]:
        """Return the label of each degree of freedom in the engine's order, and the canonical order of them."""
        labels = [f"{self.root}:{component}" for component in SPATIAL[: self.root_dofs]]
        order = sorted(range(len(self.dofs)), key=lambda index: self.dofs[index].canonical)
        labels += [dof.label for dof in self.dofs]
        return tuple(labels), np.array([*range(self.root_dofs), *(self.root_dofs + dof for dof in order)], np.intp)

    def rows(self) -> tuple[tuple[str, ...], Indices]:
        """Return the label of each row of the Jacobian in the engine's order, and the canonical order of them."""
        paths = self.link_paths[1:] if self.is_fixed else self.link_paths
        labels = tuple(f"{path}:{component}" for path in paths for component in SPATIAL)
        order = sorted(range(len(paths)), key=lambda index: (natural_key(paths[index]), paths[index]))
        return labels, (np.array(order, np.intp)[:, None] * 6 + np.arange(6)).reshape(-1)


def build_tree(
    is_fixed: bool,
    dofs: Sequence[tuple[str, int]],
    links: Mapping[str, int],
    joints: Sequence[str] | None,
    authored: Mapping[str, AuthoredJoint],
) -> Tree:
    """Work out one articulation.

    Args:
        is_fixed: Whether the root is fixed to the world.
        dofs: Joint and axis ordinal of each degree of freedom, in the engine's order.
        links: Row of each link in the list of all links, by path; the root first.
        joints: Paths of the joints, fixed ones included; None where the engine does not tell which these are.
        authored: What the stage says of joints, those of ``dofs`` and ``joints`` among them.
    """
    counts: dict[str, int] = {}
    for joint, _ in dofs:
        counts[joint] = counts.get(joint, 0) + 1
    named = tuple(Dof(joint, ordinal, authored[joint].axis(ordinal, counts[joint])) for joint, ordinal in dofs)
    paths = list(links)
    root = paths[0]
    tree = Tree(root, is_fixed, named)
    if joints is None:
        return attrs.evolve(tree, problem=f"{_NOT_ESTABLISHED}several articulations share this path.")
    if joints and not any(any(authored[joint].bodies) for joint in joints):
        return attrs.evolve(
            tree, problem=f"{_NOT_ESTABLISHED}its joints are not on the stage, as those of clones are not."
        )
    edges = {joint: tuple(_link_at(body, links) for body in authored[joint].bodies) for joint in joints}
    order, parents, inbound = _breadth_first(root, paths, edges)
    if len(order) < len(paths) or len(edges) != len(paths) - 1:
        return attrs.evolve(tree, problem=f"{_NOT_ESTABLISHED}its joints on the stage do not connect all its links.")
    moved = {joint: place for place, joint in enumerate(inbound) if joint in counts}
    if list(moved) != list(counts):
        return attrs.evolve(tree, problem=f"{_NOT_ESTABLISHED}its joints are not breadth first.")
    return attrs.evolve(
        tree,
        links=np.array([links[path] for path in order], dtype=np.intp),
        link_paths=tuple(order),
        parents=tuple(parents),
        movers=tuple(moved[dof.joint] for dof in named),
        reversed_joints={
            place: joint
            for place, (link, joint) in enumerate(zip(order, inbound, strict=True))
            if joint and edges[joint][0] == link
        },
    )


def _link_at(path: str, links: Mapping[str, int]) -> str:
    """Return the link that a body relationship means: the prim that it names, or the nearest ancestor that is one."""
    while path and path not in links:
        path = path.rpartition("/")[0]
    return path


def _breadth_first(
    root: str, links: Sequence[str], edges: Mapping[str, tuple[str, ...]]
) -> tuple[list[str], list[int], list[str]]:
    """Return the links, the place of the parent of each, and the joint that leads to each."""
    neighbours: dict[str, dict[str, str]] = {link: {} for link in links}
    for joint, (first, second) in edges.items():
        if first and second:
            neighbours[first][second] = neighbours[second][first] = joint
    rank = {link: place for place, link in enumerate(links)}
    order, parents, inbound = [root], [-1], [""]
    seen = {root}
    for place, link in enumerate(order):  # grows while it is walked
        for child in sorted(neighbours[link].keys() - seen, key=rank.__getitem__):
            seen.add(child)
            order.append(child)
            parents.append(place)
            inbound.append(neighbours[link][child])
    return order, parents, inbound


def disagreement(tree: Tree, jacobian: npt.NDArray[np.float32], centres: npt.NDArray[np.float64]) -> str:
    """Return why a Jacobian cannot have the links in the order of a tree; empty where it can.

    What a joint moves is rigid: the links beyond it share its angular velocity, and their centres of mass differ in
    velocity by that times the lever arm between them; no other link moves. Links that could change places under all
    these conditions have equal rows.

    Args:
        tree: The articulation.
        jacobian: Its Jacobian, as the engine gave it.
        centres: Centre of mass of each link of ``tree.links``.
    """
    first = 1 if tree.is_fixed else 0
    references, moved = _motions(tree.parents, tree.movers, tree.root_dofs)
    blocks = jacobian.astype(np.float64).reshape(len(tree.links) - first, 6, tree.size).transpose(2, 0, 1)
    columns = np.arange(tree.size)
    own = blocks[columns, references - first]
    spins, speeds = own[:, None, 3:], own[:, None, :3]
    levers = centres[None, first:] - centres[references, None]
    expected = np.concatenate(np.broadcast_arrays(speeds + np.cross(spins, levers), spins), axis=2)
    difference = np.abs(blocks - np.where(moved[:, first:, None], expected, 0.0))
    spread = float(np.ptp(centres, axis=0).max(initial=0.0))
    tolerance = 1e-4 * spread + 1e-6 * float(np.abs(centres).max(initial=0.0)) + 1e-5
    # Written so that what is not a number disagrees too.
    if difference[:, :, 3:].max(initial=0.0) <= 1e-4 and difference[:, :, :3].max(initial=0.0) <= tolerance:
        return ""
    return f"{_NOT_ESTABLISHED}its numbers contradict the joints on the stage."


@functools.lru_cache(maxsize=64)
def _motions(
    parents: tuple[int, ...], movers: tuple[int, ...], root_dofs: int
) -> tuple[Indices, npt.NDArray[np.bool_]]:
    """Return, for each column of a Jacobian, a link that it moves, and which links it moves at all."""
    beyond = np.zeros((len(parents), len(parents)), dtype=bool)
    for place, parent in enumerate(parents):
        beyond[:, place] = beyond[:, parent] if parent >= 0 else False
        beyond[place, place] = True
    references = np.array([*[0] * root_dofs, *movers], dtype=np.intp)
    return references, beyond[references]


@attrs.frozen(eq=False)
class Arrangement:
    """What the elements of one articulation's matrix or vector stand for.

    Args:
        labels: Its rows and columns in canonical order.
        native_labels: The same in the engine's order.
        order: The engine's element for each canonical one, row after row.
    """

    labels: MatrixLabels
    native_labels: MatrixLabels
    order: Indices

    @property
    def lanes(self) -> tuple[str, ...]:
        """Names of the elements by their place, which hold for any articulation of this size."""
        columns = range(len(self.labels.columns))
        if not self.labels.rows:
            return tuple(f"c{column}" for column in columns)
        return tuple(f"r{row}c{column}" for row in range(len(self.labels.rows)) for column in columns)


def arrange(tree: Tree, name: str) -> Arrangement:
    """Arrange the elements of an attribute of an articulation."""
    columns, column_order = tree.columns()
    rows: tuple[str, ...] = ()
    row_order = np.zeros(1, dtype=np.intp)
    if name == "jacobian":
        rows, row_order = tree.rows()
    elif name == "massMatrix":
        rows, row_order = columns, column_order
    elif name == "centroidalMomentum":
        rows, row_order = SPATIAL, np.arange(len(SPATIAL))
        columns, column_order = (*columns, "bias"), np.append(column_order, len(column_order))
    return Arrangement(
        MatrixLabels(
            tuple(rows[index] for index in row_order) if rows else (), tuple(columns[i] for i in column_order)
        ),
        MatrixLabels(rows, columns),
        (row_order[:, None] * len(columns) + column_order).reshape(-1),
    )
