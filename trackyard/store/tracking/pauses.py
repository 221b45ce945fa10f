"""Pause postbacks after many dead deliveries in a row (docs/spec/postbacks.md#pauses)."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, and_, select, update

from trackyard.domain.people.staff import AT_WORK
from trackyard.store.tables import affiliate, affiliate_postback, offer, staff


@dataclass(frozen=True, slots=True)
class PausedPostback:
    """A postback that was just paused, and the people to notify.

    manager_name, manager_email: None = its affiliate has no manager.
    offer_id, offer_title: None = global.
    """

    id: int
    url: str
    offer_id: int | None
    offer_title: str | None
    affiliate_id: int
    affiliate_name: str
    affiliate_email: str
    manager_name: str | None
    manager_email: str | None


def count_dead(conn: Connection, dead: Mapping[int, int], delivered: Collection[int], most: int) -> list[int]:
    """Count the deliveries of postbacks that are dead since the last one that was sent.

    dead: their number by postback; of a postback in `delivered`, the deliveries after the sent one.
    delivered: the postbacks with a delivery that was sent.
    Returns the postbacks with `most` or more in a row that are not paused yet, locked until the transaction ends.
    """
    columns = affiliate_postback.c
    recovered = sorted(set(delivered))
    if recovered:
        conn.execute(
            update(affiliate_postback).where(columns.id.in_(recovered), columns.dead_in_row > 0).values(dead_in_row=0)
        )
    full = []
    for postback_id in sorted(dead):
        counted = (
            update(affiliate_postback)
            .where(columns.id == postback_id)
            .values(dead_in_row=columns.dead_in_row + dead[postback_id])
            .returning(columns.dead_in_row, columns.paused_at)
        )
        row = conn.execute(counted).one_or_none()
        if row is not None and row.dead_in_row >= most and row.paused_at is None:
            full.append(postback_id)
    return full


def pause(conn: Connection, ids: Collection[int], now_ms: int) -> list[PausedPostback]:
    """Pause postbacks; return what the notices need of each."""
    columns = affiliate_postback.c
    conn.execute(update(affiliate_postback).where(columns.id.in_(ids)).values(paused_at=now_ms))
    query = (
        select(columns.id, columns.url, columns.offer_id, offer.c.title)
        .add_columns(affiliate.c.id, affiliate.c.name, affiliate.c.login, affiliate.c.email)
        .add_columns(staff.c.first_name, staff.c.email)
        .join(affiliate, affiliate.c.id == columns.affiliate_id)
        .outerjoin(staff, and_(staff.c.id == affiliate.c.manager_id, staff.c.status.in_(AT_WORK)))
        .outerjoin(offer, offer.c.id == columns.offer_id)
        .where(columns.id.in_(ids))
        .order_by(columns.id)
    )
    return [
        PausedPostback(number, url, offer_id, title, owner, name or login, email, manager, manager_email)
        for number, url, offer_id, title, owner, name, login, email, manager, manager_email in conn.execute(query)
    ]


def resumed_columns() -> dict[str, Any]:
    """Return the columns of a resumed postback."""
    return {"paused_at": None, "dead_in_row": 0}
