"""Whether an engine keeps hold of a scene: what it throws about says nothing of conventions from then on.

No system of the suite comes near the bounds by itself: all start slowly, and gravity acts for a second and a half.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import attrs
import numpy as np

from ovread import ObjectType
from ovread.units import LENGTH
from ovread_conformance.recording import Recording
from ovread_conformance.verdicts import Verdict, Words

FASTEST: Mapping[str, float] = {"linearVelocity": 50.0, "angularVelocity": 100.0}
"""Speeds in m/s and rad/s above which, and if they are no numbers, a scene counts as lost."""


def loss(recording: Recording) -> tuple[int, Verdict] | None:
    """Return the tick at which the engine lost the scene, with what it shows in; None where it did not."""
    for tick in sorted({tick for tick, _, name in recording.readings if name in FASTEST}):
        for (at, kind, name), readings in recording.readings.items():
            if at != tick or name not in FASTEST:
                continue
            unit = recording.system.stage.units_in(LENGTH) if name == "linearVelocity" else 1.0
            for reading in readings:
                speeds = np.linalg.norm(reading.values.astype(float), axis=-1) / unit
                for path, speed in zip(reading.paths, speeds, strict=True):
                    if not speed <= FASTEST[name]:
                        return tick, _verdict(kind, name, path, tick, speed)
    return None


def before_loss(recording: Recording) -> Recording:
    """Return what was recorded before the engine lost the scene."""
    found = loss(recording)
    if found is None:
        return recording
    return attrs.evolve(
        recording,
        readings={key: readings for key, readings in recording.readings.items() if key[0] < found[0]},
        omitted={key: paths for key, paths in recording.omitted.items() if key[0] < found[0]},
        overwritten=tuple(key for key in recording.overwritten if key[0] < found[0]),
    )


def _verdict(kind: ObjectType, name: str, path: str, tick: int, speed: float) -> Verdict:
    units = "m/s" if name == "linearVelocity" else "rad/s"
    text = f"the engine lost the scene: expected less than {FASTEST[name]:g} {units}, got {{}}; nothing is held after"
    return Verdict(kind, name, path, Words(text, (speed,)), f"stability, tick {tick}", math.inf, 0.0)
