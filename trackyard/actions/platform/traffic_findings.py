"""What was last found about the quality of all traffic, for some minutes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Final

from trackyard.domain.statistics.quality.comparing import QualityFinding
from trackyard.domain.statistics.quality.robots import RobotJump

KEPT_MS: Final = 600_000
"""How old what was found may be: it is of seven days."""


@dataclass(frozen=True, slots=True)
class QualityFound:
    """What was found. fault: why the traffic could not be compared, "" = it was. jumps: of robots."""

    findings: Sequence[QualityFinding] = ()
    fault: str = ""
    jumps: Sequence[RobotJump] = ()


@dataclass(slots=True)
class QualityMemory:
    """What a process found last. made_at: UTC ms, 0 = nothing yet."""

    made_at: int = 0
    found: QualityFound = field(default_factory=QualityFound)
    _lock: Lock = field(default_factory=Lock)

    def get(self, now: int, make: Callable[[], QualityFound]) -> QualityFound:
        """Return the last findings, or new ones from `make` when they are old.

        While one thread makes them, the others get the last ones.
        """
        if not self._lock.acquire(blocking=not self.made_at):
            return self.found
        try:
            if not self.made_at or not 0 <= now - self.made_at < KEPT_MS:
                self.found = make()
                self.made_at = now
            return self.found
        finally:
            self._lock.release()
