"""Whether bodies are kinematic, whether they sleep, and whether gravity acts on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ovread.backend import Omission, OmissionReason
from ovread.catalogue import ObjectType
from ovread_newton._binding import Source, Values, Write, constant
from ovread_newton._solvers import AWAKE

if TYPE_CHECKING:
    from ovread_newton._engine import NewtonEngine

Indices = npt.NDArray[np.intp]

_NEVER = "No body sleeps here: open the scene with solver='steel', sleeping=True."


def are_kinematic(engine: NewtonEngine, bodies: Indices) -> npt.NDArray[np.bool_]:
    """Return which bodies are moved by their targets alone."""
    import newton

    if not len(bodies):
        return np.zeros(0, bool)
    return np.asarray(engine.model.body_flags.numpy()[bodies] & int(newton.BodyFlags.KINEMATIC) != 0)


def bind_sleeping(engine: NewtonEngine, bodies: Indices) -> Write | Omission:
    """Prepare reading ``(bodies, 1)``; bodies start awake."""
    if engine.never_sleeps:
        return constant(np.zeros((len(bodies), 1), np.uint8))
    if AWAKE not in engine.reported:
        return Omission("isSleeping", OmissionReason.UNSUPPORTED_CONFIGURATION, _NEVER)
    awake = Source(engine, "observables", AWAKE)

    def write(out: Values) -> None:
        if engine.observables is None:
            out[:] = 0
        else:
            np.logical_not(awake()[bodies, None], out=out, casting="unsafe")

    return write


def active_rows(engine: NewtonEngine, object_type: ObjectType) -> Indices | None:
    """Return which bodies, links or articulations were awake in the last step; None where no body ever sleeps."""
    topology = engine.topology
    if AWAKE not in engine.reported:
        return None
    awake = np.zeros(len(topology.body_paths), bool)
    if engine.observables is not None:
        awake |= getattr(engine.observables, AWAKE).numpy()
    if object_type is ObjectType.RIGID_BODY:
        return np.flatnonzero(awake[topology.rigid_bodies])
    if object_type is ObjectType.ARTICULATION_LINK:
        return np.flatnonzero(awake[topology.links])
    if object_type is ObjectType.ARTICULATION:
        # An articulation sleeps as a whole.
        return np.flatnonzero(awake[topology.roots[topology.articulations]])
    return None


def bind_weightless(engine: NewtonEngine, bodies: Indices) -> Write:
    """Prepare reading ``(bodies, 1)``: only MuJoCo can compensate gravity body by body, in whole or in part."""
    compensation = getattr(getattr(engine.model, "mujoco", None), "gravcomp", None)
    if engine.variant != "mujoco" or compensation is None:
        return constant(np.zeros((len(bodies), 1), np.uint8))

    def write(out: Values) -> None:
        np.equal(compensation.numpy()[bodies, None], 1.0, out=out, casting="unsafe")

    return write
