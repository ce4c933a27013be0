"""Preparing the reads of an articulation's matrices and generalized forces, in canonical order and labelled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
import numpy.typing as npt

from ovread.backend import Column, MatrixLabels, Omission, OmissionReason
from ovread.order import natural_key
from ovread_newton._binding import Values, Write, constant
from ovread_newton._evaluation import FORCES, Evaluation
from ovread_newton._joint_reads import reason_against
from ovread_newton._momentum import Momentum
from ovread_newton._ragged import EMPTY

if TYPE_CHECKING:
    from ovread_newton._engine import NewtonEngine

Indices = npt.NDArray[np.intp]

MOMENTUM = "centroidalMomentum"
EVALUATED = FORCES | {"jacobian", "massMatrix", MOMENTUM}
"""Attributes that Newton evaluates on demand, or that follow from these."""

DYNAMICS = EVALUATED | {"jacobianShape"}
"""Attributes that are prepared here."""

_SPATIAL = tuple(f"{kind}.{axis}" for kind in ("linear", "angular") for axis in "xyz")
_ROTATIONS = ("twist", "swing1", "swing2")
_RIGID = "The articulation has no degrees of freedom."
_FIXED_ROOT = "Only articulations whose root floats have a centroidal momentum matrix."
_ROD = "Newton evaluates no generalized forces of models that have rod joints."
_OTHER_RATES = (
    "Articulations are left out that have distance joints, rotations about axes that are not at right angles, or "
    "joints to the world whose body0 is a link and that move along or about several axes: "
)
_FLOATS_INSIDE = "A free joint here starts from a link, or from a turned frame, not from the world's axes: "


@attrs.frozen(eq=False)
class _Tree:
    """What the rows and columns of one articulation stand for.

    Args:
        index: Newton's index of the articulation.
        is_fixed: Whether its root link is fixed to the world.
        is_floating: Whether its root link floats; it may also hang on a joint to the world.
        bodies: Link of each row of the Jacobian, in Newton's order, without a fixed root.
        links: Their paths.
        columns: Label of each degree of freedom, in Newton's order.
        column_order: Newton's column of each canonical one.
        signs: Sign of each canonical column.
        first_dof: Index of its first degree of freedom.
    """

    index: int
    is_fixed: bool
    is_floating: bool
    bodies: Indices
    links: tuple[str, ...]
    columns: tuple[str, ...]
    column_order: Indices
    signs: npt.NDArray[np.float32]
    first_dof: int

    @property
    def rows(self) -> tuple[str, ...]:
        """Label of each row of the Jacobian, in Newton's order."""
        return tuple(f"{link}:{component}" for link in self.links for component in _SPATIAL)

    @property
    def row_order(self) -> Indices:
        """Newton's row of each canonical one, a fixed root's rows not counted."""
        return (self.link_order[:, None] * 6 + np.arange(6)).reshape(-1)

    @property
    def link_order(self) -> Indices:
        """Newton's place of each link in the canonical order."""
        order = sorted(range(len(self.links)), key=lambda place: (natural_key(self.links[place]), self.links[place]))
        return np.array(order, np.intp)

    @property
    def size(self) -> tuple[bool, int, int]:
        """What articulations of one column share."""
        return self.is_fixed, len(self.links), len(self.columns)


def bind_dynamics(
    engine: NewtonEngine, articulations: Indices, names: Sequence[str]
) -> tuple[list[Column], list[Write], list[Omission], Evaluation]:
    """Prepare a read of :data:`DYNAMICS`.

    Args:
        engine: The engine.
        articulations: Newton's index of each requested articulation.
        names: Names of attributes.
    """
    found = [_read_tree(engine, int(articulation)) for articulation in articulations]
    trees = {position: tree for position, tree in enumerate(found) if isinstance(tree, _Tree)}
    problems = {position: problem for position, problem in enumerate(found) if isinstance(problem, str)}
    evaluation = Evaluation(engine, [tree.index for tree in trees.values()])
    columns: list[Column] = []
    writes: list[Write] = []
    omissions: list[Omission] = []
    for name in names:
        if not found:
            columns.append(Column(name, EMPTY, lanes=None if name == "jacobianShape" else ("r0c0",)))
            writes.append(_write_nothing)
            continue
        against = dict(problems)
        if name in EVALUATED:
            against |= {position: _RIGID for position, tree in trees.items() if not tree.columns}
        if name in FORCES | {MOMENTUM} and _has_rods(engine):
            against |= dict.fromkeys(trees, _ROD)
        if name == MOMENTUM:
            against |= {position: _FIXED_ROOT for position, tree in trees.items() if not tree.is_floating}
        omissions.extend(_omissions(engine, articulations, name, against))
        given = {position: tree for position, tree in trees.items() if position not in against}
        if given and name in EVALUATED:
            evaluation.names |= {"jacobian", "coriolisForce"} if name == MOMENTUM else {name}
        for column, write in _columns(engine, name, given, evaluation):
            columns.append(column)
            writes.append(write)
    return columns, writes, omissions, evaluation


def _write_nothing(out: Values) -> None:
    """Fill no rows."""


def _read_tree(engine: NewtonEngine, articulation: int) -> _Tree | str:
    """Read one articulation; return why not, where its rates mean something else on other engines."""
    import newton

    topology, model = engine.topology, engine.model
    free, fixed = int(newton.JointType.FREE), int(newton.JointType.FIXED)
    # Joints that close a loop come after the end.
    joints = range(
        int(model.articulation_start.numpy()[articulation]), int(model.articulation_end.numpy()[articulation])
    )
    first_dof = int(topology.joint_qd.offsets[joints[0]])
    keys: list[tuple[Any, ...]] = []
    labels: dict[int, str] = {}
    signs: dict[int, float] = {}
    strange: list[str] = []
    for joint in joints:
        path = topology.joint_paths[joint]
        dofs = topology.dofs.rate.positions(np.array([joint]))
        if topology.joint_types[joint] == free:
            if joint != joints[0] or not _starts_in_world_axes(engine, joint):
                return _FLOATS_INSIDE + path
            root = topology.body_paths[topology.children[joint]]
            # Newton has these in the canonical order, which no sorting by axes may change.
            for place, component in enumerate(_SPATIAL):
                labels[place], signs[place] = f"{root}:{component}", 1.0
                keys.append((0, (), "", place, place))
            continue
        if len(dofs) and reason_against(topology, joint, "jointVelocity") is not None:
            strange.append(path)
            continue
        for ordinal, dof in enumerate(dofs):
            place = int(topology.dofs.rate.flat[dof]) - first_dof
            labels[place] = f"{path}:{_axis(engine, joint, int(dof), ordinal)}"
            signs[place] = float(topology.dofs.sign[dof])
            keys.append((1, natural_key(path), path, ordinal, place))
    if strange:
        return _OTHER_RATES + ", ".join(strange[:3]) + (", …" if len(strange) > 3 else "")
    order = [key[-1] for key in sorted(keys)]
    is_fixed = topology.joint_types[joints[0]] == fixed
    bodies = [topology.children[joint] for joint in (joints[1:] if is_fixed else joints)]
    return _Tree(
        articulation,
        is_fixed,
        topology.joint_types[joints[0]] == free,
        np.array(bodies, np.intp),
        tuple(topology.body_paths[body] for body in bodies),
        tuple(labels[place] for place in range(len(labels))),
        np.array(order, np.intp),
        np.array([signs[place] for place in order], np.float32),
        first_dof,
    )


def _starts_in_world_axes(engine: NewtonEngine, joint: int) -> bool:
    turn = engine.model.joint_X_p.numpy()[joint][3:]
    return bool(engine.model.joint_parent.numpy()[joint] < 0 and abs(turn[3]) > 1 - 1e-7)


def _axis(engine: NewtonEngine, joint: int, dof: int, ordinal: int) -> str:
    import newton

    topology = engine.topology
    kind = topology.joint_types[joint]
    if kind == int(newton.JointType.REVOLUTE):
        return "twist"
    if kind == int(newton.JointType.PRISMATIC):
        return "x"
    if kind == int(newton.JointType.BALL):
        return _ROTATIONS[ordinal]
    nearest = int(np.abs(engine.model.joint_axis.numpy()[topology.dofs.rate.flat[dof]]).argmax())
    return _ROTATIONS[nearest] if topology.dofs.is_angular[dof] else "xyz"[nearest]


def _has_rods(engine: NewtonEngine) -> bool:
    import newton

    return int(newton.JointType.ROD) in engine.topology.joint_types


def _omissions(engine: NewtonEngine, articulations: Indices, name: str, against: dict[int, str]) -> Iterator[Omission]:
    paths: dict[str, list[str]] = {}
    for position in sorted(against):
        path = engine.topology.articulation_paths[articulations[position]]
        paths.setdefault(against[position], []).append(path)
    for reason, missing in paths.items():
        yield Omission(name, OmissionReason.UNSUPPORTED_CONFIGURATION, reason, tuple(missing))


def _columns(
    engine: NewtonEngine, name: str, trees: dict[int, _Tree], evaluation: Evaluation
) -> Iterator[tuple[Column, Write]]:
    if name == "jacobianShape":
        if trees:
            sizes = [[6 * len(tree.links), len(tree.columns)] for tree in trees.values()]
            yield Column(name, np.array(list(trees), np.intp)), constant(np.array(sizes, np.int32))
        return
    cohorts: dict[tuple[bool, int, int], list[int]] = {}
    for position, tree in trees.items():
        cohorts.setdefault(tree.size, []).append(position)
    for positions in cohorts.values():
        if name == MOMENTUM:
            yield _momentum(engine, positions, [trees[position] for position in positions], evaluation)
            continue
        arranged = [_arrange(name, trees[position], evaluation) for position in positions]
        column = _column(name, positions, [each.labels for each in arranged], [each.native_labels for each in arranged])
        yield column, evaluation.gather(name, *_stacked(arranged))


def _column(
    name: str, positions: Sequence[int], labels: Sequence[MatrixLabels], native_labels: Sequence[MatrixLabels]
) -> Column:
    columns = range(len(labels[0].columns))
    names = tuple(f"r{row}c{column}" for row in range(len(labels[0].rows)) for column in columns)
    return Column(
        name,
        np.array(positions, np.intp),
        lanes=names or tuple(f"c{column}" for column in columns),
        labels=tuple(labels),
        native_labels=tuple(native_labels),
    )


def _stacked(arranged: Sequence[_Arrangement]) -> tuple[Indices, npt.NDArray[np.float32]]:
    return (
        np.stack([each.elements.reshape(-1) for each in arranged]),
        np.stack([each.signs.reshape(-1) for each in arranged]),
    )


def _momentum(
    engine: NewtonEngine, positions: Sequence[int], trees: Sequence[_Tree], evaluation: Evaluation
) -> tuple[Column, Write]:
    """Prepare the matrices of floating articulations of one size."""
    jacobians, forces = ([_arrange(name, tree, evaluation) for tree in trees] for name in ("jacobian", "coriolisForce"))
    labels = [MatrixLabels(_SPATIAL, (*each.labels.columns, "bias")) for each in forces]
    native = [MatrixLabels(_SPATIAL, (*each.native_labels.columns, "bias")) for each in forces]
    momentum = Momentum(
        engine, [tree.bodies[tree.link_order] for tree in trees], np.array([tree.bodies[0] for tree in trees], np.intp)
    )
    shape = (len(trees), 6 * len(trees[0].links), len(trees[0].columns))
    jacobian, coriolis = np.zeros((shape[0], shape[1] * shape[2]), np.float32), np.zeros(shape[::2], np.float32)
    read_jacobian = evaluation.gather("jacobian", *_stacked(jacobians))
    read_coriolis = evaluation.gather("coriolisForce", *_stacked(forces))

    def write(out: Values) -> Omission | None:
        omission = read_jacobian(jacobian) or read_coriolis(coriolis)
        if omission is not None:
            return attrs.evolve(omission, attribute=MOMENTUM)
        with np.errstate(over="ignore", invalid="ignore"):  # where a simulation diverged, which is told as such
            out[...] = momentum.matrix(jacobian.reshape(shape), coriolis).reshape(len(trees), -1)
        return None

    return _column(MOMENTUM, positions, labels, native), write


@attrs.frozen(eq=False)
class _Arrangement:
    """Where the elements of one value lie in Newton's array, ``(rows, columns)``, and what they stand for."""

    labels: MatrixLabels
    native_labels: MatrixLabels
    elements: Indices
    signs: npt.NDArray[np.float32]


def _arrange(name: str, tree: _Tree, evaluation: Evaluation) -> _Arrangement:
    order, signs = tree.column_order, tree.signs
    columns = tuple(tree.columns[place] for place in order)
    if name in FORCES:
        labels, native = MatrixLabels((), columns), MatrixLabels((), tree.columns)
        return _Arrangement(labels, native, tree.first_dof + order, signs)
    _, height, width = evaluation.shape_of(name)
    start = tree.index * height * width
    if name == "massMatrix":
        labels, native = MatrixLabels(columns, columns), MatrixLabels(tree.columns, tree.columns)
        return _Arrangement(labels, native, start + order[:, None] * width + order, signs[:, None] * signs)
    rows, row_order = tree.rows, tree.row_order
    labels = MatrixLabels(tuple(rows[place] for place in row_order), columns)
    elements = start + (row_order[:, None] + 6 * tree.is_fixed) * width + order
    return _Arrangement(labels, MatrixLabels(rows, tree.columns), elements, np.broadcast_to(signs, elements.shape))
