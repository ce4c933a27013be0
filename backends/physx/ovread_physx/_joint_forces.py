"""The force of the joint that leads to a link: on the link, in the link's joint frame, about the joint's origin.

The engine gives it for body1 of the joint. Where the link is body0, that is the force on its parent, in the parent's
joint frame, about the origin of that: it is turned round, and into the other frame, by the orientations that both links
have at the same time, and moved to the other origin by how far the joint has slid.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import attrs
import numpy as np
import numpy.typing as npt

from ovread.backend import Buffer, Column, Omission, OmissionReason, ReadBinding
from ovread.catalogue import Attribute, ObjectType, attribute
from ovread_physx._articulations import read_trees
from ovread_physx._authored_joints import read_axes
from ovread_physx._joint_frames import Quaternions, ReversedJoint, read_frames
from ovread_physx._parts import Joined, Part, host_buffer
from ovread_physx._trees import Indices

if TYPE_CHECKING:
    from ovread_physx._engine import PhysxEngine

NAME = "linkIncomingJointForce"

_KIND = ObjectType.ARTICULATION_LINK
_ORIENTATION = "orientation"
_POSITION = "jointPosition"
_UNKNOWN = (
    "Which body of its inbound joint this link is decides what PhysX means by the force, and that could not be "
    "established from the stage."
)

Bind = Callable[[Indices, Sequence[str]], ReadBinding]
"""Prepare a read of some rows and attributes."""


@attrs.frozen(eq=False)
class _Turns:
    """The links whose force the engine means the other way round.

    Args:
        links: Their rows.
        parents: Rows of the links that their joints come from.
        in_child: Axes of the joints in those of the links.
        in_parent: The same in those of the parents.
        joints: Paths of their joints.
        slides: ``(links, 3)``: direction that a joint slides in, in its axes; zeros of those that do not.
    """

    links: Indices
    parents: Indices
    in_child: Quaternions
    in_parent: Quaternions
    joints: Sequence[str]
    slides: npt.NDArray[np.float64]


def bind_links(rows: Indices, names: Sequence[str], engine: PhysxEngine, bind: Bind, bind_joints: Bind) -> ReadBinding:
    """Prepare a read of links; the force has the sense of this API, or is left out."""
    if NAME not in names:
        return bind(rows, names)
    turns, problems = _turns(engine, rows)
    if not len(turns.links) and not problems:
        return bind(rows, names)
    others = [name for name in names if name != NAME]
    served = np.array([row not in problems for row in rows.tolist()], dtype=bool)
    parts: list[Part] = []
    try:
        if others:
            parts.append(Part(bind(rows, others), np.arange(len(rows))))
        if served.any():
            parts.append(Part(_bind_forces(engine, rows[served], turns, bind, bind_joints), np.flatnonzero(served)))
    except BaseException:
        for part in parts:
            part.binding.close()
        raise
    return Joined(parts, list(_omissions(engine, rows, problems)))


def _omissions(engine: PhysxEngine, rows: Indices, problems: dict[int, str]) -> Iterator[Omission]:
    table = engine.table(_KIND)
    for why in dict.fromkeys(problems.values()):
        paths = tuple(table.paths[row] for row in rows.tolist() if problems.get(row) == why)
        yield Omission(NAME, OmissionReason.UNSUPPORTED_CONFIGURATION, why, paths if len(paths) < len(rows) else ())


def _turns(engine: PhysxEngine, rows: Indices) -> tuple[_Turns, dict[int, str]]:
    """Return which of the links ``rows`` have their force turned, and why the force of others is not known."""
    trees = read_trees(engine, np.arange(len(engine.table(ObjectType.ARTICULATION).paths)))
    wanted = set(rows.tolist())
    problems = dict.fromkeys(wanted - {row for tree in trees for row in tree.links.tolist()}, _UNKNOWN)
    links, parents, joints = [], [], []
    for tree in trees:
        for place, joint in tree.reversed_joints.items():
            link, parent = int(tree.links[place]), tree.parents[place]
            if link in wanted:
                links.append(link)
                parents.append(int(tree.links[parent]))
                joints.append(ReversedJoint(joint, tree.link_paths[place], tree.link_paths[parent]))
    frames = read_frames(engine, joints)
    problems |= {links[position]: why for position, why in frames.problems.items()}
    known = np.array([position not in frames.problems for position in range(len(joints))], dtype=bool)
    paths = [joint.joint for joint in joints]
    slides = np.zeros((len(joints), 3))
    for position, axis in read_axes(engine, "PhysicsPrismaticJoint", paths).items():
        slides[position, "XYZ".index(axis)] = 1.0
    return (
        _Turns(
            np.array(links, np.intp)[known],
            np.array(parents, np.intp)[known],
            frames.in_child[known],
            frames.in_parent[known],
            [path for path, is_known in zip(paths, known, strict=True) if is_known],
            slides[known],
        ),
        problems,
    )


def _bind_forces(engine: PhysxEngine, rows: Indices, turns: _Turns, bind: Bind, bind_joints: Bind) -> ReadBinding:
    """Prepare a read of the force alone, with the orientations of the links and parents that turn it."""
    if not len(turns.links):
        return bind(rows, [NAME])
    position_of = {row: position for position, row in enumerate(rows.tolist())}
    for parent in turns.parents.tolist():
        position_of.setdefault(parent, len(position_of))
    children, parents = (
        np.array([position_of[row] for row in side.tolist()], np.intp) for side in (turns.links, turns.parents)
    )
    paths = [engine.table(_KIND).paths[row] for row in rows]
    inner = bind(np.array(list(position_of), np.intp), [NAME, _ORIENTATION])
    slides = None
    try:
        if turns.slides.any():
            slides = _bind_slides(engine, children, turns, bind_joints)
        return ForcesBinding(inner, paths, Turner(children, parents, turns.in_child, turns.in_parent), slides)
    except BaseException:
        inner.close()
        if slides is not None:
            slides.close()
        raise


def _bind_slides(engine: PhysxEngine, children: Indices, turns: _Turns, bind_joints: Bind) -> Slides | None:
    # A joint that is not listed has no degree of freedom, and slides nowhere.
    rows_of = {path: row for row, path in enumerate(engine.table(ObjectType.ARTICULATION_JOINT).paths)}
    places = np.flatnonzero(turns.slides.any(axis=1)).tolist()
    sliding = sorted((rows_of[turns.joints[place]], place) for place in places if turns.joints[place] in rows_of)
    if not sliding:
        return None
    rows, order = np.array(sliding, np.intp).T
    return Slides(bind_joints(rows, [_POSITION]), children[order], turns.slides[order])


class ForcesBinding:
    """A prepared read of the force, some rows of which are turned; see :class:`ovread.backend.ReadBinding`.

    Args:
        inner: A read of force and orientation, of the requested links and then of parents of theirs.
        paths: Paths of the requested links.
        turner: Turns the force of some of them.
        slides: Moves the torque of some of them.
    """

    def __init__(self, inner: ReadBinding, paths: Sequence[str], turner: Turner, slides: Slides | None = None) -> None:
        self._inner = inner
        self._turner = turner
        self._slides = slides
        rows = [attribute(_KIND, column.attribute) for column in inner.columns]
        self._stages = [
            host_buffer(row, len(column.rows), len(row.lanes)) for row, column in zip(rows, inner.columns, strict=True)
        ]
        self._forces = _Gathering(inner.columns, self._stages, attribute(_KIND, NAME))
        self._orientations = _Gathering(inner.columns, self._stages, attribute(_KIND, _ORIENTATION))
        own = [(column, column.rows[column.rows < len(paths)]) for column in self._forces.columns]
        self.columns: Sequence[Column] = [attrs.evolve(column, rows=rows) for column, rows in own if len(rows)]
        known = set(paths)
        self.omissions: Sequence[Omission] = [
            attrs.evolve(omission, paths=tuple(path for path in omission.paths if path in known))
            for omission in inner.omissions
            if omission.attribute == NAME and not (omission.paths and known.isdisjoint(omission.paths))
        ]

    def fetch(self, buffers: Sequence[Buffer]) -> None:
        """Fill the buffers with the current values."""
        for stage in self._stages:
            stage.omission = None
        self._inner.fetch(self._stages)
        forces = self._forces.gather()
        self._turner.turn(forces, self._orientations.gather())
        if self._slides is not None:
            self._slides.move(forces)
        for column, buffer in zip(self.columns, buffers, strict=True):
            buffer.omission = self._forces.omission
            if buffer.host is None:
                buffer.array.assign(forces[column.rows])
            else:
                np.take(forces, column.rows, axis=0, out=buffer.host, mode="clip")

    def close(self) -> None:
        """Give the native queries back."""
        self._inner.close()
        if self._slides is not None:
            self._slides.close()


class Slides:
    """Moves the torque of links whose joints slide from the origin in the parent to that in the link.

    Args:
        binding: A read of the joints' positions.
        links: Position of the link that each leads to.
        directions: ``(joints, 3)``: unit vectors in the joints' axes.
    """

    def __init__(self, binding: ReadBinding, links: Indices, directions: npt.NDArray[np.float64]) -> None:
        self._binding = binding
        self._links = links
        self._directions = directions
        row = attribute(ObjectType.ARTICULATION_JOINT, _POSITION)
        self._stages = [host_buffer(row, len(column.rows), 1) for column in binding.columns]
        self._positions = _Gathering(binding.columns, self._stages, row)

    def move(self, forces: npt.NDArray[np.float32]) -> None:
        """Move torques in place, ``(links, 6)``; forces are turned already."""
        self._binding.fetch(self._stages)
        # The parent is body1, so its origin lies ahead by the joint's position.
        ahead = self._positions.gather()[:, :1] * self._directions
        forces[self._links, 3:] += np.cross(ahead, forces[self._links, :3]).astype(np.float32)

    def close(self) -> None:
        """Give the native query back."""
        self._binding.close()


class _Gathering:
    """The columns of one attribute, those of several scenes, as one array in the order of the request."""

    def __init__(self, columns: Sequence[Column], stages: Sequence[Buffer], row: Attribute) -> None:
        pairs = [pair for pair in zip(columns, stages, strict=True) if pair[0].attribute == row.name]
        self.columns = [column for column, _ in pairs]
        self._stages = [stage for _, stage in pairs]
        width = len(row.lanes)
        size = 1 + max((int(column.rows[-1]) for column in self.columns), default=-1)
        self._whole: npt.NDArray[np.float32] = np.zeros((size, width), np.float32)

    @property
    def omission(self) -> Omission | None:
        """Why the last read has none of them."""
        return next((stage.omission for stage in self._stages if stage.omission), None)

    def gather(self) -> npt.NDArray[np.float32]:
        """Return what was read last."""
        if len(self._stages) == 1 and len(self.columns[0].rows) == len(self._whole):
            host = self._stages[0].host
            assert host is not None
            return host
        for column, stage in zip(self.columns, self._stages, strict=True):
            self._whole[column.rows] = stage.host
        return self._whole


def _products() -> npt.NDArray[np.float64]:
    """Return component k of the product of quaternions i and j, (x, y, z, w), as ``[i, j, k]``."""
    table = np.zeros((4, 4, 4))
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        table[i, j, k], table[j, i, k] = 1.0, -1.0
        table[i, i, 3] = -1.0
        table[i, 3, i] = table[3, i, i] = 1.0
    table[3, 3, 3] = 1.0
    return table


_PRODUCT = _products()
_CONJUGATE = np.array([-1.0, -1.0, -1.0, 1.0])
_RELATIVE = (_CONJUGATE[:, None, None] * _PRODUCT).reshape(16, 4)
"""From the products of the components of p and q to p* q."""
_REVERSE = -np.einsum("ajm,mbi,b->abij", _PRODUCT[:, :3], _PRODUCT[..., :3], _CONJUGATE).reshape(16, 9)
"""From the products of the components of q to minus its rotation matrix."""


class Turner:
    """Turns the forces of some links round, and from the joint frames of their parents into their own.

    It keeps its scratch: nothing is allocated per read.

    Args:
        children: Positions of the links.
        parents: Positions of their parents.
        in_child: Axes of their joints in those of the links.
        in_parent: The same in those of the parents.
    """

    def __init__(self, children: Indices, parents: Indices, in_child: Quaternions, in_parent: Quaternions) -> None:
        self._children = children
        self._parents = parents
        # From p* q of child and parent to the rotation between the frames, in_child* p* q in_parent.
        self._between = np.einsum("abm,mdc,na,nd->ncb", _PRODUCT, _PRODUCT, in_child * _CONJUGATE, in_parent)
        count = len(children)
        self._child, self._parent = (np.empty((count, 4), np.float32) for _ in range(2))
        self._products = np.empty((count, 4, 4))
        self._relative, self._rotation = np.empty((count, 4, 1)), np.empty((count, 4, 1))
        self._matrices = np.empty((count, 1, 3, 3))
        self._given = np.empty((count, 6), np.float32)
        self._exact, self._turned = np.empty((count, 2, 3, 1)), np.empty((count, 2, 3, 1))

    def turn(self, forces: npt.NDArray[np.float32], orientations: npt.NDArray[np.float32]) -> None:
        """Turn forces in place, ``(links, 6)``, by orientations, ``(links, 4)``."""
        count = len(self._children)
        np.take(orientations, self._children, axis=0, out=self._child, mode="clip")
        np.take(orientations, self._parents, axis=0, out=self._parent, mode="clip")
        products = self._products
        np.multiply(self._child[:, :, None], self._parent[:, None, :], out=products, dtype=np.float64)
        np.matmul(products.reshape(count, 16), _RELATIVE, out=self._relative.reshape(count, 4))
        np.matmul(self._between, self._relative, out=self._rotation)
        np.multiply(self._rotation, self._rotation.reshape(count, 1, 4), out=products)
        np.matmul(products.reshape(count, 16), _REVERSE, out=self._matrices.reshape(count, 9))
        np.take(forces, self._children, axis=0, out=self._given, mode="clip")
        self._exact[...] = self._given.reshape(self._exact.shape)
        np.matmul(self._matrices, self._exact, out=self._turned)
        forces[self._children] = self._turned.reshape(count, 6)
