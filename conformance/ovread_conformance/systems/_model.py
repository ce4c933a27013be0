"""The records that a system is written down in: bodies, joints, robots, colliders.

Numbers are in the units of the system's own stage, angles in degrees; frames are rigid transforms (``pinocchio.SE3``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import attrs
import numpy as np
import pinocchio as pin

from ovread import ObjectType
from ovread.units import Dimension

Vector = tuple[float, float, float]

AXES: Mapping[str, tuple[str, ...]] = {
    "fixed": (),
    "revolute": ("twist",),
    "prismatic": ("x",),
    "spherical": ("twist", "swing1", "swing2"),
    "d6": ("twist", "swing1", "swing2"),
}
"""Names of the unlocked axes of each kind of joint; those of a D6 joint where it does not name others."""
LETTERS: Mapping[str, str] = {"twist": "X", "swing1": "Y", "swing2": "Z", "x": "X", "y": "Y", "z": "Z"}
"""Axis of the joint frames along or about which each axis of a D6 joint is."""


def at(
    x: float = 0.0, y: float = 0.0, z: float = 0.0, *, about: Vector = (1.0, 0.0, 0.0), degrees: float = 0.0
) -> pin.SE3:
    """Return a frame: where its origin lies, and how it is turned."""
    axis = np.asarray(about, float) / np.linalg.norm(about)
    return pin.SE3(pin.AngleAxis(np.deg2rad(degrees), axis).matrix(), np.array([x, y, z], float))


@attrs.frozen
class Stage:
    """Units and up axis of a stage."""

    meters_per_unit: float = 1.0
    kilograms_per_unit: float = 1.0
    up_axis: str = "Z"

    def units_in(self, dimension: Dimension) -> float:
        """Return the stage units in one unit of metres and kilograms."""
        return float(self.meters_per_unit**-dimension.length * self.kilograms_per_unit**-dimension.mass)


@attrs.frozen(eq=False)
class Shape:
    """A collider.

    Args:
        size: Extents along its axes; those of a sphere are equal, as are two of a capsule, cylinder or cone.
        scale: Scale of a sphere or cylinder, which makes it larger and keeps it round.
        frame: Where the middle of its extents is, from the body's origin.
        friction: Dynamic friction coefficient; None for no material of its own.
        static_friction: Static friction coefficient.
        restitution: Coefficient of restitution.
        kind: ``box``, ``sphere``, ``capsule``, ``cylinder``, ``cone``, or a mesh: ``tetrahedron``, with three edges of
            its extents along the axes, or ``hexahedron``, which is a box.
        axis: Along what a capsule, cylinder or cone stands.
        contact_offset: Distance at which contacts are made; None for the engine's choice.
        rest_offset: Distance at which it comes to rest; None for the engine's choice.
        density: Density; None for none of its own.
        material_density: Density of its material.
        mass: Mass of its own; None for that of its density.
        approximation: What a mesh collides as.
        is_enabled: Whether it collides; its mass counts anyway.
    """

    size: Vector
    frame: pin.SE3 = attrs.field(factory=at)
    friction: float | None = None
    static_friction: float = 0.0
    restitution: float = 0.0
    kind: str = "box"
    contact_offset: float | None = None
    rest_offset: float | None = None
    density: float | None = None
    material_density: float | None = None
    mass: float | None = None
    scale: Vector = (1.0, 1.0, 1.0)
    axis: str = "Z"
    approximation: str = "convexHull"
    is_enabled: bool = True

    @property
    def extents(self) -> Vector:
        """Extents as scaled, the last of them along its axis: what is round takes the larger scale of its radius."""
        x, y, z = self.upright(self.scale)
        if self.kind == "sphere":
            x = y = z = max(self.scale)
        elif self.kind == "cylinder":
            x = y = max(x, y)
        width, depth, height = self.upright(self.size)
        return width * x, depth * y, height * z

    def upright(self, values: Vector) -> Vector:
        """Return values per axis as they are where axes are renamed, in turn, so that it stands along Z."""
        turns = "ZXY".index(self.axis)
        x, y, z = (*values[turns:], *values[:turns])
        return x, y, z

    @property
    def static_friction_coefficient(self) -> float | None:
        """Static friction coefficient, which is the dynamic one where it is not given."""
        return self.static_friction or self.friction


@attrs.frozen(eq=False)
class Body:
    """A rigid body, or a link of a robot.

    Args:
        name: Name of the prim.
        mass: Mass.
        centre: The centre of mass and the principal axes, in body axes.
        moments: Principal moments of inertia.
        pose: Where it is; links of a robot but the root follow from their joints.
        velocity: Velocity of the centre of mass, in world axes.
        spin: Angular velocity in degrees per second, in world axes.
        shapes: Colliders.
        is_kinematic: Whether it is moved by targets alone.
        is_weightless: Whether gravity does not act on it.
        senses: Whether its contacts are reported.
        threshold: Force below which its contacts are not reported.
        is_asleep: Whether it starts asleep.
        is_solid: Whether its mass, centre and moments follow from its colliders and are not authored.
        target: Where a kinematic body is sent in the first step: no file says that, it is written.
        is_enabled: Whether it is a rigid body, and not just a prim that collides.
        damping: Part of its velocity, and of its spin, that it loses per second; None where that is not authored.
    """

    name: str
    mass: float = 1.0
    centre: pin.SE3 = attrs.field(factory=at)
    moments: Vector = (0.1, 0.12, 0.15)
    pose: pin.SE3 = attrs.field(factory=at)
    velocity: Vector = (0.0, 0.0, 0.0)
    spin: Vector = (0.0, 0.0, 0.0)
    shapes: tuple[Shape, ...] = ()
    is_kinematic: bool = False
    is_weightless: bool = False
    senses: bool = False
    threshold: float = 0.0
    is_asleep: bool = False
    is_solid: bool = False
    target: pin.SE3 | None = None
    is_enabled: bool = True
    damping: tuple[float, float] | None = (0.0, 0.0)

    @property
    def losses(self) -> tuple[float, float]:
        """Part of its velocity, and of its spin, that it loses per second: none where that is not authored."""
        return self.damping or (0.0, 0.0)


@attrs.frozen
class Drive:
    """A drive of one axis: gains per degree or length, target, bound of its effort, and what bounds it further.

    Args:
        stiffness: Effort per degree or length.
        damping: Effort per rate.
        target: Target position.
        velocity_target: Target rate.
        max_force: Bound of the effort.
        kind: ``force`` or ``acceleration``.
        envelope: Gradient of rate over effort, maximal rate of the actuator, and resistance; None for none.
    """

    stiffness: float = 0.0
    damping: float = 0.0
    target: float = 0.0
    velocity_target: float = 0.0
    max_force: float = 1000.0
    kind: str = "force"
    envelope: Vector | None = None


@attrs.frozen(eq=False)
class Joint:
    """The joint that leads from a link to the next.

    Args:
        parent: Name of the inner link; empty for the world, whose side of the joint is not authored.
        child: Name of the outer link.
        kind: ``fixed``, ``revolute``, ``prismatic``, ``spherical`` or ``d6``.
        axis: ``X``, ``Y`` or ``Z`` of the joint frames, for one-axis joints.
        frame0: The joint frame in body0.
        frame1: The joint frame in body1.
        is_swapped: Whether the outer link is body0.
        position: Coordinates: those of body1 relative to body0.
        velocity: Rates, likewise.
        limit: Lower and upper limit of its first axis; None for none.
        drive: Drive of its first axis; None for none.
        more_limits: The limits of its further axes, in order.
        more_drives: The drives of its further axes.
        armature: Inertia added to its axis.
        friction: Friction effort of its axis in motion.
        static_friction: The same at rest; None for that in motion.
        viscous_friction: Friction effort per rate.
        max_velocity: Bound of its rate; None for none.
        unlocked: The axes that a D6 joint leaves free, if they are others than all rotations.
        cone: Largest angles by which the axis of a spherical joint tilts; None for any.
        is_excluded: Whether it is kept out of the articulation.
        efforts: What is exerted on its axes beside drives: no file says that, it is written.
    """

    parent: str
    child: str
    kind: str = "revolute"
    axis: str = "X"
    frame0: pin.SE3 = attrs.field(factory=at)
    frame1: pin.SE3 = attrs.field(factory=at)
    is_swapped: bool = False
    position: tuple[float, ...] = ()
    velocity: tuple[float, ...] = ()
    limit: tuple[float, float] | None = None
    drive: Drive | None = None
    armature: float = 0.0
    friction: float = 0.0
    static_friction: float | None = None
    viscous_friction: float = 0.0
    max_velocity: float | None = None
    more_limits: tuple[tuple[float, float] | None, ...] = ()
    more_drives: tuple[Drive | None, ...] = ()
    unlocked: tuple[str, ...] = ()
    efforts: tuple[float, ...] = ()
    cone: tuple[float, float] | None = None
    is_excluded: bool = False

    @property
    def name(self) -> str:
        """Name of the prim."""
        return f"to_{self.child}"

    @property
    def sides(self) -> tuple[pin.SE3, pin.SE3, float]:
        """The joint frame in the inner and in the outer link, and the sign of the coordinates there."""
        return (self.frame1, self.frame0, -1.0) if self.is_swapped else (self.frame0, self.frame1, 1.0)

    @property
    def axes(self) -> tuple[str, ...]:
        """Names of its unlocked axes."""
        return self.unlocked or AXES[self.kind]

    @property
    def are_linear(self) -> tuple[bool, ...]:
        """Which of its axes are translational."""
        return tuple(axis in ("x", "y", "z") for axis in self.axes)

    @property
    def is_linear(self) -> bool:
        """Whether all its axes are translational."""
        return bool(self.axes) and all(self.are_linear)

    @property
    def letters(self) -> tuple[str, ...]:
        """The frame axis of each unlocked axis."""
        return (self.axis,) if self.kind in ("revolute", "prismatic") else tuple(LETTERS[axis] for axis in self.axes)

    @property
    def limits(self) -> tuple[tuple[float, float] | None, ...]:
        """The limits of all its axes."""
        given = (self.limit, *self.more_limits)
        return (*given, *[None] * len(self.axes))[: len(self.axes)]

    @property
    def drives(self) -> tuple[Drive | None, ...]:
        """The drives of all its axes."""
        given = (self.drive, *self.more_drives)
        return (*given, *[None] * len(self.axes))[: len(self.axes)]


@attrs.frozen(eq=False)
class Robot:
    """A tree of links, or a chain, under one articulation root.

    Args:
        name: Name of the prim above the links.
        links: The links in the order that they are authored in; the first is the root.
        joints: The joints, likewise.
        is_fixed: Whether the root link is fixed to the world, or on a joint to it.
        is_articulation: Whether it has an articulation root; without one its links are rigid bodies.
        is_rooted_above: Whether a robot that floats has its articulation root on the prim above the links.
        held: Name of a link that one more joint fixes to the world; that joint is outside the articulation, unless the
            link is the root.
        anchor: Where the joint that fixes the root link has its frame in the world; None for where that link is.
    """

    name: str
    links: tuple[Body, ...]
    joints: tuple[Joint, ...]
    is_fixed: bool = True
    is_articulation: bool = True
    is_rooted_above: bool = False
    held: str = ""
    anchor: pin.SE3 | None = None

    @property
    def root(self) -> Body:
        """The root link."""
        inner = {joint.child for joint in self.joints if joint.parent}
        return next(link for link in self.links if link.name not in inner)

    @property
    def is_welded(self) -> bool:
        """Whether its root link cannot move."""
        return self.is_fixed and self.inbound(self.root.name) is None

    def link(self, name: str) -> Body:
        """Return a link by name."""
        return next(link for link in self.links if link.name == name)

    def inbound(self, name: str) -> Joint | None:
        """Return the joint that leads to a link; None for the root."""
        return next((joint for joint in self.joints if joint.child == name), None)

    def depth_first(self) -> Iterator[Body]:
        """Return the links, each after its parent, branch by branch."""

        def walk(link: Body) -> Iterator[Body]:
            yield link
            for joint in self.joints:
                if joint.parent == link.name:
                    yield from walk(self.link(joint.child))

        return walk(self.root)


@attrs.frozen(eq=False)
class Outcome:
    """What reads at a later tick, where a closed form knows it.

    Args:
        tick: When.
        object_type: Type of the object.
        attribute: The attribute.
        path: Path of the prim.
        value: All lanes.
        tolerance: How far it may be off, relative to its size.
    """

    tick: int
    object_type: ObjectType
    attribute: str
    path: str
    value: tuple[float, ...]
    tolerance: float = 0.02


@attrs.frozen(eq=False)
class System:
    """Everything on a stage.

    Args:
        name: Name of the system.
        gravity: Acceleration of gravity in world axes.
        bodies: Bodies that are in no robot.
        robots: Robots.
        scenery: Static colliders by name.
        stage: Units and up axis.
        authored_gravity: Direction and magnitude as they are authored; None for none, ``"plain"`` where they say
            what gravity is.
        prim_scale: Scale of the prim above all others, in whose units they are written down.
        order: ``authored``, or ``reversed``: the order in which prims are written.
        is_smooth: Whether the first step has a closed form: nothing rubs, touches or is at a bound.
        has_scene: Whether there is a PhysicsScene.
        outcomes: What closed forms say of later ticks.
    """

    name: str
    gravity: Vector = (0.0, 0.0, -9.81)
    bodies: tuple[Body, ...] = ()
    robots: tuple[Robot, ...] = ()
    scenery: Mapping[str, Shape] = attrs.field(factory=dict)
    stage: Stage = attrs.field(factory=Stage)
    authored_gravity: tuple[Vector, float] | str | None = "plain"
    prim_scale: float = 1.0
    order: str = "authored"
    is_smooth: bool = True
    has_scene: bool = True
    outcomes: tuple[Outcome, ...] = ()

    @property
    def articulations(self) -> tuple[Robot, ...]:
        """The robots that are articulations."""
        return tuple(robot for robot in self.robots if robot.is_articulation)

    def joint_at(self, path: str) -> Joint | None:
        """Return the joint that a path names; None where it is none."""
        for robot in self.robots:
            for joint in robot.joints:
                if self.joint_path(robot, joint) == path:
                    return joint
        return None

    def body_path(self, body: Body) -> str:
        """Return the path of a body that is in no robot."""
        return f"/World/{body.name}"

    def link_path(self, robot: Robot, link: str) -> str:
        """Return the path of a link."""
        return f"/World/{robot.name}/{link}"

    def joint_path(self, robot: Robot, joint: Joint) -> str:
        """Return the path of a joint."""
        return f"/World/{robot.name}/{joint.name}"

    def articulation_path(self, robot: Robot) -> str:
        """Return the path of the prim that has the articulation root: as a rule the root link where it floats."""
        is_above = robot.is_fixed or robot.is_rooted_above
        return f"/World/{robot.name}" if is_above else self.link_path(robot, robot.root.name)


def names_of(system: System) -> Sequence[str]:
    """Return all names of prims that a system chooses."""
    robots = [(robot.name, *(link.name for link in robot.links)) for robot in system.robots]
    return [*(body.name for body in system.bodies), *(name for names in robots for name in names), *system.scenery]
