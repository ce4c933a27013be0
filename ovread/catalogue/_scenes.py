"""Rows of physics scenes."""

from __future__ import annotations

from ovread import units
from ovread.catalogue._row import VALUE, XYZ, Attribute, Frame, ObjectType, Role, Writability

ROWS: tuple[Attribute, ...] = (
    Attribute(ObjectType.SCENE, "gravity", "f32", XYZ, "Acceleration of gravity that acts in the scene.",
              dimension=units.ACCELERATION, frame=Frame.WORLD, role=Role.VECTOR,
              writability=Writability.WRITABLE),
    Attribute(ObjectType.SCENE, "physxPointer", "u64", VALUE, "Borrowed address of the PxScene.", role=Role.HANDLE),
)  # fmt: skip
