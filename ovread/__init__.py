"""One read/write API over robot physics engines: the same words mean the same thing on each of them.

>>> import ovread
>>> from ovread import ObjectType
>>> with ovread.open("cartpole.usda", backend="newton") as sim:  # doctest: +SKIP
...     joints = sim.query(ObjectType.ARTICULATION_JOINT)
...     sim.step(1 / 60, count=10)
...     print(sim.read(joints, ["jointPosition"])["jointPosition"].numpy())
"""

from __future__ import annotations

from ovread._open import attach, open
from ovread._version import __version__
from ovread._writability import writability
from ovread.backend import UNLIMITED, BackendInfo, Diagnostic, Omission, OmissionReason, WriteSupport
from ovread.catalogue import ObjectScope, ObjectType, Writability
from ovread.errors import OvreadError
from ovread.plugins import backends
from ovread.query import ContactSelection, Query
from ovread.reader import Reader
from ovread.result import Group, ReadResult
from ovread.simulation import Simulation
from ovread.units import StageUnits
from ovread.write import Writer, WriteSession
from ovread.write_group import WriteGroup

__all__ = [
    "UNLIMITED",
    "BackendInfo",
    "ContactSelection",
    "Diagnostic",
    "Group",
    "ObjectScope",
    "ObjectType",
    "Omission",
    "OmissionReason",
    "OvreadError",
    "Query",
    "ReadResult",
    "Reader",
    "Simulation",
    "StageUnits",
    "Writability",
    "WriteGroup",
    "WriteSession",
    "WriteSupport",
    "Writer",
    "__version__",
    "attach",
    "backends",
    "open",
    "writability",
]
