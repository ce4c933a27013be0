"""Physical dimensions, and the units that a stage gives them.

Values are in stage units: a length read from a centimetre stage is in centimetres. A :class:`Dimension` says how a
value scales when the stage's units change; :class:`StageUnits` says which units a stage has.
"""

from __future__ import annotations

import attrs

_LENGTH_NAMES = {1.0: "m", 0.01: "cm", 0.001: "mm", 0.0254: "in", 0.3048: "ft", 1000.0: "km"}
_MASS_NAMES = {1.0: "kg", 0.001: "g", 1000.0: "t", 0.45359237: "lb"}


@attrs.frozen
class StageUnits:
    """Units and up axis of a stage.

    Args:
        meters_per_unit: Metres in one stage length unit (USD's ``metersPerUnit``, 0.01 where not authored).
        kilograms_per_unit: Kilograms in one stage mass unit (USD's ``kilogramsPerUnit``, 1 where not authored).
        up_axis: ``"X"``, ``"Y"`` or ``"Z"`` (USD's ``upAxis``, ``"Y"`` where not authored).
    """

    meters_per_unit: float = 1.0
    kilograms_per_unit: float = 1.0
    up_axis: str = "Z"

    @property
    def length(self) -> str:
        """Name of the length unit: ``m``, ``cm``, ..., or its size in metres."""
        return _unit_name(self.meters_per_unit, _LENGTH_NAMES, "m")

    @property
    def mass(self) -> str:
        """Name of the mass unit: ``kg``, ``g``, ..., or its size in kilograms."""
        return _unit_name(self.kilograms_per_unit, _MASS_NAMES, "kg")


def _unit_name(size: float, names: dict[float, str], base: str) -> str:
    for known, name in names.items():
        if abs(size - known) <= 1e-6 * known:
            return name
    return f"({size:g} {base})"


@attrs.frozen
class Dimension:
    """Exponents of length, mass, time and angle.

    The angle is kept apart, as degrees and radians are where simulators disagree most often.

    Args:
        length: Exponent of length.
        mass: Exponent of mass.
        time: Exponent of time. Always seconds.
        angle: Exponent of angle.
        angle_unit: ``"rad"`` or ``"deg"``, where ``angle`` is not 0.
    """

    length: int = 0
    mass: int = 0
    time: int = 0
    angle: int = 0
    angle_unit: str = "rad"

    def __str__(self) -> str:
        return self.symbol("length", "mass", "s")

    def symbol(self, length: str, mass: str, time: str = "s") -> str:
        """Spell the dimension with the given unit names, such as ``kg·m²/s²``; ``1`` where it has none."""
        powers = ((mass, self.mass), (length, self.length), (self.angle_unit, self.angle), (time, self.time))
        above = [_power(name, exponent) for name, exponent in powers if exponent > 0]
        below = [_power(name, -exponent) for name, exponent in powers if exponent < 0]
        text = "·".join(above) or "1"
        if not below:
            return text
        return f"{text}/{below[0]}" if len(below) == 1 else f"{text}/({'·'.join(below)})"

    def in_units(self, units: StageUnits) -> str:
        """Spell the dimension in a stage's own units, such as ``cm/s``."""
        return self.symbol(units.length, units.mass)

    def factor(self, source: StageUnits, target: StageUnits) -> float:
        """Return what to multiply a value in ``source`` units with to have it in ``target`` units."""
        lengths = source.meters_per_unit / target.meters_per_unit
        masses = source.kilograms_per_unit / target.kilograms_per_unit
        return float(lengths**self.length * masses**self.mass)


def _power(name: str, exponent: int) -> str:
    return name if exponent == 1 else name + {2: "²", 3: "³", 4: "⁴"}.get(exponent, f"^{exponent}")


NONE = Dimension()
LENGTH = Dimension(length=1)
VELOCITY = Dimension(length=1, time=-1)
ACCELERATION = Dimension(length=1, time=-2)
ANGULAR_VELOCITY = Dimension(time=-1, angle=1)
ANGULAR_ACCELERATION = Dimension(time=-2, angle=1)
MASS = Dimension(mass=1)
INVERSE_MASS = Dimension(mass=-1)
INERTIA = Dimension(mass=1, length=2)
INVERSE_INERTIA = Dimension(mass=-1, length=-2)
FORCE = Dimension(mass=1, length=1, time=-2)
TORQUE = Dimension(mass=1, length=2, time=-2)
DEGREES = Dimension(angle=1, angle_unit="deg")
DEGREES_PER_SECOND = Dimension(angle=1, time=-1, angle_unit="deg")
RADIANS = Dimension(angle=1)
TIME = Dimension(time=1)
