"""What the clock brings about in SQL: offers that end."""

from sqlalchemy import Connection, select, update

from trackyard.domain.offers.choices import OfferStatus
from trackyard.store.tables import offer
from trackyard.store.tracking import rulesets


def has_ended_offers(conn: Connection, now_ms: int) -> bool:
    """Whether an offer is past its stop_at and not stopped."""
    query = select(offer.c.id).where(offer.c.stop_at <= now_ms, offer.c.status != OfferStatus.STOPPED)
    return conn.execute(query.limit(1)).first() is not None


def stop_ended_offers(conn: Connection, now_ms: int, limit: int) -> list[int]:
    """Stops at most `limit` offers whose stop_at is reached, and tells the edges; their ids."""
    query = (
        select(offer.c.id)
        .where(offer.c.stop_at <= now_ms, offer.c.status != OfferStatus.STOPPED)
        .order_by(offer.c.id)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    ids = list(conn.execute(query).scalars())
    if ids:
        conn.execute(update(offer).where(offer.c.id.in_(ids)).values(status=OfferStatus.STOPPED, updated_at=now_ms))
    for offer_id in ids:
        rulesets.touch(conn, "offer", offer_id)
    return ids
