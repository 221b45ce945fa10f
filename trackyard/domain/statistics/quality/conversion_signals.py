"""The signals of conversions, in addition to click signals (docs/spec/quality.md#conversions). Pure.

They are the bits of `Conversion.signals`.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from trackyard.domain.statistics.quality.comparing import LATE_MS, QUICK_MS

QUICK: Final = 1
LATE: Final = 2
REPEATED_ADDRESS: Final = 4
CONVERSION_SIGNALS: Final[Mapping[str, int]] = MappingProxyType(
    {"quick": QUICK, "late": LATE, "repeated_address": REPEATED_ADDRESS}
)
"""Every signal by name."""
SUSPICIOUS: Final = QUICK | LATE
"""The signals that mark a conversion. Many visitors share the address of a mobile network."""
LEAST_USUAL: Final = 100
"""Earlier conversions of the goal that say what is usual."""
_FENCE: Final = 1.5
"""How far a fence is from its quartile, in distances of the quartiles (docs/spec/quality.md#thresholds)."""


@dataclass(frozen=True, slots=True)
class UsualTimes:
    """The times from click to conversion of a goal of an offer, in milliseconds.

    number: of conversions. first, third: the quartiles.
    """

    number: int
    first: int
    third: int

    @property
    def low(self) -> float:
        """Return the lower inner fence of the logarithms, as a time."""
        return self._first * math.pow(self._first / self._third, _FENCE)

    @property
    def high(self) -> float:
        """Return the upper inner fence of the logarithms, as a time."""
        return self._third * math.pow(self._third / self._first, _FENCE)

    @property
    def _first(self) -> int:
        return max(self.first, 1)

    @property
    def _third(self) -> int:
        return max(self.third, self._first)


def signals_of(age_ms: int, usual: UsualTimes | None, converted: int) -> int:
    """Return the signals of a new conversion.

    usual: None = not known. converted: conversions of its offer and goal from its address before.
    """
    signals = REPEATED_ADDRESS if converted else 0
    if usual is None or usual.number < LEAST_USUAL:
        return signals
    if age_ms < QUICK_MS and age_ms < usual.low:
        return signals | QUICK
    return signals | LATE if age_ms > LATE_MS and age_ms > usual.high else signals


def is_marking(signals: int) -> bool:
    """Return whether signals of a conversion are suspicious."""
    return bool(signals & SUSPICIOUS)


@lru_cache(maxsize=8)
def names_of(signals: int) -> tuple[str, ...]:
    """Return the signals of a conversion by name."""
    return tuple(name for name, bit in CONVERSION_SIGNALS.items() if signals & bit)


def signals_text(signals: int) -> str:
    """Return the signals of a conversion as text, "" = none."""
    return ", ".join(names_of(signals))
