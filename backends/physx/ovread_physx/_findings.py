"""What opening a scene finds beside what the engine logs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ovread.backend import Diagnostic
from ovread.catalogue import ObjectType
from ovread_physx import _authored
from ovread_physx._instancers import find_holes
from ovread_physx._support import ON_CUDA_ONLY

if TYPE_CHECKING:
    from ovread_physx._engine import PhysxEngine

_SCHEMAS = {
    "OmniPhysicsDeformableBodyAPI": ON_CUDA_ONLY[ObjectType.DEFORMABLE_VOLUME],
    "PhysxParticleSetAPI": ON_CUDA_ONLY[ObjectType.PARTICLE_SET],
}


def findings(engine: PhysxEngine) -> list[Diagnostic]:
    """Name the prims that are not simulated, or of which only a part is."""
    found = find_holes(engine) if _authored.prims_of_type(engine, "PointInstancer") else []
    if engine.device == "cpu":
        for schema, reason in _SCHEMAS.items():
            paths = engine.path_strings(_authored.prims_with_schema(engine, schema))
            found += [Diagnostic(path, "not-simulated", reason) for path in sorted(paths)]
    return found
