"""Offers whose caps of clicks somebody wants to hear of."""

from sqlalchemy import Connection, select

from trackyard.domain.offers.counters import CapType
from trackyard.store.tables import offer, offer_label


def offers_with_notice(conn: Connection) -> list[int]:
    """The offers with a cap of clicks and a notice_percent_overcap, removed ones left out."""
    clicks = (offer_label.c.kind == "cap_type") & (offer_label.c.value == CapType.CLICKS)
    query = (
        select(offer.c.id)
        .join(offer_label, offer_label.c.offer_id == offer.c.id)
        .where(clicks, offer.c.notice_percent_overcap.is_not(None), offer.c.removed_at.is_(None))
    )
    return list(conn.execute(query.order_by(offer.c.id.desc())).scalars())
