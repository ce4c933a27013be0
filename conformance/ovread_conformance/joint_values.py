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
    cone = [None] if joint.cone is None else [None, *((-angle, angle) for angle in joint.cone)]
    limits = joint.limits if joint.cone is None else cone
    bounds = [limit or (-UNLIMITED, UNLIMITED) for limit in limits]
    return [(max(low, -UNLIMITED), min(high, UNLIMITED)) for low, high in bounds]


def _driven(name: str) -> Callable[[Joint], list[float] | None]:
    """Return what reads a drive's number; 0 without a drive, but not known for its bound."""

    def read(joint: Joint) -> list[float] | None:
        if name == "max_force" and None in joint.drives:
            return None
        values = [0.0 if drive is None else float(getattr(drive, name)) for drive in joint.drives]
        return [min(value, UNLIMITED) for value in values]

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


def _drive_types(joint: Joint) -> list[int] | None:
    kinds = [drive.kind for drive in joint.drives if drive is not None]
    return [_DRIVE_TYPES.index(kind) for kind in kinds] if len(kinds) == len(joint.axes) else None


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
    "jointActuationForce": lambda joint: _padded(joint, joint.efforts),
    "jointFriction": lambda joint: [joint.friction] * len(joint.axes),
    "jointStaticFriction": lambda joint: (
        [joint.friction if joint.static_friction is None else joint.static_friction] * len(joint.axes)
    ),
    "jointDynamicFriction": lambda joint: [joint.friction] * len(joint.axes),
    "jointViscousFriction": lambda joint: [joint.viscous_friction] * len(joint.axes),
    "jointSpeedEffortGradient": lambda joint: _enveloped(joint, 0),
    "jointMaxActuatorVelocity": lambda joint: _enveloped(joint, 1),
    "jointVelocityDependentResistance": lambda joint: _enveloped(joint, 2),
    "jointDriveType": _drive_types,
    "jointMaxVelocity": lambda joint: [joint.max_velocity or UNLIMITED] * len(joint.axes),
    "joint_q": lambda joint: _native(joint, joint.position),
    "joint_qd": lambda joint: _native(joint, joint.velocity),
}
"""By attribute, what it reads of a joint as it is written down; None where that is not known."""
