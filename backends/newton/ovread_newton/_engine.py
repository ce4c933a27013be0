"""The engine: a Newton model, its state, and what follows when they are written."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from ovread.backend import Diagnostic
from ovread.errors import ValueRefusedError
from ovread.units import StageUnits
from ovread_newton._contacts import ContactLog
from ovread_newton._efforts import TurnedEfforts
from ovread_newton._forces import ExternalForces
from ovread_newton._kinematic_targets import KinematicTargets
from ovread_newton._noise import quiet
from ovread_newton._notify import notify
from ovread_newton._originals import Originals
from ovread_newton._principal_axes import NamedAxes
from ovread_newton._ragged import Indices
from ovread_newton._sensors import Sensing
from ovread_newton._solvers import (
    SOLVERS,
    forget_motion,
    words_of,
)
from ovread_newton._topology import Topology
from ovread_newton._writer import NOTHING, Consequences

if TYPE_CHECKING:
    import newton


class NewtonEngine:
    """What reading and writing need, whoever steps.

    Args:
        model: The model.
        state: The current state.
        control: Targets, or None where the caller gave none.
        topology: Names and indices of everything readable.
        sensing: Colliders and contact sensors.
        units: Units of the stage.
        variant: Name of the solver, None where it is unknown.
        keeps_joint_state: Whether ``State.joint_q`` is current after a step.
    """

    observables: Any = None
    """What the last step reported beside the state; None before the first step."""

    solver: Any = None
    """What steps; None where nothing moves, or where the caller did not attach it."""

    contacts: Any = None
    """The ``newton.Contacts`` that steps fill; None where nothing can touch."""

    contact_log: ContactLog | None = None
    """What touched in the last steps; None where nobody takes it down."""

    no_contacts = ""
    """Why nobody does, and what to do."""

    why_not_written = ""
    """Why properties cannot be written, and what to do; empty where they can."""

    never_sleeps = False
    """Whether it is known that no body ever sleeps, with a solver that could let them."""

    knows_time_step = True
    """Whether the seconds of a solver step are known."""

    reported: frozenset[str] = frozenset()
    """Which observables steps report."""

    forces: ExternalForces | None = None
    """Forces for the next step; None where the caller steps."""

    targets: KinematicTargets | None = None
    """Targets of kinematic bodies; None where the caller steps."""

    efforts: TurnedEfforts | None = None
    """Efforts of joints with several axes, as they were written; None where the caller steps."""

    def __init__(
        self,
        model: newton.Model,
        state: newton.State,
        control: newton.Control | None,
        topology: Topology,
        sensing: Sensing,
        units: StageUnits,
        variant: str | None,
        keeps_joint_state: bool,
    ) -> None:
        self.model = model
        self.state = state
        self.control = control
        self.topology = topology
        self.sensing = sensing
        self.units = units
        self.variant = variant
        self.device = str(model.device)
        self.diagnostics: list[Diagnostic] = []
        self.originals = Originals()
        self.named_axes = NamedAxes(topology.principal_axes)
        self._keeps_joint_state = keeps_joint_state
        self._solved: Any = None
        self._is_solved = False
        self._notified = 0
        self._stepped_poses: Any = None
        self._mask: Any = None

    @property
    def is_reduced(self) -> bool:
        """Whether steps solve for joint coordinates, so that a body's pose is what its joints make it."""
        return self.variant is not None and SOLVERS[self.variant].is_reduced

    @property
    def last_step(self) -> Any:
        """Where ``body_q`` is what the last step left, whatever was written since."""
        return self.state if self._stepped_poses is None else self._stepped_poses

    def keep_stepped_poses(self) -> None:
        """Keep what the last step left, before something is written."""
        import warp as wp

        if self._stepped_poses is None and self.observables is not None:
            self._stepped_poses = SimpleNamespace(body_q=wp.clone(self.state.body_q))

    @property
    def joint_state(self) -> Any:
        """Where ``joint_q`` and ``joint_qd`` are current; see :meth:`refresh_joint_state`."""
        return self.state if self._solved is None else self._solved

    def paths_of(self, handles: Sequence[int]) -> Sequence[str]:
        """Return the paths that handles in values stand for."""
        return self.sensing.paths_of(handles)

    def refresh_joint_state(self) -> None:
        """Make :attr:`joint_state` current."""

    def written(self, consequences: Consequences) -> None:
        """Do what must follow a write, so that every read and the next step agree with it."""
        if consequences is NOTHING:
            return
        if consequences.jumps:
            forget_motion(self.variant, self.solver, self.state)
        if not consequences.has_followers:
            return
        with quiet():
            if len(consequences.moved):
                self._follow_bodies(consequences.moved)
            if len(consequences.bent):
                self._follow_joints(consequences.bent)
            if consequences.flags and self.solver is not None:
                self._notify(consequences)
            if len(consequences.hung):
                self._follow_centres(consequences.hung)

    def _notify(self, consequences: Consequences) -> None:
        """Let the solver take over what was written of the model; take it back where the solver refuses."""
        self._notified |= consequences.flags
        try:
            notify(self.solver, consequences.flags)
        except Exception as error:
            if consequences.undo is None:
                raise
            consequences.undo()
            notify(self.solver, consequences.flags)
            raise ValueRefusedError(
                f"The {self.variant} solver cannot take this change while it runs: {words_of(error)} "
                "Nothing has been changed."
            ) from error

    def _follow_bodies(self, articulations: Indices) -> None:
        """Make joint coordinates and rates agree with the bodies of some articulations."""
        import newton

        self.refresh_joint_state()
        joints = self.joint_state
        newton.eval_ik(self.model, self.state, joints.joint_q, joints.joint_qd, mask=self._masked(articulations))

    def _follow_joints(self, articulations: Indices) -> None:
        """Make the bodies of some articulations agree with their joint coordinates and rates."""
        import newton

        self.keep_stepped_poses()
        joints = self.joint_state
        newton.eval_fk(self.model, joints.joint_q, joints.joint_qd, self.state, mask=self._masked(articulations))

    def _follow_centres(self, articulations: Indices) -> None:
        """Make the velocities of the centres of mass of some articulations agree with the rates of their joints."""
        import newton
        import warp as wp

        joints, state = self.joint_state, self.state
        # Poses stay, also where joints have come slightly apart.
        links = SimpleNamespace(body_q=wp.clone(state.body_q), body_qd=state.body_qd)
        newton.eval_fk(self.model, joints.joint_q, joints.joint_qd, links, mask=self._masked(articulations))

    def _masked(self, articulations: Indices) -> Any:
        """Return a mask of articulations, good until the next is made; -1 stands for none."""
        import warp as wp

        if self._mask is None:
            self._chosen = np.zeros(self.model.articulation_count + 1, dtype=bool)
            self._mask = wp.zeros(self.model.articulation_count, dtype=bool, device=self.model.device)
        self._chosen.fill(False)
        self._chosen[articulations] = True
        self._mask.assign(self._chosen[:-1])
        return self._mask

    def why_not_reported(self, kind: str) -> str:
        """Say why steps do not report an observable, and what to do."""
        raise NotImplementedError

    def _solve_joint_state(self) -> None:
        """Compute the joint coordinates from the body poses, into memory of our own."""
        import newton

        model = self.model
        with quiet():
            if self._solved is None:
                # Inverse kinematics leaves joints outside articulations alone.
                self._solved = SimpleNamespace(
                    joint_q=_clone(self.state.joint_q, model.joint_q),
                    joint_qd=_clone(self.state.joint_qd, model.joint_qd),
                )
            newton.eval_ik(model, self.state, self._solved.joint_q, self._solved.joint_qd)
        self._unwind(self._solved.joint_q)

    def _unwind(self, joint_q: Any) -> None:
        """Take whole turns from angles: which a pose is given depends on the sign of a quaternion."""
        values = joint_q.numpy()
        angles = values[self.topology.angles]
        if np.abs(angles).max(initial=0.0) > np.pi:
            values[self.topology.angles] = angles - 2 * np.pi * np.round(angles / (2 * np.pi))
            if not joint_q.device.is_cpu:
                joint_q.assign(values)


def _clone(array: Any, fallback: Any) -> Any:
    import warp as wp

    return wp.clone(fallback if array is None else array)
