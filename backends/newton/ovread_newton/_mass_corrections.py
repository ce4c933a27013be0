"""Mass, centre of mass and inertia as UsdPhysics resolves them, where the importer does it otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
import numpy.typing as npt

from ovread.backend import Diagnostic
from ovread_newton._rotations import rotation_matrix
from ovread_newton._scene_import import Correction, SceneImport, findings
from ovread_newton._stage import StageView, rigid_pose

if TYPE_CHECKING:
    import newton

_WATER = 1000.0
"""Density in kg/m3 where none is authored."""
_POINT_RADIUS = 0.1
"""Radius in metres of the sphere that stands for a body without colliders."""

_SOLID_APPROXIMATIONS = ("boundingSphere", "boundingCube", "convexHull")


@attrs.frozen(eq=False)
class _Mass:
    """Mass properties: the inertia is about the centre, in the axes that the centre is given in."""

    mass: float
    center: npt.NDArray[np.float64]
    inertia: npt.NDArray[np.float64]

    def scaled(self, factor: float) -> _Mass:
        return _Mass(self.mass * factor, self.center, self.inertia * factor)

    def about(self, center: npt.NDArray[np.float64]) -> _Mass:
        """Move the centre of mass and add the parallel-axis term."""
        return _Mass(self.mass, center, self.inertia + _steiner(self.mass, center - self.center))

    def posed(self, position: npt.NDArray[np.float64], rotation: npt.NDArray[np.float64]) -> _Mass:
        """Express in the frame that this frame has the given pose in."""
        return _Mass(self.mass, position + rotation @ self.center, rotation @ self.inertia @ rotation.T)

    def is_close(self, other: _Mass) -> bool:
        size = max(np.abs(self.inertia).max(), np.abs(other.inertia).max())
        return bool(
            np.isclose(self.mass, other.mass, rtol=1e-5)
            and np.allclose(self.center, other.center, rtol=1e-5, atol=1e-6)
            and np.allclose(self.inertia, other.inertia, rtol=1e-4, atol=1e-5 * size)
        )


def _steiner(mass: float, offset: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return mass * (offset @ offset * np.eye(3) - np.outer(offset, offset))


def _sum(parts: Sequence[_Mass]) -> _Mass:
    mass = sum(part.mass for part in parts)
    if mass <= 0:
        return _Mass(0.0, np.zeros(3), np.zeros((3, 3)))
    center = sum((part.mass * part.center for part in parts), np.zeros(3)) / mass
    return _Mass(mass, center, sum((part.about(center).inertia for part in parts), np.zeros((3, 3))))


@attrs.frozen(eq=False)
class _MassAPI:
    """What PhysicsMassAPI says of a prim; 0 and None where it says nothing."""

    mass: float = 0.0
    density: float = 0.0
    center: npt.NDArray[np.float64] | None = None
    inertia: npt.NDArray[np.float64] | None = None


_NOTHING = _MassAPI()


def _read_mass_apis(view: StageView) -> dict[str, _MassAPI]:
    paths = view.with_schema("PhysicsMassAPI", "NewtonMassAPI")
    names = ("mass", "density", "centerOfMass", "diagonalInertia", "principalAxes")
    columns = view.columns([f"physics:{name}" for name in names] + ["newton:inertia"], paths)

    def read(path: str) -> _MassAPI:
        mass, density, center, diagonal, axes, full = (column.get(path) for column in columns.values())
        return _MassAPI(
            max(float(mass[0]), 0.0) if mass is not None else 0.0,
            max(float(density[0]), 0.0) if density is not None else 0.0,
            center.astype(float) if center is not None and np.isfinite(center).all() else None,
            _authored_inertia(diagonal, axes, full),
        )

    return {path: read(path) for path in paths}


def _authored_inertia(
    diagonal: npt.NDArray[Any] | None, axes: npt.NDArray[Any] | None, full: npt.NDArray[Any] | None
) -> npt.NDArray[np.float64] | None:
    if full is not None and len(full) == 6:
        xx, yy, zz, xy, xz, yz = full.astype(float)
        return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if diagonal is None or not np.any(diagonal):
        return None
    inertia = np.diag(diagonal.astype(float))
    if axes is None or not np.any(axes):
        return inertia
    turned = rotation_matrix(axes)
    return turned @ inertia @ turned.T


def use_default_density(scene: SceneImport) -> Iterator[Diagnostic]:
    """Give the builder the density of water in the stage's units."""
    units = scene.units
    scene.builder.default_shape_cfg.density = _WATER * units.meters_per_unit**3 / units.kilograms_per_unit
    yield from ()


def resolve_masses(scene: SceneImport) -> Iterator[Diagnostic]:
    """Recompute the bodies whose mass properties a correction changes, from their collision shapes."""
    resolver = _Resolver(scene)
    for path, body in scene.bodies().items():
        yield from resolver.resolve(path, body)
    default = scene.builder.default_shape_cfg.density
    if scene.applies("default-density") and not np.isclose(default, _WATER):
        message = f"The default density of {_WATER:g} kg/m3 is {default:g} in the stage's units of mass and length."
        yield from findings("default-density", resolver.of_default_density, message)


class _Resolver:
    def __init__(self, scene: SceneImport) -> None:
        self._scene = scene
        self._builder: newton.ModelBuilder = scene.builder
        view = scene.view
        self._apis = _read_mass_apis(view)
        self.of_default_density: list[str] = []
        self._colliders = _collider_paths(scene)
        paths = sorted(set(self._colliders.values()))
        self._approximations = view.tokens("physics:approximation", paths)
        bindings = {path: targets[0] for path, targets in view.targets("material:binding:physics", paths).items()}
        densities = view.floats("physics:density", sorted(set(bindings.values())))
        self._material_densities = {path: densities.get(material, 0.0) for path, material in bindings.items()}
        measured = {path for path in paths if self._own(path) is not _NOTHING}
        bodies = set(map(str, self._builder.body_label)) if measured else set()
        self._matrices = view.column("omni:fabric:worldMatrix", sorted(measured | bodies))

    def _own(self, collider: str) -> _MassAPI:
        return self._apis.get(collider, _NOTHING)

    def resolve(self, path: str, body: int) -> Iterator[Diagnostic]:
        api = self._apis.get(path, _NOTHING)
        shapes = [shape for shape in self._builder.body_shapes.get(body, ()) if shape in self._colliders]
        if not all(self._builder.shape_is_solid[shape] for shape in shapes):
            return
        self._note_default_density(path, api, shapes)
        imported = self._imported(body)
        reasons = [rule for rule in self._reasons(path, api, shapes, imported) if self._scene.applies(rule)]
        if not reasons:
            return
        resolved = self._resolved(path, api, shapes, imported)
        if resolved.is_close(imported):
            return
        self._store(body, resolved)
        for rule in reasons:
            yield Diagnostic(path, rule, f"{_WHY[rule]} {_compared(imported, resolved)}")

    def _note_default_density(self, path: str, api: _MassAPI, shapes: Sequence[int]) -> None:
        unknown = [shape for shape in shapes if not self._density(path, api, shape)]
        if not api.mass and any(not self._own(self._colliders[shape]).mass for shape in unknown):
            self.of_default_density.append(path)

    def _reasons(self, path: str, api: _MassAPI, shapes: Sequence[int], imported: _Mass) -> Iterator[str]:
        if api.mass and api.inertia is not None and api.center is not None:
            return
        own = [self._own(self._colliders[shape]) for shape in shapes if self._colliders[shape] != path]
        if any(each is not _NOTHING for each in own):
            yield "mass-on-collider"
        if any(
            self._colliders[shape] in self._material_densities and self._density(path, api, shape) for shape in shapes
        ):
            yield "material-density"
        if any(self._approximation(shape) in _SOLID_APPROXIMATIONS for shape in shapes):
            yield "approximation-mass"
        if api.center is not None and api.inertia is None and shapes:
            yield "center-of-mass-inertia"
        if imported.mass == 0 or (not shapes and api.inertia is None):
            yield "no-mass"

    def _approximation(self, shape: int) -> str:
        return next(iter(self._approximations.get(self._colliders[shape], ())), "")

    def _density(self, path: str, api: _MassAPI, shape: int) -> float:
        """Return a collider's density: its own, its body's, its material's, or 0, where none is authored."""
        collider = self._colliders[shape]
        if collider != path and self._scene.applies("mass-on-collider") and self._own(collider).density:
            return self._own(collider).density
        material = self._material_densities.get(collider)
        if material is not None and not self._scene.applies("material-density"):
            return material
        return api.density or material or 0.0

    def _imported(self, body: int) -> _Mass:
        builder = self._builder
        center = np.array(builder.body_com[body], dtype=float)
        inertia = np.array(builder.body_inertia[body], dtype=float).reshape(3, 3)
        return _Mass(float(builder.body_mass[body]), center, inertia)

    def _resolved(self, path: str, api: _MassAPI, shapes: Sequence[int], imported: _Mass) -> _Mass:
        total = _sum([self._part(path, api, shape) for shape in shapes])
        if total.mass == 0 and not self._scene.applies("no-mass"):
            return imported
        if total.mass == 0:
            radius = _POINT_RADIUS / self._scene.units.meters_per_unit
            total = _Mass(api.mass or 1.0, imported.center, 0.4 * (api.mass or 1.0) * radius**2 * np.eye(3))
        if api.mass:
            total = total.scaled(api.mass / total.mass)
        if api.center is not None:
            moves = self._scene.applies("center-of-mass-inertia") and shapes
            total = total.about(imported.center) if moves else _Mass(total.mass, imported.center, total.inertia)
        return total if api.inertia is None else _Mass(total.mass, total.center, imported.inertia)

    def _part(self, path: str, api: _MassAPI, shape: int) -> _Mass:
        """Return what one shape adds to its body, in body axes."""
        unit = self._unit_part(shape)
        collider = self._colliders[shape]
        own = self._own(collider) if collider != path and self._scene.applies("mass-on-collider") else _NOTHING
        density = self._density(path, api, shape) or self._builder.default_shape_cfg.density
        part = unit.scaled(own.mass / unit.mass if own.mass and unit.mass else density)
        if own.center is None and own.inertia is None:
            return part
        position, rotation, scale = self._pose_in_body(path, collider)
        center = part.center if own.center is None else position + rotation @ (own.center * scale)
        if own.inertia is None:
            return part.about(center)
        return _Mass(part.mass, center, rotation @ own.inertia @ rotation.T)

    def _unit_part(self, shape: int) -> _Mass:
        from newton.geometry import compute_inertia_shape

        builder = self._builder
        mass, center, inertia = compute_inertia_shape(
            builder.shape_type[shape], builder.shape_scale[shape], builder.shape_source[shape], 1.0
        )
        pose = np.array(builder.shape_transform[shape], dtype=float)
        part = _Mass(float(mass), np.array(center, dtype=float), np.array(inertia, dtype=float).reshape(3, 3))
        return part.posed(pose[:3], rotation_matrix(pose[3:]))

    def _pose_in_body(self, path: str, collider: str) -> tuple[npt.NDArray[np.float64], ...]:
        origin, axes, _ = rigid_pose(self._matrices[path])
        position, rotation, scale = rigid_pose(self._matrices[collider])
        return axes.T @ (position - origin), axes.T @ rotation, scale

    def _store(self, body: int, value: _Mass) -> None:
        import warp as wp

        builder = self._builder
        builder.body_mass[body], builder.body_inv_mass[body] = value.mass, 1.0 / value.mass
        builder.body_com[body] = wp.vec3(*value.center)
        builder.body_inertia[body] = wp.mat33(value.inertia)
        is_regular = np.linalg.det(value.inertia) > 0
        builder.body_inv_inertia[body] = wp.mat33(np.linalg.inv(value.inertia) if is_regular else np.zeros((3, 3)))


def _collider_paths(scene: SceneImport) -> Mapping[int, str]:
    """Return the collider prim of every collision shape; the parts of a decomposition share one."""
    colliders = set(scene.view.with_schema("PhysicsCollisionAPI"))
    paths: dict[int, str] = {}
    for shape, label in enumerate(map(str, scene.builder.shape_label)):
        path = label if label in colliders else label.rpartition("_convex_")[0]
        if path in colliders:
            paths[shape] = path
    return paths


def _compared(imported: _Mass, resolved: _Mass) -> str:
    parts = []
    if not np.isclose(imported.mass, resolved.mass, rtol=1e-5):
        parts.append(f"mass {resolved.mass:.6g} instead of {imported.mass:.6g}")
    if not np.allclose(imported.center, resolved.center, rtol=1e-5, atol=1e-6):
        parts.append(f"centre of mass {_listed(resolved.center)} instead of {_listed(imported.center)}")
    if not parts:
        parts.append(
            f"diagonal of the inertia {_listed(resolved.inertia.diagonal())} instead of "
            f"{_listed(imported.inertia.diagonal())}"
        )
    return f"This gives {', '.join(parts)}."


def _listed(values: Iterable[float]) -> str:
    return f"({', '.join(f'{value:.6g}' for value in values)})"


_WHY = {
    "mass-on-collider": "The mass properties that are authored on its colliders count.",
    "material-density": "The density of PhysicsMassAPI has precedence over that of a physics material.",
    "approximation-mass": "The mass is that of the approximation that collides, not of the mesh.",
    "center-of-mass-inertia": "The inertia of its colliders is taken about the authored centre of mass.",
    "no-mass": "It has no colliders, so it is taken for a small sphere, of mass 1 where none is authored.",
}

MASS_CORRECTIONS = (
    Correction(
        "default-density",
        "A collider without any density has 1000 kg/m3, converted to the stage's units; the importer takes 1000 stage "
        "units.",
        before=use_default_density,
        after=resolve_masses,
    ),
    Correction(
        "mass-on-collider",
        "PhysicsMassAPI on a collider below a body counts: its mass, density, centre of mass and inertia; the importer "
        "ignores it.",
        after=resolve_masses,
    ),
    Correction(
        "material-density",
        "The density of PhysicsMassAPI has precedence over that of a bound physics material; the importer has it the "
        "other way round.",
        after=resolve_masses,
    ),
    Correction(
        "approximation-mass",
        "A mesh that collides as a bounding sphere, bounding cube or convex hull has the mass of that solid; the "
        "importer takes the mesh's.",
        after=resolve_masses,
    ),
    Correction(
        "center-of-mass-inertia",
        "An authored centre of mass without an inertia shifts the colliders' inertia by the parallel-axis term; the "
        "importer leaves it as it is.",
        after=resolve_masses,
    ),
    Correction(
        "no-mass",
        "A body without colliders has the authored mass, or 1, and the inertia of a sphere of 0.1 m; the importer "
        "gives it no mass, or an inertia of 1e-6.",
        after=resolve_masses,
    ),
)
