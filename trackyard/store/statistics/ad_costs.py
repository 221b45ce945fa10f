"""Costs of advertising (docs/spec/statistics.md#ad-costs)."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict
from datetime import date
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Select, delete, func, literal, select

from trackyard.domain.people.scope import Scope
from trackyard.domain.statistics.ad_costs import FIRST_DAY, AdCost, AdCostKey, AdCostSum
from trackyard.store.engine.dialect import read_page, upsert
from trackyard.store.engine.rows import in_scope
from trackyard.store.tables import ad_cost, offer

_KEYS: Final = tuple(column.name for column in ad_cost.primary_key)
_OWNERS: Final[Mapping[str, ColumnElement[Any]]] = {
    "offer": ad_cost.c.offer_id,
    "affiliate": ad_cost.c.affiliate_id,
    "advertiser": offer.c.advertiser_id,
}
_FILTERED: Final = {**_OWNERS, "sub8": ad_cost.c.sub8}
_EPOCH: Final = date.fromisoformat(FIRST_DAY)
_EMPTY: Final[Mapping[str, ColumnElement[Any]]] = {
    "day": literal(FIRST_DAY),
    "offer": literal(0),
    "affiliate": literal(0),
    "advertiser": literal(""),
}


def set_cost(conn: Connection, new: AdCost, now_ms: int) -> None:
    """Store a cost in the place of an earlier one of the same key."""
    values = {**asdict(new), "updated_at": now_ms}
    changed = {name: values[name] for name in ("cost", "updated_at")}
    statement = upsert(conn, ad_cost).values(**values)
    conn.execute(statement.on_conflict_do_update(index_elements=_KEYS, set_=changed))


def remove_cost(conn: Connection, key: AdCostKey) -> bool:
    """Remove a cost; return whether it existed."""
    conditions = [ad_cost.c[name] == value for name, value in asdict(key).items()]
    return conn.execute(delete(ad_cost).where(*conditions).returning(ad_cost.c.day)).first() is not None


def list_costs(conn: Connection, scope: Scope, offer_id: int, *, page: int, limit: int) -> tuple[list[AdCost], int]:
    """Return a page of the costs of an offer, the newest days first, and the total."""
    columns = ad_cost.c
    query = (
        select(*(columns[name] for name in AdCost.__slots__))
        .where(columns.offer_id == offer_id, *in_scope(scope, affiliate=columns.affiliate_id))
        .order_by(columns.day.desc(), columns.affiliate_id, columns.sub8)
    )
    rows, total = read_page(conn, query, page, limit)
    return [AdCost(**row._mapping) for row in rows], total


def sum_costs(
    conn: Connection,
    scope: Scope,
    days: tuple[str, str],
    keys: Collection[str],
    filters: Mapping[str, Collection[Any]],
    excluded: Mapping[str, Collection[Any]],
) -> tuple[AdCostSum, ...]:
    """Return the sums of costs in scope.

    days: the first and the last, YYYY-MM-DD. keys: what the sums differ in, of `day` and COST_COLUMNS.
    filters, excluded: of COST_COLUMNS and `sub8`.
    """
    columns = {"day": ad_cost.c.day, **_OWNERS}
    parts = [column if name in keys else _EMPTY[name] for name, column in columns.items()]
    query: Select[Any] = select(*parts, func.sum(ad_cost.c.cost, type_=ad_cost.c.cost.type))
    query = query.select_from(ad_cost.join(offer, offer.c.id == ad_cost.c.offer_id))
    query = query.where(ad_cost.c.day.between(*days), *_narrowed(scope, filters, excluded))
    query = query.group_by(*(column for name, column in columns.items() if name in keys))
    return tuple(
        AdCostSum((date.fromisoformat(day) - _EPOCH).days, offer_id, affiliate_id, advertiser_id, cost)
        for day, offer_id, affiliate_id, advertiser_id, cost in conn.execute(query)
        if cost is not None
    )


def _narrowed(
    scope: Scope, filters: Mapping[str, Collection[Any]], excluded: Mapping[str, Collection[Any]]
) -> Iterable[ColumnElement[bool]]:
    yield from in_scope(scope, affiliate=ad_cost.c.affiliate_id, advertiser=offer.c.advertiser_id)
    yield from (_FILTERED[name].in_(set(values)) for name, values in filters.items())
    yield from (_FILTERED[name].not_in(set(values)) for name, values in excluded.items())
