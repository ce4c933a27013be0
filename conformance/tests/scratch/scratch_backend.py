"""A backend that only weighs bodies, wrongly on stages in feet; it crashes where Y is up, and prints in centimetres.

It says that it writes forces, and does not.
"""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import numpy as np

from ovread.backend import (
    BackendInfo,
    Column,
    Deviation,
    FilledColumns,
    Objects,
    Omission,
    OmissionReason,
    Scene,
    supports,
    writes,
)
from ovread.catalogue import ObjectType, Writability
from ovread.hookspecs import hookimpl
from ovread.units import StageUnits

CONFIGURATION = OmissionReason.UNSUPPORTED_CONFIGURATION
ENGINE = "scale 1.2.3"
BODY = re.compile(
    r'def Xform "(\w+)" \(\nprepend apiSchemas = \["PhysicsRigidBodyAPI".*?physics:mass = (\S+)', re.DOTALL
)


@attrs.define(eq=False)
class Scale:
    units: StageUnits
    masses: Mapping[str, float]
    time: float = 0.0
    device: str = "cpu"
    variant: str | None = None
    diagnostics: tuple[()] = ()

    def step(self, dt: float) -> None:
        self.time += dt

    def reset(self) -> None:
        self.time = 0.0

    def close(self) -> None:
        pass


@hookimpl
def ovread_describe_backend() -> BackendInfo:
    return BackendInfo(
        engine=ENGINE,
        support=supports(ObjectType.RIGID_BODY, "mass position"),
        writes=writes(ObjectType.RIGID_BODY, "force", Writability.WRITE_ONLY),
        deviations=(
            Deviation("heavy-in-feet", ("RIGID_BODY.mass",), "Masses are doubled.", "scale 1.2", scene="*, feet"),
            Deviation("crashes", (), "It crashes.", "scale 1.2", scene="bodies, Y up"),
            Deviation("stale", ("mass",), "It was wrong once.", "scale 1.2.3", scene="bodies, turned"),
            Deviation("nowhere", ("mass",), "No scene has it.", "scale 1", scene="no such scene"),
            Deviation("older", ("mass",), "Another engine's.", "scale 1.20", scene="bodies"),
            Deviation("unshown", ("mass",), "The suite does not know.", "scale 1"),
            Deviation("other-variant", ("mass",), "Not here.", "scale 1", variants=("fine",), scene="bodies"),
        ),
    )


@hookimpl
def ovread_open(scene: Scene, device: str, options: Mapping[str, Any]) -> Scale:
    text = scene.source if scene.is_text else ""
    if 'upAxis = "Y"' in text and "metersPerUnit = 1.0" in text and ("bodies" in text or "fixed tree" in text):
        signal.raise_signal(signal.SIGSEGV)
    if "metersPerUnit = 0.01" in text:
        os.write(1, b"warning: small units")
    length = float(re.findall(r"metersPerUnit = (\S+)", text)[0])
    heavier = 2.0 if length == 0.3048 else 1.0
    masses = {f"/World/{name}": heavier * float(mass) for name, mass in BODY.findall(text) if 'doc = "bodies' in text}
    return Scale(StageUnits(length, float(re.findall(r"kilogramsPerUnit = (\S+)", text)[0]), "Z"), masses)


@hookimpl
def ovread_objects(engine: Scale, object_type: ObjectType) -> Objects:
    return Objects(tuple(engine.masses) if object_type is ObjectType.RIGID_BODY else ())


@hookimpl
def ovread_bind_read(engine: Scale, object_type: ObjectType, rows: Any, attributes: Sequence[str]) -> FilledColumns:
    values = np.array(list(engine.masses.values()))[rows]

    def fill(buffer: Any) -> None:
        buffer.host[...] = values[:, None]

    columns = [Column(name, rows=np.arange(len(rows))) for name in attributes if name == "mass"]
    omissions = [Omission("position", CONFIGURATION, "It never says where.") for name in attributes if name != "mass"]
    return FilledColumns(columns, [fill] * len(columns), omissions)
