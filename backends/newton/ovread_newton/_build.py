"""From a USD scene to a Newton model."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np

from ovread.backend import Diagnostic, Scene
from ovread.errors import NoPhysicsError, SceneRefusedError
from ovread.quiet import STANDARD_OUTPUT, captured
from ovread.stage import open_stage, stage_units
from ovread.units import StageUnits
from ovread_newton._authored import Authored, Kept, read_authored, read_targets, read_tokens, read_vectors
from ovread_newton._noise import collected_diagnostics, log
from ovread_newton._population import population_descs
from ovread_newton._solvers import words_of
from ovread_newton._surfaces import release_surfaces
from ovread_newton._turned_states import turn_authored_states

if TYPE_CHECKING:
    import newton
    import ovstage


@attrs.frozen
class Build:
    """A finalized model, and what is known of it beside.

    Args:
        model: The model, its authored coordinates in ``joint_q`` and ``joint_qd``.
        units: Units of the stage.
        authored: What was read from the stage.
        kept: What the model does not keep of bodies and joints.
        diagnostics: What the import found.
    """

    model: newton.Model
    units: StageUnits
    authored: Authored
    kept: Kept
    diagnostics: tuple[Diagnostic, ...]


def build_model(scene: Scene, device: str, adapt: Callable[[newton.ModelBuilder], None]) -> Build:
    """Import a scene; the stage is gone when this returns.

    Args:
        scene: The scene.
        device: Where the model lives.
        adapt: Called with the filled builder, for what a solver needs to be different.
    """
    log.info("building the Newton model of %s", scene.label)
    stage = open_stage(scene, population_descs())
    try:
        return _build(scene, stage, device, adapt)
    finally:
        stage.destroy()


def _build(scene: Scene, stage: ovstage.Stage, device: str, adapt: Callable[[newton.ModelBuilder], None]) -> Build:
    import newton

    units = stage_units(stage)
    authored = read_authored(stage)
    builder = newton.ModelBuilder()
    with collected_diagnostics() as found:
        orphans = _add_stage(scene, builder, stage)
        if not (builder.body_count or builder.shape_count or builder.particle_count or authored.scenes):
            raise NoPhysicsError(
                f"{scene.label} has no physics: no rigid body, collider or PhysicsScene. Apply PhysicsRigidBodyAPI "
                "and PhysicsCollisionAPI to the prims that should move and collide."
            )
        reversed_joints = _find_reversed_joints(builder, stage)
        kept = Kept(frozenset(reversed_joints), _ball_axes(builder, stage), _principal_axes(builder, stage))
        diagnostics = _correct_reversed_joints(builder, reversed_joints)
        diagnostics += turn_authored_states(builder, kept.reversed_joints)
        diagnostics += release_surfaces(builder)
        free_unjointed_bodies(builder)
        adapt(builder)
        try:
            model = builder.finalize(device=device, skip_validation_joints=orphans)
        except Exception as error:
            raise SceneRefusedError(f"newton cannot finalize the model of {scene.label}: {words_of(error)}") from error
    # Names the bodies, where Newton's own warning only counts them.
    found = [finding for finding in found if "validate_inertia_detailed" not in finding.message]
    diagnostics += _report_corrected_inertia(builder, model)
    return Build(model, units, authored, kept, (*found, *diagnostics))


def _add_stage(scene: Scene, builder: newton.ModelBuilder, stage: ovstage.Stage) -> bool:
    """Fill the builder; return whether joints lie outside articulations."""
    import ovnewton

    try:
        with captured(log, STANDARD_OUTPUT):  # where coacd reports its progress
            return bool(ovnewton.add_ovstage(builder, stage).has_orphan_joints)
    except Exception as error:
        raise SceneRefusedError(f"ovnewton cannot import {scene.label}: {words_of(error)}") from error


def free_unjointed_bodies(builder: newton.ModelBuilder) -> None:
    """Give each body that is no joint's child a free joint and an articulation of its own.

    The importer leaves kinematic bodies, and the bases of joints outside articulations, without a joint. The
    reduced-coordinate solvers simulate only what hangs on joints, or refuse such a model.
    """
    children = set(builder.joint_child)
    for body in range(builder.body_count):
        if body in children:
            continue
        label = builder.body_label[body]
        joint = builder.add_joint_free(body, label=f"{label}_free_joint")
        builder.add_articulation([joint], label=f"{label}_articulation")
        start = builder.joint_qd_start[joint]
        builder.joint_qd[start : start + 6] = [float(value) for value in builder.body_qd[body]]


def _find_reversed_joints(builder: newton.ModelBuilder, stage: ovstage.Stage) -> list[int]:
    """Find the joints to the world that are authored with the body as body0.

    The importer makes the world the parent of such a joint, so that Newton's coordinate is the negative of the
    authored one, the motion of body1 relative to body0.
    """
    joints = [
        joint
        for joint in range(builder.joint_count)
        if builder.joint_parent[joint] == -1 and str(builder.joint_label[joint]).startswith("/")
    ]
    targets = read_targets(stage, "physics:body0", [builder.joint_label[joint] for joint in joints])
    return [
        joint
        for joint, bodies in zip(joints, targets, strict=True)
        if builder.body_label[builder.joint_child[joint]] in bodies
    ]


def _ball_axes(builder: newton.ModelBuilder, stage: ovstage.Stage) -> dict[int, str]:
    """Read the axes of spherical joints, which the importer ignores."""
    import newton

    balls = [joint for joint, kind in enumerate(builder.joint_type) if kind == newton.JointType.BALL]
    axes = read_tokens(stage, "physics:axis", [str(builder.joint_label[joint]) for joint in balls])
    return {joint: axis for joint, axis in zip(balls, axes, strict=True) if axis}


def _principal_axes(builder: newton.ModelBuilder, stage: ovstage.Stage) -> dict[int, tuple[float, ...]]:
    """Read authored principal axes; all zeros stand for none."""
    found = read_vectors(stage, "physics:principalAxes", [str(label) for label in builder.body_label])
    return {body: axes for body, axes in found.items() if any(axes)}


def _correct_reversed_joints(builder: newton.ModelBuilder, joints: list[int]) -> list[Diagnostic]:
    """Negate the authored values of reversed joints, which the importer takes over as they are.

    Without this, the model starts at the negative of the authored position, and its limits and targets are mirrored.
    """
    diagnostics: list[Diagnostic] = []
    for joint in joints:
        start, end = _span(builder.joint_qd_start, joint, builder.joint_dof_count)
        label = builder.joint_label[joint]
        if is_negatable(builder.joint_type[joint], *builder.joint_dof_dim[joint]):
            _negate(builder, joint)
            outcome = "negated its initial state, limits and targets"
        elif end > start:
            outcome = "left its values as imported, since the inverse of such a motion is not its negative"
        else:
            continue
        message = f"The joint is attached to the world on its body1 side, where Newton moves body0 instead: {outcome}."
        diagnostics.append(Diagnostic(label, "world-joint-sign", message))
    return diagnostics


def is_negatable(joint_type: Any, linear: int, angular: int) -> bool:
    """Return whether the reverse of a joint's motion is the negative of its coordinates."""
    import newton

    scalar = joint_type in (newton.JointType.REVOLUTE, newton.JointType.PRISMATIC, newton.JointType.D6)
    return bool(scalar and (linear, angular) != (0, 0) and (angular == 0 or (linear, angular) == (0, 1)))


def _negate(builder: newton.ModelBuilder, joint: int) -> None:
    spans = (
        (builder.joint_q_start, builder.joint_coord_count, (builder.joint_q, builder.joint_target_q)),
        (builder.joint_qd_start, builder.joint_dof_count, (builder.joint_qd, builder.joint_target_qd)),
    )
    for starts, total, arrays in spans:
        start, end = _span(starts, joint, total)
        for values in arrays:
            values[start:end] = [-value for value in values[start:end]]
    start, end = _span(builder.joint_qd_start, joint, builder.joint_dof_count)
    low, high = builder.joint_limit_lower, builder.joint_limit_upper
    low[start:end], high[start:end] = [-value for value in high[start:end]], [-value for value in low[start:end]]


def _span(starts: list[int], joint: int, total: int) -> tuple[int, int]:
    return starts[joint], starts[joint + 1] if joint + 1 < len(starts) else total


def _report_corrected_inertia(builder: newton.ModelBuilder, model: newton.Model) -> list[Diagnostic]:
    """Name the bodies whose authored mass properties Newton replaced, since no rigid body has them."""
    diagnostics: list[Diagnostic] = []
    if not builder.body_count:
        return diagnostics
    for name, authored, final in (
        ("mass", builder.body_mass, model.body_mass),
        ("inertia", builder.body_inertia, model.body_inertia),
    ):
        before = np.array(authored, dtype=np.float32).reshape(builder.body_count, -1)
        after = final.numpy().reshape(before.shape)
        changed = ~np.isclose(before, after, rtol=1e-5, atol=0).all(axis=1)
        for body in np.flatnonzero(changed):
            message = (
                f"Newton replaced the {name} {before[body].tolist()}, which no rigid body has, by "
                f"{after[body].tolist()}."
            )
            diagnostics.append(Diagnostic(builder.body_label[body], "inertia-corrected", message))
    return diagnostics
