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
    ColumnElement,
    Connection,
    FromClause,
    Integer,
    Row,
    Select,
    Text,
    and_,
    bindparam,
    case,
    cast,
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

from trackyard.domain.people.scope import Scope
from trackyard.domain.tracking.outbound_calls import Delivery, DeliveryKind, Destination, NewDelivery
from trackyard.store.engine.bulk import BulkInsert
from trackyard.store.engine.dialect import is_postgresql, upsert
from trackyard.store.engine.in_lists import among
from trackyard.store.engine.rows import has_rows, in_scope
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

    @property
    def destination(self) -> Destination:
        """Return where it goes."""
        return Destination(self.host, self.affiliate_id)


class QueuedDelivery(NamedTuple):
    """A delivery that is neither sent nor given up.

    subject_id, sequence: the conversion and its version.
    attempts: made so far; next_at: UTC milliseconds; owner: PARKED while its postback is paused.
    """

    job_id: str
    subject_id: str
    sequence: int
    postback_id: int
    status: str
    url: str
    attempts: int
    next_at: int
    owner: str
    forced: bool


class FailingHost(NamedTuple):
    """A host with deliveries that wait after failed attempts; the oldest was made at `since`, UTC ms.

    affiliate_id: the only affiliate that they go to; None = several.
    """

    host: str
    waiting: int
    since: int
    affiliate_id: int | None = None


def add(conn: Connection, deliveries: Sequence[NewDelivery]) -> None:
    """Add deliveries in the transaction of the change that they report."""
    _ADDED.add(conn, [[*_new_values(item), *_INITIAL.values()] for item in deliveries])


def add_forced(conn: Connection, deliveries: Sequence[NewDelivery]) -> int:
    """Add forced deliveries, except ones that wait already; return how many were added."""
    if not deliveries:
        return 0
    statement = upsert(conn, delivery).on_conflict_do_nothing().returning(delivery.c.id)
    return len(conn.execute(statement, [asdict(item) for item in deliveries]).all())


def list_queued(conn: Connection, conversion_ids: Collection[str]) -> list[QueuedDelivery]:
    """Return the queued deliveries of conversions, oldest first."""
    columns = [delivery.c[name] for name in QueuedDelivery._fields]
    query = select(*columns).where(delivery.c.subject_id.in_(conversion_ids), delivery.c.kind.in_([*DeliveryKind]))
    return [QueuedDelivery(*row) for row in conn.execute(query.order_by(delivery.c.created_at, delivery.c.id))]


def find_conversion_of(conn: Connection, scope: Scope, delivery_id: str) -> str | None:
    """Return the id of the conversion that a queued delivery in scope reports, or None."""
    columns = delivery.c
    named = select(columns.subject_id).where(or_(columns.id == delivery_id, columns.job_id == delivery_id))
    query = named.where(*in_scope(scope, affiliate=columns.affiliate_id, advertiser=columns.advertiser_id)).limit(1)
    return conn.execute(query).scalar_one_or_none()


def has_due(conn: Connection, now_ms: int) -> bool:
    """Return whether a delivery may be attempted now. Cheap."""
    return has_rows(conn, select(delivery.c.id).where(delivery.c.next_at <= now_ms, delivery.c.lease_until <= now_ms))


def list_due(
    conn: Connection,
    now_ms: int,
    per_destination: int,
    limit: int,
    without: Collection[Destination] = (),
    only: Collection[Destination] | None = None,
    full_affiliates: Collection[int] = (),
    full_hosts: Collection[str] = (),
) -> list[DueDelivery]:
    """Return deliveries that may be attempted now, in turns of affiliates.

    The first of each affiliate comes before the second of another. At most `per_destination` of each destination and
    none of the destinations `without` (or `only` of some), none of full affiliates and hosts: a long queue of one hides
    no other.
    """
    query = _list_due(is_postgresql(conn), only is not None)
    params = {
        "now": now_ms,
        "per_destination": per_destination,
        "most": limit,
        "destinations": [f"{place.host} {place.affiliate_id}" for place in (without if only is None else only)],
        "full_affiliates": full_affiliates,
        "full_hosts": full_hosts,
    }
    return [DueDelivery(row.id, row.host, row.affiliate_id) for row in conn.execute(query, params)]


def claim(conn: Connection, ids: Sequence[str], owner: str, now_ms: int, lease_ms: int) -> list[Delivery]:
    """Lease deliveries to a worker until now + lease, except deliveries that another worker takes or took."""
    columns = delivery.c
    free = (columns.id.in_(ids), columns.lease_until <= now_ms, columns.next_at <= now_ms)
    taken = conn.execute(
        update(delivery)
        .where(columns.id.in_(select(columns.id).where(*free).with_for_update(skip_locked=True)))
        .values(owner=owner, lease_until=now_ms + lease_ms)
        .returning(columns.id)
    )
    rows = conn.execute(_claimed(), {"ids": list(taken.scalars())})
    return [_delivery(row) for row in rows]


def renew(conn: Connection, ids: Collection[str], owner: str, until_ms: int) -> None:
    """Lease deliveries on to the worker that has them, until a time (UTC milliseconds)."""
    if ids:
        mine = and_(delivery.c.id.in_(ids), delivery.c.owner == owner)
        conn.execute(update(delivery).where(mine).values(lease_until=until_ms))


def release(conn: Connection, owner: str) -> int:
    """Release what a worker of this name held when it died; return how many."""
    held = update(delivery).where(delivery.c.owner == owner).values(owner="", lease_until=0)
    return conn.execute(held).rowcount


def find_superseded(conn: Connection, conversion_ids: Sequence[str]) -> list[Delivery]:
    """Return deliveries of these conversions that failed, wait for a retry, and have a later one."""
    rows = conn.execute(_waiting(), {"ids": list(conversion_ids)})
    return [_delivery(row) for row in rows if row.superseded]


def find_outdated(conn: Connection, items: Collection[Delivery]) -> set[str]:
    """Return the ids of deliveries that have a later delivery of the same subject and postback."""
    if not items:
        return set()
    mine = delivery.alias("mine")
    query = select(mine.c.id).where(mine.c.id.in_([item.id for item in items]), _has_later(mine.c))
    return set(conn.execute(query).scalars())


def retry(conn: Connection, failed: Sequence[tuple[Delivery, int]]) -> None:
    """Record failed attempts; the next attempt of each is at its time (UTC milliseconds).

    One that another worker leased since stays as that one has it.
    """
    columns = delivery.c
    again = (
        update(delivery)
        .where(columns.id == bindparam("key"), columns.owner == bindparam("holder"))
        .values(attempts=columns.attempts + 1, next_at=bindparam("at"), lease_until=0, owner="")
    )
    if failed:
        conn.execute(again, [{"key": item.id, "holder": item.owner, "at": at} for item, at in failed])


def park(conn: Connection, waiting: Sequence[tuple[Delivery, int]]) -> None:
    """Park deliveries of paused postbacks, each until its time (UTC milliseconds) at most.

    One that another worker leased since stays as that one has it.
    """
    parked = (
        update(delivery)
        .where(delivery.c.id == bindparam("key"), delivery.c.owner == bindparam("holder"))
        .values(next_at=bindparam("at"), lease_until=0, owner=PARKED)
    )
    if waiting:
        conn.execute(parked, [{"key": item.id, "holder": item.owner, "at": at} for item, at in waiting])


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


def list_failing_hosts(conn: Connection, limit: int) -> list[FailingHost]:
    """Return the hosts with deliveries that wait after failed attempts, the longest waits first."""
    columns = delivery.c
    waiting = (columns.attempts > 0) & (columns.owner != PARKED)
    oldest, owners = func.min(columns.created_at), (func.min(columns.affiliate_id), func.max(columns.affiliate_id))
    query = select(columns.host, func.count(), oldest, *owners).where(waiting).group_by(columns.host)
    rows = conn.execute(query.order_by(oldest).limit(limit))
    return [
        FailingHost(host, number, since, first if first == last else None) for host, number, since, first, last in rows
    ]


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
    places, inner, now = _destinations(), delivery.alias("inner_delivery"), bindparam("now", type_=BigInteger)
    first_of_place = (
        select(inner.c.id, inner.c.host, inner.c.affiliate_id, inner.c.next_at)
        .where(inner.c.affiliate_id == places.c.affiliate_id, inner.c.host == places.c.host)
        .where(inner.c.next_at <= now, inner.c.lease_until <= now)
        .where(or_(inner.c.attempts > 0, inner.c.sequence == 1, ~_has_earlier_unattempted(inner.c)))
        .order_by(inner.c.next_at)  # the index ends the search early; the condition above keeps the order
        .limit(bindparam("per_destination", type_=Integer))
        .correlate(places)
    )
    # One plan each: PostgreSQL would try every row against the list, SQLite has no LATERAL.
    if postgresql:
        due: FromClause = first_of_place.lateral("due")
        joined = places.join(due, true())
    else:
        due = delivery
        joined = places.join(due, due.c.id.in_(first_of_place.with_only_columns(inner.c.id)))
    named = among(places.c.host + literal(" ") + cast(places.c.affiliate_id, Text), "destinations")
    turn = func.row_number().over(partition_by=due.c.affiliate_id, order_by=(due.c.next_at, due.c.id))
    return (
        select(due.c.id, due.c.host, due.c.affiliate_id)
        .select_from(joined)
        .where(not_(among(places.c.host, "full_hosts")), named if only else not_(named))
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


def _destinations() -> CTE:
    """Return the destinations with queued deliveries, of affiliates that are not full.

    They are read by steps along the index.
    """
    columns = delivery.c
    first = select(func.min(columns.affiliate_id).label("affiliate_id")).cte("affiliates", recursive=True)
    behind = select(func.min(columns.affiliate_id)).where(columns.affiliate_id > first.c.affiliate_id)
    affiliates = first.union_all(select(behind.scalar_subquery()).where(first.c.affiliate_id.is_not(None)))
    host = select(func.min(columns.host)).where(columns.affiliate_id == affiliates.c.affiliate_id).scalar_subquery()
    places = (
        select(affiliates.c.affiliate_id, host.label("host"))
        .where(not_(among(affiliates.c.affiliate_id, "full_affiliates")))
        .cte("destinations", recursive=True)
    )
    here = columns.affiliate_id == places.c.affiliate_id
    next_host = select(func.min(columns.host)).where(here, columns.host > places.c.host).scalar_subquery()
    return places.union_all(select(places.c.affiliate_id, next_host).where(places.c.host.is_not(None)))


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
        (columns.kind == DeliveryKind.POSTBACK, of.id.is_(None)),
        (columns.kind == DeliveryKind.CROSS_POSTBACK, crossed.id.is_(None)),
        else_=false(),
    )
    own_url = and_(
        columns.kind == DeliveryKind.CROSS_POSTBACK,
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
    return Delivery(**values | {"kind": DeliveryKind(values["kind"])})
