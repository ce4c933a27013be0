"""What a prepared write costs, beside the engine's own write of the same values, in the same run.

``make bench``, or ``python benchmarks/writes.py [physx] [newton] [--counts 1 100 1000]``. Each pair is timed in turns,
so that whatever else the machine does hits both; figures are medians in microseconds, and the ratio is what counts.
``writer`` is a prepared write of all rows, ``session`` opens, fills and commits anew. Newton has no writes of its own
for most of this: its figures are the bare NumPy copy into the engine's array, what its users write instead
(``array.assign``), and apart from these what has to follow for the coordinates of bodies and of joints to agree.
"""

from __future__ import annotations

import argparse
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from reads import BODY, HINGE, Call, in_turns, physx_instance, scene

import ovread
from ovread import ObjectType, Simulation

CASES = (
    ("joint targets", ObjectType.ARTICULATION_JOINT, HINGE, "jointPositionTarget"),
    ("joint efforts", ObjectType.ARTICULATION_JOINT, HINGE, "jointActuationForce"),
    ("joint positions", ObjectType.ARTICULATION_JOINT, HINGE, "jointPosition"),
    ("body velocities", ObjectType.RIGID_BODY, BODY, "linearVelocity"),
    ("body positions", ObjectType.RIGID_BODY, BODY, "position"),
)
ARRAYS = {
    "jointPositionTarget": ("control", "joint_target_q"),
    "jointActuationForce": ("control", "joint_f"),
    "jointPosition": ("state", "joint_q"),
    "linearVelocity": ("state", "body_qd"),
    "position": ("state", "body_q"),
}
"""Where Newton has each attribute."""


@contextmanager
def physx_write(usda: str, object_type: ObjectType, name: str) -> Iterator[Call]:
    """Prepare ``PhysX.write`` on a kept query."""
    from ovphysx.types import SimObjectType

    with physx_instance(usda) as (engine, _):
        query = engine.query(SimObjectType[object_type.name], metadata=False).wait()

        def write() -> None:
            session = engine.write(query, [name]).wait()
            while (group := session.fetch_next().wait()) is not None:
                for tensor in group.tensors:
                    tensor.numpy()[...] = 0.25
                session.commit(group).wait()
            session.close_sync()

        yield write
        query.close_sync()


def writer(simulation: Simulation, object_type: ObjectType, name: str) -> Call:
    """Prepare a writer, and fill all of its values at each call."""
    prepared = simulation.writer(simulation.query(object_type), [name])
    values = prepared[name].values

    def write() -> None:
        values[...] = 0.25
        prepared.write()

    return write


def session(simulation: Simulation, object_type: ObjectType, name: str) -> Call:
    """Open, fill and commit a session at each call; the values change, so that there is something to write."""
    query = simulation.query(object_type)
    value = [0.25]

    def write() -> None:
        value[0] = 0.5 - value[0]
        with simulation.write(query, [name]) as opened:
            opened[name].values[...] = value[0]
            opened.commit(opened[name])

    return write


def bare_copy(simulation: Simulation, name: str) -> Call:
    """Copy as many values as are written into the array that Newton has them in."""
    part, array = ARRAYS[name]
    target = getattr(getattr(simulation._engine, part), array).numpy().reshape(-1)
    count = {"position": 3, "linearVelocity": 3}.get(name, 1)
    rows = target.size // {"position": 7, "linearVelocity": 6}.get(name, 1)
    values = np.full((rows, count), 0.25, dtype=np.float32)
    view = target.reshape(rows, -1)[:, :count]
    return lambda: np.copyto(view, values)


def assignment(simulation: Simulation, name: str) -> Call:
    """What Newton's users write: a whole array assigned from NumPy."""
    part, array = ARRAYS[name]
    target = getattr(getattr(simulation._engine, part), array)
    values = target.numpy().copy()
    return lambda: target.assign(values)


def consistency(simulation: Simulation, name: str) -> Call:
    """What makes the coordinates of bodies and of joints agree, by itself."""
    import newton

    engine: Any = simulation._engine
    state, model = engine.state, engine.model
    if name == "jointPosition":
        return lambda: newton.eval_fk(model, state.joint_q, state.joint_qd, state)
    if name in ("position", "linearVelocity"):
        return lambda: newton.eval_ik(model, state, state.joint_q, state.joint_qd)
    return lambda: None


def print_line(backend: str, label: str, count: int, costs: dict[str, float]) -> None:
    """Print one comparison: each way, and its ratio to the first."""
    base = next(iter(costs.values()))
    figures = "  ".join(f"{name} {cost:9.1f} ({cost / base:.3f})" for name, cost in costs.items())
    print(f"{backend:7} {label:16} {count:6}  {figures}", flush=True)


def measure_physx(label: str, object_type: ObjectType, item: str, name: str, count: int) -> None:
    """Compare with ``PhysX.write``."""
    usda = scene(item, count)
    with ovread.open(usda, backend="physx") as simulation, physx_write(usda, object_type, name) as engine:
        calls = {
            "PhysX.write": engine,
            "writer": writer(simulation, object_type, name),
            "session": session(simulation, object_type, name),
        }
        print_line("physx", label, count, in_turns(calls))


def measure_newton(label: str, object_type: ObjectType, item: str, name: str, count: int) -> None:
    """Compare with the bare copy, and with what has to follow it."""
    with ovread.open(scene(item, count), backend="newton", solver="xpbd") as simulation:
        calls = {
            "bare copy": bare_copy(simulation, name),
            "array.assign": assignment(simulation, name),
            "consistency": consistency(simulation, name),
            "writer": writer(simulation, object_type, name),
            "session": session(simulation, object_type, name),
        }
        costs = in_turns(calls)
        print_line("newton", label, count, costs)
        over = costs["writer"] / (costs["array.assign"] + costs["consistency"])
        print(f"{'':32}  writer / (array.assign + consistency) = {over:.2f}", flush=True)


def main() -> None:
    """Run the benchmarks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engines", nargs="*", default=["physx", "newton"])
    parser.add_argument("--counts", nargs="+", type=int, default=[1, 100, 1000])
    arguments = parser.parse_args()
    print(f"{platform.machine()}, {platform.system()} {platform.release()}, Python {platform.python_version()}")
    print("microseconds, and in brackets the ratio to the first")
    measures = {"physx": measure_physx, "newton": measure_newton}
    for engine in arguments.engines:
        for case in CASES:
            for count in arguments.counts:
                measures[engine](*case, count)


if __name__ == "__main__":
    main()
