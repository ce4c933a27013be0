"""The same system, written down in another way; and how each value reads then."""

from __future__ import annotations

from collections.abc import Callable

import attrs
import numpy as np
import numpy.typing as npt
import pinocchio as pin

from ovread_conformance.systems._model import Body, Drive, Joint, Robot, Shape, Stage, System, Vector, at

Array = npt.NDArray[np.float64]

_MIRROR = np.diag([-1.0, 1.0, 1.0])
_Y_UP = pin.AngleAxis(-np.pi / 2, np.array([1.0, 0.0, 0.0])).matrix()
"""What takes Z up to Y up."""


@attrs.frozen(eq=False)
class Variant:
    """A change of how a system is written down.

    Args:
        name: Short name.
        meters_per_unit: Length unit of the stage.
        kilograms_per_unit: Mass unit of the stage.
        up_axis: Up axis; with ``Y`` the whole world is turned.
        world: A rotation and translation (in metres) of the whole world, gravity included.
        is_mirrored: Whether the world is reflected in the plane x = 0.
        swaps: Whether the bodies of each joint about or along one axis change places.
        renames: Whether prims have other names, in another natural order.
        is_reversed: Whether prims are written in the opposite order.
        prim_scale: Scale of the prim above all others.
    """

    name: str
    meters_per_unit: float = 1.0
    kilograms_per_unit: float = 1.0
    up_axis: str = "Z"
    world: pin.SE3 = attrs.field(factory=at)
    is_mirrored: bool = False
    swaps: bool = False
    renames: bool = False
    is_reversed: bool = False
    prim_scale: float = 1.0

    @property
    def length(self) -> float:
        """Stage units in a metre."""
        return 1 / self.meters_per_unit

    @property
    def mass(self) -> float:
        """Stage units in a kilogram."""
        return 1 / self.kilograms_per_unit

    @property
    def rotation(self) -> Array:
        """The orthogonal matrix by which directions of the world turn; improper where it is mirrored."""
        turn = self.world.rotation @ (_MIRROR if self.is_mirrored else np.eye(3))
        return np.asarray(_Y_UP @ turn if self.up_axis == "Y" else turn)

    @property
    def local(self) -> Array:
        """The same of the axes of bodies and joints: only mirroring changes them."""
        return _MIRROR if self.is_mirrored else np.eye(3)

    @property
    def translation(self) -> Array:
        """Where the origin of the world goes, in stage units."""
        moved = self.length * np.array(self.world.translation)
        return np.asarray(_Y_UP @ moved if self.up_axis == "Y" else moved)

    def name_of(self, name: str) -> str:
        """Return what a prim is called: reversed letters put names in another order."""
        return f"n_{name[::-1]}" if self.renames else name

    def coordinate_sign(self, letter: str, *, is_linear: bool) -> float:
        """Return the sign that a joint coordinate along or about a frame axis takes: of two reflections, none."""
        if not self.is_mirrored:
            return 1.0
        along = -1.0 if letter == "X" else 1.0
        return along if is_linear else -along


def express(system: System, variant: Variant) -> System:
    """Return the system as the variant writes it, in the stage's units."""
    return _Writer(variant).system(system)


class _Writer:
    def __init__(self, variant: Variant) -> None:
        self._variant = variant
        self._length = variant.length
        self._mass = variant.mass

    def system(self, system: System) -> System:
        """Write everything."""
        variant = self._variant
        return attrs.evolve(
            system,
            name=f"{system.name} {variant.name}",
            gravity=self._direction(system.gravity, self._length),
            bodies=tuple(self._body(body, self._world(body.pose)) for body in system.bodies),
            robots=tuple(map(self._robot, system.robots)),
            scenery={
                variant.name_of(name): self._shape(shape, self._world(shape.frame))
                for name, shape in system.scenery.items()
            },
            stage=Stage(variant.meters_per_unit, variant.kilograms_per_unit, variant.up_axis),
            prim_scale=variant.prim_scale,
            order="reversed" if variant.is_reversed else system.order,
        )

    def _world(self, frame: pin.SE3) -> pin.SE3:
        """Write a frame that is given in the world."""
        variant = self._variant
        rotation = variant.rotation @ frame.rotation @ variant.local.T
        translation = self._length * variant.rotation @ frame.translation + variant.translation
        return pin.SE3(rotation, translation)

    def _local(self, frame: pin.SE3) -> pin.SE3:
        """Write a frame that is given in a body."""
        axes = self._variant.local
        return pin.SE3(axes @ frame.rotation @ axes.T, self._length * axes @ frame.translation)

    def _direction(self, vector: Vector, scale: float) -> Vector:
        return _vector(scale * self._variant.rotation @ np.array(vector))

    def _axial(self, vector: Vector) -> Vector:
        rotation = self._variant.rotation
        return _vector(np.linalg.det(rotation) * rotation @ np.array(vector))

    def _body(self, body: Body, pose: pin.SE3) -> Body:
        inertia = self._mass * self._length**2
        return attrs.evolve(
            body,
            name=self._variant.name_of(body.name),
            mass=self._mass * body.mass,
            centre=self._local(body.centre),
            moments=_vector(inertia * np.array(body.moments)),
            pose=pose,
            target=None if body.target is None else self._world(body.target),
            velocity=self._direction(body.velocity, self._length),
            spin=self._axial(body.spin),
            shapes=tuple(self._shape(shape, self._local(shape.frame)) for shape in body.shapes),
        )

    def _shape(self, shape: Shape, frame: pin.SE3) -> Shape:
        density = self._mass / self._length**3
        return attrs.evolve(
            shape,
            size=_vector(self._length * np.array(shape.size)),
            frame=frame,
            contact_offset=_scaled(shape.contact_offset, self._length),
            rest_offset=_scaled(shape.rest_offset, self._length),
            density=_scaled(shape.density, density),
            material_density=_scaled(shape.material_density, density),
            mass=_scaled(shape.mass, self._mass),
        )

    def _robot(self, robot: Robot) -> Robot:
        return attrs.evolve(
            robot,
            name=self._variant.name_of(robot.name),
            links=tuple(self._body(link, self._world(link.pose)) for link in robot.links),
            joints=tuple(map(self._joint, robot.joints)),
        )

    def _joint(self, joint: Joint) -> Joint:
        variant = self._variant
        swapped = variant.swaps and len(joint.axes) == 1
        scale = self._length if joint.is_linear else 1.0
        signs = np.array([variant.coordinate_sign(letter, is_linear=joint.is_linear) for letter in joint.letters])
        effort = self._mass * self._length * (1.0 if joint.is_linear else self._length)
        factor = scale * signs * (-1.0 if swapped else 1.0)
        frames = (self._local(joint.frame0), self._local(joint.frame1))
        written = attrs.evolve(
            joint,
            parent=variant.name_of(joint.parent) if joint.parent else "",
            child=variant.name_of(joint.child),
            frame0=frames[swapped],
            frame1=frames[not swapped],
            is_swapped=joint.is_swapped != swapped,
            position=tuple((factor[: len(joint.position)] * np.array(joint.position)).tolist()),
            velocity=tuple((factor[: len(joint.velocity)] * np.array(joint.velocity)).tolist()),
            armature=joint.armature * self._mass * (1.0 if joint.is_linear else self._length**2),
            friction=joint.friction * effort,
            static_friction=_scaled(joint.static_friction, effort),
            viscous_friction=joint.viscous_friction * effort / scale,
            max_velocity=_scaled(joint.max_velocity, scale),
            efforts=tuple((effort / scale * factor[: len(joint.efforts)] * np.array(joint.efforts)).tolist()),
        )
        if joint.limit is not None:
            low, high = sorted(float(factor[0]) * bound for bound in joint.limit)
            written = attrs.evolve(written, limit=(low, high))
        if joint.drive is not None:
            written = attrs.evolve(written, drive=self._drive(joint, joint.drive, float(factor[0])))
        return written

    def _drive(self, joint: Joint, drive: Drive, factor: float) -> Drive:
        gain = self._mass * (1.0 if joint.is_linear else self._length**2)
        effort = self._mass * self._length * (1.0 if joint.is_linear else self._length)
        return attrs.evolve(
            drive,
            stiffness=gain * drive.stiffness,
            damping=gain * drive.damping,
            target=factor * drive.target,
            velocity_target=factor * drive.velocity_target,
            max_force=effort * drive.max_force,
            envelope=None if drive.envelope is None else self._envelope(joint, drive.envelope, effort),
        )

    def _envelope(self, joint: Joint, envelope: Vector, effort: float) -> Vector:
        gradient, rate, resistance = envelope
        scale = self._length if joint.is_linear else 1.0
        return gradient * scale / effort, rate * scale, resistance * effort / scale


def _scaled(value: float | None, scale: float) -> float | None:
    return None if value is None else scale * value


def _vector(values: npt.ArrayLike) -> Vector:
    x, y, z = np.asarray(values, dtype=float).tolist()
    return (x, y, z)


Written = Callable[[System], System]

_TURNED = at(0.7, -1.3, 0.4, about=(1, -2, 2), degrees=70)

PLAIN = Variant("as it is")
VARIANTS = (
    Variant("centimetres", meters_per_unit=0.01),
    Variant("millimetres", meters_per_unit=0.001),
    Variant("feet", meters_per_unit=0.3048),
    Variant("grams", kilograms_per_unit=0.001),
    Variant("centimetres and grams, Y up", meters_per_unit=0.01, kilograms_per_unit=0.001, up_axis="Y"),
    Variant("Y up", up_axis="Y"),
    Variant("turned", world=_TURNED),
    Variant("mirrored", is_mirrored=True),
    Variant("swapped bodies", swaps=True),
    Variant("renamed", renames=True),
    Variant("written in reverse", is_reversed=True),
    Variant("under a scaled prim", prim_scale=2.0),
)
"""All ways of writing a system down."""
