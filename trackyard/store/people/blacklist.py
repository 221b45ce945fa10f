"""Affiliates that advertisers reject (docs/api/advertisers.md#post-adminadvertiserdisable-affiliate)."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from sqlalchemy import Column, Connection, delete, select

from trackyard.store.engine.dialect import upsert
from trackyard.store.tables import advertiser_blacklist

_COLUMNS = advertiser_blacklist.c


def add(conn: Connection, affiliate_id: int, advertiser_ids: Iterable[str], now_ms: int) -> None:
    """Add an affiliate to the blacklists of advertisers, except where it is on them already."""
    rows = [{"advertiser_id": each, "affiliate_id": affiliate_id, "created_at": now_ms} for each in advertiser_ids]
    conn.execute(upsert(conn, advertiser_blacklist).values(rows).on_conflict_do_nothing())


def remove(conn: Connection, affiliate_id: int, advertiser_ids: Iterable[str]) -> set[str]:
    """Remove an affiliate from the blacklists of advertisers; return the advertisers that had it."""
    gone = conn.execute(
        delete(advertiser_blacklist)
        .where(_COLUMNS.affiliate_id == affiliate_id, _COLUMNS.advertiser_id.in_(set(advertiser_ids)))
        .returning(_COLUMNS.advertiser_id)
    )
    return set(gone.scalars())


def affiliates_of(conn: Connection, advertiser_ids: Iterable[str]) -> dict[str, frozenset[int]]:
    """Return the affiliates that each advertiser rejects; an advertiser with none is absent."""
    return _grouped(conn, _COLUMNS.advertiser_id, _COLUMNS.affiliate_id, advertiser_ids)


def advertisers_of(conn: Connection, affiliate_ids: Iterable[int]) -> dict[int, frozenset[str]]:
    """Return the advertisers that reject each affiliate; an affiliate with none is absent."""
    return _grouped(conn, _COLUMNS.affiliate_id, _COLUMNS.advertiser_id, affiliate_ids)


def _grouped(conn: Connection, key: Column[Any], value: Column[Any], keys: Iterable[Any]) -> dict[Any, frozenset[Any]]:
    found = defaultdict(set)
    for each, other in conn.execute(select(key, value).where(key.in_(set(keys)))):
        found[each].add(other)
    return {each: frozenset(others) for each, others in found.items()}
