"""Each rule of how a stage is read is held by a run of the suite, which knows the value: worked out here once more."""

from __future__ import annotations

from collections.abc import Iterator
from math import hypot, inf, pi, radians
from typing import NamedTuple

import numpy as np
import pytest
from ovread_conformance.oracles import ARTICULATION, AUTHORED, BODY, JOINT, LINK, Oracle
from ovread_conformance.suite import runs

from ovread import UNLIMITED, ObjectType

Key = tuple[ObjectType, str]


class Held(NamedTuple):
    """A value that a rule gives.

    Args:
        run: The run that holds it.
        kind: Type of the object.
        attribute: What is held of it.
        path: Path of the prim.
        value: The value; None where it takes more than a line to work out, so that the run just has to know one.
    """

    run: str
    kind: ObjectType
    attribute: str
    path: str
    value: float | tuple[float, ...] | None = None


def _fall(run: str, *gravity: float) -> Held:
    return Held(run, BODY, "linearAcceleration", "/World/body", gravity)


def _solid(name: str, mass: float, run: str = "solids") -> Held:
    return Held(run, BODY, "mass", f"/World/{name}", mass)


def _joint(run: str, child: str, attribute: str, *value: float) -> Held:
    return Held(run, JOINT, attribute, f"/World/robot/to_{child}", value)


def _link(run: str, name: str, attribute: str) -> Held:
    return Held(run, LINK, attribute, f"/World/robot/{name}")


def _bob(name: str, attribute: str, *value: float) -> Held:
    return Held("pendulums", LINK, attribute, f"/World/{name}/bob", value)


RULES = {
    "gravity is 9.81 m/s2 by default, in stage units, against the up axis": (
        _fall("gravity by default", 0, 0, -9.81),
        _fall("gravity by default in centimetres", 0, 0, -981),
        _fall("gravity by default in grams", 0, 0, -9.81),
        _fall("gravity by default, Y up", 0, -9.81, 0),
        _fall("no scene", 0, 0, -9.81),
    ),
    "gravity has its magnitude along its direction, which is the default where it is zero": (
        _fall("direction of another length", 3, 0, -4),
        _fall("direction of no length", 0, 0, -5),
        _fall("no gravity", 0, 0, 0),
        _fall("negative magnitude", 0, 0, -9.81),
    ),
    "disableGravity keeps a body from falling": (Held("weightless", BODY, "disableGravity", "/World/floating", 1),),
    "the default density is 1000 kg/m3 in stage units, an authored one is in these units": (
        _solid("plain", 240),
        _solid("plain", 240, "solids, centimetres"),
        _solid("plain", 240e3, "solids, grams"),
        _solid("box", 168, "solids, centimetres"),
        _solid("box", 168e3, "solids, grams"),
        Held("bodies, grams", BODY, "mass", "/World/env_10", 2000),
    ),
    "a body has mass, centre and inertia of its solids": (
        _solid("box", 700 * 0.5 * 0.6 * 0.8),
        _solid("sphere", 800 * 4 / 3 * pi * 0.3**3),
        _solid("cylinder", 1100 * pi * 0.2**2 * 1.1),
        _solid("capsule", 900 * (pi * 0.2**2 * 0.7 + 4 / 3 * pi * 0.2**3)),
        _solid("lying_capsule", 900 * (pi * 0.2**2 * 0.7 + 4 / 3 * pi * 0.2**3)),
        _solid("cone", 100 * pi * 0.3**2 * 1.2 / 3, "cone"),
        _solid("mesh", 1200 * 0.9 * 0.7 * 1.2 / 6),
        _solid("boxlike_mesh", 600 * 0.5 * 1.0 * 1.5),
        *(
            Held(run, BODY, attribute, f"/World/{name}")
            for run, names in (("solids", ("box", "sphere", "cylinder", "capsule", "lying_capsule", "upright_capsule",
                                           "mesh", "boxlike_mesh")), ("cone", ("cone",)))
            for name in names
            for attribute in ("inertia", "centerOfMassPosition")
        ),
    ),
    "colliders have masses and densities of their own, and all of them count": (
        _solid("weighed", 5 + 3),
        _solid("several", 700 * 0.24 + 1000 * 0.024 + 300 * 4 / 3 * pi * 0.2**3),
        _solid("half_enabled", 700 * 0.24 + 500 * 0.024),
        Held("solids", BODY, "centerOfMassPosition", "/World/weighed", (5 / 8, 0, 0)),
        Held("solids", BODY, "inertia", "/World/several"),
    ),
    "a mesh weighs what it collides as": (
        _solid("mesh_as_a_sphere", 100 * 4 / 3 * pi * (hypot(0.5, 1.0, 1.5) / 2) ** 3),
    ),
    "a body's own density has precedence over that of its material": (
        _solid("material", 300 * 0.24),
        _solid("both", 50 * 0.24),
    ),
    "without mass and colliders a body has mass 1": (
        _solid("bare", 1, "body without mass"),
        _solid("bare", 1, "body without mass in centimetres and grams"),
        Held("body without mass", BODY, "inertia", "/World/bare", (0.004, 0, 0, 0, 0.004, 0, 0, 0, 0.004)),
    ),
    "what is round takes the larger scale of its radius": (
        _solid("sphere", 800 * 4 / 3 * pi * 0.6**3, "scaled solids"),
        _solid("cylinder", 1100 * pi * 0.24**2 * 2.2, "scaled solids"),
    ),
    "a mesh may be mirrored": (
        _solid("mirrored", 1200 * 0.9 * 0.7 * 1.2 / 6, "mirrored mesh"),
        Held("mirrored mesh", BODY, "centerOfMassPosition", "/World/mirrored"),
    ),
    "an authored centre of mass is scaled with the prim, an inertia is not": (
        Held("bodies, under a scaled prim", BODY, "centerOfMassPosition", "/World/env_10", (0.1, -0.2, 0.3)),
        Held("bodies, under a scaled prim", BODY, "inertia", "/World/env_10"),
        _solid("box", 168, "solids, under a scaled prim"),
    ),
    "inertia is about the centre of mass in body axes": (Held("bodies", BODY, "inertia", "/World/env_10"),),
    "a body starts with the velocity of its centre of mass, and turns in degrees per second": (
        Held("bodies", BODY, "linearVelocity", "/World/env_10", (0.5, -0.4, 0.3)),
        Held("bodies", BODY, "angularVelocity", "/World/env_10", (radians(40), radians(25), radians(-60))),
    ),
    "an undamped body spins by Euler's equations": (Held("bodies", BODY, "angularAcceleration", "/World/env_10"),),
    "joints start at their state, in degrees or lengths": (
        _joint("fixed tree", "c", "jointPosition", 20),
        _joint("fixed tree", "c", "jointVelocity", 50),
        _joint("fixed tree", "b10", "jointPosition", 0.2),
        _joint("fixed tree", "e", "jointPosition", 35),
        *(_link("fixed tree", name, attribute) for name in ("c", "a", "e") for attribute in (
            "orientation", "angularVelocity", "linearVelocity")),
    ),
    "coordinates are those of body1 relative to body0, whichever of them moves": (
        _joint("fixed tree", "a", "jointPosition", -30),
        _joint("floating tree", "a", "jointPosition", -30),
        _link("fixed tree", "a", "orientation"),
    ),
    "the empty side of a joint is the world": (
        _joint("hinge on the world", "base", "jointPosition", 30),
        _joint("hinge with the world as body1", "base", "jointPosition", 30),
        _link("hinge on the world", "base", "orientation"),
        _link("hinge with the world as body1", "base", "orientation"),
    ),
    "limits read as authored, and may be on one side": (
        _joint("fixed tree", "c", "jointLimit", -120, 150),
        _joint("only a lower limit", "arm", "jointLimit", -20, inf),
        _joint("only an upper limit", "arm", "jointLimit", -inf, 40),
        _joint("slider with only a lower limit", "arm", "jointLimit", -0.2, inf),
    ),
    "gains are per degree, bounds are not converted, targets are as authored": (
        _joint("fixed tree", "c", "jointStiffness", 0.5),
        _joint("fixed tree", "c", "jointDamping", 0.05),
        _joint("fixed tree", "c", "jointMaxForce", 400),
        _joint("target beyond a turn", "arm", "jointPositionTarget", 400),
    ),
    "a velocity target counts beside a stiffness": (_link("fixed tree", "b10", "linearAcceleration"),),
    "a level pendulum starts with m g L / (I + m L^2 + armature)": (
        _bob("plain", "linearAcceleration", -(radians(40) ** 2), 0, -2 * 9.81 / 2.02),
        _bob("plain", "angularAcceleration", 0, 2 * 9.81 / 2.02, 0),
        _bob("about_its_origin", "linearAcceleration", -0.3 * radians(40) ** 2, 0, -0.3 * 2 * 9.81 * 0.3 / 0.2),
        _bob("about_its_origin", "angularAcceleration", 0, 2 * 9.81 * 0.3 / 0.2, 0),
        _bob("with_armature", "angularAcceleration", 0, 2 * 9.81 / 2.52, 0),
    ),
    "a hinge holds without an articulation": (
        Held("hinge without an articulation", BODY, "angularAcceleration", "/World/robot/arm",
             (0, 9.81 * 0.5 / 0.28, 0)),
    ),
    "an articulation may have one link": (
        Held("one link", ARTICULATION, "rootPosition", "/World/robot/body", (1, 2, 3)),
    ),
}  # fmt: skip


def _every() -> Iterator[tuple[str, Held]]:
    return ((rule, held) for rule, values in RULES.items() for held in values)


@pytest.mark.parametrize(
    "held", [held for _, held in _every()], ids=[f"{rule}: {held.run}, {held.attribute}" for rule, held in _every()]
)
def test_a_rule_is_held(held: Held) -> None:
    """The run exists and expects what follows from the rule."""
    oracle = Oracle(runs()[held.run].system)
    known = oracle.expected((held.kind, held.attribute)).get(held.path)
    assert known is not None
    found = np.asarray(known, dtype=float).ravel()
    assert np.isfinite(found).all()
    if held.value is not None:
        wanted = np.clip(np.atleast_1d(held.value).astype(float), -UNLIMITED, UNLIMITED)
        assert found == pytest.approx(wanted, rel=AUTHORED, abs=AUTHORED)
