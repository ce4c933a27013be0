"""Telling a solver of changes of its model, and what its own notification misses."""

from __future__ import annotations

from typing import Any

import numpy as np

_UNLIMITED = 1e10
"""``newton.MAXVAL``: from here on a bound is none."""

_SLIDE = 2
"""``mujoco.mjtJoint.mjJNT_SLIDE``; hinges come after."""

_TENDON_ARRAYS = (
    "tendon_stiffness",
    "tendon_damping",
    "tendon_frictionloss",
    "tendon_lengthspring",
    "tendon_range",
    "tendon_margin",
    "tendon_solref_lim",
    "tendon_solimp_lim",
)


def notify(solver: Any, flags: int) -> None:
    """Make a solver take over what changed in its model.

    Args:
        solver: The solver.
        flags: ``newton.ModelFlags`` of what changed.
    """
    import newton

    solver.notify_model_changed(flags)
    if not getattr(solver, "use_mujoco_cpu", False):
        return
    if flags & newton.ModelFlags.SHAPE_PROPERTIES:
        _copy(solver, "geom_friction")
    if flags & newton.ModelFlags.TENDON_PROPERTIES and solver.mj_model.ntendon:
        for name in _TENDON_ARRAYS:
            _copy(solver, name)
    if flags & newton.ModelFlags.JOINT_DOF_FORCE_PROPERTIES:
        _copy_limits(solver)


def _copy(solver: Any, name: str) -> None:
    """Bring an array of MuJoCo's own model, which the solver steps with on the CPU, up to date."""
    getattr(solver.mj_model, name)[:] = getattr(solver.mjw_model, name).numpy()[0]


def _copy_limits(solver: Any) -> None:
    """Settle anew which joints are limited; the solver settles it once, when it is made."""
    model = solver.mj_model
    has_range = model.jnt_type >= _SLIDE
    is_limited = (np.abs(model.jnt_range) < _UNLIMITED).any(axis=1)
    model.jnt_limited[has_range] = is_limited[has_range]
