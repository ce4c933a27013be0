"""Rules about rigid bodies."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ovread.lint._asset import is_authored, value
from ovread.lint._rule import Occurrence, Rule, Shows, collecting

if TYPE_CHECKING:
    from ovread.lint._asset import Asset, Doubles
    from ovread.lint._editor import Editor

RULES: list[Rule] = []
rule = collecting(RULES, Shows.MOTION)

_UNLIMITED = 3e38
_VELOCITIES = ("physics:velocity", "physics:angularVelocity")


def _velocities(prim: Any) -> list[str]:
    return [name for name in _VELOCITIES if np.any(value(prim, name, 0.0))]


def _physx(asset: Asset, *names: str) -> Iterator[tuple[str, Any, list[str]]]:
    """Give dynamic bodies with the attributes of PhysxRigidBodyAPI that are authored on them."""
    for path, prim in asset.dynamic_bodies.items():
        given = [name for name in names if is_authored(prim, f"physxRigidBody:{name}")]
        if given:
            yield path, prim, given


@rule(
    "initial-velocity-frame",
    "a velocity of a body that is turned",
    "The schema has velocities in the space of the prim's own transform; by ovread's conventions that is the world, "
    "unless customData says physics:localSpaceVelocities.",
    "Author the body without a rotation, or set the velocity after opening.",
    contested=True,
)
def _velocity_frame(asset: Asset) -> Iterator[Occurrence]:
    for path, prim in asset.dynamic_bodies.items():
        given = _velocities(prim)
        if given and not np.allclose(_axes(asset.matrix(path)), np.eye(3), atol=1e-5):
            yield Occurrence(path, f"authored: {', '.join(given)}")


def _axes(matrix: Doubles) -> Doubles:
    sizes = np.linalg.norm(matrix[:3, :3], axis=1)
    axes: Doubles = matrix[:3, :3] / np.where(sizes > 0, sizes, 1)[:, None]
    return axes


@rule(
    "disabled-body",
    "a rigid body that is disabled",
    "It is no body: its colliders stand still, or belong to the body above.",
    "Take PhysicsRigidBodyAPI from it.",
    also=("disabled-body-absent",),
    shows=Shows.MOTION | Shows.OBJECTS,
)
def _disabled(asset: Asset) -> Iterator[Occurrence]:
    for prim in asset.with_schema("PhysicsRigidBodyAPI"):
        if not value(prim, "physics:rigidBodyEnabled", True):
            path = str(prim.GetPath())
            yield Occurrence(path, "rigidBodyEnabled is false", functools.partial(_free, path))


def _free(path: str, editor: Editor) -> None:
    editor.remove(path, "PhysicsRigidBodyAPI")


@rule(
    "starts-asleep",
    "a body that starts asleep",
    "It stands still until something touches it.",
    "Author the body where it rests.",
)
def _asleep(asset: Asset) -> Iterator[Occurrence]:
    for path, prim in asset.dynamic_bodies.items():
        if value(prim, "physics:startsAsleep", False):
            yield Occurrence(path, "startsAsleep is true")


@rule(
    "kinematic-velocity",
    "a kinematic body with a velocity",
    "The schema does not say what it means; by ovread's conventions the body starts at rest, as only its own motion "
    "moves it.",
    "Author no velocity.",
    contested=True,
)
def _kinematic(asset: Asset) -> Iterator[Occurrence]:
    for path, prim in asset.bodies.items():
        given = _velocities(prim) if path not in asset.dynamic_bodies else []
        if given:
            yield Occurrence(path, f"authored: {', '.join(given)}", functools.partial(_stop, path, given))


def _stop(path: str, names: list[str], editor: Editor) -> None:
    for name in names:
        editor.set(path, name, "vector3f", (0.0, 0.0, 0.0))


@rule(
    "default-angular-damping",
    "a body whose angular damping is not authored",
    "Nothing damps a body unless the asset says so.",
    "Author physxRigidBody:angularDamping = 0.",
)
def _undamped(asset: Asset) -> Iterator[Occurrence]:
    for path, prim in asset.dynamic_bodies.items():
        if not is_authored(prim, "physxRigidBody:angularDamping"):
            yield Occurrence(path, "", functools.partial(_undamp, path))


def _undamp(path: str, editor: Editor) -> None:
    editor.apply(path, "PhysxRigidBodyAPI")
    editor.set(path, "physxRigidBody:angularDamping", "float", 0.0)


@rule(
    "damping",
    "a body with damping or maximal velocities of PhysxRigidBodyAPI",
    "Its velocity is damped, and clamped.",
    "Author damping of 0, and damp in the controller.",
)
def _damped(asset: Asset) -> Iterator[Occurrence]:
    dampings, limits = ("linearDamping", "angularDamping"), ("maxLinearVelocity", "maxAngularVelocity")
    for path, prim, names in _physx(asset, *dampings, *limits, "maxDepenetrationVelocity"):
        given = {name: float(value(prim, f"physxRigidBody:{name}", 0.0)) for name in names}
        said = [f"{name} {number:g}" for name, number in given.items() if _counts(number, name in dampings)]
        if said:
            yield Occurrence(path, ", ".join(said))


def _counts(number: float, is_damping: bool) -> bool:
    return number > 0 if is_damping else number < _UNLIMITED


@rule(
    "disable-gravity",
    "a body that gravity does not act on",
    "The body does not fall.",
    "Balance its weight in the controller, or take the mujoco solver.",
)
def _weightless(asset: Asset) -> Iterator[Occurrence]:
    for path, prim, _ in _physx(asset, "disableGravity"):
        if value(prim, "physxRigidBody:disableGravity", False):
            yield Occurrence(path, "disableGravity is true")


@rule(
    "locked-axis",
    "a body that cannot move along, or turn about, some axes",
    "The body does not move along these axes.",
    "Hold the body by a PhysicsJoint to the world.",
)
def _locked(asset: Asset) -> Iterator[Occurrence]:
    for path, prim, names in _physx(asset, "lockedPosAxis", "lockedRotAxis"):
        given = [name for name in names if value(prim, f"physxRigidBody:{name}", 0)]
        if given:
            yield Occurrence(path, f"authored: {', '.join(given)}")


_PROPERTIES = {
    "enableGyroscopicForces": True,
    "retainAccelerations": False,
    "solveContact": True,
    "enableCCD": False,
    "enableSpeculativeCCD": False,
}


@rule(
    "body-property",
    "a body with other properties of PhysxRigidBodyAPI",
    "Gyroscopic forces, contacts, accelerations and continuous collision detection are as authored.",
    "Leave them as they are by default.",
)
def _properties(asset: Asset) -> Iterator[Occurrence]:
    for path, prim, names in _physx(asset, *_PROPERTIES, "maxContactImpulse"):
        given = [name for name in names if _is_special(prim, name)]
        if given:
            yield Occurrence(path, f"authored: {', '.join(given)}")


def _is_special(prim: Any, name: str) -> bool:
    found = value(prim, f"physxRigidBody:{name}", None)
    return bool(found < _UNLIMITED) if name == "maxContactImpulse" else bool(found != _PROPERTIES[name])


@rule(
    "forces",
    "a force of PhysxForceAPI",
    "The force acts on the body at each step.",
    "Write the force at each step.",
)
def _forces(asset: Asset) -> Iterator[Occurrence]:
    for prim in asset.with_schema("PhysxForceAPI"):
        enabled = value(prim, "physxForce:forceEnabled", True)
        if enabled and any(np.any(value(prim, f"physxForce:{name}", 0.0)) for name in ("force", "torque")):
            yield Occurrence(str(prim.GetPath()))


@rule(
    "sheared-hierarchy",
    "a body or collider below a rotation that is below a non-uniform scale",
    "It has the shape that its transforms give it.",
    "Apply the scale to the geometry, not above a rotation.",
)
def _sheared(asset: Asset) -> Iterator[Occurrence]:
    for path in [*asset.bodies, *(str(prim.GetPath()) for prim in asset.colliders)]:
        axes = _axes(asset.matrix(path))
        if not np.allclose(axes @ axes.T, np.eye(3), atol=1e-4):
            yield Occurrence(path, "its axes are not at right angles in the world")
