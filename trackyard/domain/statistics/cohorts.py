"""Retention and time to action: queries and results.

docs/spec/statistics.md#retention-and-time-to-action
"""

from dataclasses import dataclass
from decimal import Decimal

from trackyard.base.money import rounded
from trackyard.domain.people.scope import Scope


@dataclass(frozen=True, slots=True)
class RetentionQuery:
    """A query for the later goals of clicks with the goal `base_event` in a period.

    since, until: UTC milliseconds, `until` exclusive, of the base event.
    zone: an IANA name, for the days.
    affiliates: only these; None = all.
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
    """The clicks of an affiliate with the base event on one day (YYYY-MM-DD).

    reached: clicks by later event; by the base event, all of them.
    """

    affiliate: int
    day: str
    size: int
    reached: dict[str, int]

    def rate(self, event: str) -> Decimal:
        """Return how many of the cohort had the event later, in percent."""
        return rounded(Decimal(100 * self.reached[event]) / self.size)


@dataclass(frozen=True, slots=True)
class TimeToActionQuery:
    """A query for the time from clicks to conversions of an offer.

    since, until: UTC milliseconds, `until` exclusive; a click counts at its time, a conversion at its creation.
    goals: only conversions of these; () = all.
    affiliates: only these; None = all.
    page: from 1.
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
    """The accepted clicks and the conversions of an affiliate, by time since their click.

    The conversions up to 30 s, up to 600 s, and later add up to `conversions`.
    """

    affiliate: int
    clicks: int
    conversions: int
    soon: int
    later: int
    last: int
