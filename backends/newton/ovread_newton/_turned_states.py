"""The authored state of joints that rotate about several axes, in Newton's successive turns.

The importer takes the numbers of a stage over as turns about x, then y, then z. As everywhere in ovread they are the
components of a rotation vector, and the rates those of an angular velocity.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from ovread.backend import Diagnostic
from ovread_newton._authored import reversed_at_the_world
from ovread_newton._rotations import Doubles, moved_axes, solved_turns
from ovread_newton._scene_import import Correction, SceneImport

if TYPE_CHECKING:
    import newton


def turn_authored_states(scene: SceneImport) -> Iterator[Diagnostic]:
    """Convert initial coordinates, rates and targets, but of reversed joints, whose numbers are as imported."""
    import newton

    builder = scene.builder
    reversed_joints = scene.reversed_joints | reversed_at_the_world(scene.view, scene.builder)
    for path, joint in scene.joints().items():
        linear, angular = builder.joint_dof_dim[joint]
        if builder.joint_type[joint] != newton.JointType.D6 or angular < 2 or path in reversed_joints:
            continue
        dof = builder.joint_qd_start[joint] + linear
        axes = np.array(builder.joint_axis[dof : dof + angular], float)
        changed = _turn(builder, axes, builder.joint_q_start[joint] + linear, dof)
        if changed:
            message = (
                f"The authored {' and '.join(changed)} about several axes, components of a rotation vector and of an "
                "angular velocity, became the successive turns that Newton has."
            )
            yield Diagnostic(path, "multi-axis-state", message)


def _turn(builder: newton.ModelBuilder, axes: Doubles, coordinate: int, dof: int) -> list[str]:
    count = len(axes)
    changed: list[str] = []
    for name, values in (("position", builder.joint_q), ("position target", builder.joint_target_q)):
        authored = np.array(values[coordinate : coordinate + count], float)
        if np.count_nonzero(authored) < 2:
            continue
        turns = solved_turns(authored[None], axes[None], axes[None])[0]
        if not np.isnan(turns).any():
            values[coordinate : coordinate + count] = turns.tolist()
            changed.append(name)
    rates = np.array(builder.joint_qd[dof : dof + count], float)
    if rates.any():
        turns = np.array(builder.joint_q[coordinate : coordinate + count], float)
        columns = moved_axes(turns[None], axes[None])[0]
        solved = np.linalg.solve(axes @ columns.T, rates)
        if not np.allclose(solved, rates, rtol=1e-7, atol=0):
            builder.joint_qd[dof : dof + count] = solved.tolist()
            changed.append("velocity")
    return changed


TURNED_STATE_CORRECTIONS = (
    Correction(
        "multi-axis-state",
        "State and targets of a joint that rotates about several axes are components of a rotation vector; the "
        "importer takes them for successive turns.",
        after=turn_authored_states,
    ),
)
