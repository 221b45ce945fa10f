"""Clicks and facts with sensible defaults, for tests that care about a few of their fields."""

from decimal import Decimal
from typing import Any

import msgspec

from trackyard.domain.statistics.click_columns import EMPTY_CLICK, column_type
from trackyard.domain.statistics.rows import ConversionEvent, ConversionEventFields
from trackyard.journal.records import Click

NOON = 1_700_049_600_000
"""2023-11-15 12:00:00 UTC."""


def new_click(number: int, **fields: Any) -> Click:
    """A click at NOON of edge 1 with an id that ends in `number`."""
    values: dict[str, Any] = dict(EMPTY_CLICK)
    time = fields.get("time", NOON)
    values |= {
        "time": time,
        "id": f"{time // 1000:08x}01{number:014x}",
        "offer": 1,
        "affiliate": 1,
        "uniq": 1,
        "country": "DE",
    }
    return Click(**(values | fields))


def new_fact(number: int, **fields: Any) -> ConversionEventFields:
    """A confirmed conversion at NOON with a charge of 3 and a payout of 2 dollars."""
    empty = {int: 0, str: "", Decimal: Decimal(0)}
    values: dict[str, Any] = {
        field.name: empty[column_type(field.type)[0]] for field in msgspec.structs.fields(ConversionEvent)
    }
    values |= {
        "sign": 1,
        "conversion_id": f"{number:024x}",
        "version": 1,
        "time": NOON,
        "click_time": NOON,
        "status": 1,
        "goal": "1",
        "offer": 1,
        "affiliate": 1,
        "currency": "USD",
        "payment_type": "fixed",
        "charge": Decimal(3),
        "payout": Decimal(2),
        "charge_base": Decimal(3),
        "payout_base": Decimal(2),
        "country": "DE",
    }
    event: ConversionEventFields = ConversionEvent(**(values | fields))
    return event
