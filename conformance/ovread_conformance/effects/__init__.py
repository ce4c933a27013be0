"""What a write does: the next step is that of a system authored like that.

An effect writes a number, and says how a system looks that has this number from the start. Euler's equations and
Pinocchio say how that system accelerates. The simulation, one short step later, must have accelerated so; and before
the step, everything that is read must be as in that system, dependents included.
"""

from __future__ import annotations

from collections.abc import Iterator

import attrs

from ovread_conformance.effects._bodies import of_bodies
from ovread_conformance.effects._changes import body, drive, joint
from ovread_conformance.effects._effect import LOOSE, OBEYED, VISIBLE, Change, Effect, put
from ovread_conformance.effects._joints import of_joints
from ovread_conformance.effects._links import of_links, of_roots
from ovread_conformance.oracles import SCENE
from ovread_conformance.systems import FIXED_TREE, FLOATING_TREE

__all__ = ["CHECKS", "EFFECTS", "LOOSE", "OBEYED", "VISIBLE", "Change", "Effect", "body", "drive", "joint", "put"]


def _effects() -> Iterator[Effect]:
    yield from of_bodies()
    for system in (FIXED_TREE, FLOATING_TREE):
        yield from of_joints(system)
        yield from of_links(system)
    yield from of_roots()
    for system in (LOOSE, FIXED_TREE, FLOATING_TREE):
        yield Effect(
            f"gravity of {system.name}",
            "gravity is an acceleration in world axes.",
            system,
            ((SCENE, "gravity"),),
            lambda each: attrs.evolve(each, gravity=(-3.0, 5.0, 4.0)),
        )


EFFECTS = tuple(_effects())
CHECKS = tuple(check for effect in EFFECTS for check in effect.checks())
