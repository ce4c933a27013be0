"""Scenes as data: one description gives the USD text, the oracle's model and every other way to write it down."""

from __future__ import annotations

from ovread_conformance.systems._cases import ACTUATED, CARRIED, CASES, KINEMATIC
from ovread_conformance.systems._library import (
    BODIES,
    FIXED_TREE,
    FLOATING_TREE,
    RESTING,
    RUBBING,
    SYSTEMS,
    TILTED,
    WRITABLE,
)
from ovread_conformance.systems._model import (
    AXES,
    Body,
    Drive,
    Joint,
    Outcome,
    Robot,
    Shape,
    Stage,
    System,
    Vector,
    at,
    names_of,
)
from ovread_conformance.systems._oracle import SPATIAL, RobotOracle, inertia_of, link_poses
from ovread_conformance.systems._usda import system_of, usda
from ovread_conformance.systems._variants import PLAIN, VARIANTS, Variant, express

__all__ = [
    "ACTUATED",
    "AXES",
    "BODIES",
    "CARRIED",
    "CASES",
    "FIXED_TREE",
    "FLOATING_TREE",
    "KINEMATIC",
    "PLAIN",
    "RESTING",
    "RUBBING",
    "SPATIAL",
    "SYSTEMS",
    "TILTED",
    "VARIANTS",
    "WRITABLE",
    "Body",
    "Drive",
    "Joint",
    "Outcome",
    "Robot",
    "RobotOracle",
    "Shape",
    "Stage",
    "System",
    "Variant",
    "Vector",
    "at",
    "express",
    "inertia_of",
    "link_poses",
    "names_of",
    "system_of",
    "usda",
]
