"""The engine around a scene that this backend opened and steps."""

from __future__ import annotations

import time
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from ovread.backend import Diagnostic, Scene
from ovread.errors import OptionError
from ovread_newton._build import build_model
from ovread_newton._contacts import ContactLog
from ovread_newton._corrections import selected_rules
from ovread_newton._efforts import TurnedEfforts
from ovread_newton._engine import NewtonEngine
from ovread_newton._forces import ExternalForces
from ovread_newton._kinematic_targets import KinematicTargets
from ovread_newton._noise import collected_diagnostics, log, mujoco_watched, quiet, start_engine
from ovread_newton._notify import notify
from ovread_newton._ragged import Indices
from ovread_newton._sensors import Sensing
from ovread_newton._solvers import (
    SOLVERS,
    capacity_exceeded,
    contact_forces_of,
    diagnose,
    diverged,
    make_contacts,
    make_observables,
    make_solver,
    moves_something,
    requested_kinds,
    why_not_reported,
)
from ovread_newton._topology import Topology

if TYPE_CHECKING:
    import newton


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
        self.never_sleeps = solver == "steel" and not sleeping
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
            self.solver = make_solver(name, model, self.units, label, senses=senses, sleeping=sleeping)
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
