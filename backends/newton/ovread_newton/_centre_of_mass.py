"""The centre of mass of whole articulations."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ovread.backend import Omission, OmissionReason
from ovread_newton._binding import Source, Values, Write
from ovread_newton._principal_axes import PrincipalAxes
from ovread_newton._rotations import Doubles, conjugate, rotate

if TYPE_CHECKING:
    from ovread_newton._engine import NewtonEngine

Indices = npt.NDArray[np.intp]

_MASSLESS = "No link of the articulation has a mass, so it has no centre of mass: "


def centre_of_mass(engine: NewtonEngine, articulations: Indices) -> Write:
    """Prepare reading the centre of mass of all links of each articulation, in the world, ``(articulations, 3)``."""
    return _written("centerOfMassWorld", engine, articulations, _world(engine, articulations))


def local_centre_of_mass(engine: NewtonEngine, articulations: Indices) -> Write:
    """Prepare reading the same in the frame of the root link's centre of mass and principal axes."""
    roots = engine.topology.roots[articulations]
    world, axes = _world(engine, articulations), PrincipalAxes(engine, roots)
    poses, centres = Source(engine, "state", "body_q"), Source(engine, "model", "body_com")

    def local() -> Doubles:
        pose = poses().reshape(-1, 7)[roots].astype(np.float64)
        turn = pose[:, 3:]
        own = pose[:, :3] + rotate(turn, centres().reshape(-1, 3)[roots].astype(np.float64))
        return rotate(conjugate(axes()), rotate(conjugate(turn), world() - own))

    return _written("centerOfMassLocal", engine, articulations, local)


def _world(engine: NewtonEngine, articulations: Indices) -> Callable[[], Doubles]:
    """Return what computes the centres of mass, ``(articulations, 3)``; NaN where there is no mass."""
    topology = engine.topology
    children = np.array(topology.children, np.intp)
    # A link that a loop's joint leads to as well counts once.
    links = [np.unique(children[topology.members.take(np.array([owner]))]) for owner in articulations]
    bodies = np.concatenate(links) if links else np.zeros(0, np.intp)
    starts = np.cumsum([0, *map(len, links)])[:-1].astype(np.intp)
    poses, centres = Source(engine, "state", "body_q"), Source(engine, "model", "body_com")
    masses = Source(engine, "model", "body_mass")

    def world() -> Doubles:
        pose = poses().reshape(-1, 7)[bodies].astype(np.float64)
        mass = masses()[bodies].astype(np.float64)[:, None]
        centre = pose[:, :3] + rotate(pose[:, 3:], centres().reshape(-1, 3)[bodies].astype(np.float64))
        with np.errstate(invalid="ignore"):
            return np.asarray(np.add.reduceat(mass * centre, starts) / np.add.reduceat(mass, starts))

    return world


def _written(name: str, engine: NewtonEngine, articulations: Indices, evaluate: Callable[[], Doubles]) -> Write:
    def write(out: Values) -> Omission | None:
        if not len(articulations):
            return None
        out[:] = evaluate()
        massless = np.isnan(out[:, 0])
        if not massless.any():
            return None
        paths = [engine.topology.articulation_paths[owner] for owner in articulations[massless]]
        return Omission(name, OmissionReason.UNSUPPORTED_CONFIGURATION, _MASSLESS + ", ".join(paths) + ".")

    return write
