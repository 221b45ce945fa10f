"""Deliveries, each kept until it is sent, dead, superseded or dropped.

docs/spec/postbacks.md#delivery. A worker claims due deliveries under a lease and records the outcome of each attempt.
First attempts of one (subject, postback) go out in the order of their sequence; a delivery that has failed is
superseded once a later one of the same exists. Deliveries of a paused postback are parked until they expire. One that
is sent again by hand (`forced`) has one attempt, goes out in the same order among its kind, and supersedes nothing.
"""

from collections.abc import Collection, Sequence
from dataclasses import asdict, fields
from functools import cache
from operator import attrgetter
from typing import Any, Final, NamedTuple

from sqlalchemy import (
    CTE,
    BigInteger,
    BindParameter,
    ColumnElement,
    Connection,
    FromClause,
    Integer,
    Row,
    Select,
    and_,
    bindparam,
    case,
    delete,
    exists,
    false,
    func,
    literal,
    not_,
    or_,
    select,
    true,
    update,
)
from sqlalchemy.sql.base import ReadOnlyColumnCollection

from trackyard.domain.tracking.events import Delivery, EventKind, NewDelivery
from trackyard.store.engine.bulk import BulkInsert
from trackyard.store.engine.dialect import is_postgresql, upsert
from trackyard.store.engine.rows import has_rows
from trackyard.store.tables import affiliate, affiliate_postback, delivery, offer

PARKED: Final = "parked"
"""The owner of deliveries of a paused postback."""


_Columns = ReadOnlyColumnCollection[str, Any]
_NEW: Final = [field.name for field in fields(NewDelivery)]
_INITIAL: Final[dict[str, int | str]] = {"attempts": 0, "lease_until": 0, "owner": ""}
_ADDED: Final = BulkInsert(delivery, (*_NEW, *_INITIAL))
_new_values: Final = attrgetter(*_NEW)
_DERIVED: Final = frozenset({"secret", "superseded", "removed", "paused"})
_READ: Final = [delivery.c[field.name] for field in fields(Delivery) if field.name not in _DERIVED]


class DueDelivery(NamedTuple):
    """A delivery that may be attempted now."""

    id: str
    host: str
    affiliate_id: int


def add(conn: Connection, deliveries: Sequence[NewDelivery]) -> None:
    """Add deliveries in the transaction of the change that they report."""
    _ADDED.add(conn, [[*_new_values(item), *_INITIAL.values()] for item in deliveries])


def add_forced(conn: Connection, deliveries: Sequence[NewDelivery]) -> int:
    """Add forced deliveries except those that wait already; return how many were added."""
    if not deliveries:
        return 0
    statement = upsert(conn, delivery).on_conflict_do_nothing().returning(delivery.c.id)
    return len(conn.execute(statement, [asdict(item) for item in deliveries]).all())


def has_due(conn: Connection, now_ms: int) -> bool:
    """Return whether a delivery may be attempted now. Cheap."""
    return has_rows(conn, select(delivery.c.id).where(delivery.c.next_at <= now_ms, delivery.c.lease_until <= now_ms))


def list_due(
    conn: Connection,
    now_ms: int,
    per_host: int,
    limit: int,
    without: Collection[str] = (),
    only: Collection[str] | None = None,
    full_affiliates: Collection[int] = (),
) -> list[DueDelivery]:
    """Return deliveries that may be attempted now, in turns of affiliates.

    The first of each affiliate comes before the second of another. At most `per_host` of each host and none of the
    hosts `without` (or `only` of some), none of `full_affiliates`: a long queue of one hides no other.
    """
    query = _list_due(is_postgresql(conn), only is not None)
    params = {
        "now": now_ms,
        "per_host": per_host,
        "most": limit,
        "hosts": list(without if only is None else only),
        "affiliates": list(full_affiliates),
    }
    return [DueDelivery(row.id, row.host, row.affiliate_id) for row in conn.execute(query, params)]


def claim(conn: Connection, ids: Sequence[str], owner: str, now_ms: int, lease_ms: int) -> list[Delivery]:
    """Lease deliveries to a worker until now + lease, except those that another one took."""
    columns = delivery.c
    taken = conn.execute(
        update(delivery)
        .where(columns.id.in_(ids), columns.lease_until <= now_ms, columns.next_at <= now_ms)
        .values(owner=owner, lease_until=now_ms + lease_ms)
        .returning(columns.id)
    )
    rows = conn.execute(_claimed(), {"ids": list(taken.scalars())})
    return [_delivery(row) for row in rows]


def release(conn: Connection, owner: str) -> int:
    """Release what a worker of this name held when it died; return how many."""
    held = update(delivery).where(delivery.c.owner == owner).values(owner="", lease_until=0)
    return conn.execute(held).rowcount


def find_superseded(conn: Connection, conversion_ids: Sequence[str]) -> list[Delivery]:
    """Return deliveries of these conversions that failed, wait for a retry, and have a later one."""
    rows = conn.execute(_waiting(), {"ids": list(conversion_ids)})
    return [_delivery(row) for row in rows if row.superseded]


def find_outdated(conn: Connection, items: Collection[Delivery]) -> set[str]:
    """Return the ids of those that have a later delivery of the same subject and postback."""
    if not items:
        return set()
    mine = delivery.alias("mine")
    query = select(mine.c.id).where(mine.c.id.in_([item.id for item in items]), _has_later(mine.c))
    return set(conn.execute(query).scalars())


def retry(conn: Connection, failed: Sequence[tuple[Delivery, int]]) -> None:
    """Record failed attempts; the next attempt of each is at its time (UTC milliseconds)."""
    columns = delivery.c
    again = (
        update(delivery)
        .where(columns.id == bindparam("key"))
        .values(attempts=columns.attempts + 1, next_at=bindparam("at"), lease_until=0, owner="")
    )
    if failed:
        conn.execute(again, [{"key": item.id, "at": at} for item, at in failed])


def park(conn: Connection, waiting: Sequence[tuple[Delivery, int]]) -> None:
    """Park deliveries of paused postbacks, each until its time (UTC milliseconds) at most."""
    parked = (
        update(delivery)
        .where(delivery.c.id == bindparam("key"))
        .values(next_at=bindparam("at"), lease_until=0, owner=PARKED)
    )
    if waiting:
        conn.execute(parked, [{"key": item.id, "at": at} for item, at in waiting])


def unpark(conn: Connection, now_ms: int, limit: int) -> int:
    """Make parked deliveries due when their postback is resumed or gone; at most `limit`."""
    columns = delivery.c
    free = (
        select(columns.id)
        .outerjoin(affiliate_postback, affiliate_postback.c.id == columns.postback_id)
        .where(columns.owner == PARKED, affiliate_postback.c.paused_at.is_(None))
        .order_by(columns.subject_id, columns.sequence)
        .limit(limit)
    )
    ids = list(conn.execute(free).scalars())
    if ids:
        conn.execute(update(delivery).where(columns.id.in_(ids)).values(owner="", next_at=now_ms))
    return len(ids)


def has_parked(conn: Connection) -> bool:
    """Return whether a delivery is parked. Cheap."""
    return has_rows(conn, select(delivery.c.id).where(delivery.c.owner == PARKED))


def remove(conn: Connection, ids: Collection[str]) -> None:
    """Remove deliveries that are sent, dead, superseded or dropped."""
    if ids:
        conn.execute(delete(delivery).where(delivery.c.id.in_(ids)))


# Statements of every round of a worker are created once: to create one takes longer than to execute it.


@cache
def _list_due(postgresql: bool, only: bool) -> Select[tuple[str, str, int]]:
    hosts, inner, now = _hosts(), delivery.alias("inner_delivery"), bindparam("now", type_=BigInteger)
    first_of_host = (
        select(inner.c.id, inner.c.host, inner.c.affiliate_id, inner.c.next_at)
        .where(inner.c.host == hosts.c.host, inner.c.next_at <= now, inner.c.lease_until <= now)
        .where(inner.c.affiliate_id.not_in(bindparam("affiliates", expanding=True)))
        .where(or_(inner.c.attempts > 0, inner.c.sequence == 1, ~_has_earlier_unattempted(inner.c)))
        .order_by(inner.c.next_at)  # the index ends the search early; the condition above keeps the order
        .limit(bindparam("per_host", type_=Integer))
        .correlate(hosts)
    )
    # One plan each: PostgreSQL would try every row against the list, SQLite has no LATERAL.
    if postgresql:
        due: FromClause = first_of_host.lateral("due")
        joined = hosts.join(due, true())
    else:
        due = delivery
        joined = hosts.join(due, due.c.id.in_(first_of_host.with_only_columns(inner.c.id)))
    named: BindParameter[str] = bindparam("hosts", expanding=True)
    turn = func.row_number().over(partition_by=due.c.affiliate_id, order_by=(due.c.next_at, due.c.id))
    return (
        select(due.c.id, due.c.host, due.c.affiliate_id)
        .select_from(joined)
        .where(hosts.c.host.in_(named) if only else hosts.c.host.not_in(named))
        .order_by(turn, due.c.next_at, due.c.id)
        .limit(bindparam("most", type_=Integer))
    )


@cache
def _claimed() -> Select[Any]:
    return _deliveries().where(delivery.c.id.in_(bindparam("ids", expanding=True)))


@cache
def _waiting() -> Select[Any]:
    """Return the statement for attempted deliveries of conversions that no worker holds."""
    columns = delivery.c
    of_these = columns.subject_id.in_(bindparam("ids", expanding=True))
    return _deliveries().where(of_these, columns.attempts > 0, columns.lease_until == 0)


def _hosts() -> CTE:
    """Return the hosts with queued deliveries, read by steps along the index."""
    first = select(func.min(delivery.c.host).label("host")).cte("hosts", recursive=True)
    behind = select(func.min(delivery.c.host)).where(delivery.c.host > first.c.host).scalar_subquery()
    return first.union_all(select(behind).where(first.c.host.is_not(None)))


def _has_earlier_unattempted(item: _Columns) -> ColumnElement[bool]:
    """Return the condition that an earlier delivery has no attempt yet.

    A parked one blocks no other: later ones of its postback are parked as well.
    """
    earlier = delivery.alias("earlier")
    waits = (earlier.c.attempts == 0, earlier.c.owner != PARKED, earlier.c.forced == item.forced)
    return _exists_like(item, earlier, earlier.c.sequence < item.sequence, *waits)


def _has_later(item: _Columns) -> ColumnElement[bool]:
    later = delivery.alias("later")
    return _exists_like(item, later, later.c.sequence > item.sequence, not_(later.c.forced))


def _exists_like(item: _Columns, other: FromClause, *conditions: ColumnElement[bool]) -> ColumnElement[bool]:
    """Return the condition that another delivery of the same subject, kind and postback exists."""
    same = [other.c[name] == item[name] for name in ("subject_id", "kind", "postback_id")]
    return exists(select(literal(1)).where(*same, *conditions))


def _deliveries() -> Select[Any]:
    """Return the statement for the columns of `Delivery`."""
    columns, of, crossed = delivery.c, affiliate_postback.c, offer.c
    gone = case(
        (columns.kind == EventKind.POSTBACK, of.id.is_(None)),
        (columns.kind == EventKind.CROSS_POSTBACK, crossed.id.is_(None)),
        else_=false(),
    )
    own_url = and_(
        columns.kind == EventKind.CROSS_POSTBACK,
        crossed.id == columns.offer_id,
        crossed.cross_postback_url.is_not(None),
    )
    return (
        select(
            *_READ,
            affiliate.c.postback_secret.label("secret"),
            and_(columns.attempts > 0, _has_later(columns)).label("superseded"),
            gone.label("removed"),
            of.paused_at.is_not(None).label("paused"),
        )
        .join(affiliate, affiliate.c.id == columns.affiliate_id)
        .outerjoin(affiliate_postback, of.id == columns.postback_id)
        .outerjoin(offer, own_url)
        .order_by(columns.next_at, columns.sequence)
    )


def _delivery(row: Row[Any]) -> Delivery:
    values: dict[str, Any] = dict(row._mapping)
    return Delivery(**values | {"kind": EventKind(values["kind"])})
