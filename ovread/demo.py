"""``python -m ovread.demo``: a cart-pole on every installed backend, and what agrees and what differs.

The same scene is compared twice: as authored, and after a second of motion.
"""

from __future__ import annotations

import sys
import time
from importlib import resources

from rich.console import Console

import ovread
from ovread.cli import _output, _progress
from ovread.compare import compare

STEPS = 240
DT = 1 / 240


def main() -> int:
    """Run the demo; return 0 where every backend ran."""
    console = Console(highlight=False)
    available = [name for name, info in ovread.backends().items() if info.available]
    for name, info in ovread.backends().items():
        console.print(f"{name}: {info.engine if info.available else info.reason}", markup=False)
    if len(available) < 2:
        console.print("The demo compares two backends: install both ovread-physx and ovread-newton.")
        return 2
    scene = str(resources.files("ovread").joinpath("scenes", "cartpole.usda"))
    refused = False
    for steps in (0, STEPS):
        moment = f"after {steps * DT:g} s of motion" if steps else "as authored"
        console.rule(f"cart-pole, {moment}")
        started = time.perf_counter()
        with _progress.shown() as progress:
            comparison = compare(scene, available, steps=steps, dt=DT, progress=progress)
        _output.compare(comparison, _output.Format.TABLE, None, every=True)
        console.print(f"{time.perf_counter() - started:.1f} s")
        refused = refused or bool(comparison.refusals)
    return 2 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
