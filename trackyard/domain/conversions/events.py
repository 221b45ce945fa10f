"""The signed rows that report a change of a conversion to the analytic store."""

from typing import Any

from trackyard.domain.conversions.conversions import ConversionChange
from trackyard.domain.offers.goals import stored_key
from trackyard.domain.statistics.click_columns import EMPTY_CLICK
from trackyard.domain.statistics.rows import CLICK_COLUMNS, ConversionEvent, ConversionEventFields, encode_row

_FIELDS = {
    "conversion_id": "id", "time": "created_at", "offer": "offer_id", "affiliate": "affiliate_id",
    "advertiser": "advertiser_id",
    **{name: name for name in (
        "version", "click_time", "click_id", "goal", "currency", "payment_type", "sum", "charge", "payout",
        "charge_base", "payout_base",
    )},
}  # fmt: skip
"""Column of an event to attribute of a conversion."""


def event_lines(change: ConversionChange) -> bytes:
    """Return +1 of the new state, after -1 of the old one where there was one; they are loaded together."""
    lines = [encode_row(event_of(change.after, 1))]
    if change.before is not None:
        lines.insert(0, encode_row(event_of(change.before, -1)))
    return b"\n".join(lines)


def event_of(conversion: Any, sign: int) -> ConversionEventFields:
    """Return the row of one state of a conversion, with the columns of its click.

    conversion: domain.conversions.conversions.Conversion, or another class with these attributes
    """
    event: ConversionEventFields = ConversionEvent(
        sign=sign,
        status=conversion.status.number,
        goal_key=stored_key(conversion.goal),
        **{name: getattr(conversion, attribute) for name, attribute in _FIELDS.items()},
        **{name: conversion.click.get(name, EMPTY_CLICK[name]) for name in CLICK_COLUMNS},
    )
    return event
