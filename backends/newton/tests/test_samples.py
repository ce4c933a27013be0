"""All sample scenes of ovphysx that import, and those of these tests: everything is read, stepped, and read again."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ovread
from ovread import ObjectType, ReadResult, Simulation, errors
from ovread.catalogue import Persistence, attribute

SPEC = importlib.util.find_spec("ovphysx")
SAMPLES = Path(str(SPEC and SPEC.origin)).parent / "samples" / "data"
PATHS = {path.stem: path for folder in (Path(__file__).parent / "scenes", SAMPLES) for path in folder.glob("*.usda")}
REFUSED = {
    "api_surface_permutations": "no physics",
    "ovstage_output_bodies": "sheared",
    "ovstage_output_instancer": "PointInstancer",
}
"""Scenes that are refused, and a part of the reason."""
UNSTABLE = {"stiff_drive"}
"""Scenes that the default solver cannot step."""


def read_everything(simulation: Simulation) -> dict[tuple[ObjectType, str], ReadResult]:
    """Read every attribute of every type that has objects."""
    results: dict[tuple[ObjectType, str], ReadResult] = {}
    for object_type in ObjectType:
        query = simulation.query(object_type)
        for name in query.attributes if len(query) else ():
            results[object_type, name] = simulation.read(query, [name])
    return results


def open_somehow(name: str) -> Simulation:
    """Open a sample with the default solver, or with one that takes it."""
    try:
        return ovread.open(PATHS[name], backend="newton")
    except errors.SceneRefusedError as error:
        if "solver" not in str(error):
            raise
        return ovread.open(PATHS[name], backend="newton", solver="xpbd")


def flat(result: ReadResult) -> np.ndarray:
    """Return all values of a result."""
    return np.concatenate([np.zeros(0), *(group.numpy().astype(float).ravel() for group in result)])


@pytest.mark.parametrize("name", sorted(PATHS.keys() - REFUSED.keys() - UNSTABLE))
def test_everything_is_read_and_nothing_is_stale(name: str) -> None:
    """A second read without a step repeats the first; a step changes no property, and state where the engine's does.

    A number that is none is the engine's own.
    """
    with open_somehow(name) as simulation:
        engine: Any = simulation._engine
        before, again = read_everything(simulation), read_everything(simulation)
        for key, result in before.items():
            np.testing.assert_array_equal(flat(result), flat(again[key]), err_msg=str(key))
            assert all(omission.detail for omission in result.omissions)
        poses = None if engine.state.body_q is None else engine.state.body_q.numpy().copy()
        simulation.step(1 / 240, count=3)
        after = read_everything(simulation)
        moved = poses is not None and not np.array_equal(poses, engine.state.body_q.numpy())
        for (object_type, attribute_name), result in after.items():
            values, old = flat(result), flat(before[object_type, attribute_name])
            if not _engine_has_nan(engine):
                assert not np.isnan(values).any(), (object_type, attribute_name)
            row = attribute(object_type, attribute_name)
            if row.persistence is Persistence.PROPERTY or (
                attribute_name in ("body_q", "position", "orientation") and not moved
            ):
                np.testing.assert_array_equal(values, old, err_msg=attribute_name)
        for object_type in (ObjectType.RIGID_BODY, ObjectType.ARTICULATION_LINK):
            if (object_type, "body_q") in after:
                result = after[object_type, "body_q"]["body_q"]
                bodies = [engine.topology.body_paths.index(path) for path in result.paths]
                np.testing.assert_array_equal(result.numpy(), engine.state.body_q.numpy()[bodies])


def _engine_has_nan(engine: Any) -> bool:
    arrays = (engine.state.body_q, engine.state.joint_q, engine.model.body_mass, engine.state.body_qd)
    return any(array is not None and np.isnan(array.numpy()).any() for array in arrays)


@pytest.mark.parametrize(("name", "words"), REFUSED.items())
def test_what_does_not_import_is_refused_with_a_reason(name: str, words: str) -> None:
    """The error carries the importer's words, and says what to do where something can be done."""
    with pytest.raises(errors.OvreadError, match=words):
        ovread.open(PATHS[name], backend="newton")
