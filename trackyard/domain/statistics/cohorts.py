"""Questions about retention and time to action, and their answers
(docs/spec/statistics.md#retention-and-time-to-action).
"""

from dataclasses import dataclass
from decimal import Decimal

from trackyard.base.money import rounded
from trackyard.domain.people.scope import Scope


@dataclass(frozen=True, slots=True)
class RetentionQuery:
    """Of the clicks of an offer whose goal `base_event` happened in a period, how many had which goals later.

    since, until: UTC milliseconds, `until` exclusive, for the base event alone · zone: an IANA name, for the days ·
    affiliates: these alone; None = all.
    """

    scope: Scope
    since: int
    until: int
    zone: str
    offer: int
    base_event: str
    events: tuple[str, ...]
    affiliates: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Cohort:
    """The clicks of an affiliate whose base event happened on a day (YYYY-MM-DD). `reached`: by each event asked for,
    how many of them had it later; the base event, all of them."""

    affiliate: int
    day: str
    size: int
    reached: dict[str, int]

    def rate(self, event: str) -> Decimal:
        """Return how many of the cohort had the event later, in percent."""
        return rounded(Decimal(100 * self.reached[event]) / self.size)


@dataclass(frozen=True, slots=True)
class TimeToActionQuery:
    """How long after its click each conversion of an offer came.

    since, until: UTC milliseconds, `until` exclusive; a click counts at its time, a conversion at its creation ·
    goals: conversions of these alone, () = all · affiliates: these alone, None = all · page from 1.
    """

    scope: Scope
    since: int
    until: int
    offer: int
    goals: tuple[str, ...] = ()
    affiliates: tuple[int, ...] | None = None
    page: int = 1
    limit: int = 100

    def __post_init__(self) -> None:
        if self.page < 1 or self.limit < 1:
            raise ValueError("pages and limits begin at 1")


@dataclass(frozen=True, slots=True)
class TimeToActionRow:
    """An affiliate's accepted clicks, and its conversions of every status by the time since their click: up to 30 s,
    up to 600 s, longer. The three add up to `conversions`."""

    affiliate: int
    clicks: int
    conversions: int
    soon: int
    later: int
    last: int
