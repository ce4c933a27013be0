"""What a prepared read costs, beside the engine's own prepared read of the same values, in the same run.

``make bench``, or ``python benchmarks/reads.py [physx] [newton] [--counts 1 100 1000 10000]``. Each pair is timed in
turns, so that whatever else the machine does hits both; figures are medians in microseconds, and the ratio is what
counts. Where an engine has another way to the same values (PhysX's deprecated tensor bindings), it is timed too.
"""

from __future__ import annotations

import argparse
import functools
import platform
import statistics
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

import ovread
from ovread import ObjectType
from ovread.stage import open_stage, scene_of

POSE = ["position", "orientation"]
Call = Callable[[], object]

HEADER = """#usda 1.0
(
    defaultPrim = "World"
    metersPerUnit = 1
    upAxis = "Z"
)
def PhysicsScene "Scene"
{
    float physics:gravityMagnitude = 0
}
def Xform "World"
{
"""
BODY = """    def Cube "body_{index}" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"])
    {{
        double size = 0.5
        double3 xformOp:translate = ({x}, {y}, 0)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }}
"""
HINGE = """    def Xform "robot_{index}" (prepend apiSchemas = ["PhysicsArticulationRootAPI"])
    {{
        double3 xformOp:translate = ({x}, {y}, 0)
        uniform token[] xformOpOrder = ["xformOp:translate"]
        def Xform "base" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
        {{
            float physics:mass = 1
            float3 physics:diagonalInertia = (0.1, 0.1, 0.1)
        }}
        def Xform "arm" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
        {{
            float physics:mass = 1
            float3 physics:diagonalInertia = (0.1, 0.1, 0.1)
        }}
        def PhysicsFixedJoint "anchor"
        {{
            rel physics:body1 = </World/robot_{index}/base>
        }}
        def PhysicsRevoluteJoint "hinge"
        {{
            rel physics:body0 = </World/robot_{index}/base>
            rel physics:body1 = </World/robot_{index}/arm>
        }}
    }}
"""


def scene(item: str, count: int) -> str:
    """Return a scene of ``count`` copies on a grid."""
    side = int(np.ceil(np.sqrt(count)))
    items = (item.format(index=index, x=2 * (index % side), y=2 * (index // side)) for index in range(count))
    return HEADER + "".join(items) + "}\n"


@contextmanager
def physx_instance(usda: str) -> Iterator[tuple[Any, Any]]:
    """Run PhysX alone on a scene; give the instance and its stage."""
    import ovphysx

    ovphysx.enable_default_log_output(False)
    stage = open_stage(scene_of(usda))
    engine = ovphysx.PhysX()
    engine.wait_task(engine.attach_ovstage(stage, read_ordinal=1))
    yield engine, stage
    engine.wait_task(engine.detach_ovstage())
    engine.destroy()
    stage.destroy()


@contextmanager
def physx(usda: str, object_type: ObjectType, names: list[str]) -> Iterator[Call]:
    """Prepare ``PhysX.read`` on a kept query."""
    from ovphysx.types import SimObjectType

    with physx_instance(usda) as (engine, _):
        query = engine.query(SimObjectType[object_type.name], metadata=False).wait()

        def read() -> None:
            result = engine.read(query, names).wait()
            while result.fetch_next().wait() is not None:
                pass
            result.close_sync()

        yield read
        query.close_sync()


@contextmanager
def newton(usda: str, object_type: ObjectType, names: list[str]) -> Iterator[Call]:
    """Prepare ``StageBinding.read`` on a kept query."""
    import newton
    import ovnewton

    stage = open_stage(scene_of(usda))
    builder = newton.ModelBuilder()
    ovnewton.add_ovstage(builder, stage)
    model = builder.finalize()
    state, control = model.state(), model.control()
    binding = ovnewton.attach_ovstage(stage, model=model)
    query = binding.query(object_type=ovnewton.SimObjectType[object_type.name])

    def read() -> None:
        for group in binding.read(state, control=control, query=query, attributes=names).groups:
            group.array(0)

    yield read


@contextmanager
def tensor_binding(usda: str) -> Iterator[Call]:
    """Prepare PhysX's deprecated tensor binding of poses."""
    from ovphysx.types import TensorType

    with physx_instance(usda) as (engine, _), warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        binding = engine.create_tensor_binding(pattern="/World/body_*", tensor_type=TensorType.RIGID_BODY_POSE)
        memory = np.zeros(binding.shape, dtype=np.float32)
        yield lambda: binding.read(memory)
        binding.destroy()


@contextmanager
def physx_pattern(usda: str) -> Iterator[Call]:
    """Prepare the engine's own selection by a path pattern."""
    from ovphysx.types import SimObjectType

    with physx_instance(usda) as (engine, _):
        yield lambda: engine.query(SimObjectType.RIGID_BODY, pattern="/World/body_*").wait().close_sync()


@contextmanager
def c_calls(usda: str, object_type: ObjectType, names: list[str]) -> Iterator[Call]:
    """Prepare the C calls of a read alone, with nothing done with the answer: what no reader can undercut."""
    import ovstage
    from ovphysx.types import SimObjectType
    from ovread_physx import _native

    with physx_instance(usda) as (engine, stage):
        with ovstage.PathDictionary(stage) as dictionary:
            attributes = _native.attribute_list([dictionary.intern_token(name) for name in names])
        session = _native.Session(engine.handle, int(SimObjectType[object_type.name]), None)

        def read() -> None:
            session.open(attributes)
            while session.next() is not None:
                pass
            session.release()

        yield read
        session.close()


EIGHT = [
    *("jointPosition", "jointVelocity", "jointPositionTarget", "jointVelocityTarget"),
    *("jointStiffness", "jointDamping", "jointLimit", "jointMaxForce"),
]
CASES = (
    ("poses", ObjectType.RIGID_BODY, BODY, POSE),
    ("poses and velocities", ObjectType.RIGID_BODY, BODY, [*POSE, "linearVelocity", "angularVelocity"]),
    ("joint positions", ObjectType.ARTICULATION_JOINT, HINGE, ["jointPosition"]),
    ("eight attributes of joints", ObjectType.ARTICULATION_JOINT, HINGE, EIGHT),
)


def in_turns(calls: dict[str, Call], seconds: float = 2.0) -> dict[str, float]:
    """Time the calls in turns; return each one's median in microseconds."""
    spent: dict[str, list[float]] = {name: [] for name in calls}
    for call in calls.values():
        call()
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(next(iter(spent.values()))) < 20:
        for name, call in calls.items():
            started = time.perf_counter()
            call()
            spent[name].append((time.perf_counter() - started) * 1e6)
    return {name: statistics.median(times) for name, times in spent.items()}


def print_line(name: str, label: str, count: int, costs: dict[str, float]) -> None:
    """Print one comparison."""
    ratio = costs["ovread"] / costs["engine"]
    print(f"{name:8} {label:32} {count:6} {costs['engine']:10.1f} {costs['ovread']:10.1f} {ratio:6.3f}", flush=True)


def other_ways(count: int) -> None:
    """Time what PhysX alone has: tensor bindings, selection by pattern, and the C calls below a read."""
    usda = scene(BODY, count)
    with ovread.open(usda, backend="physx") as simulation:
        query = simulation.query(ObjectType.RIGID_BODY)
        reader = simulation.reader(query, POSE)
        with tensor_binding(usda) as binding:
            print_line("physx", "poses, tensor binding", count, in_turns({"engine": binding, "ovread": reader.read}))
        with physx_pattern(usda) as pattern:
            ours = functools.partial(simulation.query, ObjectType.RIGID_BODY, pattern="/World/body_*")
            print_line("physx", "selection by pattern", count, in_turns({"engine": pattern, "ovread": ours}))
    usda, joints = scene(HINGE, count), (ObjectType.ARTICULATION_JOINT, ["jointPosition"])
    with physx(usda, *joints) as engine_read, c_calls(usda, *joints) as floor:
        print_line("physx", "joint positions, C calls alone", count, in_turns({"engine": engine_read, "ovread": floor}))


ENGINES = {"physx": (physx, {}, other_ways), "newton": (newton, {"solver": "xpbd"}, None)}
"""How each engine reads alone, the options that ovread opens it with, and what else it has."""


def main() -> None:
    """Run the benchmarks and print one line each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engines", nargs="*", default=list(ENGINES))
    parser.add_argument("--counts", nargs="+", type=int, default=[1, 100, 1000])
    arguments = parser.parse_args()
    print(f"{platform.machine()}, {platform.system()} {platform.release()}, Python {platform.python_version()}")
    print(f"{'backend':8} {'read':32} {'count':>6} {'engine us':>10} {'ovread us':>10} {'ratio':>6}")
    for name in arguments.engines:
        own, options, others = ENGINES[name]
        for label, object_type, item, attributes in CASES:
            for count in arguments.counts:
                usda = scene(item, count)
                with (
                    ovread.open(usda, backend=name, **options) as simulation,
                    own(usda, object_type, attributes) as engine_read,
                ):
                    reader = simulation.reader(simulation.query(object_type), attributes)
                    costs = in_turns({"engine": engine_read, "ovread": reader.read})
                print_line(name, label, count, costs)
        if others is not None:
            for count in arguments.counts:
                others(count)


if __name__ == "__main__":
    main()
