"""Affiliates that advertisers reject, and affiliates that alone may use an advertiser's offers."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, Select, delete, or_, select

from trackyard.domain.people.advertisers import AffiliateLists
from trackyard.store.engine.dialect import upsert
from trackyard.store.tables import advertiser_blacklist

_COLUMNS = advertiser_blacklist.c


def add(conn: Connection, affiliate_id: int, advertiser_ids: Iterable[str], now_ms: int) -> None:
    """Add an affiliate to the blacklists of advertisers, except where it is on them already."""
    _put(conn, [(each, affiliate_id) for each in advertiser_ids], now_ms, enabled=False)


def remove(conn: Connection, affiliate_id: int, advertiser_ids: Iterable[str]) -> set[str]:
    """Remove an affiliate from the blacklists of advertisers; return the advertisers that had it."""
    gone = conn.execute(
        delete(advertiser_blacklist)
        .where(
            _COLUMNS.affiliate_id == affiliate_id, _COLUMNS.advertiser_id.in_(set(advertiser_ids)), ~_COLUMNS.enabled
        )
        .returning(_COLUMNS.advertiser_id)
    )
    return set(gone.scalars())


def set_list(conn: Connection, advertiser_id: str, affiliate_ids: Sequence[int], now_ms: int, *, enabled: bool) -> None:
    """Replace the enabled or the rejected affiliates of an advertiser.

    One that is in the other list changes its list.
    """
    kept = delete(advertiser_blacklist).where(
        _COLUMNS.advertiser_id == advertiser_id,
        _COLUMNS.enabled.is_(enabled),
        _COLUMNS.affiliate_id.not_in(affiliate_ids),
    )
    conn.execute(kept)
    _put(conn, [(advertiser_id, each) for each in affiliate_ids], now_ms, enabled=enabled)


def _put(conn: Connection, pairs: Sequence[tuple[str, int]], now_ms: int, *, enabled: bool) -> None:
    if not pairs:
        return
    rows = [
        {"advertiser_id": advertiser, "affiliate_id": affiliate, "created_at": now_ms, "enabled": enabled}
        for advertiser, affiliate in pairs
    ]
    statement = upsert(conn, advertiser_blacklist).values(rows)
    keys = [_COLUMNS.advertiser_id, _COLUMNS.affiliate_id]
    conn.execute(statement.on_conflict_do_update(index_elements=keys, set_={"enabled": enabled}))


def lists_of(conn: Connection, advertiser_ids: Iterable[str]) -> dict[str, AffiliateLists]:
    """Return the lists of affiliates of each advertiser; an advertiser without any is absent."""
    query = select(_COLUMNS.advertiser_id, _COLUMNS.affiliate_id, _COLUMNS.enabled)
    found: dict[str, dict[bool, list[int]]] = {}
    for advertiser, affiliate, enabled in conn.execute(
        query.where(_COLUMNS.advertiser_id.in_(set(advertiser_ids))).order_by(_COLUMNS.affiliate_id)
    ):
        found.setdefault(advertiser, {True: [], False: []})[enabled].append(affiliate)
    return {key: AffiliateLists(tuple(lists[True]), tuple(lists[False])) for key, lists in found.items()}


def advertisers_of(conn: Connection, affiliate_ids: Iterable[int]) -> dict[int, frozenset[str]]:
    """Return the advertisers that do not take each affiliate; one that all take is absent."""
    wanted = set(affiliate_ids)
    query = select(_COLUMNS.advertiser_id, _COLUMNS.affiliate_id, _COLUMNS.enabled)
    rejected: dict[int, set[str]] = defaultdict(set)
    enabled: dict[int, set[str]] = defaultdict(set)
    for advertiser, affiliate, is_enabled in conn.execute(
        query.where(or_(_COLUMNS.affiliate_id.in_(wanted), _COLUMNS.enabled))
    ):
        (enabled if is_enabled else rejected)[affiliate].add(advertiser)
    choosing = set[str]().union(*enabled.values())
    refusing = {each: frozenset(rejected[each] | (choosing - enabled[each])) for each in wanted}
    return {each: advertisers for each, advertisers in refusing.items() if advertisers}


def refusing_advertisers(affiliate_ids: Iterable[int]) -> tuple[Select[Any], Select[Any]]:
    """Return statements: advertisers that reject some affiliates, and that have only others enabled."""
    mine = _COLUMNS.affiliate_id.in_(set(affiliate_ids))
    taking = select(_COLUMNS.advertiser_id).where(mine, _COLUMNS.enabled)
    return (
        select(_COLUMNS.advertiser_id).where(mine, ~_COLUMNS.enabled),
        select(_COLUMNS.advertiser_id).where(_COLUMNS.enabled, _COLUMNS.advertiser_id.not_in(taking)),
    )
