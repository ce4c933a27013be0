"""What names the objects of a model that a caller built: their labels.

Where copies of one builder have the same labels, those of world ``i`` get the prefix ``/env_i``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import newton


def paths_of(model: newton.Model, kind: str) -> list[str]:
    """Return the path of each body, joint, articulation, shape, surface or volume, as ``kind`` says."""
    return paths_from(model, getattr(model, f"{kind}_label"), getattr(model, f"{kind}_world"))


def paths_from(model: newton.Model, labels: Iterable[object], worlds: Any) -> list[str]:
    """Return the path of each label, given the array of their worlds."""
    named = [str(label) for label in labels]
    if not named or not _has_copies(model):
        return named
    owners = (int(world) for world in worlds.numpy())
    return [label if world < 0 else path_in_world(world, label) for label, world in zip(named, owners, strict=True)]


def path_in_world(world: int, label: str) -> str:
    """Return the path of what has a label in a world."""
    return f"/env_{world}/{label.removeprefix('/')}"


def paths_in_worlds(model: newton.Model, name: str) -> list[str]:
    """Return a path per world for what has no label."""
    return [f"/{name}"] if model.world_count <= 1 else [path_in_world(i, name) for i in range(model.world_count)]


def _has_copies(model: newton.Model) -> bool:
    kinds = (model.body_label, model.surface_label, model.volume_label)
    return model.world_count > 1 and any(len(set(labels)) < len(labels) for labels in kinds)
