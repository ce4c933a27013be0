"""The authoring contract: what each attribute of the physics schemas means, and which value engines make of it.

Half of what engines disagree about is in the file. :data:`SCHEMAS` says, as data, what an attribute means, what
counts where nobody authored it, and what is known to go wrong; each backend declares what it makes of the attributes
(:class:`ovread.backend.PropertyUse`), and :func:`effective` puts both together for one prim of one stage.
"""

from __future__ import annotations

from ovread.authoring._contract import (
    INSTANCE,
    Aspect,
    Divergence,
    Kind,
    Property,
    Schema,
    Side,
    Statement,
    When,
)
from ovread.authoring._effective import Effective, EffectiveProperty, Verdict, effective
from ovread.authoring._resolve import EffectiveValue, Origin
from ovread.authoring._schemas import PROPERTIES, SCHEMAS

__all__ = [
    "INSTANCE",
    "PROPERTIES",
    "SCHEMAS",
    "Aspect",
    "Divergence",
    "Effective",
    "EffectiveProperty",
    "EffectiveValue",
    "Kind",
    "Origin",
    "Property",
    "Schema",
    "Side",
    "Statement",
    "Verdict",
    "When",
    "effective",
]
