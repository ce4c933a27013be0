"""Which findings explain that engines read something differently."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import attrs

from ovread import catalogue
from ovread.backend import Behaviour
from ovread.catalogue import ObjectType, Persistence
from ovread.lint import RULES, open_asset
from ovread.lint._asset import Asset
from ovread.lint._findings import Finding, findings, importers
from ovread.lint._masses import physics_material
from ovread.lint._rule import Shows
from ovread.stage import scene_of

_MASS = frozenset(
    ("mass", "inverseMass", "inertia", "inverseInertia", "centerOfMassPosition", "centerOfMassOrientation")
)
_SURFACE = frozenset(
    ("friction", "staticFriction", "dynamicFriction", "restitution", "contactOffset", "restOffset", "shapeCount")
)
_NEAR = Shows.MASS | Shows.JOINT | Shows.SURFACE
"""What a pattern changes on its own prim alone, and not on those that joints connect it with."""


@attrs.frozen
class Explainer:
    """The findings in a scene that show once it is opened.

    Args:
        findings: The findings.
        connected: By prim, what joints connect it with, and what a material is bound to.
    """

    findings: tuple[Finding, ...]
    connected: Mapping[str, frozenset[str]]

    def rules(self, object_type: str, attribute: str, path: str) -> tuple[str, ...]:
        """Return the rules that explain why engines differ.

        Args:
            object_type: Name of the type.
            attribute: Name of the attribute; empty where engines differ about whether there is such an object.
            path: Path of the object.
        """
        shown = _shows(object_type, attribute)
        matching = (each for each in self.findings if each.rule.shows & shown and _may_show(each, shown, attribute))
        return tuple(dict.fromkeys(each.rule.name for each in matching if self._concerns(each, path, shown)))

    def refusals(self, label: str) -> tuple[str, ...]:
        """Return the rules that explain why a backend refuses the scene."""
        refusing = (each for each in self.findings if each.importing[label].opened is Behaviour.REFUSES)
        return tuple(dict.fromkeys(each.rule.name for each in refusing))

    def _concerns(self, finding: Finding, path: str, shown: Shows) -> bool:
        path = path.partition("#")[0]
        if _is_near(finding.prim, path):
            return True
        connected = self.connected.get(finding.prim, frozenset())
        return bool(finding.rule.shows & shown & ~_NEAR) and path in connected


def _may_show(finding: Finding, shown: Shows, attribute: str) -> bool:
    only = finding.rule.only
    return not only or Shows.JOINT not in shown or attribute in only


def _is_near(prim: str, path: str) -> bool:
    below = prim.rstrip("/") + "/"
    return prim == path or path.startswith(below) or prim.startswith(f"{path}/")


def _shows(object_type: str, attribute: str) -> Shows:
    if not attribute:
        return Shows.OBJECTS
    row = catalogue.attribute(ObjectType[object_type], attribute)
    if attribute in _MASS:
        return Shows.MASS
    if attribute in _SURFACE:
        return Shows.SURFACE
    if row.persistence is Persistence.STATE:
        return Shows.MOTION | (Shows.TREE | Shows.MASS if object_type == ObjectType.ARTICULATION.name else Shows(0))
    if object_type == ObjectType.ARTICULATION_JOINT.name:
        return Shows.JOINT | Shows.TREE
    return Shows.TREE if object_type == ObjectType.ARTICULATION.name else Shows.MOTION


def explainer(source: str | Path, labels: Sequence[str]) -> Explainer:
    """Look for what explains that backends differ about a scene.

    Raises:
        OptionError: The extra ``lint`` is not installed.
    """
    asset = Asset(open_asset(scene_of(source)))
    found = tuple(each for each in findings(asset, RULES, importers(labels)) if each.shows)
    return Explainer(found, {**_trees(asset), **_materials(asset)})


def _trees(asset: Asset) -> dict[str, frozenset[str]]:
    connected = {}
    for tree in asset.trees:
        joints = {joint.path for joint in tree.joints}
        members = frozenset({*tree.bodies, *joints, *([tree.root] if tree.root else [])})
        connected.update(dict.fromkeys(members, members))
    return connected


def _materials(asset: Asset) -> dict[str, frozenset[str]]:
    bodies: dict[str, set[str]] = {}
    for path in asset.bodies:
        for collider in asset.colliders_of(path):
            material = physics_material(asset, collider)
            if material:
                bodies.setdefault(str(material.GetPath()), set()).add(path)
    return {material: frozenset(paths) for material, paths in bodies.items()}
