"""What the attributes of a joint read before the first step: numbers of its record."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt

from ovread import UNLIMITED
from ovread_conformance.systems import Joint


def _padded(joint: Joint, values: tuple[float, ...]) -> list[float]:
    return [*values, *[0.0] * (len(joint.axes) - len(values))]


def _limits(joint: Joint) -> list[tuple[float, float]]:
    low, high = joint.limit or (-UNLIMITED, UNLIMITED)
    return [(max(low, -UNLIMITED), min(high, UNLIMITED))] * len(joint.axes)


def _driven(name: str) -> Callable[[Joint], list[float] | None]:
    """Return what reads a drive's number; 0 without a drive, but not known for its bound."""

    def read(joint: Joint) -> list[float] | None:
        if joint.drive is None:
            return None if name == "max_force" else [0.0] * len(joint.axes)
        return [min(float(getattr(joint.drive, name)), UNLIMITED)]

    return read


def _enveloped(joint: Joint, which: int) -> list[float] | None:
    """Return one number of a drive's envelope; not known where there is none."""
    return None if joint.drive is None or joint.drive.envelope is None else [joint.drive.envelope[which]]


def _native(joint: Joint, values: tuple[float, ...]) -> list[float] | None:
    """Return Newton's own coordinate of a one-axis joint: the outer link relative to the inner, in radians."""
    if len(joint.axes) != 1:
        return None
    scale = 1.0 if joint.is_linear else np.pi / 180
    return [joint.sides[2] * scale * value for value in _padded(joint, values)]


_DRIVE_TYPES = ("none", "force", "acceleration")

JOINT_VALUES: Mapping[str, Callable[[Joint], npt.ArrayLike | None]] = {
    "jointPosition": lambda joint: _padded(joint, joint.position),
    "jointVelocity": lambda joint: _padded(joint, joint.velocity),
    "jointLimit": _limits,
    "jointPositionTarget": _driven("target"),
    "jointVelocityTarget": _driven("velocity_target"),
    "jointStiffness": _driven("stiffness"),
    "jointDamping": _driven("damping"),
    "jointMaxForce": _driven("max_force"),
    "jointArmature": lambda joint: [joint.armature] * len(joint.axes),
    "jointActuationForce": lambda joint: [0.0] * len(joint.axes),
    "jointFriction": lambda joint: [joint.friction] * len(joint.axes),
    "jointStaticFriction": lambda joint: (
        [joint.friction if joint.static_friction is None else joint.static_friction] * len(joint.axes)
    ),
    "jointDynamicFriction": lambda joint: [joint.friction] * len(joint.axes),
    "jointViscousFriction": lambda joint: [joint.viscous_friction] * len(joint.axes),
    "jointSpeedEffortGradient": lambda joint: _enveloped(joint, 0),
    "jointMaxActuatorVelocity": lambda joint: _enveloped(joint, 1),
    "jointVelocityDependentResistance": lambda joint: _enveloped(joint, 2),
    "jointDriveType": lambda joint: None if joint.drive is None else [_DRIVE_TYPES.index(joint.drive.kind)],
    "jointMaxVelocity": lambda joint: [joint.max_velocity or UNLIMITED] * len(joint.axes),
    "joint_q": lambda joint: _native(joint, joint.position),
    "joint_qd": lambda joint: _native(joint, joint.velocity),
}
"""By attribute, what it reads of a joint as it is written down; None where that is not known."""
