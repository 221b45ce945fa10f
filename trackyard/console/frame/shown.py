"""How pages write numbers, money and times (docs/spec/console.md#words-and-numbers)."""

from collections.abc import Iterable
from datetime import UTC, date, datetime
from decimal import ROUND_HALF_UP, Decimal
from zoneinfo import ZoneInfo

from markupsafe import escape

from trackyard.base.texts.languages import spoken
from trackyard.base.texts.marks import gettext
from trackyard.base.zones import DATETIME_FORMAT
from trackyard.domain.money.amounts import exact_places, rate_places, shown_amount, shown_sum
from trackyard.domain.money.written_amounts import MINUS, NO_BREAK, digits_words, grouped

Number = Decimal | int | float


def number(value: Number | None) -> str:
    """Return a count or another plain number: 1,412,806. None is an em dash."""
    if value is None:
        return "\N{EM DASH}"
    return grouped(f"{value:,}").replace("-", MINUS)


class MoneyText(str):
    """An amount in words, as text everywhere.

    Templates show all its digits on hover where rounding left some out. exact: them, "" = none was left out.
    """

    exact: str

    def __new__(cls, text: str, exact: str = "") -> "MoneyText":
        """Return a text with its exact value."""
        made = super().__new__(cls, text)
        made.exact = exact
        return made

    def __html__(self) -> str:
        """Return it as templates insert it outside of tags."""
        text = escape(str(self))
        return f'<span class="exact" title="{escape(self.exact)}">{text}</span>' if self.exact else str(text)


def money(value: Number | None, currency: str, places: int | None = None) -> MoneyText:
    """Return an amount with its currency: $1,020.50, 1,021 JPY, in Spanish 1.020,50 $.

    places: decimal places; None = the currency's.
    """
    if value is None:
        return MoneyText("\N{EM DASH}")
    exact = Decimal(str(value))
    return _with_exact(shown_amount(exact, currency, places), exact, currency)


def together(amounts: Iterable[Number], currency: str, places: int | None = None) -> MoneyText:
    """Return the sum of the amounts of a row, so that it adds up as it is shown.

    The margin is together((charge, -payout)).
    """
    parts = [Decimal(str(each)) for each in amounts]
    return _with_exact(shown_sum(parts, currency, places), sum(parts, Decimal(0)), currency)


def rate(value: Number | None, currency: str) -> MoneyText:
    """Return an amount of a click, such as EPC. None is an em dash."""
    return money(value, currency, None if value is None else rate_places(Decimal(str(value)), currency))


def exact_money(value: Number | None, currency: str) -> MoneyText:
    """Return an amount with all its digits. None is an em dash."""
    return money(value, currency, None if value is None else exact_places(Decimal(str(value)), currency))


def _with_exact(rounded: Decimal, exact: Decimal, currency: str) -> MoneyText:
    places = exact_places(exact, currency)
    whole = "" if rounded == exact else digits_words(shown_amount(exact, currency, places), currency)
    return MoneyText(digits_words(rounded, currency), whole)


def percent(share: Number | None, places: int = 1) -> str:
    """Return a share, 1 = all, as a percentage: 2.3 %. None is an em dash."""
    if share is None:
        return "\N{EM DASH}"
    rounded = (Decimal(str(share)) * 100).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    return f"{grouped(f'{rounded:,}')}{NO_BREAK}%".replace("-", MINUS)


def day(value: date, *, year: bool = False) -> str:
    """Return a day as sentences and charts write it: 21 Nov, or 21 Nov 2026."""
    text = f"{value.day} {spoken().form.months[value.month - 1]}"
    return f"{text} {value.year}" if year else text


def period(first: date, last: date) -> str:
    """Return a span of days: 1-21 Nov 2026, with an en dash."""
    dash = "\N{EN DASH}"
    if first == last:
        return day(first, year=True)
    if (first.year, first.month) == (last.year, last.month):
        return f"{first.day}{dash}{day(last, year=True)}"
    return f"{day(first, year=first.year != last.year)} {dash} {day(last, year=True)}"


def clock_time(ms: int, zone: ZoneInfo) -> str:
    """Return the time of day of a moment, to the second: 14:32:07. ms: UTC."""
    return datetime.fromtimestamp(ms / 1000, UTC).astimezone(zone).strftime("%H:%M:%S")


def shorten(text: str, longest: int = 120) -> str:
    """Return a text as tables show it: at most so many characters, the last one an ellipsis."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def moment(text: str, source: ZoneInfo, zone: ZoneInfo) -> str:
    """Return a time of an answer in another zone: 2026-11-21 14:32:07.

    source: the zone that the answer is in. Of an hour that a change of clocks repeats, the first one is meant.
    """
    if source.key == zone.key or not text:
        return text
    return datetime.fromisoformat(text).replace(tzinfo=source).astimezone(zone).strftime(DATETIME_FORMAT)


def zone_name(zone: ZoneInfo) -> str:
    """Return a zone as pages name it: Lisbon of Europe/Lisbon."""
    return zone.key.rpartition("/")[2].replace("_", " ")


def zones_text(times: ZoneInfo, days: ZoneInfo) -> str:
    """Return the zones of a page in words; one where times and days have the same."""
    if times.key == days.key:
        return times.key if times.key == "UTC" else gettext("%(times)s time", times=zone_name(times))
    return gettext("%(times)s time, days of %(days)s", times=zone_name(times), days=zone_name(days))
