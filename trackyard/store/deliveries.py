"""Calls to affiliates, each kept until it is sent, dead or superseded (behaviour.md §6).

A worker claims due deliveries under a lease and records the outcome of each attempt. First attempts of one
(conversion, postback) go out in the order of the conversion's versions; a delivery that has failed is superseded
once a later one of the same exists.
"""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import (
    CTE,
    ColumnElement,
    Connection,
    FromClause,
    and_,
    delete,
    exists,
    func,
    insert,
    literal,
    or_,
    select,
    true,
    update,
)
from sqlalchemy.sql.base import ReadOnlyColumnCollection

from trackyard.store.tables import affiliate, delivery


@dataclass(frozen=True, slots=True)
class NewDelivery:
    """A call to be made. number: the conversion's version · next_at: UTC ms of its first attempt."""

    id: str
    number: int
    conversion_id: str
    postback_id: int
    affiliate_id: int
    offer_id: int
    advertiser_id: str
    goal: str
    status: str
    url: str
    host: str
    next_at: int
    created_at: int


@dataclass(frozen=True, slots=True)
class Delivery:
    """A stored call. attempts: made so far · secret: what its affiliate's signatures are made with ·
    superseded: a later one of the same conversion and postback waits."""

    id: str
    number: int
    conversion_id: str
    postback_id: int
    affiliate_id: int
    offer_id: int
    advertiser_id: str
    goal: str
    status: str
    url: str
    host: str
    attempts: int
    forced: bool
    secret: str
    superseded: bool


def add(conn: Connection, deliveries: Sequence[NewDelivery]) -> None:
    """Adds calls in the transaction of the change they tell of."""
    if deliveries:
        conn.execute(insert(delivery), [asdict(item) for item in deliveries])


def has_due(conn: Connection, now_ms: int) -> bool:
    """Whether a delivery may be attempted now. Cheap."""
    due = select(delivery.c.id).where(delivery.c.next_at <= now_ms, delivery.c.lease_until <= now_ms)
    return conn.execute(due.limit(1)).first() is not None


def list_due(
    conn: Connection, now_ms: int, per_host: int, limit: int, full_hosts: Collection[str] = ()
) -> list[tuple[str, str]]:
    """(id, host) of deliveries that may be attempted now, oldest first, at most `per_host` of each host and none of
    `full_hosts`: a host with a long queue hides no other."""
    hosts = _hosts()
    inner = delivery.alias("inner_delivery")
    first_of_host = (
        select(inner.c.id, inner.c.host, inner.c.next_at)
        .where(inner.c.host == hosts.c.host, inner.c.next_at <= now_ms, inner.c.lease_until <= now_ms)
        .where(or_(inner.c.attempts > 0, ~_earlier_unattempted(inner.c)))
        .order_by(inner.c.next_at)  # the index ends the search early; the condition above keeps the order
        .limit(per_host)
        .correlate(hosts)
    )
    # One plan each: PostgreSQL would try every row against the list, SQLite has no LATERAL.
    if conn.dialect.name == "postgresql":
        due: FromClause = first_of_host.lateral("due")
        joined = hosts.join(due, true())
    else:
        due = delivery
        joined = hosts.join(due, due.c.id.in_(first_of_host.with_only_columns(inner.c.id)))
    query = (
        select(due.c.id, due.c.host)
        .select_from(joined)
        .where(hosts.c.host.not_in(full_hosts))
        .order_by(due.c.next_at, due.c.id)
        .limit(limit)
    )
    return [(row.id, row.host) for row in conn.execute(query)]


def claim(conn: Connection, ids: Sequence[str], owner: str, now_ms: int, lease_ms: int) -> list[Delivery]:
    """Leases deliveries to a worker until now + lease; those that another one took are left out."""
    columns = delivery.c
    taken = conn.execute(
        update(delivery)
        .where(columns.id.in_(ids), columns.lease_until <= now_ms)
        .values(owner=owner, lease_until=now_ms + lease_ms)
        .returning(columns.id)
    )
    return _deliveries(conn, columns.id.in_(list(taken.scalars())))


def release(conn: Connection, owner: str) -> int:
    """Gives back what a worker of this name held when it died; how many."""
    held = update(delivery).where(delivery.c.owner == owner).values(owner="", lease_until=0)
    return conn.execute(held).rowcount


def find_superseded(conn: Connection, conversion_ids: Sequence[str]) -> list[Delivery]:
    """Deliveries of these conversions that failed before, wait for another attempt, and have a later one behind
    them."""
    columns = delivery.c
    found = _deliveries(
        conn,
        and_(columns.conversion_id.in_(conversion_ids), columns.attempts > 0, columns.lease_until == 0),
    )
    return [item for item in found if item.superseded]


def has_later(conn: Connection, item: Delivery) -> bool:
    """Whether a later call of the same conversion and postback is queued."""
    later = delivery.c
    query = select(later.id).where(
        later.conversion_id == item.conversion_id,
        later.postback_id == item.postback_id,
        later.number > item.number,
    )
    return conn.execute(query.limit(1)).first() is not None


def retry(conn: Connection, item: Delivery, next_at: int) -> None:
    """Records a failed attempt: another one at `next_at` (UTC ms)."""
    conn.execute(
        update(delivery)
        .where(delivery.c.id == item.id)
        .values(attempts=item.attempts + 1, next_at=next_at, lease_until=0, owner="")
    )


def remove(conn: Connection, ids: Sequence[str]) -> None:
    """Removes deliveries that are sent, dead or superseded."""
    conn.execute(delete(delivery).where(delivery.c.id.in_(ids)))


def _hosts() -> CTE:
    """The hosts that deliveries are queued for, read by skipping along the index."""
    first = select(func.min(delivery.c.host).label("host")).cte("hosts", recursive=True)
    behind = select(func.min(delivery.c.host)).where(delivery.c.host > first.c.host).scalar_subquery()
    return first.union_all(select(behind).where(first.c.host.is_not(None)))


def _earlier_unattempted(item: ReadOnlyColumnCollection[str, Any]) -> ColumnElement[bool]:
    earlier = delivery.alias("earlier")
    return exists(
        select(literal(1)).where(
            earlier.c.conversion_id == item.conversion_id,
            earlier.c.postback_id == item.postback_id,
            earlier.c.number < item.number,
            earlier.c.attempts == 0,
        )
    )


def _deliveries(conn: Connection, condition: ColumnElement[bool]) -> list[Delivery]:
    columns = delivery.c
    later = delivery.alias("later")
    superseded = exists(
        select(literal(1)).where(
            later.c.conversion_id == columns.conversion_id,
            later.c.postback_id == columns.postback_id,
            later.c.number > columns.number,
        )
    )
    rows = conn.execute(
        select(
            *(columns[name] for name in _READ),
            affiliate.c.postback_secret.label("secret"),
            superseded.label("superseded"),
        )
        .join(affiliate, affiliate.c.id == columns.affiliate_id)
        .where(condition)
        .order_by(columns.next_at, columns.number)
    )
    return [Delivery(**row._mapping) for row in rows]


_READ = (
    *("id", "number", "conversion_id", "postback_id", "affiliate_id", "offer_id", "advertiser_id"),
    *("goal", "status", "url", "host", "attempts", "forced"),
)
