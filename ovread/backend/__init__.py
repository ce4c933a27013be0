"""What a backend author writes against: records to fill, protocols to meet.

A backend describes itself with a :class:`BackendInfo`, opens scenes as an :class:`Engine`, lists objects as
:class:`Objects`, and prepares reads as a :class:`ReadBinding`, whose :class:`Column` s say what it will fill, and
writes as a :class:`WriteBinding`. The core selects, orders, allocates, checks, names and explains; a backend only
fills buffers and publishes them.
"""

from __future__ import annotations

from ovread.backend._authoring import (
    Clamp,
    Condition,
    Conversion,
    Default,
    Downwards,
    Physical,
    Plain,
    PropertyUse,
    Value,
    YieldsTo,
    property_uses,
)
from ovread.backend._bindings import (
    UNLIMITED,
    Buffer,
    Column,
    FilledColumns,
    MatrixLabels,
    Objects,
    Omission,
    OmissionReason,
    ReadBinding,
    ResizingWriteBinding,
    WriteBinding,
)
from ovread.backend._declarations import (
    BackendInfo,
    Deviation,
    Key,
    Level,
    Option,
    Support,
    WriteSupport,
    supports,
    writes,
)
from ovread.backend._engines import AdoptedEngine, Diagnostic, Engine, NamingEngine, Scene
from ovread.backend._importing import Behaviour, Importing

__all__ = [
    "UNLIMITED",
    "AdoptedEngine",
    "BackendInfo",
    "Behaviour",
    "Buffer",
    "Clamp",
    "Column",
    "Condition",
    "Conversion",
    "Default",
    "Deviation",
    "Diagnostic",
    "Downwards",
    "Engine",
    "FilledColumns",
    "Importing",
    "Key",
    "Level",
    "MatrixLabels",
    "NamingEngine",
    "Objects",
    "Omission",
    "OmissionReason",
    "Option",
    "Physical",
    "Plain",
    "PropertyUse",
    "ReadBinding",
    "ResizingWriteBinding",
    "Scene",
    "Support",
    "Value",
    "WriteBinding",
    "WriteSupport",
    "YieldsTo",
    "property_uses",
    "supports",
    "writes",
]
