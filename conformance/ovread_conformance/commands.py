"""What a system says that no file can: it is written as soon as the system is open."""

from __future__ import annotations

from collections.abc import Mapping

import attrs
import numpy as np
import numpy.typing as npt
import pinocchio as pin

from ovread import ObjectType, Simulation
from ovread_conformance.recording import Prepare
from ovread_conformance.systems import System

Key = tuple[ObjectType, str]


def commands(system: System) -> Mapping[Key, Mapping[str, npt.NDArray[np.float64]]]:
    """Return what is written of a system: elements by path, by attribute."""
    found: dict[Key, dict[str, npt.NDArray[np.float64]]] = {}
    for robot in system.articulations:
        for joint in robot.joints:
            if joint.efforts:
                key = ObjectType.ARTICULATION_JOINT, "jointActuationForce"
                found.setdefault(key, {})[system.joint_path(robot, joint)] = np.array(joint.efforts)
    for body in system.bodies:
        if body.target is not None:
            turn = np.array(pin.Quaternion(body.target.rotation).coeffs())
            for name, value in (("Position", body.target.translation), ("Orientation", turn)):
                key = ObjectType.RIGID_BODY, f"kinematicTarget{name}"
                found.setdefault(key, {})[system.body_path(body)] = np.array(value)
    return found


def filed(system: System) -> System:
    """Return the system as a file has it: without what is written later."""
    robots = tuple(
        attrs.evolve(robot, joints=tuple(attrs.evolve(joint, efforts=()) for joint in robot.joints))
        for robot in system.robots
    )
    bodies = tuple(attrs.evolve(body, target=None) for body in system.bodies)
    return attrs.evolve(system, bodies=bodies, robots=robots)


def commander(system: System) -> Prepare | None:
    """Return what writes all that; None where there is nothing."""
    wanted = commands(system)

    def write(simulation: Simulation) -> None:
        for (kind, name), values in wanted.items():
            with simulation.write(simulation.query(kind, paths=list(values)), [name]) as session:
                for group in session:
                    for path, row in zip(group.paths, group.per_prim(), strict=True):
                        row[...] = values[path].reshape(row.shape)
                    session.commit(group)

    return write if wanted else None
