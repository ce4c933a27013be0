"""Rules about scenes, instances, and what is no rigid body."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ovread.lint._asset import JOINTS, has_schema, is_authored, value
from ovread.lint._rule import Occurrence, Rule, Shows, collecting

if TYPE_CHECKING:
    from ovread.lint._asset import Asset
    from ovread.lint._editor import Editor

RULES: list[Rule] = []
rule = collecting(RULES, Shows.MOTION | Shows.OBJECTS)

_EARTH = 9.81


def _gravity(asset: Asset, scene: Any) -> tuple[Any, float]:
    """Return direction and magnitude of a scene's gravity, as the schema resolves them."""
    direction = np.array(value(scene, "physics:gravityDirection", (0, 0, 0)), dtype=float)
    length = float(np.linalg.norm(direction))
    up = -np.eye(3)["XYZ".index(asset.units.up_axis)]
    magnitude = float(value(scene, "physics:gravityMagnitude", -math.inf))
    standard = _EARTH / asset.units.meters_per_unit
    return (direction / length if length else up), (magnitude if magnitude >= 0 else standard)


@rule(
    "gravity-not-normalised",
    "a gravity direction that is not of length 1, or a negative magnitude",
    "The direction is normalised, zero stands for down, and a negative magnitude for that of the earth.",
    "Author a direction of length 1 and the magnitude.",
)
def _normalised(asset: Asset) -> Iterator[Occurrence]:
    for scene in asset.of_type("PhysicsScene"):
        length = float(np.linalg.norm(value(scene, "physics:gravityDirection", (0, 0, 0))))
        magnitude = float(value(scene, "physics:gravityMagnitude", -math.inf))
        odd_length = is_authored(scene, "physics:gravityDirection") and not math.isclose(length, 1, rel_tol=1e-4)
        odd_magnitude = is_authored(scene, "physics:gravityMagnitude") and magnitude < 0
        if odd_length or odd_magnitude:
            repair = functools.partial(_normalise, str(scene.GetPath()), *_gravity(asset, scene))
            what = f"the direction has length {length:g}, the magnitude is {magnitude:g}"
            yield Occurrence(str(scene.GetPath()), what, repair)


def _normalise(path: str, direction: Any, magnitude: float, editor: Editor) -> None:
    editor.set(path, "physics:gravityDirection", "vector3f", tuple(map(float, direction)))
    editor.set(path, "physics:gravityMagnitude", "float", magnitude)


@rule(
    "newton-scene-gravity",
    "a gravity of a scene with NewtonSceneAPI",
    "The gravity is as authored, whatever other schemas the scene has.",
    "Take NewtonSceneAPI from the scene.",
)
def _newton_scene(asset: Asset) -> Iterator[Occurrence]:
    for scene in asset.of_type("PhysicsScene"):
        if has_schema(scene, "NewtonSceneAPI"):
            direction, magnitude = _gravity(asset, scene)
            down = -np.eye(3)["XYZ".index(asset.units.up_axis)]
            standard = _EARTH / asset.units.meters_per_unit
            if not (np.allclose(direction, down, atol=1e-5) and math.isclose(magnitude, standard, rel_tol=1e-3)):
                yield Occurrence(str(scene.GetPath()), f"the gravity is {magnitude:g} along {direction.tolist()}")


@rule(
    "several-scenes",
    "several physics scenes",
    "Each body is in the scene that simulationOwner names, with its gravity, and meets only what is in it.",
    "Author one scene per file.",
)
def _several(asset: Asset) -> Iterator[Occurrence]:
    scenes = asset.of_type("PhysicsScene")
    for scene in scenes[1:]:
        yield Occurrence(str(scene.GetPath()), f"it is one of {len(scenes)}")


@rule(
    "contact-scale",
    "contacts on a stage that is not in kilograms",
    "Contacts are the same in all units.",
    "Author the stage in kilograms.",
)
def _scale(asset: Asset) -> Iterator[Occurrence]:
    unit = asset.units.kilograms_per_unit
    if unit != 1 and any(asset.colliders_of(path) for path in asset.dynamic_bodies):
        yield Occurrence("/", f"kilogramsPerUnit is {unit:g}")


@rule(
    "instancing",
    "a body or joint in an instance",
    "An instance is composed of the same prims as its prototype.",
    "Set instanceable = false on the instance.",
)
def _instances(asset: Asset) -> Iterator[Occurrence]:
    joints = [prim for prim in asset.of_type(*JOINTS) if prim.IsInstanceProxy()]
    for prim in [*asset.bodies.values(), *joints]:
        if prim.IsInstanceProxy():
            path = str(prim.GetPath())
            yield Occurrence(path, "it is in an instance", functools.partial(_make_plain, path))


@rule(
    "instanced-collider",
    "a collider in an instance",
    "An instance is composed of the same prims as its prototype.",
    "Set instanceable = false on the instance.",
)
def _instanced(asset: Asset) -> Iterator[Occurrence]:
    for prim in asset.colliders:
        path = str(prim.GetPath())
        body = asset.body_of(path)
        if prim.IsInstanceProxy() and not (body and asset.bodies[body].IsInstanceProxy()):
            yield Occurrence(path, "it is in an instance", functools.partial(_make_plain, path))


def _make_plain(path: str, editor: Editor) -> None:
    editor.reach(path)


@rule(
    "instancers",
    "bodies of a point instancer",
    "Each instance is a body.",
    "Author the instances as prims of their own.",
)
def _instancers(asset: Asset) -> Iterator[Occurrence]:
    physical = [*asset.bodies, *(str(prim.GetPath()) for prim in asset.colliders)]
    for prim in asset.of_type("PointInstancer"):
        path = str(prim.GetPath())
        prototypes = [str(target) for target in prim.GetRelationship("prototypes").GetTargets()]
        roots = (path, *prototypes)
        if any(each == root or each.startswith(f"{root}/") for each in physical for root in roots):
            yield Occurrence(path)
    for prim in asset.of_type("PhysxPhysicsInstancer", "PhysxPhysicsJointInstancer"):
        yield Occurrence(str(prim.GetPath()))


_MUJOCO = (
    "margin", "solreflimit", "solimplimit", "solreffriction", "solimpfriction", "stiffness", "springref", "ref",
    "actuatorgravcomp", "actuatorfrcrange:min", "actuatorfrcrange:max", "actuatorfrclimited", "springdamper",
)  # fmt: skip


@rule(
    "mujoco-attributes",
    "attributes of MjcJointAPI",
    "They are the joint's, for MuJoCo.",
    "Author NewtonJointAPI.",
)
def _mujoco(asset: Asset) -> Iterator[Occurrence]:
    for prim in asset.with_schema("MjcJointAPI"):
        given = [name for name in _MUJOCO if is_authored(prim, f"mjc:{name}")]
        if given:
            yield Occurrence(str(prim.GetPath()), f"authored: {', '.join(f'mjc:{name}' for name in given)}")


def _kinds(*names: str) -> Any:
    """Make a detector of prims of some types, or with some schemas."""

    def detect(asset: Asset) -> Iterator[Occurrence]:
        for name in names:
            for prim in (*asset.of_type(name), *asset.with_schema(name)):
                yield Occurrence(str(prim.GetPath()), f"it has {name}")

    return detect


rule(
    "tendons",
    "a tendon",
    "The tendon pulls the links that it connects.",
    "Couple the joints by NewtonMimicAPI.",
    shows=Shows.MOTION | Shows.TREE | Shows.OBJECTS,
)(_kinds("PhysxTendonAxisRootAPI", "PhysxTendonAttachmentRootAPI", "MjcTendon"))
rule("particles", "particles", "Particles are simulated.", "Leave them to one engine.")(
    _kinds("PhysxParticleSystem", "PhysxParticleSetAPI", "PhysxParticleSamplingAPI")
)
rule("deformables", "a deformable body", "The body is simulated as deformable.", "Leave it to one engine.")(
    _kinds("OmniPhysicsDeformableBodyAPI", "PhysxAutoDeformableBodyAPI")
)
rule("vehicles", "a vehicle", "Engine, wheels and tires are simulated.", "Author wheels that joints drive.")(
    _kinds("PhysxVehicleAPI")
)
rule(
    "character-controllers", "a character controller", "The character walks as its controller says.",
    "Move a kinematic body.",
)(_kinds("PhysxCharacterControllerAPI"))  # fmt: skip
rule("actuators", "an actuator", "The actuator drives its joint.", "Author PhysicsDriveAPI.")(
    _kinds("NewtonActuator", "MjcActuator")
)
