"""Affiliates that advertisers reject (docs/api/advertisers.md#post-adminadvertiserdisable-affiliate)."""

from collections.abc import Iterable

from sqlalchemy import Connection, delete, select

from trackyard.store.engine.dialect import upsert
from trackyard.store.tables import advertiser_blacklist


def add(conn: Connection, affiliate_id: int, advertiser_ids: Iterable[str], now_ms: int) -> None:
    """Puts an affiliate on the blacklist of advertisers; to be on it already is no fault."""
    rows = [{"advertiser_id": each, "affiliate_id": affiliate_id, "created_at": now_ms} for each in advertiser_ids]
    conn.execute(upsert(conn, advertiser_blacklist).values(rows).on_conflict_do_nothing())


def remove(conn: Connection, affiliate_id: int, advertiser_ids: Iterable[str]) -> set[str]:
    """Takes an affiliate off the blacklist of advertisers; those it was on."""
    columns = advertiser_blacklist.c
    gone = conn.execute(
        delete(advertiser_blacklist)
        .where(columns.affiliate_id == affiliate_id, columns.advertiser_id.in_(set(advertiser_ids)))
        .returning(columns.advertiser_id)
    )
    return set(gone.scalars())


def affiliates_of(conn: Connection, advertiser_ids: Iterable[str]) -> dict[str, frozenset[int]]:
    """The affiliates that each advertiser refuses; one that refuses none is absent."""
    columns = advertiser_blacklist.c
    found: dict[str, set[int]] = {}
    rows = conn.execute(
        select(columns.advertiser_id, columns.affiliate_id).where(columns.advertiser_id.in_(set(advertiser_ids)))
    )
    for advertiser_id, affiliate_id in rows:
        found.setdefault(advertiser_id, set()).add(affiliate_id)
    return {advertiser_id: frozenset(ids) for advertiser_id, ids in found.items()}


def advertisers_of(conn: Connection, affiliate_ids: Iterable[int]) -> dict[int, frozenset[str]]:
    """The advertisers that refuse each affiliate; one that none refuses is absent."""
    columns = advertiser_blacklist.c
    found: dict[int, set[str]] = {}
    rows = conn.execute(
        select(columns.affiliate_id, columns.advertiser_id).where(columns.affiliate_id.in_(set(affiliate_ids)))
    )
    for affiliate_id, advertiser_id in rows:
        found.setdefault(affiliate_id, set()).add(advertiser_id)
    return {affiliate_id: frozenset(ids) for affiliate_id, ids in found.items()}
