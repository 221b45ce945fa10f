"""When URLs of offers are checked, and what was found (docs/spec/statistics.md#urls-of-offers)."""

from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, Select, and_, delete, exists, insert, select, update

from trackyard.domain.offers.choices import TAKING_CLICKS
from trackyard.domain.statistics.url_checks import UrlCheck, check_of
from trackyard.store.engine.dialect import upsert
from trackyard.store.engine.rows import has_rows
from trackyard.store.tables import offer, url_check, url_host

_ACTIVE: Final = and_(offer.c.status.in_(TAKING_CLICKS), offer.c.removed_at.is_(None), offer.c.url != "")


@dataclass(frozen=True, slots=True)
class DueUrl:
    """An offer that is due to be checked. url: None = it is not to be checked any more."""

    offer_id: int
    url: str | None


def add_missing(conn: Connection, due_at: int, most: int) -> int:
    """Note active offers that no check knows; return how many."""
    known = exists(select(url_check.c.offer_id).where(url_check.c.offer_id == offer.c.id))
    found = conn.execute(select(offer.c.id).where(_ACTIVE, ~known).order_by(offer.c.id).limit(most)).scalars().all()
    if found:
        conn.execute(insert(url_check), [{"offer_id": each, "due_at": due_at, "result": None} for each in found])
    return len(found)


def has_missing(conn: Connection) -> bool:
    """Return whether an active offer is not noted yet."""
    known = exists(select(url_check.c.offer_id).where(url_check.c.offer_id == offer.c.id))
    return has_rows(conn, select(offer.c.id).where(_ACTIVE, ~known))


def has_due(conn: Connection, now_ms: int) -> bool:
    """Return whether an offer is due."""
    return has_rows(conn, select(url_check.c.offer_id).where(url_check.c.due_at <= now_ms))


def find_due(conn: Connection, now_ms: int) -> DueUrl | None:
    """Return the offer that is due longest, locked until the transaction ends; None without one."""
    query = select(url_check.c.offer_id).where(url_check.c.due_at <= now_ms)
    query = query.order_by(url_check.c.due_at, url_check.c.offer_id).limit(1)
    found = conn.execute(query.with_for_update(skip_locked=True)).scalar_one_or_none()
    if found is None:
        return None
    url = conn.execute(select(offer.c.url).where(offer.c.id == found, _ACTIVE)).scalar_one_or_none()
    return DueUrl(found, url)


def forget(conn: Connection, offer_id: int) -> None:
    """Remove an offer that is not to be checked any more."""
    conn.execute(delete(url_check).where(url_check.c.offer_id == offer_id))


def set_due(conn: Connection, offer_id: int, due_at: int) -> None:
    """Set when an offer is due."""
    conn.execute(update(url_check).where(url_check.c.offer_id == offer_id).values(due_at=due_at))


def set_result(conn: Connection, offer_id: int, found: UrlCheck) -> None:
    """Store what a check found."""
    conn.execute(update(url_check).where(url_check.c.offer_id == offer_id).values(result=found.document()))


def claim_host(conn: Connection, host: str, now_ms: int, pause_ms: int) -> int | None:
    """Claim a visit of a host; return None, or when the next one is possible.

    Of several machines one gets it.
    """
    columns = url_host.c
    claim = upsert(conn, url_host).values(host=host, visited_at=now_ms)
    claim = claim.on_conflict_do_update(
        index_elements=["host"], set_={"visited_at": now_ms}, where=columns.visited_at <= now_ms - pause_ms
    )
    if conn.execute(claim.returning(columns.host)).scalar_one_or_none() is not None:
        return None
    visited: int = conn.execute(select(columns.visited_at).where(columns.host == host)).scalar_one()
    return visited + pause_ms


def forget_hosts(conn: Connection, before: int) -> None:
    """Remove hosts that were visited before a time."""
    conn.execute(delete(url_host).where(url_host.c.visited_at < before))


def find_check(conn: Connection, offer_id: int) -> UrlCheck | None:
    """Return the last check of an offer, or None."""
    found = conn.execute(select(url_check.c.result).where(url_check.c.offer_id == offer_id)).scalar_one_or_none()
    return None if found is None else check_of(found)


def list_checks(conn: Connection) -> dict[int, UrlCheck]:
    """Return the last check of each active offer that has one."""
    query: Select[int, dict[str, object]] = select(url_check.c.offer_id, url_check.c.result)
    query = query.join(offer, offer.c.id == url_check.c.offer_id).where(_ACTIVE, url_check.c.result.is_not(None))
    return {offer_id: check_of(result) for offer_id, result in conn.execute(query.order_by(url_check.c.offer_id))}
