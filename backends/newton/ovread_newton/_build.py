"""From a USD scene to a Newton model."""

from __future__ import annotations

from collections.abc import Container
from typing import TYPE_CHECKING

import attrs
import numpy as np

from ovread.backend import Diagnostic, Scene
from ovread.errors import NoPhysicsError, SceneRefusedError
from ovread.quiet import STANDARD_OUTPUT, captured
from ovread.stage import open_stage, stage_units
from ovread.units import StageUnits
from ovread_newton._authored import Authored, Kept, read_authored, read_kept
from ovread_newton._body_corrections import LOCAL_VELOCITIES
from ovread_newton._corrections import correct_after, correct_before
from ovread_newton._losses import ATTRIBUTES, report_losses
from ovread_newton._noise import collected_diagnostics, log, quiet
from ovread_newton._population import population_descs
from ovread_newton._refusals import advice_for
from ovread_newton._scene_import import SceneImport
from ovread_newton._solvers import adapt_builder, words_of
from ovread_newton._stage import StageView
from ovread_newton._surfaces import release_surfaces

if TYPE_CHECKING:
    import newton
    from ovstage import population


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


def build_model(scene: Scene, device: str, solver: str, rules: frozenset[str]) -> Build:
    """Import a scene; the stage is gone when this returns.

    Args:
        scene: The scene.
        device: Where the model lives.
        solver: Name of the solver that the model is for.
        rules: The corrections that apply.

    Raises:
        NoPhysicsError: There is nothing to simulate.
        SceneRefusedError: The importer or Newton does not take the scene.
    """
    log.info("building the Newton model of %s", scene.label)
    stage = open_stage(scene, [*population_descs(), _metadata()])
    view = StageView(stage)
    try:
        return _build(scene, view, device, solver, rules)
    finally:
        view.close()
        stage.destroy()


def _metadata() -> population.Desc:
    """Describe what corrections read beside physics data."""
    from ovstage import population

    every, none = population.PrimPredicate.all(), population.PropertyPredicate.none()
    return population.Desc(selectors=[population.Selector(every, none, prim_metadata_paths=[LOCAL_VELOCITIES])])


def _build(scene: Scene, view: StageView, device: str, solver: str, rules: frozenset[str]) -> Build:
    import newton

    builder = newton.ModelBuilder()
    kinds, authored = view.kinds(), view.authored(ATTRIBUTES)
    imported = SceneImport(view, builder, stage_units(view.stage), solver, rules, authored, kinds)
    with collected_diagnostics() as found:
        diagnostics = correct_before(imported)
        scenes = tuple(view.of_type("PhysicsScene"))
        orphans = _add_stage(scene, imported)
        if not (builder.body_count or builder.shape_count or builder.particle_count or scenes):
            raise NoPhysicsError(
                f"{scene.label} has no physics: no rigid body, collider or PhysicsScene. Apply PhysicsRigidBodyAPI "
                "and PhysicsCollisionAPI to the prims that should move and collide."
            )
        diagnostics += correct_after(imported)
        kept = read_kept(view, builder, imported.reversed_joints)
        diagnostics += release_surfaces(builder)
        diagnostics += report_losses(imported)
        free_unjointed_bodies(builder)
        adapt_builder(solver, builder)
        try:
            model = builder.finalize(device=device, skip_validation_joints=orphans)
        except Exception as error:
            raise SceneRefusedError(f"newton cannot finalize the model of {scene.label}: {words_of(error)}") from error
    # Names the bodies, where Newton's own warning only counts them.
    found = [finding for finding in found if "validate_inertia_detailed" not in finding.message]
    diagnostics += _report_corrected_inertia(builder, model)
    facts = read_authored(view)
    roots = (facts.roots - imported.wrapped) | frozenset(imported.articulation_names.values())
    facts = attrs.evolve(facts, roots=roots, scenes=scenes)
    _take_poses(model, imported.wrapped)
    return Build(model, imported.units, facts, kept, (*found, *diagnostics))


def _take_poses(model: newton.Model, articulations: Container[str]) -> None:
    """Set the coordinates of some articulations from the poses and velocities of their bodies.

    What is authored as joints of free bodies starts where the bodies are, not where the joints are zero.
    """
    import newton
    import warp as wp

    indices = [index for index, label in enumerate(model.articulation_label) if str(label) in articulations]
    if indices:
        with quiet():
            found = wp.array(indices, dtype=int, device=model.device)
            newton.eval_ik(model, model, model.joint_q, model.joint_qd, indices=found)


def _add_stage(scene: Scene, imported: SceneImport) -> bool:
    """Fill the builder; return whether joints lie outside articulations."""
    import ovnewton

    view = imported.view
    try:
        with captured(log, STANDARD_OUTPUT):  # where coacd reports its progress
            return bool(ovnewton.add_ovstage(imported.builder, view.stage, ordinal=view.ordinal).has_orphan_joints)
    except Exception as error:
        words = words_of(error)
        raise SceneRefusedError(f"ovnewton cannot import {scene.label}: {words}{advice_for(words)}") from error


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
