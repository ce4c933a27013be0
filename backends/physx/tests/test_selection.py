"""What a selection can have, and what the engine cannot do here."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import ovread
from ovread import ObjectType
from ovread.errors import SelectionError, UnsupportedOperationError


def sample(name: str) -> Path:
    """Return a sample scene that ships with ovphysx."""
    spec = importlib.util.find_spec("ovphysx")
    assert spec is not None
    assert spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0]) / "samples" / "data" / f"{name}.usda"


def test_attributes_of_a_query_are_those_of_its_objects():
    """Bodies have no arrays of instances, instancers have nothing else, and both together have both."""
    with ovread.open(sample("ovstage_output_instancer"), backend="physx") as sim:
        everything = sim.query(ObjectType.RIGID_BODY)
        (instancer,) = [path for path in everything.paths if "nstance" in path]
        bodies = sim.query(ObjectType.RIGID_BODY, paths=[path for path in everything.paths if path != instancer])
        instances = sim.query(ObjectType.RIGID_BODY, paths=[instancer])
    assert "positions" not in bodies.attributes
    assert "mass" in bodies.attributes
    assert set(instances.attributes) == {"positions", "orientations", "velocities", "angularVelocities",
                                         "accelerations", "angularAccelerations"}  # fmt: skip
    assert {"mass", "positions"} <= set(everything.attributes)


def test_what_needs_cuda_is_not_among_the_attributes_here():
    """A query of deformables on the CPU names nothing that it could read."""
    with ovread.open(sample("volume_deformable_simple"), backend="physx") as sim:
        assert sim.query(ObjectType.DEFORMABLE_VOLUME).attributes == ()


def test_attributes_of_a_vehicle_are_those_of_its_drive():
    """Raw vehicles have none, those without engine and gearbox have controls only, and a selection has the union."""
    controls = ("accelerator", "brake0", "brake1", "steer")
    with ovread.open(sample("vehicle_read_write"), backend="physx") as sim:
        found = {path: sim.query(ObjectType.VEHICLE, paths=[path]).attributes
                 for path in sim.query(ObjectType.VEHICLE).paths}  # fmt: skip
        both = sim.query(ObjectType.VEHICLE, paths=["/World/Raw", "/World/Basic"])
        assert both.attributes == controls
        assert sim.query(ObjectType.VEHICLE).attributes == found["/World/Standard"]
        assert not sim.read(sim.query(ObjectType.VEHICLE, paths=["/World/Basic"]), controls).omissions
    assert found["/World/Raw"] == ()
    assert found["/World/Basic"] == controls
    assert found["/World/Standard"] == found["/World/Tank"]
    assert set(found["/World/Tank"]) > {*controls, "clutch", "currentGear", "engineRotationSpeed"}


def test_attributes_of_a_volume_material_are_not_those_of_a_surface():
    """Bending and thickness belong to surfaces only."""
    names = {}
    for name in ("surface_deformable_material", "volume_deformable_multi"):
        with ovread.open(sample(name), backend="physx") as sim:
            names[name] = set(sim.query(ObjectType.DEFORMABLE_MATERIAL).attributes)
    surface, volume = names.values()
    assert "deformableYoungsModulus" in volume
    assert surface - volume == {"deformableBendingStiffness", "deformableThickness", "deformableBendingDamping"}


def test_signed_distances_are_refused_on_the_cpu():
    """The engine evaluates them on CUDA only, and says so before anything else is tried."""
    with ovread.open(sample("sdf_cube"), backend="physx") as sim:
        shapes = sim.query(ObjectType.SDF_SHAPE)
        assert len(shapes) == 1
        with pytest.raises(UnsupportedOperationError, match="CUDA only"):
            sim.signed_distances(shapes, np.zeros((1, 2, 3)))
        with pytest.raises(SelectionError, match=r"pass \(1, points, 3\)"):
            sim.signed_distances(shapes, np.zeros((2, 3)))
        with pytest.raises(SelectionError, match="SDF_SHAPE, not of SHAPE"):
            sim.signed_distances(sim.query(ObjectType.SHAPE), np.zeros((1, 2, 3)))
