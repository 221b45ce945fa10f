"""When the share of robots among the clicks of one version of a system jumps.

docs/spec/quality.md#robots-of-a-version
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

LEAST_CLICKS: Final = 100
"""Clicks of a version from which on its share is judged, and is one to compare with."""
LEAST_SHARE: Final = 0.1
LEAST_GROWTH: Final = 3.0
"""How many times the share before a share must be."""


@dataclass(frozen=True, slots=True)
class RobotShare:
    """The clicks from one version of a system, on the last day and on the days before.

    robots: the clicks rejected as clicks of robots, which are also part of the clicks.
    """

    system: str
    version: str
    robots: int
    clicks: int
    robots_before: int
    clicks_before: int


@dataclass(frozen=True, slots=True)
class RobotJump:
    """A version with more robots than before. before: the share of the version, else of its system."""

    system: str
    version: str
    robots: int
    clicks: int
    before: float
    now_people: int = 0


def find_jumps(shares: Sequence[RobotShare]) -> list[RobotJump]:
    """Return the versions with a jump in the share of robots, the versions with most robots first."""
    systems = _systems(shares)
    found = []
    for each in shares:
        if not each.system or each.clicks < LEAST_CLICKS:
            continue
        known = (each.robots_before, each.clicks_before)
        robots, clicks = known if each.clicks_before >= LEAST_CLICKS else systems[each.system]
        before = robots / clicks if clicks >= LEAST_CLICKS else 0.0
        if clicks >= LEAST_CLICKS and each.robots / each.clicks >= max(LEAST_SHARE, LEAST_GROWTH * before):
            found.append(RobotJump(each.system, each.version, each.robots, each.clicks, before))
    return sorted(found, key=lambda jump: (-jump.robots, jump.system, jump.version))


def _systems(shares: Iterable[RobotShare]) -> Mapping[str, tuple[int, int]]:
    """Return the robots and the clicks of each system in the days before."""
    found: dict[str, tuple[int, int]] = {}
    for each in shares:
        robots, clicks = found.get(each.system, (0, 0))
        found[each.system] = (robots + each.robots_before, clicks + each.clicks_before)
    return found
