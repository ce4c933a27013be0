"""How long Newton's solvers take to start, with an empty kernel cache and with a filled one.

``python benchmarks/starts.py [solver ...]``. Each start has a process of its own: it imports, opens the cart-pole,
takes the first step and reads. Figures are seconds.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from importlib import resources

import ovread

START = """
import json, sys, time
started = time.perf_counter()
import ovread
times = {}
def lap(name):
    times[name] = time.perf_counter() - started - sum(times.values())
lap("import")
with ovread.open(sys.argv[1], backend="newton", solver=sys.argv[2]) as simulation:
    lap("open")
    simulation.step(1 / 240)
    lap("first step")
    for object_type in (ovread.ObjectType.ARTICULATION_LINK, ovread.ObjectType.ARTICULATION):
        query = simulation.query(object_type)
        simulation.read(query, query.attributes)
    lap("first read")
print(json.dumps(times))
"""


def start(solver: str, cache: str) -> dict[str, float] | str:
    """Start a solver in a process of its own; return seconds by part, or why it did not start."""
    scene = str(resources.files(ovread).joinpath("scenes", "cartpole.usda"))
    ran = subprocess.run(
        [sys.executable, "-c", START, scene, solver],
        env={**os.environ, "WARP_CACHE_PATH": cache},
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode:
        return ran.stderr.strip().rpartition("\n")[2]
    return dict(json.loads(ran.stdout.splitlines()[-1]))


def main() -> None:
    """Print one line per solver and cache."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("solvers", nargs="*", default=list(ovread.backends()["newton"].variants))
    arguments = parser.parse_args()
    print(f"{platform.machine()}, {platform.system()} {platform.release()}, Python {platform.python_version()}")
    parts = ("import", "open", "first step", "first read")
    print(f"{'solver':14} {'cache':6}" + "".join(f"{part:>12}" for part in (*parts, "total")))
    for solver in arguments.solvers:
        with tempfile.TemporaryDirectory() as cache:
            for label in ("cold", "warm"):
                times = start(solver, cache)
                if isinstance(times, str):
                    print(f"{solver:14} {label:6} {times}", flush=True)
                    break
                figures = [*(times[part] for part in parts), sum(times.values())]
                print(f"{solver:14} {label:6}" + "".join(f"{figure:12.1f}" for figure in figures), flush=True)


if __name__ == "__main__":
    main()
