"""Writing small USDA scenes."""

from __future__ import annotations

import textwrap

import attrs


@attrs.frozen
class Example:
    """A scene that a rule finds something in, and one that is nearly the same and that it passes.

    Args:
        found: The scene with the pattern.
        spared: The scene without.
        prims: Where the pattern is in the first.
    """

    found: str
    spared: str
    prims: tuple[str, ...]


def prim(kind: str, name: str, *content: str, schemas: str = "", metadata: str = "") -> str:
    """Write a prim; ``content`` are attributes and prims, ``schemas`` names of API schemas, with spaces between."""
    listed = ", ".join(f'"{schema}"' for schema in schemas.split())
    lines = [f"prepend apiSchemas = [{listed}]"] if listed else []
    head = "\n".join([*lines, metadata] if metadata else lines)
    brackets = f" (\n{textwrap.indent(head, '    ')}\n)" if head else ""
    inner = textwrap.indent("\n".join(line for line in content if line), "    ")
    return f'def {kind} "{name}"{brackets}\n{{\n{inner}\n}}'


def stage(*content: str, meters: float = 1, kilograms: float = 1, up: str = "Z") -> str:
    """Write a stage; unless ``content`` starts with a PhysicsScene, one without gravity comes first."""
    if not content[0].startswith("def PhysicsScene"):
        content = (gravity("float physics:gravityMagnitude = 0"), *content)
    units = f"    metersPerUnit = {meters:g}\n    kilogramsPerUnit = {kilograms:g}"
    head = f'    defaultPrim = "W"\n{units}\n    upAxis = "{up}"'
    return "\n".join((f"#usda 1.0\n(\n{head}\n)\n", *content, ""))


def gravity(*lines: str, name: str = "S", schemas: str = "") -> str:
    """Write a physics scene."""
    return prim("PhysicsScene", name, *lines, schemas=schemas)


def world(*content: str, schemas: str = "", metadata: str = "") -> str:
    """Write the default prim."""
    return prim("Xform", "W", *content, schemas=schemas, metadata=metadata)


MASS = """float physics:mass = 1
float3 physics:diagonalInertia = (0.1, 0.2, 0.25)
point3f physics:centerOfMass = (0, 0, 0)"""
"""Mass properties that leave nothing open."""

UNDAMPED = "float physxRigidBody:angularDamping = 0"


def body(name: str, *content: str, mass: str = MASS, schemas: str = "", metadata: str = "") -> str:
    """Write a rigid body that nothing damps."""
    applied = f"PhysicsRigidBodyAPI PhysxRigidBodyAPI {'PhysicsMassAPI' if mass else ''} {schemas}"
    return prim("Xform", name, UNDAMPED, mass, *content, schemas=applied, metadata=metadata)


def joint(kind: str, name: str, first: str, second: str, *lines: str, schemas: str = "") -> str:
    """Write a joint between two bodies of the default prim; an empty name is the world."""
    sides = [f"rel physics:body{side} = </W/{body}>" for side, body in enumerate((first, second)) if body]
    axis = 'uniform token physics:axis = "Y"' if kind in ("Revolute", "Prismatic", "Spherical") else ""
    return prim(f"Physics{kind}Joint", name, *sides, axis, *lines, schemas=schemas)


def robot(*content: str, schemas: str = "") -> str:
    """Write a robot: a base that is fixed to the world, and an arm; ``content`` are its other joints."""
    return stage(
        world(
            body("base"),
            body("arm"),
            joint("Fixed", "root", "", "base"),
            *content,
            schemas=f"PhysicsArticulationRootAPI {schemas}",
        )
    )


def hinge(*lines: str, schemas: str = "", first: str = "base", second: str = "arm") -> str:
    """Write the hinge of a robot."""
    return joint("Revolute", "j", first, second, *lines, schemas=schemas)


def cube(*lines: str, name: str = "box", schemas: str = "", size: float = 1) -> str:
    """Write a cube that collides."""
    return prim("Cube", name, f"double size = {size:g}", *lines, schemas=f"PhysicsCollisionAPI {schemas}")


def material(name: str, *lines: str, schemas: str = "") -> str:
    """Write a physics material."""
    return prim("Material", name, *lines, schemas=f"PhysicsMaterialAPI {schemas}")


def bound(name: str) -> str:
    """Write the binding of a physics material of the default prim."""
    return f"rel material:binding:physics = </W/{name}>"


BINDING = "MaterialBindingAPI"
ROOT = "PhysicsArticulationRootAPI"
PHYSX_ROOT = "PhysxArticulationAPI"
STATE = "PhysicsJointStateAPI:angular"
AT_30 = "float state:angular:physics:position = 30"
TETRAHEDRON = """int[] faceVertexCounts = [3, 3, 3, 3]
int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2]
point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]"""
