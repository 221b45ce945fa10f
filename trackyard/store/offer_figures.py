"""cr and epc of offers, as their lists show them."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from sqlalchemy import Connection, bindparam, or_, select, update

from trackyard.store.tables import offer


@dataclass(frozen=True, slots=True)
class Figures:
    """cr: conversions per click, in percent · epc: payouts of confirmed per click, in the platform currency."""

    cr: Decimal
    epc: Decimal


def list_figures(conn: Connection) -> dict[int, Figures]:
    """The figures by offer, of those not removed that have any."""
    columns = offer.c
    some = or_(columns.cr != Decimal(0), columns.epc != Decimal(0))
    rows = conn.execute(select(columns.id, columns.cr, columns.epc).where(columns.removed_at.is_(None), some))
    return {row.id: Figures(row.cr, row.epc) for row in rows}


def write_figures(conn: Connection, figures: Mapping[int, Figures]) -> None:
    """Writes the figures of offers. They are no change of the offer: updated_at stays."""
    statement = (
        update(offer)
        .where(offer.c.id == bindparam("offer_id"), offer.c.removed_at.is_(None))
        .values(cr=bindparam("new_cr"), epc=bindparam("new_epc"))
    )
    rows = [{"offer_id": id_, "new_cr": each.cr, "new_epc": each.epc} for id_, each in sorted(figures.items())]
    if rows:
        conn.execute(statement, rows)
