"""The engine: a Newton model, its state and what advances it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import nullcontext
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from ovread.backend import Diagnostic, Scene
from ovread.errors import OptionError, ValueRefusedError
from ovread.units import StageUnits
from ovread_newton._build import build_model
from ovread_newton._contacts import ContactLog
from ovread_newton._corrections import selected_rules
from ovread_newton._efforts import TurnedEfforts
from ovread_newton._forces import ExternalForces
from ovread_newton._kinematic_targets import KinematicTargets
from ovread_newton._noise import collected_diagnostics, log, mujoco_watched, quiet, start_engine
from ovread_newton._notify import notify
from ovread_newton._originals import Originals
from ovread_newton._principal_axes import NamedAxes
from ovread_newton._ragged import Indices
from ovread_newton._sensors import Sensing
from ovread_newton._solvers import (
    SOLVERS,
    capacity_exceeded,
    contact_forces_of,
    diagnose,
    diverged,
    forget_motion,
    make_contacts,
    make_observables,
    make_solver,
    moves_something,
    requested_kinds,
    why_not_reported,
    words_of,
)
from ovread_newton._topology import Topology
from ovread_newton._writer import NOTHING, Consequences

if TYPE_CHECKING:
    import newton


class NewtonEngine:
    """What reading needs, whoever steps.

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


class OwnedEngine(NewtonEngine):
    """A scene that this backend opened and steps.

    Args:
        scene: The scene.
        device: ``cpu`` or ``cuda:0``.
        solver: Name of the solver.
        substeps: Solver steps per step.
        sleeping: Whether bodies at rest may sleep.
        corrections: Which corrections of the import apply, as in :func:`ovread_newton._corrections.selected_rules`.
    """

    def __init__(
        self, scene: Scene, device: str, solver: str, substeps: int, sleeping: bool, corrections: object
    ) -> None:
        started = time.perf_counter()
        _check_substeps(substeps)
        _check_sleeping(sleeping, solver)
        rules = selected_rules(corrections)
        start_engine()
        _check_device(device)
        build = build_model(scene, device, solver, rules)
        model = build.model
        with quiet():
            self._pose_links(model)
            state = model.state()
            self._next = model.state()
        topology = Topology.of(model, build.authored, build.kept)
        super().__init__(
            model,
            state,
            model.control(),
            topology,
            Sensing.of(model, topology, build.authored),
            build.units,
            solver,
            SOLVERS[solver].keeps_joint_state,
        )
        self.diagnostics.extend(build.diagnostics)
        self._substeps = substeps
        self._infers_velocities = SOLVERS[solver].infers_velocities
        self._has_stepped = False
        self._has_dropped = False
        self._has_diverged = False
        self._watched = mujoco_watched if solver == "mujoco" and model.device.is_cpu else nullcontext
        self._pipeline: Any = None
        self._observables: Any = None
        self._make_solver(solver, scene.label, sleeping)
        if self.sensing.sensor_paths:
            self.contact_log = ContactLog(model, self.sensing)
        if self.solver is not None and SOLVERS[solver].moves_bodies:
            self.forces = ExternalForces(model.body_count)
            self.targets = KinematicTargets(self)
            self.efforts = TurnedEfforts(self)
        log.info("ready in %.1f s", time.perf_counter() - started)

    @staticmethod
    def _pose_links(model: newton.Model) -> None:
        """Make the body poses and velocities of the model agree with its joint coordinates."""
        import newton

        if model.articulation_count:
            newton.eval_fk(model, model.joint_q, model.joint_qd, model)

    def _make_solver(self, name: str, label: str, sleeping: bool) -> None:
        model = self.model
        self.reported = SOLVERS[name].observables
        self.diagnostics.extend(diagnose(name, model))
        if not moves_something(name, model):
            return
        log.info("creating solver %s: compiles kernels on first use, which takes about a minute", name)
        with collected_diagnostics() as found:
            senses = bool(self.sensing.sensor_paths)
            self.solver = make_solver(name, model, label, senses=senses, sleeping=sleeping)
            self._pipeline, self.contacts = make_contacts(name, self.solver, model)
            # Contact forces cost time in each step, so only for sensors.
            sensed = self.contacts if senses else None
            self._observables = make_observables(name, self.solver, sensed)
            self.reported = self.reported | requested_kinds(self._observables)
        self.diagnostics.extend(found)

    def why_not_reported(self, kind: str) -> str:
        """Say that the solver does not, and which one does."""
        return why_not_reported(str(self.variant), kind)

    def step(self, dt: float) -> None:
        """Advance by ``dt`` seconds, in ``substeps`` equal parts."""
        if self._has_stepped:
            self._advance(dt)
            return
        log.info("first step: compiles the kernels that are still missing")
        started = time.perf_counter()
        self._advance(dt)
        self._has_stepped = True
        log.info("first step took %.1f s", time.perf_counter() - started)

    def _advance(self, dt: float) -> None:
        part = dt / self._substeps
        if self.solver is not None:
            with quiet(), self._watched():
                self._begin_step(dt)
                for count in range(self._substeps):
                    self._substep(part, (count + 1) / self._substeps)
            self._end_step()
            if not self._has_dropped:
                self._report_dropped_constraints()
            if not self._has_diverged and self.model.device.is_cpu:
                self._report_divergence()
        if self.contact_log is not None:
            self.contact_log.end(self.contacts, contact_forces_of(self.observables), part)

    def _begin_step(self, dt: float) -> None:
        self._stepped_poses = None
        self.observables = None
        if self.targets is not None:
            self.targets.begin(dt)

    def _end_step(self) -> None:
        self.observables = self._observables
        self._is_solved = False
        if self.targets is not None:
            self.targets.end()
        if self.forces is not None:
            self.forces.clear()

    def follow_kinematic(self, bodies: Indices) -> None:
        """Let the solver see poses and velocities of kinematic bodies that were set during a step."""
        import newton

        if not self._keeps_joint_state:
            return  # it takes them from the bodies
        mask = self._masked(self.topology.owners[bodies])
        newton.eval_ik(self.model, self.state, self.state.joint_q, self.state.joint_qd, mask=mask)

    def _report_dropped_constraints(self) -> None:
        words = capacity_exceeded(self.solver)
        if words is not None:
            self._has_dropped = True
            self.diagnostics.append(Diagnostic("", "constraints-dropped", words))
            log.warning("%s", words)

    def _report_divergence(self) -> None:
        found = diverged(self.state)
        if found is not None:
            self._has_diverged = True
            path = self.topology.body_paths[found]
            words = (
                f"The {self.variant} solver made the state of this body no number. Take a smaller dt, more substeps, "
                "or another solver."
            )
            self.diagnostics.append(Diagnostic(path, "diverged", words))
            log.warning("%s: %s", path, words)

    def _substep(self, dt: float, done: float) -> None:
        """Take a solver step of ``dt``, after which a part ``done`` of the whole step is."""
        moves_first = self._infers_velocities
        if self.targets is not None and moves_first:
            self.targets.move(done)
        state = self.state
        state.clear_forces()
        if self.forces is not None:
            self.forces.exert(state)
        if self.efforts:
            self.efforts.exert()
        if self.contact_log is not None:
            self.contact_log.begin(state)
        if self._pipeline is not None:
            self._pipeline.collide(state, self.contacts)
        self.solver.step(state, self._next, self.control, self.contacts, dt, observables=self._observables)
        self.state, self._next = self._next, state
        if self.targets is not None and not moves_first:
            self.targets.move(done)

    def refresh_joint_state(self) -> None:
        """Solve for the joint coordinates once per step; before the first, the authored ones stand."""
        if self._keeps_joint_state or self._is_solved or not self._has_stepped:
            return
        self._solve_joint_state()
        self._is_solved = True

    def reset(self) -> None:
        """Return to the authored state."""
        model = self.model
        with quiet():
            self.originals.restore()
            self.named_axes.restore()
            if self.solver is not None:
                if self._notified:
                    notify(self.solver, self._notified)
                self.solver.reset(self.state)
            self.state, self._next, self.control = model.state(), model.state(), model.control()
            if self.contacts is not None:
                self.contacts.clear()
        if self.contact_log is not None:
            self.contact_log.clear()
        for pending in (self.forces, self.targets, self.efforts):
            if pending is not None:
                pending.clear()
        self.observables = None
        self._stepped_poses = None
        self._solved = None
        self._is_solved = False
        self._has_stepped = False

    def close(self) -> None:
        """Drop the model and everything made for it."""
        self.solver = self._pipeline = self.contacts = self._solved = None
        self.observables = self._observables = None
        self._next = self.state = self.control = self.model = self._stepped_poses = None
        self.forces = self.targets = self.efforts = None


def _check_substeps(substeps: object) -> None:
    if not isinstance(substeps, int) or isinstance(substeps, bool) or substeps < 1:
        raise OptionError(f"substeps={substeps!r}: the number of solver steps per step is a positive integer.")


def _check_sleeping(sleeping: object, solver: str) -> None:
    if not isinstance(sleeping, bool):
        raise OptionError(f"sleeping={sleeping!r}: take True or False.")
    if sleeping and solver != "steel":
        raise OptionError(f"sleeping=True: no body sleeps with solver={solver!r}; take solver='steel'.")


def _check_device(device: str) -> None:
    import warp as wp

    if device not in ("cpu", "cuda:0"):
        raise OptionError(f"device={device!r}: backend 'newton' takes 'cpu' or 'cuda:0'.")
    if device == "cuda:0" and not wp.is_cuda_available():
        raise OptionError("device='cuda:0': Warp sees no CUDA device here: take device='cpu'.")


def _clone(array: Any, fallback: Any) -> Any:
    import warp as wp

    return wp.clone(fallback if array is None else array)
