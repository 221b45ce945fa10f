"""When an offer takes clicks, in words (docs/spec/tracking.md#schedule)."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Final
from zoneinfo import ZoneInfo

from trackyard.api.offers.view import OfferFields
from trackyard.api.offers.view_affiliate import FullAffiliateOfferView
from trackyard.api.offers.view_parts import IntervalView
from trackyard.base.texts.languages import spoken
from trackyard.base.texts.marks import gettext
from trackyard.console.offers_shown.words import Phrase, Sentence, joined

_WEEK: Final = (1, 2, 3, 4, 5, 6, 0)
"""Days in the order in which people read a week."""
TimeOf = Callable[[str], str]
"""Returns a time of an answer in the zone of the person."""


def schedule_clauses(offer: OfferFields | FullAffiliateOfferView, time_of: TimeOf) -> Iterator[Sentence]:
    """Yield the clauses about the dates and hours of an offer, which is of the API."""
    schedule = offer.schedule
    if offer.start_at:
        yield (Phrase(gettext("from") + " "), Phrase(time_of(offer.start_at), strong=True))
    if offer.stop_at:
        yield (Phrase(gettext("until the end of") + " "), Phrase(offer.stop_at[:10], strong=True))
    if schedule.date_start:
        first = datetime.fromtimestamp(schedule.date_start.sec, UTC).astimezone(ZoneInfo(schedule.timezone))
        yield (Phrase(gettext("from") + " "), Phrase(first.date().isoformat(), strong=True))
    if schedule.date_to:
        yield (Phrase(gettext("until the end of") + " "), Phrase(schedule.date_to, strong=True))
    if schedule.enabled and schedule.intervals:
        words = joined(list(_hours(schedule.intervals)))
        yield (Phrase(words, strong=True), Phrase(f" ({schedule.timezone})"))


def _hours(intervals: Iterable[IntervalView]) -> Iterator[str]:
    """Yield days that have the same hours: Monday to Friday 09:00-18:00, with an en dash."""
    by_day: dict[int, list[str]] = {}
    for each in intervals:
        by_day.setdefault(each.day_of_week, []).append(f"{each.start:02}:00–{(each.end + 1) % 24:02}:00")
    alike: dict[tuple[str, ...], list[int]] = {}
    for day in _WEEK:
        if day in by_day:
            alike.setdefault(tuple(by_day[day]), []).append(day)
    for hours, days in alike.items():
        yield f"{_days(days)} {joined(hours)}"


def _days(days: Sequence[int]) -> str:
    if len(days) == len(_WEEK):
        return gettext("every day")
    places = [_WEEK.index(day) for day in days]
    if len(days) > 2 and places[-1] - places[0] == len(days) - 1:
        return gettext("%(first)s to %(last)s", first=_name(days[0]), last=_name(days[-1]))
    return joined([_name(day) for day in days])


def _name(day: int) -> str:
    """Return the name of a day. day: 0 is Sunday."""
    return spoken().form.long_weekdays[day - 1]
