"""Preparing the reads of an articulation's matrices and generalized forces, in canonical order and labelled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
import numpy.typing as npt

from ovread.backend import Column, MatrixLabels, Omission, OmissionReason
from ovread.order import natural_key
from ovread_newton._binding import Source, Values, Write, constant
from ovread_newton._joint_reads import reason_against
from ovread_newton._noise import log, quiet
from ovread_newton._turned_rates import TurnedRates

if TYPE_CHECKING:
    from ovread_newton._engine import NewtonEngine

Indices = npt.NDArray[np.intp]

FORCES = frozenset({"gravityForce", "coriolisForce"})
EVALUATED = FORCES | {"jacobian", "massMatrix"}
"""Attributes that Newton evaluates on demand."""

DYNAMICS = EVALUATED | {"jacobianShape"}
"""Attributes that are prepared here."""

_SPATIAL = tuple(f"{kind}.{axis}" for kind in ("linear", "angular") for axis in "xyz")
_ROTATIONS = ("twist", "swing1", "swing2")
_RIGID = "The articulation has no degrees of freedom."
_ROD = "Newton evaluates no generalized forces of models that have rod joints."
_OTHER_RATES = (
    "Articulations are left out that have distance joints, rotations about axes that are not at right angles, or "
    "joints to the world whose body0 is a link and that move along or about several axes: "
)
_LOCKED = (
    "A joint stands where two of its successive turns are about the same axis, so that its rates do not follow from "
    "its motion."
)
_FLOATS_INSIDE = "A free joint here starts from a link, or from a turned frame, not from the world's axes: "


@attrs.frozen(eq=False)
class _Tree:
    """What the rows and columns of one articulation stand for.

    Args:
        index: Newton's index of the articulation.
        is_fixed: Whether its root link is fixed to the world.
        links: Path of the link of each row of the Jacobian, in Newton's order, without a fixed root.
        columns: Label of each degree of freedom, in Newton's order.
        column_order: Newton's column of each canonical one.
        signs: Sign of each canonical column.
        first_dof: Index of its first degree of freedom.
    """

    index: int
    is_fixed: bool
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
        order = sorted(range(len(self.links)), key=lambda place: (natural_key(self.links[place]), self.links[place]))
        return (np.array(order, np.intp)[:, None] * 6 + np.arange(6)).reshape(-1)

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
        against = dict(problems)
        if name in EVALUATED:
            against |= {position: _RIGID for position, tree in trees.items() if not tree.columns}
        if name in FORCES and _has_rods(engine):
            against |= dict.fromkeys(trees, _ROD)
        omissions.extend(_omissions(engine, articulations, name, against))
        given = {position: tree for position, tree in trees.items() if position not in against}
        if given and name in EVALUATED:
            evaluation.names.add(name)
        for column, write in _columns(name, given, evaluation):
            columns.append(column)
            writes.append(write)
    return columns, writes, omissions, evaluation


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
    return _Tree(
        articulation,
        is_fixed,
        tuple(topology.body_paths[topology.children[joint]] for joint in (joints[1:] if is_fixed else joints)),
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


def _columns(name: str, trees: dict[int, _Tree], evaluation: Evaluation) -> Iterator[tuple[Column, Write]]:
    if name == "jacobianShape":
        if trees:
            sizes = [[6 * len(tree.links), len(tree.columns)] for tree in trees.values()]
            yield Column(name, np.array(list(trees), np.intp)), constant(np.array(sizes, np.int32))
        return
    cohorts: dict[tuple[bool, int, int], list[int]] = {}
    for position, tree in trees.items():
        cohorts.setdefault(tree.size, []).append(position)
    for positions in cohorts.values():
        arranged = [_arrange(name, trees[position], evaluation) for position in positions]
        first = arranged[0].labels
        columns = range(len(first.columns))
        names = tuple(f"r{row}c{column}" for row in range(len(first.rows)) for column in columns)
        column = Column(
            name,
            np.array(positions, np.intp),
            lanes=names or tuple(f"c{column}" for column in columns),
            labels=tuple(each.labels for each in arranged),
            native_labels=tuple(each.native_labels for each in arranged),
        )
        elements = np.stack([each.elements.reshape(-1) for each in arranged])
        yield column, evaluation.gather(name, elements, np.stack([each.signs.reshape(-1) for each in arranged]))


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


class Evaluation:
    """What Newton evaluates at each read: each value once, for the requested articulations.

    Args:
        engine: The engine.
        articulations: Which articulations.
    """

    def __init__(self, engine: NewtonEngine, articulations: Sequence[int]) -> None:
        self.names: set[str] = set()
        self._engine = engine
        self._articulations = articulations
        self._turned = TurnedRates(engine, articulations)
        self._is_locked = False
        self._mask: Any = None
        self._arrays: dict[str, Any] = {}
        self._values: dict[str, Values] = {}

    def shape_of(self, name: str) -> tuple[int, ...]:
        """Return the shape of Newton's array of an attribute."""
        model = self._engine.model
        if name in FORCES:
            return (model.joint_dof_count,)
        dofs = model.max_dofs_per_articulation
        return model.articulation_count, dofs if name == "massMatrix" else 6 * model.max_joints_per_articulation, dofs

    def gather(self, name: str, elements: Indices, signs: npt.NDArray[np.float32]) -> Write:
        """Read elements of an array, times their signs."""
        locked = Omission(name, OmissionReason.UNSUPPORTED_CONFIGURATION, _LOCKED)

        def write(out: Values) -> Omission | None:
            if self._is_locked:
                return locked
            np.take(self._values[name], elements, out=out, mode="clip")
            np.multiply(out, signs, out=out)
            return None

        return write

    def __call__(self) -> None:
        """Evaluate everything in ``names``."""
        import newton

        if not self.names:
            return
        engine = self._engine
        engine.refresh_joint_state()
        joints = engine.joint_state
        state = SimpleNamespace(joint_q=joints.joint_q, joint_qd=joints.joint_qd, body_q=engine.state.body_q)
        with quiet():
            self._allocate()
            arrays, mask = self._arrays, self._mask
            if "jacobian" in arrays:
                newton.eval_jacobian(engine.model, state, J=arrays["jacobian"], mask=mask)
            if "massMatrix" in arrays:
                # A Jacobian that is there already would make this slower: with one, it multiplies densely.
                newton.eval_mass_matrix(engine.model, state, H=arrays["massMatrix"], mask=mask)
            if not FORCES.isdisjoint(arrays):
                newton.eval_inverse_dynamics_passive(
                    engine.model,
                    state,
                    gravity_force=arrays.get("gravityForce"),
                    coriolis_force=arrays.get("coriolisForce"),
                    mask=mask,
                )
            values = {name: array.numpy() for name, array in arrays.items()}
        if self._turned:
            self._convert(values)
        self._values = {name: array.reshape(-1) for name, array in values.items()}

    def _convert(self, values: dict[str, Values]) -> None:
        """Turn what is about Newton's rates of joints with several axes into what is about those of this API."""
        turned = self._turned
        self._is_locked = not turned.solve()
        if self._is_locked:
            return
        if "coriolisForce" in values:
            turned.unbias(values["coriolisForce"], values["massMatrix"])
        for name in FORCES & values.keys():
            turned.convert_force(values[name])
        if "jacobian" in values:
            turned.convert_columns(values["jacobian"])
        if "massMatrix" in values:
            turned.convert_mass(values["massMatrix"])

    def _allocate(self) -> None:
        import warp as wp

        if self._mask is not None:
            return
        log.info("first read of matrices: compiles kernels on first use")
        model = self._engine.model
        selected = np.zeros(model.articulation_count, dtype=bool)
        selected[self._articulations] = True
        self._mask = wp.array(selected, dtype=bool, device=model.device)
        if self._turned and "coriolisForce" in self.names:
            self.names.add("massMatrix")
        self._arrays = {name: wp.zeros(self.shape_of(name), dtype=float, device=model.device) for name in self.names}


def centre_of_mass(engine: NewtonEngine, articulations: Indices) -> Write:
    """Read the centre of mass of all links of each articulation, in the world."""
    topology = engine.topology
    children = np.array(topology.children, np.intp)
    # A link that a loop's joint leads to as well counts once.
    links = [np.unique(children[topology.members.take(np.array([owner]))]) for owner in articulations]
    bodies = np.concatenate(links) if links else np.zeros(0, np.intp)
    starts = np.cumsum([0, *map(len, links)])[:-1].astype(np.intp)
    poses, centres = Source(engine, "state", "body_q"), Source(engine, "model", "body_com")
    masses = Source(engine, "model", "body_mass")

    def write(out: Values) -> None:
        if not len(starts):
            return
        pose = poses().reshape(-1, 7)[bodies].astype(np.float64)
        centre = centres().reshape(-1, 3)[bodies].astype(np.float64)
        mass = masses()[bodies].astype(np.float64)[:, None]
        turned = 2 * np.cross(pose[:, 3:6], centre)
        centre += pose[:, :3] + pose[:, 6:] * turned + np.cross(pose[:, 3:6], turned)
        with np.errstate(invalid="ignore"):
            out[:] = np.add.reduceat(mass * centre, starts) / np.add.reduceat(mass, starts)

    return write
