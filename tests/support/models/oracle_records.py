"""Records and numbers of the oracle of statistics (tests/support/models/oracle.py)."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from decimal import ROUND_HALF_EVEN, Decimal
from pathlib import Path
from typing import Any

from trackyard.journal import segments
from trackyard.journal.reader import next_range
from trackyard.journal.records import RecordKind

Record = Mapping[str, Any]
"""A click, view or conversion by the names of a click's record, and a conversion by its own names as well."""
ZERO = Decimal(0)
DATABASES = {
    "city": ("city", "cities"),
    "carrier": ("isp", "providers"),
    "conn_type": ("connection", "types of connection"),
}
"""Slices that need an address database, which tests do not configure."""
CITIES = {("Berlin", "ru"): "Берлин", ("Berlin", "es"): "Berlín", ("Kathmandu", "ru"): "Катманду"}
"""Cities that have a name of their own in a language."""


def divide_rounded(amount: Decimal, by: int) -> Decimal:
    """A quotient with four places; 0 where nothing divides."""
    return rounded(amount / by) if by else ZERO


def is_clickless(conversion: Record) -> bool:
    """Whether a conversion has no click of its own, such as an import."""
    made_by: str = conversion["stored"].click_id
    return made_by[8:10] == "ff"


def rounded(amount: Decimal) -> Decimal:
    """Half-even to 4 places."""
    return amount.quantize(Decimal("0.0001"), ROUND_HALF_EVEN)


def cost_record(row: Any, about: Any) -> Record:
    """A cost of advertising as a record. about: its offer."""
    return {
        "offer": row.offer_id,
        "affiliate": row.affiliate_id,
        "advertiser": about.advertiser_id,
        "sub8": row.sub8,
        "on": datetime.fromisoformat(row.day),
        "cost": row.cost,
    }


def conversion_record(row: Any, history: list[Any], click: Record, at: int) -> Record:
    """A conversion as a record. history: its events. at: UTC ms."""
    now = history[-1]
    money = {"charge": now.charge, "payout": now.payout}
    money |= {f"{name}_base": rounded(amount / row.rate) for name, amount in money.items()}
    return {
        **click,
        **money,
        "id": row.id,
        "click": click,
        "time": at,
        "status": now.status,
        "currency": now.currency,
        "comment": now.comment,
        "goal": row.goal,
        "offer": row.offer_id,
        "affiliate": row.affiliate_id,
        "advertiser": row.advertiser_id,
        "stored": row,
        "changed_at": now.at,
    }


def each_record(journals: Path) -> Iterator[tuple[tuple[str, int], RecordKind, bytes]]:
    """Each record of the journals, with its place."""
    for edge in segments.list_edges(journals):
        journal, position = None, 0
        while (found := next_range(journals, edge, journal, position)) is not None:
            assert not found.gaps
            for place, kind, payload in found.frames:
                yield (found.journal, place), kind, payload
            journal, position = found.journal, found.end
