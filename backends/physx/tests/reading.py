"""Reading and writing one thing at a time, for tests that are about values."""

from __future__ import annotations

import numpy as np

from ovread import ObjectType, Simulation

BODY, LINK, JOINT = ObjectType.RIGID_BODY, ObjectType.ARTICULATION_LINK, ObjectType.ARTICULATION_JOINT


def value(simulation: Simulation, kind: ObjectType, path: str, name: str) -> list[float]:
    query = simulation.query(kind, paths=[path])
    return simulation.read(query, [name])[name].numpy().ravel().tolist()


def close(simulation: Simulation, kind: ObjectType, path: str, **expected: object) -> None:
    for name, wanted in expected.items():
        np.testing.assert_allclose(value(simulation, kind, path, name), wanted, rtol=1e-5, atol=1e-6, err_msg=name)


DT = 1 / 240


def write(simulation, kind, path, name, value):
    """Write one attribute of one object through the engine; debug rendering has no path."""
    from ovphysx.types import SimObjectType

    engine = simulation._engine
    selected = {} if path is None else {"prim_paths": [engine.dictionary.intern_path(path)]}
    with engine.physx.write_sync(SimObjectType[kind.name], [name], **selected) as session:
        for group in session.groups:
            view = group.tensors[0].numpy()
            view[...] = value
            del view
            session.commit_sync(group)


def engine_session(simulation, kind, names, *paths):
    """Open a write session of the engine's own; without paths of all objects."""
    from ovphysx.types import SimObjectType

    engine = simulation._engine
    selected = {"prim_paths": [engine.dictionary.intern_path(path) for path in paths]} if paths else {}
    return engine.physx.write_sync(SimObjectType[kind.name], names, **selected)


def fill(group, values):
    """Fill a group of such a session."""
    view = group.tensors[0].numpy()
    view[...] = values
    del view


def by_path(simulation, kind, names, **selection):
    """Read attributes; gives the elements of each object by attribute and path."""
    return elements(simulation.read(simulation.query(kind, **selection), names))


def elements(result):
    """Give the elements of each object, one in each row, by attribute and path."""
    return {
        group.attribute: {path: np.atleast_2d(rows) for path, rows in zip(group.paths, group.per_prim(), strict=True)}
        for group in result
    }


def scalar(simulation, path, *names):
    """Read numbers of one vehicle."""
    values = by_path(simulation, ObjectType.VEHICLE, names, paths=[path])
    return [values[name][path].item() for name in names]
