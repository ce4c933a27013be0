"""Writing what each collision shape of a body has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from ovread.backend import Key
from ovread.catalogue import ObjectType
from ovread_newton._binding import Values
from ovread_newton._ragged import Indices
from ovread_newton._shapes import ARRAYS
from ovread_newton._writer import Chosen, Consequences, Maker, Sink, Write, publish, refuse_unheard, refuse_value

if TYPE_CHECKING:
    from ovread_newton._engine import NewtonEngine


def _flags() -> int:
    import newton

    return int(newton.ModelFlags.SHAPE_PROPERTIES)


def _material(engine: NewtonEngine, bodies: Indices, name: str) -> Write:
    sink, shapes, flags = Sink(engine, "model", ARRAYS[name]), engine.topology.body_shapes.take(bodies), _flags()

    def write(values: Values, chosen: Chosen) -> Consequences:
        return publish([(sink, shapes[chosen], values[chosen, 0])], flags)

    return write


def _offset(engine: NewtonEngine, bodies: Indices, name: str) -> Write:
    """Write one of the two offsets of a shape; the other stays.

    Shapes come to rest at their margins, and Newton makes contacts where they are closer by the gap beyond.
    """
    margin, gap = Sink(engine, "model", "shape_margin"), Sink(engine, "model", "shape_gap")
    shapes, flags = engine.topology.body_shapes.take(bodies), _flags()
    owners = np.repeat(np.arange(len(bodies)), engine.topology.body_shapes.counts(bodies))

    def write(values: Values, chosen: Chosen) -> Consequences:
        index, given = shapes[chosen], values[chosen, 0]
        rest, contact = margin()[index], margin()[index] + gap()[index]
        if name == "restOffset":
            rest = given
        else:
            contact = given
        for place in np.flatnonzero(rest > contact)[:1]:
            row = int(owners[chosen][place])
            rule = (
                f"the rest offset {rest[place]:g} would be beyond the contact offset {contact[place]:g}. Write the "
                "other one first."
            )
            refuse_value(name, row, engine.topology.body_paths[bodies[row]], given[place], rule)
        return publish([(margin, index, rest), (gap, index, contact - rest)], flags)

    return write


_MAKE: Mapping[str, Callable[[NewtonEngine, Indices, str], Write]] = {
    "friction": _material,
    "restitution": _material,
    "contactOffset": _offset,
    "restOffset": _offset,
}

SHAPE_MAKERS: Mapping[Key, Maker] = {
    (object_type, name): Maker(make, refuse_unheard)
    for object_type in (ObjectType.RIGID_BODY, ObjectType.ARTICULATION_LINK)
    for name, make in _MAKE.items()
}
