"""How joints connect bodies: components, whether they are trees, and which joints lead towards the root."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence

import attrs

from ovread_newton._authored import AuthoredJoint


@attrs.frozen
class Component:
    """Joints that bodies connect.

    Args:
        joints: The joints, in the order of their paths.
    """

    joints: tuple[AuthoredJoint, ...]

    @property
    def name(self) -> str:
        """Path of the first joint, which no other component has."""
        return self.joints[0].path

    @property
    def bodies(self) -> set[str]:
        """Paths of its bodies."""
        return {body for joint in self.joints for body in joint.bodies if body}

    @property
    def anchored(self) -> list[str]:
        """Bodies that joints attach to the world."""
        return [str(joint.bodies[0] or joint.bodies[1]) for joint in self.joints if not all(joint.bodies)]

    @property
    def is_tree(self) -> bool:
        """Whether there is one way from each body to the root; several joints of the same two bodies count once."""
        pairs = {frozenset(joint.bodies) for joint in self.joints if all(joint.bodies)}
        return len(self.anchored) <= 1 and len(pairs) == len(self.bodies) - 1

    @property
    def members(self) -> set[str]:
        """Paths of its bodies and joints."""
        return self.bodies | {joint.path for joint in self.joints}

    def roots_above(self, roots: Container[str]) -> set[str]:
        """Return the prims with a root schema that it is below, or that it has."""
        return {path for member in self.members for path in lineage(member) if path in roots}

    def owner(self, roots: Container[str]) -> str | None:
        """Return the prim with a root schema that it belongs to: one of its own, else the nearest prim above."""
        own = sorted(path for path in self.members if path in roots)
        return own[0] if own else max(self.roots_above(roots), key=len, default=None)


def lineage(path: str) -> Iterator[str]:
    """Return a path and those above it, the nearest first."""
    while path:
        yield path
        path = path.rpartition("/")[0]
    yield "/"


def components_of(joints: Iterable[AuthoredJoint]) -> list[Component]:
    """Group joints that bodies connect; the world connects none."""
    leaders: dict[str, str] = {}

    def find(body: str) -> str:
        while leaders.setdefault(body, body) != body:
            body = leaders[body]
        return body

    joints = [joint for joint in joints if any(joint.bodies)]
    for joint in joints:
        first, second = joint.bodies
        if first and second:
            leaders[find(first)] = find(second)
    groups: dict[str, list[AuthoredJoint]] = {}
    for joint in joints:
        groups.setdefault(find(str(joint.bodies[0] or joint.bodies[1])), []).append(joint)
    return [Component(tuple(group)) for group in groups.values()]


def joints_to_swap(component: Component, roots: Iterable[str]) -> list[AuthoredJoint]:
    """Return the joints of a tree whose body0 and body1 must change places for it to start at its root.

    The root is the body that hangs on the world; of a floating tree, the body with a root schema, else one that is
    nowhere body1, so that the fewest joints change.
    """
    inner = [joint for joint in component.joints if all(joint.bodies)]
    marked = component.bodies.intersection(roots)
    if component.anchored or len(marked) == 1:
        return _swaps_from(next(iter(component.anchored or marked)), inner)
    children = {joint.bodies[1] for joint in inner}
    return min((_swaps_from(body, inner) for body in sorted(component.bodies - children)), key=len, default=[])


def _swaps_from(root: str, joints: Sequence[AuthoredJoint]) -> list[AuthoredJoint]:
    """Walk a tree from its root; return the joints that are passed from body1 to body0."""
    reached, remaining = {root}, list(joints)
    swapped: list[AuthoredJoint] = []
    while remaining:
        near = [joint for joint in remaining if reached.intersection(joint.bodies)]
        swapped += [joint for joint in near if joint.bodies[0] not in reached]
        reached.update(str(body) for joint in near for body in joint.bodies)
        remaining = [joint for joint in remaining if joint not in near]
    return swapped
