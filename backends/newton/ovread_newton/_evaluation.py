"""Evaluating the matrices and generalized forces that Newton computes on demand."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
import numpy.typing as npt

from ovread.backend import Omission, OmissionReason
from ovread_newton._binding import Values, Write
from ovread_newton._noise import log, quiet
from ovread_newton._turned_rates import TurnedRates

if TYPE_CHECKING:
    from ovread_newton._engine import NewtonEngine

Indices = npt.NDArray[np.intp]

FORCES = frozenset({"gravityForce", "coriolisForce"})
"""Generalized forces."""

_LOCKED = (
    "A joint stands where two of its successive turns are about the same axis, so that its rates do not follow from "
    "its motion."
)


@attrs.frozen(eq=False)
class _Roots:
    """The root body of each body of some articulations, and of each joint of theirs to the world."""

    bodies: Indices
    of_bodies: Indices
    joints: Indices
    of_joints: Indices

    @classmethod
    def of(cls, model: Any, articulations: Sequence[int]) -> _Roots:
        """Find them in a model."""
        parents, children = model.joint_parent.numpy(), model.joint_child.numpy()
        starts, ends = model.articulation_start.numpy(), model.articulation_end.numpy()
        numbers = [np.arange(int(starts[number]), int(ends[number])) for number in articulations]
        joints = np.concatenate([*numbers, np.empty(0, dtype=np.intp)]).astype(np.intp)
        sizes = [len(each) for each in numbers]
        roots = np.repeat([children[each[0]] for each in numbers if len(each)], [size for size in sizes if size])
        is_root = parents[joints] < 0
        return cls(children[joints], roots.astype(np.intp), joints[is_root], roots[is_root].astype(np.intp))


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
        self._roots: _Roots | None = None
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
                model, near = self._near_origin(state)
                newton.eval_inverse_dynamics_passive(
                    model,
                    near,
                    gravity_force=arrays.get("gravityForce"),
                    coriolis_force=arrays.get("coriolisForce"),
                    mask=mask,
                )
            values = {name: array.numpy() for name, array in arrays.items()}
        if self._turned:
            self._convert(values)
        self._values = {name: array.reshape(-1) for name, array in values.items()}

    def _near_origin(self, state: SimpleNamespace) -> tuple[Any, SimpleNamespace]:
        """Return the model and the state with each articulation's root body at the origin of the world.

        Newton sums moments about that origin, in single precision: at ten metres the Coriolis force would be off by a
        thousandth, at three hundred it would be noise. The forces are the same wherever the articulation is.
        """
        import warp as wp

        model, roots = self._engine.model, self._roots
        assert roots is not None
        places, frames = state.body_q.numpy().copy(), model.joint_X_p.numpy().copy()
        origins = places[:, :3].copy()
        places[roots.bodies, :3] -= origins[roots.of_bodies]
        frames[roots.joints, :3] -= origins[roots.of_joints]
        moved = copy.copy(model)
        moved.joint_X_p = wp.array(frames, dtype=wp.transform, device=model.device)
        body_q = wp.array(places, dtype=wp.transform, device=model.device)
        return moved, SimpleNamespace(joint_q=state.joint_q, joint_qd=state.joint_qd, body_q=body_q)

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
        if not FORCES.isdisjoint(self.names):
            self._roots = _Roots.of(model, self._articulations)
        self._arrays = {name: wp.zeros(self.shape_of(name), dtype=float, device=model.device) for name in self.names}
