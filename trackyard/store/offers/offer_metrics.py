"""Metrics of offers, for lists and for the choice of SmartLinks."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from sqlalchemy import Connection, bindparam, or_, select, update

from trackyard.store.tables import offer


@dataclass(frozen=True, slots=True)
class OfferMetrics:
    """The metrics of one offer.

    cr: conversions per click, in percent.
    epc: payouts of confirmed conversions per click, in the platform currency.
    week_epc: payouts of conversions that are not declined per click, over 7 days.
    """

    cr: Decimal
    epc: Decimal
    week_epc: Decimal


def get_offer_metrics(conn: Connection) -> dict[int, OfferMetrics]:
    """Return the metrics by offer, of offers that are not removed and have a metric other than 0."""
    columns = offer.c
    figures = (columns.cr, columns.epc, columns.week_epc)
    some = or_(*(figure != Decimal(0) for figure in figures))
    rows = conn.execute(select(columns.id, *figures).where(columns.removed_at.is_(None), some))
    return {number: OfferMetrics(*metrics) for number, *metrics in rows}


def write_offer_metrics(conn: Connection, figures: Mapping[int, OfferMetrics]) -> None:
    """Store the metrics of offers; updated_at stays, as the offers do not change."""
    statement = (
        update(offer)
        .where(offer.c.id == bindparam("offer_id"), offer.c.removed_at.is_(None))
        .values(cr=bindparam("new_cr"), epc=bindparam("new_epc"), week_epc=bindparam("new_week_epc"))
    )
    rows = [
        {"offer_id": id_, "new_cr": each.cr, "new_epc": each.epc, "new_week_epc": each.week_epc}
        for id_, each in sorted(figures.items())
    ]
    if rows:
        conn.execute(statement, rows)
