"""The signals of a click (docs/spec/quality.md#signals).

They are the bits of `Click.origin`.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final

HOSTING: Final = 1
VPN: Final = 2
TOR: Final = 4
BOT: Final = 8
RELAY: Final = 16
PROXY: Final = 32
PREFETCH: Final = 64
HEADLESS: Final = 128

SIGNALS: Final[Mapping[str, int]] = MappingProxyType(
    {
        "hosting": HOSTING,
        "vpn": VPN,
        "tor": TOR,
        "bot": BOT,
        "relay": RELAY,
        "proxy": PROXY,
        "prefetch": PREFETCH,
        "headless": HEADLESS,
    }
)
"""Every signal by name."""
NETWORKS: Final = ("hosting", "vpn", "tor", "bot", "relay", "proxy")
"""The signals that an address can have."""
SUSPICIOUS: Final = HOSTING | VPN | TOR | BOT | PROXY | HEADLESS
"""The signals that mark a click. Private relays and prefetches come from ordinary people and their browsers."""
MARKED: Final = "marked"
CLEAN: Final = "clean"
ORIGIN_CHOICES: Final = (CLEAN, MARKED, *SIGNALS)
"""What reports and lists can be narrowed by."""
_ALL: Final = (HEADLESS << 1) - 1


@lru_cache(maxsize=512)
def names_of(origin: int) -> tuple[str, ...]:
    """Return the signals of a click by name."""
    return tuple(name for name, bit in SIGNALS.items() if origin & bit)


def origin_text(origin: int) -> str:
    """Return the signals of a click as text, "" = none."""
    return ", ".join(names_of(origin))


def is_marked(origin: int) -> bool:
    """Return whether the signals of a click are suspicious."""
    return bool(origin & SUSPICIOUS)


def bits_of(names: Iterable[str]) -> int:
    """Return the bits of some signals."""
    bits = 0
    for name in names:
        bits |= SIGNALS[name]
    return bits


def origins_with(choices: Iterable[str]) -> tuple[int, ...]:
    """Return the values of `Click.origin` that one of ORIGIN_CHOICES describes."""
    return tuple(origin for origin in range(_ALL + 1) if any(_has(origin, choice) for choice in choices))


def _has(origin: int, choice: str) -> bool:
    if choice in (CLEAN, MARKED):
        return is_marked(origin) == (choice == MARKED)
    return bool(origin & SIGNALS[choice])
