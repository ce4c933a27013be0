"""Bodies in the order of their joints, as the featherstone solver takes them to be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ovread.backend import Diagnostic
from ovread_newton._scene_import import Correction, SceneImport, findings

if TYPE_CHECKING:
    import newton

_PER_BODY = (
    "body_mass", "body_inertia", "body_inv_mass", "body_inv_inertia", "body_com", "body_q", "body_qd", "body_label",
    "body_lock_inertia", "body_flags", "body_world",
)  # fmt: skip
_REFERENCES = (
    "shape_body", "joint_parent", "joint_child", "attachment_particle_body_body", "tendon_guide_body", "muscle_bodies",
)  # fmt: skip
_LOOKUPS = ("joint_parents", "joint_children")
"""Pairs of a body and a joint, by the body at the other end."""


def order_bodies(scene: SceneImport) -> Iterator[Diagnostic]:
    """Number bodies as the joints that they are the child of; bodies without one come last, as joints made for them.

    The featherstone solver looks up the mass of a joint's child by the number of the joint.
    """
    builder = scene.builder
    if scene.solver != "featherstone" or builder.curve_label:  # a curve needs its bodies in one run
        return
    children = dict.fromkeys(body for body in builder.joint_child if body >= 0)
    order = [*children, *(body for body in range(builder.body_count) if body not in children)]
    moved = [str(builder.body_label[body]) for number, body in enumerate(order) if number != body]
    if moved:
        renumber_bodies(builder, order)
        message = "It has another number in the model than the importer gave it, so that bodies are ordered as joints."
        yield from findings("body-order", moved, message)


def renumber_bodies(builder: newton.ModelBuilder, order: Sequence[int]) -> None:
    """Give bodies other numbers, in everything that has a value for each body or refers to bodies.

    Args:
        builder: What holds them.
        order: The present number of each body, in the new order.
    """
    import newton

    numbers = {-1: -1} | {old: new for new, old in enumerate(order)}
    for name in _PER_BODY:
        values = getattr(builder, name)
        values[:] = [values[old] for old in order]
    for name in _REFERENCES:
        values = getattr(builder, name)
        values[:] = [numbers[old] for old in values]
    _replace(builder.body_shapes, {numbers[body]: shapes for body, shapes in builder.body_shapes.items()})
    for name in _LOOKUPS:
        lookup = getattr(builder, name)
        pairs = {numbers[body]: [(numbers[other], joint) for other, joint in found] for body, found in lookup.items()}
        _replace(lookup, pairs)
    frequency = newton.Model.AttributeFrequency.BODY
    for attribute in builder.custom_attributes.values():
        values = attribute.values
        if attribute.frequency == frequency and values:
            attribute.values = {numbers[body]: value for body, value in values.items()}
        if attribute.references in (frequency, "body") and values:
            refer = {key: numbers[int(body)] for key, body in _items(values)}
            attribute.values = refer if isinstance(values, Mapping) else [refer[key] for key in range(len(values))]


def _replace(lookup: dict[int, Any], by: Mapping[int, Any]) -> None:
    lookup.clear()
    lookup.update(by)


def _items(values: Any) -> Iterator[tuple[int, Any]]:
    return iter(values.items()) if isinstance(values, Mapping) else enumerate(values)


BODY_ORDER_CORRECTIONS = (
    Correction(
        "body-order",
        "With the featherstone solver bodies are in the order of their joints, by whose numbers it takes their masses; "
        "the importer's order is another.",
        after=order_bodies,
    ),
)
