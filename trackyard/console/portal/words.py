"""Words of the pages of affiliates and advertisers."""

from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Final
from zoneinfo import ZoneInfo

from trackyard.api.conversions.conversions import ConversionForAffiliate
from trackyard.api.people.advertiser_side.figures import OwnConversionView
from trackyard.api.tracking.logs import Instant
from trackyard.base.errors import RequestError
from trackyard.base.texts.marks import lazy_gettext
from trackyard.console.frame import shown
from trackyard.domain.tracking.reference.results import results

STATUSES: Final[Mapping[str, str]] = {
    "confirmed": lazy_gettext("Confirmed"),
    "pending": lazy_gettext("Pending"),
    "hold": lazy_gettext("On hold"),
    "declined": lazy_gettext("Declined"),
}
"""Statuses of conversions by their names in the API."""


def sums_text(sums: Mapping[str, Decimal], currency: str) -> tuple[str, str]:
    """Return an amount by currency as a figure and the amounts below it.

    The platform's currency is the figure, or the only other one there is.
    """
    amounts = {code: value for code, value in sums.items() if value}
    main = currency if currency in amounts or not amounts else next(iter(amounts))
    others = [shown.money(value, code) for code, value in amounts.items() if code != main]
    return shown.money(amounts.get(main, Decimal(0)), main), " + ".join(others)


def decline_text(conversion: ConversionForAffiliate | OwnConversionView) -> str:
    """Return why a conversion was declined; "" for others, and where nothing was written down."""
    if conversion.status != "declined":
        return ""
    known = results().declines.get(conversion.comment)
    return f"{conversion.comment}. {known.text.replace('`', '')}" if known else conversion.comment


def sentences_of(refusal: RequestError) -> str:
    """Return why the API refused something: what is wrong with its parameters, else its text."""
    return " ".join(text for texts in (refusal.fields or {}).values() for text in texts) or refusal.text


def moment_text(instant: Instant, zone: ZoneInfo) -> str:
    """Return a moment of the API as tables show it: 2026-11-21 14:32."""
    return datetime.fromtimestamp(instant.sec, UTC).astimezone(zone).strftime("%Y-%m-%d %H:%M")
