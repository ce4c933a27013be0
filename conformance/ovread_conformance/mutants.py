"""Mutants: a simulation whose answers are wrong in one way that backends have been wrong in.

A check that does not notice its mutants proves nothing. :class:`MutatedSimulation` corrupts what ``read`` returns; the
simulation below it is real.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from ovread import Group, ObjectType, Query, ReadResult, Simulation, StageUnits
from ovread_conformance import rotations

Values = npt.NDArray[Any]
Corruption = Callable[[Simulation, Query, Group], Values]


@attrs.frozen
class Mutant:
    """One way to be wrong.

    Args:
        name: Short name.
        fault: What is wrong, one sentence.
        attributes: Names of the attributes that it corrupts.
        corrupt: Returns the corrupted values of a group, in its shape.
    """

    name: str
    fault: str
    attributes: tuple[str, ...]
    corrupt: Corruption


class MutatedSimulation:
    """A simulation seen through a mutant."""

    def __init__(self, simulation: Simulation, mutant: Mutant) -> None:
        self._simulation = simulation
        self._mutant = mutant

    @property
    def units(self) -> StageUnits:
        """Units of the stage."""
        return self._simulation.units

    def query(self, object_type: ObjectType, *, paths: Sequence[str] | None = None) -> Query:
        """Select objects; mutants do not touch this."""
        return self._simulation.query(object_type, paths=paths)

    def step(self, dt: float) -> None:
        """Step once; mutants do not touch this."""
        self._simulation.step(dt)

    def read(self, query: Query, attributes: Sequence[str]) -> ReadResult:
        """Read, then corrupt the groups that the mutant is about."""
        result = self._simulation.read(query, attributes)
        for group in result:
            if group.attribute in self._mutant.attributes:
                group.numpy()[...] = self._mutant.corrupt(self._simulation, query, group)
        return result


def _values(group: Group) -> Values:
    return group.numpy().copy()


def _scaled(factor: float) -> Corruption:
    return lambda simulation, query, group: _values(group) * factor


def _reordered(order: Sequence[int]) -> Corruption:
    return lambda simulation, query, group: _values(group)[:, order]


def _conjugate(simulation: Simulation, query: Query, group: Group) -> Values:
    return np.array([rotations.conjugate(turn) for turn in _values(group)])


def _origin_velocity(simulation: Simulation, query: Query, group: Group) -> Values:
    names = ("orientation", "angularVelocity", "centerOfMassPosition")
    state = simulation.read(query, names)
    turns, spins, centres = (state[name].numpy().astype(float) for name in names)
    levers = [rotations.matrix(turn) @ centre for turn, centre in zip(turns, centres, strict=True)]
    return _values(group) - np.cross(spins, levers)


def _in_body_axes(simulation: Simulation, query: Query, group: Group) -> Values:
    turns = simulation.read(query, ["orientation"])["orientation"].numpy()
    return np.array([rotations.matrix(turn).T @ value for turn, value in zip(turns, _values(group), strict=True)])


def _turned_inertia(turn: Callable[[rotations.Array, rotations.Array], rotations.Array]) -> Corruption:
    """Rebuild each tensor from its principal moments and axes."""

    def corrupt(simulation: Simulation, query: Query, group: Group) -> Values:
        tensors = _values(group).reshape(-1, 3, 3).astype(float)
        return np.array([turn(*np.linalg.eigh(tensor)).ravel() for tensor in tensors])

    return corrupt


def _world_inertia(simulation: Simulation, query: Query, group: Group) -> Values:
    turns = simulation.read(query, ["orientation"])["orientation"].numpy()
    tensors = _values(group).reshape(-1, 3, 3)
    axes = [rotations.matrix(turn) for turn in turns]
    return np.array([(r @ tensor @ r.T).ravel() for r, tensor in zip(axes, tensors, strict=True)])


def _parent_child_sign(simulation: Simulation, query: Query, group: Group) -> Values:
    """Report the child relative to the parent, whichever is body0: the sign of a swapped joint flips."""
    signs = [-1 if "/swapped/" in path else 1 for path in group.paths]
    return np.array([sign * value for sign, value in zip(signs, _values(group), strict=True)])


def _turn_of(coordinates: Values) -> rotations.Array:
    """Return the rotation matrix of one joint's coordinates, a rotation vector in degrees."""
    return rotations.matrix(rotations.quaternion(coordinates, float(np.linalg.norm(coordinates))))


def _successive_turns(simulation: Simulation, query: Query, group: Group) -> Values:
    """Turns about x, then the turned y, then the turned z, of a joint that rotates about all three."""
    turn = _turn_of(_values(group)[:, 0].astype(float))
    turns = (np.arctan2(-turn[1, 2], turn[2, 2]), np.arcsin(turn[0, 2]), np.arctan2(-turn[0, 1], turn[0, 0]))
    return np.degrees(turns)[:, None]


def _inner_frame_rate(simulation: Simulation, query: Query, group: Group) -> Values:
    coordinates = simulation.read(query, ["jointPosition"])["jointPosition"].numpy()[:, 0].astype(float)
    return _turn_of(coordinates) @ _values(group)


def _with_friction(simulation: Simulation, query: Query, group: Group) -> Values:
    friction: Values = simulation.read(query, ["netFrictionContactForce"])["netFrictionContactForce"].numpy()
    return _values(group) + friction


def _force_in_link_axes(simulation: Simulation, query: Query, group: Group) -> Values:
    turn = rotations.matrix(rotations.quaternion((1, 2, 3), 70))
    return np.array([np.concatenate([turn @ value[:3], turn @ value[3:]]) for value in _values(group).astype(float)])


def _torque_about_centre(simulation: Simulation, query: Query, group: Group) -> Values:
    lever = rotations.matrix(rotations.quaternion((1, 2, 3), 70)).T @ (0.8, 0.1, 0.0)
    values = _values(group).astype(float)
    values[:, 3:] -= np.cross(lever, values[:, :3])
    return values


def _native_rows(simulation: Simulation, query: Query, group: Group) -> Values:
    """Leave the values in the order of the file, under the paths of the canonical order."""
    return np.roll(_values(group), 1, axis=0)


_DEGREES = np.pi / 180
_CONTACT_FORCES = ("netNormalContactForce", "netFrictionContactForce", "rawContactForce")
_VECTORS = ("position", "linearVelocity", "angularVelocity")
_MUTANTS = (
    Mutant("wxyz", "Quaternions with the scalar first.", ("orientation",), _reordered((3, 0, 1, 2))),
    Mutant("conjugate", "Rotation from world to body.", ("orientation",), _conjugate),
    Mutant("origin-velocity", "Velocity of the origin, not of the centre of mass.", ("linearVelocity",),
           _origin_velocity),
    Mutant("body-frame-velocity", "Velocity in body axes.", ("linearVelocity", "angularVelocity"), _in_body_axes),
    Mutant("degrees-per-second", "Angular velocity in degrees.", ("angularVelocity",), _scaled(1 / _DEGREES)),
    Mutant("radians", "Joint coordinates in radians.",
           ("jointPosition", "jointVelocity", "jointPositionTarget", "jointLimit"), _scaled(_DEGREES)),
    Mutant("successive-turns", "Coordinates of several axes are successive turns.", ("jointPosition",),
           _successive_turns),
    Mutant("inner-frame-rate", "Rates of several axes in the inner link's joint frame.", ("jointVelocity",),
           _inner_frame_rate),
    Mutant("gain-per-radian", "Gains per radian.", ("jointStiffness", "jointDamping"), _scaled(1 / _DEGREES)),
    Mutant("swapped-limits", "Limits negated and swapped.", ("jointLimit",),
           lambda simulation, query, group: -_values(group)[:, ::-1]),
    Mutant("metres", "Values in metres on a centimetre stage.", ("position", "linearVelocity"), _scaled(0.01)),
    Mutant("z-up", "Values turned to Z up.", _VECTORS, _reordered((0, 2, 1))),
    Mutant("principal-inertia", "Principal moments on the diagonal.", ("inertia",),
           _turned_inertia(lambda moments, axes: np.diag(moments))),
    Mutant("inertia-turned-back", "Q^T diag Q for Q diag Q^T.", ("inertia",),
           _turned_inertia(lambda moments, axes: axes.T @ np.diag(moments) @ axes)),
    Mutant("world-inertia", "Inertia in world axes.", ("inertia",), _world_inertia),
    Mutant("parent-child-sign", "Joint signs from parent and child, not from body0 and body1.",
           ("jointPosition", "jointVelocity"), _parent_child_sign),
    Mutant("contact-impulse", "Impulse of a sixtieth of a second for a force.", _CONTACT_FORCES, _scaled(1 / 60)),
    Mutant("force-on-the-other", "Force on the other body.", _CONTACT_FORCES, _scaled(-1)),
    Mutant("friction-in-normal-force", "Normal force with the friction in it.", ("netNormalContactForce",),
           _with_friction),
    Mutant("reversed-normal", "Normals from side 0 to side 1.", ("rawContactNormal",), _scaled(-1)),
    Mutant("joint-force-on-parent", "The force of a joint on the other link.", ("linkIncomingJointForce",),
           _scaled(-1)),
    Mutant("joint-force-in-link-axes", "The force of a joint in the axes of the link.", ("linkIncomingJointForce",),
           _force_in_link_axes),
    Mutant("joint-torque-about-centre", "The torque of a joint about the centre of mass.", ("linkIncomingJointForce",),
           _torque_about_centre),
    Mutant("native-rows", "Values in the engine's order under canonical paths.", ("mass",), _native_rows),
)  # fmt: skip

MUTANTS = {mutant.name: mutant for mutant in _MUTANTS}
