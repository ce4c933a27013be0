"""Mutants that nothing catches, and why that is no hole: what the systems of the suite cannot have."""

from __future__ import annotations

from collections.abc import Mapping

from ovread import ObjectType

EXPLAINED: Mapping[tuple[ObjectType, str], tuple[tuple[str, ...], str]] = {
    (ObjectType.CONTACT_SENSOR, "contactEventProtoIndex"): (
        ("wrong-rows", "backwards", "last-for-all"),
        "It has one value: no collider of the systems is an instance of a point instancer.",
    ),
    (ObjectType.CONTACT_SENSOR, "contactEventOtherProtoIndex"): (
        ("wrong-rows", "backwards", "last-for-all"),
        "It has one value: no collider of the systems is an instance of a point instancer.",
    ),
    (ObjectType.CONTACT_SENSOR, "contactEventPointFaceIndex"): (
        ("zeros", "wrong-rows", "backwards", "last-for-all"),
        "Boxes touch, which have no numbered faces: all read 0.",
    ),
    (ObjectType.CONTACT_SENSOR, "contactEventPointOtherFaceIndex"): (
        ("zeros", "wrong-rows", "backwards", "last-for-all"),
        "Boxes touch, which have no numbered faces: all read 0.",
    ),
    (ObjectType.RIGID_BODY, "disableSimulation"): (
        ("zeros", "wrong-rows", "backwards", "last-for-all"),
        "It is 0 until it is written: a body that a file disables is no rigid body to any engine here.",
    ),
    (ObjectType.ARTICULATION_LINK, "disableSimulation"): (
        ("zeros", "wrong-rows", "backwards", "last-for-all"),
        "Links are always simulated: it reads 0.",
    ),
    (ObjectType.ARTICULATION_LINK, "isSleeping"): (
        ("zeros", "wrong-rows", "backwards", "last-for-all"),
        "No robot of the systems comes to rest, so all links are awake.",
    ),
    (ObjectType.RIGID_BODY, "isSleeping"): (
        ("zeros", "wrong-rows", "backwards", "last-for-all"),
        "Seen only where an engine lets bodies start asleep; one that wakes them, as it declares, reads 0.",
    ),
    (ObjectType.RIGID_BODY, "disableGravity"): (
        ("zeros", "wrong-rows", "backwards", "last-for-all"),
        "Seen only where an engine leaves single bodies out of gravity; one that does not, as it declares, reads 0.",
    ),
    (ObjectType.ARTICULATION_LINK, "disableGravity"): (
        ("zeros", "wrong-rows", "backwards", "last-for-all"),
        "Seen only where an engine leaves single bodies out of gravity; one that does not, as it declares, reads 0.",
    ),
    (ObjectType.ARTICULATION, "fixedTendonCount"): (
        ("zeros", "wrong-rows", "backwards", "last-for-all"),
        "It is 0: no schema of tendons is read by all engines, so the systems have none.",
    ),
    (ObjectType.ARTICULATION, "spatialTendonCount"): (
        ("zeros", "wrong-rows", "backwards", "last-for-all"),
        "It is 0: no schema of tendons is read by all engines, so the systems have none.",
    ),
}  # fmt: skip
"""By attribute, the corruptions that change nothing that is read, and the reason."""


def explanation(object_type: ObjectType, attribute: str, corruption: str) -> str:
    """Return why a mutant may survive that changes no value; empty where it may not."""
    corruptions, reason = EXPLAINED.get((object_type, attribute), ((), ""))
    return reason if corruption in corruptions else ""
