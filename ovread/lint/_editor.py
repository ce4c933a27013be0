"""Authoring repairs: opinions on the stage's edit target, never on the asset's own layers."""

from __future__ import annotations

from typing import Any


class Editor:
    """Writes attributes, schemas and relationships of a stage at its edit target."""

    def __init__(self, stage: Any) -> None:
        self.stage = stage

    def set(self, path: str, name: str, kind: str, value: Any) -> None:
        """Author an attribute; ``kind`` is the name of its type, such as ``float3``."""
        from pxr import Sdf

        self.reach(path).CreateAttribute(name, Sdf.ValueTypeNames.Find(kind), False).Set(value)

    def apply(self, path: str, schema: str) -> None:
        """Apply an API schema, whether this USD knows it or not."""
        self.reach(path).AddAppliedSchema(schema)

    def remove(self, path: str, *schemas: str) -> None:
        """Take API schemas from a prim."""
        prim = self.reach(path)
        for schema in schemas:
            prim.RemoveAppliedSchema(schema)

    def relate(self, path: str, name: str, *targets: str) -> None:
        """Author the targets of a relationship."""
        self.reach(path).CreateRelationship(name, False).SetTargets(list(targets))

    def define(self, path: str, kind: str) -> None:
        """Define a prim."""
        self.stage.DefinePrim(path, kind)

    def reach(self, path: str) -> Any:
        """Return a prim that can be authored: what is in an instance can only be after the instance is made plain."""
        prim = self.stage.GetPrimAtPath(path)
        while prim and prim.IsInstanceProxy():
            above = prim.GetParent()
            while not above.IsInstance():
                above = above.GetParent()
            above.SetInstanceable(False)
            prim = self.stage.GetPrimAtPath(path)
        return prim if prim else self.stage.OverridePrim(path)
