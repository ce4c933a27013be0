"""Examples of rules about joints."""

from __future__ import annotations

from ovread.lint.examples._usda import (
    AT_30,
    ROOT,
    STATE,
    Example,
    body,
    gravity,
    hinge,
    joint,
    prim,
    robot,
    stage,
    world,
)

_DRIVE = "PhysicsDriveAPI:angular"
_GAINS = "float drive:angular:physics:stiffness = 2\nfloat drive:angular:physics:damping = 0.5"
_TARGET = "float drive:angular:physics:targetPosition = 20"
_AXES = ("transX", "transY", "transZ", "rotX", "rotY", "rotZ")


def _limited(*axes: str, low: float = -30, high: float = 30) -> str:
    return "\n".join(
        f"float limit:{axis}:physics:low = {low:g}\nfloat limit:{axis}:physics:high = {high:g}" for axis in axes
    )


def _locked(*axes: str) -> str:
    return _limited(*axes, low=1, high=-1)


def _generic(*lines: str, axes: tuple[str, ...] = _AXES, schemas: str = "") -> str:
    applied = " ".join(f"PhysicsLimitAPI:{axis}" for axis in axes)
    return joint("", "j", "base", "arm", *lines, schemas=f"{applied} {schemas}")


def _outside(*content: str) -> str:
    """Write bodies and joints that are in no articulation."""
    return stage(world(*content))


def _pushed(*content: str) -> str:
    """Write bodies of a stage with gravity."""
    return stage(gravity(), world(*content))


_SPINNING = "vector3f physics:angularVelocity = (0, 90, 0)"
_UNEVEN = ("float physics:lowerLimit = -10", "float physics:upperLimit = 40")
_ABOVE = ("float physics:lowerLimit = 10", "float physics:upperLimit = 50")
_NARROW = ("float physics:lowerLimit = -20", "float physics:upperLimit = 1")
_WIDE = ("float physics:lowerLimit = -170", "float physics:upperLimit = 170")
_TURNING = hinge(*_WIDE, "float state:angular:physics:velocity = 90", schemas=STATE)
_RING = (
    body("base"),
    body("arm", _SPINNING),
    body("hand"),
    joint("Fixed", "root", "", "base"),
    hinge(),
    joint("Revolute", "k", "arm", "hand"),
)
_HAND = (
    body("hand", "double3 xformOp:translate = (1, 0, 0)", 'uniform token[] xformOpOrder = ["xformOp:translate"]'),
    joint("Revolute", "k", "arm", "hand", "point3f physics:localPos0 = (1, 0, 0)"),
)


def _fast(meters: float) -> str:
    slide = joint(
        "Prismatic",
        "j",
        "base",
        "arm",
        "float state:linear:physics:velocity = 200",
        schemas="PhysicsJointStateAPI:linear",
    )
    return robot(slide).replace("metersPerUnit = 1", f"metersPerUnit = {meters:g}")


def _geared(*gear: str) -> str:
    """Write two hinges at the world, the first of which turns."""
    return _outside(body("arm", _SPINNING), body("hand"), hinge(first=""), joint("Revolute", "k", "", "hand"), *gear)


_STEADY = hinge("float physics:lowerLimit = -90", "float physics:upperLimit = 90")
_TRANSLATIONS = _locked("transX", "transY", "transZ")

JOINTS = {
    "one-sided-limit-locks": Example(
        robot(hinge("float physics:lowerLimit = -20")),
        robot(hinge("float physics:lowerLimit = -20", "float physics:upperLimit = 90")),
        ("/W/j",),
    ),
    "wide-limit-locks": Example(
        robot(_generic(_TRANSLATIONS, _locked("rotX", "rotZ"), _limited("rotY", low=-20, high=200))),
        robot(_generic(_TRANSLATIONS, _locked("rotX", "rotZ"), _limited("rotY", low=-20, high=180))),
        ("/W/j",),
    ),
    "inverted-limit": Example(
        robot(hinge("float physics:lowerLimit = 20", "float physics:upperLimit = -20")),
        robot(hinge("float physics:lowerLimit = -20", "float physics:upperLimit = 20")),
        ("/W/j",),
    ),
    "equal-limits": Example(
        robot(hinge("float physics:lowerLimit = 0", "float physics:upperLimit = 0")),
        robot(hinge("float physics:lowerLimit = 0", "float physics:upperLimit = 1")),
        ("/W/j",),
    ),
    "world-hinge-welded": Example(
        stage(gravity(), world(body("arm"), hinge(AT_30, first="", schemas=STATE), schemas=ROOT)),
        robot(hinge(AT_30, schemas=STATE)),
        ("/W/j",),
    ),
    "world-joint-sign": Example(
        _outside(body("arm", _SPINNING), hinge(*_UNEVEN, first="arm", second="")),
        _outside(body("arm", _SPINNING), hinge(*_UNEVEN, first="")),
        ("/W/j",),
    ),
    "world-anchor": Example(
        _outside(body("arm"), hinge("point3f physics:localPos0 = (0, 0, 1)", first="")),
        _outside(
            body(
                "arm", "double3 xformOp:translate = (0, 0, 1)", 'uniform token[] xformOpOrder = ["xformOp:translate"]'
            ),
            hinge("point3f physics:localPos0 = (0, 0, 1)", first=""),
        ),
        ("/W/j",),
    ),
    "fixed-base-frame": Example(
        _outside(
            body("base", schemas=ROOT),
            body("arm"),
            _STEADY,
            joint("Fixed", "root", "", "base", "point3f physics:localPos0 = (0, 0, 1)"),
        ),
        stage(
            world(
                body("base"),
                body("arm"),
                _STEADY,
                joint("Fixed", "root", "", "base", "point3f physics:localPos0 = (0, 0, 1)"),
                schemas=ROOT,
            )
        ),
        ("/W/root",),
    ),
    "swapped-bodies": Example(
        robot(hinge(AT_30, first="arm", second="base", schemas=STATE)),
        robot(hinge(AT_30, schemas=STATE)),
        ("/W/j",),
    ),
    "free-axis": Example(
        robot(_generic(_TRANSLATIONS, _locked("rotX", "rotZ"), axes=tuple(axis for axis in _AXES if axis != "rotY"))),
        robot(_generic(_TRANSLATIONS, _locked("rotX", "rotZ"), _limited("rotY"))),
        ("/W/j",),
    ),
    "articulation-slides-locked": Example(
        robot(_generic(_limited("transX", low=-1, high=1), _locked("transY", "transZ", "rotX", "rotY", "rotZ"))),
        _outside(
            body("base"),
            body("arm"),
            _generic(_limited("transX", low=-1, high=1), _locked("transY", "transZ", "rotX", "rotY", "rotZ")),
        ),
        ("/W/j",),
    ),
    "successive-turns": Example(
        robot(_generic(_TRANSLATIONS, _limited("rotX", "rotY"), _locked("rotZ"))),
        robot(_generic(_TRANSLATIONS, _limited("rotX"), _locked("rotY", "rotZ"))),
        ("/W/j",),
    ),
    "multi-axis-state": Example(
        robot(
            _generic(
                _TRANSLATIONS,
                _limited("rotX", "rotY", "rotZ"),
                "float state:rotX:physics:position = 10",
                "float state:rotY:physics:position = 25",
                schemas="PhysicsJointStateAPI:rotX PhysicsJointStateAPI:rotY",
            )
        ),
        robot(
            _generic(
                _TRANSLATIONS,
                _limited("rotX", "rotY", "rotZ"),
                "float state:rotX:physics:position = 10",
                schemas="PhysicsJointStateAPI:rotX PhysicsJointStateAPI:rotY",
            )
        ),
        ("/W/j",),
    ),
    "acceleration-drive": Example(
        robot(hinge(_GAINS, _TARGET, 'uniform token drive:angular:physics:type = "acceleration"', schemas=_DRIVE)),
        robot(hinge(_GAINS, _TARGET, schemas=_DRIVE)),
        ("/W/j",),
    ),
    "velocity-target": Example(
        robot(hinge(_GAINS, "float drive:angular:physics:targetVelocity = 50", schemas=_DRIVE)),
        robot(hinge(_GAINS, _TARGET, schemas=_DRIVE)),
        ("/W/j",),
    ),
    "target-wraps": Example(
        robot(hinge(_GAINS, "float drive:angular:physics:targetPosition = 400", schemas=_DRIVE)),
        robot(hinge(_GAINS, "float drive:angular:physics:targetPosition = 300", schemas=_DRIVE)),
        ("/W/j",),
    ),
    "undriven-joint": Example(robot(hinge()), robot(hinge(schemas=_DRIVE)), ("/W/j",)),
    "target-outside-limits": Example(
        robot(hinge(_GAINS, *_ABOVE, schemas=_DRIVE)), robot(hinge(_GAINS, *_ABOVE, _TARGET, schemas=_DRIVE)), ("/W/j",)
    ),
    "unapplied-schema": Example(robot(hinge(_GAINS)), robot(hinge(_GAINS, schemas=_DRIVE)), ("/W/j",)),
    "unmatched-drive": Example(
        robot(joint("Prismatic", "j", "base", "arm", _GAINS, _TARGET, schemas=_DRIVE)),
        robot(joint("Prismatic", "j", "base", "arm")),
        ("/W/j",),
    ),
    "velocity-limit": Example(
        robot(
            hinge(
                "float state:angular:physics:velocity = 90",
                "float newton:velocityLimit = 45",
                schemas=f"{STATE} NewtonJointAPI",
            )
        ),
        robot(
            hinge(
                "float state:angular:physics:velocity = 90",
                "float newton:armature = 0",
                schemas=f"{STATE} NewtonJointAPI",
            )
        ),
        ("/W/j",),
    ),
    "joint-axis-schema": Example(
        robot(
            hinge(
                "float physxJointAxis:angular:armature = 0.5",
                "float physxJointAxis:angular:maxJointVelocity = 45",
                schemas="PhysxJointAxisAPI:angular",
            )
        ),
        robot(
            hinge(
                "float physxJointAxis:angular:armature = 0.5",
                "float newton:armature = 0.5",
                "float newton:damping = 0",
                "float newton:friction = 0",
                schemas="PhysxJointAxisAPI:angular NewtonJointAPI",
            )
        ),
        ("/W/j",),
    ),
    "joint-schema": Example(
        robot(
            hinge("float physxJoint:armature = 0.5", "float physxJoint:jointFriction = 0.1", schemas="PhysxJointAPI")
        ),
        robot(hinge(schemas="PhysxJointAPI")),
        ("/W/j",),
    ),
    "joint-friction": Example(
        robot(
            hinge(
                "float physxJointAxis:angular:staticFrictionEffort = 0.5",
                "float physxJointAxis:angular:dynamicFrictionEffort = 0.2",
                "float newton:friction = 0.2",
                _GAINS,
                _TARGET,
                schemas=f"PhysxJointAxisAPI:angular NewtonJointAPI {_DRIVE}",
            )
        ),
        robot(
            hinge(
                "float physxJointAxis:angular:staticFrictionEffort = 0.2",
                "float physxJointAxis:angular:dynamicFrictionEffort = 0.2",
                "float newton:friction = 0.2",
                _GAINS,
                _TARGET,
                schemas=f"PhysxJointAxisAPI:angular NewtonJointAPI {_DRIVE}",
            )
        ),
        ("/W/j",),
    ),
    "drive-envelope": Example(
        robot(
            hinge(
                _GAINS,
                _TARGET,
                "float drive:angular:physics:maxForce = 100",
                "float physxDrivePerformanceEnvelope:angular:maxActuatorVelocity = 1",
                "float physxDrivePerformanceEnvelope:angular:speedEffortGradient = 5",
                "float physxDrivePerformanceEnvelope:angular:velocityDependentResistance = 0.1",
                schemas=f"{_DRIVE} PhysxDrivePerformanceEnvelopeAPI:angular",
            )
        ),
        robot(hinge(_GAINS, _TARGET, "float drive:angular:physics:maxForce = 100", schemas=_DRIVE)),
        ("/W/j",),
    ),
    "soft-limit": Example(
        _outside(
            body("arm", _SPINNING),
            hinge(
                *_NARROW,
                "float physxLimit:angular:stiffness = 1",
                "float physxLimit:angular:damping = 0.1",
                first="",
                schemas="PhysxLimitAPI:angular",
            ),
        ),
        _outside(body("arm", _SPINNING), hinge(*_NARROW, first="")),
        ("/W/j",),
    ),
    "cone-limit": Example(
        robot(
            joint(
                "Spherical",
                "j",
                "base",
                "arm",
                "float physics:coneAngle0Limit = 30",
                "float physics:coneAngle1Limit = 40",
            )
        ),
        robot(joint("Spherical", "j", "base", "arm")),
        ("/W/j",),
    ),
    "merged-joints": Example(
        robot(hinge(), joint("Revolute", "k", "base", "arm").replace('axis = "Y"', 'axis = "Z"')),
        robot(hinge()),
        ("/W/j", "/W/k"),
    ),
    "mimic-joint": Example(
        robot(
            _TURNING,
            body("hand"),
            joint(
                "Revolute",
                "k",
                "arm",
                "hand",
                *_WIDE,
                "rel physxMimicJoint:rotX:referenceJoint = </W/j>",
                "float physxMimicJoint:rotX:gearing = 2",
                schemas="PhysxMimicJointAPI:rotX",
            ),
        ),
        robot(_TURNING, body("hand"), joint("Revolute", "k", "arm", "hand", *_WIDE)),
        ("/W/k",),
    ),
    "coupled-joints": Example(
        _geared(
            prim(
                "PhysxPhysicsGearJoint",
                "gear",
                "rel physics:body0 = </W/arm>",
                "rel physics:body1 = </W/hand>",
                "rel physics:hinge0 = </W/j>",
                "rel physics:hinge1 = </W/k>",
                "float physics:gearRatio = 2",
            )
        ),
        _geared(),
        ("/W/gear",),
    ),
    "fixed-mimic": Example(
        robot(
            hinge(),
            body("hand"),
            joint("Fixed", "k", "arm", "hand", "rel newton:mimicJoint = </W/j>", schemas="NewtonMimicAPI"),
        ),
        robot(
            hinge(),
            body("hand"),
            joint("Revolute", "k", "arm", "hand", "rel newton:mimicJoint = </W/j>", schemas="NewtonMimicAPI"),
        ),
        ("/W/k",),
    ),
    "link-velocity": Example(
        robot(hinge(second="hand"), body("hand", "vector3f physics:velocity = (1, 0, 0)")),
        robot(hinge(second="hand"), body("hand")),
        ("/W/hand",),
    ),
    "joint-outside-articulation": Example(
        _pushed(body("base"), body("arm", _SPINNING), joint("Fixed", "root", "", "base"), hinge()),
        robot(hinge("float state:angular:physics:velocity = 90", schemas=STATE)),
        ("/W/j", "/W/root"),
    ),
    "loop-outside-articulation": Example(
        _pushed(*_RING, joint("Revolute", "l", "hand", "base")), _pushed(*_RING), ("/W/j", "/W/k", "/W/l", "/W/root")
    ),
    "excluded-joint": Example(
        robot(
            _TURNING,
            *_HAND,
            joint("Revolute", "l", "base", "hand", "uniform bool physics:excludeFromArticulation = true"),
        ),
        robot(_TURNING, *_HAND),
        ("/W/l",),
    ),
    "closed-loop": Example(
        robot(_TURNING, *_HAND, joint("Revolute", "l", "base", "hand")), robot(_TURNING, *_HAND), ("/W",)
    ),
    "break-force": Example(
        _pushed(
            body("arm"), joint("Fixed", "j", "", "arm", "float physics:breakForce = 1", "float physics:breakTorque = 1")
        ),
        _pushed(body("arm"), joint("Fixed", "j", "", "arm")),
        ("/W/j",),
    ),
    "distance-limit": Example(
        _pushed(
            body("base"),
            body("arm"),
            joint("Fixed", "root", "", "base"),
            joint("Distance", "j", "base", "arm", "float physics:minDistance = 0", "float physics:maxDistance = 0.01"),
        ),
        _pushed(body("base"), body("arm"), joint("Fixed", "root", "", "base")),
        ("/W/j",),
    ),
    "joint-target": Example(
        robot(hinge(second="hand/frame"), body("hand", prim("Xform", "frame"))),
        robot(hinge(second="hand"), body("hand", prim("Xform", "frame"))),
        ("/W/j",),
    ),
    "joint-rate-cap": Example(_fast(0.001), _fast(0.01), ("/W/j",)),
}
"""By rule."""
