"""Articulations written down once: as USD text for an engine, and as a Pinocchio model (float64) to hold it against."""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import numpy as np
import pinocchio as pin

SPATIAL = [f"{kind}.{axis}" for kind in ("linear", "angular") for axis in "xyz"]
TYPES = {
    "fixed": "PhysicsFixedJoint",
    "revolute": "PhysicsRevoluteJoint",
    "prismatic": "PhysicsPrismaticJoint",
    "spherical": "PhysicsSphericalJoint",
    "d6": "PhysicsJoint",
}
ROTATIONS = ("rotX", "rotY", "rotZ")
AXES = {"revolute": ["twist"], "prismatic": ["x"], "fixed": [], "spherical": ["twist", "swing1", "swing2"]}


def at(x=0.0, y=0.0, z=0.0, *, about=(1.0, 0.0, 0.0), degrees=0.0):
    """A frame: where its origin lies and how it is turned."""
    axis = np.asarray(about, float) / np.linalg.norm(about)
    return pin.SE3(pin.AngleAxis(np.deg2rad(degrees), axis).matrix(), np.array([x, y, z], float))


@attrs.frozen(eq=False)
class Link:
    """A link with the joint that leads to it; ``q`` and ``v`` are of body1 relative to body0, in degrees or length.

    ``frame0`` and ``frame1`` are the joint's frames in body0 and body1; with ``swapped``, body0 is the child.
    """

    name: str
    parent: str | None = None
    kind: str = "fixed"
    axis: str = "X"
    frame0: pin.SE3 = attrs.field(factory=at)
    frame1: pin.SE3 = attrs.field(factory=at)
    swapped: bool = False
    mass: float = 1.0
    centre: pin.SE3 = attrs.field(factory=at)
    moments: tuple[float, float, float] = (0.1, 0.12, 0.15)
    q: tuple[float, ...] = ()
    v: tuple[float, ...] = ()
    armature: float = 0.0
    free: tuple[int, ...] = (0, 1, 2)

    @property
    def joint(self):
        return f"/W/r/j_{self.name}"

    @property
    def sides(self):
        """The joint's frame in the parent and in the child, and the sign of its coordinates there."""
        return (self.frame1, self.frame0, -1.0) if self.swapped else (self.frame0, self.frame1, 1.0)

    @property
    def scale(self):
        return 1.0 if self.kind == "prismatic" else np.deg2rad(1.0)

    @property
    def state_names(self):
        names = {"revolute": ["angular"], "prismatic": ["linear"], "d6": [ROTATIONS[axis] for axis in self.free]}
        return names.get(self.kind, [])


@attrs.frozen(eq=False)
class Mechanism:
    """An articulation ``/W/r`` and the gravity around it; ``twist`` is the root's velocity, linear and in deg/s."""

    links: Sequence[Link]
    is_fixed: bool = True
    root: pin.SE3 = attrs.field(factory=at)
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)
    twist: tuple[tuple[float, ...], tuple[float, ...]] = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))

    def changed(self, name, **changes):
        """The same with one link changed."""
        links = [attrs.evolve(link, **changes) if link.name == name else link for link in self.links]
        return attrs.evolve(self, links=links)

    def poses(self):
        model = Oracle(self)
        return {link.name: model.pose(link.name) for link in self.links}

    def usda(self, *, joint_order=None, root_on_link=True):
        strength = float(np.linalg.norm(self.gravity))
        down = np.divide(self.gravity, strength) if strength else (0, 0, -1)
        on_link = root_on_link and not self.is_fixed
        root_api = "" if on_link else '(\nprepend apiSchemas = ["PhysicsArticulationRootAPI"]\n)'
        names = joint_order or [link.name for link in self.links[1:]]
        by_name = {link.name: link for link in self.links}
        poses = self.poses()
        parts = [
            '#usda 1.0\n(\ndefaultPrim = "W"\nmetersPerUnit = 1\nkilogramsPerUnit = 1\nupAxis = "Z"\n)',
            f'def PhysicsScene "Scene"\n{{\nvector3f physics:gravityDirection = {_tuple(down)}',
            f"float physics:gravityMagnitude = {strength}\n}}",
            f'def Xform "W"\n{{\ndef Xform "r" {root_api}\n{{',
            *(self._link(link, poses[link.name], has_root_api=on_link and not link.parent) for link in self.links),
        ]
        if self.is_fixed:
            parts.append(f'def PhysicsFixedJoint "world"\n{{\nrel physics:body1 = </W/r/{self.links[0].name}>')
            parts.append(f"{_frame(0, self.root)}\n}}")
        return "\n".join([*parts, *(_joint(by_name[name]) for name in names), "}\n}\n"])

    def _link(self, link, pose, *, has_root_api):
        schemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI", "PhysxRigidBodyAPI"]
        schemas += ["PhysicsArticulationRootAPI"] if has_root_api else []
        linear, angular = self.twist if link.parent is None else ((0, 0, 0), (0, 0, 0))
        return f"""def Xform "{link.name}" (
prepend apiSchemas = {_names(schemas)}
)
{{
double3 xformOp:translate = {_tuple(pose.translation)}
quatd xformOp:orient = {_quaternion(pose)}
uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]
float physics:mass = {link.mass}
point3f physics:centerOfMass = {_tuple(link.centre.translation)}
float3 physics:diagonalInertia = {_tuple(link.moments)}
quatf physics:principalAxes = {_quaternion(link.centre)}
float physxRigidBody:angularDamping = 0
vector3f physics:velocity = {_tuple(linear)}
vector3f physics:angularVelocity = {_tuple(angular)}
}}"""


def _joint(link):
    body0, body1 = (link.name, link.parent) if link.swapped else (link.parent, link.name)
    schemas, lines = [], []
    for name, position in zip(link.state_names, link.q, strict=False):
        schemas.append(f"PhysicsJointStateAPI:{name}")
        lines.append(f"float state:{name}:physics:position = {position}")
    for name, rate in zip(link.state_names, link.v, strict=False):
        lines.append(f"float state:{name}:physics:velocity = {rate}")
    if link.kind == "d6":
        locked = ["transX", "transY", "transZ", *(name for i, name in enumerate(ROTATIONS) if i not in link.free)]
        schemas += [f"PhysicsLimitAPI:{name}" for name in locked]
        lines += [f"float limit:{name}:physics:low = 1\nfloat limit:{name}:physics:high = -1" for name in locked]
        # An axis without limits is free; one importer wants to be told.
        schemas += [f"PhysicsLimitAPI:{name}" for name in link.state_names]
        lines += [
            f"float limit:{name}:physics:low = -inf\nfloat limit:{name}:physics:high = inf" for name in link.state_names
        ]
    elif link.kind != "fixed":
        lines.append(f'uniform token physics:axis = "{link.axis}"')
    if link.armature:
        schemas.append("NewtonJointAPI")
        lines.append(f"float newton:armature = {link.armature}")
    header = f"(\nprepend apiSchemas = {_names(schemas)}\n)" if schemas else ""
    body = "\n".join(lines)
    return f"""def {TYPES[link.kind]} "j_{link.name}" {header}
{{
rel physics:body0 = </W/r/{body0}>
rel physics:body1 = </W/r/{body1}>
{_frame(0, link.frame0)}
{_frame(1, link.frame1)}
{body}
}}"""


def _frame(side, frame):
    position, rotation = _tuple(frame.translation), _quaternion(frame)
    return f"point3f physics:localPos{side} = {position}\nquatf physics:localRot{side} = {rotation}"


def _tuple(values):
    return tuple(float(value) for value in values)


def _quaternion(frame):
    x, y, z, w = pin.Quaternion(frame.rotation).coeffs().tolist()
    return (w, x, y, z)


def _names(names):
    return "[" + ", ".join(f'"{name}"' for name in names) + "]"


class Oracle:
    """A mechanism in Pinocchio, in coordinates of this API.

    These are the authored joints' in radians or length, and for a floating root the velocity of its centre of mass and
    its angular velocity, in world axes. Columns are asked for by label.
    """

    def __init__(self, mechanism):
        self.mechanism = mechanism
        self.model = pin.Model()
        self.model.gravity.linear = np.array(mechanism.gravity, float)
        self._places = {}
        self._index = {}
        coordinates, rates, signs = [], [], []
        # Pinocchio wants joints depth first.
        for link in _depth_first(mechanism.links, mechanism.links[0]):
            self._add(link, coordinates, rates, signs)
        self.data = self.model.createData()
        self.q = np.array(coordinates, float)
        self._to_native = np.diag(np.array(signs, float))
        self._rate_of_change = np.zeros_like(self._to_native)
        self.rates = np.array(rates, float)
        if not mechanism.is_fixed:
            self._float(mechanism)
        self._v = self._to_native @ self.rates
        self._a = self._rate_of_change @ self.rates
        pin.framesForwardKinematics(self.model, self.data, self.q)
        pin.computeJointJacobians(self.model, self.data, self.q)

    def _add(self, link, coordinates, rates, signs):
        mechanism = self.mechanism
        if link.parent is None and mechanism.is_fixed:
            joint, place = 0, mechanism.root
        elif link.parent is None:
            joint, place = self.model.addJoint(0, pin.JointModelFreeFlyer(), at(), "root"), at()
            coordinates += pin.SE3ToXYZQUAT(mechanism.root).tolist()
            rates += [*mechanism.twist[0], *np.deg2rad(mechanism.twist[1])]
            signs += [1.0] * 6
            self._index |= {f"/W/r/{link.name}:{name}": index for index, name in enumerate(SPATIAL)}
        else:
            joint, place = self._add_joint(link, coordinates, rates, signs)
        self._places[link.name] = joint, place
        inertia = link.centre.rotation @ np.diag(link.moments) @ link.centre.rotation.T
        self.model.appendBodyToJoint(joint, pin.Inertia(link.mass, link.centre.translation, inertia), place)
        for name, frame in ((link.name, at()), (f"{link.name} com", at(*link.centre.translation))):
            self.model.addFrame(pin.Frame(name, joint, place * frame, pin.FrameType.OP_FRAME), False)

    def _add_joint(self, link, coordinates, rates, signs):
        parent, place = self._places[link.parent]
        near, far, sign = link.sides
        if link.kind == "fixed":
            return parent, place * near * far.inverse()
        joints = {
            "revolute": {"X": pin.JointModelRX, "Y": pin.JointModelRY, "Z": pin.JointModelRZ},
            "prismatic": {"X": pin.JointModelPX, "Y": pin.JointModelPY, "Z": pin.JointModelPZ},
        }
        many = link.kind in ("spherical", "d6")
        made = pin.JointModelSpherical() if many else joints[link.kind][link.axis]()
        joint = self.model.addJoint(parent, made, place * near, link.name)
        size = 3 if many else 1
        q, v = ((*values, *[0.0] * size)[:size] for values in (link.q, link.v))
        native = sign * link.scale * np.array(q)
        coordinates += pin.Quaternion(pin.exp3(native)).coeffs().tolist() if many else native.tolist()
        rates += (link.scale * np.array(v)).tolist()
        signs += [sign] * size
        first = self.model.joints[joint].idx_v
        names = AXES["spherical"] if many else AXES[link.kind]
        self._index |= {f"{link.joint}:{name}": first + index for index, name in enumerate(names)}
        return joint, far.inverse()

    def _float(self, mechanism):
        """Pinocchio's free flyer has the velocity of the origin, in body axes."""
        turn = mechanism.root.rotation
        arm = turn @ mechanism.links[0].centre.translation
        spin = np.deg2rad(mechanism.twist[1])
        turning = pin.skew(spin) @ turn
        for matrix, axes, lever in (
            (self._to_native, turn.T, turn.T @ pin.skew(arm)),
            (self._rate_of_change, turning.T, turning.T @ pin.skew(arm) + turn.T @ pin.skew(np.cross(spin, arm))),
        ):
            matrix[:3, :3] = matrix[3:6, 3:6] = axes
            matrix[:3, 3:6] = lever

    def _columns(self, labels):
        return [self._index[label] for label in labels]

    def _vector(self, native, labels):
        return (self._to_native.T @ native)[self._columns(labels)]

    def pose(self, link):
        return self.data.oMf[self.model.getFrameId(link)]

    def centre(self, link):
        return self.data.oMf[self.model.getFrameId(f"{link} com")].translation

    def mass_matrix(self, labels):
        upper = np.triu(pin.crba(self.model, self.data, self.q))
        whole = upper + np.triu(upper, 1).T
        columns = self._columns(labels)
        armature = np.zeros(self.model.nv)
        for link in self.mechanism.links:
            armature[[index for label, index in self._index.items() if label.startswith(f"{link.joint}:")]] = (
                link.armature
            )
        return (self._to_native.T @ whole @ self._to_native + np.diag(armature))[np.ix_(columns, columns)]

    def jacobian(self, rows, labels):
        """Rows are labels of links' velocities."""
        frames = {label.rpartition(":")[0]: None for label in rows}
        blocks = {}
        for path in frames:
            link = path.rpartition("/")[2]
            native = np.zeros((6, self.model.nv))
            if self._places[link][0]:
                frame = self.model.getFrameId(f"{link} com")
                native = pin.getFrameJacobian(self.model, self.data, frame, pin.LOCAL_WORLD_ALIGNED)
            block = (np.reshape(native, (6, -1)) @ self._to_native)[:, self._columns(labels)]
            blocks |= {f"{path}:{name}": row for name, row in zip(SPATIAL, block, strict=True)}
        return np.array([blocks[label] for label in rows])

    def gravity_force(self, labels):
        return self._vector(pin.computeGeneralizedGravity(self.model, self.data, self.q), labels)

    def coriolis_force(self, labels):
        whole = pin.rnea(self.model, self.data, self.q, self._v, self._a)
        return self._vector(whole - pin.computeGeneralizedGravity(self.model, self.data, self.q), labels)

    def centroidal_momentum(self, labels):
        """The last label is that of the bias."""
        matrix = np.array(pin.computeCentroidalMap(self.model, self.data, self.q)) @ self._to_native
        pin.computeCentroidalMomentumTimeVariation(self.model, self.data, self.q, self._v, self._a)
        bias = np.concatenate([self.data.dhg.linear, self.data.dhg.angular])
        return np.column_stack([matrix[:, self._columns(labels[:-1])], bias])

    def values(self, result):
        """What a read of the articulation's matrices and forces should give, by name."""
        labels = {name: result[name].labels[0] for name in ("jacobian", "massMatrix")}
        columns = labels["massMatrix"].columns
        expected = {
            "jacobian": self.jacobian(labels["jacobian"].rows, columns),
            "massMatrix": self.mass_matrix(columns),
            "coriolisForce": self.coriolis_force(columns),
            "gravityForce": self.gravity_force(columns),
        }
        if not self.mechanism.is_fixed:
            name = "centroidalMomentum"
            expected[name] = self.centroidal_momentum(result[name].labels[0].columns)
        return expected

    def centre_of_mass(self):
        return pin.centerOfMass(self.model, self.data, self.q)


def _depth_first(links, link):
    yield link
    for child in links:
        if child.parent == link.name:
            yield from _depth_first(links, child)


ROOT = at(0.3, -0.2, 1.0, about=(1, 2, -1), degrees=25)
TILTED = (1.0, 2.0, -9.0)
BRANCHED = (
    Link("z", mass=2.0, centre=at(0.1, 0.05, about=(1, 2, 3), degrees=30), moments=(0.2, 0.3, 0.4)),
    Link("c", "z", "revolute", "Y", at(0.5, 0.1, about=(0, 0, 1), degrees=40), at(-0.3, 0, 0.1, degrees=20),
         centre=at(0.2, 0.1), moments=(0.02, 0.03, 0.04), q=(20.0,), v=(50.0,), armature=0.3),
    Link("a", "c", "revolute", "Z", at(0.3, about=(1, 1, 0), degrees=25), at(-0.3, about=(0, 1, 1), degrees=-35),
         swapped=True, centre=at(0.1, 0.2, 0.1), moments=(0.02, 0.01, 0.015), q=(-30.0,), v=(-70.0,)),
    Link("b10", "z", "prismatic", "X", at(-0.2, 0, 0.3, about=(0, 1, 0), degrees=-50), mass=1.5,
         centre=at(0, 0.1, 0.2), q=(0.2,), v=(0.4,)),
    Link("b9", "b10", "revolute", "X", at(0, 0.4), at(0, -0.2), centre=at(0, 0.1), q=(35.0,), v=(90.0,)),
    Link("x", "z", frame0=at(0, 0, -0.5), mass=0.7, centre=at(0, 0, -0.1)),
    Link("d", "x", "revolute", "Y", at(0, 0, -0.2), at(0.2, 0, 0.2), centre=at(0.1), q=(10.0,), v=(-40.0,)),
)  # fmt: skip
"""Breadth first, depth first, authored and natural order all differ: b9 before b10, x fixed, a with swapped bodies."""

FIXED = Mechanism(BRANCHED, True, ROOT, TILTED)
FLOATING = Mechanism(BRANCHED, False, ROOT, TILTED, ((0.3, -0.2, 0.5), (40.0, 20.0, -30.0)))
