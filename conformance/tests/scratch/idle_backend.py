"""A backend that opens nothing."""

from __future__ import annotations

from typing import Any

from ovread.backend import BackendInfo, supports
from ovread.catalogue import ObjectType
from ovread.errors import SceneRefusedError
from ovread.hookspecs import hookimpl


@hookimpl
def ovread_describe_backend() -> BackendInfo:
    return BackendInfo(engine="none 1.0", support=supports(ObjectType.RIGID_BODY, "mass"))


@hookimpl
def ovread_open(scene: Any, device: str, options: Any) -> Any:
    raise SceneRefusedError("It opens nothing.")


@hookimpl
def ovread_objects(engine: Any, object_type: ObjectType) -> Any:
    raise AssertionError("nothing is open")


@hookimpl
def ovread_bind_read(engine: Any, object_type: ObjectType, rows: Any, attributes: Any) -> Any:
    raise AssertionError("nothing is open")
