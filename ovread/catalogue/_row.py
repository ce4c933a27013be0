"""The form of a catalogue row."""

from __future__ import annotations

import enum

import attrs

from ovread import units
from ovread.units import Dimension, StageUnits


class ObjectType(enum.IntEnum):
    """What a query selects. Numbers are those of the ov read API's query targets.

    Engines number some types differently (11 is a contact sensor here and a physics scene in Newton's bridge), so
    always pass the name across, never the number.
    """

    RIGID_BODY = 0
    ARTICULATION_LINK = 1
    ARTICULATION_JOINT = 2
    VEHICLE_WHEEL = 3
    DEFORMABLE_VOLUME = 4
    DEFORMABLE_SURFACE = 5
    PARTICLE_SET = 6
    FIXED_TENDON = 7
    SPATIAL_TENDON = 8
    ARTICULATION = 9
    DEFORMABLE_MATERIAL = 10
    CONTACT_SENSOR = 11
    CHARACTER_CONTROLLER = 12
    VEHICLE = 13
    SCENE = 14
    PHYSX_MATERIAL = 15
    SHAPE = 16
    COMPOUND_SHAPE = 17
    RIGID_ACTOR = 18
    JOINT = 19
    CUSTOM_JOINT = 20
    PARTICLE_SYSTEM = 21
    PHYSICS = 22
    DEBUG_RENDER = 23
    SDF_SHAPE = 24


class ObjectScope(enum.IntEnum):
    """Which objects of a type a query covers: all, or those that moved in the last step."""

    ALL = 0
    ACTIVE = 1


class Layout(enum.StrEnum):
    """How a group stores its rows."""

    FIXED = "fixed"
    """One row of lanes per prim."""
    ARRAY = "array"
    """A run of rows per prim, all in one flat array, delimited by ``offsets``."""
    PER_SHAPE = "per-shape"
    """As ARRAY; the run of a prim holds one row per collision shape."""
    PER_DOF = "per-dof"
    """As ARRAY; the run of a joint holds one row per unlocked axis: twist, swing1, swing2, x, y, z."""
    MATRIX = "matrix"
    """One matrix per prim; its size is that of the group's cohort."""

    @property
    def is_ragged(self) -> bool:
        """Whether prims may have different numbers of rows, so that a group carries ``offsets``."""
        return self in (Layout.ARRAY, Layout.PER_SHAPE, Layout.PER_DOF)


class Frame(enum.StrEnum):
    """The axes that components are expressed in."""

    NONE = "none"
    WORLD = "world"
    BODY = "body"
    """The prim's own axes."""
    COM = "com"
    """The axes of the centre-of-mass frame."""
    JOINT = "joint"
    PARENT_ANCHOR = "parent-anchor"
    """The joint's frame on its parent body."""
    INSTANCER_LOCAL = "instancer-local"
    MESH_LOCAL = "mesh-local"


class Point(enum.StrEnum):
    """The point that a quantity belongs to."""

    NONE = "none"
    ORIGIN = "origin"
    COM = "com"
    """The centre of mass."""
    JOINT = "joint"
    """The joint's origin."""


class Role(enum.StrEnum):
    """How a value behaves when the world is moved, turned or mirrored."""

    SCALAR = "scalar"
    POINT = "point"
    VECTOR = "vector"
    AXIAL_VECTOR = "axial-vector"
    QUATERNION = "quaternion"
    TENSOR = "tensor"
    """A symmetric 3x3 tensor, row-major."""
    POSE = "pose"
    """A point, then a quaternion."""
    TWIST = "twist"
    """A vector, then an axial vector."""
    COORDINATE = "coordinate"
    """Along or about an axis of a joint."""
    GENERALIZED = "generalized"
    """Over degrees of freedom: each entry has the units that the labels of its row and column give it."""
    FLAG = "flag"
    ENUM = "enum"
    COUNT = "count"
    PATH = "path"
    """A handle of a prim path, which ``Simulation.resolve`` turns into the path; 0 where there is none."""
    HANDLE = "handle"
    """A number that means something to one engine in one process only; never compared."""


class Writability(enum.StrEnum):
    """The classes of the ov write API."""

    UNCLASSIFIED = "unclassified"
    WRITABLE = "writable"
    CONDITIONAL = "conditional"
    WRITE_ONLY = "write-only"
    READ_ONLY = "read-only"


class Persistence(enum.StrEnum):
    """How long a value stands."""

    STATE = "state"
    """Changes as the simulation runs."""
    PROPERTY = "property"
    """Stays until somebody changes it."""
    ONE_STEP = "one-step"
    """Consumed by the next step."""
    ONCE = "once"
    """A command, carried out when given."""


@attrs.frozen
class Accepts:
    """Which values a write may set, beside what the attribute's type and role demand.

    Numbers are finite, quaternions have unit length, tensors are symmetric and positive definite, flags are 0 or 1:
    that follows from the role and is not repeated here.

    Args:
        minimum: Least value of each lane; None where there is none.
        maximum: Greatest value of each lane; None where there is none.
        is_open: Whether the minimum itself is excluded.
        others: Values beyond the range that mean something of their own.
        is_ordered: Whether the first half of the lanes is at most the second half, lane by lane.
        is_bound: Whether it is a bound, for which +-FLT_MAX is unlimited.
    """

    minimum: float | None = None
    maximum: float | None = None
    is_open: bool = False
    others: tuple[float, ...] = ()
    is_ordered: bool = False
    is_bound: bool = False

    def __str__(self) -> str:
        parts = []
        if self.minimum is not None and self.maximum is not None:
            parts.append(f"{self.minimum:g} to {self.maximum:g}")
        elif self.minimum is not None:
            parts.append(f"{'more than' if self.is_open else 'at least'} {self.minimum:g}")
        parts.extend(f"or {other:g}" for other in self.others)
        if self.is_ordered:
            parts.append("the lower bound at most the upper")
        return " ".join(parts)


NON_NEGATIVE = Accepts(0.0)
POSITIVE = Accepts(0.0, is_open=True)
FRACTION = Accepts(0.0, 1.0)
SIGNED_FRACTION = Accepts(-1.0, 1.0)
ORDERED = Accepts(is_ordered=True)
LIMITS = Accepts(is_ordered=True, is_bound=True)
BOUND = Accepts(0.0, is_bound=True)


@attrs.frozen
class Attribute:
    """One row of the catalogue.

    Args:
        object_type: The type of object that has the attribute.
        name: The attribute's name.
        dtype: ``f32``, ``i32``, ``u8``, ``u32`` or ``u64``.
        lanes: Names of the components of one row, in order.
        layout: How a group stores its rows.
        dimension: Physical dimension; for joint rows that of a translational axis. Rows whose lanes differ in
            dimension (a wrench, a twist) give that of the first half.
        angular: Dimension on a rotational axis, or of the second half of the lanes; None where there is none.
        frame: Axes that components are expressed in.
        point: Point that the quantity belongs to.
        role: How the value transforms.
        residency: ``device`` (on a GPU simulation, in GPU memory) or ``host``.
        readable: Whether it can be read.
        writability: Class of the write API.
        persistence: How long a value stands.
        accepts: Which values a write may set.
        meaning: One sentence.
    """

    object_type: ObjectType
    name: str
    dtype: str
    lanes: tuple[str, ...]
    meaning: str
    layout: Layout = Layout.FIXED
    dimension: Dimension = units.NONE
    angular: Dimension | None = None
    frame: Frame = Frame.NONE
    point: Point = Point.NONE
    role: Role = Role.SCALAR
    residency: str = "host"
    readable: bool = True
    writability: Writability = Writability.READ_ONLY
    persistence: Persistence = Persistence.PROPERTY
    accepts: Accepts = Accepts()

    @property
    def key(self) -> tuple[ObjectType, str]:
        """Object type and name."""
        return (self.object_type, self.name)

    @property
    def accepted(self) -> str:
        """Which values a write may set, in words."""
        by_role = {
            Role.QUATERNION: "length 1",
            Role.TENSOR: "symmetric, positive definite",
            Role.FLAG: "0 or 1",
        }
        return by_role.get(self.role) or str(self.accepts) or ("finite" if self.dtype == "f32" else "any")

    def units(self, stage: StageUnits | None = None) -> str:
        """Spell the units: in a stage's own (``cm/s``), or in general (``length/s``).

        Where rotational and translational axes differ, both are given, the rotational ones first: ``deg or m``.
        """
        spell = str if stage is None else (lambda dimension: dimension.in_units(stage))
        linear = spell(self.dimension)
        if self.angular is None:
            return linear
        angular = spell(self.angular)
        if self.role in (Role.COORDINATE, Role.GENERALIZED):
            return linear if linear == angular else f"{angular} or {linear}"
        return f"{linear}, {angular}"


XYZ = ("x", "y", "z")
QUATERNION = ("qx", "qy", "qz", "qw")
MATRIX3 = ("xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz")
VALUE = ("value",)
