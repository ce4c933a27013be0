"""What bounds, flags, commands and materials do once they are written, over as many steps as that takes to show.

Each check tells the written value from the authored one by a wide margin, as engines bound softly or hard.
"""

from __future__ import annotations

from collections.abc import Mapping

import attrs
import numpy as np
import numpy.typing as npt

from ovread_conformance import rotations
from ovread_conformance.checks import Check
from ovread_conformance.dynamics import HELD, PENDULUM
from ovread_conformance.effects import LOOSE, joint, put
from ovread_conformance.live import Key, Live, conditions_of
from ovread_conformance.motion import Array, values_of
from ovread_conformance.oracles import BODY, JOINT
from ovread_conformance.systems import RESTING, Body, Shape, System, at

DT = 1 / 240

LIMITED = attrs.evolve(joint("rod", limit=(-85.0, 85.0))(PENDULUM), name="limited pendulum")
WEIGHTLESS = attrs.evolve(HELD, name="driven rod without gravity", gravity=(0.0, 0.0, 0.0))

_TURN = at(about=(1, 2, 3), degrees=30)
CARRIED = System(
    "carried body",
    bodies=(
        Body("carried", 2.0, at(0.1, -0.2, 0.05), (0.2, 0.3, 0.4), at(1, 2, 3, about=(1, 2, 3), degrees=30),
             shapes=(Shape((0.2, 0.3, 0.1)),), is_kinematic=True),
        Body("free", pose=at(5, 5, 5), shapes=(Shape((0.2, 0.3, 0.1)),)),
    ),
)  # fmt: skip
"""A body that is moved by targets alone."""


def _on_floor(
    name: str,
    *,
    gravity: tuple[float, float, float],
    height: float,
    velocity: float = 0.0,
    grip: float = 0.0,
    bounce: float = 0.0,
) -> System:
    """Return a box without friction and restitution over a floor of some friction and restitution."""
    box = attrs.evolve(RESTING.bodies[0], pose=at(1, 2, 0.2 + height), velocity=(0.0, 0.0, velocity),
                       shapes=(Shape((0.4, 0.4, 0.4), friction=0.0),), senses=False)  # fmt: skip
    floor = Shape((20.0, 20.0, 1.0), at(0, 0, -0.5), grip, grip, bounce)
    return System(name, gravity=gravity, bodies=(box,), scenery={"floor": floor})


# Engines combine two coefficients as their mean, product, root of it, or maximum: with 0.1 and 2 all of them hold.
SLIPPERY = _on_floor("slippery box", gravity=(1.5, -1.0, -9.6), height=0.0, grip=0.1)
DROPPED = _on_floor("dropped box", gravity=(0.0, 0.0, -9.81), height=0.05, velocity=-2.0)
# With 0 and 1 the mean is a half; the product, the minimum and the root are nothing.
BOUNCY = _on_floor("box on a bouncy floor", gravity=(0.0, 0.0, -9.81), height=0.05, velocity=-2.0, bounce=1.0)
_BOX = SLIPPERY.body_path(SLIPPERY.bodies[0])


def _write(simulation: Live, key: Key, values: Mapping[str, npt.ArrayLike]) -> None:
    with conditions_of(simulation, key):
        put(simulation, key, values)


def _followed(simulation: Live, path: str, name: str, seconds: float) -> Array:
    """Return one coordinate or rate of a joint after each step."""
    found = []
    for _ in range(round(seconds / DT)):
        simulation.step(DT)
        found.append(values_of(simulation, JOINT, path, name)[0])
    return np.array(found)


_HINGE = PENDULUM.joint_path(PENDULUM.robots[0], PENDULUM.robots[0].joints[0])


def _limit(simulation: Live) -> None:
    _write(simulation, (JOINT, "jointLimit"), {_HINGE: (25.0, 85.0)})
    lowest = float(_followed(simulation, _HINGE, "jointPosition", 0.6).min())
    assert 10 < lowest < 26, (
        "jointLimit stops the joint, in degrees: a pendulum that falls from 40 degrees onto a limit of 25 turns back "
        f"there, or half way between that and the bottom where limits are soft; it reaches {lowest:.4g}"
    )


def _rate_bound(simulation: Live) -> None:
    _write(simulation, (JOINT, "jointMaxVelocity"), {_HINGE: (60.0,)})
    fastest = float(np.abs(_followed(simulation, _HINGE, "jointVelocity", 0.5)).max())
    assert 57 < fastest < 63, (
        f"jointMaxVelocity bounds the rate, in degrees per second: a pendulum that would reach 190 goes at "
        f"{fastest:.5g}, not at 60"
    )


def _drive_type(simulation: Live) -> None:
    _write(simulation, (JOINT, "jointDriveType"), {_HINGE: (2,)})
    dt = 1 / 1000
    simulation.step(dt)
    got = values_of(simulation, JOINT, _HINGE, "jointVelocity")[0] / dt * np.pi / 180
    drive, start = HELD.robots[0].joints[0].drive, HELD.robots[0].joints[0].position[0]
    assert drive is not None
    expected = drive.stiffness * (drive.target - start)
    assert abs(got / expected - 1) < 0.02, (
        f"a drive of type 2 accelerates by stiffness times error, whatever the inertia: expected {expected:.5g} "
        f"rad/s^2, got {got:.5g}"
    )


def _target(simulation: Live) -> None:
    path = CARRIED.body_path(CARRIED.bodies[0])
    place, turn = np.array([1.02, 1.97, 3.01]), rotations.quaternion((1, 2, 3), 31)
    start = values_of(simulation, BODY, path, "position")
    _write(simulation, (BODY, "kinematicTargetPosition"), {path: place})
    _write(simulation, (BODY, "kinematicTargetOrientation"), {path: turn})
    still = values_of(simulation, BODY, path, "position")
    assert np.allclose(still, start, atol=1e-6), f"a target moves nothing before the step: {start}, then {still}"
    simulation.step(DT)
    got = values_of(simulation, BODY, path, "position")
    assert np.allclose(got, place, atol=1e-5), f"a kinematic body is at its target after the step: {place}, got {got}"
    turned = rotations.matrix(values_of(simulation, BODY, path, "orientation"))
    assert np.allclose(turned, rotations.matrix(turn), atol=1e-5), "a kinematic body is turned as its target is"
    simulation.step(DT, count=3)
    got = values_of(simulation, BODY, path, "position")
    assert np.allclose(got, place, atol=1e-5), f"a kinematic body stays at its target: {place}, got {got}"


def _wake(simulation: Live) -> None:
    path = "/World/env_1"
    kept = [values_of(simulation, BODY, path, "position")]
    for flag in (0, 1):
        _write(simulation, (BODY, "wake"), {path: (flag,)})
        got = values_of(simulation, BODY, path, "isSleeping")[0]
        assert got == 1 - flag, f"wake {flag} makes isSleeping {1 - flag}, at once: got {got}"
        others = values_of(simulation, BODY, "/World/env_2", "isSleeping")[0]
        assert others == 0, "wake is a command to the bodies of the mask: another body sleeps, too"
        simulation.step(DT, count=4)
        kept.append(values_of(simulation, BODY, path, "position"))
    assert np.array_equal(kept[0], kept[1]), "a body that was put to sleep stays where it is"
    assert not np.allclose(kept[1], kept[2], atol=1e-4), "a body that was woken falls"


def _left_out(simulation: Live) -> None:
    paths = [LOOSE.body_path(body) for body in LOOSE.bodies]
    _write(simulation, (BODY, "disableSimulation"), {paths[0]: (1,)})
    before = [values_of(simulation, BODY, path, "position") for path in paths]
    simulation.step(DT, count=8)
    moved = [float(np.abs(values_of(simulation, BODY, path, "position") - old).max())
             for path, old in zip(paths, before, strict=True)]  # fmt: skip
    assert moved[0] == 0, f"a body that is left out of the simulation stays where it is: it moved by {moved[0]}"
    assert min(moved[1:]) > 1e-3, f"the others go on: they moved by {moved[1:]}"
    _write(simulation, (BODY, "disableSimulation"), {paths[0]: (0,)})
    simulation.step(DT, count=8)
    assert not np.array_equal(values_of(simulation, BODY, paths[0], "position"), before[0]), "it goes on when let in"


def _friction(*names: str) -> Check:
    keys: tuple[Key, ...] = tuple((BODY, name) for name in names)

    def run(simulation: Live) -> None:
        time = 0.25
        for key in keys:
            _write(simulation, key, {_BOX: (2.0,)})
        simulation.step(DT, count=round(time / DT))
        speed = float(np.linalg.norm(values_of(simulation, BODY, _BOX, "linearVelocity")[:2]))
        free = time * float(np.hypot(*SLIPPERY.gravity[:2]))
        assert speed < 0.1 * free, (
            f"{names[-1]} holds a box on a slope of 11 degrees: after {time} s it slides at {speed:.4g}, and without "
            f"friction it would at {free:.4g}"
        )

    return Check(f"{names[-1]} of shapes", f"{names[-1]} holds a box on a slope.", SLIPPERY, run,
                 ("forgotten write", "dropped write"), keys)  # fmt: skip


def _restitution(simulation: Live) -> None:
    _write(simulation, (BODY, "restitution"), {_BOX: (1.0,)})
    fastest = max(_speeds_up(simulation))
    assert fastest > 1.4, (
        f"restitution makes a box bounce that comes down at 2 per second: it goes up at {fastest:.4g} at most"
    )


def _speeds_up(simulation: Live) -> list[float]:
    found = []
    for _ in range(48):
        simulation.step(DT)
        found.append(float(values_of(simulation, BODY, _BOX, "linearVelocity")[2]))
    return found


def _rest_offset(simulation: Live) -> None:
    offset = 0.06
    _write(simulation, (BODY, "contactOffset"), {_BOX: (0.1,)})
    _write(simulation, (BODY, "restOffset"), {_BOX: (offset,)})
    simulation.step(DT, count=180)
    height = float(values_of(simulation, BODY, _BOX, "position")[2]) - 0.2
    assert abs(height - offset) < 0.02, (
        f"restOffset is the distance at which a box comes to rest over the floor: expected {offset}, got {height:.4g}"
    )


CHECKS = (
    Check("limit of a joint", "jointLimit stops a joint, in degrees.", LIMITED, _limit,
          ("forgotten write", "write in degrees"), ((JOINT, "jointLimit"),)),
    Check("bound of a rate", "jointMaxVelocity bounds the rate of a joint, in degrees per second.", LIMITED,
          _rate_bound, ("forgotten write", "write in degrees"), ((JOINT, "jointMaxVelocity"),)),
    Check("type of a drive", "A drive of type 2 accelerates whatever the inertia.", WEIGHTLESS, _drive_type,
          ("forgotten write",), ((JOINT, "jointDriveType"),)),
    Check("target of a kinematic body", "A kinematic body is at its target after the next step.", CARRIED, _target,
          ("dropped write", "late write"),
          ((BODY, "kinematicTargetPosition"), (BODY, "kinematicTargetOrientation"))),
    Check("sleep", "wake puts a body to sleep and wakes it.", LOOSE, _wake, ("dropped write", "write to all rows"),
          ((BODY, "wake"),)),
    Check("a body left out", "disableSimulation keeps one body where it is.", LOOSE, _left_out,
          ("forgotten write", "write to all rows"), ((BODY, "disableSimulation"),)),
    _friction("friction"),
    _friction("staticFriction", "dynamicFriction"),
    Check("restitution of shapes", "restitution makes a box bounce.", BOUNCY, _restitution, ("forgotten write",),
          ((BODY, "restitution"),)),
    Check("rest offset of shapes", "restOffset is the distance at which a box comes to rest.", DROPPED, _rest_offset,
          ("forgotten write",), ((BODY, "contactOffset"), (BODY, "restOffset"))),
)  # fmt: skip
"""What bounds, flags, commands and materials do."""
