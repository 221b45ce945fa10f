"""The states of conversions as events (docs/spec/events.md#conversions).

They are stored once, in the history of conversions, with a number; the payload is made when an event is read.
"""

from typing import Any

from sqlalchemy import Connection, Row, and_, select

from trackyard.base.money import plain_amount
from trackyard.domain.events.events import Event
from trackyard.domain.events.kinds import EventKind
from trackyard.store.tables import conversion, conversion_event

_MONEY = ("charge", "payout")


def list_after(conn: Connection, seq: int, most: int) -> list[Event]:
    """Return up to `most` numbered events of conversions after a number, in order."""
    state, before = conversion_event.alias("state"), conversion_event.alias("earlier")
    earlier = and_(before.c.conversion_id == state.c.conversion_id, before.c.version == state.c.version - 1)
    names = ("status", *_MONEY, "currency", "comment")
    query = (
        select(
            state.c.conversion_id,
            *(state.c[name] for name in ("version", "seq", "at", "actor", *names)),
            *(before.c[name].label(f"{name}_before") for name in names),
            *(conversion.c[name] for name in ("affiliate_id", "advertiser_id", "offer_id", "goal", "click_id")),
        )
        .join_from(state, conversion, conversion.c.id == state.c.conversion_id)
        .outerjoin(before, earlier)
        .where(state.c.seq > seq)
        .order_by(state.c.seq)
        .limit(most)
    )
    return [_event(row) for row in conn.execute(query)]


def _event(row: Row[Any]) -> Event:
    is_new = row.status_before is None
    payload = {"conversion": row.conversion_id, "click": row.click_id or "", "goal": row.goal, **_state(row, "")}
    if not is_new:
        payload["before"] = _state(row, "_before")
    return Event(
        id=f"{row.conversion_id}-{row.version}",
        seq=row.seq,
        kind=EventKind.CONVERSION_MADE if is_new else EventKind.CONVERSION_CHANGED,
        at=row.at,
        actor=row.actor,
        subject=row.conversion_id,
        affiliate_id=row.affiliate_id,
        advertiser_id=row.advertiser_id or "",
        offer_id=row.offer_id,
        payload=payload,
    )


def _state(row: Row[Any], end: str) -> dict[str, str]:
    """Return a state as a payload has it. end: of the names of its columns."""
    values = row._mapping
    amounts = {name: plain_amount(values[name + end]) for name in _MONEY}
    return {name: values[name + end] for name in ("status", "currency", "comment")} | amounts
