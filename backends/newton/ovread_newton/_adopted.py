"""The engine around a simulation that the caller owns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ovread.errors import OptionError, OwnershipError
from ovread_newton._contacts import ContactLog
from ovread_newton._engine import NewtonEngine
from ovread_newton._ragged import Indices
from ovread_newton._solvers import REPORTS, SOLVERS, contact_forces_of, requested_kinds, why_not_reported
from ovread_newton._writer import Sink

if TYPE_CHECKING:
    import newton


class AdoptedEngine(NewtonEngine):
    """A simulation that the caller owns, steps and resets."""

    no_contacts = (
        "Contacts are in the newton.Contacts that your loop fills, and none were attached: pass them to ovread.attach, "
        "and call sim.stepped after each step."
    )
    knows_time_step = False

    def __init__(
        self, *args: Any, is_swapped: bool, solver: Any = None, contacts: Any = None, observables: Any = None
    ) -> None:
        super().__init__(*args)
        self._is_swapped = is_swapped
        self.solver = solver
        self.contacts = contacts
        self.observables = observables
        self.reported = requested_kinds(observables)
        if solver is None:
            self.why_not_written = (
                "A solver keeps copies of what the model says, and none was attached that could be told of a change: "
                "pass it to ovread.attach."
            )
        if contacts is not None:
            self.contact_log = ContactLog(self.model, self.sensing)

    def why_not_reported(self, kind: str) -> str:
        """Say what to attach, or that the solver does not."""
        if self.variant is not None and kind not in SOLVERS[self.variant].observables:
            return why_not_reported(self.variant, kind)
        return (
            f"{REPORTS[kind]} are in the solver's observables, and none that have {kind} were attached: allocate them "
            f"with solver.observables({{'{kind}'}}), pass them to each solver.step and to ovread.attach."
        )

    def stepped(self, **current: Any) -> None:
        """Take note of which state is current.

        Args:
            current: ``state``, the state that the last step wrote. It may be left out where just one was attached.

        Raises:
            OptionError: Something else is given, or it is left out where several states were attached.
            OwnershipError: It is not a state of the attached model.
        """
        unknown = current.keys() - {"state"}
        if unknown:
            raise OptionError(f"{', '.join(sorted(unknown))}: backend 'newton' takes state=, the current newton.State.")
        if self._is_swapped and "state" not in current:
            raise OptionError(
                "Several states were attached, and which one is current is yours to say: "
                "sim.stepped(dt, state=state_0)."
            )
        if "state" in current:
            check_state(self.model, current["state"])
            self.state = current["state"]
        self._stepped_poses = None
        if self.contact_log is not None:
            self.contact_log.begin(self.state)
            self.contact_log.end(self.contacts, contact_forces_of(self.observables), None)

    def refresh_joint_state(self) -> None:
        """Solve for the joint coordinates at each read: the caller may have stepped in between."""
        if not self._keeps_joint_state:
            self._solve_joint_state()

    def _follow_bodies(self, articulations: Indices) -> None:
        super()._follow_bodies(articulations)
        self._share_joint_state(articulations)

    def _follow_joints(self, articulations: Indices) -> None:
        super()._follow_joints(articulations)
        self._share_joint_state(articulations)

    def _share_joint_state(self, articulations: Indices) -> None:
        """Give the caller's state the joint coordinates that were solved for apart from it."""
        if self._solved is None:
            return
        joints = self.topology.members.take(articulations[articulations >= 0])
        for name, runs in (("joint_q", self.topology.joint_q), ("joint_qd", self.topology.joint_qd)):
            index = runs.take(joints)
            Sink(self, "state", name).put(index, getattr(self._solved, name).numpy()[index])

    def step(self, dt: float) -> None:
        """Refuse: the caller steps."""
        raise OwnershipError("This simulation is yours to step.")

    def reset(self) -> None:
        """Refuse: the caller resets."""
        raise OwnershipError("This simulation is yours to reset.")

    def close(self) -> None:
        """Leave everything to the caller."""
        self._solved = self._stepped_poses = self.observables = self.solver = None
        self.state = self.control = self.model = None


def check_state(model: newton.Model, state: Any) -> None:
    """Raise unless ``state`` is a state of ``model``.

    Raises:
        OwnershipError: It is something else, or its size differs.
    """
    import newton

    if not isinstance(state, newton.State):
        raise OwnershipError(f"state={state!r}: give the newton.State that is current.")
    for array, expected in (
        (state.body_q, model.body_count),
        (state.joint_q, model.joint_coord_count),
        (state.particle_q, model.particle_count),
    ):
        if (0 if array is None else len(array)) != expected:
            raise OwnershipError("That state was made for another model: its arrays differ in size.")
