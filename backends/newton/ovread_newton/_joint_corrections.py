"""Joints as UsdPhysics means them, where the importer does it otherwise."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ovread.backend import Diagnostic
from ovread_newton._authored import AXES, AuthoredJoint, free_axes, reversed_at_the_world
from ovread_newton._rotations import rotation_matrix
from ovread_newton._scene_import import Correction, SceneImport, findings
from ovread_newton._stage import rigid_pose


def free_unlimited_axes(scene: SceneImport) -> Iterator[Diagnostic]:
    """Give the axes of D6 joints that have no limit schema the limits of a free axis."""
    joints = [joint for joint in scene.authored_joints() if joint.kind == "PhysicsJoint"]
    for axis in AXES:
        paths = [joint.path for joint in joints if not joint.has("PhysicsLimitAPI", axis)]
        if paths:
            scene.view.write(f"limit:{axis}:physics:low", dict.fromkeys(paths, -np.inf))
            scene.view.write(f"limit:{axis}:physics:high", dict.fromkeys(paths, np.inf))
    for joint in joints:
        freed = [axis for axis in AXES if not joint.has("PhysicsLimitAPI", axis)]
        if freed:
            message = f"Axes without PhysicsLimitAPI are free: {', '.join(freed)}."
            if any(axis.startswith("trans") for axis in freed):
                message += " PhysX locks the translations of a joint in an articulation."
            yield Diagnostic(joint.path, "free-axis", message)


def negate_swapped_joints(scene: SceneImport) -> Iterator[Diagnostic]:
    """Negate the values of joints whose bodies were swapped, so that they say the same."""
    import newton

    joints = scene.joints()
    for path in sorted(scene.reversed_joints & joints.keys()):
        is_d6 = scene.builder.joint_type[joints[path]] == newton.JointType.D6
        if not _negate(scene, joints[path]) and is_d6:
            yield Diagnostic(path, "swapped-bodies", f"Newton moves body0 of the joint, whose {_NOT_NEGATABLE}")


def negate_world_joints(scene: SceneImport) -> Iterator[Diagnostic]:
    """Negate the authored values of joints whose body0 moves, which the importer takes over as they are.

    Without this, the model starts at the negative of the authored position, and its limits and targets are mirrored.
    """
    joints = scene.joints()
    why = "The joint is attached to the world on its body1 side, where Newton moves body0 instead:"
    for path in sorted(reversed_at_the_world(scene.view, scene.builder)):
        if _negate(scene, joints[path]):
            yield Diagnostic(path, "world-joint-sign", f"{why} negated its initial state, limits and targets.")
        elif len(scene.dofs_of(joints[path])):
            yield Diagnostic(path, "world-joint-sign", f"{why} its {_NOT_NEGATABLE}")


_NOT_NEGATABLE = "values are left as imported, since the inverse of such a motion is not its negative."


def is_negatable(joint_type: Any, linear: int, angular: int) -> bool:
    """Return whether the reverse of a joint's motion is the negative of its coordinates."""
    import newton

    scalar = joint_type in (newton.JointType.REVOLUTE, newton.JointType.PRISMATIC, newton.JointType.D6)
    return bool(scalar and (linear, angular) != (0, 0) and (angular == 0 or (linear, angular) == (0, 1)))


def _negate(scene: SceneImport, joint: int) -> bool:
    """Negate what is authored of a joint; return whether its motion has a negative."""
    builder, dofs = scene.builder, scene.dofs_of(joint)
    if not is_negatable(builder.joint_type[joint], *builder.joint_dof_dim[joint]):
        return False
    first = builder.joint_q_start[joint]
    coordinates = range(first, first + len(dofs))
    for indices, arrays in (
        (coordinates, (builder.joint_q, builder.joint_target_q)),
        (dofs, (builder.joint_qd, builder.joint_target_qd)),
    ):
        for values in arrays:
            for index in indices:
                values[index] = -values[index]
    low, high = builder.joint_limit_lower, builder.joint_limit_upper
    for dof in dofs:
        low[dof], high[dof] = -high[dof], -low[dof]
    return True


def anchor_at_the_world(scene: SceneImport) -> Iterator[Diagnostic]:
    """Put the world side of moving joints where it is authored."""
    import newton
    import warp as wp

    builder = scene.builder
    fixed = (newton.JointType.FIXED, newton.JointType.FREE)
    attached = {
        path: joint
        for path, joint in scene.joints().items()
        if builder.joint_parent[joint] == -1 and builder.joint_type[joint] not in fixed
    }
    moved = []
    for authored in scene.authored_joints():
        joint = attached.get(authored.path)
        if joint is None:
            continue
        pose = _world_frame(scene, authored)
        imported = np.array(builder.joint_X_p[joint], dtype=float)
        if not _is_same_pose(pose, imported):
            builder.joint_X_p[joint] = wp.transform(*pose)
            moved.append(authored.path)
    message = (
        "Its frame in the world is as authored, and not where the body happens to be: the joint position counts from "
        "there, and the body moves to it."
    )
    yield from findings("world-anchor", moved, message)


def _world_frame(scene: SceneImport, joint: AuthoredJoint) -> npt.NDArray[np.float64]:
    """Return position and quaternion of the world side of a joint."""
    import warp as wp

    side = 0 if joint.bodies[0] is None else 1
    paths = [joint.path]
    position, rotation = (
        scene.view.column(f"physics:{name}{side}", paths)[joint.path].astype(float) for name in ("localPos", "localRot")
    )
    anchor = joint.anchors[side]
    if anchor is not None:
        origin, axes, scale = rigid_pose(scene.view.column("omni:fabric:worldMatrix", [anchor])[anchor])
        position = origin + axes @ (position * scale)
        turned = wp.quat_from_matrix(wp.mat33(axes @ rotation_matrix(rotation)))
        rotation = np.array(turned, dtype=float)
    return np.concatenate([position, rotation])


def _is_same_pose(first: npt.NDArray[np.float64], second: npt.NDArray[np.float64]) -> bool:
    turned = abs(float(first[3:] @ second[3:])) / (np.linalg.norm(first[3:]) * np.linalg.norm(second[3:]))
    return bool(np.allclose(first[:3], second[:3], rtol=1e-5, atol=1e-5) and turned > 1 - 1e-7)


def drive_to_both_targets(scene: SceneImport) -> Iterator[Diagnostic]:
    """Let drives follow their velocity target beside the position target, whichever gains they have or get later."""
    import newton

    builder, both = scene.builder, int(newton.JointTargetMode.POSITION_VELOCITY)
    one = (int(newton.JointTargetMode.POSITION), int(newton.JointTargetMode.VELOCITY))
    followed = []
    for path, joint in scene.joints().items():
        for dof in scene.dofs_of(joint):
            if builder.joint_target_mode[dof] not in one:
                continue
            builder.joint_target_mode[dof] = both
            if builder.joint_target_ke[dof] and builder.joint_target_kd[dof] and builder.joint_target_qd[dof]:
                followed.append(path)
    if scene.solver == "mujoco":
        yield from findings("velocity-target", followed, "Its drive follows the velocity target beside the stiffness.")


_AXIS_ATTRIBUTES = {
    "armature": "joint_armature",
    "maxJointVelocity": "joint_velocity_limit",
    "dynamicFrictionEffort": "joint_friction",
    "viscousFrictionCoefficient": "joint_damping",
}


_PER_DEGREE = {"joint_velocity_limit": np.pi / 180, "joint_damping": 180 / np.pi}
"""What is authored in degrees, or per degree."""


def apply_joint_axes(scene: SceneImport) -> Iterator[Diagnostic]:
    """Take armature, frictions and velocity limit from PhysxJointAxisAPI where NewtonJointAPI does not give them."""
    builder, joints = scene.builder, scene.joints()
    authored = [joint for joint in scene.authored_joints() if "NewtonJointAPI" not in joint.schemas]
    axes = _dofs_by_axis(scene, authored)
    applied = []
    for name, array in _AXIS_ATTRIBUTES.items():
        for axis in ("linear", "angular", *AXES):
            having = [joint.path for joint in authored if joint.has("PhysxJointAxisAPI", axis)]
            for path, value in scene.view.floats(f"physxJointAxis:{axis}:{name}", having).items():
                dof = axes.get(path, {}).get(axis)
                if dof is None or not np.isfinite(value) or path not in joints:
                    continue
                is_angular = axis == "angular" or axis.startswith("rot")
                getattr(builder, array)[dof] = value * (_PER_DEGREE.get(array, 1.0) if is_angular else 1.0)
                applied.append(path)
    message = "Its armature, dynamic and viscous friction and maximal velocity are those of PhysxJointAxisAPI."
    yield from findings("joint-axis-schema", applied, message)


def _dofs_by_axis(scene: SceneImport, joints: list[AuthoredJoint]) -> dict[str, dict[str, int]]:
    """Return the degree of freedom of each axis by the path of the joint, of joints that were not merged."""
    indices = scene.joints()
    d6 = free_axes(scene.view, [joint.path for joint in joints if joint.kind == "PhysicsJoint"])
    known = {"PhysicsRevoluteJoint": ["angular"], "PhysicsPrismaticJoint": ["linear"]}
    found = {}
    for joint in joints:
        axes = d6.get(joint.path) or known.get(joint.kind, [])
        dofs = scene.dofs_of(indices[joint.path]) if joint.path in indices else range(0)
        if len(axes) == len(dofs):
            found[joint.path] = dict(zip(axes, dofs, strict=True))
    return found


_SINGLE = ("PhysicsRevoluteJoint", "PhysicsPrismaticJoint")


def follow_joints(scene: SceneImport) -> Iterator[Diagnostic]:
    """Let joints with PhysxMimicJointAPI follow: their coordinate plus gearing times the other's plus offset is 0."""
    known = {joint.path: joint for joint in scene.authored_joints()}
    for path, joint in known.items():
        for schema in joint.schemas:
            family, _, instance = schema.partition(":")
            if family == "PhysxMimicJointAPI" and instance and _follow(scene, joint, instance, known):
                scene.followers.add(path)
    message = "It follows the joint that PhysxMimicJointAPI names, as rigidly as the solver couples joints."
    yield from findings("mimic-joint", scene.followers, message)


def _follow(scene: SceneImport, joint: AuthoredJoint, instance: str, known: Mapping[str, AuthoredJoint]) -> bool:
    """Couple two joints of one axis each; return whether that was possible."""
    view, path, prefix = scene.view, joint.path, f"physxMimicJoint:{instance}"
    leader = next(iter(view.targets(f"{prefix}:referenceJoint", [path]).get(path, ())), "")
    gearing, offset, frequency = (
        view.floats(f"{prefix}:{name}", [path]).get(path, default)
        for name, default in (("gearing", 1.0), ("offset", 0.0), ("naturalFrequency", 0.0))
    )
    indices = scene.joints()
    if joint.kind not in _SINGLE or leader not in known or known[leader].kind != joint.kind or frequency > 0:
        return False
    if path not in indices or leader not in indices:
        return False
    reversed_joints = scene.reversed_joints | reversed_at_the_world(scene.view, scene.builder)
    own, other = (-1.0 if each in reversed_joints else 1.0 for each in (path, leader))
    unit = math.radians(1) if joint.kind == "PhysicsRevoluteJoint" else 1.0
    try:
        scene.builder.set_joint_mimic(
            indices[path], indices[leader], coeffs=(-own * offset * unit, -own * other * gearing)
        )
    except ValueError:
        return False
    return True


JOINT_CORRECTIONS = (
    Correction(
        "free-axis",
        "An axis of a D6 joint without PhysicsLimitAPI is free; the importer locks it.",
        before=free_unlimited_axes,
    ),
    Correction(
        "world-joint-sign",
        "A joint to the world with the body as body0 starts, is limited and is driven as authored; the importer "
        "mirrors it.",
        after=negate_world_joints,
    ),
    Correction(
        "world-anchor",
        "The world side of a moving joint is where it is authored; the importer puts it where the body is.",
        after=anchor_at_the_world,
    ),
    Correction(
        "velocity-target",
        "A drive with stiffness and damping follows its velocity target too; the mujoco solver would ignore it.",
        after=drive_to_both_targets,
    ),
    Correction(
        "mimic-joint",
        "PhysxMimicJointAPI without compliance couples two hinges, or two slides; the importer ignores it.",
        after=follow_joints,
    ),
    Correction(
        "joint-axis-schema",
        "PhysxJointAxisAPI gives armature, dynamic and viscous friction and maximal velocity; the importer ignores it.",
        after=apply_joint_axes,
    ),
)
