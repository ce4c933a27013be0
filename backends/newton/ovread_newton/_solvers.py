"""Newton's solvers: how each is made, what it needs and what it delivers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np

from ovread.backend import Diagnostic
from ovread.errors import SceneRefusedError
from ovread.quiet import STANDARD_OUTPUT, captured
from ovread.units import TORQUE, VELOCITY, Dimension, StageUnits
from ovread_newton._noise import log, quiet
from ovread_newton._surfaces import add_style3d_attributes, relax_triangles

if TYPE_CHECKING:
    import newton


@attrs.frozen
class SolverKind:
    """What the backend must know of a solver.

    Args:
        class_name: Name of the class in ``newton.solvers``.
        arguments: Constructor arguments that differ from the defaults.
        lengths_and_masses: Constructor arguments whose defaults are numbers for metres and kilograms, with those and
            their dimensions; they are converted to the stage's units.
        moves_bodies: Whether a step moves bodies; otherwise they stand where they are.
        moves_particles: Whether a step moves particles.
        is_reduced: Whether a step solves for joint coordinates, so that joints hold exactly; otherwise it solves for
            bodies that joints pull together.
        keeps_joint_state: Whether a step updates ``State.joint_q`` and ``joint_qd``; otherwise they follow from the
            body poses by inverse kinematics.
        infers_velocities: Whether a step takes velocities from how poses differ from those of the step before.
        detects_contacts: Whether the solver finds contacts itself, so that Newton's collision pipeline is not run.
        observables: Which of Newton's observables each step fills.
    """

    class_name: str
    arguments: Mapping[str, Any] = attrs.field(factory=dict)
    lengths_and_masses: Mapping[str, tuple[float, Dimension]] = attrs.field(factory=dict)
    moves_bodies: bool = True
    moves_particles: bool = True
    is_reduced: bool = True
    keeps_joint_state: bool = True
    infers_velocities: bool = False
    detects_contacts: bool = False
    observables: frozenset[str] = frozenset()


ACCELERATIONS, JOINT_FORCES, CONTACT_FORCES = "body_qdd", "body_parent_f", "contact_f"
"""Values of ``SolverBase.ObservableKind``."""

AWAKE = "body_awake"
"""The same, of a Steel solver whose bodies may sleep."""

REPORTS = {ACCELERATIONS: "Accelerations", JOINT_FORCES: "Joint forces", CONTACT_FORCES: "Contact forces"}
"""What each observable has."""

SOLVERS: Mapping[str, SolverKind] = MappingProxyType(
    {
        "mujoco": SolverKind(
            "SolverMuJoCo",
            moves_particles=False,
            detects_contacts=True,
            observables=frozenset({ACCELERATIONS, JOINT_FORCES, CONTACT_FORCES}),
        ),
        # Steel enforces no joint limits by default. It drops constraints beyond its row capacities, and says so on
        # standard output: capacity_exceeded tells instead.
        "steel": SolverKind(
            "SolverSteel",
            {
                "enable_joint_limits": True,
                "enable_joint_velocity_limits": True,
                "free_body_constraint_max": 2048,
                "warn_constraint_overflow": False,
            },
            moves_particles=False,
            observables=frozenset({JOINT_FORCES, CONTACT_FORCES}),
        ),
        # With the default two iterations the joints of an articulation come apart; restitution is off by default.
        "xpbd": SolverKind(
            "SolverXPBD",
            {"iterations": 8, "enable_restitution": True},
            is_reduced=False,
            keeps_joint_state=False,
            observables=frozenset({JOINT_FORCES, CONTACT_FORCES}),
        ),
        # These two damp rotation by 0.05 /s unless told otherwise. What featherstone reports as joint forces leaves out
        # those that accelerate links: it is summed up before the accelerations are known.
        "featherstone": SolverKind("SolverFeatherstone", {"angular_damping": 0.0}),
        "semi_implicit": SolverKind(
            "SolverSemiImplicit", {"angular_damping": 0.0}, is_reduced=False, keeps_joint_state=False
        ),
        # With the default ten iterations a double pendulum lags ten degrees behind after half a second.
        "vbd": SolverKind(
            "SolverVBD",
            {"iterations": 50},
            {
                "rigid_joint_linear_ke": (1e5, Dimension(mass=1, time=-2)),
                "rigid_joint_angular_ke": (1e5, TORQUE),
                "friction_epsilon": (1e-2, VELOCITY),
            },
            is_reduced=False,
            keeps_joint_state=False,
            infers_velocities=True,
            observables=frozenset({CONTACT_FORCES}),
        ),
        "kamino": SolverKind(
            "SolverKamino",
            moves_particles=False,
            is_reduced=False,
            observables=frozenset({ACCELERATIONS, CONTACT_FORCES}),
        ),
        "style3d": SolverKind("SolverStyle3D", moves_bodies=False),
        "implicit_mpm": SolverKind("SolverImplicitMPM", moves_bodies=False, detects_contacts=True),
    }
)

DEFAULT_SOLVER = "mujoco"

_HARDLY_ANY = 1e-30
"""A compensation of gravity that no number feels."""

LEAST_BOUND = float(np.finfo(np.float32).tiny)
"""What stands for a bound of zero with the steel solver, which takes zero for no bound."""


def make_solver(name: str, model: newton.Model, units: StageUnits, label: str, *, senses: bool, sleeping: bool) -> Any:
    """Make a solver for a model.

    Args:
        name: Name of the solver.
        model: The model.
        units: Units of its stage.
        label: What messages call the scene.
        senses: Whether contacts are to be handed on.
        sleeping: Whether bodies at rest may sleep; the steel solver only.

    Raises:
        SceneRefusedError: The solver does not take the model; the message carries its words.
    """
    import newton

    kind = SOLVERS[name]
    if name == "implicit_mpm":
        raise SceneRefusedError(
            f"Newton imports {label}, but its solver 'implicit_mpm' simulates loose particles, and ovnewton imports "
            "none: the solver would take the nodes of a surface for grains. Pass another solver=."
        )
    arguments = dict(kind.arguments)
    for argument, (value, dimension) in kind.lengths_and_masses.items():
        arguments[argument] = value * dimension.factor(StageUnits(), units)
    if name == "mujoco":
        arguments["use_mujoco_cpu"] = model.device.is_cpu
        if model.shape_count and (senses or not model.device.is_cpu):
            # On the CPU MuJoCo finds as many contacts as there are, but hands on 48 unless told otherwise.
            arguments["nconmax"] = newton.CollisionPipeline(model).rigid_contact_max
        if model.shape_count and not model.device.is_cpu:
            # On a GPU each contact takes four rows of the constraints, and what exceeds their default of 64 is dropped.
            arguments["njmax"] = 4 * arguments["nconmax"] + 2 * model.joint_dof_count + 64
    if name == "steel":
        # Each axis takes up to two rows for its limits and two for its velocity limits; the rest is for contacts.
        arguments["articulation_constraint_max"] = 4 * model.joint_dof_count + 1024
        arguments["enable_sleeping"] = sleeping
    if name == "kamino":
        arguments["config"] = newton.solvers.SolverKamino.Config()
        # With the default of 0.01 the joints of a double pendulum come three times as far apart.
        arguments["config"].constraints.alpha = 0.5
    try:
        # Style3d reports on standard output how long it took.
        with captured(log, STANDARD_OUTPUT) if name == "style3d" else nullcontext():
            return getattr(newton.solvers, kind.class_name)(model, **arguments)
    except Exception as error:
        others = ", ".join(other for other, solver in SOLVERS.items() if other != name and solver.moves_bodies)
        raise SceneRefusedError(
            f"Newton imports {label}, but its solver {name!r} refuses it: {words_of(error)} "
            f"Another solver may take it ({others}): pass solver=."
        ) from error


def why_not_reported(name: str, kind: str) -> str:
    """Say that a solver does not fill an observable, and which ones do."""
    others = " or ".join(f"solver={other!r}" for other, solver in SOLVERS.items() if kind in solver.observables)
    what = f"does not report {REPORTS[kind].lower()}"
    if (name, kind) == ("featherstone", JOINT_FORCES):
        what = "reports joint forces without those that accelerate the links"
    return f"The {name} solver {what}: open the scene with {others}."


def requested_kinds(observables: Any) -> frozenset[str]:
    """Return what observables have room for."""
    return frozenset(kind for kind in (*REPORTS, AWAKE) if getattr(observables, kind, None) is not None)


def contact_forces_of(observables: Any) -> Any:
    """Return the array of contact forces, None where there is none."""
    return getattr(observables, CONTACT_FORCES, None)


def make_contacts(name: str, solver: Any, model: newton.Model) -> tuple[Any, Any]:
    """Return the collision pipeline that a solver needs, and the memory of its contacts; None for what it lacks."""
    import newton

    kind = SOLVERS[name]
    if not model.shape_count and (kind.detects_contacts or not model.particle_count):
        return None, None
    if kind.detects_contacts:
        return None, newton.Contacts(solver.get_max_contact_count(), 0, device=model.device)
    pipeline = newton.CollisionPipeline(model)
    return pipeline, pipeline.contacts()


def make_observables(name: str, solver: Any, contacts: Any) -> Any:
    """Return memory for what each step of a solver reports beside the state; None where it reports nothing."""
    kinds = SOLVERS[name].observables | ({AWAKE} & solver.supported_observables)
    if contacts is None:
        kinds -= {CONTACT_FORCES}
    return solver.observables(kinds, contacts=contacts) if kinds else None


def words_of(error: Exception) -> str:
    """Return an engine's own words, on one line that ends with a full stop."""
    words = " ".join(str(error).split()).rstrip(".")
    return f"{type(error).__name__}: {words}." if words else f"{type(error).__name__}."


def name_of(solver: object) -> str | None:
    """Return the name of a solver that the caller made; None for one that this backend does not offer."""
    classes = {base.__name__ for base in type(solver).__mro__}
    return next((name for name, kind in SOLVERS.items() if kind.class_name in classes), None)


def keeps_joint_state(solver: object) -> bool:
    """Return whether a solver that the caller made keeps ``State.joint_q`` up to date."""
    name = name_of(solver)
    return name is not None and SOLVERS[name].keeps_joint_state


def capacity_exceeded(solver: Any) -> str | None:
    """Return what a Steel solver had to drop since its last reset, in its own words; None for other solvers."""
    if not hasattr(solver, "check_constraint_capacity"):
        return None
    try:
        solver.check_constraint_capacity()
    except RuntimeError as error:
        return words_of(error)
    return None


def forget_motion(name: str | None, solver: Any, state: newton.State) -> None:
    """Tell a solver that poses jumped, so that it takes no velocity, and carries over no force, from before."""
    if name == "steel":
        with quiet():
            solver.notify_state_changed(state)
    elif name is not None and SOLVERS[name].infers_velocities:
        with quiet():
            solver.reset(state, flags=0)  # without flags, the state itself is left alone


def diverged(state: newton.State) -> int | None:
    """Return the first body whose pose is no number, of a state in host memory."""
    if state.body_q is None:
        return None
    poses = state.body_q.numpy()
    # One sum is cheaper than looking at each number, and no number if any of them is.
    if np.isfinite(poses.sum(dtype=np.float64)):
        return None
    return int(np.flatnonzero(~np.isfinite(poses).all(axis=1))[0])


def adapt_builder(name: str, builder: newton.ModelBuilder) -> None:
    """Change what a solver takes differently from the others."""
    if name == "mujoco":
        _drive_every_axis(builder)
        _compensate_gravity(builder)
    elif name == "steel":
        _open_limits(builder)
        _bound_by_zero(builder)
    elif name == "vbd":
        builder.color()
    elif name == "style3d":
        add_style3d_attributes(builder)
    elif name in ("featherstone", "semi_implicit"):
        relax_triangles(builder)


def _drive_every_axis(builder: newton.ModelBuilder) -> None:
    """Give axes without a drive one of both gains: MuJoCo keeps the drives that it starts with, whatever is written.

    A drive without gains exerts nothing; as everywhere, nothing but an authored bound limits it.
    """
    import newton

    mode = newton.JointTargetMode
    without = (newton.JointType.FREE, newton.JointType.DISTANCE, newton.JointType.FIXED)
    unbounded = newton.ModelBuilder.JointDofConfig().effort_limit
    starts = [*builder.joint_qd_start, builder.joint_dof_count]
    for joint, kind in enumerate(builder.joint_type):
        if kind in without:
            continue
        for dof in range(starts[joint], starts[joint + 1]):
            if builder.joint_target_mode[dof] == int(mode.NONE) and builder.joint_effort_limit[dof] == unbounded:
                builder.joint_effort_limit[dof] = float("inf")
            if builder.joint_target_mode[dof] in (int(mode.NONE), int(mode.EFFORT)):
                builder.joint_target_mode[dof] = int(mode.POSITION_VELOCITY)


def _compensate_gravity(builder: newton.ModelBuilder) -> None:
    """Let MuJoCo look at the compensation of gravity: it does where a body starts with some, however little.

    Its attributes are registered after the import, which would refuse more scenes with them.
    """
    import newton

    if not builder.body_count:
        return
    newton.solvers.SolverMuJoCo.register_custom_attributes(builder)
    compensation = builder.custom_attributes["mujoco:gravcomp"]
    compensation.values = {0: _HARDLY_ANY, **(compensation.values or {})}


def _bound_by_zero(builder: newton.ModelBuilder) -> None:
    """Make bounds of zero the least number above: Steel takes zero for no bound."""
    for bounds in (builder.joint_effort_limit, builder.joint_velocity_limit):
        bounds[:] = [LEAST_BOUND if bound == 0 else bound for bound in bounds]


def _open_limits(builder: newton.ModelBuilder) -> None:
    """Make unlimited joints infinite: Steel spends constraint rows on finite limits, so on the builder's sentinel."""
    import newton

    builder.joint_limit_lower[:] = [
        -float("inf") if low <= -newton.MAXVAL else low for low in builder.joint_limit_lower
    ]
    builder.joint_limit_upper[:] = [
        float("inf") if high >= newton.MAXVAL else high for high in builder.joint_limit_upper
    ]


def moves_something(name: str, model: newton.Model) -> bool:
    """Return whether a model has anything that a solver moves."""
    kind = SOLVERS[name]
    return bool((kind.moves_bodies and model.body_count) or (kind.moves_particles and model.particle_count))


def why_not_moved(name: str, what: str) -> str:
    """Say that a solver does not move ``bodies`` or ``particles``, and which one does."""
    return (
        f"The {name} solver does not move {what}, and leaves them as they are: open the scene with solver='vbd', or "
        "attach without this solver where another one of yours moves them."
    )


def diagnose(name: str, model: newton.Model) -> list[Diagnostic]:
    """Report what the solver is known to get wrong in this model without saying so."""
    return [
        *_not_simulated(name, model),
        *_joints_outside_articulations(name, model),
        *_bodies_in_another_order(name, model),
    ]


def _not_simulated(name: str, model: newton.Model) -> Iterator[Diagnostic]:
    kind = SOLVERS[name]
    if model.body_count and not kind.moves_bodies:
        yield Diagnostic("", "bodies-not-simulated", why_not_moved(name, "bodies"))
    if not kind.moves_particles:
        for label in (*model.surface_label, *model.volume_label):
            yield Diagnostic(str(label), "particles-not-simulated", why_not_moved(name, "particles"))
    elif name == "xpbd":
        message = (
            "The xpbd solver lets surfaces stretch and shear without resistance. Open the scene with solver='vbd'."
        )
        for label in model.surface_label:
            yield Diagnostic(str(label), "surface-without-stiffness", message)


def _joints_outside_articulations(name: str, model: newton.Model) -> Iterator[Diagnostic]:
    if not model.joint_count or not SOLVERS[name].is_reduced:
        return
    for joint in np.flatnonzero(model.joint_articulation.numpy() < 0):
        message = (
            f"The joint is in no articulation, so the {name} solver ignores it, or leaves its bodies where they are. "
            "Apply PhysicsArticulationRootAPI to a prim above its bodies, or open the scene with solver='xpbd'."
        )
        yield Diagnostic(str(model.joint_label[joint]), "joint-outside-articulation", message)


def _bodies_in_another_order(name: str, model: newton.Model) -> Iterator[Diagnostic]:
    if not model.joint_count or name != "featherstone":
        return
    owners, children = model.joint_articulation.numpy(), model.joint_child.numpy()
    for articulation, label in enumerate(model.articulation_label):
        joints = np.flatnonzero(owners == articulation)
        if np.any(children[joints] != joints):
            message = (
                "The model has bodies and joints in different orders, and the featherstone solver takes the mass of a "
                "body by the number of its joint: its mass matrix is wrong. Open the scene with another solver."
            )
            yield Diagnostic(str(label), "featherstone-body-order", message)
