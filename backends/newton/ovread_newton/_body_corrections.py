"""Bodies as UsdPhysics and PhysX's schemas mean them, where the importer does it otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ovread.backend import Diagnostic
from ovread_newton._scene_import import Correction, SceneImport, findings
from ovread_newton._stage import rigid_pose

LOCAL_VELOCITIES = "customData:physics:localSpaceVelocities"
"""Metadata of a prim whose velocities are in its own axes."""


def disable_bodies(scene: SceneImport) -> Iterator[Diagnostic]:
    """Make prims that are no rigid bodies, since they are disabled, look so to the importer."""
    view = scene.view
    bodies = view.with_schema("PhysicsRigidBodyAPI")
    disabled = [path for path, value in view.floats("physics:rigidBodyEnabled", bodies).items() if not value]
    if not disabled:
        return
    schemas = view.tokens("usd-schemas", disabled)
    view.write_tokens(
        "usd-schemas",
        {path: [schema for schema in schemas[path] if schema != "PhysicsRigidBodyAPI"] for path in disabled},
    )
    message = "The body is disabled: it is no body, and its colliders stand still, or belong to the body above it."
    yield from findings("disabled-body", disabled, message)


def set_initial_velocities(scene: SceneImport) -> Iterator[Diagnostic]:
    """Take authored velocities in world axes, or in the body's where the prim says so."""
    bodies, view = scene.bodies(), scene.view
    paths = list(bodies)
    columns = view.columns(["physics:velocity", "physics:angularVelocity"], paths)
    moving = [path for path in paths if any(np.any(column.get(path, 0)) for column in columns.values())]
    matrices = view.column("omni:fabric:worldMatrix", moving)
    local = view.floats(f"usd-metadata:{LOCAL_VELOCITIES}", moving)
    changed = []
    for path in moving:
        linear, angular = (column.get(path, np.zeros(3)).astype(float) for column in columns.values())
        angular = np.radians(angular)
        if local.get(path):
            _, axes, scale = rigid_pose(matrices[path])
            linear, angular = axes @ (linear * scale), axes @ angular
        if _set_velocity(scene, bodies[path], np.concatenate([linear, angular])):
            changed.append(path)
    message = "Its authored velocity is in world axes, where the importer takes the body's own."
    yield from findings("initial-velocity-frame", [path for path in changed if not local.get(path)], message)
    message = "Its authored velocity is in the body's own axes and scale, as localSpaceVelocities says."
    yield from findings("initial-velocity-frame", [path for path in changed if local.get(path)], message)


def _set_velocity(scene: SceneImport, body: int, value: Any) -> bool:
    """Set a body's velocity, and that of the joint that floats it; return whether it was another."""
    import newton
    import warp as wp

    builder = scene.builder
    if np.allclose(np.array(builder.body_qd[body], dtype=float), value, rtol=1e-5, atol=1e-6):
        return False
    builder.body_qd[body] = wp.spatial_vector(*value)
    for joint, child in enumerate(builder.joint_child):
        if child == body and builder.joint_type[joint] == newton.JointType.FREE:
            start = builder.joint_qd_start[joint]
            builder.joint_qd[start : start + 6] = value.tolist()
    return True


def stop_kinematic_bodies(scene: SceneImport) -> Iterator[Diagnostic]:
    """Clear the authored velocity of kinematic bodies, which only their own motion gives them."""
    import newton

    kinematic = int(newton.BodyFlags.KINEMATIC)
    flags = scene.builder.body_flags
    stopped = [
        path
        for path, body in scene.bodies().items()
        if flags[body] & kinematic and _set_velocity(scene, body, np.zeros(6))
    ]
    message = "The body is kinematic: its velocity is that of its motion, so it starts at rest."
    yield from findings("kinematic-velocity", stopped, message)


def disable_gravity(scene: SceneImport) -> Iterator[Diagnostic]:
    """Compensate gravity for the bodies that are authored without it.

    MuJoCo's attributes are registered after the import, which would refuse more scenes with them.
    """
    import newton

    if scene.solver != "mujoco":
        return
    bodies = scene.bodies()
    having = [path for path in scene.view.with_schema("PhysxRigidBodyAPI") if path in bodies]
    weightless = [path for path, value in scene.view.floats("physxRigidBody:disableGravity", having).items() if value]
    if weightless:
        newton.solvers.SolverMuJoCo.register_custom_attributes(scene.builder)
        _fill(scene, "mujoco:gravcomp", {bodies[path]: 1.0 for path in weightless})
    yield from findings("disable-gravity", weightless, "Gravity does not act on it, as PhysxRigidBodyAPI says.")


_STEEL = {
    "physxRigidBody:linearDamping": "steel:rigid_body_linear_damping",
    "physxRigidBody:angularDamping": "steel:rigid_body_angular_damping",
    "physxRigidBody:maxLinearVelocity": "steel:rigid_body_max_linear_velocity",
    "physxRigidBody:maxAngularVelocity": "steel:rigid_body_max_angular_velocity",
    "physxRigidBody:maxDepenetrationVelocity": "steel:rigid_body_max_depenetration_velocity",
}


def damp_bodies(scene: SceneImport) -> Iterator[Diagnostic]:
    """Fill damping and maximal velocities where the solver has them."""
    import newton

    if scene.solver != "steel":
        return
    bodies = scene.bodies()
    having = [path for path in scene.view.with_schema("PhysxRigidBodyAPI") if path in bodies]
    newton.solvers.SolverSteel.register_custom_attributes(scene.builder)
    for name, attribute in _STEEL.items():
        values = scene.view.floats(name, having)
        is_angle = name.endswith("maxAngularVelocity")
        _fill(
            scene,
            attribute,
            {bodies[path]: float(np.radians(value)) if is_angle else value for path, value in values.items()},
        )
    message = "Its damping and maximal velocities are those of PhysxRigidBodyAPI."
    yield from findings("damping", having, message)


def _fill(scene: SceneImport, attribute: str, values: dict[int, float]) -> None:
    custom = scene.builder.custom_attributes[attribute]
    custom.values = {**(custom.values or {}), **values}


BODY_CORRECTIONS = (
    Correction(
        "disabled-body",
        "A prim with rigidBodyEnabled = false is no body; the importer lets it fall.",
        before=disable_bodies,
    ),
    Correction(
        "initial-velocity-frame",
        "Authored velocities are in world axes, or in the body's where customData says physics:localSpaceVelocities; "
        "the importer always takes the body's.",
        after=set_initial_velocities,
    ),
    Correction(
        "kinematic-velocity",
        "A kinematic body starts at rest; the importer keeps its authored velocity, which never moves it.",
        after=stop_kinematic_bodies,
    ),
    Correction(
        "disable-gravity",
        "PhysxRigidBodyAPI.disableGravity counts with the mujoco solver; the importer ignores it.",
        after=disable_gravity,
    ),
    Correction(
        "damping",
        "Damping and maximal velocities of PhysxRigidBodyAPI count with the steel solver; the importer ignores them.",
        after=damp_bodies,
    ),
)
