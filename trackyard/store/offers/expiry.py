"""Offers that end at their stop_at."""

from collections.abc import Collection

from sqlalchemy import Connection, Select, select, update

from trackyard.domain.offers.choices import OVER, OfferStatus
from trackyard.store.engine.rows import has_rows
from trackyard.store.tables import offer
from trackyard.store.tracking import rulesets


def has_ended_offers(conn: Connection, now_ms: int) -> bool:
    """Return whether an offer is past its stop_at and not stopped."""
    return has_rows(conn, _ended(now_ms))


def claim_ended_offers(conn: Connection, now_ms: int, limit: int) -> list[int]:
    """Return and lock at most `limit` offers past their stop_at that have not ended."""
    query = _ended(now_ms).order_by(offer.c.id).limit(limit).with_for_update(skip_locked=True)
    return list(conn.execute(query).scalars())


def stop_offers(conn: Connection, ids: Collection[int], now_ms: int) -> None:
    """Stop offers, for edges too."""
    if ids:
        conn.execute(update(offer).where(offer.c.id.in_(ids)).values(status=OfferStatus.STOPPED, updated_at=now_ms))
    rulesets.touch_all(conn, "offer", ids)


def _ended(now_ms: int) -> Select[int]:
    return select(offer.c.id).where(offer.c.stop_at <= now_ms, offer.c.status.not_in(OVER))
