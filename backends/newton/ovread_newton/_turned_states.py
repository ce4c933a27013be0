"""The authored state of joints that rotate about several axes, in Newton's successive turns.

The importer takes the numbers of a stage over as turns about x, then y, then z. As everywhere in ovread they are the
components of a rotation vector, and the rates those of an angular velocity.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ovread.backend import Diagnostic
from ovread_newton._rotations import Doubles, moved_axes, solved_turns

if TYPE_CHECKING:
    import newton

RULE = "multi-axis-state"


def turn_authored_states(builder: newton.ModelBuilder, left_alone: frozenset[int]) -> list[Diagnostic]:
    """Convert initial coordinates, rates and targets; report each joint that changed.

    Args:
        builder: The imported scene, not finalized.
        left_alone: Joints whose numbers are not those of the authored motion.
    """
    import newton

    diagnostics: list[Diagnostic] = []
    for joint, kind in enumerate(builder.joint_type):
        linear, angular = builder.joint_dof_dim[joint]
        if kind != newton.JointType.D6 or angular < 2 or joint in left_alone:
            continue
        dof = builder.joint_qd_start[joint] + linear
        axes = np.array(builder.joint_axis[dof : dof + angular], float)
        changed = _turn(builder, axes, builder.joint_q_start[joint] + linear, dof)
        if changed:
            message = (
                f"The authored {' and '.join(changed)} about several axes, components of a rotation vector and of an "
                "angular velocity, became the successive turns that Newton has."
            )
            diagnostics.append(Diagnostic(str(builder.joint_label[joint]), RULE, message))
    return diagnostics


def _turn(builder: newton.ModelBuilder, axes: Doubles, coordinate: int, dof: int) -> list[str]:
    count = len(axes)
    changed: list[str] = []
    for name, values in (("position", builder.joint_q), ("position target", builder.joint_target_q)):
        authored = np.array(values[coordinate : coordinate + count], float)
        turns = solved_turns(authored, axes) if np.count_nonzero(authored) > 1 else None
        if turns is not None:
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
