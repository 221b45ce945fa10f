"""Words of the pages of affiliates."""

from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Final
from zoneinfo import ZoneInfo

from trackyard.base.texts.marks import lazy_gettext
from trackyard.console.frame import shown
from trackyard.domain.tracking.reference.texts import reference_texts

STATUSES: Final[Mapping[str, str]] = {
    "confirmed": lazy_gettext("Confirmed"),
    "pending": lazy_gettext("Pending"),
    "hold": lazy_gettext("On hold"),
    "declined": lazy_gettext("Declined"),
}
"""Statuses of conversions by their names in the API."""


def sums_text(sums: Mapping[str, Any], currency: str) -> tuple[str, str]:
    """Return an amount by currency as a figure and the amounts below it.

    The platform's currency is the figure, or the only other one there is.
    """
    amounts = {code: Decimal(str(value)) for code, value in sums.items() if Decimal(str(value))}
    main = currency if currency in amounts or not amounts else next(iter(amounts))
    others = [shown.money(value, code) for code, value in amounts.items() if code != main]
    return shown.money(amounts.get(main, Decimal(0)), main), " + ".join(others)


def decline_text(conversion: Mapping[str, Any]) -> str:
    """Return why a conversion was declined; "" for others, and where nothing was written down."""
    if conversion["status"] != "declined":
        return ""
    comment = str(conversion["comment"])
    known = reference_texts("results")["declines"].get(comment)
    return f"{comment}. {known['text'].replace('`', '')}" if known else comment


def moment_text(instant: Mapping[str, Any], zone: ZoneInfo) -> str:
    """Return a moment of the API as tables show it: 2026-11-21 14:32."""
    return datetime.fromtimestamp(instant["sec"], UTC).astimezone(zone).strftime("%Y-%m-%d %H:%M")
