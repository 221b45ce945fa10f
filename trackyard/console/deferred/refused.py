"""The message in place of a report that cannot be made (docs/spec/console.md#slow-reports)."""

from collections.abc import Iterable, Iterator
from datetime import timedelta

from trackyard.base.errors import ReportsBusy, ReportTooHeavy, RequestError, TooManyRequests, Unavailable
from trackyard.base.texts.marks import ngettext
from trackyard.console.frame.address import PageAddress
from trackyard.console.frame.answers import Html
from trackyard.console.frame.periods import DayPeriod

Way = tuple[str, PageAddress]
"""A shorter report: what it is, and its address."""
_SHORTER_DAYS = (30, 7, 1)


def refused_part(refusal: RequestError, address: PageAddress, ways: Iterable[Way] = ()) -> Html:
    """Return the message that a page shows in place of a report.

    ways: links to shorter reports, shown where a report takes too long.
    """
    is_heavy = isinstance(refusal, ReportTooHeavy) and not isinstance(refusal, ReportsBusy)
    match refusal:
        case TooManyRequests() | ReportsBusy():
            kind = "busy"
        case ReportTooHeavy():
            kind = "heavy"
        case Unavailable():
            kind = "away"
        case _:
            kind = "wrong"
    values = {"kind": kind, "refusal": refusal, "address": address, "ways": list(ways) if is_heavy else []}
    return Html("refused.html", values, refusal.status)


def shorter_periods(address: PageAddress, period: DayPeriod) -> Iterator[Way]:
    """Yield the report of fewer days, which end where the period ends."""
    for days in _SHORTER_DAYS:
        if days < period.days:
            first = period.last - timedelta(days=days - 1)
            text = ngettext("Show the last day alone", "Show the last %(num)d days of the period", days)
            yield text, address.without("period").set("from", first).set("to", period.last)
