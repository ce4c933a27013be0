"""What to do where the importer refuses a scene. Imports no engine."""

from __future__ import annotations

_ADVICE = (
    ("PointInstancer", "Author the instances as prims of their own."),
    ("sheared", "Apply the scale to the geometry, not above a rotation."),
    ("non-uniform scale", "Apply the scale to the geometry, not above a rotation."),
    ("cyclic", "Set physics:excludeFromArticulation on one joint of each loop."),
    ("multiple parents", "Let each body be body1 of one joint, or leave the correction 'swapped-bodies' on."),
    ("same joint component", "Keep one articulation root for joints that are connected."),
    ("disconnected joint components", "Leave the correction 'several-articulations' on."),
    ("instancing", "Set instanceable = false on the instance."),
    ("unsupported prim type", "Take PhysicsCollisionAPI from the prim, or make it a mesh."),
    ("unknown physics material", "Apply PhysicsMaterialAPI to the material."),
    ("body-attached Plane", "Make it a thin Cube."),
    ("targets non-rigid body", "Let the joint name the rigid body itself."),
    ("does not target a rigid body", "Let physics:body0 or physics:body1 name a rigid body."),
    ("MjcJointAPI", "Author NewtonJointAPI, or leave the correction 'mujoco-attributes' on."),
    ("NewtonMimicAPI", "Take NewtonMimicAPI from the joint."),
)
"""What a refusal says, and what to do about it."""


def advice_for(words: str) -> str:
    """Return what to do about a refusal; empty where nothing is known."""
    return next((f" {advice}" for said, advice in _ADVICE if said in words), "")
