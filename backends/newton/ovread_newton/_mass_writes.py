"""Writing mass, inertia and centre of mass; inverse mass and inertia follow."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
import numpy.typing as npt

from ovread.backend import Key
from ovread.catalogue import ObjectType
from ovread_newton._binding import Values, lanes
from ovread_newton._principal_axes import are_principal, principal_axes, principal_moments
from ovread_newton._ragged import Indices
from ovread_newton._rotations import Doubles, matrices
from ovread_newton._writer import Chosen, Consequences, Maker, Sink, Write, publish, refuse_unheard

if TYPE_CHECKING:
    from ovread_newton._engine import NewtonEngine


def _flags() -> int:
    import newton

    return int(newton.ModelFlags.BODY_INERTIAL_PROPERTIES)


def _mass(engine: NewtonEngine, bodies: Indices, name: str) -> Write:
    mass, inverse = Sink(engine, "model", "body_mass"), Sink(engine, "model", "body_inv_mass")
    flags = _flags()

    def write(values: Values, chosen: Chosen) -> Consequences:
        given, index = values[chosen, 0], bodies[chosen]
        return publish([(mass, index, given), (inverse, index, 1 / given)], flags)

    return write


class _Inertia:
    """Sets the tensors of some bodies, and their inverses.

    Args:
        engine: The engine.
        bodies: The bodies.
    """

    def __init__(self, engine: NewtonEngine, bodies: Indices) -> None:
        self._tensor, self._inverse = (Sink(engine, "model", name) for name in ("body_inertia", "body_inv_inertia"))
        self._elements = lanes(bodies, 9, 0, 9)
        self._flags = _flags()

    def read(self, chosen: Chosen) -> Doubles:
        """Return tensors in body axes, ``(n, 3, 3)``."""
        return self._tensor()[self._elements[chosen]].astype(float).reshape(-1, 3, 3)

    def publish(self, tensors: npt.NDArray[Any], chosen: Chosen) -> Consequences:
        """Set tensors."""
        elements = self._elements[chosen]
        inverses = np.linalg.inv(tensors.astype(float))
        return publish(
            [(self._tensor, elements, tensors.reshape(-1, 9)), (self._inverse, elements, inverses.reshape(-1, 9))],
            self._flags,
        )


def _inertia(engine: NewtonEngine, bodies: Indices, name: str) -> Write:
    inertia = _Inertia(engine, bodies)

    def write(values: Values, chosen: Chosen) -> Consequences:
        consequences = inertia.publish(values[chosen].reshape(-1, 3, 3), chosen)
        engine.named_axes.lose(bodies[chosen].tolist())
        return consequences

    return write


def _principal_axes(engine: NewtonEngine, bodies: Indices, name: str) -> Write:
    """Turn the principal axes; the moments about them stay.

    Where the inertia was written before, nobody has said which axis is which: axes that it has are taken for the names.
    """
    inertia, names = _Inertia(engine, bodies), engine.named_axes

    def write(values: Values, chosen: Chosen) -> Consequences:
        rows, turns = bodies[chosen], values[chosen].astype(float)
        tensors, before = inertia.read(chosen), names.of(rows)
        axes = matrices(turns)
        moments = principal_moments(tensors, principal_axes(tensors, before))
        turned = np.einsum("nij,nj,nkj->nik", axes, moments, axes)
        keeps = names.are_lost(rows) & are_principal(tensors, turns)
        turned[keeps] = tensors[keeps]
        consequences = inertia.publish(turned, chosen)
        names.name(rows, turns)
        take_back = consequences.undo

        def undo() -> None:
            if take_back is not None:
                take_back()
            names.name(rows, before)

        return attrs.evolve(consequences, undo=undo)

    return write


def _centre(engine: NewtonEngine, bodies: Indices, name: str) -> Write:
    """Move the centre of mass of bodies outside articulations; the numbers of pose and velocity stay."""
    centre, elements, flags = Sink(engine, "model", "body_com"), lanes(bodies, 3, 0, 3), _flags()

    def write(values: Values, chosen: Chosen) -> Consequences:
        return publish([(centre, elements[chosen], values[chosen])], flags)

    return write


def _centre_of_links(engine: NewtonEngine, links: Indices, name: str) -> Write:
    """Move the centre of mass of links; the rates of joints stay, so the centre gets another velocity."""
    move, owners = _centre(engine, links, name), engine.topology.owners[links]

    def write(values: Values, chosen: Chosen) -> Consequences:
        engine.refresh_joint_state()  # with the centres that the velocities are still about
        return attrs.evolve(move(values, chosen), hung=owners[chosen])

    return write


_MAKE: Mapping[str, Callable[[NewtonEngine, Indices, str], Write]] = {
    "mass": _mass,
    "inertia": _inertia,
    "centerOfMassPosition": _centre,
    "centerOfMassOrientation": _principal_axes,
}

MASS_MAKERS: Mapping[Key, Maker] = {
    **{
        (object_type, name): Maker(make, refuse_unheard)
        for object_type in (ObjectType.RIGID_BODY, ObjectType.ARTICULATION_LINK)
        for name, make in _MAKE.items()
    },
    (ObjectType.ARTICULATION_LINK, "centerOfMassPosition"): Maker(_centre_of_links, refuse_unheard),
}
