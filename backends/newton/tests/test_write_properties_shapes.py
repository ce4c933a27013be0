"""Materials and offsets of shapes that are written: friction brakes, balls bounce, bodies rest at their offset."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ovread import ObjectType, Simulation, errors

BODY = ObjectType.RIGID_BODY
SOLVERS = ("mujoco", "steel", "featherstone", "xpbd", "semi_implicit", "vbd", "kamino")
DT, STEPS, G = 1 / 400, 80, 9.81

Opened = Callable[..., Simulation]


@pytest.fixture(params=SOLVERS)
def shapes(request: pytest.FixtureRequest, opened: Opened) -> Simulation:
    """Boxes that slide and rest, and balls that fall, of friction 0.1, on a ground of friction 0.1, restitution 0.8."""
    return opened("write_shapes", solver=request.param)


def put(simulation: Simulation, name: str, body: str, value: float) -> None:
    """Write one attribute of the one shape of a body."""
    simulation.set(simulation.query(BODY, paths=[f"/W/{body}"]), name, np.array([[value]], np.float32))


def got(simulation: Simulation, name: str, body: str) -> Any:
    """Read an attribute."""
    return simulation.read(simulation.query(BODY, paths=[f"/W/{body}"]), [name])[name].numpy().ravel()


def braking(simulation: Simulation) -> dict[str, float]:
    """Let the boxes slide for a tenth of a second, the first half to press on the ground; return decelerations."""
    bodies, half = ("sliding", "slippery", "rough"), STEPS // 2
    simulation.step(DT, count=half)
    before = [got(simulation, "linearVelocity", body)[0] for body in bodies]
    simulation.step(DT, count=half)
    after = [got(simulation, "linearVelocity", body)[0] for body in bodies]
    return dict(zip(bodies, (np.subtract(before, after) / (half * DT)).tolist(), strict=True))


def test_friction_brakes_as_written(shapes: Simulation) -> None:
    """Boxes brake by mu g, with mu the mean of both shapes, or MuJoCo's larger one; a reset is as authored."""
    authored = braking(shapes)
    shapes.reset()
    put(shapes, "friction", "slippery", 0.02)
    put(shapes, "friction", "rough", 0.2)
    assert got(shapes, "friction", "slippery")[0] == pytest.approx(0.02)
    written = braking(shapes)
    is_largest = shapes.variant == "mujoco"
    # MuJoCo's friction is soft, and the penalties of VBD and SemiImplicit take a while to build up.
    tolerance = {"vbd": 0.3, "semi_implicit": 0.02, "mujoco": 0.1}.get(shapes.variant, 3e-3)
    if not is_largest:
        assert written["slippery"] < 0.8 * written["sliding"]
    assert written["sliding"] < 0.8 * written["rough"]
    for body, mu in (("slippery", 0.1 if is_largest else 0.06), ("rough", 0.2 if is_largest else 0.15)):
        assert written[body] == pytest.approx(mu * G, rel=tolerance)
    assert written["sliding"] == pytest.approx(authored["sliding"], rel=1e-3)
    shapes.reset()
    assert braking(shapes) == authored


def test_balls_bounce_as_written(shapes: Simulation) -> None:
    """A ball rebounds with 0.8 of its speed, as the ground and the write say; elsewhere the write is refused."""
    if shapes.variant not in ("steel", "xpbd", "kamino"):
        with pytest.raises(errors.NotWritableError, match="restitution"):
            put(shapes, "restitution", "bouncy", 0.8)
        return
    put(shapes, "restitution", "bouncy", 0.8)
    assert got(shapes, "restitution", "bouncy")[0] == pytest.approx(0.8)
    fastest = dict.fromkeys(("ball", "bouncy"), -10.0)
    for _ in range(STEPS):
        shapes.step(DT)
        fastest = {body: max(speed, got(shapes, "linearVelocity", body)[2]) for body, speed in fastest.items()}
    fallen = np.sqrt(2**2 + 2 * G * 0.05)
    # Coefficients are averaged, or the smaller one counts.
    assert fastest["ball"] < 0.41 * fallen
    assert fastest["bouncy"] == pytest.approx(0.8 * fallen, rel=0.05)


def test_bodies_rest_at_their_offset(shapes: Simulation) -> None:
    """A box comes to rest as high as its rest offset says, and keeps its contact offset."""
    if shapes.variant == "mujoco":
        with pytest.raises(errors.NotWritableError, match="restOffset"):
            put(shapes, "restOffset", "raised", 0.02)
        return
    before = got(shapes, "contactOffset", "raised")[0]
    put(shapes, "restOffset", "raised", 0.02)
    assert got(shapes, "restOffset", "raised")[0] == pytest.approx(0.02)
    assert got(shapes, "contactOffset", "raised")[0] == pytest.approx(before)
    shapes.step(DT, count=STEPS)
    # Penalties give way under the weight.
    heights = [got(shapes, "position", body)[2] for body in ("resting", "raised")]
    assert heights[1] - heights[0] == pytest.approx(0.02, abs=1e-3)


def test_contacts_are_made_at_the_contact_offset(opened: Opened) -> None:
    """A box that floats a quarter above the ground makes contacts once their contact offsets add up to as much."""
    simulation = opened("write_shapes", solver="steel")
    counts = []
    for offset in (0.1, 0.14, 0.16):
        simulation.reset()
        put(simulation, "contactOffset", "floating", offset)
        simulation.step(1e-5)
        counts.append(int(simulation._engine.contacts.rigid_contact_count.numpy()[0]))
    assert counts[0] == counts[1] < counts[2]


def test_offsets_keep_their_order(opened: Opened) -> None:
    """A contact offset below the rest offset is refused by name, and so is the other way round; nothing changes."""
    simulation = opened("write_shapes", solver="steel")
    put(simulation, "restOffset", "raised", 0.05)
    with pytest.raises(errors.ValueRefusedError, match=r"contactOffset.*/W/raised.*0.02"):
        put(simulation, "contactOffset", "raised", 0.02)
    with pytest.raises(errors.ValueRefusedError, match=r"restOffset.*/W/raised"):
        put(simulation, "restOffset", "raised", 1.0)
    assert got(simulation, "restOffset", "raised")[0] == pytest.approx(0.05)
    assert got(simulation, "contactOffset", "raised")[0] == pytest.approx(0.1)
