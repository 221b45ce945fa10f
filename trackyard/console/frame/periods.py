"""The period of a page, and the period that it is compared with (docs/spec/console.md#periods)."""

from calendar import monthrange
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Final, Literal
from zoneinfo import ZoneInfo

from trackyard.base.texts.marks import gettext, lazy_gettext, ngettext
from trackyard.console.frame.address import PageAddress
from trackyard.console.frame.shown import period as period_text

MOST_DAYS: Final = 366
"""Days of a period that a page shows."""
DEFAULT: Final = "30d"

CHOICES: Final = (
    ("today", lazy_gettext("Today")),
    ("yesterday", lazy_gettext("Yesterday")),
    ("7d", lazy_gettext("Last 7 days")),
    ("30d", lazy_gettext("Last 30 days")),
    ("month", lazy_gettext("This month")),
    ("last-month", lazy_gettext("Last month")),
)
"""The periods of the menu: the value of `period` in the address, and its name."""

Compare = Literal["before", "week", "month", "none"]
COMPARISONS: Final[tuple[Compare, ...]] = ("before", "week", "month", "none")
"""What periods are compared with: the value of `compare` in the address; the first one is the usual one."""

_MONTHS_DIFFER: Final = 3
"""The most days by which a month is shorter than another one."""


@dataclass(frozen=True, slots=True)
class DayPeriod:
    """Days in a zone, both ends included. today: the day of now in that zone. hour: the hour of now."""

    first: date
    last: date
    today: date
    hour: int

    @property
    def days(self) -> int:
        """Return the number of days."""
        return (self.last - self.first).days + 1

    @property
    def is_open(self) -> bool:
        """Return whether its last day is not over."""
        return self.last >= self.today

    @property
    def hour_text(self) -> str:
        """Return the last full hour, up to which an open period is compared; "" for another period."""
        return f"{self.hour:02}:00" if self.is_open and self.first <= self.today else ""

    @property
    def has_full_hour(self) -> bool:
        """Return whether at least one hour of the period is over, so that the period can be compared."""
        return self.first < self.today or not self.is_open or (self.first == self.today and self.hour > 0)

    def with_hour(self, change: str) -> str:
        """Return a rise or a fall with the hour at which its count ends. Other changes come back unchanged."""
        if not self.hour_text or change[:1] not in ("\N{UPWARDS ARROW}", "\N{DOWNWARDS ARROW}"):
            return change
        return gettext("%(change)s up to %(hour)s", change=change, hour=self.hour_text)

    def against(self, before_text: str) -> str:
        """Return the name of the earlier period, and, while a day is open, the hour at which both end."""
        if not self.hour_text or not before_text:
            return before_text
        return gettext("%(before)s, up to %(hour)s", before=before_text, hour=self.hour_text)

    @property
    def before(self) -> "DayPeriod":
        """Return the period of the same length that ends just before this one."""
        length = timedelta(days=self.days)
        return replace(self, first=self.first - length, last=self.last - length)

    @property
    def text(self) -> str:
        """Return the days of the period in words, such as "1-21 Nov 2026"."""
        return period_text(self.first, self.last)

    @property
    def before_text(self) -> str:
        """Return the name of the period before, such as "7 days before"."""
        return (
            gettext("day before")
            if self.days == 1
            else ngettext("%(num)d day before", "%(num)d days before", self.days)
        )

    @property
    def weeks_before(self) -> "DayPeriod":
        """Return the same weekdays in the nearest earlier weeks without an overlap."""
        length = timedelta(weeks=self.weeks)
        return replace(self, first=self.first - length, last=self.last - length)

    @property
    def weeks(self) -> int:
        """Return the number of weeks that it touches, from its first day on."""
        return -(-self.days // 7)

    @property
    def weeks_text(self) -> str:
        """Return the same weekdays before in words."""
        return (
            gettext("week before")
            if self.weeks == 1
            else ngettext("same weekdays %(num)d week before", "same weekdays %(num)d weeks before", self.weeks)
        )

    @property
    def months_before(self) -> "DayPeriod":
        """Return the same days of the nearest month that it does not overlap.

        They are up to three fewer where that month is shorter.
        """
        first = _months_earlier(self.first, self.months)
        last = min(first + timedelta(days=self.days - 1), self.first - timedelta(days=1))
        return replace(self, first=first, last=last)

    @property
    def months(self) -> int:
        """Return how many months before the same days are that it does not overlap."""
        months, length = 1, timedelta(days=self.days - _MONTHS_DIFFER)
        while _months_earlier(self.first, months) + length > self.first:
            months += 1
        return months

    @property
    def months_text(self) -> str:
        """Return the same days of a month before in words."""
        return ngettext("same days %(num)d month before", "same days %(num)d months before", self.months)

    def compared_with(self, compare: Compare) -> "DayPeriod | None":
        """Return the period that it is compared with; None without a comparison."""
        match compare:
            case "before":
                return self.before
            case "week":
                return self.weeks_before
            case "month":
                return self.months_before
        return None

    def compared_text(self, compare: Compare) -> str:
        """Return the period that it is compared with in words; "" without a comparison."""
        match compare:
            case "before":
                return self.before_text
            case "week":
                return self.weeks_text
            case "month":
                return self.months_text
        return ""

    def same_day_in(self, other: "DayPeriod") -> date:
        """Return the day of another period that is as far from its first day as today is."""
        return other.first + (self.today - self.first)

    def each_day(self) -> list[date]:
        """Return its days in order."""
        return [self.first + timedelta(days=number) for number in range(self.days)]


def read_period(
    address: PageAddress, now_ms: int, zone: ZoneInfo, most_days: int | None = MOST_DAYS
) -> tuple[DayPeriod, str]:
    """Return the period in an address, and an error sentence where the page cannot show it.

    `from` and `to` are days; `period` is a value of CHOICES. now_ms: UTC.
    most_days: the most days that the page shows; None = any.
    """
    now = datetime.fromtimestamp(now_ms / 1000, UTC).astimezone(zone)
    today = now.date()
    first, last = _named(address.get("period", DEFAULT), today) or _span(today, 30)
    fault = ""
    if address.get("from") or address.get("to"):
        given = _day(address.get("from")), _day(address.get("to"))
        if given[0] is None or given[1] is None or given[0] > given[1]:
            fault = gettext(
                "These are not two days in order, such as 2026-11-01 and 2026-11-21. The last 30 days are shown."
            )
        elif most_days is not None and (given[1] - given[0]).days >= most_days:
            fault = gettext("A page shows at most %(most_days)s days. The last 30 days are shown.", most_days=most_days)
        else:
            first, last = given[0], given[1]
    return DayPeriod(first, last, today, now.hour), fault


def read_comparison(address: PageAddress) -> Compare:
    """Return the comparison in an address; the default where the value is wrong."""
    return next((each for each in COMPARISONS if each == address.get("compare")), COMPARISONS[0])


def _months_earlier(day: date, months: int) -> date:
    """Return the same day of an earlier month, or the last one of that month."""
    count = day.year * 12 + day.month - 1 - months
    year, month = divmod(count, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def _named(name: str, today: date) -> tuple[date, date] | None:
    yesterday, month = today - timedelta(days=1), today.replace(day=1)
    match name:
        case "today":
            return today, today
        case "yesterday":
            return yesterday, yesterday
        case "7d":
            return _span(today, 7)
        case "30d":
            return _span(today, 30)
        case "month":
            return month, today
        case "last-month":
            last = month - timedelta(days=1)
            return last.replace(day=1), last
    return None


def _span(today: date, days: int) -> tuple[date, date]:
    return today - timedelta(days=days - 1), today


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if len(text) == len("2026-11-21") else None
    except ValueError:
        return None
